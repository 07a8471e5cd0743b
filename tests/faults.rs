//! Budgets, the time-warp guard, a full disk and a mailbox out of reach: each by itself, with a clock that the test sets.

use std::time::Duration;

use jiff::Timestamp;
use tulpa::config::Config;
use tulpa::daemon::{Daemon, Trouble};
use tulpa::edge::clock::Clock;
use tulpa::edge::{Arrived, ArrivedId, Carrier, Delivery, Inbox, InboxError};
use tulpa::referee::state::{MatchNo, Registry};
use tulpa::rules::Seat;
use tulpa::store::{Opening, Queued, Settled, fail};

const ALICE: &str = "alice@hill.example";
const BOB: &str = "bob@dale.example";
const KEEPER: &str = "keeper@club.example";

#[derive(Default)]
struct Pile {
    letters: Vec<Arrived>,
    broken: bool,
}

impl Inbox for Pile {
    fn fetch(&mut self, most: usize) -> Result<Vec<Arrived>, InboxError> {
        match self.broken {
            true => Err(InboxError::Later("out of reach".into())),
            false => Ok(self.letters.iter().take(most).cloned().collect()),
        }
    }
    fn settle(&mut self, id: &ArrivedId, _: Settled) -> Result<(), InboxError> {
        self.letters.retain(|l| l.id != *id);
        Ok(())
    }
    fn wait(&mut self, _: Duration) -> Result<(), InboxError> {
        Ok(())
    }
}

#[derive(Default)]
struct Out(Vec<(String, String)>);

impl Carrier for Out {
    fn send(&mut self, mail: &Queued) -> Delivery {
        self.0.push((mail.to().to_owned(), mail.row().kind.clone()));
        Delivery::Sent
    }
}

struct Club {
    _dir: tempfile::TempDir,
    config: Config,
    daemon: Option<Daemon>,
    inbox: Pile,
    out: Out,
    wall: i64,
    steady: u64,
    letters: usize,
}

impl Club {
    fn new(settings: &str) -> Club {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tulpa.ron");
        let text = format!(
            "(referee: (address: \"referee@club.example\"), identity: (trusted_authserv: [\"mx.club.example\"]), \
             keeper: (address: Some(\"{KEEPER}\"), free_bytes: 0), clocks: (days: 4), {settings})\n"
        );
        std::fs::write(&file, text).unwrap();
        let mut club = Club {
            config: Config::load(&file).unwrap(),
            _dir: dir,
            daemon: None,
            inbox: Pile::default(),
            out: Out::default(),
            wall: 1_767_225_600,
            steady: 0,
            letters: 0,
        };
        club.start();
        club
    }

    fn started(settings: &str) -> Club {
        let mut club = Club::new(settings);
        club.post(
            ALICE,
            true,
            &format!("new tulpas vs {BOB} as white\nname Alice"),
        );
        club.round();
        club.post(BOB, true, "accept\nname Bob");
        club.round();
        assert!(club.due().is_some());
        club.out.0.clear();
        club
    }

    fn clock(&self) -> Clock {
        let at = Timestamp::from_second(self.wall).unwrap();
        Clock::scripted(at, Duration::from_secs(self.steady))
    }

    fn start(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            daemon.close().unwrap();
        }
        self.daemon = Some(Daemon::open(&self.config, self.clock(), Opening::Careful).unwrap());
    }

    fn post(&mut self, who: &str, vouched: bool, body: &str) {
        self.letters += 1;
        let (n, host) = (self.letters, who.split('@').next_back().unwrap());
        let proof = match vouched {
            true => format!(
                "Authentication-Results: mx.club.example; dmarc=pass header.from={host}\r\n"
            ),
            false => String::new(),
        };
        let letter = format!(
            "{proof}From: <{who}>\r\nTo: referee@club.example\r\nMessage-ID: <{n}@{host}>\r\n\r\n{}\r\n",
            body.replace('\n', "\r\n")
        );
        self.inbox.letters.push(Arrived {
            id: ArrivedId::named(&n.to_string()),
            source_key: format!("test|{n}"),
            bytes: letter.into_bytes(),
            too_big: None,
            received: Timestamp::from_second(self.wall).unwrap(),
        });
    }

    fn pass(&mut self, seconds: i64) {
        self.wall += seconds;
        self.steady += seconds.unsigned_abs();
    }

    fn try_round(&mut self) -> Result<(), Trouble> {
        let clock = self.clock();
        let daemon = self.daemon.as_mut().unwrap();
        daemon.clock = clock;
        daemon.round(&mut self.inbox, &mut self.out).map(|_| ())
    }

    fn round(&mut self) {
        self.try_round().unwrap();
    }

    fn due(&self) -> Option<i64> {
        let game = self.daemon.as_ref().unwrap().records().game(MatchNo(1))?;
        let ends = (0..2).filter_map(|s| game.deadline_of(Seat(s)));
        ends.min().map(Timestamp::as_second)
    }

    fn mails(&self, to: &str) -> usize {
        self.out.0.iter().filter(|(t, _)| t == to).count()
    }

    fn outcomes(&self, what: &str) -> usize {
        let mut count = 0;
        let store = self.daemon.as_ref().unwrap().store();
        store
            .replay(|_, p| {
                count += usize::from(p.outcome == what);
                Ok(())
            })
            .unwrap();
        count
    }
}

