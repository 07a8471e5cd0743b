//! The board in words, for screen readers and for those who set up a real one.

use std::collections::BTreeMap;

use super::{Drawing, capital, seat_name, square_name};
use crate::post::words::{COLUMNS, text};
use crate::rules::{Cell, Seat};

/// `White: king f2; queen e2; rook c2 h2; ...`, a paragraph for each seat; then the squares of the last turn.
pub(super) fn draw(drawing: &Drawing) -> String {
    let mut men: BTreeMap<Seat, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for (at, cell) in drawing.view.cells.iter().enumerate() {
        if let Cell::Man {
            seat,
            letter,
            mark,
            name,
        } = cell
        {
            let mut what = name.clone().unwrap_or_else(|| letter.to_string());
            if let Some(mark) = mark {
                what = format!("{what}{mark}");
            }
            let square = square_name(drawing.view, at);
            men.entry(*seat)
                .or_default()
                .entry(what)
                .or_default()
                .push(square);
        }
    }
    let mut out = String::new();
    for (seat, kinds) in men {
        let mut kinds: Vec<(String, Vec<String>)> = kinds.into_iter().collect();
        // Kings first, then the rare before the many.
        kinds.sort_by_key(|(what, squares)| (!royal(what), squares.len(), what.clone()));
        let all: Vec<String> = kinds
            .iter()
            .map(|(what, squares)| format!("{what} {}", squares.join(" ")))
            .collect();
        let line = format!(
            "{}: {}",
            capital(&seat_name(drawing.seats, seat)),
            all.join("; ")
        );
        paragraph(&mut out, &line);
    }
    if out.is_empty() {
        out.push_str("The board is empty.\n");
    }
    if !drawing.view.last.is_empty() {
        let squares: Vec<String> = drawing
            .view
            .last
            .iter()
            .map(|l| square_name(drawing.view, usize::from(*l)))
            .collect();
        paragraph(
            &mut out,
            &format!("Touched by the last turn: {}", squares.join(" ")),
        );
    }
    out
}

fn royal(name: &str) -> bool {
    ["k", "king", "monarch", "chieftain"]
        .contains(&name.trim_end_matches('*').to_ascii_lowercase().as_str())
}

/// Breaks a long line at blanks; continuations stand two columns in.
fn paragraph(out: &mut String, line: &str) {
    for (i, part) in text::wrap_line(line, COLUMNS - 2).iter().enumerate() {
        if i > 0 {
            out.push_str("  ");
        }
        out.push_str(part);
        out.push('\n');
    }
}
