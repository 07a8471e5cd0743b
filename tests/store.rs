//! The store under crashes, damage and bad disks.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use tulpa::store::{
    Batch, Fate, Fold, MailState, NewMail, Opening, Payload, ReadIndex, Store, StoreError, Tree,
    fail, seen,
};

/// Each event is `{"match": n, "add": k}`: matches keep a sum, a count and some ballast of data.
fn fold() -> Fold {
    Arc::new(|payload, view| {
        let mut batch = Batch::default();
        let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
        for event in &payload.events {
            let number = event["match"].as_u64().ok_or("no match")?;
            let old = match sums.get(&number) {
                Some(sum) => *sum,
                None => view
                    .get(Tree::Matches, &number.to_be_bytes())
                    .map_err(|e| e.to_string())?
                    .map_or(0, |v| u64::from_be_bytes(v[..8].try_into().unwrap())),
            };
            let sum = old + event["add"].as_u64().ok_or("nothing to add")?;
            sums.insert(number, sum);
            let mut value = sum.to_be_bytes().to_vec();
            value.resize(8 + usize::try_from(sum % 20).unwrap() * 997, 7);
            batch.put(Tree::Matches, number.to_be_bytes(), value);
        }
        Ok(batch)
    })
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn mail(n: u64, seat: &str) -> NewMail {
    NewMail {
        to: format!("p{n}@x.test"),
        envelope_from: "ref@x.test".into(),
        message_id: format!("<{n}.{seat}@x.test>"),
        bytes: format!("Subject: {n}\r\n\r\n{}\r\n", "board ".repeat(200))
            .into_bytes()
            .into(),
        seat: seat.into(),
        seq: n,
        kind: "board".into(),
        board: true,
        ..NewMail::default()
    }
}

fn turn(n: u64) -> Payload {
    Payload {
        at: at(i64::try_from(n).unwrap()),
        outcome: "applied".into(),
        keys: vec![
            seen::source(&format!("maildir|x|{n}")),
            seen::bytes(&n.to_be_bytes()),
        ],
        events: vec![serde_json::json!({"match": n % 7, "add": 1})],
        mails: vec![mail(n, &format!("{}/white", n % 7))],
        ..Payload::default()
    }
}

fn open(dir: &Path) -> Store {
    Store::open(dir, fold()).unwrap()
}

fn total(store: &Store) -> u64 {
    let rows = store.scan(Tree::Matches, &[], 100).unwrap();
    rows.iter()
        .map(|(_, v)| u64::from_be_bytes(v[..8].try_into().unwrap()))
        .sum()
}

fn everything(store: &Store) -> Vec<(Tree, Vec<u8>, Vec<u8>)> {
    let trees = [
        Tree::Matches,
        Tree::Outbox,
        Tree::OutboxDue,
        Tree::OutboxLane,
        Tree::OutboxIds,
        Tree::Seen,
    ];
    let rows = trees.into_iter().flat_map(|t| {
        store
            .scan(t, &[], usize::MAX)
            .unwrap()
            .into_iter()
            .map(move |(k, v)| (t, k, v))
    });
    rows.collect()
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            copy_dir(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn filled(dir: &Path, turns: u64) -> Vec<(Tree, Vec<u8>, Vec<u8>)> {
    let mut store = open(dir);
    for n in 1..=turns {
        store.commit(turn(n)).unwrap();
    }
    let all = everything(&store);
    store.close().unwrap();
    all
}

#[test]
fn what_was_committed_is_there_again() {
    let dir = tempfile::tempdir().unwrap();
    let all = filled(dir.path(), 30);
    let mut store = open(dir.path());
    assert_eq!(everything(&store), all);
    assert_eq!(store.head().0, 30);
    assert_eq!(store.check().unwrap().records, 30);
    let again = store.commit_many((31..=400).map(turn).collect()).unwrap();
    assert_eq!(again.len(), 370);
    assert_eq!(total(&store), 400);
    drop(store);
    let quick = Store::open_as(dir.path(), fold(), Opening::Quick).unwrap();
    assert_eq!(total(&quick), 400);
    let all = everything(&quick);
    drop(quick);
    assert_eq!(
        everything(&Store::rebuild(dir.path(), fold()).unwrap()),
        all
    );
}

#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    filled(&state, 1);
    for entry in fs::read_dir(&state).unwrap() {
        let meta = entry.as_ref().unwrap().metadata().unwrap();
        assert_eq!(
            meta.permissions().mode() & 0o077,
            0,
            "{:?}",
            entry.unwrap().path()
        );
    }
}

#[test]
fn the_second_process_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    assert!(matches!(
        Store::open(dir.path(), fold()),
        Err(StoreError::Busy(_))
    ));
    drop(store);
    open(dir.path());
}

#[test]
fn a_newer_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 1);
    fs::write(dir.path().join("FORMAT"), "2\n").unwrap();
    assert!(matches!(
        Store::open(dir.path(), fold()),
        Err(StoreError::Format { .. })
    ));
}

