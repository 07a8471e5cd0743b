//! The Chieftain games: the worked examples of their rules page, with boards, and step counts.

use serde_json::json;
use tulpa::rules::{NoDice, Options, Seat, Shelf, Table, What, Wrong};

fn start(game: &str, options: &[(&str, &str)]) -> Table {
    let options = options
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    let shelf = Shelf::builtin();
    Table::begin(shelf.get(game).unwrap(), &options, &mut NoDice)
        .unwrap()
        .0
}

fn position(game: &str, board: &str, turn: &str) -> Table {
    let shelf = Shelf::builtin();
    let position = json!({"board": board, "turn": turn});
    Table::arrange(shelf.get(game).unwrap(), &Options::new(), &position).unwrap()
}

/// A board of 16 x 12, every rank drawn, White to move.
fn drawn(drawing: &str) -> Table {
    let mut rows: Vec<String> = Vec::new();
    for line in drawing.lines() {
        let mut words = line.split_whitespace();
        if words.next().is_some_and(|w| w.parse::<u8>().is_ok()) {
            let mut row = String::new();
            let mut vacant = 0;
            for word in words {
                if word == "." {
                    vacant += 1;
                    continue;
                }
                if vacant > 0 {
                    row.push_str(&std::mem::take(&mut vacant).to_string());
                }
                row.push_str(word);
            }
            if vacant > 0 {
                row.push_str(&vacant.to_string());
            }
            rows.push(row);
        }
    }
    position("chieftain", &rows.join("/"), "white")
}

fn play(at: &Table, order: &str) -> Table {
    at.act(at.asks()[0].seat, order, &mut NoDice)
        .unwrap_or_else(|w| panic!("{order}: {w:?}"))
        .0
}

/// Index of the first bad step and why.
fn refused(at: &Table, order: &str) -> (usize, String) {
    match at.act(at.asks()[0].seat, order, &mut NoDice) {
        Err(Wrong::NoSuchStep { at, why, .. }) => (at, why.unwrap_or_default()),
        Err(Wrong::TooMuch { at, .. }) => (at, "too much".to_owned()),
        other => panic!("{order}: {other:?}"),
    }
}

fn targets(at: &Table, from: &str) -> Vec<String> {
    let mut found: Vec<String> = at
        .choices(at.asks()[0].seat, What::Turn)
        .iter()
        .filter_map(|t| {
            let (start, to) = t.split_once(['-', 'x'])?;
            (&start[1..] == from).then(|| to.to_owned())
        })
        .collect();
    found.sort();
    found
}

/// Targets above a square on its file.
fn up(at: &Table, from: &str) -> String {
    let rank: u8 = from[1..].parse().unwrap();
    let mut list = targets(at, from);
    list.retain(|t| t[..1] == from[..1] && t[1..].parse::<u8>().unwrap() > rank);
    list.join(" ")
}

/// The board as rows, top rank first.
fn rows(at: &Table) -> String {
    let view = at.view(None);
    let mut rows = Vec::new();
    for rank in (0..usize::from(view.ranks)).rev() {
        let mut row = String::new();
        let mut vacant = 0;
        for file in 0..usize::from(view.files) {
            match &view.cells[rank * usize::from(view.files) + file] {
                tulpa::rules::Cell::Man { seat, letter, .. } => {
                    if vacant > 0 {
                        row.push_str(&std::mem::take(&mut vacant).to_string());
                    }
                    row.push(if seat.0 == 0 {
                        *letter
                    } else {
                        letter.to_ascii_lowercase()
                    });
                }
                _ => vacant += 1,
            }
        }
        if vacant > 0 {
            row.push_str(&vacant.to_string());
        }
        rows.push(row);
    }
    rows.join("/")
}

