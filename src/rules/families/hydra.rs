//! Hydra-Vari Chess, loop and no loop (hydra.md 2): eight kings a side of which a captured one
//! changes sides, uncastled units that cannot be taken, jumping pawns, hands or prisons.

use serde::{Deserialize, Serialize};

use super::super::kit::Kit;
use super::super::play::{Ask, Dice, Ending, Happening, Play, Seat, View, What};
use super::super::rulebook::SpecError;

mod moves;
mod pos;
mod words;

use moves::Candidate;
use pos::{Act, BLACK, HILL, KING, KNIGHT, LETTERS, Law, PAWN, Pos, STAR, Sq, kind, seat};

/// Most units of one kind in a hand that a record's position may give.
const HAND_MAX: u64 = 128;

/// Settings of the family.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Captured units come back: loop rule (2.3) or no loop rule (2.4).
    pub rules: RuleSet,
}

/// Which of the two rule sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RuleSet {
    /// hydra.md 2.3.
    Loop,
    /// hydra.md 2.4.
    NoLoop,
}

/// The compiled rules.
#[derive(Debug)]
pub struct Hydra {
    law: Law,
    /// The softer reading of H5: a newly placed king may block.
    blocks: bool,
    first: Pos,
}

/// A position that occurred: digest of board, hands and turn, and of all that makes it the same.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
struct Past {
    board: u128,
    whole: u128,
}

/// Position and history.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    pos: Pos,
    /// The move of this turn has been made.
    played: bool,
    /// Sorted.
    seen: Vec<Past>,
    over: Option<Ending>,
    last: [Sq; 8],
    touched: u8,
}

/// A move with the squares of the kings it places.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Step {
    act: Act,
    kings: [Sq; 2],
    placed: u8,
}

impl Step {
    fn squares(&self) -> &[Sq] {
        &self.kings[..usize::from(self.placed.min(2))]
    }
}

impl Hydra {
    /// Plays a step up to the end of the mover's turn; the turn does not pass.
    fn after(&self, pos: &Pos, step: &Step) -> (Pos, pos::Taken, bool) {
        let mut next = *pos;
        let taken = next.play(self.law, step.act);
        for sq in step.squares() {
            next.put(*sq, KING | pos.turn << 3);
        }
        let woven = next.settle(self.law);
        (next, taken, woven)
    }

    /// Calls `each` with every way to place the captured kings, until it answers true.
    fn expand(&self, pos: &Pos, c: &Candidate, mut each: impl FnMut(Step, u128) -> bool) -> bool {
        let mut step = Step {
            act: c.act,
            kings: [0; 2],
            placed: 0,
        };
        if c.placing == 0 {
            return each(step, c.hash);
        }
        let mut next = *pos;
        next.play(self.law, c.act);
        let mut free = Vec::with_capacity(256);
        moves::vacant(&next, &mut free);
        let last = pos.last_king(pos.turn).filter(|_| self.blocks);
        let mut one = |step: Step, hash: u128| {
            if let Some(king) = last {
                let (after, _, _) = self.after(pos, &step);
                if !moves::safe_with(self.law, &after, king, step.act) {
                    return false;
                }
            }
            each(step, hash)
        };
        step.placed = c.placing;
        for (i, first) in free.iter().enumerate() {
            let hash = moves::with_king(c.hash, pos.turn, *first);
            step.kings[0] = *first;
            if c.placing == 1 {
                if one(step, hash) {
                    return true;
                }
                continue;
            }
            for second in &free[i + 1..] {
                step.kings[1] = *second;
                if one(step, moves::with_king(hash, pos.turn, *second)) {
                    return true;
                }
            }
        }
        false
    }

    /// Moves that pass all but the repetition filter.
    fn candidates(&self, pos: &Pos) -> Vec<Candidate> {
        moves::candidates(self.law, self.blocks, pos, |c| {
            self.expand(pos, c, |_, _| true)
        })
    }

    /// All that makes a position the same one: H27 with the duty to castle.
    fn whole(&self, pos: &Pos, candidates: Option<&[Candidate]>) -> u128 {
        let mut whole = pos.hash;
        if pos.must_castle() {
            whole ^= pos::duty_key();
        }
        if let Some(jump) = pos.jump {
            let usable = match candidates {
                Some(list) => list.iter().any(|c| takes_jumper(pos, c.act)),
                None => self
                    .candidates(pos)
                    .iter()
                    .any(|c| takes_jumper(pos, c.act)),
            };
            if usable {
                whole ^= pos::jump_key(jump);
            }
        }
        whole
    }

