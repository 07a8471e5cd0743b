//! What the referee knows: players, matches, held letters; and the two traits by which it reads and writes them.
//!
//! [`Registry`] is the read side, [`Records`] the write side; the store implements the first over sled, [`super::room::Room`]
//! both over maps. `decide` works on an overlay, so that a refused letter leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::cards::Asked;
pub use super::clock::{Clock, Timer};
use super::gallery::Score;
use super::order::Read;
use super::replies::Replies;
use super::scribe::{EntryLine, Fair};
use super::undo::Before;
use crate::rules::{Ending, Options, Rulebook, Seat, Table, What};

/// A player, numbered from 1.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerNo(pub u32);

/// A match, numbered from 1; players see it as "game 42".
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MatchNo(pub u32);

impl fmt::Display for MatchNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Something that must not be seen: kept and compared, never printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Finished matches that a player's record remembers.
pub const OVER_REMEMBERED_MAX: usize = 20;

/// A person who plays by mail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Player {
    /// Number.
    pub no: PlayerNo,
    /// The one address the referee writes to.
    pub address: String,
    /// What others see; never made of the address.
    pub name: String,
    /// False for somebody who was invited and never wrote.
    pub confirmed: bool,
    /// Raised to make all reply tokens worthless.
    pub epoch: u32,
    /// Players whose invitations and messages he does not want.
    pub blocked: BTreeSet<PlayerNo>,
    /// Nothing may be sent to him: he declined and blocked before he ever played.
    pub silent: bool,
    /// `set key=value`.
    pub settings: BTreeMap<String, String>,
    /// Matches not yet over, invitations too.
    pub playing: Vec<MatchNo>,
    /// The last [`OVER_REMEMBERED_MAX`] finished ones.
    pub over: Vec<MatchNo>,
    /// When his last invitations went out; for the limit a day.
    pub invited: Vec<Timestamp>,
    /// Why the Keeper lets him play no more.
    pub banned: Option<String>,
    /// When he put up his last games; for the limit a day.
    pub opened: Vec<Timestamp>,
    /// When he was last asked whether a letter is his; for the limit a day.
    pub asked: Vec<Timestamp>,
    /// His results, by game.
    pub results: BTreeMap<String, Score>,
}

/// How far a match has come.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Stage {
    /// Somebody has not yet answered his invitation.
    Inviting,
    /// Open to whoever joins.
    Seeking,
    /// Under way.
    Playing,
    /// Ended by the rules of the game or by agreement.
    Over,
    /// Never came about, or was withdrawn.
    Void,
}

/// One who takes part; the index of his chair never changes, his seats are known when the match begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Chair {
    /// Who.
    pub player: PlayerNo,
    /// Has he agreed?
    pub accepted: bool,
    /// The seats that the opener wants him to have.
    pub wishes: Vec<Seat>,
    /// First line of the record that no mail has told him of, if there is one.
    pub behind: Option<u32>,
}

/// Who laid a card face down, and so can open it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// A player named it to the referee, who keeps it.
    #[default]
    Referee,
    /// A player gave its number alone; the card is not known before he opens it.
    Player,
    /// The dice chose it: everybody has seen the roll.
    Dice,
}

/// A face-down card.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sealed {
    /// The turn whose summoning it is for.
    pub turn: u32,
    /// Whose card.
    pub seat: Seat,
    /// The card; empty while only a player knows it.
    pub card: Secret,
    /// What hides it in the commitment; empty while only a player knows it.
    pub nonce: Secret,
    /// Public at once.
    pub commitment: String,
    /// Who can open it.
    #[serde(default)]
    pub by: Holder,
}

impl Sealed {
    /// Does the referee know the card?
    pub fn known(&self) -> bool {
        !self.card.0.is_empty()
    }
    /// The seat, from 1 as in the lines that are hashed.
    pub fn number(&self) -> u32 {
        u32::from(self.seat.0) + 1
    }
}

/// What a player wants done once the cards of a turn are open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// For which turn.
    pub turn: u32,
    /// Whose.
    pub seat: Seat,
    /// Placement and moves if the Tulpa is created.
    pub created: Option<String>,
    /// Moves if not.
    pub otherwise: Option<String>,
}

/// The last turn of a seat, to know an order that was already played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LastTurn {
    /// Whose.
    pub seat: Seat,
    /// Number of the turn.
    pub turn: u32,
    /// As the player wrote it, tidied.
    pub ordered: String,
    /// Canonical steps.
    pub steps: Vec<String>,
}

