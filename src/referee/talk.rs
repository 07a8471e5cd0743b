//! Orders between players that are no moves: draws, resigning, messages, and the answer to an invitation.

use super::clock;
use super::desk::Desk;
use super::event::Event;
use super::lobby;
use super::notice::{News, Why};
use super::order::{MESSAGE_CHARS_MAX, Order};
use super::state::{Match, MatchNo, Registry, Stage};
use super::undo;
use crate::rules::{Ending, Seat};

/// Is the order about one match?
pub(super) fn needs_game(order: &Order) -> bool {
    matches!(
        order,
        Order::OfferDraw
            | Order::Undo
            | Order::Resign
            | Order::Message(_)
            | Order::Note(_)
            | Order::Forget
    )
}

/// Orders that answer something and come before the turn.
pub(super) fn answer(desk: &mut Desk, no: MatchNo, order: &Order) -> Result<(), Why> {
    let m = desk.over.game(no).ok_or(Why::NotYours { game: no.0 })?;
    let offered = m.draw_offer.is_some();
    match order {
        // `accept` alone means what is on offer.
        Order::Accept if m.stage == Stage::Playing && offered => accept_draw(desk, &m),
        Order::Decline if m.stage == Stage::Playing && offered => decline_draw(desk, &m),
        Order::Accept => lobby::accept(desk, no),
        Order::Decline => lobby::decline(desk, no),
        Order::AcceptDraw => accept_draw(desk, &m),
        Order::DeclineDraw => decline_draw(desk, &m),
        Order::ClaimDraw => claim_draw(desk, &m),
        Order::AcceptUndo => undo::answer(desk, &m, true),
        Order::DeclineUndo => undo::answer(desk, &m, false),
        Order::ClaimTime => clock::claim_time(desk, &m),
        _ => Ok(()),
    }
}

/// Carries the order out, if it is one of this file.
pub(super) fn order(
    desk: &mut Desk,
    no: Option<MatchNo>,
    order: &Order,
) -> Option<Result<(), Why>> {
    if !needs_game(order) {
        return None;
    }
    let m = desk.over.game(no?)?;
    Some(match order {
        Order::OfferDraw => offer_draw(desk, &m),
        Order::Resign => resign(desk, &m),
        Order::Undo => undo::ask(desk, &m),
        Order::Message(text) => say(desk, &m, text),
        Order::Note(text) => note(desk, &m, text),
        Order::Forget => forget(desk, &m),
        _ => return None,
    })
}

/// The actor's seat in a match under way.
pub(super) fn seat_in(desk: &Desk, m: &Match) -> Result<Seat, Why> {
    match m.stage {
        Stage::Playing => m.seat_of(desk.actor).ok_or(Why::NotBegun),
        Stage::Inviting | Stage::Seeking => Err(Why::NotBegun),
        Stage::Over | Stage::Void => Err(lobby::over(m)),
    }
}

pub(super) fn finish(desk: &mut Desk, m: &Match, ending: Ending) {
    desk.tell(
        m.no,
        News::Ended {
            winners: ending.winners.clone(),
            reason: ending.reason.clone(),
        },
    );
    desk.emit(Event::Finished { game: m.no, ending }, None);
}

fn offer_draw(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    match m.draw_offer {
        Some(by) if by == seat => return Err(Why::DrawAlreadyOffered),
        // Two who offer agree.
        Some(_) => return accept_draw(desk, m),
        None => {}
    }
    desk.emit(Event::DrawOffered { game: m.no, seat }, None);
    desk.tell(m.no, News::DrawOffered { seat });
    Ok(())
}

fn accept_draw(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    // With more than two seats all would have to agree; such games have no draw by agreement.
    if m.draw_offer.is_none_or(|by| by == seat) || m.seats.len() != 2 {
        return Err(Why::NoDrawOffered);
    }
    finish(desk, m, Ending::draw("agreed"));
    Ok(())
}

fn decline_draw(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    if m.draw_offer.is_none_or(|by| by == seat) {
        return Err(Why::NoDrawOffered);
    }
    desk.emit(Event::DrawDeclined { game: m.no, seat }, None);
    desk.tell(m.no, News::DrawDeclined { seat });
    Ok(())
}

fn claim_draw(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    seat_in(desk, m)?;
    let reason = m
        .table
        .as_ref()
        .and_then(|t| t.draw_claim())
        .ok_or(Why::NoDrawClaim)?;
    finish(desk, m, Ending::draw(&reason));
    Ok(())
}

fn resign(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    let book = m.table.as_ref().map(|t| t.book().clone());
    let team = |s: Seat| {
        book.as_ref()
            .and_then(|b| b.seats.get(s.at()))
            .and_then(|d| d.team)
    };
    let winners: Vec<Seat> = (0..m.seats.len())
        .filter_map(|i| u8::try_from(i).ok().map(Seat))
        .filter(|s| *s != seat && (team(seat).is_none() || team(*s) != team(seat)))
        .collect();
    finish(desk, m, Ending::win(winners, "resigned"));
    Ok(())
}

fn say(desk: &mut Desk, m: &Match, text: &str) -> Result<(), Why> {
    let Some(seat) = m.seat_of(desk.actor) else {
        return Err(Why::NotBegun);
    };
    let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
    desk.emit(
        Event::Said {
            game: m.no,
            seat,
            text: text.clone(),
        },
        None,
    );
    let mut blocked = false;
    for chair in &m.chairs {
        let other = desk.over.player(chair.player);
        blocked |= other.is_some_and(|p| p.no != desk.actor && p.blocked.contains(&desk.actor));
    }
    if blocked {
        desk.tell_one(m.no, seat, News::Said { seat, text });
    } else {
        desk.tell(m.no, News::Said { seat, text });
    }
    Ok(())
}

fn note(desk: &mut Desk, m: &Match, text: &str) -> Result<(), Why> {
    let Some(seat) = m.seat_of(desk.actor) else {
        return Err(Why::NotBegun);
    };
    let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
    let event = Event::Noted {
        game: m.no,
        seat,
        text: text.clone(),
    };
    desk.emit(event, None);
    desk.tell_one(m.no, seat, News::Noted { text });
    Ok(())
}

fn forget(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    for plan in m.plans.iter().filter(|p| p.seat == seat) {
        desk.emit(
            Event::PlanGone {
                game: m.no,
                turn: plan.turn,
                seat,
            },
            None,
        );
    }
    desk.tell_one(m.no, seat, News::Forgotten);
    Ok(())
}
