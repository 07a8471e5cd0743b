//! Encodings of mail: quoted-printable (RFC 2045), encoded words (RFC 2047), quoted strings (RFC 5322).

use super::text;

/// Lines are no longer than this where it can be helped. Characters without CRLF.
pub(super) const LINE_CHARS: usize = 76;
/// Octets in one encoded word: 52 characters of base64, 64 with the rest, below the 75 allowed.
const WORD_BYTES: usize = 39;

/// A body part: its own headers, the empty line, the text. Ends without a line end of its own but with that of its last line.
pub(super) fn part(kind: &str, body: &str) -> String {
    let body = text::clean(body);
    let body = body.strip_suffix('\n').unwrap_or(&body);
    let plain = body.split('\n').all(|line| {
        line.is_ascii()
            && line.len() <= LINE_CHARS
            && !line.starts_with('.')
            && !line.starts_with("From ")
            && !line.ends_with([' ', '\t'])
    });
    let name = if plain { "7bit" } else { "quoted-printable" };
    let mut out = String::with_capacity(128 + body.len() + body.len() / 4);
    out.push_str(&format!(
        "Content-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: {name}\r\n\r\n"
    ));
    for line in body.split('\n') {
        match plain {
            true => out.push_str(line),
            false => quoted_printable(&mut out, line),
        }
        out.push_str("\r\n");
    }
    out
}

/// A file of text as a part of a mail: base64, so that not a byte of it changes on the way.
pub(super) fn file(name: &str, text: &str) -> String {
    let mut out = format!(
        "Content-Type: text/plain; charset=us-ascii; name=\"{name}\"\r\n\
         Content-Disposition: attachment; filename=\"{name}\"\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n"
    );
    for line in text.as_bytes().chunks(LINE_CHARS / 4 * 3) {
        out.push_str(&base64(line));
        out.push_str("\r\n");
    }
    out
}

/// One line as quoted-printable.
fn quoted_printable(out: &mut String, line: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let bytes = line.as_bytes();
    let mut width = 0;
    for (i, byte) in bytes.iter().enumerate() {
        let last = i + 1 == bytes.len();
        let literal = match byte {
            b'=' => false,
            b' ' | b'\t' => !last,
            b => b.is_ascii_graphic(),
        };
        let room = if literal { 1 } else { 3 };
        // One column stays free for the `=` of a soft line end.
        if width + room >= LINE_CHARS {
            out.push_str("=\r\n");
            width = 0;
        }
        let special = width == 0 && (*byte == b'.' || bytes[i..].starts_with(b"From "));
        if literal && !special {
            out.push(char::from(*byte));
            width += 1;
        } else {
            out.push('=');
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from(DIGITS[usize::from(digit)]));
            }
            width += 3;
        }
    }
}

/// The words of a free text header, ready to be folded between; as encoded words if it takes that. The text is one line
/// with single blanks.
pub(super) fn unstructured(line: &str) -> Vec<String> {
    let plain = line.bytes().all(|b| b.is_ascii_graphic() || b == b' ')
        && !line.contains("=?")
        && line.split(' ').all(|w| w.len() <= LINE_CHARS - 10);
    match plain {
        true => line.split(' ').map(str::to_string).collect(),
        false => encoded_words(line),
    }
}

/// A name before an address, as a quoted string or an encoded word.
pub(super) fn phrase(name: &str) -> String {
    match name.is_ascii() {
        true => format!("\"{name}\""),
        false => encoded_words(name).join(" "),
    }
}

/// Cut between characters, never within one (RFC 2047, 5).
fn encoded_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut piece = String::new();
    for c in text.chars() {
        if piece.len() + c.len_utf8() > WORD_BYTES {
            words.push(std::mem::take(&mut piece));
        }
        piece.push(c);
    }
    words.push(piece);
    words
        .iter()
        .map(|w| format!("=?utf-8?B?{}?=", base64(w.as_bytes())))
        .collect()
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let value = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = LETTERS[(value >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}
