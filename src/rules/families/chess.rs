//! The chess family: plain games of two sides and one step a turn, told by data.
//!
//! - `spec` is what a rulebook may say;
//! - `compiled` is that made ready for the board, `settle` its goals, promotions and castlings;
//! - `arrange` is a position other than the array;
//! - `pos` makes and takes back steps and knows which are legal;
//! - `ending` knows who has won.
//!
//! Check, mate, castling, promotion and en passant follow the FIDE Laws of Chess (2023), article 3.

mod arrange;
mod compiled;
mod ending;
mod geometry;
mod pos;
mod settle;
pub mod spec;

use serde::{Deserialize, Serialize};

use self::compiled::{Compiled, PROMOTED, kind_of, seat_of};
use self::pos::{NO_CHANGE, Pos, Sort, Step};
use super::super::kit::{Kit, NOWHERE};
use super::super::play::{Ask, Cell, Dice, Ending, Happening, Play, Seat, View, What};
use super::super::rulebook::SpecError;
use super::super::tally::Tally;

/// Compiled rules of one plain game.
#[derive(Debug)]
pub struct Chess {
    rules: Compiled,
}

/// A position of a plain game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    pos: Pos,
    tally: Tally,
    /// The step of this turn is played; the turn has not been passed yet.
    done: bool,
    /// Was that step progress (a capture, or a move of a man that promotes)?
    progress: bool,
    turn: u32,
    last: Vec<u16>,
    end: Option<Ending>,
}

impl Chess {
    /// Counts this position as having occurred: men, hands, castlings, and en passant where possible.
    fn count(&self, s: &mut State) {
        let mut bytes: Vec<u8> = s.pos.board.iter().map(|man| man & !PROMOTED).collect();
        bytes.extend_from_slice(&s.pos.hands);
        bytes.extend_from_slice(&s.pos.rights.to_le_bytes());
        bytes.extend_from_slice(&s.pos.checks);
        bytes.push(s.pos.mover);
        if let Some(passed) = s.pos.ep {
            let mut steps = Vec::new();
            s.pos.legal(&self.rules, &mut steps);
            if steps.iter().any(|step| step.sort == Sort::EnPassant) {
                bytes.extend_from_slice(&passed.man.to_le_bytes());
            }
        }
        s.tally.position(&bytes);
    }

    /// A game from this position on.
    fn open(&self, pos: Pos) -> State {
        let mut s = State {
            pos,
            tally: Tally::default(),
            done: false,
            progress: false,
            turn: 1,
            last: Vec::new(),
            end: None,
        };
        self.count(&mut s);
        s.end = ending::of(&self.rules, &mut s.pos);
        s
    }

    fn man(&self, kit: &Kit, man: u8) -> Cell {
        let kind = kind_of(man & !PROMOTED);
        Cell::Man {
            seat: Seat(seat_of(man)),
            letter: kit.letter(kind),
            mark: (man & PROMOTED != 0).then_some('~'),
            name: kit.pieces.get(usize::from(kind)).map(|p| p.name.clone()),
        }
    }
}

impl Play for Chess {
    type Spec = spec::Spec;
    type State = State;
    type Step = Step;

    fn new(spec: &spec::Spec, kit: &Kit) -> Result<Self, SpecError> {
        Ok(Chess {
            rules: Compiled::new(spec, kit)?,
        })
    }

    fn begin(&self, _kit: &Kit, _dice: &mut dyn Dice, _out: &mut Vec<Happening>) -> State {
        self.open(Pos::begin(&self.rules))
    }

    /// `{"board": rows, "turn": "white", "castling": "KQkq", "ep": "e3", "hands": {..}}`; what is
    /// left out is as at the start.
    fn arrange(&self, kit: &Kit, position: &serde_json::Value) -> Result<State, SpecError> {
        Ok(self.open(arrange::position(&self.rules, kit, position)?))
    }

    fn asks(&self, _kit: &Kit, s: &State) -> Vec<Ask> {
        if s.end.is_some() {
            return Vec::new();
        }
        let mover = if s.done { 1 - s.pos.mover } else { s.pos.mover };
        vec![Ask {
            seat: Seat(mover),
            what: What::Turn,
        }]
    }

    fn steps(&self, _kit: &Kit, s: &State, seat: Seat, out: &mut Vec<Step>) {
        if !s.done && s.end.is_none() && seat.0 == s.pos.mover {
            s.pos.clone().legal(&self.rules, out);
        }
    }

    fn may_stop(&self, _kit: &Kit, s: &State, _seat: Seat) -> bool {
        s.done
    }

    fn step(
        &self,
        _kit: &Kit,
        s: &mut State,
        _seat: Seat,
        step: &Step,
        _dice: &mut dyn Dice,
        _out: &mut Vec<Happening>,
    ) {
        let me = s.pos.mover;
        s.pos.make(&self.rules, step);
        s.last = [step.from, step.to]
            .into_iter()
            .filter(|sq| *sq != NOWHERE)
            .collect();
        if let Sort::Castle(no) = step.sort {
            s.last = self.rules.castles[usize::from(no)].squares.to_vec();
        }
        s.progress = step.captures()
            || self.rules.change[usize::from(step.kind)].is_some()
            || step.sort == Sort::Drop
            || step.into != NO_CHANGE;
        if self.rules.checks > 0 && s.pos.in_check(&self.rules, 1 - me) {
            s.pos.checks[usize::from(me)] += 1;
        }
        s.done = true;
        s.end = ending::of(&self.rules, &mut s.pos);
    }

