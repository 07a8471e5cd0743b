//! What to tell whom, as a value. A [`Notice`] becomes a mail by the template of its kind's [`NoticeKind::name`] and its
//! [`Notice::context`].
//!
//! # What every template knows
//!
//! `kind` (its name), `to_name` (the reader's alias), `game` (number or null), `tag` (`[tulpas #42]` or an empty text),
//! `ignored` (lines taken for prose; empty for a mail that answers none), and the fields of its kind. Kinds that hold a
//! [`Report`] have the report's fields flattened into the context.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

pub use super::dice::DiceCheck;
pub use super::gallery::StandingRow;
pub use super::listing::{GameInfo, MatchInfo, Person};
pub use super::proofs::{Down, Opening, Receipt};
pub use super::refusal::{Refusal, Why};
pub(super) use super::report::owed_by;
pub use super::report::{Deed, News, Report, owed_word};
pub use super::seeds::{SeedRow, SeedTable};
use super::state::{MatchNo, PlayerNo};
use crate::rules::{Seat, View};

/// Who gets it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum To {
    /// A player, at his registered address.
    Player(PlayerNo),
    /// An address that belongs to no player yet.
    Address(String),
}

/// What the Reply-To proves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ReplyTo {
    /// Nothing; the plain address.
    Plain,
    /// A chair of a match: `ref+<gid>.<chair>.<tok>`, tok = `fair::token::reply_token(key, gid, chair, epoch)`.
    Chair {
        /// Public id of the match.
        gid: String,
        /// Index of the chair.
        chair: u8,
        /// The player's epoch.
        epoch: u32,
    },
    /// A held letter: `ref+confirm.0.<code>`.
    Code(String),
}

/// One mail to be written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Notice {
    /// To whom.
    pub to: To,
    /// Alias of the reader; empty where he has none.
    pub to_name: String,
    /// About which match.
    pub game: Option<MatchNo>,
    /// Its public id.
    pub gid: Option<String>,
    /// Names of the seats of the match, for the filters of the templates; empty without a match.
    pub seats: Vec<String>,
    /// The reader's seat: from whose side boards are drawn.
    pub seat: Option<Seat>,
    /// Where an answer goes.
    pub reply: ReplyTo,
    /// Events of the match so far: the ledger entry that the mail shows.
    pub entry: u32,
    /// Number of the turn it shows; the store keeps it for `Registry::mail_by_message_id`.
    pub turn: u32,
    /// True for the one answer to a letter: In-Reply-To that letter.
    pub answer: bool,
    /// `[tulpas #42]`, or an empty text.
    pub tag: String,
    /// Lines of the letter that were taken for prose.
    pub ignored: Vec<String>,
    /// The reader's settings (`board`, `timezone`, ..).
    pub settings: std::collections::BTreeMap<String, String>,
    /// What.
    pub kind: NoticeKind,
}

impl Notice {
    /// The template's context: a JSON object.
    pub fn context(&self) -> Json {
        self.context_of(&self.kind)
    }

    /// The context of one part of a notice of several.
    pub fn context_of(&self, kind: &NoticeKind) -> Json {
        let mut context = kind.fields();
        if let Json::Object(map) = &mut context {
            map.insert("kind".into(), json!(kind.name()));
            map.insert("to_name".into(), json!(self.to_name));
            // In a mail of several answers each part speaks of its own match.
            let about = map
                .get("about")
                .and_then(|a| Some((a.get("no")?.as_u64()?, a.get("game")?.as_str()?)));
            let (game, tag) = match about {
                Some((no, game)) => (json!(no), format!("[{game} #{no}]")),
                None => (json!(self.game), self.tag.clone()),
            };
            map.insert("game".into(), game);
            map.insert("tag".into(), json!(tag));
            map.insert("ignored".into(), json!(self.ignored));
        }
        context
    }
}

