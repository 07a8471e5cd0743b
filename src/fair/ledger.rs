//! The ledger of one match: numbered, timed lines, each hashed together with all before it (trust.md 5).
//!
//! ```text
//! line = <seq> <YYYY-MM-DDThh:mm:ssZ> <kind> [<key>=<value>]*
//! h_k  = H("tulpa1/ledger " + h_{k-1} + " " + line_k)            h_{-1} = 64 zeros
//! ```
//!
//! A value is printable ASCII without `%`; every other byte is written `%XX`. A value that would not fit a mail's line goes on
//! under the same key with 2, 3 .. behind it. Numbers of seats count from 1. In `seat`, `seedcommit` and `seed` lines, which
//! come before the sides are drawn, a seat is a place at the table: 1 for the opener, then in the order in which they came;
//! `start` tells the place of each side.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::line::{Hash, hash, hex, number};

/// Longest token, so that a folded line fits 72 columns.
pub const TOKEN_CHARS_MAX: usize = 71;
/// Where a long value is split, characters.
pub const CHUNK_CHARS: usize = 60;
/// Hex digits of a head in `saw=`, and of a letter in `mid=`.
pub const SAW_HEX: usize = 16;
/// Longest line, bytes.
pub const LINE_BYTES_MAX: usize = 8192;

/// What a line tells.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The match was set up: anchor, key, rules.
    Game,
    /// A place was taken or left.
    Seat,
    /// A player committed to a seed.
    Seedcommit,
    /// A player's words, or a committed seed opened.
    Seed,
    /// A beacon's round was fixed, before it exists.
    Bind,
    /// The dice are fixed and the match begins.
    Start,
    /// Dice fell.
    Roll,
    /// A card lies face down.
    Seal,
    /// A card was turned over.
    Open,
    /// Do both cards of a turn match?
    Result,
    /// Moves, a placement or another answer was played.
    Move,
    /// A seat was passed over.
    Pass,
    /// Time ran out.
    Timeout,
    /// Something came too late.
    Late,
    /// The Keeper's hand.
    Admin,
    /// Anything else, by its hash.
    Note,
    /// The match is over.
    End,
}

/// Keys of each kind: those that must stand, those that may. `saw` and `mid` may stand in every line.
const KINDS: &[(Kind, &str, &[&str], &[&str])] = &[
    (
        Kind::Game,
        "game",
        &["id", "rules", "seats", "anchor", "n", "per", "key"],
        &[
            "book",
            "opt",
            "reveal",
            "from",
            "start_beacon",
            "roll_beacon",
        ],
    ),
    (Kind::Seat, "seat", &["seat", "is"], &[]),
    (Kind::Seedcommit, "seedcommit", &["seat", "c"], &[]),
    (Kind::Seed, "seed", &["seat", "s"], &["words"]),
    (Kind::Bind, "bind", &["round"], &["t", "j"]),
    (
        Kind::Start,
        "start",
        &["e"],
        &["places", "b", "sig", "round"],
    ),
    (
        Kind::Roll,
        "roll",
        &["t", "j", "c", "dice", "got"],
        &["for", "seat", "b", "sig", "round"],
    ),
    (Kind::Seal, "seal", &["t", "seat", "c", "by"], &[]),
    (Kind::Open, "open", &["t", "seat", "card", "nonce"], &[]),
    (Kind::Result, "result", &["t", "match"], &["seat", "why"]),
    (Kind::Move, "move", &["t", "seat", "by", "text"], &[]),
    (Kind::Pass, "pass", &["t", "seat"], &[]),
    (Kind::Timeout, "timeout", &["t", "seat"], &["for"]),
    (Kind::Late, "late", &["seat"], &["t"]),
    (Kind::Admin, "admin", &["act"], &["seat", "text"]),
    (Kind::Note, "note", &["h"], &["seat"]),
    (Kind::End, "end", &["winner", "reason"], &["seat"]),
];

/// Keys whose value may go on under `key2`, `key3` ..
const LONG: [&str; 7] = ["text", "opt", "sig", "dice", "got", "reason", "from"];

