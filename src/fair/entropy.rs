//! What the players put into the dice: plain words, a committed seed, or the Message-ID of their acceptance (trust.md 3).

use super::line::{Hash, hash, hex};

/// Longest words of a player, characters.
pub const WORDS_CHARS_MAX: usize = 60;
/// Where there is no beacon.
pub const NO_BEACON: &str = "-";
/// Hex digits of a Message-ID's hash in default words.
pub const MID_WORDS_HEX: usize = 32;

/// Why words cannot go into the dice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadWords {
    /// Nothing, or only blanks.
    #[error("there are no words")]
    None,
    /// More than [`WORDS_CHARS_MAX`].
    #[error("the words have {chars} characters; at most {WORDS_CHARS_MAX} can be kept")]
    TooLong {
        /// How many there are.
        chars: usize,
    },
    /// A character that would not survive every mail program.
    #[error("`{0}` cannot stand in the words; letters, digits, blanks and . , : ' - can")]
    Character(char),
}

/// Words as they are hashed: lower case, single blanks.
///
/// # Errors
/// Nothing left, too long, or a character outside of `[a-z0-9 .,:'-]`.
pub fn tidy_words(text: &str) -> Result<String, BadWords> {
    let words = text.to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let words = words.join(" ");
    if words.is_empty() {
        return Err(BadWords::None);
    }
    if let Some(c) = words.chars().find(|c| !is_word_char(*c)) {
        return Err(BadWords::Character(c));
    }
    if words.len() > WORDS_CHARS_MAX {
        return Err(BadWords::TooLong { chars: words.len() });
    }
    Ok(words)
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || " .,:'-".contains(c)
}

/// Words as a ledger writes them: blanks are `_`.
pub fn words_token(words: &str) -> String {
    words.replace(' ', "_")
}

/// The words of a ledger's token; `None` where it is not the token of tidy words.
pub fn token_words(token: &str) -> Option<String> {
    let words = token.replace('_', " ");
    (!token.contains(' ') && tidy_words(&words).as_deref() == Ok(words.as_str())).then_some(words)
}

/// The words of a player who sends none: his mail program chose them after c_0 was mailed.
pub fn mid_words(message_id: &str) -> String {
    format!("mid:{}", &hex(&hash(message_id))[..MID_WORDS_HEX])
}

/// The seed of plain words.
pub fn words_seed(gid: &str, seat: u32, words: &str) -> Hash {
    hash(&format!("tulpa1/words {gid} {seat} {words}"))
}

/// What a player who distrusts commits to before he shows his seed.
pub fn seed_commitment(gid: &str, seat: u32, seed: &Hash) -> Hash {
    hash(&format!("tulpa1/seed {gid} {seat} {}", hex(seed)))
}

/// E: fixed by the anchor and by every seat's seed; a missing one counts as zeros.
pub fn entropy(gid: &str, anchor: &Hash, seeds: &[Option<Hash>], beacon: &str) -> Hash {
    let mut line = format!("tulpa1/entropy {gid} {}", hex(anchor));
    for seed in seeds {
        line.push(' ');
        line.push_str(&hex(&seed.unwrap_or_default()));
    }
    line.push(' ');
    line.push_str(beacon);
    hash(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_survive_mail() {
        assert_eq!(
            tidy_words("  The quick\tBrown fox 1987 ").as_deref(),
            Ok("the quick brown fox 1987")
        );
        assert_eq!(tidy_words(" "), Err(BadWords::None));
        assert_eq!(tidy_words("naïve"), Err(BadWords::Character('ï')));
        assert_eq!(tidy_words("a_b"), Err(BadWords::Character('_')));
        assert_eq!(
            tidy_words(&"x".repeat(61)),
            Err(BadWords::TooLong { chars: 61 })
        );
        assert_eq!(tidy_words(&mid_words("<1@x>")), Ok(mid_words("<1@x>")));
    }

    #[test]
    fn the_token_of_words_goes_back() {
        assert_eq!(
            token_words("the_quick_fox").as_deref(),
            Some("the quick fox")
        );
        for bad in ["", "The", "a__b", "_a", "a b"] {
            assert_eq!(token_words(bad), None, "{bad}");
        }
    }
}
