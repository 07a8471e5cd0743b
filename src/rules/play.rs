//! The contract between the rules and everybody else: one trait, and the values it speaks in.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::kit::{Kit, Square};
use super::rulebook::SpecError;
pub use super::view::{Cell, View};

/// A side of a match: white, green ... Numbered in the order of the rulebook's `seats`.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Seat(pub u8);

impl Seat {
    /// The seat as an index.
    pub fn at(self) -> usize {
        usize::from(self.0)
    }
}

/// What is asked of a seat.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum What {
    /// One whole turn of steps.
    Turn,
    /// A face-down card; nobody else may see it until all are in.
    Pick,
    /// The square for a man that enters the board.
    Place,
    /// Which seat of the team begins.
    Start,
    /// Whether captured monarchs are exchanged, and who places first.
    Exchange,
}

/// Somebody owes something: two entries stand when both players owe a card.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Who owes it.
    pub seat: Seat,
    /// What is owed.
    pub what: What,
}

/// What may follow in the middle of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Next {
    /// Distinct canonical texts, sorted.
    pub steps: Vec<String>,
    /// May the turn end here?
    pub may_stop: bool,
}

/// Why an order cannot be played. Nothing of it was played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
pub enum Wrong {
    /// This seat owes nothing now.
    #[error("it is not this seat's turn")]
    NotAsked,
    /// No legal step fits the text.
    #[error("`{text}` is not a legal step here")]
    NoSuchStep {
        /// Index of the first bad step in the order.
        at: usize,
        /// The text as the player wrote it.
        text: String,
        /// Canonical texts of the steps before it, all of which were fine.
        done: Vec<String>,
        /// The reason in the game's terms, where the family knows one.
        why: Option<String>,
        /// The nearest legal texts, at most [`NEAREST_MAX`].
        legal: Vec<String>,
    },
    /// Two or more legal steps fit the text.
    #[error("`{text}` could mean {}", readings.join(" or "))]
    Ambiguous {
        /// Index of the step in the order.
        at: usize,
        /// The text as written.
        text: String,
        /// Every reading.
        readings: Vec<String>,
    },
    /// The turn may not end here, or may go on and was not closed with `end`.
    #[error("the turn is not complete")]
    Unfinished {
        /// Canonical texts of the steps given.
        done: Vec<String>,
        /// What may follow.
        legal: Vec<String>,
        /// True where `end` would close it.
        may_end: bool,
    },
    /// The turn is over before this step.
    #[error("the turn is over before `{text}`")]
    TooMuch {
        /// Index of the first step too many.
        at: usize,
        /// Its text.
        text: String,
    },
}

/// How many near legal texts a refusal lists at most.
pub const NEAREST_MAX: usize = 8;

/// Chance as an argument: thrown now, or read back from an event. The game cannot tell.
pub trait Dice {
    /// One die of `sides` sides for the army of `of`; answers 1..=sides.
    fn roll(&mut self, of: Seat, sides: u16) -> u16;
    /// The dice that follow are one roll: the only one of turn `turn`, or, before the first turn (`turn` 0), roll number
    /// `roll` from 0. Dice that come out of a chain are found by this.
    fn slot(&mut self, _turn: u32, _roll: u32) {}
}

/// Dice for games without dice, and for counting: always 1.
pub struct NoDice;

impl Dice for NoDice {
    fn roll(&mut self, _of: Seat, _sides: u16) -> u16 {
        1
    }
}

/// What an act brought about, in order. Layer `post` turns it into words; a record is made of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Happening {
    /// A whole turn of steps.
    Played {
        /// Who played it.
        seat: Seat,
        /// Canonical texts; playing them again gives the same position.
        steps: Vec<String>,
        /// How many of the last steps the referee played because nothing else was possible.
        forced: usize,
    },
    /// A card lies face down.
    Picked {
        /// Whose.
        seat: Seat,
    },
    /// Both cards were turned over.
    Opened {
        /// The mover, whose summoning it was.
        seat: Seat,
        /// Every seat's card.
        cards: Vec<(Seat, String)>,
        /// The card that was created, where they matched and there was room.
        created: Option<String>,
    },
    /// Only one card is left: it matches by necessity and no picks are asked.
    Certain {
        /// The mover.
        seat: Seat,
        /// The card.
        card: String,
    },
    /// The cards matched, but no home square is vacant: they go back.
    NoRoom {
        /// The mover.
        seat: Seat,
    },
    /// A man was placed on the board.
    Placed {
        /// The owner.
        seat: Seat,
        /// Canonical text, `A@b2`.
        text: String,
        /// True where only one square was possible and the referee placed it.
        forced: bool,
    },
    /// Dice fell.
    Rolled {
        /// At whose turn; the first seat for the opening roll.
        seat: Seat,
        /// For which armies what fell.
        dice: Vec<(Seat, Vec<u16>)>,
    },
    /// A seat was passed over without asking.
    Passed {
        /// Which.
        seat: Seat,
    },
    /// The starting seat was named.
    Started {
        /// Which.
        seat: Seat,
    },
    /// An exchange of monarchs was decided.
    Exchange {
        /// By whom.
        seat: Seat,
        /// `first`, `second` or `no`.
        choice: String,
    },
    /// Anything else worth telling, in words.
    Remark(String),
    /// The game is over.
    Ended(Ending),
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ending {
    /// Every winning seat; empty for a draw.
    pub winners: Vec<Seat>,
    /// One of the reasons of the record format.
    pub reason: String,
}

