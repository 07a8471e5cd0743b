//! The Chieftain games: the worked examples of their rules page, with boards, and step counts.

use tulpa::rules::{NoDice, Options, Seat, Shelf, Table};

mod chiefs;
use chiefs::*;

#[test]
fn t1_to_t9_turns_of_chieftain_chess() {
    let at = start("chieftain", &[]);
    play(&at, "Cc1-c3; Mb5-b6; end"); // T1
    let (index, why) = refused(&at, "Mb5-b6"); // T2
    assert_eq!(index, 0);
    assert!(why.contains("out of command"), "{why}");
    assert_eq!(out_of_command(&at), "b5 g5 j5 o5");
    assert_eq!(refused(&at, "Mb5-b6; Cc1-c3").0, 0); // T3
    let (index, why) = refused(&at, "Cf1-f3; Cc1-c3; Mb5-b6"); // T4
    assert_eq!(index, 2);
    assert!(why.contains("no free chieftain"), "{why}");
    play(&at, "Md4-d5; Nb2-c4; end"); // T5
    let (index, why) = refused(&at, "Md4-d5; Me4-e5; Nb2-c4"); // T6
    assert_eq!(index, 2);
    assert!(why.contains("no free chieftain"), "{why}");
    let (index, why) = refused(&at, "Md4-d5; Md5-d6"); // T7
    assert_eq!(index, 1);
    assert!(why.contains("already moved"), "{why}");
    let four = "Md4-d5; Me4-e5; Ml4-l5; Mm4-m5";
    play(&at, four);
    assert_eq!(refused(&at, &format!("{four}; Mh4-h5")).0, 4); // T8
    let at = play(&at, "Cc1-c3; Mb5-b6; Cn1-n3; Mo5-o6"); // T9
    assert_eq!(
        rows(&at),
        "1hcs1chsshc1sch1/1nm2mn2nm2mn1/16/m2mm2mm2mm2m/1m4m2m4m1/16/1M12M1/6M2M6/\
         M2MM2MM2MM2M/2C10C2/1NM2MN2NM2MN1/1H1S1CHSSHC1S1H1"
    );
    assert_eq!(out_of_command(&at), "b8 g8 j8 o8");
}

#[test]
fn t12_a_turn_of_six() {
    let at = start("superchief", &[]);
    assert_eq!(out_of_command(&at), "b5 g5 j5 o5 r5 w5");
    let order = "Cc1-c3; Mb5-b6; Ck1-k3; Mj5-j6; Cv1-v3; Mw5-w6";
    assert_eq!(refused(&at, &format!("{order}; Md4-d5")).0, 6);
    assert_eq!(
        rows(&play(&at, order)),
        "1hcs1chs1hcssch1shc1sch1/1nm2mn2nm2mn2nm2mn1/24/m2mm2mm2mm2mm2mm2m/1m4m2m4m2m4m1/24/\
         1M7M12M1/6M7M2M6/M2MM2MM2MM2MM2MM2M/2C7C10C2/1NM2MN2NM2MN2NM2MN1/\
         1H1S1CHS1H1SSCH1SHC1S1H1"
    );
}

#[test]
fn t14_a_turn_of_eight() {
    let at = start("overlord", &[]);
    assert_eq!(out_of_command(&at), "a5 f5 i5 n5 q5 v5 y5 ad5");
    play(
        &at,
        "Cb1-c3; Ma5-a6; Cj1-k3; Mi5-i6; Cu1-t3; Mv5-v6; Cac1-ab3; Mad5-ad6",
    );
    play(&at, "Ce1-d2; Ma5-a6; end");
    assert_eq!(refused(&at, "Ce1-d2; Cb1-c3; Ma5-a6").0, 2);
    for (from, to) in [
        ("b2", "b3 b4 b5 b6 c2 d2"),
        ("e2", "c2 d1 d3 e4 f3 g2"),
        ("a1", "a3"),
        ("c1", "a3 d2 e3 f4"),
    ] {
        assert_eq!(targets(&at, from).join(" "), to, "{from}");
    }
}

