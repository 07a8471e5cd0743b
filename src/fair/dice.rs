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

/// A roll as it is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thrown {
    /// Its chain index.
    pub i: u32,
    /// Its element.
    pub c: Hash,
    /// Sides of its dice, in the order the rules name them.
    pub sides: Vec<u64>,
}

/// Longest line of [`check_commands`]: with two blanks before it, it fits a mail.
pub const CHECK_CHARS_MAX: usize = 70;
/// Words in one block of HMAC, which is what a line of a check shows.
const BLOCK_WORDS: usize = 8;

impl Thrown {
    /// `dice 129  # 9b32b74b 37f56990: 4 1`: the command, the words taken, and what they make fall. Without the words, and
    /// at last without some dice, where a line would not hold them.
    fn line(&self, gid: &str, entropy: &Hash, beacon: &str) -> String {
        let mut roll = Roll::new(&self.c, gid, self.i, entropy, beacon);
        let (mut words, mut fell) = (Vec::new(), Vec::new());
        for sides in self.sides.iter().take(BLOCK_WORDS) {
            fell.push(roll.die(*sides).to_string());
            words.push(hex(&roll.block[roll.used * 4 - 4..roll.used * 4]));
        }
        let command = format!("dice {}  #", self.i);
        let line = format!("{command} {}: {}", words.join(" "), fell.join(" "));
        let (mut shown, all) = (fell.len(), self.sides.len());
        if line.len() <= CHECK_CHARS_MAX && shown == all {
            return line;
        }
        loop {
            let more = if shown < all { " .." } else { "" };
            let line = format!("{command} {}{more}", fell[..shown].join(" "));
            if line.len() <= CHECK_CHARS_MAX || shown == 0 {
                return line;
            }
            shown -= 1;
        }
    }
}

/// Down from chain index `i` to `before`: `chain 3 2`, or with `seq` where a line would not hold the numbers.
fn steps(i: u32, before: u32) -> String {
    let mut line = "chain".to_owned();
    for j in (before + 1..=i).rev() {
        line.push_str(&format!(" {j}"));
        if line.len() > CHECK_CHARS_MAX {
            return format!("chain $(seq {i} -1 {})", before + 1);
        }
    }
    line
}

/// The shell lines by which a player checks rolls, none longer than [`CHECK_CHARS_MAX`], so that a mail does not break them:
/// `dice I` prints the words of a roll, `chain I ..` goes down to the roll before. `rolls` are one after the other, the
/// oldest first; the last line is a comment, the element that the player knew before them all. What a line prints stands
/// behind it as a comment.
pub fn check_commands(
    gid: &str,
    rolls: &[Thrown],
    known: (u32, &Hash),
    entropy: &Hash,
    beacon: &str,
) -> Vec<String> {
    let Some(newest) = rolls.last() else {
        return Vec::new();
    };
    let mut lines = vec![format!("g={gid}"), format!("e={}", hex(entropy))];
    let b = match beacon.len() {
        0..=1 => beacon,
        _ => {
            lines.push(format!("b={beacon}"));
            "$b"
        }
    };
    lines.push(format!("c={}", hex(&newest.c)));
    lines.extend([
        format!("dice() {{ printf %s \"tulpa1/dice $g $1 $e {b} 0\" |"),
        "openssl dgst -sha256 -mac HMAC -macopt hexkey:$c; }".to_owned(),
        "chain() { for j; do c=$(printf %s \"tulpa1/chain $g $j $c\" |".to_owned(),
        "sha256sum | cut -c1-64); done; }".to_owned(),
    ]);
    for (at, roll) in rolls.iter().enumerate().rev() {
        let before = at.checked_sub(1).map_or(known.0, |b| rolls[b].i);
        lines.push(roll.line(gid, entropy, beacon));
        lines.push(steps(roll.i, before));
    }
    lines.push("echo $c".to_owned());
    lines.push(format!("# {}", hex(known.1)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fair::chain;

    /// Steps written one by one, by `seq`, and the longest there can be.
    #[test]
    fn no_line_is_broken_in_a_mail() {
        let gid = "k7q2m5x4d3";
        let top = chain::LENGTH_MAX;
        let thrown = |i: u32, n: usize| Thrown {
            i,
            c: [7; 32],
            sides: vec![4; n],
        };
        let mut many = vec![
            thrown(3, 4),
            thrown(40, 5),
            thrown(top - 8, 9),
            thrown(top, 64),
        ];
        many[2].sides[8] = 1 << 32;
        many[3].sides = vec![1 << 32; 64];
        for beacon in ["-".to_owned(), hex(&[9; 32])] {
            let lines = check_commands(gid, &many, (0, &[1; 32]), &[2; 32], &beacon);
            for line in &lines {
                assert!(line.len() <= CHECK_CHARS_MAX, "{} {line}", line.len());
            }
            let steps = |line: &&String| line.starts_with("chain ");
            let steps: Vec<_> = lines.iter().filter(steps).collect();
            assert_eq!(
                steps[0],
                "chain 1048576 1048575 1048574 1048573 1048572 1048571 1048570 1048569"
            );
            assert_eq!(steps[1], "chain $(seq 1048568 -1 41)");
            assert_eq!(steps[2], "chain $(seq 40 -1 4)");
            assert_eq!(steps[3], "chain 3 2 1");
        }
        assert!(check_commands(gid, &[], (0, &[1; 32]), &[2; 32], "-").is_empty());
    }
}
