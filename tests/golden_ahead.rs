//! Whole conversations about replies to turns that are not played yet; see `common`.

mod common;
use common::*;
use tulpa::cli::verify::rules;
use tulpa::fair::verify::verify;
use tulpa::referee::scribe;
use tulpa::referee::state::MatchNo;
use tulpa::rules::Shelf;

/// The chess game's line of play so far.
fn steps(club: &Club) -> String {
    let game = club.game();
    let last: Vec<String> = game.last.iter().map(|l| l.steps.join("; ")).collect();
    last.join(" / ")
}

#[test]
fn a_reply_is_played_with_the_turn_that_it_answers() {
    let mut club = Club::started("replies", "chess");
    let mails = club.writes(
        ALICE,
        "e2-e4\nif e7-e5 then Ng1-f3; if c5 then Nc3\nif Nb8-c6 then d2-d4",
    );
    counts(&mails, 1, 1);
    assert!(!to(&mails, BOB).text.contains("Nb1-c3"), "{mails:#?}");
    let mails = club.writes(BOB, "c5\nif d2-d4 then c5xd4");
    counts(&mails, 1, 1);
    assert_eq!(
        (club.turn(), steps(&club)),
        (4, "c7-c5 / Nb1-c3".to_owned())
    );
    assert!(to(&mails, BOB).text.contains("Nb1-c3"), "{mails:#?}");
    // a reply may set off the other's
    club.writes(BOB, "g7-g6\nif d2-d4 then c5xd4");
    counts(&club.writes(ALICE, "d2-d4\nif c5xd4 then Qd1xd4"), 1, 1);
    assert_eq!(club.turn(), 8);
    let ledger = scribe::export(&club.daemon.records(), MatchNo(1)).unwrap();
    let report = verify(&ledger, None);
    assert_eq!(report.findings, []);
    assert_eq!(rules::replay(&Shelf::builtin(), &report), Ok(()));
    club.ends();
}

#[test]
fn replies_that_cannot_be_or_do_not_fit() {
    let mut club = Club::started("replies-refused", "chess");
    counts(&club.writes(ALICE, "if e7-e5 then Ng1-f3"), 1, 0);
    counts(&club.writes(ALICE, "e2-e4\nif e7-e5 then Ng1-f4"), 1, 0);
    counts(&club.writes(ALICE, "e2-e4\nif e7-e4 then Ng1-f3"), 1, 0);
    assert_eq!(club.turn(), 1);
    counts(&club.writes(ALICE, "e2-e4\nif e7-e5 then Ng1-f3"), 1, 1);
    counts(&club.writes(ALICE, "plans"), 1, 0);
    counts(&club.writes(BOB, "d7-d5"), 1, 1);
    assert_eq!(club.turn(), 3);
    counts(&club.writes(ALICE, "exd5\nif Qd8xd5 then Nb1-c3"), 1, 1);
    counts(&club.writes(ALICE, "forget"), 1, 0);
    counts(&club.writes(BOB, "Qxd5"), 1, 1);
    assert_eq!(club.turn(), 5);
    club.ends();
}

#[test]
fn a_reply_waits_for_the_cards() {
    let mut club = Club::started("replies-cards", "tulpas");
    club.quiet = true;
    club.writes(ALICE, "pick amazon\nif a8-a7 then b3-b4");
    club.writes(BOB, "guess ox\npick spider");
    club.writes(ALICE, "a3-a4\nguess archer");
    club.quiet = false;
    // the cards of the next turn are asked first, then the reply is played
    counts(&club.writes(BOB, "a8-a7"), 1, 1);
    counts(&club.writes(ALICE, "pick ox"), 1, 0);
    assert_eq!(club.turn(), 3);
    let mails = club.writes(BOB, "guess mace");
    counts(&mails, 1, 1);
    assert_eq!((club.turn(), steps(&club)), (4, "a8-a7 / b3-b4".to_owned()));
    club.ends();
}
