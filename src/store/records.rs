//! The referee's records as rows of the index: reading them ([`Shelved`]) and the fold that writes them.
//!
//! Keys: players and matches by number (u32 big-endian), addresses and names in lower case, `Extra` by a
//! word and a slash. All of it can be made again from the journal's events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::seen::index_key;
use super::{Batch, Payload, ReadIndex, Tree, time_key};
use crate::referee::room::{Changes, Overlay};
use crate::referee::scribe::EntryLine;
use crate::referee::state::{
    Counters, Held, House, Line, Match, MatchNo, Player, PlayerNo, Registry, SentMail, Stage,
};
use crate::referee::{self, Event};
use crate::rules::Rulebook;

/// Rulebooks that matches were opened with, by digest; read out of the index once a process.
pub type Books = Mutex<BTreeMap<String, Arc<Rulebook>>>;

/// What the referee's records need beside the index.
#[derive(Debug, Default)]
pub struct Desk {
    /// The Keeper's settings.
    pub house: House,
    books: Books,
}

impl Desk {
    /// A desk with these settings.
    pub fn new(house: House) -> Desk {
        Desk {
            house,
            books: Books::default(),
        }
    }
}

/// The referee's records in an index, read when needed.
pub struct Shelved<'a> {
    index: &'a dyn ReadIndex,
    desk: &'a Desk,
    /// The first trouble met while reading; reading answers "nothing" after it.
    trouble: Mutex<Option<String>>,
    /// What was read: a decision asks for the same match and players many times, and the index stands still meanwhile.
    memo: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    games: BTreeMap<MatchNo, Option<Arc<Match>>>,
    players: BTreeMap<PlayerNo, Option<Arc<Player>>>,
}

impl Known {
    fn keep<T>(&mut self, what: impl FnOnce(&mut Known) -> T) {
        if self.games.len() + self.players.len() >= KNOWN_MAX {
            *self = Known::default();
        }
        what(self);
    }
}

const COUNTERS: &[u8] = b"counters";
/// Matches and players that are remembered while one decision is made.
const KNOWN_MAX: usize = 64;
/// Open games that a list shows.
const SEEKS_MAX: usize = 1000;
/// Record lines of one match.
const LINES_MAX: usize = 100_000;

fn extra(word: &str, key: &str) -> Vec<u8> {
    format!("{word}/{key}").into_bytes()
}

fn told_key(no: MatchNo, chair: u8) -> Vec<u8> {
    let mut key = extra("told", "");
    key.extend(no.0.to_be_bytes());
    key.push(chair);
    key
}

/// Where an entry of a ledger is kept; without a number, what all of a match begin with.
fn entry_key(no: MatchNo, seq: Option<u64>) -> Vec<u8> {
    let mut key = extra("entry", "");
    key.extend(no.0.to_be_bytes());
    key.extend(seq.map(u64::to_be_bytes).into_iter().flatten());
    key
}

fn write<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(value).map_err(|e| e.to_string())
}

impl<'a> Shelved<'a> {
    /// Reads the records in this index.
    pub fn new(index: &'a dyn ReadIndex, desk: &'a Desk) -> Shelved<'a> {
        Shelved {
            index,
            desk,
            trouble: Mutex::default(),
            memo: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.memo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What went wrong while reading, if anything did: a decision made on such reading must not be kept.
    ///
    /// # Errors
    /// The first error met.
    pub fn sound(&self) -> Result<(), String> {
        match self
            .trouble
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            Some(e) => Err(e),
            None => Ok(()),
        }
    }

