//! Conditional moves: `if e7-e5 then Ng1-f3; if c7-c5 then Nb1-c3` - what a player answers to a turn of his opponent that he
//! has not seen yet (protocol.md, Commands, ahead).
//!
//! They stand for the opponent's next turn only. When that is played the reply that fits is played at once, and the others
//! are forgotten.

use serde::{Deserialize, Serialize};

use super::acts::{play, why_of};
use super::desk::{Desk, mover};
use super::event::Event;
use super::notice::{News, Why};
use super::state::{Match, MatchNo, Registry, Stage};
use super::talk::seat_in;
use super::undo::Before;
use crate::rules::{Happening, NoDice, Seat, Table, What};

/// Replies that a player may store for one turn.
pub const REPLIES_MAX: usize = 20;

/// What one seat answers to one turn of the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The opponent's turn; canonical where it could be read when it was stored.
    pub theirs: String,
    /// The answer, as written.
    pub mine: String,
}

/// The replies of one seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Replies {
    /// Whose.
    pub seat: Seat,
    /// Number of the opponent's turn that they are for.
    pub turn: u32,
    /// Each for another turn of his.
    pub all: Vec<Reply>,
}

impl Match {
    /// The stored replies of a seat.
    pub(super) fn replies_of(&self, seat: Seat) -> Option<&Replies> {
        self.replies.iter().find(|r| r.seat == seat)
    }
}

/// Folds the replies of a seat; none: they are forgotten.
pub(super) fn apply(m: &mut Match, replies: &Replies) {
    m.replies.retain(|r| r.seat != replies.seat);
    if !replies.all.is_empty() {
        m.replies.push(replies.clone());
    }
}

/// `if A; B then C; D; if E then F` as pairs of turns.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let lower = text.to_ascii_lowercase();
    let mut starts: Vec<usize> = lower.match_indices("; if ").map(|(at, _)| at + 2).collect();
    starts.insert(0, 0);
    starts.push(text.len());
    starts
        .windows(2)
        .map(|w| {
            let piece = text.get(w[0]..w[1])?;
            let piece = piece.trim().trim_end_matches(';');
            let then = piece.to_ascii_lowercase().find(" then ")?;
            let theirs = piece.get(3..then)?.trim().trim_end_matches(',');
            let mine = piece.get(then + 6..)?.trim();
            let filled = !theirs.is_empty() && !mine.is_empty();
            filled.then(|| (theirs.to_owned(), mine.to_owned()))
        })
        .collect()
}

/// Stores what one line says, after the turn of the same letter.
pub(super) fn store(desk: &mut Desk, no: MatchNo, text: &str) -> Result<(), Why> {
    let m = desk.over.game(no).ok_or(Why::NotYours { game: no.0 })?;
    let m = &m;
    let seat = seat_in(desk, m)?;
    let table = m.table.as_ref().ok_or(Why::NotBegun)?;
    let rival = m.rival_of(seat).ok_or(Why::NoReplies)?;
    let asks = table.asks();
    let asked = |of: Seat, what: What| asks.iter().any(|a| a.seat == of && a.what == what);
    let mine = mover(table) == seat;
    if mine && !asked(seat, What::Pick) {
        return Err(Why::MoveFirst);
    }
    let turn = table.turn_no() + u32::from(mine);
    let readable = asked(rival, What::Turn);
    let old = m.replies_of(seat).filter(|r| r.turn == turn);
    let mut all = old.map(|r| r.all.clone()).unwrap_or_default();
    let found = pairs(text).ok_or_else(|| Why::Unclear {
        command: "if".to_owned(),
        found: text.to_owned(),
        usage: "if OPPONENT-MOVE then MY-MOVE".to_owned(),
    })?;
    for (theirs, mine) in found {
        let theirs = if readable {
            checked(m, table, (rival, &theirs), (seat, &mine))?
        } else {
            theirs
        };
        all.retain(|r| r.theirs != theirs);
        all.push(Reply { theirs, mine });
    }
    if all.len() > REPLIES_MAX {
        return Err(Why::TooMany { most: REPLIES_MAX });
    }
    let replies = Replies { seat, turn, all };
    desk.emit(
        Event::Replies {
            game: m.no,
            replies,
        },
        None,
    );
    Ok(())
}

