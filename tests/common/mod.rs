//! Whole conversations: letters as bytes into a Maildir, every mail that comes out compared with `tests/golden/NAME.txt`.
//!
//! After a change that is meant, `TULPA_BLESS=1 cargo test --test golden --test golden_games` writes the transcripts anew;
//! read the difference before it is committed. What nobody can guess (tokens, nonces, hashes, codes) stands as a placeholder.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use tulpa::config::Config;
use tulpa::daemon::Daemon;
use tulpa::edge::clock::Clock;
use tulpa::edge::entropy::Source;
use tulpa::edge::maildir::{MaildirCarrier, MaildirInbox};
use tulpa::post::letter::{self, Limits};
use tulpa::referee::state::{Match, MatchNo, PlayerNo, Registry, Stage};
use tulpa::store::Opening;

pub const ALICE: &str = "alice@hill.example";
pub const BOB: &str = "bob@dale.example";
pub const CAROL: &str = "carol@fen.example";
pub const DAVE: &str = "dave@weir.example";
pub const EVE: &str = "eve@moor.example";
/// Everybody who may be written to.
pub const ALL: [&str; 5] = [ALICE, BOB, CAROL, DAVE, EVE];
pub const REFEREE: &str = "referee@club.example";

#[derive(Clone, Debug)]
pub struct Mail {
    pub to: String,
    pub subject: String,
    pub message_id: String,
    pub reply_to: String,
    pub text: String,
    /// The HTML part; empty without one.
    pub html: String,
}

/// Chances are the same each time.
const SEED: u64 = 2012;

/// A referee, its mailbox, and what was said.
pub struct Club {
    pub name: &'static str,
    pub dir: tempfile::TempDir,
    pub daemon: Daemon,
    pub inbox: MaildirInbox,
    pub carrier: MaildirCarrier,
    pub letters: usize,
    pub seen: BTreeSet<PathBuf>,
    pub last: BTreeMap<&'static str, Mail>,
    pub said: String,
    /// A long way to the point is played without being written down.
    pub quiet: bool,
}

impl Club {
    pub fn new(name: &'static str) -> Club {
        Club::with(name, "", &[])
    }

    /// With more in its configuration, and files beside it.
    pub fn with(name: &'static str, more: &str, files: &[(&str, &str)]) -> Club {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let file = dir.path().join("tulpa.ron");
        let config = format!(
            "(referee: (address: \"referee@club.example\"), \
             identity: (trusted_authserv: [\"mx.club.example\"]), {more})\n"
        );
        fs::write(&file, config).unwrap();
        let config = Config::load(&file).unwrap();
        let clock = Clock::fixed("2026-01-03T12:00:00Z".parse().unwrap());
        let mut daemon = Daemon::open(&config, clock, Opening::Careful).unwrap();
        daemon.chance = Source::Counted(SEED);
        Club {
            name,
            daemon,
            inbox: MaildirInbox::open(&dir.path().join("mail/inbox")).unwrap(),
            carrier: MaildirCarrier::open(&dir.path().join("mail/outbox")).unwrap(),
            dir,
            letters: 0,
            seen: BTreeSet::new(),
            last: BTreeMap::new(),
            said: String::new(),
            quiet: false,
        }
    }

    /// A game under way, Alice with White.
    pub fn started(name: &'static str, game: &str) -> Club {
        Club::started_with(name, game, "")
    }

    pub fn started_with(name: &'static str, game: &str, options: &str) -> Club {
        let mut club = Club::new(name);
        club.starts(game, options);
        club
    }

    /// Alice invites Bob and has White; not written down.
    pub fn starts(&mut self, game: &str, options: &str) {
        let club = self;
        club.quiet = true;
        let order = format!("new {game} vs {BOB} as white{options}\nname Alice");
        let mails = club.writes(ALICE, &order);
        assert_eq!(count(&mails, ALICE), 1, "{mails:#?}");
        assert_eq!(count(&mails, BOB), 1, "{mails:#?}");
        let mails = club.writes(BOB, "accept\nname Bob");
        assert_eq!(count(&mails, ALICE), 1, "{mails:#?}");
        assert_eq!(count(&mails, BOB), 1, "{mails:#?}");
        assert_eq!(club.game().stage, Stage::Playing);
        club.quiet = false;
    }

    pub fn game(&self) -> std::sync::Arc<Match> {
        self.daemon.records().game(MatchNo(1)).unwrap()
    }

