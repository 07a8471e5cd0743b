//! Records in memory: [`Changes`] is a set of them, [`Overlay`] lays such a set over a registry, [`Room`] is a whole
//! referee in memory (tests, `tulpa demo`, and the model of what a store has to do).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::Decision;
use super::scribe::EntryLine;
use super::state::{
    Counters, Held, House, Line, Match, MatchNo, Player, PlayerNo, Records, Registry, SentMail,
    Stage,
};
use crate::rules::Rulebook;

/// What one decision writes; the store may put these straight into its index instead of applying the events again.
#[derive(Clone, Default, Debug)]
pub struct Changes {
    /// New counters.
    pub counters: Option<Counters>,
    /// Players, by number.
    pub players: BTreeMap<PlayerNo, Arc<Player>>,
    /// Addresses in lower case; `None` for one that was erased.
    pub addresses: BTreeMap<String, Option<PlayerNo>>,
    /// Names in lower case; `None` for a name given up.
    pub names: BTreeMap<String, Option<PlayerNo>>,
    /// Matches.
    pub games: BTreeMap<MatchNo, Arc<Match>>,
    /// Matches by gid.
    pub gids: BTreeMap<String, MatchNo>,
    /// Rulebooks by digest.
    pub books: BTreeMap<String, Arc<Rulebook>>,
    /// New record lines.
    pub lines: BTreeMap<MatchNo, Vec<Line>>,
    /// New entries of ledgers.
    pub entries: BTreeMap<MatchNo, Vec<EntryLine>>,
    /// Held letters; `None` for one that was dropped.
    pub held: BTreeMap<String, Option<Held>>,
    /// Addresses asked to confirm.
    pub asked: BTreeMap<String, Timestamp>,
}

/// Lines that were taken back give way to the next one.
fn cut(lines: &mut Vec<Line>, next: Option<&Line>) {
    if let Some(next) = next {
        lines.retain(|l| l.at < next.at);
    }
}

impl Changes {
    /// Takes over later changes.
    pub fn merge(&mut self, later: Changes) {
        self.counters = later.counters.or(self.counters);
        self.players.extend(later.players);
        self.addresses.extend(later.addresses);
        self.names.extend(later.names);
        self.games.extend(later.games);
        self.gids.extend(later.gids);
        self.books.extend(later.books);
        for (no, lines) in later.lines {
            let all = self.lines.entry(no).or_default();
            cut(all, lines.first());
            all.extend(lines);
        }
        for (no, entries) in later.entries {
            self.entries.entry(no).or_default().extend(entries);
        }
        self.held.extend(later.held);
        self.asked.extend(later.asked);
    }
    /// Entries of a match's ledger among them, from number `from` on.
    pub fn entries(&self, no: MatchNo, from: u64) -> Vec<EntryLine> {
        let all = self.entries.get(&no).into_iter().flatten();
        all.filter(|(seq, _)| *seq >= from).cloned().collect()
    }
    fn put_player(&mut self, player: Arc<Player>) {
        self.addresses
            .insert(player.address.to_ascii_lowercase(), Some(player.no));
        self.names
            .insert(player.name.to_lowercase(), Some(player.no));
        self.players.insert(player.no, player);
    }
    fn put_game(&mut self, game: Arc<Match>) {
        self.gids.insert(game.gid.clone(), game.no);
        self.games.insert(game.no, game);
    }
}

/// Changes over a registry that stays as it is.
pub struct Overlay<'a> {
    base: &'a dyn Registry,
    /// What is different.
    pub changes: Changes,
}

