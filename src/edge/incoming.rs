//! Letters from the mail server's pipe while another process holds the state: `tulpa receive` leaves them in
//! `state/incoming`, a Maildir, and the process that is at work takes them up. So a burst of letters costs one opening
//! of the state, and none has to come again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::Arrived;
use super::maildir::{self, MaildirInbox};

/// Its name in the state directory.
const NAME: &str = "incoming";
/// Letters are for the referee's own user only.
const FILE_MODE: u32 = 0o600;

/// Keeps a letter durably; the same bytes twice are one letter. Of one that is too large only the head is kept, in a
/// file of the true size without the rest.
///
/// # Errors
/// What the disk says; then the letter is not kept.
pub fn leave(state: &Path, letter: &Arrived) -> io::Result<()> {
    let dir = state.join(NAME);
    let new = dir.join("new");
    if !new.is_dir() {
        maildir::create(&dir)?;
        sync(state)?;
        sync(&dir)?;
    }
    let mut name = String::new();
    for byte in Sha256::digest(&letter.bytes) {
        name.push_str(&format!("{byte:02x}"));
    }
    // two processes may leave the same letter at the same moment
    let tmp = dir
        .join("tmp")
        .join(format!("{name}.{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(FILE_MODE)
        .open(&tmp)?;
    file.write_all(&letter.bytes)?;
    if let Some(size) = letter.too_big {
        file.set_len(size)?;
    }
    file.sync_all()?;
    fs::rename(&tmp, new.join(name))?;
    sync(&new)
}

fn sync(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Is there none?
pub fn is_empty(state: &Path) -> bool {
    fs::read_dir(state.join(NAME).join("new")).map_or(true, |mut new| new.next().is_none())
}

/// The letters left here; one that is done is removed, since nobody else reads this mailbox.
///
/// # Errors
/// What the disk says.
pub fn inbox(state: &Path, limit: u64) -> io::Result<MaildirInbox> {
    Ok(MaildirInbox::open(&state.join(NAME))?
        .limit(limit)
        .removing())
}

#[cfg(test)]
mod tests {
    use super::super::{Inbox as _, pipe};
    use super::*;

    #[test]
    fn what_is_left_is_found_once() {
        let dir = tempfile::tempdir().unwrap();
        assert!(is_empty(dir.path()));
        let now = jiff::Timestamp::now();
        let take = |bytes: &[u8], limit| pipe::take(&mut &*bytes, limit, now).unwrap();
        leave(dir.path(), &take(b"one", 9)).unwrap();
        leave(dir.path(), &take(b"one", 9)).unwrap();
        leave(dir.path(), &take(b"much too large", 9)).unwrap();
        let mut found = inbox(dir.path(), 9).unwrap().fetch(9).unwrap();
        found.sort_by_key(|l| l.bytes.len());
        let seen: Vec<_> = found.iter().map(|l| (&l.bytes[..], l.too_big)).collect();
        assert_eq!(seen, [(&b"one"[..], None), (b"much too ", Some(14))]);
        assert!(!is_empty(dir.path()));
    }
}
