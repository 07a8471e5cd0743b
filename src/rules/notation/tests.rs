use super::*;

fn legal(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

const CHESS: [&str; 16] = [
    "Ng1-f3", "Nb1-c3", "Nb1-d2", "Nf3-d2", "e2-e4", "e4xd5", "c4xd5", "O-O", "O-O-O", "e7-e8=Q",
    "e7-e8=N", "b2xc3", "Bd2-c3", "c5xd6ep", "Ra1-a3", "Ra5-a3",
];

#[track_caller]
fn one(text: &str, among: &[&str], wanted: &str) {
    match find(text, &legal(among)) {
        Found::One(at) => assert_eq!(among[at], wanted, "{text}"),
        other => panic!("`{text}` should be {wanted}: {other:?}"),
    }
}

#[track_caller]
fn many(text: &str, among: &[&str], wanted: &[&str]) {
    match find(text, &legal(among)) {
        Found::Many(all) => assert_eq!(
            all.iter().map(|at| among[*at]).collect::<Vec<_>>(),
            wanted,
            "{text}"
        ),
        other => panic!("`{text}` should be open: {other:?}"),
    }
}

#[track_caller]
fn none(text: &str, among: &[&str]) -> Vec<String> {
    match find(text, &legal(among)) {
        Found::None { nearest } => nearest.into_iter().map(|at| among[at].to_owned()).collect(),
        other => panic!("`{text}` should fit nothing: {other:?}"),
    }
}

#[test]
fn chess_as_people_write_it() {
    for (text, wanted) in [
        ("Nf3", "Ng1-f3"),
        ("nf3", "Ng1-f3"),
        ("g1f3", "Ng1-f3"),
        ("NG1-F3", "Ng1-f3"),
        ("g1 to f3", "Ng1-f3"),
        ("Knight to f3", "Ng1-f3"),
        ("N g1 f3", "Ng1-f3"),
        ("Ng1\u{2013}f3", "Ng1-f3"),
        ("\u{2658}f3!", "Ng1-f3"),
        ("Nbd2", "Nb1-d2"),
        ("N3d2", "Nf3-d2"),
        ("e4", "e2-e4"),
        ("E4", "e2-e4"),
        ("e2e4", "e2-e4"),
        ("e2 e4", "e2-e4"),
        ("Pe2-e4", "e2-e4"),
        ("pawn e4", "e2-e4"),
        ("exd5", "e4xd5"),
        ("ed5", "e4xd5"),
        ("e4:d5", "e4xd5"),
        ("e4 takes d5", "e4xd5"),
        ("e4xd5+", "e4xd5"),
        ("e4xd5?!", "e4xd5"),
        ("0-0", "O-O"),
        ("o-o", "O-O"),
        ("O-O+", "O-O"),
        ("0-0-0", "O-O-O"),
        ("castle long", "O-O-O"),
        ("castles kingside", "O-O"),
        ("e8=Q", "e7-e8=Q"),
        ("e7e8q", "e7-e8=Q"),
        ("e7-e8/N", "e7-e8=N"),
        ("e7-e8(N)", "e7-e8=N"),
        ("e8=n#", "e7-e8=N"),
        ("e7 e8 = Q", "e7-e8=Q"),
        ("e8 knight", "e7-e8=N"),
        ("c5xd6", "c5xd6ep"),
        ("cxd6 e.p.", "c5xd6ep"),
        ("cxd6 ep", "c5xd6ep"),
        ("c5d6", "c5xd6ep"),
        ("R1a3", "Ra1-a3"),
        ("12. Nf3", "Ng1-f3"),
        ("12...Nf3", "Ng1-f3"),
        ("Nf3.", "Ng1-f3"),
    ] {
        one(text, &CHESS, wanted);
    }
    many("e8", &CHESS, &["e7-e8=Q", "e7-e8=N"]);
    many("Nd2", &CHESS, &["Nb1-d2", "Nf3-d2"]);
    many("Ra3", &CHESS, &["Ra1-a3", "Ra5-a3"]);
    for text in [
        "Ng1xf3", "e4-d5", "Bg1f3", "e2e5", "", "e4xd5ep", "f3", "e8=K", "O-O-O-O",
    ] {
        none(text, &CHESS);
    }
}

#[test]
fn the_b_pawn_and_the_bishop() {
    one("bc3", &CHESS, "b2xc3");
    one("bxc3", &CHESS, "b2xc3");
    one("Bc3", &CHESS, "Bd2-c3");
    one("bc3", &["Bd2-c3"], "Bd2-c3");
    none("Bxc3", &["b2xc3"]);
    one("B2xc3", &["b2xc3"], "b2xc3");
    many("BXC3", &["b2xc3", "Bd2xc3"], &["b2xc3", "Bd2xc3"]);
}

#[test]
fn maces() {
    let all = [
        "Hb2^c3-a4",
        "Hd2^c3-a4",
        "Mc6*b7",
        "Mc6-b7",
        "Mc6xd7",
        "Yb2*b4",
        "Od4xe6*f7",
        "Od4xe6*d7",
        "Od4-e5",
        "Od4-e5*f6",
        "A@b2",
        "O@b2",
        "Hb2^c9-c10=Q",
        "Sd4-e5",
        "end",
    ];
    for (text, wanted) in [
        ("throw c3 to a4 from b2", "Hb2^c3-a4"),
        ("throw c3 a4 from d2", "Hd2^c3-a4"),
        ("Throw Nc3 to a4 with Hb2", "Hb2^c3-a4"),
        ("hb2^c3-a4", "Hb2^c3-a4"),
        ("b2^c3a4", "Hb2^c3-a4"),
        ("swing c6 b7", "Mc6*b7"),
        ("swing c6*b7", "Mc6*b7"),
        ("swing b7", "Mc6*b7"),
        ("c6*b7", "Mc6*b7"),
        ("mc6*b7", "Mc6*b7"),
        ("c6 b7", "Mc6-b7"),
        ("Mb7", "Mc6-b7"),
        ("shoot b2 b4", "Yb2*b4"),
        ("d4xe6*f7", "Od4xe6*f7"),
        ("d4e6*d7", "Od4xe6*d7"),
        ("place amazon b2", "A@b2"),
        ("place wild-ox on b2", "O@b2"),
        ("place ox b2", "O@b2"),
        ("drop A b2", "A@b2"),
        ("amazon@b2", "A@b2"),
        ("a@b2", "A@b2"),
        ("d4e5*f6", "Od4-e5*f6"),
        ("Oe5", "Od4-e5"),
        ("throw c9 to c10", "Hb2^c9-c10=Q"),
        ("end turn", "end"),
        ("END", "end"),
    ] {
        one(text, &all, wanted);
    }
    many("throw c3 to a4", &all, &["Hb2^c3-a4", "Hd2^c3-a4"]);
    many("@b2", &all, &["A@b2", "O@b2"]);
    for text in [
        "Mc6xb7",
        "c6xb7",
        "swing c6 d7",
        "d4xe6",
        "place mace b2",
        "throw c3",
    ] {
        none(text, &all);
    }
}

#[test]
fn hydra_and_dice() {
    let all = [
        "castle h1-d1 b1-c1",
        "castle h1-d1 b1-c1 K@a5 K@b6",
        "Rd4xd9 K@a5",
        "Rd4xd9 K@a6",
        "e16-d16",
        "e16xe10",
        "e16=Q",
        "e16-hand",
        "c15-c16=K",
        "N@k5",
    ];
    for (text, wanted) in [
        ("castle h1d1 b1c1", "castle h1-d1 b1-c1"),
        ("CASTLE H1-D1 B1-C1", "castle h1-d1 b1-c1"),
        (
            "castle Kh1-d1 Rb1-c1 k@a5 k@b6",
            "castle h1-d1 b1-c1 K@a5 K@b6",
        ),
        ("rxd9 k@a6", "Rd4xd9 K@a6"),
        ("d4d9 K@a5", "Rd4xd9 K@a5"),
        ("e16 to hand", "e16-hand"),
        ("e16 hand", "e16-hand"),
        ("e16=q", "e16=Q"),
        ("e16(Q)", "e16=Q"),
        ("drop N k5", "N@k5"),
        ("drop knight k5", "N@k5"),
        ("c16=K", "c15-c16=K"),
        ("e16e10", "e16xe10"),
    ] {
        one(text, &all, wanted);
    }
    none("Rd4xd9", &all);
    let dice = [
        "1:Pg1-e2",
        "2:Pg1-e2",
        "3:Rg6-e4",
        "4:Sg5xh6",
        "4:Sg5xh6=M",
        "1:Mf1-a6",
    ];
    one("3:g6e4", &dice, "3:Rg6-e4");
    one("3: Re4", &dice, "3:Rg6-e4");
    one("g6-e4", &dice, "3:Rg6-e4");
    one("sxh6", &dice, "4:Sg5xh6");
    one("sxh6=m", &dice, "4:Sg5xh6=M");
    many("Pg1-e2", &dice, &["1:Pg1-e2", "2:Pg1-e2"]);
    none("2:Rg6-e4", &dice);
}

#[test]
fn wide_boards() {
    let all = ["Caa1-aa3", "Ca1-a3", "Aa1-b3", "Ab1-b3", "Kac15-ad14"];
    one("aa1aa3", &all, "Caa1-aa3");
    many("Caa3", &all, &["Caa1-aa3", "Ca1-a3"]);
    one("Ca3", &all, "Ca1-a3");
    one("kad14", &all, "Kac15-ad14");
    many("Ab3", &all, &["Aa1-b3", "Ab1-b3"]);
}

#[test]
fn nearest_names_the_same_piece_first() {
    let near = none("Ng1-e3", &CHESS);
    assert_eq!(near[0], "Ng1-f3");
    assert!(near.len() <= NEAREST_MAX);
}

#[test]
fn every_text_finds_itself_and_its_variants() {
    let texts: Vec<String> = CHESS.iter().map(|text| (*text).to_owned()).collect();
    for (at, text) in texts.iter().enumerate() {
        assert_eq!(find(text, &texts), Found::One(at));
        assert!(looks_like_turn(text), "{text}");
        for variant in [
            text.to_ascii_lowercase(),
            text.to_ascii_uppercase(),
            text.replace(['-', 'x'], " "),
            format!("{text}+!"),
        ] {
            if text.starts_with("O-O") && variant.contains(' ') {
                continue;
            }
            assert_eq!(find(&variant, &texts), Found::One(at), "{variant}");
            assert!(looks_like_turn(&variant), "{variant}");
        }
    }
}

#[test]
fn steps_and_prose() {
    for line in [
        "e4",
        "Nf3",
        "e2e4",
        "d1 d9",
        "d1 to d9",
        "Nc1-d3; Mc6*b7",
        "Nc1-d3, Mc6*b7",
        "0-0",
        "O-O-O",
        "e8=Q",
        "e8(Q)",
        "e7e8q",
        "exd5 e.p.",
        "throw c3 to a4 from b2",
        "swing c6 b7",
        "place amazon b2",
        "drop N k5",
        "castle h1-d1 b1-c1 K@a5 K@b6",
        "Rd4xd9 K@a5",
        "e16-hand",
        "e16=Q",
        "2:Pg1-e2",
        "2: Pg1-e2",
        "Od4xe6*f7",
        "Caa1-aa3",
        "end",
        "12. Nf3",
        "Nf3!?",
        "N@k5",
        "a\u{2013}b".replace('a', "a2").replace('b', "a4").as_str(),
        "Hb2^c3-a4=Q",
        "Knight to f3",
        "e4.",
        "place a on b2",
        "swing b7",
        "castle short",
    ] {
        assert!(looks_like_turn(line), "{line}");
    }
    for line in [
        "ok see you at e4 then",
        "Hi Bob",
        "thanks",
        "",
        "   ",
        "I played e4",
        "am a5",
        "see you at 5",
        "2",
        "2:30",
        "a",
        "Bob",
        "on b4",
        "best",
        "castle",
        "the end",
        "place your bets",
        "throw it",
        "-- ",
        ">",
        "x",
        "O",
        "end of story",
        "Regards, Bob",
        "10-12",
        "e4 e5 e6",
        "room b40",
        "covid19",
    ] {
        assert!(!looks_like_turn(line), "{line}");
    }
    assert_eq!(split_turn(" a; b,c\r\nd ;"), ["a", "b", "c", "d"]);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_stumble(text in "\\PC{0,40}") {
        let known = legal(&CHESS);
        let _ = find(&text, &known);
        let _ = looks_like_turn(&text);
    }

    #[test]
    fn moves_round_trip(letter in "[A-Z]?", from in "([a-z]|a[a-d])(1[0-6]|[1-9])", sign in "[-x]", to in "([a-z]|a[a-d])(1[0-6]|[1-9])", tail in "(=[A-Z]|ep)?") {
        let text = format!("{letter}{from}{sign}{to}{tail}");
        let known = vec![text.clone()];
        proptest::prop_assert!(looks_like_turn(&text));
        for variant in [text.clone(), text.to_ascii_lowercase(), text.to_ascii_uppercase(), format!(" {from} {to}{tail} "), format!("{from}{to}{}", tail.to_ascii_lowercase())] {
            proptest::prop_assert_eq!(find(&variant, &known), Found::One(0), "{}", variant);
        }
    }
}

#[test]
fn the_man_that_activates_is_named_behind() {
    for (text, step, square) in [
        ("Cc1-c3 (f1)", "Cc1-c3", "f1"),
        ("Cc1-c3(F1)", "Cc1-c3", "f1"),
        (" Nb2xc4 (by Cab12) ", "Nb2xc4", "ab12"),
        ("e8(Q)", "e8", "q"),
    ] {
        let (before, named) = named_behind(text).expect(text);
        assert_eq!((before, named.as_str()), (step, square), "{text}");
    }
    assert_eq!(named_behind("Cc1-c3"), None);
    assert!(looks_like_turn("Cc1-c3 (f1); M b5-b6 (by c3)"));
    assert!(!looks_like_turn("see you (c3)"));
}

#[test]
fn a_paladin_is_no_pawn() {
    // in Martian Chaturaji the P is written: `h3` alone is nobody's short form
    let legal: Vec<String> = ["2:Pg1-h3", "4:Sf2-f3"].map(str::to_owned).to_vec();
    assert!(matches!(find("h3", &legal), Found::None { .. }));
    assert_eq!(find("Ph3", &legal), Found::One(0));
    assert_eq!(find("g1h3", &legal), Found::One(0));
    assert_eq!(find("4:Sf3", &legal), Found::One(1));
}
