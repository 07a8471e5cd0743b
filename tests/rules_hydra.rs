//! Hydra-Vari Chess: worked examples of its rules page with their boards, and perft.

mod drawn;

use drawn::*;
use serde_json::json;
use tulpa::rules::{Options, Shelf, Table};

const X6: &str = "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
        12 .  p  .  .  .  .  .  .  .  .  .  .  .  .  .  .
         9 r  .  .  .  .  .  .  k  .  .  .  .  .  .  .  .
         3 .  .  .  .  .  .  .  R  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
";

#[test]
fn x1_the_start() {
    let at = start("hydra");
    let texts = all(&at);
    assert_eq!(texts.len(), 160);
    assert!(
        texts
            .iter()
            .all(|t| t.starts_with(|c: char| c.is_ascii_lowercase()) && t.contains('-'))
    );
    assert_eq!(men(&at).split(' ').count(), 128);
    assert!(why(&at, "Qg2-g3").contains("uncastled"));
}

#[test]
fn perft_of_both_rule_sets() {
    for game in ["hydra", "hydra-noloop"] {
        let at = start(game);
        assert_eq!((at.perft(1), at.perft(2)), (160, 25_472), "{game}");
    }
    assert_eq!(start("hydra").perft(3), 3_997_584);
}

#[test]
#[ignore = "slow: four million positions"]
fn perft_3_without_the_loop() {
    assert_eq!(start("hydra-noloop").perft(3), 3_997_584);
}

#[test]
fn a_snapshot_is_the_same_position() {
    let at = play(&start("hydra"), "e4-e9");
    let shelf = Shelf::builtin();
    let again = Table::load(shelf.get("hydra").unwrap(), &Options::new(), &at.save()).unwrap();
    assert_eq!(at, again);
    assert_eq!(all(&at), all(&again));
}

#[test]
fn positions_that_make_no_sense_are_refused() {
    let shelf = Shelf::builtin();
    let book = shelf.get("hydra").unwrap();
    let rows = |top: &str| format!("{top}/{}", ["16"; 15].join("/"));
    for (board, turn, what) in [
        (rows("K15"), "white", "black has no king"),
        (rows("KN*k13"), "white", "only K, Q and R"),
        (rows("Kk13"), "white", "squares"),
        (rows("Kk14"), "green", "no seat `green`"),
    ] {
        let position =
            json!({"board": board, "hands": {}, "turn": turn, "jumped": null, "moves": {}});
        let error = Table::arrange(book, &Options::new(), &position).unwrap_err();
        assert!(error.what.contains(what), "{error}");
    }
}

#[test]
fn x4_en_passant_by_any_unit() {
    // X4: the pawn jumps from e4 over e6
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
        10 .  .  .  p  .  .  .  .  .  .  .  .  .  .  .  .
         9 .  b  .  .  .  .  .  .  .  .  .  .  .  .  .  .
         7 r  .  n  .  .  p  .  .  .  .  .  .  .  .  .  .
         6 .  .  .  .  N  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  .  P  .  .  .  .  .  .  .  .  .  .  .
         1 .  .  .  .  .  .  .  .  .  .  .  .  .  .  K  K
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(of(&at, "e4").join(" "), "e4-e5 e4-e7 e4-e8 e4-e9");
    let at = play(&at, "e4-e9");
    let takes: Vec<String> = all(&at).into_iter().filter(|t| t.contains('x')).collect();
    assert_eq!(takes.join(" "), "Bb9xe6 Nc7xe6 Nc7xe8 d10xe9 f7xe6");
    for text in ["Nc7xe6", "f7xe6", "Bb9xe6"] {
        assert_eq!(note(&play(&at, text), 1, "Hand"), "N P", "{text}");
    }
    for text in ["Nc7xe8", "d10xe9"] {
        assert_eq!(note(&play(&at, text), 1, "Hand"), "P", "{text}");
    }
}

#[test]
fn x5_the_last_king_may_not_take_a_guarded_king() {
    // X5
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
        12 .  .  .  .  r  .  .  .  .  .  .  .  .  .  .  .
         6 .  .  .  .  k  .  .  .  .  .  .  .  .  .  .  .
         5 .  .  .  .  K  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(all(&at).join(" "), "Ke5-d4 Ke5-e4 Ke5-f4");
    assert!(why(&at, "Ke5xe6 K@a5").contains("last king"));
}

#[test]
fn x5_compulsory_capture_with_placing() {
    // X5 with a knight on g7
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
        12 .  .  .  .  r  .  .  .  .  .  .  .  .  .  .  .
         7 .  .  .  .  .  .  N  .  .  .  .  .  .  .  .  .
         6 .  .  .  .  k  .  .  .  .  .  .  .  .  .  .  .
         5 .  .  .  .  K  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let texts = all(&at);
    assert!(texts.iter().all(|t| t.starts_with("Ng7xe6 K@")));
    assert_eq!(texts.len(), 251);
    assert!(why(&at, "Ke5-d4").contains("must be"));
}

