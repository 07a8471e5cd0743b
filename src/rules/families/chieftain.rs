//! Chieftain Chess, Superchief and Overlord (chieftain.md): a turn of as many moves as there are
//! chieftains, each move paid for by a chieftain in range of the man that moves.
//!
//! Which chieftain pays is never chosen greedily: a list of moves is legal when *some* assignment
//! pays for all of it, so the state keeps a matching and mends it along augmenting paths.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::kit::{Kit, Man, NOWHERE, Square};
use super::super::play::{Ask, Dice, Ending, Happening, NoDice, Play, Seat, View, What};
use super::super::rulebook::SpecError;
use super::super::tally::Tally;

mod command;
mod walks;
mod words;

use command::{Command, LEADERS_MAX, MOVES_MAX};
pub use walks::Walk;

/// Settings of the family.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Letter of the leader.
    pub leader: char,
    /// Kinds of leader by the value of the option `leaders` (chieftain.md 6).
    pub leaders: BTreeMap<String, Leader>,
    /// How each letter moves.
    pub men: BTreeMap<char, Walk>,
}

/// What one leader can do in a turn.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leader {
    /// How many men it activates in one turn.
    pub moves: u8,
    /// King-distance within which a man must start.
    pub range: u8,
}

/// The compiled rules.
#[derive(Debug)]
pub struct Chieftain {
    leader: u8,
    power: Leader,
    /// Walk of each kind of the kit.
    walks: Vec<Walk>,
    first: Vec<u8>,
}

/// Vacant, in a [`State`]'s board; otherwise 1 + kind * 2 + seat.
const VACANT: u8 = 0;

fn code(man: Man) -> u8 {
    1 + man.kind * 2 + man.seat
}
fn man(code: u8) -> Option<Man> {
    let code = code.checked_sub(1)?;
    Some(Man {
        seat: code % 2,
        kind: code / 2,
    })
}

/// Position, history, and the turn so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    board: Vec<u8>,
    turn: u8,
    turn_no: u32,
    command: Command,
    /// From and to of the moves of this turn, then what is left of the turn before.
    trail: [[Square; 2]; MOVES_MAX],
    /// Entries of the trail that boards mark: this turn's, or before its first move the last one's.
    shown: u8,
    captured: bool,
    passes: u8,
    tally: Tally,
    over: Option<Ending>,
}

impl State {
    fn at(&self, sq: Square) -> Option<Man> {
        self.board.get(usize::from(sq)).and_then(|c| man(*c))
    }
    fn has_moved(&self, sq: Square) -> bool {
        self.trail[..usize::from(self.command.made())]
            .iter()
            .any(|t| t[1] == sq)
    }
}

/// One move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Start.
    pub from: Square,
    /// Target.
    pub to: Square,
}

impl Chieftain {
    /// Calls `each` with every legal step until it answers true.
    fn visit(&self, kit: &Kit, s: &State, mut each: impl FnMut(Step) -> bool) -> bool {
        if s.command.left() == 0 {
            return false;
        }
        let payers = s.command.payers();
        for (i, code) in s.board.iter().enumerate() {
            let from = i as Square;
            let Some(piece) = man(*code).filter(|m| m.seat == s.turn) else {
                continue;
            };
            if s.command.in_range(kit, from, self.power.range) & payers == 0 || s.has_moved(from) {
                continue;
            }
            if self.targets(kit, s, from, piece, |to| each(Step { from, to })) {
                return true;
            }
        }
        false
    }

    fn targets(
        &self,
        kit: &Kit,
        s: &State,
        from: Square,
        piece: Man,
        mut each: impl FnMut(Square) -> bool,
    ) -> bool {
        let vacant = |sq: Square| {
            sq != NOWHERE && s.board[usize::from(sq)] == VACANT && !kit.holes[usize::from(sq)]
        };
        self.walks[usize::from(piece.kind)].targets(kit, from, vacant, |to| {
            !kit.holes[usize::from(to)] && s.at(to).is_none_or(|m| m.seat != piece.seat) && each(to)
        })
    }

    fn leaders(&self, s: &State, of: u8) -> usize {
        let wanted = code(Man {
            seat: of,
            kind: self.leader,
        });
        s.board.iter().filter(|c| **c == wanted).count()
    }

