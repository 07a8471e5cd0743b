//! The ledger of a match, written while its events are folded (trust.md 5).
//!
//! Every decision that may be doubted is a line. Lines are kept beside the record, [`Fair`] holds only what the next line
//! needs, so that a match's state does not grow with its turns. Nothing here is secret but the chain's top, which is
//! made of the match's secret and never written.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::clock::OVER;
use super::desk::{Desk, mover};
use super::dice::{card_roll, entropy_of, has_ledger, length, per, sides, top, turn};
use super::event::Event;
use super::keeper::{ADJUDICATED, Deed, KEEPER};
use super::seeds::{self, Seeds};
use super::state::{Holder, Match, MatchNo, Records, Registry, Sealed};
use crate::fair::chain;
use crate::fair::entropy::{words_seed, words_token};
use crate::fair::head::HeadKey;
use crate::fair::ledger::{Kind, Tip};
use crate::fair::line::{Hash, hex};
use crate::rules::{Ending, Happening, Rulebook, Seat, What};

/// What a match keeps for its ledger.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fair {
    /// The end of the ledger; nothing was written where `next` is 0, and then the match has none.
    pub tip: Tip,
    /// What the players gave to its dice.
    pub seeds: Seeds,
    /// E in hex, once the match has begun.
    pub entropy: Option<String>,
    /// Rolls before the first turn.
    pub opening: u32,
}

/// An entry of a match's ledger.
pub type EntryLine = (u64, String);

/// Writes lines of one match at one time.
struct Pen<'a> {
    rec: &'a mut dyn Records,
    m: &'a mut Match,
    at: Timestamp,
}

impl Pen<'_> {
    fn line(&mut self, kind: Kind, pairs: &[(&str, &str)]) {
        let seq = self.m.fair.tip.next;
        let line = self.m.fair.tip.write(self.at, kind, pairs);
        self.rec.add_entry(self.m.no, (seq, line));
    }
    fn open(&mut self, seal: &Sealed) {
        let (t, seat) = (seal.turn.to_string(), number(seal.seat));
        let (card, nonce) = (&seal.card.0, &seal.nonce.0);
        self.line(
            Kind::Open,
            &[("t", &t), ("seat", &seat), ("card", card), ("nonce", nonce)],
        );
    }
}

impl Pen<'_> {
    /// The roll that chose a card; the seal of that card follows.
    fn thrown(&mut self, seal: &Sealed) {
        let Some(roll) = card_roll(self.m, seal) else {
            return;
        };
        let (t, seat) = (seal.turn.to_string(), number(seal.seat));
        self.line(
            Kind::Roll,
            &[
                ("t", &t),
                ("j", &roll.j.to_string()),
                ("c", &hex(&roll.c)),
                ("dice", &roll.sides.to_string()),
                ("got", &roll.fell.to_string()),
                ("for", "card"),
                ("seat", &seat),
            ],
        );
    }
    /// Cards of which only the outcome was told are opened, then the match ends.
    fn end(&mut self, winner: &str, reason: &str) {
        for seal in self.m.opened.clone() {
            self.open(&seal);
        }
        self.line(Kind::End, &[("winner", winner), ("reason", reason)]);
    }
    /// What the Keeper did; why is between him and the players.
    fn deed(&mut self, deed: &Deed) {
        let (act, text, seat) = match deed {
            Deed::Held { .. } => ("hold", String::new(), None),
            Deed::Resumed { .. } => ("resume", String::new(), None),
            Deed::Extended { days, .. } => ("extend", format!("{days} days"), None),
            Deed::Replaced { chair, .. } => {
                let seat = self.m.seats.iter().position(|c| c == chair);
                let seat = seat.and_then(|s| u8::try_from(s).ok()).map(Seat);
                ("replace", String::new(), seat)
            }
            // nothing of the match changed
            _ => return,
        };
        let seat = seat.map(number).unwrap_or_default();
        self.line(
            Kind::Admin,
            &[("act", act), ("seat", &seat), ("text", &text)],
        );
    }
}

