//! How a piece moves, in words: what `rules GAME` says of a piece that is written in Betza notation.
//!
//! The words are made from the compiled moves, not from the text, so they say what the piece does.

use std::collections::BTreeMap;

use crate::rules::betza::{ENDLESS, Hop, Move, MoveMode};

/// What a part of the moves has in common beside its directions.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Manner {
    initial: bool,
    mode: MoveMode,
    hop: Hop,
    ep: bool,
    lame: bool,
    range: u8,
}

impl Manner {
    /// Parts that share a verb.
    fn verb(self) -> (bool, MoveMode) {
        (self.initial, self.mode)
    }
}

/// `moves one square straight forward without capturing; captures one square diagonally forward`.
/// No moves are no words.
pub fn in_words(moves: &[Move]) -> String {
    let mut parts: BTreeMap<Manner, Vec<(i8, i8)>> = BTreeMap::new();
    for m in moves {
        let manner = Manner {
            initial: m.initial,
            mode: m.mode,
            hop: m.hop,
            ep: m.ep,
            lame: m.lame && !m.between().is_empty(),
            range: m.range,
        };
        parts.entry(manner).or_default().push((m.dx, m.dy));
    }
    let mut verbs: Vec<(bool, MoveMode)> = parts.keys().map(|m| m.verb()).collect();
    // what it does everywhere before what it does from its first square, moving before capturing
    verbs.sort_by_key(|(initial, mode)| (*initial, !mode.quiet));
    verbs.dedup();
    let uniform = parts.keys().all(|m| m.mode.quiet && m.mode.capture);
    let clauses: Vec<String> = verbs
        .into_iter()
        .map(|verb| {
            let mut ways = Vec::new();
            for (manner, leaps) in parts.iter().rev().filter(|(m, _)| m.verb() == verb) {
                ways.extend(ways_of(*manner, leaps));
            }
            clause(verb, uniform, &ways)
        })
        .collect();
    clauses.join("; ")
}

fn clause((initial, mode): (bool, MoveMode), uniform: bool, ways: &[String]) -> String {
    let start = if initial {
        "from a starting square also "
    } else {
        ""
    };
    let verb = match (mode.quiet, mode.capture) {
        (true, true) if !uniform => "moves or captures",
        (true, _) => "moves",
        (false, _) => "captures",
    };
    let ways = ways.join(", or ");
    let peace = if mode.capture {
        ""
    } else if ways.contains(", ") {
        ", without capturing"
    } else {
        " without capturing"
    };
    format!("{start}{verb} {ways}{peace}")
}

/// One phrase for the single steps and one for each kind of leap.
fn ways_of(manner: Manner, leaps: &[(i8, i8)]) -> Vec<String> {
    let mut steps = Vec::new();
    let mut others: BTreeMap<(u8, u8), Vec<(i8, i8)>> = BTreeMap::new();
    for (x, y) in leaps {
        let (a, b) = (x.unsigned_abs(), y.unsigned_abs());
        if a.max(b) == 1 {
            steps.push((*x, *y));
        } else {
            others
                .entry((a.max(b), a.min(b)))
                .or_default()
                .push((*x, *y));
        }
    }
    let mut out = Vec::new();
    if !steps.is_empty() {
        out.push(slide(manner, &line(&steps)));
    }
    for ((long, short), leaps) in others {
        out.push(leap(manner, long, short, &leaps));
    }
    for way in &mut out {
        way.push_str(match manner.hop {
            Hop::None => "",
            Hop::Over => ", over exactly one man",
            Hop::Behind => ", over the first man it meets to the square right behind him",
        });
        if manner.ep {
            way.push_str(", also en passant");
        }
    }
    out
}

fn slide(manner: Manner, line: &str) -> String {
    match manner.range {
        ENDLESS => format!("any number of squares {line}"),
        1 => format!("one square {line}"),
        n => format!("up to {} squares {line}", number(n)),
    }
}

fn leap(manner: Manner, long: u8, short: u8, leaps: &[(i8, i8)]) -> String {
    let oblique = short != 0 && short != long;
    let signs: Vec<(i8, i8)> = leaps
        .iter()
        .map(|(x, y)| (x.signum(), y.signum()))
        .collect();
    let what = if oblique {
        format!("({short},{long}){}", bent(leaps, long))
    } else {
        format!("{} squares {}", number(long), line(&signs))
    };
    if manner.range != 1 {
        let times = match manner.range {
            ENDLESS => "leaps".to_owned(),
            n => format!("up to {} leaps", number(n)),
        };
        let of = if oblique { "" } else { "of " };
        return format!(
            "by {times} {of}{what} on and on one way while the squares it touches are vacant"
        );
    }
    if !manner.lame {
        return format!("by a leap {}{what}", if oblique { "" } else { "of " });
    }
    let passed = if long - 1 == 1 {
        "the square between is vacant"
    } else {
        "the squares between are vacant"
    };
    if oblique {
        let (straight, slant) = (number(long - short), number(short));
        let squares = if long - short == 1 {
            "square"
        } else {
            "squares"
        };
        let ways = bent(leaps, long);
        format!(
            "{straight} {squares} along a rank or file and {slant} more diagonally away{ways}, if {passed}"
        )
    } else {
        format!("{what}, if {passed}")
    }
}

