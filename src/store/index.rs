//! sled behind a wall: nothing it does wrong may cost a turn, and no panic of it comes out of here.
//!
//! All parts live in one sled tree under a one-byte prefix, so that one batch is atomic. Each row carries a check,
//! and a sum over all rows is kept with the head: a row that vanished is found by [`Index::full_check`].
//! sled 0.34 is not durable by `flush` alone (its flush never calls fsync), so [`Index::settle`] syncs its files.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::{StoreError, Told};
use super::files;
use super::journal::Tip;
use super::tree::{Batch, ReadIndex, Row, Tree, VALUE_BYTES_MAX};

/// Chosen once: another value makes an existing index unreadable (it is then rebuilt).
const SLED_SEGMENT_BYTES: usize = 512 << 10;
/// sled's page cache; the working set of a referee is small.
const SLED_CACHE_BYTES: u64 = 32 << 20;
/// Up to this size the whole index is read through at every careful opening.
pub const FULL_CHECK_BYTES_MAX: u64 = 16 << 20;
/// Longer values are cut into pieces: a sled leaf of 16 values must stay below a quarter of a segment.
const PIECE_BYTES: usize = 3 << 10;

/// The form of all rows: players, matches with their positions, held letters, the outbox. **Raise it with every change of
/// what is written into a row** (a field more, a type, an order), here or in the referee: an index or a checkpoint of another
/// form is made again from the journal, never read. `tests/forms.rs` finds a change that was not told here.
pub const FORM: u32 = 2;
/// What the head begins with, before the form.
const FORM_MARK: &[u8; 4] = b"form";

const WHOLE: u8 = 1;
const CUT: u8 = 2;
/// Kind and mark before the value.
const ROW_FRONT: usize = 17;

/// What was applied last, and the sum over all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    /// Up to here the journal is applied.
    pub tip: Tip,
    /// All rows, each hashed, added by exclusive or.
    pub sum: [u8; 16],
}

/// The open index.
pub struct Index {
    db: sled::Db,
    dir: PathBuf,
    head: Head,
    sick: AtomicBool,
}

fn guarded<T>(what: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(what)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(e)) => Err(e.to_string()),
        Err(_) => Err("sled panicked".to_owned()),
    }
}

fn try_open(dir: &Path) -> Result<sled::Db, String> {
    guarded(|| {
        sled::Config::new()
            .path(dir)
            .segment_size(SLED_SEGMENT_BYTES)
            .flush_every_ms(None)
            .cache_capacity(SLED_CACHE_BYTES)
            .open()
    })
}

/// Removes half-written snapshots (sled will not open beside one), or all snapshots: they only save time.
fn clear_snapshots(dir: &Path, all: bool) -> Result<(), StoreError> {
    for entry in fs::read_dir(dir).told("read", dir)? {
        let path = entry.told("read", dir)?.path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        if name.starts_with("snap.") && (all || name.ends_with(".generating")) {
            files::remove(&path)?;
        }
    }
    Ok(())
}

