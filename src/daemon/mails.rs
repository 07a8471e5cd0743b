//! From notices to mails, fully written.

use jiff::Timestamp;

use super::{Daemon, Trouble};
use crate::fair::head::{Head, HeadKey};
use crate::post::guard::{Allowed, Leak, look};
use crate::post::mailing::{Foot, Job};
use crate::referee::keeper::Deed;
use crate::referee::order::{Order, Read};
use crate::referee::secrets::secrets;
use crate::referee::state::{MatchNo, Registry as _, Stage};
use crate::referee::{Decision, Event, Notice, NoticeKind, Overlay, ReplyTo, To, apply};
use crate::store::NewMail;
use crate::store::records::lane;

/// Mails of one transaction are numbered from its number times this.
const MAILS_MAX: u64 = 1000;

/// What the players are told of a match that the guard stopped.
pub const HELD_BY_GUARD: &str = "a mail about this match must be looked at by the Keeper first";

/// A mail that was not let out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// About which match.
    pub game: Option<MatchNo>,
    /// Its kind.
    pub kind: &'static str,
    /// What it told.
    pub leak: Leak,
}

impl Daemon {
    /// The mails of a decision, fully written. Those that tell a secret are left out, and their matches are on hold with
    /// the same transaction.
    pub(super) fn mails(
        &self,
        decision: &mut Decision,
        answers: Option<&Read>,
        now: Timestamp,
    ) -> (Vec<NewMail>, Vec<Stopped>) {
        let (mails, stopped) = self.written(decision, answers, now);
        let mut held = false;
        for game in stopped.iter().filter_map(|s| s.game) {
            held |= self.hold(decision, game, now);
        }
        if held {
            // the feet of those that may go show the hold
            let (mails, _) = self.written(decision, answers, now);
            return (mails, stopped);
        }
        (mails, stopped)
    }

    /// Adds a hold to a decision, where its match is under way.
    fn hold(&self, decision: &mut Decision, game: MatchNo, now: Timestamp) -> bool {
        let registry = self.records();
        let mut after = Overlay::new(&registry);
        after.changes = std::mem::take(&mut decision.changes);
        let m = after.game(game);
        let why = HELD_BY_GUARD.to_owned();
        let deed = Deed::Held { game, why };
        let event = Event::Keeper { deed };
        let held = m.is_some_and(|m| m.stage == Stage::Playing && m.hold.is_none())
            && apply(&mut after, &event, now).is_ok();
        decision.changes = std::mem::take(&mut after.changes);
        if held {
            decision.events.push(event);
        }
        held
    }

    /// Tells the Keeper of mails that were not let out.
    pub(super) fn tell_stopped(&mut self, stopped: &[Stopped]) -> Result<(), Trouble> {
        for stop in stopped {
            let about = match stop.game {
                Some(game) => format!("a mail `{}` about match {game}", stop.kind),
                None => format!("a mail `{}`", stop.kind),
            };
            self.alarm(
                "a mail that tells a secret",
                &format!(
                    "{about} would have told its reader {}: it was not sent, and the match stands still; please report \
                     this, then `tulpa keep resume`",
                    stop.leak.words()
                ),
            )?;
        }
        Ok(())
    }

    /// What must not stand in the mail that this notice becomes.
    fn leak(
        &self,
        registry: &Overlay,
        decision: &Decision,
        (notice, foot, answers): (&Notice, Option<&Foot>, Option<&Read>),
        bytes: &[u8],
    ) -> Option<Leak> {
        let To::Player(reader) = notice.to else {
            return None;
        };
        let mut games: Vec<MatchNo> = decision.changes.games.keys().copied().collect();
        games.extend(notice.game);
        games.sort();
        games.dedup();
        let head = foot.map(|f| &f.head);
        let allowed = Allowed {
            values: head.map(Head::values).unwrap_or_default().into(),
            typed: answers.map(typed).unwrap_or_default(),
            answer: notice.answer,
        };
        games.iter().find_map(|no| {
            let m = registry.game(*no)?;
            m.chair_of(reader)?;
            look(bytes, &secrets(registry, &m, Some(reader)), &allowed)
        })
    }

