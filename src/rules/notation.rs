//! Reading of what players write for a step, against the texts that are legal.
//!
//! The referee never learns what a square is: an order is text, matched here against the canonical
//! texts of the legal steps. Everything that is read beyond the canonical text (letter case, short
//! algebraic forms, spelled-out throws and drops) is decided by comparing with those texts, so a
//! reading is a legal step by construction, and a text that fits two steps is never settled here.
//!
//! - `step` splits a canonical text into its parts and matches a player's text with them;
//! - `shape` tells a line of steps from prose, without knowing the game;
//! - `tidy` folds typographic variants and words before either looks at the text.

mod shape;
mod step;
mod tidy;

pub use shape::looks_like_turn;

use step::{Given, Step};

/// The most bytes of one step's text that are read; a longer text fits nothing.
pub const STEP_BYTES_MAX: usize = 120;
/// How many legal texts are offered beside a text that fits none.
pub const NEAREST_MAX: usize = 8;

/// What a player's text for one step means among the legal steps; the numbers index the list of legal texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Exactly one legal step fits.
    One(usize),
    /// Several legal steps fit equally well; the player has to say which.
    Many(Vec<usize>),
    /// No legal step fits.
    None {
        /// The legal steps most alike, at most [`NEAREST_MAX`], best first.
        nearest: Vec<usize>,
    },
}

/// Splits a turn as written into the texts of its steps: at semicolons, commas and line ends.
pub fn split_turn(text: &str) -> Vec<String> {
    text.split([';', ',', '\n', '\r'])
        .map(str::trim)
        .filter(|step| !step.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A step and the square named in brackets behind it: `Cc1-c3 (f1)`, `Cc1-c3 (by f1)`.
pub fn named_behind(text: &str) -> Option<(&str, String)> {
    let (step, named) = text.trim().strip_suffix(')')?.rsplit_once('(')?;
    let named = named.trim();
    let named = named.strip_prefix("by ").unwrap_or(named).trim();
    // `(Cf1)` names the man too
    let square = named
        .strip_prefix(|c: char| c.is_ascii_uppercase())
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
        .unwrap_or(named);
    Some((step.trim(), square.to_ascii_lowercase()))
}

/// Finds the legal step that a player's text means.
///
/// An exact canonical text always wins. After it, readings in the letter case as written win over
/// readings in any case (`bc3` is the b-pawn's capture before it is a bishop), and readings that name
/// the promotion over readings that leave it out.
pub fn find(text: &str, legal: &[String]) -> Found {
    let text = text.trim();
    if let Some(at) = legal.iter().position(|known| known == text) {
        return Found::One(at);
    }
    // `Start Green`: texts outside the lexicon are words, and their case says nothing
    let same = |known: &String| known.eq_ignore_ascii_case(text) && Step::parse(known).is_none();
    if let Some(at) = legal.iter().position(same) {
        return Found::One(at);
    }
    let given = (text.len() <= STEP_BYTES_MAX).then(|| Given::new(text));
    let mut best = u8::MAX;
    let mut fits: Vec<usize> = Vec::new();
    if let Some(given) = &given {
        for (at, known) in legal.iter().enumerate() {
            let Some(cost) = Step::parse(known).and_then(|step| step.fits(given)) else {
                continue;
            };
            if cost < best {
                best = cost;
                fits.clear();
            }
            if cost == best {
                fits.push(at);
            }
        }
    }
    match fits.as_slice() {
        [] => Found::None {
            nearest: nearest(text, legal),
        },
        [one] => Found::One(*one),
        _ => Found::Many(fits),
    }
}

/// The legal texts most alike: those from the same square first, then to the same square, then by
/// edit distance.
fn nearest(text: &str, legal: &[String]) -> Vec<usize> {
    let cut: String = text.chars().take(STEP_BYTES_MAX).collect();
    let wanted = tidy::bare(&cut);
    let squares = tidy::squares(&wanted);
    let letter = wanted.chars().next().filter(char::is_ascii_uppercase);
    let mut ranked: Vec<(usize, usize, usize)> = legal
        .iter()
        .enumerate()
        .map(|(at, known)| {
            let known = tidy::bare(known);
            let has = tidy::squares(&known);
            let same_from = squares
                .first()
                .is_some_and(|from| has.first() == Some(from));
            let same_to = squares.last().is_some_and(|to| has.last() == Some(to));
            let same_letter = letter.is_some() && known.chars().next() == letter;
            let class = match (same_from, same_to, same_letter) {
                (true, true, _) => 0,
                (true, false, _) => 1,
                (false, true, true) => 2,
                (false, true, false) => 3,
                (false, false, true) => 4,
                (false, false, false) => 5,
            };
            (class, distance(&wanted, &known), at)
        })
        .collect();
    ranked.sort_unstable();
    ranked
        .into_iter()
        .take(NEAREST_MAX)
        .map(|(_, _, at)| at)
        .collect()
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = cost.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
