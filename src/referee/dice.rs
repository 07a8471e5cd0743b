//! The dice of a match: its chain, the seeds that players gave to it, and what of it must stay secret (trust.md 3).

use serde::{Deserialize, Serialize};

use super::cards::asked_for;
use super::desk::mover;
use super::report::{News, Report};
use super::secrets::Ahead;
use super::seeds::Given;
use super::state::{Holder, Match, Registry, Sealed};
use crate::fair::chain;
use crate::fair::dice::{Roll, Thrown, check_commands};
use crate::fair::entropy::{NO_BEACON, entropy, words_seed};
use crate::fair::ledger::{Entry, Kind};
use crate::fair::line::{Hash, line_mac, unhash, unhex};
use crate::rules::families::{Family, chaturaji};
use crate::rules::{Dice, Rulebook, Seat, Table};

/// Has the match a ledger, and so a chain?
pub(super) fn has_ledger(m: &Match) -> bool {
    m.fair.tip.next > 0
}

/// Separately revealed rolls of one turn: the d4 game has one, a game of cards two, when both are drawn by lot.
pub(super) fn per(book: &Rulebook) -> u32 {
    match book.family {
        Family::Maces(_) => 2,
        _ => 1,
    }
}

/// Sides of the dice that a game rolls on its board.
pub(super) fn sides(book: &Rulebook) -> u64 {
    match book.family {
        Family::Chaturaji(_) => u64::from(chaturaji::SIDES),
        _ => 1,
    }
}

/// c_n: of the match's secret, so that a restored backup throws the same dice.
pub(super) fn top(m: &Match) -> Hash {
    let secret = unhex(&m.secret.0).unwrap_or_default();
    line_mac(&secret, &format!("tulpa1/top {}", m.gid))
}

pub(super) fn length(book: &Rulebook) -> u32 {
    chain::TURNS * per(book)
}

/// The seeds by place, as far as they are known: of words, or opened.
fn seeds(m: &Match, places: usize) -> Vec<Option<Hash>> {
    let of = |(place, given): (u32, &Given)| match &given.opened {
        Some(seed) => unhash(&seed.0),
        None => given.words.as_deref().map(|w| words_seed(&m.gid, place, w)),
    };
    let mut seeds: Vec<Option<Hash>> = (1..).zip(&m.fair.seeds.given).map(of).collect();
    seeds.resize(places, None);
    seeds
}

/// E, which is fixed once everybody has joined; `None` where the match has no ledger.
pub(super) fn entropy_of(m: &Match, book: &Rulebook) -> Option<Hash> {
    if let Some(known) = &m.fair.entropy {
        return unhash(known);
    }
    has_ledger(m).then(|| {
        let anchor = chain::down(&m.gid, length(book), &top(m), 0);
        entropy(&m.gid, &anchor, &seeds(m, book.seats.len()), NO_BEACON)
    })
}

/// Number of the turn under way as the chain counts: the rolls before the first turn come first.
pub(super) fn turn(m: &Match) -> u32 {
    m.fair.opening + m.turn()
}

/// What of the chain must stay secret; `None` where nothing of it will ever be told.
pub(super) fn ahead(m: &Match) -> Option<Ahead> {
    let book = m.table.as_ref().map(|t| t.book())?;
    if !has_ledger(m) || m.ending.is_some() {
        return None;
    }
    let n = length(book);
    // the dice of the turn under way lie on the table; of a turn of cards those that have chosen one
    let told = match sides(book) {
        1 if per(book) == 1 => 0,
        1 => card_slots_told(m, per(book), n),
        _ => chain::index(per(book), n, turn(m), 0).unwrap_or(n),
    };
    Some(Ahead {
        gid: m.gid.clone(),
        top: top(m),
        n,
        told,
        per: per(book),
    })
}

/// How rolls are checked by hand (trust.md 3).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DiceCheck {
    /// Shell commands, and what they print.
    pub check: Vec<String>,
    /// Sides of the dice, each number once.
    pub sides: Vec<u64>,
    /// Were these the first rolls, so that they lead to the anchor?
    pub first: bool,
}

/// Entries that are read at once, from the end of a ledger on.
const ENTRIES_READ: u64 = 16;

