//! What a player is told about a game: its rules, and how its moves are written.

use crate::rules::Rulebook;

use super::words::COLUMNS;
use super::words::text::wrap;

/// Rules in words, by game id: the files of `templates/rules`.
const RULES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The rules of a game for a player who has never seen it, lines of at most 72 columns.
///
/// The text of `templates/rules/<id>.txt`; for a game that has none, what its rulebook tells.
pub fn rules(book: &Rulebook) -> String {
    let mut text = heading(book);
    match RULES.iter().find(|(id, _)| *id == book.id) {
        Some((_, words)) => text.push_str(words.trim_end()),
        None => text.push_str(&told_by(book)),
    }
    if let Some(doubt) = &book.doubt {
        text.push_str("\n\nNot certain: ");
        text.push_str(doubt);
    }
    text.push_str("\n\n");
    text.push_str(&choices(book));
    wrap(&text, COLUMNS)
}

fn heading(book: &Rulebook) -> String {
    let mut text = book.title.clone();
    if !book.inventor.is_empty() {
        text.push_str(&format!(", by {}", book.inventor));
    }
    if let Some(year) = book.year {
        text.push_str(&format!(" ({year})"));
    }
    text.push_str("\n\n");
    text
}

fn told_by(book: &Rulebook) -> String {
    let (files, ranks) = book.board;
    let seats: Vec<&str> = book.seats.iter().map(|s| s.name.as_str()).collect();
    let mut text = format!(
        "{}\n\nBoard: {files} x {ranks}. Seats: {}.\n\nPieces (moves in Betza notation):\n",
        book.summary,
        seats.join(", ")
    );
    for (letter, piece) in &book.pieces {
        text.push_str(&format!("  {letter}  {:12} {}\n", piece.name, piece.moves));
    }
    text
}

fn choices(book: &Rulebook) -> String {
    let arrays: Vec<&str> = book.array_names().collect();
    let mut text = format!("Open it with:  new {} vs NAME-OR-ADDRESS\n", book.id);
    if arrays.len() > 1 {
        text.push_str(&format!(
            "array={}: how the men stand at the start; {} if you say nothing.\n",
            arrays.join("/"),
            book.array
        ));
    }
    for (key, option) in &book.options {
        text.push_str(&format!(
            "{key}={}: {}\n",
            option.values.join("/"),
            option.about
        ));
    }
    text
}
