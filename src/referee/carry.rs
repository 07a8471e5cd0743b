//! The frame in which a letter is carried out: all of it, or nothing; which match each order is for.

use super::desk::{Desk, Stop, refuse};
use super::event::Event;
use super::notice::{NoticeKind, Refusal, Why};
use super::order::{Order, OrderLine, Part, Read, Slip};
use super::state::{Match, MatchNo, PlayerNo, Registry, SentMail, Stage};
use super::{Decision, Outcome, clock, gallery, info, lobby, seeds, talk, turn};
use crate::fair::entropy::mid_words;
use crate::fair::ledger::SAW_HEX;
use crate::fair::line::{hash, hex};

/// Carries a letter out on the desk, or refuses all of it.
pub(super) fn carry(
    mut desk: Desk,
    read: &Read,
    home: Option<MatchNo>,
    answered: Option<SentMail>,
    stranger: Option<String>,
) -> Decision {
    // Becoming known is no order: it stands even where the letter is refused.
    let actor = desk.actor;
    if let Some(address) = stranger {
        let name = default_name(&desk.over, actor);
        desk.emit(
            Event::Met {
                player: actor,
                address,
                name,
                confirmed: true,
            },
            None,
        );
    } else if desk.over.player(actor).is_some_and(|p| !p.confirmed) {
        desk.emit(Event::Confirmed { player: actor }, None);
    }
    let known = desk.events.clone();
    let known_changes = desk.over.changes.clone();
    desk.ignored.clone_from(&read.ignored);
    if !matches!(read.message_id.as_str(), "" | "-") {
        desk.words = mid_words(&read.message_id);
        desk.mid = hex(&hash(&read.message_id))[..SAW_HEX].to_owned();
    }
    if let Some(answered) = answered {
        let ours = |id: &&String| desk.over.mail_by_message_id(id).is_some();
        let head = read.answers.iter().find(ours);
        let head = head.and_then(|id| desk.over.head_of_mail(id));
        desk.saw = head.map(|head| (answered.game, head));
    }
    desk.home = home;
    match all_parts(&mut desk, read, home, answered) {
        Ok(()) => desk.finish(),
        Err((line, stop)) => {
            let fine = std::mem::take(&mut desk.fine);
            desk.events = known;
            desk.over.changes = known_changes;
            let game = stop.game.or(home);
            let refusal = Refusal {
                line: line.map(|l| l.line),
                text: line.map(|l| l.text.clone()).unwrap_or_default(),
                why: stop.why,
                fine,
                report: None,
            };
            let mine = |no: &MatchNo| {
                desk.over
                    .game(*no)
                    .is_some_and(|m| m.chair_of(actor).is_some())
            };
            let game = game.filter(mine);
            let notices = match desk.over.player(actor) {
                Some(player) => vec![refuse(&desk.over, &player, game, &read.ignored, refusal)],
                None => Vec::new(),
            };
            Decision {
                events: desk.events,
                notices,
                key: None,
                confirming: None,
                outcome: Outcome::Rejected,
                changes: desk.over.changes,
            }
        }
    }
}

type Bad<'r> = (Option<&'r OrderLine>, Stop);

fn all_parts<'r>(
    desk: &mut Desk,
    read: &'r Read,
    home: Option<MatchNo>,
    answered: Option<SentMail>,
) -> Result<(), Bad<'r>> {
    if let Some(slip) = read.first_slip() {
        return Err((
            Some(slip),
            Stop {
                why: slip_why(slip, desk.over.house().allowance.orders),
                game: home,
            },
        ));
    }
    if read.is_empty() {
        match home.or_else(|| only_game(desk).ok()) {
            Some(no) if desk.over.game(no).is_some_and(|m| m.table.is_some()) => {
                desk.show(no, "not_understood")
            }
            Some(no) => desk.show(no, "not_understood"),
            None => desk.answers.push(NoticeKind::Help {
                topic: "help".into(),
            }),
        }
        return Ok(());
    }
    for part in &read.parts {
        one_part(desk, read, part, home, answered)?;
    }
    Ok(())
}

fn slip_why(line: &OrderLine, orders_max: usize) -> Why {
    match line.order.as_ref().err() {
        Some(Slip::NearMiss { word, meant }) => Why::NearMiss {
            word: word.clone(),
            meant: meant.clone(),
        },
        Some(Slip::Missing { command, usage }) => Why::Missing {
            command: command.clone(),
            usage: usage.clone(),
        },
        Some(Slip::Unclear {
            command,
            found,
            usage,
        }) => Why::Unclear {
            command: command.clone(),
            found: found.clone(),
            usage: usage.clone(),
        },
        _ => Why::TooMany { most: orders_max },
    }
}