#[test]
fn a_torn_last_record_is_cut_off_at_every_byte() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    let before = filled(&whole, 3);
    let journal = "journal.000001";
    let short = fs::read(whole.join(journal)).unwrap();
    let base = dir.path().join("base");
    copy_dir(&whole, &base);
    // A small fourth transaction, so that every offset can be tried.
    let mut store = open(&whole);
    let mut last = turn(4);
    last.mails.clear();
    store.commit(last).unwrap();
    store.close().unwrap();
    let long = fs::read(whole.join(journal)).unwrap();
    assert!(long.starts_with(&short));
    for cut in short.len()..long.len() {
        // Cut short; or with the rest of the room still zero; or, now and then, with a piece in the middle missing.
        let mut image = long[..cut].to_vec();
        match cut % 3 {
            0 => image.resize(long.len() + 4096, 0),
            1 => {
                image = long.clone();
                let to = (cut + 8).min(image.len());
                image[cut..to].fill(0);
                if image == long {
                    continue;
                }
            }
            _ => {}
        }
        fs::write(base.join(journal), &image).unwrap();
        let mut store = Store::open(&base, fold()).unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
        assert_eq!(store.head().0, 3, "cut at {cut}");
        if cut % 16 == 0 {
            assert_eq!(everything(&store), before);
            store.commit(turn(5)).unwrap();
            store.close().unwrap();
            fs::remove_dir_all(&base).unwrap();
            copy_dir(&whole, &base);
            fs::remove_dir_all(base.join("db")).unwrap();
            fs::remove_file(base.join("lock")).unwrap();
        }
    }
}

#[test]
fn damage_before_the_end_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    filled(&whole, 6);
    let good = fs::read(whole.join("journal.000001")).unwrap();
    let last = good.len() * 5 / 6 - 200;
    for offset in (0..last).step_by(61) {
        let mut bad = good.clone();
        bad[offset] ^= 0x10;
        fs::write(whole.join("journal.000001"), &bad).unwrap();
        match Store::open(&whole, fold()) {
            Err(StoreError::Damaged { .. }) => {}
            Err(other) => panic!("at {offset}: {other}"),
            Ok(_) => panic!("at {offset}: opened"),
        }
        assert_eq!(
            fs::read(whole.join("journal.000001")).unwrap(),
            bad,
            "nothing is changed"
        );
    }
    // Acknowledged transactions that vanish from the end are missed, too.
    fs::write(whole.join("journal.000001"), &good[..last]).unwrap();
    assert!(matches!(
        Store::open(&whole, fold()),
        Err(StoreError::Shorter { .. })
    ));
    fs::write(whole.join("journal.000001"), &good).unwrap();
    open(&whole);
}

