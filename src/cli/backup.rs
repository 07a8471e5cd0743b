//! `tulpa backup DIR` and `tulpa restore DIR`: a copy of the truth, taken while the referee runs, and the way back.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::run::open;
use super::{Common, Done, Failure};
use crate::daemon::keeper::pause;
use crate::daemon::{self, Trouble};
use crate::store;

#[derive(clap::Args, Debug)]
pub struct BackupArguments {
    /// A new or empty directory
    dir: PathBuf,
    /// The server's key too: with it, and the addresses, anybody can write as any player
    #[arg(long)]
    keys: bool,
}

#[derive(clap::Args, Debug)]
pub struct RestoreArguments {
    /// What `tulpa backup` made
    dir: PathBuf,
}

pub fn backup(common: &Common, a: &BackupArguments, out: &mut dyn Write) -> Done {
    let (config, clock) = open(common)?;
    let key = config.state.join("keys/server");
    let mut extra: Vec<(&str, &Path)> = Vec::new();
    if let Some(file) = &config.file {
        extra.push(("tulpa.ron", file));
    }
    if a.keys {
        extra.push(("keys.server", &key));
    }
    let made = clock.now().to_string();
    let manifest = store::backup(&config.state, &a.dir, &extra, made).map_err(Trouble::from)?;
    writeln!(out, "{} transactions, head {}", manifest.seq, manifest.head)?;
    if !a.keys && !common.quiet {
        writeln!(
            std::io::stderr(),
            "note: `{}` is not in it; keep a copy elsewhere, or say `--keys`",
            key.display()
        )?;
    }
    Ok(())
}

pub fn restore(common: &Common, a: &RestoreArguments, out: &mut dyn Write) -> Done {
    let (config, _) = open(common)?;
    let had_key = config.state.join("keys/server").exists();
    let manifest = store::restore(&a.dir, &config.state).map_err(|e| match e {
        store::StoreError::NotEmpty(dir) => {
            Failure::new(format!("`{}` holds a journal already", dir.display()))
                .hint("move it away first; a restore never writes over one")
        }
        e => Failure::from(Trouble::from(e)),
    })?;
    // before the index, so that nothing starts in between
    pause(&config.state, Some("restored from a backup")).map_err(Trouble::from)?;
    let mut store = daemon::rebuild(&config)?;
    let checked = store.check().map_err(Trouble::from)?;
    store.close().map_err(Trouble::from)?;
    writeln!(
        out,
        "{} transactions, {} rows, as of {}",
        checked.records, checked.rows, manifest.made
    )?;
    writeln!(
        out,
        "the referee stands still until `tulpa keep resume`: turns played after the backup are not in it"
    )?;
    if !manifest.keys && !had_key {
        writeln!(
            std::io::stderr(),
            "note: the backup has no key, so a new one was made: players must answer newer mails, or confirm"
        )?;
    }
    Ok(())
}
