//! One letter, from raw bytes to what the referee is told: the way in.
//!
//! No secrets and no state: whether a token is genuine and who the writer is, the referee decides.

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::address::{Addr, Tag, parse_plus, subject_tags};
use super::auth;
use super::letter::{self, Letter, Limits, Unreadable};
use super::machine::{self, Ourselves, Why};
use super::orders::{Understood, understand_most};
use super::quote::{Typed, What, typed};
use crate::referee::order::{Oddities, Proof, Read, Token};

/// The most Message-IDs that are kept of In-Reply-To and References.
pub const ANSWERS_MAX: usize = 50;
/// The longest Message-ID that is believed (RFC 5322 lines have 998 octets; nobody needs a third of it).
pub const MESSAGE_ID_BYTES_MAX: usize = 250;
/// The headers in which the address a letter was sent to may stand.
const SENT_TO: [&str; 5] = ["delivered-to", "x-original-to", "envelope-to", "to", "cc"];
/// The most addresses looked at for a token.
const SENT_TO_MAX: usize = 100;

/// What the reader must know of the referee and of the letter's journey.
#[derive(Clone, Debug)]
pub struct Context {
    /// Our addresses, without plus parts; the first is the one on our mails.
    pub own: Vec<Addr>,
    /// What stands in the X-Loop header of our mails.
    pub instance: String,
    /// Whose Authentication-Results are believed.
    pub trusted_authserv: Vec<String>,
    /// How much is read.
    pub limits: Limits,
    /// When our mail server took the letter.
    pub received: Timestamp,
    /// The letter's true size, where the transport kept only its beginning.
    pub too_big: Option<u64>,
}

/// What became of a letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Written by a machine: silence.
    Machine(Why),
    /// Too large to be read; the head alone was, so that it can be answered. No orders.
    TooBig(Box<Read>, u64),
    /// Its structure is hostile or broken; no orders.
    Unreadable(Box<Read>, Unreadable),
    /// Read; the orders may be none.
    Orders(Box<Read>),
}

impl Reading {
    /// What is known of the letter, if anybody wrote it.
    pub fn letter(&self) -> Option<&Read> {
        match self {
            Reading::Machine(_) => None,
            Reading::TooBig(read, _) | Reading::Unreadable(read, _) | Reading::Orders(read) => {
                Some(read)
            }
        }
    }
}

/// Reads a raw letter.
pub fn read(raw: &[u8], context: &Context) -> Reading {
    let opened = match context.too_big {
        Some(bytes) => Err(Unreadable::TooBig {
            bytes,
            most: context.limits.letter_bytes as u64,
        }),
        None => letter::open(raw, &context.limits),
    };
    let we = Ourselves {
        addresses: &context.own,
        instance: &context.instance,
    };
    let (letter, trouble) = match opened {
        Ok(letter) => (letter, None),
        // whom to answer, and whether a machine wrote, the head tells
        Err(trouble) => match letter::open_head(raw, &context.limits) {
            Ok(head) => (head, Some(trouble)),
            Err(_) => return Reading::Machine(Why::HeaderBomb),
        },
    };
    if let Some(why) = machine::written_by_machine(&letter, &we) {
        return Reading::Machine(why);
    }
    let mut read = envelope(&letter, context);
    read.digest = Sha256::digest(raw).into();
    match trouble {
        Some(Unreadable::TooBig { bytes, .. }) => Reading::TooBig(Box::new(read), bytes),
        Some(trouble) => Reading::Unreadable(Box::new(read), trouble),
        None => {
            orders(&letter, &mut read, context.limits.orders);
            Reading::Orders(Box::new(read))
        }
    }
}

/// Everything but the orders.
fn envelope(letter: &Letter, context: &Context) -> Read {
    let from = letter.from.clone().unwrap_or_default();
    let domain = from.rsplit_once('@').map_or("", |(_, d)| d);
    let proof = if from.is_empty() {
        Proof::None
    } else {
        auth::vouched(
            letter.all("authentication-results"),
            &context.trusted_authserv,
            domain,
        )
    };
    let message_id = letter
        .header("message-id")
        .and_then(|v| message_ids(v).next())
        .unwrap_or_else(|| "-".to_owned());
    let mut answers: Vec<String> = Vec::new();
    let references: Vec<String> = letter.all("references").flat_map(message_ids).collect();
    let newest = letter
        .all("in-reply-to")
        .flat_map(message_ids)
        .chain(references.into_iter().rev());
    for id in newest {
        if answers.len() < ANSWERS_MAX && !answers.contains(&id) {
            answers.push(id);
        }
    }
    Read {
        token: token(letter, &context.own),
        subject_match: subject_match(&letter.subject),
        proof,
        message_id,
        answers,
        parts: Vec::new(),
        ignored: Vec::new(),
        received: context.received,
        digest: [0; 32],
        oddities: Oddities {
            from_unusable: from.is_empty(),
            ..letter.oddities
        },
        from,
    }
}

