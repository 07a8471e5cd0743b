//! Martian Chaturaji: captured monarchs, their exchange, and how a game ends, with boards.

use serde_json::{Value, json};
use tulpa::rules::{Ending, Happening, NoDice, Options, Shelf, Table, What};

mod four;
use four::*;

/// Blue's monarch is off; green may take red's.
const EXCHANGE: &str = "
8  NR .  .  .  .  .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  .  .  SM
";

#[test]
fn t10_exchange_of_monarchs() {
    let at = drawn(EXCHANGE, "green", json!({"green": [1, 4]}));
    let at = play(&at, "1:Mh1xh6");
    let asks: Vec<_> = at.asks().iter().map(|a| (a.seat, a.what)).collect();
    assert_eq!(asks, [(GREEN, What::Exchange)]);
    assert_eq!(
        at.choices(GREEN, What::Exchange),
        ["exchange first", "exchange no", "exchange second"]
    );
    let first = play(&at, "exchange first");
    let asks: Vec<_> = first.asks().iter().map(|a| (a.seat, a.what)).collect();
    assert_eq!(asks, [(BLUE, What::Place)]);
    assert_eq!(
        first.choices(BLUE, What::Place).join(" "),
        "M@b8 M@c8 M@d8 M@e8 M@f8 M@g8 M@h8"
    );
    let placed = play(&first, "place M@h8");
    let asks: Vec<_> = placed.asks().iter().map(|a| (a.seat, a.what)).collect();
    assert_eq!(asks, [(RED, What::Place)]);
    // h6 and h8 are taken
    assert_eq!(
        placed.choices(RED, What::Place).join(" "),
        "M@h1 M@h2 M@h3 M@h4 M@h5 M@h7"
    );
    let at_once = play(&placed, "M@h7");
    assert_eq!(mover(&at_once), YELLOW);
    assert!(board(&at_once).contains("7  .  .  .  .  .  .  .  EM"));
    let second = play(&at, "exchange second");
    assert_eq!(mover(&second), RED);
    let (no, happened) = play_with(&at, "exchange no", &[]);
    assert_eq!(
        happened.first(),
        Some(&Happening::Exchange {
            seat: GREEN,
            choice: "no".to_owned()
        })
    );
    assert_eq!(mover(&no), YELLOW);
    // if yellow's monarch was off already the same capture wins
    let at = drawn(
        &EXCHANGE.replace("WM", "WR"),
        "green",
        json!({"green": [1, 4]}),
    );
    won(&play(&at, "1:Mh1xh6"), [GREEN, BLUE]);
}

#[test]
fn an_exchange_places_by_itself_where_one_square_is_left() {
    // only h8 of blue's home row is vacant
    let at = drawn(
        "
8  NR NP Ns Ns Ns Ws Ws .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  .  .  SM
",
        "green",
        json!({"green": [1, 4]}),
    );
    let at = play(&at, "1:Mh1xh6");
    let (at, happened) = play_with(&at, "exchange first", &[]);
    assert!(happened.contains(&Happening::Placed {
        seat: BLUE,
        text: "M@h8".to_owned(),
        forced: true
    }));
    assert_eq!(at.asks()[0].seat, RED);
    // a full home row gives way to the second row (A22)
    let at = drawn(
        "
8  NR NP Ns Ns Ns Ws Ws Ws
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
1  .  .  .  .  .  .  .  SM
",
        "green",
        json!({"green": [1, 4]}),
    );
    let at = play(&play(&at, "1:Mh1xh6"), "exchange first");
    assert_eq!(at.choices(BLUE, What::Place).len(), 8);
    assert!(at.choices(BLUE, What::Place).contains(&"M@a7".to_owned()));
}

#[test]
fn t11_two_monarchs_win_whatever_ones_own() {
    let at = drawn(
        "
6  .  .  .  .  .  .  .  EM
4  .  .  .  .  .  SM .  .
",
        "red",
        json!({"red": [1, 1]}),
    );
    let (at, happened) = play_with(&at, "1:Mh6xf4", &[]);
    won(&at, [YELLOW, RED]);
    assert!(matches!(happened.last(), Some(Happening::Ended(_))));
    // remaining dice are void
    let at = drawn(EXCHANGE, "red", json!({"red": [1, 1]}));
    let (over, _) = at
        .act(RED, "1:Mh6xh1; 1:Mh1-h2", &mut NoDice)
        .expect("the second is not played");
    assert_eq!(over, play_with(&at, "1:Mh6xh1", &[]).0);
}

