//! Undo and the Keeper's deeds stand in the ledger, and `verify --rules` plays them again.

mod common;

use common::{ALICE, BOB, CAROL, Club};
use tulpa::cli::verify::rules;
use tulpa::fair::fold::{Shown, find};
use tulpa::fair::line::hex;
use tulpa::fair::verify::{Report, verify};
use tulpa::referee::keeper::Word;
use tulpa::referee::{MatchNo, scribe};
use tulpa::rules::Shelf;

const NO: MatchNo = MatchNo(1);

fn keep(club: &mut Club, word: Word) {
    club.daemon.word(&word, None).unwrap().unwrap();
    club.round();
}

/// The ledger, which must hold by the chain and by the rules.
#[track_caller]
fn ledger(club: &Club) -> (String, Report) {
    let text = scribe::export(&club.daemon.records(), NO).unwrap();
    let report = verify(&text, None);
    assert_eq!(report.findings, [], "{text}");
    assert_eq!(rules::replay(&Shelf::builtin(), &report), Ok(()), "{text}");
    (text, report)
}

fn acts(report: &Report) -> Vec<String> {
    let of = |e: &tulpa::fair::ledger::Entry| {
        let seat = e.get("seat").map(|s| format!(" {s}")).unwrap_or_default();
        Some(format!("{}{seat}", e.get("act")?))
    };
    report.entries.iter().filter_map(|(_, e)| of(e)).collect()
}

#[test]
fn a_turn_taken_back_is_played_again() {
    let mut club = Club::started("undone", "chess");
    club.quiet = true;
    for (who, order) in [(ALICE, "e2-e4"), (BOB, "e7-e5"), (ALICE, "undo")] {
        club.writes(who, order);
    }
    club.writes(BOB, "accept undo");
    club.writes(ALICE, "d2-d4");
    club.writes(BOB, "d7-d5");
    club.writes(ALICE, "resign");
    let (text, report) = ledger(&club);
    assert_eq!(acts(&report), ["undo 1"], "{text}");
    assert!(text.contains("e2-e4") && text.contains("d2-d4"));
}

/// Who answers a mail tells which head was in it, and it is one of this ledger.
#[test]
fn a_move_names_the_head_that_it_answers() {
    let mut club = Club::started("seen_heads", "chess");
    club.quiet = true;
    let shown = |club: &Club, who: &str| {
        let heads: Vec<String> = find(&club.last[who].text)
            .into_iter()
            .filter_map(|s| match s {
                Shown::Head(h) => Some(format!("{}:{}", h.seq, &hex(&h.h)[..16])),
                Shown::Line(_) => None,
            })
            .collect();
        heads[0].clone()
    };
    let mut saw = Vec::new();
    for (who, order) in [(ALICE, "e2-e4"), (BOB, "e7-e5"), (ALICE, "Ng1-f3")] {
        saw.push(shown(&club, who));
        club.writes(who, order);
    }
    let (text, report) = ledger(&club);
    let told: Vec<&str> = report
        .entries
        .iter()
        .filter_map(|(_, e)| e.get("saw"))
        .collect();
    assert_eq!(told, saw, "{text}");
    // somebody was shown another ledger
    let (seq, digits) = saw[1].split_once(':').unwrap();
    let other = if digits.starts_with('0') { "1" } else { "0" };
    let forged = text.replace(&saw[1], &format!("{seq}:{other}{}", &digits[1..]));
    let found = verify(&forged, None).findings;
    assert!(
        found.iter().any(|f| f.fault.to_string().contains("saw=")),
        "{found:?}"
    );
}

#[test]
fn the_keepers_deeds_stand_in_the_ledger() {
    let mut club = Club::started("kept", "chess");
    club.quiet = true;
    club.writes(CAROL, "name Carol");
    club.writes(ALICE, "e2-e4");
    let why = || "the weather".to_owned();
    keep(
        &mut club,
        Word::Hold {
            game: NO,
            why: why(),
        },
    );
    keep(&mut club, Word::Resume { game: NO });
    keep(
        &mut club,
        Word::Extend {
            game: NO,
            days: 3,
            why: why(),
        },
    );
    keep(
        &mut club,
        Word::Replace {
            game: NO,
            seat: "black".into(),
            by: "Carol".into(),
            why: why(),
        },
    );
    club.writes(CAROL, "e7-e5");
    ledger(&club);
    keep(
        &mut club,
        Word::Adjudicate {
            game: NO,
            winners: vec!["white".into()],
            why: why(),
        },
    );
    let (text, report) = ledger(&club);
    assert_eq!(
        acts(&report),
        ["hold", "resume", "extend", "replace 2", "adjudicate"],
        "{text}"
    );
    // no reason, no name, no address
    for word in ["weather", "Carol", "example"] {
        assert!(!text.contains(word), "{text}");
    }
}

#[test]
fn a_match_voided_by_the_keeper_says_so() {
    let mut club = Club::started("voided", "chess");
    club.quiet = true;
    club.writes(ALICE, "e2-e4");
    keep(
        &mut club,
        Word::Void {
            game: NO,
            why: String::new(),
        },
    );
    let (text, report) = ledger(&club);
    assert_eq!(acts(&report), ["void"], "{text}");
    assert!(text.contains(" end winner=none reason=void"), "{text}");
}

#[test]
fn opened_cards_are_not_unseen() {
    let mut club = Club::started("seen", "tulpas");
    club.quiet = true;
    club.writes(ALICE, "pick amazon");
    club.writes(BOB, "pick ox");
    club.writes(ALICE, "a3-a4");
    // Bob's pick, then Alice's for his summoning: both open
    club.writes(BOB, "pick ox");
    club.writes(ALICE, "guess mace");
    let before = club.turn();
    club.writes(ALICE, "undo");
    club.writes(BOB, "accept undo");
    assert_eq!(club.turn(), before);
    let (text, report) = ledger(&club);
    assert_eq!(acts(&report), Vec::<String>::new(), "{text}");
}
