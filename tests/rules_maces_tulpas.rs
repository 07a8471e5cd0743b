//! The worked examples and rulings (T14 to T18, A11 to A20, A28 to A30) of the Maces games'
//! rules text that concern Tulpas: cards, placement, Wild Ox, Archer, Spider.

mod maces;

use maces::{
    BLACK, WHITE, arranged, board, may, mover, next, on, pick, play, refused, rows, sketch, start,
    to_come, why, won,
};
use serde_json::json;
use tulpa::rules::{Happening, NoDice, Options, Shelf, Table, What, Wrong};

#[test]
fn t14_a30_cards() {
    let t = start("tulpas");
    assert_eq!(t.asks().len(), 2);
    assert!(t.asks().iter().all(|a| a.what == What::Pick));
    assert_eq!(t.choices(BLACK, What::Pick).len(), 5);
    let (missed, out) = pick(&t, ["amazon", "ox"]);
    assert!(matches!(&out[2], Happening::Opened { created: None, cards, .. } if cards.len() == 2));
    assert_eq!(to_come(&missed, WHITE), "amazon ox archer spider mace");
    assert_eq!(missed.asks()[0].what, What::Turn);

    let (met, out) = pick(&t, ["amazon", "amazon"]);
    assert!(matches!(&out[2], Happening::Opened { created: Some(c), .. } if c == "amazon"));
    assert_eq!(met.asks()[0].what, What::Place);
    let t = play(&met, "A@d1");
    assert_eq!(
        (on(&t, "d1"), to_come(&t, WHITE).as_str()),
        ('A', "ox archer spider mace")
    );
    let t = play(&t, "a3-a4");
    // Black's own set is still whole; then White's Amazon is refused
    assert_eq!(t.choices(WHITE, What::Pick).len(), 5);
    let (t, _) = pick(&t, ["ox", "mace"]);
    let t = play(&t, "a8-a7");
    let e = t.act(BLACK, "pick amazon", &mut NoDice).expect_err("spent");
    let Wrong::NoSuchStep { why: Some(why), .. } = e else {
        panic!("{e:?}");
    };
    assert_eq!(
        why,
        "white's Amazon was created already; cards left: ox, archer, spider, mace"
    );
}

#[test]
fn t14_the_last_card_is_certain_and_none_ends_the_phase() {
    let rows = "m1n4n1m/1hrbqkbrh1/pppppppppp/10/10/10/10/PPPPPPPPPP/1HRBQKBRH1/M1N4N1M";
    let t = arranged(
        "tulpas",
        &json!({"board": rows, "turn": "black", "cards": {"white": ["ox"], "black": []}}),
    );
    assert_eq!(t.asks()[0].what, What::Turn);
    let (t, out) = t.act(BLACK, "a8-a7", &mut NoDice).expect("legal");
    assert!(out.contains(&Happening::Certain {
        seat: WHITE,
        card: "ox".to_owned()
    }));
    assert_eq!(t.choices(WHITE, What::Place).len(), 8);
    let t = play(&play(&t, "O@a2"), "a3-a4");
    assert_eq!((mover(&t), t.asks()[0].what), (BLACK, What::Turn));
    assert_eq!(to_come(&t, WHITE), "none");
}

#[test]
fn a18_a_card_lies_face_down_until_both_are_in() {
    let t = start("tulpas");
    let (one, out) = t.act(BLACK, "pick spider", &mut NoDice).expect("a card");
    assert_eq!(out, [Happening::Picked { seat: BLACK }]);
    for eyes in [None, Some(WHITE), Some(BLACK)] {
        assert_eq!(one.view(eyes), t.view(eyes));
    }
    assert_eq!(one.choices(WHITE, What::Pick), t.choices(WHITE, What::Pick));
    assert_eq!(
        one.act(BLACK, "pick ox", &mut NoDice)
            .expect_err("once only"),
        Wrong::NotAsked
    );
    let options = Options::from([("reveal".to_owned(), "outcome".to_owned())]);
    let shelf = Shelf::builtin();
    let book = shelf.get("tulpas").expect("tulpas");
    let (t, _) = Table::begin(book, &options, &mut NoDice).expect("an option");
    let (_, out) = pick(&t, ["ox", "mace"]);
    assert!(matches!(&out[2], Happening::Opened { cards, created: None, .. } if cards.is_empty()));
}

