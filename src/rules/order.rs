//! A player's order against the legal steps: a whole turn or nothing, an answer to a question.

use super::notation::{self, Found};
use super::play::{Dice, Happening, NEAREST_MAX, Seat, Wrong};
use super::table::Position;

/// Steps that one turn may have at most; far above any game's need.
pub const STEPS_MAX: usize = 64;

/// Does this step text close a turn?
fn closes(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "end" | "pass" | "done")
}

/// Is nothing left of the turn: the game over, or no step more?
fn spent(at: &dyn Position, seat: Seat) -> bool {
    at.ending().is_some() || (at.may_stop(seat) && at.texts(seat).is_empty())
}

/// Plays a turn as written, and behind it what can only go one way.
///
/// What stands behind the step that ends the game is not played, which a remark tells; an `end`
/// behind a turn that is over by itself says nothing.
///
/// # Errors
/// The first bad step, or what the turn still needs.
pub(super) fn play_turn(
    at: &mut dyn Position,
    seat: Seat,
    order: &str,
    dice: &mut dyn Dice,
    out: &mut Vec<Happening>,
) -> Result<(), Wrong> {
    let mut done: Vec<String> = Vec::new();
    let mut remarks = Vec::new();
    let mut closed = false;
    let texts = notation::split_turn(order);
    for (i, text) in texts.iter().enumerate() {
        if i > 0 && at.ending().is_some() {
            let left = &texts[i..];
            if left.iter().any(|text| !closes(text)) {
                remarks.push(Happening::Remark(format!(
                    "the game was over before `{}`, which was not played",
                    left.join("; ")
                )));
            }
            break;
        }
        let over = i > 0 && !closed && spent(at, seat);
        if over && closes(text) {
            closed = true;
            continue;
        }
        if closed || over || i >= STEPS_MAX {
            return Err(Wrong::TooMuch {
                at: i,
                text: text.clone(),
            });
        }
        if closes(text) {
            if !at.may_stop(seat) {
                return Err(Wrong::Unfinished {
                    done,
                    legal: nearest_few(at.texts(seat)),
                    may_end: false,
                });
            }
            closed = true;
            done.push("end".to_owned());
            continue;
        }
        let step = find(at, seat, text, &done)?;
        at.step(seat, &step, dice, &mut remarks);
        done.push(step);
    }
    let mut forced = 0;
    while !closed && !spent(at, seat) {
        let step = (!at.may_stop(seat) && !done.is_empty())
            .then(|| at.forced(seat))
            .flatten();
        match step {
            Some(step) if forced < STEPS_MAX && at.step(seat, &step, dice, &mut remarks) => {
                done.push(step);
                forced += 1;
            }
            _ => {
                return Err(Wrong::Unfinished {
                    done,
                    legal: nearest_few(at.texts(seat)),
                    may_end: at.may_stop(seat),
                });
            }
        }
    }
    out.push(Happening::Played {
        seat,
        steps: done,
        forced,
    });
    out.append(&mut remarks);
    if at.ending().is_none() {
        at.stop(seat, dice, out);
    }
    Ok(())
}

fn nearest_few(mut texts: Vec<String>) -> Vec<String> {
    texts.truncate(NEAREST_MAX);
    texts
}

/// The one answer to a question that the text means: `A@b2`, `start green`, or the number of an
/// answer in the sorted list, `2` or `place 2`.
///
/// # Errors
/// As [`find`].
pub(super) fn choose(at: &mut dyn Position, seat: Seat, text: &str) -> Result<String, Wrong> {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or(text);
    if let Ok(number) = last.parse::<usize>()
        && text.split_whitespace().count() <= 2
    {
        let answers = at.texts(seat);
        if let Some(answer) = number.checked_sub(1).and_then(|i| answers.get(i)) {
            return Ok(answer.clone());
        }
    }
    find(at, seat, text, &[])
}

/// The one legal step that the text means. A man named behind it, as in `Cc1-c3 (f1)`, is bound
/// where the game knows such.
///
/// # Errors
/// No step fits, or more than one.
pub(super) fn find(
    at: &mut dyn Position,
    seat: Seat,
    text: &str,
    done: &[String],
) -> Result<String, Wrong> {
    let wanted = match notation::named_behind(text) {
        Some((step, square)) if at.bind(seat, &square) => step,
        _ => text,
    };
    let legal = at.texts(seat);
    match notation::find(wanted, &legal) {
        Found::One(i) => Ok(legal[i].clone()),
        Found::Many(many) => Err(Wrong::Ambiguous {
            at: done.len(),
            text: text.to_owned(),
            readings: many.into_iter().map(|i| legal[i].clone()).collect(),
        }),
        Found::None { nearest } => Err(Wrong::NoSuchStep {
            at: done.len(),
            text: text.to_owned(),
            done: done.to_vec(),
            why: at.why_not(seat, text),
            legal: nearest
                .into_iter()
                .take(NEAREST_MAX)
                .map(|i| legal[i].clone())
                .collect(),
        }),
    }
}
