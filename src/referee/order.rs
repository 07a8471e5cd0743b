//! What a letter said, as values: the only thing the referee ever sees of a letter.
//!
//! `post::reader` makes these from bytes, the referee decides on them. They are pure data and can be stored, because the
//! orders of a letter whose sender must first be confirmed wait in the journal (protocol.md, Identity).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One letter, read but not yet judged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Read {
    /// The single From address with its domain in lower case; empty where the letter names none or several.
    pub from: String,
    /// How far the receiving mail server vouches for `from`.
    pub proof: Proof,
    /// The reply token, taken apart but not checked: its mac is the referee's to judge.
    pub token: Option<Token>,
    /// The game named in the subject, `[tulpas #42]` or `#42`.
    pub subject_match: Option<u32>,
    /// `Message-ID` without its angle brackets, `-` where there is none or a malformed one.
    pub message_id: String,
    /// Message-IDs this letter answers, newest first: In-Reply-To, then References from the end; no brackets.
    pub answers: Vec<String>,
    /// The orders, split by `game 42` headings; one part with no orders where nothing was understood.
    pub parts: Vec<Part>,
    /// Lines that were taken for prose, at most [`IGNORED_LINES_MAX`] of at most [`IGNORED_CHARS_MAX`] characters.
    pub ignored: Vec<String>,
    /// The mail server's own stamp, never the sender's `Date:` (protocol.md, Clocks).
    pub received: Timestamp,
    /// SHA-256 of the raw letter.
    pub digest: [u8; 32],
    /// What was unusual about the letter, so that the answer can say so.
    pub oddities: Oddities,
}

/// How many prose lines are kept to be shown as ignored.
pub const IGNORED_LINES_MAX: usize = 10;
/// How much of one ignored line is kept.
pub const IGNORED_CHARS_MAX: usize = 72;
/// How many orders one letter may hold (security.md 5).
pub const ORDERS_MAX: usize = 40;
/// How many characters a chat message may have (security.md 4).
pub const MESSAGE_CHARS_MAX: usize = 2000;
/// How many lines a chat message may have (security.md 4).
pub const MESSAGE_LINES_MAX: usize = 40;

impl Read {
    /// All orders of all parts, slips left out.
    pub fn orders(&self) -> impl Iterator<Item = &Order> {
        self.parts
            .iter()
            .flat_map(|p| &p.orders)
            .filter_map(|o| o.order.as_ref().ok())
    }

    /// The first line that cannot be carried out: with one such line nothing of the letter is (protocol.md, promise 2).
    pub fn first_slip(&self) -> Option<&OrderLine> {
        self.parts
            .iter()
            .flat_map(|p| &p.orders)
            .find(|o| o.order.is_err())
    }

    /// Was no command found at all?
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|p| p.orders.is_empty())
    }
}

/// What the receiving server says about the sender (RFC 8601, from a trusted authserv-id only).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Proof {
    /// Nothing trusted was said.
    None,
    /// DMARC, or DKIM aligned with the From domain, passed.
    Vouched,
    /// DMARC failed, or every aligned DKIM signature did.
    Failed,
}

/// `ref+<gid>.<seat>.<tok>@host` or `[gid.seat.tok]` in the subject, taken apart (security.md 2).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Token {
    /// The match, as written.
    pub gid: String,
    /// The seat's number, or whatever small number the referee put there.
    pub seat: u8,
    /// The part that cannot be guessed, lower case.
    pub mac: String,
}

/// What was unusual about a letter.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Oddities {
    /// Some bytes could not be decoded and were replaced by U+FFFD (unknown charset, broken base64).
    pub undecodable: bool,
    /// The text was longer than the limit; only its beginning was read.
    pub cut: bool,
    /// There was no plain text, HTML was reduced to text.
    pub html_only: bool,
    /// No single usable From address: none, several, group syntax, or a hostile one.
    pub from_unusable: bool,
    /// More orders than [`ORDERS_MAX`] or more lines than are read.
    pub too_many_orders: bool,
    /// The orders come from the subject line, the text had none.
    pub from_subject: bool,
}

/// The orders for one game, or for none in particular.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Part {
    /// The heading `game 42` above these orders (or `accept 42`).
    pub game: Option<u32>,
    /// In the order they were written.
    pub orders: Vec<OrderLine>,
}

/// One order and the line that gave it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OrderLine {
    /// 1-based number of the line in the text the player typed; 0 for the subject.
    pub line: usize,
    /// The line as understood (look-alikes folded), for the answer.
    pub text: String,
    /// The order, or why the line must be refused and the whole letter with it.
    pub order: Result<Order, Slip>,
}

/// Who is challenged by `new GAME vs ...`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Rival {
    /// A mail address, domain in lower case.
    Address(String),
    /// The name of a player the referee knows.
    Name(String),
}

