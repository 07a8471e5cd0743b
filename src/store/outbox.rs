//! Mails on their way out: at least once, always with the same bytes and the same Message-ID.
//!
//! `queued -> sending -> sent | queued (later) | dead | superseded`. `sending` is on the disk before a connection is
//! made; a mail still found so fifteen minutes later has an unknown fate and goes out again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::StoreError;
use super::journal::Place;
use super::payload::Payload;
use super::tree::{Batch, Overlay, ReadIndex, Tree, time_key};

/// Waiting times after a failed attempt, in seconds; the last one repeats.
pub const BACK_OFF_SECONDS: [i64; 6] = [60, 300, 900, 3_600, 7_200, 14_400];
/// Waiting times vary by this many hundredths to either side.
pub const JITTER_PERCENT: i64 = 20;
/// A mail that could not be delivered for so long is given up, where the Keeper says nothing else.
pub const GIVE_UP: SignedDuration = SignedDuration::from_hours(5 * 24);
/// After so long a mail with an unknown fate is sent again.
pub const UNKNOWN_WAIT: SignedDuration = SignedDuration::from_mins(15);

/// Which mail: its transaction, and its number among that record's mails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize, Deserialize)]
pub struct OutboxId {
    /// Transaction in which it was written.
    pub seq: u64,
    /// Its number in there, from 0.
    pub nth: u16,
}

const ID_BYTES: usize = 10;

impl OutboxId {
    fn key(self) -> [u8; ID_BYTES] {
        let mut key = [0; ID_BYTES];
        key[..8].copy_from_slice(&self.seq.to_be_bytes());
        key[8..].copy_from_slice(&self.nth.to_be_bytes());
        key
    }

    fn from_key(key: &[u8]) -> Option<Self> {
        let seq = u64::from_be_bytes(key.get(..8)?.try_into().ok()?);
        let nth = u16::from_be_bytes(key.get(8..ID_BYTES)?.try_into().ok()?);
        Some(Self { seq, nth })
    }
}

/// What became of a mail; part of a transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutboxMark {
    /// Which mail.
    pub id: OutboxId,
    /// What became of it.
    pub course: Course,
}

/// The steps a mail can take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// A connection is about to be made.
    Sending,
    /// The other side took it.
    Sent,
    /// Not now; next attempt at `due`.
    Later {
        /// When.
        due: Timestamp,
        /// What the other side said.
        why: String,
    },
    /// Nobody knows whether it was taken; it goes out again at `due`.
    Unknown {
        /// When.
        due: Timestamp,
        /// What happened.
        why: String,
    },
    /// Given up.
    Dead {
        /// What the other side said.
        why: String,
    },
    /// A newer mail says all that this one would.
    Superseded,
    /// The keeper wants it sent again, from the first attempt on.
    Requeued {
        /// When.
        due: Timestamp,
    },
}

/// Where a mail stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailState {
    /// Waits for its time.
    Queued,
    /// Being sent, or its fate is unknown.
    Sending,
    /// Taken by the other side.
    Sent,
    /// Given up.
    Dead,
    /// Replaced by a newer one.
    Superseded,
}

impl MailState {
    /// Will it move no more (but by the keeper's word)?
    pub fn is_final(self) -> bool {
        matches!(self, Self::Sent | Self::Dead | Self::Superseded)
    }
}

/// What the index keeps of a mail; its bytes stay in the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutboxRow {
    /// Where it stands.
    pub state: MailState,
    /// Attempts begun so far.
    pub attempts: u32,
    /// When it was queued.
    pub queued: Timestamp,
    /// When it is due, or when its fate counts as unknown.
    pub due: Timestamp,
    /// Recipient.
    pub to: String,
    /// Message-ID.
    pub message_id: String,
    /// Whose queue it stands in.
    pub seat: String,
    /// Ledger line it tells of.
    pub seq: u64,
    /// What it is.
    pub kind: String,
    /// Does it keep its order among the boards of its seat?
    pub board: bool,
    /// What was last said about it.
    pub said: String,
    pub(super) place: Place,
    pub(super) payload: u32,
    pub(super) nth: u32,
}

