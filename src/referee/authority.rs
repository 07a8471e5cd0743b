//! Who may order what (security.md 2), what is a repetition (reliability.md 4, K3), and the frame in which a letter is
//! carried out: all of it, or nothing.
//!
//! T: a valid token, or an answer to one of our mails. F: the address is the registered one. A: the receiving mail server
//! vouches for it. T+F acts at once. F+A acts at once unless the house is strict or the order cannot be taken back. All
//! else waits: the registered address, or the stranger's own, is asked once a day.

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::chance::Chance;
use super::desk::{Desk, Stop, notice, refuse};
use super::event::Event;
use super::notice::{Notice, NoticeKind, Refusal, ReplyTo, To, Why};
use super::order::{Order, OrderLine, Part, Proof, Read, Slip};
use super::room::Overlay;
use super::state::{
    DAY, HELD_HOURS_MAX, Match, MatchNo, Player, PlayerNo, Registry, Secret, SentMail, Stage,
};
use super::{Decision, Entropy, Outcome, info, lobby, talk, turn};
use crate::fair::seal::hex;
use crate::fair::token::is_reply_token;
use crate::rules::Shelf;

/// The word that stands for the match in the reply address of a confirmation mail.
pub const CONFIRM: &str = "confirming";
/// Characters of a confirmation code: 130 bits.
const CODE_CHARS: usize = 26;

/// What a letter proves about its sender.
enum Verdict {
    /// This player, who answers that match and, where known, that mail of ours.
    Acts {
        player: PlayerNo,
        home: Option<MatchNo>,
        answered: Option<SentMail>,
    },
    /// Nobody known, but vouched for.
    Stranger,
    /// Ask this address first; the second address is where the letter came from.
    Ask {
        address: String,
        from: Option<String>,
    },
    /// Nothing can be answered.
    Nobody,
}

/// Decides a letter.
pub(super) fn letter(
    reg: &dyn Registry,
    shelf: &Shelf,
    read: &Read,
    now: Timestamp,
    entropy: &Entropy,
) -> Decision {
    if let Some(code) = code_of(read) {
        return confirm(reg, shelf, read, &code, now, entropy);
    }
    match judge(reg, read) {
        Verdict::Nobody => Decision {
            outcome: Outcome::Rejected,
            ..Decision::default()
        },
        Verdict::Ask { address, from } => hold(reg, read, address, from, now, entropy),
        Verdict::Stranger => {
            let desk = Desk::new(
                reg,
                shelf,
                now,
                entropy,
                PlayerNo(reg.counters().players + 1),
            );
            carry(desk, read, None, None, Some(read.from.clone()))
        }
        Verdict::Acts {
            player,
            home,
            answered,
        } => {
            let key = mail_key(player, read, answered);
            if key.as_deref().is_some_and(|k| reg.seen(k)) {
                return Decision {
                    outcome: Outcome::Duplicate,
                    ..Decision::default()
                };
            }
            let desk = Desk::new(reg, shelf, now, entropy, player);
            let mut decision = carry(desk, read, home, answered, None);
            decision.key = key;
            decision
        }
    }
}

fn judge(reg: &dyn Registry, read: &Read) -> Verdict {
    let answered = read
        .answers
        .iter()
        .find_map(|id| reg.mail_by_message_id(id));
    let by_token = read.token.as_ref().and_then(|t| {
        let no = reg.game_by_gid(&t.gid.to_ascii_lowercase())?;
        let player = chair(reg, no, t.seat)?;
        let key = &reg.house().key;
        let gid = t.gid.to_ascii_lowercase();
        is_reply_token(key, &gid, t.seat, player.epoch, &t.mac).then_some((no, player.no))
    });
    let by_mail = answered.and_then(|a| Some((a.game, chair(reg, a.game, a.chair)?.no)));
    let sender = if read.from.is_empty() {
        None
    } else {
        reg.player_by_address(&read.from)
    };
    if let Some((no, owner)) = by_token.or(by_mail) {
        let failed = read.proof == Proof::Failed && reg.house().strict;
        if sender == Some(owner) && !failed {
            let answered = answered
                .filter(|a| a.game == no && chair(reg, no, a.chair).is_some_and(|p| p.no == owner));
            return Verdict::Acts {
                player: owner,
                home: Some(no),
                answered,
            };
        }
        if let Some(owner) = reg.player(owner) {
            if read.is_empty() && sender.is_none() {
                return Verdict::Nobody;
            }
            let from = (!same_address(&read.from, &owner.address)).then(|| mask(&read.from));
            return Verdict::Ask {
                address: owner.address.clone(),
                from,
            };
        }
    }
    if read.from.is_empty() {
        return Verdict::Nobody;
    }
    let vouched = read.proof == Proof::Vouched && !reg.house().strict;
    match sender.and_then(|no| reg.player(no)) {
        Some(player) if vouched && !read.orders().any(needs_token) => Verdict::Acts {
            player: player.no,
            home: None,
            answered: None,
        },
        Some(player) => Verdict::Ask {
            address: player.address.clone(),
            from: None,
        },
        None if vouched => Verdict::Stranger,
        None => Verdict::Ask {
            address: read.from.clone(),
            from: None,
        },
    }
}

