//! Matches and games as lists tell them.

use std::sync::Arc;

use super::notice::{GameInfo, MatchInfo, Person};
use super::state::{Match, PlayerNo, Registry, Stage};
use crate::rules::{Rulebook, Seat};

/// A match in a list.
pub(super) fn match_info(reg: &dyn Registry, m: &Match, reader: PlayerNo) -> MatchInfo {
    let book = reg.book(&m.book);
    let awaited: Vec<Seat> = m.awaited().into_iter().map(|(s, _)| s).collect();
    let person = |at: usize| {
        let chair = m.chairs.get(at)?;
        let seat = m.seat_of(chair.player).or(chair.wish);
        Some(Person {
            seat: seat.and_then(|s| book.as_ref().map(|b| b.seat_name(s).to_owned())),
            name: reg
                .player(chair.player)
                .map_or_else(|| "?".to_owned(), |p| p.name.clone()),
            you: chair.player == reader,
            accepted: chair.accepted,
            awaited: m
                .seat_of(chair.player)
                .is_some_and(|s| awaited.contains(&s)),
        })
    };
    let order: Vec<usize> = if m.seats.is_empty() {
        (0..m.chairs.len()).collect()
    } else {
        m.seats.iter().map(|c| usize::from(*c)).collect()
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
        yours: m.seat_of(reader).is_some_and(|s| awaited.contains(&s))
            || (m.stage == Stage::Inviting
                && m.chairs.iter().any(|c| c.player == reader && !c.accepted)),
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
    }
}
