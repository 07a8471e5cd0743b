//! Whole conversations about two-player games; see `common`.

use std::fmt::Write as _;

use tulpa::edge::clock::Clock;
use tulpa::referee::state::{MatchNo, Registry, Stage};

mod common;
use common::*;

#[test]
fn cards_match_at_the_first_try() {
    let mut club = Club::started("match", "tulpas");
    let mails = club.writes(ALICE, "pick amazon");
    counts(&mails, 1, 0);
    assert!(to(&mails, ALICE).text.contains("  amazon ..."));
    let mails = club.writes(BOB, "guess amazon");
    assert!(to(&mails, ALICE).text.contains("A@"), "{mails:#?}");
    assert_eq!((count(&mails, ALICE), club.turn()), (1, 1));
    let mails = club.writes(ALICE, "A@a2; Aa2-b4");
    assert_eq!((count(&mails, BOB), club.turn()), (1, 2));
    club.ends();
}

#[test]
fn cards_differ_five_turns_running() {
    let mut club = Club::started("differ", "tulpas");
    let play = ["a3-a4", "a8-a7", "b3-b4", "b8-b7", "c3-c4"];
    for (turn, step) in (1..).zip(play) {
        let (mover, other) = if turn % 2 == 1 {
            (ALICE, BOB)
        } else {
            (BOB, ALICE)
        };
        let mails = club.writes(mover, "pick spider");
        assert_eq!((mails.len(), count(&mails, mover)), (1, 1), "{mails:#?}");
        let mails = club.writes(other, "guess archer");
        assert!(to(&mails, mover).text.contains("spider"));
        assert_eq!(club.turn(), turn);
        club.writes(mover, step);
        assert_eq!(club.turn(), turn + 1);
    }
    club.ends();
}

#[test]
fn the_fifth_tulpa_comes_without_picks() {
    let mut club = Club::started("fifth", "tulpas");
    let tulpas = [
        ("amazon", "A@b1", "a3-a4", "a8-a7"),
        ("ox", "O@a2", "b3-b4", "b8-b7"),
        ("archer", "Y@d1", "c3-c4", "c8-c7"),
        ("spider", "S@e1", "d3-d4", "d8-d7"),
    ];
    club.quiet = true;
    for (turn, (card, place, white, black)) in tulpas.into_iter().enumerate() {
        // the last turn before is written down
        club.quiet = turn + 1 < tulpas.len();
        let order = format!("pick {card}\nif created: {place}; {white}\nelse: {white}");
        counts(&club.writes(ALICE, &order), 1, 0);
        club.writes(BOB, &format!("guess {card}"));
        assert_eq!(club.turn(), turn as u32 * 2 + 2);
        counts(
            &club.writes(BOB, &format!("pick mace\nelse: {black}")),
            0,
            1,
        );
        club.writes(ALICE, "guess ox");
        assert_eq!(club.turn(), turn as u32 * 2 + 3);
    }
    let mails = club.writes(ALICE, "pick mace");
    counts(&mails, 1, 0);
    let mails = club.writes(ALICE, "M@f1; e3-e4");
    assert_eq!((count(&mails, BOB), club.turn()), (1, 10));
    club.ends();
}

#[test]
fn one_mail_with_pick_both_branches_and_guess() {
    let mut club = Club::started("one_mail", "tulpas");
    let order = "pick amazon\nif created: A@a2; Aa2-b4\nelse: Nc1-a2\nguess spider";
    let mails = club.writes(ALICE, order);
    counts(&mails, 1, 0);
    let text = &to(&mails, ALICE).text;
    assert!(text.contains("  amazon ...") && text.contains("  spider ..."));
    let mails = club.writes(BOB, "guess ox");
    assert_eq!(club.turn(), 2, "the branch for no Tulpa is played");
    assert!(to(&mails, BOB).text.contains("Nc1-a2"));
    assert!(!to(&mails, BOB).text.contains("spider ..."));
    club.writes(BOB, "pick ox\nelse: a8-a7");
    assert_eq!(club.turn(), 3, "Alice's guess lay there");
    club.ends();
}

#[test]
fn a_slip_in_the_cards_name() {
    let mut club = Club::started("slip", "tulpas");
    let mails = club.writes(ALICE, "pick amazn");
    counts(&mails, 1, 0);
    assert!(to(&mails, ALICE).text.contains("amazon"));
    assert!(club.game().sealed.is_empty());
    counts(&club.writes(ALICE, "pick amazon"), 1, 0);
    assert_eq!(club.game().sealed.len(), 1);
    counts(&club.writes(ALICE, "pick ox"), 1, 0);
    assert_eq!(club.game().sealed[0].card.0, "amazon");
    club.ends();
}