/// The orders of the text, or of the subject of a first letter where the text has none.
fn orders(letter: &Letter, read: &mut Read, most: usize) {
    let mut found = understand_most(&typed(&letter.text), most);
    if found.is_empty() && is_first(letter) {
        let subject = super::fold::fold(&letter.subject);
        let line = [Typed {
            line: 0,
            what: What::Text {
                raw: letter.subject.clone(),
                folded: subject,
            },
        }];
        let of_subject = understand_most(&line, most);
        if !of_subject.is_empty() {
            found = Understood {
                ignored: found.ignored,
                ..of_subject
            };
            read.oddities.from_subject = true;
        }
    }
    if found.parts.is_empty() {
        found.parts.push(crate::referee::order::Part::default());
    }
    read.parts = found.parts;
    read.ignored = found.ignored;
    read.oddities.too_many_orders |= found.too_many;
}

/// Not an answer to anything: no In-Reply-To, no subject tag of ours, no `Re:`.
fn is_first(letter: &Letter) -> bool {
    let subject = letter.subject.trim();
    let prefixed = subject
        .split_once(':')
        .is_some_and(|(p, _)| p.chars().count() <= 3 && p.chars().all(char::is_alphabetic));
    letter.header("in-reply-to").is_none()
        && !prefixed
        && subject_match(subject).is_none()
        && !subject.to_ascii_lowercase().contains("[tulpas")
}

/// The reply token: from the address the letter was sent to, else from the subject.
fn token(letter: &Letter, own: &[Addr]) -> Option<Token> {
    let made = |tag: Tag| Token {
        gid: tag.gid,
        seat: tag.seat,
        mac: tag.mac,
    };
    SENT_TO
        .iter()
        .flat_map(|header| letter.all(header))
        .flat_map(|value| value.split(|c: char| c.is_whitespace() || "<>,;:\"()".contains(c)))
        .filter(|word| word.contains('@'))
        .take(SENT_TO_MAX)
        .find_map(|word| own.iter().find_map(|base| parse_plus(base, word)))
        .or_else(|| subject_tags(&letter.subject).into_iter().next())
        .map(made)
}

/// `[tulpas #42]`, else the first `#42` in the subject.
fn subject_match(subject: &str) -> Option<u32> {
    let lower = subject.to_ascii_lowercase();
    let tagged = lower.split_once("[tulpas").map(|(_, rest)| rest);
    let number = |text: &str| -> Option<u32> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        text.get(..digits)?.parse().ok()
    };
    tagged
        .and_then(|rest| number(rest.trim_start().trim_start_matches('#')))
        .or_else(|| lower.split('#').skip(1).find_map(number))
}

/// All `<id@host>` in a header value, without the brackets.
fn message_ids(value: &str) -> impl Iterator<Item = String> + '_ {
    value
        .split('<')
        .skip(1)
        .filter_map(|part| part.split_once('>').map(|(id, _)| id.trim()))
        .filter(|id| {
            (3..=MESSAGE_ID_BYTES_MAX).contains(&id.len())
                && id.contains('@')
                && id.bytes().all(|b| b.is_ascii_graphic())
        })
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_in_the_subject() {
        for (subject, game) in [
            ("Re: [tulpas #42] Your move 7, vs bob", Some(42)),
            ("AW: [Tulpas 7]", Some(7)),
            ("#13", Some(13)),
            ("C# and #9", Some(9)),
            ("#99999999999", None),
            ("hello", None),
        ] {
            assert_eq!(subject_match(subject), game, "{subject}");
        }
    }

    #[test]
    fn ids() {
        let all: Vec<String> = message_ids("<a@b> junk <c@d>\t<bad id@x> <>").collect();
        assert_eq!(all, ["a@b", "c@d"]);
    }
}