impl<'a> Overlay<'a> {
    /// Nothing changed yet.
    pub fn new(base: &'a dyn Registry) -> Overlay<'a> {
        Overlay {
            base,
            changes: Changes::default(),
        }
    }
    /// A match before the changes.
    pub fn before(&self, no: MatchNo) -> Option<Arc<Match>> {
        self.base.game(no)
    }
    /// How far its record went then.
    pub fn lines_before(&self, no: MatchNo) -> u32 {
        self.before(no).map_or(0, |m| m.lines)
    }
}

impl Registry for Overlay<'_> {
    fn house(&self) -> &House {
        self.base.house()
    }
    fn counters(&self) -> Counters {
        self.changes
            .counters
            .unwrap_or_else(|| self.base.counters())
    }
    fn player(&self, no: PlayerNo) -> Option<Arc<Player>> {
        let new = self.changes.players.get(&no).cloned();
        new.or_else(|| self.base.player(no))
    }
    fn player_by_address(&self, address: &str) -> Option<PlayerNo> {
        match self.changes.addresses.get(&address.to_ascii_lowercase()) {
            Some(new) => *new,
            None => self.base.player_by_address(address),
        }
    }
    fn player_by_name(&self, name: &str) -> Option<PlayerNo> {
        match self.changes.names.get(&name.to_lowercase()) {
            Some(new) => *new,
            None => self.base.player_by_name(name),
        }
    }
    fn game(&self, no: MatchNo) -> Option<Arc<Match>> {
        let new = self.changes.games.get(&no).cloned();
        new.or_else(|| self.base.game(no))
    }
    fn game_by_gid(&self, gid: &str) -> Option<MatchNo> {
        let new = self.changes.gids.get(gid).copied();
        new.or_else(|| self.base.game_by_gid(gid))
    }
    fn seeking(&self) -> Vec<MatchNo> {
        let mut all: BTreeSet<MatchNo> = self.base.seeking().into_iter().collect();
        for (no, m) in &self.changes.games {
            if m.stage == Stage::Seeking {
                all.insert(*no);
            } else {
                all.remove(no);
            }
        }
        all.into_iter().collect()
    }
    fn due(&self, now: Timestamp, most: usize) -> Vec<MatchNo> {
        self.base.due(now, most)
    }
    fn next_due(&self) -> Option<Timestamp> {
        self.base.next_due()
    }
    fn book(&self, digest: &str) -> Option<Arc<Rulebook>> {
        let new = self.changes.books.get(digest).cloned();
        new.or_else(|| self.base.book(digest))
    }
    fn keeps_book(&self, digest: &str) -> bool {
        self.changes.books.contains_key(digest) || self.base.keeps_book(digest)
    }
    fn lines(&self, no: MatchNo) -> Vec<Line> {
        let mut lines = self.base.lines(no);
        let new = self.changes.lines.get(&no).cloned().unwrap_or_default();
        cut(&mut lines, new.first());
        lines.extend(new);
        lines
    }
    fn entries(&self, no: MatchNo, from: u64) -> Vec<EntryLine> {
        let mut entries = self.base.entries(no, from);
        entries.extend(self.changes.entries(no, from));
        entries
    }
    fn held(&self, code: &str) -> Option<Held> {
        match self.changes.held.get(code) {
            Some(new) => new.clone(),
            None => self.base.held(code),
        }
    }
    fn asked(&self, address: &str) -> Option<Timestamp> {
        let new = self.changes.asked.get(address).copied();
        new.or_else(|| self.base.asked(address))
    }
    fn seen(&self, key: &str) -> bool {
        self.base.seen(key)
    }
    fn mail_by_message_id(&self, id: &str) -> Option<SentMail> {
        self.base.mail_by_message_id(id)
    }
    fn head_of_mail(&self, id: &str) -> Option<String> {
        self.base.head_of_mail(id)
    }
}

/// The write side of anything that holds [`Changes`].
macro_rules! records {
    ($ty:ty) => {
        impl Records for $ty {
            fn put_counters(&mut self, counters: Counters) {
                self.changes.counters = Some(counters);
            }
            fn put_player(&mut self, player: Arc<Player>) {
                self.changes.put_player(player);
            }
            fn free_name(&mut self, name: &str) {
                self.changes.names.insert(name.to_lowercase(), None);
            }
            fn free_address(&mut self, address: &str) {
                self.changes
                    .addresses
                    .insert(address.to_ascii_lowercase(), None);
            }
            fn put_game(&mut self, game: Arc<Match>) {
                self.changes.put_game(game);
            }
            fn put_book(&mut self, digest: &str, book: Arc<Rulebook>) {
                self.changes.books.insert(digest.to_owned(), book);
            }
            fn add_line(&mut self, no: MatchNo, line: Line) {
                let lines = self.changes.lines.entry(no).or_default();
                cut(lines, Some(&line));
                lines.push(line);
            }
            fn add_entry(&mut self, no: MatchNo, entry: EntryLine) {
                self.changes.entries.entry(no).or_default().push(entry);
            }
            fn put_held(&mut self, code: &str, held: Option<Held>) {
                self.changes.held.insert(code.to_owned(), held);
            }
            fn put_asked(&mut self, address: &str, at: Timestamp) {
                self.changes.asked.insert(address.to_owned(), at);
            }
        }
    };
}