    fn note<T, E: std::fmt::Display>(&self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(e) => {
                let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
                trouble.get_or_insert(e.to_string());
                None
            }
        }
    }

    /// How many entries of a ledger were mailed to a chair.
    pub fn told(&self, no: MatchNo, chair: u8) -> u64 {
        let bytes = self.raw(Tree::Extra, &told_key(no, chair));
        let bytes = bytes.and_then(|b| b.try_into().ok());
        bytes.map_or(0, u64::from_be_bytes)
    }

    fn raw(&self, tree: Tree, key: &[u8]) -> Option<Vec<u8>> {
        self.note(self.index.get(tree, key)).flatten()
    }

    fn read<T: DeserializeOwned>(&self, tree: Tree, key: &[u8]) -> Option<T> {
        let bytes = self.raw(tree, key)?;
        self.note(
            postcard::from_bytes(&bytes)
                .map_err(|e| format!("a row of {tree:?} cannot be read: {e}")),
        )
    }

    fn load(&self, no: MatchNo) -> Option<Match> {
        let bytes = self.raw(Tree::Matches, &no.0.to_be_bytes())?;
        let loaded = Match::load(&bytes, |digest| self.book(digest)).map_err(|e| e.what);
        self.note(loaded)
    }

    fn number(&self, tree: Tree, key: &[u8]) -> Option<u32> {
        let bytes = self.raw(tree, key)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }
}

impl Registry for Shelved<'_> {
    fn house(&self) -> &House {
        &self.desk.house
    }
    fn counters(&self) -> Counters {
        self.read(Tree::Meta, COUNTERS).unwrap_or_default()
    }
    fn player(&self, no: PlayerNo) -> Option<Arc<Player>> {
        if let Some(known) = self.known().players.get(&no) {
            return known.clone();
        }
        let player = self
            .read::<Player>(Tree::Players, &no.0.to_be_bytes())
            .map(Arc::new);
        self.known()
            .keep(|known| known.players.insert(no, player.clone()));
        player
    }
    fn player_by_address(&self, address: &str) -> Option<PlayerNo> {
        self.number(Tree::Addresses, address.to_ascii_lowercase().as_bytes())
            .map(PlayerNo)
    }
    fn player_by_name(&self, name: &str) -> Option<PlayerNo> {
        self.number(Tree::Names, name.to_lowercase().as_bytes())
            .map(PlayerNo)
    }
    fn game(&self, no: MatchNo) -> Option<Arc<Match>> {
        if let Some(known) = self.known().games.get(&no) {
            return known.clone();
        }
        let game = self.load(no).map(Arc::new);
        self.known()
            .keep(|known| known.games.insert(no, game.clone()));
        game
    }
    fn game_by_gid(&self, gid: &str) -> Option<MatchNo> {
        self.number(Tree::Extra, &extra("gid", gid)).map(MatchNo)
    }
    fn seeking(&self) -> Vec<MatchNo> {
        let prefix = extra("seek", "");
        let rows = self.note(self.index.scan_prefix(Tree::Extra, &prefix, SEEKS_MAX));
        rows.unwrap_or_default()
            .iter()
            .filter_map(|(key, _)| {
                let no = key.get(prefix.len()..)?.try_into().ok()?;
                Some(MatchNo(u32::from_be_bytes(no)))
            })
            .collect()
    }
    fn due(&self, now: Timestamp, most: usize) -> Vec<MatchNo> {
        let rows = self.note(self.index.scan(Tree::Deadlines, &[], most));
        let now = time_key(now);
        rows.unwrap_or_default()
            .iter()
            .take_while(|(key, _)| key.get(..8).is_some_and(|at| at <= &now[..]))
            .filter_map(|(key, _)| {
                let no = key.get(8..12)?.try_into().ok()?;
                Some(MatchNo(u32::from_be_bytes(no)))
            })
            .collect()
    }
    fn next_due(&self) -> Option<Timestamp> {
        let rows = self.note(self.index.scan(Tree::Deadlines, &[], 1))?;
        let no = rows.first()?.0.get(8..12)?.try_into().ok()?;
        self.game(MatchNo(u32::from_be_bytes(no)))?.next_due()
    }
    fn book(&self, digest: &str) -> Option<Arc<Rulebook>> {
        let mut books = self
            .desk
            .books
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(book) = books.get(digest) {
            return Some(Arc::clone(book));
        }
        let (id, text): (String, String) = self.read(Tree::Extra, &extra("book", digest))?;
        let book = Arc::new(self.note(Rulebook::parse(&id, &text).map_err(|e| e.to_string()))?);
        books.insert(digest.to_owned(), Arc::clone(&book));
        Some(book)
    }
    fn keeps_book(&self, digest: &str) -> bool {
        // not what the shelf has today: a match must replay when that changes
        self.raw(Tree::Extra, &extra("book", digest)).is_some()
    }
    fn lines(&self, no: MatchNo) -> Vec<Line> {
        let rows = self.note(
            self.index
                .scan_prefix(Tree::Ledger, &no.0.to_be_bytes(), LINES_MAX),
        );
        rows.unwrap_or_default()
            .iter()
            .filter_map(|(_, bytes)| postcard::from_bytes(bytes).ok())
            .collect()
    }
    fn entries(&self, no: MatchNo, from: u64) -> Vec<EntryLine> {
        let prefix = entry_key(no, None);
        let rows = self
            .index
            .rows(Tree::Extra, &prefix, &entry_key(no, Some(from)), LINES_MAX);
        let rows = self.note(rows).unwrap_or_default();
        rows.iter()
            .filter_map(|(_, bytes)| postcard::from_bytes(bytes).ok())
            .collect()
    }
    fn lines_from(&self, no: MatchNo, at: u32) -> Vec<Line> {
        let game = self.game(no);
        let most = game.map_or(0, |m| m.lines.saturating_sub(at));
        (at..at.saturating_add(most))
            .take(LINES_MAX)
            .filter_map(|at| {
                let key = [no.0.to_be_bytes(), at.to_be_bytes()].concat();
                postcard::from_bytes(&self.raw(Tree::Ledger, &key)?).ok()
            })
            .collect()
    }
    fn held(&self, code: &str) -> Option<Held> {
        let bytes = self.raw(Tree::Held, code.as_bytes())?;
        self.note(serde_json::from_slice(&bytes).map_err(|e| e.to_string()))
    }
    fn asked(&self, address: &str) -> Option<Timestamp> {
        let bytes = self.raw(Tree::Extra, &extra("asked", &address.to_ascii_lowercase()))?;
        let second = i64::from_be_bytes(bytes.try_into().ok()?);
        Timestamp::from_second(second).ok()
    }
    fn seen(&self, key: &str) -> bool {
        self.raw(Tree::Seen, &index_key(key)).is_some()
    }
    fn mail_by_message_id(&self, id: &str) -> Option<SentMail> {
        self.read(Tree::Extra, &extra("mid", id))
    }
    fn head_of_mail(&self, id: &str) -> Option<String> {
        self.read(Tree::Extra, &extra("saw", id))
    }
}

