//! One step's text in its parts, and whether a player's text can mean it.

use super::tidy::{self, Verb};

/// Cost of a reading that needs another letter case than written.
const OTHER_CASE: u8 = 1;
/// Cost of a reading that leaves the promotion to the one there is.
const PROMOTION_LEFT_OUT: u8 = 2;

/// What kind of step a canonical text is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Body<'a> {
    /// `Ng1-f3`, `e4xd5`
    Move {
        from: &'a str,
        to: &'a str,
        takes: bool,
    },
    /// `Mc6*b7`, `Yb2*b4`
    Strike { from: &'a str, at: &'a str },
    /// `Hb2^c3-a4`
    Throw {
        by: &'a str,
        man: &'a str,
        to: &'a str,
    },
    /// `A@b2`
    Place { to: &'a str },
    /// `castle h1-d1 b1-c1`
    Pair { squares: [&'a str; 4] },
    /// `O-O`, `O-O-O`
    Castle { long: bool },
    /// `e16=Q`
    Stay { at: &'a str },
    /// `e16-hand`
    Hand { from: &'a str },
    /// `end`
    End,
}

/// A canonical text in its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step<'a> {
    die: Option<&'a str>,
    letter: Option<char>,
    body: Body<'a>,
    /// `*f7` after a move.
    thrusts: Vec<&'a str>,
    promotion: Option<char>,
    en_passant: bool,
    /// ` K@a5` after a capture.
    returns: Vec<(char, &'a str)>,
}

/// Reads the front of a canonical text.
struct Front<'a>(&'a str);

impl<'a> Front<'a> {
    fn sign(&mut self, sign: &str) -> bool {
        self.0
            .strip_prefix(sign)
            .map(|rest| self.0 = rest)
            .is_some()
    }

    fn upper(&mut self) -> Option<char> {
        let c = self.0.chars().next().filter(char::is_ascii_uppercase)?;
        self.0 = &self.0[1..];
        Some(c)
    }

    fn square(&mut self) -> Option<&'a str> {
        let bytes = self.0.as_bytes();
        let files = bytes.iter().take_while(|b| b.is_ascii_lowercase()).count();
        let ranks = bytes[files..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        if !(1..=2).contains(&files) || !(1..=2).contains(&ranks) {
            return None;
        }
        let (square, rest) = self.0.split_at(files + ranks);
        self.0 = rest;
        Some(square)
    }
}

impl<'a> Step<'a> {
    /// The parts of a canonical text; none where a game writes a text outside the lexicon, which then
    /// is read exactly or not at all.
    pub(super) fn parse(text: &'a str) -> Option<Step<'a>> {
        let mut front = Front(text);
        let mut step = Step {
            die: None,
            letter: None,
            body: Body::End,
            thrusts: Vec::new(),
            promotion: None,
            en_passant: false,
            returns: Vec::new(),
        };
        if let Some((die, rest)) = text.split_once(':')
            && !die.is_empty()
            && die.bytes().all(|b| b.is_ascii_digit())
        {
            step.die = Some(die);
            front.0 = rest;
        }
        step.body = step.body(&mut front)?;
        while front.sign("*") {
            step.thrusts.push(front.square()?);
        }
        if front.sign("=") {
            step.promotion = Some(front.upper()?);
        }
        step.en_passant = front.sign("ep");
        while front.sign(" ") {
            let letter = front.upper()?;
            if !front.sign("@") {
                return None;
            }
            step.returns.push((letter, front.square()?));
        }
        front.0.is_empty().then_some(step)
    }

    fn body(&mut self, front: &mut Front<'a>) -> Option<Body<'a>> {
        if front.0 == "end" {
            front.0 = "";
            return Some(Body::End);
        }
        if front.sign("O-O-O") {
            return Some(Body::Castle { long: true });
        }
        if front.sign("O-O") {
            return Some(Body::Castle { long: false });
        }
        if front.sign("castle ") {
            let mut squares = [""; 4];
            for (at, place) in squares.iter_mut().enumerate() {
                if at > 0 && !front.sign(if at == 2 { " " } else { "-" }) {
                    return None;
                }
                *place = front.square()?;
            }
            return Some(Body::Pair { squares });
        }
        self.letter = front.upper();
        if front.sign("@") {
            return Some(Body::Place {
                to: front.square()?,
            });
        }
        let from = front.square()?;
        if front.sign("-hand") {
            return Some(Body::Hand { from });
        }
        if front.0.starts_with('=') {
            return Some(Body::Stay { at: from });
        }
        if front.sign("*") {
            return Some(Body::Strike {
                from,
                at: front.square()?,
            });
        }
        if front.sign("^") {
            let man = front.square()?;
            if !front.sign("-") {
                return None;
            }
            return Some(Body::Throw {
                by: from,
                man,
                to: front.square()?,
            });
        }
        let takes = !front.sign("-");
        if takes && !front.sign("x") {
            return None;
        }
        Some(Body::Move {
            from,
            to: front.square()?,
            takes,
        })
    }

    /// What it costs to read a player's text as this step; none where it cannot be read so.
    pub(super) fn fits(&self, given: &Given) -> Option<u8> {
        let exact = self.fits_case(given, &given.text, false);
        let any = match exact {
            Some(0) => None,
            _ => self
                .fits_case(given, &given.lower, true)
                .map(|cost| cost + OTHER_CASE),
        };
        exact.into_iter().chain(any).min()
    }

    fn fits_case(&self, given: &Given, text: &str, folded: bool) -> Option<u8> {
        match self.die {
            // A die may be left out; where two dice allow the move the player is asked.
            Some(die) => text
                .strip_prefix(die)
                .and_then(|rest| rest.strip_prefix(':'))
                .and_then(|rest| self.fits_body(given, rest, folded))
                .or_else(|| self.fits_body(given, text, folded)),
            None => self.fits_body(given, text, folded),
        }
    }

    fn fits_body(&self, given: &Given, text: &str, folded: bool) -> Option<u8> {
        let mut best: Option<u8> = None;
        let mut ends = |rest: &str| {
            if let Some(cost) = self.fits_tail(rest, folded) {
                best = Some(best.map_or(cost, |known| known.min(cost)));
            }
        };
        match self.body {
            Body::End => {
                if given.verb.is_none()
                    && ["end", "end turn", "endturn", "done", "stop"]
                        .contains(&text.to_ascii_lowercase().as_str())
                {
                    ends("");
                }
            }
            Body::Castle { long } => {
                let rest = text
                    .to_ascii_lowercase()
                    .replace(['0', '\u{30}'], "o")
                    .replace('-', "");
                let words: &[&str] = if long {
                    &["ooo", "long", "queenside", "queen"]
                } else {
                    &["oo", "short", "kingside", "king"]
                };
                let spelled = words.contains(&rest.as_str());
                if spelled
                    && (given.verb == Some(Verb::Castle) || rest.starts_with('o'))
                    && given.verb != Some(Verb::Place)
                {
                    ends("");
                }
            }
            Body::Pair { squares } => {
                if given.verb == Some(Verb::Castle) {
                    let mut rest = Some(text);
                    for (at, square) in squares.iter().enumerate() {
                        rest = rest.and_then(|rest| {
                            let rest = if at % 2 == 1 {
                                rest.strip_prefix('-').unwrap_or(rest)
                            } else {
                                rest
                            };
                            past_square(rest, square)
                        });
                    }
                    rest.into_iter().for_each(ends);
                }
            }
            Body::Place { to } => {
                if given.verb == Some(Verb::Place) || (given.verb.is_none() && text.contains('@')) {
                    for rest in self.past_letter(text, folded) {
                        let rest = rest
                            .0
                            .strip_prefix('@')
                            .or(rest.0.strip_prefix('-'))
                            .unwrap_or(rest.0);
                        rest.strip_prefix(to).into_iter().for_each(&mut ends);
                    }
                }
            }
            Body::Throw { by, man, to } => match given.verb {
                Some(Verb::Throw) => {
                    let named = given
                        .from
                        .as_ref()
                        .is_none_or(|from| past_square(from, by) == Some(""));
                    if named {
                        let rest = match given.from {
                            // `throw b2^c3-a4` says it twice
                            None => past_square(text, by)
                                .and_then(|rest| rest.strip_prefix('^'))
                                .unwrap_or(text),
                            Some(_) => text,
                        };
                        past_square(rest, man)
                            .map(|rest| rest.strip_prefix('-').unwrap_or(rest))
                            .and_then(|rest| rest.strip_prefix(to))
                            .into_iter()
                            .for_each(ends);
                    }
                }
                None => {
                    for (rest, _) in self.past_letter(text, folded) {
                        rest.strip_prefix(by)
                            .and_then(|rest| rest.strip_prefix('^'))
                            .and_then(|rest| past_square(rest, man))
                            .map(|rest| rest.strip_prefix(['-', 'x']).unwrap_or(rest))
                            .and_then(|rest| rest.strip_prefix(to))
                            .into_iter()
                            .for_each(&mut ends);
                    }
                }
                _ => {}
            },
            Body::Strike { from, at } => {
                let spelled = given.verb == Some(Verb::Strike);
                if spelled || given.verb.is_none() {
                    for (rest, lettered) in self.past_letter(text, folded) {
                        let past = rest.strip_prefix(from);
                        // `swing b7` and `M*b7` name the victim alone
                        let past = past.or((spelled || lettered).then_some(rest));
                        let Some(past) = past else { continue };
                        let past = match past.strip_prefix('*') {
                            Some(past) => past,
                            None if spelled => past.strip_prefix(['x', '-']).unwrap_or(past),
                            None => continue,
                        };
                        past.strip_prefix(at).into_iter().for_each(&mut ends);
                    }
                }
            }
            Body::Hand { from } => {
                if given.verb.is_none() {
                    for (rest, _) in self.past_letter(text, folded) {
                        let rest = rest
                            .strip_prefix(from)
                            .map(|rest| rest.strip_prefix('-').unwrap_or(rest));
                        rest.filter(|rest| rest.eq_ignore_ascii_case("hand"))
                            .and_then(|rest| rest.get(4..))
                            .into_iter()
                            .for_each(&mut ends);
                    }
                }
            }
            Body::Stay { at } => {
                if given.verb.is_none() {
                    for (rest, _) in self.past_letter(text, folded) {
                        rest.strip_prefix(at)
                            .filter(|rest| !rest.is_empty())
                            .into_iter()
                            .for_each(&mut ends);
                    }
                }
            }
            Body::Move { from, to, takes } => {
                if given.verb.is_none() {
                    self.fits_move(given, text, folded, (from, to, takes), &mut ends);
                }
            }
        }
        best
    }

    /// Long, short and signless forms of a move.
    fn fits_move(
        &self,
        given: &Given,
        text: &str,
        folded: bool,
        step: (&str, &str, bool),
        ends: &mut dyn FnMut(&str),
    ) {
        let (from, to, takes) = step;
        let digits = from
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(from.len());
        let (file, rank) = from.split_at(digits);
        for (rest, lettered) in self.past_letter(text, folded) {
            // Without its letter a short form is a pawn's, whose canonical text has none either.
            let short = lettered || self.letter.is_none();
            for (part, whole) in [(from, true), (file, false), (rank, false), ("", false)] {
                if !whole && !short {
                    continue;
                }
                let Some(past) = rest.strip_prefix(part) else {
                    continue;
                };
                // `Bxc3` with a capital is a bishop's, never the b-pawn's.
                if folded && part == file && !lettered && given.front_upper {
                    continue;
                }
                // On a wide board `x10` is a square: the sign is read, or not there at all.
                let signed = if takes {
                    past.strip_prefix(['x', 'X', ':'])
                } else {
                    past.strip_prefix('-')
                };
                for past in signed.into_iter().chain([past]) {
                    past.strip_prefix(to).into_iter().for_each(&mut *ends);
                }
            }
        }
    }

    /// What follows the piece letter, and whether it was there: both readings.
    fn past_letter<'t>(&self, text: &'t str, folded: bool) -> Vec<(&'t str, bool)> {
        let mut out = vec![(text, false)];
        // A pawn without a letter may be written with its P.
        let letter = self.letter.unwrap_or('P');
        let wanted = if folded {
            letter.to_ascii_lowercase()
        } else {
            letter
        };
        if let Some(rest) = text.strip_prefix(wanted) {
            out.push((rest, true));
        }
        out
    }

    /// Thrusts, promotion, en passant and returning kings.
    fn fits_tail(&self, mut text: &str, folded: bool) -> Option<u8> {
        for thrust in &self.thrusts {
            text = text.strip_prefix('*')?.strip_prefix(thrust)?;
        }
        let mut cost = 0;
        if let Some(letter) = self.promotion {
            let letter = if folded {
                letter.to_ascii_lowercase()
            } else {
                letter
            };
            let open = text.trim_start_matches(['=', '/', '(']);
            match open.strip_prefix(letter) {
                Some(rest) => text = rest.strip_prefix(')').unwrap_or(rest),
                None => cost = PROMOTION_LEFT_OUT,
            }
        }
        if self.en_passant {
            let low = text.to_ascii_lowercase();
            let word = ["e.p.", "e.p", "ep", "(ep)"]
                .into_iter()
                .find(|word| low.starts_with(word));
            text = word.and_then(|word| text.get(word.len()..)).unwrap_or(text);
        }
        for (letter, square) in &self.returns {
            let letter = if folded {
                letter.to_ascii_lowercase()
            } else {
                *letter
            };
            text = text
                .strip_prefix(letter)?
                .strip_prefix('@')?
                .strip_prefix(square)?;
        }
        text.is_empty().then_some(cost)
    }
}

/// Small letters that name a piece in front of a square.
const SMALL_LETTERS: &str = "kqrbnmhpaoyswd";

/// What follows a square that may have the letter of its man in front.
fn past_square<'t>(text: &'t str, square: &str) -> Option<&'t str> {
    text.strip_prefix(square).or_else(|| {
        let letter = |c: char| c.is_ascii_uppercase() || SMALL_LETTERS.contains(c);
        text.strip_prefix(letter)?.strip_prefix(square)
    })
}

/// A player's text, tidied.
#[derive(Debug)]
pub(super) struct Given {
    verb: Option<Verb>,
    /// Signs and letters without spaces, in the case as written.
    text: String,
    lower: String,
    /// What follows `from` or `with` in a throw.
    from: Option<String>,
    /// A capital in front, with small letters after it.
    front_upper: bool,
}

impl Given {
    pub(super) fn new(text: &str) -> Given {
        let plain = tidy::plain(text);
        let plain = tidy::unmarked(&plain);
        let mut words = plain.split_whitespace().peekable();
        if words.peek().is_some_and(|word| {
            ["move", "play"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        }) {
            words.next();
        }
        let verb = words.peek().and_then(|word| tidy::verb(word));
        if verb.is_some() {
            words.next();
        }
        let mut out = String::new();
        let mut from: Option<String> = None;
        // does the word before end in a small letter that is no piece of its own?
        let mut open = false;
        for word in words {
            if verb == Some(Verb::Throw)
                && ["from", "by", "with"]
                    .iter()
                    .any(|known| word.eq_ignore_ascii_case(known))
            {
                from = Some(String::new());
                continue;
            }
            let into = from.as_mut().unwrap_or(&mut out);
            if tidy::takes(word) {
                into.push('x');
            } else if let Some(letter) = tidy::named(word.trim_start_matches('=')) {
                into.push(letter);
            } else if let Some((letter, rest)) = word
                .split_once('@')
                .and_then(|(name, rest)| Some((tidy::named(name)?, rest)))
            {
                into.push(letter);
                into.push('@');
                into.push_str(rest);
            } else if !tidy::joins(word) && !word.eq_ignore_ascii_case("from") {
                // `c1 0` is not c10 and `a c5` not ac5: what a space parts is left apart, and fits nothing
                let digit = |c: char| c.is_ascii_digit();
                let small = |c: char| c.is_ascii_lowercase() && c != 'x';
                if into.ends_with(digit) && word.starts_with(digit)
                    || open && word.starts_with(|c: char| c.is_ascii_lowercase())
                {
                    into.push(' ');
                }
                into.push_str(word);
                open = word.len() > 1 && word.ends_with(small);
                continue;
            }
            open = false;
        }
        let lower = out.to_ascii_lowercase();
        let die = out.find(':').map_or(0, |at| {
            if out[..at].bytes().all(|b| b.is_ascii_digit()) {
                at + 1
            } else {
                0
            }
        });
        let front_upper = out[die..].starts_with(|c: char| c.is_ascii_uppercase())
            && out[die..]
                .chars()
                .skip(1)
                .any(|c| c.is_ascii_lowercase() && c != 'x');
        Given {
            verb,
            text: out,
            lower,
            from: from.map(|from| from.to_ascii_lowercase()),
            front_upper,
        }
    }
}
