//! Cards of a summoning: laid down, opened, defaulted, drawn by lot (trust.md 4).
//!
//! A card lies face down for one turn and one seat, once. Where the referee holds all cards of a turn they are turned over
//! as soon as the last is down. A player may keep his to himself and give its number alone; then the referee asks for it
//! when all are down, and turns over nothing before. Who does not open in time loses the doubt; who sends no card at all
//! gets one of the dice.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::acts::{not_asked, was_created};
use super::apply::open_cards;
use super::clock::OVER;
use super::desk::{Desk, bare, mover};
use super::dice::{ChainDice, card_slot};
use super::event::Event;
use super::notice::{News, Why};
use super::proofs::{opening, receipt};
use super::state::{Holder, Match, MatchNo, Registry, Sealed, Secret, Stage, Unfit};
use crate::fair::ledger::{Entry, Kind};
use crate::fair::seal;
use crate::fair::seal::unhex;
use crate::rules::rulebook::nearest;
use crate::rules::{Dice, Happening, Seat, Table, What};

/// Hours for opening one's own card, counted by the referee whatever the clock of the match (trust.md 4).
pub const OPEN_HOURS: i64 = 48;

/// Some cards of a turn wait to be opened by those who laid them down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The turn.
    pub turn: u32,
    /// Since when.
    pub since: Timestamp,
    /// Reminders sent; [`OVER`]: the time is over.
    pub reminded: u8,
}

impl Asked {
    fn after(&self, seconds: i64) -> Option<Timestamp> {
        Timestamp::from_second(self.since.as_second().saturating_add(seconds)).ok()
    }
    /// When half, then nine tenths, then all of the time is over.
    fn due(&self) -> Option<Timestamp> {
        let whole = OPEN_HOURS * 3600;
        self.after(match self.reminded {
            0 => whole / 2,
            1 => whole / 10 * 9,
            2 => whole,
            _ => return None,
        })
    }
}

impl Match {
    /// Who is asked for a card in this turn, the mover first: the same order whoever was quicker.
    pub(super) fn pickers(&self) -> Vec<Seat> {
        let Some(table) = self.table.as_ref().filter(|_| self.stage == Stage::Playing) else {
            return Vec::new();
        };
        let asks = table.asks().into_iter();
        let mut all: Vec<Seat> = asks
            .filter(|a| a.what == What::Pick)
            .map(|a| a.seat)
            .collect();
        let first = mover(table);
        all.sort_by_key(|s| (*s != first, *s));
        all
    }
    /// Does the referee wait for this seat to open its card?
    pub fn must_open(&self, seat: Seat) -> bool {
        let down = || self.card_down(self.turn(), seat);
        self.asked.is_some() && down().is_some_and(|s| !s.known())
    }
    /// Does it wait for anything of this seat?
    pub fn is_awaited(&self, seat: Seat) -> bool {
        self.owed(seat).is_some() || self.must_open(seat)
    }
    /// When the time for opening cards is over, if it runs.
    pub fn opening_until(&self) -> Option<Timestamp> {
        let asked = self.asked.as_ref().filter(|_| self.hold.is_none())?;
        asked.after(OPEN_HOURS * 3600)
    }
    /// When the referee must look at it by itself.
    pub(super) fn opening_due(&self) -> Option<Timestamp> {
        let asked = self.asked.as_ref().filter(|_| self.hold.is_none())?;
        asked.due()
    }
    /// Moves the time for opening, as [`Match::give_time`] does with the clocks.
    pub(super) fn move_opening(&mut self, seconds: i64, at: Timestamp) {
        if let Some(asked) = &mut self.asked {
            asked.since = asked.after(seconds).unwrap_or(asked.since);
            asked.reminded = 0;
            while asked.reminded + 1 < OVER && asked.due().is_some_and(|t| t <= at) {
                asked.reminded += 1;
            }
        }
    }
}

/// Begins or ends the time for opening, after an event.
pub(super) fn follow(m: &mut Match, at: Timestamp) {
    let turn = m.turn();
    let waits = m.sealed.iter().any(|s| s.turn == turn && !s.known());
    let pickers = if waits { m.pickers() } else { Vec::new() };
    if pickers.is_empty() || pickers.iter().any(|s| m.card_down(turn, *s).is_none()) {
        m.asked = None;
    } else if m.asked.as_ref().is_none_or(|a| a.turn != turn) {
        m.asked = Some(Asked {
            turn,
            since: at,
            reminded: 0,
        });
    }
}

