//! How often something happened lately: budgets that hold over a restart.
//!
//! A transaction says what it spends; the fold counts it in steps of a minute and forgets what is older than a day. A
//! window counts every step that touches it, so a budget is never exceeded, rather met a minute early.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::outbox::Course;
use super::payload::Payload;
use super::seen;
use super::tree::{Batch, Overlay, ReadIndex, Tree};
use super::vault::Store;

/// What every mail that left, or may have left, is counted under.
pub const MAILS: &str = "mails";
/// Seconds of one step.
const STEP: i64 = 60;
/// Steps that are kept: a day and an hour.
const STEPS_KEPT: i64 = 25 * 60;

/// One thing spent, or a count begun anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// Under which name it is counted.
    pub what: String,
    /// True where all that was counted under it is forgotten instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forget: bool,
}

impl Spend {
    /// One more.
    pub fn one(what: impl Into<String>) -> Spend {
        Spend {
            what: what.into(),
            forget: false,
        }
    }
    /// From nothing on.
    pub fn forget(what: impl Into<String>) -> Spend {
        Spend {
            what: what.into(),
            forget: true,
        }
    }
}

/// Steps and how often in each, oldest first.
type Steps = Vec<(i64, u32)>;

fn step(at: Timestamp) -> i64 {
    at.as_second().div_euclid(STEP)
}

fn read(view: &dyn ReadIndex, what: &str) -> Result<Steps, StoreError> {
    match view.get(Tree::Tally, &seen::index_key(what))? {
        None => Ok(Steps::new()),
        Some(bytes) => postcard::from_bytes(&bytes).map_err(|e| StoreError::Index(e.to_string())),
    }
}

fn add(
    batch: &mut Batch,
    under: &dyn ReadIndex,
    what: &str,
    at: Timestamp,
    more: u32,
) -> Result<(), StoreError> {
    let mut steps = read(&Overlay { under, over: batch }, what)?;
    let now = step(at);
    // what lies far ahead was counted by a clock that was wrong
    steps.retain(|(s, _)| (s - now).abs() <= STEPS_KEPT);
    match steps.iter_mut().find(|(s, _)| *s == now) {
        Some((_, n)) => *n = n.saturating_add(more),
        None => steps.push((now, more)),
    }
    steps.sort_unstable();
    let bytes = postcard::to_allocvec(&steps).map_err(|e| StoreError::Index(e.to_string()))?;
    batch.put(Tree::Tally, seen::index_key(what), bytes);
    Ok(())
}

/// What a payload changes in the counts.
pub(super) fn fold(payload: &Payload, under: &dyn ReadIndex) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    for spend in &payload.spends {
        if spend.forget {
            batch.delete(Tree::Tally, seen::index_key(&spend.what));
        } else {
            add(&mut batch, under, &spend.what, payload.at, 1)?;
        }
    }
    let left = payload
        .outbox
        .iter()
        .filter(|m| matches!(m.course, Course::Sent | Course::Unknown { .. }))
        .count();
    if left > 0 {
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        add(&mut batch, under, MAILS, payload.at, left)?;
    }
    Ok(batch)
}

impl Store {
    /// How often this was spent in the time before `now`, at most a day.
    pub fn tally(
        &self,
        what: &str,
        now: Timestamp,
        window: SignedDuration,
    ) -> Result<u64, StoreError> {
        self.ready()?;
        let (to, from) = (step(now), step(now) - window.as_secs().div_euclid(STEP));
        // a count ahead of now is of a clock that was set back since: it binds as if it were of now
        let far = to + (to - from);
        Ok(read(self, what)?
            .iter()
            .filter(|(s, _)| (from..=far).contains(s))
            .map(|(_, n)| u64::from(*n))
            .sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::no_fold;

    #[test]
    fn counts_lapse_and_outlive_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let at = |s: i64| Timestamp::from_second(1_800_000_000 + s).unwrap();
        let spend = |s: i64| Payload {
            at: at(s),
            spends: vec![Spend::one("a"), Spend::one("a"), Spend::one("b")],
            ..Payload::default()
        };
        let mut store = Store::open(dir.path(), no_fold()).unwrap();
        let hour = SignedDuration::from_hours(1);
        for s in [0, 30, 1800] {
            store.commit(spend(s)).unwrap();
        }
        let count = |store: &Store, s: i64| store.tally("a", at(s), hour).unwrap();
        assert_eq!(count(&store, 1800), 6);
        drop(store);
        let mut store = Store::rebuild(dir.path(), no_fold()).unwrap();
        assert_eq!(count(&store, 3600), 6, "a minute early rather than late");
        assert_eq!(count(&store, 3660), 2);
        assert_eq!(count(&store, 3 * 3600), 0);
        // a clock that was a year ahead binds nobody once it is right again
        store.commit(spend(365 * 86_400)).unwrap();
        assert_eq!(count(&store, 1800), 0);
        let mut forget = spend(1800);
        forget.spends = vec![Spend::forget("b")];
        store.commit(forget).unwrap();
        assert_eq!(
            store.tally("b", at(365 * 86_400), hour).unwrap(),
            0,
            "forgotten"
        );
    }
}