fn number(seat: Seat) -> String {
    (u32::from(seat.0) + 1).to_string()
}

/// A match was proposed on this desk: its ledger begins, and the opener gives to its dice.
pub(super) fn found(desk: &mut Desk, no: MatchNo) {
    let key = HeadKey::of_server(&desk.over.house().key).public();
    let key = hex(&key);
    desk.emit(Event::Founded { game: no, key }, None);
    seeds::give(desk, no);
}

/// Anchor, key and rules go into the first line, the opener into the second.
pub(super) fn founded(
    rec: &mut dyn Records,
    m: &mut Match,
    book: &Rulebook,
    key: &str,
    at: Timestamp,
) {
    let n = length(book);
    let anchor = hex(&chain::down(&m.gid, n, &top(m), 0));
    let opt: Vec<String> = m.options.iter().map(|(k, v)| format!("{k}:{v}")).collect();
    let (gid, rules, kept) = (m.gid.clone(), m.game.clone(), m.book.clone());
    let reveal = if m.reveal_both { "" } else { "outcome" };
    let (seats, n) = (book.seats.len().to_string(), n.to_string());
    let per = per(book).to_string();
    let mut pen = Pen { rec, m, at };
    pen.line(
        Kind::Game,
        &[
            ("id", &gid),
            ("rules", &rules),
            ("seats", &seats),
            ("anchor", &anchor),
            ("n", &n),
            ("per", &per),
            ("key", key),
            ("book", &kept),
            ("opt", &opt.join(",")),
            ("reveal", reveal),
        ],
    );
    pen.line(Kind::Seat, &[("seat", "1"), ("is", "joined")]);
}

fn place(chair: usize) -> String {
    (chair + 1).to_string()
}

/// A player sealed a seed.
pub(super) fn committed(
    rec: &mut dyn Records,
    m: &mut Match,
    chair: usize,
    c: &str,
    at: Timestamp,
) {
    let mut pen = Pen { rec, m, at };
    pen.line(Kind::Seedcommit, &[("seat", &place(chair)), ("c", c)]);
}

/// Everybody's words, in the order of the places; with `places` also the zeros of who has no letter and sealed nothing.
pub(super) fn words(rec: &mut dyn Records, m: &mut Match, places: Option<usize>, at: Timestamp) {
    let gid = m.gid.clone();
    let seeds = m.fair.seeds.clone();
    let mut pen = Pen { rec, m, at };
    for chair in 0..places.unwrap_or(seeds.given.len()) {
        let given = seeds.of(chair);
        let number = u32::try_from(chair + 1).unwrap_or(u32::MAX);
        let (words, seed) = match &given.words {
            Some(words) => (words_token(words), words_seed(&gid, number, words)),
            None if given.commitment.is_none() && places.is_some() => {
                (String::new(), Hash::default())
            }
            None => continue,
        };
        let (place, seed) = (place(chair), hex(&seed));
        pen.line(
            Kind::Seed,
            &[("seat", &place), ("words", &words), ("s", &seed)],
        );
    }
}

/// These chairs did not open their seeds: the match does not come about.
pub(super) fn never_opened(rec: &mut dyn Records, m: &mut Match, chairs: &[u8], at: Timestamp) {
    let mut pen = Pen { rec, m, at };
    for chair in chairs {
        let seat = place(usize::from(*chair));
        pen.line(
            Kind::Timeout,
            &[("t", "0"), ("seat", &seat), ("for", "seed")],
        );
    }
    pen.end("none", "void");
}

/// The match begins: every seed, then E. `m.seats` is known already.
pub(super) fn begun(rec: &mut dyn Records, m: &mut Match, book: &Rulebook, at: Timestamp) {
    let Some(e) = entropy_of(m, book) else {
        return;
    };
    let places: Vec<String> = m.seats.iter().map(|c| place(usize::from(*c))).collect();
    m.fair.entropy = Some(hex(&e));
    if m.fair.seeds.fixed.is_none() {
        words(rec, m, None, at);
    }
    let given = m.fair.seeds.given.clone();
    let mut pen = Pen { rec, m, at };
    for (chair, opened) in given.iter().map(|g| g.opened.as_ref()).enumerate() {
        if let Some(seed) = opened {
            pen.line(Kind::Seed, &[("seat", &place(chair)), ("s", &seed.0)]);
        }
    }
    let places = places.join(",");
    pen.line(Kind::Start, &[("e", &hex(&e)), ("places", &places)]);
}