#[test]
fn t15_a29_placement() {
    let (t, _) = pick(&start("tulpas"), ["spider", "spider"]);
    let mut vacant = ["b1", "d1", "e1", "f1", "g1", "i1", "a2", "j2"].map(|s| format!("S@{s}"));
    vacant.sort();
    assert_eq!(t.choices(WHITE, What::Place), vacant);
    assert_eq!(
        why(&t, "S@a1"),
        "a1 is occupied; a Tulpa appears on a vacant square"
    );
    assert_eq!(
        why(&t, "S@a4"),
        "a Tulpa appears on white's home ranks only (1 and 2); a4 is outside"
    );
    assert_eq!(why(&t, "A@b1"), "the cards created the Spider: `S@b1`");
    let t = play(&play(&t, "S@b1"), "a3-a4");
    let (t, _) = pick(&t, ["ox", "ox"]);
    assert_eq!(
        why(&t, "O@b1"),
        "a Tulpa appears on black's home ranks only (10 and 9); b1 is outside"
    );
    assert_eq!(on(&play(&t, "O@b10"), "b10"), 'o');
}

#[test]
fn a16_full_home_ranks_and_the_one_vacant_square() {
    let full = "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        N N N N N N N N N N
        K N N N N N N N N N";
    let cards = json!({"white": ["ox", "mace"], "black": []});
    let t = arranged("tulpas", &json!({"board": rows(full), "cards": cards}));
    let (after, out) = pick(&t, ["ox", "ox"]);
    assert!(out.contains(&Happening::NoRoom { seat: WHITE }));
    assert!(
        out.iter()
            .any(|h| matches!(h, Happening::Opened { created: None, .. }))
    );
    assert_eq!(to_come(&after, WHITE), "ox mace");
    let one = rows(&full.replace("K N N", "K N ."));
    let t = arranged("tulpas", &json!({"board": one, "cards": cards}));
    let (after, out) = pick(&t, ["ox", "ox"]);
    assert!(out.contains(&Happening::Placed {
        seat: WHITE,
        text: "O@c1".to_owned(),
        forced: true
    }));
    assert_eq!(after.asks()[0].what, What::Turn);
}