#[test]
fn x5_with_a_second_king() {
    // X5 with a second king on a1
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
        12 .  .  .  .  r  .  .  .  .  .  .  .  .  .  .  .
         6 .  .  .  .  k  .  .  .  .  .  .  .  .  .  .  .
         5 .  .  .  .  K  .  .  .  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert!(all(&at).iter().all(|t| t.starts_with("Ke5xe6 K@")));
}

#[test]
fn x6_a_new_king_does_not_block() {
    // X6
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
        12 .  p  .  .  .  .  .  .  .  .  .  .  .  .  .  .
         9 r  .  .  .  .  .  .  k  .  .  .  .  .  .  .  .
         3 .  .  .  .  .  .  .  R  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(all(&at).join(" "), "Ka1-b1 Ka1-b2 Rh3-a3");
    let soft = Drawn {
        options: "newking=blocks",
        ..Drawn::new("hydra")
    }
    .table(X6);
    let drawn: Vec<String> = (2..=8).map(|r| format!("Rh3xh9 K@a{r}")).collect();
    assert_eq!(all(&soft), drawn);
}

#[test]
fn x7_mate_by_a_king() {
    // X7
    let at = Drawn {
        turn: "black",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  k
         9 .  .  r  .  .  .  .  .  .  .  .  .  .  .  .  .
         3 .  k  .  .  .  .  .  .  .  .  .  .  .  .  .  .
         2 .  .  .  .  .  .  .  r  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let at = play(&at, "Kb3-b2");
    assert_eq!(outcome(&at), "black: checkmate");
}

#[test]
fn x8_a_pawn_on_rank_16() {
    // X8
    let at = Drawn {
        turn: "white",
        hands: "black Q1 N2 P3",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  P  n  .  .  .  .  .  .  .  .  .  .
        10 .  .  .  .  R  .  .  .  .  .  .  .  .  .  .  .
         7 .  .  .  .  p  .  .  .  .  .  .  .  .  .  .  .
         5 .  .  .  .  K  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  .  P  .  .  .  .  .  .  .  .  .  .  .
         3 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         2 .  .  .  .  b  .  .  .  .  .  .  .  .  .  .  .
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(
        of(&at, "e16").join(" "),
        "e16-d16 e16-e1 e16-e11 e16-e12 e16-e13 e16-e14 e16-e15 e16-e3 e16-e6 e16-e8 e16-e9 \
         e16-hand e16=N e16=Q e16xe10 e16xe2 e16xe7 e16xf16"
    );
    assert_eq!(note(&play(&at, "e16=Q"), 1, "Hand"), "Nx2 Px4");
    assert_eq!(note(&play(&at, "e16xe10"), 0, "Hand"), "R");
}

#[test]
fn x9_check_along_the_whole_file() {
    // X9
    let at = Drawn {
        turn: "black",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  P  .  .  .  .  .  .  .  .  .  .  .
         9 .  .  .  .  n  .  .  .  .  .  .  .  .  .  .  .
         8 .  .  .  .  p  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  .  .  r  .  .  .  .  .  .  .  .  .  .
         3 .  .  .  .  k  .  .  .  .  .  .  .  .  .  .  .
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(all(&at).join(" "), "Ke3-d2 Ke3-d3 Ke3-d4 Ke3-f2 Ke3-f3");
}

#[test]
fn x10_four_pawns_on_a_file() {
    // X10
    let at = Drawn {
        turn: "white",
        hands: "white P1",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
        12 .  .  n  .  n  .  .  .  .  .  .  .  .  .  .  .
        11 .  .  .  P  .  .  .  .  .  .  .  .  .  .  .  .
         9 .  .  P  .  .  .  .  .  .  .  .  .  .  .  .  .
         7 .  .  P  .  .  .  .  .  .  .  .  .  .  .  .  .
         6 .  .  P  .  .  .  .  .  .  .  .  .  .  .  .  .
         5 .  .  P  .  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let texts = all(&at);
    let has = |t: &str| texts.iter().any(|x| x == t);
    assert!(!has("d11xc12") && has("d11-d12") && has("d11xe12"));
    assert!(of(&at, "P@c").is_empty() && !of(&at, "P@d").is_empty());
    assert!(why(&at, "d11xc12").contains("file c"));
    assert!(why(&at, "P@c2").contains("file c"));
}

#[test]
fn x11_the_weave_is_exiled() {
    // X11
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         9 p  P  p  P  p  P  p  P  p  P  p  P  p  P  p  P
         8 .  p  P  p  P  p  P  p  P  p  P  p  P  p  P  p
         3 P  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
         1 .  .  .  .  K  K  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let at = play(&at, "a3-a8");
    assert_eq!(men(&at), "Ke1 Kf1 ko16 kp16");
    assert_eq!(note(&at, 0, "Hand"), "empty");
    assert_eq!(note(&at, 1, "Hand"), "empty");
}

#[test]
fn x18_a_placed_king_fills_the_hill() {
    // X18, loop
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         9 .  .  .  k  .  .  .  K  .  .  .  .  .  .  .  .
         8 .  .  .  .  .  .  .  K  K  .  .  .  .  .  .  .
         4 .  .  .  R  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(outcome(&play(&at, "Rd4xd9 K@i9")), "white: hill");
    assert_eq!(play(&at, "Rd4xd9 K@i10").ending(), None);
}
