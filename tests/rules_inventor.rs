//! What an inventor does: write a game as a text file, read what is wrong with it, play it.

use std::sync::Arc;

use tulpa::rules::record::{Writer, replay};
use tulpa::rules::{NoDice, Options, Rulebook, Shelf, Table};

mod chance;
use chance::{Random, order};

/// The worked example of `games/README.md`.
fn example() -> &'static str {
    let page = include_str!("../games/README.md");
    let (_, rest) = page.split_once("```ron\n").expect("an example");
    rest.split_once("\n```").expect("its end").0
}

fn book(id: &str, text: &str) -> Arc<Rulebook> {
    Arc::new(Rulebook::parse(id, text).unwrap_or_else(|e| panic!("{id}: {e}")))
}

fn begin(book: &Arc<Rulebook>) -> Table {
    Table::begin(book, &Options::new(), &mut NoDice)
        .expect("no options")
        .0
}

fn act(table: &Table, text: &str) -> Table {
    table
        .act(table.asks()[0].seat, text, &mut NoDice)
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
        .0
}

/// Plays at random until the game is over, and replays the record of it.
fn plays(id: &str, text: &str, seeds: u64) -> Vec<String> {
    let mut shelf = Shelf::default();
    shelf
        .add_text(id, text)
        .unwrap_or_else(|e| panic!("{id}: {e}"));
    let mut reasons = Vec::new();
    for seed in 0..seeds {
        let mut random = Random(seed);
        let mut table = begin(shelf.get(id).expect("just added"));
        let mut writer = Writer::new(&table, None, &[]).without_figures();
        for _ in 0..400 {
            let Some((seat, order)) = order(&table, &mut random) else {
                break;
            };
            let (next, happened) = table.act(seat, &order, &mut random).expect("legal");
            writer.add(&table, &order, &happened);
            table = next;
        }
        assert_eq!(replay(&shelf, &writer.text()).expect("it replays"), table);
        reasons.extend(table.ending().map(|e| e.reason));
    }
    reasons
}

#[test]
fn the_example_of_the_readme_is_played() {
    let wizards = book("wizards", example());
    let table = begin(&wizards);
    // ten pawns with two steps each; knights to a3 c3 h3 j3 k2; wizards leap straight over the pawns
    let seat = table.asks()[0].seat;
    let first = table.choices(seat, tulpa::rules::What::Turn);
    assert_eq!(first.len(), 20 + 5 + 2, "{first:?}");
    assert!(first.contains(&"Wd1-d4".to_owned()));
    // king to the hill
    let mut at = table;
    for text in ["f4", "a5", "Kf2", "a4", "Kg3", "b5", "Kg4"] {
        at = act(&at, text);
    }
    assert_eq!(at.ending().expect("on the hill").reason, "hill");
    assert!(!plays("wizards", example(), 6).is_empty());
}

/// Cannons that hop, a lake, elephants that the lake stops.
const LAKE: &str = r#"(
    title: "Lake", summary: "hoppers round a lake",
    seats: [(name: "north"), (name: "south")],
    board: (7, 8), array: "A",
    holes: ["d4", "d5"],
    arrays: { "A": ["cek1kec", "p1ppp1p", "7", "7", "7", "7", "P1PPP1P", "CEK1KEC"],
              "one": ["ce1k1ec", "p1ppp1p", "7", "7", "7", "7", "P1PPP1P", "CE1K1EC"] },
    pieces: {
        'K': (name: "kahn", moves: "K"),
        'C': (name: "cannon", moves: "mRcpR"),
        'E': (name: "elephant", moves: "nA"),
        'G': (name: "grasshopper", moves: "gQ"),
        'P': (name: "soldier", moves: "fsW", silent: true),
    },
    family: Chess(
        goals: [Extinct("K")],
        promotion: [(who: "P", into: "G")],
        stalemate: Loss,
    ),
)"#;

