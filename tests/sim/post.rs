//! The mailbox and the mail server of a world, with the faults that real ones have.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::panic_any;
use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use tulpa::edge::{Arrived, ArrivedId, Carrier, Delivery, Inbox, InboxError};
use tulpa::store::{Queued, Settled, fail};

use super::Bug;
use super::chance::Chance;

/// A letter in the referee's mailbox.
#[derive(Clone)]
pub struct Lying {
    pub uid: u32,
    pub bytes: Vec<u8>,
    pub arrives: i64,
    pub done: bool,
}

/// A mail that the mail server took.
#[derive(Clone)]
pub struct Taken {
    pub to: String,
    pub message_id: String,
    pub bytes: Vec<u8>,
    pub at: i64,
    /// A copy that the network made, not the referee.
    pub copied: bool,
}

/// All that lies outside of the referee's process.
pub struct Outside {
    pub chance: Chance,
    pub now: i64,
    pub faults: bool,
    pub bug: Option<Bug>,
    pub letters: Vec<Lying>,
    pub validity: u32,
    pub taken: Vec<Taken>,
    /// Attempts of which the referee cannot know whether they were taken.
    pub unknown: BTreeMap<String, usize>,
    pub counts: BTreeMap<&'static str, u64>,
    /// Nobody reaches the mailbox until then.
    pub closed_until: i64,
    pub message_ids: Vec<String>,
}

pub type Shared = Rc<RefCell<Outside>>;

impl Outside {
    pub fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// True so often, counted, and only while there are faults.
    pub fn fault(&mut self, what: &'static str, of_thousand: usize) -> bool {
        let hit = self.faults && self.chance.hits(of_thousand);
        if hit {
            self.count(what);
        }
        hit
    }
}

pub fn crash(outside: &Shared, what: &'static str, of_thousand: usize) {
    if outside.borrow_mut().fault(what, of_thousand) {
        panic_any(fail::Crash);
    }
}

pub struct Mailbox(pub Shared);

impl Inbox for Mailbox {
    fn fetch(&mut self, most: usize) -> Result<Vec<Arrived>, InboxError> {
        crash(&self.0, "crash before fetch", 4);
        let mut outside = self.0.borrow_mut();
        let now = outside.now;
        if now < outside.closed_until {
            return Err(InboxError::Later("out of reach".into()));
        }
        if outside.fault("mailbox disconnects", 20) {
            return Err(InboxError::Later("disconnected".into()));
        }
        if outside.fault("uidvalidity changes", 6) {
            outside.validity += 1;
            outside.letters.iter_mut().for_each(|l| l.done = false);
        }
        if outside.fault("flags are lost", 8) {
            let n = outside.letters.len();
            let at = outside.chance.below(n);
            if let Some(letter) = outside.letters.get_mut(at) {
                letter.done = false;
            }
        }
        let validity = outside.validity;
        let mut found: Vec<Arrived> = outside
            .letters
            .iter()
            .filter(|l| !l.done && l.arrives <= now)
            .take(most)
            .map(|l| {
                let big = (l.bytes.len() > 256 * 1024).then_some(l.bytes.len() as u64);
                let kept = if big.is_some() {
                    64 * 1024
                } else {
                    l.bytes.len()
                };
                Arrived {
                    id: ArrivedId::named(&l.uid.to_string()),
                    source_key: format!("imap|sim|INBOX|{validity}|{}", l.uid),
                    bytes: l.bytes[..kept].to_vec(),
                    too_big: big,
                    received: Timestamp::from_second(l.arrives).unwrap(),
                }
            })
            .collect();
        match outside.bug {
            Some(Bug::SettleBeforeCommit) => {
                for letter in outside.letters.iter_mut().filter(|l| l.arrives <= now) {
                    letter.done = true;
                }
            }
            Some(Bug::DedupeByMessageId) => {
                let mut gone = Vec::new();
                found.retain(|a| {
                    let text = String::from_utf8_lossy(&a.bytes).into_owned();
                    let id = text.lines().find(|l| l.starts_with("Message-ID:"));
                    let id = id.unwrap_or_default().to_owned();
                    let new = !outside.message_ids.contains(&id);
                    if new {
                        outside.message_ids.push(id);
                    } else {
                        gone.push(a.id.name().unwrap_or_default().to_owned());
                    }
                    new
                });
                for letter in &mut outside.letters {
                    letter.done |= gone.contains(&letter.uid.to_string());
                }
            }
            Some(Bug::AnswersMachines) => {
                for a in &mut found {
                    let text = String::from_utf8_lossy(&a.bytes).into_owned();
                    a.bytes = text
                        .replace("Auto-Submitted: auto-replied\r\n", "")
                        .replace("multipart/report", "text/plain")
                        .into_bytes();
                }
            }
            Some(Bug::NoDedupe) => {
                // every copy looks new: the keys of the letter are worth nothing
                let n = outside.chance.next();
                for (i, a) in found.iter_mut().enumerate() {
                    let text = String::from_utf8_lossy(&a.bytes).into_owned();
                    let text: String = text
                        .split_inclusive('\n')
                        .filter(|l| !l.starts_with("Message-ID:"))
                        .collect();
                    a.bytes = format!("X-Copy: {n}.{i}\r\n{text}").into_bytes();
                    a.source_key.push_str(&format!("|{n}"));
                }
            }
            _ => {}
        }
        Ok(found)
    }

