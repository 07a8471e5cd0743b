//! Under which names a letter is known, so that it has one effect however often it comes.

use sha2::{Digest, Sha256};

/// Bytes of a key in the index; the journal keeps the whole text.
const KEY_BYTES: usize = 20;

/// K1: the place where it lay, for example `imap|host|mailbox|uidvalidity|uid` or `maildir|dir|unique name`.
/// A hit means that only the acknowledgement was lost.
pub fn source(place: &str) -> String {
    format!("1|{place}")
}

/// K2: its very bytes. A hit is the same letter out of a restored mailbox.
pub fn bytes(raw: &[u8]) -> String {
    digest(&Sha256::digest(raw).into())
}

/// K2 for a SHA-256 already at hand.
pub fn digest(sha256: &[u8; 32]) -> String {
    format!("2|{}", super::payload::hex(sha256))
}

/// K3: the same player, Message-ID, orders and turn. Scoped to the proved player, so a stranger cannot burn a
/// Message-ID; other orders under a known Message-ID (a "resend" of some mail programs) make another key.
pub fn mail(player: u32, message_id: &str, orders: &str, turn: Option<u32>) -> String {
    let mut hash = Sha256::new();
    for part in [message_id.as_bytes(), orders.as_bytes()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.update(turn.map_or(0, |t| u64::from(t) + 1).to_be_bytes());
    format!("3|{player}|{}", super::payload::hex(&hash.finalize()))
}

/// A timer that fired: a clock that jumps back cannot fire it twice.
pub fn timer(id: &str) -> String {
    format!("t|{id}")
}

/// The key as it stands in the index.
pub(super) fn index_key(key: &str) -> Vec<u8> {
    Sha256::digest(key.as_bytes())[..KEY_BYTES].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(mail(1, "<a>", "b", None), mail(1, "<a>b", "", None));
        assert_ne!(mail(1, "<a>", "b", None), mail(1, "<a>", "b", Some(0)));
        assert_ne!(mail(1, "<a>", "b", None), mail(2, "<a>", "b", None));
        assert_eq!(bytes(b"x"), digest(&Sha256::digest(b"x").into()));
    }
}
