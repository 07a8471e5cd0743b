//! The worked examples T1 to T20 of the Maces games' rules text, each with its board.

use serde_json::{Value, json};
use tulpa::rules::{Cell, Ending, Happening, NoDice, Options, Seat, Shelf, Table, What, Wrong};

const WHITE: Seat = Seat(0);
const BLACK: Seat = Seat(1);

/// A drawn board, rank 10 first, files a to j; capitals are White's.
fn rows(drawn: &str) -> String {
    drawn
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(|line| {
            line.split_whitespace()
                .map(|c| if c == "." { "1" } else { c })
                .collect::<String>()
        })
        .map(|row| {
            // `11` would read as eleven vacant squares
            let mut out = String::new();
            let mut run = 0;
            for c in row.chars() {
                if c == '1' {
                    run += 1;
                    continue;
                }
                if run > 0 {
                    out.push_str(&run.to_string());
                }
                run = 0;
                out.push(c);
            }
            if run > 0 {
                out.push_str(&run.to_string());
            }
            out
        })
        .collect::<Vec<_>>()
        .join("/")
}

fn arranged(game: &str, position: &Value) -> Table {
    let shelf = Shelf::builtin();
    let book = shelf.get(game).expect("the game is there");
    Table::arrange(book, &Options::new(), position).expect("the position makes sense")
}

fn board(game: &str, turn: &str, drawn: &str) -> Table {
    arranged(game, &json!({"board": rows(drawn), "turn": turn}))
}

fn start(game: &str) -> Table {
    let shelf = Shelf::builtin();
    let book = shelf.get(game).expect("the game is there");
    Table::begin(book, &Options::new(), &mut NoDice)
        .expect("the array makes sense")
        .0
}

fn mover(t: &Table) -> Seat {
    t.asks().first().expect("somebody is asked").seat
}

/// Plays an order of the side to move.
fn play(t: &Table, order: &str) -> Table {
    match t.act(mover(t), order, &mut NoDice) {
        Ok((next, _)) => next,
        Err(e) => panic!("`{order}`: {e:?}"),
    }
}

fn refused(t: &Table, order: &str) -> Wrong {
    match t.act(mover(t), order, &mut NoDice) {
        Ok((_, happened)) => panic!("`{order}` was played: {happened:?}"),
        Err(e) => e,
    }
}

/// The reason in the game's terms.
fn why(t: &Table, order: &str) -> String {
    match refused(t, order) {
        Wrong::NoSuchStep { why: Some(why), .. } => why,
        other => panic!("`{order}`: {other:?}"),
    }
}

/// Steps that may follow, out of all those that start with `with`.
fn next(t: &Table, so_far: &[&str], with: &str) -> Vec<String> {
    let next = t.next(mover(t), so_far).expect("these steps are legal");
    next.steps
        .into_iter()
        .filter(|s| s.starts_with(with))
        .collect()
}

/// What stands on a square: the letter, small for Black; `.` for nobody.
fn on(t: &Table, name: &str) -> char {
    let view = t.view(None);
    let sq = t.kit().square(name).expect("a square");
    match view.cells.get(usize::from(sq)) {
        Some(Cell::Man { seat, letter, .. }) if *seat == WHITE => *letter,
        Some(Cell::Man { letter, .. }) => letter.to_ascii_lowercase(),
        _ => '.',
    }
}

fn won(t: &Table, seat: Seat) -> bool {
    t.ending() == Some(Ending::win([seat], "king captured"))
}

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

const T2: &str = "
    . . . . . . k . . .
    . . . . . . . m . .
    . . . . . . . . . .
    . q n p . . . H . .
    . . M . . . . M . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . K . . . . .";

