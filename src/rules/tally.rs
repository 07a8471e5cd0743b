//! Repetition and inaction for games without a rule of their own (FIDE Laws 9.2, 9.3, 9.6).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::play::Ending;

/// Occurrences of each position and turns since the last progress.
///
/// Positions are kept as 128-bit digests: two different ones meeting by chance in a game
/// is out of the question (2^-100 for a game of ten thousand turns).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    seen: BTreeMap<u128, u8>,
    now: u8,
    idle: u16,
}

/// The third occurrence may be claimed, the fifth is a draw.
pub const CLAIM_OCCURRENCES: u8 = 3;
/// See [`CLAIM_OCCURRENCES`].
pub const DRAW_OCCURRENCES: u8 = 5;
/// 50 turns of each side without progress may be claimed, 75 are a draw.
pub const CLAIM_TURNS: u16 = 50;
/// See [`CLAIM_TURNS`].
pub const DRAW_TURNS: u16 = 75;

impl Tally {
    /// Counts the position at the start of a turn; `bytes` must say all that makes it the same.
    pub fn position(&mut self, bytes: &[u8]) {
        let count = self.seen.entry(digest(bytes)).or_insert(0);
        *count = count.saturating_add(1);
        self.now = *count;
    }
    /// Counts a finished turn.
    pub fn turn(&mut self, progress: bool) {
        self.idle = if progress {
            0
        } else {
            self.idle.saturating_add(1)
        };
    }
    /// The automatic draw, for a game of two seats.
    pub fn ending(&self) -> Option<Ending> {
        if self.now >= DRAW_OCCURRENCES {
            Some(Ending::draw("repetition"))
        } else if self.idle >= 2 * DRAW_TURNS {
            Some(Ending::draw("no progress"))
        } else {
            None
        }
    }
    /// Why a draw may be claimed now.
    pub fn claim(&self) -> Option<String> {
        if self.now >= CLAIM_OCCURRENCES {
            Some("repetition".to_owned())
        } else if self.idle >= 2 * CLAIM_TURNS {
            Some("no progress".to_owned())
        } else {
            None
        }
    }
}

/// FNV-1a, 128 bits (parameters of the IETF draft by Fowler, Noll, Vo and Eastlake).
fn digest(bytes: &[u8]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for b in bytes {
        hash = (hash ^ u128::from(*b)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash
}
