//! From one letter to one transaction.

use jiff::Timestamp;

use super::budget::{Answering, hold_back, is_answer};
use super::{Daemon, Trouble, events, records_trouble, untripped};
use crate::edge::Arrived;
use crate::post::reader::{self, Context, Reading};
use crate::referee::order::{OrderLine, Part, Read, Slip};
use crate::referee::{self, Command, Decision, Event};
use crate::store::{NewMail, Payload, Settled, StoreError, seen};

/// A letter that trips the program so often is set aside.
const STRIKES_MAX: u32 = 3;

/// What would be done with a letter: for `tulpa read`.
pub struct Rehearsal {
    /// What was understood.
    pub reading: Reading,
    /// What would follow, unless a machine wrote.
    pub decision: Option<Decision>,
    /// The mails it would bring: recipient and whole bytes.
    pub mails: Vec<NewMail>,
}

impl Daemon {
    /// One letter, to the point where its fate is on the disk. Its mails wait in the outbox.
    ///
    /// # Errors
    /// The letter stays where it is and is tried again.
    pub fn letter(&mut self, arrived: &Arrived) -> Result<Settled, Trouble> {
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
                None if known.is_some() => return Ok(self.settle("duplicate", keys)?),
                None => {}
            }
        }
        if let Some(settled) = known {
            return Ok(settled);
        }
        self.must_have_room()?;
        let now = self.clock.now();
        let entropy = (self.chance)().map_err(Trouble::Chance)?;
        let Some(rehearsal) = untripped(|| self.rehearse(arrived, now, &entropy)) else {
            return self.strike(arrived, keys);
        };
        let rehearsal = rehearsal?;
        let Some(decision) = rehearsal.decision else {
            return Ok(self.settle("machine", keys)?);
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
                return Ok(self.settle("unanswered", keys)?);
            }
        };
        keys.extend(decision.key.clone());
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
        let before = self.store.head().0;
        let committed = match untripped(|| self.store.commit(payload)) {
            Some(committed) => committed,
            // the records could not take it: nothing is written yet, so it is a letter like any other that trips us
            None if self.store.head().0 == before => return self.strike(arrived, keys),
            None => return Err(StoreError::Broken("the program tripped".to_owned()).into()),
        };
        match committed {
            Ok(settled) => {
                self.turns += turns;
                Ok(settled)
            }
            Err(StoreError::Seen { .. }) => Ok(self.settle("duplicate", keys)?),
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
        let decision = referee::decide(&registry, &self.shelf, &command, now, entropy);
        registry.sound().map_err(records_trouble)?;
        let mails = self.mails(&decision, Some(&read), now);
        Ok(Rehearsal {
            reading,
            decision: Some(decision),
            mails,
        })
    }

    fn settle(&mut self, outcome: &str, keys: Vec<String>) -> Result<Settled, StoreError> {
        self.store.commit(Payload {
            at: self.clock.now(),
            outcome: outcome.to_owned(),
            keys,
            ..Payload::default()
        })
    }

    /// A letter tripped an assertion: it is counted, and set aside at the third time. Other letters go on.
    fn strike(&mut self, arrived: &Arrived, keys: Vec<String>) -> Result<Settled, Trouble> {
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
        let settled = self.settle("quarantined", keys)?;
        self.alarm(
            "quarantine",
            &format!("a letter tripped the program {STRIKES_MAX} times and is set aside: `quarantine/{id}.eml`"),
        )?;
        Ok(settled)
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
