//! `tulpa seed`: a player's helper for a seed of the dice that nobody can choose against (trust.md 3).

use std::io::Write;
use std::path::PathBuf;

use super::pick::{keep, known_gid, opening};
use super::{Done, Failure};
use crate::edge::entropy::fresh;
use crate::fair::entropy::seed_commitment;
use crate::fair::line::{hex, number, unhash};
use crate::fair::verify::SEATS_MAX;

#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("deed").required(true))]
pub struct Arguments {
    /// Seal a secret seed; keeps it in a file and prints the line to mail before the game begins
    #[arg(long, group = "deed", num_args = 2, value_names = ["GID", "PLACE"])]
    commit: Option<Vec<String>>,
    /// Print the line that opens the seed in such a file
    #[arg(long, group = "deed", value_name = "FILE")]
    open: Option<PathBuf>,
    /// Where to keep it [default: seed-GID-PLACE.txt here]
    #[arg(long, value_name = "FILE", requires = "commit")]
    keep: Option<PathBuf>,
}

pub fn run(a: &Arguments, out: &mut dyn Write) -> Done {
    if let Some(file) = &a.open {
        writeln!(out, "{}", opening(file, opens, "seed", "seed")?)?;
        eprintln!(
            "do not send it before the signed lines of a mail show a seed or a seal for every other place"
        );
        return Ok(());
    }
    let Some([gid, place]) = a.commit.as_deref() else {
        return Ok(());
    };
    known_gid(gid)?;
    let place = number(place)
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| (1..=SEATS_MAX).contains(n))
        .ok_or_else(|| {
            Failure::new(format!("`{place}` is no place"))
                .hint("1 is the player who opened the game; your first mail names yours")
        })?;
    let seed = fresh()?;
    let default = PathBuf::from(format!("seed-{gid}-{place}.txt"));
    let file = a.keep.clone().unwrap_or(default);
    let (c, s) = (hex(&seed_commitment(gid, place, &seed)), hex(&seed));
    let text = format!(
        "game {gid}, place {place}: keep this secret until the referee asks for it, then mail\nseed open {s}\ncommitment {c}\n"
    );
    // Kept before it is told: a seed that is lost ends the game before it began.
    keep(&file, &text)?;
    writeln!(out, "seed commit {c}")?;
    Ok(())
}

fn opens(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    matches!(words[..], ["seed", "open", seed] if unhash(seed).is_some())
}
