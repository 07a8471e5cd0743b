//! Who does not play: onlookers of a match, and how all players stand (protocol.md, Commands, watch).
//!
//! An onlooker is told what both sides know: the board, turns, opened cards, dice, the end. No message, no offer, no sealed
//! card, no clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::desk::{Desk, notice, report};
use super::event::Event;
use super::keeper::erased_name;
use super::notice::{News, Notice, NoticeKind, Why};
use super::order::Order;
use super::proofs::add_openings;
use super::state::{Match, MatchNo, Player, PlayerNo, Registry, Stage};
use crate::rules::Ending;

/// Onlookers of one match.
pub const WATCHERS_MAX: usize = 20;
/// Players that one list of standings shows.
pub const STANDINGS_MAX: usize = 50;

/// How often a player won, drew and lost.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Score {
    /// Won.
    pub won: u32,
    /// Drawn.
    pub drawn: u32,
    /// Lost.
    pub lost: u32,
}

impl Score {
    fn add(&mut self, other: Score) {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
    }
    /// Two for a match won, one for a draw.
    fn points(self) -> u32 {
        2 * self.won + self.drawn
    }
}

/// A line of the standings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StandingRow {
    /// Alias.
    pub name: String,
    /// Is it the reader?
    pub you: bool,
    /// His results.
    pub score: Score,
}

/// What an ending means to the player of a chair.
pub(super) fn score(m: &Match, player: PlayerNo, ending: &Ending) -> Score {
    let mine = m.seats_of(player);
    let mut score = Score::default();
    if ending.winners.is_empty() {
        score.drawn = 1;
    } else if ending.winners.iter().any(|s| mine.contains(s)) {
        score.won = 1;
    } else {
        score.lost = 1;
    }
    score
}

/// Notes the result of a match with its player.
pub(super) fn count(player: &mut Player, game: &str, score: Score) {
    player
        .results
        .entry(game.to_owned())
        .or_default()
        .add(score);
}

/// Folds that somebody watches a match, or no longer.
pub(super) fn apply(m: &mut Match, player: PlayerNo, on: bool) {
    m.watchers.retain(|p| *p != player);
    if on {
        m.watchers.push(player);
    }
}

/// Carries the order out, if it is one of this file.
pub(super) fn order(desk: &mut Desk, order: &Order) -> Option<Result<(), Why>> {
    Some(match order {
        Order::Standings(game) => standings(desk, game.as_deref()),
        Order::Watch(n) => watch(desk, MatchNo(*n), true),
        Order::Unwatch(n) => watch(desk, MatchNo(*n), false),
        _ => return None,
    })
}

/// Everybody who finished a match, the best first: points, then fewer matches, then the name.
fn standings(desk: &mut Desk, game: Option<&str>) -> Result<(), Why> {
    if let Some(game) = game
        && desk.shelf.get(game).is_none()
    {
        return Err(Why::NoSuchGame {
            game: game.to_owned(),
            meant: desk.shelf.nearest(game).map(str::to_owned),
            known: desk.shelf.ids().map(str::to_owned).collect(),
        });
    }
    let players = (1..=desk.over.counters().players).map(PlayerNo);
    let mut rows: Vec<StandingRow> = players
        .filter_map(|no| desk.over.player(no))
        .filter_map(|p| row(&p, game, desk.actor))
        .collect();
    let played = |s: &Score| s.won + s.drawn + s.lost;
    rows.sort_by_key(|r| {
        (
            std::cmp::Reverse(r.score.points()),
            played(&r.score),
            r.name.clone(),
        )
    });
    let more = rows.len().saturating_sub(STANDINGS_MAX);
    rows.truncate(STANDINGS_MAX);
    desk.answers.push(NoticeKind::Standings {
        which: game.map(str::to_owned),
        rows,
        more,
    });
    Ok(())
}

fn row(player: &Player, game: Option<&str>, reader: PlayerNo) -> Option<StandingRow> {
    let mut score = Score::default();
    let counted = |id: &String| game.is_none_or(|g| g == id);
    let results: &BTreeMap<String, Score> = &player.results;
    for (_, s) in results.iter().filter(|(id, _)| counted(id)) {
        score.add(*s);
    }
    (score != Score::default() && !is_erased(player)).then(|| StandingRow {
        name: player.name.clone(),
        you: player.no == reader,
        score,
    })
}

fn is_erased(player: &Player) -> bool {
    player.name == erased_name(player.no)
}

fn watch(desk: &mut Desk, no: MatchNo, on: bool) -> Result<(), Why> {
    let not = Why::NotWatchable { game: no.0 };
    let player = desk.actor;
    let m = desk.over.game(no).ok_or_else(|| not.clone())?;
    if m.chair_of(player).is_some() {
        return Err(Why::OwnGame { game: no.0 });
    }
    let blocked = |p: PlayerNo| {
        desk.over
            .player(p)
            .is_some_and(|p| p.blocked.contains(&player))
    };
    let watching = m.watchers.contains(&player);
    if on {
        let open = matches!(m.stage, Stage::Playing | Stage::Over);
        let full = !watching && m.watchers.len() >= WATCHERS_MAX;
        if !open || full || m.chairs.iter().any(|c| blocked(c.player)) {
            return Err(not);
        }
    } else if !watching {
        return Err(not);
    }
    if watching != on && m.stage == Stage::Playing {
        let game = no;
        desk.emit(Event::Watching { game, player, on }, None);
    }
    if on {
        let kind = watched(desk, &m, player, Vec::new());
        desk.answers.extend(kind);
    } else {
        desk.deeds
            .push(super::notice::Deed::Unwatched { game: no.0 });
    }
    Ok(())
}

/// What somebody who does not play is shown of a match.
fn watched(desk: &Desk, m: &Match, reader: PlayerNo, news: Vec<News>) -> Option<NoticeKind> {
    let mut report = report(&desk.over, m, reader)?;
    report.news = news;
    add_openings(m, &mut report);
    Some(NoticeKind::Watched(report))
}

/// May everybody know it?
fn is_public(news: &News) -> bool {
    matches!(
        news,
        News::Played { .. }
            | News::Opened { .. }
            | News::Openings { .. }
            | News::Defaulted { .. }
            | News::CardDrawn { .. }
            | News::Certain { .. }
            | News::NoRoom { .. }
            | News::Placed { .. }
            | News::Rolled { .. }
            | News::Passed { .. }
            | News::Started { .. }
            | News::Exchange { .. }
            | News::Remark { .. }
            | News::Undone { .. }
            | News::Ended { .. }
    )
}

/// The mails to the onlookers of a match, where a turn was played or it ended.
pub(super) fn tell(
    desk: &Desk,
    m: &Match,
    news: &[(Option<crate::rules::Seat>, News)],
) -> Vec<Notice> {
    // most matches have no onlookers: nothing is copied for them
    if m.watchers.is_empty() {
        return Vec::new();
    }
    let all = news.iter().filter(|(only, _)| only.is_none());
    let seen: Vec<News> = all.map(|(_, n)| n.clone()).filter(is_public).collect();
    if !seen.iter().any(News::is_turn) {
        return Vec::new();
    }
    let players = m.watchers.iter().filter_map(|no| desk.over.player(*no));
    players
        .filter(|p| !p.silent && p.banned.is_none() && !is_erased(p))
        .filter_map(|p| {
            let kind = watched(desk, m, p.no, seen.clone())?;
            Some(notice(&desk.over, &p, Some(m), kind))
        })
        .collect()
}
