//! Perft of every plain game against a second program, and chess against the published figures.

use tulpa::rules::play::NoDice;
use tulpa::rules::{Options, Shelf, Table};

fn table(id: &str) -> Table {
    let shelf = Shelf::builtin();
    let book = shelf.get(id).unwrap_or_else(|| panic!("no game `{id}`"));
    match Table::begin(book, &Options::new(), &mut NoDice) {
        Ok((table, _)) => table,
        Err(e) => panic!("{id}: {e}"),
    }
}

/// Counts in a debug build; deeper counts are for `cargo test --release -- --ignored`.
const QUICK_MAX: u64 = 300_000;

/// Step sequences of depth 1, 2, 3 ... from the start.
///
/// Chess: the published figures. Depth 5 of antichess, atomic, crazyhouse, kingofthehill and threecheck: `tests/perft.sh`
/// of multi-variant Stockfish. Last depth of amazonchess, asean, chancellor, courier, embassy, janus, losalamos,
/// makruk, modern, nightrider and xiangqi: `tests/perft.sh` of Fairy-Stockfish. Depth 4 of almost, breakthrough, centaur,
/// grand and shako, depth 5 of almost, breakthrough, hoppelpoppel, knightmate, minixiangqi, newzealand and shatranj: `go perft`
/// of Fairy-Stockfish 11.1 (64 bit, large boards). All others: counted with
/// `pyffish` 0.0.90, the Python module of Fairy-Stockfish, over `legal_moves` of the variant of the same name (`3check` for
/// threecheck, `amazon` for amazonchess).
const FIGURES: &[(&str, &[u64])] = &[
    ("almost", &[22, 484, 11_895, 290_522, 7_812_388]),
    ("amazonchess", &[22, 484, 12_483, 318_185]),
    ("antichess", &[20, 400, 8_067, 153_299, 2_732_672]),
    ("asean", &[23, 529, 12_012, 273_026]),
    ("atomic", &[20, 400, 8_902, 197_326, 4_864_979]),
    ("berolina", &[30, 900, 28_328]),
    ("breakthrough", &[22, 484, 11_132, 256_036, 6_182_818]),
    ("capablanca", &[28, 784, 25_228, 805_128]),
    ("centaur", &[28, 784, 24_490, 763_180]),
    ("chancellor", &[24, 576, 15_896, 436_656]),
    ("chess", &[20, 400, 8_902, 197_281, 4_865_609]),
    ("courier", &[26, 678, 18_406, 500_337]),
    ("crazyhouse", &[20, 400, 8_902, 197_281, 4_888_832]),
    ("embassy", &[28, 784, 25_281, 809_539]),
    ("gardner", &[7, 53, 506, 4_775, 52_512]),
    ("gothic", &[28, 784, 25_283, 808_984]),
    ("grand", &[65, 4_225, 259_514, 15_921_643]),
    ("hoppelpoppel", &[20, 400, 9_034, 202_459, 5_056_643]),
    ("janus", &[28, 782, 24_747, 772_074]),
    ("kingofthehill", &[20, 400, 8_902, 197_281, 4_865_609]),
    ("knightmate", &[18, 324, 6_765, 139_774, 3_249_033]),
    ("losalamos", &[10, 100, 1_212, 14_332, 191_846]),
    ("makruk", &[23, 529, 12_012, 273_026]),
    ("minixiangqi", &[19, 331, 6_664, 127_164, 2_666_905]),
    ("modern", &[24, 576, 15_831, 433_729]),
    ("newzealand", &[20, 400, 8_976, 200_310, 4_987_426]),
    ("nightrider", &[24, 576, 15_586, 419_019]),
    ("shako", &[58, 3_364, 185_938, 10_273_158]),
    ("shatranj", &[16, 256, 4_176, 68_122, 1_164_248]),
    ("threecheck", &[20, 400, 8_902, 197_281, 4_865_609]),
    ("xiangqi", &[44, 1_920, 79_666, 3_290_240]),
];

#[test]
fn perft_of_every_game() {
    let mut wrong = Vec::new();
    for (id, counts) in FIGURES {
        let table = table(id);
        for (at, count) in counts.iter().enumerate().filter(|(_, n)| **n <= QUICK_MAX) {
            let got = table.perft(at as u32 + 1);
            if got != *count {
                wrong.push(format!("{id} perft({}): {got} instead of {count}", at + 1));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_plain_game_has_figures() {
    let shelf = Shelf::builtin();
    for book in shelf.books() {
        let plain = matches!(book.family, tulpa::rules::families::Family::Chess(_));
        let listed = FIGURES.iter().any(|(id, _)| *id == book.id);
        assert_eq!(plain, listed, "{}", book.id);
    }
}

#[test]
#[ignore = "millions of positions: run with --release"]
fn deep_perft_of_every_game() {
    for (id, counts) in FIGURES {
        let table = table(id);
        for (at, count) in counts.iter().enumerate() {
            assert_eq!(table.perft(at as u32 + 1), *count, "{id} perft({})", at + 1);
        }
    }
}

fn played(id: &str, turns: &[&str]) -> Table {
    let mut at = table(id);
    for text in turns {
        let seat = at.asks()[0].seat;
        at = at
            .act(seat, text, &mut NoDice)
            .unwrap_or_else(|e| panic!("{id} {text}: {e:?}"))
            .0;
    }
    at
}

fn ended(id: &str, turns: &[&str]) -> (Vec<u8>, String) {
    let end = played(id, turns)
        .ending()
        .unwrap_or_else(|| panic!("{id} goes on"));
    (end.winners.iter().map(|s| s.0).collect(), end.reason)
}

#[test]
fn each_goal_ends_its_game() {
    assert_eq!(
        ended(
            "kingofthehill",
            &["e4", "a6", "Ke2", "b6", "Ke3", "c6", "Kd4"]
        ),
        (vec![0], "hill".to_owned())
    );
    assert_eq!(
        ended("atomic", &["Nh3", "a6", "Ng5", "b6", "Nxf7"]),
        (vec![0], "king captured".to_owned())
    );
    assert_eq!(
        ended(
            "threecheck",
            &["e4", "e5", "Qh5", "a6", "Qxf7", "Kxf7", "Bc4", "Kg6", "Bf7"]
        ),
        (vec![0], "checks".to_owned())
    );
    let open = played("crazyhouse", &["e4", "d5", "exd5", "Qxd5", "Nc3", "Qe6"]);
    let legal = open.choices(open.asks()[0].seat, open.asks()[0].what);
    let drops: Vec<&String> = legal.iter().filter(|text| text.contains('@')).collect();
    assert_eq!(
        drops,
        ["P@e2", "P@e3", "P@e4", "P@e5"],
        "a drop may block a check",
    );
}
