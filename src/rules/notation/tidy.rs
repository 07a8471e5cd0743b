//! Folding of what keyboards, mail programs and people make of a move text.

/// Words that only join squares and say nothing.
const JOINS: [&str; 6] = ["to", "on", "at", "onto", "goes", "the"];
/// Words for the capture sign.
const TAKES: [&str; 4] = ["takes", "captures", "take", "x"];

/// What the first word of a spelled-out step asks for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    /// `throw c3 to a4 from b2`
    Throw,
    /// `swing c6 b7`, `shoot b2 b4`
    Strike,
    /// `place amazon b2`, `drop N k5`
    Place,
    /// `castle h1-d1 b1-c1`, `castle short`
    Castle,
}

/// Names that may stand for a piece letter, longest first where one contains another.
pub(super) const NAMES: [(&str, char); 14] = [
    ("wild-ox", 'O'),
    ("wildox", 'O'),
    ("dragon-horse", 'D'),
    ("mace-hunter", 'W'),
    ("amazon", 'A'),
    ("ox", 'O'),
    ("archer", 'Y'),
    ("spider", 'S'),
    ("mace", 'M'),
    ("king", 'K'),
    ("queen", 'Q'),
    ("rook", 'R'),
    ("bishop", 'B'),
    ("knight", 'N'),
];

/// The verb a word is, if it is one.
pub(super) fn verb(word: &str) -> Option<Verb> {
    Some(match word.to_ascii_lowercase().as_str() {
        "throw" | "throws" | "hurl" => Verb::Throw,
        "swing" | "swings" | "strike" | "strikes" | "shoot" | "shoots" | "shot" => Verb::Strike,
        "place" | "places" | "drop" | "drops" | "put" => Verb::Place,
        "castle" | "castles" | "castling" => Verb::Castle,
        _ => return None,
    })
}

/// Whether a word only joins squares.
pub(super) fn joins(word: &str) -> bool {
    JOINS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether a word stands for the capture sign.
pub(super) fn takes(word: &str) -> bool {
    TAKES.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The letter of a named piece.
pub(super) fn named(word: &str) -> Option<char> {
    if word.eq_ignore_ascii_case("pawn") {
        return Some('P');
    }
    NAMES
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|(_, letter)| *letter)
}

/// Typographic signs as plain ASCII: dashes, the multiplication sign, figurines, special spaces.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2010}'..='\u{2015}'
            | '\u{2212}'
            | '\u{fe58}'
            | '\u{fe63}'
            | '\u{ff0d}'
            | '\u{ad}' => out.push('-'),
            '\u{2192}' | '\u{2794}' => out.push('-'),
            '\u{d7}' | '\u{2715}' | '\u{2716}' => out.push('x'),
            '\u{2217}' | '\u{ff0a}' | '\u{22c6}' => out.push('*'),
            '\u{2654}' | '\u{265a}' => out.push('K'),
            '\u{2655}' | '\u{265b}' => out.push('Q'),
            '\u{2656}' | '\u{265c}' => out.push('R'),
            '\u{2657}' | '\u{265d}' => out.push('B'),
            '\u{2658}' | '\u{265e}' => out.push('N'),
            '\u{2659}' | '\u{265f}' | '\u{fe0e}' | '\u{fe0f}' | '\u{200b}' | '\u{feff}' => {}
            c if c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Without the marks that comment on a move: `+ # ! ?` at the end, a sentence's full stop, a move
/// number in front.
pub(super) fn unmarked(text: &str) -> &str {
    let mut text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with('.') {
        text = text[digits..].trim_start_matches('.').trim_start();
    }
    let text = text.trim_end_matches(['+', '#', '!', '?', ' ']);
    let text = text.strip_suffix("ch").map_or(text, |cut| {
        if cut.ends_with(' ') {
            cut.trim_end()
        } else {
            text
        }
    });
    match text.strip_suffix('.') {
        Some(cut) if !cut.ends_with(['p', 'P']) => cut.trim_end_matches(['+', '#', '!', '?', ' ']),
        _ => text,
    }
}

/// The text reduced to letters and digits, for measuring likeness.
pub(super) fn bare(text: &str) -> String {
    plain(text)
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .collect()
}

/// Every square named in a text, lower-cased.
pub(super) fn squares(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let file = at;
        while at < bytes.len() && bytes[at].is_ascii_alphabetic() {
            at += 1;
        }
        let rank = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        if rank > file && at > rank {
            let letters = &bytes[file..rank];
            let two = letters.len() >= 2
                && letters[letters.len() - 2] == b'a'
                && (b'a'..=b'd').contains(&letters[letters.len() - 1])
                && (letters.len() == 2 || !letters[letters.len() - 3].is_ascii_lowercase());
            let from = if two { rank - 2 } else { rank - 1 };
            out.push(text[from..at].to_ascii_lowercase());
        }
        if at == file {
            at += 1;
        }
    }
    out
}
