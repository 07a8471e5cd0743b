//! The worked examples and rulings (T1 to T11, T19, T20, A1 to A9 and so on) of the Maces games'
//! rules text: opening, swings, throws. Pawns, promotion and endings are in
//! `rules_maces_pawns.rs`, Tulpas and their cards in `rules_maces_tulpas.rs`.

mod maces;

use maces::{BLACK, T2, WHITE, board, may, next, on, play, refused, sketch, start, why, won};
use tulpa::rules::{Happening, NoDice, Options, Shelf, Table, What, Wrong};

#[test]
fn t1_the_opening_of_the_horse_apult() {
    let t = start("maces");
    assert_eq!(next(&t, &[], "Hb2-"), ["Hb2-a2", "Hb2-b1"]);
    for man in ["a1", "c1", "a3", "b3", "c3", "c2"] {
        let with = format!("Hb2^{man}-");
        let targets = ["a4", "c4", "d1"].map(|to| format!("{with}{to}"));
        assert_eq!(next(&t, &[], &with), targets);
    }
    assert_eq!(next(&t, &[], "Hb2^").len(), 18);
    assert_eq!(
        why(&t, "Hb2^c3-d3"),
        "d3 is occupied; a throw needs a vacant square"
    );
    assert_eq!(
        why(&t, "Hb2^d3-a4"),
        "d3 is not next to the Horse-apult on b2"
    );
    assert_eq!(
        why(&t, "Hb2^c3-e5"),
        "e5 is not a Knight's move from the Horse-apult on b2"
    );
    assert_eq!(t.choices(WHITE, What::Turn).len(), 74);
}

#[test]
fn t2_a3_a7_a_thrown_mace_strikes_at_once() {
    let t = board("maces", "white", T2);
    let throw = "Hh7^h6-g9";
    assert_eq!(next(&t, &[throw], "Mg9"), ["Mg9*g10", "Mg9*h9"]);
    assert!(won(&play(&t, "Hh7^h6-g9; Mg9*g10"), WHITE));
    // taking the Mace goes on, and c6 must take exactly one of three
    assert_eq!(
        next(&t, &[throw, "Mg9*h9"], ""),
        ["Mc6*b7", "Mc6*c7", "Mc6*d7"]
    );
    assert!(matches!(
        refused(&t, "Hh7^h6-g9; Mg9*h9"),
        Wrong::Unfinished { .. }
    ));
    let after = play(&t, "Hh7^h6-g9; Mg9*h9; Mc6*c7");
    assert_eq!(after.ending(), None);
    assert_eq!(
        (on(&after, "c7"), on(&after, "b7"), on(&after, "d7")),
        ('.', 'q', 'p')
    );
}

#[test]
fn t3_an_attacked_king_changes_nothing() {
    let drawn = T2.replace(". . . . K . . . . .", ". . . . K . . . . r");
    let t = board("maces", "white", &drawn);
    assert!(won(&play(&t, "Hh7^h6-g9; Mg9*g10"), WHITE));
}

#[test]
fn t4_a4_a_mace_rests_in_the_enemys_turn() {
    let t = board("maces", "white", T2);
    let after = play(&t, "Hh7^h6-g9; Mg9*h9; Mc6*b7");
    assert_eq!(on(&after, "g9"), 'M');
    assert_eq!(why(&t, "Mh9*h10"), "the Mace on h9 is black's");
}

