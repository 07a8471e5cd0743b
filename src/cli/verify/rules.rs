//! `--rules`: plays a verified ledger again and asks of each line whether the game asked for it (trust.md 6, part 3).

mod cards;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::fair::ledger::{Entry, Kind};
use crate::fair::line::line_hash;
use crate::fair::verify::Report;
use crate::referee::undo::BEFORE_MAX;
use crate::rules::shelf::BUILTIN;
use crate::rules::{Dice, Ending, Happening, Options, Seat, Shelf, Table};

/// Line of the file, and what the rules say to it.
type Objection = (usize, String);

/// How a match may end otherwise than on the board, and what must stand above.
const OTHER_ENDS: [(&str, Option<Kind>); 7] = [
    ("agreed", None),
    ("resigned", None),
    ("claimed", None),
    ("time", Some(Kind::Timeout)),
    ("time over", Some(Kind::Timeout)),
    ("adjudicated", Some(Kind::Admin)),
    ("void", Some(Kind::Admin)),
];

/// Replays the ledger; answers the first thing that the rules do not allow, since nothing after it has a meaning.
pub fn replay(shelf: &Shelf, report: &Report) -> Result<(), Objection> {
    let Some(game) = &report.game else {
        return Ok(());
    };
    let book = shelf.get(&game.rules).ok_or_else(|| {
        let what = format!("the rules `{}` are not known here", game.rules);
        (1, what)
    })?;
    let text = BUILTIN.iter().find(|(id, _)| *id == book.id);
    if let (Some(kept), Some((_, text))) = (&game.book, text)
        && *kept != line_hash(text)
    {
        return Err((
            1,
            "played by another text of the rules than this program has".to_owned(),
        ));
    }
    if book.seats.len() != game.seats as usize {
        let what = format!("`{}` has {} seats", book.id, book.seats.len());
        return Err((1, what));
    }
    let mut options = Options::new();
    for pair in game.options.iter().flat_map(|o| o.split(',')) {
        let (key, value) = pair
            .split_once(':')
            .ok_or_else(|| (1, format!("`opt={pair}` is no option")))?;
        options.insert(key.to_owned(), value.to_owned());
    }
    let open = report.entries.iter().filter(|(_, e)| e.kind == Kind::Open);
    let mut again = Again {
        entries: &report.entries,
        cards: open
            .filter_map(|(_, e)| Some((slot(e)?, e.get("card")?.to_owned())))
            .collect(),
        table: None,
        opening: 0,
        ended: false,
        past: Vec::new(),
    };
    let mut at = 0;
    while at < again.entries.len() {
        let line = again.entries[at].0;
        at = again.one(at, book, &options).map_err(|what| (line, what))?;
    }
    let over = again.table.as_ref().and_then(Table::ending);
    match (over, again.entries.last()) {
        (Some(ending), Some((line, _))) if !again.ended => Err((
            *line,
            format!(
                "the game is over here ({}), and no `end` follows",
                ending.reason
            ),
        )),
        _ => Ok(()),
    }
}

/// Is this the entry that an end for that reason needs? Of the Keeper's deeds only the one that ends a match is.
fn says(e: &Entry, kind: Kind, reason: &str) -> bool {
    let act = match reason {
        "adjudicated" => "adjudicate",
        word => word,
    };
    e.kind == kind && (kind != Kind::Admin || e.get("act") == Some(act))
}

/// Turn and seat of a card.
fn slot(e: &Entry) -> Option<(u64, u64)> {
    Some((e.num("t")?, e.num("seat")?))
}

struct Again<'a> {
    entries: &'a [(usize, Entry)],
    cards: BTreeMap<(u64, u64), String>,
    table: Option<Table>,
    /// Rolls before the first turn.
    opening: u32,
    ended: bool,
    /// The board before each move, with who made it: for a move that was taken back.
    past: Vec<(Seat, Table)>,
}

