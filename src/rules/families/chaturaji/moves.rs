//! What a die allows: the kind it names, where a man of that kind may go, whom it may capture.

use super::super::super::betza::Move;
use super::super::super::kit::{Kit, Man, Square};
use super::{Chaturaji, SIDES, State, Step, partner, partners};

impl Chaturaji {
    /// Whether this seat is without its monarch.
    pub(super) fn leaderless(&self, s: &State, seat: u8) -> bool {
        !s.has(seat, self.monarch)
    }

    /// The armies that a seat commands when its turn begins (1.5), in seat order.
    pub(super) fn commands(&self, s: &State, seat: u8) -> Vec<u8> {
        let throne = |of: u8| s.at(self.thrones[usize::from(of)]);
        let monarch = |of: u8| {
            Some(Man {
                seat: of,
                kind: self.monarch,
            })
        };
        if self.leaderless(s, seat) {
            let rescued = throne(seat) == monarch(partner(seat));
            return if rescued { vec![seat] } else { Vec::new() };
        }
        (0..super::SEATS)
            .filter(|army| {
                *army == seat || (self.leaderless(s, *army) && throne(*army) == monarch(seat))
            })
            .collect()
    }

    /// The kind a die of that value names for an army now: the first of at least that value that
    /// is on the board (A4, A5).
    pub(super) fn named(&self, s: &State, army: u8, value: u8) -> Option<u8> {
        (value.max(1)..=SIDES)
            .map(|v| self.order[usize::from(v - 1)])
            .find(|kind| s.has(army, *kind))
    }

    /// May a man of `army`, commanded by `by`, capture a man of `of` (1.8)?
    pub(super) fn may_capture(&self, s: &State, by: u8, army: u8, of: u8) -> bool {
        if of == army || of == by {
            return false;
        }
        if !partners(of, by) {
            return true;
        }
        let on_throne = s.at(self.thrones[usize::from(of)]);
        self.leaderless(s, of)
            && on_throne.is_some_and(|m| m.kind == self.monarch && !partners(m.seat, of))
    }

    /// Calls `each` with every legal step of the turn until it answers true. Dice of one army that
    /// show the same count once.
    pub(super) fn visit(&self, kit: &Kit, s: &State, mut each: impl FnMut(Step) -> bool) -> bool {
        for (i, die) in s.dice.iter().enumerate() {
            let same = |d: &super::Die| !d.used && d.army == die.army && d.value == die.value;
            if die.used || s.dice[..i].iter().any(same) {
                continue;
            }
            let Some(kind) = self.named(s, die.army, die.value) else {
                continue;
            };
            let man = Man {
                seat: die.army,
                kind,
            };
            for from in 0..s.board.len() as Square {
                if s.at(from) != Some(man) {
                    continue;
                }
                let step = |to: Square, becomes: Option<u8>| Step::Move {
                    die: die.value,
                    from,
                    to,
                    becomes,
                };
                if self.late
                    && self.far(man, from)
                    && self.off(s, man.seat).any(|k| each(step(from, Some(k))))
                {
                    return true;
                }
                if self.targets(kit, s, from, man, |to| {
                    each(step(to, None))
                        || (self.far(man, to)
                            && self.off(s, man.seat).any(|k| each(step(to, Some(k)))))
                }) {
                    return true;
                }
            }
        }
        false
    }

    /// Is this a squire's square of promotion: its partner's home row (1.7)?
    pub(super) fn far(&self, man: Man, sq: Square) -> bool {
        man.kind == self.squire && self.rows[usize::from(partner(man.seat))][0].contains(&sq)
    }

    /// The kinds a squire of that colour may become: those it has lost.
    pub(super) fn off<'a>(&'a self, s: &'a State, seat: u8) -> impl Iterator<Item = u8> + 'a {
        self.promotions
            .iter()
            .copied()
            .filter(move |kind| !s.has(seat, *kind))
    }

    /// Calls `each` with every square the man may go to until it answers true.
    pub(super) fn targets(
        &self,
        kit: &Kit,
        s: &State,
        from: Square,
        man: Man,
        mut each: impl FnMut(Square) -> bool,
    ) -> bool {
        let seat = usize::from(man.seat);
        let strides = &self.strides[seat * kit.pieces.len() + usize::from(man.kind)];
        strides.iter().any(|stride| {
            if stride.initial && kit.setup[usize::from(from)] != Some(man) {
                return false;
            }
            self.along(kit, s, from, man, stride, &mut each)
        })
    }

    fn along(
        &self,
        kit: &Kit,
        s: &State,
        from: Square,
        man: Man,
        stride: &Move,
        each: &mut impl FnMut(Square) -> bool,
    ) -> bool {
        if stride.lame {
            let vacant = |(df, dr): (i8, i8)| {
                kit.offset(from, df, dr)
                    .is_some_and(|sq| s.at(sq).is_none() && !kit.holes[usize::from(sq)])
            };
            if !stride.between().into_iter().all(vacant) {
                return false;
            }
        }
        let mut at = from;
        for _ in 0..stride.range {
            let Some(to) = kit.offset(at, stride.dx, stride.dy) else {
                return false;
            };
            if kit.holes[usize::from(to)] {
                return false;
            }
            match s.at(to) {
                None => {
                    if stride.mode.quiet && each(to) {
                        return true;
                    }
                }
                Some(other) => {
                    return stride.mode.capture
                        && self.may_capture(s, s.turn, man.seat, other.seat)
                        && each(to);
                }
            }
            at = to;
        }
        false
    }
}
