//! The parts of the index, changes to them, and reading through changes not yet applied.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::StoreError;

/// The longest value of one row; longer ones are a mistake of the caller, not of a player.
pub const VALUE_BYTES_MAX: usize = 4 << 20;

/// The parts of the index. Numbers in keys are big-endian, so that rows stand in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Tree {
    /// Whatever there is one of: heartbeat, keeper's settings.
    Meta = 1,
    /// PlayerNo -> player.
    Players = 2,
    /// MatchNo -> match with its position.
    Matches = 3,
    /// Address -> PlayerNo.
    Addresses = 4,
    /// Lower-case alias -> PlayerNo.
    Names = 5,
    /// PlayerNo, MatchNo -> nothing or a note.
    PlayerMatches = 6,
    /// [`time_key`], MatchNo .. -> what is due then.
    Deadlines = 7,
    /// MatchNo, line number -> line of its public ledger.
    Ledger = 8,
    /// Letters held or set aside, by SHA-256.
    Held = 9,
    /// Anything else the referee wants to find again.
    Extra = 10,
    /// Kept by the store: mails by [`super::OutboxId`].
    Outbox = 32,
    /// Kept by the store: due time and mail.
    OutboxDue = 33,
    /// Kept by the store: unsent boards of a seat.
    OutboxLane = 34,
    /// Kept by the store: Message-ID -> mail.
    OutboxIds = 35,
    /// Kept by the store: letters that were settled.
    Seen = 36,
    /// Kept by the store: letters that tripped the program, and how often.
    Strikes = 37,
    /// Kept by the store: how often something happened lately.
    Tally = 38,
    /// Kept by the index: the rest of long values.
    Pieces = 62,
    /// Kept by the index: which transaction was applied last.
    Head = 63,
}

impl Tree {
    /// May a fold write here?
    pub fn is_referees(self) -> bool {
        (self as u8) < Tree::Outbox as u8
    }
}

/// A key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// The read side of the index.
pub trait ReadIndex {
    /// The value of a key.
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;
    /// Up to `most` rows in key order whose key begins with `prefix`, from the key `from` on (itself included).
    fn rows(
        &self,
        tree: Tree,
        prefix: &[u8],
        from: &[u8],
        most: usize,
    ) -> Result<Vec<Row>, StoreError>;

    /// Up to `most` rows in key order, from the key `from` on (itself included).
    fn scan(&self, tree: Tree, from: &[u8], most: usize) -> Result<Vec<Row>, StoreError> {
        self.rows(tree, &[], from, most)
    }

    /// Up to `most` rows whose key begins with `prefix`, in key order.
    fn scan_prefix(&self, tree: Tree, prefix: &[u8], most: usize) -> Result<Vec<Row>, StoreError> {
        self.rows(tree, prefix, prefix, most)
    }
}

/// Changes that are applied together or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// What to put (`Some`) or delete (`None`).
    pub changes: BTreeMap<(Tree, Vec<u8>), Option<Vec<u8>>>,
}

impl Batch {
    /// Puts a row, over the old one if there is one.
    pub fn put(&mut self, tree: Tree, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) {
        self.changes.insert((tree, key.into()), Some(value.into()));
    }

    /// Deletes a row; none there is fine.
    pub fn delete(&mut self, tree: Tree, key: impl Into<Vec<u8>>) {
        self.changes.insert((tree, key.into()), None);
    }

    /// Takes over all changes of `later`, which win.
    pub fn extend(&mut self, later: Batch) {
        self.changes.extend(later.changes);
    }
}

/// The index as it will be once a batch is applied.
pub struct Overlay<'a> {
    /// What is there.
    pub under: &'a dyn ReadIndex,
    /// What changes.
    pub over: &'a Batch,
}

impl ReadIndex for Overlay<'_> {
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        if self.over.changes.is_empty() {
            return self.under.get(tree, key);
        }
        match self.over.changes.get(&(tree, key.to_vec())) {
            Some(change) => Ok(change.clone()),
            None => self.under.get(tree, key),
        }
    }

    fn rows(
        &self,
        tree: Tree,
        prefix: &[u8],
        from: &[u8],
        most: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let from = from.max(prefix);
        let over = || {
            let changes = self.over.changes.range((tree, from.to_vec())..);
            changes.take_while(|((t, key), _)| *t == tree && key.starts_with(prefix))
        };
        let hidden = over().count();
        let under = self
            .under
            .rows(tree, prefix, from, most.saturating_add(hidden))?;
        if hidden == 0 {
            return Ok(under);
        }
        let mut rows: BTreeMap<Vec<u8>, Vec<u8>> = under.into_iter().collect();
        for ((_, key), change) in over() {
            match change {
                Some(value) => rows.insert(key.clone(), value.clone()),
                None => rows.remove(key),
            };
        }
        Ok(rows.into_iter().take(most).collect())
    }
}

/// A time as eight bytes in the order of time, for keys; milliseconds are enough.
pub fn time_key(at: Timestamp) -> [u8; 8] {
    (at.as_millisecond().cast_unsigned() ^ (1 << 63)).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_keys_are_ordered() {
        let mut keys: Vec<[u8; 8]> = [-5_000, -1, 0, 1, 1_700_000_000_000]
            .iter()
            .map(|ms| time_key(Timestamp::from_millisecond(*ms).unwrap()))
            .collect();
        let sorted = keys.clone();
        keys.sort();
        assert_eq!(keys, sorted);
    }

    struct Under(BTreeMap<(Tree, Vec<u8>), Vec<u8>>);
    impl ReadIndex for Under {
        fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(self.0.get(&(tree, key.to_vec())).cloned())
        }
        fn rows(
            &self,
            tree: Tree,
            prefix: &[u8],
            from: &[u8],
            most: usize,
        ) -> Result<Vec<Row>, StoreError> {
            let rows = self.0.range((tree, from.max(prefix).to_vec())..);
            let rows = rows.take_while(|((t, k), _)| *t == tree && k.starts_with(prefix));
            Ok(rows
                .take(most)
                .map(|((_, k), v)| (k.clone(), v.clone()))
                .collect())
        }
    }

    #[test]
    fn overlay_hides_and_adds() {
        let mut under = Under(BTreeMap::new());
        for key in [1u8, 2, 3, 5] {
            under.0.insert((Tree::Players, vec![key]), vec![key]);
        }
        let mut batch = Batch::default();
        batch.delete(Tree::Players, [1]);
        batch.delete(Tree::Players, [2]);
        batch.put(Tree::Players, [4], [44]);
        batch.put(Tree::Matches, [0], [0]);
        let view = Overlay {
            under: &under,
            over: &batch,
        };
        let keys = |most| -> Vec<u8> {
            view.scan(Tree::Players, &[], most)
                .unwrap()
                .into_iter()
                .map(|(k, _)| k[0])
                .collect()
        };
        assert_eq!(keys(9), [3, 4, 5]);
        assert_eq!(keys(2), [3, 4]);
        assert_eq!(view.get(Tree::Players, &[2]).unwrap(), None);
        assert_eq!(view.get(Tree::Players, &[4]).unwrap(), Some(vec![44]));
    }
}
