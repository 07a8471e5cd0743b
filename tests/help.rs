//! Help and rules texts: every example in them is replayed, every command they name is one the referee carries out.
//!
//! A comment in a text, which the reader never sees, tells where the examples below it are played:
//!
//! ```text
//! {# example {"game":"chess"} {"seat":"white","steps":["e2-e4"]} #}   a record: header, then turns
//! {# refused #}                                                     the lines up to the next blank one must be refused
//! ```
//!
//! An example is a line indented by four columns (six in rules), up to two blanks in a row, and every move in the prose.

use std::collections::{BTreeMap, BTreeSet};

use tulpa::post::help;
use tulpa::post::orders::understand;
use tulpa::post::quote::{Typed, What};
use tulpa::post::words::{BUILTIN, COLUMNS, Style, Templates};
use tulpa::referee::order::Order;
use tulpa::rules::{NoDice, Shelf, Table, Wrong, record};

/// What stands for something else in a help text, and something for it to stand for.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("ADDRESS", "bob@example.com"),
    ("GAME", "tulpas"),
    ("CARD", "amazon"),
    ("PIECE", "amazon"),
    ("SQUARE", "b2"),
    ("MOVES", "Nc1-a2"),
    ("TEXT", "hello"),
    ("NAME", "Alice"),
    ("SEAT", "green"),
    ("TOPIC", "start"),
];

/// Words set off by two blanks that are told, not commanded.
const SAID: &[&str] = &["_ - . '", "quit", "thanks", "or", "--"];

/// Lines indented as examples that are none: tables.
const TABLES: &[&str] = &[
    "1 monarch   2 paladin   3 raven   4 any one of the squires",
    "amazon   ox   archer   spider   mace",
];

fn orders(line: &str) -> Result<Vec<Order>, String> {
    let mut line = line.to_owned();
    for (word, value) in PLACEHOLDERS {
        line = line.replace(word, value);
    }
    if line.ends_with(" N") {
        line = line.replace(" N", " 7");
    }
    let typed = Typed {
        line: 1,
        what: What::Text {
            folded: line.clone(),
            raw: line.clone(),
        },
    };
    let understood = understand(&[typed]);
    let mut found = Vec::new();
    for part in understood.parts {
        for order in part.orders {
            found.push(order.order.map_err(|slip| format!("{slip:?}"))?);
        }
        if found.is_empty() && part.game.is_some() {
            found.push(Order::Status); // `game 42`: a heading
        }
    }
    Ok(found)
}

/// Is it a legal turn of whoever is asked, or the beginning of one that may end there?
fn plays(at: &Table, turn: &str) -> Result<(), String> {
    let ask = at.asks().first().copied().ok_or("the game is over")?;
    match at.act(ask.seat, turn, &mut NoDice) {
        Ok(_) | Err(Wrong::Unfinished { may_end: true, .. }) => Ok(()),
        Err(wrong) => Err(format!("{wrong:?}")),
    }
}

/// A record as it stands in a comment: JSON objects on one line.
fn table(shelf: &Shelf, text: &str) -> Result<Table, String> {
    let lines: Result<Vec<String>, _> = serde_json::Deserializer::from_str(text)
        .into_iter::<serde_json::Value>()
        .map(|v| v.map(|v| v.to_string()))
        .collect();
    let record = lines.map_err(|e| e.to_string())?.join("\n");
    record::replay(shelf, &record).map_err(|e| e.to_string())
}

/// A word of prose that is written as a move.
fn is_move(word: &str) -> bool {
    let word = word.trim_matches(|c: char| ".,;()".contains(c));
    let piece = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let file = piece.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let after = file.trim_start_matches(|c: char| c.is_ascii_digit());
    let files = piece.len() - file.len();
    let dice = word.as_bytes().get(1) == Some(&b':') && word.as_bytes()[0].is_ascii_digit();
    let castling = word.starts_with("O-O");
    let drop = word.as_bytes().get(1) == Some(&b'@');
    dice || castling
        || drop
        || ((1..=2).contains(&files)
            && after.len() < file.len()
            && after.starts_with(['-', 'x', '*', '^', '='])
            && after.len() > 1)
}

struct Walk<'a> {
    shelf: &'a Shelf,
    name: &'a str,
    at: Option<Table>,
    refused: bool,
    wrong: Vec<String>,
    examples: usize,
    commands: BTreeMap<String, Order>,
}