#[test]
fn t12_a_seized_army_takes_its_own_colours_partner() {
    let at = drawn(
        "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
5  .  .  .  .  .  WP .  .
3  SM .  .  .  .  .  .  .
",
        "green",
        json!({"green": [1, 1], "yellow": [2, 2]}),
    );
    won(&play(&at, "2:Pf5xh6"), [GREEN, BLUE]);
    // red may take yellow's men while green's monarch sits there
    let seized = "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  WR .  EM
3  SM .  .  .  .  .  .  .
";
    let at = drawn(seized, "red", json!({"red": [1, 1]}));
    assert!(legal(&at).contains(&"1:Mh6xf6".to_owned()));
    let away = seized.replace("3  SM . ", "3  .  SM");
    let at = drawn(&away, "red", json!({"red": [1, 1]}));
    assert!(!legal(&at).contains(&"1:Mh6xf6".to_owned()));
    assert!(why(&at, "1:Mh6xf6").contains("yellow's raven on f6"));
}

#[test]
fn a_seized_squire_may_bring_a_monarch_back() {
    // README, Chaturaji 3
    let men = "
8  .  .  NM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
5  .  .  .  .  .  .  Ws .
3  SM .  .  .  .  .  .  .
";
    let dice = json!({"green": [1, 1], "yellow": [4, 4]});
    let at = drawn(men, "green", dice.clone());
    won(&play(&at, "4:Sg5xh6"), [GREEN, BLUE]);
    let back = play(&at, "4:Sg5xh6=M; end");
    assert_eq!(back.ending(), None);
    let never = drawn_with(&[("monarch", "never")], men, "green", dice);
    assert!(why(&never, "4:Sg5xh6=M").contains("has lost: paladin and raven"));
    // README, Chaturaji 4: the exchange lapses when a monarch came back in the same turn
    let at = drawn(
        "
8  NR .  SM .  .  .  .  .
6  .  .  .  .  .  .  .  EM
3  WM .  .  .  .  .  .  .
2  .  .  .  .  Ns .  .  .
",
        "green",
        json!({"green": [1, 1], "blue": [4, 4]}),
    );
    let open = play(&at, "1:Mc8-h3; 1:Mh3xh6; end");
    assert_eq!(open.asks()[0].what, What::Exchange);
    let lapsed = play(&at, "1:Mc8-h3; 1:Mh3xh6; 4:Se2-e1=M");
    assert_eq!(lapsed.asks()[0].what, What::Turn);
}

#[test]
fn fifty_rounds_without_progress_are_a_draw_where_chosen() {
    let shelf = Shelf::builtin();
    let book = shelf.get("chaturaji").unwrap();
    let run = |options: &Options| {
        let mut at = Table::begin(book, options, &mut NoDice).unwrap().0;
        at = at.act(GREEN, "start green", &mut NoDice).unwrap().0;
        let mut turns = 0;
        while at.ending().is_none() && turns < 300 {
            at = play(&at, "end");
            turns += 1;
        }
        (turns, at.ending())
    };
    assert_eq!(run(&Options::new()), (300, None));
    let options = Options::from([("noprogress".to_owned(), "50".to_owned())]);
    assert_eq!(run(&options), (200, Some(Ending::draw("no progress"))));
}

#[test]
fn nobody_can_move_and_the_referee_does_not_hang() {
    // both monarchs left are shut in by squires that have nowhere to go, for ever
    let at = drawn(
        "
8  SM Ss .  .  .  .  .  .
7  Ss Ss .  .  .  .  .  .
2  Es Es .  .  .  .  .  .
1  EM Es .  .  .  .  .  .
",
        "green",
        json!({}),
    );
    assert_eq!(at.ending(), Some(Ending::draw("no legal move")));
}

#[test]
fn positions_from_outside_are_checked() {
    let shelf = Shelf::builtin();
    let book = shelf.get("chaturaji").unwrap();
    let wrong = |position: Value| {
        let table = Table::arrange(book, &Options::new(), &position);
        table.unwrap_err().what
    };
    assert!(wrong(json!({"men": {"green": "Ma1 Ma2"}})).contains("more than one monarch"));
    assert!(wrong(json!({"men": {"pink": "Ma1"}})).contains("pink"));
    assert!(wrong(json!({"men": {"green": "Mz1"}})).contains("Mz1"));
    assert!(wrong(json!({"dice": {"green": [5, 1]}})).contains("1 to 4"));
    // two monarchs of a team off the board: over before anything
    won(&drawn("8  SM .", "green", json!({})), [GREEN, BLUE]);
}
