//! Rows of the rules: chess beside a peer, Hydra with full hands, and steps a second of every game.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::Failure;
use super::{Row, meter, millis};
use crate::cli::demo::player;
use crate::referee::chance::Chance;
use crate::rules::{NoDice, Options, Rulebook, Shelf, Table, What};

/// Depth of the chess row, and how many positions lie there (every perft table has it).
const PERFT: (u32, u64) = (5, 4_865_609);
/// Programs that speak UCI and know `go perft`, the first found is the peer.
const PEERS: [&str; 4] = [
    "fairy-stockfish",
    "/usr/games/fairy-stockfish",
    "stockfish",
    "/usr/games/stockfish",
];
/// Each game is counted for so long at least.
const COUNT_FOR: Duration = Duration::from_millis(300);
/// Boards from this many squares on are large.
const LARGE_SQUARES: usize = 128;
/// Steps a second that large boards must reach.
const LARGE_RATE: f64 = 5e6;
/// A middle game with drops, each side at its last king, so that every step is tested for its safety.
pub const HYDRA: &str = include_str!("hydra.json");

fn start(book: &Arc<Rulebook>) -> Result<Table, Failure> {
    let (table, _) = Table::begin(book, &Options::new(), &mut NoDice)
        .map_err(|e| Failure::new(e.to_string()))?;
    Ok(table)
}

/// Runs the work until it took long enough; answers the processor time of one run.
fn timed<T>(least: Duration, mut work: impl FnMut() -> T) -> (T, Duration) {
    let (before, begin) = (meter::cpu_of_thread(), Instant::now());
    let mut runs = 1;
    let done = loop {
        let done = work();
        if begin.elapsed() >= least {
            break done;
        }
        runs += 1;
    };
    let took = match (before, meter::cpu_of_thread()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => begin.elapsed(),
    };
    (done, took / runs)
}

/// Chess, five steps deep, beside a peer on the same machine.
pub fn chess(peer: Option<&str>) -> Result<Row, Failure> {
    let shelf = Shelf::builtin();
    let table = start(&super::super::games::find(&shelf, "chess")?)?;
    let (depth, right) = PERFT;
    let mut own = Duration::MAX;
    for _ in 0..3 {
        let (count, took) = timed(Duration::ZERO, || table.perft(depth));
        if count != right {
            return Err(Failure::new(format!(
                "perft({depth}) of chess is {right}, not {count}"
            )));
        }
        own = own.min(took);
    }
    let peers: Vec<&str> = peer.map_or(PEERS.to_vec(), |p| vec![p]);
    let found = peers.iter().find_map(|p| ask(p, depth, right));
    let rate = right as f64 / own.as_secs_f64() / 1e6;
    Ok(Row {
        key: "perft",
        what: format!("chess perft({depth}) from the start"),
        yardstick: match &found {
            Some((name, took)) => format!("{name}, `go perft {depth}`: {}", millis(*took)),
            None => {
                "Fairy-Stockfish, `go perft 5`: not installed here (`--peer PROGRAM`)".to_owned()
            }
        },
        target: "within 3 times".to_owned(),
        measured: match &found {
            Some((_, took)) => format!(
                "{}, {:.1} times",
                millis(own),
                own.as_secs_f64() / took.as_secs_f64()
            ),
            None => millis(own),
        },
        met: found.as_ref().map(|(_, took)| own <= *took * 3),
        note: format!("{rate:.0} million positions a second; both count the last step by its list"),
        figure: Some(own.as_secs_f64() * 1e3),
    })
}

/// The processor time that a peer needs from the question to the answer; the best of three.
fn ask(program: &str, depth: u32, right: u64) -> Option<(String, Duration)> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let process = child.id().to_string();
    let mut to = child.stdin.take()?;
    let mut from = BufReader::new(child.stdout.take()?)
        .lines()
        .map_while(Result::ok);
    let mut talk = || -> Option<(String, Duration)> {
        writeln!(to, "uci").ok()?;
        let name = from
            .by_ref()
            .take_while(|l| l != "uciok")
            .find_map(|l| l.strip_prefix("id name ").map(str::to_owned))?;
        let mut best = Duration::MAX;
        for _ in 0..3 {
            writeln!(to, "position startpos\nisready").ok()?;
            from.by_ref().find(|l| l == "readyok")?;
            let (before, start) = (meter::cpu_of(&process), Instant::now());
            writeln!(to, "go perft {depth}").ok()?;
            let answer = from.by_ref().find(|l| l.starts_with("Nodes searched"))?;
            let took = match (before, meter::cpu_of(&process)) {
                (Some(before), Some(after)) => after.saturating_sub(before),
                _ => start.elapsed(),
            };
            best = best.min(took);
            if answer.rsplit(' ').next()?.parse() != Ok(right) {
                return None;
            }
        }
        writeln!(to, "quit").ok()?;
        Some((name, best))
    };
    let answer = talk();
    drop(to);
    if answer.is_none() {
        let _ = child.kill();
    }
    let _ = child.wait();
    answer
}

