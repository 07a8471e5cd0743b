//! Sealed cards: laid down, compared, turned over (trust.md 4).

use std::collections::{BTreeMap, BTreeSet};

use super::super::ledger::Entry;
use super::super::line::{Hash, unhash};
use super::super::seal::{commitment, is_card};
use super::{Fault, Game, value};

/// One card.
struct Card {
    commitment: Hash,
    by_player: bool,
    opened: Option<String>,
}

/// What was announced for a turn.
struct Announced {
    yes: bool,
    mover: Option<u32>,
    by_default: bool,
}

/// The cards of one turn.
#[derive(Default)]
struct Pair {
    cards: BTreeMap<u32, Card>,
    late: BTreeSet<u32>,
    announced: Option<Announced>,
}

/// All cards of a match, by turn.
pub(super) struct Cards {
    reveal_both: bool,
    turns: BTreeMap<u64, Pair>,
    commitments: BTreeSet<Hash>,
    /// Turns compared since the last head.
    fresh: Vec<u64>,
}

impl Cards {
    pub(super) fn new(reveal_both: bool) -> Cards {
        Cards {
            reveal_both,
            turns: BTreeMap::new(),
            commitments: BTreeSet::new(),
            fresh: Vec::new(),
        }
    }

    pub(super) fn seal(&mut self, game: &Game, e: &Entry) -> Result<(), Fault> {
        let (t, seat) = (turn(e)?, game.seat(e)?);
        let commitment = e.get("c").and_then(unhash).ok_or_else(|| value(e, "c"))?;
        let by_player = match e.get("by") {
            Some("ref" | "dice") => false,
            Some("player") => true,
            _ => return Err(value(e, "by")),
        };
        let pair = self.turns.entry(t).or_default();
        if pair.announced.is_some() || pair.cards.values().any(|c| c.opened.is_some()) {
            return Err(Fault::SealLate { t, seat });
        }
        if pair.cards.contains_key(&seat) {
            return Err(Fault::SealTwice { t, seat });
        }
        if !self.commitments.insert(commitment) {
            return Err(Fault::SealCopied);
        }
        let card = Card {
            commitment,
            by_player,
            opened: None,
        };
        pair.cards.insert(seat, card);
        Ok(())
    }

    pub(super) fn open(&mut self, game: &Game, e: &Entry, ended: bool) -> Result<(), Fault> {
        let (t, seat) = (turn(e)?, game.seat(e)?);
        let none = Fault::NoSeal { t, seat };
        let Some(pair) = self.turns.get_mut(&t) else {
            return Err(none);
        };
        let alone = pair.cards.len() < 2;
        let Some(sealed) = pair.cards.get_mut(&seat) else {
            return Err(none);
        };
        if sealed.opened.is_some() {
            return Err(Fault::OpenTwice { t, seat });
        }
        if alone && !ended {
            return Err(Fault::OpenEarly { t, seat });
        }
        let card = e.get("card").filter(|c| is_card(c));
        let card = card.ok_or_else(|| value(e, "card"))?;
        let nonce = e.get("nonce").filter(|n| unhash(n).is_some());
        let nonce = nonce.ok_or_else(|| value(e, "nonce"))?;
        let turn = u32::try_from(t).unwrap_or(u32::MAX);
        if unhash(&commitment(&game.gid, turn, seat, card, nonce)) != Some(sealed.commitment) {
            return Err(Fault::Opening { t, seat });
        }
        sealed.opened = Some(card.to_owned());
        pair.agrees(t)
    }

    pub(super) fn timeout(&mut self, e: &Entry) {
        if let (Some(t), Some(seat), Some("open")) = (e.num("t"), e.num("seat"), e.get("for")) {
            let seat = u32::try_from(seat).unwrap_or(0);
            self.turns.entry(t).or_default().late.insert(seat);
        }
    }

    pub(super) fn result(&mut self, e: &Entry) -> Result<(), Fault> {
        let t = turn(e)?;
        let yes = match e.get("match") {
            Some("yes") => true,
            Some("no") => false,
            _ => return Err(value(e, "match")),
        };
        let by_default = match e.get("why") {
            None => false,
            Some("default") => true,
            _ => return Err(value(e, "why")),
        };
        let mover = e.num("seat").and_then(|s| u32::try_from(s).ok());
        let pair = self.turns.entry(t).or_default();
        if pair.announced.is_some() {
            return Err(Fault::ResultTwice { t });
        }
        if pair.cards.len() != 2 {
            return Err(Fault::ResultEarly { t });
        }
        pair.announced = Some(Announced {
            yes,
            mover,
            by_default,
        });
        self.fresh.push(t);
        if by_default {
            return pair.defaulted(t);
        }
        pair.agrees(t)
    }

    /// Under a head both cards of a comparison are open, unless only the outcome is told.
    pub(super) fn head(&mut self) -> Result<(), Fault> {
        let fresh = std::mem::take(&mut self.fresh);
        if !self.reveal_both {
            return Ok(());
        }
        let closed = fresh
            .iter()
            .find(|t| self.turns.get(t).is_some_and(Pair::is_hidden));
        closed.map_or(Ok(()), |t| Err(Fault::NotOpened { t: *t }))
    }

    /// The game is over: everything that was announced is shown.
    pub(super) fn over(&self) -> Result<(), Fault> {
        let closed = self.turns.iter().find(|(_, pair)| pair.is_hidden());
        closed.map_or(Ok(()), |(t, _)| Err(Fault::NeverShown { t: *t }))
    }
}

impl Pair {
    /// Was something announced about cards that nobody can see?
    fn is_hidden(&self) -> bool {
        self.announced.is_some()
            && self
                .cards
                .iter()
                .any(|(seat, c)| c.opened.is_none() && !(c.by_player && self.late.contains(seat)))
    }

    /// Does the announcement fit the cards, as far as they are open?
    fn agrees(&self, t: u64) -> Result<(), Fault> {
        let Some(announced) = self.announced.as_ref().filter(|a| !a.by_default) else {
            return Ok(());
        };
        let open: Vec<&String> = self
            .cards
            .values()
            .filter_map(|c| c.opened.as_ref())
            .collect();
        match open[..] {
            [one, other] if (one == other) != announced.yes => Err(Fault::Result {
                t,
                found: if announced.yes { "yes" } else { "no" }.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// The guesser's default counts as a match, the mover's as none. Who opened a card that is not left defaulted too;
    /// whether it is left only the rules know.
    fn defaulted(&self, t: u64) -> Result<(), Fault> {
        let Some(announced) = &self.announced else {
            return Ok(());
        };
        let own = |seat: &u32| self.cards.get(seat).is_some_and(|c| c.by_player);
        let shut = |seat: &u32| self.cards.get(seat).is_some_and(|c| c.opened.is_none());
        let late = self.late.iter().filter(|s| own(s) && shut(s));
        let late: Vec<u32> = late.copied().collect();
        let mover = announced.mover.ok_or(Fault::NoDefault { t })?;
        let fits = if late.contains(&mover) {
            // where the mover did not open there is no piece, whatever the guesser did
            !announced.yes
        } else if late.is_empty() {
            self.cards.keys().any(own)
        } else {
            announced.yes || own(&mover)
        };
        if fits {
            Ok(())
        } else {
            Err(Fault::NoDefault { t })
        }
    }
}

fn turn(e: &Entry) -> Result<u64, Fault> {
    e.num("t").ok_or_else(|| value(e, "t"))
}
