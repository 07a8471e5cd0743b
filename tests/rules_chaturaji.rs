//! Martian Chaturaji: the worked examples of its rules page on the opening, the dice, the men and
//! the thrones, with boards.

use serde_json::{Value, json};
use tulpa::rules::{Happening, NoDice, Options, Seat, Table, What, Wrong};

mod four;
use four::*;

#[test]
fn the_opening_roll_names_the_team_and_the_team_names_the_seat() {
    // a tie is rolled again
    let (at, happened) = begin(&[(GREEN, &[2, 1]), (RED, &[2, 1]), (YELLOW, &[1, 4])]);
    let rolls = |values: [u16; 4]| Happening::Rolled {
        seat: GREEN,
        dice: (0..4).map(Seat).zip(values.map(|v| vec![v])).collect(),
    };
    assert_eq!(happened, [rolls([2, 1, 1, 2]), rolls([1, 4, 1, 1])]);
    let asks: Vec<_> = at.asks().iter().map(|a| (a.seat, a.what)).collect();
    assert_eq!(asks, [(YELLOW, What::Start), (RED, What::Start)]);
    assert_eq!(at.turn_no(), 1);
    assert_eq!(at.choices(RED, What::Start), ["start red", "start yellow"]);
    assert!(matches!(
        at.act(GREEN, "start green", &mut NoDice),
        Err(Wrong::NotAsked)
    ));
    assert!(at.act(RED, "start blue", &mut NoDice).is_err());
    let (at, happened) = at
        .act(RED, "start yellow", &mut told(&[(YELLOW, &[3, 4])]))
        .unwrap();
    assert_eq!(
        happened,
        [
            Happening::Started { seat: YELLOW },
            Happening::Rolled {
                seat: YELLOW,
                dice: vec![(YELLOW, vec![3, 4])]
            }
        ]
    );
    assert_eq!((mover(&at), at.turn_no()), (YELLOW, 1));
    let (at, _) = play_with(&at, "end", &[(BLUE, &[2, 2])]);
    assert_eq!((mover(&at), at.turn_no()), (BLUE, 2));
    // dice that never decide do not hang the game
    assert_eq!(begin(&[]).0.asks()[0].seat, GREEN);
    let (at, _) = begin(&[]);
    let book = at.book().clone();
    assert_eq!(Table::load(&book, &Options::new(), &at.save()), Ok(at));
}

#[test]
fn t1_the_array_and_its_moves() {
    let text = include_str!("conformance/perft.json");
    let figures: Value = serde_json::from_str(text).unwrap();
    for seat in SEATS {
        for die in 1u16..=4 {
            let at = drawn(ARRAY, seat, json!({seat: [die, die]}));
            let figure = &figures["chaturaji"][format!("die{die}")];
            assert_eq!(&json!(legal(&at).len()), figure, "{seat} {die}");
        }
    }
    let (at, _) = begin(&[(GREEN, &[2])]);
    assert_eq!(board(&at), board(&drawn(ARRAY, "green", json!({}))));
    let south = |a: u16, b: u16| drawn(ARRAY, "green", json!({"green": [a, b]}));
    let at = south(1, 2);
    assert_eq!(to(&at, 1, "f1"), "a6 b5 c1 c4 d1 d3 e1 e2 xb1");
    assert_eq!(to(&at, 2, "g1"), "e2 f3 h3");
    let at = south(3, 4);
    assert_eq!(to(&at, 3, "h1"), "f3");
    assert_eq!(to(&at, 4, "f2"), "f3 f4");
    assert_eq!(to(&at, 4, "g2"), "g3 g4");
    assert_eq!(to(&at, 4, "h2"), "h3 h4");
    let west = drawn(ARRAY, "yellow", json!({"yellow": [3, 2]}));
    assert_eq!(to(&west, 3, "a1"), "c3");
    assert_eq!(to(&west, 2, "a2"), "b4 c1 c3");
    let north = drawn(ARRAY, "blue", json!({"blue": [3, 3]}));
    assert_eq!(to(&north, 3, "a8"), "c6");
    let east = drawn(ARRAY, "red", json!({"red": [3, 1]}));
    assert_eq!(to(&east, 3, "h8"), "f6");
    assert_eq!(to(&east, 1, "h6"), "c1 d2 e3 f4 g5 h3 h4 h5 xh2");
    // T8
    let at = play(&south(4, 4), "4:Sg2-g3; 4:Sg3-g4");
    let view = at.view(None);
    assert!(view.four);
    assert_eq!(view.last.len(), 4);
}