/// All legal steps of a Hydra middle game with hands full of drops.
pub fn hydra() -> Result<Row, Failure> {
    let shelf = Shelf::builtin();
    let book = super::super::games::find(&shelf, "hydra")?;
    let position = serde_json::from_str(HYDRA).map_err(|e| Failure::new(e.to_string()))?;
    let table = Table::arrange(&book, &Options::new(), &position)
        .map_err(|e| Failure::new(e.to_string()))?;
    let (count, took) = timed(COUNT_FOR, || table.steps_exactly(1));
    Ok(Row {
        key: "hydra",
        what: format!("Hydra: all {count} legal steps of a middle game with drops"),
        yardstick: "-".to_owned(),
        target: "below 1 ms".to_owned(),
        measured: millis(took),
        met: Some(took < Duration::from_millis(1)),
        note: String::new(),
        figure: Some(took.as_secs_f64() * 1e3),
    })
}

/// Legal steps a second that each game's generator makes.
pub fn all() -> Result<Vec<Row>, Failure> {
    let shelf = Shelf::builtin();
    let mut rows = Vec::new();
    for book in shelf.books() {
        let tables = positions(book)?;
        let (count, took) = timed(COUNT_FOR / 4, || generated(&tables));
        let rate = count as f64 / took.as_secs_f64();
        let large = tables[0].kit().squares() >= LARGE_SQUARES;
        rows.push(Row {
            key: "steps",
            what: format!("steps generated: {}", book.id),
            yardstick: "-".to_owned(),
            target: if large {
                "at least 5 million a second".to_owned()
            } else {
                "-".to_owned()
            },
            measured: format!("{:.1} million a second", rate / 1e6),
            met: large.then_some(rate >= LARGE_RATE),
            note: match tables.len() {
                1 => String::new(),
                n => format!("{n} positions of a game by lot, cards and dice settled"),
            },
            figure: Some(rate),
        });
    }
    Ok(rows)
}

/// Positions of a game that does not begin with a turn.
const POSITIONS: usize = 8;
/// Turns played from one to the next.
const APART: usize = 5;
/// Answers after which a game that reached fewer is given up.
const ANSWERS_MAX: usize = 400;

/// Where a game is measured: at its start, or where cards or dice come before each turn in positions of a game by lot, all of
/// them waiting for a turn with steps to choose from.
pub fn positions(book: &Arc<Rulebook>) -> Result<Vec<Table>, Failure> {
    let mut chance = Chance::new(&[7; 32]);
    let begun = Table::begin(book, &Options::new(), &mut chance);
    let (mut table, _) = begun.map_err(|e| Failure::new(e.to_string()))?;
    let ready = |table: &Table| {
        let asks = table.asks();
        asks.iter().any(|a| a.what == What::Turn) && generated(std::slice::from_ref(table)) > 0
    };
    if ready(&table) {
        return Ok(vec![table]);
    }
    let (mut found, mut turns) = (Vec::new(), 0);
    for wander in 0..ANSWERS_MAX {
        let Some(ask) = table.asks().into_iter().next() else {
            break;
        };
        if ask.what == What::Turn {
            if turns % APART == 0 && ready(&table) {
                found.push(table.clone());
            }
            turns += 1;
        }
        if found.len() == POSITIONS {
            return Ok(found);
        }
        // both choose the same card, so that there is one more man
        let choice = if ask.what == What::Pick { 0 } else { wander };
        let Some(text) = player::answer(&table, ask.seat, ask.what, choice) else {
            break;
        };
        let next = table.act(ask.seat, &text, &mut chance);
        table = next.map_err(|e| Failure::new(e.to_string()))?.0;
    }
    match found.is_empty() {
        true => Err(Failure::new(format!("`{}` never came to a turn", book.id))),
        false => Ok(found),
    }
}

/// Steps of all positions: of the first turn's first two steps, of the first two turns where a turn is one step, or of the one
/// step behind which a card or a die comes.
pub fn generated(tables: &[Table]) -> u64 {
    let count = |table: &Table| match table.steps_exactly(2) {
        0 => match table.perft(2) {
            0 => table.steps_exactly(1),
            two => two,
        },
        two => two,
    };
    tables.iter().map(count).sum()
}
