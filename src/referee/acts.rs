//! Playing: an order as one act after the other, and what follows of itself - cards that are all in are opened, the
//! mover's stored order is played.

use super::apply::open_cards;
use super::desk::{Desk, bare, mover, opening};
use super::event::Event;
use super::notice::{News, Why, owed_word};
use super::scribe::ChainDice;
use super::state::{Match, MatchNo, Registry, Stage};
use crate::rules::notation::split_turn;
use crate::rules::{Happening, Seat, Table, What, Wrong};

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
        awaited: m.awaited().iter().map(|(s, _)| name(s)).collect(),
        owed: m.owed(seat).map(|w| owed_word(w, mine).to_owned()),
    }
}

pub(super) fn why_of(m: &Match, seat: Seat, wrong: Wrong) -> Why {
    match wrong {
        Wrong::NotAsked => not_asked(m, seat),
        Wrong::NoSuchStep {
            text,
            done,
            why,
            legal,
            ..
        } => Why::NoSuchStep {
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
    order: String,
    table: Table,
    happened: Vec<Happening>,
    rolls: Vec<u16>,
}

/// Plays `A@b2; Ab2-d4` as what is asked one after the other: a placement, then the turn. All of it or nothing.
pub(super) fn acts(
    table: &Table,
    seat: Seat,
    text: &str,
    dice: &mut dyn crate::rules::Dice,
) -> Result<Vec<Act>, Wrong> {
    let mut steps = split_turn(text);
    let mut table = table.clone();
    let mut done: Vec<Act> = Vec::new();
    loop {
        let Some(what) = table
            .asks()
            .into_iter()
            .find(|a| a.seat == seat)
            .map(|a| a.what)
        else {
            return Err(match steps.first() {
                Some(text) if !done.is_empty() => Wrong::TooMuch {
                    at: done.len(),
                    text: text.clone(),
                },
                _ => Wrong::NotAsked,
            });
        };
        let order = if what == What::Turn {
            // A placement that the referee made by itself, since only one square was vacant, may stand in the order too.
            std::mem::take(&mut steps).join("; ")
        } else if steps.is_empty() {
            return Ok(done);
        } else {
            steps.remove(0)
        };
        let mut count = Counted {
            dice,
            rolls: Vec::new(),
        };
        let (next, happened) = table.act(seat, &order, &mut count)?;
        let rolls = count.rolls;
        let canonical = canonical(&happened, &order);
        table = next.clone();
        done.push(Act {
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
    let Some(m) = desk.over.game(no) else {
        return Ok(());
    };
    let Some(table) = m.table.as_ref() else {
        return Ok(());
    };
    desk.chance.start(ChainDice::of(&m, table.book()));
    let done =
        acts(table, seat, text, &mut desk.chance).map_err(|wrong| why_of(&m, seat, wrong))?;
    for act in done {
        for h in &act.happened {
            if let Some(news) = News::of(h, m.reveal_both) {
                desk.tell(no, news);
            }
        }
        let event = Event::Acted {
            game: no,
            seat,
            order: act.order,
            ordered: text.to_owned(),
            rolls: act.rolls,
        };
        desk.emit(event, Some((act.table, act.happened)));
    }
    Ok(())
}

/// What a turn would do, on a copy.
pub(super) fn preview(m: &Match, seat: Seat, text: &str) -> Result<(Table, Vec<News>), Why> {
    let table = m.table.as_ref().ok_or(Why::NotBegun)?;
    let done = acts(table, seat, text, &mut crate::rules::NoDice)
        .map_err(|wrong| why_of(m, seat, wrong))?;
    let news = done
        .iter()
        .flat_map(|a| &a.happened)
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
            let mut pickers: Vec<Seat> = asks
                .iter()
                .filter(|a| a.what == What::Pick)
                .map(|a| a.seat)
                .collect();
            // The mover's card first: the same order whoever was quicker.
            pickers.sort_by_key(|s| (*s != seat, *s));
            let cards: Vec<(Seat, String)> = pickers
                .iter()
                .filter_map(|s| Some((*s, m.card_down(now, *s)?.card.0.clone())))
                .collect();
            if cards.len() < pickers.len() {
                return;
            }
            desk.chance.start(ChainDice::of(&m, table.book()));
            let Ok((table, happened)) = open_cards(&m, &cards, &mut desk.chance) else {
                return;
            };
            let rolls = desk.chance.take();
            for h in &happened {
                if let Some(mut news) = News::of(h, m.reveal_both) {
                    if let News::Opened { openings, .. } = &mut news
                        && m.reveal_both
                    {
                        let seals = pickers.iter().filter_map(|s| m.card_down(now, *s));
                        *openings = seals.map(|s| opening(&m, s)).collect();
                    }
                    desk.tell(no, news);
                }
            }
            let created = was_created(&happened);
            desk.emit(
                Event::Opened {
                    game: no,
                    turn: now,
                    cards,
                    rolls,
                },
                Some((table, happened)),
            );
            run_plan(desk, no, seat, now, created);
            continue;
        }
        // The fifth Tulpa comes without picks: a plan for this turn stands for its created branch.
        if m.plans.iter().any(|p| p.turn == now && p.seat == seat) {
            let placing = asks.iter().any(|a| a.what == What::Place && a.seat == seat);
            run_plan(desk, no, seat, now, placing);
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
