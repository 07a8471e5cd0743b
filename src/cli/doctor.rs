//! `tulpa doctor`: is everything well with this referee, alive? Every finding is a line with `ok`, `warn` or `fail`, and a
//! way out below it. Exit code 1 where anything failed.

use std::io::{IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Common, Done, Failure};
use crate::config::{Config, InboxConf, OutboxConf};
use crate::daemon::keeper::paused;
use crate::daemon::{self, Daemon, Trouble};
use crate::edge::clock::Clock;
use crate::edge::{Carrier, Delivery, Inbox};
use crate::post::auth::Results;
use crate::store::{Glance, Opening, StoreError};

/// A mail server's clock may differ from ours by so much.
const SKEW_MAX: i64 = 120;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Send nothing: look only at this machine
    #[arg(long)]
    offline: bool,
    /// Wait so many seconds for the letter to itself
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grade {
    Ok,
    Warn,
    Fail,
}

struct Report<'a> {
    out: &'a mut dyn Write,
    json: bool,
    found: Vec<serde_json::Value>,
    failed: bool,
}

impl Report<'_> {
    fn line(&mut self, grade: Grade, what: impl Into<String>, hint: &str) -> Done {
        let word = match grade {
            Grade::Ok => "ok",
            Grade::Warn => "warn",
            Grade::Fail => "fail",
        };
        self.failed |= grade == Grade::Fail;
        let what = what.into();
        if self.json {
            self.found
                .push(json!({"grade": word, "what": what, "hint": hint}));
            return Ok(());
        }
        writeln!(self.out, "{word:4}  {what}")?;
        if !hint.is_empty() {
            writeln!(self.out, "      hint: {hint}")?;
        }
        Ok(())
    }
    fn ok(&mut self, what: impl Into<String>) -> Done {
        self.line(Grade::Ok, what, "")
    }
    fn warn(&mut self, what: impl Into<String>, hint: &str) -> Done {
        self.line(Grade::Warn, what, hint)
    }
    fn fail(&mut self, what: impl Into<String>, hint: &str) -> Done {
        self.line(Grade::Fail, what, hint)
    }
    /// An error whose text may carry its own hint.
    fn error(&mut self, what: &str, e: &dyn std::fmt::Display) -> Done {
        let text = e.to_string();
        let (first, hint) = match text.split_once("hint:") {
            Some((first, hint)) => (first.trim(), hint.trim()),
            None => (text.trim(), ""),
        };
        self.fail(format!("{what}: {first}"), hint)
    }
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    let mut report = Report {
        out,
        json: common.json,
        found: Vec::new(),
        failed: false,
    };
    examine(common, a, &mut report)?;
    if report.json {
        let all = std::mem::take(&mut report.found);
        writeln!(report.out, "{}", serde_json::Value::Array(all))?;
    }
    match report.failed {
        true => Err(Failure::told()),
        false => Ok(()),
    }
}

fn examine(common: &Common, a: &Arguments, report: &mut Report) -> Done {
    let config = match Config::find(common.config.as_deref()) {
        Ok(config) => config,
        Err(e) => return report.error("configuration", &e),
    };
    let wrong = config.check();
    for e in &wrong {
        report.error("configuration", e)?;
    }
    let texts = daemon::shelf(&config)
        .map(|_| ())
        .and_then(|()| daemon::office(&config, [0; 32]).map(|_| ()));
    match texts {
        Err(e) => report.error("games and texts", &e)?,
        Ok(()) if wrong.is_empty() => report.ok("configuration, games and texts")?,
        Ok(()) => {}
    }
    if !wrong.is_empty() {
        return Ok(());
    }
    let clock = match common.now {
        Some(at) if config.is_rehearsal() => Clock::fixed(at),
        _ => Clock::system(),
    };
    permissions(&config, report)?;
    disk(&config, report)?;
    state(&config, &clock, report)?;
    if let Some(why) = paused(&config.state) {
        report.warn(
            format!("the referee stands still: {why}"),
            "`tulpa keep resume` lets it go on",
        )?;
    }
    if !a.offline {
        mail(&config, clock, a, report)?;
    }
    advice(&config, report)
}

/// Nobody else may read the state: it holds addresses, seeds and cards.
fn permissions(config: &Config, report: &mut Report) -> Done {
    if !config.state.exists() {
        return report.ok(format!(
            "`{}` is not there yet; the first start makes it",
            config.state.display()
        ));
    }
    let mut open = Vec::new();
    let mut look = |path: &Path| {
        if let Ok(meta) = path.metadata() {
            let mode = meta.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                open.push(format!("`{}` (mode {mode:o})", path.display()));
            }
        }
    };
    look(&config.state);
    look(&config.state.join("keys"));
    for dir in [&config.state, &config.state.join("keys")] {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.path().is_file() {
                look(&entry.path());
            }
        }
    }
    match open.is_empty() {
        true => report.ok("permissions: nobody else can read the state"),
        false => report.fail(
            format!("permissions: others can read {}", open.join(", ")),
            &format!("chmod -R go= {}", config.state.display()),
        ),
    }
}