/// Captured men are dropped; whoever loses his last knight has lost.
const RIDERS: &str = r#"(
    title: "Last Rider", summary: "drops, and the knights are the aim",
    seats: [(name: "red"), (name: "black")],
    board: (6, 6), array: "A",
    arrays: { "A": ["rn2nr", "pppppp", "6", "6", "PPPPPP", "RN2NR"] },
    pieces: {
        'R': (name: "rook", moves: "R"),
        'N': (name: "knight", moves: "N"),
        'P': (name: "pawn", moves: "fmWfcF", silent: true),
        'Z': (name: "zebra", moves: "Z"),
    },
    family: Chess(
        goals: [Extinct("N")],
        drops: (promoted_as: 'P', not_on_ends: "P"),
        promotion: [(who: "P", into: "ZR", ranks: 1)],
        stalemate: Loss,
    ),
)"#;

#[test]
fn hoppers_and_holes() {
    let lake = book("lake", LAKE);
    let table = begin(&lake);
    let seat = table.asks()[0].seat;
    let first = table.choices(seat, tulpa::rules::What::Turn);
    // the lake: nobody steps on d4
    assert!(!first.iter().any(|t| t.ends_with("d4")), "{first:?}");
    // the cannon on a1 takes over one man only
    assert!(first.contains(&"Ca1xa7".to_owned()), "{first:?}");
    assert!(!first.iter().any(|t| t.starts_with("Ca1xa8")), "{first:?}");
    let reasons = plays("lake", LAKE, 6);
    assert!(reasons.iter().any(|r| r == "extinction"), "{reasons:?}");
}

#[test]
fn drops_with_extinction() {
    let reasons = plays("riders", RIDERS, 6);
    assert!(reasons.iter().any(|r| r == "extinction"), "{reasons:?}");
    let table = begin(&book("riders", RIDERS));
    let mut at = table;
    for text in ["a3", "b4", "axb4"] {
        at = act(&at, text);
    }
    let view = at.view(None);
    assert!(
        view.notes
            .iter()
            .any(|(_, what, text)| what == "In hand" && text == "P"),
        "{:?}",
        view.notes
    );
}

/// A game in which every line is right.
const PLAIN: &str = r#"(
    title: "x", summary: "x",
    seats: [(name: "white"), (name: "black")],
    board: (4, 4),
    array: "A",
    arrays: { "A": ["k2r", "p3", "P3", "K2R"] },
    pieces: {
        'K': (name: "king", moves: "K"),
        'R': (name: "rook", moves: "R"),
        'P': (name: "pawn", moves: "fmWfcF", silent: true),
    },
    family: Chess(
        royal: "K",
        promotion: [(who: "P", into: "R")],
    ),
)"#;

