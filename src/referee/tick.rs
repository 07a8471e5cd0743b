//! Time went by: reminders at half and at nine tenths of the time, and word to all when it is over (protocol.md, Clocks).
//! With `flag=claim` nothing more happens by itself.

use jiff::Timestamp;

use super::desk::{Desk, notice, report};
use super::event::Event;
use super::notice::{News, NoticeKind};
use super::state::{MatchNo, PlayerNo, Registry};
use super::{Decision, Entropy, Outcome};
use crate::rules::{Seat, Shelf};

/// Matches looked at in one tick; the next tick takes the rest.
pub const TICK_MATCHES_MAX: usize = 100;

pub(super) fn tick(
    reg: &dyn Registry,
    shelf: &Shelf,
    now: Timestamp,
    entropy: &Entropy,
) -> Decision {
    let mut desk = Desk::new(reg, shelf, now, entropy, PlayerNo(0));
    let mut notices = Vec::new();
    for no in reg.due(now, TICK_MATCHES_MAX) {
        let Some(m) = desk.over.game(no) else {
            continue;
        };
        if m.next_due().is_none_or(|t| t > now) {
            continue;
        }
        // After a long silence only the last of the reminders that fell due is sent.
        let mut stage = m.reminded;
        let mut later = (*m).clone();
        while later.next_due().is_some_and(|t| t <= now) {
            later.reminded += 1;
            stage = later.reminded;
        }
        desk.emit(Event::Reminded { game: no, stage }, None);
        let awaited: Vec<Seat> = m.awaited().into_iter().map(|(s, _)| s).collect();
        for chair in &m.chairs {
            let Some(player) = desk.over.player(chair.player) else {
                continue;
            };
            let owes = m.seat_of(player.no).is_some_and(|s| awaited.contains(&s));
            let Some(mut report) = report(&desk.over, &m, player.no) else {
                continue;
            };
            if stage >= 3 {
                report.news.push(News::TimeOver {
                    seats: awaited.clone(),
                });
            } else if !owes {
                continue;
            }
            notices.push(notice(
                &desk.over,
                &player,
                Some(&m),
                NoticeKind::Reminder(report),
            ));
        }
    }
    Decision {
        events: desk.events,
        notices,
        key: None,
        confirming: None,
        outcome: Outcome::Applied,
        changes: desk.over.changes,
    }
}

/// The referee was away: all deadlines of these matches move along, and their players are told.
pub(super) fn moved(
    reg: &dyn Registry,
    shelf: &Shelf,
    now: Timestamp,
    entropy: &Entropy,
    seconds: i64,
    games: &[MatchNo],
) -> Decision {
    let mut desk = Desk::new(reg, shelf, now, entropy, PlayerNo(0));
    let mut notices = Vec::new();
    for no in games {
        if desk.over.game(*no).is_none_or(|m| m.next_due().is_none()) {
            continue;
        }
        desk.emit(Event::ClockMoved { game: *no, seconds }, None);
        let Some(m) = desk.over.game(*no) else {
            continue;
        };
        for chair in &m.chairs {
            let Some(player) = desk.over.player(chair.player) else {
                continue;
            };
            if let Some(mut report) = report(&desk.over, &m, player.no) {
                let hours = seconds.signum() * ((seconds.abs() + 3599) / 3600);
                report.news.push(News::ClockMoved { hours });
                let kind = NoticeKind::News(report);
                notices.push(notice(&desk.over, &player, Some(&m), kind));
            }
        }
    }
    Decision {
        events: desk.events,
        notices,
        key: None,
        confirming: None,
        outcome: Outcome::Applied,
        changes: desk.over.changes,
    }
}
