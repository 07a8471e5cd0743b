//! From notices to mails, fully written.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Daemon;
use crate::fair::head::{Head, HeadKey};
use crate::post::mailing::{Foot, Job};
use crate::referee::order::Read;
use crate::referee::state::{MatchNo, Registry as _};
use crate::referee::{Decision, Notice, NoticeKind, ReplyTo, To};
use crate::store::NewMail;
use crate::store::records::lane;

/// Mails of one transaction are numbered from its number times this.
const MAILS_MAX: u64 = 1000;

impl Daemon {
    /// The mails of a decision, fully written.
    pub(super) fn mails(
        &self,
        decision: &Decision,
        answers: Option<&Read>,
        now: Timestamp,
    ) -> Vec<NewMail> {
        let registry = self.records();
        let staged = u64::from(self.store.staged_mails());
        let first = (self.store.head().0 + 1) * MAILS_MAX + staged;
        let mut mails = Vec::new();
        let mut heads = BTreeMap::new();
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
            let foot = self.foot(decision, notice, &mut heads);
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
        mails
    }

    /// The entries that a seat was not mailed yet, under a head that is signed now, once for all mails of a match.
    fn foot(
        &self,
        decision: &Decision,
        notice: &Notice,
        heads: &mut BTreeMap<MatchNo, Head>,
    ) -> Option<Foot> {
        let (ReplyTo::Chair { chair, .. }, Some(no)) = (&notice.reply, notice.game) else {
            return None;
        };
        let registry = self.records();
        let new = decision.changes.games.get(&no).cloned();
        let game = new.or_else(|| registry.game(no))?;
        let tip = &game.fair.tip;
        let last = tip.next.checked_sub(1)?;
        let head = heads.entry(no).or_insert_with(|| {
            let key = || HeadKey::of_server(&self.office.key);
            self.signer.get_or_init(key).sign(&game.gid, last, &tip.h)
        });
        let from = registry.told(no, *chair);
        let mut entries = registry.entries(no, from);
        entries.extend(decision.changes.entries(no, from));
        Some(Foot {
            entries: entries.into_iter().map(|(_, line)| line).collect(),
            head: head.clone(),
        })
    }
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