/// Writes what a player has opened into his card.
pub(super) fn unseal(
    m: &mut Match,
    turn: u32,
    seat: Seat,
    card: &Secret,
    nonce: &Secret,
) -> Result<(), Unfit> {
    let down = m.sealed.iter_mut();
    let down = down.filter(|s| s.turn == turn && s.seat == seat && !s.known());
    let sealed = down
        .last()
        .ok_or_else(|| Unfit::new("no card of this seat waits to be opened"))?;
    sealed.card = card.clone();
    sealed.nonce = nonce.clone();
    Ok(())
}

/// Takes out of what happened the cards that stood for those of a defaulter: nobody has laid them down.
pub(super) fn not_shown(happened: &mut [Happening]) {
    for h in happened {
        if let Happening::Opened { cards, .. } = h {
            cards.clear();
        }
    }
}

/// The cards that may still be summoned by a seat.
pub(super) fn cards_left(table: &Table, seat: Seat) -> Vec<String> {
    let picks = table.choices(seat, What::Pick);
    if mover(table) == seat && !picks.is_empty() {
        return picks.iter().map(|c| bare(c, "pick ")).collect();
    }
    let notes = table.view(None).notes;
    let note = notes
        .iter()
        .find(|(s, label, _)| *s == Some(seat) && label.contains("to come"));
    note.map(|(_, _, text)| text.split_whitespace().map(str::to_owned).collect())
        .unwrap_or_default()
}

/// The cards that the summoning under way is about, in the order of the dice that choose among them.
pub(super) fn asked_for(table: &Table) -> Vec<String> {
    cards_left(table, mover(table))
}

/// Every card the game has, spent ones too: those of both seats together, and the five of the rules page.
fn all_cards(table: &Table) -> Vec<String> {
    let mut all: Vec<String> = ["amazon", "ox", "archer", "spider", "mace"]
        .map(str::to_owned)
        .to_vec();
    for seat in 0..2 {
        all.extend(cards_left(table, Seat(seat)));
    }
    all
}

/// What a letter lays down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Laid {
    /// A card, for the referee to keep.
    Card(String),
    /// The number of a card that only the player knows.
    Number(String),
}

impl Laid {
    /// Is it what lies there?
    pub(super) fn is(&self, sealed: &Sealed) -> bool {
        match self {
            Laid::Card(card) => sealed.card.0.eq_ignore_ascii_case(card),
            Laid::Number(number) => sealed.commitment == *number,
        }
    }
}

/// The cards of a letter with the places of their lines: for an own summoning, for the other's.
pub(super) type Pair<'a> = (Option<&'a (usize, Laid)>, Option<&'a (usize, Laid)>);

/// Lays the cards of a letter down, each for the summoning it belongs to.
pub(super) fn lay(
    desk: &mut Desk,
    m: &Match,
    table: &Table,
    seat: Seat,
    (pick, guess): Pair,
) -> Result<(), (usize, Why)> {
    let now = table.turn_no();
    let moves = mover(table);
    let first = pick.or(guess).map_or(0, |(i, _)| *i);
    let Some(other) = m.rival_of(seat) else {
        return Err((first, Why::NoPicks { certain: None }));
    };
    let asked = table.asks().iter().any(|a| a.what == What::Pick);
    if let Some((i, card)) = pick {
        // The mover's own card: for the turn under way, or ahead for his next. A number is for whatever card he owes, or
        // the one that he lays down once more.
        let number = matches!(card, Laid::Number(_)) && guess.is_none();
        let again = m.card_down(now, seat).is_some_and(|s| card.is(s));
        let (whose, turn) = if moves == seat {
            (seat, now)
        } else if number && (again || m.owed(seat) == Some(What::Pick)) {
            (other, now)
        } else if number && was_drawn(desk, m.no, now, seat) {
            return Err((*i, Why::DiceWereQuicker { turn: now }));
        } else {
            (seat, now + 1)
        };
        if moves == seat && !asked {
            let why = if cards_left(table, seat).is_empty() {
                Why::NoPicks { certain: None }
            } else {
                Why::CardsAreOpen
            };
            return Err((*i, why));
        }
        down(desk, m, table, (seat, whose, turn), card).map_err(|why| (*i, why))?;
    }
    if let Some((i, card)) = guess {
        // The other's summoning: the one under way if its card is still owed, else his next.
        let turn = if moves == seat {
            now + 1
        } else if asked {
            now
        } else if was_drawn(desk, m.no, now, seat) {
            return Err((*i, Why::DiceWereQuicker { turn: now }));
        } else {
            now + 2
        };
        down(desk, m, table, (seat, other, turn), card).map_err(|why| (*i, why))?;
    }
    Ok(())
}

