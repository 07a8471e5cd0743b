//! Orders before a match: new, accept, decline, cancel, seek, seeks, join, block, name.

use std::collections::BTreeMap;

use super::acts;
use super::carry::default_name;
use super::desk::Desk;
use super::dice::ChainDice;
use super::event::Event;
use super::listing::game_info;
use super::notice::{Deed, News, NoticeKind, Why};
use super::order::{Order, Rival};
use super::scribe;
use super::seats;
use super::seeds;
use super::state::{Clock, DAY, Match, MatchNo, PlayerNo, Registry, Secret, Stage};
use crate::rules::{Options, Seat, Table};

/// Longest name, characters.
pub const NAME_CHARS_MAX: usize = 24;
/// Longest time control, days a turn.
pub const DAYS_MAX: u32 = 365;

/// Is the order about one match?
pub(super) fn needs_game(order: &Order) -> bool {
    match order {
        Order::Cancel => true,
        Order::Block(name) => name.is_empty(),
        _ => false,
    }
}

/// Carries the order out, if it is one of this file.
pub(super) fn order(
    desk: &mut Desk,
    no: Option<MatchNo>,
    order: &Order,
) -> Option<Result<(), Why>> {
    Some(match order {
        Order::New {
            game,
            rivals,
            seat,
            options,
        } => propose(desk, game, rivals, seat.as_deref(), options),
        Order::Seek { game, options } => propose(desk, game, &[], None, options),
        Order::Seeks => seeks(desk),
        Order::Join(n) => join(desk, MatchNo(*n)),
        Order::Cancel => cancel(desk, no?),
        Order::Block(name) => block(desk, no, name),
        Order::Name(name) => rename(desk, name),
        Order::Erase => erase(desk),
        _ => return None,
    })
}

/// The time control, taken out of the options: `days=5`, `days=5+1`, `bank=30`, `days=3 bank=20`, `leave=14`, `flag=auto`.
fn time_control(usual: u32, rest: &mut BTreeMap<String, String>) -> Result<Clock, Why> {
    let bad = |what: String| {
        Why::BadOption {
        what,
        hint: Some(
            "days=5 for five days a move, days=5+1 for five days and one more with each move, bank=30 for thirty days in \
             all; flag=claim or flag=auto; leave=14"
                .to_owned(),
        ),
    }
    };
    let number = |text: &str| text.trim().parse().ok().filter(|d: &u32| *d <= DAYS_MAX);
    let mut clock = Clock::days(usual);
    let bank = rest.remove("bank");
    if let Some(days) = rest.remove("days") {
        let wrong = || bad(format!("`days={days}` is no time control"));
        match days.split_once('+') {
            Some((start, extra)) if bank.is_none() => {
                clock.days = 0;
                clock.bank = number(start).filter(|d| *d > 0).ok_or_else(wrong)?;
                clock.extra = number(extra).ok_or_else(wrong)?;
            }
            Some(_) => return Err(wrong()),
            None => clock.days = number(&days).ok_or_else(wrong)?,
        }
    } else if bank.is_some() {
        clock.days = 0;
    }
    if let Some(bank) = bank {
        let wrong = || bad(format!("`bank={bank}` is no time control"));
        clock.bank = number(&bank).filter(|d| *d > 0).ok_or_else(wrong)?;
    }
    if let Some(leave) = rest.remove("leave") {
        let wrong = || bad(format!("`leave={leave}` cannot be had"));
        clock.leave = number(&leave).ok_or_else(wrong)?;
    }
    if let Some(flag) = rest.remove("flag") {
        clock.auto = match flag.as_str() {
            "claim" => false,
            "auto" => true,
            _ => return Err(bad(format!("`flag={flag}` cannot be had"))),
        };
    }
    Ok(clock)
}

/// Options that are the referee's and not the game's.
struct Terms {
    clock: Clock,
    reveal_both: bool,
    ask_seeds: bool,
}

