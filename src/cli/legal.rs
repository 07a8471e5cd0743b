//! `tulpa legal GAME`: the legal steps, one canonical text a line, sorted.

use std::io::Write;
use std::path::PathBuf;

use super::{Common, Done, games};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Game id
    game: String,
    /// Position at the end of this record
    #[arg(long, value_name = "FILE")]
    after: Option<PathBuf>,
    /// Array to start from
    #[arg(long, conflicts_with = "after")]
    array: Option<String>,
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    let table = games::table(common, &a.game, a.array.as_deref(), a.after.as_deref())?;
    let mut texts: Vec<String> = table
        .asks()
        .into_iter()
        .flat_map(|ask| table.choices(ask.seat, ask.what))
        .collect();
    texts.sort();
    texts.dedup();
    for text in texts {
        writeln!(out, "{text}")?;
    }
    Ok(())
}