impl Walk<'_> {
    fn example(&mut self, text: &str) {
        let legal = match &self.at {
            None => Err("no `example` comment above it".to_owned()),
            Some(at) => plays(at, text),
        };
        self.examples += 1;
        if legal.is_ok() == self.refused {
            self.wrong
                .push(format!("{}: `{text}`: {legal:?}", self.name));
        }
    }

    /// A line of its own, or a piece of prose between two blanks.
    fn command(&mut self, text: &str) {
        // `days=5`: an option of `new`; shell commands are for the reader's own machine
        let option = format!("new chess vs bob@example.com {text}");
        let bare =
            text.contains('=') && text.bytes().take_while(u8::is_ascii_lowercase).count() > 1;
        let text = if bare && text.split(' ').all(|word| word.contains('=')) {
            &option
        } else {
            text
        };
        if [
            "printf ",
            "tulpa ",
            "sha256sum ",
            "openssl ",
            "n=",
            "c=",
            "s=",
            "python3 ",
        ]
        .iter()
        .any(|shell| text.starts_with(shell))
        {
            return;
        }
        // what stands for 64 hex digits
        let text = &text
            .replace("DIGITS", &"0".repeat(64))
            .replace("NONCE", &"0".repeat(64));
        match orders(text) {
            Err(slip) => self.wrong.push(format!("{}: `{text}`: {slip}", self.name)),
            Ok(orders) if orders.is_empty() => self
                .wrong
                .push(format!("{}: `{text}` is prose to the referee", self.name)),
            Ok(orders) => {
                for order in orders {
                    match &order {
                        Order::Play(turn) | Order::Preview(turn) => {
                            let turn = turn.clone();
                            self.example(&turn);
                        }
                        Order::Place(what) if self.at.is_some() && self.asks_place() => {
                            let what = format!("place {what}");
                            self.example(&what);
                        }
                        _ => {}
                    }
                    self.commands.insert(text.to_owned(), order);
                }
            }
        }
    }

    fn asks_place(&self) -> bool {
        let asks = self.at.as_ref().map(Table::asks).unwrap_or_default();
        asks.iter().any(|a| a.what == tulpa::rules::What::Place)
    }

    fn line(&mut self, line: &str, column: usize) {
        let indent = line.len() - line.trim_start().len();
        let body = line.trim();
        if TABLES.contains(&body) {
            return;
        }
        let mut rest = line;
        if indent == column {
            let (cell, after) = body.split_once("  ").unwrap_or((body, ""));
            rest = after;
            let several = cell
                .split(", ")
                .all(|c| !c.contains(' ') || c.contains(" to ") || c.starts_with("drop "));
            let cells: Vec<&str> = match several && !cell.starts_with("set") {
                true => cell.split(", ").collect(),
                false => vec![cell],
            };
            for cell in cells {
                self.command(cell.trim());
            }
        } else if indent == 2 && column == 4 && self.name == "help/help" {
            let (cell, after) = body.split_once("  ").unwrap_or((body, ""));
            rest = after;
            let after = after.trim();
            for cell in cell.split(", ") {
                self.command(cell);
            }
            // `accept draw, decline draw, claim draw`
            if cell.starts_with("offer draw") {
                after.split(", ").for_each(|c| self.command(c));
            }
        }
        // commands in prose stand between double blanks
        let pieces: Vec<&str> = rest.trim().split("  ").map(str::trim).collect();
        for piece in pieces.iter().filter(|p| !p.is_empty()) {
            let piece = piece.trim_end_matches(['.', ',', ':', ';']);
            let command =
                (pieces.len() > 2 || piece.starts_with("rules ") || piece.starts_with("notation "))
                    && orders(piece).is_ok_and(|o| !o.is_empty());
            if command && !SAID.contains(&piece) {
                self.command(piece);
            }
        }
        if indent == column
            && let Some((_, turn)) = rest.split_once("instead of ")
        {
            let turn = turn.split("; the").next().unwrap_or(turn).trim();
            return self.example(turn);
        }
        for word in rest.split_whitespace().filter(|w| is_move(w)) {
            let word = word.trim_matches(|c: char| ".,;()".contains(c));
            if !pieces.contains(&word) {
                self.example(word);
            }
        }
    }
}

/// The text with its comments.
fn source(name: &str) -> &'static str {
    BUILTIN.iter().find(|(n, _)| *n == name).unwrap().1
}

