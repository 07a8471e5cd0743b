//! Ledger lines in a mail: folded at 72 columns, and found again whatever a mail program did to them (trust.md 5).
//!
//! A line is tokens with one blank between them and no token is longer than a mail's line, so mail programs can only move the
//! places where it breaks and put marks in front. Reading takes the tokens and asks what they can mean.

use super::head::Head;
use super::ledger::Entry;

/// Columns of a mail.
pub const COLUMNS: usize = 72;
/// Most `key=value` of one entry that are looked at.
const PAIRS_MAX: usize = 160;

/// A line as a mail shows it: broken at blanks, a continuation starts with one blank.
pub fn fold(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut column = 0;
    for (i, token) in line.split(' ').enumerate() {
        if i > 0 {
            if column + 1 + token.len() > COLUMNS {
                out.push('\n');
                column = 0;
            }
            out.push(' ');
            column += 1;
        }
        out.push_str(token);
        column += token.len();
    }
    out
}

/// The line that [`fold`] folded, where nothing happened to it.
pub fn unfold(folded: &str) -> String {
    folded.replace("\n ", " ")
}

/// What a mail's text shows of a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// An entry; its line as it was written.
    Line(String),
    /// A signed head.
    Head(Head),
}

/// Every entry and head in a mail's decoded text, in the order they stand.
///
/// Marks of quotation, other blanks, blanks at either end and other places of the breaks do no harm. What is no entry or
/// head is passed over.
pub fn find(text: &str) -> Vec<Shown> {
    let mut out = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    let lines: Vec<String> = text.lines().map(bare).collect();
    for line in &lines {
        if line.trim().is_empty() {
            read(&block, &mut out);
            block.clear();
        }
        block.extend(line.split_ascii_whitespace());
    }
    read(&block, &mut out);
    out
}

/// A line without marks of quotation, its blanks plain, without what nobody sees.
fn bare(line: &str) -> String {
    let plain: String = line
        .chars()
        .filter_map(|c| match c {
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => None,
            c if c.is_whitespace() => Some(' '),
            c => Some(c),
        })
        .collect();
    let mut rest = plain.as_str();
    loop {
        rest = rest.trim_start();
        // `> `, `| ` and the initials some programs put in front of `>`
        let mark = rest
            .find(['>', '|'])
            .filter(|at| *at <= 3 && rest[..*at].bytes().all(|b| b.is_ascii_alphabetic()));
        match mark {
            Some(at) => rest = &rest[at + 1..],
            None => return rest.to_owned(),
        }
    }
}

fn read(tokens: &[&str], out: &mut Vec<Shown>) {
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        if rest[0] == "head"
            && let Some(head) = rest.get(..6).and_then(|six| Head::parse(&six.join(" ")))
        {
            out.push(Shown::Head(head));
            at += 6;
            continue;
        }
        let (taken, line) = entry(rest);
        if let Some(line) = line {
            out.push(Shown::Line(line));
        }
        at += taken.max(1);
    }
}

/// The entry that begins here, with the number of its tokens: the longest that can be read.
fn entry(tokens: &[&str]) -> (usize, Option<String>) {
    if tokens.len() < 3
        || super::line::number(tokens[0]).is_none()
        || super::ledger::time_of(tokens[1]).is_none()
    {
        return (1, None);
    }
    let pairs = tokens[3..]
        .iter()
        .take(PAIRS_MAX)
        .take_while(|t| t.contains('='))
        .count();
    // Prose behind it may hold a `=` too.
    for end in (3..=3 + pairs).rev() {
        let line = tokens[..end].join(" ");
        if Entry::parse(&line).is_ok() {
            return (end, Some(line));
        }
    }
    (1, None)
}

#[cfg(test)]
mod tests {
    use super::super::head::HeadKey;
    use super::*;

    fn line() -> String {
        format!(
            "0 2026-11-21T09:49:30Z game id=k7q2m5x4d3 rules=demo-1 seats=4 anchor={} n=8192 per=8 key={}",
            "1".repeat(64),
            "a".repeat(64)
        )
    }

    #[test]
    fn folded_lines_fit_and_go_back() {
        let folded = fold(&line());
        assert!(folded.lines().all(|l| l.len() <= COLUMNS), "{folded}");
        assert!(folded.lines().skip(1).all(|l| l.starts_with(' ')));
        assert_eq!(unfold(&folded), line());
        let head = HeadKey::new(&[1; 32])
            .sign("k7q2m5x4d3", 1, &[2; 32])
            .text();
        assert!(fold(&head).lines().all(|l| l.len() <= COLUMNS));
        assert_eq!(unfold(&fold(&head)), head);
    }

    #[test]
    fn found_among_prose() {
        let head = HeadKey::new(&[1; 32]).sign("k7q2m5x4d3", 0, &[2; 32]);
        let text = format!(
            "3 days are left, x=1.\nJD> > {}\n>> {}\nthanks a=b\n",
            fold(&line()).replace('\n', "\n> > "),
            fold(&head.text()).replace('\n', "\n\u{a0} >"),
        );
        assert_eq!(find(&text), [Shown::Line(line()), Shown::Head(head)]);
    }
}
