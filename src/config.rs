//! The keeper's settings, one RON file: `config.example.ron` says all of them with their defaults.
//!
//! Every setting may be left out; an unknown one is refused with its place and the nearest known name. Relative paths
//! are relative to the file's directory.

mod check;
mod load;
mod open;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

pub use load::ConfigError;

use crate::edge::secret::Secret;
use crate::edge::stream::Protection;

/// Everything that can be set.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Who the referee is.
    pub referee: Referee,
    /// Directory of the journal and all else that is kept.
    pub state: PathBuf,
    /// Where letters come from.
    pub inbox: InboxConf,
    /// Where mails go.
    pub outbox: OutboxConf,
    /// How senders are told apart.
    pub identity: Identity,
    /// Longest time between two looks at the inbox.
    #[serde(deserialize_with = "load::duration")]
    pub poll: Duration,
    /// Further rulebooks: files, or directories of `.ron` files.
    pub games: Vec<PathBuf>,
    /// Directory of the keeper's own texts, which go before the built-in ones.
    pub templates: Option<PathBuf>,
    /// Language of the mails.
    pub language: String,
    /// How much of anything.
    pub limits: Limits,
    /// Time for turns.
    pub clocks: Clocks,
    /// The human who runs the referee.
    pub keeper: Keeper,
    /// The file this came from.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            referee: Referee::default(),
            state: "state".into(),
            inbox: InboxConf::Maildir("mail/inbox".into()),
            outbox: OutboxConf::Maildir("mail/outbox".into()),
            identity: Identity::default(),
            poll: Duration::from_secs(60),
            games: Vec::new(),
            templates: None,
            language: "en".into(),
            limits: Limits::default(),
            clocks: Clocks::default(),
            keeper: Keeper::default(),
            file: None,
        }
    }
}

/// Who the referee is.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Referee {
    /// Shown as the sender's name.
    pub name: String,
    /// The mailbox's address.
    pub address: String,
}

impl Default for Referee {
    fn default() -> Referee {
        Referee {
            name: "Tulpa".into(),
            address: "referee@example.org".into(),
        }
    }
}

/// Where letters come from.
#[derive(Debug, Clone, Deserialize)]
pub enum InboxConf {
    /// Files in a directory.
    Maildir(PathBuf),
    /// A mailbox on a server.
    Imap(Imap),
    /// Standard input of `tulpa receive` only.
    Pipe,
}

/// Where mails go.
#[derive(Debug, Clone, Deserialize)]
pub enum OutboxConf {
    /// Files in a directory.
    Maildir(PathBuf),
    /// A submission server.
    Smtp(Smtp),
    /// A program of this machine.
    Sendmail(PathBuf),
}

/// TLS of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Tls {
    /// From the first byte.
    Implicit,
    /// STARTTLS, required.
    Starttls,
    /// None: this machine only.
    Off,
}

impl Tls {
    fn protection(self) -> Protection {
        match self {
            Tls::Implicit => Protection::Tls,
            Tls::Starttls => Protection::StartTls,
            Tls::Off => Protection::None,
        }
    }
}

/// How to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Auth {
    /// User and password.
    Password,
    /// The password is an XOAUTH2 access token.
    XOAuth2,
}

/// An IMAP mailbox.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Imap {
    /// Server name.
    pub host: String,
    /// TCP port; 993, or 143 with STARTTLS.
    pub port: Option<u16>,
    /// TLS.
    pub tls: Tls,
    /// PEM file of authorities to believe instead of the machine's.
    pub ca: Option<PathBuf>,
    /// User name.
    pub user: String,
    /// Where the password is.
    pub password: Option<Password>,
    /// What the password is.
    pub auth: Auth,
    /// Mailbox.
    pub folder: String,
    /// Mailbox that settled letters are moved to.
    pub done: Option<String>,
    /// Keyword put on settled letters.
    pub keyword: String,
    /// Wait by IDLE.
    pub idle: bool,
}

impl Default for Imap {
    fn default() -> Imap {
        Imap {
            host: String::new(),
            port: None,
            tls: Tls::Implicit,
            ca: None,
            user: String::new(),
            password: None,
            auth: Auth::Password,
            folder: "INBOX".into(),
            done: None,
            keyword: crate::edge::imap::DONE.into(),
            idle: true,
        }
    }
}

/// A submission server.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Smtp {
    /// Server name.
    pub host: String,
    /// TCP port; 465, or 587 with STARTTLS, or 25 without TLS.
    pub port: Option<u16>,
    /// TLS.
    pub tls: Tls,
    /// PEM file of authorities to believe instead of the machine's.
    pub ca: Option<PathBuf>,
    /// User name; none: no login.
    pub user: Option<String>,
    /// Where the password is.
    pub password: Option<Password>,
    /// What the password is.
    pub auth: Auth,
    /// Name said in EHLO; the machine's own by default.
    pub hello: Option<String>,
}

