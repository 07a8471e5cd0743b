//! Looking without the lock: the journal as far as it is sound, and the index of it made in memory.
//!
//! The referee may run meanwhile. What it is writing at this moment is not seen, everything before is; nothing is
//! written, and nothing is asked of the index on the disk.

use std::path::Path;

use super::error::StoreError;
use super::fold::{Fold, changes, decode};
use super::journal::{Journal, Place, Tip, segments};
use super::payload::Payload;
use super::tree::{ReadIndex, Row, Tree};
use super::walk::Found;
use super::{Batch, outbox};

/// What the journal says, in memory.
pub struct Glance {
    rows: Batch,
    tip: Tip,
}

/// Calls `each` for every sound record from the first on; answers how far that was. A bad record ends the last segment
/// (it is being written, or torn); before that it is damage.
pub(super) fn each_sound(
    dir: &Path,
    mut each: impl FnMut(Tip, Place, u8, &[u8]) -> Result<(), StoreError>,
) -> Result<Tip, StoreError> {
    let last = segments(dir)?;
    let mut tip = Tip::default();
    for segment in 1..=last {
        let mut walk = match Journal::enter(dir, segment, tip) {
            // just begun by the writer
            Err(_) if segment == last && last > 1 => break,
            other => other?,
        };
        loop {
            match walk.next()? {
                Found::Record(kind, place) => each(walk.tip, place, kind, walk.payload())?,
                Found::End => break,
                Found::Bad(_) if segment == last && !walk.more_follows()? => break,
                Found::Bad(why) => return Err(walk.damaged(why)),
            }
        }
        tip = walk.tip;
    }
    Ok(tip)
}

impl Glance {
    /// Reads the whole journal of a state directory, which need not exist yet.
    ///
    /// # Errors
    /// A damaged journal, or one that this program cannot read.
    pub fn open(dir: &Path, fold: &Fold) -> Result<Glance, StoreError> {
        let mut glance = Glance {
            rows: Batch::default(),
            tip: Tip::default(),
        };
        if !dir.join("journal.000001").exists() {
            return Ok(glance);
        }
        glance.tip = each_sound(dir, |tip, place, kind, bytes| {
            let payloads = decode(kind, bytes, tip.seq)?;
            let batch = changes(fold, &payloads, tip.seq, place, &glance.rows)?;
            for (key, change) in batch.changes {
                match change {
                    Some(_) => glance.rows.changes.insert(key, change),
                    None => glance.rows.changes.remove(&key),
                };
            }
            Ok(())
        })?;
        Ok(glance)
    }

    /// The last transaction that was seen.
    pub fn tip(&self) -> Tip {
        self.tip
    }

    /// Mails in the order they were queued.
    ///
    /// # Errors
    /// A row that cannot be read.
    pub fn outbox(
        &self,
        most: usize,
    ) -> Result<Vec<(outbox::OutboxId, outbox::OutboxRow)>, StoreError> {
        outbox::list(&self.rows, None, most)
    }

    /// Calls `each` with every transaction of a state directory in order: number and payload.
    ///
    /// # Errors
    /// A damaged journal, or what `each` answers.
    pub fn replay(
        dir: &Path,
        mut each: impl FnMut(u64, Payload) -> Result<(), StoreError>,
    ) -> Result<Tip, StoreError> {
        if !dir.join("journal.000001").exists() {
            return Ok(Tip::default());
        }
        each_sound(dir, |tip, _, kind, bytes| {
            decode(kind, bytes, tip.seq)?
                .into_iter()
                .try_for_each(|payload| each(tip.seq, payload))
        })
    }
}

/// A batch alone is an index: whatever it does not hold is not there.
impl ReadIndex for Batch {
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.changes.get(&(tree, key.to_vec())).cloned().flatten())
    }

    fn rows(
        &self,
        tree: Tree,
        prefix: &[u8],
        from: &[u8],
        most: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let rows = self.changes.range((tree, from.max(prefix).to_vec())..);
        Ok(rows
            .take_while(|((t, k), _)| *t == tree && k.starts_with(prefix))
            .filter_map(|((_, k), v)| Some((k.clone(), v.clone()?)))
            .take(most)
            .collect())
    }
}

impl ReadIndex for Glance {
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.rows.get(tree, key)
    }

    fn rows(
        &self,
        tree: Tree,
        prefix: &[u8],
        from: &[u8],
        most: usize,
    ) -> Result<Vec<Row>, StoreError> {
        self.rows.rows(tree, prefix, from, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, no_fold};

    #[test]
    fn a_look_sees_what_is_committed_and_disturbs_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), no_fold()).unwrap();
        for n in 0..20 {
            let payload = Payload {
                outcome: "applied".to_owned(),
                keys: vec![format!("k{n}")],
                ..Payload::default()
            };
            store.commit(payload).unwrap();
            let glance = Glance::open(dir.path(), &no_fold()).unwrap();
            assert_eq!(glance.tip().seq, store.head().0);
            assert_eq!(glance.tip().digest, store.head().1);
        }
        let mut seen = 0;
        Glance::replay(dir.path(), |_, _| {
            seen += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, 20);
    }

    #[test]
    fn nothing_there_is_nothing_seen() {
        let dir = tempfile::tempdir().unwrap();
        let glance = Glance::open(&dir.path().join("none"), &no_fold()).unwrap();
        assert_eq!(glance.tip().seq, 0);
        assert!(!dir.path().join("none").exists());
    }
}
