//! `tulpa verify FILE`: one line for each thing that does not hold; silent about the referee's word, it takes none.

mod mails;
pub mod rules;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::{Common, Done, Failure, games};
use crate::fair::fold::find;
use crate::fair::head::Head;
use crate::fair::line::{Hash, hex, unhash};
use crate::fair::verify::{FILE_BYTES_MAX, verify};

pub use crate::post::help::VERIFY_SCRIPT as SCRIPT;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The ledger, as `export` gives it, or your own mails (mbox file, Maildir, their last lines); `-` for standard input
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
    let key = a.key.as_deref().map(key).transpose()?;
    let own = a.mbox.as_deref().map(mails::shown_of).transpose()?;
    let heads = own.as_deref().map(mails::heads);
    let check = Check {
        common,
        a,
        key,
        heads,
    };
    let name = file.display().to_string();
    let text = if file.is_dir() {
        String::new()
    } else {
        read(&file)?
    };
    if mails::is_ledger(&text) {
        return if check.one(&name, &text, out)? {
            Ok(())
        } else {
            Err(Failure::told())
        };
    }
    // mails in a mailbox, or their lines alone
    let mut shown = if file.as_os_str() == "-" {
        Vec::new()
    } else {
        mails::shown_of(&file)?
    };
    if shown.iter().all(Vec::is_empty) {
        shown = vec![find(&text)];
    }
    let ledgers = mails::ledgers(&shown);
    if ledgers.is_empty() {
        // what is wrong with it as a ledger
        check.one(&name, &text, out)?;
        return Err(Failure::told());
    }
    let mut good = true;
    for (gid, ledger) in ledgers {
        let name = format!("{name}, game {gid}");
        good &= match ledger {
            Ok(text) => check.one(&name, &text, out)?,
            Err(why) => {
                writeln!(out, "{name}: {why}")?;
                false
            }
        };
    }
    if good { Ok(()) } else { Err(Failure::told()) }
}

/// What a ledger is checked by.
struct Check<'a> {
    common: &'a Common,
    a: &'a Arguments,
    key: Option<Hash>,
    heads: Option<Vec<Head>>,
}

impl Check<'_> {
    /// One ledger; false where something does not hold, which is told.
    fn one(&self, name: &str, text: &str, out: &mut dyn Write) -> Result<bool, Failure> {
        let report = verify(text, self.key.as_ref());
        let mut bad = report.findings.len();
        for finding in &report.findings {
            match finding.line {
                0 => writeln!(out, "{name}: {}", finding.fault)?,
                line => writeln!(out, "{name}:{line}: {}", finding.fault)?,
            }
        }
        let mbox = self.a.mbox.as_deref().unwrap_or(Path::new(""));
        let mut heads = 0;
        for head in self.heads.iter().flatten() {
            let ours = report.game.as_ref().is_some_and(|g| g.gid == head.gid);
            heads += usize::from(ours);
            if let Err(fault) = report.holds(head) {
                bad += 1;
                writeln!(out, "{}: {fault}", mbox.display())?;
            }
        }
        // A ledger that does not hold is not played again.
        if self.a.rules
            && bad == 0
            && let Err((line, what)) = rules::replay(&games::shelf(self.common)?, &report)
        {
            bad += 1;
            writeln!(out, "{name}:{line}: {what}")?;
        }
        let (Some(game), Some(last)) = (&report.game, report.links.last()) else {
            return Ok(false);
        };
        if bad > 0 {
            return Ok(false);
        }
        let count = report.entries.len();
        writeln!(
            out,
            "{name}: game {}, {count} entries, head {}: all holds",
            game.gid,
            hex(last)
        )?;
        if self.heads.is_some() {
            writeln!(out, "{name}: {heads} heads of your mailbox stand in it")?;
        }
        if self.key.is_none() {
            writeln!(
                out,
                "{name}: signed with {}: compare with your first mail",
                hex(&game.key)
            )?;
        }
        Ok(true)
    }
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