fn out_of_command(at: &Table) -> String {
    at.view(None)
        .notes
        .into_iter()
        .find(|n| n.1 == "Out of command")
        .map_or_else(String::new, |n| n.2)
}

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
fn t10_targets_at_the_start() {
    let at = start("chieftain", &[]);
    for (from, to) in [
        ("c1", "c3 d2 d3 e1 e2 e3"),
        ("f1", "d2 d3 e1 e2 e3 f3"),
        ("b1", "a1 b3 b4"),
        ("d1", "b3 e2 f3 g4"),
        ("b2", "c4 d3"),
    ] {
        assert_eq!(targets(&at, from).join(" "), to, "{from}");
    }
    assert!(refused(&at, "Cc1-c2").1.contains("your own man"));
    assert!(refused(&at, "Ck1-i2").1.contains("can go to"));
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
fn t17_bishopy_and_rookish() {
    for (letter, leaps) in [
        ('B', ["f6", "j6", "h4", "h8"]),
        ('R', ["f4", "f8", "j4", "j8"]),
    ] {
        let board = format!("29c/30/30/30/30/30/30/30/30/7{letter}22/30/30/5C24/30/30");
        let found = targets(&position("overlord", &board, "white"), "h6");
        assert_eq!(found.len(), 20, "{letter}");
        assert!(leaps.iter().all(|l| found.iter().any(|f| f == l)));
    }
}

/// Two men for each leader within two squares (chieftain.md 6).
#[test]
fn leader2_activates_two_men() {
    let at = start("chieftain", &[("leaders", "leader2")]);
    // d4 is three ranks away from the leader on c1
    assert!(refused(&at, "Md4-d5").1.contains("within 2"));
    // b2 and c2 are paid for by c1, the leader itself then by nobody: f1 is three files away
    let two = play(&at, "Nb2-c4; Mc2-c3; end");
    assert_eq!(two.turn_no(), 2);
    assert_eq!(refused(&at, "Nb2-c4; Mc2-c3; Cc1-c2").0, 2);
    let moves = "Nb2-c4; Mc2-c3; Mf2-f3; Ng2-f4; Nj2-k4; Mk2-k3; Mn2-n3; No2-n4";
    assert_eq!(play(&at, moves).turn_no(), 2);
}

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
fn t17_reach_on_an_empty_board() {
    // T17: one piece on h6; the chieftain beside it only commands
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . C . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    assert_eq!(targets(&at, "h6").len(), 24);
    for (letter, count) in [('M', 8), ('N', 8), ('H', 12), ('S', 12)] {
        let at = position(
            "chieftain",
            &format!("15c/16/16/16/16/16/7{letter}8/16/16/6C9/16/16"),
            "white",
        );
        assert_eq!(targets(&at, "h6").len(), count, "{letter}");
    }
    let at = position(
        "chieftain",
        "15c/16/16/16/16/16/7H8/16/16/4C11/16/16",
        "white",
    );
    assert_eq!(
        targets(&at, "h6").join(" "),
        "e6 f6 g6 h3 h4 h5 h7 h8 h9 i6 j6 k6"
    );
    let at = position(
        "chieftain",
        "15c/16/16/16/16/16/7S8/16/16/6C9/16/16",
        "white",
    );
    assert_eq!(
        targets(&at, "h6").join(" "),
        "e3 e9 f4 f8 g5 g7 i5 i7 j4 j8 k3 k9"
    );
}

#[test]
fn t18_the_hero_jumps_one_of_two() {
    // T18
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . c . . . . . . . .
         7 . . . . . . . c . . . . . . . .
         6 . . . . . . . H . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . C . . . . . . . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    assert_eq!(up(&at, "h6"), "h7 h8");
    let at = position(
        "chieftain",
        "15c/16/16/16/16/7m8/7H8/16/4C11/16/16/16",
        "white",
    );
    assert_eq!(up(&at, "h6"), "h7 h8 h9");
    let at = position(
        "chieftain",
        "15c/16/16/16/7M8/16/7H8/16/4C11/16/16/16",
        "white",
    );
    assert_eq!(up(&at, "h6"), "h7 h9");
}

#[test]
fn t19_no_step_beyond_a_capture() {
    // T19
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . M m m . . . . . . .
         6 . . . . . . M C M . . . . . . .
         5 . . . . . . M M M . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    assert_eq!(targets(&at, "h6").join(" "), "h7 i7");
}

#[test]
fn t20_round_the_corner() {
    // T20
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . M M M . . . . . . .
         6 . . . . . . . C . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    let far: Vec<String> = targets(&at, "h6")
        .into_iter()
        .filter(|t| t.ends_with('7') || t.ends_with('8'))
        .collect();
    assert_eq!(far.join(" "), "f7 j7");
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
fn t22_who_pays_may_be_settled_late() {
    // T22
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . C . . C . . C . . M . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    play(&at, "Cf3-g3; Ci3-j3; Ml3-l4");
}

#[test]
fn t22_a_carried_chieftain_fuels_another() {
    // T22, second position
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . C . . C . . . . M . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    play(&at, "Cf3-h3; Mk3-k4");
}

#[test]
fn t22_a_chieftain_that_paid_for_itself_is_spent() {
    // T22, the other chieftain too far to carry it
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . C . . . C . . . . M . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    assert_eq!(refused(&at, "Cf3-h3; Mk3-k4").0, 1);
}

#[test]
fn a_named_activator_binds() {
    // README, Chieftain 4: named, d4 may not be paid for by the other
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . M . . . . . . . . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . N . . . . . . . . . . . . . .
         1 . . C . . C . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    play(&at, "Md4-d5; Nb2-c4");
    play(&at, "Md4-d5 (f1); Nb2-c4");
    play(&at, "d4d5(F1); Nb2-c4 (by Cc1)");
    let (no, why) = refused(&at, "Md4-d5 (c1); Nb2-c4");
    assert_eq!(no, 1);
    assert!(why.contains("no free chieftain"), "{why}");
    let (no, why) = refused(&at, "Nb2-c4 (f1)");
    assert_eq!(no, 0);
    assert!(why.contains("f1 cannot activate"), "{why}");
    let (_, why) = refused(&at, "Nb2-c4 (d4)");
    assert!(why.contains("no chieftain of yours stands on d4"), "{why}");
    let (_, why) = refused(&at, "Md4-d5 (c1); Nb2-c4 (c1)");
    assert!(why.contains("activated all it can"), "{why}");
    // the text that is kept does not name it, and what was named leaves no trace
    let seat = at.asks()[0].seat;
    let (named, happened) = at.act(seat, "Md4-d5 (f1); end", &mut NoDice).unwrap();
    assert_eq!(named, play(&at, "Md4-d5; end"));
    assert!(matches!(
        &happened[0],
        tulpa::rules::Happening::Played { steps, .. } if steps == &["Md4-d5", "end"]
    ));
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
