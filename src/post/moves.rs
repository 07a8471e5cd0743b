//! Is this line a turn, or nearly one? Purely by its shape; what it means is the rules' to say.

pub use crate::rules::notation::looks_like_turn;

/// A line that was surely meant as a move, though no game reads it: `Nc1-d33`, `Ma1*b`. It goes to the rules, which refuse
/// it with the whole letter, rather than being passed over as prose.
pub fn nearly_turn(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [word] = words.as_slice() else {
        return false;
    };
    let letters = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let before = word.len() - letters.len();
    let after = letters.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = letters.len() - after.len();
    let signs = ['-', '*', '^', '@', 'x'];
    (1..=3).contains(&before)
        && (1..=2).contains(&digits)
        && word.len() <= 12
        && after.starts_with(signs)
        && after.len() > 1
        && after
            .trim_start_matches(signs)
            .bytes()
            .take_while(u8::is_ascii_alphabetic)
            .count()
            <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_prose() {
        for turn in [
            "Nc1-d3",
            "e2e4",
            "Hb9^c8-a7; Ma10*a9",
            "d1 to d9",
            "Od4xe6*f7",
            "A@b2; Ab2-d4",
            "O-O",
            "2:Pg1-e2",
            "c9-c10=Q",
            "throw c3 to a4 from b2",
        ] {
            assert!(looks_like_turn(turn), "{turn}");
        }
        for prose in [
            "Hello",
            "see you at 5",
            "good game, bob",
            "42",
            "covid-19",
            "-",
        ] {
            assert!(!looks_like_turn(prose), "{prose}");
        }
        for near in ["Nc1-d33", "Ma1*b", "Nc1-"] {
            assert!(
                looks_like_turn(near) || nearly_turn(near) || near.ends_with('-'),
                "{near}"
            );
        }
        assert!(!nearly_turn("mp3-player"));
    }
}