#[test]
fn t5_two_ways_to_bring_a_mace_to_bear() {
    let t = board(
        "maces",
        "black",
        "
        k . . . . . . . . .
        . . . . . . Q . m .
        . . . . . . . . . .
        . . . . . . . . h .
        . . . . . . . . m .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    for order in ["Hi7^i6-h9; Mh9*g9", "Mi9-h9; Mh9*g9", "Mi9-h9"] {
        assert_eq!(on(&play(&t, order), "g9"), '.', "{order}");
    }
    assert_eq!(on(&play(&t, "Ka10-a9"), "g9"), 'Q');
}

#[test]
fn t6_a5_a24_a_moved_mace_strikes_from_where_it_stands() {
    let t = board(
        "maces",
        "white",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . p . . n . . . .
        . . . M . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    assert_eq!(next(&t, &["Md4-e4"], ""), ["Me4*f5"]);
    assert_eq!(next(&t, &["Ka1-a2"], ""), ["Md4*c5"]);
    // the only swing is played for the player, and told
    let (after, happened) = t.act(WHITE, "Ka1-a2", &mut NoDice).expect("legal");
    assert_eq!(on(&after, "c5"), '.');
    assert_eq!(
        happened[0],
        Happening::Played {
            seat: WHITE,
            steps: vec!["Ka1-a2".to_owned(), "Md4*c5".to_owned()],
            forced: 1
        }
    );
    // a Mace that swung stays
    assert_eq!(
        why(&t, "Md4*c5; Md4-e4"),
        "the Mace on d4 has swung this turn and may not move any more"
    );
    assert_eq!(why(&t, "Md4xc5"), "a Mace does not capture by stepping");
    assert_eq!(why(&t, "Md4*d5"), "there is no enemy man on d5");
}

#[test]
fn t7_a2_a_swing_is_owed_even_if_it_exposes_the_king() {
    let t = board(
        "maces",
        "white",
        "
        k . . . r . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . M n . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        P . . . . . . . . .
        . . . . K . . . . .",
    );
    let after = play(&t, "a2-a3");
    assert_eq!(on(&after, "e5"), '.');
    assert!(won(&play(&after, "Re10xe1"), BLACK));
}

#[test]
fn t8_a_mace_before_a_row_of_pawns() {
    let drawn = |from: &str| {
        format!(
            "
            k . . . . . . . . .
            . . . . . . . . . .
            p p p p p p p p p p
            . . . . . . . . . .
            {from}
            . . . . . . . . . .
            . . . . . . . . . .
            . . . . . . . . . .
            . . . . . . . . . .
            K . . . . . . . . ."
        )
    };
    let t = board("maces", "white", &drawn(". . . M . . . . . ."));
    for victim in ["c8", "d8", "e8"] {
        let after = play(&t, &format!("Md6-d7; Md7*{victim}"));
        let back = after.choices(BLACK, What::Turn);
        assert!(back.iter().any(|s| s.ends_with("xd7")), "{victim}");
    }
    let t = board("maces", "white", &drawn("M . . . . . . . . ."));
    let safe = play(&t, "Ma6-a7; Ma7*b8");
    assert!(
        !safe
            .choices(BLACK, What::Turn)
            .iter()
            .any(|s| s.ends_with("xa7"))
    );
    let hit = play(&t, "Ma6-a7; Ma7*a8");
    assert!(hit.choices(BLACK, What::Turn).contains(&"b8xa7".to_owned()));
}

#[test]
fn t9_maces_two_apart() {
    let t = board(
        "maces",
        "black",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . m . . . . . .
        . . . . . . . . . .
        . . . M . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    assert_eq!(on(&play(&t, "Md6-d5; Md5*d4"), "d4"), '.');
}

#[test]
fn t10_a9_a_tossed_king() {
    let t = board(
        "maces",
        "black",
        "
        . . . . . . . . . k
        . P m . . . . . . .
        . . . . . . . . . .
        . . . . . K . . . .
        . . . . h . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .",
    );
    assert!(won(&play(&t, "He6^f7-d8; Mc9*d8"), BLACK));
    let spent = play(&t, "Mc9*b9; He6^f7-d8");
    assert_eq!(spent.ending(), None);
    assert_eq!(on(&spent, "d8"), 'K');
}

#[test]
fn t11_the_colour_of_a_thrown_bishop() {
    let t = board(
        "maces",
        "white",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . B B . . . . .
        . . . H . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    let colour = |name: &str| {
        let sq = t.kit().square(name).expect("a square");
        (t.kit().file(sq) + t.kit().rank(sq)) % 2
    };
    assert_eq!(on(&play(&t, "Hd4^e5-c6"), "c6"), 'B');
    assert_eq!(on(&play(&t, "Hd4^d5-c6"), "c6"), 'B');
    assert_ne!(colour("e5"), colour("c6"));
    assert_eq!(colour("d5"), colour("c6"));
}

#[test]
fn t19_a6_two_maces_one_victim() {
    let t = board(
        "maces",
        "white",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . n . . . . .
        . . . M . M . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    assert_eq!(on(&play(&t, "Ka1-a2; Md4*e5"), "e5"), '.');
    assert_eq!(on(&play(&t, "Ka1-a2; Mf4*e5"), "e5"), '.');
    assert!(matches!(
        refused(&t, "Ka1-a2; Md4*e5; Mf4*e5"),
        Wrong::TooMuch { at: 2, .. }
    ));
    // whoever swings, the position is the same: nothing to choose
    let (_, out) = t.act(WHITE, "Ka1-a2", &mut NoDice).expect("legal");
    assert!(matches!(&out[0], Happening::Played { forced: 1, .. }));
}

#[test]
fn t20_shields() {
    let t = board(
        "shields",
        "white",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . w . . . . .
        . . p M . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    let after = play(&t, "Ka1-a2");
    assert_eq!((on(&after, "c5"), on(&after, "e6")), ('p', 'w'));
    assert_eq!(
        why(&t, "Md5*c5"),
        "no Mace can remove the Shielded Pawn on c5; the Mace on d5 has nobody to strike"
    );
    assert_eq!(on(&play(&after, "We6xd5"), "d5"), 'w');
}

#[test]
fn a1_every_array_holds_what_the_text_attests() {
    let shelf = Shelf::builtin();
    for game in ["maces", "tulpas", "shields"] {
        let book = shelf.get(game).expect("the game is there");
        for array in ["A", "A2", "B", "B2"] {
            let options = Options::from([("array".to_owned(), array.to_owned())]);
            let (t, _) = Table::begin(book, &options, &mut NoDice).expect("an array");
            let attested = "a1M b2H c1N j1M i2H h1N a2. b1. d1. a4. c4. a3P e3P j3P";
            for word in attested.split_whitespace() {
                let (sq, man) = word.split_at(2);
                let man = man.chars().next().expect("a man");
                assert_eq!(on(&t, sq), man, "{game} {array} {sq}");
                // Black is White's reflection
                let rank = 11 - sq[1..].parse::<u8>().expect("a rank");
                let mirrored = format!("{}{rank}", &sq[..1]);
                assert_eq!(on(&t, &mirrored), man.to_ascii_lowercase(), "{array}");
            }
            assert_eq!(on(&t, "c2") == '.', array.starts_with('B'), "{array}");
        }
    }
    let first = |array: &str| {
        let options = Options::from([("array".to_owned(), array.to_owned())]);
        let book = shelf.get("maces").expect("maces");
        let (t, _) = Table::begin(book, &options, &mut NoDice).expect("an array");
        next(&t, &[], "").len()
    };
    assert_eq!((first("A"), first("B")), (74, 66));
}

#[test]
fn a2_a4_only_the_movers_maces_swing() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         6  . . . m . . . . . .
         5  . . . . . . . . . .
         4  . . R . . . . . . .
         1  K . . . . . . . . .",
    );
    // the Rook steps beside the Mace, which strikes it in Black's turn, whatever Black does
    let near = play(&t, "Rc4-c5");
    assert_eq!(on(&near, "c5"), 'R');
    assert_eq!(on(&play(&near, "Ka10-a9"), "c5"), '.');
}

#[test]
fn a5_a_mace_that_stays_swings_before_or_after() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         5  . . . n . . . . . .
         4  . . . M . . . R . .
         1  K . . . . . . . . .",
    );
    assert_eq!(on(&play(&t, "Md4*d5; Rh4-h5"), "d5"), '.');
    assert_eq!(on(&play(&t, "Rh4-h5; Md4*d5"), "d5"), '.');
    // once each turn
    refused(&t, "Md4*d5; Rh4-h5; Md4*d5");
    // from the final square only
    assert_eq!(next(&t, &["Md4-d3"], ""), Vec::<String>::new());
}

#[test]
fn a5_a_mace_that_swung_is_not_thrown_by_its_own_side() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         5  . . . n . . . . . .
         4  . . . M H . . . . .
         1  K . . . . . . . . .",
    );
    assert!(may(&t, "He4^d4-f6"));
    assert_eq!(
        why(&t, "Md4*d5; He4^d4-f6"),
        "the Mace on d4 has swung this turn and may not be thrown any more"
    );
}