/// The orders of one part. What answers an offer goes first, then the turn as a whole, then the rest as written.
fn one_part<'r>(
    desk: &mut Desk,
    read: &'r Read,
    part: &'r Part,
    home: Option<MatchNo>,
    answered: Option<SentMail>,
) -> Result<(), Bad<'r>> {
    let find = |desk: &Desk, order: &Order| game_of(desk, read, part, home, order);
    let of = |rank: u8| {
        part.orders.iter().filter_map(move |line| {
            let order = line.order.as_ref().ok()?;
            (self::rank(order) == rank).then_some((line, order))
        })
    };
    // Words count for what the same part accepts, joins or opens, and for nothing in the next.
    let by_letter = desk.words.clone();
    let begins = part
        .orders
        .iter()
        .any(|l| l.order.as_ref().is_ok_and(begins));
    for (line, order) in of(0) {
        let no = match find(desk, order) {
            Ok(no) => Some(no),
            Err(_) if begins && !seeds::needs_game(order) => None,
            Err(stop) => return Err((Some(line), stop)),
        };
        // `accept WORDS` in a match that began long ago is told as what it is
        let here = no.filter(|_| !begins || seeds::needs_game(order));
        seeds::order(desk, here, order).map_err(|why| (Some(line), Stop { why, game: no }))?;
        fine(desk, no, line);
    }
    for (line, order) in of(1) {
        let no = find(desk, order).map_err(|s| (Some(line), s))?;
        talk::answer(desk, no, order).map_err(|why| (Some(line), Stop::at(no, why)))?;
        fine(desk, Some(no), line);
    }
    let turn: Vec<&'r OrderLine> = of(2).map(|(line, _)| line).collect();
    if let Some(first) = turn.first()
        && let Ok(order) = &first.order
    {
        let no = find(desk, order).map_err(|s| (Some(*first), s))?;
        let answered = answered.filter(|a| a.game == no);
        turn::orders(desk, no, &turn, answered)
            .map_err(|(at, why)| (turn.get(at).copied(), Stop::at(no, why)))?;
    }
    // A name counts for the invitations of the same letter.
    for (line, order) in of(3).chain(of(4)) {
        let no = if lobby::needs_game(order)
            || talk::needs_game(order)
            || info::needs_game(order)
            || clock::needs_game(order)
        {
            match find(desk, order) {
                Ok(no) => Some(no),
                Err(_)
                    if matches!(
                        order,
                        Order::Rules(_) | Order::Notation(_) | Order::Show(None)
                    ) =>
                {
                    None
                }
                Err(stop) => return Err((Some(line), stop)),
            }
        } else {
            None
        };
        let done = lobby::order(desk, no, order)
            .or_else(|| talk::order(desk, no, order))
            .or_else(|| info::order(desk, no, order))
            .or_else(|| clock::order(desk, no, order))
            .or_else(|| gallery::order(desk, order));
        let not_yet = || {
            Err(Why::NotYet {
                command: first_word(&line.text),
            })
        };
        done.unwrap_or_else(not_yet)
            .map_err(|why| (Some(line), Stop { why, game: no }))?;
        fine(desk, no, line);
    }
    desk.words = by_letter;
    Ok(())
}

/// Orders that words for the dice may stand beside.
fn begins(order: &Order) -> bool {
    matches!(
        order,
        Order::Accept | Order::Join(_) | Order::New { .. } | Order::Seek { .. }
    )
}