/// What a player asks (protocol.md, Commands). Texts are trimmed and pure ASCII, but for `Message`, `Note` and `Name`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Order {
    /// `help [topic]`
    Help(Option<String>),
    /// `games`: what can be played
    Games,
    /// `rules GAME`; empty for the game of this letter
    Rules(String),
    /// `notation GAME`; empty for the game of this letter
    Notation(String),
    /// `new GAME [vs ADDRESS or NAME [and ...]] [as SEAT] [option=value ...]`
    New {
        /// the game's id as written, lower case
        game: String,
        /// the others, in the order written
        rivals: Vec<Rival>,
        /// the seat the writer wants
        seat: Option<String>,
        /// `array=A2`, `days=5+1` ...; keys in lower case
        options: BTreeMap<String, String>,
    },
    /// `accept` an invitation
    Accept,
    /// `seed WORDS`, and the words behind `accept` and `join N`: what the writer puts into the dice, as written
    Seed(String),
    /// `seed commit HEX`: 64 hex digits, lower case
    SeedCommit(String),
    /// `seed open HEX`: 64 hex digits, lower case
    SeedOpen(String),
    /// `decline` an invitation
    Decline,
    /// `cancel` an own invitation
    Cancel,
    /// `block NAME`; empty: whoever sent this invitation
    Block(String),
    /// `seek GAME [option=value ...]`
    Seek {
        /// the game's id as written, lower case
        game: String,
        /// as in `New`
        options: BTreeMap<String, String>,
    },
    /// `seeks`
    Seeks,
    /// `join N`
    Join(u32),
    /// One turn: consecutive move lines joined by `; `, as written
    Play(String),
    /// `pick CARD`: the mover's card for his own summoning
    Pick(String),
    /// `guess CARD`: the card for the other's summoning
    Guess(String),
    /// `pick commit HEX`, `guess commit HEX`: a card that not even the referee can read
    CardCommit {
        /// true for `guess`: for the other's summoning
        guess: bool,
        /// 64 hex digits, lower case
        commitment: String,
    },
    /// `pick open CARD NONCE`, with `guess` as well
    CardOpen {
        /// lower case
        card: String,
        /// 64 hex digits, lower case
        nonce: String,
    },
    /// `place PIECE SQUARE`, whatever stands after `place`
    Place(String),
    /// `if created: ...` and `else: ...`, joined where they follow each other
    IfCreated {
        /// placement and moves for the case that the cards match
        created: Option<String>,
        /// moves for the case that they do not
        otherwise: Option<String>,
    },
    /// `if OPPONENT-MOVE then MY-MOVE [; if ...]`, whole
    Plan(String),
    /// `plans`
    Plans,
    /// `forget` what is stored ahead
    Forget,
    /// `preview MOVES`
    Preview(String),
    /// `end` / `pass`
    End,
    /// `start SEAT`
    Start(String),
    /// `exchange first/second/no`
    Exchange(String),
    /// `show [N]`
    Show(Option<u32>),
    /// `history`
    History,
    /// `export`
    Export,
    /// `clock`
    Clock,
    /// `status`: my games
    Status,
    /// `offer draw`
    OfferDraw,
    /// `accept draw`
    AcceptDraw,
    /// `decline draw`
    DeclineDraw,
    /// `claim draw`
    ClaimDraw,
    /// `claim time`
    ClaimTime,
    /// `resign`
    Resign,
    /// `undo`
    Undo,
    /// `accept undo`
    AcceptUndo,
    /// `decline undo`
    DeclineUndo,
    /// `message TEXT`, with the rest of its paragraph, cleaned of everything that is not plain text
    Message(String),
    /// `note TEXT`, for the writer's own eyes
    Note(String),
    /// `name NAME`
    Name(String),
    /// `away DATE to DATE`, as written
    Away(String),
    /// `back`
    Back,
    /// `delegate to NAME`
    Delegate(String),
    /// `set key=value`; several on one line become several orders
    Set {
        /// lower case
        key: String,
        /// as written
        value: String,
    },
    /// `erase me`
    Erase,
    /// `turn N`: the orders of this part are meant for turn N only
    Turn(u32),
    /// `watch N`
    Watch(u32),
    /// `unwatch N`
    Unwatch(u32),
    /// `standings [GAME]`
    Standings(Option<String>),
    /// `confirm CODE`; `unsubscribe` is `Unsubscribe`
    Confirm(String),
    /// `unsubscribe`: no more mail about this game
    Unsubscribe,
}

/// Why a line that looks like a command is refused, and the whole letter with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Slip {
    /// The first word is nearly a command word.
    NearMiss {
        /// what was written
        word: String,
        /// what was probably meant
        meant: String,
    },
    /// The command needs something that is not there.
    Missing {
        /// the command word
        command: String,
        /// how it is written, e.g. `pick CARD`
        usage: String,
    },
    /// What follows the command word cannot be understood.
    Unclear {
        /// the command word
        command: String,
        /// the part that is not understood
        found: String,
        /// how it is written
        usage: String,
    },
    /// The letter holds more than [`ORDERS_MAX`] orders; this is the first too many.
    TooMany,
}
