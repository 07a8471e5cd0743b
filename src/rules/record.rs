//! Record files: a game as JSON Lines, for exchange and for tests (notation page).
//!
//! [`replay`] holds a record against the rules, figure by figure; [`Writer`] makes one of a match.

mod write;

pub use write::Writer;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::play::{Dice, Happening, Options, Seat, What, Wrong};
use super::shelf::Shelf;
use super::table::Table;

/// Largest record, bytes.
pub const RECORD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Endings that the players or the Keeper make, which no position shows.
const BY_PEOPLE: [&str; 3] = ["resigned", "time", "adjudicated"];

/// The first difference between a record and the rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct RecordError {
    /// Line, from 1.
    pub line: usize,
    /// What differs.
    pub what: String,
}

#[derive(Deserialize)]
struct Header {
    game: String,
    array: Option<Value>,
    #[serde(default)]
    options: BTreeMap<String, Value>,
    position: Option<Value>,
    /// Options may stand beside the id: `{"game":"tulpas","reveal":"outcome"}`.
    #[serde(flatten)]
    beside: BTreeMap<String, Value>,
}

impl Header {
    /// The options chosen, the array among them.
    fn options(&mut self) -> Result<Options, String> {
        let mut options = Options::new();
        let given = std::mem::take(&mut self.options).into_iter();
        for (key, value) in given.chain(std::mem::take(&mut self.beside)) {
            let value = match value {
                Value::String(text) => text,
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                _ => return Err(format!("option `{key}` is a word")),
            };
            options.insert(key, value);
        }
        match self.array.take() {
            None | Some(Value::Null) => {}
            Some(Value::String(name)) => {
                options.insert("array".to_owned(), name);
            }
            Some(Value::Array(rows)) => {
                let rows: Option<Vec<&str>> = rows.iter().map(Value::as_str).collect();
                let rows = rows.ok_or("`array` is a name or rows")?;
                options.insert("array".to_owned(), rows.join("/"));
            }
            Some(_) => return Err("`array` is a name or rows".to_owned()),
        }
        Ok(options)
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Line {
    seat: Option<String>,
    cards: Option<Vec<String>>,
    /// In place of `cards` where nobody may tell them: what came of them, if anything.
    #[serde(default, deserialize_with = "told")]
    created: Option<Option<String>>,
    place: Option<String>,
    steps: Option<Vec<String>>,
    legal: Option<Vec<usize>>,
    illegal: Option<Vec<String>>,
    start: Option<bool>,
    roll: Option<BTreeMap<String, Vec<u16>>>,
    exchange: Option<String>,
    pass: Option<bool>,
    outcome: Option<Outcome>,
}

/// `null` is told too, unlike a key that is not there.
fn told<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    winner: Vec<String>,
    reason: String,
}

/// Dice read back from a record. An army whose next roll the record does not tell gets 1.
struct Recorded {
    rolls: BTreeMap<Seat, std::collections::VecDeque<u16>>,
}

impl Dice for Recorded {
    fn roll(&mut self, of: Seat, _sides: u16) -> u16 {
        self.rolls
            .get_mut(&of)
            .and_then(std::collections::VecDeque::pop_front)
            .unwrap_or(1)
    }
}

/// Header of a record as a table ready to play, dice of the opening included.
struct Replay {
    table: Table,
    lines: Vec<(usize, Line)>,
    at: usize,
    /// Happenings that the referee caused and the record must tell: rolls, passes, placements.
    pending: std::collections::VecDeque<Happening>,
    /// The outcome is told: nothing may follow.
    closed: bool,
}

fn fail(line: usize, what: impl Into<String>) -> RecordError {
    RecordError {
        line,
        what: what.into(),
    }
}

/// Replays a record and checks every figure in it; answers the table at its end.
///
/// # Errors
/// The line and the first difference.
pub fn replay(shelf: &Shelf, text: &str) -> Result<Table, RecordError> {
    positions(shelf, text, |_, _| {})
}

/// As [`replay`]; `each` sees the table at the start (line 1, the header) and after every line.
///
/// # Errors
/// The line and the first difference.
pub fn positions(
    shelf: &Shelf,
    text: &str,
    mut each: impl FnMut(usize, &Table),
) -> Result<Table, RecordError> {
    let mut replay = Replay::open(shelf, text)?;
    each(1, &replay.table);
    while let Some((no, _)) = replay.lines.get(replay.at) {
        let no = *no;
        replay.line()?;
        each(no, &replay.table);
    }
    Ok(replay.table)
}

impl Replay {
    fn open(shelf: &Shelf, text: &str) -> Result<Replay, RecordError> {
        if text.len() > RECORD_BYTES_MAX {
            return Err(fail(1, "the record is too large"));
        }
        let mut rows = text
            .lines()
            .enumerate()
            .map(|(i, l)| (i + 1, l.trim()))
            .filter(|(_, l)| !l.is_empty());
        let (no, first) = rows.next().ok_or_else(|| fail(1, "an empty record"))?;
        let mut header: Header =
            serde_json::from_str(first).map_err(|e| fail(no, format!("header: {e}")))?;
        let book = shelf.get(&header.game).ok_or_else(|| {
            let hint = shelf
                .nearest(&header.game)
                .map(|n| format!("; did you mean `{n}`?"))
                .unwrap_or_default();
            fail(no, format!("there is no game `{}`{hint}", header.game))
        })?;
        let options = header.options().map_err(|e| fail(no, e))?;
        let mut lines = Vec::new();
        for (no, row) in rows {
            let line: Line = serde_json::from_str(row).map_err(|e| fail(no, e.to_string()))?;
            lines.push((no, line));
        }
        let mut pending = Vec::new();
        let table = match &header.position {
            Some(position) => Table::arrange(book, &options, position),
            None => {
                let mut dice = Recorded {
                    rolls: opening(book, &lines),
                };
                Table::begin(book, &options, &mut dice).map(|(t, happened)| {
                    pending = happened;
                    t
                })
            }
        }
        .map_err(|e| fail(no, e.to_string()))?;
        let mut replay = Replay {
            table,
            lines,
            at: 0,
            pending: Default::default(),
            closed: false,
        };
        replay.expect(pending, true);
        Ok(replay)
    }

