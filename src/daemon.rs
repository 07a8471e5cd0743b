//! LAYER 5: the loop. One letter at a time from the inbox through reader, referee and mailing into one transaction,
//! and from the outbox to the carrier. Nothing here knows a rule; everything here is in the order that loses nothing.

pub mod keeper;
pub mod probe;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use crate::config::Config;
use crate::edge::clock::Clock;
use crate::edge::{Arrived, Carrier, Delivery, Inbox, InboxError, entropy};
use crate::post::address::{Addr, AddrError};
use crate::post::compose::{Alias, Instance};
use crate::post::letter::Limits;
use crate::post::mailing::{Job, Office};
use crate::post::reader::{self, Context, Reading};
use crate::post::words::Templates;
use crate::referee::order::{OrderLine, Part, Read, Slip};
use crate::referee::state::{House, Registry};
use crate::referee::{self, Command, Decision, Event, NoticeKind, ReplyTo, To};
use crate::rules::Shelf;
use crate::store::records::{Desk, Shelved, fold, lane};
use crate::store::{Fold, NewMail, Opening, Payload, Settled, Store, StoreError, seen};

/// Mails handed to the carrier between two looks at the inbox.
const SEND_MAX: usize = 200;
/// Mails marked as `sending` with one sync.
const SEND_GROUP: usize = 20;
/// Waiting mails are counted up to this.
const WAITING_MAX: usize = 100_000;
/// A letter that trips the program so often is set aside.
const STRIKES_MAX: u32 = 3;
/// Mails of one transaction are numbered from its number times this.
const MAILS_MAX: u64 = 1000;

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
            Trouble::Inbox(InboxError::Later(_)) | Trouble::Struck | Trouble::Paused(_) => false,
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

/// What would be done with a letter: for `tulpa read`.
pub struct Rehearsal {
    /// What was understood.
    pub reading: Reading,
    /// What would follow, unless a machine wrote.
    pub decision: Option<Decision>,
    /// The mails it would bring: recipient and whole bytes.
    pub mails: Vec<NewMail>,
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
    state: PathBuf,
    /// The clock.
    pub clock: Clock,
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
        let shelf = Arc::new(shelf(config)?);
        let office = office(config, [0; 32])?;
        // the store locks the directory first, so that two processes never make two keys
        let (desk, store) = open_store(config, &shelf, opening)?;
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
            state: config.state.clone(),
            clock,
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

    /// One letter, to the point where its fate is on the disk. Its mails wait in the outbox.
    ///
    /// # Errors
    /// The letter stays where it is and is tried again.
    pub fn letter(&mut self, arrived: &Arrived) -> Result<Settled, Trouble> {
        let mut keys = Vec::new();
        if !arrived.source_key.is_empty() {
            keys.push(seen::source(&arrived.source_key));
        }
        // a letter too large to be read whole is known by its place alone
        if arrived.too_big.is_none() {
            keys.push(seen::bytes(&arrived.bytes));
        }
        let mut known = None;
        for key in &keys {
            match self.store.seen(key)? {
                Some(settled) => known = Some(settled),
                None if known.is_some() => return Ok(self.settle("duplicate", keys)?),
                None => {}
            }
        }
        if let Some(settled) = known {
            return Ok(settled);
        }
        let now = self.clock.now();
        let entropy = entropy::fresh().map_err(Trouble::Chance)?;
        let handled = catch_unwind(AssertUnwindSafe(|| self.rehearse(arrived, now, &entropy)));
        let rehearsal = match handled {
            Ok(rehearsal) => rehearsal?,
            Err(_) => return self.strike(arrived, keys),
        };
        let Some(decision) = rehearsal.decision else {
            return Ok(self.settle("machine", keys)?);
        };
        keys.extend(decision.key.clone());
        let turns = count_turns(&decision.events);
        let payload = Payload {
            at: now,
            outcome: decision.outcome.word().to_owned(),
            keys: keys.clone(),
            events: events(&decision.events)?,
            mails: rehearsal.mails,
            ..Payload::default()
        };
        match self.store.commit(payload) {
            Ok(settled) => {
                self.turns += turns;
                Ok(settled)
            }
            Err(StoreError::Seen { .. }) => Ok(self.settle("duplicate", keys)?),
            Err(e) => Err(e.into()),
        }
    }

