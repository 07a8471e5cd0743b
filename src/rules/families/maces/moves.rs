//! What may be done: moves, throws, shots, swings.

use crate::rules::rulebook::SpecError;

use super::board::{Set, bit, each};
use super::{Maces, NONE, Role, SHOT_RANGE, State, Step, WEB_STOPS_SWINGS, WEB_STOPS_THROWS};

/// How a kind moves, out of its Betza text: lines of the Queen with a reach, and Knight leaps.
#[derive(Clone, Debug, Default)]
pub struct Gait {
    /// Reach without capture in each direction of `KING`.
    pub walk: [u8; 8],
    /// Reach with capture.
    pub take: [u8; 8],
    /// Knight leaps without capture.
    pub leap: bool,
    /// Knight leaps with capture.
    pub leap_take: bool,
}

impl Gait {
    /// Reads a Betza text of the atoms K W F N, the riders Q R B, a trailing reach, and the
    /// modifiers `m` (moves only) and `c` (captures only): `QN`, `mK`, `Q2`, `BW`.
    ///
    /// # Errors
    /// A sign outside that.
    pub fn parse(text: &str) -> Result<Gait, SpecError> {
        let mut gait = Gait::default();
        let (mut moves, mut takes) = (true, true);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let (dirs, mut reach) = match c {
                'm' => {
                    takes = false;
                    continue;
                }
                'c' => {
                    moves = false;
                    continue;
                }
                'N' => (0..0, 0),
                'K' => (0..8, 1),
                'W' => (0..4, 1),
                'F' => (4..8, 1),
                'Q' => (0..8, u8::MAX),
                'R' => (0..4, u8::MAX),
                'B' => (4..8, u8::MAX),
                _ => {
                    return Err(SpecError::new(format!(
                        "`{c}` in `{text}` is not read in this family"
                    ))
                    .hint("atoms K W F N Q R B, a reach, modifiers m and c"));
                }
            };
            if let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
                chars.next();
                reach = d as u8;
            }
            for dir in dirs {
                if moves {
                    gait.walk[dir] = gait.walk[dir].max(reach);
                }
                if takes {
                    gait.take[dir] = gait.take[dir].max(reach);
                }
            }
            if c == 'N' {
                gait.leap |= moves;
                gait.leap_take |= takes;
            }
            (moves, takes) = (true, true);
        }
        Ok(gait)
    }
}

impl Maces {
    /// All main actions of the side to move, on the board as it stands.
    pub(super) fn main_actions(&self, s: &State, out: &mut Vec<Step>) {
        let web = self.web(s, s.turn);
        for from in each(s.board.men[usize::from(s.turn)] & !s.swung) {
            self.man_actions(s, from, web, out);
        }
    }

    /// Is there any main action?
    pub(super) fn any_main(&self, s: &State) -> bool {
        let web = self.web(s, s.turn);
        let mut out = Vec::new();
        each(s.board.men[usize::from(s.turn)] & !s.swung).any(|from| {
            self.man_actions(s, from, web, &mut out);
            !out.is_empty()
        })
    }

    /// Main actions of the man on `from`, who has not swung.
    fn man_actions(&self, s: &State, from: u8, web: Set, out: &mut Vec<Step>) {
        let Some(piece) = s.board.get(from) else {
            return;
        };
        let kind = self.kind(piece.kind());
        let webbed = web & bit(from) != 0;
        if kind.role == Role::Horse && !(webbed && WEB_STOPS_THROWS) {
            self.throws(s, from, out);
        }
        if webbed {
            return;
        }
        if kind.role == Role::Pawn {
            self.pawn_moves(s, from, out);
            return;
        }
        let foe = s.board.men[usize::from(1 - s.turn)];
        let all = s.board.all();
        let thrusts = kind.role == Role::Ox;
        for dir in 0..8 {
            let room = self.shape.room[usize::from(from)][dir];
            let (walk, take) = (kind.gait.walk[dir], kind.gait.take[dir]);
            let mut to = from;
            for n in 1..=room.min(walk.max(take)) {
                to = self.shape.along(to, dir);
                if all & bit(to) == 0 {
                    if n <= walk {
                        self.land(s, from, to, thrusts, out);
                    }
                    continue;
                }
                if n <= take && foe & bit(to) != 0 {
                    self.land(s, from, to, thrusts, out);
                }
                break;
            }
        }
        if kind.gait.leap || kind.gait.leap_take {
            let mut targets = 0;
            if kind.gait.leap {
                targets |= !all;
            }
            if kind.gait.leap_take {
                targets |= foe;
            }
            for to in each(self.shape.knight[usize::from(from)] & targets) {
                self.land(s, from, to, thrusts, out);
            }
        }
        if kind.role == Role::Archer {
            self.shots(s, from, out);
        }
    }