/// Notes a player may keep in one match; the oldest gives way.
pub const NOTES_MAX: usize = 20;

/// What a player wrote for his own eyes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// Whose.
    pub seat: Seat,
    /// In which turn.
    pub turn: u32,
    /// The text, cleaned.
    pub text: String,
}

/// The Keeper's stop: nothing is played and no clock runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hold {
    /// Since when.
    pub since: Timestamp,
    /// What the players were told.
    pub why: String,
}

/// One contest under one game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Match {
    /// Number.
    pub no: MatchNo,
    /// Ten characters [a-z2-7], public.
    pub gid: String,
    /// 32 bytes in hex; the nonces come from it.
    pub secret: Secret,
    /// Id of the game.
    pub game: String,
    /// SHA-256 of the rulebook's text.
    pub book: String,
    /// Settled options of the game.
    pub options: Options,
    /// False for `reveal=outcome`.
    pub reveal_both: bool,
    /// Time control.
    pub clock: Clock,
    /// How far.
    pub stage: Stage,
    /// Who takes part; the opener is the first.
    pub chairs: Vec<Chair>,
    /// How many are wanted; fewer than seats where somebody holds two.
    pub people: u8,
    /// Chair of each seat, once begun.
    pub seats: Vec<u8>,
    /// Events so far.
    pub entry: u32,
    /// Record lines so far.
    pub lines: u32,
    /// Cards face down.
    pub sealed: Vec<Sealed>,
    /// All cards of the turn are down, and some wait to be opened by those who laid them down.
    pub asked: Option<Asked>,
    /// With `reveal=outcome`: cards whose turn is over, to be shown when the match is.
    pub opened: Vec<Sealed>,
    /// Conditional orders.
    pub plans: Vec<Plan>,
    /// What players answer to a turn that is not played yet.
    pub replies: Vec<Replies>,
    /// Who offered a draw.
    pub draw_offer: Option<Seat>,
    /// Seats that have agreed to it, where more than one must.
    pub agreed: Vec<Seat>,
    /// Seats that want to resign and wait for their partners to agree.
    pub yielding: Vec<Seat>,
    /// Who asks to take back.
    pub undo_offer: Option<Seat>,
    /// What can be taken back.
    pub before: Vec<Before>,
    /// Last turns by seat.
    pub last: Vec<LastTurn>,
    /// The clock of each seat, once begun.
    pub timers: Vec<Timer>,
    /// What players noted for their own eyes, at most [`NOTES_MAX`] for a seat.
    pub notes: Vec<Note>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Who looks on.
    pub watchers: Vec<PlayerNo>,
    /// Stopped by the Keeper.
    pub hold: Option<Hold>,
    /// The end of its ledger.
    pub fair: Fair,
    /// The position; `None` before the match begins.
    #[serde(skip)]
    pub table: Option<Table>,
}

/// Seconds of a day.
pub const DAY: i64 = 86_400;

