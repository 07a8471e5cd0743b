//! What to tell whom, as a value. A [`Notice`] becomes a mail by the template of its kind's [`NoticeKind::name`] and its
//! [`Notice::context`].
//!
//! # What every template knows
//!
//! `kind` (its name), `to_name` (the reader's alias), `game` (number or null), `tag` (`[tulpas #42]` or an empty text),
//! `ignored` (lines taken for prose; empty for a mail that answers none), and the fields of its kind. Kinds that hold a
//! [`Report`] have the report's fields flattened into the context.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

pub use super::refusal::{Refusal, Why};
use super::state::{MatchNo, PlayerNo};
use crate::rules::{Ending, Happening, Seat, View, What};

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
        let mut context = self.kind.fields();
        if let Json::Object(map) = &mut context {
            map.insert("kind".into(), json!(self.kind.name()));
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
    },
    /// The match did not come about.
    Voided {
        /// The match.
        about: MatchInfo,
        /// Alias of who declined or withdrew.
        by: String,
        /// True in the mail to him.
        yourself: bool,
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
    /// The record so far.
    History {
        /// The match.
        about: MatchInfo,
        /// Its lines (record format).
        lines: Vec<String>,
    },
    /// An order was not obeyed, and with it the whole letter.
    Refused(Refusal),
    /// A sender is asked whether he wrote that; commands, never a card.
    Confirm {
        /// What he answers with; also in the Reply-To.
        code: String,
        /// Number of lines that wait.
        orders: usize,
        /// Where the letter came from, masked, where it was another address.
        from: Option<String>,
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
            | NoticeKind::History { about, .. } => Some(about.no),
            NoticeKind::Begun(r)
            | NoticeKind::YourMove(r)
            | NoticeKind::News(r)
            | NoticeKind::Understood(r)
            | NoticeKind::Board(r)
            | NoticeKind::Preview(r)
            | NoticeKind::Over(r)
            | NoticeKind::Reminder(r) => Some(r.about.no),
            NoticeKind::Several(parts) => parts.iter().find_map(NoticeKind::about),
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
            NoticeKind::Done { .. } => "done",
            NoticeKind::Begun(_) => "begun",
            NoticeKind::YourMove(_) => "your_move",
            NoticeKind::News(_) => "news",
            NoticeKind::Understood(_) => "understood",
            NoticeKind::Board(_) => "board",
            NoticeKind::Preview(_) => "preview",
            NoticeKind::Over(_) => "over",
            NoticeKind::Reminder(_) => "reminder",
            NoticeKind::History { .. } => "history",
            NoticeKind::Refused(_) => "refused",
            NoticeKind::Confirm { .. } => "confirm",
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

/// A game as the list of games tells it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameInfo {
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Inventor.
    pub inventor: String,
    /// Year.
    pub year: Option<u16>,
    /// One sentence.
    pub summary: String,
    /// What is not certain about it.
    pub doubt: Option<String>,
    /// Names of the seats.
    pub seats: Vec<String>,
    /// Names of the arrays, the default first.
    pub arrays: Vec<String>,
    /// Other options: key, values, one sentence.
    pub options: Vec<(String, Vec<String>, String)>,
    /// Pieces: letter, name.
    pub pieces: Vec<(char, String)>,
    /// Name of the family of rules, in lower case: `maces`.
    pub family: String,
}

/// A match in a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MatchInfo {
    /// Number.
    pub no: MatchNo,
    /// Id of the game.
    pub game: String,
    /// Title.
    pub title: String,
    /// `inviting`, `seeking`, `playing`, `over`, `void`.
    pub stage: String,
    /// Who takes part.
    pub people: Vec<Person>,
    /// Options that are not default, as `array=A2`.
    pub options: Vec<String>,
    /// Days for a turn; 0: no limit.
    pub days: u32,
    /// Number of the turn.
    pub turn: u32,
    /// Does the reader owe something?
    pub yours: bool,
    /// How it ended.
    pub ending: Option<Ending>,
}

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Person {
    /// Name of the seat, where it is known.
    pub seat: Option<String>,
    /// Alias.
    pub name: String,
    /// Is it the reader?
    pub you: bool,
    /// Has he accepted?
    pub accepted: bool,
    /// Does he owe something?
    pub awaited: bool,
}

