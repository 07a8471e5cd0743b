//! Letters from an IMAP mailbox (RFC 3501, IDLE of RFC 2177, MOVE of RFC 6851).
//!
//! Done is a letter that carries our keyword; where a mailbox keeps no keywords, one that is `\Seen`. Nothing is
//! remembered here: the search is the truth, so a lost connection, a restart or a second look at a letter are harmless.
//! After any answer but NO the connection is dropped and made anew, later and later: 5 s, 10 s .. 15 min.

mod login;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use imap::{Error, Session};
use jiff::Timestamp;

use super::secret::PasswordSource;
use super::stream::{COMMAND_TIMEOUT, Gauge, Server, Stream};
use super::{Arrived, ArrivedId, HEAD_BYTES_MAX, Inbox, InboxError, LETTER_BYTES_MAX, Place};
use crate::store::Settled;
use login::{open, say};

/// The keyword of a letter that is done, where no other is configured.
pub const DONE: &str = "$TulpaDone";
/// First and longest time between two attempts to connect.
pub const BACK_OFF: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(15 * 60));
/// Longest single IDLE; home routers forget silent connections after ten minutes.
pub const IDLE_MAX: Duration = Duration::from_secs(9 * 60);
/// Letters and bytes asked for in one FETCH.
const BATCH: (usize, u64) = (50, 4 << 20);
/// What any answer may hold beside letters.
const TALK_BYTES_MAX: u64 = 4 << 20;
/// Attempts at one letter that breaks the connection, before it is left alone until the next start.
const TRIES_MAX: u32 = 3;

/// New connections within one look at the mailbox, where letters break the old one.
const RECONNECTS_MAX: u32 = 5;

/// How the login is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// LOGIN with user and password.
    Password,
    /// AUTHENTICATE XOAUTH2 with an access token.
    XOAuth2,
}

/// A mailbox and how to get in.
pub struct ImapSetup {
    /// The server.
    pub server: Server,
    /// User name.
    pub user: String,
    /// Password or access token.
    pub password: PasswordSource,
    /// Which of both.
    pub login: Login,
    /// Mailbox to read; ASCII, in modified UTF-7 where it needs to be.
    pub folder: String,
    /// Where settled letters are moved to.
    pub done_folder: Option<String>,
    /// Keyword of settled letters.
    pub keyword: String,
    /// Whether to wait by IDLE.
    pub idle: bool,
    /// Letters above this are noted, not read.
    pub limit: u64,
}

impl ImapSetup {
    /// The usual: INBOX, LOGIN, IDLE, no moving.
    pub fn new(server: Server, user: &str, password: PasswordSource) -> ImapSetup {
        ImapSetup {
            server,
            user: user.into(),
            password,
            login: Login::Password,
            folder: "INBOX".into(),
            done_folder: None,
            keyword: DONE.into(),
            idle: true,
            limit: LETTER_BYTES_MAX,
        }
    }
}

/// An IMAP mailbox. Connects when first asked.
pub struct ImapInbox {
    setup: ImapSetup,
    line: Option<Line>,
    fails: u32,
    retry_at: Option<Instant>,
    /// One letter per FETCH, after a batch broke the connection.
    careful: bool,
    tries: BTreeMap<(u32, u32), u32>,
    /// UIDVALIDITY and highest UID handed out: what waits for the store must not end every wait at once.
    newest: (u32, u32),
}

/// What stands while the connection stands.
struct Line {
    session: Session<Stream>,
    gauge: Gauge,
    validity: u32,
    keywords: bool,
    can_move: bool,
    can_idle: bool,
}

type Outcome<T> = Result<T, Error>;

impl ImapInbox {
    /// An inbox that has not connected yet.
    pub fn new(setup: ImapSetup) -> ImapInbox {
        ImapInbox {
            setup,
            line: None,
            fails: 0,
            retry_at: None,
            careful: false,
            tries: BTreeMap::new(),
            newest: (0, 0),
        }
    }

    /// Whether a connection stands.
    pub fn is_connected(&self) -> bool {
        self.line.is_some()
    }

