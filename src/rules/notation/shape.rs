//! Telling a line of steps from prose, without knowing the game.

use super::tidy::{self, Verb};
use super::{STEP_BYTES_MAX, split_turn};

/// Whether a line would be read as steps of some game.
///
/// Purely by its form: every part between separators must have the shape of a step. Prose that
/// merely mentions a square (`ok see you at e4 then`) has not.
pub fn looks_like_turn(line: &str) -> bool {
    let steps = split_turn(line);
    !steps.is_empty() && steps.iter().all(|step| looks_like_step(step))
}

fn looks_like_step(text: &str) -> bool {
    if text.len() > STEP_BYTES_MAX {
        return false;
    }
    let plain = tidy::plain(text);
    let plain = tidy::unmarked(&plain);
    let mut words: Vec<&str> = plain.split_whitespace().collect();
    if words.len() > 1
        && ["move", "play"]
            .iter()
            .any(|known| words[0].eq_ignore_ascii_case(known))
    {
        words.remove(0);
    }
    let Some(first) = words.first() else {
        return false;
    };
    match tidy::verb(first) {
        Some(verb) => spelled_out(verb, &words[1..]),
        None => signs(&words),
    }
}

/// `throw c3 to a4 from b2`, `swing c6 b7`, `place amazon b2`, `castle h1-d1 b1-c1`.
fn spelled_out(verb: Verb, words: &[&str]) -> bool {
    let sides = ["short", "long", "kingside", "queenside", "king", "queen"];
    if verb == Verb::Castle
        && let [side] = words
        && (sides.iter().any(|known| side.eq_ignore_ascii_case(known)) || castling(side))
    {
        return true;
    }
    let mut out = String::new();
    for word in words {
        if let Some(letter) = tidy::named(word) {
            out.push(letter);
        } else if tidy::joins(word)
            || ["from", "with", "by"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        {
            out.push(' ');
        } else if word.len() == 1 || word.bytes().any(|b| b.is_ascii_digit()) {
            out.push_str(word);
            out.push(' ');
        } else if !["of", "a", "an"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
        {
            return false;
        }
    }
    let track = Track::new(&out);
    let mut at = track.start();
    let mut squares = 0;
    // letters, squares and signs, ending behind a square or a promotion
    for _ in 0..12 {
        let next = track.opt(at, |t, s| t.letter(s));
        let next = track.gap(track.opt(next, |t, s| t.sign(s, "@")));
        let next = track.gap(track.square(next));
        if next == 0 {
            break;
        }
        squares += 1;
        if track.done(track.promotion(next)) {
            return squares >= 1;
        }
        at = track.gap(track.opt(next, |t, s| t.sign(s, "-x:*^@")));
    }
    // a letter of its own in front of the square: `drop N k5`, `A@b2`
    let mut at = track.gap(track.letter(track.start()));
    at = track.gap(track.opt(at, |t, s| t.sign(s, "@-")));
    at = track.square(at);
    track.done(track.gap(at))
}

fn castling(word: &str) -> bool {
    let folded = word.to_ascii_lowercase().replace('0', "o");
    ["o-o", "o-o-o"].contains(&folded.as_str()) || ["00", "000", "OO", "OOO"].contains(&word)
}

/// Everything written with signs: moves, captures, strikes, throws, drops.
fn signs(words: &[&str]) -> bool {
    if let [word] = words
        && (castling(word)
            || ["end", "done", "stop"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known)))
    {
        return true;
    }
    if let [end, turn] = words
        && end.eq_ignore_ascii_case("end")
        && turn.eq_ignore_ascii_case("turn")
    {
        return true;
    }
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        let low = word.to_ascii_lowercase();
        let digits = word.bytes().any(|b| b.is_ascii_digit());
        if at > 0 && tidy::takes(word) {
            out.push('x');
        } else if at > 0 && low == "(by" {
            out.push('(');
        } else if at > 0 && tidy::joins(word) {
        } else if let Some(letter) = tidy::named(word) {
            out.push(letter);
        } else if ["ep", "e.p.", "e.p", "(ep)", "hand", "-hand"].contains(&low.as_str()) {
            out.push_str(&low);
        } else if (digits && !word.bytes().all(|b| b.is_ascii_digit()))
            || (!digits
                && word.len() <= 3
                && word.bytes().filter(u8::is_ascii_alphabetic).count() <= 1)
        {
            out.push_str(word);
        } else {
            return false;
        }
    }
    let track = Track::new(&out);
    let front = track.opt(track.start(), |t, s| t.die(s));
    let piece = track.opt(front, |t, s| t.letter(s));
    // moves, long and short
    let from = track.opt(piece, |t, s| t.part(s));
    let from = track.opt(from, |t, s| t.sign(s, "-xX:*"));
    let moved = track.square(from);
    // throws
    let thrown = track.sign(track.square(piece), "^");
    let thrown = track.square(track.opt(thrown, |t, s| t.letter(s)));
    let thrown = track.square(track.opt(thrown, |t, s| t.sign(s, "-x")));
    // drops
    let dropped = track.square(track.sign(piece, "@"));
    // a pawn on the last rank of Hydra-Vari
    let stays = track.square(piece);
    let hand = track.opt(stays, |t, s| t.sign(s, "-"));
    let hand = "hand".chars().fold(hand, |set, c| {
        track.one(set, |b| b.to_ascii_lowercase() == c as u8)
    });
    let mut tail = moved | thrown | dropped;
    for _ in 0..4 {
        tail |= track.square(track.sign(tail, "*"));
    }
    tail = track.promotion(tail) | hand;
    tail |= track.word(tail, "e.p.")
        | track.word(tail, "e.p")
        | track.word(tail, "ep")
        | track.word(tail, "(ep)");
    for _ in 0..16 {
        tail |= track.square(track.sign(track.letter(tail), "@"));
    }
    // `(f1)` behind a move names the man that activates it
    tail |= track.sign(
        track.square(track.opt(track.sign(tail, "("), |t, s| t.letter(s))),
        ")",
    );
    track.done(tail)
}