    /// What would be done with a letter. Changes nothing.
    ///
    /// # Errors
    /// Records that cannot be read.
    pub fn rehearse(
        &self,
        arrived: &Arrived,
        now: Timestamp,
        entropy: &[u8; 32],
    ) -> Result<Rehearsal, Trouble> {
        let context = Context {
            own: vec![self.own.clone()],
            instance: self.office.instance.as_str().to_owned(),
            trusted_authserv: self.trusted_authserv.clone(),
            limits: self.limits,
            received: arrived.received,
            too_big: arrived.too_big,
        };
        let reading = reader::read(&arrived.bytes, &context);
        let read = match &reading {
            Reading::Machine(_) => {
                return Ok(Rehearsal {
                    reading,
                    decision: None,
                    mails: Vec::new(),
                });
            }
            Reading::Orders(read) => (**read).clone(),
            Reading::TooBig(read, bytes) => {
                let most = self.limits.letter_bytes;
                unread(
                    read,
                    format!("{bytes} bytes, more than {most} are not read"),
                )
            }
            Reading::Unreadable(read, why) => unread(read, why.to_string()),
        };
        let registry = self.records();
        let command = Command::Letter(Box::new(read.clone()));
        let decision = referee::decide(&registry, &self.shelf, &command, now, entropy);
        registry.sound().map_err(records_trouble)?;
        let mails = self.mails(&decision, Some(&read), now);
        Ok(Rehearsal {
            reading,
            decision: Some(decision),
            mails,
        })
    }

    /// The mails of a decision, fully written.
    fn mails(&self, decision: &Decision, answers: Option<&Read>, now: Timestamp) -> Vec<NewMail> {
        let registry = self.records();
        let first = (self.store.head().0 + 1) * MAILS_MAX;
        let mut mails = Vec::new();
        for (seq, notice) in (first..).zip(&decision.notices) {
            let to = match &notice.to {
                To::Address(address) => address.clone(),
                To::Player(no) => {
                    let new = decision.changes.players.get(no).cloned();
                    match new.or_else(|| registry.player(*no)) {
                        Some(player) => player.address.clone(),
                        None => continue,
                    }
                }
            };
            let job = Job {
                notice,
                to: &to,
                answers,
                seq,
                now,
            };
            let mail = match self.office.write(&job, &self.shelf) {
                Ok(mail) => mail,
                Err(e) => {
                    tracing::error!("a mail `{}` could not be written: {e}", notice.kind.name());
                    continue;
                }
            };
            let seat = match (&notice.reply, notice.game) {
                (ReplyTo::Chair { chair, .. }, Some(game)) => lane(game, *chair),
                _ => String::new(),
            };
            mails.push(NewMail {
                to: mail.to,
                envelope_from: mail.envelope_from,
                message_id: mail.message_id,
                bytes: mail.bytes.into(),
                seat,
                seq: notice.turn.into(),
                kind: notice.kind.name().to_owned(),
                board: is_board(&notice.kind),
                supersedes: false,
                not_before: None,
            });
        }
        mails
    }

    fn settle(&mut self, outcome: &str, keys: Vec<String>) -> Result<Settled, StoreError> {
        self.store.commit(Payload {
            at: self.clock.now(),
            outcome: outcome.to_owned(),
            keys,
            ..Payload::default()
        })
    }

    /// A letter tripped an assertion: it is counted, and set aside at the third time. Other letters go on.
    fn strike(&mut self, arrived: &Arrived, keys: Vec<String>) -> Result<Settled, Trouble> {
        let Some(key) = keys.last().cloned() else {
            return Err(Trouble::Struck);
        };
        let strikes = self.store.strikes(&key)? + 1;
        tracing::error!("a letter tripped the program, time {strikes}; please report this");
        if strikes < STRIKES_MAX {
            self.store.commit(Payload {
                at: self.clock.now(),
                outcome: "struck".to_owned(),
                strikes: vec![key],
                ..Payload::default()
            })?;
            return Err(Trouble::Struck);
        }
        let id = self.store.quarantine()?.keep(&arrived.bytes)?;
        tracing::error!("letter {id} is set aside in `quarantine`");
        Ok(self.settle("quarantined", keys)?)
    }

