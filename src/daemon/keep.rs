//! Housekeeping: room on the disk, a copy of the index now and then, old letters thrown away.

use std::time::Duration;

use super::{Daemon, Trouble};

/// The index is copied after so many transactions ..
const CHECKPOINT_EVERY: u64 = 10_000;
/// .. or after so long, if anything happened.
const CHECKPOINT_TIME: Duration = Duration::from_secs(24 * 3600);
/// With fewer transactions than these a rebuild is short anyway.
const CHECKPOINT_LEAST: u64 = 1_000;

impl Daemon {
    /// Nothing is read and nothing sent where the disk is nearly full.
    pub(super) fn must_have_room(&mut self) -> Result<(), Trouble> {
        if self.store.has_room(self.free_bytes)? {
            Ok(())
        } else {
            Err(Trouble::Low)
        }
    }

    /// Copies the index when that is due, and throws away what was set aside long ago.
    pub(super) fn keep(&mut self) -> Result<(), Trouble> {
        let head = self.store.head().0;
        let new = head.saturating_sub(self.checkpointed);
        let old = match self.store.checkpoint_age() {
            Some(age) => age > CHECKPOINT_TIME && new > 0,
            None => head >= CHECKPOINT_LEAST,
        };
        if new < CHECKPOINT_EVERY && !old {
            return Ok(());
        }
        self.checkpointed = head;
        match self.store.checkpoint() {
            Ok(()) => {}
            Err(e) if e.is_fatal() => return Err(e.into()),
            Err(e) => self.alarm("checkpoint", &format!("the index cannot be copied: {e}"))?,
        }
        self.store.quarantine()?.forget(self.keep_quarantine)?;
        Ok(())
    }
}
