//! The guard at the door: a mail that tells its reader somebody else's secret does not leave.
//!
//! It knows nothing of how a mail is made. It takes the bytes, undoes whatever encodings a mail can have, and looks for
//! the secrets themselves: 32-byte values in hex (either case, in groups or broken over lines) and base64 (either alphabet,
//! at any place of a longer text), tokens, addresses, the line of a seal, a card that stands out among the others.

use std::collections::BTreeSet;

use mailparse::{ParsedMail, parse_mail};

use crate::fair::line::Hash;
use crate::referee::secrets::Secrets;

/// Digits of a 32-byte value.
const HEX: usize = 64;
/// Least characters of base64 that hold 32 bytes.
const BASE64: usize = 43;
/// Least characters of base64 whose text is looked at.
const BASE64_TEXT: usize = 16;
/// Least characters of such a text.
const INNER_MIN: usize = 8;
/// A bare local part is looked for from this length on.
const LOCAL_MIN: usize = 6;

/// What was found; never the secret itself.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Leak {
    /// A nonce, the match's secret or the server's key.
    Value,
    /// A roll that has not fallen yet.
    Roll,
    /// Another player's reply token.
    Token,
    /// Another player's address.
    Address,
    /// Another player's card that lies face down.
    Card,
    /// The code of a letter that waits for somebody else's word.
    Code,
    /// The mail cannot be taken apart, so nobody can say what is in it.
    Closed,
}

impl Leak {
    /// For the Keeper.
    pub fn words(self) -> &'static str {
        match self {
            Leak::Value => "a nonce or a key",
            Leak::Roll => "a roll to come",
            Leak::Token => "a reply token",
            Leak::Address => "an address",
            Leak::Card => "a card that lies face down",
            Leak::Code => "a code of confirmation",
            Leak::Closed => "something that cannot be read",
        }
    }
}

/// What a mail may hold although it looks like a secret.
#[derive(Clone, Default, Debug)]
pub struct Allowed {
    /// What is random to look at and public: the signature at the foot, the ledger above it.
    pub values: BTreeSet<Hash>,
    /// What the reader or the writer of a message typed himself: addresses in it are his to tell.
    pub typed: String,
    /// The mail answers its reader, who may read his own card in it.
    pub answer: bool,
}

/// What of `secrets` these bytes of a mail tell.
pub fn look(mail: &[u8], secrets: &Secrets, allowed: &Allowed) -> Option<Leak> {
    match Opened::of(mail) {
        Some(opened) => opened.tells(secrets, allowed),
        None => Some(Leak::Closed),
    }
}

/// The same over a text as it is: a line of the log.
pub fn look_text(text: &str, secrets: &Secrets, allowed: &Allowed) -> Option<Leak> {
    Opened::new(text).tells(secrets, allowed)
}

/// A mail with all its encodings undone, to be looked through for one match after the other.
pub struct Opened {
    text: String,
    low: String,
    /// Without white space.
    tight: String,
    /// Values that stand in base64.
    inner: BTreeSet<Hash>,
}

impl Opened {
    /// `None` where the mail cannot be taken apart.
    pub fn of(mail: &[u8]) -> Option<Opened> {
        let parsed = parse_mail(mail).ok()?;
        let mut text = String::with_capacity(mail.len() * 2);
        for header in &parsed.headers {
            text.push_str(&header.get_value());
            text.push('\n');
        }
        parts(&parsed, &mut text).then(|| Opened::new(&text))
    }

    fn new(text: &str) -> Opened {
        let mut inner = BTreeSet::new();
        // what stands inside of base64 is looked at like the rest
        let more = base64_values(text, &mut inner);
        let text = format!("{text}\n{more}");
        let low = text.to_lowercase();
        let tight = low.chars().filter(|c| !c.is_whitespace()).collect();
        Opened {
            text,
            low,
            tight,
            inner,
        }
    }

    /// What it tells of a match's secrets.
    pub fn tells(&self, secrets: &Secrets, allowed: &Allowed) -> Option<Leak> {
        let mut found = self.inner.clone();
        let public = |v: &Hash| allowed.values.contains(v) || secrets.known.contains(v);
        hex_values(&self.text, &public, &mut found);
        if secrets.values.iter().any(|v| found.contains(v)) {
            return Some(Leak::Value);
        }
        found.retain(|v| !public(v));
        if !found.is_empty() && secrets.foretells(&|c| found.contains(c)) {
            return Some(Leak::Roll);
        }
        let (low, tight) = (&self.low, &self.tight);
        if secrets.tokens.iter().any(|t| tight.contains(t.as_str())) {
            return Some(Leak::Token);
        }
        let typed = allowed.typed.to_lowercase();
        for address in &secrets.addresses {
            if tells_address(low, tight, address, &typed, &secrets.public) {
                return Some(Leak::Address);
            }
        }
        if secrets.cards.is_empty() {
            return None;
        }
        let (spaced, typed) = (one_blank(low), one_blank(&typed));
        for down in &secrets.cards {
            let told = |card: &str| {
                ["pick", "guess", "open"]
                    .iter()
                    .map(|word| word_count(&spaced, &format!("{word} {card}")))
                    .sum::<usize>()
            };
            let count = told(&down.card);
            let apart = !allowed.answer
                && count > 0
                && !down.others.is_empty()
                && down.others.iter().all(|c| told(c) != count);
            // whoever guesses, and gets his own guess back, must not learn by silence that he was right
            let guessed = allowed.answer && typed.contains(&down.line);
            if apart || spaced.contains(&down.line) && !guessed {
                return Some(Leak::Card);
            }
        }
        None
    }

