//! Addresses as we write them, and the reply token inside them (security.md 2 and 4).
//!
//! A mail to a seat asks for answers to `user+<gid>.<seat>.<token>@host`. Where the mailbox has no plus addressing the
//! same stands in the subject, `[<gid>.<seat>.<token>]`. Here it is only written and found; whether a token is the right
//! one is asked of `fair::token`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fair::token::TOKEN_CHARS;

/// Longest address (RFC 5321, 4.5.3.1.3). Octets.
pub const ADDRESS_BYTES_MAX: usize = 254;
/// Longest part before the `@` (RFC 5321, 4.5.3.1.1). Octets.
pub const LOCAL_BYTES_MAX: usize = 64;
/// Characters of a game's public id.
pub const GID_CHARS: usize = 10;
/// How many tags are looked for in one subject.
const TAGS_MAX: usize = 8;

/// An address that cannot do harm in a header or on a command line: dot-atom `@` host name, ASCII, no leading `-`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Addr {
    text: String,
    at: usize,
}

/// Why a text is no [`Addr`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddrError {
    /// No `@`, or several.
    #[error("an address has one `@`")]
    NoAt,
    /// Too long.
    #[error("an address has at most 254 characters, 64 of them before the `@`")]
    TooLong,
    /// A character that needs quoting, an empty part, a leading `-`.
    #[error("the part before the `@` is not letters, digits and single dots")]
    Local,
    /// Not a host name.
    #[error("the part after the `@` is not a host name")]
    Host,
}

impl Addr {
    /// Reads an address as it stands, without a name and without angle brackets.
    pub fn parse(text: &str) -> Result<Addr, AddrError> {
        let (local, host) = text.split_once('@').ok_or(AddrError::NoAt)?;
        if host.contains('@') {
            return Err(AddrError::NoAt);
        }
        if text.len() > ADDRESS_BYTES_MAX || local.len() > LOCAL_BYTES_MAX {
            return Err(AddrError::TooLong);
        }
        let atom = |s: &str| !s.is_empty() && s.bytes().all(is_atext);
        if local.starts_with('-') || !local.split('.').all(atom) {
            return Err(AddrError::Local);
        }
        if !is_host(host) {
            return Err(AddrError::Host);
        }
        Ok(Addr {
            text: format!("{local}@{}", host.to_ascii_lowercase()),
            at: local.len(),
        })
    }

    /// The whole address; the host is in lower case.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Before the `@`.
    pub fn local(&self) -> &str {
        &self.text[..self.at]
    }

    /// After the `@`.
    pub fn host(&self) -> &str {
        &self.text[self.at + 1..]
    }
}

impl fmt::Display for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Addr {
    type Error = AddrError;
    fn try_from(text: String) -> Result<Addr, AddrError> {
        Addr::parse(&text)
    }
}

impl From<Addr> for String {
    fn from(addr: Addr) -> String {
        addr.text
    }
}

/// RFC 5322, 3.2.3.
fn is_atext(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b)
}

/// Letters, digits and inner hyphens between dots (RFC 1123, 2.1).
pub(crate) fn is_host(host: &str) -> bool {
    let label = |l: &str| {
        (1..=63).contains(&l.len())
            && l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !l.starts_with('-')
            && !l.ends_with('-')
    };
    !host.is_empty() && host.len() <= 253 && host.split('.').all(label)
}

/// Who may answer, for which seat of which game; not yet checked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tag {
    /// The game's public id, ten of `[a-z2-7]`.
    pub gid: String,
    /// The seat's number in the ledger.
    pub seat: u8,
    /// The token, 26 of `[a-z2-7]`.
    pub mac: String,
}

/// A token is a secret: it is not printed.
impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({}.{}.***)", self.gid, self.seat)
    }
}

fn is_base32(text: &str, chars: usize) -> bool {
    text.len() == chars
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || (b'2'..=b'7').contains(&b))
}

impl Tag {
    /// Reads `<gid>.<seat>.<token>`, in any case.
    pub fn parse(text: &str) -> Option<Tag> {
        let text = text.to_ascii_lowercase();
        let mut parts = text.split('.');
        let (gid, seat, mac) = (parts.next()?, parts.next()?, parts.next()?);
        let plain = !seat.is_empty()
            && seat.bytes().all(|b| b.is_ascii_digit())
            && (seat == "0" || !seat.starts_with('0'));
        if parts.next().is_some()
            || !plain
            || !is_base32(gid, GID_CHARS)
            || !is_base32(mac, TOKEN_CHARS)
        {
            return None;
        }
        Some(Tag {
            gid: gid.into(),
            seat: seat.parse().ok()?,
            mac: mac.into(),
        })
    }

    /// `<gid>.<seat>.<token>`.
    pub fn text(&self) -> String {
        format!("{}.{}.{}", self.gid, self.seat, self.mac)
    }
}

/// `user+<gid>.<seat>.<token>@host`: where the answers of a seat go.
pub fn plus_address(base: &Addr, tag: &Tag) -> Result<Addr, AddrError> {
    plus(base, &tag.text())
}

/// `user+<detail>@host`.
pub fn plus(base: &Addr, detail: &str) -> Result<Addr, AddrError> {
    Addr::parse(&format!("{}+{detail}@{}", base.local(), base.host()))
}