impl Match {
    /// The chair of a player.
    pub fn chair_of(&self, player: PlayerNo) -> Option<u8> {
        let at = self.chairs.iter().position(|c| c.player == player)?;
        u8::try_from(at).ok()
    }
    /// All seats of a player, once the match has begun.
    pub fn seats_of(&self, player: PlayerNo) -> Vec<Seat> {
        let Some(chair) = self.chair_of(player) else {
            return Vec::new();
        };
        (0u8..)
            .zip(&self.seats)
            .filter(|(_, c)| **c == chair)
            .map(|(at, _)| Seat(at))
            .collect()
    }
    /// The seat a player acts for now: the awaited one of his, else his first.
    pub fn seat_of(&self, player: PlayerNo) -> Option<Seat> {
        let seats = self.seats_of(player);
        let awaited = || seats.iter().find(|s| self.is_awaited(**s));
        match seats.len() {
            0 | 1 => seats.first().copied(),
            _ => awaited().or(seats.first()).copied(),
        }
    }
    /// The player of a seat, once the match has begun.
    pub fn player_at(&self, seat: Seat) -> Option<PlayerNo> {
        let chair = *self.seats.get(seat.at())?;
        self.chairs.get(usize::from(chair)).map(|c| c.player)
    }
    /// The other seat of a game of two.
    pub fn rival_of(&self, seat: Seat) -> Option<Seat> {
        (self.seats.len() == 2).then(|| Seat(1 - seat.0.min(1)))
    }
    /// Has this player offered or agreed to the draw that is on offer?
    pub fn has_agreed(&self, player: PlayerNo) -> bool {
        let said = |s: &Seat| self.player_at(*s) == Some(player);
        self.draw_offer.as_ref().is_some_and(said) || self.agreed.iter().any(said)
    }
    /// Does a draw that `by` offered lapse when `seat` has acted? Between two the other's act declines it; among more it
    /// stands until the one who offered it acts again.
    pub fn offer_lapses(&self, by: Seat, seat: Seat) -> bool {
        if self.chairs.len() > 2 {
            by == seat
        } else {
            self.seats.get(by.at()) != self.seats.get(seat.at())
        }
    }
    /// Number of the turn under way; 0 before the match begins.
    pub fn turn(&self) -> u32 {
        self.table.as_ref().map_or(0, Table::turn_no)
    }
    /// What a seat owes and has not given: a sealed card is given.
    pub fn owed(&self, seat: Seat) -> Option<What> {
        if self.stage != Stage::Playing {
            return None;
        }
        let table = self.table.as_ref()?;
        let ask = table.asks().into_iter().find(|a| a.seat == seat)?;
        let down = ask.what == What::Pick && self.card_down(table.turn_no(), seat).is_some();
        (!down).then_some(ask.what)
    }
    /// Seats that owe an order; who must open his card is not among them, see [`Match::is_awaited`].
    pub fn awaited(&self) -> Vec<(Seat, What)> {
        (0..self.seats.len())
            .filter_map(|i| {
                let seat = Seat(u8::try_from(i).ok()?);
                Some((seat, self.owed(seat)?))
            })
            .collect()
    }
    /// The card that lies face down for a turn.
    pub fn card_down(&self, turn: u32, seat: Seat) -> Option<&Sealed> {
        self.sealed
            .iter()
            .find(|s| s.turn == turn && s.seat == seat)
    }
    /// The match as bytes, position included (postcard).
    pub fn save(&self) -> Vec<u8> {
        let position = self.table.as_ref().map(Table::save);
        // Writing plain data into memory cannot fail; empty bytes would be refused by `load`.
        postcard::to_allocvec(&(self, position)).unwrap_or_default()
    }
    /// A match out of [`Match::save`]; `book` finds the rulebook by its digest.
    pub fn load(
        bytes: &[u8],
        book: impl Fn(&str) -> Option<Arc<Rulebook>>,
    ) -> Result<Match, Unfit> {
        let (mut m, position): (Match, Option<Vec<u8>>) = postcard::from_bytes(bytes)
            .map_err(|e| Unfit::new(format!("the snapshot of a match cannot be read: {e}")))?;
        if let Some(position) = position {
            let book = book(&m.book)
                .ok_or_else(|| Unfit::new(format!("the rulebook of game {} is not kept", m.no)))?;
            let table = Table::load(&book, &m.options, &position)
                .map_err(|e| Unfit::new(format!("the position of game {}: {e}", m.no)))?;
            m.table = Some(table);
        }
        Ok(m)
    }
}

/// A line of a match's record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Number of the line in the match, from 0.
    pub at: u32,
    /// The turn it belongs to.
    pub turn: u32,
    /// What everybody may see now; JSON of the record format.
    pub public: Option<String>,
    /// What may be seen when the match is over.
    pub full: String,
}

/// A letter that waits for its sender's confirmation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Held {
    /// What the sender must answer to.
    pub code: Secret,
    /// Who is asked.
    pub address: String,
    /// The letter.
    pub read: Read,
    /// Since when; see [`HELD_HOURS_MAX`].
    pub at: Timestamp,
}

/// How long a held letter can be confirmed, hours (security.md 2).
pub const HELD_HOURS_MAX: i64 = 24;

/// A mail of ours that somebody answers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SentMail {
    /// About which match.
    pub game: MatchNo,
    /// To which chair.
    pub chair: u8,
    /// Number of the turn that it showed.
    pub turn: u32,
}

/// Highest numbers given so far.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Of players.
    pub players: u32,
    /// Of matches.
    pub matches: u32,
}

/// What the Keeper settled.
#[derive(Clone, Debug, Default)]
pub struct House {
    /// The server key: tokens and Message-IDs come from it.
    pub key: [u8; 32],
    /// Hold what is proved by the address alone (`auth=strict`).
    pub strict: bool,
    /// Days for a turn where the players name none; 0: no limit.
    pub days: u32,
    /// How much a player may ask for.
    pub allowance: Allowance,
}

