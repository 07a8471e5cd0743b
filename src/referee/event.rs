//! Everything that happened: the only thing kept. Events carry what fell, never chances, so that replaying needs no entropy.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::keeper::Deed;
use super::order::Read;
use super::replies::Replies;
use super::seeds::SeedStep;
use super::state::{Clock, MatchNo, Plan, PlayerNo, Sealed, Secret};
use crate::rules::{Ending, Options, Seat};

/// Version of the events' form; the journal keeps it beside them. A change that old journals cannot be read with raises it.
pub const EVENT_VERSION: u8 = 1;

/// What the ledger says of the letter that ordered a move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ordered {
    /// First 16 hex digits of SHA-256 of its Message-ID; empty where it has none.
    pub mid: String,
    /// The head in the mail that it answers, `<seq>:<first 16 hex digits>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saw: Option<String>,
}

/// One thing that happened. Serialised as JSON with the tag `event` (internally tagged: not for postcard).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Somebody became known.
    Met {
        /// His number.
        player: PlayerNo,
        /// Where he is written to.
        address: String,
        /// What others see.
        name: String,
        /// False where he was only invited.
        confirmed: bool,
    },
    /// An invited player wrote.
    Confirmed {
        /// Who.
        player: PlayerNo,
    },
    /// A player chose a name.
    Named {
        /// Who.
        player: PlayerNo,
        /// The new name.
        name: String,
    },
    /// A player does not want to hear of another.
    Blocked {
        /// Who.
        player: PlayerNo,
        /// Of whom.
        whom: PlayerNo,
        /// True for a stranger: he is never written to again.
        silent: bool,
    },
    /// A setting.
    Set {
        /// Whose.
        player: PlayerNo,
        /// Which.
        key: String,
        /// What.
        value: String,
    },
    /// A rulebook's text, kept once, since matches replay with the text they began with.
    BookKept {
        /// SHA-256 of the text.
        digest: String,
        /// Its id.
        id: String,
        /// The whole file.
        text: String,
    },
    /// A match was proposed or put up for anyone.
    Proposed {
        /// Its number.
        game: MatchNo,
        /// Its public id.
        gid: String,
        /// 32 bytes in hex.
        secret: Secret,
        /// Id of the rulebook.
        id: String,
        /// SHA-256 of its text.
        book: String,
        /// Settled options.
        options: Options,
        /// False for `reveal=outcome`.
        reveal_both: bool,
        /// Time control.
        clock: Clock,
        /// The opener first, then the invited.
        players: Vec<PlayerNo>,
        /// Seats that the opener wants somebody to have, by index of `players`.
        #[serde(default)]
        wishes: Vec<(Seat, u8)>,
        /// How many are wanted; 0: one for each seat.
        #[serde(default)]
        people: u8,
        /// True where anyone may join.
        open: bool,
        /// True where everybody is asked for a seed before it begins (`seeds=ask`).
        #[serde(default)]
        ask_seeds: bool,
    },
    /// The match's ledger begins, signed with this key.
    Founded {
        /// Which match.
        game: MatchNo,
        /// Public half of the referee's signing key, hex.
        key: String,
    },
    /// What a player puts into the dice.
    Gave {
        /// Which match.
        game: MatchNo,
        /// Who.
        player: PlayerNo,
        /// His words, or what stands for them (trust.md 3).
        words: String,
    },
    /// A step on the way to the dice, before the match begins.
    Seeds {
        /// Which match.
        game: MatchNo,
        /// Which step.
        step: SeedStep,
    },
    /// An invited player agreed, or somebody joined.
    Accepted {
        /// Which match.
        game: MatchNo,
        /// Who.
        player: PlayerNo,
    },
    /// The match did not come about.
    Voided {
        /// Which.
        game: MatchNo,
        /// Who declined or withdrew it.
        by: PlayerNo,
    },
    /// The match began.
    Begun {
        /// Which.
        game: MatchNo,
        /// Chair of each seat; drawn by lot where nobody chose.
        seats: Vec<u8>,
        /// What fell.
        rolls: Vec<u16>,
    },
    /// A card lies face down; its commitment is public, the rest is not.
    Sealed {
        /// Which match.
        game: MatchNo,
        /// The card with its nonce.
        seal: Sealed,
    },
    /// A player opened a card that only he knew; it is kept until all of its turn are.
    Unsealed {
        /// Which match.
        game: MatchNo,
        /// The turn whose summoning it is for.
        turn: u32,
        /// Whose card.
        seat: Seat,
        /// The card.
        card: Secret,
        /// What hid it in the commitment.
        nonce: Secret,
    },
    /// All cards of a turn were turned over at once.
    Opened {
        /// Which match.
        game: MatchNo,
        /// The turn.
        turn: u32,
        /// Every card; where somebody defaulted, cards that come to the same.
        cards: Vec<(Seat, String)>,
        /// What fell.
        rolls: Vec<u16>,
        /// Who did not open his card, or opened one that is not left.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        defaulted: Vec<Seat>,
    },
    /// A conditional order was stored.
    Planned {
        /// Which match.
        game: MatchNo,
        /// What.
        plan: Plan,
    },
    /// A conditional order was used up, dropped or turned out impossible.
    PlanGone {
        /// Which match.
        game: MatchNo,
        /// For which turn.
        turn: u32,
        /// Whose.
        seat: Seat,
    },
    /// What a seat answers to the opponent's next turn; none: nothing any more.
    Replies {
        /// Which match.
        game: MatchNo,
        /// All of that seat.
        replies: Replies,
    },
    /// A turn, a placement or another answer was played.
    Acted {
        /// Which match.
        game: MatchNo,
        /// Who.
        seat: Seat,
        /// Canonical text of the whole order.
        order: String,
        /// As the player wrote it.
        ordered: String,
        /// What fell.
        rolls: Vec<u16>,
        /// The letter that ordered it; `None` where none of this player's did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        letter: Option<Ordered>,
    },
    /// A draw was offered.
    DrawOffered {
        /// Which match.
        game: MatchNo,
        /// By whom.
        seat: Seat,
    },
    /// One of several who must agree to a draw has.
    DrawAgreed {
        /// Which match.
        game: MatchNo,
        /// Who.
        seat: Seat,
    },
    /// A seat wants to resign; its partner has not agreed yet.
    Yielded {
        /// In which match.
        game: MatchNo,
        /// Which.
        seat: Seat,
    },
    /// A chair was not mailed what happened, or has caught up.
    Behind {
        /// In which match.
        game: MatchNo,
        /// Which chair.
        chair: u8,
        /// First line of the record that it does not know; `None`: it knows all.
        since: Option<u32>,
    },
    /// An offer was declined.
    DrawDeclined {
        /// Which match.
        game: MatchNo,
        /// By whom.
        seat: Seat,
    },
    /// A player asks to take back his last turn.
    UndoAsked {
        /// Which match.
        game: MatchNo,
        /// Who.
        seat: Seat,
    },
    /// That was declined.
    UndoDeclined {
        /// Which match.
        game: MatchNo,
        /// By whom.
        seat: Seat,
    },
    /// It was taken back, with what followed.
    Undone {
        /// Which match.
        game: MatchNo,
        /// Whose turn.
        seat: Seat,
    },
    /// Somebody looks on, or no longer.
    Watching {
        /// Which match.
        game: MatchNo,
        /// Who.
        player: PlayerNo,
        /// True from now on.
        on: bool,
    },
    /// The match ended otherwise than on the board: agreed, claimed, resigned.
    Finished {
        /// Which.
        game: MatchNo,
        /// How.
        ending: Ending,
    },
    /// A player wrote to the others.
    Said {
        /// In which match.
        game: MatchNo,
        /// Who.
        seat: Seat,
        /// The text, cleaned.
        text: String,
    },
    /// A letter waits for the confirmation of its sender.
    Held {
        /// What he must answer to.
        code: Secret,
        /// Who is asked.
        address: String,
        /// The letter.
        read: Box<Read>,
    },
    /// A held letter was confirmed, or dropped.
    Released {
        /// Its code.
        code: Secret,
    },
    /// The referee was away, or its clock was set: the time for the present decision begins so much later.
    ClockMoved {
        /// In which match.
        game: MatchNo,
        /// Seconds; below 0 where the clock was set back.
        seconds: i64,
    },
    /// A player wrote for his own eyes.
    Noted {
        /// In which match.
        game: MatchNo,
        /// Who.
        seat: Seat,
        /// The text, cleaned.
        text: String,
    },
    /// A player's clock stands still.
    Away {
        /// In which match.
        game: MatchNo,
        /// Whose.
        seat: Seat,
        /// From when.
        from: Timestamp,
        /// To when.
        to: Timestamp,
    },
    /// It runs again.
    Back {
        /// In which match.
        game: MatchNo,
        /// Whose.
        seat: Seat,
    },
    /// A reminder went out.
    Reminded {
        /// In which match.
        game: MatchNo,
        /// To whom.
        seat: Seat,
        /// 1: half of the time is over; 2: nine tenths; 3: all of it.
        stage: u8,
        /// True for the time in which a card must be opened, false for the clock.
        #[serde(default)]
        open: bool,
    },
    /// A player wants everything about him erased; the Keeper does that.
    EraseAsked {
        /// Who.
        player: PlayerNo,
    },
    /// The Keeper's word.
    Keeper {
        /// What he did.
        deed: Deed,
    },
}

