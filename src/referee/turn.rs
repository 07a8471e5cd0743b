//! A turn as a whole: cards, conditional orders, placement, moves. All of one letter's turn orders are taken together, so
//! that a player may write them in any order; what is written ahead waits sealed or as a plan until its time comes.

use super::acts::{acts, not_asked, play_steps, settle, steps_of, was_created, why_bad};
use super::apply::open_cards;
use super::cards::{self, Laid, cards_left};
use super::desk::{Desk, mover};
use super::event::Event;
use super::lobby;
use super::notice::{News, Why};
use super::order::{Order, OrderLine};
use super::replies;
use super::state::{Match, MatchNo, Plan, Registry, SentMail, Stage};
use crate::rules::notation::split_turn;
use crate::rules::{NoDice, Seat, Table, What};

/// An order that is not obeyed: index of its line in the slice, and why.
type Bad = (usize, Why);

/// What one letter orders for a turn.
#[derive(Default)]
struct Wishes {
    pick: Option<(usize, Laid)>,
    guess: Option<(usize, Laid)>,
    /// `pick open CARD NONCE`
    open: Option<(usize, (String, String))>,
    place: Option<(usize, String)>,
    play: Option<(usize, String)>,
    plan: Option<(usize, Option<String>, Option<String>)>,
    replies: Vec<(usize, String)>,
    /// `end`, `start x`, `exchange x`: orders that stand alone.
    other: Option<(usize, String)>,
    turn: Option<(usize, u32)>,
}

impl Wishes {
    fn of(lines: &[&OrderLine]) -> Result<Wishes, Bad> {
        let mut w = Wishes::default();
        for (i, line) in lines.iter().enumerate() {
            let Ok(order) = &line.order else { continue };
            let once = |slot: &mut Option<(usize, String)>, text: &str| {
                take(slot, i, text.trim().to_owned())
            };
            match order {
                Order::Pick(card) => take(&mut w.pick, i, Laid::Card(card.trim().to_owned()))?,
                Order::Guess(card) => take(&mut w.guess, i, Laid::Card(card.trim().to_owned()))?,
                Order::CardCommit { guess, commitment } => {
                    let slot = if *guess { &mut w.guess } else { &mut w.pick };
                    take(slot, i, Laid::Number(commitment.clone()))?;
                }
                Order::CardOpen { card, nonce } => {
                    take(&mut w.open, i, (card.clone(), nonce.clone()))?
                }
                Order::Place(text) => once(&mut w.place, text)?,
                Order::Play(text) => match &mut w.play {
                    Some((_, before)) => {
                        before.push_str("; ");
                        before.push_str(text.trim());
                    }
                    None => w.play = Some((i, text.trim().to_owned())),
                },
                Order::End => match &mut w.play {
                    Some((_, before)) => before.push_str("; end"),
                    None => once(&mut w.other, "end")?,
                },
                Order::Start(seat) => {
                    once(&mut w.other, &format!("start {}", seat.to_lowercase()))?
                }
                Order::Exchange(choice) => once(&mut w.other, &format!("exchange {choice}"))?,
                Order::IfCreated { created, otherwise } => match &mut w.plan {
                    Some((_, c, o)) => {
                        if (created.is_some() && c.is_some())
                            || (otherwise.is_some() && o.is_some())
                        {
                            return Err((i, Why::TwoPlans));
                        }
                        *c = c.take().or_else(|| created.clone());
                        *o = o.take().or_else(|| otherwise.clone());
                    }
                    None => w.plan = Some((i, created.clone(), otherwise.clone())),
                },
                Order::Plan(text) => w.replies.push((i, text.clone())),
                Order::Turn(n) => w.turn = Some((i, *n)),
                _ => {}
            }
        }
        Ok(w)
    }
    fn moves(&self) -> bool {
        self.play.is_some() || self.place.is_some() || self.plan.is_some() || self.other.is_some()
    }
}

/// Fills what may be said once.
fn take<T>(slot: &mut Option<(usize, T)>, at: usize, what: T) -> Result<(), Bad> {
    match slot.replace((at, what)) {
        Some(_) => Err((at, Why::TwoPlans)),
        None => Ok(()),
    }
}

