//! Maces, Horse-apults, Tulpas, Shields: Gary K. Gifford's three games of March 2008.
//!
//! A turn is `[card phase, placement] swing* main-action swing*`. Numbers such as A5 are the
//! rulings in the games' rules text. What differs between the three games is in [`Spec`];
//! what the inventor left open and a word in a file should not decide is a named constant.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::rules::kit::Kit;
use crate::rules::play::{Ask, Cell, Dice, Ending, Happening, Play, Seat, View, What};
use crate::rules::rulebook::SpecError;
use crate::rules::tally::Tally;

mod board;
mod moves;
mod setup;
mod turn;
mod why;

use board::{Board, Mark, Set, Shape, bit, each};
use moves::Gait;

/// A13: a webbed Mace may not swing.
const WEB_STOPS_SWINGS: bool = true;
/// A13: a webbed Horse-apult may not throw.
const WEB_STOPS_THROWS: bool = true;
/// A15: squares an arrow flies.
const SHOT_RANGE: u8 = 2;
/// Cards a side may have at most: they are a set in one byte.
const CARDS_MAX: usize = 8;
/// Positions looked at, at most, to see whether owed swings leave any choice.
const FORCED_LOOKS_MAX: u32 = 4000;

/// A Tulpa's card.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Its name in orders and records.
    pub name: String,
    /// The piece it creates.
    pub piece: char,
}

/// What a rulebook file says to this family.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Whose capture ends the game.
    pub king: char,
    /// Pieces that step without capture and swing.
    pub mace: char,
    /// Pieces that throw their neighbours a Knight's move from themselves.
    pub horse_apult: char,
    /// Pawns.
    pub pawn: char,
    /// May remove a neighbour of the square it moved to.
    #[serde(default)]
    pub ox: Option<char>,
    /// May shoot instead of moving.
    #[serde(default)]
    pub archer: Option<char>,
    /// Webs adjacent enemies.
    #[serde(default)]
    pub spider: Option<char>,
    /// Pieces that no Mace can remove.
    #[serde(default)]
    pub shielded: Vec<char>,
    /// What a pawn may become, in the order offered.
    pub promotions: Vec<char>,
    /// What an enemy pawn becomes that is thrown onto its own last rank (A10).
    pub thrown_pawn: char,
    /// A pawn may step two squares from this many of its own first ranks.
    pub double_step_ranks: u8,
    /// Own first ranks on which a Tulpa may appear.
    #[serde(default)]
    pub home_ranks: u8,
    /// The Tulpas of each side, each created at most once.
    #[serde(default)]
    pub cards: Vec<Card>,
}

/// What a kind of piece can do beyond its gait.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Role {
    Plain,
    King,
    Mace,
    Horse,
    Pawn,
    Ox,
    Archer,
}

#[derive(Clone, Debug)]
struct Kind {
    role: Role,
    mark: Mark,
    gait: Gait,
}

/// Compiled rules.
#[derive(Debug)]
pub struct Maces {
    shape: Shape,
    /// By kind; longer than any kind, so that no byte of a snapshot leads outside.
    kinds: Vec<Kind>,
    promotions: Vec<u8>,
    thrown_pawn: u8,
    double_step_ranks: u8,
    /// Home squares of each seat.
    home: [Set; 2],
    home_ranks: u8,
    cards: Vec<(String, u8)>,
    /// False under `reveal=outcome`.
    reveal: bool,
}

/// Where in a turn the mover is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Phase {
    /// Both seats owe a card, or one still does.
    Cards,
    /// The card of that index matched and awaits its square.
    Place(u8),
    /// The main action is to come.
    Main,
    /// The main action is made.
    Swings,
}

/// An en passant right: the square passed over and the pawn that did.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Passing {
    over: u8,
    pawn: u8,
}

/// How it ended, draws of the [`Tally`] aside.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Over {
    KingCaptured { by: u8 },
    Stalemate,
}

/// A position, the middle of a turn included.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    board: Board,
    #[serde(deserialize_with = "either_seat")]
    turn: u8,
    phase: Phase,
    /// Cards lying face down, by seat.
    picks: [Option<u8>; 2],
    /// Cards each side has not created yet, as a set.
    left: [u8; 2],
    /// Maces that have swung this turn.
    swung: Set,
    passing: Option<Passing>,
    /// The right that this turn's double step gives.
    fresh: Option<Passing>,
    touched: Set,
    last: Set,
    progress: bool,
    turn_no: u32,
    over: Option<Over>,
    tally: Arc<Tally>,
}

