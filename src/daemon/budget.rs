//! How much is written to whom (security.md 3): nobody can make the referee flood anybody, and two machines that
//! answer each other come to rest.
//!
//! A known player gets an answer to each of his letters; where many in a row came to nothing, they are answered
//! together, once an hour. Strangers share one budget; beyond it, and beyond so many refusals a day, they get silence.

use jiff::{SignedDuration, Timestamp};

use super::{Daemon, Trouble};
use crate::config;
use crate::referee::state::Registry as _;
use crate::referee::{Decision, Event, Notice, NoticeKind, Outcome, PlayerNo, To};
use crate::store::{NewMail, Spend, tally};

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Within this time ..
const LOOP_TIME: SignedDuration = SignedDuration::from_mins(10);
/// .. so many letters of one player that came to nothing are answered one by one.
const LOOP_LETTERS_MAX: u64 = 6;
/// Answers to all strangers are counted under this.
const UNKNOWN: &str = "unknown";

/// The Keeper's numbers.
#[derive(Copy, Clone, Debug)]
pub(super) struct Budget {
    refusals_per_day: u64,
    unknown_per_hour: u64,
    mails_per_hour: u64,
    mails_per_day: u64,
}

impl Budget {
    pub fn new(limits: &config::Limits) -> Budget {
        Budget {
            refusals_per_day: limits.refusals_per_day,
            unknown_per_hour: limits.unknown_per_hour,
            mails_per_hour: limits.mails_per_hour,
            mails_per_day: limits.mails_per_day,
        }
    }
}

/// How a letter is answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answering {
    /// Now; this is spent by it.
    Now(Vec<Spend>),
    /// Together with others of this player, at the full hour.
    Hourly(PlayerNo, Vec<Spend>),
    /// Not at all, and nothing of it is done.
    Never,
}

impl Daemon {
    /// May this letter's answer be sent?
    pub(super) fn answering(
        &self,
        decision: &Decision,
        now: Timestamp,
    ) -> Result<Answering, Trouble> {
        let Some(notice) = decision.notices.iter().find(|n| is_answer(n)) else {
            return Ok(Answering::Now(Vec::new()));
        };
        let records = self.records();
        let (known, address) = match &notice.to {
            To::Address(address) => (records.player_by_address(address), address.clone()),
            To::Player(no) => match records.player(*no) {
                Some(player) => (Some(*no), player.address.clone()),
                // met by this very letter
                None => (
                    None,
                    decision
                        .changes
                        .players
                        .get(no)
                        .map(|p| p.address.clone())
                        .unwrap_or_default(),
                ),
            },
        };
        let spent = |what: &str, window| self.store.tally(what, now, window);
        let refused = decision.outcome == Outcome::Rejected;
        let Some(player) = known else {
            if decision
                .events
                .iter()
                .any(|e| matches!(e, Event::Released { .. }))
            {
                // he answered the one mail that he was sent: nobody's budget is spent on him
                return Ok(Answering::Now(Vec::new()));
            }
            let errors = format!("refused|{address}");
            if spent(UNKNOWN, HOUR)? >= self.budget.unknown_per_hour
                || refused && spent(&errors, DAY)? >= self.budget.refusals_per_day
            {
                return Ok(Answering::Never);
            }
            let mut spends = vec![Spend::one(UNKNOWN)];
            if refused {
                spends.push(Spend::one(errors));
            }
            return Ok(Answering::Now(spends));
        };
        let (vain, errors) = (
            format!("vain|{}", player.0),
            format!("refused|{}", player.0),
        );
        if !refused && !decision.events.is_empty() {
            let mut spends = Vec::new();
            for what in [vain, errors] {
                if spent(&what, DAY)? > 0 {
                    spends.push(Spend::forget(what));
                }
            }
            return Ok(Answering::Now(spends));
        }
        let looping = spent(&vain, LOOP_TIME)? >= LOOP_LETTERS_MAX
            || refused && spent(&errors, DAY)? >= self.budget.refusals_per_day;
        let mut spends = vec![Spend::one(vain)];
        if refused {
            spends.push(Spend::one(errors));
        }
        Ok(if looping {
            Answering::Hourly(player, spends)
        } else {
            Answering::Now(spends)
        })
    }

    /// How many mails may still be sent now.
    pub(super) fn mails_left(&self, now: Timestamp) -> Result<usize, Trouble> {
        let left = |most: u64, window| -> Result<u64, Trouble> {
            Ok(most.saturating_sub(self.store.tally(tally::MAILS, now, window)?))
        };
        let least =
            left(self.budget.mails_per_hour, HOUR)?.min(left(self.budget.mails_per_day, DAY)?);
        Ok(usize::try_from(least).unwrap_or(usize::MAX))
    }
}

/// Is this the one answer to the letter?
pub(super) fn is_answer(notice: &Notice) -> bool {
    notice.answer || matches!(notice.kind, NoticeKind::Confirm { .. })
}

/// The answer waits for the full hour and replaces the one that waits already.
pub(super) fn hold_back(mail: &mut NewMail, player: PlayerNo, now: Timestamp) {
    let hour = HOUR.as_secs();
    let next = (now.as_second().div_euclid(hour) + 1) * hour;
    mail.not_before = Timestamp::from_second(next).ok();
    mail.seat = format!("answers/{}", player.0);
    mail.board = true;
    mail.supersedes = true;
}