#[test]
fn both_picks_in_the_same_second() {
    let mut club = Club::started("same_second", "tulpas");
    for (who, order) in [(ALICE, "pick mace"), (BOB, "guess mace")] {
        let last = club.last.get(who).cloned();
        let eml = club.letter(who, true, last.as_ref(), order);
        club.post(&eml);
    }
    let mails = club.round();
    assert!(mails.iter().any(|m| m.text.contains("M@a2")), "{mails:#?}");
    // neither of the receipts before the opening went to the other
    assert_eq!((count(&mails, ALICE), count(&mails, BOB)), (2, 1));
    club.writes(ALICE, "M@a2; a3-a4");
    assert_eq!(club.turn(), 2);
    club.ends();
}

#[test]
fn what_the_other_gets_is_the_same_whatever_the_card() {
    let mut before: Option<String> = None;
    let mut size: Option<Vec<usize>> = None;
    for card in ["amazon", "ox", "archer", "spider", "mace"] {
        let mut club = Club::started("hidden", "tulpas");
        counts(&club.writes(ALICE, &format!("pick {card}")), 1, 0);
        let mails = club.writes(BOB, "status");
        // The receipt itself has one length whatever the card, in the bytes as they are carried.
        assert_eq!(
            *size.get_or_insert(club.bytes_to(ALICE)),
            club.bytes_to(ALICE),
            "{card}"
        );
        let more = club.writes(BOB, "show");
        assert!(to(&more, BOB).text.contains("is down, sealed as"));
        let told: String = mails.iter().chain(&more).map(tell).collect();
        assert!(!told.is_empty());
        assert_eq!(*before.get_or_insert(told.clone()), told, "{card}");
        if card == "amazon" {
            club.ends();
        }
    }
}

#[test]
fn a_king_swung_down_by_a_mace() {
    let mut club = Club::started_with("mace_takes_king", "maces", " array=B2");
    let record = include_str!("conformance/maces-11.jsonl");
    let lines: Vec<serde_json::Value> = record
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .filter(|l: &serde_json::Value| l.get("steps").is_some())
        .collect();
    for (i, line) in lines.iter().enumerate() {
        club.quiet = i + 2 < lines.len();
        let who = if line["seat"] == "white" { ALICE } else { BOB };
        let steps: Vec<&str> = (line["steps"].as_array().unwrap().iter())
            .map(|s| s.as_str().unwrap())
            .collect();
        assert!(!club.is_over());
        let mails = club.writes(who, &steps.join("; "));
        assert!(club.is_over() || club.turn() == i as u32 + 2, "{mails:#?}");
        if i + 1 == lines.len() {
            counts(&mails, 1, 1);
            assert!(steps.last().unwrap().starts_with("Md2*"));
        }
    }
    assert!(club.is_over());
    counts(&club.writes(ALICE, "a3-a4"), 1, 0);
    club.ends();
}