    /// Time went by.
    ///
    /// # Errors
    /// Records that cannot be read or written.
    pub fn tick(&mut self) -> Result<(), Trouble> {
        let now = self.clock.now();
        let registry = self.records();
        if referee::next_deadline(&registry).is_none_or(|t| t > now) {
            return registry.sound().map_err(records_trouble);
        }
        let entropy = entropy::fresh().map_err(Trouble::Chance)?;
        let decision = referee::decide(&registry, &self.shelf, &Command::Tick, now, &entropy);
        registry.sound().map_err(records_trouble)?;
        if decision.events.is_empty() && decision.notices.is_empty() {
            return Ok(());
        }
        let mails = self.mails(&decision, None, now);
        self.store.commit(Payload {
            at: now,
            outcome: "tick".to_owned(),
            events: events(&decision.events)?,
            mails,
            ..Payload::default()
        })?;
        Ok(())
    }

    /// Hands what is due to the carrier; answers how many mails it took.
    ///
    /// # Errors
    /// A store that cannot say durably what it is about to do: then nothing is sent.
    pub fn send(&mut self, carrier: &mut dyn Carrier) -> Result<usize, Trouble> {
        let mut sent = 0;
        self.stopped = None;
        while sent < SEND_MAX && self.stopped.is_none() && !self.stop.load(Ordering::Relaxed) {
            let due = self.store.outbox_due(self.clock.now(), SEND_GROUP)?;
            if due.is_empty() {
                break;
            }
            self.store.mark_sending_all(&due, self.clock.now())?;
            let mut done = Vec::new();
            for mail in due {
                if let Some(why) = &self.stopped {
                    let why = why.clone();
                    self.store.mark_back(&mail, self.clock.now(), &why)?;
                    continue;
                }
                let now = self.clock.now();
                match carrier.send(&mail) {
                    Delivery::Sent => done.push(mail),
                    Delivery::Later(why) => {
                        tracing::warn!("a mail waits: {why}");
                        self.store.mark_later(&mail, now, &why)?;
                    }
                    Delivery::Unknown(why) => {
                        tracing::warn!("a mail may have been taken, it is sent again: {why}");
                        self.store.mark_unknown(&mail, now, &why)?;
                    }
                    Delivery::Dead(why) => {
                        tracing::error!("a mail cannot be delivered: {why}");
                        self.store.mark_dead(&mail, now, &why)?;
                    }
                    Delivery::Stop(why) => {
                        tracing::error!("nothing is sent until this is mended: {why}");
                        self.store.mark_back(&mail, now, &why)?;
                        self.stopped = Some(why);
                    }
                }
            }
            sent += done.len();
            self.store.mark_sent_all(&done, self.clock.now())?;
        }
        Ok(sent)
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
        self.words_left(&self.state.clone())?;
        if let Some(why) = keeper::paused(&self.state) {
            return Err(Trouble::Paused(why));
        }
        if self.store.is_low() {
            return Err(Trouble::Setup(
                "the disk is nearly full; letters wait in the mailbox\n  hint: make room, then start again"
                    .to_owned(),
            ));
        }
        let arrived = inbox.fetch(self.letters_per_round);
        for letter in arrived.iter().flatten() {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(round);
            }
            match self.letter(letter) {
                Ok(settled) => {
                    inbox.settle(&letter.id, settled)?;
                    round.letters += 1;
                }
                Err(e) if e.is_fatal() => return Err(e),
                Err(e) => tracing::warn!("{e}"),
            }
        }
        self.tick()?;
        round.mails = self.send(carrier)?;
        round.turns = self.turns - turns;
        round.waiting = self.waiting()?;
        arrived?;
        Ok(round)
    }

    /// Mails that are not yet sent.
    ///
    /// # Errors
    /// Records that cannot be read.
    pub fn waiting(&self) -> Result<usize, Trouble> {
        Ok(self.store.outbox_waiting(WAITING_MAX)?)
    }

    /// When something falls due by itself: a clock, or a mail to be tried again.
    pub fn wake(&self) -> Option<Timestamp> {
        let registry = self.records();
        let clock = referee::next_deadline(&registry);
        let mail = self.store.outbox_next().ok().flatten();
        [clock, mail].into_iter().flatten().min()
    }

    /// How long to wait for a letter at most.
    pub fn nap(&self, poll: Duration) -> Duration {
        let now = self.clock.now();
        match self.wake() {
            Some(at) if at > now => {
                let left = at.duration_since(now);
                poll.min(Duration::try_from(left).unwrap_or(poll))
            }
            _ => poll,
        }
    }

    /// Stops cleanly.
    ///
    /// # Errors
    /// An index that could not be synced; it is made again at the next start.
    pub fn close(self) -> Result<(), Trouble> {
        Ok(self.store.close()?)
    }
}

