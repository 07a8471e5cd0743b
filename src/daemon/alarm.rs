//! Word to the Keeper: a line in the log and, where he gave an address, one mail a day for each kind of trouble.

use super::{Daemon, Trouble};
use crate::fair::token::message_id_left;
use crate::post::address::Addr;
use crate::post::compose::{Auto, MessageId, Outgoing, compose};
use crate::referee::authority::CODE_CHARS;
use crate::referee::state::DAY;
use crate::store::{NewMail, Payload, seen};

/// The kind of an alarm's mail: it is sent even where the budget of mails is used up.
pub(super) const ALARM: &str = "alarm";

impl Daemon {
    /// Tells the Keeper. `what` names the kind of trouble, `text` is a sentence that names no player and quotes no letter.
    pub(super) fn alarm(&mut self, what: &str, text: &str) -> Result<(), Trouble> {
        let text = &without_addresses(text);
        tracing::error!("{text}");
        let Some(to) = self.keeper.clone() else {
            return Ok(());
        };
        let now = self.clock.now();
        let day = now.as_second().div_euclid(DAY);
        let key = seen::timer(&format!("{ALARM}|{what}|{day}"));
        if self.store.seen(&key)?.is_some() {
            return Ok(());
        }
        let seq = self.store.head().0 + 1;
        let mail = self.alarm_mail(&to, what, text, seq);
        self.store.commit(Payload {
            at: now,
            outcome: ALARM.to_owned(),
            keys: vec![key],
            mails: mail.into_iter().collect(),
            note: Some(text.to_owned()),
            ..Payload::default()
        })?;
        Ok(())
    }

    fn alarm_mail(&self, to: &Addr, what: &str, text: &str, seq: u64) -> Option<NewMail> {
        let office = &self.office;
        let left = message_id_left(&office.key, ALARM, seq, 255, what);
        let message_id = MessageId::ours(&left, &office.address).ok()?;
        let mail = compose(&Outgoing {
            from_name: &office.name,
            from: &office.address,
            to,
            reply_to: &office.address,
            envelope_from: Some(&office.address),
            subject: &format!(
                "[{}] the referee needs you: {what}",
                office.instance.as_str()
            ),
            date: self.clock.now(),
            message_id: &message_id,
            in_reply_to: None,
            references: &[],
            auto: Auto::Generated,
            game: None,
            unsubscribe: None,
            instance: &office.instance,
            text: &format!(
                "{text}\n\nMore of the same kind is not mailed today; the log has all of it.\n"
            ),
            html: None,
            files: &[],
        });
        Some(NewMail {
            to: mail.to,
            envelope_from: mail.envelope_from,
            message_id: mail.message_id,
            bytes: mail.bytes.into(),
            kind: ALARM.to_owned(),
            ..NewMail::default()
        })
    }
}

/// What a mail server says: it may quote the subject too, where a token stands if there are no plus-addresses.
pub(super) fn server_words(text: &str) -> String {
    let telling = |word: &str| {
        let runs = word.split(|c: char| !c.is_ascii_alphanumeric());
        runs.map(str::len).max() >= Some(CODE_CHARS)
    };
    let text = without_addresses(text);
    let words = text.split(' ');
    let words = words.map(|w| if telling(w) { "(a number)" } else { w });
    words.collect::<Vec<_>>().join(" ")
}

/// A mail server's words often repeat whom they are about; the log and the Keeper's mail do not.
fn without_addresses(text: &str) -> String {
    let words = text
        .split(' ')
        .map(|w| if w.contains('@') { "(an address)" } else { w });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_quotes_tells_no_token() {
        let said = "554 5.7.1 <bob@dale.example>: `Re: Your move [k7q2m5x4d3.1.vz2fhyebnzen6l77yhnaaxkmra]` is spam, id 4Xyz";
        assert_eq!(
            server_words(said),
            "554 5.7.1 (an address) `Re: Your move (a number) is spam, id 4Xyz"
        );
    }
}
