//! The worked examples and rulings (T12, T13, A10, A22, A25) of the Maces games' rules text:
//! pawns, promotion, endings; and that no text or snapshot makes a table stumble.

mod maces;

use maces::{BLACK, T2, WHITE, board, may, next, on, pick, play, refused, sketch, start, why};
use tulpa::rules::{Ending, NoDice, Options, Table, What};

#[test]
fn t12_a25_pawns_and_passing() {
    let white = |rank: usize, pawns: &str| {
        let mut lines = [". . . . . . . . . ."; 10];
        lines[0] = "k . . . . . . . . K";
        lines[10 - rank] = ". P . . . . . . . .";
        let at = 10 - (rank + 2);
        lines[at] = pawns;
        board("maces", "white", &lines.join("\n"))
    };
    for rank in 1..=3 {
        let t = white(rank, "p . p . . . . . . .");
        let from = format!("b{rank}");
        let (one, two) = (format!("b{}", rank + 1), format!("b{}", rank + 2));
        assert_eq!(
            next(&t, &[], &format!("{from}-")),
            [format!("{from}-{one}"), format!("{from}-{two}")]
        );
        let after = play(&t, &format!("{from}-{two}"));
        for side in ["a", "c"] {
            let ep = format!("{side}{}x{one}ep", rank + 2);
            let taken = play(&after, &ep);
            assert_eq!((on(&taken, &two), on(&taken, &one)), ('.', 'p'));
        }
        // the right lasts one turn
        let late = play(&play(&after, "Ka10-a9"), "Kj10-j9");
        assert!(
            !late
                .choices(BLACK, What::Turn)
                .iter()
                .any(|s| s.ends_with("ep"))
        );
    }
    let t = white(4, ". . . . . . . . . .");
    assert_eq!(next(&t, &[], "b4-"), ["b4-b5"]);
    assert_eq!(
        why(&t, "b4-b6"),
        "a Pawn takes two steps from its own ranks 1 to 3 only"
    );
    for (rank, two, over) in [(10, 8, 9), (9, 7, 8), (8, 6, 7)] {
        let mut lines = [". . . . . . . . . ."; 10];
        lines[9] = "k . . . . . . . . K";
        lines[10 - rank] = ". p . . . . . . . .";
        lines[10 - two] = "P . P . . . . . . .";
        let t = board("maces", "black", &lines.join("\n"));
        let after = play(&t, &format!("b{rank}-b{two}"));
        let taken = play(&after, &format!("a{two}xb{over}ep"));
        assert_eq!(on(&taken, &format!("b{two}")), '.');
    }
}

