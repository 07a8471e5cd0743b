//! `tulpa keep ...`: the Keeper's word. Each is an event, and every player whom it touches is told.
//!
//! Where the referee runs, the word is left for it and carried out at its next round.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Subcommand;

use super::run::open;
use super::{Common, Done, EX_TEMPFAIL, Failure};
use crate::config::Config;
use crate::daemon::keeper::{leave, pause, paused};
use crate::daemon::{Daemon, Trouble};
use crate::edge::clock::Clock;
use crate::edge::entropy;
use crate::referee::keeper::{Unable, Word};
use crate::referee::state::MatchNo;
use crate::store::{Opening, StoreError};

/// Beside the longest time between two rounds, so long the answer of a running referee is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Ask nothing
    #[arg(long, short, global = true)]
    yes: bool,
    #[command(subcommand)]
    word: Keep,
}

#[derive(Subcommand, Debug)]
enum Keep {
    /// Stop a match and its clocks; without MATCH the whole referee
    Hold {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: Option<u32>,
        /// What the players are told
        #[arg(long, default_value = "")]
        why: String,
    },
    /// Let a match go on, its clocks moved; without MATCH the whole referee
    Resume {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: Option<u32>,
    },
    /// Call a match off; it counts for nobody
    Void {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: u32,
        /// What the players are told
        #[arg(long, default_value = "")]
        why: String,
    },
    /// End a match as you decide
    #[command(group = clap::ArgGroup::new("how").required(true).args(["winner", "draw"]))]
    Adjudicate {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: u32,
        /// The seat that wins; again for each seat of a team
        #[arg(long, value_name = "SEAT")]
        winner: Vec<String>,
        /// Nobody wins
        #[arg(long)]
        draw: bool,
        /// What the players are told
        #[arg(long, default_value = "")]
        why: String,
    },
    /// Give more time for what is awaited
    Extend {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: u32,
        /// How many days
        days: u32,
        /// What the players are told
        #[arg(long, default_value = "")]
        why: String,
    },
    /// Give a seat to another player, who must have written before
    Replace {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: u32,
        /// The seat
        seat: String,
        /// Name or address of the new player
        #[arg(value_name = "PLAYER")]
        by: String,
        /// What the players are told
        #[arg(long, default_value = "")]
        why: String,
    },
    /// Mail the board (or the invitation) of a match again
    Resend {
        /// Number of the match
        #[arg(value_name = "MATCH")]
        game: u32,
    },
    /// Send mails again that were given up, or handle letters again that were set aside; without ID list them
    Requeue {
        /// A Message-ID, the id of a letter in `quarantine`, or `all`
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
    /// Take no more orders from a player
    Ban {
        /// Name, address or number
        player: String,
        /// What he is told
        #[arg(long, default_value = "")]
        why: String,
    },
    /// Take his orders again
    Unban {
        /// Name, address or number
        player: String,
    },
    /// Forget a player: address, name, messages and mails; the referee must be stopped
    Erase {
        /// Name, address or number
        player: String,
    },
}

impl From<Unable> for Failure {
    fn from(e: Unable) -> Failure {
        Failure {
            hint: e.hint,
            ..Failure::new(e.what)
        }
    }
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    let (config, clock) = open(common)?;
    let word = match &a.word {
        Keep::Hold { game: None, why } => return hold_all(&config, why, out),
        Keep::Resume { game: None } => return resume_all(&config, out),
        Keep::Requeue { id } => return requeue(&config, clock, id.as_deref(), out),
        Keep::Erase { player } => {
            sure(
                a,
                &format!("erase `{player}` for ever? The journal is rewritten."),
            )?;
            return erase(&config, clock, player, out);
        }
        word => word_of(word),
    };
    let Some((word, question)) = word else {
        return Ok(());
    };
    if let Some(question) = question {
        sure(a, &question)?;
    }
    carry_out(&config, clock, &word, common.quiet, out)
}

/// The word, and what is asked before it is carried out.
fn word_of(keep: &Keep) -> Option<(Word, Option<String>)> {
    let no = |n: &u32| MatchNo(*n);
    Some(match keep {
        Keep::Hold { game, why } => {
            let (game, why) = (no(game.as_ref()?), why.clone());
            (Word::Hold { game, why }, None)
        }
        Keep::Resume { game } => {
            let game = no(game.as_ref()?);
            (Word::Resume { game }, None)
        }
        Keep::Void { game, why } => (
            Word::Void {
                game: no(game),
                why: why.clone(),
            },
            Some(format!("call match {game} off?")),
        ),
        Keep::Adjudicate {
            game, winner, why, ..
        } => {
            let how = match winner.is_empty() {
                true => "a draw".to_owned(),
                false => format!("won by {}", winner.join(" and ")),
            };
            let word = Word::Adjudicate {
                game: no(game),
                winners: winner.clone(),
                why: why.clone(),
            };
            (word, Some(format!("end match {game}, {how}?")))
        }
        Keep::Extend { game, days, why } => (
            Word::Extend {
                game: no(game),
                days: *days,
                why: why.clone(),
            },
            None,
        ),
        Keep::Replace {
            game,
            seat,
            by,
            why,
        } => (
            Word::Replace {
                game: no(game),
                seat: seat.clone(),
                by: by.clone(),
                why: why.clone(),
            },
            Some(format!("give {seat} of match {game} to `{by}`?")),
        ),
        Keep::Resend { game } => (Word::Resend { game: no(game) }, None),
        Keep::Ban { player, why } => (
            Word::Ban {
                player: player.clone(),
                why: why.clone(),
            },
            Some(format!("take no more orders from `{player}`?")),
        ),
        Keep::Unban { player } => (
            Word::Unban {
                player: player.clone(),
            },
            None,
        ),
        Keep::Requeue { .. } | Keep::Erase { .. } => return None,
    })
}

/// Asks on a terminal; a script says `--yes`.
fn sure(a: &Arguments, question: &str) -> Done {
    if a.yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        return Err(Failure::new("this cannot be undone").hint("say `--yes` to do it"));
    }
    let mut err = io::stderr();
    write!(err, "{question} [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new("nothing was done")),
    }
}

