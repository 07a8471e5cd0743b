//! The hash chain that the dice come from: its end is published before anybody speaks, and each roll reveals one element
//! (trust.md 3).

use super::line::{Hash, hash, hex};

/// Most elements of a chain.
pub const LENGTH_MAX: u32 = 1 << 20;
/// Turns that a chain serves.
pub const TURNS: u32 = 1024;
/// Separately revealed rolls of one turn where the rules name no smaller number.
pub const PER_DEFAULT: u32 = 8;

/// The line whose hash is the element before c_j.
pub fn chain_line(gid: &str, j: u32, c_j: &Hash) -> String {
    format!("tulpa1/chain {gid} {j} {}", hex(c_j))
}

/// c_j to c_i, downwards; `c_j` itself where i is not below j.
pub fn down(gid: &str, j: u32, c_j: &Hash, i: u32) -> Hash {
    (i + 1..=j)
        .rev()
        .fold(*c_j, |c, at| hash(&chain_line(gid, at, &c)))
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
    fn down_by_steps_and_at_once() {
        let top = [7; 32];
        let two = down("k7q2m5x4d3", 9, &down("k7q2m5x4d3", 10, &top, 9), 8);
        assert_eq!(two, down("k7q2m5x4d3", 10, &top, 8));
        assert_eq!(top, down("k7q2m5x4d3", 10, &top, 10));
    }
}
