use std::sync::Arc;

use crate::rules::play::{NoDice, Options, Seat};
use crate::rules::rulebook::Rulebook;
use crate::rules::shelf::Shelf;
use crate::rules::table::Table;

fn table(id: &str) -> Table {
    let shelf = Shelf::builtin();
    Table::begin(shelf.get(id).unwrap(), &Options::new(), &mut NoDice)
        .unwrap()
        .0
}

#[test]
fn perft_of_chess() {
    let table = table("chess");
    for (depth, count) in [(1, 20), (2, 400), (3, 8902), (4, 197_281)] {
        assert_eq!(table.perft(depth), count, "depth {depth}");
    }
}

fn play(id: &str, turns: &[&str]) -> Table {
    let mut table = table(id);
    for text in turns {
        let seat = table.asks()[0].seat;
        table = table
            .act(seat, text, &mut NoDice)
            .unwrap_or_else(|e| panic!("{text}: {e:?}"))
            .0;
    }
    table
}

#[test]
fn mate_and_the_words_for_it() {
    let table = play("chess", &["f3", "e5", "g4", "Qh4#"]);
    let end = table.ending().unwrap();
    assert_eq!(
        (end.winners, end.reason.as_str()),
        (vec![Seat(1)], "checkmate")
    );
    assert!(table.asks().is_empty());
    let again = Table::load(table.book(), &Options::new(), &table.save()).unwrap();
    assert_eq!(again, table);
}

#[test]
fn the_fifth_occurrence_is_a_draw_and_the_third_may_be_claimed() {
    let round = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let turns = |n: usize| {
        round
            .iter()
            .copied()
            .cycle()
            .take(4 * n)
            .collect::<Vec<_>>()
    };
    assert_eq!(play("chess", &turns(1)).draw_claim(), None);
    assert_eq!(
        play("chess", &turns(2)).draw_claim().as_deref(),
        Some("repetition")
    );
    assert_eq!(
        play("chess", &turns(4)).ending().unwrap().reason,
        "repetition"
    );
}

fn spec(moves: &str, family: &str) -> Result<Arc<Rulebook>, String> {
    let text = format!(
        r#"(title: "x", summary: "x", seats: [(name: "white"), (name: "black")], board: (4, 4), array: "A",
            arrays: {{"A": ["k3", "4", "4", "K2R"]}},
            pieces: {{'K': (name: "king", moves: "K"), 'R': (name: "rook", moves: "{moves}")}}, family: Chess({family}))"#
    );
    Rulebook::parse("x", &text)
        .map(Arc::new)
        .map_err(|e| e.to_string())
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(spec("R", "royal: \"K\"").is_ok());
    for (moves, family, says) in [
        ("X", "royal: \"K\"", "unknown letter `X` at place 1"),
        ("R", "", "nobody can win"),
        ("R", "royal: \"Z\"", "no piece `Z`"),
        ("R", "royal: \"R\"", "royal pieces in the array"),
        ("R", "royal: \"K\", goals: [LoseAll]", "losing all men"),
        (
            "R",
            "royal: \"K\", goals: [Hill([\"z9\"])]",
            "`z9` is not on the board",
        ),
        (
            "R",
            "royal: \"K\", promotion: [(who: \"R\", into: \"K\")]",
            "royal",
        ),
        ("R", "royal: \"K\", royals: \"K\"", "did you mean `royal`"),
    ] {
        let error = spec(moves, family).unwrap_err();
        assert!(error.contains(says), "{family}: {error}");
    }
}

#[test]
#[ignore = "a minute without optimisation; run by hand and by the benchmark"]
fn perft_five_of_chess() {
    assert_eq!(table("chess").perft(5), 4_865_609);
}