/// A mail that is kept in the outbox. Only the store makes one, so nothing unkept can be sent.
#[derive(Clone, Debug)]
pub struct Queued {
    id: OutboxId,
    row: OutboxRow,
    envelope_from: String,
    bytes: Vec<u8>,
}

impl Queued {
    pub(super) fn new(id: OutboxId, row: OutboxRow, envelope_from: String, bytes: Vec<u8>) -> Self {
        Self {
            id,
            row,
            envelope_from,
            bytes,
        }
    }

    /// Which mail.
    pub fn id(&self) -> OutboxId {
        self.id
    }
    /// The only recipient.
    pub fn to(&self) -> &str {
        &self.row.to
    }
    /// The return path.
    pub fn envelope_from(&self) -> &str {
        &self.envelope_from
    }
    /// Its Message-ID.
    pub fn message_id(&self) -> &str {
        &self.row.message_id
    }
    /// The whole message.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// What the index keeps of it, as it stood when this was read.
    pub fn row(&self) -> &OutboxRow {
        &self.row
    }
}

/// What a failed attempt led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Tried again then.
    Later(Timestamp),
    /// Given up: the organiser and the others should be told.
    GivenUp,
}

/// How long to wait after the `attempts`-th attempt; the same mail always waits the same.
pub fn back_off(attempts: u32, message_id: &str) -> SignedDuration {
    let at = (attempts.max(1) - 1).min(BACK_OFF_SECONDS.len() as u32 - 1) as usize;
    let base = BACK_OFF_SECONDS[at] * 1_000;
    let mut hash = Sha256::new();
    hash.update(message_id.as_bytes());
    hash.update(attempts.to_be_bytes());
    let hash = hash.finalize();
    let random = i64::from(u16::from_be_bytes([hash[0], hash[1]]));
    let spread = base * JITTER_PERCENT / 100;
    SignedDuration::from_millis(base - spread + 2 * spread * random / i64::from(u16::MAX))
}

/// What the next course is after a failure at `now`.
pub(super) fn after_failure(
    row: &OutboxRow,
    now: Timestamp,
    why: &str,
    give_up: SignedDuration,
) -> (Course, Fate) {
    let due = later(now, back_off(row.attempts, &row.message_id));
    if now.duration_since(row.queued) >= give_up {
        return (
            Course::Dead {
                why: format!("given up after {give_up:#}: {why}"),
            },
            Fate::GivenUp,
        );
    }
    (
        Course::Later {
            due,
            why: why.to_owned(),
        },
        Fate::Later(due),
    )
}

/// `at` plus `wait`, at most the end of time.
pub(super) fn later(at: Timestamp, wait: SignedDuration) -> Timestamp {
    at.checked_add(wait).unwrap_or(Timestamp::MAX)
}

fn due_key(due: Timestamp, id: OutboxId) -> Vec<u8> {
    [&time_key(due)[..], &id.key()[..]].concat()
}

fn lane_prefix(seat: &str) -> Vec<u8> {
    let hash = Sha256::digest(seat.as_bytes());
    hash[..16].to_vec()
}

fn lane_key(seat: &str, id: OutboxId) -> Vec<u8> {
    [&lane_prefix(seat)[..], &id.key()[..]].concat()
}

fn message_key(message_id: &str) -> Vec<u8> {
    Sha256::digest(message_id.as_bytes())[..16].to_vec()
}

fn put(batch: &mut Batch, id: OutboxId, row: &OutboxRow) -> Result<(), StoreError> {
    let bytes = postcard::to_allocvec(row).map_err(|e| StoreError::Index(e.to_string()))?;
    batch.put(Tree::Outbox, id.key(), bytes);
    Ok(())
}

/// The row of a mail.
pub(super) fn row(view: &dyn ReadIndex, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
    match view.get(Tree::Outbox, &id.key())? {
        None => Ok(None),
        Some(bytes) => postcard::from_bytes(&bytes)
            .map(Some)
            .map_err(|e| StoreError::Index(e.to_string())),
    }
}

/// The mail with this Message-ID.
pub(super) fn by_message_id(
    view: &dyn ReadIndex,
    message_id: &str,
) -> Result<Option<OutboxId>, StoreError> {
    Ok(view
        .get(Tree::OutboxIds, &message_key(message_id))?
        .and_then(|key| OutboxId::from_key(&key)))
}