/// A small thing done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Deed {
    /// A name was chosen.
    Named {
        /// Which.
        name: String,
    },
    /// A setting.
    Set {
        /// Which.
        key: String,
        /// What.
        value: String,
    },
    /// Somebody is blocked.
    Blocked {
        /// Who; empty where he has no name for the reader.
        name: String,
    },
    /// Nothing was asked.
    Nothing,
}

/// Everything a mail about a match says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The match.
    pub about: MatchInfo,
    /// Its public id.
    pub gid: String,
    /// Events so far.
    pub entry: u32,
    /// The reader's seat.
    pub you: Option<Seat>,
    /// Aliases by seat, in the order of the seats.
    pub names: Vec<String>,
    /// Aliases of the others, joined by `and`.
    pub others: String,
    /// What happened, in order.
    pub news: Vec<News>,
    /// Why this comes, where it is no news: `asked`, `already_played`, `stale`, `not_understood`.
    pub why: Option<String>,
    /// The position as the reader may see it.
    pub view: View,
    /// Number of the turn.
    pub turn: u32,
    /// What the reader owes: `turn`, `pick`, `guess`, `place`, `start`, `exchange`.
    pub owed: Option<String>,
    /// What he may answer: cards, placements, or a few legal steps as examples.
    pub choices: Vec<String>,
    /// May he end his turn at once?
    pub may_end: bool,
    /// Seats of others who owe something.
    pub awaited: Vec<Seat>,
    /// The cards for the next summoning of each other seat that a `guess` may still be sent ahead for.
    pub guess_ahead: Vec<String>,
    /// Receipts for the reader's own cards.
    pub receipts: Vec<Receipt>,
    /// Lines that were carried out.
    pub understood: Vec<String>,
    /// Who offers a draw to whom the reader belongs.
    pub draw_offer: Option<Seat>,
    /// Why a draw may be claimed.
    pub draw_claim: Option<String>,
    /// When time runs out.
    pub deadline: Option<Timestamp>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// What is not certain about the game, in the first mail.
    pub doubt: Option<String>,
}

