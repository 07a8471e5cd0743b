//! LAYER 5: the loop. One letter at a time from the inbox through reader, referee and mailing into one transaction,
//! and from the outbox to the carrier. Nothing here knows a rule; everything here is in the order that loses nothing.

mod letter;
mod mails;
mod send;
mod setup;
mod tick;

use std::sync::Arc;

use crate::config::Config;
use crate::edge::clock::Clock;
use crate::edge::entropy;
use crate::edge::{Carrier, Inbox, InboxError};
use crate::post::address::Addr;
use crate::post::letter::Limits;
use crate::post::mailing::Office;
use crate::referee::Event;
use crate::rules::Shelf;
use crate::store::records::{Desk, Shelved};
use crate::store::{Opening, Store, StoreError};

pub use letter::Rehearsal;
use setup::open_store;
pub use setup::{office, rebuild, shelf, the_fold};

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
    /// A letter tripped the program; it is tried again later.
    #[error("a letter could not be handled and is tried again")]
    Struck,
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
            Trouble::Inbox(InboxError::Later(_)) | Trouble::Struck => false,
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

/// The referee at work.
pub struct Daemon {
    store: Store,
    desk: Arc<Desk>,
    shelf: Arc<Shelf>,
    office: Office,
    own: Addr,
    trusted_authserv: Vec<String>,
    limits: Limits,
    letters_per_round: usize,
    /// The clock.
    pub clock: Clock,
    /// Where dice, lots and seals come from.
    pub chance: entropy::Source,
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
        let shelf = Arc::new(shelf(config)?);
        let office = office(config, [0; 32])?;
        // the store locks the directory first, so that two processes never make two keys
        let (desk, store) = open_store(config, opening)?;
        let key = desk.house.key;
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Ok(Daemon {
            own: office.address.clone(),
            office: Office { key, ..office },
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
            },
            letters_per_round: size(config.limits.letters_per_round),
            clock,
            chance: entropy::Source::System,
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

    /// One round: letters in, time, mails out.
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
        if self.store.is_low() {
            return Err(Trouble::Setup(
                "the disk is nearly full; letters wait in the mailbox\n  hint: make room, then start again"
                    .to_owned(),
            ));
        }
        let read = self.letters(inbox);
        if let Err(e) = &read
            && e.is_fatal()
        {
            return read.map(|_| round);
        }
        self.tick()?;
        round.mails = self.send(carrier)?;
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
