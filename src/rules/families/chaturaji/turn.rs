//! How a turn runs: dice, captures, ravens, promotion, exchange, the next seat.

use super::super::super::kit::{Kit, Man, Square};
use super::super::super::play::{Dice, Ending, Happening, Seat};
use super::{
    Chaturaji, Choice, DICE_EACH, Die, OPENING_ROLLS_MAX, PASSES_MAX, Phase, QUIET_ROUNDS_MAX,
    SEATS, SIDES, State, partners, words,
};

/// Each seat rolls one die; the team with the higher sum begins, ties are rolled again (1.4).
/// Answers the first seat of that team.
pub(super) fn opening(dice: &mut dyn Dice, out: &mut Vec<Happening>) -> u8 {
    for roll in 0..OPENING_ROLLS_MAX {
        dice.slot(0, roll);
        let fell: Vec<u16> = (0..SEATS)
            .map(|seat| dice.roll(Seat(seat), u16::from(SIDES)))
            .collect();
        let sum = |team: usize| -> u32 {
            fell.iter()
                .skip(team)
                .step_by(2)
                .map(|d| u32::from(*d))
                .sum()
        };
        let (first, second) = (sum(0), sum(1));
        out.push(Happening::Rolled {
            seat: Seat(0),
            dice: (0..SEATS)
                .map(Seat)
                .zip(fell.into_iter().map(|d| vec![d]))
                .collect(),
        });
        if first != second {
            return u8::from(second > first);
        }
    }
    0
}

impl Chaturaji {
    pub(super) fn fresh(&self, board: Vec<Option<Man>>, phase: Phase, turn: u8) -> State {
        State {
            board,
            phase,
            turn,
            turn_no: 1,
            dice: Vec::new(),
            exchange: false,
            progress: false,
            quiet: 0,
            last: Vec::new(),
            fresh: true,
            over: None,
        }
    }

    /// Begins the turn of the seat to move: rolls, and passes over seats that have no choice.
    pub(super) fn open(
        &self,
        kit: &Kit,
        s: &mut State,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        for _ in 0..PASSES_MAX {
            s.phase = Phase::Turn;
            s.exchange = false;
            s.progress = false;
            s.fresh = true;
            s.dice.clear();
            let armies = self.commands(s, s.turn);
            if !armies.is_empty() {
                dice.slot(s.turn_no, 0);
                let mut fell = Vec::with_capacity(armies.len());
                for army in armies {
                    let values: Vec<u16> = (0..DICE_EACH)
                        .map(|_| {
                            dice.roll(Seat(army), u16::from(SIDES))
                                .clamp(1, u16::from(SIDES))
                        })
                        .collect();
                    s.dice.extend(values.iter().map(|v| Die {
                        army,
                        value: *v as u8,
                        used: false,
                    }));
                    fell.push((Seat(army), values));
                }
                out.push(Happening::Rolled {
                    seat: Seat(s.turn),
                    dice: fell,
                });
                if self.visit(kit, s, |_| true) {
                    return;
                }
            }
            out.push(Happening::Passed { seat: Seat(s.turn) });
            self.advance(s);
            if s.over.is_some() {
                return;
            }
        }
        s.over = Some(Ending::draw("no legal move"));
    }

    /// The turn passes clockwise.
    fn advance(&self, s: &mut State) {
        s.quiet = if s.progress {
            0
        } else {
            s.quiet.saturating_add(1)
        };
        s.turn = (s.turn + 1) % SEATS;
        s.turn_no = s.turn_no.saturating_add(1);
        if self.quiet_max.is_some_and(|most| s.quiet >= most) {
            s.over = Some(Ending::draw("no progress"));
        }
    }

    fn next_seat(&self, kit: &Kit, s: &mut State, dice: &mut dyn Dice, out: &mut Vec<Happening>) {
        self.advance(s);
        if s.over.is_none() {
            self.open(kit, s, dice, out);
        }
    }

    /// One move: die, capture, ravens, promotion, the end.
    pub(super) fn play(
        &self,
        kit: &Kit,
        s: &mut State,
        (value, from, to, becomes): (u8, Square, Square, Option<u8>),
        out: &mut Vec<Happening>,
    ) {
        let Some(man) = s.at(from) else {
            return;
        };
        let fits = |d: &&mut Die| !d.used && d.army == man.seat && d.value == value;
        let Some(die) = s.dice.iter_mut().find(fits) else {
            return;
        };
        die.used = true;
        s.touch(&[from, to]);
        s.board[usize::from(from)] = None;
        let taken = s.board[usize::from(to)].replace(Man {
            seat: man.seat,
            kind: becomes.unwrap_or(man.kind),
        });
        s.progress |= taken.is_some() || man.kind == self.squire;
        if man.kind == self.raven && taken.is_none() {
            self.unkindness(kit, s, man.seat, from, to, out);
        }
        self.judge(s);
        if s.over.is_none() && taken.is_some_and(|t| t.kind == self.monarch) {
            s.exchange |= self.one_each(s);
        }
    }

