//! The time-warp guard: what the referee slept through, or what its clock jumped over, is nobody's time (reliability.md 7).
//!
//! The heartbeat tells when letters could last be read. A silence longer than `clocks.outage`, or a wall clock that moved
//! against the steady counter by more than `clocks.jump`, moves every deadline by as much, and the players are told.

use std::time::Duration;

use jiff::Timestamp;

use super::{Daemon, Trouble, events, records_trouble};
use crate::referee::state::Registry as _;
use crate::referee::{self, Command, MatchNo};
use crate::store::{Payload, seen};

/// Matches moved in one transaction.
const MOVED_MAX: usize = 50;
/// The stored heartbeat is at most so old while all is well.
const BEAT_EVERY: Duration = Duration::from_secs(60);

/// When the inbox was last reached.
#[derive(Copy, Clone, Debug)]
pub(super) struct Beat {
    /// By the wall clock.
    at: Timestamp,
    /// By the counter that nobody can set.
    steady: Duration,
    /// By the wall clock, as it stands on the disk.
    stored: Timestamp,
}

impl Daemon {
    /// The inbox was reached: moves the deadlines if it had been out of reach for long, or the clock was set.
    pub(super) fn guard(&mut self) -> Result<(), Trouble> {
        if self.clock.is_fixed() {
            return Ok(());
        }
        let (now, steady) = (self.clock.now(), self.clock.steady());
        let seconds = |d: Duration| i64::try_from(d.as_secs()).unwrap_or(i64::MAX);
        let (jump_max, outage_max) = (seconds(self.jump), seconds(self.outage));
        let since = |at: Timestamp| now.as_second() - at.as_second();
        let (moved, stored) = match self.beat {
            Some(beat) => {
                let slept = seconds(steady.saturating_sub(beat.steady));
                let jumped = since(beat.at) - slept;
                let moved = match (jumped.abs() > jump_max, slept > outage_max) {
                    (_, true) => since(beat.at),
                    (true, false) => jumped,
                    (false, false) => 0,
                };
                (moved, Some(beat.stored))
            }
            // before this process nobody counted: the wall clock is all there is
            None => match self.store.heartbeat()? {
                Some(at) if since(at) > outage_max || since(at) < -jump_max => {
                    (since(at), Some(at))
                }
                stored => (0, stored),
            },
        };
        if moved != 0
            && let Some(stored) = stored
        {
            self.move_deadlines(moved, stored)?;
        }
        let fresh = |at: Timestamp| since(at).abs() < seconds(BEAT_EVERY);
        let stored = match stored {
            Some(at) if fresh(at) && moved == 0 => at,
            _ => {
                self.store.beat(now)?;
                now
            }
        };
        self.beat = Some(Beat {
            at: now,
            steady,
            stored,
        });
        Ok(())
    }

    /// A crash in the middle leaves some matches moved: they are known by their key and not moved again.
    fn move_deadlines(&mut self, seconds: i64, stored: Timestamp) -> Result<(), Trouble> {
        let mut games = self.records().due(Timestamp::MAX, usize::MAX);
        games.sort_unstable();
        let key = |no: MatchNo| seen::timer(&format!("moved|{}|{no}", stored.as_second()));
        let mut left = Vec::new();
        for no in games {
            if self.store.seen(&key(no))?.is_none() {
                left.push(no);
            }
        }
        for some in left.chunks(MOVED_MAX) {
            let command = Command::ClockMoved {
                seconds,
                games: some.to_vec(),
            };
            let entropy = self.chance.fresh().map_err(Trouble::Chance)?;
            let now = self.clock.now();
            let registry = self.records();
            let mut decision = referee::decide(&registry, &self.shelf, &command, now, &entropy);
            registry.sound().map_err(records_trouble)?;
            let (mails, stopped) = self.mails(&registry, &mut decision, None, now);
            let payload = Payload {
                at: now,
                outcome: "clock".to_owned(),
                keys: some.iter().map(|no| key(*no)).collect(),
                events: events(&decision.events)?,
                mails,
                ..Payload::default()
            };
            self.store.commit(payload)?;
            self.tell_stopped(&stopped)?;
        }
        let hours = seconds / 3600;
        self.alarm(
            "clock",
            &format!(
                "no letter could be read for long, or the clock was set: all deadlines moved by {hours} hours"
            ),
        )
    }
}