#[test]
fn t13_a27_promotion() {
    let t = board(
        "tulpas",
        "white",
        "
        . . . . . n . k . .
        . . . . P . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    for letter in ["K", "A", "O", "Y", "S", "P"] {
        let why = why(&t, &format!("e9-e10={letter}"));
        assert_eq!(
            why,
            "a Pawn becomes one of Q R B N M H on its last rank, and only there"
        );
    }
    let after = play(&t, "e9-e10=M; Me10*f10");
    assert_eq!((on(&after, "e10"), on(&after, "f10")), ('M', '.'));
    assert_eq!(on(&play(&t, "e9xf10=H"), "f10"), 'H');
}

#[test]
fn a10_pawns_thrown_onto_the_last_rank() {
    let drawn = "
        . . . . . . . . . .
        . . . k . . . . . .
        . P H . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . p H . . . . . .
        . . . . . . . . . .
        . . . . . . . . . K";
    let t = board("maces", "white", drawn);
    assert_eq!(next(&t, &[], "Hc8^b8-b10").len(), 6);
    assert_eq!(on(&play(&t, "Hc8^b8-b10=N"), "b10"), 'N');
    assert_eq!(next(&t, &[], "Hd3^c3-c1"), ["Hd3^c3-c1"]);
    assert_eq!(on(&play(&t, "Hd3^c3-c1"), "c1"), 'q');
    let t = board("shields", "white", drawn);
    assert_eq!(on(&play(&t, "Hd3^c3-c1"), "c1"), 'd');
}

#[test]
fn a22_stalemate_is_judged_on_the_main_action() {
    // White's King is shut in by his own webbed men, and the Mace has nowhere to step
    let t = board(
        "tulpas",
        "white",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . s . . . . . . . .
        K . . . . . . . . .",
    );
    assert_eq!(t.ending(), Some(Ending::draw("stalemate")));
    assert!(t.asks().is_empty());
}

#[test]
fn a22_repetition_may_be_claimed_at_the_third_and_ends_at_the_fifth() {
    let mut t = start("maces");
    for round in 1..=4 {
        assert_eq!(t.draw_claim().is_some(), round >= 3, "{round}");
        for order in ["Nc1-a2", "Nc10-a9", "Na2-c1", "Na9-c10"] {
            t = play(&t, order);
        }
    }
    assert_eq!(t.ending(), Some(Ending::draw("repetition")));
}

#[test]
fn a_saved_table_is_the_same_table() {
    let (t, _) = pick(&start("tulpas"), ["spider", "spider"]);
    let t = play(&play(&t, "S@b1"), "a3-a5");
    let again = Table::load(t.book(), &Options::new(), &t.save()).expect("own bytes");
    assert_eq!(again, t);
    assert_eq!(
        again.choices(WHITE, What::Pick),
        t.choices(WHITE, What::Pick)
    );
    assert!(Table::load(t.book(), &Options::new(), &[0xff; 9]).is_err());
}

#[test]
fn no_text_makes_the_reasons_stumble() {
    let tables = [
        start("maces"),
        start("tulpas"),
        pick(&start("tulpas"), ["ox", "ox"]).0,
        board("maces", "white", T2),
    ];
    for t in &tables {
        for text in [
            "",
            ";",
            "*",
            "^",
            "@",
            "a",
            "1x",
            "a0",
            "a99999999999",
            "z9",
            "Mé*ß",
            "a1a2a3a4a5a6",
            "Ma1*a1",
            "Hb2^b2-b2",
            "pick",
            "place",
            "e2-",
            "=Q",
            "a3-a3=Q",
            "j10*j10*j10",
            "throw from",
        ] {
            if let Ok((_, out)) = t.act(WHITE, text, &mut NoDice) {
                panic!("`{text}`: {out:?}");
            }
        }
        for a in 0..100u16 {
            for b in 0..100u16 {
                let (a, b) = (t.kit().name(a), t.kit().name(b));
                if a.len() + b.len() == 4 && a.as_bytes()[0] % 3 == b.as_bytes()[0] % 3 {
                    let _ = t.act(WHITE, &format!("{a}*{b}"), &mut NoDice);
                    let _ = t.act(WHITE, &format!("Hb2^{a}-{b}"), &mut NoDice);
                }
            }
        }
    }
}

#[test]
fn a_spoilt_snapshot_is_refused_or_harmless() {
    let t = play(&start("maces"), "a3-a5");
    let bytes = t.save();
    for i in 0..bytes.len() {
        for value in [0, 1, 2, 31, 63, 127, 128, 255] {
            let mut spoilt = bytes.clone();
            spoilt[i] = value;
            if let Ok(t) = Table::load(t.book(), &Options::new(), &spoilt) {
                for ask in t.asks() {
                    for text in t.choices(ask.seat, ask.what).iter().take(3) {
                        let _ = t.act(ask.seat, text, &mut NoDice);
                    }
                }
                let _ = t.view(None);
            }
        }
    }
}

#[test]
fn a10_an_own_pawn_thrown_on_may_become_a_mace_and_swing() {
    let t = sketch(
        "maces",
        "white",
        "10 r . . . . . . . . k
         9  . . . . . . . . . .
         8  . P H . . . . . . .
         1  K . . . . . . . . .",
    );
    assert_eq!(next(&t, &["Hc8^b8-b10=M"], ""), ["Mb10*a10"]);
    refused(&t, "Hc8^b8-b10");
    // on the enemy's side of the board nothing happens to it
    let back = sketch(
        "maces",
        "white",
        "10 . . . . . . . . . k
         3  . P H . . . . . . .
         1  K . . . . . . . . .",
    );
    let back = play(&back, "Hc3^b3-b1");
    assert_eq!(on(&back, "b1"), 'P');
    // and there it has its double step again
    assert!(may(&play(&back, "Kj10-j9"), "b1-b3"));
}

#[test]
fn a22_no_progress_counts_captures_pawns_thrown_pawns_and_placements() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         4  . . . . H P . . . .
         1  . . . . . . K . . .",
    );
    // the Kings walk in rings of 12 and 20 squares: no position comes back three times
    let walk = |mut t: Table, turns: usize| {
        let white = "g1 h1 i1 j1 j2 j3 j4 i4 h4 g4 g3 g2";
        let black = "a10 b10 c10 d10 e10 f10 f9 f8 f7 f6 f5 e5 d5 c5 b5 a5 a6 a7 a8 a9";
        let step = |ring: &str, k: usize| {
            let ring: Vec<&str> = ring.split(' ').collect();
            format!("K{}-{}", ring[k % ring.len()], ring[(k + 1) % ring.len()])
        };
        for k in 0..turns {
            assert_eq!(t.ending(), None, "turn {k}");
            assert_eq!(t.draw_claim().is_some(), k >= 50, "turn {k}");
            t = play(&play(&t, &step(white, k)), &step(black, k));
        }
        t
    };
    let end = walk(t.clone(), 75);
    assert_eq!(end.ending(), Some(Ending::draw("no progress")));
    let late = walk(t, 49);
    let moved = |step: &str| {
        let t = play(&late, step);
        let reply = next(&t, &[], "K").remove(0);
        play(&t, &reply).draw_claim().is_some()
    };
    assert!(moved("He4-e3"));
    assert!(!moved("f4-f5"));
    assert!(!moved("He4^f4-g3"));
}

