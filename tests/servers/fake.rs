//! Servers of a few lines that misbehave to order: each plays one script against one connection after the other.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// What a script does with one connection.
pub type Script = Box<dyn FnMut(&mut Talk) + Send>;

/// One connection, seen from the server.
pub struct Talk {
    read: BufReader<TcpStream>,
    write: TcpStream,
    /// Which connection this is, from 0.
    pub turn: usize,
}

impl Talk {
    pub fn say(&mut self, text: &str) {
        let _ = self.write.write_all(text.as_bytes());
    }

    /// The next line, without its end; `None` when the client is gone.
    pub fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.read.read_line(&mut line) {
            Ok(n) if n > 0 => Some(line.trim_end().to_owned()),
            _ => None,
        }
    }
}

/// Starts a server on a free port of this machine; it lives as long as the test program.
pub fn serve(mut script: Script) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (turn, stream) in listener.incoming().flatten().enumerate() {
            let read = BufReader::new(stream.try_clone().unwrap());
            script(&mut Talk {
                read,
                write: stream,
                turn,
            });
        }
    });
    port
}

/// How a fake IMAP server answers one command; `None` closes the connection.
pub type Answer = Box<dyn FnMut(&str, &str) -> Option<String> + Send>;

/// A usable IMAP server with one letter, but where `special` has another answer to (tag, command).
pub fn imap(mut special: Answer) -> u16 {
    serve(Box::new(move |talk| {
        talk.say("* OK ready\r\n");
        while let Some(line) = talk.hear() {
            let (tag, command) = line.split_once(' ').unwrap_or((&line, ""));
            let answer = match special(tag, command) {
                None => return,
                Some(text) if !text.is_empty() => text,
                Some(_) => usual(tag, command),
            };
            talk.say(answer.trim_end_matches(HANG_UP));
            if answer.ends_with(HANG_UP) {
                return;
            }
        }
    }))
}

/// At the end of an answer: the connection closes after it.
pub const HANG_UP: char = '\u{4}';

/// The letter of the fake server.
pub const LETTER: &str = "From: a@b.test\r\n\r\nhello\r\n";

pub fn usual(tag: &str, command: &str) -> String {
    let ok = format!("{tag} OK done\r\n");
    let verb = command.to_ascii_uppercase();
    if verb.starts_with("CAPABILITY") {
        format!("* CAPABILITY IMAP4rev1 IDLE MOVE\r\n{ok}")
    } else if verb.starts_with("SELECT") {
        format!(
            "* 1 EXISTS\r\n* OK [PERMANENTFLAGS (\\Seen \\*)] x\r\n* OK [UIDVALIDITY 9] x\r\n{tag} OK [READ-WRITE] done\r\n"
        )
    } else if verb.starts_with("UID SEARCH") {
        format!("* SEARCH 4\r\n{ok}")
    } else if verb.contains("RFC822.SIZE") {
        format!(
            "* 1 FETCH (UID 4 RFC822.SIZE {} FLAGS ())\r\n{ok}",
            LETTER.len()
        )
    } else if verb.starts_with("UID FETCH") {
        let date = "20-Nov-2025 14:00:00 +0000";
        format!(
            "* 1 FETCH (UID 4 INTERNALDATE \"{date}\" BODY[] {{{}}}\r\n{LETTER})\r\n{ok}",
            LETTER.len()
        )
    } else {
        ok
    }
}

/// How a fake SMTP server answers one verb: with this, as usual (`""`), or by closing the connection.
pub type Reply = Box<dyn FnMut(&str) -> Option<&'static str> + Send>;

/// A usable SMTP server, but where `special` answers the command; `None` closes the connection. The text after DATA is
/// given to `special` as `"."`.
pub fn smtp(mut special: Reply) -> u16 {
    serve(Box::new(move |talk| {
        talk.say("220 fake\r\n");
        while let Some(line) = talk.hear() {
            let verb = line.get(..4).unwrap_or(&line).to_ascii_uppercase();
            match special(&verb) {
                None => return,
                Some("") => {}
                Some(text) => {
                    talk.say(text);
                    continue;
                }
            }
            if verb == "DATA" {
                talk.say("354 go on\r\n");
                loop {
                    match talk.hear() {
                        None => return,
                        Some(line) if line == "." => break,
                        Some(_) => {}
                    }
                }
                match special(".") {
                    None => return,
                    Some("") => talk.say("250 taken\r\n"),
                    Some(text) => talk.say(text),
                }
                continue;
            }
            talk.say(if verb == "EHLO" {
                "250-fake\r\n250 8BITMIME\r\n"
            } else {
                "250 ok\r\n"
            });
        }
    }))
}
