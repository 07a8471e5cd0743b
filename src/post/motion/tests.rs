//! Every piece that is shipped, checked by eye; and no two different pieces are told alike.

use std::collections::{BTreeMap, BTreeSet};

use super::in_words;
use crate::rules::Shelf;
use crate::rules::betza::compile;

#[rustfmt::skip]
const SHIPPED: &[(&str, &str)] = &[
    ("A", "moves by a leap of two squares diagonally"),
    ("B", "moves any number of squares diagonally"),
    ("B4D", "moves up to four squares diagonally, or by a leap of two squares along a rank or file"),
    ("BN", "moves any number of squares diagonally, or by a leap (1,2)"),
    ("BW", "moves any number of squares diagonally, or one square along a rank or file"),
    ("F", "moves one square diagonally"),
    ("FA", "moves one square diagonally, or by a leap of two squares diagonally"),
    ("FfW", "moves one square diagonally or straight forward"),
    ("K", "moves one square in any direction"),
    ("KN", "moves one square in any direction, or by a leap (1,2)"),
    ("N", "moves by a leap (1,2)"),
    ("NN", "moves by leaps (1,2) on and on one way while the squares it touches are vacant"),
    ("Q", "moves any number of squares in any direction"),
    ("Q2", "moves up to two squares in any direction"),
    ("QN", "moves any number of squares in any direction, or by a leap (1,2)"),
    ("R", "moves any number of squares along a rank or file"),
    ("R4A", "moves up to four squares along a rank or file, or by a leap of two squares diagonally"),
    ("RA", "moves any number of squares along a rank or file, or by a leap of two squares diagonally"),
    ("RN", "moves any number of squares along a rank or file, or by a leap (1,2)"),
    ("W", "moves one square along a rank or file"),
    ("fW", "moves one square straight forward"),
    ("fmFfceWifmnA", "moves one square diagonally forward without capturing; captures one square straight forward, also en passant; from a starting square also moves two squares diagonally forward, if the square between is vacant, without capturing"),
    ("fmWfF", "moves one square straight forward without capturing; moves or captures one square diagonally forward"),
    ("fmWfcF", "moves one square straight forward without capturing; captures one square diagonally forward"),
    ("fmWfceFifmnD", "moves one square straight forward without capturing; captures one square diagonally forward, also en passant; from a starting square also moves two squares straight forward, if the square between is vacant, without capturing"),
    ("fsW", "moves one square straight forward or sideways"),
    ("ifmnDfmWfcF", "moves one square straight forward without capturing; captures one square diagonally forward; from a starting square also moves two squares straight forward, if the square between is vacant, without capturing"),
    ("mBcN", "moves any number of squares diagonally without capturing; captures by a leap (1,2)"),
    ("mK", "moves one square in any direction without capturing"),
    ("mNcB", "moves by a leap (1,2) without capturing; captures any number of squares diagonally"),
    ("mNcR", "moves by a leap (1,2) without capturing; captures any number of squares along a rank or file"),
    ("mRcN", "moves any number of squares along a rank or file without capturing; captures by a leap (1,2)"),
    ("mRcpR", "moves any number of squares along a rank or file without capturing; captures any number of squares along a rank or file, over exactly one man"),
    ("nA", "moves two squares diagonally, if the square between is vacant"),
    ("nN", "moves one square along a rank or file and one more diagonally away, if the square between is vacant"),
];

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
