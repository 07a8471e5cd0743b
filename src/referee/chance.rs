//! Chance goes in once: all of a decision's randomness comes from 32 fresh bytes, and what fell stands in the events.

use super::dice::ChainDice;
use crate::fair::line::{hex, line_mac};
use crate::rules::{Dice, Seat};

/// Randomness of one decision, drawn from its entropy.
#[derive(Debug)]
pub struct Chance {
    key: [u8; 32],
    drawn: u32,
    chain: Option<ChainDice>,
    /// What fell since [`Chance::start`].
    pub rolls: Vec<u16>,
}

impl Chance {
    /// From 32 fresh bytes.
    pub fn new(entropy: &[u8; 32]) -> Chance {
        Chance {
            key: *entropy,
            drawn: 0,
            chain: None,
            rolls: Vec::new(),
        }
    }
    /// 32 bytes nobody can guess.
    pub fn bytes(&mut self) -> [u8; 32] {
        self.drawn += 1;
        line_mac(&self.key, &format!("tulpa1/chance {}", self.drawn))
    }
    /// The same in hex.
    pub fn secret(&mut self) -> String {
        hex(&self.bytes())
    }
    /// `n` characters [a-z2-7], five bits each; at most 32.
    pub fn word(&mut self, n: usize) -> String {
        const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let bytes = self.bytes();
        bytes
            .iter()
            .take(n)
            .map(|b| char::from(ALPHABET[usize::from(b & 31)]))
            .collect()
    }
    /// 0 .. n-1, every number equally likely; 0 for n = 0.
    pub fn below(&mut self, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        // The words above the last multiple of n are thrown away, as trust.md 3 does for dice.
        let limit = u64::from(n) * (u64::from(u32::MAX) / u64::from(n));
        loop {
            for word in self.bytes().chunks_exact(4) {
                let word = word.iter().fold(0u32, |w, b| (w << 8) | u32::from(*b));
                if u64::from(word) < limit {
                    return word % n;
                }
            }
        }
    }
    /// Begins a new list of what falls; with a chain the dice are its, and this decision's randomness has no part in them.
    pub fn start(&mut self, chain: Option<ChainDice>) {
        self.chain = chain;
        self.rolls.clear();
    }
    /// What fell since the last start.
    pub fn take(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.rolls)
    }
}

impl Dice for Chance {
    fn slot(&mut self, turn: u32, roll: u32) {
        if let Some(chain) = &mut self.chain {
            chain.slot(turn, roll);
        }
    }
    fn roll(&mut self, of: Seat, sides: u16) -> u16 {
        let fell = match &mut self.chain {
            Some(chain) => chain.roll(of, sides),
            None => u16::try_from(self.below(u32::from(sides))).unwrap_or(0) + 1,
        };
        self.rolls.push(fell);
        fell
    }
}

/// Dice that read back what an event says fell.
#[derive(Debug)]
pub struct ReadBack<'a>(pub std::slice::Iter<'a, u16>);

impl Dice for ReadBack<'_> {
    fn roll(&mut self, _of: Seat, _sides: u16) -> u16 {
        self.0.next().copied().unwrap_or(1)
    }
}