#[test]
fn a_crash_at_any_point_loses_nothing_acknowledged() {
    for point in ["C5", "C6", "C7", "C8", "C9", "C10", "C11"] {
        let dir = tempfile::tempdir().unwrap();
        let mut acked = 0;
        for round in 0..3 {
            let mut store = open(dir.path());
            let begun = store.head().0;
            assert!(
                begun == acked || begun == acked + 1,
                "{point}: {begun} {acked}"
            );
            for n in begun + 1..begun + 5 {
                store.commit(turn(n)).unwrap();
                acked = n;
            }
            fail::install(move |name| {
                if name == point {
                    panic!("crash at {name}")
                } else {
                    Ok(())
                }
            });
            let crashed = catch_unwind(AssertUnwindSafe(|| store.commit(turn(acked + 1))));
            fail::clear();
            assert!(crashed.is_err(), "{point} was not reached");
            drop(store);
            let store = open(dir.path());
            let head = store.head().0;
            assert_eq!(total(&store), head, "{point} round {round}");
            assert_eq!(
                store.seen(&turn(acked + 1).keys[0]).unwrap().is_some(),
                head > acked
            );
            let all = everything(&store);
            acked = head;
            drop(store);
            assert_eq!(
                everything(&Store::rebuild(dir.path(), fold()).unwrap()),
                all,
                "{point}"
            );
        }
    }
}

#[test]
fn a_failed_sync_ends_everything() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.commit(turn(1)).unwrap();
    fail::install(|name| {
        if name == "C7" {
            Err(io::Error::other("EIO"))
        } else {
            Ok(())
        }
    });
    assert!(matches!(store.commit(turn(2)), Err(StoreError::Broken(_))));
    fail::clear();
    assert!(matches!(store.commit(turn(2)), Err(StoreError::Broken(_))));
    assert!(matches!(
        store.get(Tree::Matches, b""),
        Err(StoreError::Broken(_))
    ));
    assert!(store.close().is_err());
    assert!(matches!(open(dir.path()).head().0, 1 | 2));
}

#[test]
fn a_full_disk_costs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.commit(turn(1)).unwrap();
    let full = |name: &str| {
        if name == "C6" {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            Ok(())
        }
    };
    fail::install(full);
    assert!(matches!(store.commit(turn(2)), Err(StoreError::Full(_))));
    fail::clear();
    assert!(store.is_low(), "the ballast is gone");
    store.commit(turn(2)).unwrap();
    drop(store);
    let store = open(dir.path());
    assert_eq!((store.head().0, total(&store)), (2, 2));
}

#[test]
fn the_index_is_made_again_when_lost() {
    let dir = tempfile::tempdir().unwrap();
    let all = filled(dir.path(), 40);
    let db = dir.path().join("db");
    fs::remove_dir_all(&db).unwrap();
    let store = open(dir.path());
    assert_eq!(everything(&store), all);
    store.close().unwrap();
    let mut snapshots = 0;
    for entry in fs::read_dir(&db).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("snap.")
        {
            fs::write(&path, b"").unwrap();
            snapshots += 1;
        }
    }
    if snapshots == 0 {
        fs::write(db.join("snap.0000000000000001"), b"").unwrap();
    }
    fs::write(db.join("snap.00000000000000ff.generating"), b"half").unwrap();
    assert_eq!(everything(&open(dir.path())), all);
    // Another boot without a clean stop: the index is not trusted.
    fs::write(
        dir.path().join("lock"),
        "{\"boot\":\"other\",\"pid\":1,\"clean\":null}",
    )
    .unwrap();
    assert_eq!(everything(&open(dir.path())), all);
}

