//! Texts of steps, what players see, and why a step is not legal.

use super::super::super::kit::{Kit, Man, Square};
use super::super::super::play::{Cell, Seat, View};
use super::{Chaturaji, Choice, Phase, SEATS, State, Step, partners};

/// Canonical text of a step (notation page).
pub(super) fn say(kit: &Kit, s: &State, game: &Chaturaji, step: &Step) -> String {
    match *step {
        Step::Start(seat) => format!("start {}", seat_name(kit, seat)),
        Step::Exchange(which) => format!("exchange {}", choice(which)),
        Step::Place(sq) => placed(kit, game, sq),
        Step::Move {
            die,
            from,
            to,
            becomes,
        } => {
            let letter = s.at(from).map_or('?', |man| kit.letter(man.kind));
            let mut text = format!("{die}:{letter}{}", kit.name(from));
            if to != from {
                text.push(if s.at(to).is_some() { 'x' } else { '-' });
                text.push_str(kit.name(to));
            }
            if let Some(kind) = becomes {
                text.push('=');
                text.push(kit.letter(kind));
            }
            text
        }
    }
}

/// `M@e8`.
pub(super) fn placed(kit: &Kit, game: &Chaturaji, sq: Square) -> String {
    format!("{}@{}", kit.letter(game.monarch), kit.name(sq))
}

/// The word for an answer to an exchange.
pub(super) fn choice(which: Choice) -> &'static str {
    match which {
        Choice::First => "first",
        Choice::Second => "second",
        Choice::No => "no",
    }
}

pub(super) fn seat_name(kit: &Kit, seat: u8) -> &str {
    kit.seat_names
        .get(usize::from(seat))
        .map_or("?", String::as_str)
}

/// `yellow's raven on d5`.
pub(super) fn whose(kit: &Kit, man: Man, sq: Square) -> String {
    format!(
        "{}'s {} on {}",
        seat_name(kit, man.seat),
        name(kit, man.kind),
        kit.name(sq)
    )
}

/// `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn name(kit: &Kit, kind: u8) -> &str {
    kit.pieces
        .get(usize::from(kind))
        .map_or("?", |p| p.name.as_str())
}

/// The board, the thrones, the lost men, and the dice with what they name.
pub(super) fn view(game: &Chaturaji, kit: &Kit, s: &State) -> View {
    let cells = (0..kit.squares() as Square)
        .map(|sq| match s.at(sq) {
            _ if kit.holes[usize::from(sq)] => Cell::Hole,
            None => Cell::Empty,
            Some(man) => Cell::Man {
                seat: man.seat(),
                letter: kit.letter(man.kind),
                mark: None,
                name: Some(name(kit, man.kind).to_owned()),
            },
        })
        .collect();
    let mut notes = Vec::new();
    for seat in 0..SEATS {
        notes.push((
            Some(Seat(seat)),
            "Throne".to_owned(),
            throne(game, kit, s, seat),
        ));
        let lost: Vec<&str> = game
            .order
            .iter()
            .filter(|kind| !s.has(seat, **kind))
            .map(|kind| name(kit, *kind))
            .collect();
        if !lost.is_empty() {
            notes.push((
                Some(Seat(seat)),
                "Off the board".to_owned(),
                lost.join(", "),
            ));
        }
    }
    if s.over.is_none() && s.phase == Phase::Turn {
        let mut armies: Vec<u8> = s.dice.iter().map(|d| d.army).collect();
        armies.dedup();
        let commanded: Vec<&str> = armies.iter().map(|army| seat_name(kit, *army)).collect();
        notes.push((
            Some(Seat(s.turn)),
            "Commands".to_owned(),
            commanded.join(", "),
        ));
        for army in armies {
            notes.push((
                Some(Seat(army)),
                "Dice".to_owned(),
                dice(game, kit, s, army),
            ));
        }
    }
    View {
        files: kit.files,
        ranks: kit.ranks,
        cells,
        last: s.last.clone(),
        to_move: to_move(s),
        notes,
        four: true,
        leaderless: (0..SEATS)
            .filter(|seat| game.leaderless(s, *seat))
            .map(Seat)
            .collect(),
    }
}

fn to_move(s: &State) -> Vec<Seat> {
    if s.over.is_some() {
        return Vec::new();
    }
    match s.phase {
        Phase::Start(team) => (0..SEATS)
            .filter(|seat| partners(*seat, team))
            .map(Seat)
            .collect(),
        Phase::Turn | Phase::Exchange => vec![Seat(s.turn)],
        Phase::Place(owner, _) => vec![Seat(owner)],
    }
}

