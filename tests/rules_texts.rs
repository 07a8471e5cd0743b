//! Random positions of every game of the shelf: what the list of legal steps holds is read, however
//! sloppily it is written, and nothing else is.

use tulpa::rules::families::Family;
use tulpa::rules::notation::{self, Found};
use tulpa::rules::{Options, Seat, Shelf, Table, What};

mod chance;
use chance::{Random, order, turn};

/// Legal steps of one position that are looked at closely.
const LOOKS: usize = 24;

/// The list and the canonical steps before it, at a random place of the turn in hand.
fn list(table: &Table, seat: Seat, random: &mut Random) -> (Vec<String>, Vec<String>) {
    let mut so_far: Vec<String> = Vec::new();
    let mut legal = table.next(seat, &[]).expect("it is asked").steps;
    for _ in 0..random.below(3) {
        let step = legal[random.below(legal.len())].clone();
        so_far.push(step);
        let texts: Vec<&str> = so_far.iter().map(String::as_str).collect();
        let next = table.next(seat, &texts).expect("legal");
        if next.steps.is_empty() {
            so_far.pop();
            break;
        }
        legal = next.steps;
    }
    (so_far, legal)
}

/// The text with another sign for its capture: the x behind a rank, not the file of that name.
fn taking(text: &str, sign: &str) -> String {
    let bytes = text.as_bytes();
    match (1..bytes.len()).find(|i| bytes[*i] == b'x' && bytes[i - 1].is_ascii_digit()) {
        Some(at) => format!("{}{sign}{}", &text[..at], &text[at + 1..]),
        None => text.to_owned(),
    }
}

/// Other ways to write the same step.
fn sloppy(text: &str) -> Vec<String> {
    let mut out = vec![
        text.to_ascii_lowercase(),
        text.replace('-', ""),
        text.replace('-', " "),
        text.replace('-', " - "),
        text.replace('-', " to "),
        taking(text, ":"),
        taking(text, ""),
        taking(text, " takes "),
        text.replace('=', "/"),
        text.replace("ep", ""),
        text.replace("ep", " e.p."),
        format!("  {text} !?"),
        format!("{text}+"),
        text.replace('-', "\u{2013}"),
    ];
    if let Some((men, promotion)) = text.split_once('=') {
        out.push(format!("{men}({promotion})"));
        out.push(format!("{men}={}", promotion.to_ascii_lowercase()));
    }
    out.retain(|t| t != text);
    out
}

/// Squares that a text names, in order.
fn squares(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_lowercase() {
            at += 1;
        }
        let mid = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        if mid > start && at > mid {
            out.push(text[start..at].trim_start_matches('x').to_owned());
        }
        if at == start {
            at += 1;
        }
    }
    out
}

/// Is every square of `some` in `all`, in the same order? A small piece letter may stand in front.
fn within(some: &[String], all: &[String]) -> bool {
    let mut rest = all.iter();
    some.iter().all(|s| rest.any(|a| s.ends_with(a)))
}

fn mutated(text: &str, random: &mut Random) -> String {
    const SIGNS: &[u8] = b"abcdefghijkpqrx0123456789NQRBKMHS@*^=-:x; ";
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len().max(1));
        let sign = SIGNS[random.below(SIGNS.len())];
        match random.below(4) {
            0 if !bytes.is_empty() => {
                bytes.remove(at);
            }
            1 => bytes.insert(at, sign),
            2 if at + 1 < bytes.len() => bytes.swap(at, at + 1),
            _ if !bytes.is_empty() => bytes[at] = sign,
            _ => {}
        }
    }
    String::from_utf8(bytes).expect("ASCII")
}

/// All that is held of one list of legal steps.
fn reads(game: &str, so_far: &[String], legal: &[String], random: &mut Random) {
    let first = random.below(legal.len());
    for step in 0..legal.len().min(LOOKS) {
        let at = (first + step * (1 + legal.len() / LOOKS)) % legal.len();
        let text = &legal[at];
        assert_eq!(
            notation::find(text, legal),
            Found::One(at),
            "{game}: {text}"
        );
        assert!(notation::looks_like_turn(text), "{game}: {text}");
        for way in sloppy(text) {
            match notation::find(&way, legal) {
                Found::One(other) => assert!(
                    other == at || way.trim() == legal[other],
                    "{game} {so_far:?}: `{way}` for {text} is read as {}",
                    legal[other]
                ),
                Found::Many(many) => assert!(
                    many.contains(&at),
                    "{game} {so_far:?}: `{way}` for {text} could be {many:?}"
                ),
                Found::None { .. } => panic!("{game} {so_far:?}: `{way}` for {text} is not read"),
            }
        }
        let wrong = mutated(text, random);
        let readings = match notation::find(&wrong, legal) {
            Found::One(one) => vec![one],
            Found::Many(many) => many,
            Found::None { nearest } => {
                assert!(!legal.contains(&wrong), "{game}: {wrong}");
                assert!(nearest.len() <= notation::NEAREST_MAX);
                continue;
            }
        };
        for reading in readings {
            let named = squares(&wrong);
            let known = squares(&legal[reading]);
            assert!(
                named.len() <= 1 || within(&named[1..], &known) || within(&named, &known),
                "{game} {so_far:?}: `{wrong}` is read as {}",
                legal[reading]
            );
        }
    }
}