#[test]
fn a5_an_early_swing_must_leave_a_main_action() {
    // the Spider holds the pawns that shut the King in
    let shut = sketch(
        "tulpas",
        "white",
        "10 . . . . . . . . . k
         3  s . . . . . . . . .
         2  P P . . . . . . . .
         1  K M m . . . . . . .",
    );
    assert!(may(&shut, "Mb1-c2"));
    assert!(!may(&shut, "Mb1*c1"));
    assert_eq!(
        why(&shut, "Mb1*c1"),
        "no move or throw would remain after that swing; move first"
    );
    // it is owed after the move, if the Mace is still beside
    assert_eq!(next(&shut, &["Mb1-c2"], ""), ["Mc2*c1"]);
}

#[test]
fn a6_the_owner_orders_the_swings_and_none_is_counted_up() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         5  . . . . n p . . . .
         4  . . . M . M . . . .
         1  K . . . . . . . . .",
    );
    // f4 takes the only victim of d4: one swing in all, and the turn is complete
    let one = play(&t, "Ka1-a2; Mf4*e5");
    assert_eq!((on(&one, "e5"), on(&one, "f5")), ('.', 'p'));
    let two = play(&t, "Ka1-a2; Md4*e5; Mf4*f5");
    assert_eq!((on(&two, "e5"), on(&two, "f5")), ('.', '.'));
    assert!(matches!(refused(&t, "Ka1-a2"), Wrong::Unfinished { .. }));
}

