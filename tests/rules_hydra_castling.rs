//! Hydra-Vari Chess: worked examples of castling, its captures and its deadline.

mod drawn;

use drawn::*;

#[test]
fn x2_sixty_castlings() {
    // X2: the start with c1 d1 e1 f1 removed
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 r* r* b  b  b  b  q* k* k* q* b  b  b  b  r* r*
        15 r* r* n  n  n  n  q* k* k* q* n  n  n  n  r* r*
        14 p  p  p  p  p  p  p  p  p  p  p  p  p  p  p  p
        13 p  p  p  p  p  p  p  p  p  p  p  p  p  p  p  p
         4 P  P  P  P  P  P  P  P  P  P  P  P  P  P  P  P
         3 P  P  P  P  P  P  P  P  P  P  P  P  P  P  P  P
         2 R* R* N  N  N  N  Q* K* K* Q* N  N  N  N  R* R*
         1 R* R* .  .  .  .  Q* K* K* Q* B  B  B  B  R* R*
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let castlings = of(&at, "castle ");
    assert_eq!(castlings.len(), 60);
    assert_eq!(
        landings(&castlings, "castle g1-", " b1-"),
        "b1c1 c1b1 c1d1 d1c1 d1e1 e1d1 e1f1 f1e1 f1g1 g1f1"
    );
    for (pair, n) in [
        (("g1", "a1"), 8),
        (("h1", "b1"), 8),
        (("i1", "b1"), 8),
        (("j1", "b1"), 8),
        (("h1", "a1"), 6),
        (("i1", "a1"), 6),
        (("j1", "a1"), 6),
    ] {
        let found = castlings
            .iter()
            .filter(|t| {
                t.starts_with(&format!("castle {}-", pair.0))
                    && t.contains(&format!(" {}-", pair.1))
            })
            .count();
        assert_eq!(found, n, "{pair:?}");
    }
    assert!(!castlings.contains(&"castle h1-f1 b1-g1".to_owned()));
}

#[test]
fn x3_castling_captures_on_the_landing_squares() {
    // X3: as X2, with a black N d1 and B e1
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 r* r* b  b  b  b  q* k* k* q* b  b  b  b  r* r*
        15 r* r* n  n  n  n  q* k* k* q* n  n  n  n  r* r*
        14 p  p  p  p  p  p  p  p  p  p  p  p  p  p  p  p
        13 p  p  p  p  p  p  p  p  p  p  p  p  p  p  p  p
         4 P  P  P  P  P  P  P  P  P  P  P  P  P  P  P  P
         3 P  P  P  P  P  P  P  P  P  P  P  P  P  P  P  P
         2 R* R* N  N  N  N  Q* K* K* Q* N  N  N  N  R* R*
         1 R* R* .  n  b  .  Q* K* K* Q* B  B  B  B  R* R*
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    let both = play(&at, "castle h1-d1 b1-e1");
    assert_eq!(note(&both, 0, "Hand"), "B N");
    assert_eq!(note(&play(&at, "castle h1-e1 b1-d1"), 0, "Hand"), "B N");
    assert_eq!(note(&play(&at, "castle h1-c1 b1-d1"), 0, "Hand"), "N");
    assert_eq!(note(&play(&at, "castle h1-b1 b1-c1"), 0, "Hand"), "empty");
}

#[test]
fn x12_castling_gives_check() {
    // X12
    let at = Drawn {
        turn: "black",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
         9 .  .  .  r  .  .  .  .  .  .  .  .  .  .  .  .
         3 .  .  .  .  .  .  .  K  .  .  .  .  .  .  .  .
         2 .  .  .  .  .  .  .  K  .  .  .  .  .  .  .  .
         1 .  R* .  k  .  .  Q* .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(all(&at).join(" "), "Kd1-c2 Kd1-d2 Kd1-e2");
}

#[test]
fn x12_blocked_by_allies() {
    // X12 with white bishops on c1 and e1
    let at = Drawn {
        turn: "black",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
         9 .  .  .  r  .  .  .  .  .  .  .  .  .  .  .  .
         3 .  .  .  .  .  .  .  K  .  .  .  .  .  .  .  .
         2 .  .  .  .  .  .  .  K  .  .  .  .  .  .  .  .
         1 .  R* B  k  B  .  Q* .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert!(all(&at).iter().any(|t| t.starts_with("Rd9")));
}

#[test]
fn x13_the_last_move_to_castle() {
    // X13, White's 64th move
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 63,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         2 .  .  .  Q  .  .  .  K  .  .  .  .  .  .  .  .
         1 .  R* P  P  .  .  .  K* .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(
        all(&at).join(", "),
        "castle h1-e1 b1-f1, castle h1-f1 b1-e1, castle h1-f1 b1-g1, castle h1-g1 b1-f1, \
         castle h1-g1 b1-h1, castle h1-h1 b1-g1"
    );
    assert!(why(&at, "Kh2-h3").contains("castle"));
}

#[test]
fn x13_one_move_earlier() {
    // X13, White's 63rd move
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 62,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         2 .  .  .  Q  .  .  .  K  .  .  .  .  .  .  .  .
         1 .  R* P  P  .  .  .  K* .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!((all(&at).len(), of(&at, "castle ").len()), (64, 6));
}

#[test]
fn x13_no_castling_possible() {
    // X13 with pawns on c1, e1, g1
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 63,
        ..Drawn::new("hydra")
    }
    .table(
        "
        16 .  .  .  .  .  .  .  .  .  .  .  .  .  .  k  k
         2 .  .  .  Q  .  .  .  K  .  .  .  .  .  .  .  .
         1 .  R* P  .  P  .  P  K* .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert_eq!(all(&at).len(), 66);
    let at = play(&play(&at, "Kh2-h3"), "Kp16-p15");
    assert!(!of(&at, "Kh1").is_empty() && !of(&at, "Rb1").is_empty());
}

#[test]
fn x14_two_kings_at_once() {
    // X14
    let at = Drawn {
        turn: "white",
        hands: "",
        moves: 20,
        ..Drawn::new("hydra")
    }
    .table(
        "
         3 .  .  .  .  .  .  .  K  .  .  .  .  .  .  .  .
         2 .  .  .  .  .  .  .  K  .  .  .  .  .  .  .  .
         1 .  R* .  k  k  .  Q* .  .  .  .  .  .  .  .  .
           a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p
        ",
    );
    assert!(all(&at).iter().all(|t| t.starts_with("castle g1-")));
    assert_eq!(
        outcome(&play(&at, "castle g1-d1 b1-e1")),
        "white: king captured"
    );
    assert_eq!(note(&play(&at, "castle g1-c1 b1-d1 K@a9"), 1, "Kings"), "1");
    assert_eq!(note(&play(&at, "castle g1-f1 b1-e1 K@a9"), 1, "Kings"), "1");
}