/// Have the dice laid down this seat's card of a turn? What crossed with them was meant for that turn.
fn was_drawn(desk: &Desk, no: MatchNo, turn: u32, seat: Seat) -> bool {
    let slot = (Some(u64::from(turn)), Some(u64::from(seat.0) + 1));
    let drawn = |e: Entry| (e.num("t"), e.num("seat")) == slot && e.get("by") == Some("dice");
    seals(desk, no).any(drawn)
}

/// Lays one card down: by whom, for whose summoning, in which turn.
fn down(
    desk: &mut Desk,
    m: &Match,
    table: &Table,
    (seat, whose, turn): (Seat, Seat, u32),
    laid: &Laid,
) -> Result<(), Why> {
    let left = cards_left(table, whose);
    let asked_now = turn == table.turn_no();
    if left.is_empty() {
        return Err(Why::NoPicks { certain: None });
    }
    if left.len() == 1 && !asked_now {
        return Err(Why::NoPicks {
            certain: left.first().cloned(),
        });
    }
    // the card that is being placed could not be told from those that will be left
    if turn == table.turn_no() + 2 && table.asks().iter().any(|a| a.what == What::Place) {
        return Err(not_asked(m, seat));
    }
    let laid = match laid {
        Laid::Card(card) => Laid::Card(known_card(table, &left, card)?),
        number => number.clone(),
    };
    // The write-once slot (reliability.md 4, K5).
    let current = desk.over.game(m.no);
    let lies = current.as_ref().and_then(|m| m.card_down(turn, seat));
    if let Some(lies) = lies {
        if laid.is(lies) {
            desk.tell_one(m.no, seat, News::CardStays { turn });
            let receipt = receipt(m, lies);
            desk.receipts.entry(m.no).or_default().push(receipt);
            return Ok(());
        }
        return Err(Why::CardAlreadyDown { turn });
    }
    let seal = match laid {
        Laid::Card(card) => kept(m, turn, seat, card, Holder::Referee),
        Laid::Number(commitment) => {
            if seals(desk, m.no).any(|e| e.get("c") == Some(&commitment)) {
                return Err(Why::CopiedNumber);
            }
            Sealed {
                turn,
                seat,
                card: Secret(String::new()),
                nonce: Secret(String::new()),
                commitment,
                by: Holder::Player,
            }
        }
    };
    let receipt = receipt(m, &seal);
    desk.emit(Event::Sealed { game: m.no, seal }, None);
    desk.receipts.entry(m.no).or_default().push(receipt);
    Ok(())
}

/// The card as the rules call it.
fn known_card(table: &Table, left: &[String], text: &str) -> Result<String, Why> {
    let wanted = text.trim().trim_end_matches(['.', '!', ',']);
    let wanted = wanted.to_ascii_lowercase();
    let found = left.iter().find(|c| **c == wanted && seal::is_card(c));
    found.cloned().ok_or_else(|| {
        let known: Vec<&str> = left.iter().map(String::as_str).collect();
        Why::NoSuchCard {
            meant: nearest(&wanted, &known).map(str::to_owned),
            spent: all_cards(table).contains(&wanted),
            left: left.to_vec(),
        }
    })
}