/// The places in a short text a pattern can have come to, as bits.
struct Track<'a>(&'a [u8]);

impl<'a> Track<'a> {
    fn new(text: &'a str) -> Track<'a> {
        Track(&text.as_bytes()[..text.len().min(STEP_BYTES_MAX)])
    }

    fn start(&self) -> u128 {
        1
    }

    fn done(&self, set: u128) -> bool {
        set >> self.0.len() & 1 == 1
    }

    fn one(&self, set: u128, fits: impl Fn(u8) -> bool) -> u128 {
        let mut out = 0;
        for (at, byte) in self.0.iter().enumerate() {
            if set >> at & 1 == 1 && fits(*byte) {
                out |= 1 << (at + 1);
            }
        }
        out
    }

    fn opt(&self, set: u128, then: impl Fn(&Self, u128) -> u128) -> u128 {
        set | then(self, set)
    }

    fn letter(&self, set: u128) -> u128 {
        self.one(set, |b| b.is_ascii_alphabetic())
    }

    fn sign(&self, set: u128, signs: &str) -> u128 {
        self.one(set, |b| signs.as_bytes().contains(&b))
    }

    fn word(&self, set: u128, word: &str) -> u128 {
        word.bytes()
            .fold(set, |set, c| self.one(set, |b| b.eq_ignore_ascii_case(&c)))
    }

    fn gap(&self, set: u128) -> u128 {
        let mut set = set;
        loop {
            let next = set | self.one(set, |b| b == b' ');
            if next == set {
                return set;
            }
            set = next;
        }
    }

    /// A file: one letter, or `aa` to `ad`.
    fn file(&self, set: u128) -> u128 {
        let two = self.one(set, |b| b.eq_ignore_ascii_case(&b'a'));
        self.letter(set) | self.one(two, |b| (b'a'..=b'd').contains(&b.to_ascii_lowercase()))
    }

    /// A rank: 1 to 19, never with a nought in front.
    fn rank(&self, set: u128) -> u128 {
        let one = self.one(set, |b| (b'1'..=b'9').contains(&b));
        let ten = self.one(set, |b| b == b'1');
        let all = one | self.one(ten, |b| b.is_ascii_digit());
        // a number is taken whole
        let mut out = all;
        for at in 0..self.0.len() {
            if out >> at & 1 == 1 && self.0[at].is_ascii_digit() {
                out &= !(1 << at);
            }
        }
        out
    }

    fn square(&self, set: u128) -> u128 {
        self.rank(self.file(set))
    }

    /// A square, a file or a rank that says from where.
    fn part(&self, set: u128) -> u128 {
        self.square(set) | self.file(set) | self.rank(set)
    }

    fn die(&self, set: u128) -> u128 {
        self.one(self.one(set, |b| b.is_ascii_digit()), |b| b == b':')
    }

    fn promotion(&self, set: u128) -> u128 {
        let signed = self.letter(self.sign(set, "=/"));
        let bracket = self.sign(self.letter(self.sign(set, "(")), ")");
        let both = self.sign(self.letter(self.sign(self.sign(set, "="), "(")), ")");
        set | self.letter(set) | signed | bracket | both
    }
}