#[test]
fn a_checkpoint_shortens_the_way() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 50);
    let mut store = open(dir.path());
    store.checkpoint().unwrap();
    store.commit_many((51..=80).map(turn).collect()).unwrap();
    let all = everything(&store);
    store.close().unwrap();
    let db = dir.path().join("db");
    let path = dir.path().join("checkpoint");
    let good = fs::read(&path).unwrap();
    // A fold that knows nothing shows that the first fifty were not folded again.
    fs::remove_dir_all(&db).unwrap();
    let store = Store::open(dir.path(), tulpa::store::no_fold()).unwrap();
    assert_eq!(total(&store), 50);
    drop(store);
    for round in 0..4 {
        let mut bad = good.clone();
        match round {
            0 => {}
            1 => bad[good.len() / 2] ^= 1,
            2 => bad.truncate(good.len() - 5),
            _ => bad.truncate(3),
        }
        fs::write(&path, bad).unwrap();
        fs::remove_dir_all(&db).unwrap();
        let mut store = open(dir.path());
        assert_eq!(everything(&store), all, "round {round}");
        store.check().unwrap();
    }
    // One that does not belong to this journal.
    let other = tempfile::tempdir().unwrap();
    let mut store = open(other.path());
    for n in 100..150 {
        store.commit(turn(n)).unwrap();
    }
    store.checkpoint().unwrap();
    fs::copy(other.path().join("checkpoint"), &path).unwrap();
    fs::remove_dir_all(&db).unwrap();
    assert_eq!(everything(&open(dir.path())), all);
}

#[test]
fn a_crash_in_a_rebuild_is_survived() {
    let dir = tempfile::tempdir().unwrap();
    let all = filled(dir.path(), 300);
    fail::install(|name| {
        if name == "C17" {
            panic!("crash in a rebuild")
        } else {
            Ok(())
        }
    });
    let crashed = catch_unwind(AssertUnwindSafe(|| {
        Store::rebuild(dir.path(), fold()).map(drop)
    }));
    fail::clear();
    assert!(crashed.is_err());
    assert_eq!(everything(&open(dir.path())), all);
}

#[test]
fn a_damaged_index_never_gives_a_wrong_answer() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    let all = filled(&whole, 60);
    let size = fs::metadata(whole.join("db").join("db")).unwrap().len();
    let used = fs::read(whole.join("db").join("db")).unwrap();
    let end = used.iter().rposition(|b| *b != 0).unwrap() as u64;
    let mut random = 88_172_645_463_325_252u64;
    for round in 0..24 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let state = dir.path().join(format!("r{round}"));
        copy_dir(&whole, &state);
        let path = state.join("db").join("db");
        let mut bytes = fs::read(&path).unwrap();
        let at = usize::try_from(random % end.min(size)).unwrap();
        match round % 3 {
            0 => bytes[at] ^= 1,
            1 => {
                let to = (at + 512).min(bytes.len());
                bytes[at..to].fill(0);
            }
            _ => bytes.truncate(at),
        }
        fs::write(&path, bytes).unwrap();
        let store = Store::open(&state, fold()).unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert_eq!(everything(&store), all, "round {round}");
        drop(store);
        fs::remove_dir_all(&state).unwrap();
    }
}

#[test]
fn an_effect_happens_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let settled = store.commit(turn(1)).unwrap();
    assert_eq!(store.seen(&turn(1).keys[1]).unwrap(), Some(settled));
    assert!(matches!(
        store.commit(turn(1)),
        Err(StoreError::Seen { seq: 1, .. })
    ));
    assert!(matches!(
        store.commit_many(vec![turn(2), turn(2)]),
        Err(StoreError::Seen { .. })
    ));
    // A duplicate is noted under its new place, without events.
    let mut again = turn(1);
    again.events.clear();
    again.mails.clear();
    again.keys.push(seen::source("elsewhere"));
    again.outcome = "duplicate".into();
    store.commit(again).unwrap();
    assert_eq!(
        store.seen(&turn(1).keys[0]).unwrap().unwrap().outcome(),
        "applied"
    );
    assert_eq!(
        store
            .seen(&seen::source("elsewhere"))
            .unwrap()
            .unwrap()
            .outcome(),
        "duplicate"
    );
    assert_eq!(total(&store), 1);
    // What cannot be folded is refused before it is written.
    let mut bad = turn(3);
    bad.events = vec![serde_json::json!({})];
    assert!(matches!(
        store.commit(bad),
        Err(StoreError::Fold { seq: 3, .. })
    ));
    store.commit(turn(3)).unwrap();
    let strike = Payload {
        strikes: vec!["letter".into()],
        ..Payload::default()
    };
    store.commit_many(vec![strike.clone(), strike]).unwrap();
    assert_eq!(store.strikes("letter").unwrap(), 2);
}