    fn settle(&mut self, arrived: &ArrivedId, done: Settled) -> Result<(), InboxError> {
        let _ = done.seq();
        crash(&self.0, "crash before settling", 5);
        let mut outside = self.0.borrow_mut();
        if outside.fault("settling fails", 10) {
            return Err(InboxError::Later("disconnected".into()));
        }
        let uid = arrived.name().unwrap_or_default().to_owned();
        for letter in outside
            .letters
            .iter_mut()
            .filter(|l| l.uid.to_string() == uid)
        {
            letter.done = true;
        }
        drop(outside);
        crash(&self.0, "crash after settling", 5);
        Ok(())
    }

    fn wait(&mut self, _: Duration) -> Result<(), InboxError> {
        Ok(())
    }
}

pub struct Wire(pub Shared);

impl Wire {
    fn take(&self, mail: &Queued, copied: bool) {
        let mut outside = self.0.borrow_mut();
        let mut bytes = mail.bytes().to_vec();
        if outside.bug == Some(Bug::OtherBytesAtRetry) && mail.row().attempts > 0 {
            bytes.extend_from_slice(b"again\r\n");
        }
        let at = outside.now;
        outside.taken.push(Taken {
            to: mail.to().to_owned(),
            message_id: mail.message_id().to_owned(),
            bytes,
            at,
            copied,
        });
    }

    fn unknown(&self, mail: &Queued) {
        let mut outside = self.0.borrow_mut();
        *outside
            .unknown
            .entry(mail.message_id().to_owned())
            .or_default() += 1;
    }
}

impl Carrier for Wire {
    fn send(&mut self, mail: &Queued) -> Delivery {
        crash(&self.0, "crash before connecting", 4);
        let fault = |what, n| self.0.borrow_mut().fault(what, n);
        if fault("smtp refuses", 15) {
            return Delivery::Later("connection refused".into());
        }
        if fault("smtp 4xx", 15) {
            return Delivery::Later("451 try later".into());
        }
        if fault("smtp 5xx", 5) {
            return Delivery::Dead("550 no such user".into());
        }
        if fault("smtp login refused", 4) {
            return Delivery::Stop("535 login".into());
        }
        if fault("smtp breaks before the dot", 10) {
            return Delivery::Later("broken pipe".into());
        }
        let bug = self.0.borrow().bug;
        if fault("smtp breaks after the dot, not taken", 12) {
            self.unknown(mail);
            return match bug {
                Some(Bug::UnknownIsSent) => Delivery::Sent,
                _ => Delivery::Unknown("no answer".into()),
            };
        }
        if bug == Some(Bug::SentBeforeSend) && fault("(bug) nothing was sent", 60) {
            return Delivery::Sent;
        }
        self.take(mail, false);
        if fault("the 250 is lost", 12) {
            self.unknown(mail);
            return Delivery::Unknown("no answer".into());
        }
        if fault("the network copies a mail", 10) {
            self.take(mail, true);
        }
        if self.0.borrow_mut().fault("crash after the 250", 4) {
            self.unknown(mail);
            panic_any(fail::Crash);
        }
        if bug == Some(Bug::SendsTwice) && fault("(bug) sent twice", 60) {
            self.take(mail, false);
        }
        Delivery::Sent
    }
}
