//! LAYER 5: the loop. One letter at a time from the inbox through reader, referee and mailing into one transaction,
//! and from the outbox to the carrier. Nothing here knows a rule; everything here is in the order that loses nothing.

mod alarm;
mod budget;
mod guard;
mod keep;
pub mod keeper;
mod letter;
mod mails;
pub mod probe;
mod send;
mod setup;
mod tick;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::SignedDuration;

use crate::config::Config;
use crate::edge::clock::Clock;
use crate::edge::{Carrier, Inbox, InboxError, entropy};
use crate::fair::head::HeadKey;
use crate::post::address::Addr;
use crate::post::letter::Limits;
use crate::post::mailing::Office;
use crate::referee::Event;
use crate::rules::Shelf;
use crate::store::records::{Desk, Shelved};
use crate::store::{Opening, Store, StoreError, fail};

use budget::Budget;
use guard::Beat;
pub use letter::Rehearsal;
pub use mails::{HELD_BY_GUARD, Stopped};
pub use setup::{house, kept_key, office, rebuild, shelf, the_fold};
use setup::{open_store, size};

/// Why the referee stops, or why a letter has to wait.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The store refuses; after a fatal error nothing more is done.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The inbox cannot be read now.
    #[error("{0}")]
    Inbox(#[from] InboxError),
    /// Something of the set-up is wrong.
    #[error("{0}")]
    Setup(String),
    /// The disk is nearly full: letters wait in the mailbox, mails in the outbox.
    #[error(
        "the disk is nearly full; letters wait in the mailbox\n  hint: make room, the referee goes on by itself"
    )]
    Low,
    /// A letter tripped the program; it is tried again later.
    #[error("a letter could not be handled and is tried again")]
    Struck,
    /// The Keeper let the whole referee stand still.
    #[error("the referee stands still: {0}\n  hint: `tulpa keep resume` lets it go on")]
    Paused(String),
    /// The system gave no randomness.
    #[error("no randomness: {0}")]
    Chance(std::io::Error),
}

impl Trouble {
    /// Must the process end?
    pub fn is_fatal(&self) -> bool {
        match self {
            Trouble::Store(e) => e.is_fatal(),
            Trouble::Inbox(InboxError::Stop(_)) | Trouble::Setup(_) | Trouble::Chance(_) => true,
            Trouble::Inbox(InboxError::Later(_))
            | Trouble::Struck
            | Trouble::Low
            | Trouble::Paused(_) => false,
        }
    }
}

/// What one round did.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Letters settled.
    pub letters: usize,
    /// Turns played.
    pub turns: usize,
    /// Mails sent.
    pub mails: usize,
    /// Mails that wait.
    pub waiting: usize,
}

/// Gives 32 bytes that nobody can foresee.
pub type Chance = Box<dyn FnMut() -> std::io::Result<[u8; 32]> + Send>;

/// The referee at work.
pub struct Daemon {
    store: Store,
    desk: Arc<Desk>,
    shelf: Arc<Shelf>,
    office: Office,
    /// Signs heads; made when the first is signed.
    signer: OnceLock<HeadKey>,
    own: Addr,
    trusted_authserv: Vec<String>,
    limits: Limits,
    letters_per_round: usize,
    state: PathBuf,
    budget: Budget,
    keeper: Option<Addr>,
    free_bytes: u64,
    keep_quarantine: Duration,
    jump: Duration,
    outage: Duration,
    beat: Option<Beat>,
    /// Did the last round read all letters that waited? Only then a clock may run out.
    all_read: bool,
    /// The transaction up to which the index was copied.
    checkpointed: u64,
    /// The clock.
    pub clock: Clock,
    /// Where dice, lots and seals come from.
    pub chance: entropy::Source,
    /// Set from outside: the round ends after the letter or mail under way.
    pub stop: Arc<AtomicBool>,
    /// Why nothing is sent until the Keeper acts, if so.
    pub stopped: Option<String>,
    turns: usize,
}

