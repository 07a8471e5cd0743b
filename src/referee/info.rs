//! Orders that only ask: help, games, rules, notation, show, history, status, preview, settings.

use std::sync::Arc;

use super::acts;
use super::desk::{Desk, report_of};
use super::event::Event;
use super::listing::game_info;
use super::notice::{Deed, NoticeKind, Why};
use super::order::Order;
use super::replies;
use super::scribe;
use super::state::{Match, MatchNo, Registry, Stage};
use super::talk::seat_in;

/// Settings and the values they may have; an empty list takes any short text.
const SETTINGS: &[(&str, &[&str])] = &[
    ("board", &["plain", "unicode", "list"]),
    ("html", &["yes", "no"]),
    ("news", &["all", "mine"]),
    ("timezone", &[]),
    ("language", &["en"]),
];
/// Longest ledger that is mailed as a file, bytes.
const LEDGER_BYTES_MAX: usize = 512 * 1024;
/// Longest value of a setting, bytes.
const VALUE_BYTES_MAX: usize = 64;

/// Is the order about one match?
pub(super) fn needs_game(order: &Order) -> bool {
    match order {
        Order::Show(_) | Order::History | Order::Preview(_) | Order::Plans | Order::Export => true,
        Order::Rules(game) | Order::Notation(game) => game.is_empty(),
        _ => false,
    }
}

/// Carries the order out, if it is one of this file.
pub(super) fn order(
    desk: &mut Desk,
    no: Option<MatchNo>,
    order: &Order,
) -> Option<Result<(), Why>> {
    let m = no.and_then(|no| desk.over.game(no));
    Some(match order {
        Order::Help(topic) => {
            let topic = topic.clone().unwrap_or_else(|| "help".to_owned());
            desk.answers.push(NoticeKind::Help { topic });
            Ok(())
        }
        Order::Games => {
            let games = desk.shelf.books().map(game_info).collect();
            desk.answers.push(NoticeKind::Games { games });
            Ok(())
        }
        Order::Rules(game) => about(desk, m.as_deref(), game).map(|about| {
            desk.answers.push(NoticeKind::Rules { about });
        }),
        Order::Notation(game) => about(desk, m.as_deref(), game).map(|about| {
            desk.answers.push(NoticeKind::Notation { about });
        }),
        Order::Status => {
            status(desk);
            Ok(())
        }
        Order::Show(_) => match m {
            Some(m) => {
                show(desk, &m);
                Ok(())
            }
            None => {
                status(desk);
                Ok(())
            }
        },
        Order::Plans => {
            let m = m?;
            show(desk, &m);
            plans(desk, &m);
            Ok(())
        }
        Order::History | Order::Export => {
            let m = m?;
            history(desk, &m, matches!(order, Order::Export));
            Ok(())
        }
        Order::Preview(text) => preview(desk, &*m?, text),
        Order::Unsubscribe => {
            desk.deeds.push(Deed::Leaving);
            Ok(())
        }
        Order::Set { key, value } => set(desk, key, value),
        _ => return None,
    })
}

fn about(desk: &Desk, m: Option<&Match>, game: &str) -> Result<super::notice::GameInfo, Why> {
    if game.is_empty()
        && let Some(info) = m.and_then(|m| desk.game_info(m))
    {
        return Ok(info);
    }
    desk.shelf
        .get(game)
        .map(game_info)
        .ok_or_else(|| Why::NoSuchGame {
            game: game.to_owned(),
            meant: desk.shelf.nearest(game).map(str::to_owned),
            known: desk.shelf.ids().map(str::to_owned).collect(),
        })
}

fn status(desk: &mut Desk) {
    let nos = desk
        .over
        .player(desk.actor)
        .map(|p| [p.playing.clone(), p.over.clone()].concat())
        .unwrap_or_default();
    let matches = nos
        .into_iter()
        .filter_map(|no| desk.over.game(no))
        .map(|m| desk.match_info(&m, desk.actor))
        .collect();
    desk.answers.push(NoticeKind::Status { matches });
}

fn show(desk: &mut Desk, m: &Match) {
    desk.show(m.no, "asked");
}

/// The actor's own stored orders; nobody else's.
fn plans(desk: &mut Desk, m: &Match) {
    let Some(seat) = m.seat_of(desk.actor) else {
        return;
    };
    if let Some(replies) = m.replies_of(seat) {
        replies::tell(desk, m.no, replies);
    }
    for plan in m.plans.iter().filter(|p| p.seat == seat) {
        let news = super::News::Planned {
            turn: plan.turn,
            created: plan.created.clone(),
            otherwise: plan.otherwise.clone(),
        };
        desk.tell_one(m.no, seat, news);
    }
}

/// The record; sealed cards and, with `reveal=outcome`, the cards of the past only when the match is over.
fn history(desk: &mut Desk, m: &Match, export: bool) {
    let ledger = export.then(|| scribe::export(&desk.over, m.no)).flatten();
    let long = ledger.as_ref().is_some_and(|l| l.len() > LEDGER_BYTES_MAX);
    let ledger = ledger.filter(|_| !long);
    let over = m.stage == Stage::Over;
    let lines = desk
        .over
        .lines(m.no)
        .into_iter()
        .filter(|l| l.at < m.lines)
        .filter_map(|l| if over { Some(l.full) } else { l.public })
        .collect();
    let about = desk.match_info(m, desk.actor);
    desk.answers.push(NoticeKind::History {
        about,
        lines,
        ledger,
        long,
    });
}

fn preview(desk: &mut Desk, m: &Match, text: &str) -> Result<(), Why> {
    seat_in(desk, m)?;
    let (table, news) = acts::preview(m, &m.seats_of(desk.actor), text)?;
    if let Some(mut report) = report_of(&desk.over, m, &table, desk.actor) {
        report.news = news;
        Arc::make_mut(&mut report.view)
            .notes
            .retain(|(_, label, _)| label != "Dice" && label != "Commands");
        report.why = Some("preview".to_owned());
        desk.answers.push(NoticeKind::Preview(report));
    }
    Ok(())
}

fn set(desk: &mut Desk, key: &str, value: &str) -> Result<(), Why> {
    let known = SETTINGS.iter().find(|(k, _)| *k == key);
    let lower = value.to_ascii_lowercase();
    let good = known.is_some_and(|(_, values)| {
        if values.is_empty() {
            !value.is_empty() && value.len() <= VALUE_BYTES_MAX
        } else {
            values.contains(&lower.as_str())
        }
    });
    if !good {
        let known = match known {
            Some((_, values)) => values.iter().map(|v| format!("{key}={v}")).collect(),
            None => SETTINGS.iter().map(|(k, _)| format!("{k}=")).collect(),
        };
        return Err(Why::BadSetting {
            key: key.to_owned(),
            value: value.to_owned(),
            known,
        });
    }
    let value = if key == "timezone" {
        value.to_owned()
    } else {
        lower
    };
    desk.emit(
        Event::Set {
            player: desk.actor,
            key: key.to_owned(),
            value: value.clone(),
        },
        None,
    );
    desk.deeds.push(Deed::Set {
        key: key.to_owned(),
        value,
    });
    Ok(())
}