    /// A move, and with it every thrust of a Wild Ox from where it landed (A11).
    fn land(&self, s: &State, from: u8, to: u8, thrusts: bool, out: &mut Vec<Step>) {
        let step = |also: u8| Step::Move {
            from,
            to,
            promo: NONE,
            also,
            passing: false,
        };
        out.push(step(NONE));
        if thrusts && !self.is_king(s, to) {
            let foe = s.board.men[usize::from(1 - s.turn)];
            out.extend(each(self.shape.king[usize::from(to)] & foe).map(step));
        }
    }

    pub(super) fn is_king(&self, s: &State, sq: u8) -> bool {
        s.board
            .get(sq)
            .is_some_and(|p| self.kind(p.kind()).role == Role::King)
    }

    fn is_pawn(&self, s: &State, sq: u8) -> bool {
        s.board
            .get(sq)
            .is_some_and(|p| self.kind(p.kind()).role == Role::Pawn)
    }

    fn pawn_moves(&self, s: &State, from: u8, out: &mut Vec<Step>) {
        let me = s.turn;
        let (ahead, sides) = if me == 0 { (0, [4, 7]) } else { (2, [5, 6]) };
        let room = &self.shape.room[usize::from(from)];
        if room[ahead] == 0 {
            return;
        }
        let all = s.board.all();
        let foe = s.board.men[usize::from(1 - me)];
        let one = self.shape.along(from, ahead);
        if all & bit(one) == 0 {
            self.pawn_step(me, from, one, None, out);
            if room[ahead] > 1 && self.shape.own_rank(me, from) < self.double_step_ranks {
                let two = self.shape.along(one, ahead);
                if all & bit(two) == 0 {
                    self.pawn_step(me, from, two, None, out);
                }
            }
        }
        for dir in sides {
            if room[dir] == 0 {
                continue;
            }
            let to = self.shape.along(from, dir);
            if foe & bit(to) != 0 {
                self.pawn_step(me, from, to, None, out);
            } else if let Some(p) = s.passing
                && p.over == to
                && all & bit(to) == 0
                && foe & bit(p.pawn) != 0
            {
                self.pawn_step(me, from, to, Some(p.pawn), out);
            }
        }
    }

    fn pawn_step(&self, me: u8, from: u8, to: u8, passed: Option<u8>, out: &mut Vec<Step>) {
        let step = |promo: u8| Step::Move {
            from,
            to,
            promo,
            also: passed.unwrap_or(NONE),
            passing: passed.is_some(),
        };
        if self.shape.own_rank(me, to) + 1 == self.shape.ranks {
            out.extend(self.promotions.iter().map(|k| step(*k)));
        } else {
            out.push(step(NONE));
        }
    }

    /// Does a pawn of the side to move attack the square passed over? Only then is the right
    /// part of the position for repetition.
    pub(super) fn passing_matters(&self, s: &State) -> bool {
        let Some(p) = s.passing else {
            return false;
        };
        let web = self.web(s, s.turn);
        let own = s.board.men[usize::from(s.turn)] & !web;
        each(own & self.shape.king[usize::from(p.over & 127)]).any(|from| {
            self.is_pawn(s, from) && {
                let mut out = Vec::new();
                self.pawn_moves(s, from, &mut out);
                out.iter()
                    .any(|m| matches!(m, Step::Move { passing: true, .. }))
            }
        })
    }