/// What a notice says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum NoticeKind {
    /// A help topic, `help` for the overview; the words are in `templates/help/`.
    Help {
        /// The topic, a name of a help text or what was asked for.
        topic: String,
    },
    /// What can be played.
    Games {
        /// All games.
        games: Vec<GameInfo>,
    },
    /// A game's rules.
    Rules {
        /// The game.
        about: GameInfo,
    },
    /// How its moves are written; the words are in `templates/help/`.
    Notation {
        /// The game.
        about: GameInfo,
    },
    /// The writer's games.
    Status {
        /// His matches.
        matches: Vec<MatchInfo>,
    },
    /// Matches that anyone may join.
    Seeks {
        /// All.
        seeks: Vec<MatchInfo>,
    },
    /// A stranger or player is invited.
    Invitation {
        /// The match.
        about: MatchInfo,
        /// Alias of the inviter.
        by: String,
        /// The game.
        rules: GameInfo,
        /// True where he never wrote: `block` is offered and the rest explained.
        stranger: bool,
    },
    /// The opener's answer: invitations are out, or the seek stands.
    Proposed {
        /// The match.
        about: MatchInfo,
        /// The game.
        rules: GameInfo,
        /// What the players gave to its dice.
        seeds: SeedTable,
        /// `seed` where the reader has just given his, else `proposed`.
        why: String,
    },
    /// The match did not come about.
    Voided {
        /// The match.
        about: MatchInfo,
        /// Alias of who declined or withdrew.
        by: String,
        /// True in the mail to him.
        yourself: bool,
        /// True where `by` did not open a seed in time.
        late: bool,
    },
    /// How the seeds of a match stand: somebody is awaited before it can begin.
    Seeds {
        /// The match.
        about: MatchInfo,
        /// The seeds.
        seeds: SeedTable,
        /// True where the reader is awaited since long.
        reminder: bool,
    },
    /// Small things done, one sentence each: a name, a setting, a block.
    Done {
        /// What.
        done: Vec<Deed>,
    },
    /// The match has begun.
    Begun(Report),
    /// Something happened and the reader owes something.
    YourMove(Report),
    /// Something happened and the reader owes nothing.
    News(Report),
    /// The answer to a letter that did something.
    Understood(Report),
    /// The board as it stands; `why` says why it comes.
    Board(Report),
    /// What a turn would do; nothing was played.
    Preview(Report),
    /// The match is over.
    Over(Report),
    /// Time runs.
    Reminder(Report),
    /// A match that the reader looks on.
    Watched(Report),
    /// How all players stand.
    Standings {
        /// In one game only.
        which: Option<String>,
        /// The best first.
        rows: Vec<StandingRow>,
        /// How many are not shown.
        more: usize,
    },
    /// The record so far.
    History {
        /// The match.
        about: MatchInfo,
        /// Its lines (record format).
        lines: Vec<String>,
        /// Its ledger as a file, signed now; for `export`.
        ledger: Option<String>,
        /// The ledger is longer than a mail should be.
        long: bool,
    },
    /// An order was not obeyed, and with it the whole letter.
    Refused(Refusal),
    /// A sender is asked whether he wrote that; commands, never a card.
    Confirm {
        /// What he answers with; also in the Reply-To.
        code: String,
        /// What would be carried out, line by line; no message, no other person's address.
        lines: Vec<String>,
        /// The match it answers, if it answers one.
        about_game: Option<MatchNo>,
        /// When it came.
        received: Timestamp,
        /// Where the letter came from, masked, where it was another address.
        from: Option<String>,
        /// True where no further letter of this kind is answered today.
        last: bool,
        /// True where he wants to leave a match, which means to resign it.
        leave: bool,
    },
    /// The Keeper did something to the reader himself: `replaced`, `banned`, `unbanned`.
    Keeper {
        /// Which.
        deed: String,
        /// What he says; may be empty.
        why: String,
    },
    /// Several answers in one mail.
    Several(Vec<NoticeKind>),
}

impl NoticeKind {
    /// The match it speaks of, if it speaks of one.
    pub fn about(&self) -> Option<MatchNo> {
        match self {
            NoticeKind::Invitation { about, .. }
            | NoticeKind::Proposed { about, .. }
            | NoticeKind::Voided { about, .. }
            | NoticeKind::Seeds { about, .. }
            | NoticeKind::History { about, .. } => Some(about.no),
            NoticeKind::Begun(r)
            | NoticeKind::YourMove(r)
            | NoticeKind::News(r)
            | NoticeKind::Understood(r)
            | NoticeKind::Board(r)
            | NoticeKind::Preview(r)
            | NoticeKind::Over(r)
            | NoticeKind::Watched(r)
            | NoticeKind::Reminder(r) => Some(r.about.no),
            NoticeKind::Several(parts) => parts.iter().find_map(NoticeKind::about),
            _ => None,
        }
    }
    /// Takes its position out, for who hands that to a template as it is.
    pub fn take_view(&mut self) -> Option<Arc<View>> {
        match self {
            NoticeKind::Begun(r)
            | NoticeKind::YourMove(r)
            | NoticeKind::News(r)
            | NoticeKind::Understood(r)
            | NoticeKind::Board(r)
            | NoticeKind::Preview(r)
            | NoticeKind::Over(r)
            | NoticeKind::Watched(r)
            | NoticeKind::Reminder(r) => Some(std::mem::take(&mut r.view)),
            _ => None,
        }
    }
    /// Name of the template: `templates/en/<name>.txt`.
    pub fn name(&self) -> &'static str {
        match self {
            NoticeKind::Help { .. } => "help",
            NoticeKind::Games { .. } => "games",
            NoticeKind::Rules { .. } => "rules",
            NoticeKind::Notation { .. } => "notation",
            NoticeKind::Status { .. } => "status",
            NoticeKind::Seeks { .. } => "seeks",
            NoticeKind::Invitation { .. } => "invitation",
            NoticeKind::Proposed { .. } => "proposed",
            NoticeKind::Voided { .. } => "voided",
            NoticeKind::Seeds { .. } => "seeds",
            NoticeKind::Done { .. } => "done",
            NoticeKind::Begun(_) => "begun",
            NoticeKind::YourMove(_) => "your_move",
            NoticeKind::News(_) => "news",
            NoticeKind::Understood(_) => "understood",
            NoticeKind::Board(_) => "board",
            NoticeKind::Preview(_) => "preview",
            NoticeKind::Over(_) => "over",
            NoticeKind::Reminder(_) => "reminder",
            NoticeKind::Watched(_) => "watched",
            NoticeKind::Standings { .. } => "standings",
            NoticeKind::History { .. } => "history",
            NoticeKind::Refused(_) => "refused",
            NoticeKind::Confirm { .. } => "confirm",
            NoticeKind::Keeper { .. } => "keeper",
            NoticeKind::Several(_) => "several",
        }
    }
    /// Its fields as a JSON object. `Several` gives `parts`: post renders each by itself and puts the texts one below the
    /// other, with the first subject.
    pub fn fields(&self) -> Json {
        let value = serde_json::to_value(self).unwrap_or(Json::Null);
        match value {
            // Externally tagged: {"YourMove": {..}}.
            Json::Object(map) if map.len() == 1 => match map.into_iter().next() {
                Some((_, Json::Object(fields))) => Json::Object(fields),
                Some((_, other)) => json!({ "parts": other }),
                None => json!({}),
            },
            _ => json!({}),
        }
    }
}