impl Again<'_> {
    /// Plays one line; answers the index of the next that is not played yet.
    fn one(
        &mut self,
        at: usize,
        book: &Arc<crate::rules::Rulebook>,
        options: &Options,
    ) -> Result<usize, String> {
        let e = &self.entries[at].1;
        match e.kind {
            Kind::Start => self.acted(at, |dice| {
                Table::begin(book, options, dice).map_err(|e| e.to_string())
            }),
            Kind::Move => {
                self.in_turn(e)?;
                self.by_whom(at)?;
                let table = self.begun()?.clone();
                let text = e.text("text").unwrap_or_default();
                let seat = seat_of(e)?;
                self.past.push((seat, table.clone()));
                let spare = self.past.len().saturating_sub(BEFORE_MAX);
                self.past.drain(..spare);
                self.acted(at, |dice| {
                    table
                        .act(seat, &text, dice)
                        .map_err(|wrong| format!("`{text}` cannot be played: {wrong}"))
                })
            }
            Kind::Result => {
                self.in_turn(e)?;
                self.compared(at)
            }
            Kind::Seal => self.laid_down(at).map(|()| at + 1),
            Kind::Roll if e.get("for") == Some("card") => Ok(at + 1),
            Kind::Roll => Err("the rules ask for no roll here".to_owned()),
            Kind::Pass => Err("nobody is passed over here".to_owned()),
            Kind::End => self.over(at).map(|()| at + 1),
            Kind::Admin if e.get("act") == Some("undo") => {
                self.taken_back(seat_of(e)?).map(|()| at + 1)
            }
            _ => Ok(at + 1),
        }
    }

    /// The orders of the seat's last turn, and what followed, as far back as nobody has seen a die or a card since.
    fn taken_back(&mut self, seat: Seat) -> Result<(), String> {
        let of = |(by, before): &(Seat, Table)| (*by == seat).then(|| before.turn_no());
        let turn = self.past.iter().rev().find_map(of);
        let first = self
            .past
            .iter()
            .position(|p| turn.is_some() && of(p) == turn);
        let Some(first) = first else {
            return Err("there is no move of this seat that can be taken back".to_owned());
        };
        self.table = Some(self.past[first].1.clone());
        self.past.truncate(first);
        Ok(())
    }

    fn begun(&self) -> Result<&Table, String> {
        self.table
            .as_ref()
            .ok_or_else(|| "the match has not begun".to_owned())
    }

    /// The turn under way, as the ledger counts.
    fn turn(&self) -> u64 {
        let turn = self.table.as_ref().map_or(0, Table::turn_no);
        u64::from(self.opening) + u64::from(turn)
    }

    fn in_turn(&self, e: &Entry) -> Result<(), String> {
        match e.num("t") {
            Some(t) if t == self.turn() => Ok(()),
            _ => Err(format!("turn {} is under way", self.turn())),
        }
    }

    /// A move that the deadline or the Keeper made needs the line that says so.
    fn by_whom(&self, at: usize) -> Result<(), String> {
        let e = &self.entries[at].1;
        let needs = match e.get("by") {
            Some("deadline") => Kind::Timeout,
            Some("master") => Kind::Admin,
            _ => return Ok(()),
        };
        let above = self.entries[..at]
            .iter()
            .any(|(_, x)| x.kind == needs && (needs == Kind::Admin || slot(x) == slot(e)));
        if above {
            Ok(())
        } else {
            Err(format!(
                "no `{}` entry above allows this move",
                needs.word()
            ))
        }
    }

    /// Acts with the dice of the lines that follow, then demands that just those lines follow.
    fn acted(
        &mut self,
        at: usize,
        act: impl FnOnce(&mut dyn Dice) -> Result<(Table, Vec<Happening>), String>,
    ) -> Result<usize, String> {
        let mut dice = Told {
            entries: self.entries,
            at: at + 1,
            opening: self.opening,
            dice: Vec::new(),
            slots: Vec::new(),
            wrong: None,
        };
        let (table, happened) = act(&mut dice)?;
        dice.finished();
        if let Some(wrong) = dice.wrong {
            return Err(wrong);
        }
        let slots = dice.slots;
        // what fell cannot be unseen, nor can a card below
        if !slots.is_empty() {
            self.past.clear();
        }
        self.opening = dice.opening;
        self.table = Some(table);
        self.follow(at + 1, &happened, &slots)
    }

    /// Rolls and passes that the act brought about stand behind it, each in its place.
    fn follow(
        &self,
        mut at: usize,
        happened: &[Happening],
        slots: &[u64],
    ) -> Result<usize, String> {
        let mut slots = slots.iter();
        let mut passes = happened
            .iter()
            .filter(|h| matches!(h, Happening::Passed { .. }))
            .count() as u64;
        for h in happened {
            let e = self.entries.get(at).map(|(_, e)| e);
            match h {
                Happening::Rolled { seat, .. } => {
                    let t = slots.next().copied().unwrap_or_default();
                    let purpose = if t <= u64::from(self.opening) {
                        "opening"
                    } else {
                        "turn"
                    };
                    let roll = e.filter(|e| e.kind == Kind::Roll && e.num("t") == Some(t));
                    let roll =
                        roll.ok_or_else(|| format!("the roll of turn {t} is missing behind this"))?;
                    if roll.get("for").is_some_and(|f| f != purpose) {
                        return Err(format!("the roll of turn {t} is for the {purpose}"));
                    }
                    if purpose == "turn"
                        && roll.get("seat").is_some_and(|_| seat_of(roll) != Ok(*seat))
                    {
                        return Err(format!(
                            "the roll of turn {t} belongs to seat {}",
                            seat.at() + 1
                        ));
                    }
                    at += 1;
                }
                Happening::Passed { seat } => {
                    let t = self.turn() - passes.min(self.turn());
                    passes -= 1;
                    let fits = |e: &&Entry| {
                        e.kind == Kind::Pass && e.num("t") == Some(t) && seat_of(e) == Ok(*seat)
                    };
                    e.filter(fits).ok_or_else(|| {
                        format!(
                            "seat {} is passed over in turn {t}; the entry is missing",
                            seat.at() + 1
                        )
                    })?;
                    at += 1;
                }
                _ => {}
            }
        }
        Ok(at)
    }

    fn over(&mut self, at: usize) -> Result<(), String> {
        let e = &self.entries[at].1;
        self.ended = true;
        let reason = e.text("reason").unwrap_or_default();
        let Some(table) = &self.table else {
            return Ok(());
        };
        if let Some(ending) = table.ending() {
            let (winner, due) = (e.get("winner").unwrap_or_default(), winners(&ending));
            return if winner == due && reason == ending.reason {
                Ok(())
            } else {
                Err(format!(
                    "by the rules the winner is {due} ({})",
                    ending.reason
                ))
            };
        }
        let claim = table.draw_claim();
        let known = OTHER_ENDS.iter().find(|(word, _)| *word == reason);
        match known {
            Some((_, Some(needs)))
                if !self.entries[..at]
                    .iter()
                    .any(|(_, x)| says(x, *needs, &reason)) =>
            {
                Err(format!(
                    "`{reason}`, and no `{}` entry above says so",
                    needs.word()
                ))
            }
            Some(_) => Ok(()),
            None if claim.as_ref() == Some(&reason) => Ok(()),
            None => Err(format!(
                "by the rules the game is not over: `{reason}` is not so here"
            )),
        }
    }
}

