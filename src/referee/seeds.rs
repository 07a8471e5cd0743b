//! Seeds, which every player gives to the dice before a match begins: words, his letter, or a seed that he seals first and
//! opens when all the others are fixed (trust.md 3). And how long each is waited for.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::apply::leave;
use super::desk::Desk;
use super::event::Event;
use super::lobby::{begin, is_full};
use super::notice::{NoticeKind, Why};
use super::order::Order;
use super::scribe;
use super::state::{DAY, Match, MatchNo, PlayerNo, Records, Registry, Secret, Stage, Unfit};
use crate::fair::entropy::{MID_WORDS_HEX, seed_commitment, tidy_words};
use crate::fair::line::{Hash, hex, unhash};

/// How long a player is waited for, seconds: first for his seed, then for its opening (trust.md 3).
pub const SEED_SECONDS: i64 = 3 * DAY;

/// What one player gave.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Given {
    /// His words, or what stands for his letter; none where he sealed a seed.
    pub words: Option<String>,
    /// What he sealed, 64 hex digits.
    pub commitment: Option<String>,
    /// The seed that he opened, 64 hex digits: secret until all are open.
    pub opened: Option<Secret>,
}

impl Given {
    /// Did he choose it himself, so that he need not be asked?
    fn is_chosen(&self) -> bool {
        let by_hand = |w: &String| !is_by_letter(w);
        self.commitment.is_some() || self.words.as_ref().is_some_and(by_hand)
    }
    /// Is he awaited once all is fixed?
    fn is_shut(&self) -> bool {
        self.commitment.is_some() && self.opened.is_none()
    }
}

/// Do these words stand for a letter's Message-ID?
fn is_by_letter(words: &str) -> bool {
    words
        .strip_prefix("mid:")
        .is_some_and(|h| h.len() == MID_WORDS_HEX)
}

/// All seeds of a match, and what is awaited.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Seeds {
    /// By chair.
    pub given: Vec<Given>,
    /// Is everybody asked for a seed before the match begins (`seeds=ask`)?
    pub ask: bool,
    /// Since when somebody is awaited.
    pub since: Option<Timestamp>,
    /// Was he reminded?
    pub reminded: bool,
    /// The last entry of the ledger when every seed or its seal stood there: from then on sealed ones are opened.
    pub fixed: Option<(u64, Hash)>,
}

impl Seeds {
    /// What a chair gave.
    pub fn of(&self, chair: usize) -> Given {
        self.given.get(chair).cloned().unwrap_or_default()
    }
    fn at(&mut self, chair: usize) -> &mut Given {
        let known = self.given.len().max(chair + 1);
        self.given.resize(known, Given::default());
        &mut self.given[chair]
    }
}

/// How the seeds of a match stand before it begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeedTable {
    /// Public id of the match.
    pub gid: String,
    /// The reader's number in the lines of seeds, from 1.
    pub place: u32,
    /// By place.
    pub rows: Vec<SeedRow>,
    /// Has anybody chosen his?
    pub chosen: bool,
    /// True once sealed seeds are to be opened.
    pub fixed: bool,
    /// Is the reader awaited?
    pub owes: bool,
    /// Until when somebody is awaited.
    pub until: Option<Timestamp>,
}

/// What one player gave to the dice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeedRow {
    /// Alias.
    pub name: String,
    /// Is it the reader?
    pub you: bool,
    /// `nothing`, `letter`, `words`, `sealed`, `opened`.
    pub what: String,
    /// His words.
    pub words: Option<String>,
    /// Is he awaited?
    pub awaited: bool,
}

/// One step on the way to the dice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum SeedStep {
    /// A player sealed a seed.
    Committed {
        /// Who.
        player: PlayerNo,
        /// 64 hex digits.
        commitment: String,
    },
    /// All are in, and who has chosen no seed is asked for one.
    Asked,
    /// Every word and every seal is in the ledger; the sealed seeds are asked for.
    Fixed,
    /// A player opened his; nobody learns it before all have.
    Opened {
        /// Who.
        player: PlayerNo,
        /// 64 hex digits.
        seed: Secret,
    },
    /// Who is awaited was reminded.
    Reminded,
    /// These chairs did not open their seeds in time: the match does not come about.
    Late {
        /// By index.
        chairs: Vec<u8>,
    },
}