#[test]
fn t2_t3_a_throne_gives_its_army() {
    let at = drawn(ARRAY, "green", json!({"green": [1, 1]}));
    let (at, happened) = play_with(&at, "1:Mf1-a6; 1:Ma6xa3", &[(BLUE, &[4, 4])]);
    assert!(happened.contains(&Happening::Passed { seat: YELLOW }));
    assert!(
        !happened
            .iter()
            .any(|h| matches!(h, Happening::Rolled { seat, .. } if *seat == YELLOW))
    );
    assert_eq!(mover(&at), BLUE);
    // four dice when green's turn comes
    let dice: &[(Seat, &[u16])] = &[(GREEN, &[1, 4]), (YELLOW, &[3, 1])];
    let at = play(&at, "end");
    assert_eq!(mover(&at), RED);
    let (at, happened) = play_with(&at, "end", dice);
    assert_eq!(
        happened.last(),
        Some(&Happening::Rolled {
            seat: GREEN,
            dice: vec![(GREEN, vec![1, 4]), (YELLOW, vec![3, 1])]
        })
    );
    assert_eq!(
        dice_of(&at),
        "green 1 (monarch), 4 (squire); yellow 3 (raven), 1 (paladin)"
    );
    assert_eq!(to(&at, 3, "a1"), "c3");
    assert!(why(&at, "4:Sg7-f7").contains("do not command red"));
    // leaving the throne does not end the command of this turn (A9), but the next has it no more
    let at = play(&at, "1:Ma3-a4; 3:Ra1-c3; 1:Pa2-b4; end");
    assert_eq!(mover(&at), BLUE);
    let at = play(&play(&at, "end"), "end");
    assert_eq!(
        (mover(&at), dice_of(&at).as_str()),
        (GREEN, "green 1 (monarch), 1 (monarch)")
    );
}

#[test]
fn t4_dice_count_up() {
    // without paladin and raven 2 and 3 name a squire, which may use both
    let at = drawn(
        "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
2  .  .  .  .  .  Ss .  .
1  .  .  .  .  .  SM .  .
",
        "green",
        json!({"green": [2, 3]}),
    );
    assert_eq!(legal(&at), ["2:Sf2-f3", "2:Sf2-f4", "3:Sf2-f3", "3:Sf2-f4"]);
    play(&at, "2:Sf2-f4; 3:Sf4-f5");
    assert!(why(&at, "2:Mf1-e1").contains("2 names the squire"));
    // only monarch and paladin left: 3 and 4 are dead, and who has no use for his dice is passed
    let lone = "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  SM SP .
";
    let at = drawn(lone, "green", json!({"green": [3, 4], "yellow": [1, 1]}));
    assert_eq!(mover(&at), YELLOW);
    let at = drawn(lone, "green", json!({"green": [2, 4]}));
    assert!(legal(&at).iter().all(|t| t.starts_with("2:P")));
    assert_eq!(dice_of(&at), "green 2 (paladin), 4 (names nobody)");
    // the turn ends by itself when no die is left that allows a move
    assert_eq!(mover(&play(&at, "2:Pg1-f3")), YELLOW);
    // rolled, then passed
    let (_, happened) = play_with(&at, "end", &[(YELLOW, &[3, 4]), (BLUE, &[1, 1])]);
    let kinds: Vec<&Happening> = happened.iter().skip(1).collect();
    assert!(matches!(
        kinds.as_slice(),
        [
            Happening::Rolled { seat: YELLOW, .. },
            Happening::Passed { seat: YELLOW },
            Happening::Rolled { seat: BLUE, .. }
        ]
    ));
    // a raven without a paladin answers to 2
    let at = drawn(
        "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  SM .  SR
",
        "green",
        json!({"green": [2, 3]}),
    );
    assert!(legal(&at).contains(&"2:Rh1-f3".to_owned()));
    assert!(legal(&at).contains(&"3:Rh1-f3".to_owned()));
    assert!(matches!(
        at.act(GREEN, "Rh1-f3", &mut NoDice),
        Err(Wrong::Ambiguous { readings, .. }) if readings == ["2:Rh1-f3", "3:Rh1-f3"]
    ));
    // promotion within the turn counts: a raven that returned takes the next 3 (A4)
    let at = drawn(
        "
8  .  .  NM .  .  .  .  .
7  .  .  .  .  Ss .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  SM .  .
",
        "green",
        json!({"green": [4, 3]}),
    );
    play(&at, "4:Se7-e8=R; 3:Re8-c6");
}