/// Time control, reveal mode and seeds, taken out of the options; the rest is the game's.
fn split_options(
    desk: &Desk,
    given: &BTreeMap<String, String>,
    game_has_reveal: bool,
) -> Result<(Options, Terms), Why> {
    let mut rest = given.clone();
    let bad = |what: String, hint: &str| Why::BadOption {
        what,
        hint: Some(hint.to_owned()),
    };
    let clock = time_control(desk.over.house().days, &mut rest)?;
    let ask_seeds = match rest.remove("seeds").as_deref() {
        None | Some("letter") => false,
        Some("ask") => true,
        Some(other) => {
            return Err(bad(
                format!("`seeds={other}` cannot be had"),
                "seeds=letter or seeds=ask (help seed)",
            ));
        }
    };
    let reveal = rest.get("reveal").map(|v| v.to_ascii_lowercase());
    let reveal_both = match reveal.as_deref() {
        None | Some("both") => true,
        Some("outcome") => false,
        Some(other) => {
            return Err(bad(
                format!("`reveal={other}` cannot be had"),
                "reveal=both or reveal=outcome",
            ));
        }
    };
    if !game_has_reveal {
        rest.remove("reveal");
    }
    let terms = Terms {
        clock,
        reveal_both,
        ask_seeds,
    };
    Ok((rest, terms))
}

fn propose(
    desk: &mut Desk,
    game: &str,
    rivals: &[Rival],
    seat: Option<&str>,
    options: &BTreeMap<String, String>,
) -> Result<(), Why> {
    let Some(book) = desk.shelf.get(game).cloned() else {
        return Err(Why::NoSuchGame {
            game: game.to_owned(),
            meant: desk.shelf.nearest(game).map(str::to_owned),
            known: desk.shelf.ids().map(str::to_owned).collect(),
        });
    };
    // `vs bob and carol as green and blue`: the last is no opponent but a seat.
    let (rivals, seat) = seats::sort_out(desk, &book, rivals, seat);
    let (rivals, seat) = (rivals.as_slice(), seat.as_deref());
    let open = rivals.is_empty();
    let fits = seats::people(&book);
    if !open && !fits.contains(&(rivals.len() + 1)) {
        return Err(Why::Rivals {
            fewest: fits.start().saturating_sub(1),
            wanted: fits.end().saturating_sub(1),
            given: rivals.len(),
        });
    }
    let mut options = options.clone();
    let wishes = seats::wishes(desk, &book, seat, rivals, &mut options)?;
    let people = if open {
        match options.remove("players") {
            None => *fits.end(),
            Some(n) => n
                .parse()
                .ok()
                .filter(|n| fits.contains(n) && seats::possible(&book, *n, &wishes))
                .ok_or_else(|| Why::BadOption {
                    what: format!("`players={n}` cannot be had"),
                    hint: Some(format!(
                        "players={} to players={}",
                        fits.start(),
                        fits.end()
                    )),
                })?,
        }
    } else {
        rivals.len() + 1
    };
    let (options, terms) = split_options(desk, &options, book.options.contains_key("reveal"))?;
    let bad = |e: crate::rules::SpecError| Why::BadOption {
        what: e.what,
        hint: e.hint,
    };
    let options = book.settle_options(&options).map_err(bad)?;
    book.rules(&options).map_err(bad)?;

    let actor = desk.actor;
    let mut players = vec![actor];
    let now = desk.now.as_second();
    let today = |times: &[jiff::Timestamp]| {
        let young = times.iter().filter(|t| now - t.as_second() < DAY);
        young.count()
    };
    let most = desk.over.house().allowance;
    let (opened, sent) = desk
        .over
        .player(actor)
        .map_or((0, 0), |p| (today(&p.opened), today(&p.invited)));
    if sent + rivals.len() > most.invitations && !open {
        return Err(Why::TooManyInvitations {
            most: most.invitations,
        });
    }
    if opened >= most.new_games {
        return Err(Why::TooManyGames {
            most: most.new_games,
        });
    }
    for rival in rivals {
        let player = invited(desk, rival)?;
        if players.contains(&player) {
            return Err(Why::Yourself);
        }
        players.push(player);
    }

    let digest = super::book_digest(&book.text);
    if !desk.over.keeps_book(&digest) {
        // Kept as compiled already; `apply` finds it there and need not parse the text again.
        super::state::Records::put_book(&mut desk.over, &digest, std::sync::Arc::clone(&book));
        desk.emit(
            Event::BookKept {
                digest: digest.clone(),
                id: book.id.clone(),
                text: book.text.clone(),
            },
            None,
        );
    }
    let no = MatchNo(desk.over.counters().matches + 1);
    let mut gid = desk.chance.word(10);
    while desk.over.game_by_gid(&gid).is_some() {
        gid = desk.chance.word(10);
    }
    let secret = Secret(desk.chance.secret());
    desk.emit(
        Event::Proposed {
            game: no,
            gid,
            secret,
            id: book.id.clone(),
            book: digest,
            options,
            reveal_both: terms.reveal_both,
            clock: terms.clock,
            players: players.clone(),
            wishes,
            people: u8::try_from(people).unwrap_or(0),
            open,
            ask_seeds: terms.ask_seeds,
        },
        None,
    );
    scribe::found(desk, no);
    if let Some(m) = desk.over.game(no) {
        for player in players.iter().skip(1) {
            let kind = NoticeKind::Invitation {
                about: desk.match_info(&m, *player),
                by: desk.name(actor),
                rules: game_info(&book),
                stranger: desk.over.player(*player).is_some_and(|p| !p.confirmed),
            };
            desk.others.push((*player, no, kind));
        }
    }
    desk.show(no, "proposed");
    Ok(())
}