    /// Has the position after this step occurred before?
    fn repeats(&self, s: &State, step: &Step, hash: u128) -> bool {
        let hash = hash ^ pos::turn_key();
        let from = s.seen.partition_point(|p| p.board < hash);
        let mut same = s.seen[from..]
            .iter()
            .take_while(|p| p.board == hash)
            .peekable();
        if same.peek().is_none() {
            return false;
        }
        let (mut next, _, _) = self.after(&s.pos, step);
        next.set_turn(1 - next.turn);
        let whole = self.whole(&next, None);
        same.any(|p| p.whole == whole)
    }

    /// Begins the turn of the side to move: notes the position, finds mate and draws.
    fn open(&self, s: &mut State) {
        let us = s.pos.turn;
        let list = self.candidates(&s.pos);
        let past = Past {
            board: s.pos.hash,
            whole: self.whole(&s.pos, Some(&list)),
        };
        let at = s.seen.partition_point(|p| *p < past);
        s.seen.insert(at, past);
        if list.is_empty() {
            s.over = Some(match s.pos.last_king(us) {
                Some(king) => {
                    let check = s.pos.at(king) & STAR == 0
                        && moves::attacked(self.law, &s.pos, king, 1 - us);
                    let reason = if check { "checkmate" } else { "stalemate" };
                    Ending::win([Seat(1 - us)], reason)
                }
                None => Ending::draw("no legal move"),
            });
            return;
        }
        let playable = list
            .iter()
            .any(|c| self.expand(&s.pos, c, |step, hash| !self.repeats(s, &step, hash)));
        if !playable {
            s.over = Some(Ending::draw("repetition"));
        }
    }

    fn start(&self, pos: Pos) -> State {
        let mut s = State {
            pos,
            played: false,
            seen: Vec::new(),
            over: None,
            last: [0; 8],
            touched: 0,
        };
        self.open(&mut s);
        s
    }

    /// Wins of the mover after a complete move (2.3.7; 2.4.4, 2.4.6).
    fn won(
        &self,
        before: &Pos,
        after: &Pos,
        step: &Step,
        taken: pos::Taken,
    ) -> Option<&'static str> {
        let us = before.turn;
        let enemy = 1 - us;
        if taken.kings > 0 && after.kings[usize::from(enemy)] == 0 {
            return Some("king captured");
        }
        if self.law.looping {
            let top = &after.board[if us == 0 { 15 } else { 0 }];
            if top.iter().all(|c| *c != 0 && seat(*c) == us) {
                return Some("rank filled");
            }
            return moves::holds_hill(after, us).then_some("hill");
        }
        if let Act::Walk(from, to) = step.act
            && kind(before.at(from)) == KING
            && HILL.contains(&to)
            && !moves::attacked(self.law, after, to, enemy)
        {
            return Some("hill");
        }
        (taken.units > 0 && bare(after, enemy)).then_some("material")
    }
}

/// Does this move take the pawn that just jumped, en passant?
fn takes_jumper(pos: &Pos, act: Act) -> bool {
    match act {
        Act::Walk(from, to) => pos.may_capture(from, to) && pos.en_passant(to).is_some(),
        Act::Castle(_, _, a, b) => pos.en_passant(a).or(pos.en_passant(b)).is_some(),
        _ => false,
    }
}

/// One king and nothing, one or two knights, or bishops of one square colour (2.4.6).
fn bare(pos: &Pos, of: u8) -> bool {
    let (mut kings, mut knights, mut bishops) = (0, 0, [0, 0]);
    for sq in 0..=255 {
        let code = pos.at(sq);
        if code == 0 || seat(code) != of {
            continue;
        }
        match kind(code) {
            KING => kings += 1,
            KNIGHT => knights += 1,
            pos::BISHOP => bishops[usize::from((sq ^ (sq >> 4)) & 1)] += 1,
            _ => return false,
        }
    }
    kings == 1
        && match (knights, bishops) {
            (0..=2, [0, 0]) => true,
            (0, [a, b]) => a == 0 || b == 0,
            _ => false,
        }
}

impl Play for Hydra {
    type Spec = Spec;
    type State = State;
    type Step = Step;

