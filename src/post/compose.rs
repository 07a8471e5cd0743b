//! A finished mail, byte for byte (RFC 5322, RFC 2045).
//!
//! There is a closed set of headers, and every value has a type that cannot hold a line end: [`Addr`], [`Alias`],
//! [`MessageId`], [`Instance`]. The body is 7bit or quoted-printable and never holds a bare CR or LF, a line that starts
//! with `.` or `From `, or a line of more than 76 characters. So no mail can be split in two on its way, even by a
//! mail server or library that does not stuff dots (RUSTSEC-2026-0561), and none grows headers from what a player wrote.
//!
//! The same [`Outgoing`] gives the same bytes, always: date and Message-ID are arguments, the boundary is made from the
//! Message-ID. A mail is composed once, kept, and sent from there as often as it takes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::address::{Addr, is_host};
use super::hypertext::mailto;
use super::words::text;

mod encode;

/// Longest name shown for a player. Characters.
pub const ALIAS_CHARS_MAX: usize = 24;
/// Longest Message-ID that is repeated in a header. Octets.
pub const MESSAGE_ID_BYTES_MAX: usize = 250;
/// At most so many References; the first, which is the root of the thread, and the last ones stay.
pub const REFERENCES_MAX: usize = 10;
/// Longer subjects are cut. Characters.
pub const SUBJECT_CHARS_MAX: usize = 160;
/// RFC 5322, 2.1.1, without CRLF. Octets.
pub const LINE_BYTES_MAX: usize = 998;

/// What a player is called: 1 to 24 letters, digits, blanks and `_-.`, no blank at either end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Alias(String);

/// Why a text is no [`Alias`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a name is 1 to 24 letters, digits, blanks and `_`, `-`, `.`")]
pub struct AliasError;

impl Alias {
    /// Takes a name as it was typed; blanks around it do not count.
    pub fn parse(text: &str) -> Result<Alias, AliasError> {
        let text = text.trim_matches(' ');
        let fits = (1..=ALIAS_CHARS_MAX).contains(&text.chars().count());
        let fine = |c: char| c.is_alphanumeric() || " _-.".contains(c);
        (fits && text.chars().all(fine))
            .then(|| Alias(text.to_string()))
            .ok_or(AliasError)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Alias {
    type Error = AliasError;
    fn try_from(text: String) -> Result<Alias, AliasError> {
        Alias::parse(&text)
    }
}

impl From<Alias> for String {
    fn from(alias: Alias) -> String {
        alias.0
    }
}

/// A Message-ID without its angle brackets: visible ASCII with one `@` (RFC 5322, 3.6.4).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MessageId(String);

/// Why a text is no [`MessageId`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a Message-ID is visible ASCII around one `@`, at most 250 characters")]
pub struct MessageIdError;

impl MessageId {
    /// Reads a Message-ID, with or without angle brackets.
    pub fn parse(text: &str) -> Result<MessageId, MessageIdError> {
        let text = text.trim();
        let text = text
            .strip_prefix('<')
            .and_then(|t| t.strip_suffix('>'))
            .unwrap_or(text);
        let visible = text
            .bytes()
            .all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>');
        let sides = text
            .split_once('@')
            .is_some_and(|(l, r)| !l.is_empty() && !r.is_empty() && !r.contains('@'));
        let fine = visible && sides && text.len() <= MESSAGE_ID_BYTES_MAX;
        fine.then(|| MessageId(text.to_string()))
            .ok_or(MessageIdError)
    }

    /// Ours: the left side comes from `fair::token::message_id_left`.
    pub fn ours(left: &str, from: &Addr) -> Result<MessageId, MessageIdError> {
        MessageId::parse(&format!("{left}@{}", from.host()))
    }

    /// Without angle brackets.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for MessageId {
    type Error = MessageIdError;
    fn try_from(text: String) -> Result<MessageId, MessageIdError> {
        MessageId::parse(&text)
    }
}

impl From<MessageId> for String {
    fn from(id: MessageId) -> String {
        id.0
    }
}

/// The name of this referee installation, in `X-Loop`: how we know our own mails again. A host name by form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Instance(String);

/// Why a text is no [`Instance`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an instance is named like a host: letters, digits, hyphens and dots")]
pub struct InstanceError;

impl Instance {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Instance, InstanceError> {
        (is_host(text) && text.len() <= 64)
            .then(|| Instance(text.to_string()))
            .ok_or(InstanceError)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Instance {
    type Error = InstanceError;
    fn try_from(text: String) -> Result<Instance, InstanceError> {
        Instance::parse(&text)
    }
}

impl From<Instance> for String {
    fn from(instance: Instance) -> String {
        instance.0
    }
}

/// Why we write (RFC 3834, 5).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Auto {
    /// Somebody wrote, this is the answer.
    Replied,
    /// A reminder, a mail to the other player.
    Generated,
}

/// All that a mail is made of.
#[derive(Clone, Debug)]
pub struct Outgoing<'a> {
    /// The referee's name.
    pub from_name: &'a Alias,
    /// The referee's address.
    pub from: &'a Addr,
    /// Who gets it; always one.
    pub to: &'a Addr,
    /// Where answers go: with the seat's token.
    pub reply_to: &'a Addr,
    /// The envelope sender; `None` is the null sender `<>`, for answers that must never bounce back.
    pub envelope_from: Option<&'a Addr>,
    /// One line; what does not belong there is taken out.
    pub subject: &'a str,
    /// When it was written.
    pub date: Timestamp,
    /// Its own Message-ID.
    pub message_id: &'a MessageId,
    /// The letter it answers.
    pub in_reply_to: Option<&'a MessageId>,
    /// The thread: the game's root first.
    pub references: &'a [MessageId],
    /// Answer or own initiative.
    pub auto: Auto,
    /// The game's number; gives the List-Id.
    pub game: Option<u32>,
    /// Where `unsubscribe` goes.
    pub unsubscribe: Option<&'a Addr>,
    /// This installation.
    pub instance: &'a Instance,
    /// text/plain.
    pub text: &'a str,
    /// text/html, if the player wants it.
    pub html: Option<&'a str>,
    /// Files behind it.
    pub files: &'a [Attached],
}

/// A file of plain ASCII text that comes with a mail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attached {
    name: String,
    text: String,
}

impl Attached {
    /// A file under a name of letters, digits, `-` and `.`; others are left out of it.
    pub fn new(name: &str, text: impl Into<String>) -> Attached {
        let fine = |c: &char| c.is_ascii_alphanumeric() || "-.".contains(*c);
        Attached {
            name: name.chars().filter(fine).collect(),
            text: text.into(),
        }
    }
}

/// A finished mail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mail {
    /// The one recipient.
    pub to: String,
    /// The envelope sender; empty for `<>`.
    pub envelope_from: String,
    /// Without angle brackets.
    pub message_id: String,
    /// As the reader sees it, not encoded.
    pub subject: String,
    /// Headers, empty line, body; CRLF throughout.
    pub bytes: Vec<u8>,
}

