//! Whole conversations about what goes into the dice before a match begins; see `common`.

use tulpa::cli::verify::rules;
use tulpa::edge::clock::Clock;
use tulpa::fair::entropy::seed_commitment;
use tulpa::fair::line::{Hash, hex};
use tulpa::fair::verify::{Report, verify};
use tulpa::referee::scribe;
use tulpa::referee::state::{MatchNo, Stage};
use tulpa::rules::Shelf;

mod common;
use common::*;

const SEED_ALICE: Hash = [0xa1; 32];
const SEED_BOB: Hash = [0xb0; 32];

/// The ledger, which must hold by the chain and by the rules.
#[track_caller]
fn ledger(club: &Club) -> (String, Report) {
    let text = scribe::export(&club.daemon.records(), MatchNo(1)).unwrap();
    let report = verify(&text, None);
    assert_eq!(report.findings, [], "{text}");
    assert_eq!(rules::replay(&Shelf::builtin(), &report), Ok(()), "{text}");
    (text, report)
}

fn later(club: &mut Club, hours: i64) {
    let now = club.daemon.clock.now();
    let then = now + jiff::SignedDuration::from_hours(hours);
    club.daemon.clock = Clock::fixed(then);
}

fn commit(club: &Club, place: u32, seed: &Hash) -> String {
    let gid = club.game().gid.clone();
    format!("seed commit {}", hex(&seed_commitment(&gid, place, seed)))
}

fn open(seed: &Hash) -> String {
    format!("seed open {}", hex(seed))
}

/// Alice puts up a game of dice for two.
fn invited(name: &'static str, options: &str) -> Club {
    let mut club = Club::new(name);
    let mails = club.writes(
        ALICE,
        &format!("new chaturaji vs {BOB} as green and blue{options}\nname Alice"),
    );
    counts(&mails, 1, 1);
    club
}

#[test]
fn words_of_both_go_into_the_dice() {
    let mut club = invited("seed-words", "");
    let mails = club.writes(ALICE, "seed The sea is cold, isn't it");
    counts(&mails, 1, 0);
    let mails = club.writes(BOB, "Accept the quick brown fox!\nname Bob");
    counts(&mails, 1, 1);
    assert_eq!(club.game().stage, Stage::Playing);
    let (text, _) = ledger(&club);
    assert!(text.contains("words=the_sea_is_cold,_isn't_it"), "{text}");
    assert!(text.contains("words=the_quick_brown_fox"), "{text}");
    club.ends();
}

