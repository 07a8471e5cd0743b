//! Chess from positions other than its array: the perft positions of the Chess Programming Wiki
//! (page "Perft Results", positions 2 to 6), and what a record's header may say of a plain game.

use serde_json::{Value, json};
use tulpa::rules::{NoDice, Options, Shelf, Table};

fn arrange(game: &str, position: &Value) -> Result<Table, String> {
    let shelf = Shelf::builtin();
    let book = shelf.get(game).expect("the game is there");
    Table::arrange(book, &Options::new(), position).map_err(|e| e.to_string())
}

/// Board, side, castlings of a FEN.
fn fen(text: &str) -> Table {
    let mut words = text.split(' ');
    let board = words.next().expect("a board");
    let turn = match words.next() {
        Some("b") => "black",
        _ => "white",
    };
    let castling = words.next().expect("castlings");
    arrange(
        "chess",
        &json!({"board": board, "turn": turn, "castling": castling}),
    )
    .expect("it makes sense")
}

/// Counts at once; the deepest of each are for `--ignored`.
const POSITIONS: &[(&str, &[u64])] = &[
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq",
        &[48, 2_039, 97_862, 4_085_603],
    ),
    (
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w -",
        &[14, 191, 2_812, 43_238, 674_624],
    ),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq",
        &[6, 264, 9_467, 422_333],
    ),
    (
        "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ",
        &[6, 264, 9_467, 422_333],
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ",
        &[44, 1_486, 62_379, 2_103_487],
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w -",
        &[46, 2_079, 89_890, 3_894_594],
    ),
];

/// Counts in a debug build.
const QUICK_MAX: u64 = 500_000;

fn counts(below: u64) {
    for (text, figures) in POSITIONS {
        let table = fen(text);
        for (at, figure) in figures.iter().enumerate().filter(|(_, n)| **n <= below) {
            assert_eq!(table.perft(at as u32 + 1), *figure, "{text} {}", at + 1);
        }
    }
}

#[test]
fn published_positions() {
    counts(QUICK_MAX);
}

#[test]
#[ignore = "ten million positions"]
fn published_positions_deep() {
    counts(u64::MAX);
}

#[test]
fn the_sum_of_the_first_steps_is_the_whole() {
    let table = fen(POSITIONS[0].0);
    let parts = table.divide(3);
    assert_eq!(parts.len(), 48);
    assert_eq!(parts.iter().map(|(_, n)| n).sum::<u64>(), 97_862);
    let castled = parts
        .iter()
        .find(|(text, _)| text == "O-O")
        .expect("it may castle");
    // counted with pyffish 0.0.90 (Fairy-Stockfish) behind e1g1
    assert_eq!(castled.1, 2_059);
}

#[test]
fn en_passant_from_outside_is_as_if_played() {
    let table = fen(POSITIONS[1].0);
    let seat = table.asks()[0].seat;
    let (played, _) = table.act(seat, "e2-e4", &mut NoDice).expect("legal");
    let mut position = json!({
        "board": "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8", "turn": "black", "castling": "-", "ep": "e3",
    });
    let arranged = arrange("chess", &position).expect("it makes sense");
    let black = arranged.asks()[0].seat;
    assert_eq!(
        arranged.choices(black, tulpa::rules::What::Turn),
        played.choices(black, tulpa::rules::What::Turn)
    );
    assert_eq!(arranged.perft(3), played.perft(3));
    position["ep"] = json!("g3");
    assert_eq!(
        arrange("chess", &position).unwrap_err(),
        "nobody has passed over `g3`"
    );
}

#[test]
fn hands_and_checks_may_be_told() {
    let board = "4k3/8/8/8/8/8/8/4K3";
    let hands = json!({"board": board, "hands": {"white": {"Q": 1, "P": 2}}});
    let table = arrange("crazyhouse", &hands).expect("it makes sense");
    // five king steps, 62 squares for the queen, 48 for a pawn
    assert_eq!(table.perft(1), 5 + 62 + 48);
    assert_eq!(
        arrange("chess", &hands).unwrap_err(),
        "this game has no drops"
    );
    let board = "4k3/8/8/8/8/8/8/Q3K3";
    let two = json!({"board": board, "checks": {"white": 2}});
    let table = arrange("threecheck", &two).expect("it makes sense");
    let seat = table.asks()[0].seat;
    let (over, _) = table.act(seat, "Qa1-a4", &mut NoDice).expect("legal");
    assert_eq!(over.ending().expect("the third check").reason, "checks");
}

#[test]
fn positions_that_cannot_be_are_refused() {
    for (position, says) in [
        (
            json!({"board": "8/8/8/8/8/8/8/4K3"}),
            "black has 0 royal pieces",
        ),
        (
            json!({"board": "4k3/8/8/8/4R3/8/8/4K3"}),
            "black is in check and it is not its turn",
        ),
        (
            json!({"board": "4k3/8/8/8/8/8/8/4K3", "castling": "K"}),
            "castling `K`: its men are not at home",
        ),
        (json!({"castling": "X"}), "`X` is no castling"),
        (json!({"turn": "green"}), "no seat `green`"),
        (json!({"boards": "8"}), "unknown field `boards`"),
        (json!([]), "position:"),
        (json!({"board": "9/8/8/8/8/8/8/8"}), "9 squares where 8 are"),
    ] {
        let said = arrange("chess", &position).unwrap_err();
        assert!(said.contains(says), "{position}: {said}");
    }
    // nothing told: the array
    assert_eq!(
        arrange("chess", &json!({})).expect("the array").perft(3),
        8_902
    );
    for game in ["tulpas", "chieftain", "hydra", "hydra-noloop", "chaturaji"] {
        arrange(game, &json!({})).unwrap_or_else(|e| panic!("{game}: {e}"));
    }
}
