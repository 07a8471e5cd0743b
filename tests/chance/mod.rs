//! Random play for tests: the same seed, the same match.

use tulpa::rules::{Dice, Seat, Table, What};

/// A small generator (SplitMix64) so that a failure can be played again.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

impl Dice for Random {
    fn roll(&mut self, _: Seat, sides: u16) -> u16 {
        self.below(usize::from(sides)) as u16 + 1
    }
}

/// A whole random answer to one thing that is asked: a turn of random steps, a pick, a placement.
pub fn order(table: &Table, random: &mut Random) -> Option<(Seat, String)> {
    let asks = table.asks();
    let ask = *asks.get(random.below(asks.len().max(1)))?;
    if ask.what != What::Turn {
        let all = table.choices(ask.seat, ask.what);
        return Some((ask.seat, all[random.below(all.len())].clone()));
    }
    let steps = turn(table, ask.seat, Vec::new(), random);
    Some((ask.seat, steps.join("; ")))
}

/// Random steps behind the first ones, until the turn is over.
pub fn turn(table: &Table, seat: Seat, first: Vec<String>, random: &mut Random) -> Vec<String> {
    let mut steps = first;
    loop {
        let so_far: Vec<&str> = steps.iter().map(String::as_str).collect();
        let next = table.next(seat, &so_far).expect("steps so far are legal");
        if next.steps.is_empty() {
            return steps;
        }
        // some turns are ended before they must be
        if next.may_stop && (random.below(6) == 0 || steps.len() > 40) {
            steps.push("end".to_owned());
            return steps;
        }
        steps.push(next.steps[random.below(next.steps.len())].clone());
    }
}
