//! Texts of moves, what players see, and why a move is not legal.

use super::super::super::kit::Kit;
use super::super::super::play::{Cell, Seat, View};
use super::moves::{self, Barred};
use super::pos::{
    Act, CASTLING_MOVES, FILE_CAP, KING, LETTERS, PAWN, Pos, QUEEN, STAR, Sq, file, kind, own_rank,
    seat,
};
use super::{Hydra, State, Step, takes_jumper};

fn name(kit: &Kit, sq: Sq) -> &str {
    kit.name(u16::from(sq))
}
fn letter(kind: u8) -> char {
    LETTERS.get(usize::from(kind)).copied().unwrap_or('?')
}

/// Canonical text of a step in the position before it.
pub fn say(kit: &Kit, pos: &Pos, step: &Step) -> String {
    let mut text = String::with_capacity(24);
    match step.act {
        Act::Walk(from, to) | Act::Ransom(from, to, _) => {
            let k = kind(pos.at(from));
            if k != PAWN {
                text.push(letter(k));
            }
            let takes = pos.at(to) != 0 || takes_jumper(pos, step.act);
            text.push_str(name(kit, from));
            text.push(if takes { 'x' } else { '-' });
            text.push_str(name(kit, to));
            if let Act::Ransom(_, _, k) = step.act {
                text.push('=');
                text.push(letter(k));
            }
        }
        Act::Castle(royal, rook, royal_to, rook_to) => {
            for part in [
                "castle ",
                name(kit, royal),
                "-",
                name(kit, royal_to),
                " ",
                name(kit, rook),
                "-",
                name(kit, rook_to),
            ] {
                text.push_str(part);
            }
        }
        Act::Drop(k, to) => {
            text.push(letter(k));
            text.push('@');
            text.push_str(name(kit, to));
        }
        Act::Swap(sq, k) => {
            text.push_str(name(kit, sq));
            text.push('=');
            text.push(letter(k));
        }
        Act::Fold(sq) => {
            text.push_str(name(kit, sq));
            text.push_str("-hand");
        }
    }
    for sq in step.squares() {
        text.push_str(" K@");
        text.push_str(name(kit, *sq));
    }
    text
}

/// The board with hands, uncastled units, duties and the pawn that may be taken en passant.
pub fn view(hydra: &Hydra, kit: &Kit, s: &State) -> View {
    let pos = &s.pos;
    let piece_name = |k: u8| {
        kit.pieces
            .iter()
            .find(|p| p.letter == letter(k))
            .map_or_else(String::new, |p| p.name.clone())
    };
    let cells = (0..=255)
        .map(|sq| match pos.at(sq) {
            0 => Cell::Empty,
            code => Cell::Man {
                seat: Seat(seat(code)),
                letter: letter(kind(code)),
                mark: (code & STAR != 0).then_some('*'),
                name: Some(piece_name(kind(code))),
            },
        })
        .collect();
    let mut notes = Vec::new();
    let held = if hydra.law.looping { "Hand" } else { "Prison" };
    for of in [0u8, 1] {
        let units: Vec<String> = (1..=KING)
            .rev()
            .filter(|k| pos.held(of, *k) > 0)
            .map(|k| match pos.held(of, k) {
                1 => letter(k).to_string(),
                n => format!("{}x{n}", letter(k)),
            })
            .collect();
        let text = if units.is_empty() {
            "empty".to_owned()
        } else {
            units.join(" ")
        };
        notes.push((Some(Seat(of)), held.to_owned(), text));
        notes.push((
            Some(Seat(of)),
            "Kings".to_owned(),
            pos.kings[usize::from(of)].to_string(),
        ));
        let left = pos.uncastled[usize::from(of)];
        if left > 0 {
            let made = pos.moves[usize::from(of)];
            notes.push((
                Some(Seat(of)),
                "Castlings to make".to_owned(),
                format!("{left}, in {} moves", CASTLING_MOVES.saturating_sub(made)),
            ));
        }
    }
    if let Some(jump) = pos.jump.filter(|_| s.over.is_none() && !s.played) {
        let (lo, hi) = (jump.from.min(jump.pawn), jump.from.max(jump.pawn));
        let squares: Vec<&str> = (lo..hi)
            .filter(|sq| jump.over(*sq))
            .map(|sq| name(kit, sq))
            .collect();
        notes.push((
            None,
            "En passant".to_owned(),
            format!(
                "{} takes the pawn on {}",
                squares.join(" "),
                name(kit, jump.pawn)
            ),
        ));
    }
    if s.over.is_none() && !s.played {
        let us = Some(Seat(pos.turn));
        let list = hydra.candidates(pos);
        if list.iter().any(|c| c.kings > 0) {
            notes.push((
                us,
                "Duty".to_owned(),
                "an enemy king must be captured".to_owned(),
            ));
        } else if pos.must_castle() && list.iter().any(|c| matches!(c.act, Act::Castle(..))) {
            notes.push((
                us,
                "Duty".to_owned(),
                "a castling must be made now".to_owned(),
            ));
        }
        if let Some(king) = pos.last_king(pos.turn)
            && pos.at(king) & STAR == 0
            && moves::attacked(hydra.law, pos, king, 1 - pos.turn)
        {
            notes.push((
                us,
                "Check".to_owned(),
                format!("the king on {}", name(kit, king)),
            ));
        }
    }
    View {
        files: kit.files,
        ranks: kit.ranks,
        cells,
        last: s.last[..usize::from(s.touched.min(8))]
            .iter()
            .map(|sq| u16::from(*sq))
            .collect(),
        to_move: if s.over.is_none() {
            vec![Seat(pos.turn)]
        } else {
            Vec::new()
        },
        notes,
        four: false,
        leaderless: Vec::new(),
    }
}