/// The mails from `from` on in the order they were queued.
pub(super) fn list(
    view: &dyn ReadIndex,
    from: Option<OutboxId>,
    most: usize,
) -> Result<Vec<(OutboxId, OutboxRow)>, StoreError> {
    let start = from.map_or(Vec::new(), |id| id.key().to_vec());
    let mut out = Vec::new();
    for (key, bytes) in view.scan(Tree::Outbox, &start, most)? {
        let row = postcard::from_bytes(&bytes).map_err(|e| StoreError::Index(e.to_string()))?;
        out.extend(OutboxId::from_key(&key).map(|id| (id, row)));
    }
    Ok(out)
}

/// The mails due at `now`, oldest due time first; a board waits while an earlier board of its seat is unsent.
pub(super) fn due(
    view: &dyn ReadIndex,
    now: Timestamp,
    most: usize,
    skip: &dyn Fn(OutboxId, Option<&OutboxRow>) -> bool,
) -> Result<Vec<(OutboxId, OutboxRow)>, StoreError> {
    /// Due entries read at a time.
    const PAGE: usize = 256;
    let mut found = Vec::new();
    let mut from = Vec::new();
    let now_key = time_key(now);
    loop {
        let page = view.scan(Tree::OutboxDue, &from, PAGE)?;
        for (key, _) in &page {
            if found.len() >= most || key.get(..8).is_none_or(|t| *t > now_key[..]) {
                return Ok(found);
            }
            let Some(id) = key.get(8..).and_then(OutboxId::from_key) else {
                continue;
            };
            if skip(id, None) {
                continue;
            }
            let Some(row) = row(view, id)? else { continue };
            if skip(id, Some(&row)) {
                continue;
            }
            if row.board && first_in_lane(view, &row.seat)?.is_some_and(|first| first < id) {
                continue;
            }
            found.push((id, row));
        }
        match page.last() {
            Some((key, _)) if page.len() == PAGE => {
                from = key.clone();
                from.push(0);
            }
            _ => return Ok(found),
        }
    }
}

/// When the next mail is due, if any is unsent.
pub(super) fn next_due(view: &dyn ReadIndex) -> Result<Option<Timestamp>, StoreError> {
    let rows = view.scan(Tree::OutboxDue, &[], 1)?;
    let id = rows
        .first()
        .and_then(|(key, _)| key.get(8..))
        .and_then(OutboxId::from_key);
    Ok(match id {
        Some(id) => row(view, id)?.map(|r| r.due),
        None => None,
    })
}

fn first_in_lane(view: &dyn ReadIndex, seat: &str) -> Result<Option<OutboxId>, StoreError> {
    let prefix = lane_prefix(seat);
    let rows = view.scan_prefix(Tree::OutboxLane, &prefix, 1)?;
    Ok(rows
        .first()
        .and_then(|(key, _)| key.get(prefix.len()..))
        .and_then(OutboxId::from_key))
}

/// What a payload changes in the outbox. `first` is the number of its first mail within the record.
pub(super) fn fold(
    payload: &Payload,
    seq: u64,
    place: Place,
    (number, first): (u32, u16),
    under: &dyn ReadIndex,
) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    for mark in &payload.outbox {
        let change = {
            let view = Overlay {
                under,
                over: &batch,
            };
            row(&view, mark.id)?
                .and_then(|old| stepped(&old, &mark.course, payload.at).map(|new| (old, new)))
        };
        if let Some((old, new)) = change {
            replace(&mut batch, mark.id, &old, &new)?;
        }
    }
    for (nth, mail) in payload.mails.iter().enumerate() {
        let number_of = |n: usize| u16::try_from(n).ok().and_then(|n| first.checked_add(n));
        let nth_in_record = number_of(nth).ok_or(StoreError::Fold {
            seq,
            why: "too many mails in one record".to_owned(),
        })?;
        let id = OutboxId {
            seq,
            nth: nth_in_record,
        };
        if mail.supersedes && !mail.seat.is_empty() {
            supersede(&mut batch, under, &mail.seat, payload.at)?;
        }
        let due = mail.not_before.unwrap_or(payload.at).max(payload.at);
        let row = OutboxRow {
            state: MailState::Queued,
            attempts: 0,
            queued: payload.at,
            due,
            to: mail.to.clone(),
            message_id: mail.message_id.clone(),
            seat: mail.seat.clone(),
            seq: mail.seq,
            kind: mail.kind.clone(),
            board: mail.board && !mail.seat.is_empty(),
            said: String::new(),
            place,
            payload: number,
            nth: u32::try_from(nth).unwrap_or(u32::MAX),
        };
        put(&mut batch, id, &row)?;
        enlist(&mut batch, id, &row);
        batch.put(Tree::OutboxIds, message_key(&mail.message_id), id.key());
    }
    Ok(batch)
}

