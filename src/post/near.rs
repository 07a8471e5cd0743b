//! Is a word nearly a command word? `pikc amazon` must stop the letter, "Nice game" must not.

/// Command words a slip is looked for in, and whether something must follow them.
const WORDS: [(&str, bool); 44] = [
    ("pick", true),
    ("guess", true),
    ("place", true),
    ("preview", true),
    ("exchange", true),
    ("created", true),
    ("otherwise", true),
    ("else", true),
    ("move", true),
    ("start", true),
    ("offer", true),
    ("claim", true),
    ("message", true),
    ("name", true),
    ("set", true),
    ("new", true),
    ("challenge", true),
    ("rules", true),
    ("notation", true),
    ("join", true),
    ("seek", true),
    ("watch", true),
    ("unwatch", true),
    ("delegate", true),
    ("away", true),
    ("turn", true),
    ("game", true),
    ("erase", true),
    ("accept", false),
    ("decline", false),
    ("cancel", false),
    ("resign", false),
    ("help", false),
    ("games", false),
    ("history", false),
    ("status", false),
    ("export", false),
    ("show", false),
    ("board", false),
    ("forget", false),
    ("pass", false),
    ("undo", false),
    ("standings", false),
    ("unsubscribe", false),
];

/// Words people write that merely look like one.
const ENGLISH: [&str; 119] = [
    "sick", "pack", "pink", "rick", "nick", "pic", "kick", "peck", "mick", "dick", "vick", "thick",
    "trick", "brick", "guest", "guests", "plane", "plate", "peace", "pace", "palace", "places",
    "lace", "slow", "snow", "how", "shown", "shot", "shop", "shoe", "held", "hell", "hello",
    "heap", "yelp", "rule", "roles", "rulers", "names", "gamer", "except", "same", "lame", "came",
    "fame", "tame", "statue", "black", "starts", "star", "smart", "state", "stars", "stark", "art",
    "way", "sway", "coin", "john", "joint", "jon", "week", "seen", "seem", "see", "seeks", "match",
    "catch", "watches", "tour", "turns", "burn", "torn", "turner", "calm", "claims", "over",
    "offers", "elsa", "ease", "elsie", "send", "past", "class", "mass", "path", "paas", "undue",
    "love", "more", "mode", "most", "moves", "movie", "review", "massage", "design", "reign",
    "expert", "expect", "forgot", "forge", "boards", "broad", "bored", "hoard", "gate", "gave",
    "wave", "sea", "let", "get", "yet", "sets", "now", "few", "news", "next", "net",
];

/// The command word that `word` (lower case) nearly is, if `words` words in the line make it likely that one was meant.
pub fn meant(word: &str, has_rest: bool, words: usize) -> Option<&'static str> {
    if words > 4 || word.len() < 3 || ENGLISH.contains(&word) {
        return None;
    }
    WORDS
        .iter()
        .filter(|(known, needs)| {
            let most = if known.len() >= 7 { 2 } else { 1 };
            let alike = if known.len() <= 3 || word.len() <= 3 {
                swapped(known, word)
            } else {
                let apart = distance(known, word);
                apart <= most || (apart == 2 && anagram(known, word))
            };
            alike && *known != word && if *needs { has_rest } else { words <= 3 }
        })
        .min_by_key(|(known, _)| distance(known, word))
        .map(|(known, _)| *known)
}

/// Two neighbours changed places: the only slip that is believed in a word of three letters.
fn swapped(known: &str, word: &str) -> bool {
    distance(known, word) == 1 && anagram(known, word)
}

/// The same letters in another order, the first one right.
fn anagram(known: &str, word: &str) -> bool {
    let mut a: Vec<u8> = known.bytes().collect();
    let mut b: Vec<u8> = word.bytes().collect();
    let first = a.first() == b.first() || a.len() == 3;
    a.sort_unstable();
    b.sort_unstable();
    first && a == b
}

/// Letters added, lost, changed, or swapped with a neighbour (optimal string alignment); words of at most 24 letters.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > 24 || b.len() > 24 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |r: &[usize], k: usize| r.get(k).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&last, j) + usize::from(x != y))
                .min(at(&last, j + 1) + 1)
                .min(at(&row, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x) {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_words() {
        assert_eq!(meant("pikc", true, 2), Some("pick"));
        assert_eq!(meant("pcik", true, 2), Some("pick"));
        assert_eq!(meant("gues", true, 2), Some("guess"));
        assert_eq!(meant("plcae", true, 3), Some("place"));
        assert_eq!(meant("resgin", false, 1), Some("resign"));
        assert_eq!(meant("exhcange", true, 2), Some("exchange"));
        assert_eq!(meant("nwe", true, 4), Some("new"));
        for word in [
            "hello", "thanks", "nice", "good", "dear", "bob", "alice", "now", "and", "sent", "hi",
            "cheers",
        ] {
            assert_eq!(meant(word, true, 2), None, "{word}");
        }
    }
}