#[test]
fn t5_the_raven_leaps_over_and_takes_where_it_lands() {
    let at = drawn(
        "
8  .  .  NP .  .  .  .  .
7  .  .  .  .  .  .  .  .
6  .  NM .  .  .  Ws .  EM
5  .  .  .  .  Ns .  .  .
4  .  .  .  SR .  .  .  .
3  WM .  .  .  .  .  .  .
2  .  EP .  .  .  .  .  .
1  .  .  .  .  .  SM .  .
",
        "green",
        json!({"green": [3, 3]}),
    );
    let captures: Vec<String> = legal(&at).into_iter().filter(|t| t.contains('x')).collect();
    assert_eq!(captures, ["3:Rd4xb2", "3:Rd4xf6"]);
    assert!(why(&at, "3:Rd4xb6").contains("blue's monarch on b6"));
    let at = play(&at, "3:Rd4xf6; end");
    assert!(board(&at).contains("5  .  .  .  .  Ns"), "{}", board(&at));
}

const CENTRE: &str = "
8  .  .  NM .  .  .  .  .
7  .  .  .  .  .  .  .  .
6  .  .  .  .  .  .  ER EM
5  .  .  .  WR NR .  .  .
4  .  .  .  SR .  .  .  .
3  WM .  .  .  .  .  .  .
2  .  .  .  .  .  .  .  .
1  .  .  .  .  .  SM .  .
";

#[test]
fn t6_an_unkindness_of_ravens() {
    let at = drawn(CENTRE, "red", json!({"red": [3, 1]}));
    let (after, happened) = play_with(&at, "3:Rg6-e4; end", &[(GREEN, &[4, 4])]);
    let remark = "an unkindness of ravens: green's raven on d4, yellow's raven on d5 and blue's raven on e5 fell";
    assert!(
        happened.contains(&Happening::Remark(remark.to_owned())),
        "{happened:?}"
    );
    assert_eq!(
        board(&after),
        board(&drawn(
            "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
4  .  .  .  .  ER .  .  .
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  SM .  .
",
            "red",
            json!({})
        ))
    );
    // a capture on the fourth square is only a capture (A14)
    let at = drawn(
        &CENTRE.replace("4  .  .  .  SR . ", "4  .  .  .  SR Ss"),
        "red",
        json!({"red": [3, 1]}),
    );
    let after = play(&at, "3:Rg6xe4; end");
    assert!(
        board(&after).contains("4  .  .  .  SR ER"),
        "{}",
        board(&after)
    );
    assert!(
        board(&after).contains("5  .  .  .  WR NR"),
        "{}",
        board(&after)
    );
    // three of four are not there
    let at = drawn(
        &CENTRE.replace("5  .  .  .  WR NR", "5  .  .  WR .  NR"),
        "red",
        json!({"red": [3, 1]}),
    );
    let after = play(&at, "3:Rg6-e4; end");
    assert!(
        board(&after).contains("4  .  .  .  SR ER"),
        "{}",
        board(&after)
    );
    // a raven that comes from inside the centre does nothing
    let at = drawn(
        "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
5  .  .  .  WR NR .  .  .
4  .  .  .  .  ER .  .  .
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  SM .  SR
",
        "red",
        json!({"red": [3, 1]}),
    );
    let after = play(&at, "3:Re4-d4; end");
    assert!(board(&after).contains("5  .  .  .  WR NR"));
}

