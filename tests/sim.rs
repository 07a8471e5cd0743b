//! One seed, one world (reliability.md 8): the real reader, referee, store and composer over a mailbox, a mail server, a
//! disk and a clock that fail, with players who slip and strangers who cheat; an auditor reads journal and mails.
//!
//! `TULPA_SIM_SEEDS=200 cargo test --test sim` lives through more worlds, `TULPA_SIM_SEED=17` through one.

#[path = "sim/audit.rs"]
mod audit;
#[path = "sim/chance.rs"]
mod chance;
#[path = "sim/post.rs"]
mod post;
#[path = "sim/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::sync::Once;

use sha2::{Digest as _, Sha256};
use tulpa::store::fail;
use world::World;

/// A promise that is broken on purpose: the auditor must notice.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A letter is marked as done when it is fetched.
    SettleBeforeCommit,
    /// A letter whose Message-ID was seen is dropped.
    DedupeByMessageId,
    /// Keys of letters are worth nothing.
    NoDedupe,
    /// Bounces and vacation replies look like letters.
    AnswersMachines,
    /// A mail counts as sent that was not handed over.
    SentBeforeSend,
    /// A broken connection after the dot counts as success.
    UnknownIsSent,
    /// A mail is handed over twice.
    SendsTwice,
    /// A second attempt has other bytes.
    OtherBytesAtRetry,
    /// Time is what the wall clock says.
    TimerByWallTime,
    /// The journal is not synced.
    NoSync,
}

/// Seeds of a plain `cargo test`.
const SEEDS: u64 = 12;
/// Seeds in which a planted bug must be found.
const BUG_SEEDS: u64 = 40;

fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().is::<fail::Crash>() {
                usual(info);
            }
        }));
    });
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn live(seed: u64, bug: Option<Bug>) -> (World, Vec<String>) {
    let mut world = World::new(seed, bug);
    world.live();
    let wrong = audit::audit(&mut world);
    (world, wrong)
}

#[test]
fn every_promise_is_kept_in_every_world() {
    quiet();
    let seeds: Vec<u64> = match number("TULPA_SIM_SEED") {
        Some(one) => vec![one],
        None => (1..=number("TULPA_SIM_SEEDS").unwrap_or(SEEDS)).collect(),
    };
    let threads = std::thread::available_parallelism()
        .map_or(1, |n| n.get())
        .min(8);
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|n| {
                let seeds: Vec<u64> = seeds.iter().copied().skip(n).step_by(threads).collect();
                scope.spawn(move || {
                    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
                    let mut wrong = Vec::new();
                    for seed in seeds {
                        let (world, found) = live(seed, None);
                        for (what, n) in &world.outside.borrow().counts {
                            *counts.entry(what).or_default() += n;
                        }
                        wrong.extend(found.into_iter().map(|f| (seed, f)));
                    }
                    (counts, wrong)
                })
            })
            .collect();
        for worker in workers {
            let (more, found) = worker.join().expect("a world that does not trip");
            for (what, n) in more {
                *counts.entry(what).or_default() += n;
            }
            wrong.extend(found);
        }
    });
    println!("{} worlds: {counts:#?}", seeds.len());
    if let Some(one) = number("TULPA_SIM_SEED") {
        println!("{}", audit::told(&live(one, None).0));
    }
    for (seed, what) in &wrong {
        println!(
            "seed {seed}: {what}\n    again: TULPA_SIM_SEED={seed} cargo test --test sim every_promise -- --nocapture"
        );
    }
    assert!(wrong.is_empty(), "{} promises were broken", wrong.len());
    // a fault that never happens proves nothing
    if seeds.len() >= 100 {
        for what in FAULTS {
            assert!(counts.contains_key(what), "`{what}` never happened");
        }
    }
}

/// Everything that must have happened somewhere in a hundred worlds.
const FAULTS: [&str; 46] = [
    "C5",
    "C6",
    "C7",
    "C8",
    "C9",
    "C10",
    "C11",
    "C13",
    "C16",
    "a crash is planned",
    "another Received line",
    "answer to an old mail",
    "bounce",
    "careless letter",
    "clock is set back",
    "clock jumps ahead",
    "crash",
    "crash after settling",
    "crash after the 250",
    "crash before connecting",
    "crash before fetch",
    "crash before settling",
    "disk is full",
    "five megabytes",
    "flags are lost",
    "forwarded token",
    "html only",
    "letter is cut",
    "letter is late",
    "letter is lost",
    "machine is off for days",
    "mailbox disconnects",
    "mailbox is out of reach for days",
    "mailing list",
    "not vouched for",
    "other words under the same Message-ID",
    "same bytes twice",
    "sent again by hand",
    "settling fails",
    "smtp 4xx",
    "smtp 5xx",
    "smtp breaks after the dot, not taken",
    "spoofed From",
    "sync fails",
    "thousand parts",
    "vacation reply",
];

#[test]
fn the_same_seed_is_the_same_world() {
    quiet();
    let journal = |seed| {
        let (world, _) = live(seed, None);
        let bytes = std::fs::read(world.dir.path().join("state/journal.000001")).unwrap();
        Sha256::digest(bytes)
    };
    assert_eq!(journal(5), journal(5));
}

fn found(bug: Bug) {
    quiet();
    for seed in 1..=BUG_SEEDS {
        let lived = std::panic::catch_unwind(|| live(seed, Some(bug)).1);
        match lived {
            // a referee that stops and says why has noticed it by itself
            Err(_) => return,
            Ok(wrong) if !wrong.is_empty() => {
                println!("{bug:?}: seed {seed}: {}", wrong[0]);
                return;
            }
            Ok(_) => {}
        }
    }
    panic!("{bug:?} was not noticed in {BUG_SEEDS} worlds");
}

macro_rules! planted {
    ($($name:ident: $bug:ident,)*) => { $(#[test] fn $name() { found(Bug::$bug); })* };
}

planted! {
    settling_before_the_commit_is_noticed: SettleBeforeCommit,
    dropping_by_message_id_is_noticed: DedupeByMessageId,
    forgetting_what_was_seen_is_noticed: NoDedupe,
    answering_machines_is_noticed: AnswersMachines,
    sent_before_sending_is_noticed: SentBeforeSend,
    unknown_as_sent_is_noticed: UnknownIsSent,
    sending_twice_is_noticed: SendsTwice,
    other_bytes_at_a_retry_are_noticed: OtherBytesAtRetry,
    time_by_the_wall_clock_is_noticed: TimerByWallTime,
    a_journal_without_sync_is_noticed: NoSync,
}