/// Carries out the turn orders of one letter for one match.
pub(super) fn orders(
    desk: &mut Desk,
    no: MatchNo,
    lines: &[&OrderLine],
    answered: Option<SentMail>,
) -> Result<(), Bad> {
    let m = desk
        .over
        .game(no)
        .ok_or((0, Why::NotYours { game: no.0 }))?;
    match m.stage {
        Stage::Playing => {
            if let Some(hold) = &m.hold {
                let why = hold.why.clone();
                return Err((0, Why::OnHold { why }));
            }
        }
        Stage::Inviting | Stage::Seeking => return Err((0, Why::NotBegun)),
        Stage::Over | Stage::Void => return Err((0, lobby::over(&m))),
    }
    let (Some(seat), Some(table)) = (m.seat_of(desk.actor), m.table.as_ref()) else {
        return Err((0, Why::NotBegun));
    };
    let w = Wishes::of(lines)?;
    let now = table.turn_no();
    // K4: an order for another turn than the one that waits is answered with the board, never played.
    if let Some((i, asked)) = w.turn
        && asked != now
    {
        return Err((i, Why::TurnIsOver { asked, now }));
    }
    if let Some(mail) = answered {
        let stale = now > mail.turn + 1 || (now > mail.turn && (w.moves() || w.pick.is_some()));
        // what opens a card says by itself which it is
        if stale && (w.open.is_none() || w.moves() || w.pick.is_some()) {
            let lies = |laid: &Option<(usize, Laid)>| {
                let mut own = m.sealed.iter().filter(|s| s.seat == seat);
                laid.as_ref().is_some_and(|(_, l)| own.any(|s| l.is(s)))
            };
            let again = already_played(&m, seat, &w) || lies(&w.pick) || lies(&w.guess);
            desk.show(no, if again { "already_played" } else { "stale" });
            return Ok(());
        }
    }
    if mover(table) != seat && already_played(&m, seat, &w) && w.pick.is_none() {
        desk.show(no, "already_played");
        return Ok(());
    }
    if w.pick.is_some() || w.guess.is_some() {
        cards::lay(desk, &m, table, seat, (w.pick.as_ref(), w.guess.as_ref()))?;
    }
    if let Some((at, (card, nonce))) = &w.open {
        cards::open(desk, no, seat, card, nonce).map_err(|why| (*at, why))?;
    }
    moves(desk, no, seat, &w)?;
    for (at, text) in &w.replies {
        replies::store(desk, no, text).map_err(|why| (*at, why))?;
    }
    let stored = desk.over.game(no).filter(|_| !w.replies.is_empty());
    if let Some(all) = stored.as_ref().and_then(|m| m.replies_of(seat)) {
        replies::tell(desk, no, all);
    }
    settle(desk, no);
    for line in lines {
        super::carry::fine(desk, Some(no), line);
    }
    Ok(())
}

/// Are these the very orders that this seat has played last?
fn already_played(m: &Match, seat: Seat, w: &Wishes) -> bool {
    let Some((_, text)) = &w.play else {
        return false;
    };
    m.last.iter().any(|l| {
        l.seat == seat && (tidy(&l.ordered) == tidy(text) || tidy(&l.steps.join(";")) == tidy(text))
    })
}

fn tidy(text: &str) -> String {
    let parts: Vec<String> = split_turn(text)
        .iter()
        .map(|s| {
            s.chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
                .to_ascii_lowercase()
        })
        .collect();
    parts.join(";")
}

/// Placement, moves and conditional orders.
fn moves(desk: &mut Desk, no: MatchNo, seat: Seat, w: &Wishes) -> Result<(), Bad> {
    if !w.moves() {
        return Ok(());
    }
    let Some(m) = desk.over.game(no) else {
        return Ok(());
    };
    let Some(table) = m.table.as_ref() else {
        return Ok(());
    };
    let first = [
        w.play.as_ref().map(|p| p.0),
        w.place.as_ref().map(|p| p.0),
        w.plan.as_ref().map(|p| p.0),
        w.other.as_ref().map(|p| p.0),
    ];
    let first = first.into_iter().flatten().min().unwrap_or(0);
    let now = table.turn_no();
    let my_ask = table
        .asks()
        .into_iter()
        .find(|a| a.seat == seat)
        .map(|a| a.what);
    let mine = mover(table) == seat;

    if mine && my_ask == Some(What::Pick) {
        // Before the cards: everything becomes a plan for both outcomes, checked at once on copies of the board.
        if m.card_down(now, seat).is_none() {
            return Err((first, Why::PlanWithoutPick));
        }
        let plan = plan_of(w, now, seat, true)?;
        check_plan(&m, table, seat, &plan, w, first)?;
        store_plan(desk, no, plan);
        return Ok(());
    }
    if !mine && my_ask != Some(What::Place) && my_ask.is_none_or(|a| a == What::Pick) {
        // Not his turn: a plan may be stored with the card for his next summoning, a move may not.
        let ahead = m.card_down(now + 1, seat).is_some();
        if ahead && w.plan.is_some() && w.play.is_none() && w.place.is_none() {
            let plan = plan_of(w, now + 1, seat, false)?;
            store_plan(desk, no, plan);
            return Ok(());
        }
        return Err((first, not_asked(&m, seat)));
    }
    // The cards are open, or the game has none. What answers a question stands where it is asked: a Tulpa's placement before
    // the turn, an exchange and a monarch's placement after it.
    let placing = my_ask == Some(What::Place);
    let mut texts: Vec<(usize, String)> = Vec::new();
    match &w.plan {
        Some((at, ..)) if w.play.is_some() || w.other.is_some() => {
            return Err((*at, Why::TwoPlans));
        }
        Some((at, created, otherwise)) => {
            let branch = if placing { created } else { otherwise };
            texts.extend(branch.clone().map(|text| (*at, text)));
        }
        None => texts.extend(w.play.iter().chain(&w.other).cloned()),
    }
    if let Some((at, place)) = &w.place {
        let place = (*at, format!("place {place}"));
        if placing {
            texts.insert(0, place);
        } else {
            texts.push(place);
        }
    }
    let steps = steps_of(&texts);
    if steps.is_empty() {
        return Err((first, not_asked(&m, seat)));
    }
    let ordered: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let seats = m.seats_of(desk.actor);
    play_steps(desk, no, &seats, steps, &ordered.join("; "))
}