fn told(mails: usize) -> String {
    format!(
        "done; {mails} mail{} to the players",
        if mails == 1 { "" } else { "s" }
    )
}

fn carry_out(config: &Config, clock: Clock, word: &Word, quiet: bool, out: &mut dyn Write) -> Done {
    match Daemon::open(config, clock.clone(), Opening::Quick) {
        Ok(mut daemon) => {
            let done = daemon.word(word, None)?;
            // the mails wait in the outbox whatever happens now
            let sent = match (&done, paused(&config.state)) {
                (Ok(_), None) => config
                    .open_carrier()
                    .map_err(Failure::from)
                    .and_then(|mut carrier| Ok(daemon.send(&mut *carrier)?)),
                _ => Ok(0),
            };
            daemon.close()?;
            let mails = done?;
            if let Err(f) = sent {
                tracing::warn!("the mails wait: {}", f.what);
            }
            writeln!(out, "{}", told(mails))?;
            Ok(())
        }
        Err(Trouble::Store(StoreError::Busy(_))) => leave_word(config, &clock, word, quiet, out),
        Err(e) => Err(e.into()),
    }
}

fn leave_word(
    config: &Config,
    clock: &Clock,
    word: &Word,
    quiet: bool,
    out: &mut dyn Write,
) -> Done {
    let chance = entropy::fresh()?;
    let name = format!(
        "{}-{:02x}{:02x}{:02x}{:02x}",
        clock.now().as_millisecond(),
        chance[0],
        chance[1],
        chance[2],
        chance[3]
    );
    let answer = leave(&config.state, &name, word).map_err(Trouble::from)?;
    if !quiet && io::stderr().is_terminal() {
        let _ = writeln!(
            io::stderr(),
            "the referee is running; it takes the word at its next round"
        );
    }
    let began = Instant::now();
    while began.elapsed() < config.poll + PATIENCE {
        if let Ok(text) = std::fs::read_to_string(&answer) {
            let _ = std::fs::remove_file(&answer);
            return said(&text, out);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err(Failure {
        code: EX_TEMPFAIL,
        ..Failure::new("the running referee has not answered yet").hint(
            "the word stays in the drop box and is carried out when it does; `tulpa log -n 5` shows it",
        )
    })
}

fn said(text: &str, out: &mut dyn Write) -> Done {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.strip_prefix("ok ") {
        Some(mails) => {
            writeln!(out, "{}", told(mails.trim().parse().unwrap_or(0)))?;
            Ok(())
        }
        None => {
            let (what, hint) = rest.split_once("\n  hint: ").unwrap_or((rest, ""));
            let failure = Failure::new(what.trim());
            Err(match hint.trim() {
                "" => failure,
                hint => failure.hint(hint),
            })
        }
    }
}

fn hold_all(config: &Config, why: &str, out: &mut dyn Write) -> Done {
    let why = match why.trim() {
        "" => "the Keeper stopped it",
        why => why,
    };
    pause(&config.state, Some(why)).map_err(Trouble::from)?;
    writeln!(
        out,
        "nothing is read or sent until `tulpa keep resume`; letters wait in the mailbox"
    )?;
    Ok(())
}

fn resume_all(config: &Config, out: &mut dyn Write) -> Done {
    if paused(&config.state).is_none() {
        return Err(Failure::new("the referee does not stand still")
            .hint("`tulpa keep resume MATCH` lets a match go on"));
    }
    pause(&config.state, None).map_err(Trouble::from)?;
    writeln!(out, "the referee goes on at its next round")?;
    Ok(())
}

fn requeue(config: &Config, clock: Clock, id: Option<&str>, out: &mut dyn Write) -> Done {
    let mut daemon = Daemon::open(config, clock, Opening::Quick)?;
    let letters = daemon.quarantined()?;
    let done = (|| -> Done {
        match id {
            None => {
                for id in &letters {
                    writeln!(out, "letter  {id}")?;
                }
                for row in daemon.dead_mails()? {
                    writeln!(
                        out,
                        "mail    {}  {} to {}: {}",
                        row.message_id, row.kind, row.to, row.said
                    )?;
                }
            }
            Some("all") => {
                for id in &letters {
                    writeln!(out, "letter {id}: {}", daemon.requeue_letter(id)?)?;
                }
                writeln!(out, "mails queued again: {}", daemon.requeue_mails(None)?)?;
            }
            Some(id) if letters.iter().any(|l| l == id) => {
                writeln!(out, "letter {id}: {}", daemon.requeue_letter(id)?)?;
            }
            Some(id) => match daemon.requeue_mails(Some(id))? {
                0 => {
                    return Err(Failure::new(format!("nothing dead or set aside is `{id}`"))
                        .hint("`tulpa keep requeue` lists what is"));
                }
                n => writeln!(out, "mails queued again: {n}")?,
            },
        }
        Ok(())
    })();
    daemon.close()?;
    done
}

fn erase(config: &Config, clock: Clock, player: &str, out: &mut dyn Write) -> Done {
    let daemon = Daemon::open(config, clock.clone(), Opening::Careful)?;
    daemon.erase(player)??;
    // the index is made again now, not at the next letter
    Daemon::open(config, clock, Opening::Careful)?.close()?;
    writeln!(
        out,
        "erased from the journal, the index and the letters set aside"
    )?;
    for place in outside(config) {
        writeln!(out, "not touched: {place}")?;
    }
    Ok(())
}

/// Where else his letters and mails may lie: what only the Keeper can clear.
fn outside(config: &Config) -> Vec<String> {
    use crate::config::{InboxConf, OutboxConf};
    let dir = |p: &Path| p.display().to_string();
    let mut places = Vec::new();
    match &config.inbox {
        InboxConf::Maildir(path) => places.push(dir(path)),
        InboxConf::Imap(imap) => places.push(format!("the mailbox at {}", imap.host)),
        InboxConf::Pipe => {}
    }
    if let OutboxConf::Maildir(path) = &config.outbox {
        places.push(dir(path));
    }
    places.push("backups".to_owned());
    places
}
