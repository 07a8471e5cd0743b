//! Counting step sequences: the figures by which two programs find out that they differ.

use super::kit::Kit;
use super::play::{NoDice, Play, Seat, What};

/// Step sequences of `depth` turns; a whole turn counts as the sequence of its steps.
pub fn turns<P: Play>(kit: &Kit, play: &P, state: &P::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if let Some(count) = play.perft(kit, state, depth) {
        return count;
    }
    let Some(seat) = mover(kit, play, state) else {
        return 0;
    };
    within(kit, play, state, seat, depth)
}

fn mover<P: Play>(kit: &Kit, play: &P, state: &P::State) -> Option<Seat> {
    if play.ending(kit, state).is_some() {
        return None;
    }
    play.asks(kit, state)
        .into_iter()
        .find(|a| a.what == What::Turn)
        .map(|a| a.seat)
}

fn within<P: Play>(kit: &Kit, play: &P, state: &P::State, seat: Seat, depth: u32) -> u64 {
    let mut steps = Vec::new();
    play.steps(kit, state, seat, &mut steps);
    steps
        .iter()
        .map(|step| behind(kit, play, state, seat, step, depth))
        .sum()
}

/// Step sequences of `depth` turns that begin with this legal step.
pub fn behind<P: Play>(
    kit: &Kit,
    play: &P,
    state: &P::State,
    seat: Seat,
    step: &P::Step,
    depth: u32,
) -> u64 {
    let mut next = state.clone();
    play.step(kit, &mut next, seat, step, &mut NoDice, &mut Vec::new());
    if play.ending(kit, &next).is_some() {
        return u64::from(depth == 1);
    }
    let mut count = within(kit, play, &next, seat, depth);
    if play.may_stop(kit, &next, seat) {
        if depth > 1 {
            play.stop(kit, &mut next, seat, &mut NoDice, &mut Vec::new());
        }
        count += turns(kit, play, &next, depth - 1);
    }
    count
}

/// Ordered lists of exactly `steps` steps within the present turn, `end` not counted.
pub fn steps<P: Play>(kit: &Kit, play: &P, state: &P::State, count: u32) -> u64 {
    let Some(seat) = mover(kit, play, state) else {
        return u64::from(count == 0);
    };
    exactly(kit, play, state, seat, count)
}

fn exactly<P: Play>(kit: &Kit, play: &P, state: &P::State, seat: Seat, count: u32) -> u64 {
    if count == 0 {
        return 1;
    }
    if play.ending(kit, state).is_some() {
        return 0;
    }
    let mut steps = Vec::new();
    play.steps(kit, state, seat, &mut steps);
    if count == 1 {
        return steps.len() as u64;
    }
    steps
        .iter()
        .map(|step| {
            let mut next = state.clone();
            play.step(kit, &mut next, seat, step, &mut NoDice, &mut Vec::new());
            exactly(kit, play, &next, seat, count - 1)
        })
        .sum()
}
