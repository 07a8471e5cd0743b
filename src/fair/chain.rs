//! The hash chain that the dice come from: its end is published before anybody speaks, and each roll reveals one element
//! (trust.md 3).

use sha2::{Digest, Sha256};

use super::line::{Hash, hex, hex_into};

/// Most elements of a chain.
pub const LENGTH_MAX: u32 = 1 << 20;
/// Turns that a chain serves.
pub const TURNS: u32 = 1024;
/// Separately revealed rolls of one turn where the rules name no smaller number.
pub const PER_DEFAULT: u32 = 8;

const CHAIN: &str = "tulpa1/chain";

/// The line whose hash is the element before c_j.
pub fn chain_line(gid: &str, j: u32, c_j: &Hash) -> String {
    format!("{CHAIN} {gid} {j} {}", hex(c_j))
}

/// c_j to c_i, downwards; `c_j` itself where i is not below j.
pub fn down(gid: &str, j: u32, c_j: &Hash, i: u32) -> Hash {
    let steps = j.saturating_sub(i) as usize;
    walk(gid, j, c_j).nth(steps).unwrap_or(*c_j)
}

/// c_j, c_{j-1} and so on down to c_0.
pub fn walk(gid: &str, j: u32, c_j: &Hash) -> Walk {
    Walk {
        line: format!("{CHAIN} {gid} ").into_bytes(),
        front: CHAIN.len() + gid.len() + 2,
        next: Some((j, *c_j)),
    }
}

/// See [`walk`]. A thousand elements are a thousand hashes: nothing else should cost anything.
pub struct Walk {
    /// Room for [`chain_line`].
    line: Vec<u8>,
    /// Bytes of it before the number.
    front: usize,
    next: Option<(u32, Hash)>,
}

impl Iterator for Walk {
    type Item = Hash;
    fn next(&mut self) -> Option<Hash> {
        let (j, c) = self.next?;
        self.next = j.checked_sub(1).map(|before| {
            self.line.truncate(self.front);
            decimal(j, &mut self.line);
            self.line.push(b' ');
            hex_into(&c, &mut self.line);
            (before, Sha256::digest(&self.line).into())
        });
        Some(c)
    }
}

fn decimal(n: u32, out: &mut Vec<u8>) {
    if n >= 10 {
        decimal(n / 10, out);
    }
    out.push(b'0' + (n % 10) as u8);
}

/// Index of roll `j` (from 0) of turn `t` (from 1), `per` rolls to a turn; `None` outside of a chain of `n` elements.
pub fn index(per: u32, n: u32, t: u32, j: u32) -> Option<u32> {
    if t == 0 || j >= per {
        return None;
    }
    let i = u64::from(per) * u64::from(t - 1) + u64::from(j) + 1;
    u32::try_from(i).ok().filter(|i| *i <= n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fair::line::hash;

    #[test]
    fn slots_of_turns() {
        assert_eq!(index(8, 8192, 17, 0), Some(129));
        assert_eq!(index(1, 1024, 1, 0), Some(1));
        assert_eq!(index(1, 1024, 1024, 0), Some(1024));
        assert_eq!(index(1, 1024, 1025, 0), None);
        assert_eq!(index(1, 1024, 0, 0), None);
        assert_eq!(index(8, 8192, 1, 8), None);
        assert_eq!(index(8, LENGTH_MAX, u32::MAX, 7), None);
    }

    #[test]
    fn each_element_is_the_hash_of_the_line_of_the_one_above() {
        let all: Vec<_> = walk("k7q2m5x4d3", 1025, &[7; 32]).collect();
        assert_eq!(all.len(), 1026);
        for (j, pair) in (1..=1025).rev().zip(all.windows(2)) {
            assert_eq!(pair[1], hash(&chain_line("k7q2m5x4d3", j, &pair[0])), "{j}");
            assert_eq!(pair[1], down("k7q2m5x4d3", 1025, &[7; 32], j - 1));
        }
    }

    #[test]
    fn down_by_steps_and_at_once() {
        let top = [7; 32];
        let two = down("k7q2m5x4d3", 9, &down("k7q2m5x4d3", 10, &top, 9), 8);
        assert_eq!(two, down("k7q2m5x4d3", 10, &top, 8));
        assert_eq!(top, down("k7q2m5x4d3", 10, &top, 10));
    }
}
