//! Who pays for which move: leaders, their capacity, and a matching kept whole by augmenting paths.

use serde::{Deserialize, Serialize};

use super::super::super::kit::{Kit, Square};

/// Leaders that one side may have; one bit each.
pub const LEADERS_MAX: usize = 16;
/// Moves of one turn: two for each leader.
pub const MOVES_MAX: usize = 2 * LEADERS_MAX;

/// A set of leaders, one bit each.
pub type Set = u16;

/// The leaders of a turn and what they have paid for so far.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Command {
    squares: [Square; LEADERS_MAX],
    count: u8,
    capacity: u8,
    /// Moves that each leader pays for in the present assignment.
    paid: [u8; LEADERS_MAX],
    made: u8,
    /// Leaders that could pay for each move.
    range: [Set; MOVES_MAX],
    /// The leader that pays for it in the present assignment.
    payer: [u8; MOVES_MAX],
    /// Leaders allowed for the next move; 0 for any.
    bound: Set,
}

impl Command {
    /// At the start of a turn: each leader may activate `capacity` men.
    pub fn new(squares: impl Iterator<Item = Square>, capacity: u8) -> Command {
        let mut command = Command {
            capacity,
            ..Command::default()
        };
        for (slot, sq) in command.squares.iter_mut().zip(squares) {
            *slot = sq;
            command.count += 1;
        }
        command
    }
    /// Moves made in this turn.
    pub fn made(&self) -> u8 {
        self.made
    }
    /// Activations left.
    pub fn left(&self) -> u8 {
        (self.count * self.capacity).saturating_sub(self.made)
    }
    /// Where the leaders stand now.
    pub fn squares(&self) -> &[Square] {
        &self.squares[..usize::from(self.count)]
    }
    /// The leaders that a man on this square could be activated by, paid or not.
    pub fn in_range(&self, kit: &Kit, from: Square, range: u8) -> Set {
        let (file, rank) = (kit.file(from), kit.rank(from));
        let mut set = 0;
        for (i, sq) in self.squares().iter().enumerate() {
            let away = kit
                .file(*sq)
                .abs_diff(file)
                .max(kit.rank(*sq).abs_diff(rank));
            if away <= range {
                set |= 1 << i;
            }
        }
        if self.bound == 0 {
            set
        } else {
            set & self.bound
        }
    }
    /// The leaders of which one more can be asked, perhaps by handing what they paid for to others.
    pub fn payers(&self) -> Set {
        let mut set: Set = 0;
        for i in 0..usize::from(self.count) {
            if self.paid[i] < self.capacity {
                set |= 1 << i;
            }
        }
        loop {
            let before = set;
            for m in 0..usize::from(self.made) {
                if self.range[m] & set != 0 {
                    set |= 1 << self.payer[m];
                }
            }
            if set == before {
                return set;
            }
        }
    }
    /// Adds a move that one of `range` pays for; false, and nothing done, where none can.
    pub fn pay(&mut self, range: Set) -> bool {
        let made = usize::from(self.made);
        if made >= MOVES_MAX {
            return false;
        }
        let mut tried = 0;
        let Some(payer) = self.make_free(range, &mut tried) else {
            return false;
        };
        self.range[made] = range;
        self.payer[made] = payer;
        self.paid[usize::from(payer)] += 1;
        self.made += 1;
        self.bound = 0;
        true
    }
    /// Finds a leader of the set with an activation left, moving earlier payments on (Kuhn 1955).
    fn make_free(&mut self, range: Set, tried: &mut Set) -> Option<u8> {
        for leader in 0..self.count {
            let bit = 1 << leader;
            if range & bit == 0 || *tried & bit != 0 {
                continue;
            }
            *tried |= bit;
            if self.paid[usize::from(leader)] < self.capacity {
                return Some(leader);
            }
            for m in 0..usize::from(self.made) {
                if self.payer[m] != leader {
                    continue;
                }
                if let Some(other) = self.make_free(self.range[m], tried) {
                    self.payer[m] = other;
                    self.paid[usize::from(other)] += 1;
                    self.paid[usize::from(leader)] -= 1;
                    return Some(leader);
                }
            }
        }
        None
    }
    /// A man went from one square to another; where it is a leader its place changes.
    pub fn carried(&mut self, from: Square, to: Square) {
        let count = usize::from(self.count);
        if let Some(slot) = self.squares[..count].iter_mut().find(|sq| **sq == from) {
            *slot = to;
        }
    }
    /// The square of the leader that alone may pay for the next move.
    pub fn bound(&self) -> Option<Square> {
        let which = self.bound.trailing_zeros() as usize;
        self.squares().get(which).copied()
    }
    /// Forgets who pays for what, once nobody will ask again: a game that was won must not
    /// remember whom its last order named.
    pub fn settle(&mut self) {
        self.range = Default::default();
        self.payer = Default::default();
        self.paid = Default::default();
    }
    /// Lets only the leader on this square pay for the next move.
    pub fn bind(&mut self, sq: Square) -> bool {
        match self.squares().iter().position(|s| *s == sq) {
            Some(i) => {
                self.bound = 1 << i;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every assignment tried: is there one that pays for all?
    fn brute(ranges: &[Set], count: u8, capacity: u8) -> bool {
        fn go(ranges: &[Set], paid: &mut [u8], capacity: u8) -> bool {
            let Some((first, rest)) = ranges.split_first() else {
                return true;
            };
            (0..paid.len()).any(|i| {
                if first & (1 << i) == 0 || paid[i] >= capacity {
                    return false;
                }
                paid[i] += 1;
                let good = go(rest, paid, capacity);
                paid[i] -= 1;
                good
            })
        }
        go(ranges, &mut vec![0; usize::from(count)], capacity)
    }

    #[test]
    fn paying_agrees_with_trying_every_assignment() {
        let mut x = 7_u64;
        for _ in 0..3000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (count, capacity) = (1 + (x >> 40) as u8 % 5, 1 + (x >> 50) as u8 % 2);
            let mut command = Command::new(0..Square::from(count), capacity);
            let mut ranges = Vec::new();
            for _ in 0..8 {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let range = (x >> 33) as Set & (x >> 45) as Set & ((1 << count) - 1);
                ranges.push(range);
                let can = brute(&ranges, count, capacity);
                assert_eq!(command.payers() & range != 0, can);
                assert_eq!(command.pay(range), can);
                if !can {
                    ranges.pop();
                }
            }
        }
    }
}