#[test]
fn a22_the_passing_right_is_part_of_the_position_where_it_can_be_used() {
    let begin = |black_pawn: &str| {
        sketch(
            "maces",
            "white",
            &format!(
                "10 k . . . . . . . . .
                 5  {black_pawn} . . . . . . . . .
                 3  . P . . . . . . . .
                 1  . . . . . . . . . K"
            ),
        )
    };
    for (pawn, claims) in [(".", true), ("p", false)] {
        let mut t = play(&begin(pawn), "b3-b5");
        assert_eq!(may(&t, "a5xb4ep"), pawn == "p");
        for _ in 0..2 {
            for order in ["Ka10-b10", "Kj1-i1", "Kb10-a10", "Ki1-j1"] {
                t = play(&t, order);
            }
        }
        // the third time, but the first had the right to pass if a pawn stood there
        assert_eq!(t.draw_claim().is_some(), claims, "{pawn}");
    }
}

#[test]
fn a25_only_a_pawn_takes_in_passing() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         5  m . h . . . . . . .
         3  . P . . . . . . . .
         1  K . . . . . . . . .",
    );
    let t = play(&t, "b3-b5");
    refused(&t, "Ma5xb4ep");
    refused(&t, "Hc5xb4ep");
    // the Horse-apult steps there and takes nothing; the Mace swings at the pawn
    assert_eq!(next(&t, &["Hc5-b4"], ""), ["Ma5*b5"]);
}

#[test]
fn a_passing_pawn_that_a_mace_removed_first_is_not_taken_again() {
    let t = sketch(
        "maces",
        "white",
        "10 k . . . . . . . . .
         6  . m . . . . . . . .
         5  . . p . . . . . . .
         3  . P . . . . . . . .
         1  K . . . . . . . . .",
    );
    let t = play(&t, "b3-b5");
    assert!(may(&t, "c5xb4ep"));
    refused(&t, "Mb6*b5; c5xb4ep");
}
