//! Orders between players that are no moves: draws, resigning, messages, and the answer to an invitation.

use super::clock;
use super::desk::Desk;
use super::event::Event;
use super::lobby;
use super::notice::{News, Why};
use super::order::{MESSAGE_CHARS_MAX, Order};
use super::replies::Replies;
use super::seats::team_of;
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
    let asked_back = m.stage == Stage::Playing && m.undo_offer.is_some();
    match order {
        // `accept` alone means what is on offer.
        Order::Accept if m.stage == Stage::Playing && offered => accept_draw(desk, &m),
        Order::Decline if m.stage == Stage::Playing && offered => decline_draw(desk, &m),
        Order::Accept if asked_back => undo::answer(desk, &m, true),
        Order::Decline if asked_back => undo::answer(desk, &m, false),
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
        Stage::Playing => match &m.hold {
            Some(hold) => Err(Why::OnHold {
                why: hold.why.clone(),
            }),
            None => m.seat_of(desk.actor).ok_or(Why::NotBegun),
        },
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
        Some(_) if m.has_agreed(desk.actor) => return Err(Why::DrawAlreadyOffered),
        // Two who offer agree.
        Some(_) => return accept_draw(desk, m),
        None => {}
    }
    desk.emit(Event::DrawOffered { game: m.no, seat }, None);
    desk.tell(m.no, News::DrawOffered { seat });
    Ok(())
}

/// A draw needs everybody who plays (chaturaji.md 1.10: unanimous agreement); who holds two seats speaks for both.
fn accept_draw(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    if m.draw_offer.is_none() || m.has_agreed(desk.actor) {
        return Err(Why::NoDrawOffered);
    }
    let agrees = |s: &Seat| {
        m.player_at(*s)
            .is_some_and(|p| p == desk.actor || m.has_agreed(p))
    };
    let seats = (0u8..).map(Seat).take(m.seats.len());
    let missing: Vec<Seat> = seats.filter(|s| !agrees(s)).collect();
    if missing.is_empty() {
        finish(desk, m, Ending::draw("agreed"));
    } else {
        desk.emit(Event::DrawAgreed { game: m.no, seat }, None);
        desk.tell(m.no, News::DrawAgreed { seat, missing });
    }
    Ok(())
}

fn decline_draw(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    if m.draw_offer
        .is_none_or(|by| m.player_at(by) == Some(desk.actor))
    {
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

/// Resigning is by partnership (chaturaji.md 1.10): where a partner is another person, he must want it too. What one of
/// them wants is told to the other alone, and is gone when he who wanted it plays on.
fn resign(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = seat_in(desk, m)?;
    let ours = |s: &Seat| {
        m.player_at(*s) == Some(desk.actor)
            || (team_of(m, seat).is_some() && team_of(m, *s) == team_of(m, seat))
    };
    let (side, winners): (Vec<Seat>, Vec<Seat>) =
        (0u8..).map(Seat).take(m.seats.len()).partition(ours);
    let agrees = |s: &&Seat| m.player_at(**s) == Some(desk.actor) || m.yielding.contains(s);
    let waiting: Vec<Seat> = side.iter().filter(|s| !agrees(s)).copied().collect();
    if waiting.is_empty() {
        finish(desk, m, Ending::win(winners, "resigned"));
        return Ok(());
    }
    for own in m.seats_of(desk.actor) {
        if m.yielding.contains(&own) {
            return Err(Why::AlreadyResigning);
        }
        desk.emit(
            Event::Yielded {
                game: m.no,
                seat: own,
            },
            None,
        );
    }
    for told in [vec![seat], waiting].concat() {
        desk.tell_one(m.no, told, News::Yielded { seat });
    }
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
    if let Some(replies) = m.replies_of(seat) {
        let replies = Replies {
            all: Vec::new(),
            ..replies.clone()
        };
        let game = m.no;
        desk.emit(Event::Replies { game, replies }, None);
    }
    desk.tell_one(m.no, seat, News::Forgotten);
    Ok(())
}
