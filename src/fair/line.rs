//! Canonical lines: what is hashed, in print (trust.md 2).
//!
//! Tokens of printable ASCII with one blank between them; the first names the purpose. No token holds a blank and each
//! purpose has a fixed number of tokens, so two different things never make the same line.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// What SHA-256 and HMAC-SHA-256 give.
pub type Hash = [u8; 32];

/// Hex digits of a hash.
pub const HEX: usize = 64;
/// Characters of a `gid`.
pub const GID_CHARS: usize = 10;

/// Lower-case hex of bytes.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len() * 2);
    hex_into(bytes, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// The same behind what is there.
pub fn hex_into(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = |b: &u8| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]];
    out.extend(bytes.iter().flat_map(digits));
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

/// The 32 bytes of exactly 64 lower-case hex digits, the only form that a line may hold.
pub fn unhash(text: &str) -> Option<Hash> {
    let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if text.len() != HEX || !text.bytes().all(lower) {
        return None;
    }
    unhex(text)?.try_into().ok()
}

/// H(line): SHA-256 of its bytes.
pub fn hash(line: &str) -> Hash {
    Sha256::digest(line.as_bytes()).into()
}

/// H(line) in hex.
pub fn line_hash(line: &str) -> String {
    hex(&hash(line))
}

/// HMAC-SHA-256 of a line (RFC 2104).
pub fn line_mac(key: &[u8], line: &str) -> Hash {
    // HMAC takes keys of any length, so the error arm is never taken; it must still not be a panic.
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(mut mac) => {
            mac.update(line.as_bytes());
            mac.finalize().into_bytes().into()
        }
        Err(_) => [0; 32],
    }
}

/// Is this a token? 1*[0x21-0x7E]
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| (0x21..=0x7e).contains(&b))
}

/// Is this the public id of a match? Ten of [a-z2-7]
pub fn is_gid(text: &str) -> bool {
    text.len() == GID_CHARS
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || (b'2'..=b'7').contains(&b))
}

/// A number as lines write it: decimal, no leading zero.
pub fn number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    if !plain || text.is_empty() || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_goes_both_ways() {
        assert_eq!(unhex(&hex(&[0, 15, 255])), Some(vec![0, 15, 255]));
        assert_eq!(unhex("0g"), None);
        assert_eq!(unhex("abc"), None);
        assert_eq!(unhash(&"ab".repeat(32)), Some([0xab; 32]));
        assert_eq!(unhash(&"AB".repeat(32)), None);
        assert_eq!(unhash("ab"), None);
    }

    #[test]
    fn numbers_have_one_form() {
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("129"), Some(129));
        for bad in ["", "01", "+1", "-1", "1 ", "18446744073709551616"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
