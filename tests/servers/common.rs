//! The two tokens as the store makes them, in one place for all tests of the edge, and a mail.

use jiff::Timestamp;
use tulpa::store::{NewMail, Payload, Queued, Settled, Store, no_fold};

/// A mail out of a real outbox.
pub fn queued(to: &str, from: &str, message_id: &str, bytes: &[u8]) -> Queued {
    let dir = tempfile::tempdir().expect("a directory");
    let mut store = Store::open(&dir.path().join("state"), no_fold()).expect("a store");
    let mail = NewMail {
        to: to.to_owned(),
        envelope_from: from.to_owned(),
        message_id: message_id.to_owned(),
        bytes: bytes.to_vec().into(),
        ..NewMail::default()
    };
    let payload = Payload {
        mails: vec![mail],
        ..Payload::default()
    };
    store.commit(payload).expect("a commit");
    let later = Timestamp::from_second(4_000_000_000).expect("a time");
    store
        .outbox_due(later, 1)
        .expect("an outbox")
        .pop()
        .expect("a mail is due")
}

/// The token of a real commit.
pub fn settled() -> Settled {
    let dir = tempfile::tempdir().expect("a directory");
    let mut store = Store::open(&dir.path().join("state"), no_fold()).expect("a store");
    store.commit(Payload::default()).expect("a commit")
}

pub fn letter(to: &str, subject: &str) -> Vec<u8> {
    format!("From: Tulpa <referee@pbem.test>\r\nTo: {to}\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n\r\nhello\r\n..dots\r\nend\r\n").into_bytes()
}
