//! Martian Chaturaji (chaturaji.md): four seats in two partnerships, two dice a turn for each army
//! that a seat commands, each die naming the kind of man that may move.
//!
//! Which armies a seat commands is read at the start of its turn and holds to its end: one's own,
//! and the one on whose throne one's monarch stands while that army's monarch is captured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::betza::Move;
use super::super::kit::{Kit, Man, Square};
use super::super::play::{Ask, Dice, Ending, Happening, NoDice, Play, Seat, View, What};
use super::super::rulebook::SpecError;

mod moves;
mod setup;
mod turn;
mod words;

/// Sides of a die, and so the number of kinds that dice name.
pub const SIDES: u8 = 4;
/// Seats of the game; partners sit opposite each other.
pub const SEATS: u8 = 4;
/// Dice for each commanded army.
pub const DICE_EACH: usize = 2;
/// Opening rolls before ties go to the first seat's team. Fair dice tie so often once in 10^24.
pub const OPENING_ROLLS_MAX: u32 = 32;
/// Seats passed over in a row before the game is called off as stuck: nobody can move.
pub const PASSES_MAX: u32 = 400;
/// Rounds without progress that the option `noprogress` allows (chaturaji.md 1.10).
pub const QUIET_ROUNDS_MAX: u16 = 50;

/// Settings of the family.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The kind that each value of a die names, 1 first.
    pub dice: Vec<char>,
    /// The kind whose loss costs the command.
    pub monarch: char,
    /// The kind whose fourth man removes the three others in the centre.
    pub raven: char,
    /// The four squares of the centre.
    pub centre: Vec<String>,
    /// The kind that promotes.
    pub squire: char,
    /// What it may become, where that is off the board.
    pub promotions: Vec<char>,
}

/// The compiled rules.
#[derive(Debug)]
pub struct Chaturaji {
    /// Kind of each value of a die.
    order: [u8; SIDES as usize],
    monarch: u8,
    raven: u8,
    squire: u8,
    promotions: Vec<u8>,
    centre: Vec<Square>,
    /// The square a monarch starts on, by seat (A7).
    thrones: [Square; SEATS as usize],
    /// Home row and second row by seat.
    rows: [[Vec<Square>; 2]; SEATS as usize],
    /// Moves by seat and kind, turned the way the seat looks.
    strides: Vec<Vec<Move>>,
    late: bool,
    quiet_max: Option<u16>,
    first: Vec<Option<Man>>,
}

/// What the game waits for.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Phase {
    /// The team of this seat names who begins.
    Start(u8),
    /// The seat to move uses its dice.
    Turn,
    /// The seat that moved decides on an exchange of monarchs.
    Exchange,
    /// The first seat places its monarch; the second, where there is one, after it.
    Place(u8, Option<u8>),
}

/// A die of an army that fell and may be used.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Die {
    army: u8,
    value: u8,
    used: bool,
}

/// Position, dice and the turn so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    board: Vec<Option<Man>>,
    phase: Phase,
    turn: u8,
    turn_no: u32,
    /// The dice of this turn; their armies are the commanded ones.
    dice: Vec<Die>,
    /// A capture of this turn opened an exchange.
    exchange: bool,
    /// Something of this turn counts as progress.
    progress: bool,
    /// Turns of a seat without progress, running.
    quiet: u16,
    /// Squares touched by this turn, or before its first step by the one before.
    last: Vec<Square>,
    fresh: bool,
    over: Option<Ending>,
}

impl State {
    fn at(&self, sq: Square) -> Option<Man> {
        self.board.get(usize::from(sq)).copied().flatten()
    }
    fn has(&self, seat: u8, kind: u8) -> bool {
        self.board.contains(&Some(Man { seat, kind }))
    }
    fn touch(&mut self, squares: &[Square]) {
        if std::mem::take(&mut self.fresh) {
            self.last.clear();
        }
        self.last.extend_from_slice(squares);
    }
}

/// The seat opposite.
fn partner(seat: u8) -> u8 {
    (seat + 2) % SEATS
}

/// Whether two seats are of one partnership.
fn partners(a: u8, b: u8) -> bool {
    a % 2 == b % 2
}

/// Who places first when monarchs are exchanged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The capturing side.
    First,
    /// The other side does.
    Second,
    /// No exchange.
    No,
}

/// The smallest thing a player orders.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The seat that begins.
    Start(u8),
    /// A die spent on a move; on a promotion in place where start and target are one.
    Move {
        /// What the die shows.
        die: u8,
        /// Start.
        from: Square,
        /// Target.
        to: Square,
        /// The kind a squire becomes.
        becomes: Option<u8>,
    },
    /// Exchange of monarchs or not.
    Exchange(Choice),
    /// The square for a monarch that returns.
    Place(Square),
}

impl Play for Chaturaji {
    type Spec = Spec;
    type State = State;
    type Step = Step;