impl Default for Smtp {
    fn default() -> Smtp {
        Smtp {
            host: String::new(),
            port: None,
            tls: Tls::Implicit,
            ca: None,
            user: None,
            password: None,
            auth: Auth::Password,
            hello: None,
        }
    }
}

/// Where a password is.
#[derive(Debug, Clone, Deserialize)]
pub enum Password {
    /// The first line of a file.
    File(PathBuf),
    /// The first line that a shell command prints.
    Command(String),
    /// A variable of the environment.
    Env(String),
    /// A file in systemd's `$CREDENTIALS_DIRECTORY`.
    Credential(String),
    /// Here; refused unless nobody else can read the configuration.
    #[serde(deserialize_with = "secret")]
    Inline(Secret<String>),
}

fn secret<'de, D: Deserializer<'de>>(from: D) -> Result<Secret<String>, D::Error> {
    String::deserialize(from).map(Secret::new)
}

/// How senders are told apart (security.md 2).
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Identity {
    /// Whether `referee+anything@` reaches the mailbox: then tokens travel in Reply-To, else in the subject.
    pub plus_addressing: bool,
    /// Names of the mail servers whose Authentication-Results are believed.
    pub trusted_authserv: Vec<String>,
    /// Hold letters without a token even when the server vouches for the sender.
    pub strict: bool,
}

impl Default for Identity {
    fn default() -> Identity {
        Identity {
            plus_addressing: true,
            trusted_authserv: Vec::new(),
            strict: false,
        }
    }
}

/// How much of anything (security.md 3 and 5). What a letter may hold can only be lowered.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a letter.
    pub letter_bytes: u64,
    /// Bytes of a letter's headers.
    pub header_bytes: u64,
    /// Headers of a letter.
    pub header_fields: u64,
    /// Parts within parts of a letter.
    pub depth: u64,
    /// Parts of a letter.
    pub parts: u64,
    /// Bytes of text read of a letter.
    pub text_bytes: u64,
    /// Orders obeyed in one letter.
    pub orders: u64,
    /// Letters taken in one round.
    pub letters_per_round: u64,
    /// Refusals a day to one address.
    pub refusals_per_day: u64,
    /// Answers an hour to all addresses not known.
    pub unknown_per_hour: u64,
    /// Games begun by one player a day.
    pub new_games_per_day: u64,
    /// Invitations by one player a day.
    pub invitations_per_day: u64,
    /// Mails sent in an hour; more wait.
    pub mails_per_hour: u64,
    /// Mails sent in a day; more wait.
    pub mails_per_day: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            letter_bytes: 256 * 1024,
            header_bytes: 64 * 1024,
            header_fields: 256,
            depth: 8,
            parts: 64,
            text_bytes: 64 * 1024,
            orders: 40,
            letters_per_round: 500,
            refusals_per_day: 10,
            unknown_per_hour: 30,
            new_games_per_day: 3,
            invitations_per_day: 5,
            mails_per_hour: 500,
            mails_per_day: 5000,
        }
    }
}

/// Time for turns, where players name no other.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clocks {
    /// Days for one turn; 0 is no limit.
    pub days: u32,
    /// A wall clock that jumped by more is the referee's outage, not the players' time.
    #[serde(deserialize_with = "load::duration")]
    pub jump: Duration,
    /// A referee that slept longer gives the time back.
    #[serde(deserialize_with = "load::duration")]
    pub outage: Duration,
    /// A mail is given up after so long.
    #[serde(deserialize_with = "load::duration")]
    pub give_up: Duration,
}

impl Default for Clocks {
    fn default() -> Clocks {
        let hours = |n: u64| Duration::from_secs(n * 3600);
        Clocks {
            days: 7,
            jump: hours(1),
            outage: hours(36),
            give_up: hours(5 * 24),
        }
    }
}

/// The human who runs the referee.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keeper {
    /// Where alarms are mailed to; none: only the log.
    pub address: Option<String>,
    /// Put addresses into the log, which otherwise has only codes for them.
    pub log_addresses: bool,
    /// Letters are kept so long after they are settled.
    #[serde(deserialize_with = "load::duration")]
    pub keep_letters: Duration,
    /// Letters that could not be handled are kept so long.
    #[serde(deserialize_with = "load::duration")]
    pub keep_quarantine: Duration,
    /// Below so many free bytes nothing is fetched.
    pub free_bytes: u64,
}

impl Default for Keeper {
    fn default() -> Keeper {
        let days = |n: u64| Duration::from_secs(n * 24 * 3600);
        Keeper {
            address: None,
            log_addresses: false,
            keep_letters: days(30),
            keep_quarantine: days(14),
            free_bytes: 64 << 20,
        }
    }
}