/// A card that the referee keeps: its nonce is the same after a crash, and nobody can guess it.
fn kept(m: &Match, turn: u32, seat: Seat, card: String, by: Holder) -> Sealed {
    let secret = unhex(&m.secret.0).and_then(|b| b.try_into().ok());
    let number = u32::from(seat.0) + 1;
    let nonce = seal::nonce(&secret.unwrap_or([0; 32]), &m.gid, turn, number);
    let commitment = seal::commitment(&m.gid, turn, number, &card, &nonce);
    Sealed {
        turn,
        seat,
        card: Secret(card),
        nonce: Secret(nonce),
        commitment,
        by,
    }
}

/// The `seal` lines of a match's ledger.
fn seals(desk: &Desk, no: MatchNo) -> impl Iterator<Item = Entry> + use<> {
    let lines = desk.over.entries(no, 0).into_iter();
    lines
        .filter(|(_, line)| line.contains(" seal "))
        .filter_map(|(_, line)| Entry::parse(&line).ok())
        .filter(|e| e.kind == Kind::Seal)
}

/// `pick open CARD NONCE`
pub(super) fn open(
    desk: &mut Desk,
    no: MatchNo,
    seat: Seat,
    card: &str,
    nonce: &str,
) -> Result<(), Why> {
    let Some(m) = desk.over.game(no) else {
        return Err(Why::NotYours { game: no.0 });
    };
    let (now, number) = (m.turn(), u32::from(seat.0) + 1);
    let fits = |turn: u32, commitment: &str| {
        seal::is_card(card) && seal::commitment(&m.gid, turn, number, card, nonce) == commitment
    };
    let mine = || m.sealed.iter().filter(|s| s.seat == seat && s.turn >= now);
    let opens = mine().find(|s| fits(s.turn, &s.commitment));
    if opens.is_none() {
        let past = seals(desk, no).filter(|e| e.num("seat") == Some(u64::from(number)));
        let mut over = past.filter_map(|e| {
            let turn = u32::try_from(e.num("t")?).ok()?;
            fits(turn, e.get("c")?).then_some(turn)
        });
        if let Some(turn) = over.next() {
            return Err(Why::OpenTooLate { turn });
        }
    }
    let Some(sealed) = opens.or_else(|| mine().min_by_key(|s| s.turn)) else {
        return Err(Why::NothingToOpen);
    };
    let turn = sealed.turn;
    let asked = m.must_open(seat) && turn == now;
    match sealed.by {
        Holder::Referee | Holder::Dice => Err(Why::RefereeOpens { turn }),
        Holder::Player if sealed.known() => Err(Why::AlreadyOpen { turn }),
        Holder::Player if !asked => Err(Why::OpenTooEarly { turn }),
        Holder::Player if opens.is_none() => Err(Why::DoesNotFit {
            turn,
            seat: number,
            commitment: sealed.commitment.clone(),
        }),
        Holder::Player => {
            let event = Event::Unsealed {
                game: no,
                turn,
                seat,
                card: Secret(card.to_owned()),
                nonce: Secret(nonce.to_owned()),
            };
            desk.emit(event, None);
            desk.tell_one(no, seat, News::OpeningKept { turn });
            Ok(())
        }
    }
}

/// What became of the cards of the turn under way.
pub(super) enum Course {
    /// They are open; was something created?
    Open(bool),
    /// The dice have laid down what was missing.
    Drawn,
    /// Somebody is awaited.
    Waits,
}

/// Goes on with the cards of the turn as far as it can be done now.
pub(super) fn settle(desk: &mut Desk, m: &Arc<Match>, table: &Table) -> Course {
    let now = table.turn_no();
    let pickers = m.pickers();
    let is_down = |s: &&Seat| m.card_down(now, **s).is_some();
    let (down, missing): (Vec<Seat>, Vec<Seat>) = pickers.iter().partition(is_down);
    if !missing.is_empty() {
        // what the dice choose is seen by all: not before the other card is down, or out of time too
        if !missing.iter().all(|s| m.is_out_of_time(*s)) {
            return Course::Waits;
        }
        for seat in missing {
            draw(desk, m, table, seat);
        }
        return Course::Drawn;
    }
    let seals: Vec<&Sealed> = down.iter().filter_map(|s| m.card_down(now, *s)).collect();
    let late = m.asked.as_ref().is_some_and(|a| a.reminded >= OVER);
    if !late && seals.iter().any(|s| !s.known()) {
        ask(desk, m, now);
        return Course::Waits;
    }
    turn_over(desk, m, table, &seals)
}