/// How the rolls that a report tells are checked. They are the last ones of the ledger, since a mail tells all that its
/// reader does not know.
pub(super) fn add_check(reg: &dyn Registry, m: &Match, report: &mut Report) {
    let told = |n: &&News| matches!(n, News::Rolled { .. } | News::CardDrawn { .. });
    let told = report.news.iter().filter(told).count();
    if told == 0 || !has_ledger(m) {
        return;
    }
    let Some((book, e)) = m
        .table
        .as_ref()
        .and_then(|t| Some((t.book(), entropy_of(m, t.book())?)))
    else {
        return;
    };
    let (mut rolls, mut from) = (Vec::new(), m.fair.tip.next);
    while rolls.len() <= told && from > 0 {
        let end = from;
        from = from.saturating_sub(ENTRIES_READ);
        let entries = reg.entries(m.no, from);
        let some = entries.iter().take_while(|(seq, _)| *seq < end);
        let some: Vec<Thrown> = some
            .filter_map(|(_, line)| thrown(book, &Entry::parse(line).ok()?))
            .collect();
        rolls.splice(0..0, some);
    }
    let Some(older) = rolls.len().checked_sub(told) else {
        return;
    };
    let before = rolls.drain(..older).next_back();
    let anchor = || (0, chain::down(&m.gid, length(book), &top(m), 0));
    let (at, c) = before.map_or_else(anchor, |r| (r.i, r.c));
    let mut sides: Vec<u64> = rolls.iter().flat_map(|r| r.sides.clone()).collect();
    sides.sort_unstable();
    sides.dedup();
    report.dice = Some(DiceCheck {
        check: check_commands(&m.gid, &rolls, (at, &c), &e, NO_BEACON),
        sides,
        first: at == 0,
    });
}

/// The roll of an entry, if it is one.
fn thrown(book: &Rulebook, entry: &Entry) -> Option<Thrown> {
    if entry.kind != Kind::Roll {
        return None;
    }
    let at = |key: &str| u32::try_from(entry.num(key)?).ok();
    let sides = entry.text("dice")?;
    Some(Thrown {
        i: chain::index(per(book), length(book), at("t")?, at("j")?)?,
        c: unhash(entry.get("c")?)?,
        sides: sides.split(',').filter_map(|n| n.parse().ok()).collect(),
    })
}

/// A roll that chose a card.
pub(super) struct CardRoll {
    /// Its place in the turn.
    pub j: u32,
    /// The element that it reveals.
    pub c: Hash,
    /// As many as cards are left.
    pub sides: usize,
    /// The place of the card among them, from 1.
    pub fell: usize,
}

/// Place in the turn of the roll for a card: the mover's first.
pub(super) fn card_slot(table: &Table, seat: Seat) -> u32 {
    u32::from(mover(table) != seat)
}

/// The roll that chose this card, as the position stands before it is opened; `None` outside of the chain.
pub(super) fn card_roll(m: &Match, seal: &Sealed) -> Option<CardRoll> {
    let table = m.table.as_ref()?;
    let (book, j) = (table.book(), card_slot(table, seal.seat));
    let n = length(book);
    let i = chain::index(per(book), n, m.fair.opening + seal.turn, j)?;
    let left = asked_for(table);
    Some(CardRoll {
        j,
        c: chain::down(&m.gid, n, &top(m), i),
        sides: left.len(),
        fell: left.iter().position(|c| *c == seal.card.0)? + 1,
    })
}

/// Elements that decide no card any more: all of the turn under way once its cards are open, before that those that fell.
fn card_slots_told(m: &Match, per: u32, n: u32) -> u32 {
    let picking = !m.pickers().is_empty();
    let slots = match m.table.as_ref() {
        Some(table) if picking => m
            .sealed
            .iter()
            .filter(|s| s.turn == m.turn() && s.by == Holder::Dice)
            .map(|s| card_slot(table, s.seat) + 1)
            .max()
            .unwrap_or(0),
        _ => per,
    };
    let before = u64::from(per) * u64::from(turn(m).saturating_sub(1));
    u32::try_from(before + u64::from(slots)).map_or(n, |told| told.min(n))
}

impl std::fmt::Debug for ChainDice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// Dice out of the match's chain, addressed by turn.
pub struct ChainDice {
    gid: String,
    top: Hash,
    n: u32,
    per: u32,
    entropy: Hash,
    opening: u32,
    roll: Option<Roll>,
}

impl ChainDice {
    /// The dice of a match; `None` where it has no ledger.
    pub fn of(m: &Match, book: &Rulebook) -> Option<ChainDice> {
        Some(ChainDice {
            gid: m.gid.clone(),
            top: top(m),
            n: length(book),
            per: per(book),
            entropy: entropy_of(m, book)?,
            opening: m.fair.opening,
            roll: None,
        })
    }
}

impl Dice for ChainDice {
    fn slot(&mut self, turn: u32, roll: u32) {
        if turn == 0 {
            self.opening = roll + 1;
        }
        let t = if turn == 0 {
            roll + 1
        } else {
            self.opening + turn
        };
        // a chain that is used up repeats its last element, which no verifier lets through: the Keeper sees it
        let j = if turn == 0 { 0 } else { roll };
        let i = chain::index(self.per, self.n, t, j).unwrap_or(self.n);
        let c = chain::down(&self.gid, self.n, &self.top, i);
        self.roll = Some(Roll::new(&c, &self.gid, i, &self.entropy, NO_BEACON));
    }
    fn roll(&mut self, _of: Seat, sides: u16) -> u16 {
        let fell = self.roll.as_mut().map_or(1, |r| r.die(u64::from(sides)));
        u16::try_from(fell).unwrap_or(1)
    }
}
