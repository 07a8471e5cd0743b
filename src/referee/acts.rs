//! Playing: an order as one act after the other, and what follows of itself - cards that are all in are opened, the
//! mover's stored order is played.

use super::cards::{self, Course};
use super::desk::{Desk, bare, mover};
use super::dice::ChainDice;
use super::event::Event;
use super::notice::{News, Why, owed_by};
use super::replies;
use super::state::{Match, MatchNo, Registry, Stage};
use crate::rules::notation::split_turn;
use crate::rules::{Ask, Happening, Seat, Table, What, Wrong};

/// Openings and plans that one letter can set off; far above what any game needs.
const CHAIN_MAX: usize = 16;

pub(super) fn was_created(happened: &[Happening]) -> bool {
    happened.iter().any(|h| {
        matches!(
            h,
            Happening::Opened {
                created: Some(_),
                ..
            }
        )
    })
}

pub(super) fn not_asked(m: &Match, seat: Seat) -> Why {
    let book = m.table.as_ref().map(Table::book);
    let name = |s: &Seat| book.map(|b| b.seat_name(*s).to_owned()).unwrap_or_default();
    let mine = m.table.as_ref().is_some_and(|t| mover(t) == seat);
    Why::NotAsked {
        awaited: m
            .every_seat()
            .filter(|s| m.is_awaited(*s))
            .map(|s| name(&s))
            .collect(),
        owed: owed_by(m, seat, mine),
    }
}

pub(super) fn why_of(m: &Match, seat: Seat, wrong: Wrong) -> Why {
    match wrong {
        Wrong::NotAsked => not_asked(m, seat),
        Wrong::NoSuchStep {
            at,
            text,
            done,
            why,
            legal,
        } => Why::NoSuchStep {
            step: at + 1,
            text,
            done,
            why,
            legal,
        },
        Wrong::Ambiguous { text, readings, .. } => Why::Ambiguous { text, readings },
        Wrong::Unfinished {
            done,
            legal,
            may_end,
        } => Why::Unfinished {
            done,
            legal,
            may_end,
        },
        Wrong::TooMuch { text, .. } => Why::TooMuch { text },
    }
}

/// One act of a longer order.
pub(super) struct Act {
    seat: Seat,
    order: String,
    table: Table,
    happened: Vec<Happening>,
    rolls: Vec<u16>,
}

/// Steps of a letter, each with the place of its line there.
pub(super) type Steps = Vec<(usize, String)>;

/// The steps of several texts, in order.
pub(super) fn steps_of(texts: &[(usize, String)]) -> Steps {
    texts
        .iter()
        .flat_map(|(at, text)| split_turn(text).into_iter().map(|s| (*at, s)))
        .collect()
}

/// An order that answers a question by itself and is no step of a turn.
fn stands_alone(step: &str) -> bool {
    ["exchange ", "place ", "start "]
        .iter()
        .any(|word| step.starts_with(word))
}

/// Why an order of several acts cannot be played: the place of the line, the seat it was for, the reason.
pub(super) type BadAct = (usize, Option<Seat>, Wrong);