/// All games: built in, then those of the Keeper.
///
/// # Errors
/// The first file that is wrong, with line and column.
pub fn shelf(config: &Config) -> Result<Shelf, Trouble> {
    let mut shelf = Shelf::builtin();
    for place in &config.games {
        for file in rulebook_files(place)? {
            let name = file.display();
            let text = std::fs::read_to_string(&file)
                .map_err(|e| Trouble::Setup(format!("{name}: {e}")))?;
            let id = file
                .file_stem()
                .and_then(|s| s.to_str())
                .unwrap_or_default()
                .to_ascii_lowercase();
            shelf
                .add_text(&id, &text)
                .map_err(|e| Trouble::Setup(format!("{name}: {e}")))?;
        }
    }
    Ok(shelf)
}

fn rulebook_files(place: &Path) -> Result<Vec<std::path::PathBuf>, Trouble> {
    if !place.is_dir() {
        return Ok(vec![place.to_owned()]);
    }
    let entries = std::fs::read_dir(place)
        .map_err(|e| Trouble::Setup(format!("{}: {e}", place.display())))?;
    let mut files: Vec<_> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "ron"))
        .collect();
    files.sort();
    Ok(files)
}

/// Texts, name and address of the referee. The key is filled in when the state is open.
///
/// # Errors
/// A template or an address that cannot be used.
pub fn office(config: &Config, key: [u8; 32]) -> Result<Office, Trouble> {
    let setup = |e: AddrError| Trouble::Setup(format!("referee.address: {e}"));
    let address = Addr::parse(&config.referee.address).map_err(setup)?;
    let templates =
        Templates::with(&overrides(config)?).map_err(|e| Trouble::Setup(e.to_string()))?;
    let instance = Instance::parse(address.host())
        .map_err(|e| Trouble::Setup(format!("referee.address: {e}")))?;
    Ok(Office {
        templates,
        name: Alias::parse(&config.referee.name)
            .map_err(|e| Trouble::Setup(format!("referee.name: {e}")))?,
        address,
        plus: config.identity.plus_addressing,
        instance,
        key,
    })
}

/// The Keeper's own texts: `en/x.txt` is the template `x`, `help/x.txt` is `help/x`.
fn overrides(config: &Config) -> Result<std::collections::BTreeMap<String, String>, Trouble> {
    let mut found = std::collections::BTreeMap::new();
    let Some(dir) = &config.templates else {
        return Ok(found);
    };
    for (folder, prefix) in [(config.language.as_str(), ""), ("help", "help/")] {
        let Ok(entries) = std::fs::read_dir(dir.join(folder)) else {
            continue;
        };
        for path in entries.filter_map(|e| Some(e.ok()?.path())) {
            let Some(stem) = path
                .file_name()
                .and_then(|n| n.to_str())
                .and_then(|n| n.strip_suffix(".txt"))
            else {
                continue;
            };
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Trouble::Setup(format!("{}: {e}", path.display())))?;
            found.insert(format!("{prefix}{stem}"), text);
        }
    }
    Ok(found)
}

