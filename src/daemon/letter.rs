//! From one letter to one transaction.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::budget::{Answering, hold_back, is_answer};
use super::mails::Stopped;
use super::{Daemon, Trouble, events, records_trouble, untripped};
use crate::edge::{Arrived, ArrivedId, Inbox, InboxError, incoming};
use crate::post::reader::{self, Context, Reading};
use crate::referee::order::{OrderLine, Part, Read, Slip};
use crate::referee::{self, Command, Decision, Event};
use crate::store::{NewMail, Payload, Settled, StoreError, Ticket, seen};

/// A letter that trips the program so often is set aside.
const STRIKES_MAX: u32 = 3;

/// How far a letter has come.
enum Fate {
    /// Its fate was on the disk before.
    Known(Settled),
    /// Decided, and written with the next sync.
    Staged(Ticket),
}

/// What would be done with a letter: for `tulpa read`.
pub struct Rehearsal {
    /// What was understood.
    pub reading: Reading,
    /// What would follow, unless a machine wrote.
    pub decision: Option<Decision>,
    /// The mails it would bring: recipient and whole bytes.
    pub mails: Vec<NewMail>,
    /// Those that would not be let out.
    pub stopped: Vec<Stopped>,
}

impl Daemon {
    /// Letters in: all that wait, up to the limit of a round. Many share one sync; each is done only after it. Answers
    /// how many are.
    ///
    /// # Errors
    /// What ended it early; what was settled before stays settled.
    pub fn letters(&mut self, inbox: &mut dyn Inbox) -> Result<usize, Trouble> {
        let mut count = 0;
        let mut staged = BTreeMap::new();
        let arrived = inbox.fetch(self.letters_per_round)?;
        self.guard()?;
        self.all_read = arrived.len() < self.letters_per_round;
        for letter in &arrived {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            match self.stage(letter) {
                Ok(Fate::Known(settled)) => {
                    inbox.settle(&letter.id, settled)?;
                    count += 1;
                }
                Ok(Fate::Staged(ticket)) => {
                    staged.insert(ticket, &letter.id);
                }
                Err(Trouble::Low) => {
                    self.settle(&mut staged, inbox)?;
                    return Err(Trouble::Low);
                }
                Err(e) if e.is_fatal() => return Err(e),
                Err(e) => tracing::warn!("{e}"),
            }
            if self.store.is_full() {
                count += self.settle(&mut staged, inbox)?;
            }
        }
        Ok(count + self.settle(&mut staged, inbox)?)
    }

    /// The letters that other processes took from the pipe meanwhile and left for this one.
    ///
    /// # Errors
    /// As [`Daemon::letters`].
    pub fn left(&mut self) -> Result<usize, Trouble> {
        if incoming::is_empty(&self.state) {
            return Ok(0);
        }
        let inbox = incoming::inbox(&self.state, self.limits.letter_bytes as u64);
        let mut inbox = inbox.map_err(|e| InboxError::Later(format!("left letters: {e}")))?;
        self.letters(&mut inbox)
    }