fn walk(shelf: &Shelf, name: &'static str) -> (Vec<String>, usize, BTreeMap<String, Order>) {
    let mut walk = Walk {
        shelf,
        name,
        at: None,
        refused: false,
        wrong: Vec::new(),
        examples: 0,
        commands: BTreeMap::new(),
    };
    let column = if name.starts_with("rules/") { 6 } else { 4 };
    for line in source(name).lines() {
        if let Some(comment) = line.trim().strip_prefix("{# ") {
            let comment = comment.trim_end_matches("#}").trim();
            if let Some(record) = comment.strip_prefix("example ") {
                match table(walk.shelf, record) {
                    Ok(at) => walk.at = Some(at),
                    Err(e) => walk.wrong.push(format!("{name}: {record}: {e}")),
                }
                walk.refused = false;
            } else if comment == "refused" {
                walk.refused = true;
            }
            continue;
        }
        if line.trim().is_empty() {
            walk.refused = false;
        }
        if line.contains("{{") || line.contains("{%") || line.starts_with("Subject:") {
            continue;
        }
        walk.line(line, column);
    }
    (walk.wrong, walk.examples, walk.commands)
}

fn texts() -> impl Iterator<Item = &'static str> {
    BUILTIN
        .iter()
        .map(|(n, _)| *n)
        .filter(|n| n.starts_with("help/") || n.starts_with("rules/"))
}

#[test]
fn every_example_is_legal_where_the_text_says_so() {
    let shelf = Shelf::builtin();
    let (mut wrong, mut examples) = (Vec::new(), 0);
    for name in texts() {
        let (bad, count, _) = walk(&shelf, name);
        if (name.starts_with("rules/") && !name.contains("/_") && name != "rules/plain")
            || name.starts_with("help/notation-")
        {
            assert!(count >= 2, "{name} has {count} examples");
        }
        wrong.extend(bad);
        examples += count;
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(examples > 80, "{examples}");
}

#[test]
fn a_wrong_example_is_found() {
    let shelf = Shelf::builtin();
    let at = table(&shelf, r#"{"game":"chess"}"#).unwrap();
    assert!(plays(&at, "e2-e4").is_ok());
    assert!(plays(&at, "e2-e5").is_err());
    assert!(
        table(
            &shelf,
            r#"{"game":"chess"} {"seat":"white","steps":["e2-e5"]}"#
        )
        .is_err()
    );
    assert!(is_move("c5xd6ep.") && is_move("Hc8^c9-b10=N") && is_move("1:Mf1-a6;"));
    assert!(!is_move("h8") && !is_move("two-step") && !is_move("a-file") && !is_move("x"));
    assert!(orders("pikc amazon").is_err());
    assert!(orders("good morning").unwrap().is_empty());
}

#[test]
fn the_rules_of_every_game_can_be_read() {
    let shelf = Shelf::builtin();
    let templates = Templates::builtin().unwrap();
    for book in shelf.books() {
        let words = help::rules(&templates, book, &Style::default()).unwrap();
        let text = &words.text;
        assert!(text.starts_with(&book.title), "{}", book.id);
        for line in text.lines() {
            assert!(line.chars().count() <= COLUMNS, "{}: {line}", book.id);
            assert!(
                line.trim_end() == line && !line.contains("{#"),
                "{}: {line}",
                book.id
            );
        }
        let ascii: String = text.chars().filter(|c| !c.is_ascii()).collect();
        assert!(
            ascii.chars().all(|c| "éúö".contains(c)),
            "{}: {ascii}",
            book.id
        );
        // the board, the doubt and every option are in it, and how it is opened
        let last = format!(
            "  {}",
            tulpa::post::board::file_name(usize::from(book.board.0) - 1)
        );
        assert!(text.contains(last.trim()), "{}", book.id);
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for needed in book
            .doubt
            .iter()
            .chain(book.options.values().map(|o| &o.about))
        {
            let needed = needed.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(&needed), "{}: {needed}", book.id);
        }
        assert!(
            flat.contains(&format!("new {} vs ADDRESS", book.id)),
            "{}",
            book.id
        );
        let lines = text.lines().count();
        assert!((30..=150).contains(&lines), "{}: {lines} lines", book.id);
    }
}

#[test]
fn the_first_move_that_plain_rules_show_is_legal() {
    let shelf = Shelf::builtin();
    let templates = Templates::builtin().unwrap();
    let mut plain = 0;
    for book in shelf.books() {
        let text = help::rules(&templates, book, &Style::default())
            .unwrap()
            .text;
        let Some((_, after)) = text.split_once("A first move\n") else {
            continue;
        };
        plain += 1;
        let (at, _) = Table::begin(book, &Default::default(), &mut NoDice).unwrap();
        assert_eq!(
            plays(&at, after.lines().next().unwrap().trim()),
            Ok(()),
            "{}",
            book.id
        );
    }
    assert!(plain >= 31, "{plain}");
}

#[test]
fn the_overview_fits_one_screen_and_names_every_topic() {
    let templates = Templates::builtin().unwrap();
    let words = templates
        .render("help/help", serde_json::json!({}), &Style::default())
        .unwrap();
    assert!(words.text.lines().count() <= 24, "{}", words.text);
    let named: BTreeSet<&str> = words
        .text
        .split_once("Topics:")
        .unwrap()
        .1
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|w| !w.is_empty() && *w != "help")
        .collect();
    let there: BTreeSet<&str> = help::topics()
        .filter(|t| *t != "help" && !t.starts_with("notation-"))
        .collect();
    assert_eq!(named, there);
    for (asked, meant) in [
        ("START", "help/start"),
        ("picks", "help/pick"),
        ("notation maces", "help/notation-maces"),
        ("xyzzy", "help/help"),
    ] {
        assert_eq!(help::topic(&templates, asked), meant);
    }
}

