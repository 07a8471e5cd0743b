//! One writer, and what the last one left behind.
//!
//! The lock file carries the boot on which the store was opened and, after a clean stop, the head of the journal:
//! together they decide whether the index can be trusted, redone or must be made again.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{StoreError, Told};
use super::files;

/// How the last process left the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Kernel's boot id when the store was opened; empty when the system has none.
    pub boot: String,
    /// Process that wrote this, for the keeper.
    pub pid: u32,
    /// After a clean stop: the last transaction, all of it synced in the index too.
    pub clean: Option<u64>,
}

/// The held lock; released when dropped.
pub struct Lock {
    file: File,
    path: PathBuf,
    /// What the last process left; `None` in a new directory or when unreadable.
    pub left: Option<Left>,
}

impl Lock {
    /// Takes the lock or says who is in the way; never waits.
    pub fn take(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join("lock");
        let mut file = files::open_private(&path).told("open", &path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(dir.to_path_buf())),
            Err(TryLockError::Error(e)) => return Err(e).told("lock", &path),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).told("read", &path)?;
        let left = serde_json::from_slice(&text).ok();
        Ok(Self { file, path, left })
    }

    /// Says durably that the store is open on this boot (`clean` none) or was closed cleanly at a transaction.
    pub fn write(&mut self, clean: Option<u64>) -> Result<(), StoreError> {
        let left = Left {
            boot: boot_id(),
            pid: std::process::id(),
            clean,
        };
        let mut text = serde_json::to_vec(&left).unwrap_or_default();
        text.push(b'\n');
        let file = &mut self.file;
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(&text))
            .and_then(|()| file.sync_all())
            .told("write", &self.path)
    }

    /// Was the last stop unclean but on this very boot, so that nothing but the process was lost?
    pub fn same_boot(&self) -> bool {
        let now = boot_id();
        !now.is_empty() && self.left.as_ref().is_some_and(|l| l.boot == now)
    }

    /// The transaction of the last clean stop.
    pub fn clean(&self) -> Option<u64> {
        self.left.as_ref().and_then(|l| l.clean)
    }
}

/// Said aloud: a process that is just being started (a sendmail, say) may still share the file, and would keep the lock.
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|s| s.trim().to_owned())
        .unwrap_or_default()
}
