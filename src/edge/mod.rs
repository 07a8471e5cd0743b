//! The world outside: one file for each thing that fails by itself.
//!
//! Nothing in here decides anything. An [`Inbox`] hands over letters as bytes and marks one as done only against a
//! [`Settled`], which only the store's commit makes; a [`Carrier`] takes only a [`Queued`], which only the store's
//! outbox makes. So no letter is forgotten before it is kept, and nothing is sent that is not kept.
//!
//! No function here panics on what the world says, waits without an end, or reads more than its limit.

pub mod address;
pub mod clock;
pub mod entropy;
pub mod imap;
pub mod incoming;
pub mod maildir;
pub mod pipe;
pub mod secret;
pub mod sendmail;
pub mod smtp;
pub mod stream;

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use crate::store::{Queued, Settled};

/// Largest letter that is read whole, in bytes (security.md 5); larger ones are noted, never read.
pub const LETTER_BYTES_MAX: u64 = crate::post::letter::LETTER_BYTES_MAX as u64;
/// What is read of a letter above the limit: enough for its headers, so that its writer can be told.
pub const HEAD_BYTES_MAX: u64 = 64 * 1024;

/// Where letters come from.
pub trait Inbox {
    /// The oldest letters not yet settled, `most` at the most; an empty list when there are none.
    fn fetch(&mut self, most: usize) -> Result<Vec<Arrived>, InboxError>;
    /// Marks one letter as done. The token proves that its effect is durable.
    fn settle(&mut self, arrived: &ArrivedId, done: Settled) -> Result<(), InboxError>;
    /// Returns when a letter may have come, or after `most`; early returns are allowed.
    fn wait(&mut self, most: Duration) -> Result<(), InboxError>;
}

/// One letter as it came.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// What to settle it by.
    pub id: ArrivedId,
    /// Key K1 of reliability.md 4: the same letter at the same source always has the same key. Empty for a pipe.
    pub source_key: String,
    /// The letter; at most the limit, or the first [`HEAD_BYTES_MAX`] of one that is too large.
    pub bytes: Vec<u8>,
    /// The true size, when the letter is larger than the limit.
    pub too_big: Option<u64>,
    /// When it came to the mailbox, not when its writer says he wrote it.
    pub received: Timestamp,
}

/// Names a letter to the inbox that it came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArrivedId(pub(crate) Place);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    File(PathBuf),
    Uid { validity: u32, uid: u32 },
    Pipe,
    Named(String),
}

impl ArrivedId {
    /// A letter of an inbox of another crate: a simulation, a bridge.
    pub fn named(name: &str) -> ArrivedId {
        ArrivedId(Place::Named(name.to_owned()))
    }

    /// The name given to [`ArrivedId::named`].
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Place::Named(name) => Some(name),
            _ => None,
        }
    }
}

/// Why an inbox gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InboxError {
    /// The world is in the way; the next round may find it better.
    #[error("{0}")]
    Later(String),
    /// Only the keeper can mend it: a refused login, a bad certificate, a folder that cannot be read.
    #[error("{0}")]
    Stop(String),
}

/// What takes mails away.
pub trait Carrier {
    /// Tries once. Never blocks without an end, never panics.
    fn send(&mut self, mail: &Queued) -> Delivery;
}

/// How one attempt ended (reliability.md 5). Every text is for the keeper: a cause, never a mail's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The next server has taken it.
    Sent,
    /// Not taken now: no connection, 4xx, a timeout before the final dot.
    Later(String),
    /// The connection broke after the final dot: taken or not, nobody knows. Send again with the same Message-ID.
    Unknown(String),
    /// Never: this recipient or this mail is refused for good.
    Dead(String),
    /// Nothing can be sent until the keeper acts: our login, our sender address or the server's certificate.
    Stop(String),
}