/// What cannot be taken back is done only by who holds the token, or after asking.
fn needs_token(order: &Order) -> bool {
    matches!(order, Order::Resign | Order::Erase)
}

fn chair(reg: &dyn Registry, no: MatchNo, at: u8) -> Option<std::sync::Arc<Player>> {
    let m = reg.game(no)?;
    reg.player(m.chairs.get(usize::from(at))?.player)
}

fn same_address(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// `b...@example.org`: enough for its owner, nothing for others.
fn mask(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((local, domain)) => format!("{}...@{domain}", local.chars().next().unwrap_or('?')),
        None => "an unreadable address".to_owned(),
    }
}

/// K3: the same player, Message-ID and orders, for the same turn. `None` where the letter has no Message-ID.
fn mail_key(player: PlayerNo, read: &Read, answered: Option<SentMail>) -> Option<String> {
    if read.message_id == "-" || read.message_id.is_empty() {
        return None;
    }
    let mut hash = Sha256::new();
    hash.update(format!("{} {} ", player.0, read.message_id));
    hash.update(format!("{:?} ", answered.map(|a| (a.game, a.turn))));
    hash.update(serde_json::to_string(&read.parts).unwrap_or_default());
    Some(hex(&hash.finalize()))
}

fn code_of(read: &Read) -> Option<String> {
    let token = read
        .token
        .as_ref()
        .filter(|t| t.gid.eq_ignore_ascii_case(CONFIRM));
    let order = read.orders().find_map(|o| match o {
        Order::Confirm(code) => Some(code.trim().to_ascii_lowercase()),
        _ => None,
    });
    order.or_else(|| token.map(|t| t.mac.to_ascii_lowercase()))
}

/// Keeps the letter and asks its sender, or its pretended one, once a day.
fn hold(
    reg: &dyn Registry,
    read: &Read,
    address: String,
    from: Option<String>,
    now: Timestamp,
    entropy: &Entropy,
) -> Decision {
    let silence = Decision {
        outcome: Outcome::Held,
        ..Decision::default()
    };
    let asked = reg.asked(&address.to_ascii_lowercase());
    if asked.is_some_and(|t| now.as_second() - t.as_second() < DAY) {
        return silence;
    }
    let player = reg
        .player_by_address(&address)
        .and_then(|no| reg.player(no));
    if player.as_ref().is_some_and(|p| p.silent) {
        return silence;
    }
    let code = Chance::new(entropy).word(CODE_CHARS);
    let kind = NoticeKind::Confirm {
        code: code.clone(),
        orders: read.orders().count(),
        from,
    };
    let mut overlay = Overlay::new(reg);
    let event = Event::Held {
        code: Secret(code.clone()),
        address: address.to_ascii_lowercase(),
        read: Box::new(read.clone()),
    };
    if super::apply(&mut overlay, &event, now).is_err() {
        return silence;
    }
    let reply = ReplyTo::Code(code);
    let notice = match player {
        Some(player) => Notice {
            reply,
            ..notice(reg, &player, None, kind)
        },
        None => Notice {
            to: To::Address(address),
            to_name: String::new(),
            game: None,
            gid: None,
            seats: Vec::new(),
            seat: None,
            reply,
            entry: 0,
            turn: 0,
            answer: true,
            tag: String::new(),
            ignored: Vec::new(),
            settings: Default::default(),
            kind,
        },
    };
    Decision {
        events: vec![event],
        notices: vec![notice],
        key: None,
        outcome: Outcome::Held,
        changes: overlay.changes,
    }
}