    /// Queues what the record must tell next. The opening roll is not recorded.
    fn expect(&mut self, happened: Vec<Happening>, opening: bool) {
        for h in happened {
            match h {
                Happening::Rolled { .. } if opening => {}
                Happening::Rolled { .. }
                | Happening::Passed { .. }
                | Happening::Certain { .. }
                | Happening::NoRoom { .. }
                | Happening::Placed { forced: true, .. } => self.pending.push_back(h),
                _ => {}
            }
        }
    }

    fn line(&mut self) -> Result<(), RecordError> {
        let at = self.at;
        self.at += 1;
        let (no, line) = {
            let (no, line) = &mut self.lines[at];
            (*no, std::mem::take(line))
        };
        if line.cards.is_none() && line.created.is_none() {
            // the certain fifth card and a match without room have no line of their own
            while let Some(Happening::Certain { .. } | Happening::NoRoom { .. }) =
                self.pending.front()
            {
                self.pending.pop_front();
            }
        }
        if self.closed {
            return Err(fail(no, "the record goes on behind its outcome"));
        }
        if let Some(outcome) = &line.outcome {
            self.closed = true;
            return self.outcome(no, outcome);
        }
        let name = line
            .seat
            .as_deref()
            .ok_or_else(|| fail(no, "a line needs a `seat` or an `outcome`"))?;
        let seat = self
            .table
            .book()
            .seat_named(name)
            .ok_or_else(|| fail(no, format!("there is no seat `{name}`")))?;
        if let Some(roll) = &line.roll {
            return self.rolled(no, seat, roll);
        }
        if line.pass == Some(true) {
            return match self.pending.pop_front() {
                Some(Happening::Passed { seat: who }) if who == seat => Ok(()),
                _ => Err(fail(no, format!("{name} is not passed over here"))),
            };
        }
        if let Some(cards) = &line.cards {
            return self.cards(no, seat, cards);
        }
        if let Some(created) = &line.created {
            let cards = self.any_cards(no, seat, created.as_deref())?;
            return self.cards(no, seat, &cards);
        }
        if let Some(place) = &line.place {
            if let Some(Happening::Placed { text, .. }) = self.pending.front()
                && text == place
            {
                self.pending.pop_front();
                return Ok(());
            }
            return self.act(no, seat, place);
        }
        if line.start == Some(true) {
            let team = self.table.kit().teams.clone();
            let asked = self
                .table
                .asks()
                .into_iter()
                .find(|a| a.what == What::Start && team.get(a.seat.at()) == team.get(seat.at()))
                .ok_or_else(|| fail(no, format!("{name}'s team does not start")))?;
            return self.act(no, asked.seat, &format!("start {name}"));
        }
        if let Some(choice) = &line.exchange {
            return self.act(no, seat, &format!("exchange {choice}"));
        }
        if let Some(steps) = &line.steps {
            return self.steps(no, seat, steps, &line);
        }
        Err(fail(no, "nothing that a record line can hold"))
    }

