//! `tulpa run`, `tulpa receive`, `tulpa read`, `tulpa rebuild`, `tulpa check`: the referee at work.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{Common, Done, EX_TEMPFAIL, Failure};
use crate::config::{Config, ConfigError};
use crate::daemon::{self, Daemon, Round, Trouble};
use crate::edge::clock::Clock;
use crate::edge::{entropy, incoming, pipe};
use crate::post::reader::Reading;
use crate::referee::order::Order;
use crate::store::{Opening, StoreError};

/// After trouble with the mailbox the daemon waits so long, twice as long each time ..
const BACK_OFF: Duration = Duration::from_secs(5);
/// .. up to this.
const BACK_OFF_MAX: Duration = Duration::from_secs(15 * 60);

/// A referee that stands still looks so often whether it may go on.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// How long a signal waits for the letter or mail under way.
const STOP_WITHIN: Duration = Duration::from_millis(800);

impl From<ConfigError> for Failure {
    fn from(e: ConfigError) -> Failure {
        Failure::of_text(&e.to_string())
    }
}

impl From<Trouble> for Failure {
    fn from(e: Trouble) -> Failure {
        let code = match &e {
            Trouble::Store(StoreError::Busy(_)) => EX_TEMPFAIL,
            _ => super::EXIT_FAILED,
        };
        Failure {
            code,
            ..Failure::of_text(&e.to_string())
        }
    }
}

/// The configuration and the clock that the options name.
pub fn open(common: &Common) -> Result<(Config, Clock), Failure> {
    let config = Config::find(common.config.as_deref())?;
    if let Some(first) = config.check().into_iter().next() {
        return Err(first.into());
    }
    let clock = match common.now {
        None => Clock::system(),
        Some(at) if config.is_rehearsal() => Clock::fixed(at),
        Some(_) => {
            return Err(Failure::new("`--now` needs both transports to be Maildirs")
                .hint("real mail has real times"));
        }
    };
    Ok((config, clock))
}

fn told(round: &Round) -> String {
    let count = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    format!(
        "{} read, {} played, {} sent, {} waiting",
        count(round.letters, "letter"),
        count(round.turns, "turn"),
        count(round.mails, "mail"),
        count(round.waiting, "mail")
    )
}

pub fn run(common: &Common, once: bool, out: &mut dyn Write) -> Done {
    let (config, clock) = open(common)?;
    let daemon = Daemon::open(&config, clock, Opening::Careful)?;
    let mut inbox = config.open_inbox()?;
    let mut carrier = config.open_carrier()?;
    if once {
        let mut daemon = daemon;
        let round = daemon.round(&mut *inbox, &mut *carrier);
        let stopped = daemon.stopped.clone();
        daemon.close()?;
        writeln!(out, "{}", told(&round?))?;
        return match stopped {
            Some(why) => Err(Failure::new(format!("nothing can be sent: {why}"))),
            None => Ok(()),
        };
    }
    // between rounds the signal thread may take the daemon, close it and end the process
    let mut daemon = daemon;
    let stop = Arc::new(AtomicBool::new(false));
    daemon.stop = Arc::clone(&stop);
    let daemon = Arc::new(Mutex::new(Some(daemon)));
    end_on_signal(Arc::clone(&daemon), stop)?;
    let mut trouble = BACK_OFF;
    let mut still = false;
    loop {
        let nap = {
            let mut slot = daemon.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(daemon) = slot.as_mut() else {
                return Ok(());
            };
            match daemon.round(&mut *inbox, &mut *carrier) {
                Ok(round) => {
                    trouble = BACK_OFF;
                    still = false;
                    if round != Round::default() && !common.quiet && round.letters + round.mails > 0
                    {
                        writeln!(out, "{}", told(&round))?;
                        out.flush()?;
                    }
                    daemon.nap(config.poll)
                }
                Err(e) if e.is_fatal() => return Err(e.into()),
                Err(e @ Trouble::Paused(_)) => {
                    if !std::mem::replace(&mut still, true) {
                        tracing::warn!("{e}");
                    }
                    config.poll
                }
                Err(e) => {
                    tracing::warn!("{e}; trying again in {} s", trouble.as_secs());
                    let nap = trouble;
                    trouble = (trouble * 2).min(BACK_OFF_MAX);
                    nap
                }
            }
        };
        if still {
            // what lies in the inbox must not end the wait
            std::thread::sleep(nap.min(LOOK_AGAIN));
        } else if inbox.wait(nap).is_err() {
            std::thread::sleep(nap.min(BACK_OFF));
        }
    }
}

/// Ends the process on a signal: at once between rounds, else after the letter or mail under way. A round that waits for a
/// server is left where it is after [`STOP_WITHIN`]: the journal has all that was answered for.
fn end_on_signal(daemon: Arc<Mutex<Option<Daemon>>>, stop: Arc<AtomicBool>) -> Done {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        stop.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let taken = loop {
            match daemon.try_lock() {
                Ok(mut slot) => break slot.take(),
                Err(TryLockError::Poisoned(slot)) => break slot.into_inner().take(),
                Err(TryLockError::WouldBlock) if began.elapsed() >= STOP_WITHIN => break None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let code = match taken.map(Daemon::close) {
            Some(Err(e)) => {
                let _ = writeln!(io::stderr(), "error: {e}");
                1
            }
            _ => 0,
        };
        std::process::exit(code);
    });
    Ok(())
}

