//! What a mail about a match says: the board, what happened, what is owed, and what proves the cards.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::clock::Reading;
use super::dice::DiceCheck;
use super::listing::MatchInfo;
use super::proofs::{Down, Opening, Receipt};
use super::refusal::Why;
use super::state::{Match, Note};
use crate::rules::{Ending, Happening, Seat, View, What};

/// A seat and who holds it, in games of more than two.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RosterLine {
    /// Which.
    pub seat: Seat,
    /// Alias.
    pub name: String,
    /// Is it the reader?
    pub you: bool,
    /// Is it the reader's partner?
    pub partner: bool,
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
    /// Leave.
    Away {
        /// From when.
        from: Timestamp,
        /// To when.
        to: Timestamp,
        /// In how many matches clocks stand still.
        games: usize,
        /// Matches in which the leave is used up before, and when.
        short: Vec<(u32, Timestamp)>,
    },
    /// Leave is over.
    Back,
    /// How to hear nothing more, where there is nothing to leave.
    Leaving,
    /// No more mails about a match that the reader looked on.
    Unwatched {
        /// Which.
        game: u32,
    },
    /// The Keeper was asked to erase the player.
    EraseAsked,
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
    /// The reader's seat; of several the one that is asked now.
    pub you: Option<Seat>,
    /// All seats of the reader.
    pub yours: Vec<Seat>,
    /// Who sits where, in games of more than two seats; else empty.
    pub roster: Vec<RosterLine>,
    /// Aliases by seat, in the order of the seats.
    pub names: Vec<String>,
    /// Aliases of the opponents, joined by `and`.
    pub others: String,
    /// What happened, in order.
    pub news: Vec<News>,
    /// Why this comes, where it is no news: `asked`, `already_played`, `stale`, `not_understood`.
    pub why: Option<String>,
    /// The position as the reader may see it.
    pub view: Arc<View>,
    /// Number of the turn.
    pub turn: u32,
    /// What the reader owes: `turn`, `pick`, `guess`, `open`, `place`, `start`, `exchange`.
    pub owed: Option<String>,
    /// What he may answer: cards, placements, or a few legal steps as examples.
    pub choices: Vec<String>,
    /// May he end his turn at once?
    pub may_end: bool,
    /// Seats of others who owe something.
    pub awaited: Vec<Seat>,
    /// The cards for the next summoning of each other seat that a `guess` may still be sent ahead for.
    pub guess_ahead: Vec<String>,
    /// Cards of the others that lie face down.
    pub down: Vec<Down>,
    /// Receipts for the reader's own cards.
    pub receipts: Vec<Receipt>,
    /// Lines that were carried out.
    pub understood: Vec<String>,
    /// Who offers a draw to whom the reader belongs.
    pub draw_offer: Option<Seat>,
    /// A partner who wants to resign and waits for the reader to agree.
    pub yielding: Option<Seat>,
    /// Who asks to take back a turn, if not the reader.
    pub undo_offer: Option<Seat>,
    /// Why a draw may be claimed.
    pub draw_claim: Option<String>,
    /// How the rolls among the news are checked.
    pub dice: Option<DiceCheck>,
    /// What the reader noted for himself.
    pub my_notes: Vec<Note>,
    /// When the reader's time runs out.
    pub deadline: Option<Timestamp>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// The step that ended it on the board.
    pub ending_step: Option<String>,
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
    /// The cards were turned over.
    Opened {
        /// Whose summoning.
        seat: Seat,
        /// The cards; empty with `reveal=outcome`.
        cards: Vec<(Seat, String)>,
        /// What was created.
        created: Option<String>,
        /// What proves the cards; empty with `reveal=outcome`.
        openings: Vec<Opening>,
    },
    /// All cards of a match in which they stayed hidden, now that it is over.
    Openings {
        /// By turn.
        openings: Vec<Opening>,
    },
    /// All cards of a turn are down, and some must be opened by those who laid them down.
    OpeningAsked {
        /// Whose.
        seats: Vec<Seat>,
        /// Of which turn.
        turn: u32,
        /// Until when.
        until: Timestamp,
    },
    /// The reader has opened his card; it is kept until the others are open.
    OpeningKept {
        /// For which turn.
        turn: u32,
    },
    /// No card came in time, so the dice laid one down, in the sight of all.
    CardDrawn {
        /// For whom.
        seat: Seat,
        /// For which turn.
        turn: u32,
        /// Which.
        card: String,
    },
    /// The time for a card is over; the dice lay one down as soon as the other is down.
    CardOverdue {
        /// Whose.
        seats: Vec<Seat>,
    },
    /// The cards are decided, though somebody did not open his.
    Defaulted {
        /// Whose summoning.
        seat: Seat,
        /// Who did not open his card.
        late: Vec<Seat>,
        /// Who opened one that is not left.
        spent: Vec<Seat>,
        /// Do the cards count as equal?
        counts: bool,
        /// What was created.
        created: Option<String>,
        /// What proves the cards that are open; empty with `reveal=outcome`.
        openings: Vec<Opening>,
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
    /// Replies to the opponent's next turn are stored.
    Replies {
        /// For which turn.
        turn: u32,
        /// His turn, the reply.
        pairs: Vec<(String, String)>,
    },
    /// The opponent played something that no stored reply was for.
    NoReplyFits,
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
    /// One of several who must agree to the draw does.
    DrawAgreed {
        /// Who.
        seat: Seat,
        /// Seats that have not agreed yet.
        missing: Vec<Seat>,
    },
    /// A seat wants to resign, which takes its partner too; told to the partnership alone.
    Yielded {
        /// Which.
        seat: Seat,
    },
    /// The offer is declined.
    DrawDeclined {
        /// By whom.
        seat: Seat,
    },
    /// Somebody asks to take back.
    UndoAsked {
        /// Who.
        seat: Seat,
    },
    /// That is declined.
    UndoDeclined {
        /// By whom.
        seat: Seat,
    },
    /// It is taken back.
    Undone {
        /// Whose turn.
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
        /// True where the match ends by itself.
        auto: bool,
    },
    /// The clocks, asked for.
    Clocks {
        /// Of all seats.
        clocks: Vec<Reading>,
    },
    /// The reader's own words to himself.
    Noted {
        /// What.
        text: String,
    },
    /// Stored orders were forgotten.
    Forgotten,
    /// The Keeper did something.
    Keeper {
        /// `hold`, `resume`, `void`, `adjudicate`, `extend`, `replace`.
        deed: String,
        /// What he says; may be empty.
        why: String,
        /// Days of `extend`.
        days: u32,
        /// Alias of the new player of `replace`.
        name: String,
        /// The seat of `replace`.
        seat: Option<Seat>,
    },
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
                openings: Vec::new(),
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
    /// Of a line of the record, for somebody who was not told at once. `None` for what is told otherwise.
    pub fn of_line(line: &str, book: &crate::rules::Rulebook) -> Option<News> {
        let line: Json = serde_json::from_str(line).ok()?;
        let named = |name: &Json| book.seat_named(name.as_str()?);
        let seat = named(line.get("seat")?)?;
        let word = |key: &str| line.get(key).and_then(Json::as_str).map(str::to_owned);
        Some(if let Some(steps) = line.get("steps") {
            News::Played {
                seat,
                steps: serde_json::from_value(steps.clone()).ok()?,
                forced: 0,
            }
        } else if let Some(text) = word("place") {
            News::Placed {
                seat,
                text,
                forced: false,
            }
        } else if let Some(choice) = word("exchange") {
            News::Exchange { seat, choice }
        } else if let Some(Json::Object(dice)) = line.get("roll") {
            let fell = |(army, dice): (&String, &Json)| {
                Some((
                    book.seat_named(army)?,
                    serde_json::from_value(dice.clone()).ok()?,
                ))
            };
            News::Rolled {
                seat,
                dice: dice.iter().filter_map(fell).collect(),
            }
        } else if line.get("start").is_some() {
            News::Started { seat }
        } else if line.get("pass").is_some() {
            News::Passed { seat }
        } else {
            return None;
        })
    }
    /// Is it worth a mail to somebody who owes nothing, in a match of more than two seats? One mail for each turn of
    /// another is enough: what belongs to it (exchange, placements, the next roll) is told with the next.
    pub fn is_turn(&self) -> bool {
        !matches!(
            self,
            News::Exchange { .. } | News::Placed { .. } | News::Rolled { .. } | News::Passed { .. }
        )
    }
    /// Is it worth a mail even to somebody who wants none about others' turns (`set news=mine`)?
    pub fn is_personal(&self) -> bool {
        matches!(
            self,
            News::Said { .. }
                | News::Ended { .. }
                | News::DrawOffered { .. }
                | News::Yielded { .. }
                | News::TimeOver { .. }
                | News::CardOverdue { .. }
                | News::CardDrawn { .. }
                | News::Defaulted { .. }
        )
    }
    /// Does it turn over the card of that seat for that turn?
    pub fn opens(&self, seat: Option<Seat>, turn: u32) -> bool {
        let (News::Opened { openings, .. } | News::Defaulted { openings, .. }) = self else {
            return false;
        };
        openings
            .iter()
            .any(|o| Some(o.seat) == seat && o.turn == turn)
    }
}

/// What a seat owes, as [`owed_word`] says it; `open`: its own card.
pub(super) fn owed_by(m: &Match, seat: Seat, mover: bool) -> Option<String> {
    let what = m.owed(seat).map(|what| owed_word(what, mover));
    let open = || m.must_open(seat).then_some("open");
    what.or_else(open).map(str::to_owned)
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