    fn outcome(&mut self, no: usize, outcome: &Outcome) -> Result<(), RecordError> {
        let Some(ending) = self.table.ending() else {
            return self.settled(no, outcome);
        };
        let book = self.table.book();
        let winners: Vec<&str> = ending.winners.iter().map(|s| book.seat_name(*s)).collect();
        let mut given: Vec<&str> = outcome.winner.iter().map(String::as_str).collect();
        let mut have = winners.clone();
        have.sort_unstable();
        given.sort_unstable();
        if have != given || ending.reason != outcome.reason {
            return Err(fail(
                no,
                format!(
                    "outcome here is {winners:?} by `{}`, the record says {:?} by `{}`",
                    ending.reason, outcome.winner, outcome.reason
                ),
            ));
        }
        Ok(())
    }

    /// An outcome that players brought about and no rule: agreed, resigned, a draw claimed.
    fn settled(&self, no: usize, outcome: &Outcome) -> Result<(), RecordError> {
        let book = self.table.book();
        let teams = &self.table.kit().teams;
        let mut winners = Vec::new();
        for name in &outcome.winner {
            let seat = book
                .seat_named(name)
                .ok_or_else(|| fail(no, format!("there is no seat `{name}`")))?;
            winners.push(seat.at());
        }
        let fits = match outcome.reason.as_str() {
            "agreed" => winners.is_empty(),
            "adjudicated" | "time" if winners.is_empty() => true,
            // a whole team, and not everybody
            reason if BY_PEOPLE.contains(&reason) => winners.first().is_some_and(|first| {
                let team = |seat: usize| teams.get(seat) == teams.get(*first);
                (0..teams.len()).all(|seat| team(seat) == winners.contains(&seat))
                    && winners.len() < teams.len()
            }),
            reason => winners.is_empty() && self.table.draw_claim().as_deref() == Some(reason),
        };
        if fits {
            Ok(())
        } else {
            Err(fail(
                no,
                format!(
                    "the game is not over here, the record says {:?} by `{}`",
                    outcome.winner, outcome.reason
                ),
            ))
        }
    }

    fn rolled(
        &mut self,
        no: usize,
        seat: Seat,
        roll: &BTreeMap<String, Vec<u16>>,
    ) -> Result<(), RecordError> {
        let book = self.table.book();
        match self.pending.pop_front() {
            Some(Happening::Rolled { seat: who, dice }) if who == seat => {
                let have: BTreeMap<String, Vec<u16>> = dice
                    .into_iter()
                    .map(|(s, d)| (book.seat_name(s).to_owned(), d))
                    .collect();
                if have == *roll {
                    Ok(())
                } else {
                    Err(fail(no, format!("the roll here is for {have:?}")))
                }
            }
            _ => Err(fail(no, "nothing is rolled here")),
        }
    }

    fn cards(&mut self, no: usize, seat: Seat, cards: &[String]) -> Result<(), RecordError> {
        if let Some(Happening::Certain { seat: who, card }) = self.pending.front() {
            return if *who == seat && cards.iter().all(|c| c == card) {
                self.pending.pop_front();
                Ok(())
            } else {
                Err(fail(no, format!("only `{card}` is left")))
            };
        }
        if cards.len() != self.table.book().seats.len() {
            return Err(fail(no, "`cards` holds one card of each seat"));
        }
        // white's card first, then black's, whoever moves
        for (i, card) in cards.iter().enumerate() {
            self.act(no, Seat(i as u8), &format!("pick {card}"))?;
        }
        Ok(())
    }

    /// Cards of which that comes: which they were does not matter on the board.
    fn any_cards(
        &self,
        no: usize,
        seat: Seat,
        created: Option<&str>,
    ) -> Result<[String; 2], RecordError> {
        if let Some(card) = created {
            return Ok([card.to_owned(), card.to_owned()]);
        }
        let left = self.table.choices(seat, What::Pick);
        let mut left = left.iter().map(|c| c.trim_start_matches("pick "));
        match (left.next(), left.next()) {
            (Some(one), Some(other)) => Ok([one.to_owned(), other.to_owned()]),
            _ => Err(fail(no, "no cards are compared here")),
        }
    }