/// What an event itself says, before what follows from it.
pub(super) fn told(rec: &mut dyn Records, m: &mut Match, event: &Event, at: Timestamp) {
    if !has_ledger(m) {
        return;
    }
    let t = turn(m).to_string();
    let place = match event {
        Event::Accepted { player, .. } => m.chair_of(*player).map_or(m.chairs.len(), usize::from),
        _ => 0,
    };
    let mut pen = Pen { rec, m, at };
    match event {
        Event::Accepted { .. } => {
            let place = (place + 1).to_string();
            pen.line(Kind::Seat, &[("seat", &place), ("is", "joined")]);
        }
        Event::Sealed { seal, .. } => {
            let (t, seat) = (seal.turn.to_string(), number(seal.seat));
            let by = match seal.by {
                Holder::Referee => "ref",
                Holder::Player => "player",
                Holder::Dice => {
                    pen.thrown(seal);
                    "dice"
                }
            };
            pen.line(
                Kind::Seal,
                &[
                    ("t", &t),
                    ("seat", &seat),
                    ("c", &seal.commitment),
                    ("by", by),
                ],
            );
        }
        Event::Acted {
            seat,
            order,
            letter,
            ..
        } => {
            let seat = number(*seat);
            let letter = letter.as_ref();
            let mid = letter.map_or("", |l| &l.mid);
            let saw = letter.and_then(|l| l.saw.as_deref()).unwrap_or_default();
            pen.line(
                Kind::Move,
                &[
                    ("t", &t),
                    ("seat", &seat),
                    ("by", "player"),
                    ("text", order),
                    ("saw", saw),
                    ("mid", mid),
                ],
            );
        }
        Event::Reminded {
            stage: OVER,
            seat,
            open,
            ..
        } => {
            let what = match (*open, pen.m.owed(*seat)) {
                (true, _) => "open",
                (false, Some(What::Pick)) => "card",
                _ => "",
            };
            let seat = number(*seat);
            pen.line(Kind::Timeout, &[("t", &t), ("seat", &seat), ("for", what)]);
        }
        Event::Undone { seat, .. } => {
            let seat = number(*seat);
            pen.line(
                Kind::Admin,
                &[("act", "undo"), ("seat", &seat), ("text", &t)],
            );
        }
        Event::Keeper { deed } => pen.deed(deed),
        Event::Finished { ending, .. } if ending.reason == ADJUDICATED => {
            pen.line(Kind::Admin, &[("act", "adjudicate"), ("text", &t)]);
        }
        Event::Voided { by, .. } => {
            if *by == KEEPER {
                pen.line(Kind::Admin, &[("act", "void")]);
            }
            pen.end("none", "void");
        }
        _ => {}
    }
}

/// The cards of a turn were compared; both are opened at once unless only the outcome is told.
pub(super) fn compared(
    rec: &mut dyn Records,
    m: &mut Match,
    (turn, cards): (u32, &[Sealed]),
    defaulted: &[Seat],
    at: Timestamp,
) {
    let mut cards: Vec<&Sealed> = cards.iter().filter(|c| c.turn == turn).collect();
    cards.sort_by_key(|c| c.seat);
    let ([one, other], true) = (&cards[..], has_ledger(m)) else {
        return;
    };
    let mover = m.table.as_ref().map(mover);
    // the defaulter loses the doubt
    let matched = match defaulted {
        [] => one.card == other.card,
        some => mover.is_some_and(|mover| !some.contains(&mover)),
    };
    let why = if defaulted.is_empty() { "" } else { "default" };
    let (t, mover) = (turn.to_string(), mover.map(number).unwrap_or_default());
    let answer = if matched { "yes" } else { "no" };
    let both = m.reveal_both;
    let mut pen = Pen { rec, m, at };
    pen.line(
        Kind::Result,
        &[("t", &t), ("seat", &mover), ("match", answer), ("why", why)],
    );
    for seal in [one, other] {
        if both && seal.known() {
            pen.open(seal);
        }
    }
}

