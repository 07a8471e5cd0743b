//! What happens in a match as lines of its record (notation page), whole and as everybody may see them.

use serde_json::{Value as Json, json};

use super::state::{Line, Match, Records};
use crate::rules::{Happening, Rulebook, Seat};

/// Adds a line that everybody may see.
pub(super) fn add(rec: &mut dyn Records, m: &mut Match, line: Json) {
    push(rec, m, line.to_string(), line.to_string());
}

/// Adds the line of a happening, if it has one.
pub(super) fn add_happening(
    rec: &mut dyn Records,
    m: &mut Match,
    book: &Rulebook,
    happening: &Happening,
) {
    if let Some((full, public)) = text(m, book, happening) {
        push(rec, m, public.to_string(), full.to_string());
    }
}

fn push(rec: &mut dyn Records, m: &mut Match, public: String, full: String) {
    let line = Line {
        at: m.lines,
        turn: m.turn(),
        public: Some(public),
        full,
    };
    m.lines += 1;
    rec.add_line(m.no, line);
}

/// The record line of a happening (notation page), whole and as everybody may see it while the match goes on.
fn text(m: &Match, book: &Rulebook, h: &Happening) -> Option<(Json, Json)> {
    let name = |s: &Seat| book.seat_name(*s);
    let open = |json: Json| Some((json.clone(), json));
    match h {
        Happening::Played { seat, steps, .. } => open(json!({"seat": name(seat), "steps": steps})),
        Happening::Placed { seat, text, .. } => open(json!({"seat": name(seat), "place": text})),
        Happening::Passed { seat } => open(json!({"seat": name(seat), "pass": true})),
        Happening::Started { seat } => open(json!({"seat": name(seat), "start": true})),
        Happening::Exchange { seat, choice } => {
            open(json!({"seat": name(seat), "exchange": choice}))
        }
        Happening::Opened {
            seat,
            cards,
            created,
        } => {
            let mut cards = cards.clone();
            cards.sort();
            let cards: Vec<&String> = cards.iter().map(|(_, c)| c).collect();
            let outcome = json!({"seat": name(seat), "created": created});
            // somebody's card was not opened, and what stood for it on the board is nobody's card
            if cards.is_empty() {
                return open(outcome);
            }
            let full = json!({"seat": name(seat), "cards": cards});
            let public = if m.reveal_both { full.clone() } else { outcome };
            Some((full, public))
        }
        Happening::Rolled { seat, dice } => {
            let roll: serde_json::Map<String, Json> = dice
                .iter()
                .map(|(s, d)| (name(s).to_owned(), json!(d)))
                .collect();
            open(json!({"seat": name(seat), "roll": roll}))
        }
        Happening::Picked { .. }
        | Happening::Certain { .. }
        | Happening::NoRoom { .. }
        | Happening::Remark(_)
        | Happening::Ended(_) => None,
    }
}
