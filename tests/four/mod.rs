//! Positions and turns of Martian Chaturaji drawn in tests.

#![allow(dead_code)]

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};
use tulpa::rules::{
    Cell, Dice, Ending, Happening, NoDice, Options, Seat, Shelf, Table, What, Wrong,
};

pub const SEATS: [&str; 4] = ["green", "yellow", "blue", "red"];
pub const GREEN: Seat = Seat(0);
pub const YELLOW: Seat = Seat(1);
pub const BLUE: Seat = Seat(2);
pub const RED: Seat = Seat(3);

/// Dice of each army in order; 1 where nothing is told.
#[derive(Default)]
pub struct Told(pub BTreeMap<Seat, VecDeque<u16>>);

pub fn told(dice: &[(Seat, &[u16])]) -> Told {
    let mut told = Told::default();
    for (seat, values) in dice {
        told.0.entry(*seat).or_default().extend(*values);
    }
    told
}

impl Dice for Told {
    fn roll(&mut self, of: Seat, sides: u16) -> u16 {
        assert_eq!(sides, 4);
        let fell = self.0.get_mut(&of).and_then(VecDeque::pop_front);
        fell.unwrap_or(1)
    }
}

/// An example of the page: colours as in its array (`NR` is blue's raven, `Ws` yellow's squire).
pub fn drawn_with(options: &[(&str, &str)], drawing: &str, turn: &str, dice: Value) -> Table {
    let mut men: BTreeMap<&str, String> = BTreeMap::new();
    for line in drawing.lines() {
        let mut words = line.split_whitespace();
        let Some(rank) = words.next().and_then(|w| w.parse::<u8>().ok()) else {
            continue;
        };
        for (file, word) in ('a'..='h').zip(words) {
            let seat = match word.as_bytes()[0] {
                b'S' => "green",
                b'W' => "yellow",
                b'N' => "blue",
                b'E' => "red",
                _ => continue,
            };
            let letter = word[1..].to_ascii_uppercase();
            men.entry(seat)
                .or_default()
                .push_str(&format!("{letter}{file}{rank} "));
        }
    }
    let shelf = Shelf::builtin();
    let options: Options = options
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    let position = json!({"men": men, "turn": turn, "dice": dice});
    Table::arrange(shelf.get("chaturaji").unwrap(), &options, &position).unwrap()
}

pub fn drawn(drawing: &str, turn: &str, dice: Value) -> Table {
    drawn_with(&[], drawing, turn, dice)
}

pub const ARRAY: &str = "
8  NR NP NM .  .  .  Es ER
7  Ns Ns Ns .  .  .  Es EP
6  .  .  .  .  .  .  Es EM
5  .  .  .  .  .  .  .  .
4  .  .  .  .  .  .  .  .
3  WM Ws .  .  .  .  .  .
2  WP Ws .  .  .  Ss Ss Ss
1  WR Ws .  .  .  SM SP SR
";

pub fn board(at: &Table) -> String {
    let view = at.view(None);
    let mut text = String::from("\n");
    for rank in (0..8).rev() {
        let mut line = format!("{} ", rank + 1);
        for file in 0..8 {
            match &view.cells[rank * 8 + file] {
                Cell::Man { seat, letter, .. } => {
                    line.push(' ');
                    line.push(['S', 'W', 'N', 'E'][seat.at()]);
                    line.push(if *letter == 'S' { 's' } else { *letter });
                }
                _ => line.push_str(" . "),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

pub fn mover(at: &Table) -> Seat {
    at.asks()[0].seat
}

pub fn legal(at: &Table) -> Vec<String> {
    at.choices(mover(at), What::Turn)
}

/// Targets, promotion included, of the man on a square with that die.
pub fn to(at: &Table, die: u8, from: &str) -> String {
    let mut list: Vec<String> = legal(at)
        .iter()
        .filter_map(|t| t.strip_prefix(&format!("{die}:")))
        .filter(|t| &t[1..3] == from)
        .map(|t| t[3..].trim_start_matches('-').to_owned())
        .collect();
    list.sort();
    list.join(" ")
}

pub fn play_with(at: &Table, order: &str, dice: &[(Seat, &[u16])]) -> (Table, Vec<Happening>) {
    at.act(mover(at), order, &mut told(dice))
        .unwrap_or_else(|w| panic!("{order}: {w:?}"))
}

pub fn play(at: &Table, order: &str) -> Table {
    play_with(at, order, &[]).0
}

pub fn why(at: &Table, order: &str) -> String {
    match at.act(mover(at), order, &mut NoDice) {
        Err(Wrong::NoSuchStep { why, .. }) => why.unwrap_or_default(),
        other => panic!("{order}: {other:?}"),
    }
}

pub fn won(at: &Table, winners: [Seat; 2]) {
    let ending = Ending::win(winners, "both monarchs captured");
    assert_eq!(at.ending(), Some(ending));
    assert!(at.asks().is_empty());
}

pub fn dice_of(at: &Table) -> String {
    let notes = at.view(None).notes;
    let dice = notes.iter().filter(|n| n.1 == "Dice");
    dice.map(|(seat, _, text)| format!("{} {text}", SEATS[seat.unwrap().at()]))
        .collect::<Vec<_>>()
        .join("; ")
}

pub fn begin(dice: &[(Seat, &[u16])]) -> (Table, Vec<Happening>) {
    let shelf = Shelf::builtin();
    let book = shelf.get("chaturaji").unwrap();
    Table::begin(book, &Options::new(), &mut told(dice)).unwrap()
}
