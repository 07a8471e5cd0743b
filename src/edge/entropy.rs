//! Chance, taken from the operating system: the only source of dice, seals and tokens.

use crate::edge::secret::Secret;

/// 32 fresh bytes. An error means the machine has no random numbers: nothing may be thrown or sealed then.
pub fn fresh() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// 32 fresh bytes for a key.
pub fn fresh_key() -> std::io::Result<Secret<[u8; 32]>> {
    fresh().map(Secret::new)
}

#[cfg(test)]
mod tests {
    #[test]
    fn never_the_same_twice() {
        let (a, b) = (super::fresh().unwrap(), super::fresh().unwrap());
        assert_ne!(a, b);
        assert_ne!(a, [0; 32]);
    }
}