impl Kind {
    /// The word of the ledger.
    pub fn word(self) -> &'static str {
        KINDS.iter().find(|k| k.0 == self).map_or("", |k| k.1)
    }
    /// The kind of that word.
    pub fn named(word: &str) -> Option<Kind> {
        KINDS.iter().find(|k| k.1 == word).map(|k| k.0)
    }
    fn keys(self) -> (&'static [&'static str], &'static [&'static str]) {
        KINDS
            .iter()
            .find(|k| k.0 == self)
            .map_or((&[], &[]), |k| (k.2, k.3))
    }
}

/// Why a text is no line of a ledger.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadLine {
    /// See [`LINE_BYTES_MAX`].
    #[error("the line is longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
    /// Something between the tokens that is not one blank, or not printable ASCII.
    #[error("not words of printable ASCII with one blank between them")]
    Form,
    /// See [`TOKEN_CHARS_MAX`].
    #[error("`{0}..` is longer than {TOKEN_CHARS_MAX} characters")]
    Token(String),
    /// No number at its beginning.
    #[error("`{0}` is no entry number")]
    Number(String),
    /// No time after it.
    #[error("`{0}` is no time like 2026-11-21T09:49:30Z")]
    Time(String),
    /// No known kind.
    #[error("`{0}` is no kind of entry")]
    Kind(String),
    /// A token that is not `key=value`.
    #[error("`{0}` is not `key=value`")]
    Pair(String),
    /// A key that this kind does not have.
    #[error("a `{kind}` entry has no `{key}`")]
    Key {
        /// The kind.
        kind: &'static str,
        /// The key.
        key: String,
    },
    /// The same key twice.
    #[error("`{0}` stands twice")]
    Twice(String),
    /// A key that this kind must have.
    #[error("a `{kind}` entry needs `{key}=`")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// The key.
        key: &'static str,
    },
    /// An escape that is none, or not needed.
    #[error("`{0}` has an escape that is not `%XX` of a byte that needs one")]
    Escape(String),
}

/// One entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its number, from 0.
    pub seq: u64,
    /// Its time, whole seconds.
    pub time: Timestamp,
    /// What it tells.
    pub kind: Kind,
    /// Keys and values as written.
    pub pairs: Vec<(String, String)>,
}

impl Entry {
    /// Reads one line.
    ///
    /// # Errors
    /// [`BadLine`], the first thing that is wrong.
    pub fn parse(line: &str) -> Result<Entry, BadLine> {
        if line.len() > LINE_BYTES_MAX {
            return Err(BadLine::TooLong);
        }
        let mut tokens = Vec::new();
        for token in line.split(' ') {
            if !super::line::is_token(token) {
                return Err(BadLine::Form);
            }
            if token.len() > TOKEN_CHARS_MAX {
                return Err(BadLine::Token(token[..20].to_owned()));
            }
            tokens.push(token);
        }
        let mut tokens = tokens.into_iter();
        let mut next = || tokens.next().unwrap_or_default();
        let (seq, time, kind) = (next(), next(), next());
        let seq = number(seq).ok_or_else(|| BadLine::Number(seq.to_owned()))?;
        let time = time_of(time).ok_or_else(|| BadLine::Time(time.to_owned()))?;
        let kind = Kind::named(kind).ok_or_else(|| BadLine::Kind(kind.to_owned()))?;
        let mut pairs: Vec<(String, String)> = Vec::new();
        for token in tokens {
            let pair = token.split_once('=').filter(|(_, v)| !v.is_empty());
            let (key, value) = pair.ok_or_else(|| BadLine::Pair(token.to_owned()))?;
            if !has_key(kind, key) {
                return Err(BadLine::Key {
                    kind: kind.word(),
                    key: key.to_owned(),
                });
            }
            if pairs.iter().any(|(k, _)| k == key) {
                return Err(BadLine::Twice(key.to_owned()));
            }
            if unescape(value).is_none() {
                return Err(BadLine::Escape(token.to_owned()));
            }
            pairs.push((key.to_owned(), value.to_owned()));
        }
        let (must, _) = kind.keys();
        for key in must {
            if !pairs.iter().any(|(k, _)| k == key) {
                return Err(BadLine::Missing {
                    kind: kind.word(),
                    key,
                });
            }
        }
        Ok(Entry {
            seq,
            time,
            kind,
            pairs,
        })
    }