/// Free bytes where the state is, as `df -Pk` tells.
fn free_bytes(dir: &Path) -> Option<u64> {
    let there = dir.ancestors().find(|d| d.exists())?;
    let done = std::process::Command::new("df")
        .arg("-Pk")
        .arg(there)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let kib: u64 = text
        .lines()
        .nth(1)?
        .split_whitespace()
        .nth(3)?
        .parse()
        .ok()?;
    Some(kib.saturating_mul(1024))
}

fn disk(config: &Config, report: &mut Report) -> Done {
    let mib = |n: u64| n >> 20;
    match free_bytes(&config.state) {
        None => report.warn("disk: `df` does not tell how much is free", ""),
        Some(free) if free < config.keeper.free_bytes => report.fail(
            format!(
                "disk: {} MiB free, `keeper.free_bytes` asks for {}",
                mib(free),
                mib(config.keeper.free_bytes)
            ),
            "make room: below that nothing is fetched",
        ),
        Some(free) if free < config.keeper.free_bytes.saturating_mul(4) => report.warn(
            format!("disk: only {} MiB free", mib(free)),
            "make room before it becomes urgent",
        ),
        Some(free) => report.ok(format!("disk: {} MiB free", mib(free))),
    }
}

/// Is the journal sound, and is the clock after all that it holds?
fn state(config: &Config, clock: &Clock, report: &mut Report) -> Done {
    let mut last = None;
    let mut records = 0u64;
    let read = Glance::replay(&config.state, |_, payload| {
        last = last.max(Some(payload.at));
        records += 1;
        Ok(())
    });
    match read {
        Ok(_) => report.ok(format!("journal: {records} transactions, undamaged"))?,
        Err(e) => report.error("journal", &e)?,
    }
    let now = clock.now();
    match last {
        Some(at) if at > now => report.fail(
            format!("clock: it is {now}, but the journal goes to {at}"),
            "set the machine's clock, and let NTP keep it",
        ),
        _ => report.ok(format!("clock: {}", now.strftime("%Y-%m-%d %H:%M:%S UTC"))),
    }
}

/// Logs in on both sides, and sends a letter to itself.
fn mail(config: &Config, clock: Clock, a: &Arguments, report: &mut Report) -> Done {
    let mut daemon = match Daemon::open(config, clock, Opening::Quick) {
        Ok(daemon) => daemon,
        Err(Trouble::Store(StoreError::Busy(_))) => {
            return report.warn(
                "mail: the referee is running, so no letter was sent",
                "stop it and ask again, or say `--offline`",
            );
        }
        Err(e) => return report.error("state", &e),
    };
    let done = round_trip(config, &mut daemon, a, report);
    daemon.close()?;
    done
}

fn round_trip(config: &Config, daemon: &mut Daemon, a: &Arguments, report: &mut Report) -> Done {
    let mut inbox = match config.open_inbox() {
        Ok(inbox) => inbox,
        Err(e) => return report.error("inbox", &e),
    };
    let mut carrier = match config.open_carrier() {
        Ok(carrier) => carrier,
        Err(e) => return report.error("outbox", &e),
    };
    match daemon.probes_back(&mut *inbox) {
        Ok(_) => report.ok(match &config.inbox {
            InboxConf::Maildir(dir) => format!("inbox: `{}` can be read", dir.display()),
            InboxConf::Imap(imap) => format!("inbox: logged in to {}", imap.host),
            InboxConf::Pipe => "inbox: letters come by `tulpa receive`".to_owned(),
        })?,
        Err(e) => return report.error("inbox", &e),
    }
    if matches!(config.outbox, OutboxConf::Maildir(_)) {
        return report.ok("outbox: mails are left in a directory; there is no way back to measure");
    }
    let began = Instant::now();
    let mut waited = Vec::new();
    let details: &[Option<&str>] = match config.identity.plus_addressing {
        true => &[None, Some("doctor")],
        false => &[None],
    };
    for detail in details {
        if let Some(id) = post(daemon, &mut *carrier, *detail, report)? {
            waited.push((id, detail.is_some()));
        }
    }
    if waited.is_empty() {
        return Ok(());
    }
    if matches!(config.inbox, InboxConf::Pipe) {
        return report.warn(
            "round trip: letters come by a pipe, so it cannot be waited for",
            "look whether the letter arrives: `tulpa log -n 5` tells `a machine's letter`",
        );
    }
    wait_for(config, daemon, &mut *inbox, (began, a.wait), waited, report)
}

