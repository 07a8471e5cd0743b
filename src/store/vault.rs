//! The store: one place where a transaction becomes durable and visible.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::{StoreError, Told};
use super::fold::{Fold, SeenRow, changes, decode};
use super::index::{FULL_CHECK_BYTES_MAX, Index};
use super::journal::{Digest, Journal, Place, Tip};
use super::lock::Lock;
use super::outbox::OutboxId;
use super::payload::Payload;
use super::spool::Spool;
use super::stage::{Staged, Ticket};
use super::tree::{Batch, Overlay, ReadIndex, Row, Tree};
use super::{checkpoint, compact, fail, files, room, seen};

/// Format of the state directory; a newer one is refused.
const FORMAT: u32 = 1;
/// Transactions applied to the index at once in a redo or rebuild.
const REDO_BATCH: usize = 256;
/// Its being there means: make the index again.
pub(super) const REBUILD_MARK: &str = "REBUILD";

/// Proof that a letter's fate is on the disk; only a commit (or an earlier one, found again) gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub(super) seq: u64,
    pub(super) outcome: String,
}

impl Settled {
    /// The transaction that settled it.
    pub fn seq(&self) -> u64 {
        self.seq
    }
    /// What became of it.
    pub fn outcome(&self) -> &str {
        &self.outcome
    }
}

/// How to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Reads the last journal segment whole, and a small index too: for a process that will run long.
    Careful,
    /// Reads only what came after the index's head: for one letter from a pipe.
    Quick,
}

/// What a check read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Records in the journal.
    pub records: u64,
    /// Rows in the index.
    pub rows: u64,
}

/// The open store; there is one per state directory.
pub struct Store {
    pub(super) dir: PathBuf,
    lock: Lock,
    pub(super) journal: Journal,
    pub(super) index: Index,
    pub(super) fold: Fold,
    broken: Option<String>,
    pub(super) low: bool,
    pub(super) give_up: jiff::SignedDuration,
    pub(super) flying: BTreeSet<OutboxId>,
    pub(super) last_read: Option<(Place, Vec<Payload>)>,
    pub(super) staged: Staged,
    /// Tokens of staged payloads that are on the disk and were not yet fetched.
    pub(super) done: Vec<(Ticket, Settled)>,
    pub(super) tickets: u64,
}

impl Store {
    /// Opens or makes the state directory, carefully.
    pub fn open(dir: &Path, fold: Fold) -> Result<Self, StoreError> {
        Self::open_as(dir, fold, Opening::Careful)
    }

    /// Opens or makes the state directory: takes the lock, cuts off a torn last record, and brings the index up to
    /// the journal, making it again when it cannot be trusted.
    pub fn open_as(dir: &Path, fold: Fold, opening: Opening) -> Result<Self, StoreError> {
        Self::open_with(dir, fold, opening, false)
    }

    /// Makes the index again from the journal, whatever state it is in.
    pub fn rebuild(dir: &Path, fold: Fold) -> Result<Self, StoreError> {
        Self::open_with(dir, fold, Opening::Careful, true)
    }

    fn open_with(dir: &Path, fold: Fold, opening: Opening, anew: bool) -> Result<Self, StoreError> {
        files::make_dir(dir)?;
        let mut lock = Lock::take(dir)?;
        check_format(dir)?;
        compact::finish(dir)?;
        let aside = dir.join("quarantine");
        files::make_dir(&aside)?;
        let db = dir.join("db");
        let careful = opening == Opening::Careful;
        let acknowledged = if anew { None } else { lock.clean() };
        let kept = match anew {
            true => None,
            false => trusted_index(dir, &lock, careful),
        };
        let known = kept.as_ref().map(|i| i.head().tip);
        let journal = Journal::open(dir, &aside, known, careful)?;
        let tip = journal.tip();
        let applied = known.map_or(0, |k| k.seq).max(acknowledged.unwrap_or(0));
        if applied > tip.seq {
            if let Some(index) = kept {
                index.close();
            }
            return Err(StoreError::Shorter {
                journal: tip.seq,
                index: applied,
            });
        }
        lock.write(None)?;
        let low = !room::make_ballast(dir);
        let store = |index| Self {
            dir: dir.to_path_buf(),
            lock,
            journal,
            index,
            fold,
            broken: None,
            low,
            give_up: super::outbox::GIVE_UP,
            flying: BTreeSet::new(),
            last_read: None,
            staged: Staged::default(),
            done: Vec::new(),
            tickets: 0,
        };
        match kept {
            Some(index) => {
                let mut store = store(index);
                match store.redo() {
                    Err(StoreError::Index(why)) => {
                        tracing::warn!("index is made again: {why}");
                        store.remake()?;
                    }
                    other => other?,
                }
                Ok(store)
            }
            None => {
                files::write_whole(dir, REBUILD_MARK, b"")?;
                files::remove(&db)?;
                let mut index = Index::open(&db)?;
                if !anew
                    && !start_from_checkpoint(dir, &mut index, tip)?
                    && index.head().tip.seq > 0
                {
                    index.close();
                    files::remove(&db)?;
                    index = Index::open(&db)?;
                }
                let mut store = store(index);
                store.fill()?;
                Ok(store)
            }
        }
    }

