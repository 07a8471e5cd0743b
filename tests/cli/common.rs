//! A referee in a directory, and the binary that runs it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory with a configuration; gone when dropped.
pub struct Home {
    pub dir: tempfile::TempDir,
    letters: std::sync::atomic::AtomicU32,
}

/// What a run said.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    fn of(output: Output, dir: &Path) -> Said {
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("utf-8");
            text.replace(&dir.display().to_string(), "HOME")
        };
        Said {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
    /// Everything, for comparing.
    pub fn whole(&self) -> String {
        format!("{}{}exit {}\n", self.out, self.err, self.code)
    }
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.code, 0, "{}", self.whole());
        self.out
    }
}

pub fn tulpa() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tulpa"));
    command.env_remove("TULPA_CONFIG").env_remove("RUST_LOG");
    command
}

impl Home {
    /// The example configuration as it is, but for a mail server that is believed.
    pub fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        let text = include_str!("../../config.example.ron").replace(
            "trusted_authserv: []",
            "trusted_authserv: [\"mx.example.org\"]",
        );
        fs::write(dir.path().join("tulpa.ron"), text).unwrap();
        Home {
            dir,
            letters: 0.into(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn run(&self, args: &[&str]) -> Said {
        self.feed(args, b"")
    }

    pub fn feed(&self, args: &[&str], input: &[u8]) -> Said {
        let mut child = tulpa()
            .args(args)
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // the program may well end without reading
        let _ = child.stdin.take().unwrap().write_all(input);
        Said::of(child.wait_with_output().unwrap(), self.dir.path())
    }

    /// A letter that the mail server vouches for.
    pub fn letter(&self, from: &str, subject: &str, body: &str) -> String {
        let n = self
            .letters
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed)
            + 1;
        let host = from.split('@').next_back().unwrap();
        format!(
            "Authentication-Results: mx.example.org; dmarc=pass header.from={host}\r\nFrom: {from}\r\n\
             To: referee@example.org\r\nSubject: {subject}\r\nMessage-ID: <{n}@{host}>\r\n\r\n{}\r\n",
            body.replace('\n', "\r\n")
        )
    }

    pub fn receive(&self, from: &str, subject: &str, body: &str) {
        let letter = self.letter(from, subject, body);
        let said = self.feed(&["receive"], letter.as_bytes());
        assert_eq!(said.code, 0, "{}", said.whole());
    }

    /// Alice (white) and Bob play chess, match 1; Carol is known.
    pub fn chess() -> Home {
        let home = Home::new();
        home.receive(
            ALICE,
            "a game",
            "new chess vs bob@dale.example as white\nname Alice",
        );
        home.receive(BOB, "#1", "accept\nname Bob");
        home.receive(CAROL, "me", "name Carol");
        home
    }

    /// Bytes of all mails to an address, oldest first.
    pub fn mails_to(&self, address: &str) -> Vec<String> {
        let mut found: Vec<_> = fs::read_dir(self.path("mail/outbox/new"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .map(|p| (fs::metadata(&p).unwrap().modified().unwrap(), p))
            .collect();
        found.sort();
        found
            .into_iter()
            .map(|(_, p)| fs::read_to_string(p).unwrap())
            .filter(|m| m.contains(&format!("To: {address}\r\n")))
            .collect()
    }
}

pub const ALICE: &str = "alice@hill.example";
pub const BOB: &str = "bob@dale.example";
pub const CAROL: &str = "carol@sea.example";

/// Times and random ids out of a text.
pub fn steady(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n']) {
        let bare = word.trim_end().trim_end_matches(':');
        let day = bare.len() == 10 && bare.as_bytes()[4] == b'-' && bare.as_bytes()[7] == b'-';
        let clock = bare.len() == 8 && bare.as_bytes()[2] == b':' && bare.as_bytes()[5] == b':';
        let gid = bare.len() == 12 && bare.starts_with('(') && bare.ends_with(')');
        let new = match (day, clock, gid) {
            (true, _, _) => "DAY",
            (_, true, _) => "TIME",
            (_, _, true) => "(GID)",
            _ => bare,
        };
        out.push_str(new);
        out.push_str(&word[bare.len()..]);
    }
    out
}
