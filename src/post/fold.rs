//! What a phone or a word processor made of a line, turned back into what was meant (protocol.md, Reading a mail).

use unicode_normalization::UnicodeNormalization;

use crate::referee::order::{MESSAGE_CHARS_MAX, MESSAGE_LINES_MAX};

/// One line with its look-alikes folded: NFKC, blanks of every width, dashes, quotes, `×`; invisible marks are gone.
///
/// What is still not ASCII afterwards is no command (security.md 5).
pub fn fold(line: &str) -> String {
    if line.is_ascii() {
        // nothing to decompose or compose
        return line
            .replace(|c: char| c.is_whitespace(), " ")
            .trim()
            .to_owned();
    }
    let folded: String = line
        .nfkc()
        .filter_map(|c| match c {
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'
            | '\u{feff}'
            | '\u{fe0e}'
            | '\u{fe0f}' => None,
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' | '\u{fe58}' => Some('-'),
            '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{b4}' => Some('\''),
            '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => Some('"'),
            '\u{d7}' => Some('x'),
            '\t' => Some(' '),
            c if c.is_whitespace() => Some(' '),
            c => Some(c),
        })
        .collect();
    folded.trim().to_owned()
}

/// Text for other people's eyes: no controls, no bidi overrides, nothing invisible, at most
/// [`MESSAGE_CHARS_MAX`] characters in [`MESSAGE_LINES_MAX`] lines (security.md 4).
pub fn clean(text: &str) -> String {
    let mut out = String::new();
    let mut room = MESSAGE_CHARS_MAX;
    for line in text.lines().take(MESSAGE_LINES_MAX) {
        let line: String = line.chars().filter(|c| is_visible(*c)).take(room).collect();
        let line = line.trim_end();
        if room <= 1 {
            break;
        }
        if !out.is_empty() {
            out.push('\n');
            room -= 1;
        }
        room = room.saturating_sub(line.chars().count());
        out.push_str(line);
    }
    out.trim().to_owned()
}

fn is_visible(c: char) -> bool {
    !(c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}' | '\u{1d173}'..='\u{1d17a}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes() {
        assert_eq!(fold("\u{a0}Nc1–d3\u{200b} "), "Nc1-d3");
        assert_eq!(fold("Qd1×d9"), "Qd1xd9");
        assert_eq!(fold("“Ｐｉｃｋ　ox”"), "\"Pick ox\"");
        assert_eq!(fold("fi\u{fb01}"), "fifi");
    }

    #[test]
    fn chat_is_plain_text() {
        assert_eq!(clean("a\u{1b}[31mb\u{202e}c\u{200b}\nd"), "a[31mbc\nd");
        assert_eq!(clean(&"x".repeat(5000)).len(), MESSAGE_CHARS_MAX);
        assert!(clean(&"x\n".repeat(100)).lines().count() <= MESSAGE_LINES_MAX);
    }
}