/// The player who is invited; an unknown address becomes an unconfirmed player, who gets this one mail and no other.
fn invited(desk: &mut Desk, rival: &Rival) -> Result<PlayerNo, Why> {
    let found = match rival {
        Rival::Address(address) => desk.over.player_by_address(address),
        Rival::Name(name) => Some(
            desk.over
                .player_by_name(name)
                .ok_or_else(|| Why::NoSuchPlayer { name: name.clone() })?,
        ),
    };
    let shown = match rival {
        Rival::Address(a) => a.clone(),
        Rival::Name(n) => n.clone(),
    };
    if let Some(no) = found {
        if no == desk.actor {
            return Err(Why::Yourself);
        }
        let refused = desk.over.player(no).is_some_and(|p| {
            p.silent
                || p.banned.is_some()
                || p.blocked.contains(&desk.actor)
                || (!p.confirmed && !p.playing.is_empty())
        });
        return if refused {
            Err(Why::CannotInvite { name: shown })
        } else {
            Ok(no)
        };
    }
    let player = PlayerNo(desk.over.counters().players + 1);
    let name = default_name(&desk.over, player);
    desk.emit(
        Event::Met {
            player,
            address: shown,
            name,
            confirmed: false,
        },
        None,
    );
    Ok(player)
}

/// An invited player agrees.
pub(super) fn accept(desk: &mut Desk, no: MatchNo) -> Result<(), Why> {
    let m = desk.over.game(no).ok_or(Why::NotYours { game: no.0 })?;
    match m.stage {
        Stage::Inviting => {}
        Stage::Playing => return Err(Why::Begun),
        Stage::Over | Stage::Void => return Err(over(&m)),
        Stage::Seeking => return Err(Why::NotInvited),
    }
    let actor = desk.actor;
    if m.chairs.iter().any(|c| c.player == actor && c.accepted) {
        return Err(Why::AlreadyAccepted);
    }
    desk.emit(
        Event::Accepted {
            game: no,
            player: actor,
        },
        None,
    );
    seeds::give(desk, no);
    desk.show(no, "proposed");
    seeds::go_on(desk, no)
}

