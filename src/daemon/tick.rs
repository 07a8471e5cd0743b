//! What happens by itself when time goes by, and when that is.

use std::time::Duration;

use jiff::Timestamp;

use super::{Daemon, Trouble, events, records_trouble, untripped};
use crate::referee::{self, Command};
use crate::store::Payload;

impl Daemon {
    /// Time went by.
    ///
    /// # Errors
    /// Records that cannot be read or written.
    pub fn tick(&mut self) -> Result<(), Trouble> {
        let now = self.clock.now();
        let registry = self.records();
        if referee::next_deadline(&registry).is_none_or(|t| t > now) {
            return registry.sound().map_err(records_trouble);
        }
        drop(registry);
        let entropy = self.chance.fresh().map_err(Trouble::Chance)?;
        let registry = self.records();
        let decided =
            untripped(|| referee::decide(&registry, &self.shelf, &Command::Tick, now, &entropy));
        registry.sound().map_err(records_trouble)?;
        let Some(mut decision) = decided else {
            // letters are still handled
            return self.alarm(
                "clocks",
                "the clocks tripped the program; please report this",
            );
        };
        if decision.events.is_empty() && decision.notices.is_empty() {
            return Ok(());
        }
        let (mails, stopped) = self.mails(&registry, &mut decision, None, now);
        self.store.commit(Payload {
            at: now,
            outcome: "tick".to_owned(),
            events: events(&decision.events)?,
            mails,
            ..Payload::default()
        })?;
        self.tell_stopped(&stopped)
    }

    /// When something falls due by itself: a clock, or a mail to be tried again.
    pub fn wake(&self) -> Option<Timestamp> {
        let registry = self.records();
        let clock = referee::next_deadline(&registry);
        let mail = self.store.outbox_next().ok().flatten();
        [clock, mail].into_iter().flatten().min()
    }

    /// How long to wait for a letter at most.
    pub fn nap(&self, poll: Duration) -> Duration {
        let now = self.clock.now();
        match self.wake() {
            Some(at) if at > now => {
                let left = at.duration_since(now);
                poll.min(Duration::try_from(left).unwrap_or(poll))
            }
            _ => poll,
        }
    }
}