    fn remake(&mut self) -> Result<(), StoreError> {
        let db = self.dir.join("db");
        files::write_whole(&self.dir, REBUILD_MARK, b"")?;
        // The old one may still be held by sled's threads, so it is not opened again but moved away.
        let old = self.dir.join("db.bad");
        files::remove(&old)?;
        std::fs::rename(&db, &old).told("move", &db)?;
        let bad = std::mem::replace(&mut self.index, Index::open(&db)?);
        bad.close();
        self.fill()?;
        files::remove(&old)
    }

    fn fill(&mut self) -> Result<(), StoreError> {
        self.redo()?;
        self.index.settle()?;
        files::remove(&self.dir.join(REBUILD_MARK))?;
        files::sync_dir(&self.dir)
    }

    /// Applies what the journal has and the index has not.
    fn redo(&mut self) -> Result<(), StoreError> {
        let from = self.index.head().tip;
        let (fold, index) = (self.fold.clone(), &mut self.index);
        let mut waiting = Batch::default();
        let (mut count, mut last) = (0, from);
        self.journal
            .each_after((from.seq > 0).then_some(from), |tip, place, kind, bytes| {
                let payloads = decode(kind, bytes, tip.seq)?;
                let batch = changes(
                    &fold,
                    &payloads,
                    tip.seq,
                    place,
                    &Overlay {
                        under: &*index,
                        over: &waiting,
                    },
                )?;
                waiting.extend(batch);
                (count, last) = (count + 1, tip);
                if count >= REDO_BATCH {
                    fail::point("C17").map_err(|e| StoreError::Broken(e.to_string()))?;
                    index.apply(&std::mem::take(&mut waiting), last)?;
                    count = 0;
                }
                Ok(())
            })?;
        if count > 0 {
            index.apply(&waiting, last)?;
        }
        Ok(())
    }

    /// The index with what is staged over it.
    pub(super) fn view(&self) -> Overlay<'_> {
        Overlay {
            under: &self.index,
            over: &self.staged.batch,
        }
    }

    pub(super) fn ready(&self) -> Result<(), StoreError> {
        match &self.broken {
            Some(why) => Err(StoreError::Broken(why.clone())),
            None if self.index.is_sick() => {
                self.ask_for_rebuild();
                Err(StoreError::Index("it gave a damaged row".to_owned()))
            }
            None => Ok(()),
        }
    }

    /// After the journal has it, any failure means: stop and open anew.
    pub(super) fn or_break<T>(&mut self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done.map_err(|e| {
            self.broken = Some(e.to_string());
            if matches!(e, StoreError::Index(_)) {
                self.ask_for_rebuild();
            }
            StoreError::Broken(e.to_string())
        })
    }

    /// Notices trouble of the index, which no further answer may come from.
    pub(super) fn watch<T>(&mut self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(e) = &done
            && e.is_fatal()
        {
            self.broken = Some(e.to_string());
        }
        if self.index.is_sick() {
            self.ask_for_rebuild();
        }
        done
    }

    fn ask_for_rebuild(&self) {
        if let Err(e) = files::write_whole(&self.dir, REBUILD_MARK, b"") {
            tracing::error!("{e}");
        }
    }

    pub(super) fn crash(&mut self, name: &str) -> Result<(), StoreError> {
        let done = fail::point(name).map_err(|e| StoreError::Broken(e.to_string()));
        self.or_break(done)
    }

    /// Was a letter with this key settled? Then it is only acknowledged again.
    pub fn seen(&self, key: &str) -> Result<Option<Settled>, StoreError> {
        self.ready()?;
        // never out of what is only staged: the token proves that it is on the disk
        match self.index.get(Tree::Seen, &seen::index_key(key))? {
            None => Ok(None),
            Some(bytes) => {
                let row: SeenRow =
                    postcard::from_bytes(&bytes).map_err(|e| StoreError::Index(e.to_string()))?;
                Ok(Some(Settled {
                    seq: row.seq,
                    outcome: row.outcome,
                }))
            }
        }
    }

    /// How often a letter tripped the program.
    pub fn strikes(&self, key: &str) -> Result<u32, StoreError> {
        let bytes = self.get(Tree::Strikes, &seen::index_key(key))?;
        Ok(bytes
            .and_then(|b| b.try_into().ok())
            .map_or(0, u32::from_be_bytes))
    }

    /// The last transaction and its check.
    pub fn head(&self) -> (u64, Digest) {
        let tip = self.journal.tip();
        (tip.seq, tip.digest)
    }

    /// Bytes of the journal's last segment.
    pub fn journal_end(&self) -> u64 {
        self.journal.tip().end
    }

    /// Calls `each` with every transaction of the journal in order: number and payload.
    pub fn replay(
        &self,
        mut each: impl FnMut(u64, Payload) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.journal.each_after(None, |tip, _, kind, bytes| {
            decode(kind, bytes, tip.seq)?
                .into_iter()
                .try_for_each(|payload| each(tip.seq, payload))
        })
    }

    /// Reads the whole journal and the whole index; both must be undamaged and end at the same transaction.
    pub fn check(&mut self) -> Result<Checked, StoreError> {
        self.ready()?;
        let mut records = 0;
        self.journal.each_after(None, |_, _, _, _| {
            records += 1;
            Ok(())
        })?;
        let checked = self.index.full_check();
        let rows = self.watch(checked)?;
        Ok(Checked { records, rows })
    }

    /// Closes the store and rewrites its journal, `edit` leaving out of each payload what must be forgotten. Numbers stay; the
    /// index is made again at the next opening.
    pub fn rewrite(
        self,
        edit: &mut dyn FnMut(u64, &mut Payload) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let dir = self.dir.clone();
        self.close()?;
        compact::compact(&dir, edit)
    }

    /// Letters held until the keeper or the player says more.
    pub fn spool(&self) -> Result<Spool, StoreError> {
        Spool::open(&self.dir.join("spool"))
    }

    /// Letters set aside because they trip the program.
    pub fn quarantine(&self) -> Result<Spool, StoreError> {
        Spool::open(&self.dir.join("quarantine"))
    }

    /// Stops cleanly: the index is synced too, so the next start trusts it even after a power cut.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.ready()?;
        let settled = self.index.settle();
        self.watch(settled)?;
        self.index.close();
        // Again with sled gone: what it wrote while closing.
        sync_all(&self.dir.join("db"))?;
        let seq = self.journal.tip().seq;
        self.journal.close()?;
        self.lock.write(Some(seq))
    }
}