/// Winners as a ledger writes them.
fn winners(ending: &Ending) -> String {
    if ending.winners.is_empty() {
        return "none".to_owned();
    }
    let all: Vec<String> = ending
        .winners
        .iter()
        .map(|s| (s.at() + 1).to_string())
        .collect();
    all.join(",")
}

fn seat_of(e: &Entry) -> Result<Seat, String> {
    let seat = e.num("seat").and_then(|s| u8::try_from(s).ok());
    seat.and_then(|s| s.checked_sub(1))
        .map(Seat)
        .ok_or_else(|| "there is no such seat".to_owned())
}

/// Dice read back from the roll lines behind an act.
struct Told<'a> {
    entries: &'a [(usize, Entry)],
    at: usize,
    opening: u32,
    dice: Vec<(u64, u64)>,
    slots: Vec<u64>,
    wrong: Option<String>,
}

impl Told<'_> {
    fn finished(&mut self) {
        if !self.dice.is_empty() {
            let t = self.slots.last().copied().unwrap_or_default();
            self.object(format!(
                "the roll of turn {t} has more dice than the rules ask for"
            ));
        }
    }
    fn object(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }
}

impl Dice for Told<'_> {
    fn slot(&mut self, turn: u32, roll: u32) {
        self.finished();
        if turn == 0 {
            self.opening = self.opening.max(roll + 1);
        }
        let t = u64::from(if turn == 0 {
            roll + 1
        } else {
            self.opening + turn
        });
        self.slots.push(t);
        self.dice.clear();
        while self
            .entries
            .get(self.at)
            .is_some_and(|(_, e)| e.kind == Kind::Pass)
        {
            self.at += 1;
        }
        let line = self.entries.get(self.at).map(|(_, e)| e);
        let fits =
            |e: &&Entry| e.kind == Kind::Roll && e.num("t") == Some(t) && e.num("j") == Some(0);
        let Some(line) = line.filter(fits) else {
            self.object(format!("the roll of turn {t} is missing behind this"));
            return;
        };
        self.at += 1;
        let numbers = |key: &str| -> Vec<u64> {
            let text = line.text(key).unwrap_or_default();
            text.split(',').filter_map(|n| n.parse().ok()).collect()
        };
        self.dice = numbers("dice")
            .into_iter()
            .zip(numbers("got"))
            .rev()
            .collect();
    }

    fn roll(&mut self, _of: Seat, sides: u16) -> u16 {
        let t = self.slots.last().copied().unwrap_or_default();
        match self.dice.pop() {
            Some((of, fell)) if of == u64::from(sides) => u16::try_from(fell).unwrap_or(1),
            Some((of, _)) => {
                self.object(format!("turn {t} rolls dice of {sides} sides, not of {of}"));
                1
            }
            None => {
                self.object(format!(
                    "the roll of turn {t} has fewer dice than the rules ask for"
                ));
                1
            }
        }
    }
}
