//! Who may order what (security.md 2), and what is a repetition (reliability.md 4, K3).
//!
//! T: a valid token, or an answer to one of our mails. F: the address is the registered one. A: the receiving mail server
//! vouches for it. T+F acts at once. F+A acts at once unless the house is strict or the order cannot be taken back. All
//! else waits: the registered address is asked about each letter by itself, a stranger's own once a day.

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::carry::carry;
use super::chance::Chance;
use super::desk::{Desk, notice, refuse};
use super::event::Event;
use super::notice::{Notice, NoticeKind, Refusal, ReplyTo, To, Why};
use super::order::{Order, OrderLine, Part, Proof, Read};
use super::room::Overlay;
use super::state::{
    DAY, HELD_HOURS_MAX, Held, MatchNo, Player, PlayerNo, Registry, Secret, SentMail, Stage,
};
use super::{Decision, Entropy, Outcome};
use crate::fair::seal::hex;
use crate::fair::token::is_reply_token;
use crate::rules::Shelf;

/// The word that stands for the match in the reply address of a confirmation mail.
pub const CONFIRM: &str = "confirming";
/// Letters a day that wait for a player's confirmation; further ones are dropped. A proven letter is never counted.
pub const HELD_A_DAY_MAX: usize = 5;
/// Lines of a held letter that are listed.
const LISTED_MAX: usize = 20;
/// Characters of such a line.
const LISTED_CHARS_MAX: usize = 200;
/// Characters of a confirmation code, and of a reply token: 130 bits.
pub const CODE_CHARS: usize = 26;

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
        // new orders in the answer to a mail that asks no more are a letter like any other
        let spent = held(reg, read, &code, now).is_none();
        if !spent || read.orders().all(|o| matches!(o, Order::Confirm(_))) {
            return confirm(reg, shelf, read, &code, now, entropy);
        }
    }
    match judge(reg, read) {
        Verdict::Nobody => Decision {
            outcome: Outcome::Rejected,
            ..Decision::default()
        },
        Verdict::Ask { address, from } => {
            hold(reg, read, address, Ask::Yours { from }, now, entropy)
        }
        Verdict::Stranger => {
            let player = PlayerNo(reg.counters().players + 1);
            let desk = Desk::new(reg, shelf, now, entropy, player);
            let mut decision = carry(desk, read, None, None, Some(read.from.clone()));
            // the number that he has from now on: a copy of this first letter is known by it
            decision.key = mail_key(player, read, None);
            decision
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
            if let Some(refused) = banned(reg, player, read) {
                return Decision { key, ..refused };
            }
            let leaving = read.orders().any(|o| matches!(o, Order::Unsubscribe));
            if let Some(no) = home.filter(|_| leaving)
                && let Some(read) = instead_of_mail(reg, read, player, no)
            {
                let mut decision = match read.orders().next() {
                    Some(Order::Resign) => {
                        let address = reg.player(player).map(|p| p.address.clone());
                        let ask = Ask::Leave;
                        hold(reg, &read, address.unwrap_or_default(), ask, now, entropy)
                    }
                    _ => {
                        let desk = Desk::new(reg, shelf, now, entropy, player);
                        carry(desk, &read, home, None, None)
                    }
                };
                decision.key = key;
                return decision;
            }
            let desk = Desk::new(reg, shelf, now, entropy, player);
            let mut decision = carry(desk, read, home, answered, None);
            decision.key = key;
            decision
        }
    }
}

/// What a held letter's sender is asked.
enum Ask {
    /// Is it yours? It came from that other address.
    Yours { from: Option<String> },
    /// Do you really want to leave?
    Leave,
}

/// `unsubscribe` stands behind a button of many mail programs: what it means for a match that goes on or is not begun
/// (security.md 7). `None` where no mail will come anyway.
fn instead_of_mail(reg: &dyn Registry, read: &Read, player: PlayerNo, no: MatchNo) -> Option<Read> {
    let m = reg.game(no)?;
    let (text, order) = match m.stage {
        Stage::Playing => ("resign", Order::Resign),
        Stage::Inviting if m.chairs.first().is_none_or(|c| c.player != player) => {
            ("decline", Order::Decline)
        }
        Stage::Inviting | Stage::Seeking => ("cancel", Order::Cancel),
        Stage::Over | Stage::Void => return None,
    };
    let line = OrderLine {
        line: 1,
        text: text.to_owned(),
        order: Ok(order),
    };
    Some(Read {
        parts: vec![Part {
            game: Some(no.0),
            orders: vec![line],
        }],
        ..read.clone()
    })
}

