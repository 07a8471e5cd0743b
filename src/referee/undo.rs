//! Taking back: a player asks, the other side agrees (protocol.md, Commands). What chance or a card has shown since cannot
//! be unseen, so nothing is taken back beyond it.

use serde::{Deserialize, Serialize};

use super::desk::Desk;
use super::event::Event;
use super::notice::{News, Why};
use super::state::{LastTurn, Match, Unfit};
use super::talk::seat_in;
use crate::rules::{Rulebook, Seat, Table};

/// Orders of a match that can be taken back.
pub const BEFORE_MAX: usize = 4;

/// How a match stood before an order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Before {
    /// Whose order.
    pub seat: Seat,
    /// In which turn.
    pub turn: u32,
    /// The position.
    pub position: Vec<u8>,
    /// Lines of the record.
    pub lines: u32,
    /// Last turns by seat.
    pub last: Vec<LastTurn>,
}

impl Before {
    /// The match as it stands, before an order of that seat.
    pub fn of(m: &Match, seat: Seat) -> Option<Before> {
        Some(Before {
            seat,
            turn: m.turn(),
            position: m.table.as_ref()?.save(),
            lines: m.lines,
            last: m.last.clone(),
        })
    }
}

/// Where taking back leads: the first order of the seat's last turn that can still be reached.
fn target(m: &Match, seat: Seat) -> Option<usize> {
    let last = m.before.iter().rposition(|b| b.seat == seat)?;
    let turn = m.before[last].turn;
    m.before
        .iter()
        .position(|b| b.seat == seat && b.turn == turn)
}

/// Puts the match back.
///
/// # Errors
/// There is nothing to take back, or the position cannot be read.
pub(super) fn apply(
    m: &mut Match,
    book: &std::sync::Arc<Rulebook>,
    seat: Seat,
) -> Result<(), Unfit> {
    let at = target(m, seat).ok_or_else(|| Unfit::new("nothing can be taken back"))?;
    let before = m.before[at].clone();
    m.before.truncate(at);
    let table = Table::load(book, &m.options, &before.position)
        .map_err(|e| Unfit::new(format!("the position before turn {}: {e}", before.turn)))?;
    m.table = Some(table);
    m.lines = before.lines;
    m.last = before.last;
    m.replies.clear();
    m.undo_offer = None;
    m.draw_offer = None;
    Ok(())
}

/// `undo`
pub(super) fn ask(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    if m.seats.len() != 2 || target(m, seat).is_none() {
        return Err(Why::NothingToUndo);
    }
    desk.emit(Event::UndoAsked { game: m.no, seat }, None);
    desk.tell(m.no, News::UndoAsked { seat });
    Ok(())
}

/// `accept undo`, `decline undo`
pub(super) fn answer(desk: &mut Desk, m: &Match, yes: bool) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    let by = m.undo_offer.filter(|by| *by != seat);
    let by = by.ok_or(Why::NoUndoAsked)?;
    if yes {
        desk.emit(
            Event::Undone {
                game: m.no,
                seat: by,
            },
            None,
        );
        desk.tell(m.no, News::Undone { seat: by });
    } else {
        desk.emit(Event::UndoDeclined { game: m.no, seat }, None);
        desk.tell(m.no, News::UndoDeclined { seat });
    }
    Ok(())
}
