//! A letter opened: headers and the text a person wrote, whatever his mail program made of it.
//!
//! Every limit of security.md 5 is checked on the raw bytes before a MIME parser sees them, in the order they stand
//! below. Attachments, embedded messages and calendars are never opened.

use mailparse::{MailAddr, ParsedMail};

use super::address::Addr;
use super::charset::{decode_base64_leniently, decode_text};
use super::from_html::html_to_text;
use crate::referee::order::{ORDERS_MAX, Oddities};

/// The largest letter that is read, in bytes.
pub const LETTER_BYTES_MAX: usize = 256 * 1024;
/// The largest header block, in bytes.
pub const HEADER_BYTES_MAX: usize = 64 * 1024;
/// The most header fields.
pub const HEADER_FIELDS_MAX: usize = 256;
/// The largest single header field, in bytes; also what one part inside a multipart may have as headers.
pub const FIELD_BYTES_MAX: usize = 8 * 1024;
/// How deep multiparts may stand in each other.
pub const DEPTH_MAX: usize = 8;
/// The most parts.
pub const PARTS_MAX: usize = 64;
/// The most text that is looked at, in bytes of UTF-8.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;

/// The limits a keeper may lower.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// See [`LETTER_BYTES_MAX`].
    pub letter_bytes: usize,
    /// See [`HEADER_BYTES_MAX`].
    pub header_bytes: usize,
    /// See [`HEADER_FIELDS_MAX`].
    pub header_fields: usize,
    /// See [`DEPTH_MAX`].
    pub depth: usize,
    /// See [`PARTS_MAX`].
    pub parts: usize,
    /// See [`TEXT_BYTES_MAX`].
    pub text_bytes: usize,
    /// See [`ORDERS_MAX`].
    pub orders: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            letter_bytes: LETTER_BYTES_MAX,
            header_bytes: HEADER_BYTES_MAX,
            header_fields: HEADER_FIELDS_MAX,
            depth: DEPTH_MAX,
            parts: PARTS_MAX,
            text_bytes: TEXT_BYTES_MAX,
            orders: ORDERS_MAX,
        }
    }
}

/// Why a letter cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    /// More bytes than [`Limits::letter_bytes`].
    #[error("the letter has {bytes} bytes, more than {most} are not read")]
    TooBig {
        /// its size
        bytes: u64,
        /// the limit
        most: u64,
    },
    /// A header block no mail program writes.
    #[error("the header block is too large")]
    HeaderBomb,
    /// More multiparts or parts than any real letter has.
    #[error("the letter has more than {most} parts, or parts nested too deep")]
    TooManyParts {
        /// the limit
        most: usize,
    },
    /// The MIME structure cannot be followed.
    #[error("the structure of the letter cannot be followed")]
    Broken,
}

/// An opened letter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Letter {
    /// All header fields from the top: name in lower case, value unfolded but not decoded.
    pub headers: Vec<(String, String)>,
    /// The single From address, domain in lower case; `None` where there is not exactly one usable one.
    pub from: Option<String>,
    /// The subject, decoded; controls are blanks.
    pub subject: String,
    /// The text as typed: `\n` line ends, not yet folded, quotations still in it.
    pub text: String,
    /// The mimetype of the whole letter, lower case.
    pub content_type: String,
    /// Does it carry the answer to a calendar invitation?
    pub calendar_reply: bool,
    /// What was unusual.
    pub oddities: Oddities,
}