impl Match {
    /// Chairs that are awaited before the match can begin.
    pub(super) fn seeds_awaited(&self) -> Vec<u8> {
        let seeds = &self.fair.seeds;
        if seeds.since.is_none() || self.stage != Stage::Inviting {
            return Vec::new();
        }
        let awaits = |chair: &u8| {
            let given = seeds.of(usize::from(*chair));
            match seeds.fixed {
                Some(_) => given.is_shut(),
                None => !given.is_chosen(),
            }
        };
        let chairs = u8::try_from(self.chairs.len()).unwrap_or(u8::MAX);
        (0..chairs).filter(awaits).collect()
    }
    /// When their time is over.
    pub(super) fn seeds_until(&self) -> Option<Timestamp> {
        self.seeds_after(SEED_SECONDS)
    }
    /// When the referee must look at them by itself: after half of the time, then at its end.
    pub(super) fn seeds_due(&self) -> Option<Timestamp> {
        let half = !self.fair.seeds.reminded;
        self.seeds_after(if half { SEED_SECONDS / 2 } else { SEED_SECONDS })
    }
    fn seeds_after(&self, seconds: i64) -> Option<Timestamp> {
        let since = self.fair.seeds.since?;
        let at = since.as_second().saturating_add(seconds);
        (self.stage == Stage::Inviting)
            .then(|| Timestamp::from_second(at).ok())
            .flatten()
    }
}

/// Folds what a player gave in words.
pub(super) fn gave(m: &mut Match, player: PlayerNo, words: &str) {
    if let Some(chair) = m.chair_of(player) {
        m.fair.seeds.at(usize::from(chair)).words = Some(words.to_owned());
    }
}

/// Folds a step.
pub(super) fn apply(
    rec: &mut dyn Records,
    m: &mut Match,
    step: &SeedStep,
    at: Timestamp,
) -> Result<(), Unfit> {
    let chair = |m: &Match, player: &PlayerNo| {
        m.chair_of(*player)
            .map(usize::from)
            .ok_or_else(|| Unfit::new("a seed of somebody who does not play"))
    };
    match step {
        SeedStep::Committed { player, commitment } => {
            let chair = chair(m, player)?;
            let given = m.fair.seeds.at(chair);
            given.words = None;
            given.commitment = Some(commitment.clone());
            scribe::committed(rec, m, chair, commitment, at);
        }
        SeedStep::Asked => {
            m.stage = Stage::Inviting;
            m.fair.seeds.since = Some(at);
        }
        SeedStep::Fixed => {
            m.stage = Stage::Inviting;
            let places = rec.book(&m.book).map(|b| b.seats.len());
            scribe::words(rec, m, places, at);
            let tip = &m.fair.tip;
            let fixed = (tip.next.saturating_sub(1), tip.h);
            m.fair.seeds.fixed = Some(fixed);
            m.fair.seeds.since = Some(at);
            m.fair.seeds.reminded = false;
        }
        SeedStep::Opened { player, seed } => {
            let chair = chair(m, player)?;
            m.fair.seeds.at(chair).opened = Some(seed.clone());
        }
        SeedStep::Reminded => m.fair.seeds.reminded = true,
        SeedStep::Late { chairs } => {
            scribe::never_opened(rec, m, chairs, at);
            m.stage = Stage::Void;
            leave(rec, m)?;
        }
    }
    Ok(())
}

/// Is the order about one match? Words beside `accept`, `join` or `new` belong to that.
pub(super) fn needs_game(order: &Order) -> bool {
    matches!(order, Order::SeedCommit(_) | Order::SeedOpen(_))
}

/// Is it an order of this file?
pub(super) fn is_seed(order: &Order) -> bool {
    needs_game(order) || matches!(order, Order::Seed(_))
}

/// Carries out an order about seeds.
pub(super) fn order(desk: &mut Desk, no: Option<MatchNo>, order: &Order) -> Result<(), Why> {
    match (order, no) {
        (Order::Seed(text), no) => words(desk, no, text),
        (Order::SeedCommit(c), Some(no)) => commit(desk, no, c),
        (Order::SeedOpen(s), Some(no)) => open(desk, no, s),
        _ => Ok(()),
    }
}