    /// A raven that comes to the vacant fourth square of the centre removes the three ravens of
    /// the other colours there (1.6).
    fn unkindness(
        &self,
        kit: &Kit,
        s: &mut State,
        seat: u8,
        from: Square,
        to: Square,
        out: &mut Vec<Happening>,
    ) {
        if !self.centre.contains(&to) || self.centre.contains(&from) {
            return;
        }
        let others: Vec<(Square, Man)> = self
            .centre
            .iter()
            .filter(|sq| **sq != to)
            .filter_map(|sq| s.at(*sq).map(|man| (*sq, man)))
            .filter(|(_, man)| man.kind == self.raven && man.seat != seat)
            .collect();
        // no colour owns two ravens, so three others are the three other colours
        if others.len() + 1 != self.centre.len() {
            return;
        }
        let mut fell = Vec::with_capacity(others.len());
        for (sq, man) in others {
            s.board[usize::from(sq)] = None;
            s.last.push(sq);
            fell.push(words::whose(kit, man, sq));
        }
        s.progress = true;
        out.push(Happening::Remark(format!(
            "an unkindness of ravens: {} fell",
            words::list(&fell)
        )));
    }

    /// Ends the game when both monarchs of a partnership are off the board (1.10).
    pub(super) fn judge(&self, s: &mut State) {
        for team in [0, 1] {
            if self.captured(s, team).count() == 2 {
                let winners: Vec<Seat> = (0..SEATS)
                    .filter(|seat| !partners(*seat, team))
                    .map(Seat)
                    .collect();
                s.over = Some(Ending::win(winners, "both monarchs captured"));
            }
        }
    }

    /// The leaderless seats of a seat's partnership.
    fn captured<'a>(&'a self, s: &'a State, team: u8) -> impl Iterator<Item = u8> + 'a {
        (0..SEATS).filter(move |seat| partners(*seat, team) && self.leaderless(s, *seat))
    }

    fn one_each(&self, s: &State) -> bool {
        [0, 1]
            .into_iter()
            .all(|team| self.captured(s, team).count() == 1)
    }

    /// The turn is over: an exchange is asked for where one is open and still possible.
    pub(super) fn close(
        &self,
        kit: &Kit,
        s: &mut State,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        s.dice.clear();
        if s.exchange && self.one_each(s) {
            s.phase = Phase::Exchange;
        } else {
            self.next_seat(kit, s, dice, out);
        }
    }

    /// The capturing seat decided; it says who places first (1.9).
    pub(super) fn exchange(
        &self,
        kit: &Kit,
        s: &mut State,
        choice: Choice,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        let own = self.captured(s, s.turn).next();
        let other = self.captured(s, (s.turn + 1) % SEATS).next();
        let (Some(own), Some(other)) = (own, other) else {
            return self.next_seat(kit, s, dice, out);
        };
        let (first, second) = match choice {
            Choice::First => (own, other),
            Choice::Second => (other, own),
            Choice::No => return self.next_seat(kit, s, dice, out),
        };
        s.progress = true;
        s.phase = Phase::Place(first, Some(second));
        self.settle(kit, s, dice, out);
    }

    /// The squares where a monarch may return: its home row, that failing the second (A22).
    pub(super) fn vacant(&self, s: &State, owner: u8) -> Vec<Square> {
        self.rows[usize::from(owner)]
            .iter()
            .map(|row| -> Vec<Square> {
                row.iter()
                    .copied()
                    .filter(|sq| s.at(*sq).is_none())
                    .collect()
            })
            .find(|row| !row.is_empty())
            .unwrap_or_default()
    }

    pub(super) fn place(
        &self,
        kit: &Kit,
        s: &mut State,
        sq: Square,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        self.put(s, sq);
        self.settle(kit, s, dice, out);
    }

    /// The owner whose turn it is to place does so, and is not asked any more.
    fn put(&self, s: &mut State, sq: Square) {
        let Phase::Place(owner, then) = s.phase else {
            return;
        };
        s.touch(&[sq]);
        s.board[usize::from(sq)] = Some(Man {
            seat: owner,
            kind: self.monarch,
        });
        s.phase = then.map_or(Phase::Turn, |next| Phase::Place(next, None));
    }

    /// Places where only one square is possible; passes on where none is (A21).
    fn settle(&self, kit: &Kit, s: &mut State, dice: &mut dyn Dice, out: &mut Vec<Happening>) {
        while let Phase::Place(owner, then) = s.phase {
            match self.vacant(s, owner).as_slice() {
                [] => {
                    out.push(Happening::Remark(format!(
                        "{} has no vacant square for its monarch, which stays captured",
                        words::seat_name(kit, owner)
                    )));
                    s.phase = then.map_or(Phase::Turn, |next| Phase::Place(next, None));
                }
                [only] => {
                    out.push(Happening::Placed {
                        seat: Seat(owner),
                        text: words::placed(kit, self, *only),
                        forced: true,
                    });
                    self.put(s, *only);
                }
                _ => return,
            }
        }
        self.next_seat(kit, s, dice, out);
    }
}

/// Turns of a seat that the option allows without progress.
pub(super) fn quiet_turns() -> u16 {
    QUIET_ROUNDS_MAX * u16::from(SEATS)
}
