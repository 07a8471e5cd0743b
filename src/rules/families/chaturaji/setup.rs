//! Compiling the spec, and positions from outside.

use std::collections::{BTreeMap, VecDeque};

use super::super::super::betza::{self, Hop};
use super::super::super::kit::{Kit, Man, Square};
use super::super::super::play::{Dice, Seat};
use super::super::super::rulebook::SpecError;
use super::{Chaturaji, SEATS, SIDES, Spec, turn};

pub(super) fn compile(spec: &Spec, kit: &Kit) -> Result<Chaturaji, SpecError> {
    let two_teams = kit.teams.len() == usize::from(SEATS)
        && kit.teams[0] == kit.teams[2]
        && kit.teams[1] == kit.teams[3]
        && kit.teams[0] != kit.teams[1];
    if kit.seats != SEATS || !two_teams {
        return Err(SpecError::new(
            "family `Chaturaji` needs four seats in two teams that sit opposite each other",
        ));
    }
    let kinds = |letters: &[char]| -> Result<Vec<u8>, SpecError> {
        letters.iter().map(|letter| kit.need(*letter)).collect()
    };
    let order = <[u8; SIDES as usize]>::try_from(kinds(&spec.dice)?)
        .map_err(|_| SpecError::new(format!("`dice` names {SIDES} kinds, one for each value")))?;
    let square = |name: &String| {
        kit.square(name)
            .ok_or_else(|| SpecError::new(format!("`{name}` is not on the board")))
    };
    let centre = spec
        .centre
        .iter()
        .map(square)
        .collect::<Result<Vec<Square>, SpecError>>()?;
    if centre.len() != usize::from(SEATS) {
        return Err(SpecError::new("`centre` names four squares"));
    }
    let monarch = kit.need(spec.monarch)?;
    let mut promotions = kinds(&spec.promotions)?;
    if option(kit, "monarch") == Some("never") {
        promotions.retain(|kind| *kind != monarch);
    }
    let mut thrones = [0; SEATS as usize];
    for (seat, throne) in (0..SEATS).zip(thrones.iter_mut()) {
        let man = Some(Man {
            seat,
            kind: monarch,
        });
        let at = kit.setup.iter().position(|m| *m == man).ok_or_else(|| {
            let name = &kit.seat_names[usize::from(seat)];
            SpecError::new(format!("the array has no monarch of {name}"))
        })?;
        *throne = at as Square;
    }
    let mut strides = Vec::with_capacity(usize::from(SEATS) * kit.pieces.len());
    for seat in 0..SEATS {
        for piece in &kit.pieces {
            let moves = betza::compile(&piece.moves)?;
            if moves.iter().any(|m| m.hop != Hop::None || m.ep) {
                return Err(SpecError::new(format!(
                    "piece `{}`: this family has neither hops nor en passant",
                    piece.letter
                )));
            }
            strides.push(moves.into_iter().map(|m| m.turned(seat)).collect());
        }
    }
    let game = Chaturaji {
        order,
        monarch,
        raven: kit.need(spec.raven)?,
        squire: kit.need(spec.squire)?,
        promotions,
        centre,
        thrones,
        rows: [0, 1, 2, 3].map(|seat| [0, 1].map(|depth| row(kit, seat, depth))),
        strides,
        late: option(kit, "late_promotion") == Some("true"),
        quiet_max: (option(kit, "noprogress") == Some("50")).then(turn::quiet_turns),
        first: kit.setup.clone(),
    };
    game.check(kit, &kit.setup)?;
    Ok(game)
}

fn option<'a>(kit: &'a Kit, key: &str) -> Option<&'a str> {
    kit.options.get(key).map(String::as_str)
}

/// The squares `depth` rows in front of a seat's edge of the board (1.2).
fn row(kit: &Kit, seat: u8, depth: u8) -> Vec<Square> {
    (0..kit.squares() as Square)
        .filter(|sq| !kit.holes[usize::from(*sq)])
        .filter(|sq| {
            let (file, rank) = (kit.file(*sq), kit.rank(*sq));
            let away = match seat {
                0 => rank,
                1 => file,
                2 => kit.ranks - 1 - rank,
                _ => kit.files - 1 - file,
            };
            away == depth
        })
        .collect()
}

impl Chaturaji {
    /// A colour never owns two men of a kind that promotion restores (1.2).
    pub(super) fn check(&self, kit: &Kit, board: &[Option<Man>]) -> Result<(), SpecError> {
        for seat in 0..SEATS {
            for kind in (0..kit.pieces.len() as u8).filter(|kind| *kind != self.squire) {
                let man = Some(Man { seat, kind });
                if board.iter().filter(|m| **m == man).count() > 1 {
                    return Err(SpecError::new(format!(
                        "{} has more than one {}",
                        kit.seat_names[usize::from(seat)],
                        kit.pieces[usize::from(kind)].name
                    )));
                }
            }
        }
        Ok(())
    }
}

pub(super) fn seat(kit: &Kit, name: &str) -> Result<u8, SpecError> {
    kit.seat_names
        .iter()
        .position(|n| n == name)
        .map(|i| i as u8)
        .ok_or_else(|| SpecError::new(format!("there is no seat `{name}`")))
}

/// A board from men listed by seat, as arrays are written.
pub(super) fn men(
    kit: &Kit,
    given: &BTreeMap<String, String>,
) -> Result<Vec<Option<Man>>, SpecError> {
    let mut board = vec![None; kit.squares()];
    for (name, list) in given {
        let seat = seat(kit, name)?;
        for word in list.split_whitespace() {
            let mut chars = word.chars();
            let kind = kit.need(chars.next().unwrap_or('?'))?;
            let sq = kit
                .square(chars.as_str())
                .filter(|sq| !kit.holes[usize::from(*sq)])
                .ok_or_else(|| SpecError::new(format!("`{word}` is not on the board")))?;
            if board[usize::from(sq)].replace(Man { seat, kind }).is_some() {
                return Err(SpecError::new(format!("two men on {}", kit.name(sq))));
            }
        }
    }
    Ok(board)
}

/// Dice that a position tells; what it does not tell is 1.
#[derive(Default)]
pub(super) struct Told(BTreeMap<u8, VecDeque<u16>>);

impl Told {
    pub(super) fn add(&mut self, army: u8, values: Vec<u16>) -> Result<(), SpecError> {
        if values.iter().any(|v| !(1..=u16::from(SIDES)).contains(v)) {
            return Err(SpecError::new(format!("a die shows 1 to {SIDES}")));
        }
        self.0.insert(army, values.into());
        Ok(())
    }
}

impl Dice for Told {
    fn roll(&mut self, of: Seat, _: u16) -> u16 {
        self.0
            .get_mut(&of.0)
            .and_then(VecDeque::pop_front)
            .unwrap_or(1)
    }
}