#[test]
fn strangers_share_a_budget_that_outlives_a_restart() {
    let mut club = Club::new("limits: (unknown_per_hour: 3)");
    for n in 0..5 {
        club.post(&format!("x{n}@moor.example"), false, "new chess");
        club.round();
        club.start();
    }
    assert_eq!(club.outcomes("unanswered"), 2);
    assert_eq!(
        (0..5)
            .map(|n| club.mails(&format!("x{n}@moor.example")))
            .sum::<usize>(),
        3
    );
    assert_eq!(club.mails(KEEPER), 1, "the keeper is told, once");
    club.pass(2 * 3600);
    club.post("late@moor.example", false, "new chess");
    club.round();
    assert_eq!(club.mails("late@moor.example"), 1);
}

#[test]
fn mails_wait_where_their_number_is_capped() {
    let mut club = Club::started("limits: (mails_per_hour: 6)");
    // four were sent until now
    for _ in 0..5 {
        club.post(ALICE, true, "show");
        club.round();
    }
    assert_eq!(club.mails(ALICE), 2, "{:?}", club.out.0);
    assert_eq!(
        club.mails(KEEPER),
        1,
        "the keeper is told although the cap is met"
    );
    club.pass(3700);
    club.round();
    assert_eq!(club.mails(ALICE), 5, "what waited went out");
}

#[test]
fn letters_that_come_to_nothing_are_answered_together_in_the_end() {
    let mut club = Club::started("");
    for _ in 0..12 {
        club.post(ALICE, true, "pikc amazon");
        club.round();
        club.pass(20);
    }
    assert_eq!(club.mails(ALICE), 6);
    club.pass(3600);
    club.round();
    assert_eq!(
        club.mails(ALICE),
        7,
        "the last of them tells how things stand"
    );
    // a good order ends the loop
    club.post(ALICE, true, "pick amazon");
    club.round();
    club.post(ALICE, true, "pikc amazon");
    club.round();
    assert_eq!(club.mails(ALICE), 9);
}

#[test]
fn a_player_begins_so_many_games_a_day() {
    let mut club = Club::started("limits: (new_games_per_day: 1)");
    club.post(ALICE, true, &format!("new tulpas vs {BOB}"));
    club.round();
    assert_eq!(club.out.0, [(ALICE.to_owned(), "refused".to_owned())]);
    club.pass(86_500);
    club.post(ALICE, true, &format!("new tulpas vs {BOB}"));
    club.round();
    assert_eq!(club.mails(BOB), 1);
}

#[test]
fn the_referees_absence_costs_no_time() {
    let mut club = Club::started("");
    let due = club.due().unwrap();
    // the machine is off for three days of four
    club.pass(3 * 86_400);
    club.start();
    club.round();
    let moved = club.due().unwrap();
    assert!((moved - due - 3 * 86_400).abs() < 120, "{}", moved - due);
    assert_eq!(
        (club.mails(ALICE), club.mails(BOB)),
        (1, 1),
        "both are told"
    );
    club.start();
    club.round();
    assert_eq!(club.due(), Some(moved), "and only once");
    // a mailbox that nobody can reach is an absence too, and no clock runs out meanwhile
    club.inbox.broken = true;
    club.pass(2 * 86_400);
    assert!(club.try_round().is_err());
    club.pass(3 * 86_400);
    assert!(club.try_round().is_err());
    club.inbox.broken = false;
    club.out.0.clear();
    club.round();
    assert!(club.due().unwrap() - moved >= 5 * 86_400 - 120);
    assert!(
        club.out.0.iter().all(|(_, kind)| kind != "reminder"),
        "{:?}",
        club.out.0
    );
}

#[test]
fn a_clock_that_is_set_moves_nobodys_deadline() {
    let mut club = Club::started("");
    let left = club.due().unwrap() - club.wall;
    for jump in [400 * 86_400, -400 * 86_400, -7 * 86_400, 2 * 3600] {
        club.wall += jump;
        club.pass(60);
        club.round();
        let now = club.due().unwrap() - club.wall;
        assert!(
            (left - now).abs() < 600,
            "after {jump}: {left} was left, now {now}"
        );
    }
    // half of the time really passes: one reminder, and not again when the clock goes back
    for _ in 0..9 {
        club.pass(20_000);
        club.round();
    }
    let reminders = |club: &Club| club.out.0.iter().filter(|(_, k)| k == "reminder").count();
    let before = reminders(&club);
    assert!(before > 0);
    club.wall -= 86_400;
    club.pass(60);
    club.round();
    assert_eq!(reminders(&club), before);
}

#[test]
fn a_full_disk_stops_the_work_and_nothing_else() {
    let mut club = Club::started("");
    club.post(ALICE, true, "show");
    fail::install(|name| match name {
        "free" => Err(std::io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    });
    let full = club.try_round();
    assert!(
        matches!(&full, Err(e @ Trouble::Low) if !e.is_fatal()),
        "{full:?}"
    );
    assert_eq!(
        (club.inbox.letters.len(), club.out.0.len()),
        (1, 0),
        "letter and mail wait"
    );
    let letter = club.inbox.letters[0].clone();
    assert!(
        matches!(
            club.daemon.as_mut().unwrap().letter(&letter),
            Err(Trouble::Low)
        ),
        "the pipe too"
    );
    fail::clear();
    club.round();
    assert_eq!(club.mails(ALICE), 1);
}

#[test]
fn a_failed_sync_ends_the_process() {
    let mut club = Club::started("");
    club.post(ALICE, true, "pick amazon");
    fail::install(|name| match name {
        "C7" => Err(std::io::Error::other("EIO")),
        _ => Ok(()),
    });
    assert!(club.try_round().is_err_and(|e| e.is_fatal()));
    fail::clear();
    assert!(
        club.try_round().is_err_and(|e| e.is_fatal()),
        "nothing is tried again in place"
    );
    assert_eq!(club.out.0.len(), 0);
    drop(club.daemon.take());
    club.start();
    club.round();
    assert_eq!(club.mails(ALICE), 1);
}