impl ReadIndex for Store {
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.ready()?;
        self.view()
            .get(tree, key)
            .inspect_err(|_| self.ask_for_rebuild())
    }

    fn rows(
        &self,
        tree: Tree,
        prefix: &[u8],
        from: &[u8],
        most: usize,
    ) -> Result<Vec<Row>, StoreError> {
        self.ready()?;
        self.view()
            .rows(tree, prefix, from, most)
            .inspect_err(|_| self.ask_for_rebuild())
    }
}

/// The index, when what the last process left allows to trust it.
fn trusted_index(dir: &Path, lock: &Lock, careful: bool) -> Option<Index> {
    let db = dir.join("db");
    if !db.exists()
        || dir.join(REBUILD_MARK).exists()
        || !(lock.clean().is_some() || lock.same_boot())
    {
        return None;
    }
    let index = match Index::open(&db) {
        Ok(index) => index,
        Err(e) => {
            tracing::warn!("index is made again: {e}");
            return None;
        }
    };
    let tip = index.head().tip;
    let whole = match lock.clean() {
        Some(seq) => tip.seq == seq,
        None => true,
    };
    let sound = whole
        && (!careful || index.bytes_on_disk() > FULL_CHECK_BYTES_MAX || index.full_check().is_ok());
    if sound {
        return Some(index);
    }
    tracing::warn!("index is made again: it does not match its own sum or the last clean stop");
    index.close();
    None
}

/// Begins a new index with the checkpoint, if that is a state which this journal went through.
fn start_from_checkpoint(dir: &Path, index: &mut Index, tip: Tip) -> Result<bool, StoreError> {
    checkpoint::load(dir, index, |at| {
        at.seq <= tip.seq && Journal::is_at(dir, at).is_ok()
    })
}

fn sync_all(dir: &Path) -> Result<(), StoreError> {
    for entry in std::fs::read_dir(dir).told("read", dir)? {
        let path = entry.told("read", dir)?.path();
        if path.is_file() {
            std::fs::File::open(&path)
                .and_then(|f| f.sync_all())
                .told("sync", &path)?;
        }
    }
    files::sync_dir(dir)
}

fn check_format(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join("FORMAT");
    match std::fs::read_to_string(&path) {
        Ok(text) => match text.trim().parse::<u32>() {
            Ok(found) if found == FORMAT => Ok(()),
            _ => Err(StoreError::Format {
                path: dir.to_path_buf(),
                found: text.trim().to_owned(),
                known: FORMAT,
            }),
        },
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            if dir.join("journal.000001").exists() {
                return Err(StoreError::Missing {
                    what: "file",
                    name: path.display().to_string(),
                });
            }
            files::write_whole(dir, "FORMAT", format!("{FORMAT}\n").as_bytes())
        }
        Err(e) => Err(e).told("read", &path),
    }
}
