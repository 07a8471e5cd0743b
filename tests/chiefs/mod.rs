//! Positions and turns of the Chieftain games drawn in tests.

#![allow(dead_code)]

use serde_json::json;
use tulpa::rules::{NoDice, Options, Shelf, Table, What, Wrong};

pub fn start(game: &str, options: &[(&str, &str)]) -> Table {
    let options = options
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    let shelf = Shelf::builtin();
    Table::begin(shelf.get(game).unwrap(), &options, &mut NoDice)
        .unwrap()
        .0
}

pub fn position(game: &str, board: &str, turn: &str) -> Table {
    let shelf = Shelf::builtin();
    let position = json!({"board": board, "turn": turn});
    Table::arrange(shelf.get(game).unwrap(), &Options::new(), &position).unwrap()
}

/// A board of 16 x 12, every rank drawn, White to move.
pub fn drawn(drawing: &str) -> Table {
    let mut rows: Vec<String> = Vec::new();
    for line in drawing.lines() {
        let mut words = line.split_whitespace();
        if words.next().is_some_and(|w| w.parse::<u8>().is_ok()) {
            let mut row = String::new();
            let mut vacant = 0;
            for word in words {
                if word == "." {
                    vacant += 1;
                    continue;
                }
                if vacant > 0 {
                    row.push_str(&std::mem::take(&mut vacant).to_string());
                }
                row.push_str(word);
            }
            if vacant > 0 {
                row.push_str(&vacant.to_string());
            }
            rows.push(row);
        }
    }
    position("chieftain", &rows.join("/"), "white")
}

pub fn play(at: &Table, order: &str) -> Table {
    at.act(at.asks()[0].seat, order, &mut NoDice)
        .unwrap_or_else(|w| panic!("{order}: {w:?}"))
        .0
}

/// Index of the first bad step and why.
pub fn refused(at: &Table, order: &str) -> (usize, String) {
    match at.act(at.asks()[0].seat, order, &mut NoDice) {
        Err(Wrong::NoSuchStep { at, why, .. }) => (at, why.unwrap_or_default()),
        Err(Wrong::TooMuch { at, .. }) => (at, "too much".to_owned()),
        other => panic!("{order}: {other:?}"),
    }
}

pub fn targets(at: &Table, from: &str) -> Vec<String> {
    let mut found: Vec<String> = at
        .choices(at.asks()[0].seat, What::Turn)
        .iter()
        .filter_map(|t| {
            let (start, to) = t.split_once(['-', 'x'])?;
            (&start[1..] == from).then(|| to.to_owned())
        })
        .collect();
    found.sort();
    found
}

/// Targets above a square on its file.
pub fn up(at: &Table, from: &str) -> String {
    let rank: u8 = from[1..].parse().unwrap();
    let mut list = targets(at, from);
    list.retain(|t| t[..1] == from[..1] && t[1..].parse::<u8>().unwrap() > rank);
    list.join(" ")
}

/// The board as rows, top rank first.
pub fn rows(at: &Table) -> String {
    let view = at.view(None);
    let mut rows = Vec::new();
    for rank in (0..usize::from(view.ranks)).rev() {
        let mut row = String::new();
        let mut vacant = 0;
        for file in 0..usize::from(view.files) {
            match &view.cells[rank * usize::from(view.files) + file] {
                tulpa::rules::Cell::Man { seat, letter, .. } => {
                    if vacant > 0 {
                        row.push_str(&std::mem::take(&mut vacant).to_string());
                    }
                    row.push(if seat.0 == 0 {
                        *letter
                    } else {
                        letter.to_ascii_lowercase()
                    });
                }
                _ => vacant += 1,
            }
        }
        if vacant > 0 {
            row.push_str(&vacant.to_string());
        }
        rows.push(row);
    }
    rows.join("/")
}

pub fn out_of_command(at: &Table) -> String {
    at.view(None)
        .notes
        .into_iter()
        .find(|n| n.1 == "Out of command")
        .map_or_else(String::new, |n| n.2)
}