pub(super) fn over(m: &Match) -> Why {
    Why::IsOver {
        reason: m
            .ending
            .as_ref()
            .map_or_else(|| "withdrawn".to_owned(), |e| e.reason.clone()),
    }
}

/// Has everybody accepted who is wanted?
pub(super) fn is_full(desk: &Desk, m: &Match) -> bool {
    let wanted = match m.people {
        0 => desk.over.book(&m.book).map_or(0, |b| b.seats.len()),
        n => usize::from(n),
    };
    m.chairs.len() == wanted && m.chairs.iter().all(|c| c.accepted)
}

/// The match begins.
pub(super) fn begin(desk: &mut Desk, no: MatchNo) -> Result<(), Why> {
    let Some(m) = desk.over.game(no) else {
        return Ok(());
    };
    let Some(book) = desk.over.book(&m.book) else {
        return Ok(());
    };
    let wanted = m.chairs.len();
    // Who was given a seat has it; the others draw lots.
    let wishes: Vec<(Seat, u8)> = (0u8..)
        .zip(&m.chairs)
        .flat_map(|(at, c)| c.wishes.iter().map(move |s| (*s, at)))
        .collect();
    let seats = seats::allot(&book, wanted, &wishes, &mut desk.chance);
    desk.chance.start(ChainDice::of(&m, &book));
    let (table, happened) =
        Table::begin(&book, &m.options, &mut desk.chance).map_err(|e| Why::BadOption {
            what: e.what,
            hint: e.hint,
        })?;
    let rolls = desk.chance.take();
    desk.emit(
        Event::Begun {
            game: no,
            seats,
            rolls,
        },
        Some((table, happened.clone())),
    );
    desk.begun.push(no);
    for h in &happened {
        if let Some(news) = News::of(h, m.reveal_both) {
            desk.tell(no, news);
        }
    }
    acts::settle(desk, no);
    Ok(())
}

/// An invited player does not want to play.
pub(super) fn decline(desk: &mut Desk, no: MatchNo) -> Result<(), Why> {
    let m = desk.over.game(no).ok_or(Why::NotYours { game: no.0 })?;
    match m.stage {
        Stage::Inviting => {}
        Stage::Playing => return Err(Why::Begun),
        _ => return Err(over(&m)),
    }
    void(desk, &m);
    Ok(())
}

fn cancel(desk: &mut Desk, no: MatchNo) -> Result<(), Why> {
    let m = desk.over.game(no).ok_or(Why::NotYours { game: no.0 })?;
    match m.stage {
        Stage::Inviting | Stage::Seeking => {}
        Stage::Playing => return Err(Why::Begun),
        _ => return Err(over(&m)),
    }
    if m.chairs.first().is_none_or(|c| c.player != desk.actor) {
        return Err(Why::NotInvited);
    }
    void(desk, &m);
    Ok(())
}

fn void(desk: &mut Desk, m: &Match) {
    let by = desk.actor;
    desk.emit(Event::Voided { game: m.no, by }, None);
    let name = desk.name(by);
    for chair in &m.chairs {
        let kind = NoticeKind::Voided {
            about: desk.match_info(m, chair.player),
            by: name.clone(),
            yourself: chair.player == by,
            late: false,
        };
        // A stranger who has not answered hears nothing more, as he was promised.
        let known = desk.over.player(chair.player).is_some_and(|p| p.confirmed);
        if chair.player == by {
            desk.answers.push(kind);
        } else if chair.accepted || known {
            desk.others.push((chair.player, m.no, kind));
        }
    }
}

fn seeks(desk: &mut Desk) -> Result<(), Why> {
    let seeks = desk
        .over
        .seeking()
        .into_iter()
        .filter_map(|no| desk.over.game(no))
        .map(|m| desk.match_info(&m, desk.actor))
        .collect();
    desk.answers.push(NoticeKind::Seeks { seeks });
    Ok(())
}

