//! Boards: a [`View`] as text, as HTML and as a picture.
//!
//! Whoever draws knows no rules: squares, letters and colours are all there is. The plain style is pure ASCII, at most 72
//! columns wide up to 30 files, and the same in every mail program that has a fixed font; `list` says the same in words,
//! for screen readers.

use serde::{Deserialize, Serialize};

use crate::rules::{Cell, Seat, View};

mod list;
mod markup;
mod plain;
mod svg;

/// `set board=`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardStyle {
    /// Letters: upper case for the first seat, lower case for the second.
    #[default]
    Plain,
    /// Chess figures where there are any.
    Unicode,
    /// In words: who stands where.
    List,
}

impl BoardStyle {
    /// The style of this name.
    pub fn named(name: &str) -> Option<BoardStyle> {
        Some(match name {
            "plain" => BoardStyle::Plain,
            "unicode" => BoardStyle::Unicode,
            "list" => BoardStyle::List,
            _ => return None,
        })
    }

    /// Its name, as in `set board=`.
    pub fn name(self) -> &'static str {
        match self {
            BoardStyle::Plain => "plain",
            BoardStyle::Unicode => "unicode",
            BoardStyle::List => "list",
        }
    }
}

/// What is to be drawn, and for whom.
#[derive(Copy, Clone, Debug)]
pub struct Drawing<'a> {
    /// The position.
    pub view: &'a View,
    /// Whose side is below: the second of two seats sees the board turned round, each of four from its own side, the seats
    /// sitting clockwise.
    pub eyes: Option<Seat>,
    /// Names of the seats, by number; `list`, four-seat boards and pictures use them.
    pub seats: &'a [String],
}

/// The board as text, lines ending in `\n`.
pub fn draw(drawing: &Drawing, style: BoardStyle) -> String {
    match style {
        BoardStyle::Plain => plain::draw(drawing, false),
        BoardStyle::Unicode => plain::draw(drawing, true),
        BoardStyle::List => list::draw(drawing),
    }
}

/// The board as an HTML fragment: the same text in `<pre>`, squares tinted, the last turn marked.
pub fn draw_html(drawing: &Drawing, style: BoardStyle) -> String {
    markup::draw(drawing, style)
}

/// Both at once, text and HTML: a mail needs both.
pub fn draw_both(drawing: &Drawing, style: BoardStyle) -> (String, String) {
    if style == BoardStyle::List {
        return (draw(drawing, style), draw_html(drawing, style));
    }
    let lines = plain::lines(drawing, style == BoardStyle::Unicode);
    (plain::joined(&lines), markup::joined(drawing, &lines))
}

/// The board as an SVG document.
pub fn draw_svg(drawing: &Drawing) -> String {
    svg::draw(drawing)
}

/// What stands beside the board, one line for each seat and label, the columns aligned.
pub fn notes(view: &View, seats: &[String]) -> String {
    let who = |seat: &Option<Seat>| {
        seat.map(|s| capital(&seat_name(seats, s)))
            .unwrap_or_default()
    };
    let width = view
        .notes
        .iter()
        .map(|(seat, _, _)| who(seat).chars().count())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for (seat, label, text) in &view.notes {
        let name = who(seat);
        let gap = if width > 0 { "  " } else { "" };
        out.push_str(format!("  {name:<width$}{gap}{label}: {text}").trim_end());
        out.push('\n');
    }
    out
}

/// The name of a seat; `seat 3` where the rulebook gives none.
pub fn seat_name(seats: &[String], seat: Seat) -> String {
    match seats.get(usize::from(seat.0)) {
        Some(name) => name.clone(),
        None => format!("seat {}", u32::from(seat.0) + 1),
    }
}

/// The name of a file, counted from 0: `a` to `z`, then `aa` (notation.md, Lexicon).
pub fn file_name(file: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    match file / 26 {
        0 => letter(file).to_string(),
        n => format!("{}{}", letter(n - 1), letter(file)),
    }
}

/// The name of a square, given its index in a view.
pub fn square_name(view: &View, at: usize) -> String {
    let files = usize::from(view.files).max(1);
    format!("{}{}", file_name(at % files), at / files + 1)
}

/// The text with a capital at its beginning.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|c| c.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

impl Drawing<'_> {
    fn files(&self) -> usize {
        usize::from(self.view.files)
    }

    fn ranks(&self) -> usize {
        usize::from(self.view.ranks)
    }

    /// Quarter turns of the board until the reader's side is below.
    fn quarters(&self) -> u8 {
        match self.eyes {
            Some(Seat(n)) if self.view.four => n % 4,
            Some(Seat(1)) => 2,
            _ => 0,
        }
    }

    /// Do the files run from bottom to top, since the reader sits at the side?
    fn sideways(&self) -> bool {
        self.quarters() % 2 == 1
    }

    /// Squares by row from top to bottom and in it from left to right: (file, rank).
    fn rows(&self) -> Vec<Vec<(usize, usize)>> {
        let up = |n: usize| (0..n).collect::<Vec<_>>();
        let down = |n: usize| (0..n).rev().collect::<Vec<_>>();
        let (files, ranks) = (self.files(), self.ranks());
        // what is constant in a row, from top to bottom; what runs along it
        let (outer, inner) = match self.quarters() {
            0 => (down(ranks), up(files)),
            1 => (down(files), down(ranks)),
            2 => (up(ranks), down(files)),
            _ => (up(files), up(ranks)),
        };
        let square = |a: usize, b: usize| if self.sideways() { (a, b) } else { (b, a) };
        outer
            .iter()
            .map(|a| inner.iter().map(|b| square(*a, *b)).collect())
            .collect()
    }

    /// What stands beside a row and above a column.
    fn labels(&self, (file, rank): (usize, usize)) -> (String, String) {
        let names = ((rank + 1).to_string(), file_name(file));
        if self.sideways() {
            (names.1, names.0)
        } else {
            names
        }
    }

    fn cell(&self, file: usize, rank: usize) -> &Cell {
        self.view
            .cells
            .get(rank * self.files() + file)
            .unwrap_or(&Cell::Hole)
    }

    fn touched(&self, file: usize, rank: usize) -> bool {
        let at = rank * self.files() + file;
        self.view.last.iter().any(|l| usize::from(*l) == at)
    }

    /// One letter for a seat's colour: the first of its name, or its number where two names begin alike.
    fn colour(&self, seat: Seat) -> char {
        let first = |name: &String| name.chars().next().map(|c| c.to_ascii_uppercase());
        let mine = self.seats.get(usize::from(seat.0)).and_then(first);
        let alike = self.seats.iter().filter(|n| first(n) == mine).count();
        match mine {
            Some(c) if alike == 1 && c.is_ascii_alphabetic() => c,
            _ => char::from_digit(u32::from(seat.0) + 1, 36)
                .unwrap_or('?')
                .to_ascii_uppercase(),
        }
    }
}

#[cfg(test)]
#[path = "board/tests.rs"]
mod tests;