/// A snapshot's seat to move, 0 or 1: others would lead outside every table.
fn either_seat<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
    match u8::deserialize(from)? {
        seat @ 0..=1 => Ok(seat),
        seat => Err(serde::de::Error::custom(format!("there is no seat {seat}"))),
    }
}

/// No square, no kind.
const NONE: u8 = u8::MAX;

/// The smallest thing a player orders.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A card, face down.
    Pick(u8),
    /// The matched Tulpa appears.
    Place {
        /// Kind of piece.
        kind: u8,
        /// Where.
        at: u8,
    },
    /// A piece or pawn moves.
    Move {
        /// From.
        from: u8,
        /// To.
        to: u8,
        /// What the pawn becomes, or none.
        promo: u8,
        /// The square whose man is removed beside the target: a pawn passing, or a thrust.
        also: u8,
        /// True for en passant.
        passing: bool,
    },
    /// A Horse-apult throws.
    Throw {
        /// The Horse-apult.
        by: u8,
        /// The man thrown.
        man: u8,
        /// Where it lands.
        to: u8,
        /// What the thrower's own pawn becomes, or none.
        promo: u8,
    },
    /// A Mace swings, or an Archer shoots.
    Strike {
        /// Who.
        from: u8,
        /// Whom.
        at: u8,
        /// True for a shot, which is a main action.
        shot: bool,
    },
}

impl Maces {
    fn kind(&self, kind: u8) -> &Kind {
        &self.kinds[usize::from(kind & 31)]
    }
    fn piece(&self, seat: u8, kind: u8) -> board::Piece {
        board::Piece::new(seat, kind, self.kind(kind).mark)
    }
    /// Squares next to a Spider of the enemy of `me`.
    fn web(&self, s: &State, me: u8) -> Set {
        each(s.board.spiders & s.board.men[usize::from(1 - me)])
            .fold(0, |web, sq| web | self.shape.king[usize::from(sq)])
            & !s.board.spiders
    }
    fn name<'a>(&self, kit: &'a Kit, kind: u8) -> &'a str {
        kit.pieces
            .get(usize::from(kind))
            .map_or("man", |p| p.name.as_str())
    }
    fn card_names(&self, left: u8) -> Vec<&str> {
        self.cards
            .iter()
            .enumerate()
            .filter(|(i, _)| left & 1 << i != 0)
            .map(|(_, (name, _))| name.as_str())
            .collect()
    }
}

impl Play for Maces {
    type Spec = Spec;
    type State = State;
    type Step = Step;

