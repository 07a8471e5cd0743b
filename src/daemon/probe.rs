//! A letter of the referee to itself, for `tulpa doctor`: through the outbox and the carrier, back through the inbox.

use super::{Daemon, Trouble};
use crate::edge::{Carrier, Delivery, Inbox, entropy};
use crate::fair::seal::hex;
use crate::post::address::plus;
use crate::post::compose::{Auto, MessageId, Outgoing, compose};
use crate::post::letter;
use crate::store::{NewMail, Payload};

/// Mails looked at to find the probe among what is due.
const DUE_MAX: usize = 10_000;

/// One probe on its way.
pub struct Probe {
    /// Where it went.
    pub to: String,
    /// Its Message-ID, with angle brackets.
    pub message_id: String,
    /// How the carrier took it.
    pub delivery: Delivery,
}

/// A probe that came back.
pub struct Back {
    /// Its Message-ID, with angle brackets.
    pub message_id: String,
    /// Its Authentication-Results, from the top down.
    pub results: Vec<String>,
    /// The mailbox's stamp.
    pub received: jiff::Timestamp,
}

impl Daemon {
    /// Sends one letter to ourselves; with `detail` to a plus-address. Nothing else that is due is sent.
    ///
    /// # Errors
    /// The store, or an address of ours that grows too long.
    pub fn probe(
        &mut self,
        carrier: &mut dyn Carrier,
        detail: Option<&str>,
    ) -> Result<Probe, Trouble> {
        let now = self.clock.now();
        let setup = |e: &dyn std::fmt::Display| Trouble::Setup(format!("referee.address: {e}"));
        let to = match detail {
            Some(detail) => plus(&self.own, detail).map_err(|e| setup(&e))?,
            None => self.own.clone(),
        };
        let chance = entropy::fresh().map_err(Trouble::Chance)?;
        let id = MessageId::ours(&format!("doctor.{}", hex(&chance[..16])), &self.own)
            .map_err(|e| setup(&e))?;
        let mail = compose(&Outgoing {
            from_name: &self.office.name,
            from: &self.own,
            to: &to,
            reply_to: &self.own,
            envelope_from: Some(&self.own),
            subject: "tulpa doctor: a letter to itself",
            date: now,
            message_id: &id,
            in_reply_to: None,
            references: &[],
            auto: Auto::Generated,
            game: None,
            unsubscribe: None,
            instance: &self.office.instance,
            text: "The referee sends itself this letter to see whether mail works. It can be deleted.\n",
            html: None,
            files: &[],
        });
        self.store.commit(Payload {
            at: now,
            outcome: "probe".to_owned(),
            mails: vec![NewMail {
                to: mail.to.clone(),
                envelope_from: mail.envelope_from,
                message_id: mail.message_id.clone(),
                bytes: mail.bytes.into(),
                kind: "probe".to_owned(),
                ..NewMail::default()
            }],
            ..Payload::default()
        })?;
        let due = self.store.outbox_due(now, DUE_MAX)?;
        let Some(queued) = due.into_iter().find(|q| q.message_id() == mail.message_id) else {
            return Err(Trouble::Setup("the letter is not in the outbox".to_owned()));
        };
        self.store.mark_sending(&queued, now)?;
        let delivery = carrier.send(&queued);
        match &delivery {
            Delivery::Sent => self.store.mark_sent(&queued, now)?,
            // one attempt: a probe that comes days later proves nothing
            Delivery::Later(why)
            | Delivery::Unknown(why)
            | Delivery::Dead(why)
            | Delivery::Stop(why) => self.store.mark_dead(&queued, now, why)?,
        }
        Ok(Probe {
            to: mail.to,
            message_id: mail.message_id,
            delivery,
        })
    }

    /// Looks into the inbox for probes; those are settled, all other letters stay.
    ///
    /// # Errors
    /// The inbox or the store.
    pub fn probes_back(&mut self, inbox: &mut dyn Inbox) -> Result<Vec<Back>, Trouble> {
        let mut back = Vec::new();
        for arrived in inbox.fetch(self.letters_per_round)? {
            let Ok(open) = letter::open_head(&arrived.bytes, &self.limits) else {
                continue;
            };
            let Some(id) = open.header("message-id").map(|v| v.trim().to_owned()) else {
                continue;
            };
            if !id.trim_start_matches('<').starts_with("doctor.") {
                continue;
            }
            let results = open
                .all("authentication-results")
                .map(str::to_owned)
                .collect();
            let settled = self.letter(&arrived)?;
            inbox.settle(&arrived.id, settled)?;
            back.push(Back {
                message_id: id,
                results,
                received: arrived.received,
            });
        }
        Ok(back)
    }
}
