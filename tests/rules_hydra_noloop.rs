//! Hydra-Vari Chess: worked examples of the rules without the loop.

mod drawn;

use drawn::*;

#[test]
fn x15_ransom() {
    // X15, no loop
    let at = Drawn {
        turn: "white",
        hands: "black Q1 K1",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  n  .  .  .  .  .  .  .  r  .  .  .  .
        15 .  .  P  .  .  .  .  .  .  .  P  .  .  .  .  .
         3 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let texts: Vec<String> = all(&at).into_iter().filter(|t| t.contains('=')).collect();
    assert_eq!(
        texts.join(" "),
        "c15-c16=K c15-c16=Q c15xd16=K c15xd16=Q k15-k16=K k15-k16=Q k15xl16=K k15xl16=Q"
    );
}

#[test]
fn x15_empty_prison() {
    // X15 with an empty prison
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  n  .  .  .  .  .  .  .  r  .  .  .  .
        15 .  .  P  .  .  .  .  .  .  .  P  .  .  .  .  .
         3 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert!(of(&at, "c15").is_empty() && of(&at, "k15").is_empty());
    assert!(why(&at, "c15-c16=Q").contains("ransom"));
}

#[test]
fn x16_noloop_compulsion() {
    // X16
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  .
        15 .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  q
         9 .  .  .  k  .  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  R  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(all(&at).join(" "), "Rd4xd9");
    let at = play(&at, "Rd4xd9");
    assert_eq!(
        (
            note(&at, 0, "Prison").as_str(),
            note(&at, 1, "Kings").as_str()
        ),
        ("K", "1")
    );
    assert_eq!(at.ending(), None);
}

#[test]
fn x16_without_the_queen() {
    // X16 without the queen: a lone king
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  .
         9 .  .  .  k  .  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  R  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(outcome(&play(&at, "Rd4xd9")), "white: material");
}

#[test]
fn x17_king_and_two_knights() {
    // X17
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  n  n  k  .
         9 .  .  .  r  .  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  R  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(outcome(&play(&at, "Rd4xd9")), "white: material");
}

#[test]
fn x17_knight_and_bishop() {
    // X17
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  b  n  .  k  .
         9 .  .  .  p  .  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  R  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(play(&at, "Rd4xd9").ending(), None);
}

#[test]
fn x17_like_bishops() {
    // X17: l16 and n16 are of one colour
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  b  .  b  k  .
         9 .  .  .  p  .  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  R  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(outcome(&play(&at, "Rd4xd9")), "white: material");
}

#[test]
fn x17_unlike_bishops() {
    // X17: l16 and m16 are not
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  b  b  .  k  .
         9 .  .  .  p  .  .  .  .  .  .  .  .  .  .  .  .
         4 .  .  .  R  .  .  .  .  .  .  .  .  .  .  .  .
         1 K  K  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(play(&at, "Rd4xd9").ending(), None);
}

#[test]
fn x18_one_step_wins_without_the_loop() {
    // X18, no loop
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  q  k  k
         8 .  .  .  .  .  .  K  .  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(outcome(&play(&at, "Kg8-h8")), "white: hill");
}

#[test]
fn x18_attacked_on_the_hill() {
    // X18, no loop, the square attacked
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra-noloop")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  q  .  .  .  .  .  .  k  k
         8 .  .  .  .  .  .  K  .  .  .  .  .  .  .  .  .
         1 K  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let at = play(&at, "Kg8-h8");
    assert_eq!(at.ending(), None);
    assert_eq!(all(&at).join(" "), "Qh16xh8");
}
