//! The Keeper's word to a referee: carried out at once where it is stopped, left in a drop box where it runs.
//!
//! The drop box is `keeper/` in the state directory: `NAME.json` holds one [`Word`], and the running referee answers
//! with `NAME.done`. The name is kept as a seen key, so that a word is carried out once whatever happens in between.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::{Daemon, Trouble, events, records_trouble};
use crate::edge::entropy;
use crate::post::letter;
use crate::referee::keeper::{self, Deed, Unable, Word, erased_address, erased_name};
use crate::referee::{Event, PlayerNo, Registry};
use crate::store::{
    Course, MailState, OutboxMark, OutboxRow, Payload, StoreError, make_dir, remove, write_whole,
};

/// The drop box inside the state directory.
const BOX: &str = "keeper";
/// Largest word read from it.
const WORD_BYTES_MAX: u64 = 64 << 10;
/// Its being there means: read nothing, send nothing, until `tulpa keep resume`.
const PAUSED: &str = "PAUSED";
/// Mails looked at for those that wait for one recipient, or are dead.
const OUTBOX_MAX: usize = 1_000_000;

/// Why the whole referee stands still, if it does.
pub fn paused(state: &Path) -> Option<String> {
    let text = std::fs::read_to_string(state.join(PAUSED)).ok()?;
    Some(text.lines().next().unwrap_or_default().to_owned())
}

/// Makes the whole referee stand still, or go on.
///
/// # Errors
/// A state directory that cannot be written.
pub fn pause(state: &Path, why: Option<&str>) -> Result<(), StoreError> {
    match why {
        Some(why) => {
            make_dir(state)?;
            write_whole(state, PAUSED, format!("{why}\n").as_bytes())
        }
        None => remove(&state.join(PAUSED)),
    }
}

/// Leaves a word for the running referee; answers the file in which its answer will stand.
///
/// # Errors
/// A state directory that cannot be written.
pub fn leave(state: &Path, name: &str, word: &Word) -> Result<PathBuf, StoreError> {
    let dir = state.join(BOX);
    make_dir(&dir)?;
    let text = serde_json::to_vec(word).unwrap_or_default();
    write_whole(&dir, &format!("{name}.json"), &text)?;
    Ok(dir.join(format!("{name}.done")))
}

impl Daemon {
    /// Carries out the Keeper's word; answers how many mails it brings. `name` keeps it from being carried out twice.
    ///
    /// # Errors
    /// The outer error: the store. The inner one: what is in the way of the word.
    pub fn word(
        &mut self,
        word: &Word,
        name: Option<&str>,
    ) -> Result<Result<usize, Unable>, Trouble> {
        let now = self.clock.now();
        let entropy = entropy::fresh().map_err(Trouble::Chance)?;
        let registry = self.records();
        let decided = keeper::order(&registry, &self.shelf, word, now, &entropy);
        registry.sound().map_err(records_trouble)?;
        let mut decision = match decided {
            Ok(decision) => decision,
            Err(unable) => return Ok(Err(unable)),
        };
        let (mails, stopped) = self.mails(&registry, &mut decision, None, now);
        let count = mails.len();
        let payload = Payload {
            at: now,
            outcome: "keeper".to_owned(),
            keys: name.map(|n| format!("keeper|{n}")).into_iter().collect(),
            events: events(&decision.events)?,
            mails,
            ..Payload::default()
        };
        match self.store.commit(payload) {
            Ok(_) => {}
            Err(StoreError::Seen { .. }) => return Ok(Ok(0)),
            Err(e) => return Err(e.into()),
        }
        self.tell_stopped(&stopped)?;
        Ok(Ok(count))
    }

