//! Writing: payloads are staged, and one record with one sync makes all that is staged durable and visible.
//!
//! A letter that comes alone is a record of its own ([`Store::commit`]); the letters of a full mailbox share records.

use super::error::StoreError;
use super::files;
use super::fold::{Nth, one, to_json};
use super::journal::{KIND_MANY, KIND_ONE, Place, RECORD_BYTES_MAX};
use super::payload::Payload;
use super::seen;
use super::tree::{Batch, Tree};
use super::vault::{Settled, Store};

/// Bytes of payloads that share one record; more make several records.
const GROUP_BYTES: usize = 1 << 20;
/// Mails of one record; the daemon numbers them.
const GROUP_MAILS: u16 = 500;
/// What makes a list of the payloads: brackets, and a comma before the next.
const LIST_BYTES: usize = 3;

/// Names a staged payload until it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// Payloads of the record that is being gathered.
#[derive(Default)]
pub(super) struct Staged {
    payloads: Vec<(Ticket, Payload)>,
    /// Their JSON, with commas between.
    bytes: Vec<u8>,
    /// What they change.
    pub batch: Batch,
    at: Nth,
    place: Place,
}

impl Store {
    /// Makes one transaction durable, then visible. What was staged goes before it.
    pub fn commit(&mut self, payload: Payload) -> Result<Settled, StoreError> {
        self.write_staged()?;
        self.stage(payload)?;
        let mut settled = self.written(KIND_ONE)?;
        let last = settled.pop().ok_or_else(|| StoreError::Missing {
            what: "transaction",
            name: "just committed".to_owned(),
        });
        last.map(|(_, settled)| settled)
    }

    /// The same for several at once, with one sync for about a megabyte of them. When one is refused, those of
    /// earlier records stay and nothing of its own record is written.
    pub fn commit_many(&mut self, payloads: Vec<Payload>) -> Result<Vec<Settled>, StoreError> {
        self.write_staged()?;
        let before = std::mem::take(&mut self.done);
        let mut all = Ok(());
        for payload in payloads {
            all = self.stage(payload).map(|_| ());
            if all.is_ok() && self.is_full() {
                all = self.write_staged();
            }
            if all.is_err() {
                self.staged = Staged::default();
                break;
            }
        }
        let all = all.and_then(|()| self.write_staged());
        let settled = std::mem::replace(&mut self.done, before);
        all.map(|()| settled.into_iter().map(|(_, settled)| settled).collect())
    }

    /// Decided, but not yet on the disk: reads see it, nothing is acknowledged or sent of it. A crash, or a failed
    /// [`Store::settle_staged`], and it never was.
    ///
    /// # Errors
    /// As [`Store::commit`]; then this payload is not staged, others stay so.
    pub fn stage(&mut self, payload: Payload) -> Result<Ticket, StoreError> {
        self.ready()?;
        let seq = self.journal.tip().seq + 1;
        self.unseen(&payload, seq)?;
        let json = to_json(&payload)?;
        let bytes = self.staged.bytes.len() + json.len() + LIST_BYTES;
        if bytes > RECORD_BYTES_MAX {
            if self.staged.payloads.is_empty() {
                return Err(StoreError::TooBig {
                    bytes,
                    most: RECORD_BYTES_MAX,
                });
            }
            self.write_staged()?;
            return self.stage(payload);
        }
        if self.staged.payloads.is_empty() {
            self.staged.place = self.journal.prepare()?;
        }
        // Folded before it is written: what cannot be folded must not get into the journal.
        let (at, place) = (self.staged.at, self.staged.place);
        let folded = one(&self.fold, &payload, (seq, place), at, &self.view());
        let batch = self.watch(folded)?;
        self.staged.at = at.after(&payload, seq)?;
        self.staged.batch.extend(batch);
        if !self.staged.bytes.is_empty() {
            self.staged.bytes.push(b',');
        }
        self.staged.bytes.extend_from_slice(&json);
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.staged.payloads.push((ticket, payload));
        Ok(ticket)
    }

    /// Mails staged so far: the number that the next staged mail gets within its record.
    pub fn staged_mails(&self) -> u16 {
        self.staged.at.mails
    }

    /// Is this key one of a staged payload? Then nothing can be said of it before it is written.
    pub fn is_staged(&self, key: &str) -> bool {
        let key = (Tree::Seen, seen::index_key(key));
        self.staged.batch.changes.contains_key(&key)
    }

    /// Is enough staged for one sync?
    pub fn is_full(&self) -> bool {
        self.staged.bytes.len() >= GROUP_BYTES || self.staged.at.mails >= GROUP_MAILS
    }

    /// Writes what is staged with one sync, and hands over the tokens of everything that was staged and written since
    /// the last call.
    ///
    /// # Errors
    /// What was staged last is not kept, and its letters come again; tokens of what was written before stay for the
    /// next call.
    pub fn settle_staged(&mut self) -> Result<Vec<(Ticket, Settled)>, StoreError> {
        self.write_staged()?;
        Ok(std::mem::take(&mut self.done))
    }

    fn write_staged(&mut self) -> Result<(), StoreError> {
        if self.staged.payloads.is_empty() {
            return Ok(());
        }
        let kind = match self.staged.payloads.len() {
            1 => KIND_ONE,
            _ => KIND_MANY,
        };
        let settled = self.written(kind)?;
        self.done.extend(settled);
        Ok(())
    }

    /// The one place where journal and index are written, in this order.
    fn written(&mut self, kind: u8) -> Result<Vec<(Ticket, Settled)>, StoreError> {
        self.ready()?;
        let mut staged = std::mem::take(&mut self.staged);
        if kind == KIND_MANY {
            staged.bytes.insert(0, b'[');
            staged.bytes.push(b']');
        }
        let seq = self.journal.tip().seq + 1;
        self.crash("C5")?;
        let appended = self.append(kind, &staged.bytes, staged.place);
        self.watch(appended)?;
        self.crash("C8")?;
        self.crash("C9")?;
        let applied = self.index.apply(&staged.batch, self.journal.tip());
        self.or_break(applied)?;
        self.crash("C10")?;
        self.crash("C11")?;
        let settled = |(ticket, p): (Ticket, Payload)| {
            let outcome = p.outcome;
            (ticket, Settled { seq, outcome })
        };
        Ok(staged.payloads.into_iter().map(settled).collect())
    }

    fn append(&mut self, kind: u8, bytes: &[u8], place: Place) -> Result<(), StoreError> {
        let ballast = self.dir.join("ballast");
        match self.journal.append(kind, bytes, place) {
            Err(StoreError::Full(_)) if ballast.exists() => {
                tracing::error!(
                    "the disk is full; the ballast is given up to finish this transaction"
                );
                self.low = true;
                files::remove(&ballast)?;
                self.journal.append(kind, bytes, place)
            }
            other => other,
        }
    }

    /// An effect that exists is not brought about again.
    fn unseen(&self, payload: &Payload, next: u64) -> Result<(), StoreError> {
        if payload.events.is_empty() {
            return Ok(());
        }
        for (at, key) in payload.keys.iter().enumerate() {
            let twice = self.is_staged(key) || payload.keys[..at].contains(key);
            let seq = match self.seen(key)? {
                Some(before) => before.seq,
                None if twice => next,
                None => continue,
            };
            return Err(StoreError::Seen {
                key: key.clone(),
                seq,
            });
        }
        Ok(())
    }
}