records!(Overlay<'_>);
records!(Room);

/// A whole referee in memory.
#[derive(Clone, Default, Debug)]
pub struct Room {
    /// Settings.
    pub house: House,
    /// All records.
    pub changes: Changes,
    /// K3 keys.
    pub seen: BTreeSet<String>,
    /// Mails sent, by Message-ID.
    pub mails: BTreeMap<String, SentMail>,
    /// Heads in them, as `saw=` names them.
    pub heads: BTreeMap<String, String>,
}

impl Room {
    /// An empty room.
    pub fn new(house: House) -> Room {
        Room {
            house,
            ..Room::default()
        }
    }
    /// Keeps what a decision wrote, as the store does in one transaction.
    pub fn keep(&mut self, decision: &Decision) {
        self.changes.merge(decision.changes.clone());
        self.seen.extend(decision.key.clone());
        self.seen.extend(decision.confirming.clone());
    }
}

impl Registry for Room {
    fn house(&self) -> &House {
        &self.house
    }
    fn counters(&self) -> Counters {
        self.changes.counters.unwrap_or_default()
    }
    fn player(&self, no: PlayerNo) -> Option<Arc<Player>> {
        self.changes.players.get(&no).cloned()
    }
    fn player_by_address(&self, address: &str) -> Option<PlayerNo> {
        self.changes
            .addresses
            .get(&address.to_ascii_lowercase())
            .copied()
            .flatten()
    }
    fn player_by_name(&self, name: &str) -> Option<PlayerNo> {
        self.changes
            .names
            .get(&name.to_lowercase())
            .copied()
            .flatten()
    }
    fn game(&self, no: MatchNo) -> Option<Arc<Match>> {
        self.changes.games.get(&no).cloned()
    }
    fn game_by_gid(&self, gid: &str) -> Option<MatchNo> {
        self.changes.gids.get(gid).copied()
    }
    fn seeking(&self) -> Vec<MatchNo> {
        let seeking = |m: &&Arc<Match>| m.stage == Stage::Seeking;
        self.changes
            .games
            .values()
            .filter(seeking)
            .map(|m| m.no)
            .collect()
    }
    fn due(&self, now: Timestamp, most: usize) -> Vec<MatchNo> {
        let due = |m: &&Arc<Match>| m.next_due().is_some_and(|t| t <= now);
        self.changes
            .games
            .values()
            .filter(due)
            .map(|m| m.no)
            .take(most)
            .collect()
    }
    fn next_due(&self) -> Option<Timestamp> {
        self.changes
            .games
            .values()
            .filter_map(|m| m.next_due())
            .min()
    }
    fn book(&self, digest: &str) -> Option<Arc<Rulebook>> {
        self.changes.books.get(digest).cloned()
    }
    fn lines(&self, no: MatchNo) -> Vec<Line> {
        self.changes.lines.get(&no).cloned().unwrap_or_default()
    }
    fn entries(&self, no: MatchNo, from: u64) -> Vec<EntryLine> {
        self.changes.entries(no, from)
    }
    fn held(&self, code: &str) -> Option<Held> {
        self.changes.held.get(code).cloned().flatten()
    }
    fn asked(&self, address: &str) -> Option<Timestamp> {
        self.changes.asked.get(address).copied()
    }
    fn seen(&self, key: &str) -> bool {
        self.seen.contains(key)
    }
    fn mail_by_message_id(&self, id: &str) -> Option<SentMail> {
        self.mails.get(id).copied()
    }
    fn head_of_mail(&self, id: &str) -> Option<String> {
        self.heads.get(id).cloned()
    }
}