/// Every failure of `receive` but a wrong configuration is for the mail server to try again.
pub fn receive(common: &Common) -> Done {
    let again = |f: Failure| Failure {
        code: EX_TEMPFAIL,
        ..f
    };
    let (config, clock) = open(common).map_err(again)?;
    if let Some(why) = daemon::keeper::paused(&config.state) {
        return Err(again(Trouble::Paused(why).into()));
    }
    let now = clock.now();
    let letter = pipe::take(&mut io::stdin().lock(), config.limits.letter_bytes, now)
        .map_err(|e| again(Failure::from(e)))?;
    match Daemon::open(&config, clock.clone(), Opening::Quick) {
        Ok(mut daemon) => {
            daemon.letter(&letter).map_err(|e| again(e.into()))?;
            send(&config, daemon);
        }
        // whoever is at work takes it up
        Err(Trouble::Store(StoreError::Busy(_))) => {
            incoming::leave(&config.state, &letter).map_err(|e| again(e.into()))?;
        }
        Err(e) => return Err(again(e.into())),
    }
    // he who was at work may have looked for the last time just before a letter was left: one of us finds it
    while !incoming::is_empty(&config.state) {
        match Daemon::open(&config, clock.clone(), Opening::Quick) {
            Ok(mut daemon) => match daemon.left() {
                Ok(0) => break,
                Ok(_) => send(&config, daemon),
                Err(e) => {
                    tracing::error!("{e}");
                    break;
                }
            },
            Err(Trouble::Store(StoreError::Busy(_))) => break,
            Err(e) => {
                tracing::error!("{e}");
                break;
            }
        }
    }
    Ok(())
}

/// The letter is safe: whatever happens to the mails, they wait in the outbox.
fn send(config: &Config, mut daemon: Daemon) {
    let mut sending = || -> Result<(), Failure> {
        let mut carrier = config.open_carrier()?;
        daemon.left()?;
        daemon.tick()?;
        daemon.send(&mut *carrier)?;
        Ok(())
    };
    if let Err(f) = sending() {
        tracing::error!("{}", f.what);
    }
}

pub fn read(common: &Common, out: &mut dyn Write) -> Done {
    let (config, clock) = open(common)?;
    let now = clock.now();
    let letter = pipe::take(&mut io::stdin().lock(), config.limits.letter_bytes, now)?;
    let daemon = Daemon::open(&config, clock, Opening::Quick)?;
    let chance = entropy::fresh()?;
    let rehearsal = daemon.rehearse(&letter, now, &chance)?;
    match &rehearsal.reading {
        Reading::Machine(why) => {
            writeln!(out, "a machine wrote this, it is not answered: {why:?}")?;
            return Ok(());
        }
        Reading::TooBig(_, bytes) => writeln!(out, "too large to be read: {bytes} bytes")?,
        Reading::Unreadable(_, why) => writeln!(out, "cannot be read: {why}")?,
        Reading::Orders(read) => {
            writeln!(out, "from: {}", read.from)?;
            for part in &read.parts {
                if let Some(game) = part.game {
                    writeln!(out, "game: {game}")?;
                }
                for line in &part.orders {
                    match &line.order {
                        Ok(order) => writeln!(out, "order: {}", shown(order, &line.text))?,
                        Err(slip) => writeln!(out, "refused: {}: {slip:?}", line.text)?,
                    }
                }
            }
            for line in &read.ignored {
                writeln!(out, "ignored: {line}")?;
            }
        }
    }
    if let Some(decision) = &rehearsal.decision {
        writeln!(out, "outcome: {}", decision.outcome.word())?;
    }
    for mail in &rehearsal.mails {
        writeln!(out, "would answer: {} to {}", mail.kind, mail.to)?;
    }
    Ok(())
}

/// The line of an order; a card is not shown to the Keeper either.
fn shown(order: &Order, text: &str) -> String {
    match order {
        Order::Pick(_) => "pick (a card)".to_owned(),
        Order::Guess(_) => "guess (a card)".to_owned(),
        Order::CardOpen { .. } => "pick open (a card)".to_owned(),
        _ => text.to_owned(),
    }
}

/// Prints nothing when all is good.
pub fn check(common: &Common) -> Done {
    let config = Config::find(common.config.as_deref())?;
    let mut wrong: Vec<String> = config.check().iter().map(ToString::to_string).collect();
    if let Err(e) = daemon::shelf(&config) {
        wrong.push(e.to_string());
    }
    if let Err(e) = daemon::office(&config, [0; 32]) {
        wrong.push(e.to_string());
    }
    let mut wrong = wrong.iter().map(|text| Failure::of_text(text));
    match wrong.next_back() {
        None => Ok(()),
        Some(last) => {
            wrong.for_each(|f| super::tell(&f));
            Err(last)
        }
    }
}

pub fn rebuild(common: &Common, out: &mut dyn Write) -> Done {
    let (config, _) = open(common)?;
    let mut store = daemon::rebuild(&config)?;
    let checked = store.check().map_err(Trouble::from)?;
    store.close().map_err(Trouble::from)?;
    writeln!(
        out,
        "{} transactions, {} rows",
        checked.records, checked.rows
    )?;
    Ok(())
}