impl Index {
    /// Opens an existing index or makes an empty one.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        files::make_dir(dir)?;
        clear_snapshots(dir, false)?;
        let db = match try_open(dir) {
            Ok(db) => db,
            Err(first) => {
                tracing::warn!("index did not open ({first}); once more without snapshots");
                clear_snapshots(dir, true)?;
                try_open(dir).map_err(StoreError::Index)?
            }
        };
        let mut index = Self {
            db,
            dir: dir.to_path_buf(),
            head: Head::default(),
            sick: AtomicBool::new(false),
        };
        match index.read_head() {
            Ok(head) => index.head = head,
            Err(e) => {
                index.close();
                return Err(e);
            }
        }
        Ok(index)
    }

    /// What was applied last.
    pub fn head(&self) -> Head {
        self.head
    }

    /// Did anything go wrong since it was opened?
    pub fn is_sick(&self) -> bool {
        self.sick.load(Ordering::Relaxed)
    }

    fn trouble(&self, why: String) -> StoreError {
        self.sick.store(true, Ordering::Relaxed);
        StoreError::Index(why)
    }

    fn run<T>(&self, what: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, StoreError> {
        guarded(what).map_err(|why| self.trouble(why))
    }

    /// Bytes on the disk.
    pub fn bytes_on_disk(&self) -> u64 {
        guarded(|| self.db.size_on_disk()).unwrap_or(u64::MAX)
    }

    fn unwrap_row(&self, full: &[u8], row: &[u8]) -> Result<Vec<u8>, StoreError> {
        let bad = || self.trouble(format!("row {} is damaged", super::payload::hex(full)));
        let Some((kind, check, rest)) = row_parts(row) else {
            return Err(bad());
        };
        let value = match kind {
            WHOLE => rest.to_vec(),
            CUT => {
                let length = u32::from_be_bytes(rest.try_into().map_err(|_| bad())?) as usize;
                let mut value = Vec::with_capacity(length.min(VALUE_BYTES_MAX));
                for part in 0..pieces_of(length) {
                    let piece = self
                        .run(|| self.db.get(piece_key(full, part)))?
                        .ok_or_else(bad)?;
                    value.extend_from_slice(&piece);
                }
                value
            }
            _ => return Err(bad()),
        };
        if mark(full, &value) != check {
            Err(bad())
        } else {
            Ok(value)
        }
    }

    fn read(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let full = full_key(tree, key);
        match self.run(|| self.db.get(&full))? {
            None => Ok(None),
            Some(row) => self.unwrap_row(&full, &row).map(Some),
        }
    }

    /// Applies the changes and the new tip together. Not synced: the journal is what is durable.
    pub fn apply(&mut self, batch: &Batch, tip: Tip) -> Result<(), StoreError> {
        let mut writes = sled::Batch::default();
        let mut sum = self.head.sum;
        for ((tree, key), change) in &batch.changes {
            let full = full_key(*tree, key);
            let old = self.run(|| self.db.get(&full))?;
            let old = match &old {
                Some(row) => Some(
                    row_parts(row).ok_or_else(|| self.trouble("a row is damaged".to_owned()))?,
                ),
                None => None,
            };
            let new = change.as_ref().map(|value| mark(&full, value));
            if new.is_some() && new == old.map(|(_, hash, _)| hash) {
                // the same row again, as for a match's public id at every turn
                continue;
            }
            let mut old_parts = 0;
            if let Some((kind, hash, rest)) = old {
                add(&mut sum, &hash);
                if kind == CUT {
                    old_parts = rest
                        .try_into()
                        .map_or(0, |n| pieces_of(u32::from_be_bytes(n) as usize));
                }
            }
            let mut parts = 0;
            match change {
                None if old.is_some() => writes.remove(full.clone()),
                None => {}
                Some(value) => {
                    let hash = new.unwrap_or_default();
                    add(&mut sum, &hash);
                    let (kind, rest) = if value.len() > PIECE_BYTES {
                        parts = pieces_of(value.len());
                        for (part, piece) in value.chunks(PIECE_BYTES).enumerate() {
                            writes.insert(piece_key(&full, part), piece);
                        }
                        (
                            CUT,
                            (u32::try_from(value.len()).unwrap_or(u32::MAX))
                                .to_be_bytes()
                                .to_vec(),
                        )
                    } else {
                        (WHOLE, value.clone())
                    };
                    writes.insert(full.clone(), wrap_row(kind, &hash, &rest));
                }
            }
            for part in parts..old_parts {
                writes.remove(piece_key(&full, part));
            }
        }
        let head = Head { tip, sum };
        let kept = postcard::to_allocvec(&head).map_err(|e| self.trouble(e.to_string()))?;
        let bytes = [&form_bytes()[..], &kept].concat();
        let full = full_key(Tree::Head, b"");
        let hash = mark(&full, &bytes);
        writes.insert(full, wrap_row(WHOLE, &hash, &bytes));
        self.run(|| self.db.apply_batch(writes))?;
        self.head = head;
        Ok(())
    }

    /// Reads every row and compares the sum with the one kept: says whether nothing is damaged or missing.
    pub fn full_check(&self) -> Result<u64, StoreError> {
        let mut sum = [0; 16];
        let mut rows = 0;
        let mut walk = self.run(|| Ok(self.db.iter()))?;
        while let Some((full, row)) = self.run(|| walk.next().transpose())? {
            if full.first().is_some_and(|t| *t >= Tree::Pieces as u8) {
                continue;
            }
            add(&mut sum, &mark(&full, &self.unwrap_row(&full, &row)?));
            rows += 1;
        }
        if sum == self.head.sum {
            Ok(rows)
        } else {
            Err(self.trouble("rows are missing or too many".to_owned()))
        }
    }

    /// Puts all of it on the disk: sled's flush, then fsync of its files and directories, which sled never does.
    pub fn settle(&self) -> Result<(), StoreError> {
        self.run(|| self.db.flush())?;
        let mut dirs = vec![self.dir.clone()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(&dir).told("read", &dir)? {
                let path = entry.told("read", &dir)?.path();
                if path.is_dir() {
                    dirs.push(path);
                } else {
                    File::open(&path)
                        .and_then(|f| f.sync_all())
                        .told("sync", &path)?;
                }
            }
            files::sync_dir(&dir)?;
        }
        self.dir.parent().map_or(Ok(()), files::sync_dir)
    }

    /// Calls `each` with all rows as they are stored.
    pub(super) fn each_raw(
        &self,
        mut each: impl FnMut(&[u8], &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut walk = self.run(|| Ok(self.db.iter()))?;
        while let Some((key, row)) = self.run(|| walk.next().transpose())? {
            each(&key, &row)?;
        }
        Ok(())
    }

    /// Puts rows as another index stored them; the head is read anew.
    pub(super) fn put_raw(&mut self, rows: Vec<Row>) -> Result<(), StoreError> {
        let mut writes = sled::Batch::default();
        for (key, row) in rows {
            writes.insert(key, row);
        }
        self.run(|| self.db.apply_batch(writes))?;
        self.head = self.read_head()?;
        Ok(())
    }

    fn read_head(&self) -> Result<Head, StoreError> {
        match self.read(Tree::Head, b"")? {
            Some(bytes) => {
                let kept = bytes.strip_prefix(&form_bytes()[..]).ok_or_else(|| {
                    StoreError::Index("another version of this program wrote it".to_owned())
                })?;
                postcard::from_bytes(kept).map_err(|e| StoreError::Index(e.to_string()))
            }
            None => Ok(Head::default()),
        }
    }

    /// Closes; sled writes its buffers, whatever happens in there.
    pub fn close(self) {
        let _ = catch_unwind(AssertUnwindSafe(move || drop(self.db)));
    }
}

impl ReadIndex for Index {
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(tree, key)
    }

    fn rows(
        &self,
        tree: Tree,
        prefix: &[u8],
        from: &[u8],
        most: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        let range = full_key(tree, from.max(prefix))..vec![tree as u8 + 1];
        let mut walk = self.run(|| Ok(self.db.range(range)))?;
        while rows.len() < most {
            let Some((full, row)) = self.run(|| walk.next().transpose())? else {
                break;
            };
            if !full[1..].starts_with(prefix) {
                break;
            }
            let value = self.unwrap_row(&full, &row)?;
            rows.push((full[1..].to_vec(), value));
        }
        Ok(rows)
    }
}

