//! One letter on standard input, from the mail server's pipe.

use std::io::{self, Read};

use jiff::Timestamp;

use super::{Arrived, ArrivedId, HEAD_BYTES_MAX, Place};

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
