//! Journal and index.

/// Proof that a letter's effect is durable; only a commit makes one.
#[derive(Debug)]
pub struct Settled(());

impl Settled {
    /// Placeholder until the store is merged.
    pub fn for_tests() -> Settled {
        Settled(())
    }
}

/// A mail that is kept in the outbox; only the outbox makes one.
#[derive(Debug, Clone)]
pub struct Queued {
    to: String,
    envelope_from: String,
    message_id: String,
    bytes: Vec<u8>,
}

impl Queued {
    /// Placeholder until the store is merged.
    pub fn for_tests(to: &str, envelope_from: &str, message_id: &str, bytes: &[u8]) -> Queued {
        Queued {
            to: to.into(),
            envelope_from: envelope_from.into(),
            message_id: message_id.into(),
            bytes: bytes.into(),
        }
    }
    /// The one recipient.
    pub fn to(&self) -> &str {
        &self.to
    }
    /// Envelope sender; empty is the null path `<>`.
    pub fn envelope_from(&self) -> &str {
        &self.envelope_from
    }
    /// Message-ID.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }
    /// The finished mail.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
