//! What rows of the index hold may change from one version of the program to the next; an index or a checkpoint of another form is
//! made again from the journal, and never read.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tulpa::config::Config;
use tulpa::daemon::Daemon;
use tulpa::edge::clock::Clock;
use tulpa::fair::line::hex;
use tulpa::referee::chance::Chance;
use tulpa::referee::state::Match;
use tulpa::referee::{MatchNo, Registry};
use tulpa::rules::{Options, Shelf, Table};
use tulpa::store::{FORM, Opening, Store, Tree, no_fold};

mod common;
use common::{ALICE, BOB, Club};

/// Kind and mark before the value.
const ROW_FRONT: usize = 17;
/// `form` and its number before the head.
const FORM_FRONT: usize = 8;

/// A match in the middle of a game, with all that a match can have.
fn club() -> Club {
    let mut club = Club::started("none", "tulpas");
    club.quiet = true;
    for (who, order) in [
        (ALICE, "pick amazon"),
        (BOB, "guess ox"),
        (ALICE, "note the amazon is left\na3-a4"),
        (BOB, "pick ox"),
        (BOB, "offer draw"),
    ] {
        club.writes(who, order);
    }
    assert_eq!(club.game().sealed.len(), 1);
    club
}

/// Closes the referee; the match as it was, and where it was kept.
fn closed(club: Club) -> (Vec<u8>, tempfile::TempDir) {
    let game = club.game().save();
    let Club { daemon, dir, .. } = club;
    drop(daemon);
    (game, dir)
}

fn opened(dir: &Path) -> Daemon {
    let config = Config::load(&dir.join("tulpa.ron")).unwrap();
    let clock = Clock::fixed("2026-01-03T12:00:00Z".parse().unwrap());
    Daemon::open(&config, clock, Opening::Careful).unwrap()
}

/// The store alone, which has nothing to apply.
fn store(dir: &Path) -> Store {
    Store::open(&dir.join("state"), no_fold()).unwrap()
}

fn game(daemon: &Daemon) -> Arc<Match> {
    let records = daemon.records();
    let game = records.game(MatchNo(1));
    // first: it says why there is none
    records.sound().unwrap();
    game.unwrap()
}

fn mark(full: &[u8], value: &[u8]) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update((full.len() as u64).to_be_bytes());
    hash.update(full);
    hash.update(value);
    hash.finalize()[..16].try_into().unwrap()
}

/// An index as another version of the program left it: a row of another form, sound by all its sums.
fn plant(db: &Path, head_of: impl Fn(&[u8]) -> Vec<u8>) {
    let db = sled::Config::new()
        .path(db)
        .segment_size(512 << 10)
        .flush_every_ms(None)
        .open()
        .unwrap();
    let mut full = vec![Tree::Matches as u8];
    full.extend(1u32.to_be_bytes());
    let row = db.get(&full).unwrap().unwrap();
    assert_eq!(row[0], 1, "the match's row is whole");
    let old = &row[ROW_FRONT..];
    // a field less at its end, and one more at its beginning
    let other = [&[0u8][..], &old[..old.len() - 1]].concat();
    let (before, after) = (mark(&full, old), mark(&full, &other));
    db.insert(&full, [&[1][..], &after, &other].concat())
        .unwrap();
    let full = vec![Tree::Head as u8];
    let row = db.get(&full).unwrap().unwrap();
    let mut head = row[ROW_FRONT..].to_vec();
    assert_eq!(&head[..4], b"form");
    let end = head.len();
    for (at, sum) in head[end - 16..].iter_mut().enumerate() {
        *sum ^= before[at] ^ after[at];
    }
    let head = head_of(&head);
    let row = [&[1][..], &mark(&full, &head), &head].concat();
    db.insert(full, row).unwrap();
    db.flush().unwrap();
}

#[test]
fn an_index_of_another_form_is_made_again() {
    let older = |head: &[u8]| head[FORM_FRONT..].to_vec();
    let newer = |head: &[u8]| {
        let form = (FORM + 1).to_be_bytes();
        [&b"form"[..], &form, &head[FORM_FRONT..]].concat()
    };
    for head_of in [&older as &dyn Fn(&[u8]) -> Vec<u8>, &newer] {
        let (game_then, dir) = closed(club());
        plant(&dir.path().join("state/db"), head_of);
        let daemon = opened(dir.path());
        assert_eq!(game(&daemon).save(), game_then);
        drop(daemon);
        store(dir.path()).check().unwrap();
        // and it stays
        assert_eq!(game(&opened(dir.path())).save(), game_then);
    }
}

