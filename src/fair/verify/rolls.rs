//! Rolls: slots in order, elements of the chain, the dice; beacons where the game line promises them (trust.md 3).

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::super::chain;
use super::super::dice::{DICE_MAX, Roll, SIDES_MAX};
use super::super::entropy::NO_BEACON;
use super::super::ledger::Entry;
use super::super::line::{Hash, hex, is_token, number, unhash, unhex};
use super::{Fault, Game, value};

/// First second of drand's quicknet.
pub const DRAND_GENESIS: i64 = 1_692_803_367;
/// Seconds of one of its rounds.
pub const DRAND_PERIOD: i64 = 3;
/// A round must lie this far ahead when it is named, seconds.
pub const BEACON_AHEAD: i64 = 600;

/// The first round of quicknet at least [`BEACON_AHEAD`] after a second.
pub fn round_after(second: i64) -> u64 {
    let ahead = (second + BEACON_AHEAD - DRAND_GENESIS).max(0);
    let periods = ahead.div_euclid(DRAND_PERIOD) + i64::from(ahead % DRAND_PERIOD != 0);
    u64::try_from(periods + 1).unwrap_or(1)
}

/// Where the chain stands.
pub(super) struct Rolls {
    pub(super) entropy: Option<Hash>,
    known: (u32, Hash),
    /// Rounds named ahead, by chain index; 0 for the start.
    bound: BTreeMap<u32, u64>,
}

impl Rolls {
    pub(super) fn new(game: &Game) -> Rolls {
        Rolls {
            entropy: None,
            known: (0, game.anchor),
            bound: BTreeMap::new(),
        }
    }

    fn slot(game: &Game, e: &Entry) -> Result<u32, Fault> {
        let num = |key: &str| e.num(key).ok_or_else(|| value(e, key));
        let (t, j) = (num("t")?, num("j")?);
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        chain::index(game.per, game.n, small(t), small(j)).ok_or(Fault::Slot { t, j })
    }

    pub(super) fn bind(&mut self, game: &Game, e: &Entry) -> Result<(), Fault> {
        let found = e.num("round").ok_or_else(|| value(e, "round"))?;
        let i = match e.get("t") {
            None if self.entropy.is_some() => return Err(Fault::AfterStart),
            None => 0,
            Some(_) => Self::slot(game, e)?,
        };
        let expected = round_after(e.time.as_second());
        if found != expected {
            return Err(Fault::Round { expected, found });
        }
        if i < self.known.0 || self.bound.insert(i, found).is_some() {
            return Err(value(e, "round"));
        }
        Ok(())
    }

    /// The `<b>` of a line, checked as far as it can be without BLS.
    pub(super) fn beacon(
        &self,
        game: &Game,
        e: &Entry,
        promised: Option<&str>,
    ) -> Result<String, Fault> {
        let given = e.get("b");
        let Some(promised) = promised else {
            return match given {
                None => Ok(NO_BEACON.to_owned()),
                Some(_) => Err(Fault::StrayBeacon),
            };
        };
        let b = given.ok_or(Fault::NoBeacon)?;
        if promised == "table" {
            return if is_token(b) {
                Ok(b.to_owned())
            } else {
                Err(value(e, "b"))
            };
        }
        let i = if e.get("t").is_some() {
            Self::slot(game, e)?
        } else {
            0
        };
        let round = self.bound.get(&i).ok_or(Fault::NotBound)?;
        if e.num("round") != Some(*round) {
            return Err(value(e, "round"));
        }
        let sig = e.text("sig").and_then(|s| unhex(&s));
        let sig = sig.ok_or_else(|| value(e, "sig"))?;
        if unhash(b) != Some(Sha256::digest(&sig).into()) {
            return Err(Fault::Beacon);
        }
        Ok(b.to_owned())
    }

    pub(super) fn roll(&mut self, game: &Game, e: &Entry) -> Result<(), Fault> {
        let entropy = self.entropy.ok_or(Fault::NotStarted)?;
        let i = Self::slot(game, e)?;
        let (last, known) = self.known;
        if i <= last {
            let (t, j) = (e.num("t").unwrap_or(0), e.num("j").unwrap_or(0));
            return Err(Fault::RollOrder { t, j });
        }
        let c = e.get("c").and_then(unhash).ok_or_else(|| value(e, "c"))?;
        // also where it does not fit: a file must not make us walk the same stretch again and again
        self.known = (i, c);
        if chain::down(&game.gid, i, &c, last) != known {
            return Err(Fault::Chain { known: hex(&known) });
        }
        let b = self.beacon(game, e, game.roll_beacon.then_some("drand"))?;
        let sides = numbers(e, "dice")
            .filter(|d| d.iter().all(|n| (2..=SIDES_MAX).contains(n)))
            .ok_or_else(|| value(e, "dice"))?;
        let fell = Roll::new(&c, &game.gid, i, &entropy, &b).dice(&sides);
        let found = e.text("got").unwrap_or_default();
        let expected = commas(&fell);
        if expected != found {
            return Err(Fault::Dice { expected, found });
        }
        if let Some(why) = e.get("for")
            && !["opening", "turn", "card"].contains(&why)
        {
            return Err(value(e, "for"));
        }
        Ok(())
    }
}

/// Numbers with commas between.
pub fn commas(numbers: &[u64]) -> String {
    let all: Vec<String> = numbers.iter().map(u64::to_string).collect();
    all.join(",")
}

/// A list of at most [`DICE_MAX`] numbers under a key.
fn numbers(e: &Entry, key: &str) -> Option<Vec<u64>> {
    let text = e.text(key)?;
    let all: Option<Vec<u64>> = text.split(',').map(number).collect();
    all.filter(|n| n.len() <= DICE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_lie_ahead() {
        let time = |round: u64| DRAND_GENESIS + DRAND_PERIOD * (i64::try_from(round).unwrap() - 1);
        for second in DRAND_GENESIS..DRAND_GENESIS + 10 {
            let round = round_after(second);
            assert!(time(round) >= second + BEACON_AHEAD);
            assert!(time(round - 1) < second + BEACON_AHEAD);
        }
    }
}
