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
            Leak::Closed => "something that cannot be read",
        }
    }
}

/// What a mail may hold although it looks like a secret.
#[derive(Clone, Default, Debug)]
pub struct Allowed {
    /// Hex of the signature at the foot: random to look at, and public.
    pub values: Vec<Hash>,
    /// What the reader or the writer of a message typed himself: addresses in it are his to tell.
    pub typed: String,
    /// The mail answers its reader, who may read his own card in it.
    pub answer: bool,
}

/// What of `secrets` these bytes of a mail tell.
pub fn look(mail: &[u8], secrets: &Secrets, allowed: &Allowed) -> Option<Leak> {
    let Ok(parsed) = parse_mail(mail) else {
        return Some(Leak::Closed);
    };
    let mut text = String::with_capacity(mail.len() * 2);
    for header in &parsed.headers {
        text.push_str(&header.get_value());
        text.push('\n');
    }
    let open = parts(&parsed, &mut text);
    if !open {
        return Some(Leak::Closed);
    }
    look_text(&text, secrets, allowed)
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

/// The same over a text as it is: a line of the log.
pub fn look_text(text: &str, secrets: &Secrets, allowed: &Allowed) -> Option<Leak> {
    let mut found = BTreeSet::new();
    // what stands inside of base64 is looked at like the rest
    let inner = base64_values(text, &mut found);
    let whole = format!("{text}\n{inner}");
    let text = whole.as_str();
    hex_values(text, &mut found);
    for value in &allowed.values {
        found.remove(value);
    }
    if secrets.values.iter().any(|v| found.contains(v)) {
        return Some(Leak::Value);
    }
    if !found.is_empty() && secrets.foretells(&|c| found.contains(c)) {
        return Some(Leak::Roll);
    }
    let low = text.to_lowercase();
    let tight: String = low.chars().filter(|c| !c.is_whitespace()).collect();
    if secrets.tokens.iter().any(|t| tight.contains(t.as_str())) {
        return Some(Leak::Token);
    }
    let typed = allowed.typed.to_lowercase();
    for address in &secrets.addresses {
        if tells_address(&low, &tight, address, &typed, &secrets.public) {
            return Some(Leak::Address);
        }
    }
    let spaced = low.split_whitespace().collect::<Vec<_>>().join(" ");
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
        if apart || spaced.contains(&down.line) {
            return Some(Leak::Card);
        }
    }
    None
}

/// Every 32 bytes that stand in hex, whatever separates the digits.
fn hex_values(text: &str, found: &mut BTreeSet<Hash>) {
    let mut run: Vec<u8> = Vec::new();
    let mut end = |run: &mut Vec<u8>| {
        if run.len() >= HEX {
            for digits in run.windows(HEX) {
                let mut value = [0; 32];
                for (byte, pair) in value.iter_mut().zip(digits.chunks_exact(2)) {
                    *byte = pair[0] << 4 | pair[1];
                }
                found.insert(value);
            }
        }
        run.clear();
    };
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => run.push(byte - b'0'),
            b'a'..=b'f' => run.push(byte - b'a' + 10),
            b'A'..=b'F' => run.push(byte - b'A' + 10),
            b' ' | b'\t' | b'\r' | b'\n' | b':' | b'-' => {}
            _ => end(&mut run),
        }
    }
    end(&mut run);
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