/// The match, if its seeds are not fixed yet, and the actor's chair there.
fn unfixed(desk: &Desk, no: MatchNo) -> Result<(std::sync::Arc<Match>, usize), Why> {
    let m = desk.over.game(no).ok_or(Why::NotYours { game: no.0 })?;
    let chair = m.chair_of(desk.actor).ok_or(Why::NotYours { game: no.0 })?;
    match m.stage {
        Stage::Inviting | Stage::Seeking if m.fair.seeds.fixed.is_none() => {
            Ok((m, usize::from(chair)))
        }
        Stage::Inviting | Stage::Seeking | Stage::Playing => Err(Why::SeedsFixed),
        Stage::Over | Stage::Void => Err(super::lobby::over(&m)),
    }
}

/// Words take the place of the letter; without a match they wait for what the same letter accepts or opens.
fn words(desk: &mut Desk, no: Option<MatchNo>, text: &str) -> Result<(), Why> {
    let words = tidy_words(text).map_err(|e| Why::BadWords {
        what: e.to_string(),
    })?;
    desk.words = words;
    let Some(no) = no else {
        return Ok(());
    };
    let (m, chair) = unfixed(desk, no)?;
    if m.fair.seeds.of(chair).commitment.is_some() {
        return Err(Why::SeedCommitted);
    }
    give(desk, no);
    desk.show(no, "seed");
    go_on(desk, no)
}

fn commit(desk: &mut Desk, no: MatchNo, commitment: &str) -> Result<(), Why> {
    let (m, chair) = unfixed(desk, no)?;
    if m.fair.seeds.of(chair).commitment.is_some() {
        return Err(Why::SeedCommitted);
    }
    let player = desk.actor;
    let commitment = commitment.to_owned();
    step(desk, no, SeedStep::Committed { player, commitment });
    desk.show(no, "seed");
    go_on(desk, no)
}

fn open(desk: &mut Desk, no: MatchNo, seed: &str) -> Result<(), Why> {
    let m = desk.over.game(no).ok_or(Why::NotYours { game: no.0 })?;
    match m.stage {
        Stage::Inviting | Stage::Seeking => {}
        Stage::Playing => return Err(Why::SeedsFixed),
        Stage::Over | Stage::Void => return Err(super::lobby::over(&m)),
    }
    let chair = m.chair_of(desk.actor).map(usize::from);
    let chair = chair.ok_or(Why::NotYours { game: no.0 })?;
    let given = m.fair.seeds.of(chair);
    let commitment = given.commitment.ok_or(Why::NoSeedCommitted)?;
    if m.fair.seeds.fixed.is_none() {
        return Err(Why::SeedTooEarly);
    }
    let place = u32::try_from(chair + 1).unwrap_or(u32::MAX);
    let fits = unhash(seed).filter(|s| hex(&seed_commitment(&m.gid, place, s)) == commitment);
    if fits.is_none() {
        return Err(Why::SeedOpening { commitment });
    }
    if given.opened.is_none() {
        let player = desk.actor;
        let seed = Secret(seed.to_owned());
        step(desk, no, SeedStep::Opened { player, seed });
        go_on(desk, no)?;
    }
    if let Some(kind) = table(desk, no, desk.actor, false) {
        desk.answers.push(kind);
    }
    Ok(())
}

fn step(desk: &mut Desk, game: MatchNo, step: SeedStep) {
    desk.emit(Event::Seeds { game, step }, None);
}

/// The actor gives to the dice of a match what he wrote for them, else what his letter stands for.
pub(super) fn give(desk: &mut Desk, game: MatchNo) {
    let (player, words) = (desk.actor, desk.words.clone());
    let m = desk.over.game(game);
    let chair = m.as_ref().and_then(|m| m.chair_of(player));
    let before = m.zip(chair).map(|(m, c)| m.fair.seeds.of(usize::from(c)));
    let stays = before.is_some_and(|b| {
        // what he chose is not undone by a letter that chooses nothing
        b.commitment.is_some() || (b.is_chosen() && is_by_letter(&words))
    });
    if !words.is_empty() && !stays {
        let event = Event::Gave {
            game,
            player,
            words,
        };
        desk.emit(event, None);
    }
}

