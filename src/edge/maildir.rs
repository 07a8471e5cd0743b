//! Letters and mails as files in a Maildir: <https://cr.yp.to/proto/maildir.html>.
//!
//! An inbox takes files from `new` and moves them to `cur` when they are settled. An outbox writes to `tmp`, syncs, and
//! renames into `new` under a name made from the Message-ID: a mail that is sent again replaces itself.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::{
    Arrived, ArrivedId, Carrier, Delivery, HEAD_BYTES_MAX, Inbox, InboxError, LETTER_BYTES_MAX,
    Place,
};
use crate::store::{Queued, Settled};

/// How often a waiting inbox looks for new files.
pub const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Longest file name an outbox makes of a Message-ID; most file systems end at 255.
const NAME_BYTES_MAX: usize = 200;

/// Makes the three directories of a Maildir where they are missing.
pub fn create(dir: &Path) -> io::Result<()> {
    for part in ["tmp", "new", "cur"] {
        fs::create_dir_all(dir.join(part))?;
    }
    Ok(())
}

/// Letters from a Maildir's `new`.
#[derive(Debug)]
pub struct MaildirInbox {
    dir: PathBuf,
    limit: u64,
    /// Remove what is settled, instead of moving it to `cur`.
    removes: bool,
    /// Handed out and not settled: they must not end every wait at once.
    given: BTreeSet<PathBuf>,
}

impl MaildirInbox {
    /// Opens a Maildir, which is made if it is missing.
    pub fn open(dir: &Path) -> io::Result<MaildirInbox> {
        create(dir)?;
        Ok(MaildirInbox {
            dir: dir.to_owned(),
            limit: LETTER_BYTES_MAX,
            removes: false,
            given: BTreeSet::new(),
        })
    }

    /// Letters above `bytes` are noted, not read.
    pub fn limit(mut self, bytes: u64) -> MaildirInbox {
        self.limit = bytes;
        self
    }

    /// Letters that are settled are removed.
    pub fn removing(mut self) -> MaildirInbox {
        self.removes = true;
        self
    }

    /// Files of `new`, oldest first, then by name.
    fn waiting(&self) -> io::Result<Vec<(Timestamp, PathBuf, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.dir.join("new"))? {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // Not followed: a symbolic link in a mail spool is no letter. A file that just vanished is somebody else's.
            let Ok(meta) = entry.metadata() else { continue };
            if !meta.is_file() {
                continue;
            }
            let when = meta
                .modified()
                .ok()
                .and_then(|at| Timestamp::try_from(at).ok())
                .unwrap_or(Timestamp::UNIX_EPOCH);
            found.push((when, entry.path(), meta.len()));
        }
        found.sort();
        Ok(found)
    }
}

impl Inbox for MaildirInbox {
    fn fetch(&mut self, most: usize) -> Result<Vec<Arrived>, InboxError> {
        let found = self.waiting().map_err(|e| trouble("read", &self.dir, &e))?;
        let mut letters = Vec::new();
        self.given.clear();
        for (received, path, size) in found.into_iter().take(most) {
            let most_bytes = if size > self.limit {
                HEAD_BYTES_MAX.min(self.limit)
            } else {
                self.limit
            };
            let mut bytes = Vec::new();
            match File::open(&path).and_then(|file| file.take(most_bytes).read_to_end(&mut bytes)) {
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => return Err(trouble("read", &path, &e)),
            }
            let source_key = format!("maildir|{}|{}", self.dir.display(), unique_name(&path));
            let too_big = (size > self.limit).then_some(size);
            self.given.insert(path.clone());
            letters.push(Arrived {
                id: ArrivedId(Place::File(path)),
                source_key,
                bytes,
                too_big,
                received,
            });
        }
        Ok(letters)
    }

