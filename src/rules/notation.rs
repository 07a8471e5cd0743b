//! Reading and matching of move texts.

/// What a text was found to mean.
pub enum Found {
    /// One legal step.
    One(usize),
    /// Several.
    Many(Vec<usize>),
    /// None; the nearest ones.
    None {
        /// Indices into the legal texts.
        nearest: Vec<usize>,
    },
}

/// Finds a player's text among the legal ones.
pub fn find(text: &str, legal: &[String]) -> Found {
    match legal.iter().position(|l| l == text.trim()) {
        Some(i) => Found::One(i),
        None => Found::None {
            nearest: Vec::new(),
        },
    }
}

/// Splits a turn into its step texts.
pub fn split_turn(text: &str) -> Vec<String> {
    text.split([';', '\n'])
        .map(|s| s.trim().to_owned())
        .filter(|s| !s.is_empty())
        .collect()
}
