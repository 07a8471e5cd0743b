//! The command line: argv -> one function per subcommand -> exit code.
//!
//! Exit codes: 0 done, 1 refused or failed with a message, 2 usage, 75 try again later
//! (sysexits EX_TEMPFAIL, from `receive`), 255 a bug.

mod board;
mod complete;
mod games;
mod legal;
mod perft;
mod replay;

use std::io::{self, IsTerminal, Write};
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
    /// List the games that can be played
    Games,
    /// Print the rules that a player gets
    Rules {
        /// Game id, as `tulpas`
        game: String,
    },
    /// List the legal steps, one canonical text a line
    Legal(legal::Arguments),
    /// Check record files; silent when all hold
    Replay(replay::Arguments),
    /// Count step sequences
    Perft(perft::Arguments),
    /// Draw the board as mailed
    Board(board::Arguments),
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
}

impl Failure {
    /// A refusal with exit code 1.
    pub fn new(what: impl Into<String>) -> Failure {
        Failure {
            what: what.into(),
            hint: None,
            code: EXIT_FAILED,
        }
    }
    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
    /// Already told line by line: only the exit code is left.
    pub fn told() -> Failure {
        Failure::new("")
    }
}

impl From<io::Error> for Failure {
    fn from(e: io::Error) -> Failure {
        Failure::new(e.to_string())
    }
}

/// Every subcommand answers so.
pub type Done = Result<(), Failure>;

/// Reads the arguments, runs the subcommand, tells what went wrong.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::stdout().lock();
    let done = run(&cli, &mut out);
    let flushed = out.flush();
    match done {
        // the reader went away, as `tulpa games | head` does: not our failure
        Err(f) if f.what.contains("Broken pipe") => ExitCode::SUCCESS,
        Err(f) => {
            if !f.what.is_empty() {
                let red = if io::stderr().is_terminal() {
                    ("\x1b[31m", "\x1b[0m")
                } else {
                    ("", "")
                };
                let mut err = io::stderr().lock();
                let _ = writeln!(err, "{}error:{} {}", red.0, red.1, f.what);
                if let Some(hint) = &f.hint {
                    let _ = writeln!(err, "  hint: {hint}");
                }
            }
            ExitCode::from(f.code)
        }
        Ok(()) if flushed.is_err() => ExitCode::SUCCESS,
        Ok(()) => ExitCode::SUCCESS,
    }
}

fn run(cli: &Cli, out: &mut dyn Write) -> Done {
    match &cli.command {
        Command::Games => games::list(&cli.common, out),
        Command::Rules { game } => games::rules(&cli.common, game, out),
        Command::Legal(a) => legal::run(&cli.common, a, out),
        Command::Replay(a) => replay::run(&cli.common, a, out),
        Command::Perft(a) => perft::run(&cli.common, a, out),
        Command::Board(a) => board::run(&cli.common, a, out),
        Command::Completions { shell } => complete::completions(*shell, out),
        Command::Man => complete::man(out),
    }
}
