//! Room on the disk: the ballast, what is free, and the checkpoint that keeps a rebuild short.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use super::error::{StoreError, Told};
use super::vault::Store;
use super::{checkpoint, fail, files};

/// Bytes kept back, to be given up when the disk is full, so that the running transaction can end.
const BALLAST_BYTES: usize = 8 << 20;
/// Holds one time. No part of the truth: without it an outage is not noticed.
const HEARTBEAT: &str = "heartbeat";

impl Store {
    /// Is there room to go on: `least` bytes free, and the ballast in its place? If not, letters wait in the mailbox and
    /// mails in the outbox. Ballast that was given up is made again as soon as there is room for it.
    ///
    /// # Errors
    /// A file system that does not say how full it is.
    pub fn has_room(&mut self, least: u64) -> Result<bool, StoreError> {
        self.ready()?;
        if fail::point("free").is_err() {
            return Ok(false);
        }
        let disk = rustix::fs::statvfs(&self.dir)
            .map_err(std::io::Error::from)
            .told("ask for the room of", &self.dir)?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if self.low && free > least.saturating_add(BALLAST_BYTES as u64) {
            self.low = !make_ballast(&self.dir);
        }
        Ok(free >= least && !self.low)
    }

    /// When letters could last be read, as [`Store::beat`] kept it.
    ///
    /// # Errors
    /// A file that cannot be read; one with nonsense in it is none.
    pub fn heartbeat(&self) -> Result<Option<Timestamp>, StoreError> {
        let path = self.dir.join(HEARTBEAT);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(text.trim().parse().ok()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e).told("read", &path),
        }
    }

    /// Keeps the time at which letters could be read.
    ///
    /// # Errors
    /// A disk that does not take it.
    pub fn beat(&self, now: Timestamp) -> Result<(), StoreError> {
        files::write_whole(&self.dir, HEARTBEAT, format!("{now}\n").as_bytes())
    }

    /// Is the ballast gone? Then nothing should be fetched or sent.
    pub fn is_low(&self) -> bool {
        self.low
    }

    /// How long ago the index was last copied; `None` where it never was.
    pub fn checkpoint_age(&self) -> Option<Duration> {
        std::fs::metadata(self.dir.join(checkpoint::NAME))
            .and_then(|m| m.modified())
            .ok()
            .map(|at| at.elapsed().unwrap_or_default())
    }

    /// Copies the index into one file, from which a rebuild can start; worth while once a day or ten thousand turns.
    pub fn checkpoint(&mut self) -> Result<(), StoreError> {
        self.ready()?;
        // Only a sound index may be the beginning of another.
        let sound = self.index.full_check();
        self.watch(sound)?;
        checkpoint::write(&self.dir, &self.index)
    }
}

pub(super) fn make_ballast(dir: &Path) -> bool {
    let path = dir.join("ballast");
    if std::fs::metadata(&path).is_ok_and(|m| m.len() == BALLAST_BYTES as u64) {
        return true;
    }
    match files::write_whole(dir, "ballast", &vec![0xb7; BALLAST_BYTES]) {
        Ok(()) => true,
        Err(e) => {
            tracing::error!("no room for the ballast: {e}");
            let _ = files::remove(&dir.join(".ballast.tmp"));
            false
        }
    }
}
