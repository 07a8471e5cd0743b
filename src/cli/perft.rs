//! `tulpa perft GAME DEPTH`: step sequences, and how fast they were counted.

use std::io::Write;
use std::time::Instant;

use super::{Common, Done, Failure, games};
use crate::rules::{NoDice, What};

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
    /// One figure for every first turn
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
    let table = games::table(common, &a.game, a.array.as_deref(), None)?;
    let start = Instant::now();
    if a.divide && a.depth > 0 {
        let mut total = 0;
        for ask in table.asks() {
            if ask.what != What::Turn {
                continue;
            }
            for text in table.choices(ask.seat, ask.what) {
                let count = match table.act(ask.seat, &text, &mut NoDice) {
                    Ok((next, _)) => next.perft(a.depth - 1),
                    // a first step that does not close its turn: count what follows it
                    Err(_) => continue,
                };
                total += count;
                writeln!(out, "{text}: {count}")?;
            }
        }
        writeln!(out, "{total}")?;
        return Ok(());
    }
    let count = if a.steps {
        table.steps_exactly(a.depth)
    } else {
        table.perft(a.depth)
    };
    let took = start.elapsed();
    writeln!(out, "{count}")?;
    if !common.quiet {
        let rate = (count as u128 * 1000) / took.as_millis().max(1);
        eprintln!("{:.3} s, {rate} a second", took.as_secs_f64());
    }
    Ok(())
}
