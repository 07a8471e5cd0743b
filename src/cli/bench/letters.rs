//! Rows of letters: in process, as a cold `receive`, one durable turn at a time, a full mailbox, and growth.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::Failure;
use super::club::{CHESS, Club, Pile, arrived};
use super::meter::{self, Used};
use super::{Row, micros, millis, per_second};
use crate::daemon::Daemon;
use crate::edge::maildir::MaildirInbox;
use crate::store::Opening;

/// Letters of the row "in process".
const WARM: u32 = 2000;
/// Letters of each cold row; the kernel counts children in steps of 10 ms.
const COLD: u32 = 60;
/// Durable turns, in turn with as many of the yardstick.
const DURABLE: u32 = 600;
/// Turns between two changes of the two.
const DURABLE_STRETCH: usize = 30;
/// Matches that play at each size of the growth row, and turns that each plays.
const GROWTH_MATCHES: u32 = 100;
const GROWTH_TURNS: u32 = 5;

fn each(used: Duration, count: u32) -> Duration {
    used / count.max(1)
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Letter in -> checked turn -> mail queued, in process, syncs shared.
pub fn in_process(club: &mut Club) -> Result<Row, Failure> {
    let mut daemon = club.open(Opening::Careful)?;
    let mut decide = Duration::ZERO;
    let mut all = Used::default();
    for _ in 0..2 {
        let letters = club.letters(WARM / 2)?;
        let mut pile = Pile::of(&letters)?;
        // reading, judging and writing alone, nothing kept
        let (done, used) = meter::used(|| -> Result<(), Failure> {
            for letter in pile.letters.iter().take(letters.len() / 2) {
                daemon.rehearse(letter, daemon.clock.now(), &[7; 32])?;
            }
            Ok(())
        });
        done?;
        decide += used.cpu * 2;
        let (done, used) = meter::used(|| -> Result<(), Failure> {
            while !pile.letters.is_empty() {
                daemon.letters(&mut pile)?;
            }
            Ok(())
        });
        done?;
        settled(pile.done, letters.len())?;
        all.cpu += used.cpu;
        all.wall += used.wall;
    }
    all_turns(&daemon, WARM as usize)?;
    daemon.close()?;
    let cpu = each(all.cpu, WARM);
    Ok(Row {
        key: "in-process",
        what: "letter in -> checked turn -> mail queued, in process, syncs shared".to_owned(),
        yardstick: "a Python referee on python-chess: 1.5 to 3.1 ms (given)".to_owned(),
        target: "below 0.15 ms of CPU".to_owned(),
        measured: format!("{} of CPU", millis(cpu)),
        met: Some(cpu < Duration::from_micros(150)),
        note: format!(
            "{} of it reading, judging and writing the mail; {} wall",
            millis(each(decide, WARM)),
            millis(each(all.wall, WARM))
        ),
        figure: Some(cpu.as_secs_f64() * 1e3),
    })
}

fn settled(done: usize, letters: usize) -> Result<(), Failure> {
    if done == letters {
        Ok(())
    } else {
        Err(Failure::new(format!("{done} of {letters} letters settled")))
    }
}

/// Was each letter a turn? A refusal or a letter that came twice is cheaper, and would be measured in its place.
fn all_turns(daemon: &Daemon, letters: usize) -> Result<(), Failure> {
    match daemon.turns() {
        turns if turns == letters => Ok(()),
        turns => Err(Failure::new(format!(
            "{turns} of {letters} letters were turns"
        ))),
    }
}

/// Hands each letter to a `receive` of its own; processor time and wall time of one.
fn receive(club: &Club, letters: &[String]) -> Result<(Option<Duration>, Duration), Failure> {
    let program = std::env::current_exe()?;
    let before = meter::children();
    let start = Instant::now();
    for letter in letters {
        let mut child = Command::new(&program)
            .arg("receive")
            .arg("-c")
            .arg(club.config_file())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(letter.as_bytes())?;
        }
        let status = child.wait()?;
        if !status.success() {
            return Err(Failure::new(format!("`receive` ended with {status}")));
        }
    }
    let wall = each(start.elapsed(), COLD);
    let cpu = match (before, meter::children()) {
        (Some(before), Some(after)) => Some(each(after.saturating_sub(before), COLD)),
        _ => None,
    };
    Ok((cpu, wall))
}

