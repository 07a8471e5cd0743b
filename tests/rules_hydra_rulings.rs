//! Hydra-Vari Chess: the numbered rulings of its rules page, each by name (h1 is H1). Rulings that worked examples
//! hold have their tests there: H5 and H6 in x5 and x6, H8 in x14, H9 and H10 in x2 and x3, H39 in x1.

mod drawn;

use drawn::*;
use tulpa::rules::Table;

const HYDRA: &str = "hydra";

fn men(turn: &'static str, list: &str) -> Table {
    held(turn, "", list)
}
fn held(turn: &'static str, hands: &'static str, list: &str) -> Table {
    Drawn {
        turn,
        hands,
        ..Drawn::new(HYDRA)
    }
    .men(list)
}
fn moved(moves: u16, list: &str) -> Table {
    Drawn {
        moves,
        ..Drawn::new(HYDRA)
    }
    .men(list)
}
fn jumped(jumped: &'static str, list: &str) -> Table {
    Drawn {
        jumped,
        ..Drawn::new(HYDRA)
    }
    .men(list)
}
/// All 32 men of a weave but the one on `hole`; White on a8 where `white` is 0, on b8 where it is 1.
fn weave(white: usize, hole: &str) -> String {
    let mut list = String::new();
    for rank in 8..=9 {
        for (f, file) in ('a'..='p').enumerate() {
            let square = format!("{file}{rank}");
            if square != hole {
                let man = if (f + rank) % 2 == white { 'P' } else { 'p' };
                list.push_str(&format!("{man}{square} "));
            }
        }
    }
    list
}

#[test]
fn h1_a_drop_replaces_a_later_move() {
    let at = men("white", "Ka1 Kb1 Rd4 nd9 ko16 kp16");
    let at = play(&at, "Rd4xd9");
    assert_eq!(
        mover(&at).0,
        1,
        "the knight may not come back in the same turn"
    );
    let at = line(&at, "Kp16-p15, N@k5");
    assert_eq!(mover(&at).0, 1);
    assert_eq!(note(&at, 0, "Hand"), "empty");
    assert!(of(&at, "N@").is_empty());
}

#[test]
fn h2_pawns_are_dropped_on_any_rank() {
    let at = held("white", "white P1", "Kb1 Kc1 ko15 kp15");
    let ranks: Vec<String> = (1..=16).map(|r| format!("P@a{r}")).collect();
    assert!(ranks.iter().all(|t| has(&at, t)));
    assert_eq!(of(&at, "P@").len(), 252);
    // on its own rank 16 it has that rank's moves at once
    assert!(has(&line(&at, "P@a16, Ko15-o14"), "a16-hand"));
}

#[test]
fn h3_a_captured_king_goes_to_any_vacant_square() {
    let at = men("white", "Ka1 Kb1 Rd4 kd9 rm12 kp16");
    assert_eq!(all(&at).len(), 251);
    // the square just left; one under attack
    assert!(has(&at, "Rd4xd9 K@d4") && has(&at, "Rd4xd9 K@m5"));
    assert!(!has(&at, "Rd4xd9 K@d9") && !has(&at, "Rd4xd9 K@a1"));
    // ordinary at once: it may be taken back
    let at = play(&at, "Rd4xd9 K@m5");
    assert!(all(&at).iter().all(|t| t.starts_with("Rm12xm5 K@")));
}

#[test]
fn h4_one_of_several_hanging_kings_suffices() {
    let at = men("white", "Ka1 Kb1 Rd4 Rf4 kd9 kf9 kp16");
    assert_eq!(
        of(&at, "Rd4xd9 K@").len() + of(&at, "Rf4xf9 K@").len(),
        all(&at).len()
    );
    assert!(has(&at, "Rd4xd9 K@a5") && has(&at, "Rf4xf9 K@a5"));
}

