//! Plain text: what is taken out of it, and how it is broken into lines.

use std::borrow::Cow;

/// At most so much of a player's text is passed on (security.md 4). Characters.
pub const CHAT_CHARS_MAX: usize = 2_000;
/// At most so many lines of it.
pub const CHAT_LINES_MAX: usize = 40;

/// Characters that never get into a mail from outside: controls (but line ends and tabs), bidi overrides and marks,
/// zero-width characters, the private use area, which holds our own marks, and what is no character at all.
pub fn unwelcome(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E000}'..='\u{F8FF}' | '\u{E0000}'..='\u{10FFFF}')
}

/// Text without unwelcome characters; every kind of line end is `\n`.
pub fn clean(text: &str) -> Cow<'_, str> {
    let plain = |b: u8| (b' '..0x7F).contains(&b) || b == b'\n' || b == b'\t';
    // bytes first: nearly all that is mailed is plain ASCII
    if text.bytes().all(plain) || !text.chars().any(|c| c == '\r' || unwelcome(c)) {
        return Cow::Borrowed(text);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(lines.chars().filter(|c| !unwelcome(*c)).collect())
}

/// All white space becomes one blank, nothing unwelcome stays.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in clean(text).split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The text with exactly one `\n` at its end.
pub fn line_ends(text: &str) -> String {
    let mut out = text.trim_end_matches('\n').to_string();
    out.push('\n');
    out
}

/// Breaks one line at blanks so that no part is wider than `columns`. Continuations keep the indentation; a word that is
/// wider than a line stays whole (it is a hash or an address, and broken it would be useless).
pub fn wrap_line(line: &str, columns: usize) -> Vec<String> {
    let line = line.trim_end();
    if line.chars().count() <= columns {
        return vec![line.to_string()];
    }
    let body = line.trim_start();
    let mut indent = line[..line.len() - body.len()].to_string();
    let mut lines = Vec::new();
    let mut current = indent.clone();
    let mut width = indent.chars().count();
    let mut empty = true;
    if body.starts_with("| ") {
        indent.push_str("| ");
    } else if body.starts_with("- ") || body.starts_with("* ") {
        indent.push_str("  ");
    }
    // The gaps inside a line are kept: a table stays a table as far as it fits.
    for piece in body.split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        if !empty && width + word.chars().count() > columns && !word.is_empty() {
            lines.push(current.trim_end().to_string());
            current = indent.clone();
            width = indent.chars().count();
        }
        current.push_str(piece);
        width += piece.chars().count();
        empty = empty && word.is_empty();
    }
    lines.push(current.trim_end().to_string());
    lines
}

/// Breaks every line of a text; see [`wrap_line`].
pub fn wrap(text: &str, columns: usize) -> String {
    text.lines()
        .flat_map(|l| wrap_line(l, columns))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What happens to rendered text: tabs are blanks, lines are broken, line ends lose their blanks, and several empty lines
/// become one.
pub fn tidy(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    let mut push = |line: &str| {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty <= 1 {
            out.push_str(line);
            out.push('\n');
        }
    };
    let text = match text.contains('\t') {
        true => Cow::Owned(text.replace('\t', "    ")),
        false => Cow::Borrowed(text),
    };
    for line in text.lines() {
        match line.len() <= columns {
            true => push(line.trim_end()),
            false => wrap_line(line, columns).iter().for_each(|l| push(l)),
        }
    }
    out
}

/// What a player wrote to others: clean, cut, and every line marked, so that it can be taken neither for words of the
/// referee nor for orders.
pub fn chat(text: &str) -> String {
    let cut: String = clean(text).chars().take(CHAT_CHARS_MAX).collect();
    let cut = cut.replace('\t', "    ");
    let mut lines: Vec<String> = cut
        .trim()
        .lines()
        .flat_map(|l| hard_wrap(l, super::COLUMNS - 2))
        .collect();
    if lines.len() > CHAT_LINES_MAX {
        lines.truncate(CHAT_LINES_MAX);
        lines.push("[cut]".into());
    }
    lines
        .iter()
        .map(|l| format!("| {l}").trim_end().to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

/// As [`wrap_line`], and words wider than a line are broken as well.
fn hard_wrap(line: &str, columns: usize) -> Vec<String> {
    let mut out = Vec::new();
    for part in wrap_line(line, columns) {
        let chars: Vec<char> = part.chars().collect();
        if chars.is_empty() {
            out.push(String::new());
        }
        out.extend(chars.chunks(columns).map(|c| c.iter().collect::<String>()));
    }
    out
}

/// `1 day`, `5 days`; `many` is what to say for all numbers but one.
pub fn plural(n: i64, one: &str, many: Option<&str>) -> String {
    match (n, many) {
        (1, _) => format!("1 {one}"),
        (_, Some(many)) => format!("{n} {many}"),
        (_, None) => format!("{n} {one}s"),
    }
}

/// A length of time as people say it, at most two units, rounded down: `5 days`, `2 days 4 hours`, `less than a minute`.
pub fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    for (i, (length, name)) in units.iter().enumerate() {
        let n = seconds / length;
        if n > 0 {
            let rest = units
                .get(i + 1)
                .map(|(l, name)| (seconds % length / l, *name));
            return match rest {
                Some((m, smaller)) if m > 0 && n < 10 => {
                    format!("{} {}", plural(n, name, None), plural(m, smaller, None))
                }
                _ => plural(n, name, None),
            };
        }
    }
    "less than a minute".into()
}
