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
    pub text: String,
    /// File and rank; `None` in headings.
    pub at: Option<(usize, usize)>,
}

/// The whole board.
pub(super) fn draw(drawing: &Drawing, figures: bool) -> String {
    joined(&lines(drawing, figures))
}

/// Lines of a board as text.
pub(super) fn joined(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        let start = out.len();
        out.push_str(&line.head);
        for square in &line.cells {
            out.push(square.gap);
            out.push_str(&square.text);
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
    let mut all = headings(drawing, width);
    for row in drawing.rows() {
        let label = row.first().map(|sq| drawing.labels(*sq).0);
        let label = label.unwrap_or_default();
        let mut before = false;
        let mut cells = Vec::new();
        for (file, rank) in row {
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
    all.extend(headings(drawing, width));
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
fn headings(drawing: &Drawing, width: usize) -> Vec<Line> {
    let names: Vec<String> = drawing
        .rows()
        .first()
        .map(|row| row.iter().map(|sq| drawing.labels(*sq).1).collect())
        .unwrap_or_default();
    let tall = width < 2 && names.iter().any(|n| n.len() > 1);
    let rows: &[usize] = if tall { &[0, 1] } else { &[0] };
    let mut all = Vec::new();
    for row in rows {
        let text = |name: &str| match (tall, row, name.len()) {
            (false, ..) => name.to_owned(),
            (true, 0, 1) => " ".into(),
            (true, 0, _) => name[..1].to_string(),
            (true, _, len) => name[len - 1..].to_string(),
        };
        let cells = names
            .iter()
            .map(|n| Square {
                gap: ' ',
                text: format!("{:<width$}", text(n)),
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
fn square(drawing: &Drawing, cell: &Cell, width: usize, figures: bool) -> String {
    let mut text = String::with_capacity(width + 2);
    match cell {
        Cell::Empty => text.push(if figures { '·' } else { '.' }),
        Cell::Hole => {}
        Cell::Man {
            seat,
            letter,
            mark,
            name,
        } => {
            if drawing.view.four {
                let colour = drawing.colour(*seat);
                // An army without its leader is told by a small letter.
                text.push(if drawing.view.leaderless.contains(seat) {
                    colour.to_ascii_lowercase()
                } else {
                    colour
                });
                text.push(*letter);
            } else {
                let figure = if figures {
                    figure(seat.0, *letter, name.as_deref())
                } else {
                    None
                };
                text.push(figure.unwrap_or(match seat.0 {
                    0 => letter.to_ascii_uppercase(),
                    _ => letter.to_ascii_lowercase(),
                }));
            }
            text.extend(mark);
        }
    }
    let mut count = 0;
    let end = text.char_indices().find(|_| {
        count += 1;
        count > width
    });
    match end {
        Some((end, _)) => text.truncate(end),
        None => text.extend(std::iter::repeat_n(' ', width - count)),
    }
    text
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
