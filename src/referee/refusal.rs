//! Why an order was not obeyed, as a value; `templates/en/refused.txt` and `_why.txt` make the sentences.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::notice::{MatchInfo, Report};

/// Why an order was not obeyed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// Number of the line; 0 for the subject, `None` where no single line is to blame.
    pub line: Option<usize>,
    /// The line as understood; empty for a pick, whose card must not be repeated anywhere.
    pub text: String,
    /// Why.
    pub why: Why,
    /// Lines that were fine.
    pub fine: Vec<String>,
    /// The board as it stands, where a match is known.
    pub report: Option<Box<Report>>,
}

/// The reason, as a value; the template makes the sentence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
#[allow(
    missing_docs,
    reason = "each is one sentence of templates/en/refused.txt"
)]
pub enum Why {
    // The Keeper.
    OnHold {
        why: String,
    },
    Banned {
        why: String,
    },
    // The rules.
    NotAsked {
        awaited: Vec<String>,
        owed: Option<String>,
    },
    NoSuchStep {
        /// Its number in the turn, from 1.
        step: usize,
        text: String,
        done: Vec<String>,
        why: Option<String>,
        legal: Vec<String>,
    },
    Ambiguous {
        text: String,
        readings: Vec<String>,
    },
    Unfinished {
        done: Vec<String>,
        legal: Vec<String>,
        may_end: bool,
    },
    TooMuch {
        text: String,
    },
    // Cards.
    NoSuchCard {
        left: Vec<String>,
        meant: Option<String>,
        spent: bool,
    },
    CardAlreadyDown {
        turn: u32,
    },
    CopiedNumber,
    DiceWereQuicker {
        turn: u32,
    },
    OpenTooEarly {
        turn: u32,
    },
    OpenTooLate {
        turn: u32,
    },
    AlreadyOpen {
        turn: u32,
    },
    RefereeOpens {
        turn: u32,
    },
    NothingToOpen,
    DoesNotFit {
        turn: u32,
        seat: u32,
        commitment: String,
    },
    NoPicks {
        certain: Option<String>,
    },
    CardsAreOpen,
    PlanWithoutPick,
    TwoPlans,
    NoReplies,
    MoveFirst,
    // The letter.
    NearMiss {
        word: String,
        meant: String,
    },
    Missing {
        command: String,
        usage: String,
    },
    Unclear {
        command: String,
        found: String,
        usage: String,
    },
    TooMany {
        most: usize,
    },
    TooBig,
    NotYet {
        command: String,
    },
    // Matches.
    WhichGame {
        games: Vec<MatchInfo>,
    },
    NoGames,
    NotYours {
        game: u32,
    },
    IsOver {
        reason: String,
    },
    NotBegun,
    Begun,
    NoSuchGame {
        game: String,
        meant: Option<String>,
        known: Vec<String>,
    },
    BadOption {
        what: String,
        hint: Option<String>,
    },
    NoSuchSeat {
        seat: String,
        seats: Vec<String>,
    },
    Rivals {
        fewest: usize,
        wanted: usize,
        given: usize,
    },
    SeatsCannotBe,
    NoSuchPlayer {
        name: String,
    },
    Yourself,
    CannotInvite {
        name: String,
    },
    TooManyInvitations {
        most: usize,
    },
    TooManyGames {
        most: usize,
    },
    NotInvited,
    AlreadyAccepted,
    // Seeds.
    BadWords {
        what: String,
    },
    SeedsFixed,
    SeedCommitted,
    NoSeedCommitted,
    SeedTooEarly,
    SeedOpening {
        commitment: String,
    },
    OwnGame {
        game: u32,
    },
    NotWatchable {
        game: u32,
    },
    NotJoinable {
        game: u32,
    },
    // Draws, names, settings.
    NoDrawOffered,
    DrawAlreadyOffered,
    AlreadyResigning,
    NoDrawClaim,
    NothingToUndo,
    NoUndoAsked,
    NoTimeClaim {
        until: Option<Timestamp>,
    },
    NoCardClaim,
    BadDates {
        text: String,
        most: i64,
    },
    BadName {
        name: String,
        most: usize,
    },
    NameTaken {
        name: String,
    },
    BadSetting {
        key: String,
        value: String,
        known: Vec<String>,
    },
    BadCode,
    /// The games that he still takes part in.
    EraseFirst {
        games: Vec<u32>,
    },
    TurnIsOver {
        asked: u32,
        now: u32,
    },
}