    fn settle(&mut self, arrived: &ArrivedId, _: Settled) -> Result<(), InboxError> {
        let Place::File(path) = &arrived.0 else {
            return Err(InboxError::Stop(
                "this letter did not come from a Maildir".into(),
            ));
        };
        let to = self
            .dir
            .join("cur")
            .join(format!("{}:2,S", unique_name(path)));
        let done = match self.removes {
            true => fs::remove_file(path),
            false => fs::rename(path, &to),
        };
        match done {
            Ok(()) => Ok(()),
            // Another program moved it, or a settled letter is settled again.
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(trouble("move", path, &e)),
        }
    }

    fn wait(&mut self, most: Duration) -> Result<(), InboxError> {
        let mut left = most;
        loop {
            let waiting = self.waiting().map_err(|e| trouble("read", &self.dir, &e))?;
            if waiting
                .iter()
                .any(|(_, path, _)| !self.given.contains(path))
            {
                return Ok(());
            }
            if left.is_zero() {
                return Ok(());
            }
            let nap = left.min(LOOK_EVERY);
            std::thread::sleep(nap);
            left -= nap;
        }
    }
}

/// The part of a file's name that stays when flags change.
fn unique_name(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or(OsStr::new(""))
        .to_string_lossy()
        .into_owned();
    name.split_once(':')
        .map_or(name.clone(), |(unique, _)| unique.to_owned())
}

fn trouble(what: &str, path: &Path, error: &io::Error) -> InboxError {
    let text = format!("cannot {what} `{}`: {error}", path.display());
    match error.kind() {
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory => InboxError::Stop(text),
        _ => InboxError::Later(text),
    }
}

/// Mails to files of a Maildir.
#[derive(Debug)]
pub struct MaildirCarrier {
    dir: PathBuf,
}

impl MaildirCarrier {
    /// Opens a Maildir, which is made if it is missing.
    pub fn open(dir: &Path) -> io::Result<MaildirCarrier> {
        create(dir)?;
        Ok(MaildirCarrier {
            dir: dir.to_owned(),
        })
    }

    fn write(&self, mail: &Queued) -> io::Result<()> {
        let name = name_of(mail.message_id(), mail.to());
        let tmp = self.dir.join("tmp").join(&name);
        let mut file = File::create(&tmp)?;
        file.write_all(mail.bytes())?;
        file.sync_all()?;
        let new = self.dir.join("new");
        fs::rename(&tmp, new.join(&name))?;
        File::open(&new)?.sync_all()
    }
}

impl Carrier for MaildirCarrier {
    fn send(&mut self, mail: &Queued) -> Delivery {
        match self.write(mail) {
            Ok(()) => Delivery::Sent,
            Err(e) => {
                let text = format!("cannot write to `{}`: {e}", self.dir.display());
                match e.kind() {
                    io::ErrorKind::PermissionDenied
                    | io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory => Delivery::Stop(text),
                    _ => Delivery::Later(text),
                }
            }
        }
    }
}

/// A file name from the Message-ID: the same mail has the same name, whatever the identifier holds.
fn name_of(message_id: &str, to: &str) -> String {
    use std::fmt::Write as _;
    let inner = message_id
        .trim()
        .trim_start_matches('<')
        .trim_end_matches('>');
    let mut name = String::new();
    for byte in inner.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'@' | b'+' => {
                name.push(char::from(byte))
            }
            b'.' if !name.is_empty() => name.push('.'),
            _ => {
                let _ = write!(name, "={byte:02X}");
            }
        }
    }
    if name.len() > NAME_BYTES_MAX || name.is_empty() {
        use sha2::{Digest, Sha256};
        let digest = Sha256::digest(format!("{message_id}\n{to}"));
        name = digest.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_distinct() {
        assert_eq!(
            name_of("<g7.t3.p2.abc@host.test>", "a@b"),
            "g7.t3.p2.abc@host.test"
        );
        assert_eq!(
            name_of("<../../etc/x:2,S>", "a@b"),
            "=2E.=2F..=2Fetc=2Fx=3A2=2CS"
        );
        assert!(!name_of("<../x>", "a@b").starts_with('.'));
        let long = format!("<{}@x>", "a".repeat(300));
        assert_eq!(name_of(&long, "a@b").len(), 64);
        assert_ne!(name_of("", "a@b"), name_of("", "c@d"));
    }
}