impl Letter {
    /// The first field of that (lower case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    /// All fields of that (lower case) name, from the top.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers
            .iter()
            .filter(move |(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }
}

/// Reads the header block alone: enough to know whom to answer and whether a machine wrote.
pub fn open_head(raw: &[u8], limits: &Limits) -> Result<Letter, Unreadable> {
    let raw = without_mbox_line(raw);
    let head = header_block(raw);
    if head.len() > limits.header_bytes {
        return Err(Unreadable::HeaderBomb);
    }
    let fields = fields(head);
    if fields.len() > limits.header_fields
        || fields
            .iter()
            .any(|(name, value)| name.len() + value.len() > FIELD_BYTES_MAX)
    {
        return Err(Unreadable::HeaderBomb);
    }
    let mut letter = Letter {
        headers: fields
            .iter()
            .map(|(name, value)| (name.clone(), String::from_utf8_lossy(value).into_owned()))
            .collect(),
        ..Letter::default()
    };
    let mut from = fields.iter().filter(|(name, _)| name == "from");
    letter.from = match (from.next(), from.next()) {
        (Some((_, value)), None) => single_address(value),
        _ => None,
    };
    letter.oddities.from_unusable = letter.from.is_none();
    if let Some((_, value)) = fields.iter().find(|(name, _)| name == "subject") {
        letter.subject = decoded_words("Subject", value);
    }
    if let Some(value) = letter.header("content-type") {
        letter.content_type = mailparse::parse_content_type(value).mimetype.to_lowercase();
    }
    Ok(letter)
}

/// Reads a whole letter.
pub fn open(raw: &[u8], limits: &Limits) -> Result<Letter, Unreadable> {
    if raw.len() > limits.letter_bytes {
        return Err(Unreadable::TooBig {
            bytes: raw.len() as u64,
            most: limits.letter_bytes as u64,
        });
    }
    let mut letter = open_head(raw, limits)?;
    let raw = without_mbox_line(raw);
    check_shape(raw, limits)?;
    let mail = mailparse::parse_mail(raw).map_err(|_| Unreadable::Broken)?;
    let mut seen = Seen::default();
    survey(&mail, 0, limits, &mut seen)?;
    letter.calendar_reply = seen.calendar_reply;
    letter.content_type = mail.ctype.mimetype.to_lowercase();

    let mut text = String::new();
    if let Some(part) = seen.plain {
        text = part_text(part, &mut letter.oddities);
        if is_flowed(part) {
            text = unflow(&text, part.ctype.params.get("delsp").map(String::as_str));
        }
    }
    if text.trim().is_empty()
        && let Some(part) = seen.html
    {
        letter.oddities.html_only = true;
        text = html_to_text(&part_text(part, &mut letter.oddities), limits.text_bytes);
    }
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    letter.text = match at_most(&text, limits.text_bytes) {
        cut if cut.len() < text.len() => {
            letter.oddities.cut = true;
            cut.to_owned()
        }
        _ => text,
    };
    Ok(letter)
}

/// `text` up to `most` bytes, never inside a character.
pub(super) fn at_most(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Pipes and mbox files put `From alice Sat Nov 21 ..` above the header.
fn without_mbox_line(raw: &[u8]) -> &[u8] {
    if raw.starts_with(b"From ") || raw.starts_with(b">From ") {
        match raw.iter().position(|b| *b == b'\n') {
            Some(end) => raw.get(end + 1..).unwrap_or_default(),
            None => &[],
        }
    } else {
        raw
    }
}

/// Everything before the first empty line.
fn header_block(raw: &[u8]) -> &[u8] {
    let mut at = 0;
    for line in raw.split_inclusive(|b| *b == b'\n') {
        if line
            .strip_suffix(b"\n")
            .is_some_and(|l| l.is_empty() || l == b"\r")
        {
            break;
        }
        at += line.len();
    }
    raw.get(..at).unwrap_or_default()
}

/// Header fields, unfolded. Lines that are no field are left out.
fn fields(head: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut out: Vec<(String, Vec<u8>)> = Vec::new();
    for line in head.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.first().is_some_and(|b| matches!(b, b' ' | b'\t')) {
            if let Some((_, value)) = out.last_mut() {
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
            continue;
        }
        let Some(colon) = line.iter().position(|b| *b == b':') else {
            continue;
        };
        let (name, value) = line.split_at(colon);
        let name = name.trim_ascii();
        if !name.is_empty() && name.iter().all(u8::is_ascii_graphic) {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            out.push((
                name,
                value.get(1..).unwrap_or_default().trim_ascii().to_vec(),
            ));
        }
    }
    out
}

/// RFC 2047 words decoded; controls become blanks.
fn decoded_words(name: &str, value: &[u8]) -> String {
    let mut field = format!("{name}: ").into_bytes();
    field.extend(value.iter().filter(|b| !matches!(**b, b'\n' | b'\r')));
    field.push(b'\n');
    let text = match mailparse::parse_header(&field) {
        Ok((header, _)) => header.get_value(),
        Err(_) => String::from_utf8_lossy(value).into_owned(),
    };
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// The one address of a From field, or nothing: several addresses, groups, routes, quoted local parts, encoded words
/// inside the address, and names that hide controls are how senders are forged (security.md 1: CERT VU#517845, Mailsploit).
fn single_address(value: &[u8]) -> Option<String> {
    if value.iter().any(|b| b.is_ascii_control() && *b != b'\t') {
        return None;
    }
    let mut field = b"From: ".to_vec();
    field.extend_from_slice(value);
    field.push(b'\n');
    let (header, _) = mailparse::parse_header(&field).ok()?;
    if header.get_value().chars().any(char::is_control) {
        return None;
    }
    let list = mailparse::addrparse_header(&header).ok()?;
    let found = match list.as_slice() {
        [MailAddr::Single(one)] => one.addr.trim().to_owned(),
        _ => return None,
    };
    let address = plain_address(&found)?;
    // What the parser found must stand in the raw bytes, alone or in the only angle brackets outside quotes.
    let raw = std::str::from_utf8(value).ok().or_else(|| {
        // an unencoded 8-bit name before the brackets is rude but common
        let at = value.iter().rposition(|b| *b == b'<')?;
        std::str::from_utf8(value.get(at..)?).ok()
    })?;
    let bare = outside_quotes(raw);
    let bare = bare.trim();
    let fits = match (bare.matches('<').count(), bare.matches('>').count()) {
        (0, 0) => bare == found,
        (1, 1) => bare
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'))
            .is_some_and(|(inside, after)| inside.trim() == found && after.trim().is_empty()),
        _ => false,
    };
    fits.then_some(address)
}

/// The header value without quoted strings and comments.
fn outside_quotes(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut depth = 0usize;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted || depth > 0 => {
                chars.next();
            }
            '"' if depth == 0 => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            c if !quoted && depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// An address that can do no harm (security.md 4); the domain comes back in lower case.
pub fn plain_address(text: &str) -> Option<String> {
    let address = Addr::parse(text).ok()?;
    (!address.local().contains("=?")).then(|| address.as_str().to_owned())
}

/// Counts multiparts, part delimiters and the size of part headers without parsing: linear, one pass.
fn check_shape(raw: &[u8], limits: &Limits) -> Result<(), Unreadable> {
    let too_many = Unreadable::TooManyParts { most: limits.parts };
    let mut boundaries: Vec<Vec<u8>> = Vec::new();
    let mut delimiters = 0usize;
    let mut in_part_header = None;
    for line in raw.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(boundary) = boundary_of(line) {
            if boundaries.len() >= limits.parts {
                return Err(too_many);
            }
            boundaries.push(boundary);
        }
        if let Some(rest) = line.strip_prefix(b"--".as_slice())
            && !rest.is_empty()
            && !rest.starts_with(b">")
        {
            in_part_header = Some((0usize, 0usize));
            if boundaries.iter().any(|b| rest.starts_with(b)) {
                delimiters += 1;
                if delimiters > 2 * limits.parts {
                    return Err(too_many);
                }
            }
        } else if line.is_empty() {
            in_part_header = None;
        } else if let Some((bytes, words)) = &mut in_part_header {
            *bytes += line.len();
            *words += line.windows(2).filter(|w| *w == b"=?").count();
            if *bytes > FIELD_BYTES_MAX && *words > 100 {
                return Err(Unreadable::HeaderBomb);
            }
        }
    }
    Ok(())
}

/// The value of `boundary=` in this line, if there is one.
fn boundary_of(line: &[u8]) -> Option<Vec<u8>> {
    const KEY: &[u8] = b"boundary=";
    let at = line
        .windows(KEY.len())
        .position(|w| w.eq_ignore_ascii_case(KEY))?;
    let value = line.get(at + KEY.len()..)?.trim_ascii();
    let value = match value.strip_prefix(b"\"".as_slice()) {
        Some(quoted) => quoted.split(|b| *b == b'"').next()?,
        None => value.split(|b| matches!(b, b';' | b' ' | b'\t')).next()?,
    };
    (!value.is_empty()).then(|| value.to_vec())
}

/// What was found on the way through the parts.
#[derive(Default)]
struct Seen<'a> {
    parts: usize,
    plain: Option<&'a ParsedMail<'a>>,
    html: Option<&'a ParsedMail<'a>>,
    calendar_reply: bool,
}

fn survey<'a>(
    mail: &'a ParsedMail<'a>,
    depth: usize,
    limits: &Limits,
    seen: &mut Seen<'a>,
) -> Result<(), Unreadable> {
    seen.parts += 1;
    if depth > limits.depth || seen.parts > limits.parts {
        return Err(Unreadable::TooManyParts { most: limits.parts });
    }
    if !mail.subparts.is_empty() {
        for part in &mail.subparts {
            survey(part, depth + 1, limits, seen)?;
        }
        return Ok(());
    }
    let kind = mail.ctype.mimetype.to_lowercase();
    let attached =
        mail.get_content_disposition().disposition == mailparse::DispositionType::Attachment;
    match kind.as_str() {
        "text/calendar" => {
            let method = mail.ctype.params.get("method").map(String::as_str);
            seen.calendar_reply |= method.is_some_and(|m| {
                ["reply", "counter"]
                    .iter()
                    .any(|k| m.eq_ignore_ascii_case(k))
            });
        }
        _ if attached => {}
        "text/plain" | "text/enriched" | "text" if seen.plain.is_none() => {
            seen.plain = Some(mail);
        }
        // a multipart that names no boundary is one part
        _ if kind.starts_with("multipart/") && depth == 0 => seen.plain = Some(mail),
        "text/html" if seen.html.is_none() => seen.html = Some(mail),
        _ => {}
    }
    Ok(())
}

/// Transfer encoding and charset undone; what cannot be decoded becomes U+FFFD and is noted.
fn part_text(part: &ParsedMail<'_>, oddities: &mut Oddities) -> String {
    let bytes = match part.get_body_raw() {
        Ok(bytes) => bytes,
        Err(_) => {
            oddities.undecodable = true;
            match part.get_body_encoded() {
                mailparse::body::Body::Base64(body) => decode_base64_leniently(body.get_raw()),
                mailparse::body::Body::QuotedPrintable(body) => body.get_raw().to_vec(),
                mailparse::body::Body::SevenBit(body) | mailparse::body::Body::EightBit(body) => {
                    body.get_raw().to_vec()
                }
                mailparse::body::Body::Binary(body) => body.get_raw().to_vec(),
            }
        }
    };
    let (text, clean) = decode_text(&bytes, part.ctype.params.get("charset").map(String::as_str));
    oddities.undecodable |= !clean;
    text
}

fn is_flowed(part: &ParsedMail<'_>) -> bool {
    part.ctype
        .params
        .get("format")
        .is_some_and(|f| f.eq_ignore_ascii_case("flowed"))
}

/// RFC 3676: joins the lines that were broken for transport, at the same quote depth; removes space-stuffing.
fn unflow(text: &str, delsp: Option<&str>) -> String {
    let delsp = delsp.is_some_and(|v| v.eq_ignore_ascii_case("yes"));
    let mut out = String::with_capacity(text.len());
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let depth = line.bytes().take_while(|b| *b == b'>').count();
        let body = line.get(depth..).unwrap_or_default();
        let body = body.strip_prefix(' ').unwrap_or(body);
        let signature = body == "-- ";
        let joined = open == Some(depth) && !signature && !out.is_empty();
        if !joined {
            if !out.is_empty() {
                out.push('\n');
            }
            out.extend(std::iter::repeat_n('>', depth));
            if depth > 0 {
                out.push(' ');
            }
        }
        let flows = body.ends_with(' ') && !signature;
        out.push_str(if flows && delsp {
            body.strip_suffix(' ').unwrap_or(body)
        } else {
            body
        });
        open = flows.then_some(depth);
        if out.is_empty() {
            out.push('\n');
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(value: &str) -> Option<String> {
        single_address(value.as_bytes())
    }

    #[test]
    fn one_from_address() {
        for (value, wanted) in [
            ("alice@Example.ORG", "alice@example.org"),
            ("Alice <alice@example.org>", "alice@example.org"),
            ("\"A, <x@y.z>\" <alice@example.org>", "alice@example.org"),
            (
                "=?utf-8?q?J=C3=BCrgen?= <Juergen.K@example.org>",
                "Juergen.K@example.org",
            ),
            ("alice@example.org (Alice)", "alice@example.org"),
        ] {
            assert_eq!(from(value).as_deref(), Some(wanted), "{value}");
        }
        for value in [
            "",
            "alice",
            "a@b.c, d@e.f",
            "friends: a@b.c, d@e.f;",
            "friends: a@b.c;",
            "<a@b.c> <d@e.f>",
            "a@b.c <d@e.f> x@y.z",
            "\"a b\"@example.org",
            "-oQ/x@example.com",
            "=?utf-8?b?cG90dXM=?==?utf-8?Q?=00?=@mailsploit.example",
            "=?utf-8?q?x=00?= <a@b.c>",
            "a@b.c\u{0}",
            "ä@example.org",
            "a@[127.0.0.1]",
        ] {
            assert_eq!(from(value), None, "{value}");
        }
    }

    #[test]
    fn flowed_text_is_joined_within_its_quote_depth() {
        assert_eq!(
            unflow("a long \nline\n> quoted \n> too\n -- \n-- \nsig\n", None),
            "a long line\n> quoted too\n-- \n-- \nsig\n"
        );
        assert_eq!(unflow("Nc1- \nd3\n", Some("yes")), "Nc1-d3\n");
    }

    #[test]
    fn limits_come_first() {
        let limits = Limits::default();
        let big = vec![b'x'; LETTER_BYTES_MAX + 1];
        assert!(matches!(
            open(&big, &limits),
            Err(Unreadable::TooBig { .. })
        ));
        let bomb = format!("From: a@b.c\nX: {}\n\n", "=?utf-8?q?".repeat(20_000));
        assert_eq!(open(bomb.as_bytes(), &limits), Err(Unreadable::HeaderBomb));
        let many = "To: a@b.c\n".repeat(300);
        assert_eq!(open(many.as_bytes(), &limits), Err(Unreadable::HeaderBomb));
    }
}
