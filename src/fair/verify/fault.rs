//! What may be wrong with a ledger, each in its own words.

use super::super::ledger::BadLine;

/// One thing that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each says what the fields are")]
pub enum Fault {
    // the file
    #[error("the file is larger than {most} bytes")]
    FileTooLarge { most: usize },
    #[error("the file is empty")]
    Empty,
    #[error("the file is not plain ASCII")]
    NotAscii,
    #[error("the line ends with a carriage return; save the file with plain line ends")]
    CarriageReturn,
    #[error("the last line has no end: the file was cut")]
    NoNewline,
    #[error("the file does not end with a head: it was cut, or its last entries are not signed")]
    NoHeadAtEnd,
    #[error("{0}")]
    Line(BadLine),
    #[error("entry {expected} is due here, not {found}: lines are missing or were moved")]
    Order { expected: u64, found: u64 },
    #[error("the time runs backwards")]
    Backwards,
    #[error("this is not a head: `head <gid> <seq> <h> <R> <S>` with hex in small letters")]
    HeadForm,
    #[error("the head is of game {found}, the ledger is of {gid}")]
    HeadOfAnother { gid: String, found: String },
    #[error("the head is of entry {found}, it stands behind entry {at}")]
    HeadPlace { at: u64, found: u64 },
    #[error("the head of entry {seq} does not fit: the lines above are not those that were signed")]
    HeadHash { seq: u64 },
    #[error("the signature of the head of entry {seq} is not of the key {key}")]
    Signature { seq: u64, key: String },
    #[error("the ledger is under the key {found}, not under {given}")]
    OtherKey { given: String, found: String },
    // the set-up
    #[error("a ledger begins with its `game` entry")]
    NoGame,
    #[error("a second `game` entry")]
    SecondGame,
    #[error("`{key}={value}` makes no sense here")]
    Value { key: String, value: String },
    #[error("there is no seat {seat}: the game has {seats}")]
    NoSuchSeat { seat: u64, seats: u32 },
    #[error("`saw={saw}` names no head of this ledger: somebody was shown another one")]
    Saw { saw: String },
    #[error("the game is over; nothing but openings and notes can follow")]
    AfterEnd,
    #[error("the match has not begun: there is no `start` above")]
    NotStarted,
    #[error("the set-up is over: this came after `start`")]
    AfterStart,
    #[error("a second `start`")]
    SecondStart,
    #[error("seat {seat} has committed or given a seed already")]
    SeedTwice { seat: u32 },
    #[error("seat {seat} commits after other seeds were known")]
    CommitLate { seat: u32 },
    #[error("the seed of seat {seat} is not the hash of its words")]
    WordsSeed { seat: u32 },
    #[error("seat {seat} opens a seed that it never committed to")]
    NotCommitted { seat: u32 },
    #[error("the seed of seat {seat} does not fit its commitment")]
    SeedOpening { seat: u32 },
    #[error("seat {seat} opens its seed before every other seat has given or committed to one")]
    OpenedEarly { seat: u32 },
    #[error("seat {seat} opens its seed before a head fixed what the others gave")]
    OpenedUnsigned { seat: u32 },
    #[error("seat {seat} never opened its committed seed: the game cannot start")]
    NeverOpened { seat: u32 },
    #[error("e is {found}; the anchor and the seeds give {expected}")]
    Entropy { expected: String, found: String },
    #[error("no `bind` above fixes the round of this beacon")]
    NotBound,
    #[error("round {found} is not the first one 600 s after this line; that is {expected}")]
    Round { expected: u64, found: u64 },
    #[error("b is not the hash of the beacon's signature")]
    Beacon,
    #[error("the game line promises a beacon and there is none")]
    NoBeacon,
    #[error("the game line promises no beacon and there is one")]
    StrayBeacon,
    // dice
    #[error("roll {j} of turn {t} lies outside of the chain")]
    Slot { t: u64, j: u64 },
    #[error("roll {j} of turn {t} does not come after the roll above")]
    RollOrder { t: u64, j: u64 },
    #[error(
        "c does not lead down to {known}, which was known before: this is not the chain's element"
    )]
    Chain { known: String },
    #[error("the dice are {found}; element, game and e give {expected}")]
    Dice { expected: String, found: String },
    // cards
    #[error("seat {seat} has a card for turn {t} already")]
    SealTwice { t: u64, seat: u32 },
    #[error("the card of seat {seat} for turn {t} was laid down after the other was open")]
    SealLate { t: u64, seat: u32 },
    #[error("this commitment stands above already: it was copied")]
    SealCopied,
    #[error("seat {seat} has no card for turn {t}")]
    NoSeal { t: u64, seat: u32 },
    #[error("the card of seat {seat} for turn {t} is open already")]
    OpenTwice { t: u64, seat: u32 },
    #[error("the card of seat {seat} for turn {t} is opened before the other lies on the table")]
    OpenEarly { t: u64, seat: u32 },
    #[error("card and nonce of seat {seat} for turn {t} do not fit the commitment")]
    Opening { t: u64, seat: u32 },
    #[error("a result for turn {t} without two cards")]
    ResultEarly { t: u64 },
    #[error("a second result for turn {t}")]
    ResultTwice { t: u64 },
    #[error("the result of turn {t} is `match={found}`, the cards say otherwise")]
    Result { t: u64, found: String },
    #[error(
        "nobody can have defaulted in turn {t}: the referee holds both cards, or no time ran out"
    )]
    NoDefault { t: u64 },
    #[error("the cards of turn {t} were compared and are not open under this head")]
    NotOpened { t: u64 },
    #[error("the game is over and the cards of turn {t} were never opened")]
    NeverShown { t: u64 },
    // other people's copies
    #[error(
        "a head of yours for entry {seq} is signed and is not in this file: one of the two ledgers is a fraud"
    )]
    Fork { seq: u64 },
    #[error("a head of yours for entry {seq} is beyond this file: it was rolled back or is older")]
    Beyond { seq: u64 },
}
