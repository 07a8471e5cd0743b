//! Chance, taken from the operating system: the only source of dice, seals and tokens.

use sha2::{Digest, Sha256};

use crate::edge::secret::Secret;

/// 32 fresh bytes. An error means the machine has no random numbers: nothing may be thrown or sealed then.
pub fn fresh() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// Where a referee's chance comes from.
#[derive(Debug, Default)]
pub enum Source {
    /// The operating system.
    #[default]
    System,
    /// Counted on from a number: the same chances each time, so that a demo or a test can be told beforehand. No
    /// configuration leads here.
    Counted(u64),
}

impl Source {
    /// 32 bytes for one decision.
    ///
    /// # Errors
    /// The machine has no random numbers.
    pub fn fresh(&mut self) -> std::io::Result<[u8; 32]> {
        match self {
            Source::System => fresh(),
            Source::Counted(at) => {
                *at += 1;
                Ok(Sha256::digest(at.to_be_bytes()).into())
            }
        }
    }
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
        let mut counted = super::Source::Counted(7);
        let (a, b) = (counted.fresh().unwrap(), counted.fresh().unwrap());
        assert_ne!(a, b);
        assert_eq!(super::Source::Counted(7).fresh().unwrap(), a);
    }
}