/// The directions of straight and diagonal moves, given as signs.
fn line(dirs: &[(i8, i8)]) -> String {
    let straight: Vec<_> = dirs.iter().filter(|(x, y)| x * y == 0).copied().collect();
    let slant: Vec<_> = dirs.iter().filter(|(x, y)| x * y != 0).copied().collect();
    let mut out = Vec::new();
    match (straight.len(), slant.len()) {
        (4, 4) => return "in any direction".to_owned(),
        (_, 0) => {}
        (_, 4) => out.push("diagonally".to_owned()),
        _ => out.extend(sides(&slant, &["diagonally"])),
    }
    let before = out.len();
    match straight.len() {
        0 => {}
        4 => out.insert(0, "along a rank or file".to_owned()),
        _ => out.extend(sides(&straight, &["straight"])),
    }
    if before > 0 && out.iter().any(|w| w.contains(" or ")) {
        out.join(", or ")
    } else {
        out.join(" or ")
    }
}

/// `straight forward or sideways`, `diagonally forward`, `diagonally back left`.
fn sides(dirs: &[(i8, i8)], how: &[&str]) -> Vec<String> {
    let has = |x: i8, y: i8| dirs.contains(&(x, y));
    let how = how.join(" ");
    if how == "diagonally" {
        let pairs = [
            ("forward", [(-1, 1), (1, 1)]),
            ("back", [(-1, -1), (1, -1)]),
            ("to the left", [(-1, -1), (-1, 1)]),
            ("to the right", [(1, -1), (1, 1)]),
        ];
        for (name, pair) in pairs {
            if dirs.len() == 2 && pair.iter().all(|(x, y)| has(*x, *y)) {
                return vec![format!("diagonally {name}")];
            }
        }
        let names = [
            ((-1, 1), "forward left"),
            ((1, 1), "forward right"),
            ((-1, -1), "back left"),
            ((1, -1), "back right"),
        ];
        return names
            .iter()
            .filter(|((x, y), _)| has(*x, *y))
            .map(|(_, name)| format!("diagonally {name}"))
            .collect();
    }
    let mut out = Vec::new();
    if has(0, 1) {
        out.push(format!("{how} forward"));
    }
    if has(0, -1) {
        out.push(format!("{how} back"));
    }
    match (has(-1, 0), has(1, 0)) {
        (true, true) => out.push("sideways".to_owned()),
        (true, false) => out.push("to the left".to_owned()),
        (false, true) => out.push("to the right".to_owned()),
        (false, false) => {}
    }
    out
}

/// Which of the eight leaps of an oblique kind, with a blank before; nothing where it is all of them.
fn bent(leaps: &[(i8, i8)], long: u8) -> String {
    if leaps.len() == 8 {
        return String::new();
    }
    let far = |y: &i8| y.unsigned_abs() == long;
    let kind = |forward: bool, upright: bool| {
        leaps
            .iter()
            .filter(|(_, y)| (*y > 0) == forward && far(y) == upright)
            .count()
    };
    // counts of: long way forward, long way back, sideways and forward, sideways and back
    let counts = [
        kind(true, true),
        kind(false, true),
        kind(true, false),
        kind(false, false),
    ];
    let names = match counts {
        [2, 0, 2, 0] => " forward",
        [0, 2, 0, 2] => " back",
        [2, 0, 0, 0] => ", the long way forward",
        [0, 2, 0, 0] => ", the long way back",
        [2, 2, 0, 0] => ", the long way forward or back",
        [0, 0, 2, 2] => ", the long way sideways",
        [0, 0, 2, 0] => ", the long way sideways and the short way forward",
        [0, 0, 0, 2] => ", the long way sideways and the short way back",
        _ => {
            let each: Vec<String> = leaps
                .iter()
                .map(|(x, y)| {
                    let side = if *x < 0 { "left" } else { "right" };
                    let way = if *y < 0 { "back" } else { "forward" };
                    let (x, y) = (x.unsigned_abs(), y.unsigned_abs());
                    format!("{} {way} and {} {side}", number(y), number(x))
                })
                .collect();
            return format!(", only {}", each.join(" or "));
        }
    };
    names.to_owned()
}

fn number(n: u8) -> String {
    let small = ["no", "one", "two", "three", "four", "five", "six"];
    small
        .get(usize::from(n))
        .map_or_else(|| n.to_string(), |w| (*w).to_owned())
}

#[cfg(test)]
#[path = "motion/tests.rs"]
mod tests;