    /// One sync for all that is staged, then their letters are done.
    fn settle(
        &mut self,
        staged: &mut BTreeMap<Ticket, &ArrivedId>,
        inbox: &mut dyn Inbox,
    ) -> Result<usize, Trouble> {
        let mut count = 0;
        for (ticket, settled) in self.store.settle_staged()? {
            if let Some(id) = staged.remove(&ticket) {
                inbox.settle(id, settled)?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// One letter, to the point where its fate is on the disk. Its mails wait in the outbox.
    ///
    /// # Errors
    /// The letter stays where it is and is tried again.
    pub fn letter(&mut self, arrived: &Arrived) -> Result<Settled, Trouble> {
        match self.stage(arrived)? {
            Fate::Known(settled) => Ok(settled),
            Fate::Staged(ticket) => {
                let mut done = self.store.settle_staged()?.into_iter();
                let own = done.find(|(t, _)| *t == ticket);
                own.map(|(_, settled)| settled).ok_or(Trouble::Struck)
            }
        }
    }

    /// One letter, to the point where its fate is decided; it shares the next sync with others.
    fn stage(&mut self, arrived: &Arrived) -> Result<Fate, Trouble> {
        let mut keys = Vec::new();
        if !arrived.source_key.is_empty() {
            keys.push(seen::source(&arrived.source_key));
        }
        // a letter too large to be read whole is known by its place alone
        if arrived.too_big.is_none() {
            keys.push(seen::bytes(&arrived.bytes));
        }
        let mut known = None;
        for key in &keys {
            match self.store.seen(key)? {
                Some(settled) => known = Some(settled),
                None if known.is_some() => return self.note("duplicate", keys),
                None => {}
            }
        }
        if let Some(settled) = known {
            return Ok(Fate::Known(settled));
        }
        if keys.iter().any(|key| self.store.is_staged(key)) {
            return self.note("duplicate", keys);
        }
        self.must_have_room()?;
        let now = self.clock.now();
        let entropy = self.chance.fresh().map_err(Trouble::Chance)?;
        let Some(rehearsal) = untripped(|| self.rehearse(arrived, now, &entropy)) else {
            return self.strike(arrived, keys);
        };
        let rehearsal = rehearsal?;
        let Some(decision) = rehearsal.decision else {
            return self.note("machine", keys);
        };
        let mut mails = rehearsal.mails;
        let spends = match self.answering(&decision, now)? {
            Answering::Now(spends) => spends,
            Answering::Hourly(player, spends) => {
                let answer = decision.notices.iter().find(|n| is_answer(n));
                let kind = answer.map(|n| n.kind.name());
                if let Some(mail) = mails.iter_mut().find(|m| Some(m.kind.as_str()) == kind) {
                    hold_back(mail, player, now);
                }
                spends
            }
            Answering::Never => {
                self.alarm(
                    "strangers",
                    "the answers to unknown senders are used up for now; their letters are not answered",
                )?;
                return self.note("unanswered", keys);
            }
        };
        keys.extend(decision.key.clone());
        keys.extend(decision.confirming.clone());
        let turns = count_turns(&decision.events);
        let payload = Payload {
            at: now,
            outcome: decision.outcome.word().to_owned(),
            keys: keys.clone(),
            events: events(&decision.events)?,
            mails,
            spends,
            ..Payload::default()
        };
        // the records may not be able to take it: then it is a letter like any other that trips us
        let Some(staged) = untripped(|| self.store.stage(payload)) else {
            return self.strike(arrived, keys);
        };
        match staged {
            Ok(ticket) => {
                self.tell_stopped(&rehearsal.stopped)?;
                for event in &decision.events {
                    if let Event::EraseAsked { player } = event {
                        let no = player.0;
                        self.alarm(
                            &format!("player {no} asks to be erased"),
                            &format!("player {no} asks to be erased; do it with `tulpa keep erase '#{no}'`"),
                        )?;
                    }
                }
                self.turns += turns;
                Ok(Fate::Staged(ticket))
            }
            Err(StoreError::Seen { .. }) => self.note("duplicate", keys),
            Err(e) => Err(e.into()),
        }
    }

    /// What would be done with a letter. Changes nothing.
    ///
    /// # Errors
    /// Records that cannot be read.
    pub fn rehearse(
        &self,
        arrived: &Arrived,
        now: Timestamp,
        entropy: &[u8; 32],
    ) -> Result<Rehearsal, Trouble> {
        let context = Context {
            own: vec![self.own.clone()],
            instance: self.office.instance.as_str().to_owned(),
            trusted_authserv: self.trusted_authserv.clone(),
            limits: self.limits,
            received: arrived.received,
            too_big: arrived.too_big,
        };
        let reading = reader::read(&arrived.bytes, &context);
        let read = match &reading {
            Reading::Machine(_) => {
                return Ok(Rehearsal {
                    reading,
                    decision: None,
                    mails: Vec::new(),
                    stopped: Vec::new(),
                });
            }
            Reading::Orders(read) => (**read).clone(),
            Reading::TooBig(read, bytes) => {
                let most = self.limits.letter_bytes;
                unread(
                    read,
                    format!("{bytes} bytes, more than {most} are not read"),
                )
            }
            Reading::Unreadable(read, why) => unread(read, why.to_string()),
        };
        let registry = self.records();
        let command = Command::Letter(Box::new(read.clone()));
        let mut decision = referee::decide(&registry, &self.shelf, &command, now, entropy);
        registry.sound().map_err(records_trouble)?;
        let (mails, stopped) = self.mails(&registry, &mut decision, Some(&read), now);
        Ok(Rehearsal {
            reading,
            decision: Some(decision),
            mails,
            stopped,
        })
    }

    /// A letter that changes nothing but what is known of letters.
    fn note(&mut self, outcome: &str, keys: Vec<String>) -> Result<Fate, Trouble> {
        Ok(Fate::Staged(self.store.stage(Payload {
            at: self.clock.now(),
            outcome: outcome.to_owned(),
            keys,
            ..Payload::default()
        })?))
    }

    /// A letter tripped an assertion: it is counted, and set aside at the third time. Other letters go on.
    fn strike(&mut self, arrived: &Arrived, keys: Vec<String>) -> Result<Fate, Trouble> {
        let Some(key) = keys.last().cloned() else {
            return Err(Trouble::Struck);
        };
        let strikes = self.store.strikes(&key)? + 1;
        tracing::error!("a letter tripped the program, time {strikes}; please report this");
        if strikes < STRIKES_MAX {
            self.store.commit(Payload {
                at: self.clock.now(),
                outcome: "struck".to_owned(),
                strikes: vec![key],
                ..Payload::default()
            })?;
            return Err(Trouble::Struck);
        }
        let id = self.store.quarantine()?.keep(&arrived.bytes)?;
        let ticket = self.note("quarantined", keys)?;
        self.alarm(
            "quarantine",
            &format!("a letter tripped the program {STRIKES_MAX} times and is set aside: `quarantine/{id}.eml`"),
        )?;
        Ok(ticket)
    }
}

/// A letter that could not be read, as one line that is refused: its writer is told, by the usual ways.
fn unread(read: &Read, why: String) -> Read {
    Read {
        parts: vec![Part {
            game: None,
            orders: vec![OrderLine {
                line: 0,
                text: "(your whole letter)".to_owned(),
                order: Err(Slip::Unclear {
                    command: "letter".to_owned(),
                    found: why,
                    usage: "a short letter of plain text".to_owned(),
                }),
            }],
        }],
        ..read.clone()
    }
}

fn count_turns(events: &[Event]) -> usize {
    events
        .iter()
        .filter(|e| matches!(e, Event::Acted { .. }))
        .count()
}
