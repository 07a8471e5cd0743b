//! `tulpa pick`: a player's helper for a card that not even the referee can read before it is opened (trust.md 4).

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::{Done, Failure, games};
use crate::edge::entropy::fresh;
use crate::fair::line::{hex, is_gid, number, unhash};
use crate::fair::seal::{commitment, is_card};

#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("deed").required(true))]
pub struct Arguments {
    /// Commit to a card; keeps it with its nonce in a file and prints the line to mail
    #[arg(long, group = "deed", num_args = 4, value_names = ["GID", "TURN", "SEAT", "CARD"])]
    commit: Option<Vec<String>>,
    /// Print the line that opens the card in such a file
    #[arg(long, group = "deed", value_name = "FILE")]
    open: Option<PathBuf>,
    /// Where to keep it [default: pick-GID-TURN-SEAT.txt here]
    #[arg(long, value_name = "FILE", requires = "commit")]
    keep: Option<PathBuf>,
}

pub fn run(a: &Arguments, out: &mut dyn Write) -> Done {
    if let Some(file) = &a.open {
        writeln!(out, "{}", opening(file, opens, "card", "pick")?)?;
        return Ok(());
    }
    let Some([gid, turn, seat, card]) = a.commit.as_deref() else {
        return Ok(());
    };
    let number = |what: &str, text: &str| {
        let n = number(text)
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| *n > 0);
        n.ok_or_else(|| Failure::new(format!("`{text}` is no {what}")))
    };
    known_gid(gid)?;
    let (turn, seat) = (number("turn", turn)?, number("seat", seat)?);
    let card = card.to_ascii_lowercase();
    if !is_card(&card) {
        return Err(Failure::new(format!("`{card}` is no card")));
    }
    let nonce = hex(&fresh()?);
    let default = PathBuf::from(format!("pick-{gid}-{turn}-{seat}.txt"));
    let file = a.keep.clone().unwrap_or(default);
    let c = commitment(gid, turn, seat, &card, &nonce);
    let text = format!(
        "game {gid}, turn {turn}, seat {seat}: keep this secret until the referee asks for it, then mail\npick open {card} {nonce}\ncommitment {c}\n"
    );
    // Kept before it is told: a commitment whose nonce is lost is a pick thrown away.
    keep(&file, &text)?;
    writeln!(out, "pick commit {c}")?;
    Ok(())
}

/// The line of a kept file that opens what was sealed.
pub(super) fn opening(
    file: &Path,
    opens: fn(&str) -> bool,
    what: &str,
    command: &str,
) -> Result<String, Failure> {
    let text = games::read_text(file)?;
    let line = text.lines().find(|l| opens(l)).ok_or_else(|| {
        Failure::new(format!("{}: there is no {what} in it", file.display())).hint(format!(
            "give the file that `tulpa {command} --commit` wrote"
        ))
    })?;
    Ok(line.to_owned())
}

/// Is it the public id of a game?
pub(super) fn known_gid(gid: &str) -> Done {
    if is_gid(gid) {
        return Ok(());
    }
    Err(Failure::new(format!("`{gid}` is no public id of a game"))
        .hint("ten letters and digits, after `id=` in the first lines of your first mail"))
}

/// Writes a secret into a new file that only its owner can read.
pub(super) fn keep(file: &Path, text: &str) -> Done {
    let told = |e: std::io::Error| {
        Failure::new(format!("{}: {e}", file.display()))
            .hint("an older secret may lie there: give another file with --keep")
    };
    let mut kept = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .map_err(told)?;
    kept.write_all(text.as_bytes())
        .and_then(|()| kept.sync_all())
        .map_err(told)
}

fn opens(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    matches!(words[..], ["pick", "open", card, nonce] if is_card(card) && unhash(nonce).is_some())
}
