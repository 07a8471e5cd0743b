//! The one source of chance of a world: the same seed, the same world.

/// SplitMix64.
#[derive(Clone)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed ^ 0x7075_6c61_7475_6c61)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `n` - 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        from + (self.next() % (to - from).max(1) as u64) as i64
    }

    /// True in so many of a thousand cases.
    pub fn hits(&mut self, of_thousand: usize) -> bool {
        self.below(1000) < of_thousand
    }

    pub fn bytes(&mut self) -> [u8; 32] {
        let mut out = [0; 32];
        for part in out.chunks_mut(8) {
            part.copy_from_slice(&self.next().to_be_bytes());
        }
        out
    }
}
