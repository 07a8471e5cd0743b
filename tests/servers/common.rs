//! The two tokens, made in one place for all tests of the edge, and a mail.

use tulpa::store::{Queued, Settled};

pub fn queued(to: &str, from: &str, message_id: &str, bytes: &[u8]) -> Queued {
    Queued::for_tests(to, from, message_id, bytes)
}

pub fn settled() -> Settled {
    Settled::for_tests()
}

pub fn letter(to: &str, subject: &str) -> Vec<u8> {
    format!("From: Tulpa <referee@pbem.test>\r\nTo: {to}\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n\r\nhello\r\n..dots\r\nend\r\n").into_bytes()
}