/// Writes a mail.
pub fn compose(mail: &Outgoing) -> Mail {
    let subject: String = text::one_line(mail.subject)
        .chars()
        .take(SUBJECT_CHARS_MAX)
        .collect();
    let subject = subject.trim_end().to_string();
    let mut out = Headers(String::new());
    out.put(
        "From",
        &[
            encode::phrase(mail.from_name.as_str()),
            format!("<{}>", mail.from),
        ],
    );
    out.put("To", &[mail.to.to_string()]);
    out.put("Reply-To", &[mail.reply_to.to_string()]);
    out.put("Subject", &encode::unstructured(&subject));
    out.put("Date", &[date(mail.date)]);
    out.put("Message-ID", &[bracketed(mail.message_id)]);
    if let Some(id) = mail.in_reply_to {
        out.put("In-Reply-To", &[bracketed(id)]);
    }
    let references = thread(mail.references, mail.in_reply_to);
    if !references.is_empty() {
        out.put("References", &references);
    }
    let auto = match mail.auto {
        Auto::Replied => "auto-replied",
        Auto::Generated => "auto-generated",
    };
    out.put("Auto-Submitted", &[auto.into()]);
    if let Some(game) = mail.game {
        out.put("List-Id", &[format!("<game-{game}.{}>", mail.from.host())]);
    }
    if let Some(address) = mail.unsubscribe {
        out.put(
            "List-Unsubscribe",
            &[format!("<{}>", mailto(address.as_str(), "unsubscribe", ""))],
        );
    }
    out.put("X-Loop", &[mail.instance.as_str().into()]);
    out.put("MIME-Version", &["1.0".into()]);
    let plain = encode::part("text/plain", mail.text);
    let mut body = match mail.html {
        None => plain,
        Some(html) => {
            let html = encode::part("text/html", html);
            multipart(mail.message_id, "alternative", &[plain, html])
        }
    };
    if !mail.files.is_empty() {
        let files = mail.files.iter().map(|f| encode::file(&f.name, &f.text));
        let parts: Vec<String> = [body].into_iter().chain(files).collect();
        body = multipart(mail.message_id, "mixed", &parts);
    }
    out.0.push_str(&body);
    let bytes = out.0.into_bytes();
    debug_assert_eq!(check_wire(&bytes), Ok(()));
    Mail {
        to: mail.to.to_string(),
        envelope_from: mail.envelope_from.map(Addr::to_string).unwrap_or_default(),
        message_id: mail.message_id.as_str().to_string(),
        subject,
        bytes,
    }
}