/// Tells all that the cards are down and who must open his, once.
fn ask(desk: &mut Desk, m: &Match, turn: u32) {
    let before = desk.over.before(m.no).and_then(|m| m.asked.clone());
    let told = before.is_some_and(|a| a.turn == turn);
    if let (Some(until), false) = (m.opening_until(), told) {
        let seats = m.every_seat().filter(|s| m.must_open(*s)).collect();
        desk.tell(m.no, News::OpeningAsked { seats, turn, until });
    }
}

/// The dice lay down a card for a seat that sent none in time.
fn draw(desk: &mut Desk, m: &Match, table: &Table, seat: Seat) {
    let left = asked_for(table);
    let turn = table.turn_no();
    let sides = u16::try_from(left.len()).unwrap_or(1);
    desk.chance.start(ChainDice::of(m, table.book()));
    desk.chance.slot(turn, card_slot(table, seat));
    let fell = desk.chance.roll(seat, sides);
    let Some(card) = left.get(usize::from(fell).saturating_sub(1)) else {
        return;
    };
    let seal = kept(m, turn, seat, card.clone(), Holder::Dice);
    desk.emit(Event::Sealed { game: m.no, seal }, None);
    let card = card.clone();
    let news = News::CardDrawn {
        seat,
        turn,
        card,
        fell,
        of: left,
    };
    desk.tell(m.no, news);
}

/// Opens all cards at once. Who has not opened his own, or one that is not left, loses the doubt: the mover gets no piece,
/// the guesser's card counts as the mover's.
fn turn_over(desk: &mut Desk, m: &Match, table: &Table, seals: &[&Sealed]) -> Course {
    let (turn, left) = (table.turn_no(), asked_for(table));
    let good = |s: &&Sealed| s.by != Holder::Player || left.contains(&s.card.0);
    let bad: Vec<Seat> = seals.iter().filter(|s| !good(s)).map(|s| s.seat).collect();
    let mut cards: Vec<(Seat, String)> = seals.iter().map(|s| (s.seat, s.card.0.clone())).collect();
    if let ([mine, theirs], false) = (&mut cards[..], bad.is_empty()) {
        if !bad.contains(&mine.0) {
            theirs.1.clone_from(&mine.1);
        } else {
            if bad.contains(&theirs.0) {
                theirs.1 = left.first().cloned().unwrap_or_default();
            }
            let other = left.iter().find(|c| **c != theirs.1);
            mine.1 = other.cloned().unwrap_or_default();
        }
    }
    desk.chance.start(ChainDice::of(m, table.book()));
    let Ok((after, happened)) = open_cards(m, &cards, &mut desk.chance) else {
        return Course::Waits;
    };
    let rolls = desk.chance.take();
    // what this very letter opened is not kept
    if let Some(news) = desk.news.get_mut(&m.no) {
        news.retain(|(_, n)| !matches!(n, News::OpeningKept { .. }));
    }
    let openings: Vec<_> = seals
        .iter()
        .filter(|s| s.known() && m.reveal_both)
        .map(|s| opening(m, s))
        .collect();
    for h in &happened {
        let news = match News::of(h, m.reveal_both) {
            Some(News::Opened { seat, created, .. }) if !bad.is_empty() => News::Defaulted {
                seat,
                late: bad
                    .iter()
                    .filter(|s| m.card_down(turn, **s).is_some_and(|c| !c.known()))
                    .copied()
                    .collect(),
                spent: bad
                    .iter()
                    .filter(|s| m.card_down(turn, **s).is_some_and(Sealed::known))
                    .copied()
                    .collect(),
                counts: !bad.contains(&seat),
                created,
                openings: openings.clone(),
            },
            Some(News::Opened {
                seat,
                cards,
                created,
                ..
            }) => News::Opened {
                seat,
                cards,
                created,
                openings: openings.clone(),
            },
            Some(other) => other,
            None => continue,
        };
        desk.tell(m.no, news);
    }
    let created = was_created(&happened);
    let event = Event::Opened {
        game: m.no,
        turn,
        cards,
        rolls,
        defaulted: bad,
    };
    desk.emit(event, Some((after, happened)));
    Course::Open(created)
}