/// Plays `A@b2; Ab2-d4` or `1:Mf1xa6; exchange first; place M b1` as what is asked one after the other, of whichever of
/// these seats is asked. All of it or nothing.
pub(super) fn acts(
    table: &Table,
    seats: &[Seat],
    mut steps: Steps,
    dice: &mut dyn crate::rules::Dice,
) -> Result<Vec<Act>, BadAct> {
    let mut table = table.clone();
    let mut done: Vec<Act> = Vec::new();
    loop {
        let ask = table.asks().into_iter().find(|a| seats.contains(&a.seat));
        let line = steps.first().map_or(0, |(at, _)| *at);
        let Some(ask) = ask else {
            let wrong = match steps.first() {
                Some((_, text)) if !done.is_empty() => Wrong::TooMuch {
                    at: done.len(),
                    text: text.clone(),
                },
                _ => Wrong::NotAsked,
            };
            return Err((line, None, wrong));
        };
        let order = if ask.what == What::Turn {
            // What answers a question after the turn stands behind it; a placement that the referee made by itself, since
            // only one square was vacant, may stand in the order too.
            let behind = steps.iter().skip(1).position(|(_, s)| stands_alone(s));
            let rest = behind.map_or(Vec::new(), |at| steps.split_off(at + 1));
            let turn: Vec<String> = std::mem::replace(&mut steps, rest)
                .into_iter()
                .map(|(_, s)| s)
                .collect();
            turn.join("; ")
        } else if steps.is_empty() {
            return Ok(done);
        } else {
            answer(&table, ask, &steps.remove(0).1)
        };
        let mut count = Counted {
            dice,
            rolls: Vec::new(),
        };
        let (next, happened) = table
            .act(ask.seat, &order, &mut count)
            .map_err(|wrong| (line, Some(ask.seat), wrong))?;
        let rolls = count.rolls;
        let canonical = canonical(&happened, &order);
        table = next.clone();
        done.push(Act {
            seat: ask.seat,
            order: canonical,
            table: next,
            happened,
            rolls,
        });
        if steps.is_empty() {
            return Ok(done);
        }
    }
}

/// `place e8` where only one kind of man returns; `start Yellow`.
fn answer(table: &Table, ask: Ask, text: &str) -> String {
    if ask.what != What::Place {
        return text.to_lowercase();
    }
    let square = bare(text, "place ").trim().to_lowercase();
    let choices = table.choices(ask.seat, ask.what);
    let fits = |c: &&String| c.split_once('@').is_some_and(|(_, sq)| sq == square);
    let mut fitting = choices.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => only.clone(),
        _ => text.to_owned(),
    }
}

/// Passes dice through and notes what fell.
struct Counted<'a> {
    dice: &'a mut dyn crate::rules::Dice,
    rolls: Vec<u16>,
}

impl crate::rules::Dice for Counted<'_> {
    fn roll(&mut self, of: Seat, sides: u16) -> u16 {
        let fell = self.dice.roll(of, sides);
        self.rolls.push(fell);
        fell
    }
    fn slot(&mut self, turn: u32, roll: u32) {
        self.dice.slot(turn, roll);
    }
}

/// The order in canonical words: what the event keeps.
fn canonical(happened: &[Happening], order: &str) -> String {
    match happened.first() {
        Some(Happening::Played { steps, .. }) => steps.join("; "),
        Some(Happening::Placed { text, .. }) => format!("place {text}"),
        _ => order.trim().to_owned(),
    }
}

/// Plays an order now.
pub(super) fn play(desk: &mut Desk, no: MatchNo, seat: Seat, text: &str) -> Result<(), Why> {
    let steps = steps_of(&[(0, text.to_owned())]);
    play_steps(desk, no, &[seat], steps, text).map_err(|(_, why)| why)
}

/// Plays what these seats are asked, one act after the other; `ordered` is what the player wrote.
pub(super) fn play_steps(
    desk: &mut Desk,
    no: MatchNo,
    seats: &[Seat],
    steps: Steps,
    ordered: &str,
) -> Result<(), (usize, Why)> {
    let Some(m) = desk.over.game(no) else {
        return Ok(());
    };
    let Some(table) = m.table.as_ref() else {
        return Ok(());
    };
    desk.chance.start(ChainDice::of(&m, table.book()));
    let done =
        acts(table, seats, steps, &mut desk.chance).map_err(|bad| why_bad(&m, seats, bad))?;
    for act in done {
        for h in &act.happened {
            if let Some(news) = News::of(h, m.reveal_both) {
                desk.tell(no, news);
            }
        }
        let event = Event::Acted {
            game: no,
            seat: act.seat,
            order: act.order,
            ordered: ordered.to_owned(),
            rolls: act.rolls,
            letter: desk.letter_for(&m, act.seat),
        };
        desk.emit(event, Some((act.table, act.happened)));
    }
    Ok(())
}

