//! A position of a plain game: making and taking back steps, attacks, pseudo-legal and legal steps.

use serde::{Deserialize, Serialize};

use super::compiled::{Castle, Code, Compiled, Gen, NO_PATH, PROMOTED, code, kind_of, seat_of};
use crate::rules::betza::Hop;
use crate::rules::kit::{NOWHERE, Square};

/// Board and all that decides what is legal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pos {
    /// Men by square.
    pub board: Vec<Code>,
    /// Men in hand: kinds of the first seat, then of the second; empty in games without drops.
    pub hands: Vec<u8>,
    /// Castlings not yet lost, as bits.
    pub rights: u16,
    /// Squares passed by the last step, and the man that passed them.
    pub ep: Option<Passed>,
    /// Where the royal pieces stand; [`NOWHERE`] where there is none.
    pub royals: [Square; 2],
    /// Checks given by each seat, where they count.
    pub checks: [u8; 2],
    /// Whose turn it is.
    pub mover: u8,
}

/// What en passant may capture.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Passed {
    /// From where the man came.
    pub from: Square,
    /// The lame path it took.
    pub path: u8,
    /// Where it stands.
    pub man: Square,
}

/// What a step is beside a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A move without capture.
    Quiet,
    /// A capture on the target square.
    Capture,
    /// A capture of the man that passed the target square.
    EnPassant,
    /// A quiet initial lame move; its path lies open to en passant.
    Passing(u8),
    /// Castling number so.
    Castle(u8),
    /// From the hand.
    Drop,
}

/// One step.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// From; [`NOWHERE`] for a drop.
    pub from: Square,
    /// To.
    pub to: Square,
    /// Kind of the mover.
    pub kind: u8,
    /// Kind it becomes, or [`NO_CHANGE`].
    pub into: u8,
    /// What sort of step.
    pub sort: Sort,
}

/// The man stays what it is.
pub const NO_CHANGE: u8 = u8::MAX;

/// Squares that one step can change: an explosion's nine, the captured man and the capturer.
const CHANGES_MAX: usize = 11;

/// What taking back needs.
#[derive(Copy, Clone, Debug)]
pub struct Undo {
    squares: [(Square, Code); CHANGES_MAX],
    count: usize,
    rights: u16,
    ep: Option<Passed>,
    royals: [Square; 2],
    hand: Option<(usize, u8)>,
}

impl Pos {
    /// The array, with White to move.
    pub fn begin(rules: &Compiled) -> Pos {
        let mut royals = [NOWHERE; 2];
        for (sq, man) in rules.home.iter().enumerate() {
            if *man != 0 && rules.royal >> kind_of(*man) & 1 == 1 {
                royals[usize::from(seat_of(*man))] = sq as Square;
            }
        }
        let castles = rules.castles.len();
        Pos {
            board: rules.home.clone(),
            hands: vec![0; if rules.drops { 2 * rules.kinds } else { 0 }],
            rights: ((1u32 << castles) - 1) as u16,
            ep: None,
            royals,
            checks: [0; 2],
            mover: 0,
        }
    }

    fn man(&self, sq: Square) -> Code {
        self.board[usize::from(sq)]
    }

    fn vacant(&self, path: &[Square]) -> bool {
        path.iter().all(|s| *s != NOWHERE && self.man(*s) == 0)
    }

    /// Does `by` attack the square?
    pub fn attacked(&self, rules: &Compiled, target: Square, by: u8) -> bool {
        for a in &rules.attacks[usize::from(by)] {
            let ray = rules.rays.ray(a.back, target, a.range);
            let found = match a.hop {
                Hop::None => ray.iter().copied().find(|s| self.man(*s) != 0),
                Hop::Over => rules
                    .rays
                    .ray(a.back, target, u8::MAX)
                    .iter()
                    .copied()
                    .filter(|s| self.man(*s) != 0)
                    .nth(1)
                    .filter(|s| ray.contains(s)),
                Hop::Behind => ray
                    .first()
                    .filter(|s| self.man(**s) != 0)
                    .and_then(|_| ray[1..].iter().copied().find(|s| self.man(*s) != 0)),
            };
            let Some(from) = found else { continue };
            let man = self.man(from);
            let kind = kind_of(man);
            if seat_of(man) != by || a.kinds >> kind & 1 == 0 {
                continue;
            }
            if a.path != NO_PATH && !self.vacant(rules.paths.between(a.path, from)) {
                continue;
            }
            if a.initial && rules.home[usize::from(from)] & !PROMOTED != man & !PROMOTED {
                continue;
            }
            if rules.special >> kind & 1 == 1
                && (rules.regional(by, kind, from) != a.regional || !rules.inside(by, kind, target))
            {
                continue;
            }
            return true;
        }
        false
    }