/// Why a text is not legal, in the game's terms.
pub fn why_not(hydra: &Hydra, kit: &Kit, s: &State, text: &str) -> Option<String> {
    let pos = &s.pos;
    let text = text.trim();
    let (head, kings) = match text.find(" K@") {
        Some(i) => (&text[..i], text[i..].split_whitespace().count()),
        None => (text, 0),
    };
    let mut acts = Vec::new();
    moves::pseudo(hydra.law, pos, &mut acts);
    let bare = |act: Act| Step {
        act,
        kings: [0; 2],
        placed: 0,
    };
    if let Some(act) = acts.into_iter().find(|a| say(kit, pos, &bare(*a)) == head) {
        return Some(explain(hydra, pos, act, kings));
    }
    let squares = squares_of(kit, head);
    let first = *squares.first()?;
    if let Some((_, at)) = head.split_once('@') {
        return why_no_drop(hydra, kit, pos, head, at);
    }
    if head.starts_with("castle") {
        return Some(
            "an uncastled K or Q and an uncastled R of one rank land side by side between their squares, where no man of yours may stand"
                .to_owned(),
        );
    }
    let code = pos.at(first);
    if code == 0 {
        return Some(format!("there is nothing on {}", name(kit, first)));
    }
    if seat(code) != pos.turn {
        return Some(format!("the unit on {} is not yours", name(kit, first)));
    }
    if code & STAR != 0 {
        return Some(format!(
            "{} on {} is uncastled: it moves by castling only",
            letter(kind(code)),
            name(kit, first)
        ));
    }
    let to = *squares.get(1)?;
    let there = pos.at(to);
    if there & STAR != 0 && seat(there) != pos.turn {
        return Some(format!(
            "{} on {} is uncastled and cannot be captured",
            letter(kind(there)),
            name(kit, to)
        ));
    }
    if there != 0 && seat(there) == pos.turn {
        return Some(format!("your own unit stands on {}", name(kit, to)));
    }
    if kind(code) != PAWN {
        return None;
    }
    let own = own_rank(pos.turn, first);
    if own < 15 || hydra.law.looping {
        if file(first) != file(to)
            && hydra.law.looping
            && pos.pawns[usize::from(pos.turn)][file(to)] >= FILE_CAP
        {
            return Some(full_file(to));
        }
        if own < 16 && file(first) == file(to) {
            return Some(
                "a pawn jumps to a vacant square up to its own rank 9, from rank 8 on it steps one square"
                    .to_owned(),
            );
        }
        return None;
    }
    Some("a pawn reaches rank 16 only where a captured unit can be ransomed: write `=Q`".to_owned())
}

fn full_file(to: Sq) -> String {
    format!(
        "file {} already holds {FILE_CAP} of your pawns",
        (b'a' + (to & 15)) as char
    )
}

fn explain(hydra: &Hydra, pos: &Pos, act: Act, kings: usize) -> String {
    let legal = hydra.candidates(pos);
    match moves::barred(hydra.law, pos, act, &legal) {
        Some(Barred::Unsafe) => {
            "your last king would be attacked; a king placed in this move neither counts nor blocks"
        }
        Some(Barred::KingDuty) => "an enemy king can be captured, so it must be",
        Some(Barred::CastlingDuty) => "the castling deadline is near: you must castle now",
        None => {
            let placing = legal
                .iter()
                .find(|c| c.act == act)
                .map_or(0, |c| usize::from(c.placing));
            if placing != kings {
                "every captured king is placed on a vacant square in the same move: add `K@a5`, in a to p order"
            } else if kings > 0 {
                "a captured king goes to a vacant square, two of them in a to p order"
            } else {
                "the position after it has already occurred in this game"
            }
        }
    }
    .to_owned()
}

fn why_no_drop(hydra: &Hydra, kit: &Kit, pos: &Pos, head: &str, at: &str) -> Option<String> {
    if !hydra.law.looping {
        return Some("nothing is dropped in the game without the loop rule".to_owned());
    }
    let k = LETTERS[1..=usize::from(QUEEN)]
        .iter()
        .position(|l| head.starts_with(*l))? as u8
        + 1;
    if pos.held(pos.turn, k) == 0 {
        return Some(format!("there is no {} in your hand", letter(k)));
    }
    let to = kit.square(at)? as Sq;
    if pos.at(to) != 0 {
        return Some(format!("{} is not vacant", name(kit, to)));
    }
    Some(full_file(to))
}

/// The squares named in a text, in order.
fn squares_of(kit: &Kit, text: &str) -> Vec<Sq> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .flat_map(|word| word.split('x'))
        .filter_map(|word| {
            let word = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
            kit.square(word).map(|sq| sq as Sq)
        })
        .collect()
}