#[test]
fn a_mail_goes_its_way() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let mut first = turn(1);
    first.mails.push(mail(2, "other"));
    let bytes = first.mails[0].bytes.0.clone();
    store.commit(first).unwrap();
    assert!(store.outbox_due(at(0), 9).unwrap().is_empty());
    let due = store.outbox_due(at(1), 9).unwrap();
    assert_eq!(due.len(), 2);
    assert_eq!((due[0].bytes(), due[0].to()), (&bytes[..], "p1@x.test"));
    store.mark_sending(&due[0], at(2)).unwrap();
    assert_eq!(
        store.outbox_due(at(100_000), 9).unwrap().len(),
        1,
        "it is being sent"
    );
    drop(store);

    // Found `sending` after a crash: due again after fifteen minutes, the same bytes.
    let mut store = open(dir.path());
    assert_eq!(store.outbox_due(at(2 + 15 * 60 - 1), 9).unwrap().len(), 1);
    let again = store.outbox_due(at(2 + 15 * 60), 9).unwrap();
    assert_eq!(again.len(), 2);
    let again = again.into_iter().find(|m| m.id() == due[0].id()).unwrap();
    assert_eq!(
        (again.bytes(), again.message_id()),
        (&bytes[..], due[0].message_id())
    );
    store.mark_sending(&again, at(1000)).unwrap();
    store.mark_sent(&again, at(1001)).unwrap();
    let row = store.outbox_row(again.id()).unwrap().unwrap();
    assert_eq!((row.state, row.attempts), (MailState::Sent, 2));
    assert_eq!(
        store
            .outbox_by_message_id(again.message_id())
            .unwrap()
            .unwrap()
            .0,
        again.id()
    );
    store.mark_dead(&again, at(1002), "late").unwrap();
    assert_eq!(
        store.outbox_row(again.id()).unwrap().unwrap().state,
        MailState::Sent,
        "sent is final"
    );

    // Later and later, then given up after five days.
    let mut now = at(2000);
    let mut attempts = 0;
    loop {
        let due = store.outbox_due(now, 9).unwrap();
        assert_eq!(due.len(), 1);
        store.mark_sending(&due[0], now).unwrap();
        attempts += 1;
        match store.mark_later(&due[0], now, "451 not now").unwrap() {
            Fate::Later(at) => {
                assert!(
                    store
                        .outbox_due(at - SignedDuration::from_secs(1), 9)
                        .unwrap()
                        .is_empty()
                );
                assert_eq!(store.outbox_next().unwrap(), Some(at));
                now = at;
            }
            Fate::GivenUp => break,
        }
    }
    assert!((25..50).contains(&attempts), "{attempts}");
    assert_eq!(store.outbox_next().unwrap(), None);
    let dead = store.outbox_list(None, 9).unwrap().pop().unwrap();
    assert_eq!(dead.1.state, MailState::Dead);
    store.mark_requeued(dead.0, now).unwrap();
    assert_eq!(store.outbox_due(now, 9).unwrap().len(), 1);
    drop(store);
    assert_eq!(open(dir.path()).outbox_list(None, 9).unwrap().len(), 2);
}

#[test]
fn boards_keep_their_order_or_replace_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let chat = NewMail {
        board: false,
        ..mail(3, "1/white")
    };
    let letter = |mails| Payload {
        at: at(0),
        mails,
        ..Payload::default()
    };
    store
        .commit(letter(vec![mail(1, "1/white"), mail(2, "1/white"), chat]))
        .unwrap();
    let due = store.outbox_due(at(0), 9).unwrap();
    assert_eq!(
        due.iter().map(|m| m.row().seq).collect::<Vec<_>>(),
        [1, 3],
        "the second board waits"
    );
    store.mark_sending(&due[0], at(1)).unwrap();
    store
        .commit(letter(vec![NewMail {
            supersedes: true,
            ..mail(4, "1/white")
        }]))
        .unwrap();
    let states = |store: &Store| -> Vec<MailState> {
        store
            .outbox_list(None, 9)
            .unwrap()
            .into_iter()
            .map(|(_, r)| r.state)
            .collect()
    };
    use MailState::{Queued, Sending, Superseded};
    assert_eq!(states(&store), [Sending, Superseded, Queued, Queued]);
    store.mark_sent(&due[0], at(2)).unwrap();
    let due = store.outbox_due(at(2), 9).unwrap();
    assert_eq!(due.iter().map(|m| m.row().seq).collect::<Vec<_>>(), [3, 4]);
}

