//! From the outbox to the carrier.

use std::sync::atomic::Ordering;

use super::{Daemon, Trouble};
use crate::edge::{Carrier, Delivery};

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
            let due = self.store.outbox_due(self.clock.now(), SEND_GROUP)?;
            if due.is_empty() {
                break;
            }
            self.store.mark_sending_all(&due, self.clock.now())?;
            let mut done = Vec::new();
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
                        tracing::warn!("a mail waits: {why}");
                        self.store.mark_later(&mail, now, &why)?;
                    }
                    Delivery::Unknown(why) => {
                        tracing::warn!("a mail may have been taken, it is sent again: {why}");
                        self.store.mark_unknown(&mail, now, &why)?;
                    }
                    Delivery::Dead(why) => {
                        tracing::error!("a mail cannot be delivered: {why}");
                        self.store.mark_dead(&mail, now, &why)?;
                    }
                    Delivery::Stop(why) => {
                        tracing::error!("nothing is sent until this is mended: {why}");
                        self.store.mark_back(&mail, now, &why)?;
                        self.stopped = Some(why);
                    }
                }
            }
            sent += done.len();
            self.store.mark_sent_all(&done, self.clock.now())?;
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
