//! Texts of moves, what players see, and why a move is not legal.

use super::super::super::kit::{Kit, Square};
use super::super::super::notation::named_behind;
use super::super::super::play::{Cell, Seat, View};
use super::{Chieftain, State, Step};

/// `Cc1-c3`, `Hc1xc4`.
pub fn say(kit: &Kit, s: &State, step: Step) -> String {
    let mut text = String::with_capacity(12);
    if let Some(man) = s.at(step.from) {
        text.push(kit.letter(man.kind));
    }
    text.push_str(kit.name(step.from));
    text.push(if s.at(step.to).is_some() { 'x' } else { '-' });
    text.push_str(kit.name(step.to));
    text
}

/// The board with the activations left and the men out of command.
pub fn view(game: &Chieftain, kit: &Kit, s: &State) -> View {
    let cells = (0..kit.squares() as Square)
        .map(|sq| match s.at(sq) {
            _ if kit.holes[usize::from(sq)] => Cell::Hole,
            None => Cell::Empty,
            Some(man) => Cell::Man {
                seat: man.seat(),
                letter: kit.letter(man.kind),
                mark: None,
                name: Some(kit.pieces[usize::from(man.kind)].name.clone()),
            },
        })
        .collect();
    let mut notes = Vec::new();
    for seat in [0u8, 1] {
        notes.push((
            Some(Seat(seat)),
            "Chieftains".to_owned(),
            game.leaders(s, seat).to_string(),
        ));
    }
    let mover = s.over.is_none().then_some(Seat(s.turn));
    if mover.is_some() {
        notes.push((
            mover,
            "Moves".to_owned(),
            format!(
                "up to {}, each man within {} squares of a chieftain",
                s.command.left(),
                game.power.range
            ),
        ));
        let far: Vec<&str> = (0..kit.squares() as Square)
            .filter(|sq| {
                s.at(*sq).is_some_and(|m| m.seat == s.turn)
                    && s.command.in_range(kit, *sq, game.power.range) == 0
            })
            .map(|sq| kit.name(sq))
            .collect();
        if !far.is_empty() {
            notes.push((mover, "Out of command".to_owned(), far.join(" ")));
        }
    }
    View {
        files: kit.files,
        ranks: kit.ranks,
        cells,
        last: s.trail[..usize::from(s.shown).min(s.trail.len())]
            .iter()
            .flatten()
            .copied()
            .collect(),
        to_move: mover.into_iter().collect(),
        notes,
        four: false,
        leaderless: Vec::new(),
    }
}

/// Why a text is not legal, in the words of chieftain.md 1.4.
pub fn why_not(game: &Chieftain, kit: &Kit, s: &State, text: &str) -> Option<String> {
    let step = named_behind(text).map_or(text, |(step, _)| step);
    let mut squares = kit.squares_in(step).into_iter();
    let from = squares.next()?;
    let Some(man) = s.at(from) else {
        return Some(format!("there is nothing on {}", kit.name(from)));
    };
    let name = format!(
        "{} on {}",
        kit.pieces[usize::from(man.kind)].name,
        kit.name(from)
    );
    if man.seat != s.turn {
        return Some(format!("the {name} is not yours"));
    }
    if s.has_moved(from) {
        return Some(format!("the {name} has already moved in this turn"));
    }
    if let Some((_, named)) = named_behind(text) {
        let Some(sq) = s.command.bound() else {
            return Some(format!("no chieftain of yours stands on {named}"));
        };
        let range = s.command.in_range(kit, from, game.power.range);
        if range & s.command.payers() == 0 {
            let why = if range == 0 {
                format!("is not within {} squares of it", game.power.range)
            } else {
                "has activated all it can".to_owned()
            };
            return Some(format!(
                "the chieftain on {} cannot activate the {name}: it {why}",
                kit.name(sq)
            ));
        }
    }
    let range = s.command.in_range(kit, from, game.power.range);
    if range == 0 {
        return Some(format!(
            "the {name} is out of command: no chieftain of yours is within {} squares",
            game.power.range
        ));
    }
    if range & s.command.payers() == 0 {
        let used: Vec<&str> = s
            .command
            .squares()
            .iter()
            .enumerate()
            .filter(|(i, _)| range & (1 << i) != 0)
            .map(|(_, sq)| kit.name(*sq))
            .collect();
        return Some(format!(
            "no free chieftain for the {name}: those in range, now on {}, have activated all they can",
            used.join(" ")
        ));
    }
    let to = squares.next()?;
    if s.at(to).is_some_and(|m| m.seat == s.turn) && to != from {
        return Some(format!("your own man stands on {}", kit.name(to)));
    }
    let mut reached = Vec::new();
    game.targets(kit, s, from, man, |to| {
        reached.push(kit.name(to));
        false
    });
    if reached.contains(&kit.name(to)) {
        return None;
    }
    Some(if reached.is_empty() {
        format!("the {name} cannot move")
    } else {
        reached.sort_unstable();
        format!("the {name} can go to {}", reached.join(" "))
    })
}
