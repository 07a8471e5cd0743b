//! Folds events into records. `decide` made them, so they fit; an event that does not is a damaged journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::cards;
use super::chance::ReadBack;
use super::clock;
use super::event::Event;
use super::gallery;
use super::keeper;
use super::lines;
use super::replies;
use super::scribe;
use super::seeds::{self, Seeds};
use super::state::{
    Chair, Held, LastTurn, Match, MatchNo, NOTES_MAX, Note, OVER_REMEMBERED_MAX, Player, PlayerNo,
    Records, Sealed, Stage, Timer, Unfit,
};
use super::undo::{self, BEFORE_MAX, Before};
use crate::rules::{Ending, Happening, Rulebook, Seat, Table};

/// What acting gave, where the caller knows it already.
pub type Known = (Table, Vec<Happening>);

/// Writes what an event means into the records. `at` is the time of its transaction.
///
/// # Errors
/// An event that does not fit the records.
pub fn apply(rec: &mut dyn Records, event: &Event, at: Timestamp) -> Result<(), Unfit> {
    apply_known(rec, event, at, None)
}

/// As [`apply`]; `known` saves playing an order a second time.
pub(super) fn apply_known(
    rec: &mut dyn Records,
    event: &Event,
    at: Timestamp,
    known: Option<Known>,
) -> Result<(), Unfit> {
    match event {
        Event::Met {
            player,
            address,
            name,
            confirmed,
        } => {
            let mut counters = rec.counters();
            counters.players = counters.players.max(player.0);
            rec.put_counters(counters);
            rec.put_player(Arc::new(Player {
                no: *player,
                address: address.clone(),
                name: name.clone(),
                confirmed: *confirmed,
                epoch: 1,
                blocked: BTreeSet::new(),
                silent: false,
                settings: BTreeMap::new(),
                playing: Vec::new(),
                over: Vec::new(),
                invited: Vec::new(),
                banned: None,
                opened: Vec::new(),
                asked: Vec::new(),
                results: BTreeMap::new(),
            }));
            Ok(())
        }
        Event::Confirmed { player } => on_player(rec, *player, |p| p.confirmed = true),
        Event::Named { player, name } => {
            let old = player_of(rec, *player)?;
            rec.free_name(&old.name);
            on_player(rec, *player, |p| p.name.clone_from(name))
        }
        Event::Blocked {
            player,
            whom,
            silent,
        } => on_player(rec, *player, |p| {
            p.blocked.insert(*whom);
            p.silent |= *silent;
        }),
        Event::Set { player, key, value } => on_player(rec, *player, |p| {
            p.settings.insert(key.clone(), value.clone());
        }),
        Event::BookKept { digest, id, text } => {
            if !rec.keeps_book(digest) {
                let book = match rec.book(digest) {
                    Some(book) => book,
                    None => Arc::new(
                        Rulebook::parse(id, text)
                            .map_err(|e| Unfit::new(format!("the kept rulebook `{id}`: {e}")))?,
                    ),
                };
                rec.put_book(digest, book);
            }
            Ok(())
        }
        Event::Held {
            code,
            address,
            read,
        } => {
            rec.put_asked(address, at);
            if let Some(no) = rec.player_by_address(address) {
                on_player(rec, no, |p| {
                    p.asked
                        .retain(|t| at.as_second() - t.as_second() < super::state::DAY);
                    p.asked.push(at);
                })?;
            }
            let held = Held {
                code: code.clone(),
                address: address.clone(),
                read: (**read).clone(),
                at,
            };
            rec.put_held(&code.0, Some(held));
            Ok(())
        }
        Event::EraseAsked { .. } => Ok(()),
        Event::Released { code } => {
            rec.put_held(&code.0, None);
            Ok(())
        }
        Event::Proposed { .. } => proposed(rec, event, at),
        Event::Behind { game, chair, since } => {
            // No entry of the match: what was mailed to whom is nobody's business.
            let arc = rec
                .game(*game)
                .ok_or_else(|| Unfit::new(format!("there is no game {game}")))?;
            let mut m = Match::clone(&arc);
            if let Some(chair) = m.chairs.get_mut(usize::from(*chair)) {
                chair.behind = *since;
            }
            rec.put_game(Arc::new(m));
            Ok(())
        }
        Event::Keeper { deed } if deed.game().is_none() => keeper::on_player(rec, deed),
        _ => in_match(rec, event, at, known),
    }
}

