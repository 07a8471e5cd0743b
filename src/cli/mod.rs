//! The command line: argv -> one function per subcommand -> exit code.
//!
//! Exit codes: 0 done, 1 refused or failed with a message, 2 usage, 75 try again later
//! (sysexits EX_TEMPFAIL, from `receive`), 255 a bug.

mod backup;
pub mod bench;
mod board;
mod complete;
pub mod demo;
mod doctor;
mod export;
mod games;
mod keep;
mod legal;
mod log;
mod look;
mod matches;
mod perft;
mod pick;
mod picture;
mod replay;
mod run;
mod seed;
pub mod verify;

use std::io::{self, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// Refused or failed.
pub const EXIT_FAILED: u8 = 1;
/// sysexits EX_TEMPFAIL: the mail server keeps the letter and tries again.
pub const EX_TEMPFAIL: u8 = 75;
/// A bug.
pub const EXIT_BUG: u8 = 255;

/// Referee for games played by e-mail.
#[derive(Parser, Debug)]
#[command(name = "tulpa", version, about, max_term_width = 100)]
#[command(after_help = "Start with `tulpa demo`, then `tulpa games`, then copy \
    config.example.ron to tulpa.ron and `tulpa run`.")]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What every subcommand understands.
#[derive(Args, Debug, Clone)]
pub struct Common {
    /// Configuration [default: tulpa.ron here, then the XDG and /etc places]
    #[arg(short, long, global = true, value_name = "FILE", env = "TULPA_CONFIG")]
    pub config: Option<PathBuf>,
    /// A clock for rehearsals and tests (RFC 3339); only where both transports are Maildirs
    #[arg(long, global = true, value_name = "TIME")]
    pub now: Option<jiff::Timestamp>,
    /// More words on standard error; twice for all
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Only errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// JSON where a table is printed
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Play a refereed match through letters in a local Maildir; needs no configuration
    Demo(demo::Arguments),
    /// List the games that can be played
    Games,
    /// Print the rules that a player gets
    Rules {
        /// Game id, as `tulpas`; without one, a list
        game: Option<String>,
    },
    /// Print how the moves of a game are written
    Notation {
        /// Game id, as `tulpas`; without one, a list
        game: Option<String>,
    },
    /// List the legal steps, one canonical text a line
    Legal(legal::Arguments),
    /// Check record files; silent when all hold
    Replay(replay::Arguments),
    /// Check a ledger; one line for each thing that does not hold
    Verify(verify::Arguments),
    /// Lay down a card that not even the referee can read
    Pick(pick::Arguments),
    /// Seal a number of your own for the dice of a game
    Seed(seed::Arguments),
    /// Count step sequences
    Perft(perft::Arguments),
    /// Draw the board as mailed
    Board(board::Arguments),
    /// Referee: read letters, play turns, send mails, until stopped
    Run {
        /// One round, for cron; prints one line
        #[arg(long)]
        once: bool,
    },
    /// Take one letter on standard input, from the mail server's pipe
    Receive,
    /// Tell what a letter on standard input would do; changes nothing
    Read,
    /// Check configuration, games and templates; prints nothing when all is good
    Check,
    /// List the matches
    Matches,
    /// List the players, addresses included
    Players,
    /// Show a match: who plays, what is awaited by when, the board
    Show {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: u32,
    },
    /// Tell what happened, newest last
    Log(log::Arguments),
    /// Print a match in a form that others read
    Export(export::Arguments),
    /// The Keeper's word: hold, resume, void, adjudicate, extend, replace, resend, requeue, ban, erase
    Keep(keep::Arguments),
    /// Copy the journal into a directory, while the referee runs
    Backup(backup::BackupArguments),
    /// Make the state from a backup; the referee then stands still until `tulpa keep resume`
    Restore(backup::RestoreArguments),
    /// Look whether all is well: permissions, disk, clock, logins, a letter to itself
    Doctor(doctor::Arguments),
    /// Make the index again from the journal
    Rebuild,
    /// Measure the program on this machine beside its yardsticks
    Bench(bench::Arguments),
    /// Print completions for a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    Man,
}

/// What went wrong, in words, and the way out.
#[derive(Debug)]
pub struct Failure {
    /// One sentence, lower case.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Exit code.
    pub code: u8,
    /// Whoever read our output went away.
    pub gone: bool,
}

impl Failure {
    /// A refusal with exit code 1.
    pub fn new(what: impl Into<String>) -> Failure {
        Failure {
            what: what.into(),
            hint: None,
            code: EXIT_FAILED,
            gone: false,
        }
    }
    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
    /// An error's own text, whose last lines may be a hint.
    pub fn of_text(text: &str) -> Failure {
        let mut lines = text.lines();
        let is_hint = |l: &str| l.trim_start().starts_with("hint: ");
        let what: Vec<&str> = lines.by_ref().take_while(|l| !is_hint(l)).collect();
        let failure = Failure::new(what.join("\n"));
        match text.split_once("hint: ") {
            Some((_, hint)) if text.lines().any(is_hint) => failure.hint(hint.trim_end()),
            _ => failure,
        }
    }
    /// Already told line by line: only the exit code is left.
    pub fn told() -> Failure {
        Failure::new("")
    }
}

impl From<io::Error> for Failure {
    fn from(e: io::Error) -> Failure {
        Failure {
            gone: e.kind() == io::ErrorKind::BrokenPipe,
            ..Failure::new(e.to_string())
        }
    }
}

/// Every subcommand answers so.
pub type Done = Result<(), Failure>;

/// Reads the arguments, runs the subcommand, tells what went wrong.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    log_to_stderr(&cli.common);
    let mut out = io::stdout().lock();
    // a bug must not look like a refusal to scripts and mail servers
    let done = match catch_unwind(AssertUnwindSafe(|| carry_out(&cli, &mut out))) {
        Ok(done) => done,
        Err(_) => {
            let _ = writeln!(
                io::stderr(),
                "error: this is a bug in tulpa; please report it with the lines above"
            );
            return ExitCode::from(EXIT_BUG);
        }
    };
    let flushed = out.flush();
    match done {
        // the reader went away, as `tulpa games | head` does: not our failure
        Err(f) if f.gone => ExitCode::SUCCESS,
        Err(f) => {
            tell(&f);
            ExitCode::from(f.code)
        }
        Ok(()) => match flushed {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                tell(&Failure::new(format!("cannot write the output: {e}")));
                ExitCode::from(EXIT_FAILED)
            }
            _ => ExitCode::SUCCESS,
        },
    }
}

