//! Every game of the shelf, played at random, becomes a record that replays to the same table.

use std::collections::BTreeMap;

use tulpa::rules::record::{Writer, replay};
use tulpa::rules::{Ending, Options, Shelf, Table, What};

mod chance;
use chance::{Random, order};

/// Plays at most `acts` acts and answers the last table with the record of them.
fn play(game: &str, options: &Options, acts: usize, seed: u64) -> (Table, String) {
    let shelf = Shelf::builtin();
    let mut random = Random(seed);
    let book = shelf.get(game).expect("the game is there");
    let (mut table, begun) = Table::begin(book, options, &mut random).expect("the options are");
    let mut writer = Writer::new(&table, None, &begun);
    // a record cannot stop between two cards: one of them lies face down
    let between = |table: &Table| table.asks().len() == 1 && table.asks()[0].what == What::Pick;
    for act in 0.. {
        if act >= acts && !between(&table) {
            break;
        }
        let Some((seat, order)) = order(&table, &mut random) else {
            break;
        };
        let (next, happened) = table
            .act(seat, &order, &mut random)
            .unwrap_or_else(|e| panic!("{game} {seed}: `{order}`: {e:?}"));
        writer.add(&table, &order, &happened);
        table = next;
    }
    (table, writer.text())
}

fn replays(game: &str, options: &Options, acts: usize, seed: u64) {
    let (table, text) = play(game, options, acts, seed);
    let again = replay(&Shelf::builtin(), &text)
        .unwrap_or_else(|e| panic!("{game} {options:?} {seed}: {e}\n{text}"));
    assert_eq!(again, table, "{game} {options:?} {seed}\n{text}");
}

#[test]
fn random_matches_of_every_game_replay() {
    for (no, id) in Shelf::builtin().ids().enumerate() {
        let acts = if id.starts_with("hydra") { 12 } else { 40 };
        for round in 0..2 {
            replays(id, &Options::new(), acts, 1000 * round + no as u64);
        }
    }
}

#[test]
fn random_matches_with_every_option_replay() {
    for book in Shelf::builtin().books() {
        let arrays = book.array_names().map(|name| ("array", name));
        let values = book
            .options
            .iter()
            .flat_map(|(key, def)| def.values.iter().map(|v| (key.as_str(), v.as_str())));
        for (seed, (key, value)) in arrays.chain(values).enumerate() {
            let options = BTreeMap::from([(key.to_owned(), value.to_owned())]);
            replays(&book.id, &options, 10, seed as u64);
        }
    }
}

#[test]
fn a_long_match_of_each_family_replays() {
    for (game, acts) in [
        ("tulpas", 400),
        ("chaturaji", 400),
        ("chieftain", 60),
        ("hydra-noloop", 40),
        ("crazyhouse", 300),
    ] {
        replays(game, &Options::new(), acts, 77);
    }
}

fn wrong(text: &str) -> String {
    match replay(&Shelf::builtin(), text) {
        Ok(_) => panic!("{text} replays"),
        Err(e) => e.to_string(),
    }
}

fn fine(text: &str) {
    if let Err(e) = replay(&Shelf::builtin(), text) {
        panic!("{e}\n{text}");
    }
}