#[test]
fn a_resent_letter_is_not_answered() {
    let mut club = Club::started("resent", "maces");
    let last = club.last.get(ALICE).cloned();
    let eml = club.letter(ALICE, true, last.as_ref(), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    assert_eq!((count(&mails, BOB), club.turn()), (1, 2));
    club.post(&eml);
    counts(&club.round(), 0, 0);
    club.writes(BOB, "a8-a7");
    assert_eq!(club.turn(), 3);
    club.post(&eml);
    counts(&club.round(), 0, 0);
    assert_eq!(club.turn(), 3);
    club.ends();
}

#[test]
fn a_player_answers_an_old_mail() {
    let mut club = Club::started("old_mail", "maces");
    let old = club.last[ALICE].clone();
    club.writes(ALICE, "a3-a4");
    club.writes(BOB, "a8-a7");
    for order in ["b3-b4", "a3-a4"] {
        let eml = club.letter(ALICE, true, Some(&old), order);
        club.post(&eml);
        counts(&club.round(), 1, 0);
        assert_eq!(club.turn(), 3);
    }
    club.writes(ALICE, "b3-b4");
    assert_eq!(club.turn(), 4);
    club.ends();
}

#[test]
fn a_stranger_tries_to_move() {
    let mut club = Club::started("stranger", "maces");
    let hers = club.last[ALICE].clone();
    // Alice's mail in Eve's hands: Alice is asked, Eve hears nothing of the game
    let eml = club.letter(EVE, true, Some(&hers), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    counts(&mails, 1, 0);
    assert!(!to(&mails, ALICE).text.contains("Q"), "no board");
    assert_eq!(club.turn(), 1);
    // only the number of the game, from her own address
    let plain = Mail {
        reply_to: REFEREE.to_owned(),
        message_id: "<nothing@moor.example>".to_owned(),
        text: String::new(),
        ..hers.clone()
    };
    let eml = club.letter(EVE, true, Some(&plain), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    assert_eq!((mails.len(), count(&mails, EVE)), (1, 1), "{mails:#?}");
    // in Alice's name, with nothing to prove it
    let eml = club.letter(ALICE, false, Some(&plain), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    // she is asked about this one by itself, and says yes to it alone
    counts(&mails, 1, 0);
    assert_eq!(club.turn(), 1);
    let asked = club.last[ALICE].clone();
    let eml = club.letter(ALICE, false, Some(&asked), "yes");
    club.post(&eml);
    counts(&club.round(), 1, 1);
    assert_eq!(club.turn(), 2);
    club.ends();
}

#[test]
fn a_letter_without_proof_is_confirmed_first() {
    let mut club = Club::new("confirmed");
    let order = format!("new maces vs {BOB} as white\nname Alice");
    let eml = club.letter(ALICE, false, None, &order);
    club.post(&eml);
    counts(&club.round(), 1, 0);
    assert!(club.daemon.records().game(MatchNo(1)).is_none());
    let asked = club.last[ALICE].clone();
    let eml = club.letter(ALICE, false, Some(&asked), "yes, that was me");
    club.post(&eml);
    counts(&club.round(), 1, 1);
    assert_eq!(club.game().stage, Stage::Inviting);
    let asked = club.last[BOB].clone();
    let eml = club.letter(BOB, false, Some(&asked), "accept");
    club.post(&eml);
    counts(&club.round(), 1, 1);
    assert_eq!(club.game().stage, Stage::Playing);
    club.ends();
}

#[test]
fn a_card_already_spent() {
    let mut club = Club::started("spent", "tulpas");
    club.quiet = true;
    club.writes(ALICE, "pick amazon\nif created: A@a2; a3-a4\nelse: a3-a4");
    club.writes(BOB, "guess amazon");
    club.writes(BOB, "pick ox\nelse: a8-a7");
    club.writes(ALICE, "guess mace");
    assert_eq!(club.turn(), 3);
    club.quiet = false;
    counts(&club.writes(ALICE, "pick amazon"), 1, 0);
    counts(&club.writes(BOB, "guess amazon"), 0, 1);
    assert!(club.game().sealed.iter().all(|s| s.turn < 3));
    counts(&club.writes(ALICE, "pick ox"), 1, 0);
    club.ends();
}

#[test]
fn an_empty_mail() {
    let mut club = Club::started("empty", "maces");
    counts(&club.writes(ALICE, ""), 1, 0);
    assert_eq!(club.turn(), 1);
    club.ends();
}

#[test]
fn a_draw_offered_declined_offered_accepted() {
    let mut club = Club::started("draw", "maces");
    let mails = club.writes(ALICE, "a3-a4\noffer draw");
    assert_eq!((count(&mails, BOB), club.turn()), (1, 2));
    let mails = club.writes(BOB, "decline draw\na8-a7");
    assert_eq!((count(&mails, ALICE), club.turn()), (1, 3));
    counts(&club.writes(BOB, "accept draw"), 0, 1);
    assert!(!club.is_over(), "a declined offer is gone");
    club.writes(ALICE, "b3-b4\noffer draw");
    assert!(!club.is_over());
    counts(&club.writes(BOB, "accept draw"), 1, 1);
    assert!(club.is_over());
    club.ends();
}

#[test]
fn refused_moves_teach_the_rules() {
    let mut club = Club::started("illegal", "maces");
    for (at, order) in [
        "a3-a7",
        "Ma1*b2",
        "Nc1-c3",
        "Kf2-f3",
        "Hb2^a1-a5",
        "a3-a4; b3-b4",
        "prevew a3-a4",
        "d9-d8",
    ]
    .into_iter()
    .enumerate()
    {
        // at the pace of a person: who writes faster gets one answer for many
        let at = format!("2026-01-03T12:{:02}:00Z", 3 * at);
        club.daemon.clock = Clock::fixed(at.parse().unwrap());
        counts(&club.writes(ALICE, order), 1, 0);
        assert_eq!(club.turn(), 1, "{order}");
    }
    counts(&club.writes(BOB, "a8-a7"), 0, 1);
    counts(&club.writes(ALICE, "a3-a4\nresing"), 1, 0);
    assert_eq!(club.turn(), 1, "all or nothing");
    club.ends();
}

#[test]
fn somebody_writes_in_a_players_name() {
    let mut club = Club::started("spoofed", "maces");
    let plain = Mail {
        reply_to: REFEREE.to_owned(),
        message_id: "<nothing@hill.example>".to_owned(),
        text: String::new(),
        ..club.last[ALICE].clone()
    };
    let spoof = club.letter(ALICE, false, Some(&plain), "resign\nmessage buy my watches");
    club.post(&spoof);
    counts(&club.round(), 1, 0);
    // the true one, from a mail server that proves nothing either
    let eml = club.letter(
        ALICE,
        false,
        Some(&plain),
        "Hi,\na3-a4\nBest regards\nAlice Miller",
    );
    club.post(&eml);
    counts(&club.round(), 1, 0);
    let asked = club.last[ALICE].clone();
    let eml = club.letter(ALICE, false, Some(&asked), "yes, this is mine");
    club.post(&eml);
    counts(&club.round(), 1, 1);
    assert_eq!((club.turn(), club.is_over()), (2, false));
    club.ends();
}

#[test]
fn cards_stay_hidden_until_the_end() {
    let mut club = Club::started_with("outcome", "tulpas", " reveal=outcome");
    club.writes(ALICE, "pick amazon\nif created: A@a2; a3-a4\nelse: a3-a4");
    let mails = club.writes(BOB, "guess ox");
    assert!(!to(&mails, ALICE).text.contains("Bob ox"));
    assert!(!to(&mails, BOB).text.contains("amazon $n"));
    let mails = club.writes(BOB, "resign");
    counts(&mails, 1, 1);
    for who in [ALICE, BOB] {
        let text = &to(&mails, who).text;
        assert!(
            text.contains("amazon $n") && text.contains("ox $n"),
            "{text}"
        );
    }
    club.ends();
}

#[test]
fn time_runs_out_and_is_claimed() {
    let mut club = Club::started_with("time", "maces", " days=2+1");
    club.writes(ALICE, "clock");
    for day in ["04T12:00:01", "05T10:00:00", "05T12:00:01"] {
        club.daemon.clock = Clock::fixed(format!("2026-01-{day}Z").parse().unwrap());
        if !club.quiet {
            let _ = writeln!(club.said, "\n==== 2026-01-{day}");
        }
        club.round();
    }
    counts(&club.writes(ALICE, "claim time"), 1, 0);
    counts(&club.writes(BOB, "claim time"), 1, 1);
    assert!(club.is_over());
    counts(&club.writes(ALICE, "status"), 1, 0);
    club.ends();
}

#[test]
fn a_turn_is_taken_back() {
    let mut club = Club::started("undo", "maces");
    club.writes(ALICE, "a3-a4");
    counts(&club.writes(ALICE, "undo\nmessage sorry, wrong pawn"), 1, 1);
    counts(&club.writes(BOB, "accept undo"), 1, 1);
    assert_eq!(club.turn(), 1);
    counts(&club.writes(ALICE, "b3-b4"), 1, 1);
    counts(&club.writes(ALICE, "unsubscribe"), 1, 0);
    assert!(!club.is_over());
    counts(&club.writes(ALICE, "yes"), 1, 1);
    assert!(club.is_over());
    club.ends();
}

#[test]
fn a_player_wants_to_be_erased() {
    let keeper = "keeper: (address: Some(\"keeper@club.example\"))";
    let mut club = Club::with("erased", keeper, &[]);
    club.starts("chess", "");
    counts(&club.writes(BOB, "erase me"), 0, 1);
    club.quiet = true;
    club.writes(BOB, "resign");
    club.quiet = false;
    let mails = club.writes(BOB, "erase me");
    assert_eq!(count(&mails, BOB), 1, "{mails:#?}");
    club.quiet = true;
    let told = [mails, club.round()].concat();
    let alarm = to(&told, "keeper@club.example");
    assert!(
        alarm.text.contains("tulpa keep erase '#2'"),
        "{}",
        alarm.text
    );
    club.ends();
}
