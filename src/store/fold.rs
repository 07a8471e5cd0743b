//! From what the journal holds to what the index holds: the same way in a commit, a redo and a rebuild.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::journal::{KIND_MANY, Place};
use super::payload::Payload;
use super::tree::{Batch, Overlay, ReadIndex, Tree, VALUE_BYTES_MAX};
use super::{outbox, seen, tally};

/// The longest key a fold may use: an address or a name and some numbers.
const KEY_BYTES_MAX: usize = 1024;

/// Turns a payload's events into changes of the referee's parts of the index. It must give the same for the same
/// payload and index, since it runs again in a redo and in a rebuild.
pub type Fold = Arc<dyn Fn(&Payload, &dyn ReadIndex) -> Result<Batch, String> + Send + Sync>;

/// A fold that keeps nothing of the events.
pub fn no_fold() -> Fold {
    Arc::new(|_, _| Ok(Batch::default()))
}

/// How a letter was settled, in the index.
#[derive(Serialize, Deserialize)]
pub(super) struct SeenRow {
    pub seq: u64,
    pub outcome: String,
}

pub(super) fn to_json(payload: &Payload) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(payload).map_err(|e| StoreError::Fold {
        seq: 0,
        why: e.to_string(),
    })
}

pub(super) fn decode(kind: u8, bytes: &[u8], seq: u64) -> Result<Vec<Payload>, StoreError> {
    let read = match kind {
        KIND_MANY => serde_json::from_slice(bytes),
        _ => serde_json::from_slice(bytes).map(|one| vec![one]),
    };
    read.map_err(|e| StoreError::Fold {
        seq,
        why: e.to_string(),
    })
}

/// All that the payloads of one record change, theirs and the store's own; each sees what those before it changed.
pub(super) fn changes(
    fold: &Fold,
    payloads: &[Payload],
    seq: u64,
    place: Place,
    under: &dyn ReadIndex,
) -> Result<Batch, StoreError> {
    let mut all = Batch::default();
    let mut at = Nth::default();
    for payload in payloads {
        let view = Overlay { under, over: &all };
        let batch = one(fold, payload, (seq, place), at, &view)?;
        all.extend(batch);
        at = at.after(payload, seq)?;
    }
    Ok(all)
}

/// Which payload of a record, and which of its mails is the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nth {
    /// Payloads before it.
    pub payload: u32,
    /// Mails before its own.
    pub mails: u16,
}

impl Nth {
    /// The one after this payload.
    pub fn after(self, payload: &Payload, seq: u64) -> Result<Nth, StoreError> {
        let too_many = || StoreError::Fold {
            seq,
            why: "too many mails in one record".to_owned(),
        };
        let more = u16::try_from(payload.mails.len()).map_err(|_| too_many())?;
        Ok(Nth {
            payload: self.payload.checked_add(1).ok_or_else(too_many)?,
            mails: self.mails.checked_add(more).ok_or_else(too_many)?,
        })
    }
}

/// What one payload of the record `seq` at `place` changes, seen over what those before it changed.
pub(super) fn one(
    fold: &Fold,
    payload: &Payload,
    (seq, place): (u64, Place),
    at: Nth,
    view: &dyn ReadIndex,
) -> Result<Batch, StoreError> {
    let bad = |why: String| StoreError::Fold { seq, why };
    let mut batch = outbox::fold(payload, seq, place, (at.payload, at.mails), view)?;
    for key in &payload.keys {
        let key = seen::index_key(key);
        let known = Overlay {
            under: view,
            over: &batch,
        }
        .get(Tree::Seen, &key)?
        .is_some();
        if !known {
            let row = SeenRow {
                seq,
                outcome: payload.outcome.clone(),
            };
            let row = postcard::to_allocvec(&row).map_err(|e| bad(e.to_string()))?;
            batch.put(Tree::Seen, key, row);
        }
    }
    let mut strikes: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    for key in &payload.strikes {
        *strikes.entry(seen::index_key(key)).or_default() += 1;
    }
    for (key, more) in strikes {
        let old = view
            .get(Tree::Strikes, &key)?
            .and_then(|b| b.try_into().ok())
            .map_or(0, u32::from_be_bytes);
        batch.put(Tree::Strikes, key, old.saturating_add(more).to_be_bytes());
    }
    batch.extend(tally::fold(payload, view)?);
    let referees = fold(payload, view).map_err(bad)?;
    for ((tree, key), change) in &referees.changes {
        let size = change.as_ref().map_or(0, Vec::len);
        if !tree.is_referees() || size > VALUE_BYTES_MAX || key.len() > KEY_BYTES_MAX {
            return Err(bad(format!(
                "a row of {size} bytes in `{tree:?}` is not allowed"
            )));
        }
    }
    batch.extend(referees);
    Ok(batch)
}