#[test]
fn h7_a_king_before_the_castling_duty() {
    let list = "Kh1* Rb1* Kp8 Re5 ke9 ko16";
    assert!(
        all(&moved(63, list))
            .iter()
            .all(|t| t.starts_with("Re5xe9 K@"))
    );
    // a castling that takes a king satisfies both, so it is what remains (2.5, steps 3 and 4)
    let both = moved(63, "Kh1* Rb1* Kp8 Re5 ke9 kd1 ko16");
    assert!(has(&both, "castle h1-d1 b1-e1 K@a5"));
    assert!(
        all(&both)
            .iter()
            .all(|t| t.starts_with("castle h1-") && t.contains(" K@"))
    );
    // without the duty either capture will do
    let free = moved(62, "Kh1* Rb1* Kp8 Re5 ke9 kd1 ko16");
    assert!(has(&free, "castle h1-d1 b1-e1 K@a5") && has(&free, "Re5xe9 K@a5"));
}

#[test]
fn h8_the_last_two_kings_are_not_placed() {
    let at = men("white", "Qg1* Rb1* kd1 ke1 Kp8");
    assert_eq!(
        of(&at, "castle g1-d1 b1-e1").join(" "),
        "castle g1-d1 b1-e1"
    );
    let with_a_third = men("white", "Qg1* Rb1* kd1 ke1 ko16 Kp8");
    assert!(has(&with_a_third, "castle g1-d1 b1-e1 K@a5 K@b6"));
    assert!(!has(&with_a_third, "castle g1-d1 b1-e1 K@b6 K@a5"));
}

#[test]
fn h11_one_piece_of_a_castling_may_stay() {
    let at = men("white", "Kh1* Rb1* Kp8 ko16 kp16");
    assert!(has(&at, "castle h1-h1 b1-g1") && has(&at, "castle h1-c1 b1-b1"));
    let at = line(&at, "castle h1-h1 b1-g1, Kp16-p15");
    assert!(has(&at, "Kh1-h2"), "the piece that stayed is castled too");
}

#[test]
fn h12_the_last_king_does_not_castle_into_attack() {
    let at = men("white", "Kh1* Rb1* re9 ko16 kp16");
    assert!(!has(&at, "castle h1-e1 b1-d1") && !has(&at, "castle h1-e1 b1-f1"));
    // through the attacked square it may pass, or put the rook there
    assert!(has(&at, "castle h1-c1 b1-d1") && has(&at, "castle h1-d1 b1-e1"));
    // with a second king it may
    let two = men("white", "Kh1* Rb1* Kp8 re9 ko16 kp16");
    assert!(has(&two, "castle h1-e1 b1-d1"));
}

#[test]
fn h13_no_castling_is_owed_before_it_is_tight() {
    let list = "Ra1* Rb1* Ro1* Rp1* Ra2* Rb2* Ro2* Rp2* Qg1* Kh1* Ki1* Qj1* Qg2* Kh2* Ki2* Qj2* Nc5 ko16 kp16";
    // eight are left: due from the 57th move on
    assert!(has(&moved(55, list), "Nc5-d7"));
    assert!(
        all(&moved(56, list))
            .iter()
            .all(|t| t.starts_with("castle "))
    );
}

#[test]
fn h14_after_move_64_right_and_protection_lapse() {
    // no castling exists: every pair is blocked
    let at = moved(63, "Kh1* Rb1* Nc1 Ne1 Ng1 Kp1 rh9 ko16 kp16");
    assert!(!has(
        &play(
            &moved(62, "Kh1* Rb1* Nc1 Ne1 Ng1 Kp1 rh9 ko16 kp16"),
            "Kp1-p2"
        ),
        "Rh9xh1 K@a5"
    ));
    let at = play(&at, "Kp1-p2");
    assert!(all(&at).iter().all(|t| t.starts_with("Rh9xh1 K@")));
    // the last king must be safe as it then stands
    let last = moved(63, "Kh1* Pd2 Re5 rh9 ko16 kp16");
    assert_eq!(all(&last).join(" "), "Re5-h5");
}