    const OPTIONS: &'static [(&'static str, &'static [&'static str])] = &[
        ("weave", &["checkered", "any"]),
        ("newking", &["absent", "blocks"]),
    ];

    fn new(spec: &Spec, kit: &Kit) -> Result<Self, SpecError> {
        if (kit.files, kit.ranks, kit.seats) != (16, 16, 2) {
            return Err(SpecError::new(
                "family `Hydra` needs a board of 16 x 16 squares and two seats",
            ));
        }
        if kit.holes.contains(&true) {
            return Err(SpecError::new("family `Hydra` knows no holes in the board"));
        }
        for letter in &LETTERS[1..] {
            kit.need(*letter)?;
        }
        if let Some(p) = kit
            .pieces
            .iter()
            .find(|p| !LETTERS[1..].contains(&p.letter))
        {
            return Err(
                SpecError::new(format!("family `Hydra` has no piece `{}`", p.letter))
                    .hint("pieces: K Q R B N P"),
            );
        }
        let option = |key: &str| kit.options.get(key).map(String::as_str);
        let mut hydra = Hydra {
            law: Law {
                looping: spec.rules == RuleSet::Loop,
                weave_any: option("weave") == Some("any"),
            },
            blocks: option("newking") == Some("blocks"),
            first: Pos::default(),
        };
        hydra.first = set_up(kit, &kit.setup, &kit.starred)?;
        Ok(hydra)
    }

    fn begin(&self, _: &Kit, _: &mut dyn Dice, _: &mut Vec<Happening>) -> State {
        self.start(self.first)
    }

    fn asks(&self, _: &Kit, s: &State) -> Vec<Ask> {
        if s.over.is_some() {
            return Vec::new();
        }
        vec![Ask {
            seat: Seat(s.pos.turn),
            what: What::Turn,
        }]
    }

    fn steps(&self, _: &Kit, s: &State, who: Seat, out: &mut Vec<Step>) {
        if s.played || s.over.is_some() || who.0 != s.pos.turn {
            return;
        }
        for c in &self.candidates(&s.pos) {
            self.expand(&s.pos, c, |step, hash| {
                if !self.repeats(s, &step, hash) {
                    out.push(step);
                }
                false
            });
        }
    }

    fn may_stop(&self, _: &Kit, s: &State, _: Seat) -> bool {
        s.played
    }

    fn step(
        &self,
        _: &Kit,
        s: &mut State,
        _: Seat,
        step: &Step,
        _: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        let (after, taken, woven) = self.after(&s.pos, step);
        if woven {
            out.push(Happening::Remark(
                "the pawns of ranks 8 and 9 are woven: all 32 leave the board for good".to_owned(),
            ));
        }
        if let Some(reason) = self.won(&s.pos, &after, step, taken) {
            s.over = Some(Ending::win([Seat(s.pos.turn)], reason));
        }
        let mut touched = Vec::with_capacity(8);
        match step.act {
            Act::Walk(a, b) | Act::Ransom(a, b, _) => touched.extend([a, b]),
            Act::Castle(a, b, c, d) => touched.extend([a, b, c, d]),
            Act::Drop(_, a) | Act::Swap(a, _) | Act::Fold(a) => touched.push(a),
        }
        if takes_jumper(&s.pos, step.act) {
            touched.extend(s.pos.jump.map(|j| j.pawn));
        }
        touched.extend(step.squares());
        s.touched = touched.len().min(8) as u8;
        for (slot, sq) in s.last.iter_mut().zip(touched) {
            *slot = sq;
        }
        s.pos = after;
        s.played = true;
    }

    fn stop(&self, _: &Kit, s: &mut State, _: Seat, _: &mut dyn Dice, _: &mut Vec<Happening>) {
        if s.over.is_some() || !s.played {
            return;
        }
        s.pos.set_turn(1 - s.pos.turn);
        s.played = false;
        self.open(s);
    }

    fn ending(&self, _: &Kit, s: &State) -> Option<Ending> {
        s.over.clone()
    }

    fn say(&self, kit: &Kit, s: &State, step: &Step) -> String {
        words::say(kit, &s.pos, step)
    }

    fn view(&self, kit: &Kit, s: &State, _: Option<Seat>) -> View {
        words::view(self, kit, s)
    }

    fn turn_no(&self, s: &State) -> u32 {
        let begun = u32::from(s.pos.moves[0]) + u32::from(s.pos.moves[1]);
        begun + u32::from(!s.played)
    }

    fn arrange(&self, kit: &Kit, position: &serde_json::Value) -> Result<State, SpecError> {
        Ok(self.start(arranged(kit, self.law, position)?))
    }

    fn why_not(&self, kit: &Kit, s: &State, who: Seat, text: &str) -> Option<String> {
        if s.played || s.over.is_some() || who.0 != s.pos.turn {
            return None;
        }
        words::why_not(self, kit, s, text)
    }
}