fn open_store(
    config: &Config,
    shelf: &Shelf,
    opening: Opening,
) -> Result<(Arc<Desk>, Store), Trouble> {
    let key = server_key(&config.state)?;
    let house = House {
        key,
        strict: config.identity.strict,
        days: config.clocks.days,
    };
    let desk = Arc::new(Desk::new(house, shelf));
    let store = Store::open_as(&config.state, the_fold(&desk), opening)?;
    Ok((desk, store))
}

/// The fold of the referee's events.
pub fn the_fold(desk: &Arc<Desk>) -> Fold {
    let desk = Arc::clone(desk);
    Arc::new(move |payload, index| fold(&desk, payload, index))
}

/// Makes the index again from the journal.
///
/// # Errors
/// A state that cannot be opened, or a damaged journal.
pub fn rebuild(config: &Config) -> Result<Store, Trouble> {
    let shelf = shelf(config)?;
    let house = House {
        key: server_key(&config.state)?,
        strict: config.identity.strict,
        days: config.clocks.days,
    };
    let desk = Arc::new(Desk::new(house, &shelf));
    Ok(Store::rebuild(&config.state, the_fold(&desk))?)
}

/// The server key: 32 bytes of `keys/server`, made at the first start, readable by nobody else.
fn server_key(state: &Path) -> Result<[u8; 32], Trouble> {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    let dir = state.join("keys");
    let path = dir.join("server");
    let trouble = |e: std::io::Error| Trouble::Setup(format!("{}: {e}", path.display()));
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&dir)
        .map_err(trouble)?;
    let mut key = [0; 32];
    for _ in 0..2 {
        match std::fs::File::open(&path) {
            Ok(mut file) => {
                file.read_exact(&mut key).map_err(trouble)?;
                return Ok(key);
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(trouble(e)),
        }
        // whole or not at all: another process may make it at the same moment
        let fresh = entropy::fresh().map_err(Trouble::Chance)?;
        let part = dir.join(format!("server.{}", std::process::id()));
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&part)
            .map_err(trouble)?;
        file.write_all(&fresh).map_err(trouble)?;
        file.sync_all().map_err(trouble)?;
        match std::fs::hard_link(&part, &path) {
            Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(trouble(e)),
            _ => {}
        }
        std::fs::remove_file(&part).map_err(trouble)?;
        std::fs::File::open(&dir)
            .and_then(|d| d.sync_all())
            .map_err(trouble)?;
    }
    Err(Trouble::Setup(format!("{} vanished", path.display())))
}

fn records_trouble(why: String) -> Trouble {
    Trouble::Setup(format!(
        "the index cannot be read: {why}\n  hint: `tulpa rebuild` makes it again from the journal"
    ))
}

/// A letter that could not be read, as one line that is refused: its writer is told, by the usual ways.
fn unread(read: &Read, why: String) -> Read {
    Read {
        parts: vec![Part {
            game: None,
            orders: vec![OrderLine {
                line: 0,
                text: "(your whole letter)".to_owned(),
                order: Err(Slip::Unclear {
                    command: "letter".to_owned(),
                    found: why,
                    usage: "a short letter of plain text".to_owned(),
                }),
            }],
        }],
        ..read.clone()
    }
}

fn events(events: &[Event]) -> Result<Vec<serde_json::Value>, Trouble> {
    events
        .iter()
        .map(|e| serde_json::to_value(e).map_err(|e| Trouble::Setup(e.to_string())))
        .collect()
}

fn count_turns(events: &[Event]) -> usize {
    events
        .iter()
        .filter(|e| matches!(e, Event::Acted { .. }))
        .count()
}

/// Boards keep their order for each seat; a chat mail may be overtaken.
fn is_board(kind: &NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::Begun(_)
            | NoticeKind::YourMove(_)
            | NoticeKind::News(_)
            | NoticeKind::Understood(_)
            | NoticeKind::Over(_)
    )
}