    fn written(
        &self,
        decision: &Decision,
        answers: Option<&Read>,
        now: Timestamp,
    ) -> (Vec<NewMail>, Vec<Stopped>) {
        let registry = self.records();
        let staged = u64::from(self.store.staged_mails());
        let first = (self.store.head().0 + 1) * MAILS_MAX + staged;
        let mut mails = Vec::new();
        let mut stopped = Vec::new();
        let mut after = Overlay::new(&registry);
        after.changes = decision.changes.clone();
        for (seq, notice) in (first..).zip(&decision.notices) {
            let to = match &notice.to {
                To::Address(address) => address.clone(),
                To::Player(no) => {
                    let new = decision.changes.players.get(no).cloned();
                    match new.or_else(|| registry.player(*no)) {
                        Some(player) => player.address.clone(),
                        None => continue,
                    }
                }
            };
            let foot = self.foot(decision, notice);
            let job = Job {
                notice,
                to: &to,
                answers,
                seq,
                now,
                foot: foot.as_ref(),
            };
            let mail = match self.office.write(&job, &self.shelf) {
                Ok(mail) => mail,
                Err(e) => {
                    tracing::error!("a mail `{}` could not be written: {e}", notice.kind.name());
                    continue;
                }
            };
            let about = (notice, foot.as_ref(), answers);
            if let Some(leak) = self.leak(&after, decision, about, &mail.bytes) {
                stopped.push(Stopped {
                    game: notice.game,
                    kind: notice.kind.name(),
                    leak,
                });
                continue;
            }
            let seat = match (&notice.reply, notice.game) {
                (ReplyTo::Chair { chair, .. }, Some(game)) => lane(game, *chair),
                _ => String::new(),
            };
            mails.push(NewMail {
                to: mail.to,
                envelope_from: mail.envelope_from,
                message_id: mail.message_id,
                bytes: mail.bytes.into(),
                seat,
                seq: notice.turn.into(),
                kind: notice.kind.name().to_owned(),
                board: is_board(&notice.kind),
                supersedes: false,
                not_before: None,
            });
        }
        (mails, stopped)
    }

    /// The entries that a seat was not mailed yet, under a head that is signed now.
    fn foot(&self, decision: &Decision, notice: &Notice) -> Option<Foot> {
        let (ReplyTo::Chair { chair, .. }, Some(no)) = (&notice.reply, notice.game) else {
            return None;
        };
        let registry = self.records();
        let new = decision.changes.games.get(&no).cloned();
        let game = new.or_else(|| registry.game(no))?;
        let tip = &game.fair.tip;
        let last = tip.next.checked_sub(1)?;
        let from = registry.told(no, *chair);
        let mut entries = registry.entries(no, from);
        entries.extend(decision.changes.entries(no, from));
        Some(Foot {
            entries: entries.into_iter().map(|(_, line)| line).collect(),
            head: HeadKey::of_server(&self.office.key).sign(&game.gid, last, &tip.h),
        })
    }
}

/// What the writer of a letter typed: addresses in it are his to tell.
fn typed(read: &Read) -> String {
    let mut text = read.ignored.join("\n");
    for line in read.parts.iter().flat_map(|p| &p.orders) {
        text.push('\n');
        text.push_str(&line.text);
        if let Ok(Order::Message(more) | Order::Note(more)) = &line.order {
            text.push_str(more);
        }
    }
    text
}

/// Boards keep their order for each seat; a chat mail may be overtaken.
fn is_board(kind: &NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::Begun(_)
            | NoticeKind::YourMove(_)
            | NoticeKind::News(_)
            | NoticeKind::Understood(_)
            | NoticeKind::Over(_)
    )
}