#[test]
fn words_that_cannot_be_kept_are_refused_alone() {
    let mut club = invited("seed-refused", "");
    let mails = club.writes(BOB, &format!("accept {}", "long ".repeat(13)));
    counts(&mails, 0, 1);
    assert_eq!(club.game().stage, Stage::Inviting);
    counts(&club.writes(BOB, "accept 50 % of it"), 0, 1);
    counts(&club.writes(BOB, "seed open 1234"), 0, 1);
    counts(&club.writes(BOB, &open(&SEED_BOB)), 0, 1);
    counts(&club.writes(BOB, "accept with pleasure"), 1, 1);
    later(&mut club, 1);
    counts(&club.writes(BOB, "seed too late"), 0, 1);
    counts(
        &club.writes(
            BOB,
            "seed commit\n0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        ),
        0,
        1,
    );
    ledger(&club);
    club.ends();
}

#[test]
fn both_seal_a_seed_and_open_it() {
    let mut club = invited("seed-sealed", "");
    let (alice, bob) = (commit(&club, 1, &SEED_ALICE), commit(&club, 2, &SEED_BOB));
    counts(&club.writes(ALICE, &alice), 1, 0);
    counts(&club.writes(ALICE, &alice), 1, 0);
    counts(&club.writes(ALICE, "seed other words"), 1, 0);
    counts(&club.writes(ALICE, &open(&SEED_ALICE)), 1, 0);
    let mails = club.writes(BOB, &format!("accept\n{bob}\nname Bob"));
    counts(&mails, 1, 1);
    assert_eq!(club.game().stage, Stage::Inviting);
    later(&mut club, 1);
    counts(&club.writes(ALICE, &open(&SEED_BOB)), 1, 0);
    let mails = club.writes(ALICE, &open(&SEED_ALICE));
    counts(&mails, 1, 0);
    // nobody learns the first before the second
    assert!(!ledger(&club).0.contains(&hex(&SEED_ALICE)));
    counts(&club.writes(BOB, &open(&SEED_BOB)), 1, 1);
    assert_eq!(club.game().stage, Stage::Playing);
    let (text, report) = ledger(&club);
    assert!(text.contains(&format!("s={}", hex(&SEED_ALICE))), "{text}");
    // the head under which both were asked stands in the file
    assert_eq!(report.heads.len(), 2, "{text}");
    club.ends();
}

#[test]
fn a_seed_that_is_not_opened_ends_the_game() {
    let mut club = invited("seed-late", "");
    let bob = commit(&club, 2, &SEED_BOB);
    counts(&club.writes(BOB, &format!("{bob}\naccept\nname Bob")), 1, 1);
    later(&mut club, 35);
    counts(&club.round(), 0, 0);
    later(&mut club, 1);
    counts(&club.round(), 0, 1);
    later(&mut club, 35);
    counts(&club.round(), 0, 0);
    later(&mut club, 1);
    counts(&club.round(), 1, 1);
    assert_eq!(club.game().stage, Stage::Void);
    counts(&club.writes(BOB, &open(&SEED_BOB)), 0, 1);
    let (text, _) = ledger(&club);
    assert!(text.contains("timeout t=0 seat=2 for=seed"), "{text}");
    club.ends();
}

#[test]
fn everybody_is_asked_first() {
    let mut club = invited("seed-ask", " seeds=ask");
    counts(&club.writes(BOB, "accept\nname Bob"), 1, 1);
    counts(&club.writes(BOB, "seed my own words"), 0, 1);
    later(&mut club, 36);
    counts(&club.round(), 1, 0);
    later(&mut club, 36);
    let mails = club.round();
    counts(&mails, 1, 1);
    assert_eq!(club.game().stage, Stage::Playing);
    let (text, _) = ledger(&club);
    assert!(text.contains("seat=1 words=mid:"), "{text}");
    assert!(text.contains("seat=2 words=my_own_words"), "{text}");
    club.ends();
}

#[test]
fn who_joins_an_open_game_can_seal_a_seed_where_all_are_asked() {
    let mut club = Club::new("seed-join");
    club.writes(ALICE, "seek chaturaji players=2 seeds=ask\nseed cold water");
    counts(&club.writes(BOB, "join 1\nname Bob"), 1, 1);
    let bob = commit(&club, 2, &SEED_BOB);
    counts(&club.writes(BOB, &bob), 1, 1);
    counts(&club.writes(BOB, &open(&SEED_BOB)), 1, 1);
    assert_eq!(club.game().stage, Stage::Playing);
    ledger(&club);
    club.ends();
}

/// The referee was away: nobody's time for a seed ran meanwhile.
#[test]
fn time_that_the_referee_slept_is_nobodys() {
    use tulpa::referee::{Command, decide};
    let mut club = invited("seed-slept", "");
    club.quiet = true;
    let bob = commit(&club, 2, &SEED_BOB);
    club.writes(BOB, &format!("{bob}\naccept"));
    let due = club.game().next_due().unwrap();
    let command = Command::ClockMoved {
        seconds: 7200,
        games: vec![MatchNo(1)],
    };
    let now = club.daemon.clock.now();
    let records = club.daemon.records();
    let decision = decide(&records, &Shelf::builtin(), &command, now, &[0; 32]);
    let moved = decision.changes.games[&MatchNo(1)].next_due().unwrap();
    assert_eq!(moved.as_second() - due.as_second(), 7200);
}
