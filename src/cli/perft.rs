//! `tulpa perft GAME DEPTH`: step sequences, and how fast they were counted.

use std::io::Write;
use std::time::Instant;

use super::{Common, Done, Failure, games};
use crate::rules::families::{Family, chaturaji::SIDES};
use crate::rules::{Options, Table};

/// Deepest count that is taken seriously.
const DEPTH_MAX: u32 = 20;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Game id
    game: String,
    /// Turns to look ahead
    depth: u32,
    /// Array to start from
    #[arg(long)]
    array: Option<String>,
    /// One figure for every first step
    #[arg(long)]
    divide: bool,
    /// Count lists of exactly DEPTH steps within the first turn instead
    #[arg(long, conflicts_with = "divide")]
    steps: bool,
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    if a.depth > DEPTH_MAX {
        return Err(
            Failure::new(format!("a depth of {} would outlast us all", a.depth))
                .hint(format!("at most {DEPTH_MAX}")),
        );
    }
    let (_, book) = games::open(common, &a.game)?;
    let mut options = Options::new();
    if let Some(array) = &a.array {
        options.insert("array".to_owned(), array.clone());
    }
    // Without dice and cards, which nobody has thrown or picked yet.
    let table = |position: serde_json::Value| {
        Table::arrange(&book, &options, &position)
            .map_err(|e| Failure::new(e.what).hint(e.hint.unwrap_or_default()))
    };
    if matches!(book.family, Family::Chaturaji(_)) {
        if a.depth != 1 {
            return Err(Failure::new(
                "what follows the first turn hangs on dice that have not fallen",
            )
            .hint("depth 1 counts the first steps of each value of a die"));
        }
        for value in 1..=SIDES {
            let dice = serde_json::json!({"dice": {"green": [value, value]}});
            writeln!(out, "die{value}: {}", table(dice)?.steps_exactly(1))?;
        }
        return Ok(());
    }
    let table = table(serde_json::json!({}))?;
    let start = Instant::now();
    let count = if a.divide && a.depth > 0 {
        let mut total = 0;
        for (text, count) in table.divide(a.depth) {
            total += count;
            writeln!(out, "{text}: {count}")?;
        }
        total
    } else if a.steps {
        table.steps_exactly(a.depth)
    } else {
        table.perft(a.depth)
    };
    let took = start.elapsed();
    writeln!(out, "{count}")?;
    if !common.quiet {
        let rate = u128::from(count) * 1_000_000 / took.as_micros().max(1);
        eprintln!("{:.3} s, {rate} steps a second", took.as_secs_f64());
    }
    Ok(())
}