    pub fn address(&self, player: PlayerNo) -> String {
        self.daemon
            .records()
            .player(player)
            .unwrap()
            .address
            .clone()
    }

    /// Who is awaited first.
    pub fn asked_address(&self) -> &'static str {
        let game = self.game();
        let (seat, _) = game.awaited()[0];
        let address = self.address(game.player_at(seat).unwrap());
        ALL.into_iter().find(|w| *w == address).unwrap()
    }

    pub fn turn(&self) -> u32 {
        self.game().table.as_ref().unwrap().turn_no()
    }

    pub fn is_over(&self) -> bool {
        self.game().stage == Stage::Over
    }

    /// A letter as a mail program writes it, answering a mail if there is one.
    pub fn letter(
        &mut self,
        who: &str,
        proven: bool,
        answers: Option<&Mail>,
        body: &str,
    ) -> String {
        self.letters += 1;
        let n = self.letters;
        if !self.quiet {
            let _ = writeln!(self.said, "\n>>>> {who}\n");
            for line in body.lines() {
                let _ = writeln!(self.said, "    {line}");
            }
        }
        let host = who.split('@').next_back().unwrap();
        let mut eml = String::new();
        if proven {
            let _ = write!(
                eml,
                "Authentication-Results: mx.club.example; dmarc=pass header.from={host}\r\n"
            );
        }
        let _ = write!(eml, "From: <{who}>\r\nMessage-ID: <letter.{n}@{host}>\r\n");
        match answers {
            None => {
                let _ = write!(eml, "To: {REFEREE}\r\nSubject: hello\r\n\r\n");
            }
            Some(mail) => {
                let (to, id, subject) = (&mail.reply_to, &mail.message_id, &mail.subject);
                let _ = write!(
                    eml,
                    "To: {to}\r\nSubject: Re: {subject}\r\nIn-Reply-To: {id}\r\nReferences: {id}\r\n\r\n"
                );
            }
        }
        let _ = write!(eml, "{}\r\n", body.replace('\n', "\r\n"));
        if let Some(mail) = answers {
            eml.push_str("\r\nOn Saturday, the referee wrote:\r\n");
            for line in mail.text.lines() {
                let _ = write!(eml, "> {line}\r\n");
            }
        }
        eml
    }

    /// Delivers as a mail server does: written in `tmp`, moved to `new`.
    pub fn post(&mut self, eml: &str) {
        let inbox = self.dir.path().join("mail/inbox");
        let name = format!("{:06}.{}.golden", self.letters, self.seen.len());
        fs::write(inbox.join("tmp").join(&name), eml).unwrap();
        fs::rename(inbox.join("tmp").join(&name), inbox.join("new").join(&name)).unwrap();
    }

    /// The referee works; what it mailed.
    pub fn round(&mut self) -> Vec<Mail> {
        self.daemon
            .round(&mut self.inbox, &mut self.carrier)
            .unwrap();
        let mut new: Vec<_> = fs::read_dir(self.dir.path().join("mail/outbox/new"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| !self.seen.contains(p))
            .map(|p| {
                (
                    fs::metadata(&p).unwrap().modified().unwrap(),
                    entry_of(&p),
                    p,
                )
            })
            .collect();
        new.sort();
        let mut mails = Vec::new();
        for (_, _, path) in new {
            let bytes = fs::read(&path).unwrap();
            let mail = letter::open(&bytes, &Limits::default()).unwrap();
            let parts = mailparse::parse_mail(&bytes).unwrap().subparts;
            let html = parts.iter().find(|p| p.ctype.mimetype == "text/html");
            let header = |name: &str| mail.header(name).unwrap_or_default().trim().to_owned();
            let mail = Mail {
                to: header("to"),
                subject: mail.subject.clone(),
                message_id: header("message-id"),
                reply_to: header("reply-to"),
                text: mail.text.clone(),
                html: html.map_or_else(String::new, |p| p.get_body().unwrap()),
            };
            if let Some(who) = ALL.into_iter().find(|w| mail.to.contains(w)) {
                self.last.insert(who, mail.clone());
            }
            mails.push(mail);
            self.seen.insert(path);
        }
        if !self.quiet {
            // carried within one second: by recipient, so that the transcript stands still
            let mut told: Vec<String> = mails.iter().map(tell).collect();
            told.sort();
            if told.is_empty() {
                self.said.push_str("\n(no mail)\n");
            }
            self.said.push_str(&told.concat());
        }
        mails
    }

    /// Time goes by.
    pub fn later(&mut self, hours: i64) -> Vec<Mail> {
        let now = self.daemon.clock.now().as_second() + hours * 3600;
        let now = jiff::Timestamp::from_second(now).unwrap();
        self.daemon.clock = Clock::fixed(now);
        if !self.quiet {
            let _ = writeln!(self.said, "\n==== {now}");
        }
        self.round()
    }

    /// Sizes of all mails carried to somebody so far.
    pub fn bytes_to(&self, who: &str) -> Vec<usize> {
        let mut sizes: Vec<usize> = (self.seen.iter())
            .map(|p| fs::read(p).unwrap())
            .filter(|b| {
                letter::open(b, &Limits::default())
                    .is_ok_and(|l| l.header("to").is_some_and(|to| to.contains(who)))
            })
            .map(|b| b.len())
            .collect();
        sizes.sort_unstable();
        sizes
    }

    /// A proven answer to the last mail.
    pub fn writes(&mut self, who: &'static str, body: &str) -> Vec<Mail> {
        let last = self.last.get(who).cloned();
        let eml = self.letter(who, true, last.as_ref(), body);
        self.post(&eml);
        self.round()
    }

    /// Compares with what was said last time.
    pub fn ends(self) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(format!("{}.txt", self.name));
        if std::env::var_os("TULPA_BLESS").is_some() {
            fs::write(&path, &self.said).unwrap();
            return;
        }
        let before = fs::read_to_string(&path).unwrap_or_default();
        if let Some((n, (now, then))) =
            (self.said.lines().zip(before.lines()).enumerate()).find(|(_, (now, then))| now != then)
        {
            let n = n + 1;
            panic!("{}:{n}: was `{then}`, is `{now}`", path.display());
        }
        assert!(self.said == before, "{}: other length", path.display());
    }
}