/// `a3`, `a3, monarch captured, green's monarch sits there`.
fn throne(game: &Chaturaji, kit: &Kit, s: &State, seat: u8) -> String {
    let sq = game.thrones[usize::from(seat)];
    let mut text = kit.name(sq).to_owned();
    if game.leaderless(s, seat) {
        text.push_str(", monarch captured");
    }
    if let Some(man) = s
        .at(sq)
        .filter(|m| m.kind == game.monarch && m.seat != seat)
    {
        text.push_str(&format!(
            ", {}'s monarch sits there",
            seat_name(kit, man.seat)
        ));
    }
    text
}

/// `2 (raven), 4 (used)`: what each die of an army names now.
fn dice(game: &Chaturaji, kit: &Kit, s: &State, army: u8) -> String {
    let told: Vec<String> = s
        .dice
        .iter()
        .filter(|d| d.army == army)
        .map(|d| match game.named(s, army, d.value) {
            _ if d.used => format!("{} (used)", d.value),
            Some(kind) => format!("{} ({})", d.value, name(kit, kind)),
            None => format!("{} (names nobody)", d.value),
        })
        .collect();
    told.join(", ")
}

/// Where a monarch may return.
pub(super) fn why_not_there(game: &Chaturaji, kit: &Kit, s: &State) -> String {
    let Phase::Place(owner, _) = s.phase else {
        return String::new();
    };
    let squares: Vec<&str> = game
        .vacant(s, owner)
        .into_iter()
        .map(|sq| kit.name(sq))
        .collect();
    format!("your monarch returns on {}", squares.join(" "))
}

/// Why a text is not legal, in the words of chaturaji.md 1.3 to 1.8.
pub(super) fn why_not(game: &Chaturaji, kit: &Kit, s: &State, text: &str) -> Option<String> {
    let (die, rest) = match text.split_once(':') {
        Some((die, rest)) => (die.trim().parse::<u8>().ok(), rest),
        None => (None, text),
    };
    let body = rest.split(['=', '(', '/']).next().unwrap_or(rest);
    let mut squares = kit.squares_in(body).into_iter();
    let from = squares.next()?;
    let Some(man) = s.at(from) else {
        return Some(format!("there is nothing on {}", kit.name(from)));
    };
    let this = format!("the {} on {}", name(kit, man.kind), kit.name(from));
    let army = seat_name(kit, man.seat);
    let own: Vec<_> = s.dice.iter().filter(|d| d.army == man.seat).collect();
    if own.is_empty() {
        return Some(format!(
            "{this} is {army}'s, and you do not command {army} in this turn"
        ));
    }
    let left: Vec<_> = own.iter().filter(|d| !d.used).collect();
    if left.is_empty() {
        return Some(format!("both dice of {army} are used"));
    }
    if let Some(value) = die
        && !left.iter().any(|d| d.value == value)
    {
        let values: Vec<String> = left.iter().map(|d| d.value.to_string()).collect();
        return Some(format!(
            "{army} has no {value} left, but {}",
            values.join(" and ")
        ));
    }
    let names = |value: u8| game.named(s, man.seat, value);
    let told = left.iter().filter(|d| die.is_none_or(|v| v == d.value));
    if !told.clone().any(|d| names(d.value) == Some(man.kind)) {
        let values: Vec<String> = told
            .map(|d| match names(d.value) {
                Some(kind) => format!("{} names the {}", d.value, name(kit, kind)),
                None => format!("{} names nobody", d.value),
            })
            .collect();
        return Some(format!("for {army} {}", list(&values)));
    }
    let to = squares.next()?;
    let mut reached = Vec::new();
    game.targets(kit, s, from, man, |sq| {
        reached.push(sq);
        false
    });
    if reached.contains(&to) {
        return promotion(game, kit, s, man, to, rest);
    }
    if let Some(other) = s.at(to)
        && !game.may_capture(s, s.turn, man.seat, other.seat)
        && to != from
    {
        return Some(format!(
            "{} may not be captured by it",
            whose(kit, other, to)
        ));
    }
    if reached.is_empty() {
        return Some(format!("{this} cannot move"));
    }
    let mut names: Vec<&str> = reached.iter().map(|sq| kit.name(*sq)).collect();
    names.sort_unstable();
    names.dedup();
    Some(format!("{this} can go to {}", names.join(" ")))
}

fn promotion(
    game: &Chaturaji,
    kit: &Kit,
    s: &State,
    man: Man,
    to: Square,
    text: &str,
) -> Option<String> {
    text.contains(['=', '(', '/']).then_some(())?;
    if man.kind != game.squire {
        return Some("only a squire promotes".to_owned());
    }
    if !game.far(man, to) {
        return Some(format!(
            "a squire promotes on its partner's home row only, which {} is not on",
            kit.name(to)
        ));
    }
    let off: Vec<String> = game
        .off(s, man.seat)
        .map(|kind| name(kit, kind).to_owned())
        .collect();
    Some(if off.is_empty() {
        format!(
            "{} has lost nothing to promote to",
            seat_name(kit, man.seat)
        )
    } else {
        format!("a squire becomes what its colour has lost: {}", list(&off))
    })
}
