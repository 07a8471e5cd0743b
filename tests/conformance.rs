//! Every record in `tests/conformance` replays, figure by figure, and every perft agrees.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tulpa::rules::record::replay;
use tulpa::rules::{Options, Shelf, Table};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

#[test]
fn every_record_replays() {
    let shelf = Shelf::builtin();
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|x| x == "jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a record is text");
        if let Err(e) = replay(&shelf, &text) {
            wrong.push(format!("{}: {e}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A table at the start of a game, cards aside: perft of a card game runs without cards.
fn start(shelf: &Shelf, game: &str, array: Option<&str>) -> Table {
    let book = shelf.get(game).expect("the game is there");
    let mut options = Options::new();
    if let Some(array) = array {
        options.insert("array".to_owned(), array.to_owned());
    }
    Table::arrange(book, &options, &json!({})).expect("the array makes sense")
}

/// Counts the depths of the Maces games from `from` to `to`.
fn counts(from: u32, to: u32) {
    let shelf = Shelf::builtin();
    let text = fs::read_to_string(folder().join("perft.json")).expect("the figures are there");
    let figures: BTreeMap<String, BTreeMap<String, Value>> =
        serde_json::from_str(&text).expect("figures are JSON");
    for (name, depths) in figures {
        let (game, array) = match name.split_once(':') {
            Some((game, array)) => (game, Some(array)),
            None => (name.as_str(), None),
        };
        if !["maces", "tulpas", "shields"].contains(&game) {
            continue;
        }
        let table = start(&shelf, game, array);
        for (depth, count) in depths {
            let depth: u32 = depth.parse().expect("a depth");
            if (from..=to).contains(&depth) {
                assert_eq!(Value::from(table.perft(depth)), count, "{name} {depth}");
            }
        }
    }
}

#[test]
fn perft_of_maces_games_agrees() {
    counts(1, 3);
}

#[test]
#[ignore = "ninety million positions"]
fn deep_perft_of_maces_games_agrees() {
    let from = std::time::Instant::now();
    counts(4, 4);
    eprintln!("depth 4: {:?}", from.elapsed());
}