/// What would let a mail be cut in two or grow on its way.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WireError {
    /// CR without LF or LF without CR.
    #[error("a bare CR or LF")]
    BareLineEnd,
    /// A line that starts with a dot: SMTP gives it a meaning (RFC 5321, 4.5.2).
    #[error("a line that starts with a dot")]
    Dot,
    /// A line that starts with `From `: mailbox files give it a meaning.
    #[error("a line that starts with `From `")]
    From,
    /// Longer than `LINE_BYTES_MAX`.
    #[error("a line of more than 998 octets")]
    LongLine,
    /// NUL, or an octet above 127.
    #[error("an octet that is not 7 bit")]
    EightBit,
    /// The last line is not ended.
    #[error("no line end at the end")]
    Open,
}

/// Are these bytes safe to hand to any mail server? True of all that [`compose`] makes; a carrier may ask once more.
pub fn check_wire(bytes: &[u8]) -> Result<(), WireError> {
    let body = bytes.strip_suffix(b"\r\n").ok_or(WireError::Open)?;
    let mut rest = body;
    loop {
        let end = rest.windows(2).position(|w| w == b"\r\n");
        let line = &rest[..end.unwrap_or(rest.len())];
        if line.contains(&b'\r') || line.contains(&b'\n') {
            return Err(WireError::BareLineEnd);
        }
        if line.starts_with(b".") {
            return Err(WireError::Dot);
        }
        if line.starts_with(b"From ") {
            return Err(WireError::From);
        }
        if line.len() > LINE_BYTES_MAX {
            return Err(WireError::LongLine);
        }
        if line.iter().any(|b| *b == 0 || *b > 127) {
            return Err(WireError::EightBit);
        }
        match end {
            Some(end) => rest = &rest[end + 2..],
            None => return Ok(()),
        }
    }
}

/// Headers under way.
struct Headers(String);

impl Headers {
    /// One header, folded between its pieces where a line would grow beyond 76 columns.
    fn put(&mut self, name: &'static str, pieces: &[String]) {
        self.0.push_str(name);
        self.0.push(':');
        let mut width = name.len() + 1;
        for (i, piece) in pieces.iter().enumerate() {
            // The first piece stays on the line of the name: a header with an empty first line confuses some.
            if i > 0 && width + 1 + piece.len() > encode::LINE_CHARS {
                self.0.push_str("\r\n");
                width = 0;
            }
            self.0.push(' ');
            self.0.push_str(piece);
            width += 1 + piece.len();
        }
        self.0.push_str("\r\n");
    }
}

/// RFC 5322, 3.3; always UTC, since a zone would tell where the referee lives.
fn date(at: Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::UTC)
        .strftime("%a, %d %b %Y %H:%M:%S +0000")
        .to_string()
}

fn bracketed(id: &MessageId) -> String {
    format!("<{}>", id.as_str())
}

/// References: the root, the latest, and last the letter that is answered; each once.
fn thread(references: &[MessageId], answered: Option<&MessageId>) -> Vec<String> {
    let mut all: Vec<&MessageId> = Vec::new();
    for id in references.iter().chain(answered) {
        if !all.contains(&id) {
            all.push(id);
        }
    }
    if all.len() > REFERENCES_MAX {
        let cut = all.len() - REFERENCES_MAX;
        all.drain(1..=cut);
    }
    all.into_iter().map(bracketed).collect()
}

/// A boundary that stands in no part. Quoted-printable never holds `=_`, and nobody knows our Message-ID beforehand; still
/// it is looked for.
/// Several parts as one, with its own headers.
fn multipart(id: &MessageId, kind: &str, parts: &[String]) -> String {
    let boundary = boundary(id, parts);
    let mut out = Headers(String::new());
    out.put(
        "Content-Type",
        &[
            format!("multipart/{kind};"),
            format!("boundary=\"{boundary}\""),
        ],
    );
    let mut out = out.0;
    for part in parts {
        out.push_str(&format!("\r\n--{boundary}\r\n{part}"));
    }
    out.push_str(&format!("\r\n--{boundary}--\r\n"));
    out
}

fn boundary(id: &MessageId, parts: &[String]) -> String {
    let mut n = 0u32;
    loop {
        let digest = Sha256::digest(format!("tulpa boundary {n} {}", id.as_str()));
        let hex: String = digest[..12].iter().map(|b| format!("{b:02x}")).collect();
        let boundary = format!("=_{hex}");
        if !parts.iter().any(|p| p.contains(boundary.as_str())) {
            return boundary;
        }
        n += 1;
    }
}

#[cfg(test)]
#[path = "compose/tests.rs"]
mod tests;