/// The ledger's last entry in a mail: of two that were carried in one tick of the disk's clock it tells the later one.
fn entry_of(path: &std::path::Path) -> u64 {
    let mail = letter::open(&fs::read(path).unwrap(), &Limits::default()).unwrap();
    let foot = mail.text.rsplit("  entry ").next().unwrap_or_default();
    let number = foot.split_whitespace().next().unwrap_or_default();
    number.parse().unwrap_or(0)
}

pub fn tell(mail: &Mail) -> String {
    let mut out = format!("\n<<<< {}\n     {}\n\n", mail.to, scrub(&mail.subject));
    for line in scrub(&mail.text).trim_end().lines() {
        out.push_str(format!("     {line}").trim_end());
        out.push('\n');
    }
    out
}

/// Puts placeholders for what is different each time.
pub fn scrub(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if let Some((before, _)) = line.split_once("    confirm ") {
            let _ = writeln!(out, "{before}    confirm <code>");
            continue;
        }
        let mut word = String::new();
        for c in line.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() {
                word.push(c);
                continue;
            }
            match word.len() {
                64 if out.ends_with("n=") => out.push_str("<nonce>"),
                64 => out.push_str("<hash>"),
                // the head that a move answers
                16 if out
                    .rsplit([' ', '\n'])
                    .next()
                    .is_some_and(|t| t.starts_with("saw=")) =>
                {
                    out.push_str("<head>");
                }
                // the name of the game in the line that is hashed
                10 if ["tulpa1/seal ", "head ", "id=", "  g="]
                    .iter()
                    .any(|w| out.ends_with(w)) =>
                {
                    out.push_str("<gid>");
                }
                // the head in short, `6f1c...9a02`
                4 if out.ends_with("  head ") || out.ends_with("<hash>...") => {
                    out.push_str("<hash>");
                }
                _ => out.push_str(&word),
            }
            word.clear();
            out.push(c);
        }
    }
    out.trim_end_matches('\n').to_owned()
}

pub fn count(mails: &[Mail], who: &str) -> usize {
    mails.iter().filter(|m| m.to.contains(who)).count()
}

/// One mail to the one, and so many to the other.
#[track_caller]
pub fn counts(mails: &[Mail], alice: usize, bob: usize) {
    let found = (count(mails, ALICE), count(mails, BOB));
    assert_eq!(found, (alice, bob), "{mails:#?}");
    assert_eq!(mails.len(), alice + bob, "{mails:#?}");
}

#[track_caller]
pub fn to<'a>(mails: &'a [Mail], who: &str) -> &'a Mail {
    mails.iter().find(|m| m.to.contains(who)).expect("a mail")
}
