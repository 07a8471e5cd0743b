//! Somebody to play with: takes what is worth most, looks one step ahead, wanders where nothing is to be had. No master, but
//! his games end.

use crate::rules::{Cell, Seat, Table, View, What};

/// Steps of one turn that he thinks of.
const STEPS_MAX: usize = 16;
/// First steps whose continuation he looks at; with more to choose from he takes the best at once.
const LOOK_MAX: usize = 80;

/// What a seat answers to what it is asked; `wander` makes one game differ from the next.
pub fn answer(table: &Table, seat: Seat, what: What, wander: usize) -> Option<String> {
    if what == What::Turn {
        return Some(turn(table, seat, wander));
    }
    let choices = table.choices(seat, what);
    choices.get(wander % choices.len().max(1)).cloned()
}

/// A whole legal turn.
pub fn turn(table: &Table, seat: Seat, wander: usize) -> String {
    let view = table.view(Some(seat));
    let mut steps: Vec<String> = Vec::new();
    while steps.len() < STEPS_MAX {
        let so_far: Vec<&str> = steps.iter().map(String::as_str).collect();
        let Ok(next) = table.next(seat, &so_far) else {
            break;
        };
        if next.steps.is_empty() {
            break;
        }
        let look = next.steps.len() <= LOOK_MAX;
        let worth = |at: usize, step: &String| {
            let own = value(table, &view, step) * 10;
            let then = look
                .then(|| table.next(seat, &[so_far.as_slice(), &[step.as_str()]].concat()))
                .and_then(Result::ok)
                .and_then(|n| n.steps.iter().map(|s| value(table, &view, s)).max());
            // equal ones in another order each time
            let turn = (at * 31 + wander * 17 + steps.len() * 7) % 97;
            (own + then.unwrap_or(0) * 9, turn)
        };
        let best = (next.steps.iter().enumerate()).max_by_key(|(at, step)| worth(*at, step));
        let Some((_, best)) = best else { break };
        if next.may_stop && steps.len() >= 4 && value(table, &view, best) <= 0 {
            steps.push("end".to_owned());
            break;
        }
        steps.push(best.clone());
    }
    steps.join("; ")
}

/// What a step wins at once: the man on its target, or a throne whose owner is captured.
fn value(table: &Table, view: &View, step: &str) -> i64 {
    let kit = table.kit();
    let squares: Vec<&str> = step
        .split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()))
        .flat_map(|word| [word, word.trim_start_matches('x')])
        .collect();
    let mut worth = 0;
    let takes = step
        .bytes()
        .zip(step.bytes().skip(1).chain([0]))
        .enumerate();
    for (at, (sign, next)) in takes {
        let before = at > 0 && step.as_bytes()[at - 1].is_ascii_digit();
        if (sign == b'x' || sign == b'*') && before && next.is_ascii_lowercase() {
            let name: String = step[at + 1..]
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            let cell = kit
                .square(&name)
                .and_then(|sq| view.cells.get(usize::from(sq)));
            if let Some(Cell::Man { letter, name, .. }) = cell {
                worth += price(name.as_deref(), *letter);
            }
        }
    }
    for (_, label, text) in &view.notes {
        if label == "Throne" && text.contains("captured") && step.contains(":M") {
            let throne = text.split([',', ' ']).next().unwrap_or_default();
            if squares.last() == Some(&throne) {
                worth += 40;
            } else if squares.contains(&throne) {
                worth -= 30;
            }
        }
    }
    worth
}

fn price(name: Option<&str>, letter: char) -> i64 {
    match name {
        Some("king" | "monarch" | "chieftain") => 100,
        Some("queen" | "amazon") => 9,
        Some("rook" | "raven") => 5,
        Some("pawn" | "squire" | "man") => 1,
        None if letter == 'P' => 1,
        _ => 3,
    }
}