/// One letter by a process of its own, the whole way.
pub fn cold(club: &mut Club, size: &str) -> Result<Row, Failure> {
    let letters = club.letters(COLD)?;
    let (cpu, wall) = receive(club, &letters)?;
    let note = format!("{} wall, syncs and the sent mail included", millis(wall));
    Ok(cold_row(
        &format!("the same as a cold one-shot `receive`, {size}"),
        cpu,
        note,
    ))
}

/// One letter by a process of its own while a referee is at work, who takes it up.
pub fn beside(club: &mut Club) -> Result<Row, Failure> {
    let letters = club.letters(COLD)?;
    let mut daemon = club.open(Opening::Careful)?;
    let (cpu, wall) = receive(club, &letters)?;
    let (left, used) = meter::used(|| daemon.left());
    settled(left?, letters.len())?;
    all_turns(&daemon, letters.len())?;
    daemon.close()?;
    let note = format!(
        "{} wall; the referee at work took them up for {} of CPU each",
        millis(wall),
        millis(each(used.cpu, COLD))
    );
    Ok(cold_row(
        "cold `receive` beside a running referee",
        cpu,
        note,
    ))
}

fn cold_row(what: &str, cpu: Option<Duration>, note: String) -> Row {
    Row {
        key: "cold",
        what: what.to_owned(),
        yardstick: "GalaxyNG 14.9 ms, njudge 11.4 ms of CPU (given)".to_owned(),
        target: "below 3 ms of CPU".to_owned(),
        measured: cpu.map_or("not told by this system".to_owned(), |c| {
            format!("{} of CPU", millis(c))
        }),
        met: cpu.map(|c| c < Duration::from_millis(3)),
        note,
        figure: cpu.map(|c| c.as_secs_f64() * 1e3),
    }
}

/// Turns on the disk one by one, in turn with the bare disk.
pub fn durable(club: &mut Club) -> Result<Row, Failure> {
    let mut daemon = club.open(Opening::Careful)?;
    let letters = club.letters(DURABLE)?;
    let begin = daemon.store().journal_end();
    let bare = club.dir.join("yardstick");
    let mut file = File::create(&bare)?;
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let mut record = vec![0x2e; 8 << 10];
    let mut played = 0;
    for stretch in letters.chunks(DURABLE_STRETCH) {
        let stretch: Vec<_> = stretch
            .iter()
            .map(|l| arrived(l))
            .collect::<Result<_, _>>()?;
        let start = Instant::now();
        for letter in &stretch {
            daemon.letter(letter)?;
        }
        ours += start.elapsed();
        played += stretch.len();
        // the yardstick writes records of the size that ours had so far
        if let Some(written) = daemon.store().journal_end().checked_sub(begin) {
            record.resize((written as usize / played.max(1)).max(1), 0x2e);
        }
        let start = Instant::now();
        for _ in &stretch {
            file.write_all(&record)?;
            file.sync_data()?;
        }
        theirs += start.elapsed();
    }
    all_turns(&daemon, letters.len())?;
    daemon.close()?;
    fs::remove_file(&bare)?;
    let share = ratio(theirs, ours) * 100.0;
    Ok(Row {
        key: "durable",
        what: "durable turns a second, one letter at a time".to_owned(),
        yardstick: format!(
            "append + fdatasync of the same {} bytes in a loop: {} a second",
            record.len(),
            per_second(DURABLE.into(), theirs)
        ),
        target: "at least 80 % of it".to_owned(),
        measured: format!(
            "{} a second, {share:.0} %",
            per_second(DURABLE.into(), ours)
        ),
        met: Some(share >= 80.0),
        note: String::new(),
        figure: Some(share),
    })
}

/// A mailbox as it is after a holiday.
pub fn mailbox(club: &mut Club, count: u32) -> Result<Row, Failure> {
    let dir = club.dir.join("mail/holiday");
    let mut inbox = MaildirInbox::open(&dir)?;
    for (i, letter) in club.letters(count)?.iter().enumerate() {
        fs::write(dir.join("new").join(format!("{i:06}.holiday")), letter)?;
    }
    let mut daemon = club.open(Opening::Careful)?;
    let before = meter::resident();
    let (read, used) = meter::used(|| -> Result<usize, Failure> {
        let mut all = 0;
        loop {
            match daemon.letters(&mut inbox)? {
                0 => return Ok(all),
                more => all += more,
            }
        }
    });
    settled(read?, count as usize)?;
    let grown = match (before, meter::resident()) {
        (Some(before), Some(after)) => {
            format!("; resident memory {} -> {} MiB", before >> 20, after >> 20)
        }
        _ => String::new(),
    };
    all_turns(&daemon, count as usize)?;
    daemon.close()?;
    fs::remove_dir_all(&dir)?;
    let rate = f64::from(count) / used.cpu.as_secs_f64();
    Ok(Row {
        key: "mailbox",
        what: format!("a mailbox of {count} letters, read, judged, kept, marked as done"),
        yardstick: "-".to_owned(),
        target: "CPU-bound: at least 5000 letters a second and core".to_owned(),
        measured: format!("{rate:.0} a second and core"),
        met: Some(rate >= 5000.0),
        note: format!(
            "{} wall, {} CPU{grown}",
            millis(used.wall),
            millis(used.cpu)
        ),
        figure: Some(rate),
    })
}

