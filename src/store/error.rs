//! Why the store refused.

use std::io;
use std::path::{Path, PathBuf};

/// Why the store refused; the text is for the keeper, hints included.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process holds the lock.
    #[error(
        "another process uses `{}`\n  hint: stop it first; only one referee may write a state directory",
        .0.display()
    )]
    Busy(PathBuf),
    /// The state was written by a newer program, or the `FORMAT` file is not ours.
    #[error("`{}` has format `{found}`, this program knows up to `{known}`\n  hint: use the newer program", path.display())]
    Format {
        /// The state directory.
        path: PathBuf,
        /// What the `FORMAT` file says.
        found: String,
        /// The newest format known here.
        known: u32,
    },
    /// The journal is damaged before its end; nothing is guessed.
    #[error(
        "journal `{}` is damaged at byte {offset}: {why}\n  hint: restore this file from a backup; nothing was changed",
        path.display()
    )]
    Damaged {
        /// The segment.
        path: PathBuf,
        /// Where its first bad record begins.
        offset: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The index knows transactions which the journal has not: acknowledged letters would vanish.
    #[error(
        "the journal ends at transaction {journal}, but transaction {index} was acknowledged\n  hint: restore the newest journal; `tulpa rebuild` accepts the shorter one"
    )]
    Shorter {
        /// The last transaction in the journal.
        journal: u64,
        /// The last transaction known to have been acknowledged.
        index: u64,
    },
    /// The fold could not make changes of a payload.
    #[error("transaction {seq} cannot be applied: {why}")]
    Fold {
        /// The transaction.
        seq: u64,
        /// What the fold said.
        why: String,
    },
    /// A key of this transaction was seen before; its effect exists already.
    #[error("`{key}` was seen in transaction {seq}")]
    Seen {
        /// The key.
        key: String,
        /// The transaction that settled it.
        seq: u64,
    },
    /// A transaction is larger than a record may be.
    #[error("a transaction of {bytes} bytes is above the limit of {most}")]
    TooBig {
        /// Its size.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// No room on the disk; nothing was written.
    #[error("no room left on the disk of `{}`\n  hint: make room; letters wait in the mailbox meanwhile", .0.display())]
    Full(PathBuf),
    /// A directory that must be new or empty is not.
    #[error("`{}` is not empty\n  hint: name a new directory", .0.display())]
    NotEmpty(PathBuf),
    /// A thing that must be there is not.
    #[error("no such {what}: `{name}`")]
    Missing {
        /// Kind of thing.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// The index is in trouble; it is rebuilt at the next opening.
    #[error("the index is in trouble: {0}\n  hint: start again, it is rebuilt from the journal")]
    Index(String),
    /// A write or sync failed; the store refuses everything from now on, since the state of the disk is unknown.
    #[error("the store stopped: {0}\n  hint: look at the disk, then start again")]
    Broken(String),
    /// Input or output failed.
    #[error("cannot {what} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl StoreError {
    /// True when the process must stop and open the store anew: retrying in place would be guessing.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Broken(_) | Self::Index(_) | Self::Damaged { .. } | Self::Shorter { .. }
        )
    }
}

/// Names the file and the deed in an input or output error.
pub(super) trait Told<T> {
    /// `what` is a verb: "read", "create".
    fn told(self, what: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> Told<T> for io::Result<T> {
    fn told(self, what: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Io {
            what,
            path: path.to_path_buf(),
            source,
        })
    }
}
