//! LAYER 2: whose turn, by when, what follows.
//!
//! [`decide`] takes what a letter said (or a tick of the clock) and answers with [`Event`]s and [`Notice`]s; it never fails
//! and never changes anything. [`apply()`] folds events into [`Records`]. A letter is carried out on an overlay: the first
//! order that cannot be obeyed drops the overlay, and one Refusal is all that comes of it.
//!
//! A caller commits `events`, the mails made of `notices`, and `key` in one transaction; then either applies the events or
//! takes `changes` over as they are: both give the same records.

mod acts;
pub mod apply;
pub mod authority;
pub mod cards;
mod carry;
pub mod chance;
pub mod clock;
mod desk;
pub mod dice;
pub mod event;
pub mod gallery;
mod info;
pub mod keeper;
mod lines;
mod listing;
mod lobby;
pub mod notice;
pub mod order;
pub mod proofs;
pub mod refusal;
pub mod replies;
pub mod report;
pub mod room;
pub mod scribe;
mod seats;
pub mod secrets;
pub mod seeds;
pub mod state;
mod talk;
mod tick;
mod turn;
pub mod undo;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use apply::apply;
pub use event::{EVENT_VERSION, Event};
pub use notice::{News, Notice, NoticeKind, Receipt, Refusal, ReplyTo, Report, To, Why};
pub use room::{Changes, Overlay, Room};
pub use state::{
    Counters, Held, House, Match, MatchNo, Player, PlayerNo, Records, Registry, Secret, SentMail,
    Stage, Unfit,
};

use crate::rules::Shelf;
use order::Read;

/// 32 fresh bytes of the system's randomness.
pub type Entropy = [u8; 32];

/// Everything that can happen to the referee.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Command {
    /// A letter of a person.
    Letter(Box<Read>),
    /// Time went by.
    Tick,
    /// The Keeper's word; [`keeper::order`] also says why one is refused.
    Keeper(keeper::Word),
    /// The referee was away, or its clock was set: nobody's time ran meanwhile.
    ClockMoved {
        /// Seconds; below 0 where the clock was set back.
        seconds: i64,
        /// In which matches.
        games: Vec<MatchNo>,
    },
}

/// What became of a letter (reliability.md 4).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Outcome {
    /// Carried out, even where that changed nothing.
    #[default]
    Applied,
    /// Refused, and answered.
    Rejected,
    /// Known already; silence.
    Duplicate,
    /// Waits for a confirmation.
    Held,
}

impl Outcome {
    /// The word of the journal.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Applied => "applied",
            Outcome::Rejected => "rejected",
            Outcome::Duplicate => "duplicate",
            Outcome::Held => "held",
        }
    }
}

/// What follows from a command.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// What happened.
    pub events: Vec<Event>,
    /// What to tell whom.
    pub notices: Vec<Notice>,
    /// K3 key to keep as seen, in the same transaction.
    pub key: Option<String>,
    /// The same of the letter that confirmed, where `key` is that of the letter which was held.
    pub confirming: Option<String>,
    /// What became of the letter.
    pub outcome: Outcome,
    /// The records that `events` write.
    pub changes: Changes,
}

/// The name under which a rulebook's text is kept: its SHA-256 in hex.
pub fn book_digest(text: &str) -> String {
    crate::fair::seal::line_hash(text)
}

/// Decides a command. Total: whatever comes in, an answer comes out.
pub fn decide(
    registry: &dyn Registry,
    shelf: &Shelf,
    command: &Command,
    now: Timestamp,
    entropy: &Entropy,
) -> Decision {
    match command {
        Command::Letter(read) => authority::letter(registry, shelf, read, now, entropy),
        Command::Tick => tick::tick(registry, shelf, now, entropy),
        Command::Keeper(word) => {
            keeper::order(registry, shelf, word, now, entropy).unwrap_or_else(|_| Decision {
                outcome: Outcome::Rejected,
                ..Decision::default()
            })
        }
        Command::ClockMoved { seconds, games } => {
            tick::moved(registry, shelf, now, entropy, *seconds, games)
        }
    }
}

/// When the referee wants a [`Command::Tick`], if ever.
pub fn next_deadline(registry: &dyn Registry) -> Option<Timestamp> {
    registry.next_due()
}
