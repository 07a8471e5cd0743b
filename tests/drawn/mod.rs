//! Positions of Hydra-Vari Chess drawn in tests.
//!
//! A board shows the ranks that hold anything; `*` marks an uncastled unit.

#![allow(dead_code)]

use std::collections::BTreeMap;

use serde_json::json;
use tulpa::rules::{NoDice, Options, Seat, Shelf, Table, Wrong};

pub struct Drawn {
    pub game: &'static str,
    pub turn: &'static str,
    pub hands: &'static str,
    pub moves: u16,
    pub options: &'static str,
    /// The jumped squares and, last, the pawn that jumped.
    pub jumped: &'static str,
}

impl Drawn {
    pub fn new(game: &'static str) -> Drawn {
        Drawn {
            game,
            turn: "white",
            hands: "",
            moves: 20,
            options: "",
            jumped: "",
        }
    }
    pub fn table(&self, drawing: &str) -> Table {
        let mut rows = vec!["16".to_owned(); 16];
        for line in drawing.lines() {
            let mut words = line.split_whitespace();
            if let Some(rank) = words.next().and_then(|w| w.parse::<usize>().ok()) {
                rows[16 - rank] = words.map(|w| w.replace('.', "1")).collect();
            }
        }
        self.arrange(&rows)
    }
    /// The same from a list: `Ka1 Rb1* ko16`.
    pub fn men(&self, men: &str) -> Table {
        let mut cells = vec![vec!["1".to_owned(); 16]; 16];
        for man in men.split_whitespace() {
            let (bare, star) = man.strip_suffix('*').map_or((man, ""), |m| (m, "*"));
            let file = bare.as_bytes()[1] - b'a';
            let rank: usize = bare[2..].parse().unwrap();
            cells[16 - rank][usize::from(file)] = format!("{}{star}", &bare[..1]);
        }
        let rows: Vec<String> = cells.iter().map(|row| row.concat()).collect();
        self.arrange(&rows)
    }
    fn arrange(&self, rows: &[String]) -> Table {
        // a run of single vacant squares is written as one number
        let rows: Vec<String> = rows.iter().map(|r| runs(r)).collect();
        let mut hands: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        let mut words = self.hands.split_whitespace();
        if let Some(seat) = words.next() {
            let hand = words.map(|w| (w[..1].to_owned(), w[1..].parse().unwrap()));
            hands.insert(seat.to_owned(), hand.collect());
        }
        let jumped = self.jumped.rsplit_once(' ').map(
            |(over, pawn)| json!({"squares": over.split(' ').collect::<Vec<_>>(), "pawn": pawn}),
        );
        let position = json!({
            "board": rows.join("/"), "hands": hands, "turn": self.turn, "jumped": jumped,
            "moves": {"white": self.moves, "black": self.moves},
        });
        let options: Options = self
            .options
            .split_once('=')
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .into_iter()
            .collect();
        let shelf = Shelf::builtin();
        Table::arrange(shelf.get(self.game).unwrap(), &options, &position).unwrap()
    }
}

pub fn runs(row: &str) -> String {
    if row == "16" {
        return row.to_owned();
    }
    let mut text = String::new();
    let mut vacant = 0;
    for c in row.chars() {
        if c == '1' {
            vacant += 1;
            continue;
        }
        if vacant > 0 {
            text.push_str(&std::mem::take(&mut vacant).to_string());
        }
        text.push(c);
    }
    if vacant > 0 {
        text.push_str(&vacant.to_string());
    }
    text
}

pub fn mover(at: &Table) -> Seat {
    at.asks()[0].seat
}
pub fn all(at: &Table) -> Vec<String> {
    at.next(mover(at), &[]).unwrap().steps
}
pub fn of(at: &Table, start: &str) -> Vec<String> {
    all(at)
        .into_iter()
        .filter(|t| t.starts_with(start))
        .collect()
}
pub fn play(at: &Table, text: &str) -> Table {
    at.act(mover(at), text, &mut NoDice)
        .unwrap_or_else(|w| panic!("{text}: {w:?}"))
        .0
}
/// Plays several steps, `e2-e4, e7-e5`.
pub fn line(at: &Table, texts: &str) -> Table {
    texts
        .split(", ")
        .fold(at.clone(), |at, text| play(&at, text))
}
pub fn has(at: &Table, text: &str) -> bool {
    all(at).iter().any(|t| t == text)
}
pub fn why(at: &Table, text: &str) -> String {
    match at.act(mover(at), text, &mut NoDice) {
        Err(Wrong::NoSuchStep { why: Some(why), .. }) => why,
        other => panic!("{text}: {other:?}"),
    }
}
pub fn note(at: &Table, seat: u8, label: &str) -> String {
    at.view(None)
        .notes
        .into_iter()
        .find(|(s, l, _)| *s == Some(Seat(seat)) && l == label)
        .map_or_else(String::new, |n| n.2)
}
pub fn men(at: &Table) -> String {
    let mut men: Vec<String> = Vec::new();
    for (i, cell) in at.view(None).cells.iter().enumerate() {
        if let tulpa::rules::Cell::Man { seat, letter, .. } = cell {
            let letter = if seat.0 == 1 {
                letter.to_ascii_lowercase()
            } else {
                *letter
            };
            men.push(format!("{letter}{}", at.kit().name(i as u16)));
        }
    }
    men.join(" ")
}
pub fn outcome(at: &Table) -> String {
    let ending = at.ending().expect("the game is over");
    let winners: Vec<&str> = ending
        .winners
        .iter()
        .map(|s| at.book().seat_name(*s))
        .collect();
    format!("{}: {}", winners.join(" "), ending.reason)
}
/// Landing squares of the castlings of one pair.
pub fn landings(castlings: &[String], royal: &str, rook: &str) -> String {
    let found: Vec<String> = castlings
        .iter()
        .filter_map(|t| {
            let (a, b) = t.strip_prefix(royal)?.split_once(rook)?;
            Some(format!("{a}{b}"))
        })
        .collect();
    found.join(" ")
}

pub fn start(game: &str) -> Table {
    let shelf = Shelf::builtin();
    Table::begin(shelf.get(game).unwrap(), &Options::new(), &mut NoDice)
        .unwrap()
        .0
}