    const OPTIONS: &'static [(&'static str, &'static [&'static str])] = &[
        ("noprogress", &["off", "50"]),
        ("monarch", &["promotes", "never"]),
        ("late_promotion", &["false", "true"]),
    ];

    fn new(spec: &Spec, kit: &Kit) -> Result<Self, SpecError> {
        setup::compile(spec, kit)
    }

    fn begin(&self, _: &Kit, dice: &mut dyn Dice, out: &mut Vec<Happening>) -> State {
        let team = turn::opening(dice, out);
        self.fresh(self.first.clone(), Phase::Start(team), team)
    }

    fn asks(&self, _: &Kit, s: &State) -> Vec<Ask> {
        if s.over.is_some() {
            return Vec::new();
        }
        let ask = |seat: u8, what: What| Ask {
            seat: Seat(seat),
            what,
        };
        match s.phase {
            Phase::Start(team) => (0..SEATS)
                .filter(|seat| partners(*seat, team))
                .map(|seat| ask(seat, What::Start))
                .collect(),
            Phase::Turn => vec![ask(s.turn, What::Turn)],
            Phase::Exchange => vec![ask(s.turn, What::Exchange)],
            Phase::Place(owner, _) => vec![ask(owner, What::Place)],
        }
    }

    fn steps(&self, kit: &Kit, s: &State, seat: Seat, out: &mut Vec<Step>) {
        if !self.asks(kit, s).iter().any(|a| a.seat == seat) {
            return;
        }
        match s.phase {
            Phase::Start(team) => out.extend(
                (0..SEATS)
                    .filter(|seat| partners(*seat, team))
                    .map(Step::Start),
            ),
            Phase::Turn => {
                self.visit(kit, s, |step| {
                    out.push(step);
                    false
                });
            }
            Phase::Exchange => {
                out.extend([Choice::First, Choice::Second, Choice::No].map(Step::Exchange));
            }
            Phase::Place(owner, _) => {
                out.extend(self.vacant(s, owner).into_iter().map(Step::Place));
            }
        }
    }

    /// Any die, or all, may be left unused (1.5).
    fn may_stop(&self, _: &Kit, s: &State, _: Seat) -> bool {
        s.phase == Phase::Turn
    }

    /// No move is ever played for a player: each may be declined.
    fn forced(&self, _: &Kit, _: &State, _: Seat) -> Option<Step> {
        None
    }

    fn step(
        &self,
        kit: &Kit,
        s: &mut State,
        seat: Seat,
        step: &Step,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        match *step {
            Step::Start(who) => {
                out.push(Happening::Started { seat: Seat(who) });
                s.turn = who;
                self.open(kit, s, dice, out);
            }
            Step::Move {
                die,
                from,
                to,
                becomes,
            } => self.play(kit, s, (die, from, to, becomes), out),
            Step::Exchange(choice) => {
                out.push(Happening::Exchange {
                    seat,
                    choice: words::choice(choice).to_owned(),
                });
                self.exchange(kit, s, choice, dice, out);
            }
            Step::Place(sq) => {
                out.push(Happening::Placed {
                    seat,
                    text: words::say(kit, s, self, step),
                    forced: false,
                });
                self.place(kit, s, sq, dice, out);
            }
        }
    }

    fn stop(
        &self,
        kit: &Kit,
        s: &mut State,
        _: Seat,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        if s.over.is_none() && s.phase == Phase::Turn {
            self.close(kit, s, dice, out);
        }
    }

    fn ending(&self, _: &Kit, s: &State) -> Option<Ending> {
        s.over.clone()
    }

    fn say(&self, kit: &Kit, s: &State, step: &Step) -> String {
        words::say(kit, s, self, step)
    }

    fn view(&self, kit: &Kit, s: &State, _: Option<Seat>) -> View {
        words::view(self, kit, s)
    }

    fn turn_no(&self, s: &State) -> u32 {
        s.turn_no
    }

    /// `{"men": {"green": "Mf1 Pg1"}, "turn": "green", "dice": {"green": [1, 1]}}`; an army whose
    /// dice are not told has ones, a kind that is not told is captured.
    fn arrange(&self, kit: &Kit, position: &serde_json::Value) -> Result<State, SpecError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Position {
            men: Option<BTreeMap<String, String>>,
            turn: Option<String>,
            #[serde(default)]
            dice: BTreeMap<String, Vec<u16>>,
        }
        let given: Position = serde_json::from_value(position.clone())
            .map_err(|e| SpecError::new(format!("position: {e}")))?;
        let board = match &given.men {
            Some(men) => setup::men(kit, men)?,
            None => self.first.clone(),
        };
        self.check(kit, &board)?;
        let turn = match &given.turn {
            Some(name) => setup::seat(kit, name)?,
            None => 0,
        };
        let mut told = setup::Told::default();
        for (name, values) in given.dice {
            told.add(setup::seat(kit, &name)?, values)?;
        }
        let mut s = self.fresh(board, Phase::Turn, turn);
        self.judge(&mut s);
        if s.over.is_none() {
            self.open(kit, &mut s, &mut told, &mut Vec::new());
        }
        Ok(s)
    }

    fn why_not(&self, kit: &Kit, s: &State, seat: Seat, text: &str) -> Option<String> {
        if s.over.is_some() {
            return None;
        }
        match s.phase {
            Phase::Turn if seat.0 == s.turn => words::why_not(self, kit, s, text),
            Phase::Place(owner, _) if seat.0 == owner => Some(words::why_not_there(self, kit, s)),
            _ => None,
        }
    }

    /// Sequences of one turn only: what follows hangs on dice that have not fallen.
    fn perft(&self, kit: &Kit, s: &State, depth: u32) -> Option<u64> {
        if depth != 1 || s.phase != Phase::Turn || s.over.is_some() {
            return None;
        }
        let mut count = 0;
        self.visit(kit, s, |step| {
            let mut next = s.clone();
            self.step(
                kit,
                &mut next,
                Seat(s.turn),
                &step,
                &mut NoDice,
                &mut vec![],
            );
            let more = self.visit(kit, &next, |_| true);
            count += 1;
            if next.over.is_none() && more {
                count += self.perft(kit, &next, 1).unwrap_or(0);
            }
            false
        });
        Some(count)
    }
}