    /// Carries out what lies in the drop box.
    ///
    /// # Errors
    /// The store.
    pub fn words_left(&mut self, state: &Path) -> Result<(), Trouble> {
        let dir = state.join(BOX);
        let Ok(entries) = std::fs::read_dir(&dir) else {
            return Ok(());
        };
        let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        files.retain(|p| p.extension().is_some_and(|x| x == "json"));
        files.sort();
        for path in files {
            let Some(name) = path.file_stem().and_then(|n| n.to_str()) else {
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let small = path.metadata().is_ok_and(|m| m.len() <= WORD_BYTES_MAX);
            let text = std::fs::read(&path).unwrap_or_default();
            let word = serde_json::from_slice::<Word>(&text).ok().filter(|_| small);
            let answer = match word {
                None => "no\nthis is no word of the keeper\n".to_owned(),
                Some(Word::Erase { .. }) => {
                    "no\nstop the referee first: erasing rewrites the journal\n".to_owned()
                }
                Some(word) => match self.word(&word, Some(name))? {
                    Ok(mails) => format!("ok {mails}\n"),
                    Err(unable) => format!("no\n{unable}\n"),
                },
            };
            write_whole(&dir, &format!("{name}.done"), answer.as_bytes())?;
            remove(&path)?;
        }
        Ok(())
    }

    /// Mails that were given up.
    ///
    /// # Errors
    /// The store.
    pub fn dead_mails(&self) -> Result<Vec<OutboxRow>, Trouble> {
        let all = self.store.outbox_list(None, OUTBOX_MAX)?;
        Ok(all
            .into_iter()
            .map(|(_, row)| row)
            .filter(|row| row.state == MailState::Dead && !is_erased(&row.to))
            .collect())
    }

    /// Sends dead mails again: that one, or all of them where no Message-ID is given. Answers how many.
    ///
    /// # Errors
    /// The store.
    pub fn requeue_mails(&mut self, message_id: Option<&str>) -> Result<usize, Trouble> {
        let bare = |id: &str| id.trim_matches(['<', '>']).to_owned();
        let wanted = message_id.map(bare);
        let dead: Vec<_> = self
            .store
            .outbox_list(None, OUTBOX_MAX)?
            .into_iter()
            .filter(|(_, row)| row.state == MailState::Dead && !is_erased(&row.to))
            .filter(|(_, row)| wanted.as_ref().is_none_or(|w| bare(&row.message_id) == *w))
            .collect();
        let now = self.clock.now();
        for (id, _) in &dead {
            self.store.mark_requeued(*id, now)?;
        }
        Ok(dead.len())
    }

    /// Handles a letter that was set aside once more; on success it leaves the quarantine.
    ///
    /// # Errors
    /// No such letter, the store, or a letter that trips the program again.
    pub fn requeue_letter(&mut self, id: &str) -> Result<String, Trouble> {
        let bytes = self.store.quarantine()?.read(id)?;
        let now = self.clock.now();
        let arrived = crate::edge::pipe::take(&mut bytes.as_slice(), u64::MAX, now)
            .map_err(|e| Trouble::Setup(e.to_string()))?;
        let entropy = entropy::fresh().map_err(Trouble::Chance)?;
        let handled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.rehearse(&arrived, now, &entropy)
        }));
        let rehearsal = handled.map_err(|_| Trouble::Struck)??;
        let outcome = match rehearsal.decision {
            None => "machine".to_owned(),
            Some(decision) => {
                let outcome = decision.outcome.word().to_owned();
                self.store.commit(Payload {
                    at: now,
                    outcome: outcome.clone(),
                    keys: decision.key.into_iter().collect(),
                    events: events(&decision.events)?,
                    mails: rehearsal.mails,
                    ..Payload::default()
                })?;
                self.tell_stopped(&rehearsal.stopped)?;
                outcome
            }
        };
        self.store.quarantine()?.remove(id)?;
        Ok(outcome)
    }

    /// Ids of the letters that were set aside.
    ///
    /// # Errors
    /// A directory that cannot be read.
    pub fn quarantined(&self) -> Result<Vec<String>, Trouble> {
        Ok(self.store.quarantine()?.ids()?)
    }

    /// Erases a player: his word is an event, then all that is his is cut out of the journal and the letters kept. Ends this
    /// daemon, since the journal is another afterwards.
    ///
    /// # Errors
    /// The outer error: the store. The inner one: what is in the way.
    pub fn erase(mut self, called: &str) -> Result<Result<(), Unable>, Trouble> {
        let registry = self.records();
        let player = keeper::player_called(&registry, called).and_then(|no| registry.player(no));
        let Some(player) = player else {
            return self
                .word(
                    &Word::Erase {
                        player: called.to_owned(),
                    },
                    None,
                )
                .map(|done| done.map(|_| ()));
        };
        let word = Word::Erase {
            player: format!("#{}", player.no.0),
        };
        if let Err(unable) = self.word(&word, None)? {
            return Ok(Err(unable));
        }
        // nothing more goes to him; a mail in the middle of being sent may arrive
        let waiting: Vec<OutboxMark> = self
            .store
            .outbox_list(None, OUTBOX_MAX)?
            .into_iter()
            .filter(|(_, row): &(_, OutboxRow)| {
                !row.state.is_final() && row.to.eq_ignore_ascii_case(&player.address)
            })
            .map(|(id, _)| OutboxMark {
                id,
                course: Course::Dead {
                    why: "erased".to_owned(),
                },
            })
            .collect();
        if !waiting.is_empty() {
            self.store.commit(Payload {
                at: self.clock.now(),
                outcome: "dead".to_owned(),
                outbox: waiting,
                ..Payload::default()
            })?;
        }
        let mut eraser = Eraser::new(player.no, &player.address);
        // matches first: mails that tell of them carry his name and his words
        self.store.replay(|_, payload| {
            eraser.learn(&payload);
            Ok(())
        })?;
        for spool in [self.store.spool()?, self.store.quarantine()?] {
            for id in spool.ids()? {
                if spool.read(&id).map_or(true, |raw| eraser.is_in(&raw)) {
                    spool.remove(&id)?;
                }
            }
            spool.clear_torn()?;
        }
        self.store.rewrite(&mut |seq, payload| {
            eraser
                .cut(payload)
                .map_err(|why| StoreError::Fold { seq, why })
        })?;
        Ok(Ok(()))
    }
}

fn is_erased(address: &str) -> bool {
    address.ends_with("@erased.invalid")
}