    /// Begins the turn of the side to move; passes by force while a side has no legal move.
    fn open(&self, kit: &Kit, s: &mut State, out: &mut Vec<Happening>) {
        loop {
            let wanted = code(Man {
                seat: s.turn,
                kind: self.leader,
            });
            let squares =
                (0..s.board.len() as Square).filter(|sq| s.board[usize::from(*sq)] == wanted);
            s.command = Command::new(squares, self.power.moves);
            s.captured = false;
            let mut bytes = s.board.clone();
            bytes.push(s.turn);
            s.tally.position(&bytes);
            s.over = s.tally.ending();
            if s.over.is_some() {
                return;
            }
            if self.visit(kit, s, |_| true) {
                s.passes = 0;
                return;
            }
            out.push(Happening::Passed { seat: Seat(s.turn) });
            s.passes += 1;
            if s.passes >= 2 {
                s.over = Some(Ending::draw("forced passes"));
                return;
            }
            s.tally.turn(false);
            s.turn = 1 - s.turn;
            s.turn_no = s.turn_no.saturating_add(1);
        }
    }

    fn start(&self, kit: &Kit, board: Vec<u8>, turn: u8, out: &mut Vec<Happening>) -> State {
        let mut s = State {
            board,
            turn,
            turn_no: 1,
            command: Command::default(),
            trail: [[0; 2]; MOVES_MAX],
            shown: 0,
            captured: false,
            passes: 0,
            tally: Tally::default(),
            over: None,
        };
        self.open(kit, &mut s, out);
        s
    }

    fn board(&self, kit: &Kit, men: &[Option<Man>]) -> Result<Vec<u8>, SpecError> {
        let board: Vec<u8> = men.iter().map(|m| m.map_or(VACANT, code)).collect();
        for (seat, name) in kit.seat_names.iter().enumerate() {
            let wanted = code(Man {
                seat: seat as u8,
                kind: self.leader,
            });
            let count = board.iter().filter(|c| **c == wanted).count();
            if count == 0 || count > LEADERS_MAX {
                return Err(SpecError::new(format!(
                    "{name} has {count} leaders, where 1 to {LEADERS_MAX} may stand"
                )));
            }
        }
        Ok(board)
    }
}

/// Both sides have the same men, mirrored in the middle of the board (chieftain.md 1.1).
fn mirrored(kit: &Kit) -> Result<(), SpecError> {
    for (i, man) in kit.setup.iter().enumerate() {
        let sq = i as Square;
        let across = kit
            .at(
                i16::from(kit.file(sq)),
                i16::from(kit.ranks) - 1 - i16::from(kit.rank(sq)),
            )
            .and_then(|sq| kit.setup[usize::from(sq)]);
        let expected = man.map(|m| Man {
            seat: 1 - m.seat.min(1),
            kind: m.kind,
        });
        if across != expected {
            return Err(SpecError::new(format!(
                "the array is not the same for both sides: {} has no mirror image",
                kit.name(sq)
            )));
        }
    }
    Ok(())
}

impl Play for Chieftain {
    type Spec = Spec;
    type State = State;
    type Step = Step;