/// Turns a transaction into changes of the index; runs in a commit, in a redo and in a rebuild alike.
///
/// # Errors
/// An event that does not fit what is known.
pub fn fold(desk: &Desk, payload: &Payload, index: &dyn ReadIndex) -> Result<Batch, String> {
    let shelved = Shelved::new(index, desk);
    let mut overlay = Overlay::new(&shelved);
    for value in &payload.events {
        let event: Event = serde_json::from_value(value.clone())
            .map_err(|e| format!("an event cannot be read: {e}"))?;
        referee::apply(&mut overlay, &event, payload.at).map_err(|e| e.what)?;
    }
    let changes = std::mem::take(&mut overlay.changes);
    drop(overlay);
    let batch = rows(&changes, payload, &shelved)?;
    shelved.sound()?;
    Ok(batch)
}

fn rows(changes: &Changes, payload: &Payload, old: &Shelved) -> Result<Batch, String> {
    let mut batch = Batch::default();
    if let Some(counters) = &changes.counters {
        batch.put(Tree::Meta, COUNTERS, write(counters)?);
    }
    for (no, player) in &changes.players {
        batch.put(Tree::Players, no.0.to_be_bytes(), write(&**player)?);
    }
    for (address, no) in &changes.addresses {
        match no {
            Some(no) => batch.put(Tree::Addresses, address.as_bytes(), no.0.to_be_bytes()),
            None => batch.delete(Tree::Addresses, address.as_bytes()),
        }
    }
    for (name, no) in &changes.names {
        match no {
            Some(no) => batch.put(Tree::Names, name.as_bytes(), no.0.to_be_bytes()),
            None => batch.delete(Tree::Names, name.as_bytes()),
        }
    }
    for (gid, no) in &changes.gids {
        // a match keeps its public id
        if old.game(*no).is_none_or(|m| m.gid != *gid) {
            batch.put(Tree::Extra, extra("gid", gid), no.0.to_be_bytes());
        }
    }
    for (digest, book) in &changes.books {
        batch.put(
            Tree::Extra,
            extra("book", digest),
            write(&(&book.id, &book.text))?,
        );
    }
    for (no, game) in &changes.games {
        game_rows(&mut batch, *no, game, old);
    }
    for (no, lines) in &changes.lines {
        for line in lines {
            let mut key = no.0.to_be_bytes().to_vec();
            key.extend(line.at.to_be_bytes());
            batch.put(Tree::Ledger, key, write(line)?);
        }
    }
    for (no, entries) in &changes.entries {
        for entry in entries {
            batch.put(Tree::Extra, entry_key(*no, Some(entry.0)), write(entry)?);
        }
    }
    for (code, held) in &changes.held {
        match held {
            Some(held) => {
                let json = serde_json::to_vec(held).map_err(|e| e.to_string())?;
                batch.put(Tree::Held, code.as_bytes(), json);
            }
            None => batch.delete(Tree::Held, code.as_bytes()),
        }
    }
    for (address, at) in &changes.asked {
        let key = extra("asked", &address.to_ascii_lowercase());
        batch.put(Tree::Extra, key, at.as_second().to_be_bytes());
    }
    for mail in &payload.mails {
        if let Some(sent) = sent_mail(&mail.seat, mail.seq) {
            let id = mail.message_id.trim_matches(['<', '>']);
            batch.put(Tree::Extra, extra("mid", id), write(&sent)?);
            // every mail to a seat shows the ledger up to its own transaction
            let new = changes.games.get(&sent.game).cloned();
            if let Some(game) = new.or_else(|| old.game(sent.game)) {
                let next = game.fair.tip.next.to_be_bytes();
                batch.put(Tree::Extra, told_key(sent.game, sent.chair), next);
                if let Some(saw) = game.fair.tip.saw() {
                    batch.put(Tree::Extra, extra("saw", id), write(&saw)?);
                }
            }
        }
    }
    Ok(batch)
}