/// Sends one probe; its Message-ID where it was taken.
fn post(
    daemon: &mut Daemon,
    carrier: &mut dyn Carrier,
    detail: Option<&str>,
    report: &mut Report,
) -> Result<Option<String>, Failure> {
    let probe = match daemon.probe(carrier, detail) {
        Ok(probe) => probe,
        Err(e) => {
            report.error("outbox", &e)?;
            return Ok(None);
        }
    };
    match probe.delivery {
        Delivery::Sent => {
            report.ok(format!("outbox: a letter to {} was taken", probe.to))?;
            return Ok(Some(probe.message_id));
        }
        Delivery::Stop(why) => report.fail(
            format!("outbox: nothing can be sent: {why}"),
            "look at `outbox` in the configuration: user, password, certificate",
        )?,
        Delivery::Later(why) | Delivery::Unknown(why) => report.fail(
            format!("outbox: not taken now: {why}"),
            "is the server up, and reachable from here?",
        )?,
        Delivery::Dead(why) => report.fail(
            format!("outbox: a letter to {} was refused: {why}", probe.to),
            match detail {
                Some(_) => "set `identity.plus_addressing` to false, or teach the server",
                None => "the server does not know `referee.address`",
            },
        )?,
    }
    Ok(None)
}

fn wait_for(
    config: &Config,
    daemon: &mut Daemon,
    inbox: &mut dyn Inbox,
    (began, wait): (Instant, u64),
    mut waited: Vec<(String, bool)>,
    report: &mut Report,
) -> Done {
    let bare = |id: &str| id.trim_matches(['<', '>']).to_owned();
    let mut told_results = false;
    while !waited.is_empty() {
        for back in daemon.probes_back(inbox)? {
            let Some(at) = waited
                .iter()
                .position(|w| bare(&w.0) == bare(&back.message_id))
            else {
                continue;
            };
            let (_, plus) = waited.remove(at);
            let seconds = began.elapsed().as_secs_f64();
            let which = if plus {
                "plus-addressing"
            } else {
                "round trip"
            };
            report.ok(format!("{which}: the letter was back after {seconds:.1} s"))?;
            let skew = back.received.as_second() - daemon.clock.now().as_second();
            if skew.abs() > SKEW_MAX + i64::try_from(wait).unwrap_or(0) {
                report.warn(
                    format!("clock: the mail server's differs by {skew} s"),
                    "let NTP keep this machine's clock",
                )?;
            }
            if !told_results {
                told_results = true;
                results(config, &back.results, report)?;
            }
        }
        if waited.is_empty() {
            break;
        }
        if began.elapsed() >= Duration::from_secs(wait) {
            for (_, plus) in &waited {
                match plus {
                    true => report.fail(
                        format!("plus-addressing: no letter came within {wait} s"),
                        "set `identity.plus_addressing` to false, or teach the server (postfix: recipient_delimiter = +)",
                    )?,
                    false => report.fail(
                        format!("round trip: no letter came within {wait} s"),
                        "does mail to `referee.address` reach this inbox? look into spam, and try `--wait 300`",
                    )?,
                }
            }
            break;
        }
        if std::io::stderr().is_terminal() {
            let _ = write!(
                std::io::stderr(),
                "\rwaiting {} s ",
                began.elapsed().as_secs()
            );
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    Ok(())
}

/// Who vouches for senders here?
fn results(config: &Config, values: &[String], report: &mut Report) -> Done {
    let Some(top) = values.iter().find_map(|v| Results::parse(v)) else {
        return report.warn(
            "sender checks: the mail server writes no Authentication-Results",
            "new players confirm their first letter by a reply; that is all it costs",
        );
    };
    let trusted = &config.identity.trusted_authserv;
    if trusted.iter().any(|t| t.eq_ignore_ascii_case(&top.by)) {
        let said: Vec<String> = top
            .methods
            .iter()
            .map(|m| format!("{}={}", m.name, m.result))
            .collect();
        return report.ok(format!("sender checks: {} says {}", top.by, said.join(" ")));
    }
    report.warn(
        format!(
            "sender checks: {} vouches for senders and is not believed",
            top.by
        ),
        &format!(
            "if that is your own mail server: identity: (trusted_authserv: [\"{}\"])",
            top.by
        ),
    )
}

/// What only DNS knows is said as advice.
fn advice(config: &Config, report: &mut Report) -> Done {
    if config.is_rehearsal() {
        return Ok(());
    }
    let domain = config
        .referee
        .address
        .rsplit('@')
        .next()
        .unwrap_or_default();
    report.ok(format!(
        "advice: mails to strangers arrive more surely where {domain} has SPF (TXT {domain}), a DKIM key (TXT \
         selector._domainkey.{domain}) and DMARC (TXT _dmarc.{domain}); ask your mail provider, or `dig`"
    ))
}