#[test]
fn what_a_record_may_say() {
    let chess = |rest: &str| format!("{{\"game\":\"chess\"}}\n{rest}\n");
    // outcomes that players bring about
    let e4 = r#"{"seat":"white","steps":["e2-e4"],"legal":[20]}"#;
    let agreed = r#"{"outcome":{"winner":[],"reason":"agreed"}}"#;
    let resigned = r#"{"outcome":{"winner":["white"],"reason":"resigned"}}"#;
    fine(&chess(&format!("{e4}\n{agreed}")));
    fine(&chess(&format!("{e4}\n{resigned}")));
    fine(
        "{\"game\":\"chaturaji\"}\n{\"outcome\":{\"winner\":[\"blue\",\"green\"],\"reason\":\"resigned\"}}",
    );
    assert!(
        wrong("{\"game\":\"chaturaji\"}\n{\"outcome\":{\"winner\":[\"green\"],\"reason\":\"resigned\"}}")
            .starts_with("line 2: the game is not over here")
    );
    assert!(
        wrong(&chess(&format!("{agreed}\n{e4}"))).contains("line 3: the record goes on behind")
    );
    assert!(
        wrong(&chess(
            r#"{"outcome":{"winner":["white"],"reason":"checkmate"}}"#
        ))
        .contains("not over here")
    );
    // a draw that was claimed
    let mut rounds = String::new();
    for _ in 0..2 {
        for (seat, step) in [
            ("white", "Ng1-f3"),
            ("black", "Ng8-f6"),
            ("white", "Nf3-g1"),
            ("black", "Nf6-g8"),
        ] {
            rounds.push_str(&format!("{{\"seat\":\"{seat}\",\"steps\":[\"{step}\"]}}\n"));
        }
    }
    let claimed = r#"{"outcome":{"winner":[],"reason":"repetition"}}"#;
    fine(&chess(&format!("{rounds}{claimed}")));
    assert!(wrong(&chess(claimed)).contains("not over here"));
    // figures
    let said = wrong(&chess(r#"{"seat":"white","steps":["e2-e4"],"legal":[21]}"#));
    assert!(
        said.ends_with("line 2: 20 legal steps before step 1, the record says 21"),
        "{said}"
    );
    let said = wrong(&chess(
        r#"{"seat":"white","steps":["e2-e4"],"legal":[20,20]}"#,
    ));
    assert!(said.contains("2 figures for 1 steps"), "{said}");
    // refusals: the text itself, not what it could be read as
    fine(&chess(
        r#"{"seat":"white","steps":["e2-e4"],"illegal":["e2xe4","e2-e5","end","e2-e4=Q","Pe2-e4"]}"#,
    ));
    let said = wrong(&chess(
        r#"{"seat":"white","steps":["e2-e4"],"illegal":["Ng1-f3"]}"#,
    ));
    assert!(said.contains("`Ng1-f3` is legal here"), "{said}");
    // a turn that is over
    let said = wrong(&chess(r#"{"seat":"white","steps":["e2-e4","end"]}"#));
    assert!(said.contains("over after 1 of 2"), "{said}");
    // headers
    fine("{\"game\":\"tulpas\",\"array\":\"b2\",\"reveal\":\"outcome\"}");
    fine("{\"game\":\"chieftain\",\"options\":{\"leaders\":\"leader2\"}}");
    fine("{\"game\":\"chaturaji\",\"late_promotion\":true,\"noprogress\":50}");
    let rows = ["rnbqkbnr", "pppppppp", "8", "8", "8", "8", "8", "4K3"];
    fine(&format!("{{\"game\":\"chess\",\"array\":{rows:?}}}"));
    fine(&format!(
        "{{\"game\":\"chess\",\"array\":\"{}\"}}",
        rows.join("/")
    ));
    assert!(
        wrong("{\"game\":\"tulpas\",\"reveals\":\"outcome\"}").contains("did you mean `reveal`")
    );
    assert!(wrong("{\"game\":\"tulpa\"}").contains("did you mean `tulpas`"));
}

#[test]
fn a_roll_may_follow_a_monarch_that_the_referee_placed() {
    // blue's home row is full and b7 alone is vacant in its second row (A22)
    let head = r#"{"game":"chaturaji","position":{"men":{"green":"Mh1 Pa8 Rb8 Sc8 Sd8 Se8",
 "yellow":"Ma3 Pf8 Rg8 Sh8 Sd7 Sh7","blue":"Pa7 Rc7","red":"Mh6 Pe7 Rf7 Sg7"},
 "turn":"green","dice":{"green":[1,4]}}}"#
        .replace('\n', "");
    let took = r#"{"seat":"green","steps":["1:Mh1xh6"]}"#;
    let red = r#"{"seat":"red","place":"M@h1"}"#;
    let blue = r#"{"seat":"blue","place":"M@b7"}"#;
    let on = "{\"seat\":\"yellow\",\"roll\":{\"yellow\":[3,2]}}\n{\"seat\":\"yellow\",\"steps\":[\"3:Rg8-e6\",\"end\"]}";
    for (choice, placed) in [
        ("second", format!("{red}\n{blue}")),
        ("first", format!("{blue}\n{red}")),
    ] {
        let exchange = format!("{{\"seat\":\"green\",\"exchange\":\"{choice}\"}}");
        fine(&format!("{head}\n{took}\n{exchange}\n{placed}\n{on}"));
    }
}

#[test]
fn a_position_stands_in_the_header() {
    let shelf = Shelf::builtin();
    let position = serde_json::json!({
        "board": "r3k2r/8/8/8/4p3/8/3P4/R3K2R", "turn": "white", "castling": "Kq",
    });
    let book = shelf.get("chess").expect("chess is there");
    let mut random = Random(5);
    let mut table = Table::arrange(book, &Options::new(), &position).expect("it makes sense");
    let mut writer = Writer::new(&table, Some(&position), &[]).without_figures();
    for _ in 0..30 {
        let Some((seat, order)) = order(&table, &mut random) else {
            break;
        };
        let (next, happened) = table.act(seat, &order, &mut random).expect("legal");
        writer.add(&table, &order, &happened);
        table = next;
    }
    if table.ending().is_none() {
        writer.end(book, &Ending::draw("agreed"));
    }
    assert!(!writer.text().contains("legal"));
    assert_eq!(replay(&shelf, &writer.text()).expect("it replays"), table);
}