/// Rolls and passes that an act brought about; the match has its new position already.
/// With `opening` nothing came before, and what fell are the opening rolls.
pub(super) fn follow(
    rec: &mut dyn Records,
    m: &mut Match,
    happened: &[Happening],
    opening: bool,
    at: Timestamp,
) {
    let Some(book) = m.table.as_ref().map(|t| std::sync::Arc::clone(t.book())) else {
        return;
    };
    if !has_ledger(m) {
        return;
    }
    let mut left = happened
        .iter()
        .filter(|h| matches!(h, Happening::Passed { .. }))
        .count();
    for h in happened {
        let (t, seat, dice) = match h {
            Happening::Rolled { seat, dice } if opening => {
                m.fair.opening += 1;
                (m.fair.opening, *seat, Some((dice, "opening")))
            }
            Happening::Rolled { seat, dice } => {
                let t = turn(m).saturating_sub(u32::try_from(left).unwrap_or(0));
                (t, *seat, Some((dice, "turn")))
            }
            Happening::Passed { seat } => {
                let t = turn(m).saturating_sub(u32::try_from(left).unwrap_or(0));
                left = left.saturating_sub(1);
                (t, *seat, None)
            }
            _ => continue,
        };
        let (t_text, seat) = (t.to_string(), number(seat));
        let Some((dice, purpose)) = dice else {
            Pen { rec, m, at }.line(Kind::Pass, &[("t", &t_text), ("seat", &seat)]);
            continue;
        };
        let Some(i) = chain::index(per(&book), length(&book), t, 0) else {
            continue;
        };
        let c = hex(&chain::down(&m.gid, length(&book), &top(m), i));
        let fell: Vec<String> = dice
            .iter()
            .flat_map(|(_, d)| d)
            .map(u16::to_string)
            .collect();
        let kinds = vec![sides(&book).to_string(); fell.len()].join(",");
        Pen { rec, m, at }.line(
            Kind::Roll,
            &[
                ("t", &t_text),
                ("j", "0"),
                ("c", &c),
                ("dice", &kinds),
                ("got", &fell.join(",")),
                ("for", purpose),
                ("seat", if purpose == "turn" { &seat } else { "" }),
            ],
        );
    }
}

/// The match is over: cards of which only the outcome was told are opened, then the end.
pub(super) fn over(rec: &mut dyn Records, m: &mut Match, ending: &Ending, at: Timestamp) {
    if !has_ledger(m) {
        return;
    }
    let winners: Vec<String> = ending.winners.iter().map(|s| number(*s)).collect();
    let winner = if winners.is_empty() {
        "none".to_owned()
    } else {
        winners.join(",")
    };
    Pen { rec, m, at }.end(&winner, &ending.reason);
}

/// The ledger of a match as a file, signed under its last entry; `None` where there is none.
pub fn export(rec: &dyn Registry, no: MatchNo) -> Option<String> {
    let m = rec.game(no).filter(|m| has_ledger(m))?;
    let key = HeadKey::of_server(&rec.house().key);
    let mut out = String::new();
    let sign = |out: &mut String, seq: u64, h: &Hash| {
        out.push_str(&key.sign(&m.gid, seq, h).text());
        out.push('\n');
    };
    for (seq, line) in rec.entries(no, 0) {
        out.push_str(&line);
        out.push('\n');
        // sealed seeds are opened only under a head that shows all the others
        if let Some((fixed, h)) = m.fair.seeds.fixed.filter(|(fixed, _)| *fixed == seq)
            && fixed + 1 < m.fair.tip.next
        {
            sign(&mut out, fixed, &h);
        }
    }
    sign(&mut out, m.fair.tip.next - 1, &m.fair.tip.h);
    Some(out)
}