    /// The value of a key as written.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
    }

    /// The value of a key, its continuations put together, escapes undone.
    pub fn text(&self, key: &str) -> Option<String> {
        let mut raw = self.get(key)?.to_owned();
        for n in 2.. {
            let Some(more) = self.get(&format!("{key}{n}")) else {
                break;
            };
            raw.push_str(more);
        }
        String::from_utf8(unescape(&raw)?).ok()
    }

    /// The value of a key as a number.
    pub fn num(&self, key: &str) -> Option<u64> {
        number(self.get(key)?)
    }
}

fn has_key(kind: Kind, key: &str) -> bool {
    let (must, may) = kind.keys();
    let known = |key: &str| must.contains(&key) || may.contains(&key);
    let stem = key.trim_end_matches(|c: char| c.is_ascii_digit());
    let goes_on = number(&key[stem.len()..]).is_some_and(|n| (2..100).contains(&n));
    known(key) || key == "saw" || key == "mid" || (goes_on && known(stem) && LONG.contains(&stem))
}

/// The time of a line; only the one form that is printed.
pub fn time_of(text: &str) -> Option<Timestamp> {
    if text.len() != 20 {
        return None;
    }
    let time: Timestamp = text.parse().ok()?;
    (time.as_second() >= 0 && time.to_string() == text).then_some(time)
}

fn is_plain(b: u8) -> bool {
    (0x21..=0x7e).contains(&b) && b != b'%'
}

/// A value as a line writes it.
pub fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for b in value.bytes() {
        if is_plain(b) {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

/// The bytes of a written value; `None` where an escape is broken, small-lettered or not needed.
pub fn unescape(value: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let mut digit = || {
            let d = bytes.next()?;
            if d.is_ascii_lowercase() {
                return None;
            }
            char::from(d).to_digit(16)
        };
        let byte = u8::try_from(digit()? * 16 + digit()?).ok()?;
        if is_plain(byte) {
            return None;
        }
        out.push(byte);
    }
    Some(out)
}

/// Pieces of an escaped value, none of which cuts an escape.
fn chunks(escaped: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = escaped;
    while rest.len() > CHUNK_CHARS {
        let mut at = CHUNK_CHARS;
        if let Some(back) = (1..3).find(|b| rest.as_bytes()[at - b] == b'%') {
            at -= back;
        }
        let (one, more) = rest.split_at(at);
        out.push(one);
        rest = more;
    }
    out.push(rest);
    out
}

/// h of an entry.
pub fn link(before: &Hash, line: &str) -> Hash {
    hash(&format!("tulpa1/ledger {} {line}", hex(before)))
}

/// The end of a ledger: all that must be kept to write the next line.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tip {
    /// Number of the next entry.
    pub next: u64,
    /// h of the last one; zeros before the first.
    pub h: Hash,
    /// Time of the last one, seconds since 1970: no later line is earlier.
    pub second: i64,
}