/// Every command in the texts is put to the referee, which may refuse it here and now, but must know how to do it.
#[test]
fn the_referee_can_do_what_the_texts_say() {
    let shelf = Shelf::builtin();
    let mut commands = BTreeMap::new();
    for name in texts() {
        commands.extend(walk(&shelf, name).2);
    }
    assert!(commands.len() > 60, "{}", commands.len());
    let known = commands
        .iter()
        .filter(|(_, order)| !help_can(order))
        .map(|(text, _)| text.as_str())
        .collect::<Vec<_>>();
    assert!(known.is_empty(), "the referee cannot do: {known:?}");
}

mod asked;
use asked::help_can;

/// `tulpa ...` in an empty directory: exit code, output, errors.
fn tulpa(dir: &std::path::Path, words: &[&str]) -> (i32, String, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_tulpa"))
        .args(words)
        .current_dir(dir)
        .env_remove("TULPA_CONFIG")
        .env("XDG_CONFIG_HOME", dir)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = out.status.code().unwrap();
    (code, text(out.stdout), text(out.stderr))
}

#[test]
fn the_command_line_lists_and_explains_the_games() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let shelf = Shelf::builtin();
    let (code, games, _) = tulpa(at, &["games"]);
    assert_eq!((code, games.lines().count()), (0, shelf.ids().count()));
    for (line, book) in games.lines().zip(shelf.books()) {
        let size = format!("{}x{}", book.board.0, book.board.1);
        assert!(line.starts_with(&book.id) && line.contains(&size), "{line}");
        assert!(line.ends_with(&book.summary), "{line}");
    }
    let (_, json, _) = tulpa(at, &["games", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), shelf.ids().count());
    let (code, _, error) = tulpa(at, &["rules", "tulpsa"]);
    assert!(
        code == 1 && error.contains("did you mean `tulpas`"),
        "{error}"
    );
    for command in ["rules", "notation"] {
        let (code, list, _) = tulpa(at, &[command]);
        assert_eq!((code, list.lines().count()), (0, shelf.ids().count()));
        let (code, text, _) = tulpa(at, &[command, "overlord"]);
        assert!(code == 0 && text.contains("Cac1-ab3"), "{text}");
    }
}

#[test]
fn an_inventor_adds_a_game_and_its_rules_text() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    std::fs::create_dir_all(at.join("mine")).unwrap();
    std::fs::create_dir_all(at.join("texts/rules")).unwrap();
    let config = "(referee: (address: \"referee@club.example\"), games: [\"mine\"], templates: Some(\"texts\"))";
    std::fs::write(at.join("tulpa.ron"), config).unwrap();
    let book = include_str!("../games/gardner.ron");
    std::fs::write(at.join("mine/small.ron"), book).unwrap();
    let (code, text, error) = tulpa(at, &["rules", "small"]);
    assert!(
        code == 0 && text.contains("new small vs ADDRESS"),
        "{text}{error}"
    );
    let own =
        "Subject: Rules of {{ title }}\n\nMy own words on {{ title }}.\n\n{{ view | board }}\n";
    std::fs::write(at.join("texts/rules/small.txt"), own).unwrap();
    let (_, text, error) = tulpa(at, &["rules", "small"]);
    assert!(
        text.starts_with("My own words on Gardner") && text.contains("P P P P P"),
        "{text}{error}"
    );
    // a slip in it is found by `tulpa check`
    std::fs::write(
        at.join("texts/rules/small.txt"),
        "Subject: x\n\n{{ titel }}\n",
    )
    .unwrap();
    let (code, _, error) = tulpa(at, &["check"]);
    assert!(code == 1 && error.contains("titel"), "{error}");
}