fn first_word(text: &str) -> String {
    text.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

pub(super) fn fine(desk: &mut Desk, no: Option<MatchNo>, line: &OrderLine) {
    // with cards, or without: what was understood must be equally long for all of them
    let text = |shown: bool| match &line.order {
        Ok(Order::Pick(card)) if shown => vec![format!("pick {card}")],
        Ok(Order::Guess(card)) if shown => vec![format!("guess {card}")],
        Ok(Order::CardOpen { card, nonce }) if shown => vec![format!("pick open {card} {nonce}")],
        // The card stands in its receipt, which is equally long for all cards.
        Ok(Order::Pick(_)) => vec!["pick (your card: see below)".to_owned()],
        Ok(Order::Guess(_)) => vec!["guess (your card: see below)".to_owned()],
        Ok(Order::CardOpen { .. }) => vec!["pick open (your card and its nonce)".to_owned()],
        Ok(Order::Play(moves)) => vec![moves.clone()],
        Ok(Order::IfCreated { created, otherwise }) => {
            let created = created.as_ref().map(|t| format!("if created: {t}"));
            let otherwise = otherwise.as_ref().map(|t| format!("else: {t}"));
            created.into_iter().chain(otherwise).collect()
        }
        _ => vec![line.text.clone()],
    };
    desk.fine.extend(text(true));
    if let Some(no) = no {
        desk.understood.entry(no).or_default().extend(text(false));
    }
}

fn rank(order: &Order) -> u8 {
    match order {
        order if seeds::is_seed(order) => 0,
        Order::AcceptDraw
        | Order::DeclineDraw
        | Order::ClaimDraw
        | Order::ClaimTime
        | Order::AcceptUndo
        | Order::DeclineUndo
        | Order::Accept
        | Order::Decline => 1,
        Order::Play(_)
        | Order::Pick(_)
        | Order::Guess(_)
        | Order::CardCommit { .. }
        | Order::CardOpen { .. }
        | Order::Place(_)
        | Order::IfCreated { .. }
        | Order::Plan(_)
        | Order::End
        | Order::Start(_)
        | Order::Exchange(_)
        | Order::Turn(_) => 2,
        Order::Name(_) => 3,
        _ => 4,
    }
}

/// The match an order is for: named above it, or by the token, or by the subject, or the only one.
fn game_of(
    desk: &Desk,
    read: &Read,
    part: &Part,
    home: Option<MatchNo>,
    order: &Order,
) -> Result<MatchNo, Stop> {
    let named = match order {
        Order::Show(Some(n)) => Some(*n),
        _ => part.game,
    };
    let said = named
        .map(MatchNo)
        .or(home)
        .or(read.subject_match.map(MatchNo));
    if let Some(no) = said {
        let mine = desk
            .over
            .game(no)
            .is_some_and(|m| m.chair_of(desk.actor).is_some());
        return if mine {
            Ok(no)
        } else {
            Err(Stop::new(Why::NotYours { game: no.0 }))
        };
    }
    if matches!(order, Order::Accept | Order::Decline | Order::Block(_)) {
        let asked: Vec<MatchNo> = playing(desk)
            .into_iter()
            .filter(|m| {
                m.stage == Stage::Inviting
                    && m.chairs
                        .iter()
                        .any(|c| c.player == desk.actor && !c.accepted)
            })
            .map(|m| m.no)
            .collect();
        if let [no] = asked[..] {
            return Ok(no);
        }
    }
    if seeds::is_seed(order) {
        let unbegun: Vec<MatchNo> = playing(desk)
            .into_iter()
            .filter(|m| m.table.is_none())
            .map(|m| m.no)
            .collect();
        if let [no] = unbegun[..] {
            return Ok(no);
        }
    }
    if matches!(order, Order::Cancel) {
        let own: Vec<MatchNo> = playing(desk)
            .into_iter()
            .filter(|m| {
                m.table.is_none() && m.chairs.first().is_some_and(|c| c.player == desk.actor)
            })
            .map(|m| m.no)
            .collect();
        if let [no] = own[..] {
            return Ok(no);
        }
    }
    only_game(desk)
}

fn playing(desk: &Desk) -> Vec<std::sync::Arc<Match>> {
    let player = desk.over.player(desk.actor);
    let nos = player.map(|p| p.playing.clone()).unwrap_or_default();
    nos.into_iter()
        .filter_map(|no| desk.over.game(no))
        .collect()
}

/// The only match in which the actor is awaited, or the only one he has.
fn only_game(desk: &Desk) -> Result<MatchNo, Stop> {
    let all = playing(desk);
    let awaited: Vec<&Match> = all
        .iter()
        .map(|m| &**m)
        .filter(|m| m.seats_of(desk.actor).iter().any(|s| m.is_awaited(*s)))
        .collect();
    if let [m] = awaited[..] {
        return Ok(m.no);
    }
    if let [m] = &all[..] {
        return Ok(m.no);
    }
    if all.is_empty() {
        let over = desk
            .over
            .player(desk.actor)
            .and_then(|p| p.over.last().copied());
        return over.ok_or(Stop::new(Why::NoGames));
    }
    let games = all.iter().map(|m| desk.match_info(m, desk.actor)).collect();
    Err(Stop::new(Why::WhichGame { games }))
}

/// The name of somebody who has not chosen one; never made of his address.
pub(super) fn default_name(reg: &dyn Registry, no: PlayerNo) -> String {
    let mut name = format!("Player-{}", no.0);
    while reg.player_by_name(&name).is_some() {
        name.push('x');
    }
    name
}