/// The one answer to somebody whom the Keeper lets play no more.
fn banned(reg: &dyn Registry, player: PlayerNo, read: &Read) -> Option<Decision> {
    let player = reg.player(player)?;
    let why = player.banned.clone()?;
    let refusal = Refusal {
        line: None,
        text: String::new(),
        why: Why::Banned { why },
        fine: Vec::new(),
        report: None,
    };
    Some(Decision {
        notices: vec![refuse(reg, &player, None, &read.ignored, refusal)],
        outcome: Outcome::Rejected,
        ..Decision::default()
    })
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

/// The match that a letter answers by its token or its thread, proved or not.
fn home_of(reg: &dyn Registry, read: &Read) -> (Option<MatchNo>, Option<SentMail>) {
    let answered = read
        .answers
        .iter()
        .find_map(|id| reg.mail_by_message_id(id));
    let token = read.token.as_ref();
    let by_token = token.and_then(|t| reg.game_by_gid(&t.gid.to_ascii_lowercase()));
    (by_token.or(answered.map(|a| a.game)), answered)
}

/// What a letter would do, for the one who is asked whether it is his. Anybody may have written it, to anybody: so
/// messages are not repeated, addresses are masked, and where it came from another address no card is named.
fn listed(read: &Read, hide: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for part in &read.parts {
        lines.extend(part.game.map(|n| format!("game {n}")));
        lines.extend(part.orders.iter().map(|l| listed_line(l, hide)));
    }
    if lines.len() > LISTED_MAX {
        let more = lines.len() - LISTED_MAX;
        lines.truncate(LISTED_MAX);
        lines.push(format!("(and {more} more)"));
    }
    lines
}

fn listed_line(line: &OrderLine, hide: bool) -> String {
    let not_shown = |word: &str| format!("{word} (the card is not shown)");
    let text = match &line.order {
        Err(_) => return "(a line that cannot be understood)".to_owned(),
        Ok(Order::Message(text)) => {
            return format!("message ({} characters)", text.chars().count());
        }
        Ok(Order::Note(text)) => return format!("note ({} characters)", text.chars().count()),
        Ok(Order::Pick(_)) if hide => return not_shown("pick"),
        Ok(Order::Guess(_)) if hide => return not_shown("guess"),
        Ok(Order::CardOpen { .. }) if hide => return not_shown("pick open"),
        Ok(Order::SeedOpen(_)) => return "seed open (the seed is not shown)".to_owned(),
        Ok(Order::Pick(card)) => format!("pick {card}"),
        Ok(Order::Guess(card)) => format!("guess {card}"),
        Ok(Order::Play(moves)) => moves.clone(),
        Ok(_) => line.text.clone(),
    };
    let lower = text.to_ascii_lowercase();
    if hide && (lower.contains("pick") || lower.contains("guess")) {
        return "(a line with a card that is not shown)".to_owned();
    }
    let words: Vec<String> = text
        .split_whitespace()
        .map(|w| match w.split_once('@') {
            Some((_, host)) if host.contains('.') => mask(w),
            _ => w.to_owned(),
        })
        .collect();
    words.join(" ").chars().take(LISTED_CHARS_MAX).collect()
}

/// Keeps the letter and asks its sender, or its pretended one.
fn hold(
    reg: &dyn Registry,
    read: &Read,
    address: String,
    ask: Ask,
    now: Timestamp,
    entropy: &Entropy,
) -> Decision {
    let (from, leave) = match ask {
        Ask::Yours { from } => (from, false),
        Ask::Leave => (None, true),
    };
    let silence = Decision {
        outcome: Outcome::Held,
        ..Decision::default()
    };
    let player = reg
        .player_by_address(&address)
        .and_then(|no| reg.player(no));
    if player
        .as_ref()
        .is_some_and(|p| p.silent || p.banned.is_some())
    {
        return silence;
    }
    let today = |t: &Timestamp| now.as_second() - t.as_second() < DAY;
    // Nothing but one mail a day goes to somebody who never answered us. A player's letters are all kept and asked about,
    // each by itself: whoever writes in his name must not be able to silence him.
    let (asked, most) = match player.as_ref().filter(|p| p.confirmed) {
        Some(player) => (
            player.asked.iter().filter(|t| today(t)).count(),
            HELD_A_DAY_MAX,
        ),
        None => {
            let asked = reg.asked(&address.to_ascii_lowercase());
            (usize::from(asked.is_some_and(|t| today(&t))), 1)
        }
    };
    if asked >= most {
        return silence;
    }
    let code = Chance::new(entropy).word(CODE_CHARS);
    let kind = NoticeKind::Confirm {
        code: code.clone(),
        lines: listed(read, from.is_some()),
        about_game: home_of(reg, read).0,
        received: now,
        from,
        last: asked + 1 == most,
        leave,
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
        confirming: None,
        outcome: Outcome::Held,
        changes: overlay.changes,
    }
}

/// The letter that waits for this code, if it may still be confirmed by this sender.
fn held(reg: &dyn Registry, read: &Read, code: &str, now: Timestamp) -> Option<Held> {
    reg.held(code).filter(|h| {
        same_address(&h.address, &read.from)
            && now.as_second() - h.at.as_second() < HELD_HOURS_MAX * 3600
    })
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
    let held = held(reg, read, code, now);
    let sender = reg.player_by_address(&read.from);
    let copy = sender.and_then(|no| mail_key(no, read, None));
    if copy.is_some_and(|key| reg.seen(&key)) {
        return Decision {
            outcome: Outcome::Duplicate,
            ..Decision::default()
        };
    }
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
            // a copy of this letter is not told so again
            decision.key = mail_key(player.no, read, None);
            decision
                .notices
                .push(refuse(reg, &player, None, &read.ignored, refusal));
        }
        return decision;
    };
    // The letter itself, with what its token or its thread said about the match.
    let (home, answered) = home_of(reg, &held.read);
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
    let mut decision = carry(desk, &held.read, home, answered, stranger);
    // a copy of the held letter that comes later is a copy of what was carried out now
    decision.key = mail_key(player, &held.read, answered);
    decision.confirming = mail_key(player, read, None);
    decision
}
