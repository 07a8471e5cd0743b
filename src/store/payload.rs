//! What one transaction holds.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::outbox::OutboxMark;
use super::tally::Spend;

/// One transaction: what a letter (or a tick, or the keeper's word) brought about.
///
/// The journal keeps it as JSON, so that a person can read it with ordinary tools.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Payload {
    /// When, as the referee was told.
    pub at: Timestamp,
    /// What became of the letter: applied, rejected, duplicate, held, quarantined; or sending, sent, ...
    pub outcome: String,
    /// Keys under which this letter is known from now on (see [`super::seen`]).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The referee's events, opaque here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<serde_json::Value>,
    /// Mails to be sent, wholly written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mails: Vec<NewMail>,
    /// What became of mails of earlier transactions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outbox: Vec<OutboxMark>,
    /// Keys whose attempt count goes up by one (a letter that trips the program three times is set aside).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strikes: Vec<String>,
    /// What is counted against a budget.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spends: Vec<Spend>,
    /// A line for the keeper; never a letter's content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A mail to one recipient, as it will go over the wire.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NewMail {
    /// The only recipient.
    pub to: String,
    /// The return path, where bounces go.
    pub envelope_from: String,
    /// Its Message-ID with angle brackets; the same at every attempt.
    pub message_id: String,
    /// The whole message.
    pub bytes: MailBytes,
    /// Whose queue it stands in, for example `42/white`; mails with the same key and `board` keep their order.
    pub seat: String,
    /// Number of the ledger line it tells of, 0 when none.
    pub seq: u64,
    /// What it is, for the log: `board`, `refusal`, `chat`.
    pub kind: String,
    /// A board: it may not overtake an earlier board of the same seat that is still unsent.
    pub board: bool,
    /// It tells all that unsent earlier boards of the same seat would tell: those are dropped.
    pub supersedes: bool,
    /// Not before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
}

/// The bytes of a message. In JSON a string when they are ASCII (the rule), otherwise `{"hex": ".."}`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MailBytes(pub Vec<u8>);

impl From<Vec<u8>> for MailBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Hex { hex: String },
}

impl Serialize for MailBytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) if text.is_ascii() => to.serialize_str(text),
            _ => Written::Hex { hex: hex(&self.0) }.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for MailBytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Written::deserialize(from)? {
            Written::Text(text) => Ok(Self(text.into_bytes())),
            Written::Hex { hex } => unhex(&hex)
                .map(Self)
                .ok_or_else(|| serde::de::Error::custom("not hexadecimal")),
        }
    }
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(if n < 10 { b'0' + n } else { b'a' + n - 10 });
    bytes
        .iter()
        .flat_map(|b| [digit(b >> 4), digit(b & 15)])
        .collect()
}

/// The bytes that [`hex`] wrote.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect();
    let digits = digits?;
    (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|p| p[0] << 4 | p[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_json() {
        for bytes in [
            b"".to_vec(),
            b"Subject: a\r\n\r\nb\0\x01\"".to_vec(),
            vec![0, 255, 128, 13],
        ] {
            let bytes = MailBytes(bytes);
            let json = serde_json::to_string(&bytes).unwrap();
            assert_eq!(
                serde_json::from_str::<MailBytes>(&json).unwrap(),
                bytes,
                "{json}"
            );
        }
        assert!(serde_json::from_str::<MailBytes>("{\"hex\":\"0g\"}").is_err());
    }
}