fn proposed(rec: &mut dyn Records, event: &Event, at: Timestamp) -> Result<(), Unfit> {
    let Event::Proposed {
        game,
        gid,
        secret,
        id,
        book,
        options,
        reveal_both,
        clock,
        players,
        wishes,
        people,
        open,
        ask_seeds,
    } = event
    else {
        return Ok(());
    };
    let seeds = Seeds {
        ask: *ask_seeds,
        ..Seeds::default()
    };
    let mut counters = rec.counters();
    counters.matches = counters.matches.max(game.0);
    rec.put_counters(counters);
    let wishes_of = |at: usize| {
        let own = wishes.iter().filter(|(_, chair)| usize::from(*chair) == at);
        own.map(|(seat, _)| *seat).collect()
    };
    let chairs = players
        .iter()
        .enumerate()
        .map(|(i, player)| Chair {
            player: *player,
            accepted: i == 0,
            wishes: wishes_of(i),
            behind: None,
        })
        .collect();
    rec.put_game(Arc::new(Match {
        no: *game,
        gid: gid.clone(),
        secret: secret.clone(),
        game: id.clone(),
        book: book.clone(),
        options: options.clone(),
        reveal_both: *reveal_both,
        clock: clock.clone(),
        stage: if *open {
            Stage::Seeking
        } else {
            Stage::Inviting
        },
        chairs,
        people: *people,
        seats: Vec::new(),
        entry: 0,
        lines: 0,
        sealed: Vec::new(),
        asked: None,
        opened: Vec::new(),
        plans: Vec::new(),
        replies: Vec::new(),
        draw_offer: None,
        agreed: Vec::new(),
        yielding: Vec::new(),
        last: Vec::new(),
        timers: Vec::new(),
        undo_offer: None,
        before: Vec::new(),
        notes: Vec::new(),
        ending: None,
        hold: None,
        watchers: Vec::new(),
        fair: scribe::Fair {
            seeds,
            ..scribe::Fair::default()
        },
        table: None,
    }));
    for (i, player) in players.iter().enumerate() {
        on_player(rec, *player, |p| {
            p.playing.push(*game);
            if i == 0 {
                p.opened.push(at);
                // one for each who is invited
                p.invited.extend(players.iter().skip(1).map(|_| at));
                for times in [&mut p.opened, &mut p.invited] {
                    times.retain(|t| at.as_second() - t.as_second() < super::state::DAY);
                }
            }
        })?;
    }
    Ok(())
}