pub(super) fn why_bad(m: &Match, seats: &[Seat], (at, seat, wrong): BadAct) -> (usize, Why) {
    let seat = seat.or(seats.first().copied()).unwrap_or_default();
    (at, why_of(m, seat, wrong))
}

/// What a turn would do, on a copy. What comes after it hangs on dice that have not fallen, so it is not told.
pub(super) fn preview(m: &Match, seats: &[Seat], text: &str) -> Result<(Table, Vec<News>), Why> {
    let table = m.table.as_ref().ok_or(Why::NotBegun)?;
    let steps = steps_of(&[(0, text.to_owned())]);
    let done = acts(table, seats, steps, &mut crate::rules::NoDice)
        .map_err(|bad| why_bad(m, seats, bad).1)?;
    let news = done
        .iter()
        .flat_map(|a| &a.happened)
        .take_while(|h| !matches!(h, Happening::Rolled { .. } | Happening::Passed { .. }))
        .filter_map(|h| News::of(h, m.reveal_both))
        .collect();
    let table = done
        .last()
        .map_or_else(|| table.clone(), |a| a.table.clone());
    Ok((table, news))
}

/// Carries on while what was sent ahead allows it: opens cards that are all in, plays the mover's plan, and so on.
pub(super) fn settle(desk: &mut Desk, no: MatchNo) {
    for _ in 0..CHAIN_MAX {
        let Some(m) = desk.over.game(no) else { return };
        let Some(table) = m.table.as_ref().filter(|_| m.stage == Stage::Playing) else {
            return;
        };
        let now = table.turn_no();
        let asks = table.asks();
        let seat = mover(table);
        if asks.iter().any(|a| a.what == What::Pick) {
            match cards::settle(desk, &m, table) {
                Course::Open(created) => run_plan(desk, no, seat, now, created),
                Course::Drawn => {}
                Course::Waits => return,
            }
            continue;
        }
        // The fifth Tulpa comes without picks: a plan for this turn stands for its created branch.
        if m.plans.iter().any(|p| p.turn == now && p.seat == seat) {
            let placing = asks.iter().any(|a| a.what == What::Place && a.seat == seat);
            run_plan(desk, no, seat, now, placing);
            continue;
        }
        if replies::run(desk, no) {
            continue;
        }
        return;
    }
}

/// Plays the branch of a plan that fits; one that cannot be played is told to its owner, and nothing of it is done.
fn run_plan(desk: &mut Desk, no: MatchNo, seat: Seat, turn: u32, created: bool) {
    let Some(m) = desk.over.game(no) else { return };
    let Some(plan) = m
        .plans
        .iter()
        .find(|p| p.turn == turn && p.seat == seat)
        .cloned()
    else {
        return;
    };
    desk.emit(
        Event::PlanGone {
            game: no,
            turn,
            seat,
        },
        None,
    );
    let (branch, spare) = if created {
        (plan.created.clone(), plan.otherwise.clone())
    } else {
        (plan.otherwise.clone(), None)
    };
    match branch {
        Some(text) => {
            let text = match m.table.as_ref() {
                Some(table) => without_done_placement(table, seat, &text, created),
                None => text,
            };
            if text.is_empty() {
                return;
            }
            if let Err(why) = play(desk, no, seat, &text) {
                desk.tell_one(
                    no,
                    seat,
                    News::PlanFailed {
                        text,
                        why: Box::new(why),
                    },
                );
            }
        }
        None => {
            if let Some(text) = spare {
                desk.tell_one(no, seat, News::PlanMoot { text });
            }
        }
    }
}

/// Where only one home square was vacant the referee has placed the Tulpa already: the plan's placement is left out.
fn without_done_placement(table: &Table, seat: Seat, text: &str, created: bool) -> String {
    let placing = table
        .asks()
        .iter()
        .any(|a| a.seat == seat && a.what == What::Place);
    let mut steps = split_turn(text);
    if created
        && !placing
        && steps
            .first()
            .is_some_and(|s| s.contains('@') || bare(s, "place ") != *s)
    {
        steps.remove(0);
    }
    steps.join("; ")
}