fn tell(f: &Failure) {
    if f.what.is_empty() {
        return;
    }
    let red = match io::stderr().is_terminal() {
        true => ("\x1b[31m", "\x1b[0m"),
        false => ("", ""),
    };
    let mut err = io::stderr().lock();
    let _ = writeln!(err, "{}error:{} {}", red.0, red.1, f.what);
    if let Some(hint) = &f.hint {
        let _ = writeln!(err, "  hint: {hint}");
    }
}

/// The log, on standard error. Never below `info` for the mail library: it would print every byte sent.
fn log_to_stderr(common: &Common) {
    let level = match (common.quiet, common.verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "info",
        _ => "debug",
    };
    let filter = format!("{level},lettre=info,rustls=warn,sled=warn");
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_target(false)
        .try_init();
}

fn carry_out(cli: &Cli, out: &mut dyn Write) -> Done {
    match &cli.command {
        Command::Demo(a) => demo::run(a, out),
        Command::Games => games::list(&cli.common, out),
        Command::Rules { game } => games::rules(&cli.common, game.as_deref(), out),
        Command::Notation { game } => games::notation(&cli.common, game.as_deref(), out),
        Command::Legal(a) => legal::run(&cli.common, a, out),
        Command::Replay(a) => replay::run(&cli.common, a, out),
        Command::Verify(a) => verify::run(&cli.common, a, out),
        Command::Pick(a) => pick::run(a, out),
        Command::Seed(a) => seed::run(a, out),
        Command::Perft(a) => perft::run(&cli.common, a, out),
        Command::Board(a) => board::run(&cli.common, a, out),
        Command::Run { once } => run::run(&cli.common, *once, out),
        Command::Receive => run::receive(&cli.common),
        Command::Read => run::read(&cli.common, out),
        Command::Check => run::check(&cli.common),
        Command::Matches => matches::matches(&cli.common, out),
        Command::Players => matches::players(&cli.common, out),
        Command::Show { game } => matches::show(&cli.common, *game, out),
        Command::Log(a) => log::run(&cli.common, a, out),
        Command::Export(a) => export::run(&cli.common, a, out),
        Command::Keep(a) => keep::run(&cli.common, a, out),
        Command::Backup(a) => backup::backup(&cli.common, a, out),
        Command::Restore(a) => backup::restore(&cli.common, a, out),
        Command::Doctor(a) => doctor::run(&cli.common, a, out),
        Command::Rebuild => run::rebuild(&cli.common, out),
        Command::Bench(a) => bench::run(&cli.common, a, out),
        Command::Completions { shell } => complete::completions(*shell, out),
        Command::Man => complete::man(out),
    }
}