#[test]
fn a8_whom_a_horse_apult_throws() {
    let t = sketch(
        "maces",
        "white",
        "6  . . . . . . . . . .
         5  . . . m k . . . . .
         4  . . . K H p . . . .
         3  . . . Q H . . . . .",
    );
    for (man, sq) in [
        ('m', "d5"),
        ('k', "e5"),
        ('K', "d4"),
        ('H', "e3"),
        ('p', "f4"),
        ('Q', "d3"),
    ] {
        let thrown = play(&t, &format!("He4^{sq}-f6"));
        assert_eq!((on(&thrown, "f6"), on(&thrown, sq)), (man, '.'));
        assert_eq!(on(&thrown, "e4"), 'H');
    }
    assert!(!may(&t, "He4^e4-f6"), "never itself");
    // a thrown enemy Mace rests until its owner's turn
    let own_turn = play(&play(&t, "He4^d5-g3"), "Ke5-e6");
    assert_eq!(on(&own_turn, "g3"), 'm');
}

#[test]
fn a9_a_thrown_enemy_king_falls_to_a_fresh_mace() {
    let t = sketch(
        "maces",
        "white",
        "6  . . . . . . M . . .
         5  . . . . k . . . . .
         4  . . . . H . . . . .
         1  K . . . . . . . . .",
    );
    assert!(won(&play(&t, "He4^e5-f6; Mg6*f6"), WHITE));
    // one outcome: the referee swings itself
    assert!(won(&play(&t, "He4^e5-f6"), WHITE));
}

#[test]
fn a21_three_maces_all_swing() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         5  p . . p . . p . . .
         4  M . . M . . M . . .
         1  K . . . . . . . . .",
    );
    let after = play(&t, "Ka1-b1");
    assert_eq!(["a5", "d5", "g5"].map(|sq| on(&after, sq)), ['.'; 3]);
}

#[test]
fn a23_there_is_no_pass_and_no_swing_alone() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         5  p . . . . . . . . .
         4  M . . . . . . . . .
         1  K . . . . . . . . .",
    );
    refused(&t, "end");
    assert!(matches!(refused(&t, "Ma4*a5"), Wrong::Unfinished { .. }));
}

#[test]
fn a26_nobody_removes_own_men() {
    let t = sketch(
        "tulpas",
        "white",
        "10 k . . . . . . . . .
         4  . . . M P . . . . .
         3  Y . P . . . . . . .
         1  K . . . . . . . . .",
    );
    for step in ["Md4*e4", "Md4*c3", "Ya3*c3", "Ka1xa1"] {
        assert!(!may(&t, step));
        refused(&t, step);
    }
}