#[test]
fn t7_a_squire_becomes_what_its_colour_has_lost() {
    let far = "
8  .  .  .  EP .  NM .  .
7  .  .  .  .  Ss .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  SM .  SR
";
    let at = drawn(far, "green", json!({"green": [4, 4]}));
    assert_eq!(to(&at, 4, "e7"), "e8 e8=P xd8 xd8=P");
    assert!(why(&at, "4:Se7-e8=R").contains("has lost: paladin"));
    assert!(why(&at, "4:Se7xf8").contains("blue's monarch on f8"));
    // it stays and cannot move or promote later (A17)
    let after = play(&at, "4:Se7-e8");
    assert_eq!(mover(&after), YELLOW);
    let complete = far.replace("SM .  SR", "SM SP SR");
    let at = drawn(&complete, "green", json!({"green": [4, 4]}));
    assert_eq!(to(&at, 4, "e7"), "e8 xd8");
    assert!(why(&at, "4:Se7-e8=P").contains("lost nothing"));
    // late promotion is an option
    let on = drawn_with(
        &[("late_promotion", "true")],
        far,
        "green",
        json!({"green": [4, 4]}),
    );
    let on = play(&on, "4:Se7-e8; 4:Se8=P");
    assert!(board(&on).contains("EP SP NM"), "{}", board(&on));
}

#[test]
fn t8_the_double_step_does_not_leap() {
    let at = |rank: u8| {
        let men = format!(
            "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
4  .  .  .  .  .  .  {}  .
3  WM .  .  .  .  .  {}  .
2  .  .  .  .  .  .  Ss .
1  .  .  .  .  .  SM .  .
",
            if rank == 4 { "Es" } else { ". " },
            if rank == 3 { "Es" } else { ". " }
        );
        drawn(&men, "green", json!({"green": [4, 1]}))
    };
    assert_eq!(to(&at(3), 4, "g2"), "");
    assert_eq!(to(&at(4), 4, "g2"), "g3");
    assert_eq!(to(&at(5), 4, "g2"), "g3 g4");
}

#[test]
fn t9_a_partner_on_the_throne_helps_twice() {
    let at = drawn(
        "
8  .  .  SM .  .  .  .  .
7  Ns .  .  .  .  .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
",
        "green",
        json!({"green": [1, 1], "blue": [4, 4]}),
    );
    assert_eq!(
        dice_of(&at),
        "green 1 (monarch), 1 (monarch); blue 4 (squire), 4 (squire)"
    );
    let stays = play_with(&at, "end", &[(YELLOW, &[1, 1])]).0;
    let (stays, _) = play_with(&stays, "end", &[(BLUE, &[4, 2])]);
    assert_eq!(
        (mover(&stays), dice_of(&stays).as_str()),
        (BLUE, "blue 4 (squire), 2 (squire)")
    );
    let leaves = play_with(&at, "1:Mc8-c7; end", &[]).0;
    let (leaves, happened) = play_with(&leaves, "end", &[]);
    assert!(happened.contains(&Happening::Passed { seat: BLUE }));
    assert_eq!(mover(&leaves), RED);
}
