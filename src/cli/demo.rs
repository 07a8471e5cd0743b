//! `tulpa demo`: a refereed match through real letters in a local Maildir, every mail printed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Done, Failure};
use crate::config::Config;
use crate::daemon::Daemon;
use crate::edge::clock::Clock;
use crate::edge::entropy::Source;
use crate::edge::maildir::{MaildirCarrier, MaildirInbox};
use crate::rules::Shelf;
use crate::store::Opening;

pub mod player;
mod scene;
mod scripts;

use scene::{Player, Scene};

/// The players, as many as the game has seats.
const PEOPLE: [(&str, &str); 4] = [
    ("Alice", "alice@hill.example"),
    ("Bob", "bob@dale.example"),
    ("Carol", "carol@fen.example"),
    ("Dave", "dave@weir.example"),
];

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Game id
    #[arg(default_value = "tulpas")]
    game: String,
    /// Leave the directory here [default: a new one in the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub fn run(a: &Arguments, out: &mut dyn Write) -> Done {
    // the demo brings its own configuration, which names no further games
    let shelf = Shelf::builtin();
    let book = super::games::find(&shelf, &a.game)?;
    if !(2..=PEOPLE.len()).contains(&book.seats.len()) {
        return Err(Failure::new(format!("`{}` has no demo", book.id))
            .hint(format!("a demo has two to {} players", PEOPLE.len())));
    }
    let dir = match &a.keep {
        Some(dir) => dir.clone(),
        None => std::env::temp_dir().join(format!("tulpa-demo-{}", std::process::id())),
    };
    if dir.join("state").exists() {
        return Err(
            Failure::new(format!("`{}` holds a match already", dir.display()))
                .hint("name another directory with `--keep`"),
        );
    }
    fs::create_dir_all(&dir)?;
    let file = dir.join("tulpa.ron");
    fs::write(
        &file,
        "(\n    referee: (name: \"Tulpa\", address: \"referee@club.example\"),\n)\n",
    )?;
    let config = Config::load(&file)?;
    let setup = |what: &Path, e: std::io::Error| Failure::new(format!("{}: {e}", what.display()));
    let (inbox, outbox) = (dir.join("mail/inbox"), dir.join("mail/outbox"));
    let mut scene = Scene {
        daemon: Daemon::open(&config, Clock::system(), Opening::Careful)?,
        inbox: MaildirInbox::open(&inbox).map_err(|e| setup(&inbox, e))?,
        carrier: MaildirCarrier::open(&outbox).map_err(|e| setup(&outbox, e))?,
        players: PEOPLE
            .into_iter()
            .take(book.seats.len())
            .map(|(name, address)| Player {
                name,
                address,
                last: None,
            })
            .collect(),
        letters: 0,
        seen: Default::default(),
        dir,
        out,
    };
    // the same dice each time, so that the scripts can count on them
    scene.daemon.chance = Source::Counted(scripts::seed(&book.id));
    scene.plays(&book)?;
    scene.end()
}