/// What of the journal belongs to one player.
struct Eraser {
    player: PlayerNo,
    address: String,
    /// Players by chair, and chairs by seat, of every match, as far as the journal was read.
    chairs: BTreeMap<u32, (Vec<u32>, Vec<u8>)>,
    /// Matches he ever took part in.
    his: BTreeSet<u32>,
}

impl Eraser {
    fn new(player: PlayerNo, address: &str) -> Eraser {
        Eraser {
            player,
            address: address.to_ascii_lowercase(),
            chairs: BTreeMap::new(),
            his: BTreeSet::new(),
        }
    }

    fn learn(&mut self, payload: &Payload) {
        for value in &payload.events {
            let Ok(event) = serde_json::from_value::<Event>(value.clone()) else {
                continue;
            };
            self.follow(&event);
        }
    }

    fn follow(&mut self, event: &Event) {
        let me = self.player.0;
        match event {
            Event::Proposed { game, players, .. } => {
                let players: Vec<u32> = players.iter().map(|p| p.0).collect();
                self.chairs.insert(game.0, (players, Vec::new()));
            }
            Event::Accepted { game, player } => {
                if let Some((chairs, _)) = self.chairs.get_mut(&game.0)
                    && !chairs.contains(&player.0)
                {
                    chairs.push(player.0);
                }
            }
            Event::Begun { game, seats, .. } => {
                if let Some((_, at)) = self.chairs.get_mut(&game.0) {
                    at.clone_from(seats);
                }
            }
            Event::Keeper {
                deed: Deed::Replaced { game, chair, by },
            } => {
                if let Some((chairs, _)) = self.chairs.get_mut(&game.0)
                    && let Some(slot) = chairs.get_mut(usize::from(*chair))
                {
                    *slot = by.0;
                }
            }
            _ => {}
        }
        if let Some(game) = event.game()
            && self
                .chairs
                .get(&game.0)
                .is_some_and(|(chairs, _)| chairs.contains(&me))
        {
            self.his.insert(game.0);
        }
    }

    /// Did he write this letter, or is he named in it?
    fn is_in(&self, raw: &[u8]) -> bool {
        let has = |text: &str| text.to_ascii_lowercase().contains(&self.address);
        has(&String::from_utf8_lossy(raw))
            || letter::open(raw, &letter::Limits::default())
                .is_ok_and(|l| has(&l.text) || l.header("from").is_some_and(has))
    }

    /// Is this mail to him, or about a match of his?
    fn concerns(&self, mail: &crate::store::NewMail) -> bool {
        let game = mail.seat.split('/').next().and_then(|n| n.parse().ok());
        mail.to.eq_ignore_ascii_case(&self.address)
            || game.is_some_and(|g| self.his.contains(&g))
            || self.is_in(&mail.bytes.0)
    }

    fn cut(&mut self, payload: &mut Payload) -> Result<(), String> {
        for mail in &mut payload.mails {
            if self.concerns(mail) {
                mail.bytes = Vec::new().into();
            }
        }
        for value in &mut payload.events {
            let event: Event = serde_json::from_value(value.clone()).map_err(|e| e.to_string())?;
            self.follow(&event);
            let new = match event {
                Event::Met {
                    player, confirmed, ..
                } if player == self.player => Event::Met {
                    player,
                    address: erased_address(player),
                    name: erased_name(player),
                    confirmed,
                },
                Event::Named { player, .. } if player == self.player => Event::Named {
                    player,
                    name: erased_name(player),
                },
                Event::Set { player, key, .. } if player == self.player => Event::Set {
                    player,
                    key,
                    value: String::new(),
                },
                Event::Said { game, seat, .. } if self.sat(game.0, seat.at()) => Event::Said {
                    game,
                    seat,
                    text: String::new(),
                },
                Event::Held {
                    code,
                    address,
                    mut read,
                } if address.eq_ignore_ascii_case(&self.address)
                    || read.from.eq_ignore_ascii_case(&self.address) =>
                {
                    read.parts.clear();
                    read.ignored.clear();
                    Event::Held {
                        code,
                        address,
                        read,
                    }
                }
                other => other,
            };
            *value = serde_json::to_value(&new).map_err(|e| e.to_string())?;
        }
        // whatever is left of the address: recipients, what servers said, orders of others that named it
        let mut whole = serde_json::to_value(&*payload).map_err(|e| e.to_string())?;
        replace(&mut whole, &self.address, &erased_address(self.player));
        *payload = serde_json::from_value(whole).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn sat(&self, game: u32, seat: usize) -> bool {
        self.chairs.get(&game).is_some_and(|(chairs, seats)| {
            seats
                .get(seat)
                .and_then(|c| chairs.get(usize::from(*c)))
                .is_some_and(|p| *p == self.player.0)
        })
    }
}

/// Replaces a text in every string, in any case.
fn replace(value: &mut Json, old: &str, new: &str) {
    match value {
        Json::String(text) => {
            while let Some(at) = text.to_ascii_lowercase().find(old) {
                text.replace_range(at..at + old.len(), new);
            }
        }
        Json::Array(all) => all.iter_mut().for_each(|v| replace(v, old, new)),
        Json::Object(map) => map.values_mut().for_each(|v| replace(v, old, new)),
        _ => {}
    }
}