fn row_parts(row: &[u8]) -> Option<(u8, [u8; 16], &[u8])> {
    let hash = row.get(1..ROW_FRONT)?.try_into().ok()?;
    Some((*row.first()?, hash, row.get(ROW_FRONT..)?))
}

/// What tells the form of an index and of a checkpoint.
pub(super) fn form_bytes() -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(FORM_MARK);
    bytes[4..].copy_from_slice(&FORM.to_be_bytes());
    bytes
}

fn full_key(tree: Tree, key: &[u8]) -> Vec<u8> {
    let mut full = Vec::with_capacity(1 + key.len());
    full.push(tree as u8);
    full.extend_from_slice(key);
    full
}

fn pieces_of(length: usize) -> usize {
    length.div_ceil(PIECE_BYTES)
}

fn piece_key(full: &[u8], part: usize) -> Vec<u8> {
    let mut key = Vec::with_capacity(full.len() + 5);
    key.push(Tree::Pieces as u8);
    key.extend_from_slice(full);
    key.extend_from_slice(&(u32::try_from(part).unwrap_or(u32::MAX)).to_be_bytes());
    key
}

fn wrap_row(kind: u8, hash: &[u8; 16], rest: &[u8]) -> Vec<u8> {
    let mut row = Vec::with_capacity(ROW_FRONT + rest.len());
    row.push(kind);
    row.extend_from_slice(hash);
    row.extend_from_slice(rest);
    row
}

fn mark(full: &[u8], value: &[u8]) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update((full.len() as u64).to_be_bytes());
    hash.update(full);
    hash.update(value);
    let mut out = [0; 16];
    out.copy_from_slice(&hash.finalize()[..16]);
    out
}

fn add(sum: &mut [u8; 16], hash: &[u8; 16]) {
    for (s, h) in sum.iter_mut().zip(hash) {
        *s ^= h;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_and_joined() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(&dir.path().join("db")).unwrap();
        for length in [
            0,
            1,
            PIECE_BYTES,
            PIECE_BYTES + 1,
            5 * PIECE_BYTES,
            100_000,
            3,
            70_000,
        ] {
            let value: Vec<u8> = (0..length)
                .map(|n| u8::try_from(n % 251).unwrap())
                .collect();
            let mut batch = Batch::default();
            batch.put(Tree::Matches, [7], value.clone());
            index.apply(&batch, Tip::default()).unwrap();
            assert_eq!(index.get(Tree::Matches, &[7]).unwrap(), Some(value));
            assert_eq!(index.full_check().unwrap(), 1);
        }
        let mut batch = Batch::default();
        batch.delete(Tree::Matches, [7]);
        index.apply(&batch, Tip::default()).unwrap();
        assert_eq!(index.head().sum, [0; 16]);
        assert_eq!(index.db.iter().count(), 1, "only the head is left");
    }

    #[test]
    fn a_missing_row_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(&dir.path().join("db")).unwrap();
        let mut batch = Batch::default();
        batch.put(Tree::Players, [1], [1]);
        batch.put(Tree::Players, [2], [2]);
        index.apply(&batch, Tip::default()).unwrap();
        index.db.remove([Tree::Players as u8, 2]).unwrap();
        assert!(index.full_check().is_err());
        assert!(index.is_sick());
    }
}