    /// Is the royal piece of the seat attacked (or facing the other, where that is forbidden)?
    pub fn in_check(&self, rules: &Compiled, seat: u8) -> bool {
        let king = self.royals[usize::from(seat)];
        if king == NOWHERE || !rules.guarded {
            return false;
        }
        let other = self.royals[usize::from(1 - seat)];
        if rules.spared.is_some() && other != NOWHERE && rules.touch(king, other) {
            // Atomic: a king beside the other cannot be captured.
            return false;
        }
        (rules.apart && self.facing(rules)) || self.attacked(rules, king, 1 - seat)
    }

    fn facing(&self, rules: &Compiled) -> bool {
        let [a, b] = self.royals;
        if a == NOWHERE || b == NOWHERE {
            return false;
        }
        let ray = rules.rays.ray(rules.forward(), a.min(b), u8::MAX);
        ray.iter().copied().find(|s| self.man(*s) != 0) == Some(a.max(b))
    }

    /// Plays a step.
    pub fn make(&mut self, rules: &Compiled, step: &Step) -> Undo {
        let mut undo = Undo {
            squares: [(0, 0); CHANGES_MAX],
            count: 0,
            rights: self.rights,
            ep: self.ep.take(),
            royals: self.royals,
            hand: None,
        };
        let me = self.mover;
        match step.sort {
            Sort::Drop => {
                let at = usize::from(me) * rules.kinds + usize::from(step.kind);
                undo.hand = Some((at, self.hands[at]));
                self.hands[at] -= 1;
                self.set(&mut undo, step.to, code(me, step.kind));
            }
            Sort::Castle(no) => {
                let [king, lands, rook, rook_lands] = rules.castles[usize::from(no)].squares;
                let (k, r) = (self.man(king), self.man(rook));
                self.set(&mut undo, king, 0);
                self.set(&mut undo, rook, 0);
                self.set(&mut undo, lands, k);
                self.set(&mut undo, rook_lands, r);
                self.royals[usize::from(me)] = lands;
                self.rights &= !(rules.lost[usize::from(king)] | rules.lost[usize::from(rook)]);
            }
            _ => self.move_man(rules, step, &mut undo),
        }
        self.mover = 1 - me;
        undo
    }

    fn move_man(&mut self, rules: &Compiled, step: &Step, undo: &mut Undo) {
        let me = self.mover;
        let man = self.man(step.from);
        let victim = match step.sort {
            Sort::Capture => Some(step.to),
            Sort::EnPassant => undo.ep.map(|p| p.man),
            _ => None,
        };
        if let Some(at) = victim {
            let taken = self.man(at);
            let kind = kind_of(taken);
            if rules.drops {
                let kind = if taken & PROMOTED != 0 {
                    rules.promoted_as.unwrap_or(kind)
                } else {
                    kind
                };
                let hand = usize::from(me) * rules.kinds + usize::from(kind);
                undo.hand = Some((hand, self.hands[hand]));
                self.hands[hand] = self.hands[hand].saturating_add(1);
            }
            self.remove(rules, undo, at);
        }
        self.set(undo, step.from, 0);
        self.rights &= !(rules.lost[usize::from(step.from)] | rules.lost[usize::from(step.to)]);
        let lands = if step.into == NO_CHANGE {
            man
        } else {
            code(me, step.into) | if rules.drops { PROMOTED } else { 0 }
        };
        self.set(undo, step.to, lands);
        if rules.royal >> step.kind & 1 == 1 {
            self.royals[usize::from(me)] = step.to;
        }
        if let Sort::Passing(path) = step.sort {
            self.ep = Some(Passed {
                from: step.from,
                path,
                man: step.to,
            });
        }
        if let (Some(spared), Some(_)) = (rules.spared, victim) {
            self.remove(rules, undo, step.to);
            for dir in 0..8u8 {
                let Some(at) = rules.neighbour(step.to, dir) else {
                    continue;
                };
                let man = self.man(at);
                if man != 0 && spared >> kind_of(man) & 1 == 0 {
                    self.remove(rules, undo, at);
                }
            }
        }
    }

    fn remove(&mut self, rules: &Compiled, undo: &mut Undo, at: Square) {
        let man = self.man(at);
        if man != 0 && rules.royal >> kind_of(man) & 1 == 1 {
            self.royals[usize::from(seat_of(man))] = NOWHERE;
        }
        self.rights &= !rules.lost[usize::from(at)];
        self.set(undo, at, 0);
    }