/// How much a player may ask for (security.md 3 and 5).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Orders in one letter.
    pub orders: usize,
    /// Games put up in a day.
    pub new_games: usize,
    /// Invitations in a day.
    pub invitations: usize,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance {
            orders: super::order::ORDERS_MAX,
            new_games: 3,
            invitations: 5,
        }
    }
}

/// An event that does not fit what is known: the journal is damaged or of another program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct Unfit {
    /// What does not fit.
    pub what: String,
}

impl Unfit {
    /// An error.
    pub fn new(what: impl Into<String>) -> Unfit {
        Unfit { what: what.into() }
    }
}

/// The read side.
pub trait Registry {
    /// The Keeper's settings.
    fn house(&self) -> &House;
    /// Highest numbers given.
    fn counters(&self) -> Counters;
    /// A player.
    fn player(&self, no: PlayerNo) -> Option<Arc<Player>>;
    /// The player of an address (domain in lower case; compared without regard to case).
    fn player_by_address(&self, address: &str) -> Option<PlayerNo>;
    /// The player of that name, in any case.
    fn player_by_name(&self, name: &str) -> Option<PlayerNo>;
    /// A match.
    fn game(&self, no: MatchNo) -> Option<Arc<Match>>;
    /// The match of a gid.
    fn game_by_gid(&self, gid: &str) -> Option<MatchNo>;
    /// Matches in [`Stage::Seeking`].
    fn seeking(&self) -> Vec<MatchNo>;
    /// Matches whose [`Match::next_due`] is not after `now`, at most `most`.
    fn due(&self, now: Timestamp, most: usize) -> Vec<MatchNo>;
    /// The earliest [`Match::next_due`].
    fn next_due(&self) -> Option<Timestamp>;
    /// A kept rulebook by the SHA-256 of its text.
    fn book(&self, digest: &str) -> Option<Arc<Rulebook>>;
    /// Is the text of that rulebook in the journal? A store that also answers `book` from the shelf must look there.
    fn keeps_book(&self, digest: &str) -> bool {
        self.book(digest).is_some()
    }
    /// The record of a match; beyond [`Match::lines`] it may hold what was taken back.
    fn lines(&self, no: MatchNo) -> Vec<Line>;
    /// Entries of a match's ledger, from number `from` on.
    fn entries(&self, no: MatchNo, from: u64) -> Vec<EntryLine>;
    /// Its lines from that one on.
    fn lines_from(&self, no: MatchNo, at: u32) -> Vec<Line> {
        let mut lines = self.lines(no);
        lines.retain(|l| l.at >= at);
        lines
    }
    /// A held letter by its code.
    fn held(&self, code: &str) -> Option<Held>;
    /// When this address was last asked to confirm.
    fn asked(&self, address: &str) -> Option<Timestamp>;
    /// Was this K3 key seen (reliability.md 4)?
    fn seen(&self, key: &str) -> bool;
    /// The mail of ours with this Message-ID.
    fn mail_by_message_id(&self, id: &str) -> Option<SentMail>;
    /// The head in it, `<seq>:<first 16 hex digits>`.
    fn head_of_mail(&self, id: &str) -> Option<String>;
}

/// The write side, used by `apply` alone.
pub trait Records: Registry {
    /// Writes the counters.
    fn put_counters(&mut self, counters: Counters);
    /// Writes a player; his address and name find him from now on.
    fn put_player(&mut self, player: Arc<Player>);
    /// A name finds nobody any more.
    fn free_name(&mut self, name: &str);
    /// An address finds nobody any more.
    fn free_address(&mut self, address: &str);
    /// Writes a match; its gid finds it, and the indices of seeks and of times follow it.
    fn put_game(&mut self, game: Arc<Match>);
    /// Keeps a rulebook.
    fn put_book(&mut self, digest: &str, book: Arc<Rulebook>);
    /// Adds a line to a record.
    fn add_line(&mut self, no: MatchNo, line: Line);
    /// Adds an entry to a ledger.
    fn add_entry(&mut self, no: MatchNo, entry: EntryLine);
    /// Holds a letter, or drops it.
    fn put_held(&mut self, code: &str, held: Option<Held>);
    /// Notes when an address was asked to confirm.
    fn put_asked(&mut self, address: &str, at: Timestamp);
}