impl Daemon {
    /// Opens the state and everything that is needed to handle letters; connects to nothing.
    ///
    /// # Errors
    /// A configuration, rulebook, template or state that cannot be used.
    pub fn open(config: &Config, clock: Clock, opening: Opening) -> Result<Daemon, Trouble> {
        // the store locks the directory first: who finds it locked should not have read all texts before
        let (desk, store) = open_store(config, opening)?;
        let shelf = Arc::new(shelf(config)?);
        let key = desk.house.key;
        let office = office(config, key)?;
        let mut store = store;
        let time = |d: Duration| SignedDuration::try_from(d).unwrap_or(SignedDuration::MAX);
        store.give_up_after(time(config.clocks.give_up));
        let keeper = match &config.keeper.address {
            None => None,
            Some(text) => Some(
                Addr::parse(text).map_err(|e| Trouble::Setup(format!("keeper.address: {e}")))?,
            ),
        };
        let checkpointed = store.head().0;
        Ok(Daemon {
            own: office.address.clone(),
            office,
            signer: OnceLock::new(),
            store,
            desk,
            shelf,
            trusted_authserv: config.identity.trusted_authserv.clone(),
            limits: Limits {
                letter_bytes: size(config.limits.letter_bytes),
                header_bytes: size(config.limits.header_bytes),
                header_fields: size(config.limits.header_fields),
                depth: size(config.limits.depth),
                parts: size(config.limits.parts),
                text_bytes: size(config.limits.text_bytes),
                orders: size(config.limits.orders),
            },
            letters_per_round: size(config.limits.letters_per_round),
            state: config.state.clone(),
            budget: Budget::new(&config.limits),
            keeper,
            free_bytes: config.keeper.free_bytes,
            keep_quarantine: config.keeper.keep_quarantine,
            jump: config.clocks.jump,
            outage: config.clocks.outage,
            beat: None,
            all_read: false,
            checkpointed,
            clock,
            chance: entropy::Source::System,
            stop: Arc::default(),
            stopped: None,
            turns: 0,
        })
    }

    /// The store, for those who only look.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The referee's records.
    pub fn records(&self) -> Shelved<'_> {
        Shelved::new(&self.store, &self.desk)
    }

    /// Orders that were carried out on a board since it was opened.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// One round: letters in, time, mails out.
    ///
    /// Time goes by only for those whose letters could be read: where the inbox is out of reach, or holds more than one
    /// round takes, no clock runs out.
    ///
    /// # Errors
    /// What ended it early; what was settled before stays settled.
    pub fn round(
        &mut self,
        inbox: &mut dyn Inbox,
        carrier: &mut dyn Carrier,
    ) -> Result<Round, Trouble> {
        let mut round = Round::default();
        let turns = self.turns;
        self.words_left(&self.state.clone())?;
        if let Some(why) = keeper::paused(&self.state) {
            return Err(Trouble::Paused(why));
        }
        self.must_have_room()?;
        self.all_read = false;
        let read = self.left().and_then(|left| Ok(left + self.letters(inbox)?));
        if let Err(e) = &read
            && e.is_fatal()
        {
            return read.map(|_| round);
        }
        if self.all_read && read.is_ok() {
            self.tick()?;
        }
        round.mails = self.send(carrier)?;
        self.keep()?;
        round.turns = self.turns - turns;
        round.waiting = self.waiting()?;
        round.letters = read?;
        Ok(round)
    }

    /// Stops cleanly.
    ///
    /// # Errors
    /// An index that could not be synced; it is made again at the next start.
    pub fn close(self) -> Result<(), Trouble> {
        Ok(self.store.close()?)
    }
}

/// What `f` gives, or nothing where it tripped an assertion: one letter must not stop all matches.
fn untripped<T>(f: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Some(value),
        Err(crash) if crash.is::<fail::Crash>() => resume_unwind(crash),
        Err(_) => None,
    }
}

fn records_trouble(why: String) -> Trouble {
    Trouble::Setup(format!(
        "the index cannot be read: {why}\n  hint: `tulpa rebuild` makes it again from the journal"
    ))
}

fn events(events: &[Event]) -> Result<Vec<serde_json::Value>, Trouble> {
    events
        .iter()
        .map(|e| serde_json::to_value(e).map_err(|e| Trouble::Setup(e.to_string())))
        .collect()
}