/// What a fresh process finds: how long it starts, how much memory it holds, what a turn costs.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Probe {
    pub start: Duration,
    pub turn: Duration,
    pub resident: u64,
}

/// Opens the club's state in this process and plays the letters of a directory.
pub fn probe(config: &Path, letters: &Path) -> Result<Probe, Failure> {
    let config = crate::config::Config::load(config)?;
    let mut inbox = MaildirInbox::open(letters)?;
    let clock = crate::edge::clock::Clock::system();
    let start = Instant::now();
    let mut daemon = Daemon::open(&config, clock, Opening::Careful)?;
    let start = start.elapsed();
    let (read, used) = meter::used(|| daemon.letters(&mut inbox));
    let read = read?;
    all_turns(&daemon, read)?;
    settled(read, (GROWTH_MATCHES * GROWTH_TURNS) as usize)?;
    let resident = meter::resident().unwrap_or(0);
    daemon.close()?;
    Ok(Probe {
        start,
        turn: each(used.cpu, GROWTH_MATCHES * GROWTH_TURNS),
        resident,
    })
}

/// The same turns in a small and in a large state.
pub fn growth(small: &mut Club, large: &mut Club, matches: u32) -> Result<Row, Failure> {
    let mut best: [Option<Probe>; 2] = [None, None];
    for _ in 0..3 {
        for (club, best) in [&mut *small, &mut *large].into_iter().zip(&mut best) {
            let found = probe_apart(club)?;
            let better = best.as_ref().is_none_or(|b| found.turn < b.turn);
            let resident = best.as_ref().map_or(0, |b| b.resident).max(found.resident);
            if better {
                *best = Some(found);
            }
            if let Some(best) = best {
                best.resident = resident;
            }
        }
    }
    let [Some(small), Some(large)] = best else {
        return Err(Failure::new("nothing was measured"));
    };
    let times = ratio(large.turn, small.turn);
    let room = (64 << 20) + 100 * u64::from(matches);
    let met = times <= 1.2 && large.start < Duration::from_secs(1) && large.resident < room;
    Ok(Row {
        key: "growth",
        what: format!("growth: 100 matches -> {matches} matches on file"),
        yardstick: "flat".to_owned(),
        target: format!(
            "at most 1.2 times the time a turn; start below 1 s; resident memory below {} MiB",
            room >> 20
        ),
        measured: format!(
            "{times:.2} times; start {}; {} MiB",
            millis(large.start),
            large.resident >> 20
        ),
        met: Some(met),
        note: format!(
            "a turn {} -> {} of CPU; start {} -> {}",
            micros(small.turn),
            micros(large.turn),
            millis(small.start),
            millis(large.start)
        ),
        figure: Some(times),
    })
}

fn probe_apart(club: &mut Club) -> Result<Probe, Failure> {
    let dir = club.dir.join("mail/probe");
    MaildirInbox::open(&dir)?;
    for _ in 0..GROWTH_TURNS {
        for letter in club.letters(GROWTH_MATCHES)? {
            // never a name that was there before: such a letter counts as known
            club.files += 1;
            let name = format!("{:08}.probe", club.files);
            fs::write(dir.join("new").join(name), letter)?;
        }
    }
    let out = Command::new(std::env::current_exe()?)
        .arg("bench")
        .arg("--probe")
        .args([&club.config_file(), &dir])
        .stderr(Stdio::inherit())
        .output()?;
    fs::remove_dir_all(&dir)?;
    serde_json::from_slice(&out.stdout)
        .map_err(|e| Failure::new(format!("the probe did not answer: {e}")))
}

/// Clubs of the rows: a small one, a full one.
pub fn clubs(dir: &Path, large: u32, tick: &dyn Fn(u32)) -> Result<(Club, Club), Failure> {
    Ok((
        Club::found(&dir.join("small"), &CHESS, 100, &|_| {})?,
        Club::found(&dir.join("large"), &CHESS, large, tick)?,
    ))
}