    const OPTIONS: &'static [(&'static str, &'static [&'static str])] = &[("leaders", &[])];

    fn new(spec: &Spec, kit: &Kit) -> Result<Self, SpecError> {
        if kit.seats != 2 {
            return Err(SpecError::new("family `Chieftain` needs two seats"));
        }
        let named = kit.options.get("leaders").map(String::as_str);
        let power = match named {
            Some(name) => spec.leaders.get(name),
            None => spec.leaders.values().next(),
        };
        let power = *power.ok_or_else(|| {
            SpecError::new(format!(
                "`leaders` says nothing of `{}`",
                named.unwrap_or("?")
            ))
        })?;
        if power.moves == 0 || power.moves > 2 {
            return Err(SpecError::new("a leader activates 1 or 2 men in a turn"));
        }
        let walks = kit
            .pieces
            .iter()
            .map(|p| {
                spec.men.get(&p.letter).copied().ok_or_else(|| {
                    SpecError::new(format!("`men` does not say how `{}` moves", p.letter))
                })
            })
            .collect::<Result<Vec<Walk>, SpecError>>()?;
        if let Some(letter) = spec.men.keys().find(|l| kit.kind(**l).is_none()) {
            return Err(SpecError::new(format!(
                "`men` says how `{letter}` moves, which is no piece"
            )));
        }
        mirrored(kit)?;
        let mut game = Chieftain {
            leader: kit.need(spec.leader)?,
            power,
            walks,
            first: Vec::new(),
        };
        game.first = game.board(kit, &kit.setup)?;
        Ok(game)
    }

    fn begin(&self, kit: &Kit, _: &mut dyn Dice, out: &mut Vec<Happening>) -> State {
        self.start(kit, self.first.clone(), 0, out)
    }

    fn asks(&self, _: &Kit, s: &State) -> Vec<Ask> {
        if s.over.is_some() {
            return Vec::new();
        }
        vec![Ask {
            seat: Seat(s.turn),
            what: What::Turn,
        }]
    }

    fn steps(&self, kit: &Kit, s: &State, seat: Seat, out: &mut Vec<Step>) {
        if s.over.is_none() && seat.0 == s.turn {
            self.visit(kit, s, |step| {
                out.push(step);
                false
            });
        }
    }

    fn may_stop(&self, _: &Kit, s: &State, _: Seat) -> bool {
        s.command.made() > 0
    }

    /// The chieftain on that square alone pays for the next move. Only this submission is judged
    /// by it (README, Chieftain 4).
    fn bind(&self, _: &Kit, s: &mut State, _: Seat, sq: Square) -> bool {
        s.command.bind(sq)
    }

    /// Nothing is ever played for the player, not even a single legal step (README, Chieftain 1).
    fn forced(&self, _: &Kit, _: &State, _: Seat) -> Option<Step> {
        None
    }

    fn step(
        &self,
        kit: &Kit,
        s: &mut State,
        _: Seat,
        step: &Step,
        _: &mut dyn Dice,
        _: &mut Vec<Happening>,
    ) {
        let made = usize::from(s.command.made());
        let range = s.command.in_range(kit, step.from, self.power.range);
        if !s.command.pay(range) {
            return;
        }
        let (from, to) = (usize::from(step.from), usize::from(step.to));
        let piece = std::mem::take(&mut s.board[from]);
        let taken = std::mem::replace(&mut s.board[to], piece);
        s.trail[made] = [step.from, step.to];
        s.shown = s.command.made();
        s.captured |= taken != VACANT;
        s.command.carried(step.from, step.to);
        let enemy = 1 - s.turn;
        if man(taken).is_some_and(|m| m.kind == self.leader) && self.leaders(s, enemy) == 0 {
            s.over = Some(Ending::win([Seat(s.turn)], "all chieftains captured"));
            s.command.settle();
        }
    }

    fn stop(&self, kit: &Kit, s: &mut State, _: Seat, _: &mut dyn Dice, out: &mut Vec<Happening>) {
        if s.over.is_some() {
            return;
        }
        s.tally.turn(s.captured);
        s.turn = 1 - s.turn;
        s.turn_no = s.turn_no.saturating_add(1);
        s.passes = 0;
        self.open(kit, s, out);
    }

    fn ending(&self, _: &Kit, s: &State) -> Option<Ending> {
        s.over.clone()
    }

    fn say(&self, kit: &Kit, s: &State, step: &Step) -> String {
        words::say(kit, s, *step)
    }

    fn view(&self, kit: &Kit, s: &State, _: Option<Seat>) -> View {
        words::view(self, kit, s)
    }

    fn turn_no(&self, s: &State) -> u32 {
        s.turn_no
    }

    fn draw_claim(&self, _: &Kit, s: &State) -> Option<String> {
        // positions are compared at the start of a turn only
        if s.over.is_none() && s.command.made() == 0 {
            s.tally.claim()
        } else {
            None
        }
    }

    /// `{"board": rows from the top, "turn": "white"}`; need not be mirrored. What is left out is
    /// as at the start.
    fn arrange(&self, kit: &Kit, position: &serde_json::Value) -> Result<State, SpecError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Position {
            board: Option<String>,
            turn: Option<String>,
        }
        let given: Position = serde_json::from_value(position.clone())
            .map_err(|e| SpecError::new(format!("position: {e}")))?;
        let board = match &given.board {
            Some(board) => {
                let rows: Vec<String> = board.split('/').map(str::to_owned).collect();
                self.board(kit, &kit.parse_rows(&rows)?.0)?
            }
            None => self.first.clone(),
        };
        let turn = match &given.turn {
            Some(name) => kit
                .seat_names
                .iter()
                .position(|n| n == name)
                .ok_or_else(|| SpecError::new(format!("there is no seat `{name}`")))?,
            None => 0,
        };
        Ok(self.start(kit, board, turn as u8, &mut Vec::new()))
    }

    /// The last moves of a turn are counted, not made: each ends the turn, whatever it takes.
    fn perft(&self, kit: &Kit, s: &State, depth: u32) -> Option<u64> {
        if depth != 1 || s.over.is_some() {
            return None;
        }
        let mut count = 0;
        let last = s.command.left() == 1;
        self.visit(kit, s, |step| {
            count += 1;
            if !last {
                let mut next = s.clone();
                self.step(
                    kit,
                    &mut next,
                    Seat(s.turn),
                    &step,
                    &mut NoDice,
                    &mut vec![],
                );
                count += self.perft(kit, &next, 1).unwrap_or(0);
            }
            false
        });
        Some(count)
    }

    fn why_not(&self, kit: &Kit, s: &State, seat: Seat, text: &str) -> Option<String> {
        if s.over.is_some() || seat.0 != s.turn {
            return None;
        }
        words::why_not(self, kit, s, text)
    }
}
