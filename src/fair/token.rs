//! What proves that a mail answers ours: reply tokens and unguessable Message-IDs (trust.md 2, rows `reply` and `mid`).
//!
//! Nothing is stored: both are HMAC-SHA-256 of a printable line under the server's key, and are computed again to be compared.
//! Raising a seat's epoch revokes its tokens.

use subtle::ConstantTimeEq;

use super::line::{hex, line_mac};

/// Characters of a reply token: 130 bits.
pub const TOKEN_CHARS: usize = 26;

const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// RFC 4648 base32, lower case, no padding, first `chars` characters.
fn base32(bytes: &[u8], chars: usize) -> String {
    let bit = |n: usize| {
        bytes
            .get(n / 8)
            .map_or(0, |b| usize::from(b >> (7 - n % 8) & 1))
    };
    (0..chars)
        .map(|i| char::from(BASE32[(0..5).fold(0, |value, b| value << 1 | bit(i * 5 + b))]))
        .collect()
}

/// The token in the Reply-To of every mail to a seat: HMAC of `tulpa1/reply <gid> <seat> <epoch>`.
pub fn reply_token(server_key: &[u8], gid: &str, seat: u8, epoch: u32) -> String {
    base32(
        &line_mac(server_key, &format!("tulpa1/reply {gid} {seat} {epoch}")),
        TOKEN_CHARS,
    )
}

/// The left side of the Message-ID of one mail: HMAC of `tulpa1/mid <gid> <seq> <seat> <kind>`, 32 hex digits. The same
/// mail always gets the same one, so that a repeated delivery is recognised.
pub fn message_id_left(server_key: &[u8], gid: &str, seq: u64, seat: u8, kind: &str) -> String {
    hex(&line_mac(server_key, &format!("tulpa1/mid {gid} {seq} {seat} {kind}"))[..16])
}

/// Is this the token of that seat? Case is folded, since some mail servers fold it; compared in constant time.
pub fn is_reply_token(server_key: &[u8], gid: &str, seat: u8, epoch: u32, given: &str) -> bool {
    same(
        &reply_token(server_key, gid, seat, epoch),
        &given.to_ascii_lowercase(),
    )
}

/// Compares two secrets in a time that depends on their lengths only.
pub fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && bool::from(one.as_bytes().ct_eq(other.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [0xa5; 32];
    const GID: &str = "k7q2m5x4d3";

    /// trust.md 9.
    #[test]
    fn the_published_vectors_hold() {
        assert_eq!(reply_token(&KEY, GID, 2, 1), "vz2fhyebnzen6l77yhnaaxkmra");
        assert_eq!(
            message_id_left(&KEY, GID, 57, 2, "board"),
            "d138aacc954563bc2c3fa4bd96112446"
        );
    }

    #[test]
    fn base32_is_that_of_rfc_4648() {
        assert_eq!(base32(b"foobar", 10), "mzxw6ytboi");
        assert_eq!(base32(b"f", 2), "my");
    }

    #[test]
    fn a_token_is_good_for_its_seat_game_and_epoch_only() {
        let token = reply_token(&KEY, GID, 2, 1);
        assert!(is_reply_token(&KEY, GID, 2, 1, &token));
        assert!(is_reply_token(&KEY, GID, 2, 1, &token.to_uppercase()));
        assert!(!is_reply_token(&KEY, GID, 3, 1, &token));
        assert!(!is_reply_token(&KEY, GID, 2, 2, &token));
        assert!(!is_reply_token(&KEY, "k7q2m5x4d2", 2, 1, &token));
        assert!(!is_reply_token(&[0; 32], GID, 2, 1, &token));
        assert!(!is_reply_token(&KEY, GID, 2, 1, &token[..25]));
        assert!(!is_reply_token(&KEY, GID, 2, 1, ""));
    }
}
