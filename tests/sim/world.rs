//! One world: a referee's process that dies now and then, two players who want to end their match, a stranger who
//! wants to spoil it, machines that answer, and a clock that somebody sets.

#[path = "people.rs"]
mod people;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tulpa::config::Config;
use tulpa::daemon::Daemon;
use tulpa::edge::clock::Clock;
use tulpa::edge::entropy::Source;
use tulpa::referee::state::{MatchNo, Registry};
use tulpa::store::{Opening, fail};

use super::Bug;
use super::chance::Chance;
use super::post::{Lying, Mailbox, Outside, Shared, Taken, Wire};

pub const REFEREE: &str = "referee@club.example";
pub const ALICE: &str = "alice@hill.example";
pub const BOB: &str = "bob@dale.example";
pub const EVE: &str = "eve@moor.example";
/// Where the world begins: 2026-01-01.
pub const EPOCH: i64 = 1_767_225_600;
/// Faults end after so many steps; then the match must come to its end.
const FAULTY_STEPS: usize = 140;
const STEPS_MAX: usize = 900;
const POINTS: [&str; 9] = ["C5", "C6", "C7", "C8", "C9", "C10", "C11", "C13", "C16"];

/// What the world knows of a letter that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// A player, himself.
    Player(&'static str),
    /// Somebody who says he is a player.
    Forger,
    Stranger,
    Machine,
}

#[derive(Clone, Debug)]
pub struct Letter {
    pub author: Author,
    /// Letters that a person wrote once and the mail system multiplied have the same number.
    pub original: usize,
    pub body: String,
    pub arrives: bool,
}

struct Player {
    address: &'static str,
    wakes: i64,
    mails: Vec<Taken>,
    slow: bool,
    careless: usize,
    /// To which mail he said yes already.
    said_yes: String,
}