impl Event {
    /// The match it belongs to, if it belongs to one.
    pub fn game(&self) -> Option<MatchNo> {
        match self {
            Event::Proposed { game, .. }
            | Event::Founded { game, .. }
            | Event::Gave { game, .. }
            | Event::Seeds { game, .. }
            | Event::Accepted { game, .. }
            | Event::Voided { game, .. }
            | Event::Begun { game, .. }
            | Event::Sealed { game, .. }
            | Event::Unsealed { game, .. }
            | Event::Opened { game, .. }
            | Event::Planned { game, .. }
            | Event::PlanGone { game, .. }
            | Event::Replies { game, .. }
            | Event::Watching { game, .. }
            | Event::Acted { game, .. }
            | Event::DrawOffered { game, .. }
            | Event::DrawAgreed { game, .. }
            | Event::Yielded { game, .. }
            | Event::Behind { game, .. }
            | Event::DrawDeclined { game, .. }
            | Event::Finished { game, .. }
            | Event::Said { game, .. }
            | Event::ClockMoved { game, .. }
            | Event::UndoAsked { game, .. }
            | Event::UndoDeclined { game, .. }
            | Event::Undone { game, .. }
            | Event::Noted { game, .. }
            | Event::Away { game, .. }
            | Event::Back { game, .. }
            | Event::Reminded { game, .. } => Some(*game),
            Event::Keeper { deed } => deed.game(),
            _ => None,
        }
    }
}