impl Ending {
    /// A win of these seats.
    pub fn win(winners: impl Into<Vec<Seat>>, reason: &str) -> Ending {
        Ending {
            winners: winners.into(),
            reason: reason.to_owned(),
        }
    }

    /// A draw.
    pub fn draw(reason: &str) -> Ending {
        Ending::win([], reason)
    }
}

/// What the players may choose when a match is opened: `array=A2`, `reveal=outcome`.
pub type Options = BTreeMap<String, String>;

/// One implementor per family of rules. Its State includes the middle of a turn.
pub trait Play: Sized {
    /// What the rulebook file says to this family.
    type Spec: Clone + fmt::Debug + DeserializeOwned + Serialize;
    /// The position. Two equal States have the same future.
    type State: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned;
    /// The smallest thing a player orders.
    type Step: Clone + PartialEq + fmt::Debug;

    /// Options of the rulebook that this family reads, with the values it knows; none listed
    /// where the rulebook itself names them.
    const OPTIONS: &'static [(&'static str, &'static [&'static str])] = &[];

    /// Compiles the spec; refuses what makes no sense.
    fn new(spec: &Self::Spec, kit: &Kit) -> Result<Self, SpecError>;
    /// The first position.
    fn begin(&self, kit: &Kit, dice: &mut dyn Dice, out: &mut Vec<Happening>) -> Self::State;
    /// Who owes what; empty only when the game is over.
    fn asks(&self, kit: &Kit, s: &Self::State) -> Vec<Ask>;
    /// Appends the legal steps of `seat` for what it is asked. No step where it is not asked.
    fn steps(&self, kit: &Kit, s: &Self::State, seat: Seat, out: &mut Vec<Self::Step>);
    /// May the turn of `seat` end here? False before its first step unless declining is legal,
    /// and while something is owed.
    fn may_stop(&self, kit: &Kit, s: &Self::State, seat: Seat) -> bool;
    /// Plays one legal step. Answers to Pick, Place, Start and Exchange go on by themselves
    /// to whatever is asked next; a step of a Turn waits for the next step or for [`Play::stop`].
    fn step(
        &self,
        kit: &Kit,
        s: &mut Self::State,
        seat: Seat,
        step: &Self::Step,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    );
    /// Ends the turn of `seat`, passes over seats without a choice, rolls for the next.
    fn stop(
        &self,
        kit: &Kit,
        s: &mut Self::State,
        seat: Seat,
        dice: &mut dyn Dice,
        out: &mut Vec<Happening>,
    );
    /// How it ended, if it did; may be so in the middle of a turn.
    fn ending(&self, kit: &Kit, s: &Self::State) -> Option<Ending>;
    /// Canonical text of a step (notation page); what events store.
    fn say(&self, kit: &Kit, s: &Self::State, step: &Self::Step) -> String;
    /// What a seat may see; `None` is the public.
    fn view(&self, kit: &Kit, s: &Self::State, eyes: Option<Seat>) -> View;
    /// Number of turns begun, all seats counted, the first being 1.
    fn turn_no(&self, s: &Self::State) -> u32;

    /// Binds the next step to the man on that square, as in `Cc1-c3 (f1)`; false, and nothing
    /// done, where the game knows nothing of the kind or no such man stands there.
    fn bind(&self, _kit: &Kit, _s: &mut Self::State, _seat: Seat, _sq: Square) -> bool {
        false
    }
    /// The step that the referee plays by itself since nothing else is possible.
    fn forced(&self, kit: &Kit, s: &Self::State, seat: Seat) -> Option<Self::Step> {
        let mut steps = Vec::new();
        self.steps(kit, s, seat, &mut steps);
        if steps.len() == 1 { steps.pop() } else { None }
    }
    /// A position given by a record's header (notation page); only some families have such.
    ///
    /// # Errors
    /// The family has none, or it makes no sense.
    fn arrange(&self, _kit: &Kit, _position: &serde_json::Value) -> Result<Self::State, SpecError> {
        Err(SpecError::new("this game starts from its array only"))
    }
    /// Why a draw may be claimed now, if it may.
    fn draw_claim(&self, _kit: &Kit, _s: &Self::State) -> Option<String> {
        None
    }
    /// Step sequences of `depth` turns, where the family counts faster than [`super::perft`] can.
    fn perft(&self, _kit: &Kit, _s: &Self::State, _depth: u32) -> Option<u64> {
        None
    }
    /// Why this text is not legal, in the game's terms; for the refusal that teaches the rule.
    fn why_not(&self, _kit: &Kit, _s: &Self::State, _seat: Seat, _text: &str) -> Option<String> {
        None
    }
}