/// Tells their owner which replies are stored.
pub(super) fn tell(desk: &mut Desk, no: MatchNo, replies: &Replies) {
    let all = replies.all.iter();
    let pairs = all.map(|r| (r.theirs.clone(), r.mine.clone())).collect();
    let news = News::Replies {
        turn: replies.turn,
        pairs,
    };
    desk.tell_one(no, replies.seat, news);
}

/// Tries both turns on a copy of the board; the first in canonical words.
fn checked(
    m: &Match,
    table: &Table,
    (rival, theirs): (Seat, &str),
    (seat, mine): (Seat, &str),
) -> Result<String, Why> {
    let (after, happened) = table
        .act(rival, theirs, &mut NoDice)
        .map_err(|wrong| why_of(m, rival, wrong))?;
    let asked = after
        .asks()
        .iter()
        .any(|a| a.seat == seat && a.what == What::Turn);
    if asked {
        after
            .act(seat, mine, &mut NoDice)
            .map_err(|wrong| why_of(m, seat, wrong))?;
    }
    Ok(played(&happened, rival).unwrap_or_else(|| theirs.to_owned()))
}

/// The whole turn of a seat in canonical words.
fn played(happened: &[Happening], by: Seat) -> Option<String> {
    happened.iter().find_map(|h| match h {
        Happening::Played { seat, steps, .. } if *seat == by => Some(steps.join("; ")),
        _ => None,
    })
}

/// Plays the reply that fits the turn which was just played; true where one was.
pub(super) fn run(desk: &mut Desk, no: MatchNo) -> bool {
    let Some(m) = desk.over.game(no).filter(|m| m.stage == Stage::Playing) else {
        return false;
    };
    let Some(table) = m.table.as_ref() else {
        return false;
    };
    let now = table.turn_no();
    let Some(replies) = m.replies.iter().find(|r| r.turn < now).cloned() else {
        return false;
    };
    let seat = replies.seat;
    let asked = table
        .asks()
        .iter()
        .any(|a| a.seat == seat && a.what == What::Turn);
    let fits = (replies.turn + 1 == now)
        .then(|| fitting(&m, &replies))
        .flatten();
    // Cards and placements come first: until then the one that fits is kept.
    let waits = fits.clone().filter(|_| !asked);
    let left = Replies {
        all: waits.iter().cloned().collect(),
        ..replies.clone()
    };
    if left != replies {
        let event = Event::Replies {
            game: no,
            replies: left,
        };
        desk.emit(event, None);
    }
    let Some(reply) = fits else {
        desk.tell_one(no, seat, News::NoReplyFits);
        return false;
    };
    if waits.is_some() {
        return false;
    }
    let text = reply.mine;
    match play(desk, no, seat, &text) {
        Ok(()) => true,
        Err(why) => {
            let why = Box::new(why);
            desk.tell_one(no, seat, News::PlanFailed { text, why });
            false
        }
    }
}

/// The answer to the turn that the opponent has played.
fn fitting(m: &Match, replies: &Replies) -> Option<Reply> {
    let rival = m.rival_of(replies.seat)?;
    let last = m.last.iter().find(|l| l.seat == rival)?;
    let steps = last.steps.join("; ");
    let of_turn = |b: &&Before| b.seat == rival && b.turn == replies.turn;
    let before = m.before.iter().rfind(of_turn);
    let book = m.table.as_ref()?.book();
    let table = before.and_then(|b| Table::load(book, &m.options, &b.position).ok());
    let canonical = |theirs: &str| {
        let (_, happened) = table.as_ref()?.act(rival, theirs, &mut NoDice).ok()?;
        played(&happened, rival)
    };
    let fits = |theirs: &str| theirs == steps || canonical(theirs).as_ref() == Some(&steps);
    let reply = replies.all.iter().find(|r| fits(&r.theirs))?;
    Some(Reply {
        theirs: steps,
        mine: reply.mine.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_turns() {
        let of = |text: &str| {
            let all = pairs(text)?;
            Some(
                all.iter()
                    .map(|(a, b)| format!("{a} > {b}"))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(of("if e7-e5 then Ng1-f3").unwrap(), ["e7-e5 > Ng1-f3"]);
        assert_eq!(
            of("if e7-e5, then Ng1-f3; If c7-c5 THEN Nb1-c3; d2-d4;").unwrap(),
            ["e7-e5 > Ng1-f3", "c7-c5 > Nb1-c3; d2-d4"]
        );
        assert_eq!(of("if e7-e5"), None);
        assert_eq!(of("if  then a"), None);
    }
}