    fn stop(
        &self,
        _kit: &Kit,
        s: &mut State,
        _seat: Seat,
        _dice: &mut dyn Dice,
        _out: &mut Vec<Happening>,
    ) {
        s.done = false;
        s.turn = s.turn.saturating_add(1);
        s.tally.turn(s.progress);
        self.count(s);
        if s.end.is_none() {
            s.end = s.tally.ending();
        }
    }

    fn ending(&self, _kit: &Kit, s: &State) -> Option<Ending> {
        s.end.clone()
    }

    fn say(&self, kit: &Kit, _s: &State, step: &Step) -> String {
        let to = kit.name(step.to);
        let mut text = match step.sort {
            Sort::Castle(no) => {
                let long = self.rules.castles[usize::from(no)].long;
                return if long { "O-O-O" } else { "O-O" }.to_owned();
            }
            Sort::Drop => return format!("{}@{to}", kit.letter(step.kind)),
            _ => {
                let sign = if step.captures() { 'x' } else { '-' };
                format!("{}{}{sign}{to}", kit.prefix(step.kind), kit.name(step.from))
            }
        };
        if step.sort == Sort::EnPassant {
            text.push_str("ep");
        }
        if step.into != NO_CHANGE {
            text.push('=');
            text.push(kit.letter(step.into));
        }
        text
    }

    fn view(&self, kit: &Kit, s: &State, _eyes: Option<Seat>) -> View {
        let cells = (s.pos.board.iter().zip(&kit.holes))
            .map(|(man, hole)| match (man, hole) {
                (_, true) => Cell::Hole,
                (0, _) => Cell::Empty,
                (man, _) => self.man(kit, *man),
            })
            .collect();
        let mut notes = Vec::new();
        for seat in 0..2u8 {
            if self.rules.drops {
                let hand: Vec<String> = s.pos.hands[usize::from(seat) * self.rules.kinds..]
                    [..self.rules.kinds]
                    .iter()
                    .enumerate()
                    .filter(|(_, n)| **n > 0)
                    .map(|(kind, n)| match n {
                        1 => kit.letter(kind as u8).to_string(),
                        n => format!("{}{n}", kit.letter(kind as u8)),
                    })
                    .collect();
                let hand = if hand.is_empty() {
                    "nothing".to_owned()
                } else {
                    hand.join(" ")
                };
                notes.push((Some(Seat(seat)), "In hand".to_owned(), hand));
            }
            if self.rules.checks > 0 {
                let given = format!(
                    "{} of {}",
                    s.pos.checks[usize::from(seat)],
                    self.rules.checks
                );
                notes.push((Some(Seat(seat)), "Checks given".to_owned(), given));
            }
        }
        if s.end.is_none() && !s.done && s.pos.in_check(&self.rules, s.pos.mover) {
            notes.push((
                Some(Seat(s.pos.mover)),
                "Check".to_owned(),
                "the king is in check".to_owned(),
            ));
        }
        View {
            files: kit.files,
            ranks: kit.ranks,
            cells,
            last: s.last.clone(),
            to_move: self.asks(kit, s).into_iter().map(|a| a.seat).collect(),
            notes,
            four: false,
            leaderless: Vec::new(),
        }
    }

    fn turn_no(&self, s: &State) -> u32 {
        s.turn
    }

    fn draw_claim(&self, _kit: &Kit, s: &State) -> Option<String> {
        if s.end.is_some() {
            None
        } else {
            s.tally.claim()
        }
    }

    fn perft(&self, _kit: &Kit, s: &State, depth: u32) -> Option<u64> {
        if s.done {
            return None;
        }
        if s.end.is_some() {
            return Some(u64::from(depth == 0));
        }
        Some(s.pos.clone().perft(&self.rules, depth, &mut Vec::new()))
    }

    fn why_not(&self, kit: &Kit, s: &State, seat: Seat, text: &str) -> Option<String> {
        let squares = kit.squares_in(text);
        let mut pos = s.pos.clone();
        if let [from, ..] = squares.as_slice()
            && squares.len() > 1
        {
            let man = pos.board[usize::from(*from)];
            if man == 0 {
                return Some(format!("{} is vacant", kit.name(*from)));
            }
            if seat_of(man) != seat.0 {
                return Some(format!("the man on {} is not yours", kit.name(*from)));
            }
        }
        if pos.in_check(&self.rules, pos.mover) {
            return Some("your king is in check".to_owned());
        }
        let mut legal = Vec::new();
        pos.legal(&self.rules, &mut legal);
        if self.rules.must_capture && legal.iter().any(Step::captures) {
            return Some("who can capture must".to_owned());
        }
        let mut all = Vec::new();
        pos.pseudo(&self.rules, &mut all);
        let exposes = |step: &Step| squares == [step.from, step.to] && !legal.contains(step);
        all.iter()
            .any(exposes)
            .then(|| "it would leave your king in check".to_owned())
    }
}

#[cfg(test)]
mod tests;
