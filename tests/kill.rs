//! The real program over a Maildir, killed with SIGKILL at any moment: no letter is lost, none is played twice, and every
//! mail goes out. `TULPA_KILLS=1000` kills more often.
//!
//! A killed process keeps what the system holds for the disk, so that the power may be cut is another test: the order of
//! the system calls, watched by strace (`cargo test --test kill -- --ignored`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tulpa::store::{Store, no_fold};

#[path = "sim/chance.rs"]
#[allow(dead_code, reason = "shared with the simulation")]
mod chance;

const ALICE: &str = "alice@hill.example";
const BOB: &str = "bob@dale.example";
/// A match that is won on the board: who writes, and what.
const MATCH: [(&str, &str); 7] = [
    (ALICE, "new tulpas vs bob@dale.example as white\nname Alice"),
    (BOB, "accept\nname Bob\nguess amazon"),
    (
        ALICE,
        "pick amazon\nif created: A@a2; Aa2-b4\nelse: Nc1-a2\nguess spider",
    ),
    (BOB, "pick ox\nelse: a8-a7\nguess archer"),
    (ALICE, "pick ox\nelse: Ab4xf8\nguess mace"),
    (BOB, "pick spider\nelse: a7-a6\nguess ox"),
    (ALICE, "pick mace\nelse: Af8xf9"),
];
/// How often the process is killed in a plain `cargo test`.
const KILLS: usize = 28;

struct Club {
    dir: tempfile::TempDir,
    rounds: i64,
}

impl Club {
    fn new() -> Club {
        let dir = tempfile::tempdir().unwrap();
        fs::write(
            dir.path().join("tulpa.ron"),
            "(referee: (address: \"referee@club.example\"), identity: (trusted_authserv: [\"mx.club.example\"]), \
             keeper: (free_bytes: 0))\n",
        )
        .unwrap();
        for part in ["tmp", "new", "cur"] {
            fs::create_dir_all(dir.path().join("mail/inbox").join(part)).unwrap();
        }
        Club { dir, rounds: 0 }
    }

    fn post(&self, n: usize, name: &str) {
        let (who, body) = MATCH[n];
        let host = who.split('@').next_back().unwrap();
        let letter = format!(
            "Authentication-Results: mx.club.example; dmarc=pass header.from={host}\r\nFrom: <{who}>\r\n\
             To: referee@club.example\r\nMessage-ID: <{n}@{host}>\r\nSubject: a game\r\n\r\n{}\r\n",
            body.replace('\n', "\r\n")
        );
        let inbox = self.dir.path().join("mail/inbox");
        fs::write(inbox.join("tmp").join(name), letter).unwrap();
        fs::rename(inbox.join("tmp").join(name), inbox.join("new").join(name)).unwrap();
    }

    /// One round of the program, 20 minutes after the last: long enough for mails of unknown fate.
    fn program(&mut self) -> Command {
        self.rounds += 1;
        let at = jiff::Timestamp::from_second(1_767_225_600 + self.rounds * 1200).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tulpa"));
        command
            .arg("-c")
            .arg(self.dir.path().join("tulpa.ron"))
            .args(["--now", &at.to_string(), "run", "--once"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    fn round(&mut self) {
        let done = self.program().output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{said}");
    }

    fn killed(&mut self, after: Duration) {
        let mut child = self.program().stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(after);
        let _ = child.kill();
        child.wait().unwrap();
    }

    fn files(&self, dir: &str) -> Vec<PathBuf> {
        let dir = fs::read_dir(self.dir.path().join(dir)).unwrap();
        dir.map(|e| e.unwrap().path()).collect()
    }

    /// What happened, without what chance gave.
    fn course(&self) -> Vec<String> {
        let copy = tempfile::tempdir().unwrap();
        for path in self.files("state").iter().filter(|p| p.is_file()) {
            fs::copy(path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
        let store = Store::open(copy.path(), no_fold()).unwrap();
        let mut course = Vec::new();
        store
            .replay(|_, payload| {
                for event in &payload.events {
                    let seal = &event["seal"];
                    course.push(format!(
                        "{} {} {} {} {}",
                        event["event"], event["order"], seal["card"], seal["turn"], event["cards"]
                    ));
                }
                Ok(())
            })
            .unwrap();
        course
    }
}

fn undisturbed() -> Club {
    let mut club = Club::new();
    for n in 0..MATCH.len() {
        club.post(n, &format!("{n}.a"));
        club.round();
    }
    club
}

#[test]
fn a_killed_referee_loses_nothing_and_plays_nothing_twice() {
    let right = undisturbed();
    let (course, mails) = (right.course(), right.files("mail/outbox/new").len());
    assert!(
        course.last().is_some_and(|l| l.contains("acted")),
        "{course:?}"
    );
    let kills = std::env::var("TULPA_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(KILLS);
    // how long a whole round takes here and now
    let mut club = Club::new();
    let begun = std::time::Instant::now();
    club.round();
    let whole = begun.elapsed().as_micros() as i64;
    let mut chance = chance::Chance::new(9);
    let mut done = 0;
    while done < kills {
        let mut club = Club::new();
        for n in 0..MATCH.len() {
            club.post(n, &format!("{n}.a"));
            for _ in 0..(kills / MATCH.len()).clamp(1, 6) {
                let after = chance.between(0, whole * 3 / 2).unsigned_abs();
                club.killed(Duration::from_micros(after));
                done += 1;
            }
            // the mail server delivers some letters twice
            if chance.hits(400) {
                club.post(n, &format!("{n}.b"));
            }
            club.round();
        }
        club.round();
        assert_eq!(club.course(), course);
        assert_eq!(club.files("mail/outbox/new").len(), mails);
        assert!(club.files("mail/inbox/new").is_empty(), "a letter is left");
    }
    println!("{done} times killed, a round takes {whole} us");
}

/// Paths in a line of strace.
fn names(line: &str, call: &str, what: &str) -> bool {
    line.contains(call) && line.contains(what)
}

#[test]
#[ignore = "needs strace"]
fn the_disk_has_it_before_anybody_is_told() {
    let mut club = Club::new();
    club.post(0, "0.a");
    club.round();
    club.post(1, "1.a");
    let log = club.dir.path().join("strace");
    let tulpa = club.program();
    let done = Command::new("strace")
        .args([
            "-f",
            "-y",
            "-e",
            "trace=fdatasync,fsync,pwrite64,rename,renameat,renameat2,linkat",
            "-o",
        ])
        .arg(&log)
        .arg(tulpa.get_program())
        .args(tulpa.get_args())
        .stdout(Stdio::null())
        .status();
    assert!(done.expect("strace is installed").success());
    let log = fs::read_to_string(&log).unwrap();
    let journal = Path::new("journal.000001").display().to_string();
    let (mut written, mut synced, mut settled, mut sent) = (0, 0, 0, 0);
    for line in log.lines() {
        if names(line, "pwrite64", &journal) {
            written += 1;
            synced = 0;
        } else if names(line, "fdatasync", &journal) {
            synced += 1;
        } else if names(line, "rename", "inbox/new/1.a") {
            assert!(
                written > 0 && synced > 0,
                "the letter was done before the disk had it:\n{log}"
            );
            settled += 1;
        } else if names(line, "rename", "outbox/new") {
            assert!(
                settled > 0 && synced > 0,
                "a mail left before the disk had it:\n{log}"
            );
            sent += 1;
        }
    }
    assert!(
        settled == 1 && sent >= 2,
        "{settled} letters, {sent} mails:\n{log}"
    );
}