#[test]
fn t16_a11_the_wild_ox() {
    let t = board(
        "tulpas",
        "white",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . p b . . . .
        . . . . n N . . . .
        . . . . p . . . . .
        . . . O . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    assert_eq!(
        next(&t, &[], "Od4xe6"),
        ["Od4xe6", "Od4xe6*e5", "Od4xe6*e7", "Od4xe6*f7"]
    );
    let after = play(&t, "Od4xe6*f7");
    assert_eq!(
        (on(&after, "e6"), on(&after, "f7"), on(&after, "e7")),
        ('O', '.', 'p')
    );
    refused(&t, "Od4xe6*f7*e7");
    refused(&t, "Od4xe6*f7; Oe6*e7");
    assert_eq!(
        why(&t, "Od4xe6*f6"),
        "the Knight on f6 is your own; a thrust removes enemies only"
    );
    assert_eq!(
        why(&t, "Od4*e5"),
        "the Wild Ox on d4 thrusts only from the square its own Knight move took it to"
    );
}

#[test]
fn t17_a15_the_archer() {
    let drawn = "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . q . . . . .
        . . . . r . b . . .
        . . . . . . . . . .
        . . . . Y . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .";
    let t = board("tulpas", "white", drawn);
    assert_eq!(on(&play(&t, "Ye5*e7"), "e7"), '.');
    assert_eq!(on(&play(&t, "Ye5*e7"), "e5"), 'Y');
    assert_eq!(on(&play(&t, "Ye5xg7"), "g7"), 'Y');
    assert_eq!(
        why(&t, "Ye5*e8"),
        "e8 is out of the Archer's range of 2 squares"
    );
    for man in ["p", "P"] {
        let shut = drawn.replacen(
            ". . . . . . . . . .\n        . . . . Y",
            &format!(". . . . {man} . . . . .\n        . . . . Y"),
            1,
        );
        let t = board("tulpas", "white", &shut);
        assert!(!next(&t, &[], "Ye5").contains(&"Ye5*e7".to_owned()));
        assert_eq!(
            why(&t, "Ye5*e7"),
            "the Pawn on e6 stands in the arrow's way"
        );
    }
}

#[test]
fn t18_a13_the_web() {
    let drawn = "
        . . . . . . . . . k
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . h . . .
        . . . . . m . . . .
        . . . . S . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .";
    let t = board("tulpas", "black", drawn);
    assert!(next(&t, &[], "Mf6").is_empty());
    let held = "the Spider on e5 holds the man on f6 (web)";
    assert_eq!(why(&t, "Mf6-f7"), held);
    assert_eq!(why(&t, "Mf6*e5"), held);
    let throws: Vec<String> = ["e6", "e8", "f5", "f9", "h5", "h9", "i6", "i8"]
        .map(|to| format!("Hg7^f6-{to}"))
        .into();
    assert_eq!(next(&t, &[], "Hg7^"), throws);
    // still webbed on e6 and f5: nothing is owed
    assert_eq!(on(&play(&t, "Hg7^f6-e6"), "e5"), 'S');
    let near = drawn
        .replacen(". . . . . . h . . .", ". . . . . . . . . .", 1)
        .replacen(". . . . S . . . . .", ". . . . S h . . . .", 1);
    let t = board("tulpas", "black", &near);
    assert!(next(&t, &[], "Hf5").is_empty());
    assert_eq!(
        why(&t, "Hf5^f6-g7"),
        "the Spider on e5 holds the man on f5 (web)"
    );
}

#[test]
fn t18_a_thrown_mace_is_free_and_swings() {
    let t = board(
        "tulpas",
        "black",
        "
        . . . . . . . . . k
        . . . . . . . . . .
        . . . . . . . . N .
        . . . . . . h . . .
        . . . . . m . . . .
        . . . . S . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    let after = play(&t, "Hg7^f6-h9; Mh9*i8");
    assert_eq!(on(&after, "i8"), '.');
}

#[test]
fn a11_a_thrust_needs_the_oxs_own_move_is_optional_and_may_take_a_king() {
    let t = sketch(
        "tulpas",
        "white",
        "10 . . . . . . . . . .
         7  . . . . . k . . . .
         6  . . . . . s . . . .
         4  . . . O . . . . . .
         3  . . . H . . . . . .
         1  K . . . . . . . . .",
    );
    // landing beside the Spider does not stop the thrust: the web is tested when the move starts
    assert!(won(&play(&t, "Od4-e6*f7"), WHITE));
    assert_eq!(on(&play(&t, "Od4-e6*f6"), "f6"), '.');
    assert_eq!(on(&play(&t, "Od4-e6"), "f6"), 's');
    // thrown, it does not thrust
    let t = sketch(
        "tulpas",
        "white",
        "10 k . . . . . . . . .
         6  . . . . . n . . . .
         4  . . . O . . . . . .
         3  . . . H . . . . . .
         1  K . . . . . . . . .",
    );
    assert_eq!(next(&t, &[], "Hd3^d4-e5"), ["Hd3^d4-e5"]);
    refused(&t, "Hd3^d4-e5*f6");
    refused(&t, "Hd3^d4-e5; Oe5*f6");
    // the King taken by the move itself ends it before any thrust
    let t = sketch(
        "tulpas",
        "white",
        "7  . . . . . r . . . .
         6  . . . . k . . . . .
         4  . . . O . . . . . .
         1  K . . . . . . . . .",
    );
    assert_eq!(next(&t, &[], "Od4xe6"), ["Od4xe6"]);
}

#[test]
fn a12_a14_a_spider_captures_as_a_king_and_no_spider_holds_another() {
    let t = sketch(
        "tulpas",
        "white",
        "10 k . . . . . . . . .
         5  . . . s r . . . . .
         4  . . . S . . . . . .
         1  K . . . . . . . . .",
    );
    assert_eq!(on(&play(&t, "Sd4xe5"), "e5"), 'S');
    assert_eq!(on(&play(&t, "Sd4xd5"), "d5"), 'S');
    // nor does it hold the Rook of its own side
    assert!(may(&play(&t, "Ka1-a2"), "Sd5xd4"));
    assert!(!may(&play(&t, "Ka1-a2"), "Re5-e6"), "White's Spider does");
}

#[test]
fn a13_the_web_stops_moves_swings_throws_and_shots() {
    let t = sketch(
        "tulpas",
        "white",
        "10 k . . . . . . . . .
         5  . . H Y M p . . . .
         4  . . P s N . . . . .
         3  . . O A Q . . . . .
         1  K . . . . . . . . .",
    );
    let free: Vec<String> = next(&t, &[], "");
    assert!(free.iter().all(|s| s.starts_with("Ka1")), "{free:?}");
    for step in ["Me5*f5", "Hc5^d5-d7", "Yd5-d6", "c4xd5", "Qe3-f3"] {
        refused(&t, step);
    }
    // a webbed Mace owes nothing
    assert_eq!(on(&play(&t, "Ka1-a2"), "f5"), 'p');
}

#[test]
fn a13_a_free_horse_apult_throws_webbed_men_of_either_side() {
    let t = sketch(
        "tulpas",
        "white",
        "10 k . . . . . . . . .
         6  . . . . S . . . . .
         5  . . . s n . . . . .
         4  . . . . R . . . . .
         3  . . . . . H . . . .
         1  K . . . . . . . . .",
    );
    assert!(!may(&t, "Re4-e3"));
    assert!(may(&t, "Hf3^e4-h2"));
    let freed = play(&play(&t, "Hf3^e4-h2"), "Ka10-a9");
    assert!(may(&freed, "Rh2-h9"));
}

#[test]
fn a16_the_certain_card_waits_for_room_too() {
    let full = "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        N N N N N N N N N N
        K N N N N N N N N N";
    let cards = json!({"white": ["ox"], "black": []});
    let t = arranged("tulpas", &json!({"board": rows(full), "cards": cards}));
    assert_eq!(t.asks()[0].what, What::Turn);
    assert_eq!(to_come(&t, WHITE), "ox");
    // there is room next time, and one square needs no choice
    let t = play(&t, "Nc2-d4");
    let (t, out) = t.act(BLACK, "Ka10-a9", &mut NoDice).expect("legal");
    assert!(out.contains(&Happening::Placed {
        seat: WHITE,
        text: "O@c2".to_owned(),
        forced: true
    }));
    assert_eq!(to_come(&t, WHITE), "none");
}

#[test]
fn a17_a20_a_matched_tulpa_is_placed_before_anything_else() {
    let (t, _) = pick(&start("tulpas"), ["mace", "mace"]);
    assert_eq!(t.asks()[0].what, What::Place);
    refused(&t, "a3-a4");
    refused(&t, "end");
    // and the turn's move or throw is still to come
    let t = play(&t, "M@b1");
    assert_eq!((mover(&t), t.asks()[0].what), (WHITE, What::Turn));
}

#[test]
fn a19_a28_a_placed_tulpa_acts_at_once() {
    let placed = |card: &str, at: &str| {
        let drawn = "
            k . . . . . . . . .
            . . . . . . . . . .
            . . . . . . . . . .
            . . . . . . . . . .
            . . . . . . . . . .
            . . . . . . . . . .
            . . . . . . . . . .
            . . . m . n . . . .
            . . . . . H . . . .
            K . . . . . . . . .";
        let cards = json!({"white": [card, "ox"], "black": []});
        let position = json!({"board": rows(drawn), "cards": cards});
        let (t, _) = pick(&arranged("tulpas", &position), [card, card]);
        play(&t, at)
    };
    // moves, is thrown, swings
    let t = placed("mace", "M@e2");
    assert!(may(&t, "Me2-e1"));
    assert_eq!(next(&t, &["Ka1-a2"], ""), ["Me2*d3", "Me2*f3"]);
    assert_eq!(next(&t, &["Hf2^e2-g4"], ""), ["Mg4*f3"]);
    let t = placed("amazon", "A@e2");
    assert!(may(&t, "Ae2-e9") && may(&t, "Ae2-g1"));
    // a Spider holds at once
    let t = play(&placed("spider", "S@e2"), "Ka1-b1");
    assert!(next(&t, &[], "Md3").is_empty());
    assert_eq!(on(&t, "e2"), 'S');
    // captured, it is never created again
    let t = play(&placed("archer", "Y@e2"), "Ka1-b1");
    let t = play(&t, "Ka10-a9; Md3*e2");
    assert_eq!(to_come(&t, WHITE), "ox");
}
