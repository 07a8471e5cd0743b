//! Sealed picks: the commitment is public at once, the card and its nonce only when all are in (trust.md 2 and 4).
//!
//! Everything is one line of ASCII under SHA-256 or HMAC-SHA-256, so that a player checks it with `sha256sum`
//! and nothing else.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// Hex digits of a hash.
pub const HEX: usize = 64;
/// Longest name of a card (trust.md 2).
pub const CARD_CHARS_MAX: usize = 16;

/// Lower-case hex of bytes.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for b in bytes {
        out.push(char::from(DIGITS[usize::from(b >> 4)]));
        out.push(char::from(DIGITS[usize::from(b & 15)]));
    }
    out
}

/// Bytes of lower- or upper-case hex; `None` where it is no hex.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes()
        .chunks(2)
        .map(|pair| {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            u8::try_from(high * 16 + low).ok()
        })
        .collect()
}

/// H(line) of trust.md 2: SHA-256 of the bytes of a canonical line, in hex.
pub fn line_hash(line: &str) -> String {
    hex(&Sha256::digest(line.as_bytes()))
}

/// HMAC-SHA-256 of a canonical line (RFC 2104).
pub fn line_mac(key: &[u8; 32], line: &str) -> [u8; 32] {
    let mut mac = match Hmac::<Sha256>::new_from_slice(key) {
        Ok(mac) => mac,
        // HMAC takes keys of any length.
        Err(_) => return [0; 32],
    };
    mac.update(line.as_bytes());
    mac.finalize().into_bytes().into()
}

/// The nonce of a pick that the referee holds: the same after a crash, unguessable without the game's secret.
/// `seat` counts from 1 as in the lines.
pub fn nonce(secret: &[u8; 32], gid: &str, turn: u32, seat: u32) -> String {
    hex(&line_mac(
        secret,
        &format!("tulpa1/nonce {gid} {turn} {seat}"),
    ))
}

/// The canonical line of a pick. `seat` counts from 1; `card` is a name of the rules core.
pub fn seal_line(gid: &str, turn: u32, seat: u32, card: &str, nonce: &str) -> String {
    format!("tulpa1/seal {gid} {turn} {seat} {card} {nonce}")
}

/// The commitment: what everybody may see at once.
pub fn commitment(gid: &str, turn: u32, seat: u32, card: &str, nonce: &str) -> String {
    line_hash(&seal_line(gid, turn, seat, card, nonce))
}

/// The shell commands by which a player checks his commitment: two lines, short enough for a mail that breaks lines at
/// 72 columns.
pub fn check_commands(gid: &str, turn: u32, seat: u32, card: &str, nonce: &str) -> [String; 2] {
    let line = seal_line(gid, turn, seat, card, "$n");
    [
        format!("n={nonce}"),
        format!("printf %s \"{line}\" | sha256sum"),
    ]
}

/// May this be the `<card>` token of a line? [a-z0-9-]{1,16}
pub fn is_card(card: &str) -> bool {
    (1..=CARD_CHARS_MAX).contains(&card.len())
        && card
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const GID: &str = "k7q2m5x4d3";

    #[test]
    fn the_seals_of_the_vectors() {
        let nonce = hex(&(0..32).collect::<Vec<u8>>());
        assert_eq!(
            commitment(GID, 17, 2, "archer", &nonce),
            "1ba1fb0509c6e3521929eda48faaa3e5078db66c352a0b682e05ee57e910f7f7"
        );
        assert_eq!(
            commitment(GID, 17, 3, "archer", &nonce),
            "112b95ce56475a856ba4dd066cca491a1bb7ee43fe51feaccca7fced331fd4ba"
        );
    }

    #[test]
    fn the_nonce_of_the_vectors() {
        assert_eq!(
            nonce(&[0xa5; 32], GID, 17, 2),
            "f03f4c886e56582c385702a05755ad8005f87543de0378898ed090f17296f072"
        );
    }

    #[test]
    fn words_and_seed_of_the_vectors() {
        assert_eq!(
            line_hash(&format!("tulpa1/words {GID} 2 the quick brown fox 1987")),
            "b968228364bf2de1f8322e7bbbd0014565068476925c65ade332c43b55a42a8a"
        );
        let s1 = line_hash("seat-1");
        assert_eq!(
            line_hash(&format!("tulpa1/seed {GID} 1 {s1}")),
            "e2187c963df7779111df4548d5d745bf74d122cea017a296392911463ad99d25"
        );
    }

    #[test]
    fn hex_goes_both_ways() {
        assert_eq!(unhex(&hex(&[0, 15, 255])), Some(vec![0, 15, 255]));
        assert_eq!(unhex("0g"), None);
        assert_eq!(unhex("abc"), None);
    }
}
