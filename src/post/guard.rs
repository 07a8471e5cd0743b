//! The guard at the door: a mail that tells its reader somebody else's secret does not leave.
//!
//! It knows nothing of how a mail is made. It takes the bytes, undoes whatever encodings a mail can have, and looks for
//! the secrets themselves: 32-byte values in hex (either case, in groups or broken over lines) and base64 (either alphabet,
//! at any place of a longer text), tokens, addresses, the line of a seal, a card that stands out among the others.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mailparse::body::Body;
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
        let text = match more.is_empty() {
            true => text.to_owned(),
            false => format!("{text}\n{more}"),
        };
        let low = text.to_lowercase();
        let tight = tight(&low);
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

/// The text without white space.
fn tight(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.split_whitespace().for_each(|word| out.push_str(word));
    out
}

fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parts(mail: &ParsedMail, out: &mut String) -> bool {
    if mail.subparts.is_empty() {
        if !plain_body(mail, out) {
            match mail.get_body() {
                Ok(body) => out.push_str(&body),
                Err(_) => return false,
            }
        }
        out.push('\n');
        return true;
    }
    mail.subparts.iter().all(|part| parts(part, out))
}

/// The text of a part in one of the two encodings that our own mails have, where it is ASCII or UTF-8 throughout; false
/// for any other.
fn plain_body(part: &ParsedMail, out: &mut String) -> bool {
    if !matches!(part.ctype.charset.as_str(), "utf-8" | "us-ascii") {
        return false;
    }
    let opened = match part.get_body_encoded() {
        Body::SevenBit(body) => Some(Cow::Borrowed(body.get_raw())),
        Body::QuotedPrintable(body) => unquoted(body.get_raw()).map(Cow::Owned),
        _ => None,
    };
    let text = opened.as_deref().map(std::str::from_utf8);
    if let Some(Ok(text)) = text {
        out.push_str(text);
    }
    matches!(text, Some(Ok(_)))
}

/// Quoted-printable as the RFC has it; nothing of what is not.
fn unquoted(body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len());
    let mut pieces = body.split(|b| *b == b'=');
    out.extend_from_slice(pieces.next()?);
    for piece in pieces {
        let rest = match piece {
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            [high, low, rest @ ..] => {
                out.push(digit(*high)? << 4 | digit(*low)?);
                rest
            }
            _ => return None,
        };
        out.extend_from_slice(rest);
    }
    Some(out)
}

fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        _ => return None,
    })
}

/// All of the text that stands between two bytes which end what is looked for, where it has at least `least` bytes. The end
/// is looked for from behind, so that most of a mail is never looked at.
fn spans(text: &str, least: usize, ends: impl Fn(u8) -> bool, each: &mut dyn FnMut(&[u8])) {
    let table: [bool; 256] = std::array::from_fn(|b| ends(u8::try_from(b).unwrap_or(0)));
    let ends = |byte: &u8| table[usize::from(*byte)];
    let mut rest = text.as_bytes();
    while let Some(first) = rest.get(..least) {
        if let Some(end) = first.iter().rposition(ends) {
            rest = &rest[end + 1..];
            continue;
        }
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        each(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
    }
}

/// Every 32 bytes that stand in hex, whatever separates the digits. A value that stands by itself and is known to be public
/// is a wall: digits are not put together across it.
fn hex_values(text: &str, public: &dyn Fn(&Hash) -> bool, found: &mut BTreeSet<Hash>) {
    let between = |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b':' | b'-');
    let mut run: Vec<u8> = Vec::new();
    let end = |run: &mut Vec<u8>, found: &mut BTreeSet<Hash>| {
        if run.len() >= HEX {
            found.extend(run.windows(HEX).map(hash_of));
        }
        run.clear();
    };
    let ends = |byte| !between(byte) && digit(byte).is_none();
    spans(text, HEX, ends, &mut |span| {
        // where the digits begin that nothing separates
        let mut word = 0;
        for byte in span.iter().copied().chain([b' ']) {
            if let Some(digit) = digit(byte) {
                run.push(digit);
                continue;
            }
            if run.len() - word == HEX && public(&hash_of(&run[word..])) {
                found.insert(hash_of(&run[word..]));
                run.truncate(word);
                end(&mut run, found);
            }
            word = run.len();
        }
        end(&mut run, found);
    });
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
    let line_end = |byte| matches!(byte, b'\r' | b'\n');
    let is_in = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let ends = |byte| !is_in(byte) && !line_end(byte);
    spans(text, BASE64_TEXT, ends, &mut |span| {
        let run = span.iter().copied().filter(|b| !line_end(*b));
        let run: Vec<u8> = run.collect();
        // what is all hex is looked at as such
        if run.len() < BASE64_TEXT || run.iter().all(u8::is_ascii_hexdigit) {
            return;
        }
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
    });
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
    // nearly always: every form of it holds the local part, and none of them white space
    if !tight.contains(local) && !local.contains(char::is_whitespace) {
        return false;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_what_stands_between_two_ends() {
        // all texts of three letters, one of which ends a span
        for code in 0..3usize.pow(9) {
            let letter = |place: u32| b"a-."[code / 3usize.pow(place) % 3];
            let text: String = (0..9).map(|place| char::from(letter(place))).collect();
            for least in 1..=5 {
                let mut found = Vec::new();
                let ends = |b| b == b'.';
                spans(&text, least, ends, &mut |span| {
                    found.push(String::from_utf8_lossy(span).into_owned());
                });
                let all: Vec<&str> = text.split('.').filter(|s| s.len() >= least).collect();
                assert_eq!(found, all, "{text} {least}");
            }
        }
    }

    #[test]
    fn what_is_no_proper_quoted_printable_is_opened_by_mailparse() {
        let opened = |body: &str| {
            let head = "Content-Type: text/plain; charset=utf-8\r\n\
                        Content-Transfer-Encoding: quoted-printable\r\n\r\n";
            let mail = format!("{head}{body}");
            let parsed = parse_mail(mail.as_bytes()).unwrap();
            let mut text = String::new();
            let ours = plain_body(&parsed, &mut text);
            (ours, text, parsed.get_body().unwrap())
        };
        let (ours, text, whole) = opened("=C3=a9t=\r\n=C3=A9 =3D\r\n=2E\r\n");
        assert!(ours);
        assert_eq!(text, "\u{e9}t\u{e9} =\r\n.\r\n");
        assert_eq!(text, whole);
        for bad in ["a=ZZ\r\n", "a= \r\nb", "a=", "=FF=FE", "a=4"] {
            let (ours, text, _) = opened(bad);
            assert!(!ours && text.is_empty(), "{bad}");
        }
    }
}
