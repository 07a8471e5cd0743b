//! How plain games end.

use super::compiled::{Compiled, PROMOTED, kind_of, seat_of};
use super::pos::Pos;
use super::spec::Stuck;
use crate::rules::kit::NOWHERE;
use crate::rules::play::{Ending, Seat};

/// An ending that needs no legal steps to be seen; the side not to move has just moved.
pub fn at_once(rules: &Compiled, pos: &Pos) -> Option<Ending> {
    let next = pos.mover;
    let last = 1 - next;
    let win = |seat: u8, reason: &str| Some(Ending::win([Seat(seat)], reason));
    if rules.royal != 0 {
        if pos.royals[usize::from(next)] == NOWHERE {
            return win(last, "king captured");
        }
        if pos.royals[usize::from(last)] == NOWHERE {
            return win(next, "king captured");
        }
    }
    if rules.hill.contains(&pos.royals[usize::from(last)]) {
        return win(last, "hill");
    }
    if rules.checks > 0 && pos.checks[usize::from(last)] >= rules.checks {
        return win(last, "checks");
    }
    let scans = rules.extinct != 0
        || rules.last_rank != 0
        || rules.lose_all
        || rules.bare
        || rules.minor.is_some();
    if scans { by_men(rules, pos) } else { None }
}

/// Endings that depend on which men stand where.
fn by_men(rules: &Compiled, pos: &Pos) -> Option<Ending> {
    let next = pos.mover;
    let last = 1 - next;
    let mut all = [0u32; 2];
    let mut kinds = [0u32; 2];
    let mut arrived = [false; 2];
    let mut minors = 0u32;
    let mut others = 0u32;
    for (sq, man) in pos.board.iter().enumerate() {
        if *man == 0 {
            continue;
        }
        let (seat, kind) = (seat_of(*man), kind_of(*man & !PROMOTED));
        all[usize::from(seat)] += 1;
        kinds[usize::from(seat)] |= 1 << kind;
        if rules.last_rank >> kind & 1 == 1 && rules.ranks_left(seat, sq as u16) == 0 {
            arrived[usize::from(seat)] = true;
        }
        match rules.minor {
            Some(minor) if minor >> kind & 1 == 1 => minors += 1,
            _ if rules.royal >> kind & 1 == 1 => {}
            _ => others += 1,
        }
    }
    let win = |seat: u8, reason: &str| Some(Ending::win([Seat(seat)], reason));
    for seat in [last, next] {
        if rules.lose_all && all[usize::from(seat)] == 0 {
            return win(seat, "no men left");
        }
        if arrived[usize::from(seat)] {
            return win(seat, "last rank");
        }
    }
    for seat in [next, last] {
        if rules.extinct & !kinds[usize::from(seat)] & started(rules, seat) != 0 {
            return win(1 - seat, "extinction");
        }
    }
    if rules.bare {
        // The side to move was bared by the last turn and may bare the other at once; after that
        // its chance is over.
        let bare = |seat: u8| all[usize::from(seat)] == 1;
        if bare(last) && bare(next) {
            return Some(Ending::draw("material"));
        }
        if bare(last) {
            return win(next, "bare king");
        }
    }
    if rules.minor.is_some() && others == 0 && minors <= 1 && pos.hands.iter().all(|n| *n == 0) {
        return Some(Ending::draw("material"));
    }
    None
}

fn started(rules: &Compiled, seat: u8) -> u32 {
    rules.count[usize::from(seat)]
        .iter()
        .enumerate()
        .fold(
            0,
            |all, (kind, n)| if *n > 0 { all | 1 << kind } else { all },
        )
}

/// The ending of a position at the start of a turn, stalemate and mate included.
pub fn of(rules: &Compiled, pos: &mut Pos) -> Option<Ending> {
    if let Some(ending) = at_once(rules, pos) {
        return Some(ending);
    }
    if !pos.stuck(rules) {
        return None;
    }
    let (next, last) = (Seat(pos.mover), Seat(1 - pos.mover));
    if pos.in_check(rules, pos.mover) {
        return Some(Ending::win([last], "checkmate"));
    }
    Some(match rules.stuck {
        Stuck::Draw => Ending::draw("stalemate"),
        Stuck::Loss => Ending::win([last], "stalemate"),
        Stuck::Win => Ending::win([next], "stalemate"),
    })
}