    fn set(&mut self, undo: &mut Undo, at: Square, man: Code) {
        undo.squares[undo.count] = (at, self.board[usize::from(at)]);
        undo.count += 1;
        self.board[usize::from(at)] = man;
    }

    /// Takes a step back.
    pub fn unmake(&mut self, undo: &Undo) {
        for (at, man) in undo.squares[..undo.count].iter().rev() {
            self.board[usize::from(*at)] = *man;
        }
        self.rights = undo.rights;
        self.ep = undo.ep;
        self.royals = undo.royals;
        if let Some((at, count)) = undo.hand {
            self.hands[at] = count;
        }
        self.mover = 1 - self.mover;
    }

    /// Appends every legal step of the mover.
    pub fn legal(&mut self, rules: &Compiled, out: &mut Vec<Step>) {
        let start = out.len();
        self.pseudo(rules, out);
        if rules.guarded {
            let me = self.mover;
            let king = self.royals[usize::from(me)];
            let checked = self.in_check(rules, me);
            let mut kept = start;
            for at in start..out.len() {
                let step = out[at];
                let plain = rules.lines_suffice
                    && !checked
                    && step.from != king
                    && !matches!(step.sort, Sort::EnPassant)
                    && (step.from == NOWHERE || !rules.in_line(king, step.from));
                if plain || self.stands(rules, &step) {
                    out[kept] = step;
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
        if rules.must_capture && out[start..].iter().any(Step::captures) {
            let mut kept = start;
            for at in start..out.len() {
                if out[at].captures() {
                    out[kept] = out[at];
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
    }

    /// Is there a legal step at all?
    pub fn stuck(&mut self, rules: &Compiled) -> bool {
        let mut out = Vec::with_capacity(64);
        self.pseudo(rules, &mut out);
        !out.iter()
            .any(|step| !rules.guarded || self.stands(rules, step))
    }

    /// Does a pseudo-legal step leave the own royal piece safe?
    fn stands(&mut self, rules: &Compiled, step: &Step) -> bool {
        let me = self.mover;
        let undo = self.make(rules, step);
        let own = self.royals[usize::from(me)] != NOWHERE;
        let theirs = self.royals[usize::from(1 - me)] != NOWHERE;
        let fine = own && (!theirs || !self.in_check(rules, me));
        self.unmake(&undo);
        fine
    }

    /// Steps by the moves of the men alone, the royal piece's safety not asked.
    pub fn pseudo(&self, rules: &Compiled, out: &mut Vec<Step>) {
        let me = self.mover;
        for (from, man) in self.board.iter().enumerate() {
            if *man == 0 || seat_of(*man) != me {
                continue;
            }
            let from = from as Square;
            let kind = kind_of(*man);
            let there = rules.special >> kind & 1 == 1 && rules.regional(me, kind, from);
            for made in &rules.gens[usize::from(me)][usize::from(kind)][usize::from(there)] {
                self.along(rules, from, kind, made, out);
            }
        }
        for (no, castle) in rules.castles.iter().enumerate() {
            if castle.seat == me && self.rights >> no & 1 == 1 && self.may_castle(rules, castle) {
                let [from, to, ..] = castle.squares;
                out.push(Step {
                    from,
                    to,
                    kind: kind_of(self.man(from)),
                    into: NO_CHANGE,
                    sort: Sort::Castle(no as u8),
                });
            }
        }
        if rules.drops {
            self.drops(rules, out);
        }
    }

    fn along(&self, rules: &Compiled, from: Square, kind: u8, made: &Gen, out: &mut Vec<Step>) {
        let me = self.mover;
        let m = &made.as_written;
        if m.initial && rules.home[usize::from(from)] & !PROMOTED != self.man(from) & !PROMOTED {
            return;
        }
        let ray = rules.rays.ray(made.dir, from, made.range);
        if ray.is_empty()
            || (made.path != NO_PATH && !self.vacant(rules.paths.between(made.path, from)))
        {
            return;
        }
        let mut mounts = 0u8;
        for to in ray.iter().copied() {
            let there = self.man(to);
            let ready = match m.hop {
                Hop::None => true,
                Hop::Over => mounts == 1,
                Hop::Behind => mounts == 1,
            };
            if ready {
                let own = there != 0 && seat_of(there) == me;
                let passed = there == 0 && m.ep && self.passed(rules, to);
                let sort = if there != 0 && !own && m.mode.capture {
                    Some(Sort::Capture)
                } else if passed {
                    Some(Sort::EnPassant)
                } else if there == 0 && m.mode.quiet {
                    let passing = m.initial && made.path != NO_PATH && !m.mode.capture;
                    Some(if passing {
                        Sort::Passing(made.path)
                    } else {
                        Sort::Quiet
                    })
                } else {
                    None
                };
                if let Some(sort) = sort
                    && rules.inside(me, kind, to)
                {
                    self.with_changes(
                        rules,
                        Step {
                            from,
                            to,
                            kind,
                            into: NO_CHANGE,
                            sort,
                        },
                        out,
                    );
                }
                if m.hop == Hop::Behind {
                    return;
                }
            }
            if there != 0 {
                mounts += 1;
                if m.hop == Hop::None || mounts == 2 {
                    return;
                }
            }
        }
    }

    fn passed(&self, rules: &Compiled, to: Square) -> bool {
        self.ep
            .is_some_and(|p| rules.paths.between(p.path, p.from).contains(&to))
    }

    fn with_changes(&self, rules: &Compiled, step: Step, out: &mut Vec<Step>) {
        let me = self.mover;
        let Some(change) = &rules.change[usize::from(step.kind)] else {
            out.push(step);
            return;
        };
        let left = rules.ranks_left(me, step.to);
        if left >= change.ranks {
            out.push(step);
            return;
        }
        for into in &change.into {
            if !change.lost_only || self.lost(rules, me, *into) {
                out.push(Step {
                    into: *into,
                    ..step
                });
            }
        }
        if change.optional && left > 0 {
            out.push(step);
        }
    }

    /// Has the seat lost a man of this kind?
    fn lost(&self, rules: &Compiled, seat: u8, kind: u8) -> bool {
        let standing = self
            .board
            .iter()
            .filter(|m| **m & !PROMOTED == code(seat, kind))
            .count();
        standing < usize::from(rules.count[usize::from(seat)][usize::from(kind)])
    }

    fn may_castle(&self, rules: &Compiled, castle: &Castle) -> bool {
        castle.free.iter().all(|s| self.man(*s) == 0)
            && (!rules.guarded
                || castle
                    .safe
                    .iter()
                    .all(|s| !self.attacked_by_other(rules, *s)))
    }

    fn attacked_by_other(&self, rules: &Compiled, at: Square) -> bool {
        let other = self.royals[usize::from(1 - self.mover)];
        if rules.spared.is_some() && other != NOWHERE && rules.touch(at, other) {
            return false;
        }
        self.attacked(rules, at, 1 - self.mover)
    }

    fn drops(&self, rules: &Compiled, out: &mut Vec<Step>) {
        let hand = &self.hands[usize::from(self.mover) * rules.kinds..][..rules.kinds];
        for (kind, count) in hand.iter().enumerate() {
            if *count == 0 {
                continue;
            }
            let ends = rules.not_on_ends >> kind & 1 == 1;
            for (to, man) in self.board.iter().enumerate() {
                let to = to as Square;
                if *man != 0
                    || rules.is_hole(to)
                    || (ends && rules.is_end(to))
                    || !rules.inside(self.mover, kind as u8, to)
                {
                    continue;
                }
                out.push(Step {
                    from: NOWHERE,
                    to,
                    kind: kind as u8,
                    into: NO_CHANGE,
                    sort: Sort::Drop,
                });
            }
        }
    }

    /// Legal sequences of `depth` steps; `spare` holds one list for each depth.
    pub fn perft(&mut self, rules: &Compiled, depth: u32, spare: &mut Vec<Vec<Step>>) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut steps = spare.pop().unwrap_or_default();
        steps.clear();
        self.legal(rules, &mut steps);
        let mut count = steps.len() as u64;
        if depth > 1 {
            count = 0;
            for step in &steps {
                let me = self.mover;
                let undo = self.make(rules, step);
                let checks = self.checks;
                if rules.checks > 0 && self.in_check(rules, 1 - me) {
                    self.checks[usize::from(me)] += 1;
                }
                if super::ending::at_once(rules, self).is_none() {
                    count += self.perft(rules, depth - 1, spare);
                }
                self.checks = checks;
                self.unmake(&undo);
            }
        }
        spare.push(steps);
        count
    }
}

impl Step {
    /// Does it take something?
    pub fn captures(&self) -> bool {
        matches!(self.sort, Sort::Capture | Sort::EnPassant)
    }
}
