//! From the outbox to the carrier.

use std::sync::atomic::Ordering;

use super::alarm::{ALARM, server_words};
use super::{Daemon, Trouble};
use crate::edge::{Carrier, Delivery};
use crate::store::Fate;

/// Mails handed to the carrier between two looks at the inbox.
const SEND_MAX: usize = 200;
/// Mails marked as `sending` with one sync.
const SEND_GROUP: usize = 20;
/// Waiting mails are counted up to this.
const WAITING_MAX: usize = 100_000;

impl Daemon {
    /// Hands what is due to the carrier; answers how many mails it took.
    ///
    /// # Errors
    /// A store that cannot say durably what it is about to do: then nothing is sent.
    pub fn send(&mut self, carrier: &mut dyn Carrier) -> Result<usize, Trouble> {
        let mut sent = 0;
        self.stopped = None;
        while sent < SEND_MAX && self.stopped.is_none() && !self.stop.load(Ordering::Relaxed) {
            let now = self.clock.now();
            let left = self.mails_left(now)?;
            let mut due = self.store.outbox_due(now, SEND_GROUP.min(left.max(1)))?;
            if left == 0 && !due.is_empty() {
                self.alarm(
                    "mails",
                    "the budget of mails is used up: mails wait in the outbox until it has room",
                )?;
                due = self.store.outbox_due_of(now, SEND_GROUP, Some(ALARM))?;
            }
            if due.is_empty() {
                break;
            }
            self.store.mark_sending_all(&due, self.clock.now())?;
            let mut done = Vec::new();
            let mut dead = None;
            for mail in due {
                if let Some(why) = &self.stopped {
                    let why = why.clone();
                    self.store.mark_back(&mail, self.clock.now(), &why)?;
                    continue;
                }
                let now = self.clock.now();
                match carrier.send(&mail) {
                    Delivery::Sent => done.push(mail),
                    Delivery::Later(why) => {
                        tracing::warn!("a mail waits: {}", server_words(&why));
                        if self.store.mark_later(&mail, now, &why)? == Fate::GivenUp {
                            dead = Some(why);
                        }
                    }
                    Delivery::Unknown(why) => {
                        tracing::warn!(
                            "a mail may have been taken, it is sent again: {}",
                            server_words(&why)
                        );
                        self.store.mark_unknown(&mail, now, &why)?;
                    }
                    Delivery::Dead(why) => {
                        self.store.mark_dead(&mail, now, &why)?;
                        dead = Some(why);
                    }
                    Delivery::Stop(why) => {
                        let said = server_words(&why);
                        tracing::error!("nothing is sent until this is mended: {said}");
                        self.store.mark_back(&mail, now, &why)?;
                        self.stopped = Some(why);
                    }
                }
            }
            sent += done.len();
            self.store.mark_sent_all(&done, self.clock.now())?;
            if let Some(why) = dead {
                self.alarm(
                    "undeliverable",
                    &format!("a mail cannot be delivered: {}", server_words(&why)),
                )?;
            }
        }
        Ok(sent)
    }

    /// Mails that are not yet sent.
    ///
    /// # Errors
    /// Records that cannot be read.
    pub fn waiting(&self) -> Result<usize, Trouble> {
        Ok(self.store.outbox_waiting(WAITING_MAX)?)
    }
}
