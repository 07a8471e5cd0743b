//! The set-up: what the first line says, the seeds in their order, the start (trust.md 3).

use super::super::chain;
use super::super::entropy::{entropy, seed_commitment, token_words, words_seed};
use super::super::ledger::Entry;
use super::super::line::{Hash, hex, is_gid, unhash};
use super::{Fault, value};

/// Most seats of a game.
pub const SEATS_MAX: u32 = 16;

/// What the first line of a ledger says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// Public id of the match.
    pub gid: String,
    /// Id of the rules.
    pub rules: String,
    /// Number of seats.
    pub seats: u32,
    /// c_0.
    pub anchor: Hash,
    /// Elements of the chain.
    pub n: u32,
    /// Rolls of one turn.
    pub per: u32,
    /// The referee's public key.
    pub key: Hash,
    /// False for `reveal=outcome`.
    pub reveal_both: bool,
    /// Settled options, `key:value` with commas between.
    pub options: Option<String>,
    /// SHA-256 of the rulebook's text.
    pub book: Option<String>,
    /// `drand`, or `table` for a number that the players agreed on.
    pub start_beacon: Option<String>,
    /// Is every roll bound to a beacon?
    pub roll_beacon: bool,
}

impl Game {
    pub(super) fn of(e: &Entry) -> Result<Game, Fault> {
        let hash = |key: &str| e.get(key).and_then(unhash).ok_or_else(|| value(e, key));
        let num = |key: &str, most: u32| {
            let n = e.num(key).and_then(|n| u32::try_from(n).ok());
            n.filter(|n| (1..=most).contains(n))
                .ok_or_else(|| value(e, key))
        };
        let gid = e.get("id").filter(|id| is_gid(id));
        let game = Game {
            gid: gid.ok_or_else(|| value(e, "id"))?.to_owned(),
            rules: e.get("rules").unwrap_or_default().to_owned(),
            seats: num("seats", SEATS_MAX)?,
            anchor: hash("anchor")?,
            n: num("n", chain::LENGTH_MAX)?,
            per: num("per", chain::LENGTH_MAX)?,
            key: hash("key")?,
            reveal_both: match e.get("reveal") {
                None | Some("both") => true,
                Some("outcome") => false,
                _ => return Err(value(e, "reveal")),
            },
            options: e.text("opt"),
            book: e.get("book").map(str::to_owned),
            start_beacon: match e.get("start_beacon") {
                Some("drand" | "table") | None => e.get("start_beacon").map(str::to_owned),
                _ => return Err(value(e, "start_beacon")),
            },
            roll_beacon: match e.get("roll_beacon") {
                None => false,
                Some("drand") => true,
                _ => return Err(value(e, "roll_beacon")),
            },
        };
        Ok(game)
    }

    /// The `seat=` of an entry, from 1.
    pub(super) fn seat(&self, e: &Entry) -> Result<u32, Fault> {
        let seat = e.num("seat").ok_or_else(|| value(e, "seat"))?;
        u32::try_from(seat)
            .ok()
            .filter(|s| (1..=self.seats).contains(s))
            .ok_or(Fault::NoSuchSeat {
                seat,
                seats: self.seats,
            })
    }
}

/// What a place at the table gave.
#[derive(Clone, Default)]
struct Given {
    commitment: Option<Hash>,
    seed: Option<Hash>,
}

/// Seeds so far, by place.
#[derive(Default)]
pub(super) struct Setup {
    given: Vec<Given>,
    any_seed: bool,
    /// Did a head follow the last commitment or words?
    signed: bool,
}

impl Setup {
    fn at(&mut self, game: &Game, seat: u32) -> &mut Given {
        self.given.resize(game.seats as usize, Given::default());
        // `Game::seat` has looked at the range
        &mut self.given[seat as usize - 1]
    }

    pub(super) fn head(&mut self) {
        self.signed = true;
    }

    pub(super) fn commit(&mut self, game: &Game, e: &Entry) -> Result<(), Fault> {
        let seat = game.seat(e)?;
        let c = e.get("c").and_then(unhash).ok_or_else(|| value(e, "c"))?;
        if self.any_seed {
            return Err(Fault::CommitLate { seat });
        }
        let given = self.at(game, seat);
        if given.commitment.replace(c).is_some() {
            return Err(Fault::SeedTwice { seat });
        }
        self.signed = false;
        Ok(())
    }

    pub(super) fn seed(&mut self, game: &Game, e: &Entry) -> Result<(), Fault> {
        let seat = game.seat(e)?;
        let s = e.get("s").and_then(unhash).ok_or_else(|| value(e, "s"))?;
        let signed = self.signed;
        let given = self.at(game, seat).clone();
        if given.seed.is_some() {
            return Err(Fault::SeedTwice { seat });
        }
        let opens = e.get("words").is_none() && s != [0; 32];
        match (given.commitment, e.get("words")) {
            (Some(_), Some(_)) => return Err(Fault::SeedTwice { seat }),
            (None, _) if opens => return Err(Fault::NotCommitted { seat }),
            (None, None) => {}
            (None, Some(token)) => {
                let words = token_words(token).ok_or_else(|| value(e, "words"))?;
                if words_seed(&game.gid, seat, &words) != s {
                    return Err(Fault::WordsSeed { seat });
                }
            }
            (Some(c), None) => {
                if seed_commitment(&game.gid, seat, &s) != c {
                    return Err(Fault::SeedOpening { seat });
                }
                let all = self
                    .given
                    .iter()
                    .all(|g| g.commitment.is_some() || g.seed.is_some());
                if !all {
                    return Err(Fault::OpenedEarly { seat });
                }
                if !signed {
                    return Err(Fault::OpenedUnsigned { seat });
                }
            }
        }
        if given.commitment.is_none() {
            self.signed = false;
        }
        self.any_seed = true;
        self.at(game, seat).seed = Some(s);
        Ok(())
    }

    /// The entropy of the dice.
    pub(super) fn start(&mut self, game: &Game, e: &Entry, b: &str) -> Result<Hash, Fault> {
        if let Some(places) = e.get("places") {
            let all: Vec<&str> = places.split(',').collect();
            let known = |p: &&str| {
                super::super::line::number(p)
                    .is_some_and(|p| (1..=u64::from(game.seats)).contains(&p))
            };
            if all.len() != game.seats as usize || !all.iter().all(known) {
                return Err(value(e, "places"));
            }
        }
        self.at(game, 1);
        for (seat, given) in (1..).zip(&self.given) {
            if given.commitment.is_some() && given.seed.is_none() {
                return Err(Fault::NeverOpened { seat });
            }
        }
        let seeds: Vec<Option<Hash>> = self.given.iter().map(|g| g.seed).collect();
        let expected = entropy(&game.gid, &game.anchor, &seeds, b);
        let found = e.get("e").unwrap_or_default();
        if unhash(found) != Some(expected) {
            return Err(Fault::Entropy {
                expected: hex(&expected),
                found: found.to_owned(),
            });
        }
        Ok(expected)
    }
}
