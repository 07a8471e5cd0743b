//! Mails with something planted in them, and what the program prints while it plays.

use std::io::Write;
use std::sync::{Arc, Mutex};

use tulpa::referee::secrets::{Secrets, secrets};
use tulpa::referee::{MatchNo, Registry};

use crate::common::{BOB, Club};

pub fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let all = three.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for at in 0..4 {
            match at <= three.len() {
                true => out.push(char::from(SIGNS[(all >> (18 - 6 * at) & 63) as usize])),
                false => out.push('='),
            }
        }
    }
    out
}

/// Every byte as quoted-printable, with soft line ends.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    for (n, b) in text.bytes().enumerate() {
        if n % 20 == 19 {
            out.push_str("=\r\n");
        }
        out.push_str(&format!("={b:02X}"));
    }
    out
}

pub fn mail(head: &str, body: &str) -> Vec<u8> {
    format!(
        "From: <referee@club.example>\r\nTo: <{BOB}>\r\nSubject: [tulpas #1] Your card\r\n{head}MIME-Version: 1.0\r\n\r\n{body}\r\n"
    )
    .into_bytes()
}

pub fn plain(line: &str) -> Vec<u8> {
    mail(
        "Content-Type: text/plain; charset=utf-8\r\n",
        &format!("Dear Bob,\r\n{line}\r\nyours"),
    )
}

pub fn of(club: &Club, who: &str) -> Secrets {
    let records = club.daemon.records();
    let m = records.game(MatchNo(1)).unwrap();
    secrets(&records, &m, records.player_by_address(who))
}

#[derive(Clone, Default)]
pub struct Lines(pub Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What the program prints while `play` runs.
pub fn printed(play: impl FnOnce(&Lines)) -> String {
    let lines = Lines::default();
    let into = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || into.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || play(&lines));
    lines.text()
}

impl Lines {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}
