//! The store's side of sending: what is due, and what became of it.

use jiff::{SignedDuration, Timestamp};

use super::error::StoreError;
use super::fold::decode;
use super::outbox::{self, Course, Fate, OutboxId, OutboxMark, OutboxRow, Queued, UNKNOWN_WAIT};
use super::payload::Payload;
use super::vault::Store;

impl Store {
    /// Up to `most` mails due at `now` which this process is not sending already.
    pub fn outbox_due(&mut self, now: Timestamp, most: usize) -> Result<Vec<Queued>, StoreError> {
        self.outbox_due_of(now, most, None)
    }

    /// The same, only mails of one kind.
    pub fn outbox_due_of(
        &mut self,
        now: Timestamp,
        most: usize,
        kind: Option<&str>,
    ) -> Result<Vec<Queued>, StoreError> {
        self.ready()?;
        let found = outbox::due(&self.index, now, most, &|id, row| {
            self.flying.contains(&id) || row.is_some_and(|r| kind.is_some_and(|k| r.kind != k))
        });
        let rows = self.watch(found)?;
        rows.into_iter()
            .map(|(id, row)| self.queued(id, row))
            .collect()
    }

    /// Mails are given up after this, instead of [`outbox::GIVE_UP`].
    pub fn give_up_after(&mut self, time: SignedDuration) {
        self.give_up = time;
    }

    /// Reads a mail's bytes back from the journal.
    fn queued(&mut self, id: OutboxId, row: OutboxRow) -> Result<Queued, StoreError> {
        if self
            .last_read
            .as_ref()
            .is_none_or(|(place, _)| *place != row.place)
        {
            let (kind, bytes) = self.journal.read(row.place)?;
            self.last_read = Some((row.place, decode(kind, &bytes, id.seq)?));
        }
        let mail = self
            .last_read
            .as_ref()
            .and_then(|(_, payloads)| payloads.get(row.payload as usize))
            .and_then(|p| p.mails.get(row.nth as usize))
            .filter(|m| m.message_id == row.message_id)
            .ok_or_else(|| StoreError::Missing {
                what: "mail",
                name: row.message_id.clone(),
            })?;
        let (from, bytes) = (mail.envelope_from.clone(), mail.bytes.0.clone());
        Ok(Queued::new(id, row, from, bytes))
    }

    /// Says durably that a connection for this mail is about to be made. Without this no mail is sent.
    pub fn mark_sending(&mut self, mail: &Queued, now: Timestamp) -> Result<(), StoreError> {
        self.mark_sending_all(std::slice::from_ref(mail), now)
    }

