//! The board in a fixed font.
//!
//! Every square is a gap and a man. The last turn is marked in the gaps, `(N)` where a man now stands and `(.)` where he
//! left, `|` between two such neighbours, so that no column moves.

use super::Drawing;
use crate::rules::Cell;

/// Room for the rank label and the blanks before the first gap.
const LABEL: usize = 5;

/// A line of the board, in pieces that can be joined or wrapped in markup.
pub(super) struct Line {
    /// Before the first square.
    pub head: String,
    /// Gap and square, from left to right; `None` in a heading.
    pub cells: Vec<Square>,
    /// After the last square; its first character is the gap at the end.
    pub tail: String,
}

/// One square as it is printed.
pub(super) struct Square {
    /// The gap before it.
    pub gap: char,
    /// The man, or `.`, or blanks for a hole; as wide as every other square of the board.
    pub text: Text,
    /// File and rank; `None` in headings.
    pub at: Option<(usize, usize)>,
}

/// Most characters of a square.
const WIDTH_MAX: usize = 3;

/// What stands in a square: so few characters that they need no room of their own.
#[derive(Clone, Copy)]
pub(super) struct Text {
    chars: [char; WIDTH_MAX],
    width: usize,
}

impl Text {
    /// These characters, cut or filled up with blanks to `width`.
    fn of(chars: impl IntoIterator<Item = char>, width: usize) -> Text {
        let mut text = Text {
            chars: [' '; WIDTH_MAX],
            width: width.min(WIDTH_MAX),
        };
        for (place, c) in text.chars[..text.width].iter_mut().zip(chars) {
            *place = c;
        }
        text
    }

    /// Its characters.
    pub fn chars(&self) -> &[char] {
        &self.chars[..self.width]
    }
}

/// The whole board.
pub(super) fn draw(drawing: &Drawing, figures: bool) -> String {
    joined(&lines(drawing, figures))
}

/// Lines of a board as text.
pub(super) fn joined(lines: &[Line]) -> String {
    let width = lines.first().map_or(0, |l| 5 * l.cells.len() + 16);
    let mut out = String::with_capacity(lines.len() * width);
    for line in lines {
        let start = out.len();
        out.push_str(&line.head);
        for square in &line.cells {
            out.push(square.gap);
            out.extend(square.text.chars());
        }
        out.push_str(&line.tail);
        out.truncate(start + out[start..].trim_end().len());
        out.push('\n');
    }
    out
}

/// The board line by line, headings included.
pub(super) fn lines(drawing: &Drawing, figures: bool) -> Vec<Line> {
    let marked = drawing
        .view
        .cells
        .iter()
        .any(|c| matches!(c, Cell::Man { mark: Some(_), .. }));
    let mut width = usize::from(drawing.view.four) + 1 + usize::from(marked);
    // A board that would not fit loses the room for marks before it loses its columns.
    while width > 1 && LABEL + columns(drawing) * (width + 1) + 4 > super::super::words::COLUMNS {
        width -= 1;
    }
    let rows = drawing.rows();
    let mut all = headings(drawing, &rows, width);
    for row in &rows {
        let label = row.first().map(|sq| drawing.labels(*sq).0);
        let label = label.unwrap_or_default();
        let mut before = false;
        let mut cells = Vec::with_capacity(row.len());
        for (file, rank) in row.iter().copied() {
            let now = drawing.touched(file, rank);
            cells.push(Square {
                gap: gap(before, now),
                text: square(drawing, drawing.cell(file, rank), width, figures),
                at: Some((file, rank)),
            });
            before = now;
        }
        all.push(Line {
            head: format!("{label:>4} "),
            cells,
            tail: format!("{} {label:>2}", gap(before, false)),
        });
    }
    all.extend(headings(drawing, &rows, width));
    all
}

fn gap(before: bool, now: bool) -> char {
    match (before, now) {
        (false, false) => ' ',
        (false, true) => '(',
        (true, false) => ')',
        (true, true) => '|',
    }
}

/// Squares in a row.
fn columns(drawing: &Drawing) -> usize {
    if drawing.sideways() {
        drawing.ranks()
    } else {
        drawing.files()
    }
}

/// The names of the columns; files from the 27th on are two letters, one below the other.
fn headings(drawing: &Drawing, rows: &[Vec<(usize, usize)>], width: usize) -> Vec<Line> {
    let names: Vec<String> = rows
        .first()
        .map(|row| row.iter().map(|sq| drawing.labels(*sq).1).collect())
        .unwrap_or_default();
    let tall = width < 2 && names.iter().any(|n| n.len() > 1);
    let rows: &[usize] = if tall { &[0, 1] } else { &[0] };
    let mut all = Vec::new();
    for row in rows {
        let text = |name: &str| match (tall, row, name.len()) {
            (false, ..) => Text::of(name.chars(), width),
            (true, 0, 1) => Text::of([], width),
            (true, 0, _) => Text::of(name.chars(), 1),
            (true, _, len) => Text::of(name[len - 1..].chars(), width),
        };
        let cells = names
            .iter()
            .map(|n| Square {
                gap: ' ',
                text: text(n),
                at: None,
            })
            .collect();
        all.push(Line {
            head: " ".repeat(LABEL),
            cells,
            tail: String::new(),
        });
    }
    all
}

/// A square, exactly `width` characters.
fn square(drawing: &Drawing, cell: &Cell, width: usize, figures: bool) -> Text {
    match cell {
        Cell::Empty => Text::of([if figures { '·' } else { '.' }], width),
        Cell::Hole => Text::of([], width),
        Cell::Man {
            seat,
            letter,
            mark,
            name,
        } => {
            if drawing.view.four {
                let colour = drawing.colour(*seat);
                // An army without its leader is told by a small letter.
                let colour = if drawing.view.leaderless.contains(seat) {
                    colour.to_ascii_lowercase()
                } else {
                    colour
                };
                return Text::of([colour, *letter].into_iter().chain(*mark), width);
            }
            let figure = if figures {
                figure(seat.0, *letter, name.as_deref())
            } else {
                None
            };
            let man = figure.unwrap_or(match seat.0 {
                0 => letter.to_ascii_uppercase(),
                _ => letter.to_ascii_lowercase(),
            });
            Text::of([man].into_iter().chain(*mark), width)
        }
    }
}

/// The figure of a chess man. A man with a name of its own that is not one of chess keeps its letter.
pub(super) fn figure(seat: u8, letter: char, name: Option<&str>) -> Option<char> {
    let which = match name.map(str::to_ascii_lowercase).as_deref() {
        Some("king") => 0,
        Some("queen") => 1,
        Some("rook") => 2,
        Some("bishop") => 3,
        Some("knight") => 4,
        Some("pawn") => 5,
        Some(_) => return None,
        None => "KQRBNP".find(letter.to_ascii_uppercase())?,
    };
    let figures = if seat == 0 {
        "♔♕♖♗♘♙"
    } else {
        "♚♛♜♝♞♟"
    };
    figures.chars().nth(which)
}