impl Tip {
    /// The last entry as `saw=` names it; `None` before the first.
    pub fn saw(&self) -> Option<String> {
        let last = self.next.checked_sub(1)?;
        Some(format!("{last}:{}", &hex(&self.h)[..SAW_HEX]))
    }
    /// The next line. An empty value is left out; a long one goes on under `key2`, `key3` ..
    pub fn write(&mut self, at: Timestamp, kind: Kind, pairs: &[(&str, &str)]) -> String {
        self.second = self.second.max(at.as_second()).max(0);
        let time = Timestamp::from_second(self.second).unwrap_or_default();
        let mut line = format!("{} {time} {}", self.next, kind.word());
        for (key, value) in pairs.iter().filter(|(_, v)| !v.is_empty()) {
            let value = escape(value);
            let short = key.len() + 1 + value.len() <= TOKEN_CHARS_MAX && value.len() <= 64;
            let parts = if short {
                vec![value.as_str()]
            } else {
                chunks(&value)
            };
            for (i, part) in parts.iter().enumerate() {
                match i {
                    0 => line.push_str(&format!(" {key}={part}")),
                    _ => line.push_str(&format!(" {key}{}={part}", i + 1)),
                }
            }
        }
        self.h = link(&self.h, &line);
        self.next += 1;
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn lines_go_both_ways() {
        let mut tip = Tip::default();
        let order = "Nc1-d3; Mc6*b7; 100% ä; Hb9^c8-a7; Ma10*a9; Nd3-e5; Ne5-f7; Nf7-h8; end";
        let text = tip.write(
            at("2026-11-21T09:50:00Z"),
            Kind::Move,
            &[("t", "3"), ("seat", "1"), ("by", "player"), ("text", order)],
        );
        let entry = Entry::parse(&text).unwrap();
        assert_eq!(entry.text("text").as_deref(), Some(order));
        assert_eq!((entry.seq, entry.num("t")), (0, Some(3)));
        assert!(entry.get("text2").is_some());
        assert!(text.split(' ').all(|t| t.len() <= TOKEN_CHARS_MAX));
        assert_eq!(tip.next, 1);
    }

    #[test]
    fn escapes_are_never_cut() {
        for pad in 0..8 {
            let value = format!("{}{}", "x".repeat(pad), "ä ".repeat(60));
            let mut tip = Tip::default();
            let line = tip.write(
                at("2026-11-21T09:50:00Z"),
                Kind::Admin,
                &[("act", "x"), ("text", &value)],
            );
            assert_eq!(Entry::parse(&line).unwrap().text("text"), Some(value));
        }
    }

    #[test]
    fn time_never_runs_backwards() {
        let mut tip = Tip::default();
        tip.write(at("2026-11-21T09:50:00.9Z"), Kind::Note, &[("h", "x")]);
        let line = tip.write(at("2026-11-21T09:49:00Z"), Kind::Note, &[("h", "x")]);
        assert_eq!(line, "1 2026-11-21T09:50:00Z note h=x");
    }

    #[test]
    fn what_is_no_line() {
        let bad = |line: &str| Entry::parse(line).unwrap_err();
        assert_eq!(bad(""), BadLine::Form);
        assert_eq!(bad("0  x"), BadLine::Form);
        assert_eq!(bad("01 x"), BadLine::Number("01".into()));
        assert_eq!(
            bad("1 2026-11-21T09:50:00.0Z note"),
            BadLine::Time("2026-11-21T09:50:00.0Z".into())
        );
        assert_eq!(
            bad("1 2026-13-21T09:50:00Z note"),
            BadLine::Time("2026-13-21T09:50:00Z".into())
        );
        let t = "1 2026-11-21T09:50:00Z";
        assert_eq!(bad(&format!("{t} dance")), BadLine::Kind("dance".into()));
        assert_eq!(bad(&format!("{t} note h")), BadLine::Pair("h".into()));
        assert_eq!(bad(&format!("{t} note h=")), BadLine::Pair("h=".into()));
        assert_eq!(
            bad(&format!("{t} note h=1 h=2")),
            BadLine::Twice("h".into())
        );
        assert_eq!(
            bad(&format!("{t} note")),
            BadLine::Missing {
                kind: "note",
                key: "h"
            }
        );
        assert_eq!(
            bad(&format!("{t} note h=1 x=2")),
            BadLine::Key {
                kind: "note",
                key: "x".into()
            }
        );
        for escape in ["%2", "%41", "%c3", "%zz"] {
            assert_eq!(
                bad(&format!("{t} note h={escape}")),
                BadLine::Escape(format!("h={escape}"))
            );
        }
        assert_eq!(
            bad(&format!("{t} note h={}", "x".repeat(70))),
            BadLine::Token(format!("h={}", "x".repeat(18)))
        );
    }
}
