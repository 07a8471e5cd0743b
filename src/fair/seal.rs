//! Sealed picks: the commitment is public at once, the card and its nonce only when all are in (trust.md 2 and 4).
//!
//! Everything is one line of ASCII under SHA-256 or HMAC-SHA-256, so that a player checks it with `sha256sum`
//! and nothing else.

pub use super::line::{HEX, hex, line_hash, line_mac, unhex};

/// Longest name of a card (trust.md 2).
pub const CARD_CHARS_MAX: usize = 16;

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
}