#[test]
fn h15_an_uncastled_piece_is_immobile_while_blocked() {
    let at = men("white", "Kh1* Rb1* Nc1 Ne1 Ng1 Kp1 ko16 kp16");
    assert!(of(&at, "Kh1").is_empty() && of(&at, "Rb1").is_empty() && of(&at, "castle").is_empty());
    assert!(why(&at, "Rb1-b5").contains("uncastled"));
}

#[test]
fn h16_h17_what_a_leap_may_take_back() {
    let at = men("white", "Pg16 Qg1* Rg2* Ng5 Kg6 Pg7 Bg9 Ka1 ko14 kp14");
    let takes: Vec<String> = of(&at, "g16x");
    assert_eq!(takes.join(" "), "g16xg5 g16xg9");
    assert_eq!(note(&play(&at, "g16xg9"), 0, "Hand"), "B");
}

#[test]
fn h18_a_swap_gives_the_opponent_a_pawn() {
    // four pawns on the file do not matter
    let at = held("white", "black Q1 P1", "Pe16 Pe4 Pe5 Pe6 Ka1 Kb1 ko14 kp14");
    assert_eq!(of(&at, "e16=").join(" "), "e16=Q");
    let at = play(&at, "e16=Q");
    assert_eq!(note(&at, 1, "Hand"), "Px2");
}

#[test]
fn h19_no_side_step_into_a_full_file() {
    let at = men("white", "Pe16 Pd4 Pd5 Pd6 Pd7 nf16 Ka1 Kb1 ko14 kp14");
    assert!(!has(&at, "e16-d16") && has(&at, "e16xf16"));
    let taking = men("white", "Pe16 Pd4 Pd5 Pd6 Pd7 nd16 Ka1 Kb1 ko14 kp14");
    assert!(!has(&taking, "e16xd16"));
}

#[test]
fn h20_a_barred_capture_is_no_check() {
    // four black pawns on file c: d4 does not attack c3
    let full = "pc6 pc5 pc7 pc9 pd4 Kc3 Nb3 ko16 kp16";
    let at = men("white", full);
    assert!(has(&at, "Nb3-d2"));
    // taking one of them would make it a check
    assert!(!has(&at, "Nb3xc5"));
    // an uncastled rook or queen attacks nothing along its lines
    assert!(has(&men("white", "Ka9 Pc3 qa16* kp8 ko8"), "c3-c4"));
    // a pinned piece still checks: d9 may not leave its king's file
    let pinned = men("white", "Kb8 Rd1 Pm3 nd9 kd16");
    assert!(!has(&pinned, "m3-m4"));
}

#[test]
fn h21_a_step_or_drop_onto_a_jumped_square_takes_nothing() {
    let at = Drawn {
        turn: "black",
        hands: "black N1",
        jumped: "e5 e6 e7 e8 e9",
        ..Drawn::new(HYDRA)
    }
    .men("Pe9 Ka1 Kb1 pe15 pd8 ko16 kp16");
    assert!(has(&at, "N@e6") && has(&at, "d8xe7"));
    assert_eq!(note(&play(&at, "N@e6"), 1, "Hand"), "empty");
    // a black pawn's jump stops above the jumper; a step onto e8 from above does not exist
    let below = Drawn {
        turn: "black",
        jumped: "b3 b4 b5 b6 b7 b8 b9",
        ..Drawn::new(HYDRA)
    }
    .men("Pb9 pb8 Ka1 Kd1 ko16 kp16");
    assert_eq!(of(&below, "b8").join(" "), "b8-b7");
    assert_eq!(note(&play(&below, "b8-b7"), 1, "Hand"), "empty");
}

#[test]
fn h22_no_en_passant_onto_own_or_uncastled_units() {
    let at = Drawn {
        turn: "black",
        jumped: "b2 b3 b4 b5 b6 b7 b8",
        ..Drawn::new(HYDRA)
    }
    .men("Pb8 Rb2* nb5 na4 Kp1 Kp2 ko16 kp16 rh5");
    assert!(!has(&at, "Na4xb2") && !has(&at, "Na4-b2"));
    assert!(!has(&at, "Rh5xb5") && has(&at, "Na4xb6"));
}

