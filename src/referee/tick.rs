//! Time went by: reminders at half and at nine tenths of the time, and word to all when it is over (protocol.md, Clocks).
//! With `flag=claim` nothing more happens by itself, with `flag=auto` the match is lost.

use jiff::Timestamp;

use super::acts;
use super::clock::OVER;
use super::desk::{Desk, notice, report};
use super::event::Event;
use super::gallery;
use super::notice::{News, NoticeKind};
use super::proofs::add_openings;
use super::seeds;
use super::state::{Match, MatchNo, PlayerNo, Registry, Stage};
use super::{Decision, Entropy};
use crate::rules::{Ending, Seat, Shelf, What};

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
        if m.table.is_none() {
            seeds::tick(&mut desk, no);
            continue;
        }
        let mut late = Vec::new();
        let mut cardless = Vec::new();
        let mut warned = Vec::new();
        for seat in m.every_seat() {
            // After a long silence only the last of the reminders that fell due is sent.
            let mut later = (*m).clone();
            while later.due_of(seat).is_some_and(|t| t <= now) {
                later.timers[seat.at()].reminded += 1;
            }
            let stage = later.timers.get(seat.at()).map_or(0, |t| t.reminded);
            if m.timers.get(seat.at()).is_none_or(|t| t.reminded == stage) {
                continue;
            }
            desk.emit(
                Event::Reminded {
                    game: no,
                    seat,
                    stage,
                    open: false,
                },
                None,
            );
            let list = match (stage, m.owed(seat)) {
                (OVER.., Some(What::Pick)) => &mut cardless,
                (OVER.., _) => &mut late,
                _ => &mut warned,
            };
            list.push(seat);
        }
        warned.extend(remind_openers(&mut desk, &m, now));
        // cards that the dice must lay down, or that nobody waits for any longer
        let events = desk.events.len();
        acts::settle(&mut desk, no);
        if desk.events.len() > events {
            continue;
        }
        let loser = late.first().filter(|_| m.clock.auto);
        let winners = loser.and_then(|s| m.winners_against(*s));
        let mut news = Vec::new();
        if !cardless.is_empty() {
            news.push(News::CardOverdue { seats: cardless });
        }
        if !late.is_empty() {
            news.push(News::TimeOver {
                seats: late.clone(),
                auto: winners.is_some(),
            });
        }
        if let Some(winners) = winners {
            // Where both sides are out of time nobody wins.
            let both = late.iter().any(|s| winners.contains(s));
            let ending = Ending::win(if both { Vec::new() } else { winners }, "time");
            news.push(News::Ended {
                winners: ending.winners.clone(),
                reason: ending.reason.clone(),
            });
            desk.emit(Event::Finished { game: no, ending }, None);
        }
        let Some(m) = desk.over.game(no) else {
            continue;
        };
        let told: Vec<_> = news.iter().map(|n| (None, n.clone())).collect();
        notices.extend(gallery::tell(&desk, &m, &told));
        for chair in &m.chairs {
            let Some(player) = desk.over.player(chair.player) else {
                continue;
            };
            let Some(mut report) = report(&desk.over, &m, player.no) else {
                continue;
            };
            let warn = m.seats_of(player.no).iter().any(|s| warned.contains(s));
            if news.is_empty() && !warn {
                continue;
            }
            report.news.clone_from(&news);
            let kind = if m.stage == Stage::Over {
                add_openings(&m, &mut report);
                NoticeKind::Over(report)
            } else {
                NoticeKind::Reminder(report)
            };
            notices.push(notice(&desk.over, &player, Some(&m), kind));
        }
    }
    // what followed from cards is told as after a letter
    let mut decision = desk.finish();
    decision.notices.extend(notices);
    decision
}

/// Reminds those who must open a card; whom.
fn remind_openers(desk: &mut Desk, m: &Match, now: Timestamp) -> Vec<Seat> {
    let mut later = m.clone();
    while later.opening_due().is_some_and(|t| t <= now) {
        let Some(asked) = &mut later.asked else { break };
        asked.reminded += 1;
    }
    let stage = |m: &Match| m.asked.as_ref().map_or(0, |a| a.reminded);
    let (before, stage) = (stage(m), stage(&later));
    if before == stage {
        return Vec::new();
    }
    let openers: Vec<Seat> = m.every_seat().filter(|s| m.must_open(*s)).collect();
    for seat in &openers {
        let event = Event::Reminded {
            game: m.no,
            seat: *seat,
            stage,
            open: true,
        };
        desk.emit(event, None);
    }
    openers
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
        changes: desk.over.changes,
        ..Decision::default()
    }
}
