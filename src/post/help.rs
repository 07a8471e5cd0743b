//! What a player is told about a game: its rules, and how its moves are written.
//!
//! The words are in `templates/rules` and `templates/help`. What a rulebook says by itself - the board, the pieces and
//! how they move, the options - is handed to them from here, so that no text repeats by hand what a file of `games/` holds.

use serde_json::{Value as Json, json};

use super::motion;
use super::words::{BUILTIN, PLAIN_RULES, Style, Templates, Words, WordsError};
use crate::rules::betza;
use crate::rules::families::Family;
use crate::rules::rulebook::nearest;
use crate::rules::{NoDice, Options, Rulebook, Table};

/// The other verifier, in another language by other hands; `help verify` brings it along.
pub const VERIFY_SCRIPT: &str = include_str!("../../templates/verify.py");

/// The rules of a game for a player who has never seen it: `rules/<id>`, or `rules/plain` where there is none.
/// The board is drawn in the reader's style, from the side of the first seat.
///
/// # Errors
/// A template that cannot be filled.
pub fn rules(
    templates: &Templates,
    book: &std::sync::Arc<Rulebook>,
    style: &Style,
) -> Result<Words, WordsError> {
    let own = format!("rules/{}", book.id);
    let name = if templates.has(&own) {
        &own
    } else {
        PLAIN_RULES
    };
    let style = Style {
        eyes: None,
        seats: book.seats.iter().map(|s| s.name.clone()).collect(),
        ..style.clone()
    };
    templates.render(name, facts(book), &style)
}

/// How the moves of a family are written: `help/notation-<family>`, in lower case.
///
/// # Errors
/// A template that cannot be filled.
pub fn notation(templates: &Templates, family: &str) -> Result<Words, WordsError> {
    let name = format!("help/notation-{}", family.to_ascii_lowercase());
    let name = if templates.has(&name) {
        &name
    } else {
        "help/moves"
    };
    templates.render(name, json!({}), &Style::default())
}

/// The template of a help topic: that of its name or of the nearest one, else the overview.
pub fn topic(templates: &Templates, asked: &str) -> String {
    let asked = asked.trim().to_ascii_lowercase().replace(' ', "-");
    let name = format!("help/{asked}");
    if templates.has(&name) {
        return name;
    }
    let known: Vec<&str> = topics().collect();
    match nearest(&asked, &known) {
        Some(near) => format!("help/{near}"),
        None => "help/help".to_owned(),
    }
}

/// The topics of `help TOPIC`, the overview included.
pub fn topics() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().filter_map(|(n, _)| n.strip_prefix("help/"))
}

/// What a rulebook says, for the templates of `templates/rules`.
fn facts(book: &std::sync::Arc<Rulebook>) -> Json {
    let begun = Table::begin(book, &Options::new(), &mut NoDice).map(|(table, _)| table);
    let view = begun.as_ref().map(|t| t.view(None)).unwrap_or_default();
    let names = |letters: &Json| {
        let of = |c: char| book.pieces.get(&c).map(|p| p.name.as_str());
        let letters = letters.as_str().unwrap_or_default();
        either(&letters.chars().filter_map(of).collect::<Vec<_>>())
    };
    let pieces: Vec<Json> = book
        .pieces
        .iter()
        .map(|(letter, p)| {
            json!({ "letter": letter, "name": p.name, "silent": p.silent, "moves": moves(&p.moves) })
        })
        .collect();
    let widest = book.pieces.values().map(|p| p.name.chars().count()).max();
    let (family, spec) = family(&book.family);
    // the moves of some pieces on some ranks, in words
    let regional: Vec<Json> = spec["regional"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|r| {
            let text = r["moves"].as_str().unwrap_or_default();
            json!({ "who": r["who"], "from_rank": r["from_rank"], "moves": moves(text) })
        })
        .collect();
    let promotions: Vec<Json> = spec["promotion"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|p| {
            json!({ "who": names(&p["who"]), "into": names(&p["into"]), "ranks": p["ranks"],
                "optional": p["optional"], "lost_only": p["lost_only"] })
        })
        .collect();
    let told = |word: &str| {
        let mut all = pieces.iter().filter_map(|p| p["moves"].as_str());
        all.any(|m| m.contains(word))
    };
    let (leaps, passant) = (told("("), told("en passant"));
    let options: Vec<Json> = book
        .options
        .iter()
        .map(|(key, o)| json!({ "key": key, "values": o.values, "about": o.about }))
        .collect();
    json!({
        "id": book.id,
        "title": book.title,
        "inventor": book.inventor,
        "year": book.year,
        "summary": book.summary,
        "doubt": book.doubt,
        "seats": book.seats.iter().map(|s| &s.name).collect::<Vec<_>>(),
        "files": book.board.0,
        "ranks": book.board.1,
        "last_file": super::board::file_name(usize::from(book.board.0.max(1)) - 1),
        "view": view,
        "array": book.array,
        "arrays": book.array_names().collect::<Vec<_>>(),
        "options": options,
        "pieces": pieces,
        "name_width": widest.unwrap_or(0),
        "leaps": leaps,
        "passant": passant,
        "regional": regional,
        "promotions": promotions,
        "example": begun.map(|t| first_turn(&t)).unwrap_or_default(),
        "family": family,
        "spec": spec,
    })
}

/// A turn to begin with: the longest step ahead of the man nearest to the middle, without a piece letter if there is one.
fn first_turn(table: &Table) -> String {
    let files = i32::from(table.book().board.0);
    let rank = |square: &str| -> i32 {
        let digits = square.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.parse().unwrap_or(0)
    };
    let Some(ask) = table.asks().into_iter().next() else {
        return String::new();
    };
    let mut turns = table.choices(ask.seat, ask.what);
    turns.sort_by_cached_key(|t| {
        let (from, to) = t.split_once('-').unwrap_or((t, t));
        let file = from.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let file = i32::from(file.bytes().next().unwrap_or(b'a')) - i32::from(b'a');
        let piece = from.starts_with(|c: char| c.is_ascii_uppercase());
        (piece, rank(from) - rank(to), (2 * file - files).abs())
    });
    turns.into_iter().next().unwrap_or_default()
}

/// `queen, rook or knight`.
fn either(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

fn moves(text: &str) -> String {
    betza::compile(text)
        .map(|m| motion::in_words(&m))
        .unwrap_or_default()
}

/// The family's name, and what the rulebook says to it.
pub fn family(family: &Family) -> (String, Json) {
    match serde_json::to_value(family) {
        Ok(Json::Object(map)) => map.into_iter().next().unwrap_or_default(),
        _ => Default::default(),
    }
}
