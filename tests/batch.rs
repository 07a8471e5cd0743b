//! The letters of a round share their syncs, and nothing of the promise changes by that: none is marked as done before
//! it is on the disk, each is answered once, whatever happens in between.

use std::cell::Cell;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;

use tulpa::config::Config;
use tulpa::daemon::Daemon;
use tulpa::edge::clock::Clock;
use tulpa::edge::maildir::MaildirInbox;
use tulpa::edge::{incoming, pipe};
use tulpa::store::{Opening, fail};

const LETTERS: usize = 30;

/// A configuration in `dir`, and one letter each of thirty people in its inbox.
fn house(dir: &Path) -> Config {
    let file = dir.join("tulpa.ron");
    fs::write(&file, "(referee: (address: \"referee@club.example\"))").unwrap();
    let config = Config::load(&file).unwrap();
    MaildirInbox::open(&inbox(dir)).unwrap();
    for n in 0..LETTERS {
        deliver(dir, n, &letter(n));
    }
    config
}

fn inbox(dir: &Path) -> std::path::PathBuf {
    dir.join("mail/inbox")
}

fn letter(n: usize) -> String {
    format!(
        "From: Person <person{n}@people.example>\r\nTo: referee@club.example\r\nSubject: hello\r\n\
         Message-ID: <{n}@people.example>\r\n\r\nnew chess\r\n"
    )
}

fn deliver(dir: &Path, n: usize, letter: &str) {
    fs::write(inbox(dir).join("new").join(format!("{n:03}.test")), letter).unwrap();
}

fn open(config: &Config) -> Daemon {
    Daemon::open(config, Clock::system(), Opening::Careful).unwrap()
}

fn files(dir: &Path) -> usize {
    fs::read_dir(dir).map_or(0, Iterator::count)
}

/// Who is mailed, sorted: one mail for each person.
fn answered(daemon: &Daemon) -> Vec<String> {
    let rows = daemon.store().outbox_list(None, 1000).unwrap();
    let mut to: Vec<String> = rows.into_iter().map(|(_, row)| row.to).collect();
    to.sort();
    to
}

fn people() -> Vec<String> {
    let mut all: Vec<String> = (0..LETTERS)
        .map(|n| format!("person{n}@people.example"))
        .collect();
    all.sort();
    all
}

#[test]
fn a_full_mailbox_needs_few_syncs() {
    let dir = tempfile::tempdir().unwrap();
    let config = house(dir.path());
    let mut daemon = open(&config);
    let syncs = Rc::new(Cell::new(0));
    let count = Rc::clone(&syncs);
    fail::install(move |point| {
        count.set(count.get() + usize::from(point == "C7"));
        Ok(())
    });
    let mut from = MaildirInbox::open(&inbox(dir.path())).unwrap();
    let read = daemon.letters(&mut from).unwrap();
    fail::clear();
    assert_eq!((read, syncs.get()), (LETTERS, 1));
    assert_eq!(files(&inbox(dir.path()).join("cur")), LETTERS);
    assert_eq!(answered(&daemon), people());
}

#[test]
fn a_letter_that_lies_there_twice_is_answered_once() {
    let dir = tempfile::tempdir().unwrap();
    let config = house(dir.path());
    deliver(dir.path(), LETTERS, &letter(7));
    let mut daemon = open(&config);
    let mut from = MaildirInbox::open(&inbox(dir.path())).unwrap();
    assert_eq!(daemon.letters(&mut from).unwrap(), LETTERS + 1);
    assert_eq!(answered(&daemon), people());
    // the journal says the same as the index
    daemon.close().unwrap();
    let mut store = tulpa::daemon::rebuild(&config).unwrap();
    store.check().unwrap();
    assert_eq!(store.outbox_list(None, 1000).unwrap().len(), LETTERS);
}

#[test]
fn a_crash_in_a_round_costs_nothing_and_doubles_nothing() {
    for point in ["C5", "C6", "C7", "C8", "C9", "C10", "C11"] {
        let dir = tempfile::tempdir().unwrap();
        let config = house(dir.path());
        let mut daemon = open(&config);
        fail::install(move |at| {
            assert_ne!(at, point, "a planned crash");
            Ok(())
        });
        let mut from = MaildirInbox::open(&inbox(dir.path())).unwrap();
        let crashed = catch_unwind(AssertUnwindSafe(|| daemon.letters(&mut from).is_ok()));
        fail::clear();
        assert!(crashed.is_err(), "{point} is not reached");
        assert_eq!(files(&inbox(dir.path()).join("cur")), 0, "{point}");
        drop(daemon);
        let mut daemon = open(&config);
        assert_eq!(daemon.letters(&mut from).unwrap(), LETTERS, "{point}");
        assert_eq!(answered(&daemon), people(), "{point}");
        assert_eq!(files(&inbox(dir.path()).join("cur")), LETTERS, "{point}");
    }
}

#[test]
fn a_full_disk_leaves_the_letters_where_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let config = house(dir.path());
    let mut daemon = open(&config);
    fail::install(|at| match at {
        "C6" => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    });
    let mut from = MaildirInbox::open(&inbox(dir.path())).unwrap();
    assert!(daemon.letters(&mut from).is_err());
    fail::clear();
    assert_eq!(files(&inbox(dir.path()).join("new")), LETTERS);
    assert_eq!(answered(&daemon), [""; 0]);
    assert_eq!(daemon.letters(&mut from).unwrap(), LETTERS);
    assert_eq!(answered(&daemon), people());
}

#[test]
fn letters_left_by_the_pipe_are_taken_up() {
    let dir = tempfile::tempdir().unwrap();
    let config = house(dir.path());
    let mut daemon = open(&config);
    let now = jiff::Timestamp::now();
    for n in 0..LETTERS {
        let text = letter(n);
        let taken = pipe::take(&mut text.as_bytes(), 1 << 16, now).unwrap();
        incoming::leave(&config.state, &taken).unwrap();
    }
    assert_eq!(daemon.left().unwrap(), LETTERS);
    assert!(incoming::is_empty(&config.state));
    assert_eq!(daemon.left().unwrap(), 0);
    // the same letters by the other way: known
    let mut from = MaildirInbox::open(&inbox(dir.path())).unwrap();
    assert_eq!(daemon.letters(&mut from).unwrap(), LETTERS);
    assert_eq!(answered(&daemon), people());
}

#[test]
fn receive_beside_a_running_referee_leaves_its_letter() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let dir = tempfile::tempdir().unwrap();
    let config = house(dir.path());
    let receive = |n: usize| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tulpa"))
            .args(["receive", "-c"])
            .arg(dir.path().join("tulpa.ron"))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(letter(n).as_bytes()).unwrap();
        drop(pipe);
        child.wait().unwrap().code()
    };
    let mut daemon = open(&config);
    assert_eq!(receive(1), Some(0));
    assert_eq!(receive(2), Some(0));
    assert_eq!(answered(&daemon), [""; 0]);
    assert_eq!(daemon.left().unwrap(), 2);
    // left just before the referee stopped: the next one does it too
    assert_eq!(receive(3), Some(0));
    drop(daemon);
    assert_eq!(receive(4), Some(0));
    assert!(incoming::is_empty(&config.state));
    let daemon = open(&config);
    let four: Vec<String> = (1..=4)
        .map(|n| format!("person{n}@people.example"))
        .collect();
    assert_eq!(answered(&daemon), four);
}