/// The same row under this form's head is trusted: it is the form that keeps it out, and nothing else would.
#[test]
fn but_for_the_form_such_a_row_would_be_read() {
    let (game_then, dir) = closed(club());
    plant(&dir.path().join("state/db"), <[u8]>::to_vec);
    let daemon = opened(dir.path());
    let records = daemon.records();
    let now = records.game(MatchNo(1)).map(|m| m.save());
    assert_ne!(now, Some(game_then));
}

#[test]
fn a_checkpoint_of_another_form_is_not_used() {
    let (game_then, dir) = closed(club());
    store(dir.path()).checkpoint().unwrap();
    let path = dir.path().join("state/checkpoint");
    let good = fs::read(&path).unwrap();
    // no key, and the form as its row
    assert_eq!(&good[..12], b"\0\0\0\0\0\0\0\x08form");
    let sealed = |body: &[u8]| [body, &Sha256::digest(body)[..]].concat();
    let body = &good[..good.len() - 32];
    assert_eq!(sealed(body), good);
    let mut newer = body.to_vec();
    newer[15] += 1;
    for other in [sealed(&body[16..]), sealed(&newer)] {
        fs::remove_dir_all(dir.path().join("state/db")).unwrap();
        fs::write(&path, other).unwrap();
        let daemon = opened(dir.path());
        assert_eq!(game(&daemon).save(), game_then);
        drop(daemon);
        store(dir.path()).check().unwrap();
    }
}

/// Names and kinds of all that a value holds, one a line.
fn shape(at: &str, value: &Value, out: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                shape(&format!("{at}.{key}"), value, out);
            }
            "fields"
        }
        Value::Array(all) => {
            for value in all {
                shape(&format!("{at}[]"), value, out);
            }
            "list"
        }
        Value::String(_) => "text",
        Value::Number(_) => "number",
        Value::Bool(_) => "yes or no",
        Value::Null => "nothing",
    };
    out.insert(format!("{at}: {kind}"));
}

/// What rows hold, as it was when [`FORM`] was last raised.
#[test]
fn whoever_changes_a_row_raises_the_form() {
    let club = club();
    let records = club.daemon.records();
    let mut lines = BTreeSet::new();
    shape(
        "match",
        &serde_json::to_value(&*club.game()).unwrap(),
        &mut lines,
    );
    let alice = records.player(records.player_by_address(ALICE).unwrap());
    shape(
        "player",
        &serde_json::to_value(&*alice.unwrap()).unwrap(),
        &mut lines,
    );
    let line = records.lines(MatchNo(1)).pop();
    shape("line", &serde_json::to_value(line).unwrap(), &mut lines);
    let shelf = Shelf::builtin();
    for id in ["chess", "tulpas", "hydra", "chieftain", "chaturaji"] {
        let book = shelf.get(id).unwrap();
        let (table, _) = Table::begin(book, &Options::new(), &mut Chance::new(&[1; 32])).unwrap();
        let sum = hex(&Sha256::digest(table.save()));
        lines.insert(format!(
            "position of {id}: {} bytes, {}",
            table.save().len(),
            &sum[..16]
        ));
    }
    let now = format!(
        "form {FORM}\n{}\n",
        lines.into_iter().collect::<Vec<_>>().join("\n")
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forms.txt");
    let then = fs::read_to_string(&path).unwrap_or_default();
    let raised = then.lines().next() != now.lines().next();
    if std::env::var_os("TULPA_BLESS").is_some() && (raised || then.is_empty()) {
        fs::write(&path, now).unwrap();
        return;
    }
    let changed: Vec<&str> = now.lines().filter(|l| !then.contains(*l)).collect();
    assert!(
        now == then,
        "what a row holds has changed: raise `store::FORM` in src/store/index.rs, then TULPA_BLESS=1 cargo test --test forms \
         {changed:#?}"
    );
}