fn join(desk: &mut Desk, no: MatchNo) -> Result<(), Why> {
    let not = Why::NotJoinable { game: no.0 };
    let Some(m) = desk.over.game(no).filter(|m| m.stage == Stage::Seeking) else {
        return Err(not);
    };
    let actor = desk.actor;
    if m.chair_of(actor).is_some() {
        return Err(Why::Yourself);
    }
    let blocked =
        |a: PlayerNo, b: PlayerNo| desk.over.player(a).is_some_and(|p| p.blocked.contains(&b));
    if m.chairs.iter().any(|c| blocked(c.player, actor)) {
        return Err(not);
    }
    desk.emit(
        Event::Accepted {
            game: no,
            player: actor,
        },
        None,
    );
    seeds::give(desk, no);
    let name = desk.name(actor);
    desk.tell(no, News::Joined { name });
    seeds::go_on(desk, no)
}

fn block(desk: &mut Desk, no: Option<MatchNo>, name: &str) -> Result<(), Why> {
    let actor = desk.actor;
    let m = no.and_then(|no| desk.over.game(no));
    let whom = if name.is_empty() {
        let opener = m
            .as_ref()
            .and_then(|m| m.chairs.iter().find(|c| c.player != actor));
        opener.map(|c| c.player).ok_or(Why::NotInvited)?
    } else {
        desk.over
            .player_by_name(name)
            .ok_or_else(|| Why::NoSuchPlayer {
                name: name.to_owned(),
            })?
    };
    if whom == actor {
        return Err(Why::Yourself);
    }
    // A stranger who blocks never played: whoever invites him later is told no.
    let silent = desk
        .over
        .player(actor)
        .is_some_and(|p| p.playing.len() <= 1 && p.over.is_empty() && name.is_empty());
    let waiting: Vec<_> = desk
        .over
        .player(actor)
        .map(|p| p.playing.clone())
        .unwrap_or_default()
        .into_iter()
        .filter_map(|no| desk.over.game(no))
        .filter(|m| {
            m.stage == Stage::Inviting
                && m.chairs.first().is_some_and(|c| c.player == whom)
                && m.chairs.iter().any(|c| c.player == actor && !c.accepted)
        })
        .collect();
    for m in waiting {
        void(desk, &m);
    }
    desk.emit(
        Event::Blocked {
            player: actor,
            whom,
            silent,
        },
        None,
    );
    let name = desk.name(whom);
    desk.deeds.push(Deed::Blocked { name });
    Ok(())
}

/// Games first: the others must not be left with an empty seat.
fn erase(desk: &mut Desk) -> Result<(), Why> {
    let player = desk.actor;
    let playing = desk.over.player(player).map(|p| p.playing.clone());
    let games: Vec<u32> = playing.iter().flatten().map(|no| no.0).collect();
    if !games.is_empty() {
        return Err(Why::EraseFirst { games });
    }
    desk.emit(Event::EraseAsked { player }, None);
    desk.deeds.push(Deed::EraseAsked);
    Ok(())
}

fn rename(desk: &mut Desk, name: &str) -> Result<(), Why> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = name.chars().count();
    let fits = |c: char| c.is_alphanumeric() || " -_.'".contains(c);
    let taken_form = name.to_ascii_lowercase().starts_with("player-");
    if count == 0 || count > NAME_CHARS_MAX || !name.chars().all(fits) || taken_form {
        return Err(Why::BadName {
            name,
            most: NAME_CHARS_MAX,
        });
    }
    if desk
        .over
        .player_by_name(&name)
        .is_some_and(|p| p != desk.actor)
    {
        return Err(Why::NameTaken { name });
    }
    desk.emit(
        Event::Named {
            player: desk.actor,
            name: name.clone(),
        },
        None,
    );
    desk.deeds.push(Deed::Named { name });
    Ok(())
}
