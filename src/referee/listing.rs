//! Matches and games as lists tell them, and turns as examples.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::state::{Match, MatchNo, PlayerNo, Registry, Stage};
use crate::rules::{Ending, Rulebook, Seat, Table};

/// A game as the list of games tells it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameInfo {
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Inventor.
    pub inventor: String,
    /// Year.
    pub year: Option<u16>,
    /// One sentence.
    pub summary: String,
    /// What is not certain about it.
    pub doubt: Option<String>,
    /// Names of the seats.
    pub seats: Vec<String>,
    /// Names of the arrays, the default first.
    pub arrays: Vec<String>,
    /// Other options: key, values, one sentence.
    pub options: Vec<(String, Vec<String>, String)>,
    /// Pieces: letter, name.
    pub pieces: Vec<(char, String)>,
    /// Name of the family of rules, in lower case: `maces`.
    pub family: String,
    /// Does the referee throw dice in it?
    pub dice: bool,
}

/// A match in a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MatchInfo {
    /// Number.
    pub no: MatchNo,
    /// Id of the game.
    pub game: String,
    /// Title.
    pub title: String,
    /// `inviting`, `seeking`, `playing`, `over`, `void`.
    pub stage: String,
    /// Who takes part.
    pub people: Vec<Person>,
    /// Options that are not default, as `array=A2`.
    pub options: Vec<String>,
    /// Days for a decision; 0: no such limit.
    pub days: u32,
    /// The whole time control.
    pub clock: Clock,
    /// Number of the turn.
    pub turn: u32,
    /// Does the reader owe something?
    pub yours: bool,
    /// How it ended.
    pub ending: Option<Ending>,
}

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Person {
    /// Name of the seat, where it is known.
    pub seat: Option<String>,
    /// Alias.
    pub name: String,
    /// Is it the reader?
    pub you: bool,
    /// Has he accepted?
    pub accepted: bool,
    /// Does he owe something?
    pub awaited: bool,
}

/// Examples of a turn in one mail.
const EXAMPLES_MAX: usize = 3;

/// A match in a list.
pub(super) fn match_info(reg: &dyn Registry, m: &Match, reader: PlayerNo) -> MatchInfo {
    let book = reg.book(&m.book);
    let awaited: Vec<Seat> = m.every_seat().filter(|s| m.is_awaited(*s)).collect();
    let person = |at: usize| {
        let chair = m.chairs.get(at)?;
        let mut seats = m.seats_of(chair.player);
        if seats.is_empty() {
            seats.clone_from(&chair.wishes);
        }
        let names: Vec<&str> = book
            .iter()
            .flat_map(|b| seats.iter().map(|s| b.seat_name(*s)))
            .collect();
        Some(Person {
            seat: (!names.is_empty()).then(|| names.join(" and ")),
            name: reg
                .player(chair.player)
                .map_or_else(|| "?".to_owned(), |p| p.name.clone()),
            you: chair.player == reader,
            accepted: chair.accepted,
            awaited: seats.iter().any(|s| awaited.contains(s)),
        })
    };
    let order: Vec<usize> = if m.seats.is_empty() {
        (0..m.chairs.len()).collect()
    } else {
        // By seat, each person once.
        let mut order: Vec<usize> = Vec::new();
        for chair in m.seats.iter().map(|c| usize::from(*c)) {
            if !order.contains(&chair) {
                order.push(chair);
            }
        }
        order
    };
    let default = |key: &str, value: &str| {
        book.as_ref().is_some_and(|b| {
            if key == "array" {
                b.array == value
            } else {
                b.options
                    .get(key)
                    .is_some_and(|o| o.values.first().is_some_and(|v| v == value))
            }
        })
    };
    let mut options: Vec<String> = m
        .options
        .iter()
        .filter(|(k, v)| !default(k, v))
        .map(|(k, v)| format!("{k}={v}"))
        .collect();
    if !m.reveal_both && !options.iter().any(|o| o.starts_with("reveal=")) {
        options.push("reveal=outcome".to_owned());
    }
    MatchInfo {
        no: m.no,
        game: m.game.clone(),
        title: book
            .as_ref()
            .map_or_else(|| m.game.clone(), |b| b.title.clone()),
        stage: match m.stage {
            Stage::Inviting if m.fair.seeds.since.is_some() => "seeding",
            Stage::Inviting => "inviting",
            Stage::Seeking => "seeking",
            Stage::Playing => "playing",
            Stage::Over => "over",
            Stage::Void => "void",
        }
        .to_owned(),
        people: order.into_iter().filter_map(person).collect(),
        options,
        days: m.clock.days,
        clock: m.clock.clone(),
        turn: m.turn(),
        yours: m.seats_of(reader).iter().any(|s| awaited.contains(s))
            || (m.stage == Stage::Inviting
                && m.chairs.iter().any(|c| c.player == reader && !c.accepted))
            || m.chair_of(reader)
                .is_some_and(|c| m.seeds_awaited().contains(&c)),
        ending: m.ending.clone(),
    }
}

/// A game as the list of games tells it.
pub(super) fn game_info(book: &Arc<Rulebook>) -> GameInfo {
    let mut arrays = vec![book.array.clone()];
    arrays.extend(
        book.array_names()
            .filter(|a| *a != book.array)
            .map(str::to_owned),
    );
    let family = format!("{:?}", book.family);
    let family: String = family
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    GameInfo {
        id: book.id.clone(),
        title: book.title.clone(),
        inventor: book.inventor.clone(),
        year: book.year,
        summary: book.summary.clone(),
        doubt: book.doubt.clone(),
        seats: book.seats.iter().map(|s| s.name.clone()).collect(),
        arrays,
        options: book
            .options
            .iter()
            .map(|(k, o)| (k.clone(), o.values.clone(), o.about.clone()))
            .collect(),
        pieces: book
            .pieces
            .iter()
            .map(|(l, p)| (*l, p.name.clone()))
            .collect(),
        family: family.to_ascii_lowercase(),
        dice: super::dice::sides(book) > 1,
    }
}

/// A few turns as examples. Steps spread over the list show different men; where a turn goes on, so does the example.
pub(super) fn examples(table: &Table, seat: Seat, steps: &[String]) -> Vec<String> {
    let every = (steps.len() / EXAMPLES_MAX).max(1);
    let firsts = steps.iter().step_by(every).take(EXAMPLES_MAX);
    let mut goes_on = true;
    firsts
        .map(|first| {
            let mut turn = vec![first.as_str()];
            let after = table.next(seat, &turn).ok().filter(|_| goes_on);
            goes_on = after.as_ref().is_some_and(|n| !n.steps.is_empty());
            let second = after.and_then(|n| n.steps.get(n.steps.len() / 2).cloned());
            if let Some(second) = &second {
                turn.push(second);
                if let Ok(next) = table.next(seat, &turn)
                    && !next.steps.is_empty()
                    && next.may_stop
                {
                    turn.push("end");
                }
            }
            turn.join("; ")
        })
        .collect()
}