    /// The same for several mails, with one sync.
    pub fn mark_sending_all(&mut self, mails: &[Queued], now: Timestamp) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        let marks = mails
            .iter()
            .map(|m| OutboxMark {
                id: m.id(),
                course: Course::Sending,
            })
            .collect();
        self.mark("sending", marks, now)?;
        self.flying.extend(mails.iter().map(Queued::id));
        self.crash("C13")
    }

    /// The other side took it.
    pub fn mark_sent(&mut self, mail: &Queued, now: Timestamp) -> Result<(), StoreError> {
        self.mark_sent_all(std::slice::from_ref(mail), now)
    }

    /// The same for several mails, with one sync.
    pub fn mark_sent_all(&mut self, mails: &[Queued], now: Timestamp) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        self.crash("C16")?;
        let marks = mails
            .iter()
            .map(|m| OutboxMark {
                id: m.id(),
                course: Course::Sent,
            })
            .collect();
        self.mark("sent", marks, now)
    }

    /// It could not be delivered now; says when it is tried again, or that it is given up.
    pub fn mark_later(
        &mut self,
        mail: &Queued,
        now: Timestamp,
        why: &str,
    ) -> Result<Fate, StoreError> {
        let row = self
            .outbox_row(mail.id())?
            .unwrap_or_else(|| mail.row().clone());
        let (course, fate) = outbox::after_failure(&row, now, why, self.give_up);
        self.mark(
            "later",
            vec![OutboxMark {
                id: mail.id(),
                course,
            }],
            now,
        )?;
        Ok(fate)
    }

    /// Nobody knows whether it was taken: the same bytes go out again after fifteen minutes.
    pub fn mark_unknown(
        &mut self,
        mail: &Queued,
        now: Timestamp,
        why: &str,
    ) -> Result<Timestamp, StoreError> {
        let due = outbox::later(now, UNKNOWN_WAIT);
        let course = Course::Unknown {
            due,
            why: why.to_owned(),
        };
        self.mark(
            "unknown",
            vec![OutboxMark {
                id: mail.id(),
                course,
            }],
            now,
        )?;
        Ok(due)
    }

    /// It was not even tried (the whole queue stopped): due again at once, no waiting time burned.
    pub fn mark_back(
        &mut self,
        mail: &Queued,
        now: Timestamp,
        why: &str,
    ) -> Result<(), StoreError> {
        let course = Course::Later {
            due: now,
            why: why.to_owned(),
        };
        self.mark(
            "later",
            vec![OutboxMark {
                id: mail.id(),
                course,
            }],
            now,
        )
    }

    /// It will never be delivered.
    pub fn mark_dead(
        &mut self,
        mail: &Queued,
        now: Timestamp,
        why: &str,
    ) -> Result<(), StoreError> {
        self.mark_dead_id(mail.id(), now, why)
    }

    /// The same, for a mail of which a bounce tells.
    pub fn mark_dead_id(
        &mut self,
        id: OutboxId,
        now: Timestamp,
        why: &str,
    ) -> Result<(), StoreError> {
        self.mark(
            "dead",
            vec![OutboxMark {
                id,
                course: Course::Dead {
                    why: why.to_owned(),
                },
            }],
            now,
        )
    }

    /// The keeper wants a dead mail sent again.
    pub fn mark_requeued(&mut self, id: OutboxId, now: Timestamp) -> Result<(), StoreError> {
        self.mark(
            "requeued",
            vec![OutboxMark {
                id,
                course: Course::Requeued { due: now },
            }],
            now,
        )
    }

    fn mark(
        &mut self,
        outcome: &str,
        marks: Vec<OutboxMark>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let ids: Vec<OutboxId> = marks.iter().map(|m| m.id).collect();
        self.commit(Payload {
            at,
            outcome: outcome.to_owned(),
            outbox: marks,
            ..Payload::default()
        })?;
        for id in ids {
            self.flying.remove(&id);
        }
        Ok(())
    }

    /// What the index keeps of a mail.
    pub fn outbox_row(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
        self.ready()?;
        outbox::row(&self.index, id)
    }

    /// The mail with one of our Message-IDs: to what does a letter answer, of what does a bounce tell?
    pub fn outbox_by_message_id(
        &self,
        message_id: &str,
    ) -> Result<Option<(OutboxId, OutboxRow)>, StoreError> {
        self.ready()?;
        match outbox::by_message_id(&self.index, message_id)? {
            None => Ok(None),
            Some(id) => Ok(outbox::row(&self.index, id)?.map(|row| (id, row))),
        }
    }

    /// Mails in the order they were queued, for the keeper.
    pub fn outbox_list(
        &self,
        from: Option<OutboxId>,
        most: usize,
    ) -> Result<Vec<(OutboxId, OutboxRow)>, StoreError> {
        self.ready()?;
        outbox::list(&self.index, from, most)
    }

    /// When the next mail is due (in the past when one is due now).
    pub fn outbox_next(&self) -> Result<Option<Timestamp>, StoreError> {
        self.ready()?;
        outbox::next_due(&self.index)
    }

    /// How many mails are not yet sent, counted up to `most`.
    pub fn outbox_waiting(&self, most: usize) -> Result<usize, StoreError> {
        use super::tree::{ReadIndex, Tree};
        Ok(self.scan(Tree::OutboxDue, &[], most)?.len())
    }
}