const CHILD: &str = "TULPA_STORE_CHILD";

/// Not a test: the child of `killed_at_any_time`, which commits until it is killed.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let mut store = open(Path::new(&dir));
    for n in store.head().0 + 1.. {
        let settled = store.commit(turn(n)).unwrap();
        println!("ack {}", settled.seq());
    }
}

#[test]
fn killed_at_any_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut acked = 0u64;
    for round in 0..20u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact", "--nocapture"])
            .env(CHILD, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let reader = std::thread::spawn(move || {
            let acks = out.lines().map_while(Result::ok);
            // The first may stand behind what the test harness prints.
            acks.filter_map(|l| {
                l.split("ack ")
                    .nth(1)
                    .and_then(|n| n.trim().parse::<u64>().ok())
            })
            .max()
        });
        std::thread::sleep(Duration::from_millis(40 + round * 37 % 300));
        child.kill().unwrap();
        child.wait().unwrap();
        acked = acked.max(reader.join().unwrap().unwrap_or(0));
        if round % 4 == 3 {
            let mut store = open(dir.path());
            let head = store.head().0;
            assert!(head >= acked, "round {round}: {head} of {acked}");
            assert_eq!(total(&store), head, "round {round}");
            assert_eq!(store.check().unwrap().records, head);
        }
    }
    assert!(acked > 20, "the child did something: {acked}");
}

/// Prints figures: `cargo test --release --test store -- --ignored --nocapture figures`.
#[test]
#[ignore = "prints figures"]
fn figures() {
    use std::io::Write;
    let dir = tempfile::tempdir_in(".").unwrap();
    let turns = 2_000u64;
    let mut store = open(&dir.path().join("state"));
    let mut plain = fs::File::create(dir.path().join("plain")).unwrap();
    let (mut floor, mut ours) = (Duration::ZERO, Duration::ZERO);
    for n in 1..=turns {
        let payload = turn(n);
        let bytes = serde_json::to_vec(&payload).unwrap();
        let begun = Instant::now();
        plain.write_all(&bytes).unwrap();
        plain.sync_data().unwrap();
        floor += begun.elapsed();
        let begun = Instant::now();
        store.commit(payload).unwrap();
        ours += begun.elapsed();
    }
    let per_second = |d: Duration| u128::from(turns) * 1_000_000 / d.as_micros();
    println!(
        "append + fdatasync: {}/s, durable turns one at a time: {}/s",
        per_second(floor),
        per_second(ours)
    );
    let many: Vec<Payload> = (turns + 1..=turns + 20_000).map(turn).collect();
    let begun = Instant::now();
    store.commit_many(many).unwrap();
    println!(
        "batched: {} us a turn",
        begun.elapsed().as_micros() / 20_000
    );
    let begun = Instant::now();
    drop(store);
    println!("drop: {:?}", begun.elapsed());
    for opening in [Opening::Quick, Opening::Careful] {
        let begun = Instant::now();
        let store = Store::open_as(&dir.path().join("state"), fold(), opening).unwrap();
        println!("{opening:?} opening: {:?}", begun.elapsed());
        drop(store);
    }
    let begun = Instant::now();
    Store::rebuild(&dir.path().join("state"), fold())
        .unwrap()
        .close()
        .unwrap();
    println!("rebuild of {} turns: {:?}", turns + 20_000, begun.elapsed());
}