    fn steps(
        &mut self,
        no: usize,
        seat: Seat,
        steps: &[String],
        line: &Line,
    ) -> Result<(), RecordError> {
        if let Some(h) = self.pending.front() {
            return Err(fail(no, format!("the record leaves out {h:?}")));
        }
        if let Some(figures) = &line.legal {
            if figures.len() != steps.len() {
                return Err(fail(
                    no,
                    format!("{} figures for {} steps", figures.len(), steps.len()),
                ));
            }
            let mut so_far: Vec<&str> = Vec::new();
            for (i, step) in steps.iter().enumerate() {
                let next = self
                    .table
                    .next(seat, &so_far)
                    .map_err(|w| fail(no, format!("step {}: {w}", i + 1)))?;
                let (have, said) = (next.steps.len(), figures.get(i).copied().unwrap_or(0));
                if have != said {
                    return Err(fail(
                        no,
                        format!(
                            "{have} legal steps before step {}, the record says {said}",
                            i + 1
                        ),
                    ));
                }
                if step != "end" && !next.steps.contains(step) {
                    return Err(fail(no, format!("`{step}` is not legal here")));
                }
                so_far.push(step);
            }
        }
        for text in line.illegal.iter().flatten() {
            let next = self
                .table
                .next(seat, &[])
                .map_err(|w| fail(no, w.to_string()))?;
            if next.steps.contains(text) {
                return Err(fail(no, format!("`{text}` is legal here")));
            }
            // A record's texts are canonical: what is only read as another text is refused as this one.
            if let Ok((_, happened)) = self.table.act(seat, text, &mut super::play::NoDice)
                && played(&happened).is_some_and(|(steps, forced)| {
                    steps[..steps.len() - forced].join("; ") == *text
                })
            {
                return Err(fail(no, format!("`{text}` was played: {happened:?}")));
            }
        }
        self.act(no, seat, &steps.join("; "))
    }

    fn act(&mut self, no: usize, seat: Seat, order: &str) -> Result<(), RecordError> {
        let mut dice = Recorded {
            rolls: ahead(&self.table, &self.lines[self.at..]),
        };
        let (table, happened) = self
            .table
            .act(seat, order, &mut dice)
            .map_err(|w| fail(no, describe(order, &w)))?;
        if let Some((steps, forced)) = played(&happened) {
            if forced > 0 {
                let left_out = &steps[steps.len() - forced..];
                return Err(fail(no, format!("the record leaves out {left_out:?}")));
            }
            let told = super::notation::split_turn(order).len();
            if steps.len() < told {
                return Err(fail(
                    no,
                    format!("the turn was over after {} of {told} steps", steps.len()),
                ));
            }
        }
        self.table = table;
        self.expect(happened, false);
        Ok(())
    }
}

/// The steps of a turn among what happened, and how many of them the referee played.
fn played(happened: &[Happening]) -> Option<(&[String], usize)> {
    happened.iter().find_map(|h| match h {
        Happening::Played { steps, forced, .. } => Some((steps.as_slice(), *forced)),
        _ => None,
    })
}

fn describe(order: &str, wrong: &Wrong) -> String {
    match wrong {
        Wrong::NoSuchStep { why: Some(why), .. } => format!("{wrong}: {why}"),
        Wrong::NotAsked => format!("`{order}`: {wrong}"),
        _ => wrong.to_string(),
    }
}

/// The dice of the rolls that follow, by army, up to the next line that a player decides. A `place`
/// line may be the referee's; where it is a player's, nothing is rolled before it.
fn ahead(
    table: &Table,
    lines: &[(usize, Line)],
) -> BTreeMap<Seat, std::collections::VecDeque<u16>> {
    let mut rolls: BTreeMap<Seat, std::collections::VecDeque<u16>> = BTreeMap::new();
    for (_, line) in lines {
        if let Some(roll) = &line.roll {
            for (name, dice) in roll {
                if let Some(seat) = table.book().seat_named(name) {
                    rolls.entry(seat).or_default().extend(dice);
                }
            }
        } else if line.pass != Some(true) && line.place.is_none() {
            break;
        }
    }
    rolls
}

/// Opening dice that let the seat of the record's `start` line begin: they are not recorded.
fn opening(
    book: &super::rulebook::Rulebook,
    lines: &[(usize, Line)],
) -> BTreeMap<Seat, std::collections::VecDeque<u16>> {
    let Some(starter) = lines
        .first()
        .filter(|(_, l)| l.start == Some(true))
        .and_then(|(_, l)| book.seat_named(l.seat.as_deref()?))
    else {
        return BTreeMap::new();
    };
    BTreeMap::from([(starter, std::collections::VecDeque::from([2]))])
}