#[test]
fn en_passant_by_a_backward_leap() {
    // the leap captures where it lands on a jumped square, an own piece standing there included
    let at = jumped("e13 e12 e11 e10 e9", "Pe16 Ne11 Ka1 Kb1 pe9 ko16 kp15");
    assert_eq!(note(&play(&at, "e16xe12"), 0, "Hand"), "P");
    assert_eq!(note(&play(&at, "e16xe11"), 0, "Hand"), "N P");
}

#[test]
fn h23_pawns_at_ranks_7_and_8() {
    let at = men("white", "Pc7 Pe8 Pg9 Pi15 Ka1 Kb1 ko14 kp14");
    assert_eq!(of(&at, "c7").join(" "), "c7-c8 c7-c9");
    assert_eq!(of(&at, "e8").join(" "), "e8-e9");
    assert_eq!(of(&at, "g9").join(" "), "g9-g10");
    assert_eq!(of(&at, "i15").join(" "), "i15-i16");
    let black = men("black", "pc10 pe9 Ka1 Kb1 ko14 kp14");
    assert_eq!(of(&black, "c10").join(" "), "c10-c8 c10-c9");
    assert_eq!(of(&black, "e9").join(" "), "e9-e8");
}

#[test]
fn h24_a_pawn_jumps_over_enemies_and_kings() {
    let at = men("white", "Pc3 kc4 nc6 Kc7 pc8 Ka1 kp14");
    assert_eq!(of(&at, "c3").join(" "), "c3-c5 c3-c9");
}

#[test]
fn h25_weave_of_either_parity_and_nothing_else() {
    let rest = "Ke1 Kf1 ko16 kp16";
    for (white, first) in [(0, "a7-a8"), (1, "b7-b8")] {
        let (pawn, hole) = first.split_once('-').unwrap();
        let at = men("white", &format!("{} P{pawn} {rest}", weave(white, hole)));
        assert_eq!(
            drawn::men(&play(&at, first)),
            "Ke1 Kf1 ko16 kp16",
            "{first}"
        );
    }
    // a white rank facing a black one
    let mut solid = String::new();
    for file in 'a'..='p' {
        solid.push_str(&format!(
            "P{file}{} p{file}9 ",
            if file == 'a' { 7 } else { 8 }
        ));
    }
    let solid = format!("{solid}{rest}");
    let stays = play(&men("white", &solid), "a7-a8");
    assert_eq!(drawn::men(&stays).split(' ').count(), 36);
    let any = Drawn {
        options: "weave=any",
        ..Drawn::new(HYDRA)
    }
    .men(&solid);
    assert_eq!(drawn::men(&play(&any, "a7-a8")).split(' ').count(), 4);
}

#[test]
fn h26_any_move_completes_a_weave() {
    let rest = "Ke1 Kf1 kn16 ko16 nb10";
    let woven = weave(0, "a8");
    let dropped = held("white", "white P1", &format!("{woven} {rest}"));
    assert_eq!(
        drawn::men(&play(&dropped, "P@a8")),
        "Ke1 Kf1 nb10 kn16 ko16"
    );
    // a captured king is placed before the exile: not on a square that the exile empties
    let taking = men("white", &format!("{woven} ka8 Pb7 {rest}"));
    assert!(!has(&taking, "b7xa8 K@c8") && has(&taking, "b7xa8 K@b7"));
    let after = play(&taking, "b7xa8 K@b7");
    assert_eq!(drawn::men(&after), "Ke1 Kf1 Kb7 nb10 kn16 ko16");
    // no en passant against the exiled jumper
    let jump = play(&men("white", &format!("{woven} Pa4 {rest} nc5")), "a4-a8");
    assert!(has(&jump, "Nc5-a6") && !has(&jump, "Nc5xa6"));
}