pub struct World {
    pub outside: Shared,
    pub dir: tempfile::TempDir,
    config: Config,
    daemon: Option<Daemon>,
    seed: u64,
    starts: u64,
    /// Virtual time by the counter that nobody can set.
    pub steady: i64,
    /// What somebody added to the wall clock.
    pub skew: i64,
    players: Vec<Player>,
    read: usize,
    /// By SHA-256 of the bytes.
    pub letters: BTreeMap<String, Letter>,
    originals: usize,
    turns: u32,
    pub over: bool,
    pub crashes: usize,
    /// Wall time, steady time: one pair for each step.
    pub hours: Vec<(i64, i64)>,
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn quick_dir() -> tempfile::TempDir {
    let shm = PathBuf::from("/dev/shm");
    let made = tempfile::Builder::new().prefix("tulpa-sim").tempdir_in(shm);
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

impl World {
    pub fn new(seed: u64, bug: Option<Bug>) -> World {
        let mut chance = Chance::new(seed);
        let dir = quick_dir();
        let file = dir.path().join("tulpa.ron");
        // a guard that never sees a jump is one of the planted bugs
        let jump = if bug == Some(Bug::TimerByWallTime) {
            "9999d"
        } else {
            "1h"
        };
        std::fs::write(
            &file,
            format!(
                "(referee: (address: \"{REFEREE}\"), identity: (trusted_authserv: [\"mx.club.example\"]), \
                 clocks: (days: 5, jump: \"{jump}\", outage: \"{}\"), \
                 keeper: (address: Some(\"keeper@club.example\"), free_bytes: 0))\n",
                if jump == "1h" { "36h" } else { jump }
            ),
        )
        .unwrap();
        let keys = dir.path().join("state/keys");
        std::fs::create_dir_all(&keys).unwrap();
        std::fs::write(keys.join("server"), chance.bytes()).unwrap();
        let config = Config::load(&file).unwrap();
        let player = |address, chance: &mut Chance| Player {
            address,
            wakes: EPOCH,
            mails: Vec::new(),
            slow: chance.hits(250),
            careless: chance.below(200),
            said_yes: String::new(),
        };
        let players = vec![player(ALICE, &mut chance), player(BOB, &mut chance)];
        let turns = 4 + chance.below(5) as u32;
        World {
            outside: Rc::new(RefCell::new(Outside {
                chance,
                now: EPOCH,
                faults: true,
                bug,
                letters: Vec::new(),
                validity: 1,
                taken: Vec::new(),
                unknown: BTreeMap::new(),
                counts: BTreeMap::new(),
                closed_until: 0,
                message_ids: Vec::new(),
            })),
            dir,
            config,
            daemon: None,
            seed,
            starts: 0,
            steady: 0,
            skew: 0,
            players,
            read: 0,
            letters: BTreeMap::new(),
            originals: 0,
            turns,
            over: false,
            crashes: 0,
            hours: Vec::new(),
        }
    }

    fn now(&self) -> i64 {
        self.outside.borrow().now
    }

    /// Lives until the match is over and all is quiet, or patience ends.
    pub fn live(&mut self) {
        for step in 0..STEPS_MAX {
            if step == FAULTY_STEPS {
                self.outside.borrow_mut().faults = false;
                self.outside.borrow_mut().closed_until = 0;
            }
            self.time();
            self.open_mail();
            self.act();
            self.mischief();
            self.work();
            if self.over && step > FAULTY_STEPS && self.is_quiet() {
                break;
            }
            if self.over && step < FAULTY_STEPS {
                let enough = self.is_quiet() && self.outside.borrow_mut().chance.hits(200);
                if enough {
                    self.outside.borrow_mut().faults = false;
                    self.outside.borrow_mut().closed_until = 0;
                    self.work();
                    if self.is_quiet() {
                        break;
                    }
                }
            }
        }
        self.stop();
    }

    fn is_quiet(&self) -> bool {
        let outside = self.outside.borrow();
        outside.letters.iter().all(|l| l.done)
            && self
                .daemon
                .as_ref()
                .is_some_and(|d| d.waiting().is_ok_and(|n| n == 0))
    }

    /// Time goes by; now and then the clock is set, or the mailbox or the whole machine is away for days.
    fn time(&mut self) {
        let mut outside = self.outside.borrow_mut();
        let mut real = outside.chance.between(300, 7_200);
        if outside.fault("machine is off for days", 6) {
            real += outside.chance.between(2, 5) * 86_400;
            drop(outside);
            self.stop();
            outside = self.outside.borrow_mut();
        } else if outside.fault("clock jumps ahead", 5) {
            self.skew += outside.chance.between(3, 400) * 86_400;
        } else if outside.fault("clock is set back", 5) {
            self.skew -= outside.chance.between(2, 60 * 24) * 3_600;
        } else if outside.fault("mailbox is out of reach for days", 5) {
            outside.closed_until = outside.now + outside.chance.between(2, 4) * 86_400;
        }
        self.steady += real;
        let wall = (EPOCH + self.steady + self.skew).max(EPOCH - 400 * 86_400);
        // times of arrival and of patience are by the wall clock: they move along when it is set
        let moved = wall - outside.now - real;
        if moved != 0 {
            for letter in &mut outside.letters {
                letter.arrives += moved;
            }
            for player in &mut self.players {
                player.wakes += moved;
            }
            if outside.closed_until > 0 {
                outside.closed_until += moved;
            }
        }
        outside.now = wall;
        self.hours.push((wall, self.steady));
    }

    /// Players read what came; machines answer at once.
    fn open_mail(&mut self) {
        let new: Vec<Taken> = {
            let outside = self.outside.borrow();
            outside.taken[self.read..].to_vec()
        };
        self.read += new.len();
        let now = self.now();
        for mail in new {
            let Some(at) = self.players.iter().position(|p| p.address == mail.to) else {
                continue;
            };
            let (away, bounced, wait) = {
                let mut outside = self.outside.borrow_mut();
                let slow = self.players[at].slow;
                let wait = match outside.chance.hits(if slow { 300 } else { 30 }) {
                    true => outside.chance.between(1, 4) * 86_400,
                    false => outside.chance.between(60, 20_000),
                };
                (
                    outside.fault("vacation reply", 25),
                    outside.fault("bounce", 15),
                    wait,
                )
            };
            let subject = header(&mail.bytes, "Subject");
            if away {
                self.machine(at, &subject, false, &mail);
            }
            if bounced {
                self.machine(at, &subject, true, &mail);
            }
            let player = &mut self.players[at];
            player.wakes = player.wakes.min(now + wait).max(now);
            player.mails.push(mail);
        }
    }

    /// Everybody who is awake writes what his match asks of him.
    fn act(&mut self) {
        for at in 0..self.players.len() {
            if self.now() < self.players[at].wakes {
                continue;
            }
            let patience = self.outside.borrow_mut().chance.between(86_400, 3 * 86_400);
            self.players[at].wakes = self.now() + patience;
            if let Some(mut body) = self.wants(at) {
                let two = self
                    .daemon
                    .as_ref()
                    .is_some_and(|d| d.records().game(MatchNo(2)).is_some());
                if two && body != "yes" {
                    body.insert_str(0, "game 1\n");
                }
                self.writes(at, &body);
            }
        }
    }

    fn deliver(&mut self, bytes: Vec<u8>, author: Author, original: usize, body: &str, delay: i64) {
        let mut outside = self.outside.borrow_mut();
        // what the referee keeps of a letter above the limit is not its digest: it is known by its place
        if bytes.len() <= 256 * 1024 {
            let key = hex(&Sha256::digest(&bytes));
            let letter = Letter {
                author,
                original,
                body: body.to_owned(),
                arrives: true,
            };
            self.letters.entry(key).or_insert(letter);
        }
        let uid = outside.letters.len() as u32 + 1;
        let arrives = outside.now + delay;
        outside.letters.push(Lying {
            uid,
            bytes,
            arrives,
            done: false,
        });
    }

    /// The process lives for a round, or dies in it.
    fn work(&mut self) {
        let now = Timestamp::from_second(self.now()).unwrap();
        let clock = Clock::scripted(now, Duration::from_secs(self.steady as u64));
        let crash_at = {
            let mut outside = self.outside.borrow_mut();
            let point = POINTS[outside.chance.below(POINTS.len())];
            let nth = outside.chance.below(6);
            outside
                .fault("a crash is planned", 60)
                .then_some((point, nth))
        };
        if let Some((point, mut nth)) = crash_at {
            let outside = Rc::clone(&self.outside);
            fail::install(move |name| {
                if name == point {
                    if nth == 0 {
                        outside.borrow_mut().count(point);
                        panic_any(fail::Crash);
                    }
                    nth -= 1;
                }
                Ok(())
            });
        } else if self.outside.borrow_mut().fault("disk is full", 10) {
            fail::install(|name| match name {
                "free" => Err(std::io::ErrorKind::StorageFull.into()),
                _ => Ok(()),
            });
        } else if self.outside.borrow_mut().fault("sync fails", 6) {
            fail::install(|name| match name {
                "C7" => Err(std::io::Error::other("EIO")),
                _ => Ok(()),
            });
        }
        let done = catch_unwind(AssertUnwindSafe(|| {
            self.start();
            let daemon = self.daemon.as_mut().expect("it runs");
            daemon.clock = clock;
            let (mut inbox, mut wire) = (
                Mailbox(Rc::clone(&self.outside)),
                Wire(Rc::clone(&self.outside)),
            );
            daemon.round(&mut inbox, &mut wire)
        }));
        fail::clear();
        match done {
            Ok(Ok(_)) => {}
            Ok(Err(e)) if e.is_fatal() => self.dies(),
            Ok(Err(_)) => {}
            Err(crash) if crash.is::<fail::Crash>() => self.dies(),
            Err(other) => std::panic::resume_unwind(other),
        }
        if self.outside.borrow_mut().fault("restart", 20) {
            self.stop();
        }
    }

    fn dies(&mut self) {
        self.crashes += 1;
        self.outside.borrow_mut().count("crash");
        drop(self.daemon.take());
        {
            // whatever was handed over in this round may be unmarked
            let mut outside = self.outside.borrow_mut();
            let now = outside.now;
            let ids: Vec<String> = outside
                .taken
                .iter()
                .filter(|t| t.at == now && !t.copied)
                .map(|t| t.message_id.clone())
                .collect();
            for id in ids {
                *outside.unknown.entry(id).or_default() += 1;
            }
        }
        if self.outside.borrow().bug == Some(Bug::NoSync) {
            forget_last_record(&self.dir.path().join("state"));
        }
    }

    fn start(&mut self) {
        if self.daemon.is_some() {
            return;
        }
        self.starts += 1;
        let now = Timestamp::from_second(self.now()).unwrap();
        let clock = Clock::scripted(now, Duration::from_secs(self.steady as u64));
        let mut daemon =
            Daemon::open(&self.config, clock, Opening::Careful).expect("it opens by itself");
        let chance = Chance::new(self.seed.wrapping_mul(1000).wrapping_add(self.starts)).next();
        // half of the numbers are left to count on
        daemon.chance = Source::Counted(chance / 2);
        self.daemon = Some(daemon);
    }

    fn stop(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            daemon.close().expect("a clean stop");
        }
    }

    /// The records as they stand, and as the journal alone gives them.
    pub fn both_records(&mut self) -> (Vec<u8>, Vec<u8>) {
        self.start();
        let game = |d: &Daemon| {
            d.records()
                .game(MatchNo(1))
                .map(|m| m.save())
                .unwrap_or_default()
        };
        let kept = game(self.daemon.as_ref().expect("it runs"));
        self.stop();
        tulpa::daemon::rebuild(&self.config)
            .expect("a rebuild")
            .close()
            .expect("a clean stop");
        self.start();
        let made = game(self.daemon.as_ref().expect("it runs"));
        self.stop();
        (kept, made)
    }
}

/// As a disk that lost what was not synced.
fn forget_last_record(state: &std::path::Path) {
    let path = state.join("journal.000001");
    let bytes = std::fs::read(&path).unwrap();
    let places = super::audit::places(&bytes);
    if let Some((from, to)) = places.last().filter(|_| places.len() > 2) {
        let mut bytes = bytes;
        bytes[*from..*to].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        // the index lost it too
        let _ = std::fs::remove_dir_all(state.join("db"));
    }
}

pub fn host(address: &str) -> &str {
    address.rsplit('@').next().unwrap_or_default()
}

/// A header of a mail, unfolded, by mailparse.
pub fn header(bytes: &[u8], name: &str) -> String {
    use mailparse::MailHeaderMap as _;
    let (headers, _) = mailparse::parse_headers(bytes).unwrap_or_default();
    headers.get_first_value(name).unwrap_or_default()
}
