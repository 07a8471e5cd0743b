//! What a mail about a match must not tell its reader: the list that the guard at the door looks for.

use std::collections::BTreeSet;
use std::fmt;

use super::cards::asked_for;
use super::dice;
use super::state::{Holder, Match, PlayerNo, Registry, Stage};
use crate::fair::chain;
use crate::fair::ledger::Entry;
use crate::fair::line::{Hash, unhash};
use crate::fair::token::reply_token;

/// The dice of a match that have not fallen yet.
#[derive(Clone)]
pub(super) struct Ahead {
    /// The match.
    pub gid: String,
    /// c_n.
    pub top: Hash,
    /// n.
    pub n: u32,
    /// Elements up to this one are public.
    pub told: u32,
    /// Rolls of a turn.
    pub per: u32,
}

/// Elements before a roll that a mail may show: the roll before is seldom further.
const BEFORE_ROLL: u32 = 6;

impl Ahead {
    /// Chain index of a `roll` entry.
    fn index_of(&self, entry: &Entry) -> Option<u32> {
        let at = |key: &str| u32::try_from(entry.num(key)?).ok();
        chain::index(self.per, self.n, at("t")?, at("j")?)
    }
    /// Is one of these an element that still decides a roll?
    fn holds(&self, found: &dyn Fn(&Hash) -> bool) -> bool {
        let secret = self.n.saturating_sub(self.told) as usize;
        let mut elements = chain::walk(&self.gid, self.n, &self.top).take(secret);
        elements.any(|c| found(&c))
    }
}

/// A card face down, among those that it could be.
#[derive(Clone)]
pub struct Down {
    /// The beginning of the line that its seal is made of.
    pub line: String,
    /// The card.
    pub card: String,
    /// All that are left but this one.
    pub others: Vec<String>,
}

/// Everything about one match that one reader must not learn from a mail.
#[derive(Clone, Default)]
pub struct Secrets {
    /// 32 bytes each: nonces, the match's secret, the server's key.
    pub values: Vec<Hash>,
    /// Reply tokens of the other chairs.
    pub tokens: Vec<String>,
    /// The other players' addresses.
    pub addresses: Vec<String>,
    /// Cards of the others that lie face down.
    pub cards: Vec<Down>,
    /// What is public though it may look like somebody's address: names.
    pub public: Vec<String>,
    /// 32 bytes each that are no roll to come, though they look like one: seals, the reader's own nonces, E.
    pub known: BTreeSet<Hash>,
    ahead: Option<Ahead>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Secrets {
    /// What no mail may hold, whatever it is about.
    pub fn of_house(reg: &dyn Registry) -> Secrets {
        Secrets {
            values: vec![reg.house().key],
            ..Secrets::default()
        }
    }

    /// Is a roll to come among the values that `found` knows?
    pub fn foretells(&self, found: &dyn Fn(&Hash) -> bool) -> bool {
        self.ahead.as_ref().is_some_and(|a| a.holds(found))
    }

    /// The values in entries of the ledger, but for an element whose roll is to come; an element that is told makes those
    /// before it public too.
    pub fn published<'a>(&self, entries: impl Iterator<Item = &'a str>) -> BTreeSet<Hash> {
        let mut out = BTreeSet::new();
        for line in entries {
            let roll = self.ahead.as_ref().filter(|_| line.contains(" roll "));
            let roll = roll.and_then(|a| Some((a, a.index_of(&Entry::parse(line).ok()?)?)));
            for value in line.split([' ', '=']).filter_map(unhash) {
                let Some((ahead, i)) = roll else {
                    out.insert(value);
                    continue;
                };
                let mut c = value;
                for j in (i.saturating_sub(BEFORE_ROLL)..=i)
                    .rev()
                    .filter(|_| i <= ahead.told)
                {
                    out.insert(c);
                    if j > 0 {
                        c = chain::down(&ahead.gid, j, &c, j - 1);
                    }
                }
            }
        }
        out
    }
}

/// The secrets of a match as it stands now, but for what `reader` may know. `reader` is nobody for a log line.
pub fn secrets(reg: &dyn Registry, m: &Match, reader: Option<PlayerNo>) -> Secrets {
    let mut out = Secrets::default();
    let mine = reader.map(|p| m.seats_of(p)).unwrap_or_default();
    let house = reg.house();
    out.values.push(house.key);
    out.values.extend(unhash(&m.secret.0));
    let over = matches!(m.stage, Stage::Over | Stage::Void);
    let hidden = m.opened.iter().filter(|_| !over);
    out.known.extend(unhash(&m.book));
    out.known.extend(m.fair.entropy.as_deref().and_then(unhash));
    for seal in m.sealed.iter().chain(hidden) {
        out.known.extend(unhash(&seal.commitment));
        if mine.contains(&seal.seat) {
            out.known.extend(unhash(&seal.nonce.0));
            continue;
        }
        out.values.extend(unhash(&seal.nonce.0));
        let hidden = seal.known() && seal.by != Holder::Dice && seal.turn >= m.turn();
        let Some(table) = m.table.as_ref().filter(|_| hidden) else {
            continue;
        };
        let mut others = asked_for(table);
        others.retain(|c| *c != seal.card.0);
        out.cards.push(Down {
            line: format!(
                "seal {} {} {} {}",
                m.gid,
                seal.turn,
                seal.number(),
                seal.card.0
            ),
            card: seal.card.0.clone(),
            others,
        });
    }
    let unbegun = matches!(m.stage, Stage::Inviting | Stage::Seeking);
    for (at, given) in m.fair.seeds.given.iter().enumerate() {
        let his = m.chairs.get(at).is_some_and(|c| Some(c.player) == reader);
        if let Some(seed) = given.opened.as_ref().filter(|_| unbegun && !his) {
            out.values.extend(unhash(&seed.0));
        }
    }
    for (at, chair) in (0u8..).zip(&m.chairs) {
        let Some(player) = reg.player(chair.player) else {
            continue;
        };
        out.public.push(player.name.to_lowercase());
        if Some(chair.player) == reader {
            continue;
        }
        out.tokens
            .push(reply_token(&house.key, &m.gid, at, player.epoch));
        out.addresses.push(player.address.to_lowercase());
    }
    out.ahead = dice::ahead(m);
    out
}