/// What stands behind the plus sign of an address of ours, whoever the mail is from; `None` if it is not ours.
pub fn detail<'a>(base: &Addr, address: &'a str) -> Option<&'a str> {
    let (local, host) = address.trim().rsplit_once('@')?;
    let (user, detail) = local.split_once('+')?;
    let ours = user.eq_ignore_ascii_case(base.local()) && host.eq_ignore_ascii_case(base.host());
    ours.then_some(detail)
}

/// The tag in an address of ours.
pub fn parse_plus(base: &Addr, address: &str) -> Option<Tag> {
    Tag::parse(detail(base, address)?)
}

/// The tag as it stands in a subject: `[<gid>.<seat>.<token>]`.
pub fn subject_tag(tag: &Tag) -> String {
    format!("[{}]", tag.text())
}

/// All tags in a subject, in their order; usually none or one.
pub fn subject_tags(subject: &str) -> Vec<Tag> {
    let inside = subject
        .split('[')
        .skip(1)
        .filter_map(|part| part.split_once(']'));
    inside
        .filter_map(|(text, _)| Tag::parse(text.trim()))
        .take(TAGS_MAX)
        .collect()
}

/// The left side of a Message-ID of ours: 32 hex digits before our host. Angle brackets may be there or not.
pub fn our_message_id(id: &str, host: &str) -> Option<String> {
    let id = id.trim().trim_start_matches('<').trim_end_matches('>');
    let (left, right) = id.rsplit_once('@')?;
    let left = left.to_ascii_lowercase();
    let ours = right.eq_ignore_ascii_case(host)
        && left.len() == 32
        && left.bytes().all(|b| b.is_ascii_hexdigit());
    ours.then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tag() -> Tag {
        Tag {
            gid: "k7q2m5x4d3".into(),
            seat: 2,
            mac: "vz2fhyebnzen6l77yhnaaxkmra".into(),
        }
    }

    #[test]
    fn addresses_that_could_do_harm_are_none() {
        for good in [
            "a@b",
            "first.last+tag@mail.example.org",
            "o'neill@x-y.test",
            "A@EXAMPLE.ORG",
        ] {
            Addr::parse(good).unwrap();
        }
        assert_eq!(
            Addr::parse("A@EXAMPLE.org").unwrap().as_str(),
            "A@example.org"
        );
        let long = format!("{}@b.test", "x".repeat(65));
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            "a@b@c",
            "-oQ/x@example.com",
            "\"a b\"@c",
            "a b@c",
            "a@b c",
            "a..b@c",
            ".a@b",
            "a.@b",
            "a@-b",
            "a@b-",
            "a@b..c",
            "a@[1.2.3.4]",
            "a@b\r\nBcc: x@y",
            "a\r\n@b",
            "ü@b",
            "a@ü.test",
            "a,b@c",
            "<a@b>",
            &long,
        ] {
            assert!(Addr::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_tag_survives_address_and_subject() {
        let base = Addr::parse("referee@example.org").unwrap();
        let plus = plus_address(&base, &tag()).unwrap();
        assert_eq!(
            plus.as_str(),
            "referee+k7q2m5x4d3.2.vz2fhyebnzen6l77yhnaaxkmra@example.org"
        );
        assert_eq!(parse_plus(&base, plus.as_str()), Some(tag()));
        assert_eq!(
            parse_plus(&base, &plus.as_str().to_uppercase()),
            Some(tag())
        );
        assert_eq!(
            parse_plus(
                &base,
                "other+k7q2m5x4d3.2.vz2fhyebnzen6l77yhnaaxkmra@example.org"
            ),
            None
        );
        assert_eq!(parse_plus(&base, "referee@example.org"), None);
        let subject = format!("AW: [tulpas #42] Your move {}", subject_tag(&tag()));
        assert_eq!(subject_tags(&subject), [tag()]);
        assert_eq!(subject_tags("[tulpas #42] [x.y.z] ["), []);
    }

    #[test]
    fn a_user_name_too_long_for_a_tag_is_said_so() {
        let base = Addr::parse(&format!("{}@example.org", "r".repeat(25))).unwrap();
        assert_eq!(plus_address(&base, &tag()), Err(AddrError::TooLong));
    }

    #[test]
    fn tokens_are_not_printed() {
        assert_eq!(format!("{:?}", tag()), "Tag(k7q2m5x4d3.2.***)");
    }

    #[test]
    fn our_own_message_ids_are_known_again() {
        let id = "<d138aacc954563bc2c3fa4bd96112446@example.org>";
        assert_eq!(
            our_message_id(id, "Example.org").as_deref(),
            Some("d138aacc954563bc2c3fa4bd96112446")
        );
        assert_eq!(our_message_id(id, "example.com"), None);
        assert_eq!(our_message_id("<x@example.org>", "example.org"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_a_tag_or_an_address_that_does_not_print_back(text in "\\PC{0,80}") {
            if let Some(tag) = Tag::parse(&text) {
                prop_assert_eq!(tag.text(), text.to_ascii_lowercase());
            }
            if let Ok(addr) = Addr::parse(&text) {
                prop_assert!(addr.as_str().eq_ignore_ascii_case(&text));
                prop_assert!(addr.as_str().bytes().all(|b| b.is_ascii_graphic()));
            }
            let _ = subject_tags(&text);
            let _ = our_message_id(&text, "example.org");
        }

        #[test]
        fn no_bytes_upset_the_tag_reader(text in "[\\[\\].a-z2-7 0-9]{0,120}") {
            let _ = subject_tags(&text);
        }
    }
}
