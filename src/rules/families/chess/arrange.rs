//! A plain game from another position than its array: men, hands, castlings, en passant.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::compiled::{Compiled, NO_PATH, code, kind_of, seat_of};
use super::pos::{Passed, Pos};
use crate::rules::kit::{Kit, NOWHERE, Square};
use crate::rules::rulebook::SpecError;

/// Men of one kind that a hand may hold.
const HAND_MAX: u8 = 64;

/// What a record's header may say; what it leaves out is as at the start, without en passant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    /// Rows from the top, as in FEN.
    board: Option<String>,
    /// Name of the seat to move.
    turn: Option<String>,
    /// Letters of FEN: `KQkq`, `Kq`, `-`. Left out: all whose men stand at home.
    castling: Option<String>,
    /// The square passed over by the last step.
    ep: Option<String>,
    /// Men in hand by seat.
    #[serde(default)]
    hands: BTreeMap<String, BTreeMap<char, u8>>,
    /// Checks given by seat.
    #[serde(default)]
    checks: BTreeMap<String, u8>,
}

/// Reads the `position` of a record's header.
///
/// # Errors
/// A position that cannot be: no single royal piece a side, the waiting side in check, castlings
/// or en passant that the men deny.
pub fn position(rules: &Compiled, kit: &Kit, given: &serde_json::Value) -> Result<Pos, SpecError> {
    let given: Position = serde_json::from_value(given.clone())
        .map_err(|e| SpecError::new(format!("position: {e}")))?;
    let seat_of_name = |name: &str| {
        kit.seat_names
            .iter()
            .position(|n| n == name)
            .ok_or_else(|| SpecError::new(format!("there is no seat `{name}`")))
    };
    let mut pos = Pos::begin(rules);
    if let Some(board) = &given.board {
        let rows: Vec<String> = board.split('/').map(str::to_owned).collect();
        let (men, _) = kit.parse_rows(&rows)?;
        pos.board = men
            .iter()
            .map(|man| man.map_or(0, |m| code(m.seat, m.kind)))
            .collect();
        royals(rules, kit, &mut pos)?;
    }
    if let Some(name) = &given.turn {
        pos.mover = seat_of_name(name)? as u8;
    }
    pos.rights = castlings(rules, &pos, given.castling.as_deref())?;
    for (name, hand) in &given.hands {
        let seat = seat_of_name(name)?;
        for (letter, count) in hand {
            let kind = usize::from(kit.need(*letter)?);
            match pos.hands.get_mut(seat * rules.kinds + kind) {
                Some(held) if *count <= HAND_MAX => *held = *count,
                Some(_) => {
                    return Err(SpecError::new(format!(
                        "more than {HAND_MAX} of `{letter}` in hand"
                    )));
                }
                None => return Err(SpecError::new("this game has no drops")),
            }
        }
    }
    for (name, count) in &given.checks {
        pos.checks[seat_of_name(name)?] = *count;
    }
    if let Some(name) = &given.ep {
        pos.ep = Some(
            kit.square(name)
                .and_then(|over| passed(rules, kit, &pos, over))
                .ok_or_else(|| SpecError::new(format!("nobody has passed over `{name}`")))?,
        );
    }
    if pos.in_check(rules, 1 - pos.mover) {
        return Err(SpecError::new(format!(
            "{} is in check and it is not its turn",
            kit.seat_names[usize::from(1 - pos.mover)]
        )));
    }
    Ok(pos)
}

fn royals(rules: &Compiled, kit: &Kit, pos: &mut Pos) -> Result<(), SpecError> {
    pos.royals = [NOWHERE; 2];
    let mut count = [0u32; 2];
    for (sq, man) in pos.board.iter().enumerate() {
        if *man != 0 && rules.royal >> kind_of(*man) & 1 == 1 {
            let seat = usize::from(seat_of(*man));
            pos.royals[seat] = sq as Square;
            count[seat] += 1;
        }
    }
    match (0..2).find(|seat| rules.royal != 0 && count[*seat] != 1) {
        Some(seat) => Err(SpecError::new(format!(
            "{} has {} royal pieces, not one",
            kit.seat_names[seat], count[seat]
        ))),
        None => Ok(()),
    }
}

fn castlings(rules: &Compiled, pos: &Pos, given: Option<&str>) -> Result<u16, SpecError> {
    let at_home = |no: usize| {
        let [king, _, rook, _] = rules.castles[no].squares;
        [king, rook]
            .iter()
            .all(|sq| pos.board[usize::from(*sq)] == rules.home[usize::from(*sq)])
    };
    let all = (0..rules.castles.len()).filter(|no| at_home(*no));
    let Some(given) = given else {
        return Ok(all.fold(0, |rights, no| rights | 1 << no));
    };
    let mut rights = 0;
    for letter in given.chars().filter(|c| *c != '-') {
        let (seat, long) = match letter {
            'K' => (0, false),
            'Q' => (0, true),
            'k' => (1, false),
            'q' => (1, true),
            _ => {
                return Err(SpecError::new(format!("`{letter}` is no castling"))
                    .hint("castlings: K Q k q, or -"));
            }
        };
        let no = all
            .clone()
            .find(|no| rules.castles[*no].seat == seat && rules.castles[*no].long == long)
            .ok_or_else(|| {
                SpecError::new(format!("castling `{letter}`: its men are not at home"))
            })?;
        rights |= 1 << no;
    }
    Ok(rights)
}

/// The step of an enemy that passed over this square, if one can have.
fn passed(rules: &Compiled, kit: &Kit, pos: &Pos, over: Square) -> Option<Passed> {
    let enemy = 1 - pos.mover;
    for (at, man) in pos.board.iter().enumerate() {
        if *man == 0 || seat_of(*man) != enemy {
            continue;
        }
        for made in &rules.gens[usize::from(enemy)][usize::from(kind_of(*man))][0] {
            let m = &made.as_written;
            if !m.initial || made.path == NO_PATH || m.mode.capture {
                continue;
            }
            let Some(from) = kit.offset(at as Square, -m.dx, -m.dy) else {
                continue;
            };
            let path = rules.paths.between(made.path, from);
            let vacant = |sq: Square| sq != NOWHERE && pos.board[usize::from(sq)] == 0;
            if rules.home[usize::from(from)] == *man
                && vacant(from)
                && path.contains(&over)
                && path.iter().all(|sq| vacant(*sq))
            {
                return Some(Passed {
                    from,
                    path: made.path,
                    man: at as Square,
                });
            }
        }
    }
    None
}
