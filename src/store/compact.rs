//! Rewriting the journal: the same transactions under the same numbers, with what had to be forgotten left out.
//!
//! The new segments are written beside the old ones; a mark, written last, makes them the journal. Whoever opens the store
//! after that, even after a crash in the middle, moves them into place. The index is made again from them.

use std::fs;
use std::path::Path;

use super::error::{StoreError, Told};
use super::files;
use super::fold::{decode, to_json};
use super::glance::each_sound;
use super::journal::{Journal, KIND_MANY};
use super::lock::Lock;
use super::payload::Payload;
use super::vault::REBUILD_MARK;
use super::walk::segment_path;

/// Where the new segments are written.
const NEW: &str = "journal.rewritten";
/// Its being there means: they are complete; its content: how many there are.
const MARK: &str = "REWRITTEN";

/// Rewrites the journal of a closed store; `edit` sees every payload in order. Removes the index and its checkpoint.
///
/// # Errors
/// A store in use, a damaged journal, or a disk that cannot be written; then the old journal stands.
pub(super) fn compact(
    dir: &Path,
    edit: &mut dyn FnMut(u64, &mut Payload) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let lock = Lock::take(dir)?;
    let to = dir.join(NEW);
    files::remove(&to)?;
    files::make_dir(&to)?;
    let mut journal = Journal::open(&to, &to, None, true)?.unsynced();
    each_sound(dir, |tip, _, kind, bytes| {
        let mut payloads = decode(kind, bytes, tip.seq)?;
        for payload in &mut payloads {
            edit(tip.seq, payload)?;
        }
        let bytes = match (kind, payloads.as_slice()) {
            (KIND_MANY, all) => {
                let parts: Result<Vec<_>, _> = all.iter().map(to_json).collect();
                let mut bytes = b"[".to_vec();
                bytes.extend(parts?.join(&b','));
                bytes.push(b']');
                bytes
            }
            (_, [one]) => to_json(one)?,
            _ => Vec::new(),
        };
        let place = journal.prepare()?;
        journal.append(kind, &bytes, place)
    })?;
    let segments = journal.tip().segment;
    journal.close()?;
    files::sync_dir(&to)?;
    files::write_whole(dir, MARK, segments.to_string().as_bytes())?;
    finish(dir)?;
    drop(lock);
    Ok(())
}

/// Brings a rewriting that is complete to its end, and removes one that is not. The lock is held.
pub(super) fn finish(dir: &Path) -> Result<(), StoreError> {
    let (mark, new) = (dir.join(MARK), dir.join(NEW));
    if !mark.exists() {
        return files::remove(&new);
    }
    let text = fs::read_to_string(&mark).told("read", &mark)?;
    let count: u32 = text.trim().parse().map_err(|_| StoreError::Missing {
        what: "number in file",
        name: mark.display().to_string(),
    })?;
    files::write_whole(dir, REBUILD_MARK, b"")?;
    for name in ["db", "db.bad", "checkpoint"] {
        files::remove(&dir.join(name))?;
    }
    for segment in 1..=count {
        let from = segment_path(&new, segment);
        if from.exists() {
            fs::rename(&from, segment_path(dir, segment)).told("rename", &from)?;
        }
    }
    let mut more = count + 1;
    while segment_path(dir, more).exists() {
        files::remove(&segment_path(dir, more))?;
        more += 1;
    }
    files::sync_dir(dir)?;
    files::remove(&new)?;
    files::remove(&mark)?;
    files::sync_dir(dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, no_fold};

    fn payload(n: usize) -> Payload {
        Payload {
            outcome: "applied".to_owned(),
            keys: vec![format!("k{n}")],
            note: Some(format!("secret {n}")),
            ..Payload::default()
        }
    }

    fn notes(dir: &Path) -> Vec<Option<String>> {
        let store = Store::open(dir, no_fold()).unwrap();
        let mut all = Vec::new();
        store
            .replay(|_, p| {
                all.push(p.note);
                Ok(())
            })
            .unwrap();
        store.close().unwrap();
        all
    }

    fn filled(dir: &Path) {
        let mut store = Store::open(dir, no_fold()).unwrap();
        for n in 0..5 {
            store.commit(payload(n)).unwrap();
        }
        store.commit_many((5..9).map(payload).collect()).unwrap();
        store.close().unwrap();
    }

    #[test]
    fn what_is_left_out_is_gone_and_the_rest_stands() {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path());
        compact(dir.path(), &mut |_, p| {
            p.note = p.note.take().filter(|n| !n.ends_with('3'));
            Ok(())
        })
        .unwrap();
        let raw = fs::read(segment_path(dir.path(), 1)).unwrap();
        assert!(!raw.windows(8).any(|w| w == b"secret 3"));
        let left = notes(dir.path());
        assert_eq!(left.len(), 9);
        assert_eq!(left[3], None);
        assert_eq!(left[8].as_deref(), Some("secret 8"));
        // numbers stay: keys are found where they were
        let store = Store::open(dir.path(), no_fold()).unwrap();
        assert_eq!(store.seen("k4").unwrap().unwrap().seq(), 5);
        assert_eq!(store.head().0, 6);
    }

    #[test]
    fn a_crash_in_the_middle_loses_nothing() {
        // before the mark: the old journal stands
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path());
        let new = dir.path().join(NEW);
        files::make_dir(&new).unwrap();
        fs::write(segment_path(&new, 1), b"half").unwrap();
        assert_eq!(notes(dir.path()).len(), 9);
        assert!(!new.exists());
        // after the mark: the new one is put into place
        let failed = compact(dir.path(), &mut |seq, p| {
            p.note = None;
            match seq {
                6 => Err(StoreError::Broken("stop".to_owned())),
                _ => Ok(()),
            }
        });
        assert!(failed.is_err());
        assert!(notes(dir.path()).iter().all(Option::is_some));
        filled_new(dir.path());
        assert!(notes(dir.path()).iter().all(Option::is_none));
        assert!(!dir.path().join(MARK).exists());
    }

    /// A complete new journal with its mark, as if the process died before moving it.
    fn filled_new(dir: &Path) {
        let other = tempfile::tempdir().unwrap();
        let mut store = Store::open(other.path(), no_fold()).unwrap();
        for n in 0..6 {
            store
                .commit(Payload {
                    note: None,
                    ..payload(n)
                })
                .unwrap();
        }
        store.close().unwrap();
        let new = dir.join(NEW);
        files::make_dir(&new).unwrap();
        fs::copy(segment_path(other.path(), 1), segment_path(&new, 1)).unwrap();
        files::write_whole(dir, MARK, b"1").unwrap();
    }
}
