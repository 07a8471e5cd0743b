//! Cards that not even the referee can read, and cards that never come (trust.md 4): through real letters, each with a
//! ledger that the verifier lets through.

mod common;

use common::*;
use tulpa::cli::verify::rules;
use tulpa::fair::seal::{commitment, line_hash};
use tulpa::fair::verify::verify;
use tulpa::referee::scribe;
use tulpa::referee::state::{MatchNo, Registry};
use tulpa::rules::{Seat, Shelf};

/// A nonce that is the same each time.
fn nonce(of: &str) -> String {
    line_hash(of)
}

/// `pick commit HEX`
fn commit(club: &Club, turn: u32, seat: u32, card: &str, nonce: &str) -> String {
    let number = commitment(&club.game().gid, turn, seat, card, nonce);
    format!("pick commit {number}")
}

/// The ledger, which both parts of the verifier let through.
fn ledger(club: &Club) -> String {
    let text = scribe::export(&club.daemon.records(), MatchNo(1)).unwrap();
    let report = verify(&text, None);
    assert_eq!(report.findings, [], "{text}");
    assert_eq!(rules::replay(&Shelf::builtin(), &report), Ok(()), "{text}");
    text
}

/// The record can be played again.
fn replays(club: &Club) {
    let lines = club.daemon.records().lines(MatchNo(1));
    let text: String = lines.into_iter().map(|l| l.full + "\n").collect();
    let replayed = tulpa::rules::record::replay(&Shelf::builtin(), &text);
    let table = replayed.unwrap_or_else(|e| panic!("{e}: {text}"));
    let now = club.game().table.clone().unwrap();
    assert_eq!(table.save(), now.save());
}