/// A step read from a sloppy text is applied as the canonical one is.
fn applies(game: &str, table: &Table, seat: Seat, first: Vec<String>, random: &mut Random) {
    let steps = turn(table, seat, first, random);
    let mut dice = Random(99);
    let (canonical, happened) = table
        .act(seat, &steps.join("; "), &mut dice)
        .unwrap_or_else(|e| panic!("{game}: {steps:?}: {e:?}"));
    assert!(!happened.is_empty());
    let texts = sloppy(&steps[0]);
    let mut other = steps.clone();
    other[0] = texts[random.below(texts.len())].clone();
    if let Ok((read, _)) = table.act(seat, &other.join(",\n"), &mut Random(99)) {
        assert_eq!(read, canonical, "{game}: {other:?} for {steps:?}");
    }
    // lines and semicolons are the same
    let (again, _) = table
        .act(seat, &steps.join("\r\n"), &mut Random(99))
        .expect("the same steps");
    assert_eq!(again, canonical, "{game}: {steps:?}");
}

fn looks(game: &str, table: &Table) {
    for seat in 0..table.kit().seats {
        assert_eq!(
            table.view(Some(Seat(seat))).cells.len(),
            table.kit().squares(),
            "{game}"
        );
    }
    assert_eq!(
        table.view(None).cells.len(),
        table.kit().squares(),
        "{game}"
    );
    let kept = Table::load(table.book(), table.options(), &table.save()).expect("its own bytes");
    assert_eq!(kept, *table, "{game}");
    assert_eq!(kept.asks(), table.asks(), "{game}");
}

/// Plays `acts` acts of one match and looks at every position.
fn match_of(game: &str, options: &Options, acts: usize, seed: u64) {
    let shelf = Shelf::builtin();
    let mut random = Random(seed);
    let book = shelf.get(game).expect("the game is there");
    let (mut table, _) = Table::begin(book, options, &mut random).expect("the options are");
    for _ in 0..acts {
        looks(game, &table);
        for ask in table.asks() {
            let all = table.choices(ask.seat, ask.what);
            assert!(!all.is_empty(), "{game}: nothing to answer to {ask:?}");
            if ask.what == What::Turn {
                if matches!(table.book().family, Family::Chess(_)) {
                    let count = all.len() as u64;
                    assert_eq!(table.perft(1), count, "{game}: a text for every step");
                }
                let (so_far, legal) = list(&table, ask.seat, &mut random);
                reads(game, &so_far, &legal, &mut random);
                applies(game, &table, ask.seat, so_far, &mut random);
                continue;
            }
            // an answer by its text, in capitals, and by its number
            for (no, answer) in all.iter().enumerate().take(LOOKS) {
                let act = |text: &str| {
                    table
                        .act(ask.seat, text, &mut Random(7))
                        .unwrap_or_else(|e| panic!("{game}: {text}: {e:?}"))
                        .0
                };
                let wanted = act(answer);
                assert_eq!(
                    act(&answer.to_ascii_uppercase()),
                    wanted,
                    "{game}: {answer}"
                );
                assert_eq!(act(&(no + 1).to_string()), wanted, "{game}: {answer}");
            }
            for text in [
                "0",
                "99999",
                "99999999999999999999999",
                "",
                "pick nothing",
                "place z99",
            ] {
                assert!(
                    table.act(ask.seat, text, &mut Random(7)).is_err(),
                    "{game}: {text}"
                );
            }
        }
        let Some((seat, order)) = order(&table, &mut random) else {
            break;
        };
        table = table
            .act(seat, &order, &mut random)
            .unwrap_or_else(|e| panic!("{game} {seed}: `{order}`: {e:?}"))
            .0;
    }
    looks(game, &table);
}

#[test]
fn every_game_reads_its_own_texts_and_no_others() {
    for (no, id) in Shelf::builtin().ids().enumerate() {
        let acts = if id.starts_with("hydra") { 8 } else { 25 };
        for round in 0..2 {
            match_of(id, &Options::new(), acts, 500 * round + no as u64);
        }
    }
}

#[test]
fn long_matches_too() {
    for (game, acts) in [
        ("tulpas", 160),
        ("chaturaji", 160),
        ("shields", 80),
        ("overlord", 12),
    ] {
        match_of(game, &Options::new(), acts, 4711);
    }
}

#[test]
fn leaders_of_two_are_read_as_well() {
    let options = Options::from([("leaders".to_owned(), "leader2".to_owned())]);
    match_of("superchief", &options, 12, 3);
}