fn set_up(
    kit: &Kit,
    men: &[Option<super::super::kit::Man>],
    starred: &[bool],
) -> Result<Pos, SpecError> {
    let mut pos = Pos::default();
    for (i, man) in men.iter().enumerate() {
        let Some(man) = man else { continue };
        let letter = kit.letter(man.kind);
        let Some(k) = LETTERS.iter().position(|l| *l == letter) else {
            continue;
        };
        let mut code = k as u8 | if man.seat == 1 { BLACK } else { 0 };
        if starred.get(i) == Some(&true) {
            if !matches!(letter, 'K' | 'Q' | 'R') {
                return Err(SpecError::new(format!(
                    "`*` on {}: only K, Q and R can be uncastled",
                    kit.name(i as u16)
                )));
            }
            code |= STAR;
        }
        pos.put(i as Sq, code);
    }
    for of in [0, 1] {
        if pos.kings[of] == 0 {
            return Err(SpecError::new(format!(
                "{} has no king",
                kit.seat_names.get(of).map_or("?", String::as_str)
            )));
        }
    }
    Ok(pos)
}

/// Reads the `position` of a record's header (notation page).
fn arranged(kit: &Kit, law: Law, position: &serde_json::Value) -> Result<Pos, SpecError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Jumped {
        squares: Vec<String>,
        pawn: String,
    }
    type Hand = std::collections::BTreeMap<char, u64>;
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Position {
        board: Option<String>,
        #[serde(default)]
        hands: std::collections::BTreeMap<String, Hand>,
        turn: Option<String>,
        #[serde(default)]
        jumped: Option<Jumped>,
        #[serde(default)]
        moves: std::collections::BTreeMap<String, u16>,
    }
    let given: Position = serde_json::from_value(position.clone())
        .map_err(|e| SpecError::new(format!("position: {e}")))?;
    let mut pos = match &given.board {
        Some(board) => {
            let rows: Vec<String> = board.split('/').map(str::to_owned).collect();
            let (men, starred) = kit.parse_rows(&rows)?;
            set_up(kit, &men, &starred)?
        }
        None => set_up(kit, &kit.setup, &kit.starred)?,
    };
    let seat_of = |name: &str| {
        kit.seat_names
            .iter()
            .position(|n| n == name)
            .filter(|i| *i < 2)
            .ok_or_else(|| SpecError::new(format!("there is no seat `{name}`")))
    };
    for (name, hand) in &given.hands {
        let of = seat_of(name)?;
        for (letter, count) in hand {
            let k = LETTERS[1..]
                .iter()
                .position(|l| l == letter)
                .map(|k| k as u8 + 1)
                .filter(|k| *k != if law.looping { KING } else { PAWN })
                .ok_or_else(|| SpecError::new(format!("a hand cannot hold `{letter}`")))?;
            if *count > HAND_MAX {
                return Err(SpecError::new(format!(
                    "more than {HAND_MAX} of `{letter}`"
                )));
            }
            pos.hold(of as u8, k, *count as u16);
        }
    }
    for (name, moves) in &given.moves {
        pos.moves[seat_of(name)?] = *moves;
    }
    for of in [0, 1] {
        if pos.moves[usize::from(of)] >= pos::CASTLING_MOVES {
            pos.lapse(of);
        }
    }
    if let Some(name) = &given.turn {
        pos.set_turn(seat_of(name)? as u8);
    }
    if let Some(jumped) = given.jumped {
        pos.jump = Some(
            jump_of(kit, &pos, &jumped.squares, &jumped.pawn)
                .ok_or_else(|| SpecError::new("`jumped` names no jump of an enemy pawn"))?,
        );
    }
    Ok(pos)
}

fn jump_of(kit: &Kit, pos: &Pos, squares: &[String], pawn: &str) -> Option<pos::Jump> {
    let pawn = kit.square(pawn)? as Sq;
    let code = pos.at(pawn);
    if kind(code) != PAWN || seat(code) == pos.turn || squares.is_empty() {
        return None;
    }
    let away = squares.len() as i16 + 1;
    let rank = i16::from(pos::rank(pawn)) + if seat(code) == 0 { -away } else { away };
    let from = kit.at(pos::file(pawn) as i16, rank)? as Sq;
    let jump = pos::Jump { from, pawn };
    squares
        .iter()
        .all(|name| kit.square(name).is_some_and(|sq| jump.over(sq as Sq)))
        .then_some(jump)
}