#[test]
fn a_wrong_file_says_where_and_what() {
    book("x", PLAIN);
    let family = |more: &str| format!("royal: \"K\", {more}");
    let royal = |more: String| ("royal: \"K\",", more);
    for ((from, to), line, says) in [
        // words that are not known: the nearest one
        (("title:", "titel:".to_owned()), 2, "did you mean `title`"),
        (("silent:", "silnet:".to_owned()), 10, "did you mean `silent`"),
        (("Chess(", "Ches(".to_owned()), 12, "did you mean `Chess`"),
        (royal(family("goals: [Hil([\"b2\"])],")), 13, "did you mean `Hill`"),
        (royal(family("stalemate: Lost,")), 13, "did you mean `Loss`"),
        (("array: \"A\"", "array: \"B\"".to_owned()), 5, "the default array `B` is not there"),
        // what was expected
        (("board: (4, 4)", "board: (4, \"4\")".to_owned()), 4, ""),
        (("board: (4, 4)", "board: (4, 0)".to_owned()), 0, "outside 1 x 1"),
        (("board: (4, 4)", "board: (40, 4)".to_owned()), 0, "outside 1 x 1"),
        (("title: \"x\", ", String::new()), 0, "title"),
        (("title: \"x\"", "title: \" \"".to_owned()), 2, "needs a `title`"),
        // seats and pieces
        (("\"black\"", "\"white\"".to_owned()), 3, "seat `white` needs a name of its own"),
        (("\"black\"", "\"Black\"".to_owned()), 3, "seat `Black` needs"),
        ((", (name: \"black\")", String::new()), 0, "2 seats"),
        (("'R': (name", "'r': (name".to_owned()), 9, "`r` is not an upper-case letter"),
        (("name: \"rook\", moves: \"R\"", "name: \"rook\", moves: \"R\", silent: true".to_owned()), 10, "both `silent`"),
        (("moves: \"R\"", "moves: \"\"".to_owned()), 9, "piece `R` has no `moves`"),
        (("moves: \"R\"", "moves: \"RX\"".to_owned()), 9, "unknown letter `X` at place 2"),
        (("name: \"rook\"", "name: \"\"".to_owned()), 9, "piece `R` needs a name"),
        // arrays and holes
        (("\"k2r\"", "\"k3r\"".to_owned()), 6, "too many squares"),
        (("\"k2r\"", "\"k1r\"".to_owned()), 6, "3 squares where 4 are"),
        (("\"k2r\"", "\"k2q\"".to_owned()), 6, "no piece `q`"),
        (("\"p3\", ", String::new()), 0, "3 rows, the board 4 ranks"),
        (("array: \"A\"", "holes: [\"z9\"], array: \"A\"".to_owned()), 5, "hole `z9` is not on the board"),
        (("array: \"A\"", "holes: [\"b1\", \"b1\"], array: \"A\"".to_owned()), 5, "`b1` is named twice"),
        (("array: \"A\"", "holes: [\"a1\"], array: \"A\"".to_owned()), 5, "a man stands in the hole `a1`"),
        // options
        (("family:", "options: {\"pace\": (values: [\"a\"], about: \"x\")}, family:".to_owned()), 12, "reads no option `pace`"),
        (("family:", "options: {\"array\": (values: [\"a\"], about: \"x\")}, family:".to_owned()), 12, "another name than `array`"),
        // rules that make no sense together
        (royal(String::new()), 0, "nobody can win"),
        (royal("goals: [LastRank(\"P\")], check: Capture,".to_owned()), 13, "`check: Capture` needs a `royal`"),
        (royal("goals: [LastRank(\"P\")], kings_apart: true,".to_owned()), 13, "`kings_apart` needs"),
        (royal("goals: [LastRank(\"P\"), Bare],".to_owned()), 0, "`Bare` needs"),
        (royal("goals: [LastRank(\"P\")], minor: \"R\",".to_owned()), 13, "`minor` needs"),
        (royal("goals: [LastRank(\"P\")], castling: [(king: \"a1\", lands: \"c1\", rook: \"d1\", rook_lands: \"b1\")],".to_owned()), 0, "no royal piece of white stands on a1"),
        (royal("royal: \"R\",".to_owned()), 0, ""),
        (royal("royal: \"Q\",".to_owned()), 13, "no piece `Q`"),
        (royal("royal: \"KR\",".to_owned()), 0, "2 royal pieces"),
        (royal(family("castling: [(king: \"a1\", lands: \"c1\", rook: \"c1\", rook_lands: \"b1\")],")), 13, "castling from `c1`: no man of white stands on c1"),
        (royal(family("castling: [(king: \"a1\", lands: \"c1\", rook: \"d9\", rook_lands: \"b1\")],")), 13, "`d9` is not on the board"),
        (royal(family("castling: [(king: \"a1\", lands: \"c2\", rook: \"d1\", rook_lands: \"b1\")],")), 13, "along one rank"),
        (royal(family("castling: [(king: \"a1\", lands: \"b1\", rook: \"d1\", rook_lands: \"b1\")],")), 13, "on one square"),
        (royal(family("castling: [(king: \"a1\", lands: \"c1\", rook: \"d1\", rook_lands: \"b1\"), (king: \"a1\", lands: \"b1\", rook: \"d1\", rook_lands: \"c1\")],")), 0, "both written O-O"),
        (royal(family("goals: [Hill([])],")), 0, "without squares"),
        (royal(family("goals: [Hill([\"a1\"])],")), 13, "a royal piece starts on `a1`"),
        (royal(family("goals: [Checks(0)],")), 0, "no checks"),
        (royal(family("check: Capture, goals: [Checks(3)],")), 0, "counting checks"),
        (royal(family("goals: [LoseAll],")), 0, "losing all men"),
        (royal(family("goals: [Extinct(\"\")],")), 0, "without letters"),
        (royal(family("must_capture: true, drops: (not_on_ends: \"P\"),")), 13, "`must_capture` and `drops`"),
        (royal(family("explosion: (spared: \"P\"), drops: (not_on_ends: \"P\"),")), 13, "`drops` and `explosion`"),
        (royal(family("minor: \"K\",")), 13, "no `minor` piece"),
        (royal(family("areas: [(who: \"K\", from: \"b1\", to: \"c2\")],")), 9 - 1, "starts outside its area"),
        (royal(family("areas: [(who: \"K\", from: \"a1\", to: \"c2\"), (who: \"K\", from: \"a1\", to: \"b2\")],")), 13 - 5, "`K` has two areas"),
        (royal(family("regional: [(who: 'P', from_rank: 9, moves: \"K\")],")), 0, "rank 9 of `P` is not on the board"),
        (royal(family("regional: [(who: 'P', from_rank: 3, moves: \"K\"), (who: 'P', from_rank: 2, moves: \"W\")],")), 10, "`P` is regional twice"),
        (("into: \"R\"", "into: \"K\"".to_owned()), 0, "royal piece"),
        (("into: \"R\"", "into: \"\"".to_owned()), 0, "needs ranks and pieces"),
        (("into: \"R\"", "into: \"R\", ranks: 0".to_owned()), 0, "needs ranks and pieces"),
        (("into: \"R\"", "into: \"R\", optional: true".to_owned()), 0, "cannot be `optional`"),
        (("(who: \"P\", into: \"R\")", "(who: \"P\", into: \"R\"), (who: \"P\", into: \"R\")".to_owned()), 0, "`P` promotes twice"),
        (("promotion: [(who: \"P\", into: \"R\")],", "drops: (promoted_as: 'P'),".to_owned()), 13 + 1, "`promoted_as` needs"),
    ] {
        assert!(PLAIN.contains(from), "{from}");
        let text = PLAIN.replacen(from, &to, 1);
        let error = match Rulebook::parse("x", &text) {
            Err(error) => error,
            Ok(_) => panic!("`{to}` for `{from}` is taken"),
        };
        let said = error.to_string();
        assert!(said.contains(says), "`{to}`: {said}");
        if line > 0 {
            assert_eq!(error.place.map(|p| p.0), Some(line), "`{to}`: {said}");
        }
    }
}

#[test]
fn a_game_that_is_over_before_it_begins_is_refused() {
    // a2 and b2 are guarded along the rank, b1 and b2 along the file
    let stuck = PLAIN.replace(
        r#"["k2r", "p3", "P3", "K2R"]"#,
        r#"["kr2", "4", "3r", "K3"]"#,
    );
    let said = match Rulebook::parse("x", &stuck) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("white cannot move"),
    };
    assert!(said.contains("over before its first turn"), "{said}");
}

#[test]
fn what_is_no_rulebook_never_panics() {
    let mut random = Random(12);
    let text = example();
    for _ in 0..300 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => {
                    bytes.remove(at);
                }
                1 => bytes.insert(at, b"(){}[]\",:'0aZ-"[random.below(14)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        // whatever is still a game is one that begins
        if let Ok(book) = Rulebook::parse("x", &text) {
            begin(&Arc::new(book));
        }
    }
}
