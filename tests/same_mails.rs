//! T7 (trust.md 8): what is mailed to the other does not depend on the card, to the byte.

use std::fs;

mod common;
use common::{ALICE, BOB, Club};

/// A mail as it is carried, without what is random to look at: seals, heads and signatures in hex, the head in short and as
/// a move names it. Soft line ends are undone first, since a value may be broken by one.
fn masked(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec())
        .unwrap()
        .replace("=\r\n", "")
        .replace("=3D", "=");
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        let hex = word.bytes().all(|b| b.is_ascii_hexdigit());
        match word.len() {
            64 | 128 if hex => out.push('#'),
            // every server has its own key: a token, a Message-ID, a boundary
            24 | 26 | 32 => out.push('#'),
            16 if hex && out.ends_with(':') => out.push('#'),
            4 if hex && (out.ends_with("head ") || out.ends_with("#...")) => out.push('#'),
            _ => out.push_str(&word),
        }
        word.clear();
        out.push(c);
    }
    out
}

/// Mails, masked, and their sizes.
type Told = (Vec<String>, Vec<usize>);

#[track_caller]
fn same(one: &Told, other: &Told) {
    for (one, other) in one.0.iter().zip(&other.0) {
        for (one, other) in one.lines().zip(other.lines()) {
            assert_eq!(one, other);
        }
    }
    assert_eq!(one.1, other.1);
    assert_eq!(one.0, other.0);
}

/// T7 (trust.md 8): for every card that can be chosen, all mails to the other are the same but for seals and heads, and of
/// the same size to the byte, until the cards are open; with `reveal=outcome` also afterwards, as long as they differ.
#[test]
fn whatever_card_it_is_the_other_is_mailed_the_same() {
    const GUESS: &str = "spider";
    let cards = ["amazon", "ox", "archer", "mace", GUESS];
    for options in ["", " reveal=outcome"] {
        // masked mails and sizes: before the guess, and from it on where the cards differ
        let (mut before, mut after): (Option<Told>, Option<Told>) = (None, None);
        for card in cards {
            let mut club = Club::started_with("none", "tulpas", options);
            club.quiet = true;
            let mut carried = Carried::default();
            carried.new_to(&club, BOB);
            carried.bytes.clear();
            for (who, order) in [
                (ALICE, format!("pick {card}\nmessage a card is down")),
                (BOB, "show".to_owned()),
                (BOB, "status".to_owned()),
                (BOB, "history".to_owned()),
                (BOB, "Nz9-z9".to_owned()),
            ] {
                club.writes(who, &order);
                carried.new_to(&club, BOB);
            }
            let bytes = std::mem::take(&mut carried.bytes);
            assert_eq!(bytes.len(), 5);
            let told = (
                bytes.iter().map(|b| masked(b)).collect(),
                bytes.iter().map(Vec::len).collect(),
            );
            same(before.get_or_insert(told.clone()), &told);
            for (who, order) in [
                (BOB, format!("guess {GUESS}")),
                (BOB, "show".to_owned()),
                (ALICE, "a3-a4".to_owned()),
                (BOB, "show".to_owned()),
            ] {
                club.writes(who, &order);
                carried.new_to(&club, BOB);
            }
            let bytes = std::mem::take(&mut carried.bytes);
            assert!(bytes.len() >= 3, "{}", bytes.len());
            let told: Told = (
                bytes.iter().map(|b| masked(b)).collect(),
                bytes.iter().map(Vec::len).collect(),
            );
            let all = told.0.concat();
            if card == GUESS {
                assert!(all.contains("They match"), "{all}");
                assert_ne!(after.as_ref(), Some(&told));
            } else if options.is_empty() {
                assert!(all.contains(&format!("Alice {card}")), "{all}");
            } else {
                assert!(all.contains("They differ"), "{all}");
                assert!(!all.contains(&format!("Alice {card}")), "{all}");
                same(after.get_or_insert(told.clone()), &told);
            }
        }
    }
}

/// Mails to somebody, in the order in which they were carried.
#[derive(Default)]
struct Carried {
    seen: std::collections::BTreeSet<std::path::PathBuf>,
    bytes: Vec<Vec<u8>>,
}

impl Carried {
    /// Looks for those since the last time; no letter brings more than one.
    fn new_to(&mut self, club: &Club, who: &str) {
        let head = format!("To: {who}\r\n");
        for path in club.seen.difference(&self.seen) {
            let bytes = fs::read(path).unwrap();
            if String::from_utf8_lossy(&bytes).contains(&head) {
                self.bytes.push(bytes);
            }
        }
        self.seen.clone_from(&club.seen);
    }
}
