//! Boards of the Maces games drawn in tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use serde_json::{Value, json};
use tulpa::rules::{Cell, Ending, Happening, NoDice, Options, Seat, Shelf, Table, Wrong};

pub const WHITE: Seat = Seat(0);
pub const BLACK: Seat = Seat(1);

/// The worked example T2: White's Horse-apult can throw a Mace before the King.
pub const T2: &str = "
    . . . . . . k . . .
    . . . . . . . m . .
    . . . . . . . . . .
    . q n p . . . H . .
    . . M . . . . M . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . K . . . . .";
/// A drawn board, rank 10 first, files a to j; capitals are White's.
pub fn rows(drawn: &str) -> String {
    drawn
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(|line| {
            line.split_whitespace()
                .map(|c| if c == "." { "1" } else { c })
                .collect::<String>()
        })
        .map(|row| {
            // `11` would read as eleven vacant squares
            let mut out = String::new();
            let mut run = 0;
            for c in row.chars() {
                if c == '1' {
                    run += 1;
                    continue;
                }
                if run > 0 {
                    out.push_str(&run.to_string());
                }
                run = 0;
                out.push(c);
            }
            if run > 0 {
                out.push_str(&run.to_string());
            }
            out
        })
        .collect::<Vec<_>>()
        .join("/")
}

pub fn arranged(game: &str, position: &Value) -> Table {
    let shelf = Shelf::builtin();
    let book = shelf.get(game).expect("the game is there");
    Table::arrange(book, &Options::new(), position).expect("the position makes sense")
}

pub fn board(game: &str, turn: &str, drawn: &str) -> Table {
    arranged(game, &json!({"board": rows(drawn), "turn": turn}))
}

pub fn start(game: &str) -> Table {
    let shelf = Shelf::builtin();
    let book = shelf.get(game).expect("the game is there");
    Table::begin(book, &Options::new(), &mut NoDice)
        .expect("the array makes sense")
        .0
}

pub fn mover(t: &Table) -> Seat {
    t.asks().first().expect("somebody is asked").seat
}

/// Plays an order of the side to move.
pub fn play(t: &Table, order: &str) -> Table {
    match t.act(mover(t), order, &mut NoDice) {
        Ok((next, _)) => next,
        Err(e) => panic!("`{order}`: {e:?}"),
    }
}

pub fn refused(t: &Table, order: &str) -> Wrong {
    match t.act(mover(t), order, &mut NoDice) {
        Ok((_, happened)) => panic!("`{order}` was played: {happened:?}"),
        Err(e) => e,
    }
}

/// The reason in the game's terms.
pub fn why(t: &Table, order: &str) -> String {
    match refused(t, order) {
        Wrong::NoSuchStep { why: Some(why), .. } => why,
        other => panic!("`{order}`: {other:?}"),
    }
}

/// Steps that may follow, out of all those that start with `with`.
pub fn next(t: &Table, so_far: &[&str], with: &str) -> Vec<String> {
    let next = t.next(mover(t), so_far).expect("these steps are legal");
    next.steps
        .into_iter()
        .filter(|s| s.starts_with(with))
        .collect()
}

/// What stands on a square: the letter, small for Black; `.` for nobody.
pub fn on(t: &Table, name: &str) -> char {
    let view = t.view(None);
    let sq = t.kit().square(name).expect("a square");
    match view.cells.get(usize::from(sq)) {
        Some(Cell::Man { seat, letter, .. }) if *seat == WHITE => *letter,
        Some(Cell::Man { letter, .. }) => letter.to_ascii_lowercase(),
        _ => '.',
    }
}

pub fn won(t: &Table, seat: Seat) -> bool {
    t.ending() == Some(Ending::win([seat], "king captured"))
}

pub fn pick(t: &Table, cards: [&str; 2]) -> (Table, Vec<Happening>) {
    let (t, mut out) = t
        .act(WHITE, &format!("pick {}", cards[0]), &mut NoDice)
        .expect("white's card");
    let (t, more) = t
        .act(BLACK, &format!("pick {}", cards[1]), &mut NoDice)
        .expect("black's card");
    out.extend(more);
    (t, out)
}

pub fn to_come(t: &Table, seat: Seat) -> String {
    let view = t.view(Some(WHITE));
    view.notes
        .into_iter()
        .find(|(s, ..)| *s == Some(seat))
        .map(|(_, _, text)| text)
        .expect("a note")
}
/// A board that shows only the ranks named, as `6 . . . m`; the rest is vacant.
pub fn sketch(game: &str, turn: &str, ranks: &str) -> Table {
    let mut lines = [". . . . . . . . . ."; 10];
    for line in ranks.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (rank, men) = line.split_once(' ').expect("a rank and its men");
        lines[10 - rank.parse::<usize>().expect("a rank")] = men;
    }
    board(game, turn, &lines.join("\n"))
}

/// Is this text among the steps that may come next?
pub fn may(t: &Table, step: &str) -> bool {
    next(t, &[], "").iter().any(|s| s == step)
}