#[test]
fn h27_en_passant_counts_only_where_it_is_possible() {
    let shuffle = "e4-e9, Rp16-p15, Rm1-m2, Rp15-p16";
    // black's knight may take in passing: the first position differs from the second
    let free = men("white", "Pe4 Rm1 Rd1 Kk3 Kl5 kc16 nc7 rp16");
    assert!(has(&line(&free, shuffle), "Rm2-m1"));
    // pinned before the last king it may not: the position would be the same
    let pinned = men("white", "Pe4 Rm1 Rc1 Kk3 Kl5 kc16 nc7 rp16");
    assert!(!has(&line(&pinned, shuffle), "Rm2-m1"));
    // one earlier occurrence is enough, the first position included
    let first = men("white", "Rm1 Kk3 Kl5 kc16 kd16 rp16");
    assert!(!has(&line(&first, "Rm1-m2, Rp16-p15, Rm2-m1"), "Rp15-p16"));
}

#[test]
fn h27_the_castling_duty_is_part_of_the_position() {
    // blocked, so that no castling exists; the duty of the 64th move makes another position
    let list = "Kh1* Rb1* Nc1 Ne1 Ng1 Kp1 Rm5 rm12 ko16 kp16";
    let shuffle = "Rm5-m6, Rm12-n12, Rm6-m5";
    assert!(has(&line(&moved(61, list), shuffle), "Rn12-m12"));
    assert!(!has(&line(&moved(60, list), shuffle), "Rn12-m12"));
}

#[test]
fn h28_no_move_with_two_kings_is_a_draw() {
    // white's kings stand walled in by uncastled pieces; the rook takes the last pawn
    let wall = "rb16* ra15* rb15* ro16* ro15* rp15*";
    let at = men(
        "black",
        &format!("Ka16 Kp16 {wall} kh16* kh15* qg16* qg15* re14 Pe8"),
    );
    let at = line(&at, "Re14-e13, e8-e9, Re13xe9");
    assert_eq!(outcome(&at), ": no legal move");
}

#[test]
fn h29_no_count_of_moves_without_progress() {
    // both kings walk their own half in rows, never on the same square twice
    let walk = |first: i32, step: i32| {
        (0..96).map(move |i| {
            let (row, x) = (i / 16, i % 16);
            let file = if row % 2 == 0 { x } else { 15 - x };
            let letter = char::from(b'a' + u8::try_from(file).unwrap());
            format!("{letter}{}", first + step * row)
        })
    };
    let white: Vec<String> = walk(1, 1).collect();
    let black: Vec<String> = walk(16, -1).collect();
    let mut at = men("white", "Ka1 Kh8 ka16 ki10");
    for i in 1..white.len() {
        at = play(&at, &format!("K{}-{}", white[i - 1], white[i]));
        at = play(&at, &format!("K{}-{}", black[i - 1], black[i]));
    }
    assert_eq!(at.ending(), None);
}

#[test]
fn h37_what_fills_rank_16() {
    let row = |files: &str, man: char| -> String {
        files.chars().map(|f| format!("{man}{f}16 ")).collect()
    };
    // pawns, pieces and a king, the last of them by a drop
    let mixed = format!(
        "{}{}Ro16 Ka16 Kp1 ki5 kk1",
        row("bcdefgh", 'P'),
        row("ijklmn", 'N')
    );
    let at = held("white", "white P1", &mixed);
    assert_eq!(outcome(&play(&at, "P@p16")), "white: rank filled");
    // an enemy's uncastled rook stays there
    let at = held("white", "white P1", &format!("{mixed} rp16*"));
    assert!(!has(&at, "P@p16") && of(&at, "Ro16x").is_empty());
    // a king placed there counts
    let placed = men(
        "white",
        &format!("{}Kp5 Na3 kb5 kd1", row("bcdefghijklmnop", 'R')),
    );
    assert_eq!(
        outcome(&play(&placed, "Na3xb5 K@a16")),
        "white: rank filled"
    );
}