#[test]
fn t2_a_thrown_mace_strikes_at_once() {
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
fn t4_a_mace_rests_in_the_enemys_turn() {
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
fn t6_a_moved_mace_strikes_from_where_it_stands() {
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
fn t7_a_swing_is_owed_even_if_it_exposes_the_king() {
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
fn t10_a_tossed_king() {
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
fn t12_pawns_and_passing() {
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
fn t13_promotion() {
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

fn pick(t: &Table, cards: [&str; 2]) -> (Table, Vec<Happening>) {
    let (t, mut out) = t
        .act(WHITE, &format!("pick {}", cards[0]), &mut NoDice)
        .expect("white's card");
    let (t, more) = t
        .act(BLACK, &format!("pick {}", cards[1]), &mut NoDice)
        .expect("black's card");
    out.extend(more);
    (t, out)
}

fn to_come(t: &Table, seat: Seat) -> String {
    let view = t.view(Some(WHITE));
    view.notes
        .into_iter()
        .find(|(s, ..)| *s == Some(seat))
        .map(|(_, _, text)| text)
        .expect("a note")
}

#[test]
fn t14_cards() {
    let t = start("tulpas");
    assert_eq!(t.asks().len(), 2);
    assert!(t.asks().iter().all(|a| a.what == What::Pick));
    assert_eq!(t.choices(BLACK, What::Pick).len(), 5);
    let (missed, out) = pick(&t, ["amazon", "ox"]);
    assert!(matches!(&out[2], Happening::Opened { created: None, cards, .. } if cards.len() == 2));
    assert_eq!(to_come(&missed, WHITE), "amazon ox archer spider mace");
    assert_eq!(missed.asks()[0].what, What::Turn);

    let (met, out) = pick(&t, ["amazon", "amazon"]);
    assert!(matches!(&out[2], Happening::Opened { created: Some(c), .. } if c == "amazon"));
    assert_eq!(met.asks()[0].what, What::Place);
    let t = play(&met, "A@d1");
    assert_eq!(
        (on(&t, "d1"), to_come(&t, WHITE).as_str()),
        ('A', "ox archer spider mace")
    );
    let t = play(&t, "a3-a4");
    // Black's own set is still whole; then White's Amazon is refused
    assert_eq!(t.choices(WHITE, What::Pick).len(), 5);
    let (t, _) = pick(&t, ["ox", "mace"]);
    let t = play(&t, "a8-a7");
    let e = t.act(BLACK, "pick amazon", &mut NoDice).expect_err("spent");
    let Wrong::NoSuchStep { why: Some(why), .. } = e else {
        panic!("{e:?}");
    };
    assert_eq!(
        why,
        "white's Amazon was created already; cards left: ox, archer, spider, mace"
    );
}

#[test]
fn t14_the_last_card_is_certain_and_none_ends_the_phase() {
    let rows = "m1n4n1m/1hrbqkbrh1/pppppppppp/10/10/10/10/PPPPPPPPPP/1HRBQKBRH1/M1N4N1M";
    let t = arranged(
        "tulpas",
        &json!({"board": rows, "turn": "black", "cards": {"white": ["ox"], "black": []}}),
    );
    assert_eq!(t.asks()[0].what, What::Turn);
    let (t, out) = t.act(BLACK, "a8-a7", &mut NoDice).expect("legal");
    assert!(out.contains(&Happening::Certain {
        seat: WHITE,
        card: "ox".to_owned()
    }));
    assert_eq!(t.choices(WHITE, What::Place).len(), 8);
    let t = play(&play(&t, "O@a2"), "a3-a4");
    assert_eq!((mover(&t), t.asks()[0].what), (BLACK, What::Turn));
    assert_eq!(to_come(&t, WHITE), "none");
}

#[test]
fn a_card_lies_face_down_until_both_are_in() {
    let t = start("tulpas");
    let (one, out) = t.act(BLACK, "pick spider", &mut NoDice).expect("a card");
    assert_eq!(out, [Happening::Picked { seat: BLACK }]);
    for eyes in [None, Some(WHITE), Some(BLACK)] {
        assert_eq!(one.view(eyes), t.view(eyes));
    }
    assert_eq!(one.choices(WHITE, What::Pick), t.choices(WHITE, What::Pick));
    assert_eq!(
        one.act(BLACK, "pick ox", &mut NoDice)
            .expect_err("once only"),
        Wrong::NotAsked
    );
    let options = Options::from([("reveal".to_owned(), "outcome".to_owned())]);
    let shelf = Shelf::builtin();
    let book = shelf.get("tulpas").expect("tulpas");
    let (t, _) = Table::begin(book, &options, &mut NoDice).expect("an option");
    let (_, out) = pick(&t, ["ox", "mace"]);
    assert!(matches!(&out[2], Happening::Opened { cards, created: None, .. } if cards.is_empty()));
}

#[test]
fn t15_placement() {
    let (t, _) = pick(&start("tulpas"), ["spider", "spider"]);
    let mut vacant = ["b1", "d1", "e1", "f1", "g1", "i1", "a2", "j2"].map(|s| format!("S@{s}"));
    vacant.sort();
    assert_eq!(t.choices(WHITE, What::Place), vacant);
    assert_eq!(
        why(&t, "S@a1"),
        "a1 is occupied; a Tulpa appears on a vacant square"
    );
    assert_eq!(
        why(&t, "S@a4"),
        "a Tulpa appears on white's home ranks only (1 and 2); a4 is outside"
    );
    assert_eq!(why(&t, "A@b1"), "the cards created the Spider: `S@b1`");
    let t = play(&play(&t, "S@b1"), "a3-a4");
    let (t, _) = pick(&t, ["ox", "ox"]);
    assert_eq!(
        why(&t, "O@b1"),
        "a Tulpa appears on black's home ranks only (10 and 9); b1 is outside"
    );
    assert_eq!(on(&play(&t, "O@b10"), "b10"), 'o');
}

#[test]
fn a16_full_home_ranks_and_the_one_vacant_square() {
    let full = "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        N N N N N N N N N N
        K N N N N N N N N N";
    let cards = json!({"white": ["ox", "mace"], "black": []});
    let t = arranged("tulpas", &json!({"board": rows(full), "cards": cards}));
    let (after, out) = pick(&t, ["ox", "ox"]);
    assert!(out.contains(&Happening::NoRoom { seat: WHITE }));
    assert!(
        out.iter()
            .any(|h| matches!(h, Happening::Opened { created: None, .. }))
    );
    assert_eq!(to_come(&after, WHITE), "ox mace");
    let one = rows(&full.replace("K N N", "K N ."));
    let t = arranged("tulpas", &json!({"board": one, "cards": cards}));
    let (after, out) = pick(&t, ["ox", "ox"]);
    assert!(out.contains(&Happening::Placed {
        seat: WHITE,
        text: "O@c1".to_owned(),
        forced: true
    }));
    assert_eq!(after.asks()[0].what, What::Turn);
}

#[test]
fn t16_the_wild_ox() {
    let t = board(
        "tulpas",
        "white",
        "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . p b . . . .
        . . . . n N . . . .
        . . . . p . . . . .
        . . . O . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    assert_eq!(
        next(&t, &[], "Od4xe6"),
        ["Od4xe6", "Od4xe6*e5", "Od4xe6*e7", "Od4xe6*f7"]
    );
    let after = play(&t, "Od4xe6*f7");
    assert_eq!(
        (on(&after, "e6"), on(&after, "f7"), on(&after, "e7")),
        ('O', '.', 'p')
    );
    refused(&t, "Od4xe6*f7*e7");
    refused(&t, "Od4xe6*f7; Oe6*e7");
    assert_eq!(
        why(&t, "Od4xe6*f6"),
        "the Knight on f6 is your own; a thrust removes enemies only"
    );
    assert_eq!(
        why(&t, "Od4*e5"),
        "the Wild Ox on d4 thrusts only from the square its own Knight move took it to"
    );
}

#[test]
fn t17_the_archer() {
    let drawn = "
        k . . . . . . . . .
        . . . . . . . . . .
        . . . . q . . . . .
        . . . . r . b . . .
        . . . . . . . . . .
        . . . . Y . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .";
    let t = board("tulpas", "white", drawn);
    assert_eq!(on(&play(&t, "Ye5*e7"), "e7"), '.');
    assert_eq!(on(&play(&t, "Ye5*e7"), "e5"), 'Y');
    assert_eq!(on(&play(&t, "Ye5xg7"), "g7"), 'Y');
    assert_eq!(
        why(&t, "Ye5*e8"),
        "e8 is out of the Archer's range of 2 squares"
    );
    for man in ["p", "P"] {
        let shut = drawn.replacen(
            ". . . . . . . . . .\n        . . . . Y",
            &format!(". . . . {man} . . . . .\n        . . . . Y"),
            1,
        );
        let t = board("tulpas", "white", &shut);
        assert!(!next(&t, &[], "Ye5").contains(&"Ye5*e7".to_owned()));
        assert_eq!(
            why(&t, "Ye5*e7"),
            "the Pawn on e6 stands in the arrow's way"
        );
    }
}

#[test]
fn t18_the_web() {
    let drawn = "
        . . . . . . . . . k
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . h . . .
        . . . . . m . . . .
        . . . . S . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .";
    let t = board("tulpas", "black", drawn);
    assert!(next(&t, &[], "Mf6").is_empty());
    let held = "the Spider on e5 holds the man on f6 (web)";
    assert_eq!(why(&t, "Mf6-f7"), held);
    assert_eq!(why(&t, "Mf6*e5"), held);
    let throws: Vec<String> = ["e6", "e8", "f5", "f9", "h5", "h9", "i6", "i8"]
        .map(|to| format!("Hg7^f6-{to}"))
        .into();
    assert_eq!(next(&t, &[], "Hg7^"), throws);
    // still webbed on e6 and f5: nothing is owed
    assert_eq!(on(&play(&t, "Hg7^f6-e6"), "e5"), 'S');
    let near = drawn
        .replacen(". . . . . . h . . .", ". . . . . . . . . .", 1)
        .replacen(". . . . S . . . . .", ". . . . S h . . . .", 1);
    let t = board("tulpas", "black", &near);
    assert!(next(&t, &[], "Hf5").is_empty());
    assert_eq!(
        why(&t, "Hf5^f6-g7"),
        "the Spider on e5 holds the man on f5 (web)"
    );
}

#[test]
fn t18_a_thrown_mace_is_free_and_swings() {
    let t = board(
        "tulpas",
        "black",
        "
        . . . . . . . . . k
        . . . . . . . . . .
        . . . . . . . . N .
        . . . . . . h . . .
        . . . . . m . . . .
        . . . . S . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        K . . . . . . . . .",
    );
    let after = play(&t, "Hg7^f6-h9; Mh9*i8");
    assert_eq!(on(&after, "i8"), '.');
}

#[test]
fn t19_two_maces_one_victim() {
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
fn stalemate_is_judged_on_the_main_action() {
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
fn repetition_may_be_claimed_at_the_third_and_ends_at_the_fifth() {
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
