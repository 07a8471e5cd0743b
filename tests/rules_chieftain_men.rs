//! The Chieftain games: how each man moves, with boards (chieftain.md 1.2, T10, T17 to T20).

mod chiefs;
use chiefs::*;

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