/// One thing that happened in a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum News {
    /// The referee was away, or its clock was set: the deadline moved along.
    ClockMoved {
        /// Whole hours, rounded up.
        hours: i64,
    },
    /// Somebody agreed to play.
    Joined {
        /// Alias.
        name: String,
    },
    /// A turn.
    Played {
        /// Whose.
        seat: Seat,
        /// Canonical steps.
        steps: Vec<String>,
        /// How many of the last the referee played, since nothing else was possible.
        forced: usize,
    },
    /// A card lies face down.
    CardDown {
        /// Whose.
        seat: Seat,
        /// For which turn.
        turn: u32,
        /// Its commitment.
        commitment: String,
    },
    /// The cards were turned over.
    Opened {
        /// Whose summoning.
        seat: Seat,
        /// The cards; empty with `reveal=outcome`.
        cards: Vec<(Seat, String)>,
        /// What was created.
        created: Option<String>,
    },
    /// The last card: no picks.
    Certain {
        /// Whose.
        seat: Seat,
        /// Which.
        card: String,
    },
    /// The cards matched, but no home square is vacant.
    NoRoom {
        /// Whose.
        seat: Seat,
    },
    /// A man was placed.
    Placed {
        /// Whose.
        seat: Seat,
        /// Canonical text.
        text: String,
        /// By the referee, since only one square was possible.
        forced: bool,
    },
    /// Dice fell.
    Rolled {
        /// At whose turn.
        seat: Seat,
        /// For which armies what fell.
        dice: Vec<(Seat, Vec<u16>)>,
    },
    /// A seat was passed over.
    Passed {
        /// Which.
        seat: Seat,
    },
    /// The starting seat.
    Started {
        /// Which.
        seat: Seat,
    },
    /// An exchange was decided.
    Exchange {
        /// By whom.
        seat: Seat,
        /// How.
        choice: String,
    },
    /// Anything else.
    Remark {
        /// In words.
        text: String,
    },
    /// The match ended.
    Ended {
        /// Winning seats; empty for a draw.
        winners: Vec<Seat>,
        /// Why.
        reason: String,
    },
    /// Conditional orders are stored.
    Planned {
        /// For which turn.
        turn: u32,
        /// If created.
        created: Option<String>,
        /// If not.
        otherwise: Option<String>,
    },
    /// The reader's own conditional order cannot be played.
    PlanFailed {
        /// The order.
        text: String,
        /// Why.
        why: Box<Why>,
    },
    /// A move was sent along, but the Tulpa came and changed the board: it was not played.
    PlanMoot {
        /// The order.
        text: String,
    },
    /// A card lies there already and is the same.
    CardStays {
        /// For which turn.
        turn: u32,
    },
    /// A draw is offered.
    DrawOffered {
        /// By whom.
        seat: Seat,
    },
    /// The offer is declined.
    DrawDeclined {
        /// By whom.
        seat: Seat,
    },
    /// A player writes.
    Said {
        /// Who.
        seat: Seat,
        /// What.
        text: String,
    },
    /// Time has run out for somebody.
    TimeOver {
        /// Who.
        seats: Vec<Seat>,
    },
    /// Stored orders were forgotten.
    Forgotten,
}

impl News {
    /// Of a happening; `both` is false where cards stay hidden. `None` where nobody is told.
    pub fn of(h: &Happening, both: bool) -> Option<News> {
        Some(match h.clone() {
            Happening::Played {
                seat,
                steps,
                forced,
            } => News::Played {
                seat,
                steps,
                forced,
            },
            Happening::Picked { .. } => return None,
            Happening::Opened {
                seat,
                cards,
                created,
            } => News::Opened {
                seat,
                cards: if both { cards } else { Vec::new() },
                created,
            },
            Happening::Certain { seat, card } => News::Certain { seat, card },
            Happening::NoRoom { .. } if !both => return None,
            Happening::NoRoom { seat } => News::NoRoom { seat },
            Happening::Placed { seat, text, forced } => News::Placed { seat, text, forced },
            Happening::Rolled { seat, dice } => News::Rolled { seat, dice },
            Happening::Passed { seat } => News::Passed { seat },
            Happening::Started { seat } => News::Started { seat },
            Happening::Exchange { seat, choice } => News::Exchange { seat, choice },
            Happening::Remark(text) => News::Remark { text },
            Happening::Ended(Ending { winners, reason }) => News::Ended { winners, reason },
        })
    }
    /// Is it worth a mail of its own to the others? A card that lies face down is told with the next mail.
    pub fn worth_a_mail(&self) -> bool {
        !matches!(self, News::CardDown { .. })
    }
}

/// The picker's proof of his card (trust.md 4).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// For which turn.
    pub turn: u32,
    /// The card.
    pub card: String,
    /// 64 hex digits.
    pub nonce: String,
    /// 64 hex digits; public.
    pub commitment: String,
    /// Shell commands that print the commitment.
    pub check: Vec<String>,
}

/// The word by which a template knows what is owed; the other's card is a guess.
pub fn owed_word(what: What, mover: bool) -> &'static str {
    match what {
        What::Turn => "turn",
        What::Pick if mover => "pick",
        What::Pick => "guess",
        What::Place => "place",
        What::Start => "start",
        What::Exchange => "exchange",
    }
}