#[test]
fn steps_of_the_first_turn() {
    for (game, one, two) in [
        ("chieftain", 130, 16_290),
        ("superchief", 198, 38_308),
        ("overlord", 278, 76_006),
    ] {
        let at = start(game, &[]);
        assert_eq!(
            (at.steps_exactly(1), at.steps_exactly(2)),
            (one, two),
            "{game}"
        );
    }
    assert_eq!(start("chieftain", &[]).steps_exactly(3), 1_683_032);
    assert_eq!(start("superchief", &[]).steps_exactly(3), 6_805_440);
    let rival = start("superchief", &[("array", "doubled")]);
    assert_eq!(
        (rival.steps_exactly(1), rival.steps_exactly(2)),
        (204, 40_614)
    );
}

#[test]
fn steps_3_of_overlord() {
    assert_eq!(start("overlord", &[]).steps_exactly(3), 19_812_498);
}

/// Reach of the two men that only Overlord has, from h6 (T17).

#[test]
fn arrays_must_be_fair() {
    let shelf = Shelf::builtin();
    let book = shelf.get("chieftain").unwrap();
    for (array, what) in [
        ("c15/16/16/16/16/16/16/16/16/16/16/1C14", "mirror"),
        ("m15/16/16/16/16/16/16/16/16/16/16/M15", "0 leaders"),
    ] {
        let options = Options::from([("array".to_owned(), array.to_owned())]);
        let error = Table::begin(book, &options, &mut NoDice).unwrap_err();
        assert!(error.what.contains(what), "{error}");
    }
}

#[test]
fn a_snapshot_is_the_same_position() {
    let at = play(&start("overlord", &[]), "Cb1-c3; Ma5-a6; end");
    let shelf = Shelf::builtin();
    let book = shelf.get("overlord").unwrap();
    let again = Table::load(book, &Options::new(), &at.save()).unwrap();
    assert_eq!(at, again);
}

#[test]
fn a_position_returns_five_times() {
    let mut at = drawn(
        "
        12 c . . . . . . . . . . . . . . .
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . . . . . . . . . . . . . . . .
         1 C . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    for round in 1..5 {
        assert_eq!(at.draw_claim().is_some(), round >= 3);
        for order in ["Ca1-b1", "Ca12-b12", "Cb1-a1", "Cb12-a12"] {
            assert_eq!(at.ending(), None);
            at = play(&at, order);
        }
    }
    assert_eq!(at.ending().map(|e| e.reason), Some("repetition".to_owned()));
}

#[test]
fn t21_the_last_chieftain_falls() {
    // T21
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . .
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . c . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . C . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . C . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    let ending = play(&at, "Ch6xj8").ending().unwrap();
    assert_eq!(
        (ending.winners, ending.reason.as_str()),
        (vec![Seat(0)], "all chieftains captured")
    );
    // A18: what stands behind it is not played, and that is told
    let seat = at.asks()[0].seat;
    let (more, happened) = at.act(seat, "Ch6xj8; Ck4-k5", &mut NoDice).unwrap();
    assert_eq!(more, play(&at, "Ch6xj8"));
    assert!(
        happened.iter().any(|h| matches!(
            h,
            tulpa::rules::Happening::Remark(text) if text.contains("`Ck4-k5`, which was not played")
        )),
        "{happened:?}"
    );
    // whoever was named as paying for the last blow, the end is the same
    assert_eq!(play(&at, "Ch6xj8 (k4); end"), more);
}

#[test]
fn perft_of_a_turn_counts_every_list_of_moves() {
    // two chieftains: lists of one and of two moves
    let at = position(
        "chieftain",
        "15c/16/16/16/16/16/16/16/3M12/16/1N14/2C2C10",
        "white",
    );
    assert_eq!(at.perft(1), at.steps_exactly(1) + at.steps_exactly(2));
    let parts = at.divide(1);
    assert_eq!(parts.len() as u64, at.steps_exactly(1));
    assert_eq!(parts.iter().map(|(_, n)| n).sum::<u64>(), at.perft(1));
    // a list ends with the last enemy chieftain
    let at = position(
        "chieftain",
        "16/16/16/16/8c7/16/7C8/16/10C5/16/16/16",
        "white",
    );
    let wins = at.divide(1);
    let (_, won) = wins
        .iter()
        .find(|(text, _)| text == "Ch6xi8")
        .expect("it is in reach");
    assert_eq!(*won, 1);
}
