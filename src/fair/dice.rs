//! Dice out of one chain element: HMAC for the words, rejection so that no number is likelier (trust.md 3).

use super::line::{Hash, hex, line_mac};

/// Most sides of a die.
pub const SIDES_MAX: u64 = 1 << 32;
/// Most dice of one roll.
pub const DICE_MAX: usize = 64;

/// The line under HMAC for block `ctr`; `beacon` is `-` where there is none.
pub fn dice_line(gid: &str, i: u32, entropy: &Hash, beacon: &str, ctr: u32) -> String {
    format!("tulpa1/dice {gid} {i} {} {beacon} {ctr}", hex(entropy))
}

/// The dice of one roll, one after the other.
#[derive(Clone)]
pub struct Roll {
    key: Hash,
    gid: String,
    i: u32,
    entropy: Hash,
    beacon: String,
    ctr: u32,
    block: Hash,
    used: usize,
}

impl Roll {
    /// The roll at chain index `i`, whose element is `key`.
    pub fn new(key: &Hash, gid: &str, i: u32, entropy: &Hash, beacon: &str) -> Roll {
        let first = dice_line(gid, i, entropy, beacon, 0);
        Roll {
            key: *key,
            gid: gid.to_owned(),
            i,
            entropy: *entropy,
            beacon: beacon.to_owned(),
            ctr: 0,
            block: line_mac(key, &first),
            used: 0,
        }
    }

    /// D_ctr that the next word is taken from.
    pub fn block(&self) -> &Hash {
        &self.block
    }

    fn word(&mut self) -> u64 {
        if self.used == 8 {
            self.ctr += 1;
            let line = dice_line(&self.gid, self.i, &self.entropy, &self.beacon, self.ctr);
            self.block = line_mac(&self.key, &line);
            self.used = 0;
        }
        let at = self.used * 4;
        self.used += 1;
        self.block[at..at + 4]
            .iter()
            .fold(0, |w, b| (w << 8) | u64::from(*b))
    }

    /// The next die of `sides` sides (1 ..= [`SIDES_MAX`]): 1 ..= sides.
    pub fn die(&mut self, sides: u64) -> u64 {
        let sides = sides.clamp(1, SIDES_MAX);
        let limit = SIDES_MAX - SIDES_MAX % sides;
        loop {
            let word = self.word();
            if word < limit {
                return 1 + word % sides;
            }
        }
    }

    /// All dice of a roll, in the order the rules name them.
    pub fn dice(&mut self, sides: &[u64]) -> Vec<u64> {
        sides.iter().map(|n| self.die(*n)).collect()
    }
}

/// The two shell lines by which a player checks a roll: the chain down to the last element he knows, then the dice.
pub fn check_commands(
    gid: &str,
    (i, c_i): (u32, &Hash),
    known: u32,
    entropy: &Hash,
    beacon: &str,
) -> [String; 2] {
    let steps: Vec<String> = (known + 1..=i).rev().map(|j| j.to_string()).collect();
    [
        format!(
            "c={}; for j in {}; do c=$(printf %s \"tulpa1/chain {gid} $j $c\" | sha256sum | cut -c1-64); done; echo $c",
            hex(c_i),
            steps.join(" ")
        ),
        format!(
            "printf %s '{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:{}",
            dice_line(gid, i, entropy, beacon, 0),
            hex(c_i)
        ),
    ]
}