/// The match with the indices that follow it: what is due when, and who looks for partners.
fn game_rows(batch: &mut Batch, no: MatchNo, game: &Match, old: &Shelved) {
    let was = old.game(no);
    let before = was.as_ref().and_then(|m| m.next_due());
    let after = game.next_due();
    let key = |at: Timestamp| {
        let mut key = time_key(at).to_vec();
        key.extend(no.0.to_be_bytes());
        key
    };
    if before != after {
        if let Some(at) = before {
            batch.delete(Tree::Deadlines, key(at));
        }
        if let Some(at) = after {
            batch.put(Tree::Deadlines, key(at), []);
        }
    }
    let mut seek = extra("seek", "");
    seek.extend(no.0.to_be_bytes());
    if game.stage == Stage::Seeking {
        batch.put(Tree::Extra, seek, []);
    } else if was.is_some_and(|m| m.stage == Stage::Seeking) {
        batch.delete(Tree::Extra, seek);
    }
    batch.put(Tree::Matches, no.0.to_be_bytes(), game.save());
}

/// The lane of a mail about a match, `42/1`: match and chair.
pub fn lane(game: MatchNo, chair: u8) -> String {
    format!("{}/{chair}", game.0)
}

fn sent_mail(lane: &str, turn: u64) -> Option<SentMail> {
    let (game, chair) = lane.split_once('/')?;
    Some(SentMail {
        game: MatchNo(game.parse().ok()?),
        chair: chair.parse().ok()?,
        turn: u32::try_from(turn).ok()?,
    })
}
