//! Every piece that is shipped, checked by eye; and no two different pieces are told alike.

use std::collections::{BTreeMap, BTreeSet};

use super::in_words;
use crate::rules::Shelf;
use crate::rules::betza::compile;

const SHIPPED: &[(&str, &str)] = &[];

#[test]
fn every_shipped_piece_is_told_rightly() {
    let known: BTreeMap<&str, &str> = SHIPPED.iter().copied().collect();
    for (text, words) in SHIPPED {
        assert_eq!(in_words(&compile(text).unwrap()), *words, "{text}");
    }
    for book in Shelf::builtin().books() {
        for piece in book.pieces.values().filter(|p| !p.moves.is_empty()) {
            assert!(
                known.contains_key(piece.moves.as_str()),
                "{}: {} moves `{}` and is not in this list: {}",
                book.id,
                piece.name,
                piece.moves,
                in_words(&compile(&piece.moves).unwrap())
            );
        }
    }
}

#[test]
fn other_pieces() {
    for (text, words) in [
        ("", ""),
        (
            "WfF",
            "moves one square along a rank or file, or diagonally forward",
        ),
        ("fN", "moves by a leap (1,2), the long way forward"),
        ("fhN", "moves by a leap (1,2) forward"),
        (
            "lfN",
            "moves by a leap (1,2), only one forward and two left",
        ),
        (
            "nZ",
            "moves one square along a rank or file and two more diagonally away, if the squares between are vacant",
        ),
        (
            "gQ",
            "moves any number of squares in any direction, over the first man it meets to the square right behind him",
        ),
        (
            "DD",
            "moves by leaps of two squares along a rank or file on and on one way while the squares it touches are vacant",
        ),
        (
            "frlR",
            "moves any number of squares straight forward or sideways",
        ),
        ("flF", "moves one square diagonally forward left"),
        ("lbW", "moves one square straight back or to the left"),
    ] {
        assert_eq!(in_words(&compile(text).unwrap()), words, "{text}");
    }
}

/// All parts of one atom with up to three modifiers, in pairs with a plain one.
#[test]
fn different_pieces_are_told_differently() {
    let ways = [
        "", "f", "b", "s", "v", "fl", "fh", "fr", "lf", "fs", "bl", "l", "r", "frl",
    ];
    let modes = [
        "", "m", "c", "n", "p", "g", "i", "mi", "ce", "mn", "in", "cp", "mg",
    ];
    let atoms = [
        "W", "F", "D", "A", "N", "C", "Z", "H", "G", "K", "R", "B", "Q", "NN", "W3", "F2", "A0",
        "D3", "N2",
    ];
    let mut seen: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    let mut tried = 0;
    for atom in atoms {
        for way in ways {
            for mode in modes {
                for more in ["", "W", "mN", "cR"] {
                    let text = format!("{way}{mode}{atom}{more}");
                    let Ok(moves) = compile(&text) else { continue };
                    // what a lame single step or a step taken twice over means is no other piece
                    let meaning: BTreeSet<String> = moves
                        .iter()
                        .map(|m| {
                            let mut m = *m;
                            m.lame &= !m.between().is_empty();
                            format!("{m:?}")
                        })
                        .collect();
                    let words = in_words(&moves);
                    assert!(words.is_ascii() && !words.contains("  "), "{text}: {words}");
                    tried += 1;
                    let (first, known) = seen
                        .entry(words.clone())
                        .or_insert_with(|| (text.clone(), meaning.clone()));
                    assert_eq!(*known, meaning, "`{first}` and `{text}`: {words}");
                }
            }
        }
    }
    assert!(
        tried > 5_000 && seen.len() > 2_000,
        "{tried} {}",
        seen.len()
    );
}
