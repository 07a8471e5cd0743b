//! One letter on standard input, from the mail server's pipe.

use std::io::{self, Read};
use std::time::Duration;

use jiff::Timestamp;

use super::{Arrived, ArrivedId, HEAD_BYTES_MAX, Inbox, InboxError, Place};
use crate::store::Settled;

/// Reads one letter, `limit` bytes and one more at the most; of a larger one the head is kept. The rest is drained
/// unread, so that the server's pipe does not break, and only its size is known.
///
/// The source key is empty: a pipe has no names, and the digest of the bytes finds a letter that is delivered twice.
/// A `From ` line of the mbox kind before the headers is dropped.
pub fn take(from: &mut impl Read, limit: u64, received: Timestamp) -> io::Result<Arrived> {
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let mut too_big = None;
    if bytes.len() as u64 > limit {
        let rest = io::copy(from, &mut io::sink())?;
        too_big = Some(bytes.len() as u64 + rest);
        bytes.truncate(usize::try_from(HEAD_BYTES_MAX.min(limit)).unwrap_or(usize::MAX));
    }
    if bytes.starts_with(b"From ") {
        let end = bytes
            .iter()
            .position(|&b| b == b'\n')
            .map_or(bytes.len(), |at| at + 1);
        bytes.drain(..end);
    }
    Ok(Arrived {
        id: ArrivedId(Place::Pipe),
        source_key: String::new(),
        bytes,
        too_big,
        received,
    })
}

/// An inbox that gives what it was given, once.
pub struct PipeInbox {
    letter: Option<Arrived>,
    settled: bool,
}

impl PipeInbox {
    /// An inbox of one letter, or of none where letters come by `tulpa receive` only.
    pub fn new(letter: Option<Arrived>) -> PipeInbox {
        PipeInbox {
            letter,
            settled: false,
        }
    }

    /// Whether the letter is durable: only then may the exit code be 0.
    pub fn is_settled(&self) -> bool {
        self.settled
    }
}

impl Inbox for PipeInbox {
    fn fetch(&mut self, most: usize) -> Result<Vec<Arrived>, InboxError> {
        if most == 0 {
            return Ok(Vec::new());
        }
        Ok(self.letter.take().into_iter().collect())
    }

    fn settle(&mut self, _: &ArrivedId, _: Settled) -> Result<(), InboxError> {
        self.settled = true;
        Ok(())
    }

    fn wait(&mut self, most: Duration) -> Result<(), InboxError> {
        std::thread::sleep(most);
        Ok(())
    }
}