    /// Everything in it that can be an address, in lower case.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        let outside = |c: char| c.is_whitespace() || "<>()[]{}\"',;:|&?=".contains(c);
        let words = self.low.split(outside);
        words
            .map(|w| w.trim_matches('.'))
            .filter(|w| w.contains('@'))
    }

    /// Words of that many characters [a-z2-7], which codes are made of.
    pub fn codes(&self, chars: usize) -> impl Iterator<Item = &str> {
        let words = self.low.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(move |w| w.len() == chars)
    }
}

fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parts(mail: &ParsedMail, out: &mut String) -> bool {
    if mail.subparts.is_empty() {
        let body = mail.get_body();
        if let Ok(body) = &body {
            out.push_str(body);
            out.push('\n');
        }
        return body.is_ok();
    }
    mail.subparts.iter().all(|part| parts(part, out))
}

/// Every 32 bytes that stand in hex, whatever separates the digits. A value that stands by itself and is known to be public
/// is a wall: digits are not put together across it.
fn hex_values(text: &str, public: &dyn Fn(&Hash) -> bool, found: &mut BTreeSet<Hash>) {
    let mut run: Vec<u8> = Vec::new();
    // where the digits begin that nothing separates
    let mut word = 0;
    let end = |run: &mut Vec<u8>, found: &mut BTreeSet<Hash>| {
        if run.len() >= HEX {
            found.extend(run.windows(HEX).map(hash_of));
        }
        run.clear();
    };
    for byte in text.bytes().chain([0]) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => {
                if run.len() - word == HEX && public(&hash_of(&run[word..])) {
                    found.insert(hash_of(&run[word..]));
                    run.truncate(word);
                    end(&mut run, found);
                }
                if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b':' | b'-') {
                    end(&mut run, found);
                }
                word = run.len();
                continue;
            }
        };
        run.push(digit);
    }
}

/// Of [`HEX`] digits.
fn hash_of(digits: &[u8]) -> Hash {
    let mut value = [0; 32];
    for (byte, pair) in value.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    value
}

/// Every 32 bytes inside of what can be base64; answers the printable texts inside of it.
fn base64_values(text: &str, found: &mut BTreeSet<Hash>) -> String {
    let mut inner = String::new();
    let mut run: Vec<u8> = Vec::new();
    let mut end = |run: &mut Vec<u8>| {
        // what is all hex is looked at as such
        let mixed = || run.iter().any(|b| !b.is_ascii_hexdigit());
        if run.len() >= BASE64_TEXT && mixed() {
            for start in 0..4 {
                let bytes = unbase64(&run[start..]);
                if run.len() >= BASE64 {
                    for value in bytes.windows(32) {
                        found.extend(Hash::try_from(value));
                    }
                }
                for piece in bytes.split(|b| !(0x20..0x7f).contains(b)) {
                    if piece.len() >= INNER_MIN {
                        inner.push_str(&String::from_utf8_lossy(piece));
                        inner.push('\n');
                    }
                }
            }
        }
        run.clear();
    };
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_' => run.push(byte),
            b'\r' | b'\n' => {}
            _ => end(&mut run),
        }
    }
    end(&mut run);
    inner
}

/// Bytes of base64 characters (RFC 4648, 4 and 5); bits left over are dropped.
fn unbase64(run: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(run.len() * 3 / 4);
    let (mut bits, mut have) = (0u32, 0);
    for byte in run {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(six);
        have += 6;
        if have >= 8 {
            have -= 8;
            out.push(u8::try_from(bits >> have & 0xff).unwrap_or(0));
        }
    }
    out
}

/// The address whole, before any host, or its local part alone where that is no everyday word.
fn tells_address(low: &str, tight: &str, address: &str, typed: &str, public: &[String]) -> bool {
    let Some((local, host)) = address.rsplit_once('@') else {
        return false;
    };
    if typed.contains(address) || typed.contains(&format!("{local}@")) {
        return false;
    }
    let forms = [
        format!("{local}@{host}"),
        format!("{local}%40{host}"),
        format!("{local}&#64;{host}"),
        format!("{local}(at){host}"),
        format!("{local}[at]{host}"),
    ];
    if forms.iter().any(|f| tight.contains(f)) {
        return true;
    }
    // A word of letters may be anybody's word, and a name may have been made of it by its owner.
    let odd = local.len() >= LOCAL_MIN
        && local.bytes().any(|b| b.is_ascii_digit())
        && local.bytes().any(|b| b.is_ascii_alphabetic())
        && !local.bytes().any(|b| b == b'-');
    odd && word_count(low, local) > 0
        && !typed.contains(local)
        && !public.iter().any(|name| name.contains(local))
}

/// How often the words stand there by themselves.
fn word_count(text: &str, words: &str) -> usize {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(words)
        .filter(|(at, _)| {
            let before = text[..*at].chars().next_back();
            let after = text[at + words.len()..].chars().next();
            !before.is_some_and(inside) && !after.is_some_and(inside)
        })
        .count()
}
