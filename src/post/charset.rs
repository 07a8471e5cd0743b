//! Bytes to text, whatever they are called.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, WINDOWS_1252};

/// Text in the charset that is named, and whether all of it could be decoded.
///
/// Without a name, or where it says US-ASCII and is not: UTF-8 if it is that, else Windows-1252. A name nobody knows, and
/// UTF-7, is read as ASCII with U+FFFD for everything else (security.md 5).
pub fn decode_text(bytes: &[u8], charset: Option<&str>) -> (String, bool) {
    let name = charset.unwrap_or_default().trim().trim_matches(['"', '\'']);
    let plain = name.is_empty()
        || ["us-ascii", "ascii", "ansi_x3.4-1968", "8bit", "default"]
            .iter()
            .any(|a| name.eq_ignore_ascii_case(a));
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if plain || name.eq_ignore_ascii_case("utf-8") {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return (text.to_owned(), true);
        }
        let encoding = if plain { WINDOWS_1252 } else { UTF_8 };
        let (text, bad) = encoding.decode_without_bom_handling(bytes);
        return (text.into_owned(), !bad);
    }
    match Encoding::for_label(name.as_bytes()) {
        Some(encoding) if encoding != REPLACEMENT => {
            let (text, _, bad) = encoding.decode(bytes);
            (text.into_owned(), !bad)
        }
        _ => {
            let text: String = bytes
                .iter()
                .map(|b| {
                    if b.is_ascii() {
                        char::from(*b)
                    } else {
                        '\u{FFFD}'
                    }
                })
                .collect();
            (text, bytes.is_ascii())
        }
    }
}

/// As much of a damaged base64 text as can be had: letters that do not belong are skipped, a torn end is dropped.
pub fn decode_base64_leniently(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0u32;
    let mut have = 0u32;
    for b in text {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = (bits << 6 | u32::from(six)) & 0x00FF_FFFF;
        have += 6;
        if have >= 8 {
            have -= 8;
            out.push((bits >> have & 0xFF) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets() {
        assert_eq!(
            decode_text(b"f\xFCr", Some("iso-8859-1")),
            ("für".into(), true)
        );
        assert_eq!(decode_text(b"f\xFCr", None), ("für".into(), true));
        assert_eq!(decode_text("für".as_bytes(), None), ("für".into(), true));
        assert_eq!(
            decode_text(b"\xDA\xC1", Some("koi8-r")),
            ("за".into(), true)
        );
        assert_eq!(
            decode_text(b"e2-e4 \xFC", Some("x-klingon")),
            ("e2-e4 \u{FFFD}".into(), false)
        );
        assert_eq!(decode_text(b"+AGE-", Some("utf-7")), ("+AGE-".into(), true));
        assert_eq!(
            decode_text(b"\xFF", Some("utf-8")),
            ("\u{FFFD}".into(), false)
        );
    }

    #[test]
    fn damaged_base64() {
        assert_eq!(decode_base64_leniently(b"TmMx\r\nLW\x00Qz"), b"Nc1-d3");
        assert_eq!(decode_base64_leniently(b"TmMxL"), b"Nc1");
        assert_eq!(decode_base64_leniently(b"TmM="), b"Nc");
    }
}