/// The answer to a confirmation mail: the held letter is carried out as if it came now.
fn confirm(
    reg: &dyn Registry,
    shelf: &Shelf,
    read: &Read,
    code: &str,
    now: Timestamp,
    entropy: &Entropy,
) -> Decision {
    let held = reg.held(code).filter(|h| {
        same_address(&h.address, &read.from)
            && now.as_second() - h.at.as_second() < HELD_HOURS_MAX * 3600
    });
    let sender = reg.player_by_address(&read.from);
    let Some(held) = held else {
        // A used or foreign code: whoever is known and proved is told, nobody else.
        let player = sender
            .and_then(|no| reg.player(no))
            .filter(|_| read.proof == Proof::Vouched);
        let mut decision = Decision {
            outcome: Outcome::Rejected,
            ..Decision::default()
        };
        if let Some(player) = player {
            let refusal = Refusal {
                line: None,
                text: String::new(),
                why: Why::BadCode,
                fine: Vec::new(),
                report: None,
            };
            decision
                .notices
                .push(refuse(reg, &player, None, &read.ignored, refusal));
        }
        return decision;
    };
    // The letter itself, with what its token or its thread said about the match.
    let answered = held
        .read
        .answers
        .iter()
        .find_map(|id| reg.mail_by_message_id(id));
    let by_token = held
        .read
        .token
        .as_ref()
        .and_then(|t| reg.game_by_gid(&t.gid.to_ascii_lowercase()));
    let home = by_token.or(answered.map(|a| a.game));
    let (player, stranger) = match sender {
        Some(no) => (no, None),
        None => (
            PlayerNo(reg.counters().players + 1),
            Some(held.address.clone()),
        ),
    };
    let mut desk = Desk::new(reg, shelf, now, entropy, player);
    desk.emit(
        Event::Released {
            code: held.code.clone(),
        },
        None,
    );
    let answered = answered.filter(|a| {
        Some(a.game) == home && chair(reg, a.game, a.chair).is_some_and(|p| p.no == player)
    });
    // Being used up is no order either: it stands where the letter is refused.
    carry(desk, &held.read, home, answered, stranger)
}

/// Carries a letter out on the desk, or refuses all of it.
fn carry(
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
                why: slip_why(slip),
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

fn slip_why(line: &OrderLine) -> Why {
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
        _ => Why::TooMany {
            most: super::order::ORDERS_MAX,
        },
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
    for (line, order) in of(0) {
        let no = find(desk, order).map_err(|s| (Some(line), s))?;
        talk::answer(desk, no, order).map_err(|why| (Some(line), Stop::at(no, why)))?;
        fine(desk, Some(no), line);
    }
    let turn: Vec<&'r OrderLine> = of(1).map(|(line, _)| line).collect();
    if let Some(first) = turn.first()
        && let Ok(order) = &first.order
    {
        let no = find(desk, order).map_err(|s| (Some(*first), s))?;
        let answered = answered.filter(|a| a.game == no);
        turn::orders(desk, no, &turn, answered)
            .map_err(|(at, why)| (turn.get(at).copied(), Stop::at(no, why)))?;
    }
    for (line, order) in of(2) {
        let no = if lobby::needs_game(order) || talk::needs_game(order) || info::needs_game(order) {
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
            .or_else(|| info::order(desk, no, order));
        let not_yet = || {
            Err(Why::NotYet {
                command: first_word(&line.text),
            })
        };
        done.unwrap_or_else(not_yet)
            .map_err(|why| (Some(line), Stop { why, game: no }))?;
        fine(desk, no, line);
    }
    Ok(())
}

fn first_word(text: &str) -> String {
    text.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

pub(super) fn fine(desk: &mut Desk, no: Option<MatchNo>, line: &OrderLine) {
    desk.fine.push(line.text.clone());
    if let Some(no) = no {
        desk.understood
            .entry(no)
            .or_default()
            .push(line.text.clone());
    }
}

fn rank(order: &Order) -> u8 {
    match order {
        Order::AcceptDraw
        | Order::DeclineDraw
        | Order::ClaimDraw
        | Order::Accept
        | Order::Decline => 0,
        Order::Play(_)
        | Order::Pick(_)
        | Order::Guess(_)
        | Order::Place(_)
        | Order::IfCreated { .. }
        | Order::End
        | Order::Start(_)
        | Order::Exchange(_)
        | Order::Turn(_) => 1,
        _ => 2,
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
        .filter(|m| m.seat_of(desk.actor).is_some_and(|s| m.owed(s).is_some()))
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
