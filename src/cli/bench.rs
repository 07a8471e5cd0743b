//! `tulpa bench`: what the program needs on this machine, beside the yardsticks of the design.
//!
//! Yardsticks that are loops run here, in turn with what they measure, on the same file system. Peers that are other
//! programs are asked when they are installed. Nothing here is a test: figures depend on the machine.

pub mod club;
mod letters;
mod meter;
mod steps;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{Common, Done, Failure};

pub use steps::{HYDRA, generated, positions};

/// Matches of the large state, and of `--full`.
const LARGE: u32 = 10_000;
const FULL: u32 = 1_000_000;
/// Letters of the mailbox row.
const MAILBOX: u32 = 10_000;

/// What to measure, and where.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Measure growth with 1,000,000 matches; takes many minutes and some gigabytes
    #[arg(long)]
    full: bool,
    /// Matches of the large state
    #[arg(long, value_name = "COUNT", conflicts_with = "full",
          value_parser = clap::value_parser!(u32).range(10_000..=5_000_000))]
    matches: Option<u32>,
    /// Only rows of this kind: in-process, cold, durable, mailbox, growth, perft, hydra, steps
    #[arg(long, value_name = "KIND")]
    only: Option<String>,
    /// Program that knows the UCI command `go perft 5` [default: fairy-stockfish or stockfish, if installed]
    #[arg(long, value_name = "PROGRAM")]
    peer: Option<String>,
    /// Where to work; a directory on the disk that is to be measured [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[arg(long, hide = true, num_args = 2)]
    probe: Option<Vec<PathBuf>>,
}

/// One line of the table.
#[derive(Debug, Serialize)]
struct Row {
    /// Kind of row, for `--only`.
    key: &'static str,
    /// What is measured.
    what: String,
    /// What it is compared with, and what that gave.
    yardstick: String,
    /// What is to be reached.
    target: String,
    /// What was reached here.
    measured: String,
    /// Is that enough? Nothing where there is no target, or nothing to compare with.
    met: Option<bool>,
    /// How it comes about.
    note: String,
    /// The bare number: milliseconds, per cent, times or per second, as `measured` says.
    figure: Option<f64>,
}

fn millis(d: Duration) -> String {
    let ms = d.as_secs_f64() * 1e3;
    match ms {
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 1.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.3} ms"),
    }
}

fn micros(d: Duration) -> String {
    format!("{:.0} us", d.as_secs_f64() * 1e6)
}

fn per_second(count: u64, took: Duration) -> u64 {
    (count as f64 / took.as_secs_f64().max(f64::MIN_POSITIVE)) as u64
}

/// Measures and prints.
///
/// # Errors
/// A disk that cannot be written, or a count that is wrong.
pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    if let Some([config, letters]) = a.probe.as_deref() {
        let probe = letters::probe(config, letters)?;
        let json = serde_json::to_string(&probe).map_err(|e| Failure::new(e.to_string()))?;
        writeln!(out, "{json}")?;
        return Ok(());
    }
    let base = a.dir.clone().unwrap_or_else(std::env::temp_dir);
    let dir = base.join(format!("tulpa-bench-{}", std::process::id()));
    let rows = measure(common, a, &dir);
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    let rows = rows?;
    if common.json {
        let json = serde_json::to_string(&rows).map_err(|e| Failure::new(e.to_string()))?;
        writeln!(out, "{json}")?;
        return Ok(());
    }
    for row in &rows {
        print(row, out)?;
    }
    Ok(())
}

fn print(row: &Row, out: &mut dyn Write) -> Done {
    let mark = match row.met {
        Some(true) => "reached",
        Some(false) => "MISSED",
        None => "-",
    };
    if row.key == "steps" {
        writeln!(out, "{:34} {:>24}   {}", row.what, row.measured, mark)?;
        return Ok(());
    }
    writeln!(out, "{}", row.what)?;
    for (name, text) in [
        ("yardstick", &row.yardstick),
        ("to reach", &row.target),
        ("measured", &row.measured),
        ("note", &row.note),
    ] {
        if !text.is_empty() && text != "-" {
            let mark = if name == "measured" { mark } else { "" };
            writeln!(out, "    {name:10} {text}   {mark}")?;
        }
    }
    writeln!(out)?;
    Ok(())
}

fn measure(common: &Common, a: &Arguments, dir: &Path) -> Result<Vec<Row>, Failure> {
    let wants = |key: &str| a.only.as_deref().is_none_or(|only| only == key);
    let start = Instant::now();
    let say = |text: &str| {
        if !common.quiet {
            eprintln!("{:>4} s  {text} ..", start.elapsed().as_secs());
        }
    };
    let mut rows = Vec::new();
    let kinds = ["in-process", "cold", "durable", "mailbox", "growth"];
    if kinds.iter().any(|k| wants(k)) {
        let large = if a.full {
            FULL
        } else {
            a.matches.unwrap_or(LARGE)
        };
        say(&format!("founding a club of {large} matches"));
        let tick = |done: u32| {
            if done.is_multiple_of(100_000) {
                say(&format!("{done} matches"));
            }
        };
        let (mut small, mut full) = letters::clubs(dir, large, &tick)?;
        if wants("in-process") {
            say("letters in process");
            rows.push(letters::in_process(&mut full)?);
        }
        if wants("cold") {
            say("letters, a process each: 100 matches, many matches, beside a referee at work");
            rows.push(letters::cold(&mut small, "100 matches on file")?);
            rows.push(letters::cold(
                &mut full,
                &format!("{large} matches on file"),
            )?);
            rows.push(letters::beside(&mut full)?);
        }
        if wants("durable") {
            say("durable turns");
            rows.push(letters::durable(&mut full)?);
        }
        if wants("mailbox") {
            say(&format!("a mailbox of {MAILBOX} letters"));
            rows.push(letters::mailbox(&mut full, MAILBOX)?);
        }
        if wants("growth") {
            say("growth: the same turns in a small and in a large state, three times");
            rows.push(letters::growth(&mut small, &mut full, large)?);
        }
    }
    if wants("perft") {
        say("perft");
        rows.push(steps::chess(a.peer.as_deref())?);
    }
    if wants("hydra") {
        say("hydra");
        rows.push(steps::hydra()?);
    }
    if wants("steps") {
        say("steps of every game");
        rows.extend(steps::all()?);
    }
    if rows.is_empty() {
        return Err(Failure::new("no such kind of row")
            .hint("kinds: in-process, cold, durable, mailbox, growth, perft, hydra, steps"));
    }
    Ok(rows)
}