/// Goes on towards the beginning of a match as far as it can: asks for seeds, fixes them, begins.
pub(super) fn go_on(desk: &mut Desk, no: MatchNo) -> Result<(), Why> {
    let Some(m) = desk.over.game(no).filter(|m| is_full(desk, m)) else {
        return Ok(());
    };
    let seeds = &m.fair.seeds;
    if seeds.fixed.is_some() {
        return if m.seeds_awaited().is_empty() {
            begin(desk, no)
        } else {
            Ok(())
        };
    }
    if seeds.ask && seeds.since.is_none() {
        step(desk, no, SeedStep::Asked);
        let asked = desk.over.game(no).map(|m| m.seeds_awaited());
        if asked.is_some_and(|a| !a.is_empty()) {
            tell(desk, no, false);
            return Ok(());
        }
    } else if seeds.ask && !m.seeds_awaited().is_empty() {
        let over = m.seeds_until().is_some_and(|t| t <= desk.now);
        if !over {
            return Ok(());
        }
    }
    if seeds.given.iter().any(|g| g.commitment.is_some()) {
        step(desk, no, SeedStep::Fixed);
        tell(desk, no, false);
        return Ok(());
    }
    begin(desk, no)
}

/// Tells everybody how the seeds stand; with `reminder` only who is awaited.
fn tell(desk: &mut Desk, no: MatchNo, reminder: bool) {
    let Some(m) = desk.over.game(no) else { return };
    let awaited = m.seeds_awaited();
    for (at, chair) in (0u8..).zip(&m.chairs) {
        if reminder && !awaited.contains(&at) {
            continue;
        }
        let Some(kind) = table(desk, no, chair.player, reminder) else {
            continue;
        };
        if chair.player == desk.actor {
            desk.shown.remove(&no);
            desk.answers.push(kind);
        } else {
            desk.others.push((chair.player, no, kind));
        }
    }
}

/// Time went by: who is awaited is reminded once; then the match goes on without his words, or does not come about
/// without his opening.
pub(super) fn tick(desk: &mut Desk, no: MatchNo) {
    let Some(m) = desk.over.game(no) else { return };
    if m.seeds_due().is_none_or(|t| t > desk.now) {
        return;
    }
    if m.seeds_until().is_some_and(|t| t > desk.now) {
        step(desk, no, SeedStep::Reminded);
        tell(desk, no, true);
        return;
    }
    if m.fair.seeds.fixed.is_none() {
        // A rulebook that no longer begins is told when somebody writes.
        let _ = go_on(desk, no);
        return;
    }
    let chairs = m.seeds_awaited();
    let late: Vec<PlayerNo> = chairs
        .iter()
        .filter_map(|c| m.chairs.get(usize::from(*c)))
        .map(|c| c.player)
        .collect();
    step(desk, no, SeedStep::Late { chairs });
    let names: Vec<String> = late.iter().map(|p| desk.name(*p)).collect();
    for chair in &m.chairs {
        let kind = NoticeKind::Voided {
            about: desk.match_info(&m, chair.player),
            by: names.join(" and "),
            yourself: late.contains(&chair.player),
            late: true,
        };
        desk.others.push((chair.player, no, kind));
    }
}

/// How the seeds of a match stand, for one of its players; `None` once it has begun.
pub(super) fn seed_table(desk: &Desk, m: &Match, reader: PlayerNo) -> SeedTable {
    let awaited = m.seeds_awaited();
    let place = m.chair_of(reader).unwrap_or_default();
    let row = |(at, chair): (u8, &super::state::Chair)| {
        let given = m.fair.seeds.of(usize::from(at));
        let what = match (&given.words, &given.commitment) {
            (_, Some(_)) if given.opened.is_some() => "opened",
            (_, Some(_)) => "sealed",
            (Some(_), None) if given.is_chosen() => "words",
            (Some(_), None) => "letter",
            (None, None) => "nothing",
        };
        SeedRow {
            name: desk.name(chair.player),
            you: chair.player == reader,
            what: what.to_owned(),
            words: given.words.filter(|_| what == "words"),
            awaited: awaited.contains(&at),
        }
    };
    SeedTable {
        gid: m.gid.clone(),
        place: u32::from(place) + 1,
        rows: (0u8..).zip(&m.chairs).map(row).collect(),
        chosen: m.fair.seeds.given.iter().any(Given::is_chosen),
        fixed: m.fair.seeds.fixed.is_some(),
        owes: awaited.contains(&place),
        until: m.seeds_until(),
    }
}

fn table(desk: &Desk, no: MatchNo, reader: PlayerNo, reminder: bool) -> Option<NoticeKind> {
    let m = desk.over.game(no).filter(|m| m.stage == Stage::Inviting)?;
    Some(NoticeKind::Seeds {
        about: desk.match_info(&m, reader),
        seeds: seed_table(desk, &m, reader),
        reminder,
    })
}