fn says(mails: &[Mail], who: &str, what: &str) {
    let text = to(mails, who).text.replace('\n', " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(what), "`{what}` is not in: {mails:#?}");
}

/// Every line of the ledger, without number and time.
fn has(ledger: &str, line: &str) {
    assert!(
        ledger
            .lines()
            .any(|l| l.splitn(3, ' ').nth(2).is_some_and(|l| l.starts_with(line))),
        "`{line}` is not in\n{ledger}"
    );
}

/// Both cards of turn 1 are committed to, and both players are asked.
fn asked(name: &'static str, options: &str, alice: &str, bob: &str) -> Club {
    let mut club = Club::started_with(name, "tulpas", options);
    club.quiet = true;
    let order = commit(&club, 1, 1, alice, &nonce("a"));
    counts(&club.writes(ALICE, &order), 1, 0);
    let order = commit(&club, 1, 2, bob, &nonce("b"));
    counts(&club.writes(BOB, &order), 1, 1);
    club.quiet = false;
    club
}

fn opens(card: &str, of: &str) -> String {
    format!("pick open {card} {}", nonce(of))
}

#[test]
fn a_turn_whose_cards_only_the_players_know() {
    let mut club = Club::started("trustless", "tulpas");
    // the 64 digits have gone to the next line
    let order = commit(&club, 1, 1, "amazon", &nonce("a")).replacen("commit ", "commit\n", 1);
    let mails = club.writes(
        ALICE,
        &format!("{order}\nif created: A@a2; Aa2-b4\nelse: Nc1-a2"),
    );
    counts(&mails, 1, 0);
    says(
        &mails,
        ALICE,
        "It must have been made for this game, turn 1, seat 1.",
    );
    // asked for nothing yet
    counts(&club.writes(ALICE, &opens("amazon", "a")), 1, 0);
    assert!(!club.game().sealed[0].known());
    let order = commit(&club, 1, 2, "amazon", &nonce("b"));
    let mails = club.writes(BOB, &format!("hello,\n\n{order}\n\nregards, Bob"));
    counts(&mails, 1, 1);
    for who in [ALICE, BOB] {
        says(&mails, who, "OPEN YOUR CARD of turn 1");
        assert!(
            to(&mails, who)
                .subject
                .contains("Open your card for turn 1")
        );
    }
    let mails = club.writes(ALICE, &opens("amazon", "b"));
    counts(&mails, 1, 0);
    says(&mails, ALICE, "Nothing is lost");
    let mails = club.writes(ALICE, &format!("pick open Amazon\n{}", nonce("a")));
    counts(&mails, 1, 0);
    says(&mails, ALICE, "nobody sees it until the other one is open");
    assert!(!to(&mails, ALICE).text.contains(&nonce("a")));
    counts(&club.writes(ALICE, &opens("amazon", "a")), 1, 0);
    let before = ledger(&club);
    assert!(!before.contains("open t="), "{before}");
    let mails = club.writes(BOB, &opens("amazon", "b"));
    counts(&mails, 1, 1);
    says(&mails, BOB, "Alice creates the amazon");
    assert_eq!(club.turn(), 2, "the stored branch is played");
    let text = ledger(&club);
    has(&text, "result t=1 seat=1 match=yes");
    has(
        &text,
        &format!("open t=1 seat=2 card=amazon nonce={}", nonce("b")),
    );
    // once more, and much too late
    let mails = club.writes(BOB, &opens("amazon", "b"));
    counts(&mails, 0, 1);
    says(&mails, BOB, "the cards of that turn are decided");
    club.ends();
}

#[test]
fn one_card_with_the_referee_and_one_not() {
    let mut club = Club::started("half_trust", "tulpas");
    let order = commit(&club, 1, 2, "ox", &nonce("b"));
    club.writes(BOB, &order);
    let mails = club.writes(ALICE, "pick amazon");
    counts(&mails, 1, 1);
    says(
        &mails,
        ALICE,
        "that the referee cannot read: Bob's. There is time until",
    );
    counts(&club.writes(ALICE, "pick open amazon"), 1, 0);
    let mails = club.writes(ALICE, &opens("amazon", "a"));
    says(&mails, ALICE, "lies with the referee");
    let mails = club.writes(BOB, &opens("ox", "b"));
    counts(&mails, 1, 1);
    says(&mails, ALICE, "Both cards are open: you amazon, Bob ox.");
    ledger(&club);
    club.writes(ALICE, "a3-a4");
    assert_eq!(club.turn(), 2);
    // his next: the other way round
    let order = commit(&club, 2, 2, "ox", &nonce("c"));
    club.writes(BOB, &order);
    club.writes(ALICE, "guess ox");
    let order = format!("{}\nif created: O@b10; a8-a7", opens("ox", "c"));
    let mails = club.writes(BOB, &order);
    counts(&mails, 1, 1);
    assert_eq!(club.turn(), 3, "{mails:#?}");
    ledger(&club);
    club.ends();
}

#[test]
fn the_guesser_does_not_open() {
    for (name, options) in [
        ("guesser_late", ""),
        ("guesser_late_outcome", " reveal=outcome"),
    ] {
        let mut club = asked(name, options, "amazon", "ox");
        counts(&club.writes(ALICE, &opens("amazon", "a")), 1, 0);
        let mails = club.later(24);
        counts(&mails, 0, 1);
        assert!(to(&mails, BOB).subject.contains("Reminder: Open your card"));
        counts(&club.later(20), 0, 1);
        let mails = club.later(4);
        counts(&mails, 1, 1);
        for (who, what) in [
            (ALICE, "you create the amazon"),
            (BOB, "You have not opened your card in time."),
            (BOB, "Alice creates the amazon"),
        ] {
            says(&mails, who, what);
        }
        assert!(
            mails
                .iter()
                .all(|m| !m.text.contains("Both cards are open"))
        );
        let text = ledger(&club);
        has(&text, "timeout t=1 seat=2 for=open");
        has(&text, "result t=1 seat=1 match=yes why=default");
        assert!(!text.contains("card=ox"));
        assert_eq!(text.contains("card=amazon"), options.is_empty());
        let mails = club.writes(BOB, &opens("ox", "b"));
        says(&mails, BOB, "the cards of that turn are decided");
        club.writes(ALICE, "A@a2; Aa2-b4");
        assert_eq!(club.turn(), 2);
        club.writes(ALICE, "resign");
        ledger(&club);
        replays(&club);
        club.ends();
    }
}

#[test]
fn the_mover_does_not_open() {
    let mut club = asked("mover_late", "", "amazon", "amazon");
    counts(&club.writes(BOB, &opens("amazon", "b")), 0, 1);
    club.quiet = true;
    club.later(30);
    club.quiet = false;
    let mails = club.later(18);
    counts(&mails, 1, 1);
    says(&mails, BOB, "Alice has not opened the card in time.");
    says(&mails, ALICE, "So there is no Tulpa this time.");
    let text = ledger(&club);
    has(&text, "result t=1 seat=1 match=no why=default");
    club.writes(ALICE, "a3-a4");
    assert_eq!(club.turn(), 2);
    // the record does not pretend to know her card
    let records = club.daemon.records();
    let line = records.lines(MatchNo(1))[1].clone();
    assert_eq!(line.full, r#"{"created":null,"seat":"white"}"#);
    replays(&club);
    club.ends();
}

#[test]
fn nobody_opens_and_cards_that_are_not_left() {
    let mut club = asked("nobody", "", "amazon", "amazon");
    club.quiet = true;
    club.later(49);
    let text = ledger(&club);
    has(&text, "timeout t=1 seat=1 for=open");
    has(&text, "timeout t=1 seat=2 for=open");
    has(&text, "result t=1 seat=1 match=no why=default");
    // a card that never was
    let mut club = asked("spent_guess", "", "amazon", "dragon");
    club.writes(BOB, &opens("dragon", "b"));
    let mails = club.writes(ALICE, &opens("amazon", "a"));
    says(
        &mails,
        ALICE,
        "Bob has opened a card that is not left, which is as good as none.",
    );
    says(&mails, BOB, "Alice creates the amazon");
    let text = ledger(&club);
    has(&text, "result t=1 seat=1 match=yes why=default");
    has(&text, "open t=1 seat=2 card=dragon");
    club.ends();
    // the mover's, and the guesser does not open at all: there is nothing that it could count as
    let mut club = asked("spent_pick", "", "dragon", "ox");
    club.writes(ALICE, &opens("dragon", "a"));
    club.later(49);
    let text = ledger(&club);
    has(&text, "result t=1 seat=1 match=no why=default");
    // both open what is not left
    let mut club = asked("spent_both", "", "dragon", "dragon");
    club.writes(ALICE, &opens("dragon", "a"));
    club.writes(BOB, &opens("dragon", "b"));
    has(&ledger(&club), "result t=1 seat=1 match=no why=default");
    // no card of the rules can be called so
    let mut club = asked("no_card", "", "ama!zon", "ox");
    says(
        &club.writes(ALICE, &opens("ama!zon", "a")),
        ALICE,
        "Nothing is lost",
    );
}

#[test]
fn numbers_are_final_and_nobodys_but_ones_own() {
    let mut club = Club::started("numbers", "tulpas");
    club.quiet = true;
    let hers = commit(&club, 1, 1, "amazon", &nonce("a"));
    club.writes(ALICE, &hers);
    let mails = club.writes(BOB, &hers.replace("pick", "guess"));
    says(
        &mails,
        BOB,
        "That number was laid down in this game before.",
    );
    assert_eq!(club.game().sealed.len(), 1);
    let mails = club.writes(ALICE, "pick amazon");
    says(&mails, ALICE, "lies face down already, and a card is final");
    let mails = club.writes(ALICE, &hers);
    says(&mails, ALICE, "That card lies there already");
    // Bob's own, and in the same letter the number of his next card
    let his = commit(&club, 1, 2, "ox", &nonce("b")).replace("pick", "guess");
    let next = commit(&club, 2, 2, "mace", &nonce("c"));
    let mails = club.writes(BOB, &format!("{his}\n{next}"));
    counts(&mails, 1, 1);
    assert_eq!(club.game().sealed.len(), 3);
    let mails = club.writes(BOB, &his.replace("guess", "pick"));
    says(&mails, BOB, "That card lies there already, for turn 1");
    says(
        &club.writes(BOB, &opens("mace", "c")),
        BOB,
        "is not to be opened yet",
    );
    says(&club.writes(BOB, &opens("ox", "b")), BOB, "It is kept");
    says(
        &club.writes(BOB, &opens("ox", "b")),
        BOB,
        "You have opened your card for turn 1 already",
    );
    club.writes(ALICE, &opens("amazon", "a"));
    club.writes(ALICE, "a3-a4");
    club.writes(ALICE, "guess mace");
    says(
        &club.writes(ALICE, &opens("mace", "d")),
        ALICE,
        "lies with the referee",
    );
    let mails = club.writes(BOB, &opens("mace", "c"));
    says(&mails, BOB, "you create the mace");
    says(
        &club.writes(CAROL, &opens("mace", "c")),
        CAROL,
        "You play no game",
    );
    ledger(&club);
}

#[test]
fn a_plan_for_a_card_that_only_its_player_knows() {
    let mut club = Club::started("own_plan", "tulpas");
    club.quiet = true;
    let number = commit(&club, 1, 1, "ox", &nonce("a"));
    // no card of the five could be placed there
    let mails = club.writes(ALICE, &format!("{number}\nif created: O@d5; a3-a4"));
    assert!(club.game().sealed.is_empty(), "{mails:#?}");
    // the amazon could; that she commits to the ox is seen when it is open
    let mails = club.writes(
        ALICE,
        &format!("{number}\nif created: A@a2; Aa2-b4\nelse: a3-a4"),
    );
    assert_eq!(club.game().plans.len(), 1, "{mails:#?}");
    club.writes(BOB, "guess ox");
    let mails = club.writes(ALICE, &opens("ox", "a"));
    says(&mails, ALICE, "Your stored order could not be played");
    assert_eq!(club.turn(), 1);
    club.writes(ALICE, "O@a2; a3-a4");
    assert_eq!(club.turn(), 2);
    ledger(&club);
}

#[test]
fn the_time_for_opening_stands_still_with_the_match() {
    use tulpa::referee::keeper::Word;
    let mut club = asked("held_opening", "", "amazon", "ox");
    club.quiet = true;
    let game = MatchNo(1);
    let until = club.game().opening_until().unwrap();
    assert_eq!(
        club.game().next_due(),
        club.game()
            .asked
            .as_ref()
            .map(|a| a.since + jiff::SignedDuration::from_hours(24))
    );
    club.later(10);
    let why = String::new();
    club.daemon
        .word(
            &Word::Hold {
                game,
                why: why.clone(),
            },
            None,
        )
        .unwrap()
        .unwrap();
    counts(&club.later(100), 1, 1);
    assert_eq!(club.game().opening_until(), None);
    club.daemon
        .word(&Word::Resume { game }, None)
        .unwrap()
        .unwrap();
    let later = club.game().opening_until().unwrap();
    assert_eq!(later.as_second() - until.as_second(), 100 * 3600);
    club.daemon
        .word(&Word::Extend { game, days: 1, why }, None)
        .unwrap()
        .unwrap();
    let later = club.game().opening_until().unwrap();
    assert_eq!(later.as_second() - until.as_second(), 124 * 3600);
    // no clock of a seat ran
    assert!(club.game().timers.iter().all(|t| t.since.is_none()));
    club.later(62);
    has(&ledger(&club), "result t=1 seat=1 match=no why=default");
    assert_eq!(club.game().asked, None);
    // resigning ends it too
    let mut club = asked("resigned_opening", "", "amazon", "ox");
    club.quiet = true;
    club.writes(BOB, &opens("ox", "b"));
    club.writes(ALICE, "resign");
    assert_eq!(club.game().next_due(), None);
    let text = ledger(&club);
    assert!(!text.contains("card=ox"));
}

#[test]
fn the_dice_lay_down_what_never_came() {
    let mut club = Club::started_with("dice_card", "tulpas", " days=2");
    club.writes(ALICE, "pick amazon");
    club.quiet = true;
    club.later(25);
    club.later(20);
    club.quiet = false;
    let mails = club.later(4);
    counts(&mails, 1, 1);
    says(
        &mails,
        BOB,
        "No card came from you in time, so the dice have laid one down for turn 1, in the sight of all: the",
    );
    says(&mails, ALICE, "Both cards are open: you amazon, Bob");
    let text = ledger(&club);
    has(&text, "timeout t=1 seat=2 for=card");
    has(&text, "roll t=1 j=1 c=");
    assert!(
        text.contains("dice=5 got=") && text.contains("for=card seat=2"),
        "{text}"
    );
    assert!(text.contains("by=dice"));
    assert!(!club.is_over());
    let mails = club.writes(BOB, "guess ox");
    says(
        &mails,
        BOB,
        "comes too late: the dice have laid one down for you",
    );
    let number = commit(&club, 1, 2, "ox", &nonce("b"));
    let mails = club.writes(BOB, &number);
    says(
        &mails,
        BOB,
        "comes too late: the dice have laid one down for you",
    );
    assert_eq!(club.game().sealed.len(), 0);
    club.writes(ALICE, "resign");
    ledger(&club);
    club.ends();
}

#[test]
fn the_dice_wait_for_the_other_card() {
    // Alice's bank is longer: Bob's time is over first
    let mut club = Club::started_with("dice_wait", "tulpas", " days=2 flag=auto");
    club.writes(ALICE, "away 2026-01-03 to 2026-01-06");
    club.quiet = true;
    club.later(40);
    club.quiet = false;
    let mails = club.later(9);
    says(
        &mails,
        BOB,
        "The time for a card has run out for you. The game goes on",
    );
    assert!(club.game().is_out_of_time(Seat(1)) && !club.game().is_out_of_time(Seat(0)));
    assert!(!ledger(&club).contains("for=card seat"));
    says(
        &club.writes(ALICE, "claim time"),
        ALICE,
        "Nobody loses a game for want of a card",
    );
    // her own comes: now the dice fall
    let number = commit(&club, 1, 1, "amazon", &nonce("a"));
    let mails = club.writes(ALICE, &number);
    counts(&mails, 1, 1);
    says(&mails, ALICE, "No card came from Bob in time");
    says(&mails, ALICE, "OPEN YOUR CARD of turn 1");
    let mails = club.writes(ALICE, &opens("amazon", "a"));
    counts(&mails, 1, 1);
    ledger(&club);
    club.ends();
    // a card that comes late, but before the other one, is taken
    let mut club = Club::started_with("dice_spared", "tulpas", " days=2");
    club.quiet = true;
    club.writes(ALICE, "away 2026-01-03 to 2026-01-06");
    club.later(49);
    club.writes(BOB, "guess ox");
    club.writes(ALICE, "pick ox");
    says(
        &club.writes(ALICE, "O@a2; a3-a4"),
        BOB,
        "YOUR CARD for turn 2",
    );
    assert!(!ledger(&club).contains("by=dice"));
    // both are out of time: two dice
    let mut club = Club::started_with("dice_both", "tulpas", " days=2");
    club.quiet = true;
    club.later(49);
    let text = ledger(&club);
    has(&text, "roll t=1 j=0 c=");
    has(&text, "roll t=1 j=1 c=");
    assert!(!club.is_over());
    club.writes(ALICE, "resign");
    ledger(&club);
}

#[test]
fn a_seat_changes_hands_with_its_cards() {
    use tulpa::referee::keeper::Word;
    let mut club = asked("replaced_cards", "", "amazon", "ox");
    club.quiet = true;
    club.writes(BOB, &opens("ox", "b"));
    club.writes(CAROL, "help\nname Carol");
    let word = Word::Replace {
        game: MatchNo(1),
        seat: "white".into(),
        by: CAROL.into(),
        why: String::new(),
    };
    club.daemon.word(&word, None).unwrap().unwrap();
    let mails = club.round();
    let hers = mails.iter().filter(|m| m.to.contains(CAROL));
    let told = |m: &Mail| m.text.contains("nobody knows it but who");
    assert_eq!(hers.filter(|m| told(m)).count(), 1, "{mails:#?}");
    says(
        &club.writes(ALICE, &opens("amazon", "a")),
        ALICE,
        "You do not play in game 1",
    );
    // she has the line from Alice
    let mails = club.writes(CAROL, &format!("game 1\n{}", opens("amazon", "a")));
    says(&mails, CAROL, "Both cards are open: you amazon, Bob ox.");
    ledger(&club);
}

#[test]
fn journals_from_before_are_read() {
    use tulpa::referee::Event;
    use tulpa::referee::state::Holder;
    for (old, by) in [
        (
            r#"{"event":"sealed","game":1,"seal":{"turn":1,"seat":0,"card":"ox","nonce":"aa","commitment":"bb"}}"#,
            Holder::Referee,
        ),
        (
            r#"{"event":"sealed","game":1,"seal":{"turn":1,"seat":0,"card":"","nonce":"","commitment":"bb","by":"player"}}"#,
            Holder::Player,
        ),
    ] {
        let Event::Sealed { seal, .. } = serde_json::from_str(old).unwrap() else {
            panic!("{old}")
        };
        assert_eq!((seal.by, seal.known()), (by, by == Holder::Referee));
    }
    let old = r#"{"event":"opened","game":1,"turn":1,"cards":[[0,"ox"],[1,"ox"]],"rolls":[]}"#;
    let event: Event = serde_json::from_str(old).unwrap();
    assert!(matches!(&event, Event::Opened { defaulted, .. } if defaulted.is_empty()));
    assert_eq!(serde_json::to_string(&event).unwrap(), old);
    let old = r#"{"event":"reminded","game":1,"seat":0,"stage":3}"#;
    let event: Event = serde_json::from_str(old).unwrap();
    assert!(matches!(event, Event::Reminded { open: false, .. }));
}
