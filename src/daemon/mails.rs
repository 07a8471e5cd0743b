//! From notices to mails, fully written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::budget::is_answer;
use super::{Daemon, Trouble};
use crate::fair::head::{Head, HeadKey};
use crate::post::guard::{Allowed, Leak, Opened};
use crate::post::mailing::{Foot, Job};
use crate::referee::authority::CODE_CHARS;
use crate::referee::keeper::Deed;
use crate::referee::order::{Order, Read};
use crate::referee::secrets::{Secrets, secrets};
use crate::referee::state::{Match, MatchNo, Registry as _, Stage};
use crate::referee::{Decision, Event, Notice, NoticeKind, Overlay, ReplyTo, To, apply};
use crate::store::NewMail;
use crate::store::records::{Shelved, lane};

/// Mails of one transaction are numbered from its number times this.
const MAILS_MAX: u64 = 1000;

/// Matches of a reader that are looked at where a mail is about none of them.
const PLAYING_MAX: usize = 20;

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
    /// the same transaction. `registry` is what the decision was made on: what it has read need not be read again.
    pub(super) fn mails(
        &self,
        registry: &Shelved,
        decision: &mut Decision,
        answers: Option<&Read>,
        now: Timestamp,
    ) -> (Vec<NewMail>, Vec<Stopped>) {
        let (mails, stopped) = self.written(registry, decision, answers, now);
        let mut held = false;
        for game in stopped.iter().filter_map(|s| s.game) {
            held |= hold(registry, decision, game, now);
        }
        if held {
            // the feet of those that may go show the hold
            let (mails, _) = self.written(registry, decision, answers, now);
            return (mails, stopped);
        }
        (mails, stopped)
    }

    /// Tells the Keeper of mails that were not let out.
    pub(super) fn tell_stopped(&mut self, stopped: &[Stopped]) -> Result<(), Trouble> {
        for stop in stopped {
            let (kind, leak) = (stop.kind, stop.leak.words());
            let text = match stop.game {
                Some(game) => format!(
                    "a mail `{kind}` about match {game} would have told its reader {leak}: it was not sent, and the match \
                     stands still; please report this, then `tulpa keep resume`"
                ),
                None => format!(
                    "a mail `{kind}` would have told its reader {leak}: it was not sent; please report this"
                ),
            };
            self.alarm("a mail that tells a secret", &text)?;
        }
        Ok(())
    }

    /// What must not stand in the mail that this notice becomes, and of which match it is.
    fn leak(
        &self,
        registry: &Overlay,
        decision: &Decision,
        (notice, foot, answers): (&Notice, Option<&Foot>, Option<&Read>),
        bytes: &[u8],
    ) -> Option<(Option<MatchNo>, Leak)> {
        let Some(opened) = Opened::of(bytes) else {
            return Some((notice.game, Leak::Closed));
        };
        let reader = match &notice.to {
            To::Player(no) => Some(*no),
            To::Address(_) => None,
        };
        let games = concerned(registry, decision, notice, answers);
        let mut allowed = Allowed {
            values: foot.map(|f| f.head.values().into()).unwrap_or_default(),
            typed: answers.map(typed).unwrap_or_default(),
            // what it asks about was written in its reader's name
            answer: is_answer(notice),
        };
        for m in &games {
            let mine = reader.map(|p| m.seats_of(p)).unwrap_or_default();
            for note in m.notes.iter().filter(|n| mine.contains(&n.seat)) {
                allowed.typed.push_str(&note.text);
                allowed.typed.push('\n');
            }
        }
        // with the secrets of a match those of the house are looked for
        let house = games.is_empty().then(|| Secrets::of_house(registry));
        if let Some(leak) = house.and_then(|h| opened.tells(&h, &allowed)) {
            return Some((notice.game, leak));
        }
        if let Some(leak) = self.tells_person(registry, notice, &opened, &allowed) {
            return Some((notice.game, leak));
        }
        games.iter().find_map(|m| {
            let all = secrets(registry, m, reader);
            if let Some(foot) = foot.filter(|_| Some(m.no) == notice.game) {
                let lines = foot.entries.iter().map(String::as_str);
                allowed.values.extend(all.published(lines));
            }
            opened.tells(&all, &allowed).map(|leak| (Some(m.no), leak))
        })
    }

    /// Does it tell anybody's address but the reader's, or a code that is not its own?
    fn tells_person(
        &self,
        registry: &Overlay,
        notice: &Notice,
        opened: &Opened,
        allowed: &Allowed,
    ) -> Option<Leak> {
        let typed = allowed.typed.to_lowercase();
        let own = match &notice.kind {
            NoticeKind::Confirm { code, .. } => code.as_str(),
            _ => "",
        };
        let mut codes = opened.codes(CODE_CHARS).collect::<BTreeSet<_>>();
        codes.retain(|c| *c != own && !typed.contains(c));
        if codes.iter().any(|c| registry.held(c).is_some()) {
            return Some(Leak::Code);
        }
        let house = self.own.as_str().to_lowercase();
        let mut addresses = opened.addresses().collect::<BTreeSet<_>>();
        addresses.retain(|a| *a != house && !typed.contains(a));
        let told = addresses.iter().find(|a| {
            let owner = registry.player_by_address(a);
            match &notice.to {
                To::Player(reader) => owner.is_some_and(|o| o != *reader),
                To::Address(to) => owner.is_some() && !to.eq_ignore_ascii_case(a),
            }
        });
        told.map(|_| Leak::Address)
    }

    fn written(
        &self,
        registry: &Shelved,
        decision: &Decision,
        answers: Option<&Read>,
        now: Timestamp,
    ) -> (Vec<NewMail>, Vec<Stopped>) {
        let staged = u64::from(self.store.staged_mails());
        let first = (self.store.head().0 + 1) * MAILS_MAX + staged;
        let mut mails = Vec::new();
        let mut stopped = Vec::new();
        let mut after = Overlay::new(registry);
        after.changes = decision.changes.clone();
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
            let foot = self.foot(registry, decision, notice, &mut heads);
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
            if let Some((game, leak)) = self.leak(&after, decision, about, &mail.bytes) {
                stopped.push(Stopped {
                    game,
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

    /// The entries that a seat was not mailed yet, under a head that is signed now, once for all mails of a match.
    fn foot(
        &self,
        registry: &Shelved,
        decision: &Decision,
        notice: &Notice,
        heads: &mut BTreeMap<MatchNo, Head>,
    ) -> Option<Foot> {
        let (ReplyTo::Chair { chair, .. }, Some(no)) = (&notice.reply, notice.game) else {
            return None;
        };
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

/// Adds a hold to a decision, where its match is under way.
fn hold(registry: &Shelved, decision: &mut Decision, game: MatchNo, now: Timestamp) -> bool {
    let mut after = Overlay::new(registry);
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

/// The matches whose secrets a mail might tell: those that changed, those that it or the letter names, and those of its
/// reader where it is about none.
fn concerned(
    registry: &Overlay,
    decision: &Decision,
    notice: &Notice,
    answers: Option<&Read>,
) -> Vec<Arc<Match>> {
    let changed = decision.changes.games.iter();
    // a decision about many matches that no letter brought about is many decisions
    let his = |m: &Match| match &notice.to {
        To::Player(no) => answers.is_some() || m.chair_of(*no).is_some(),
        To::Address(_) => true,
    };
    let changed = changed.filter(|(_, m)| his(m)).map(|(no, _)| *no);
    let mut games: BTreeSet<MatchNo> = changed.collect();
    games.extend(notice.game.or(notice.kind.about()));
    if let Some(read) = answers.filter(|_| is_answer(notice)) {
        games.extend(read.parts.iter().filter_map(|p| p.game.map(MatchNo)));
        let token = read.token.as_ref().map(|t| t.gid.to_ascii_lowercase());
        games.extend(token.and_then(|gid| registry.game_by_gid(&gid)));
        let mails = read.answers.iter();
        games.extend(mails.filter_map(|id| Some(registry.mail_by_message_id(id)?.game)));
    }
    if let (To::Player(reader), None) = (&notice.to, notice.game) {
        let player = registry.player(*reader);
        let playing = player.map(|p| p.playing.clone()).unwrap_or_default();
        games.extend(playing.iter().rev().take(PLAYING_MAX));
    }
    games.iter().filter_map(|no| registry.game(*no)).collect()
}

/// What the writer of a letter typed: addresses in it are his to tell.
fn typed(read: &Read) -> String {
    let mut text = read.ignored.join("\n");
    // his mail program made it, and it comes back to him alone
    text.push('\n');
    text.push_str(&read.message_id);
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