    const OPTIONS: &'static [(&'static str, &'static [&'static str])] =
        &[("reveal", &["both", "outcome"])];

    fn new(spec: &Spec, kit: &Kit) -> Result<Maces, SpecError> {
        if kit.seats != 2 {
            return Err(SpecError::new("a Maces game has two seats"));
        }
        if kit.holes.contains(&true) {
            return Err(SpecError::new("a Maces board has no holes"));
        }
        let shape = Shape::new(kit)?;
        let mut kinds = Vec::with_capacity(32);
        for piece in &kit.pieces {
            let is = |c: Option<char>| c == Some(piece.letter);
            let role = match () {
                () if piece.letter == spec.king => Role::King,
                () if piece.letter == spec.mace => Role::Mace,
                () if piece.letter == spec.horse_apult => Role::Horse,
                () if piece.letter == spec.pawn => Role::Pawn,
                () if is(spec.ox) => Role::Ox,
                () if is(spec.archer) => Role::Archer,
                () => Role::Plain,
            };
            let shielded = spec.shielded.contains(&piece.letter);
            let mark = match (role == Role::Mace, is(spec.spider), shielded) {
                (true, false, false) => Mark::Mace,
                (false, true, false) => Mark::Spider,
                (false, false, true) => Mark::Shielded,
                (false, false, false) => Mark::Plain,
                _ => {
                    return Err(SpecError::new(format!(
                        "`{}` cannot be two of Mace, Spider and shielded",
                        piece.letter
                    )));
                }
            };
            let gait = if role == Role::Pawn {
                Gait::default()
            } else {
                Gait::parse(&piece.moves)?
            };
            kinds.push(Kind { role, mark, gait });
        }
        for letter in [spec.king, spec.mace, spec.horse_apult, spec.pawn] {
            kit.need(letter)?;
        }
        for letter in [spec.ox, spec.archer, spec.spider].into_iter().flatten() {
            kit.need(letter)?;
        }
        for letter in &spec.shielded {
            kit.need(*letter)?;
        }
        let promotions = spec
            .promotions
            .iter()
            .map(|c| kit.need(*c))
            .collect::<Result<Vec<u8>, _>>()?;
        setup::sense(spec, kit)?;
        let cards = spec
            .cards
            .iter()
            .map(|c| Ok((c.name.clone(), kit.need(c.piece)?)))
            .collect::<Result<Vec<_>, SpecError>>()?;
        let mut home = [0; 2];
        for sq in 0..kit.squares() as u8 {
            for (seat, home) in home.iter_mut().enumerate() {
                if shape.own_rank(seat as u8, sq) < spec.home_ranks {
                    *home |= bit(sq);
                }
            }
        }
        kinds.resize(
            32,
            Kind {
                role: Role::Plain,
                mark: Mark::Plain,
                gait: Gait::default(),
            },
        );
        Ok(Maces {
            shape,
            kinds,
            promotions,
            thrown_pawn: kit.need(spec.thrown_pawn)?,
            double_step_ranks: spec.double_step_ranks,
            home,
            home_ranks: spec.home_ranks,
            cards,
            reveal: kit.options.get("reveal").is_none_or(|r| r != "outcome"),
        })
    }

    fn begin(&self, kit: &Kit, _: &mut dyn Dice, out: &mut Vec<Happening>) -> State {
        let mut s = self.blank();
        for (sq, man) in kit.setup.iter().enumerate() {
            if let Some(man) = man {
                s.board.put(sq as u8, self.piece(man.seat, man.kind));
            }
        }
        s.left = [(1u16 << self.cards.len()).wrapping_sub(1) as u8; 2];
        self.open_turn(kit, &mut s, out);
        s
    }

    fn arrange(&self, kit: &Kit, position: &serde_json::Value) -> Result<State, SpecError> {
        self.arranged(kit, position)
    }

    fn asks(&self, _: &Kit, s: &State) -> Vec<Ask> {
        let seat = Seat(s.turn);
        if s.over.is_some() || s.tally.ending().is_some() {
            return Vec::new();
        }
        match s.phase {
            Phase::Cards => (0..2)
                .filter(|i| s.picks[*i].is_none())
                .map(|i| Ask {
                    seat: Seat(i as u8),
                    what: What::Pick,
                })
                .collect(),
            Phase::Place(_) => vec![Ask {
                seat,
                what: What::Place,
            }],
            Phase::Main | Phase::Swings => vec![Ask {
                seat,
                what: What::Turn,
            }],
        }
    }

    fn steps(&self, _: &Kit, s: &State, seat: Seat, out: &mut Vec<Step>) {
        if s.over.is_some() || seat.0 > 1 {
            return;
        }
        match s.phase {
            Phase::Cards => {
                if s.picks[seat.at()].is_none() {
                    let left = s.left[usize::from(s.turn)];
                    let cards = 0..self.cards.len() as u8;
                    out.extend(cards.filter(|i| left & 1 << i != 0).map(Step::Pick));
                }
            }
            _ if seat.0 != s.turn => {}
            Phase::Place(card) => {
                if let Some((_, kind)) = self.cards.get(usize::from(card)) {
                    let kind = *kind;
                    let vacant = self.home[seat.at()] & !s.board.all();
                    out.extend(each(vacant).map(|at| Step::Place { kind, at }));
                }
            }
            Phase::Main => {
                self.main_actions(s, out);
                self.early_swings(s, out);
            }
            Phase::Swings => self.swings(s, out),
        }
    }

    fn may_stop(&self, _: &Kit, s: &State, seat: Seat) -> bool {
        s.over.is_some() || (seat.0 == s.turn && s.phase == Phase::Swings && !self.owes(s))
    }

    fn step(
        &self,
        kit: &Kit,
        s: &mut State,
        seat: Seat,
        step: &Step,
        _: &mut dyn Dice,
        out: &mut Vec<Happening>,
    ) {
        self.play(kit, s, seat, *step, out);
    }

    fn stop(&self, kit: &Kit, s: &mut State, _: Seat, _: &mut dyn Dice, out: &mut Vec<Happening>) {
        self.close_turn(kit, s, out);
    }

    fn forced(&self, kit: &Kit, s: &State, seat: Seat) -> Option<Step> {
        let mut steps = Vec::new();
        self.steps(kit, s, seat, &mut steps);
        let first = *steps.first()?;
        if steps.len() == 1 {
            return Some(first);
        }
        (s.phase == Phase::Swings && self.one_outcome(kit, s)).then_some(first)
    }

    fn ending(&self, _: &Kit, s: &State) -> Option<Ending> {
        match s.over {
            Some(Over::KingCaptured { by }) => Some(Ending::win([Seat(by)], "king captured")),
            Some(Over::Stalemate) => Some(Ending::draw("stalemate")),
            None => s.tally.ending(),
        }
    }

    fn draw_claim(&self, _: &Kit, s: &State) -> Option<String> {
        match s.over {
            None => s.tally.claim(),
            Some(_) => None,
        }
    }

    fn say(&self, kit: &Kit, s: &State, step: &Step) -> String {
        let prefix = |sq: u8| {
            s.board
                .get(sq)
                .map_or(String::new(), |p| kit.prefix(p.kind()))
        };
        let name = |sq: u8| kit.name(u16::from(sq));
        let promoted = |kind: u8| match kind {
            NONE => String::new(),
            kind => format!("={}", kit.letter(kind)),
        };
        match *step {
            Step::Pick(card) => {
                let card = self.cards.get(usize::from(card));
                format!("pick {}", card.map_or("?", |(name, _)| name))
            }
            Step::Place { kind, at } => format!("{}@{}", kit.letter(kind), name(at)),
            Step::Move {
                from,
                to,
                promo,
                also,
                passing,
            } => {
                let takes = passing || s.board.get(to).is_some();
                let mut text = format!(
                    "{}{}{}{}{}",
                    prefix(from),
                    name(from),
                    if takes { 'x' } else { '-' },
                    name(to),
                    promoted(promo)
                );
                if passing {
                    text.push_str("ep");
                } else if also != NONE {
                    text.push('*');
                    text.push_str(name(also));
                }
                text
            }
            Step::Throw { by, man, to, promo } => format!(
                "{}{}^{}-{}{}",
                prefix(by),
                name(by),
                name(man),
                name(to),
                promoted(promo)
            ),
            Step::Strike { from, at, .. } => {
                format!("{}{}*{}", prefix(from), name(from), name(at))
            }
        }
    }

    fn view(&self, kit: &Kit, s: &State, _: Option<Seat>) -> View {
        let cells = (0..kit.squares() as u8)
            .map(|sq| match s.board.get(sq) {
                None => Cell::Empty,
                Some(p) => Cell::Man {
                    seat: Seat(p.seat()),
                    letter: kit.letter(p.kind()),
                    mark: None,
                    name: Some(self.name(kit, p.kind()).to_owned()),
                },
            })
            .collect();
        let last = match s.over {
            Some(Over::KingCaptured { .. }) => s.touched,
            _ => s.last | s.touched,
        };
        let mut notes = Vec::new();
        if !self.cards.is_empty() {
            for (i, left) in s.left.iter().enumerate() {
                let names = self.card_names(*left);
                let text = if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(" ")
                };
                notes.push((Some(Seat(i as u8)), "Tulpas to come".to_owned(), text));
            }
        }
        let over = s.over.is_some() || s.tally.ending().is_some();
        View {
            files: kit.files,
            ranks: kit.ranks,
            cells,
            last: each(last).map(u16::from).collect(),
            to_move: if over { Vec::new() } else { vec![Seat(s.turn)] },
            notes,
            four: false,
            leaderless: Vec::new(),
        }
    }

    fn turn_no(&self, s: &State) -> u32 {
        s.turn_no
    }

    fn why_not(&self, kit: &Kit, s: &State, seat: Seat, text: &str) -> Option<String> {
        why::why_not(self, kit, s, seat, text)
    }
}