    /// How long until the next attempt to connect is due; `None` when nothing is in the way.
    pub fn back_off(&self) -> Option<Duration> {
        let left = self.retry_at?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Forgets the back-off: the keeper said `try now`.
    pub fn retry_now(&mut self) {
        self.retry_at = None;
    }

    fn failed(&mut self, error: InboxError) -> InboxError {
        self.line = None;
        let wait = BACK_OFF
            .0
            .saturating_mul(1 << self.fails.min(16))
            .min(BACK_OFF.1);
        self.fails = self.fails.saturating_add(1);
        self.retry_at = Some(Instant::now() + wait);
        error
    }

    fn connected(&mut self) -> Result<(), InboxError> {
        if self.line.is_some() {
            return Ok(());
        }
        if let Some(left) = self.back_off() {
            return Err(InboxError::Later(format!(
                "next attempt at the mailbox in {} s",
                left.as_secs() + 1
            )));
        }
        let setup = &mut self.setup;
        let made = catch_unwind(AssertUnwindSafe(|| open(setup))).unwrap_or_else(|_| {
            Err(InboxError::Later(
                "the IMAP library gave up on the server's answer".into(),
            ))
        });
        match made {
            Ok(line) => {
                self.line = Some(line);
                Ok(())
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Runs commands; on any error the connection is gone, and a panic of the library is an error.
    fn with<T>(
        &mut self,
        f: impl FnOnce(&mut Line, &ImapSetup) -> Outcome<T>,
    ) -> Result<T, InboxError> {
        self.connected()?;
        let Some(line) = self.line.as_mut() else {
            return Err(InboxError::Later("no connection".into()));
        };
        let setup = &self.setup;
        match catch_unwind(AssertUnwindSafe(|| f(line, setup))) {
            Ok(Ok(value)) => {
                self.fails = 0;
                self.retry_at = None;
                Ok(value)
            }
            Ok(Err(error)) => Err(self.failed(InboxError::Later(say(&error)))),
            Err(_) => Err(self.failed(InboxError::Later(
                "the IMAP library gave up on the server's answer".into(),
            ))),
        }
    }

    fn key(&self, validity: u32, uid: u32) -> String {
        format!(
            "imap|{}|{}|{validity}|{uid}",
            self.setup.server.host, self.setup.folder
        )
    }

    /// Fetches some letters of known size; notes which of them cost a connection.
    fn bodies(&mut self, validity: u32, wanted: &[(u32, u64)]) -> Result<Vec<Arrived>, InboxError> {
        self.connected()?;
        if self.line.as_ref().is_some_and(|l| l.validity != validity) {
            return Err(InboxError::Later(
                "the mailbox was made anew meanwhile".into(),
            ));
        }
        let got = self.with(|line, setup| line.bodies(wanted, setup.limit));
        match got {
            Ok(found) => {
                let arrived = found.into_iter().map(|body| Arrived {
                    id: ArrivedId(Place::Uid {
                        validity,
                        uid: body.uid,
                    }),
                    source_key: self.key(validity, body.uid),
                    too_big: (body.size > self.setup.limit).then_some(body.size),
                    bytes: body.bytes,
                    received: body.received,
                });
                Ok(arrived.collect())
            }
            Err(error) => {
                self.careful = true;
                if let [(uid, _)] = wanted {
                    let tries = self.tries.entry((validity, *uid)).or_insert(0);
                    *tries += 1;
                    if *tries == TRIES_MAX {
                        tracing::warn!(
                            uid,
                            "a letter breaks the connection and is left alone until the next start"
                        );
                    }
                }
                Err(error)
            }
        }
    }
}

impl Inbox for ImapInbox {
    fn fetch(&mut self, most: usize) -> Result<Vec<Arrived>, InboxError> {
        if most == 0 {
            return Ok(Vec::new());
        }
        let (validity, uids) =
            self.with(|line, setup| Ok((line.validity, line.waiting(setup)?)))?;
        let uids: Vec<u32> = uids
            .into_iter()
            .filter(|uid| {
                self.tries
                    .get(&(validity, *uid))
                    .is_none_or(|&n| n < TRIES_MAX)
            })
            .take(most)
            .collect();
        if uids.is_empty() {
            return Ok(Vec::new());
        }
        let sizes = self.with(|line, _| line.sizes(&uids))?;
        self.newest = (validity, uids.last().copied().unwrap_or(0));
        let mut letters = Vec::new();
        let (mut at, mut again) = (0, RECONNECTS_MAX);
        while at < sizes.len() {
            let most_letters = if self.careful { 1 } else { BATCH.0 };
            let mut end = at + 1;
            let mut bytes = sizes[at].1;
            while end < sizes.len() && end - at < most_letters && bytes + sizes[end].1 <= BATCH.1 {
                bytes += sizes[end].1;
                end += 1;
            }
            match self.bodies(validity, &sizes[at..end]) {
                Ok(more) => {
                    letters.extend(more);
                    at = end;
                }
                Err(error) => {
                    if end - at == 1 {
                        at = end;
                    }
                    if again > 0 && at < sizes.len() && matches!(error, InboxError::Later(_)) {
                        // One letter costs the connection; the others need not wait for it, nor for the next start.
                        again -= 1;
                        self.retry_now();
                        continue;
                    }
                    // What was already read is good; the rest comes with the next connection.
                    return if letters.is_empty() {
                        Err(error)
                    } else {
                        Ok(letters)
                    };
                }
            }
        }
        if self.careful && self.tries.values().all(|&n| n == 0 || n >= TRIES_MAX) {
            self.careful = false;
        }
        Ok(letters)
    }

    fn settle(&mut self, arrived: &ArrivedId, _: Settled) -> Result<(), InboxError> {
        let Place::Uid { validity, uid } = arrived.0 else {
            return Err(InboxError::Stop(
                "this letter did not come from an IMAP mailbox".into(),
            ));
        };
        self.with(|line, setup| {
            // Another mailbox under the same name: this number means another letter there. The digest finds ours again.
            if line.validity == validity {
                line.settle(uid, setup)
            } else {
                Ok(())
            }
        })
    }

    fn wait(&mut self, most: Duration) -> Result<(), InboxError> {
        if let Some(left) = self.back_off() {
            std::thread::sleep(left.min(most));
            return Ok(());
        }
        self.connected()?;
        if !self.setup.idle || !self.line.as_ref().is_some_and(|line| line.can_idle) {
            std::thread::sleep(most);
            return Ok(());
        }
        let newest = self.newest;
        self.with(|line, setup| {
            line.wait(
                most.min(IDLE_MAX),
                if line.validity == newest.0 {
                    newest.1
                } else {
                    0
                },
                setup,
            )
        })
    }
}

struct Body {
    uid: u32,
    size: u64,
    bytes: Vec<u8>,
    received: Timestamp,
}

impl Line {
    fn talk(&mut self) -> &mut Session<Stream> {
        self.gauge.allow(COMMAND_TIMEOUT, TALK_BYTES_MAX);
        drop(self.session.take_all_unsolicited());
        &mut self.session
    }

    /// Numbers of the letters not done, oldest first.
    fn waiting(&mut self, setup: &ImapSetup) -> Outcome<Vec<u32>> {
        let query = if self.keywords {
            format!("UNKEYWORD {} UNDELETED", setup.keyword)
        } else {
            "UNSEEN UNDELETED".into()
        };
        let mut uids: Vec<u32> = self.talk().uid_search(query)?.into_iter().collect();
        uids.sort_unstable();
        Ok(uids)
    }

    fn sizes(&mut self, uids: &[u32]) -> Outcome<Vec<(u32, u64)>> {
        let mut sizes = BTreeMap::new();
        for some in uids.chunks(500) {
            let fetches = self
                .talk()
                .uid_fetch(set(some.iter().copied()), "(UID RFC822.SIZE FLAGS)")?;
            for fetch in fetches.iter() {
                if let (Some(uid), Some(size)) = (fetch.uid, fetch.size)
                    && some.contains(&uid)
                {
                    sizes.insert(uid, u64::from(size));
                }
            }
        }
        Ok(sizes.into_iter().collect())
    }

    fn bodies(&mut self, wanted: &[(u32, u64)], limit: u64) -> Outcome<Vec<Body>> {
        let (small, large): (Vec<_>, Vec<_>) =
            wanted.iter().copied().partition(|(_, size)| *size <= limit);
        let mut found = Vec::new();
        if !small.is_empty() {
            let bytes: u64 = small.iter().map(|(_, size)| size + 4096).sum();
            self.some(&small, "(UID INTERNALDATE BODY.PEEK[])", bytes, &mut found)?;
        }
        for one in large {
            let query = format!("(UID INTERNALDATE BODY.PEEK[]<0.{HEAD_BYTES_MAX}>)");
            self.some(&[one], &query, HEAD_BYTES_MAX, &mut found)?;
        }
        found.sort_by_key(|body| body.uid);
        Ok(found)
    }

    fn some(
        &mut self,
        wanted: &[(u32, u64)],
        query: &str,
        bytes: u64,
        found: &mut Vec<Body>,
    ) -> Outcome<()> {
        self.talk();
        self.gauge.allow(
            COMMAND_TIMEOUT + Duration::from_millis(bytes / 32),
            bytes + TALK_BYTES_MAX,
        );
        let fetches = self
            .session
            .uid_fetch(set(wanted.iter().map(|(uid, _)| *uid)), query)?;
        for fetch in fetches.iter() {
            let size = wanted.iter().find(|(uid, _)| Some(*uid) == fetch.uid);
            // Without a body it is a flag that changed meanwhile.
            let (Some((uid, size)), Some(body)) = (size, fetch.body()) else {
                continue;
            };
            if found.iter().any(|one| one.uid == *uid) {
                continue;
            }
            let received = fetch
                .internal_date()
                .and_then(|at| Timestamp::from_second(at.timestamp()).ok());
            let received = received.unwrap_or_else(Timestamp::now);
            found.push(Body {
                uid: *uid,
                size: *size,
                bytes: body.to_vec(),
                received,
            });
        }
        Ok(())
    }

    fn settle(&mut self, uid: u32, setup: &ImapSetup) -> Outcome<()> {
        let keyword = if self.keywords {
            setup.keyword.as_str()
        } else {
            ""
        };
        let flags = format!("+FLAGS.SILENT (\\Seen {keyword})").replace(" )", ")");
        self.talk().uid_store(uid.to_string(), flags)?;
        let Some(folder) = setup.done_folder.as_ref().filter(|_| self.can_move) else {
            return Ok(());
        };
        match self.talk().uid_mv(uid.to_string(), folder) {
            Err(Error::No(_)) => {}
            other => return other,
        }
        // The folder may be missing. If it cannot be made either, the letter stays where it is: it is flagged.
        match self
            .talk()
            .create(folder)
            .and_then(|()| self.talk().uid_mv(uid.to_string(), folder))
        {
            Err(Error::No(no)) => {
                tracing::warn!(folder, why = %no.information, "settled letters cannot be moved");
                self.can_move = false;
                Ok(())
            }
            other => other,
        }
    }

    /// Sleeps in IDLE. What woke it does not matter: the next search tells.
    fn wait(&mut self, most: Duration, newest: u32, setup: &ImapSetup) -> Outcome<()> {
        let started = Instant::now();
        self.talk().noop()?;
        // Something came before we listened.
        if self.waiting(setup)?.last().is_some_and(|&uid| uid > newest) {
            return Ok(());
        }
        drop(self.session.take_all_unsolicited());
        self.gauge.allow_idle(TALK_BYTES_MAX);
        let left = most
            .saturating_sub(started.elapsed())
            .max(Duration::from_millis(10));
        let ended = self
            .session
            .idle()
            .timeout(left)
            .keepalive(false)
            .wait_while(imap::extensions::idle::stop_on_any);
        match ended {
            Ok(_) => Ok(()),
            Err(Error::No(_)) => {
                self.can_idle = false;
                Ok(())
            }
            Err(other) => Err(other),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.gauge.allow(Duration::from_millis(500), 64 << 10);
        let _ = catch_unwind(AssertUnwindSafe(|| self.session.logout()));
    }
}

fn set(uids: impl Iterator<Item = u32>) -> String {
    uids.map(|uid| uid.to_string())
        .collect::<Vec<_>>()
        .join(",")
}