    /// Throws of the Horse-apult on `by` (A8): any neighbour, to any vacant square a Knight's
    /// move from the Horse-apult.
    fn throws(&self, s: &State, by: u8, out: &mut Vec<Step>) {
        let all = s.board.all();
        let targets = self.shape.knight[usize::from(by)] & !all;
        if targets == 0 {
            return;
        }
        let own = s.board.men[usize::from(s.turn)];
        for man in each(self.shape.king[usize::from(by)] & all & !s.swung) {
            let own_pawn = own & bit(man) != 0 && self.is_pawn(s, man);
            for to in each(targets) {
                let step = |promo: u8| Step::Throw { by, man, to, promo };
                if own_pawn && self.shape.own_rank(s.turn, to) + 1 == self.shape.ranks {
                    out.extend(self.promotions.iter().map(|k| step(*k)));
                } else {
                    out.push(step(NONE));
                }
            }
        }
    }

    /// Shots of the Archer on `from` (A15).
    fn shots(&self, s: &State, from: u8, out: &mut Vec<Step>) {
        for dir in 0..8 {
            if let Some(at) = self.first_met(s, from, dir, SHOT_RANGE)
                && s.board.men[usize::from(1 - s.turn)] & bit(at) != 0
            {
                out.push(Step::Strike {
                    from,
                    at,
                    shot: true,
                });
            }
        }
    }

    /// The first man met on a line within `reach`.
    pub(super) fn first_met(&self, s: &State, from: u8, dir: usize, reach: u8) -> Option<u8> {
        let mut at = from;
        for _ in 0..self.shape.room[usize::from(from)][dir].min(reach) {
            at = self.shape.along(at, dir);
            if s.board.all() & bit(at) != 0 {
                return Some(at);
            }
        }
        None
    }

    /// Own Maces that have not swung and are free to.
    fn ready(&self, s: &State) -> Set {
        let maces = s.board.maces & s.board.men[usize::from(s.turn)] & !s.swung;
        if WEB_STOPS_SWINGS && maces != 0 && s.board.spiders != 0 {
            maces & !self.web(s, s.turn)
        } else {
            maces
        }
    }

    /// Whom the Mace on `from` may strike.
    pub(super) fn victims(&self, s: &State, from: u8) -> Set {
        self.shape.king[usize::from(from)]
            & s.board.men[usize::from(1 - s.turn)]
            & !s.board.shielded
    }

    /// Does a Mace owe a swing, the main action being made?
    pub(super) fn owes(&self, s: &State) -> bool {
        each(self.ready(s)).any(|mace| self.victims(s, mace) != 0)
    }

    /// All swings of Maces that have not swung.
    pub(super) fn swings(&self, s: &State, out: &mut Vec<Step>) {
        for from in each(self.ready(s)) {
            out.extend(each(self.victims(s, from)).map(|at| Step::Strike {
                from,
                at,
                shot: false,
            }));
        }
    }

    /// Swings before the main action: those after which one remains. `out` holds the main
    /// actions before the swing.
    pub(super) fn early_swings(&self, s: &State, out: &mut Vec<Step>) {
        let mains = out.len();
        self.swings(s, out);
        let mut keep = mains;
        for i in mains..out.len() {
            let step = out[i];
            if let Step::Strike { from, at, .. } = step
                && (out[..mains].iter().any(|main| clear_of(main, from, at))
                    || self.main_after(s, from, at))
            {
                out[keep] = step;
                keep += 1;
            }
        }
        out.truncate(keep);
    }

    /// Does a main action remain after this swing?
    fn main_after(&self, s: &State, from: u8, at: u8) -> bool {
        let mut next = s.clone();
        next.board.take(at);
        next.swung |= bit(from);
        self.any_main(&next)
    }
}

/// Is this main action surely still there when the Mace on `mace` has removed `gone`?
fn clear_of(main: &Step, mace: u8, gone: u8) -> bool {
    let is = |sq: u8| sq == mace || sq == gone;
    match *main {
        Step::Move { from, to, also, .. } => !is(from) && !is(to) && !is(also),
        Step::Throw { man, .. } => !is(man),
        Step::Strike { from, at, .. } => !is(from) && !is(at),
        Step::Pick(_) | Step::Place { .. } => false,
    }
}
