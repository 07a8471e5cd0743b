//! Ledgers out of a player's own mails: an mbox file, a Maildir, or lines that he copied into a file (trust.md 5: the
//! mailboxes are a whole backup of the public ledger).

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use crate::cli::Failure;
use crate::fair::fold::{Shown, find};
use crate::fair::head::Head;
use crate::fair::ledger::Entry;
use crate::post::letter::{LETTER_BYTES_MAX, Limits, open};

/// Largest mailbox that is read, bytes.
const MBOX_BYTES_MAX: u64 = 1 << 30;

/// What each mail of an mbox file or a Maildir shows of ledgers, in the order of the mails.
pub fn shown_of(mbox: &Path) -> Result<Vec<Vec<Shown>>, Failure> {
    let told = |e: std::io::Error| Failure::new(format!("{}: {e}", mbox.display()));
    let read = |path: &Path, most: u64| {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    if !mbox.is_dir() {
        let bytes = read(mbox, MBOX_BYTES_MAX).map_err(told)?;
        return Ok(mails(&bytes).into_iter().map(shown).collect());
    }
    let mut all = Vec::new();
    for sub in ["cur", "new", "."] {
        let Ok(entries) = std::fs::read_dir(mbox.join(sub)) else {
            continue;
        };
        for entry in entries {
            let path = entry.map_err(told)?.path();
            if path.is_file() {
                let bytes = read(&path, LETTER_BYTES_MAX as u64).map_err(told)?;
                all.push(shown(&bytes));
            }
        }
    }
    Ok(all)
}

/// The mails of an mbox file: each begins with a line `From `.
fn mails(bytes: &[u8]) -> Vec<&[u8]> {
    let mut starts = vec![0];
    let mark = b"\nFrom ";
    starts.extend(
        bytes
            .windows(mark.len())
            .enumerate()
            .filter(|(_, w)| w == mark)
            .map(|(i, _)| i + 1),
    );
    starts.push(bytes.len());
    starts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect()
}

fn shown(mail: &[u8]) -> Vec<Shown> {
    open(mail, &Limits::default()).map_or_else(|_| Vec::new(), |letter| find(&letter.text))
}

/// Every signed head among them, each once.
pub fn heads(shown: &[Vec<Shown>]) -> Vec<Head> {
    let mut heads = Vec::new();
    for one in shown.iter().flatten() {
        if let Shown::Head(head) = one
            && !heads.contains(head)
        {
            heads.push(head.clone());
        }
    }
    heads
}

/// Does a file hold a ledger as `export` writes it, and not mails?
pub fn is_ledger(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    Entry::parse(first).is_ok_and(|e| e.seq == 0)
}

/// The ledgers that mails show, by game, each as a file; or why one cannot be put together.
pub fn ledgers(shown: &[Vec<Shown>]) -> BTreeMap<String, Result<String, String>> {
    let mut games: BTreeMap<String, Parts> = BTreeMap::new();
    for mail in shown {
        // lines name no game: the head below them does
        let mut lines = Vec::new();
        for one in mail {
            match one {
                Shown::Line(line) => lines.push(line.clone()),
                Shown::Head(head) => {
                    let parts = games.entry(head.gid.clone()).or_default();
                    lines.drain(..).for_each(|line| parts.line(line));
                    parts.head(head);
                }
            }
        }
    }
    let files = games.into_iter().map(|(gid, parts)| (gid, parts.file()));
    files.collect()
}

/// What was found of one ledger.
#[derive(Default)]
struct Parts {
    lines: BTreeMap<u64, String>,
    heads: BTreeMap<u64, String>,
    twice: Option<u64>,
}

impl Parts {
    fn line(&mut self, line: String) {
        let Ok(entry) = Entry::parse(&line) else {
            return;
        };
        let before = self.lines.insert(entry.seq, line.clone());
        if before.is_some_and(|b| b != line) {
            self.twice.get_or_insert(entry.seq);
        }
    }
    fn head(&mut self, head: &Head) {
        let text = head.text();
        let before = self.heads.insert(head.seq, text.clone());
        if before.is_some_and(|b| b != text) {
            self.twice.get_or_insert(head.seq);
        }
    }
    /// All lines up to the last head.
    fn file(self) -> Result<String, String> {
        if let Some(seq) = self.twice {
            return Err(format!(
                "two mails differ about entry {seq}: one of them is forged, or the referee showed two ledgers"
            ));
        }
        let last = self.heads.keys().next_back().copied().unwrap_or(0);
        let mut out = String::new();
        for seq in 0..=last {
            let line = self.lines.get(&seq).ok_or_else(|| {
                let next = self.lines.range(seq..).next().map_or(last, |(n, _)| n - 1);
                format!("entries {seq} to {next} stand in none of these mails; write  export  to the referee")
            })?;
            for text in [Some(line), self.heads.get(&seq)].into_iter().flatten() {
                out.push_str(text);
                out.push('\n');
            }
        }
        Ok(out)
    }
}