fn in_match(
    rec: &mut dyn Records,
    event: &Event,
    at: Timestamp,
    known: Option<Known>,
) -> Result<(), Unfit> {
    let no = event
        .game()
        .ok_or_else(|| Unfit::new("an event without a match"))?;
    let arc = rec
        .game(no)
        .ok_or_else(|| Unfit::new(format!("there is no game {no}")))?;
    let mut m = Match::clone(&arc);
    if !matches!(
        event,
        Event::Founded { .. } | Event::Gave { .. } | Event::Seeds { .. } | Event::Watching { .. }
    ) {
        m.entry += 1;
    }
    if !matches!(event, Event::Opened { .. }) {
        scribe::told(rec, &mut m, event, at);
    }
    let (before, turn) = (m.awaited(), m.turn());
    match event {
        Event::Founded { key, .. } => {
            let book = rec
                .book(&m.book)
                .ok_or_else(|| Unfit::new("the rulebook is not kept"))?;
            scribe::founded(rec, &mut m, &book, key, at);
        }
        Event::Gave { player, words, .. } => seeds::gave(&mut m, *player, words),
        Event::Seeds { step, .. } => seeds::apply(rec, &mut m, step, at)?,
        Event::Accepted { player, .. } => match m.chairs.iter_mut().find(|c| c.player == *player) {
            Some(chair) => chair.accepted = true,
            None => {
                m.chairs.push(Chair {
                    player: *player,
                    accepted: true,
                    wishes: Vec::new(),
                    behind: None,
                });
                on_player(rec, *player, |p| p.playing.push(no))?;
            }
        },
        Event::Voided { .. } => {
            m.stage = Stage::Void;
            leave(rec, &m)?;
        }
        Event::Begun { seats, rolls, .. } => {
            let book = rec
                .book(&m.book)
                .ok_or_else(|| Unfit::new("the rulebook is not kept"))?;
            m.stage = Stage::Playing;
            m.seats.clone_from(seats);
            scribe::begun(rec, &mut m, &book, at);
            m.timers = vec![Timer::new(&m.clock); seats.len()];
            let (table, happened) = match known {
                Some(known) => known,
                None => Table::begin(&book, &m.options, &mut ReadBack(rolls.iter()))
                    .map_err(|e| Unfit::new(e.to_string()))?,
            };
            let mut header = serde_json::Map::new();
            header.insert("game".into(), json!(m.game));
            let mut options = serde_json::Map::new();
            for (key, value) in &m.options {
                let def = book.options.get(key).and_then(|o| o.values.first());
                if key == "array" {
                    header.insert(key.clone(), json!(value));
                } else if def != Some(value) {
                    options.insert(key.clone(), json!(value));
                }
            }
            if !options.is_empty() {
                header.insert("options".into(), Json::Object(options));
            }
            lines::add(rec, &mut m, Json::Object(header));
            settle(rec, &mut m, table, &happened, at)?;
        }
        Event::Sealed { seal, .. } => {
            if m.card_down(seal.turn, seal.seat).is_some() {
                return Err(Unfit::new("a second card on the same place"));
            }
            m.sealed.push(seal.clone());
        }
        Event::Unsealed {
            turn,
            seat,
            card,
            nonce,
            ..
        } => cards::unseal(&mut m, *turn, *seat, card, nonce)?,
        Event::Opened {
            turn,
            cards,
            rolls,
            defaulted,
            ..
        } => {
            let (table, mut happened) = match known {
                Some(known) => known,
                None => open_cards(&m, cards, &mut ReadBack(rolls.iter()))?,
            };
            m.before.clear();
            m.undo_offer = None;
            let done = m.sealed.extract_if(.., |s| s.turn <= *turn);
            let mut done: Vec<_> = done.collect();
            scribe::compared(rec, &mut m, (*turn, &done), defaulted, at);
            if !m.reveal_both {
                done.retain(Sealed::known);
                m.opened.extend(done);
            }
            if !defaulted.is_empty() {
                cards::not_shown(&mut happened);
            }
            settle(rec, &mut m, table, &happened, at)?;
        }
        Event::Planned { plan, .. } => {
            m.plans
                .retain(|p| (p.turn, p.seat) != (plan.turn, plan.seat));
            m.plans.push(plan.clone());
        }
        Event::PlanGone { turn, seat, .. } => {
            m.plans.retain(|p| (p.turn, p.seat) != (*turn, *seat))
        }
        Event::Acted {
            seat,
            order,
            ordered,
            rolls,
            ..
        } => {
            let (table, happened) = match known {
                Some(known) => known,
                None => m
                    .table
                    .as_ref()
                    .ok_or_else(|| Unfit::new("the match has not begun"))?
                    .act(*seat, order, &mut ReadBack(rolls.iter()))
                    .map_err(|e| Unfit::new(format!("game {no}: `{order}`: {e}")))?,
            };
            // What fell cannot be unseen.
            if rolls.is_empty() {
                m.before.extend(Before::of(&m, *seat));
                let spare = m.before.len().saturating_sub(BEFORE_MAX);
                m.before.drain(..spare);
            } else {
                m.before.clear();
            }
            m.undo_offer = None;
            let turn = m.turn();
            for h in &happened {
                if let Happening::Played {
                    seat: who, steps, ..
                } = h
                    && who == seat
                {
                    m.last.retain(|l| l.seat != *seat);
                    m.last.push(LastTurn {
                        seat: *seat,
                        turn,
                        ordered: ordered.clone(),
                        steps: steps.clone(),
                    });
                }
            }
            if m.draw_offer.is_some_and(|by| m.offer_lapses(by, *seat)) {
                m.draw_offer = None;
                m.agreed.clear();
            }
            // Who plays on does not resign.
            m.yielding.retain(|s| s != seat);
            settle(rec, &mut m, table, &happened, at)?;
        }
        Event::Watching { player, on, .. } => gallery::apply(&mut m, *player, *on),
        Event::Replies { replies: all, .. } => replies::apply(&mut m, all),
        Event::DrawOffered { seat, .. } => {
            m.draw_offer = Some(*seat);
            m.agreed.clear();
        }
        Event::DrawDeclined { .. } => {
            m.draw_offer = None;
            m.agreed.clear();
        }
        Event::DrawAgreed { seat, .. } => m.agreed.push(*seat),
        Event::Yielded { seat, .. } => m.yielding.push(*seat),
        Event::UndoAsked { seat, .. } => m.undo_offer = Some(*seat),
        Event::UndoDeclined { .. } => m.undo_offer = None,
        Event::Undone { seat, .. } => {
            let book = rec
                .book(&m.book)
                .ok_or_else(|| Unfit::new("the rulebook is not kept"))?;
            undo::apply(&mut m, &book, *seat)?;
        }
        Event::Finished { ending, .. } => finish(rec, &mut m, ending, at)?,
        Event::Noted { seat, text, .. } => {
            let mine = m.notes.iter().filter(|n| n.seat == *seat).count();
            if mine >= NOTES_MAX
                && let Some(oldest) = m.notes.iter().position(|n| n.seat == *seat)
            {
                m.notes.remove(oldest);
            }
            let turn = m.turn();
            m.notes.push(Note {
                seat: *seat,
                turn,
                text: text.clone(),
            });
        }
        Event::Away { .. }
        | Event::Back { .. }
        | Event::ClockMoved { .. }
        | Event::Reminded { .. } => clock::apply(&mut m, event, at),
        Event::Keeper { deed } => keeper::on_match(rec, &mut m, deed, at)?,
        _ => {}
    }
    clock::run(&mut m, &before, turn, at);
    cards::follow(&mut m, at);
    rec.put_game(Arc::new(m));
    Ok(())
}