fn join(first: &str, rest: &str) -> String {
    if rest.is_empty() {
        first.to_owned()
    } else {
        format!("{first}; {rest}")
    }
}

fn store_plan(desk: &mut Desk, no: MatchNo, plan: Plan) {
    let news = News::Planned {
        turn: plan.turn,
        created: plan.created.clone(),
        otherwise: plan.otherwise.clone(),
    };
    desk.tell_one(no, plan.seat, news);
    desk.emit(Event::Planned { game: no, plan }, None);
}

/// The orders of a letter as a plan for both outcomes. A plain move stands for the case that nothing is created.
fn plan_of(w: &Wishes, turn: u32, seat: Seat, plain: bool) -> Result<Plan, Bad> {
    if let Some((i, _)) = &w.other {
        return Err((*i, Why::PlanWithoutPick));
    }
    let (mut created, mut otherwise) = match &w.plan {
        Some((_, c, o)) => (c.clone(), o.clone()),
        None => (None, None),
    };
    if plain && let Some((i, play)) = &w.play {
        if w.plan.is_some() {
            if otherwise.is_some() {
                return Err((*i, Why::TwoPlans));
            }
        } else if w.place.is_some() {
            created = Some(play.clone());
        }
        otherwise = Some(play.clone());
    }
    if let Some((_, place)) = &w.place {
        created = Some(join(
            &format!("place {place}"),
            created.as_deref().unwrap_or_default(),
        ));
    }
    Ok(Plan {
        turn,
        seat,
        created,
        otherwise,
    })
}

/// Tries both branches on copies of the board, with cards that match and cards that do not. Of a card that only the player
/// knows any may be meant: a branch that can be played with one of them is fine, and may fail later.
fn check_plan(
    m: &Match,
    table: &Table,
    seat: Seat,
    plan: &Plan,
    w: &Wishes,
    first: usize,
) -> Result<(), Bad> {
    let Some(mine) = m.card_down(plan.turn, seat) else {
        return Ok(());
    };
    let Some(other) = m.rival_of(seat) else {
        return Ok(());
    };
    let left = cards_left(table, seat);
    let possible = match mine.known() {
        true => vec![mine.card.0.clone()],
        false => left.clone(),
    };
    let branch = |cards: [&String; 2], text: &str, at: usize| {
        let cards = [(seat, cards[0].clone()), (other, cards[1].clone())];
        let Ok((table, happened)) = open_cards(m, &cards, &mut NoDice) else {
            return Ok(());
        };
        // With no vacant home square nothing is created; then this branch will not be used.
        if cards[0].1 == cards[1].1 && !was_created(&happened) {
            return Ok(());
        }
        let steps = steps_of(&[(at, text.to_owned())]);
        acts(&table, &[seat], steps, &mut NoDice)
            .map(|_| ())
            .map_err(|bad| why_bad(m, &[seat], bad))
    };
    let at = w.plan.as_ref().map_or(first, |p| p.0);
    if let Some(text) = &plan.created {
        let at = w.place.as_ref().map_or(at, |p| p.0);
        let tries: Vec<_> = possible.iter().map(|c| branch([c, c], text, at)).collect();
        if tries.iter().all(Result::is_err) {
            tries.into_iter().collect::<Result<Vec<()>, Bad>>()?;
        }
    }
    let card = possible.first();
    let theirs = left.iter().find(|c| Some(*c) != card);
    if let (Some(text), Some(card), Some(theirs)) = (&plan.otherwise, card, theirs) {
        let at = if w.plan.is_none() {
            w.play.as_ref().map_or(at, |p| p.0)
        } else {
            at
        };
        branch([card, theirs], text, at)?;
    }
    Ok(())
}