fn supersede(
    batch: &mut Batch,
    under: &dyn ReadIndex,
    seat: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let prefix = lane_prefix(seat);
    let ids: Vec<OutboxId> = Overlay { under, over: batch }
        .scan_prefix(Tree::OutboxLane, &prefix, usize::from(u16::MAX))?
        .iter()
        .filter_map(|(key, _)| key.get(prefix.len()..).and_then(OutboxId::from_key))
        .collect();
    for id in ids {
        let old = row(&Overlay { under, over: batch }, id)?;
        // One that is being sent may already be there: it is not taken back.
        if let Some(old) = old.filter(|r| r.state == MailState::Queued)
            && let Some(new) = stepped(&old, &Course::Superseded, at)
        {
            replace(batch, id, &old, &new)?;
        }
    }
    Ok(())
}

fn enlist(batch: &mut Batch, id: OutboxId, row: &OutboxRow) {
    if row.state.is_final() {
        return;
    }
    batch.put(Tree::OutboxDue, due_key(row.due, id), []);
    if row.board {
        batch.put(Tree::OutboxLane, lane_key(&row.seat, id), []);
    }
}

fn replace(
    batch: &mut Batch,
    id: OutboxId,
    old: &OutboxRow,
    new: &OutboxRow,
) -> Result<(), StoreError> {
    batch.delete(Tree::OutboxDue, due_key(old.due, id));
    batch.delete(Tree::OutboxLane, lane_key(&old.seat, id));
    put(batch, id, new)?;
    enlist(batch, id, new);
    Ok(())
}

/// The row after a step, or nothing when the step is not possible from there (it is then ignored).
fn stepped(old: &OutboxRow, course: &Course, at: Timestamp) -> Option<OutboxRow> {
    let mut new = old.clone();
    if old.state.is_final() {
        let Course::Requeued { due } = course else {
            return None;
        };
        if old.state != MailState::Dead {
            return None;
        }
        new.queued = at;
        new.due = *due;
    }
    match course {
        Course::Sending => {
            new.state = MailState::Sending;
            new.attempts += 1;
            new.due = later(at, UNKNOWN_WAIT);
        }
        Course::Sent => new.state = MailState::Sent,
        Course::Later { due, why } => {
            new.state = MailState::Queued;
            new.due = *due;
            new.said.clone_from(why);
        }
        Course::Unknown { due, why } => {
            new.state = MailState::Sending;
            new.due = *due;
            new.said.clone_from(why);
        }
        Course::Dead { why } => {
            new.state = MailState::Dead;
            new.said.clone_from(why);
        }
        Course::Superseded => new.state = MailState::Superseded,
        Course::Requeued { due } => {
            new.state = MailState::Queued;
            new.attempts = 0;
            new.due = *due;
        }
    }
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_within_a_fifth() {
        for attempts in 1..12u32 {
            let base = BACK_OFF_SECONDS[(attempts as usize - 1).min(5)] * 1_000;
            let mut seen = std::collections::BTreeSet::new();
            for n in 0..200 {
                let wait = back_off(attempts, &format!("<{n}@x>")).as_millis();
                assert!(
                    (i128::from(base) * 4 / 5..=i128::from(base) * 6 / 5).contains(&wait),
                    "{attempts} {wait}"
                );
                seen.insert(wait);
            }
            assert!(seen.len() > 100, "the waits vary");
            assert_eq!(back_off(attempts, "<a@x>"), back_off(attempts, "<a@x>"));
        }
    }
}