/// Turns all cards of a turn over: the pure part, also used by `decide`.
pub(super) fn open_cards(
    m: &Match,
    cards: &[(Seat, String)],
    dice: &mut dyn crate::rules::Dice,
) -> Result<Known, Unfit> {
    let mut table = m
        .table
        .clone()
        .ok_or_else(|| Unfit::new("the match has not begun"))?;
    let mut happened = Vec::new();
    for (seat, card) in cards {
        let (next, mut more) = table
            .act(*seat, &format!("pick {card}"), dice)
            .map_err(|e| Unfit::new(format!("game {}: a sealed card: {e}", m.no)))?;
        table = next;
        happened.append(&mut more);
    }
    Ok((table, happened))
}

/// Puts a new position into the match, writes its record and ends it where it ended.
fn settle(
    rec: &mut dyn Records,
    m: &mut Match,
    table: Table,
    happened: &[Happening],
    at: Timestamp,
) -> Result<(), Unfit> {
    let book = Arc::clone(table.book());
    let opening = m.table.is_none();
    for h in happened {
        // the opening dice are told, not recorded (notation page): the `start` line follows from them
        if opening && matches!(h, Happening::Rolled { .. }) {
            continue;
        }
        lines::add_happening(rec, m, &book, h);
    }
    let ending = table.ending();
    m.table = Some(table);
    scribe::follow(rec, m, happened, opening, at);
    if let Some(ending) = ending {
        finish(rec, m, &ending, at)?;
    }
    Ok(())
}

fn finish(
    rec: &mut dyn Records,
    m: &mut Match,
    ending: &Ending,
    at: Timestamp,
) -> Result<(), Unfit> {
    if m.stage == Stage::Over {
        return Ok(());
    }
    scribe::over(rec, m, ending, at);
    for chair in &m.chairs {
        let score = gallery::score(m, chair.player, ending);
        on_player(rec, chair.player, |p| gallery::count(p, &m.game, score))?;
    }
    m.stage = Stage::Over;
    m.ending = Some(ending.clone());
    m.draw_offer = None;
    m.agreed.clear();
    m.yielding.clear();
    m.plans.clear();
    m.replies.clear();
    m.undo_offer = None;
    m.before.clear();
    let names: Vec<&str> = match &m.table {
        Some(table) => ending
            .winners
            .iter()
            .map(|s| table.book().seat_name(*s))
            .collect(),
        None => Vec::new(),
    };
    let outcome = json!({"outcome": {"winner": names, "reason": ending.reason}});
    lines::add(rec, m, outcome);
    leave(rec, m)
}

pub(super) fn leave(rec: &mut dyn Records, m: &Match) -> Result<(), Unfit> {
    for chair in &m.chairs {
        on_player(rec, chair.player, |p| {
            p.playing.retain(|g| *g != m.no);
            p.over.push(m.no);
            if p.over.len() > OVER_REMEMBERED_MAX {
                p.over.remove(0);
            }
        })?;
    }
    Ok(())
}

fn player_of(rec: &dyn Records, no: PlayerNo) -> Result<Arc<Player>, Unfit> {
    rec.player(no)
        .ok_or_else(|| Unfit::new(format!("there is no player {}", no.0)))
}

pub(super) fn on_player(
    rec: &mut dyn Records,
    no: PlayerNo,
    change: impl FnOnce(&mut Player),
) -> Result<(), Unfit> {
    let mut player = Player::clone(&*player_of(rec, no)?);
    change(&mut player);
    rec.put_player(Arc::new(player));
    Ok(())
}

/// The matches an event list touches, in order, each once.
pub fn touched(events: &[Event]) -> Vec<MatchNo> {
    let all: BTreeSet<MatchNo> = events.iter().filter_map(Event::game).collect();
    all.into_iter().collect()
}
