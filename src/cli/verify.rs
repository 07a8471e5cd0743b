//! `tulpa verify FILE`: one line for each thing that does not hold; silent about the referee's word, it takes none.

pub mod rules;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::{Common, Done, Failure, games};
use crate::fair::fold::{Shown, find};
use crate::fair::head::Head;
use crate::fair::line::{Hash, hex, unhash};
use crate::fair::verify::{FILE_BYTES_MAX, verify};
use crate::post::letter::{LETTER_BYTES_MAX, Limits, open};

/// The other verifier, in another language by other hands.
pub const SCRIPT: &str = include_str!("../../templates/verify.py");
/// Largest mailbox that is read, bytes.
const MBOX_BYTES_MAX: u64 = 1 << 30;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The ledger, as `export --as ledger` gives it; `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "script")]
    file: Option<PathBuf>,
    /// The referee's public key, from your first mail
    #[arg(long, value_name = "HEX")]
    key: Option<String>,
    /// Your own mailbox (mbox file or Maildir): every signed head in it must stand in the ledger
    #[arg(long, value_name = "MBOX")]
    mbox: Option<PathBuf>,
    /// Play the game again: each roll, pick, pass and result must be the one the rules ask for
    #[arg(long)]
    rules: bool,
    /// Print verify.py, a second verifier for any Python from 3.6
    #[arg(long, conflicts_with_all = ["file", "key", "mbox", "rules"])]
    script: bool,
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    if a.script {
        out.write_all(SCRIPT.as_bytes())?;
        return Ok(());
    }
    let file = a.file.clone().unwrap_or_default();
    let name = file.display();
    let key = a.key.as_deref().map(key).transpose()?;
    let report = verify(&read(&file)?, key.as_ref());
    let mut bad = report.findings.len();
    for finding in &report.findings {
        match finding.line {
            0 => writeln!(out, "{name}: {}", finding.fault)?,
            line => writeln!(out, "{name}:{line}: {}", finding.fault)?,
        }
    }
    let mut heads = 0;
    if let Some(mbox) = &a.mbox {
        for head in heads_of(mbox)? {
            let ours = report.game.as_ref().is_some_and(|g| g.gid == head.gid);
            heads += usize::from(ours);
            if let Err(fault) = report.holds(&head) {
                bad += 1;
                writeln!(out, "{}: {fault}", mbox.display())?;
            }
        }
    }
    // A ledger that does not hold is not played again.
    if a.rules
        && bad == 0
        && let Err((line, what)) = rules::replay(&games::shelf(common)?, &report)
    {
        bad += 1;
        writeln!(out, "{name}:{line}: {what}")?;
    }
    if bad > 0 {
        return Err(Failure::told());
    }
    if let (Some(game), Some(last)) = (&report.game, report.links.last()) {
        let count = report.entries.len();
        writeln!(
            out,
            "{name}: game {}, {count} entries, head {}: all holds",
            game.gid,
            hex(last)
        )?;
        if a.mbox.is_some() {
            writeln!(out, "{name}: {heads} heads of your mailbox stand in it")?;
        }
        if key.is_none() {
            writeln!(
                out,
                "{name}: signed with {}: compare with your first mail",
                hex(&game.key)
            )?;
        }
    }
    Ok(())
}

fn key(text: &str) -> Result<Hash, Failure> {
    unhash(&text.trim().to_ascii_lowercase()).ok_or_else(|| {
        Failure::new(format!("`{text}` is no key"))
            .hint("64 hex digits, after `key=` in the first lines of your first mail")
    })
}

fn read(file: &Path) -> Result<String, Failure> {
    let told = |e: std::io::Error| Failure::new(format!("{}: {e}", file.display()));
    let most = FILE_BYTES_MAX as u64 + 1;
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(told)?;
    } else {
        let file = std::fs::File::open(file).map_err(told)?;
        file.take(most).read_to_end(&mut bytes).map_err(told)?;
    }
    // What is not UTF-8 becomes marks that are not ASCII, and is refused as such.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Every signed head in an mbox file or a Maildir.
fn heads_of(mbox: &Path) -> Result<Vec<Head>, Failure> {
    let told = |e: std::io::Error| Failure::new(format!("{}: {e}", mbox.display()));
    let mut heads = Vec::new();
    if !mbox.is_dir() {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(mbox).map_err(told)?;
        file.take(MBOX_BYTES_MAX)
            .read_to_end(&mut bytes)
            .map_err(told)?;
        mails(&bytes)
            .into_iter()
            .for_each(|mail| add_heads(mail, &mut heads));
        return Ok(heads);
    }
    for sub in ["cur", "new", "."] {
        let Ok(entries) = std::fs::read_dir(mbox.join(sub)) else {
            continue;
        };
        for entry in entries {
            let path = entry.map_err(told)?.path();
            if path.is_file() {
                let file = std::fs::File::open(&path).map_err(told)?;
                let mut bytes = Vec::new();
                file.take(LETTER_BYTES_MAX as u64)
                    .read_to_end(&mut bytes)
                    .map_err(told)?;
                add_heads(&bytes, &mut heads);
            }
        }
    }
    Ok(heads)
}

/// The mails of an mbox file: each begins with a line `From `, an empty line before it.
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

fn add_heads(mail: &[u8], heads: &mut Vec<Head>) {
    let Ok(letter) = open(mail, &Limits::default()) else {
        return;
    };
    for shown in find(&letter.text) {
        if let Shown::Head(head) = shown
            && !heads.contains(&head)
        {
            heads.push(head);
        }
    }
}
