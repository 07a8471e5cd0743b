//! `tulpa demo`: a refereed match through real letters in a local Maildir, every mail printed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Done, Failure};
use crate::config::Config;
use crate::daemon::Daemon;
use crate::edge::clock::Clock;
use crate::edge::maildir::{MaildirCarrier, MaildirInbox};
use crate::edge::{Carrier, Inbox};
use crate::post::letter::{self, Limits};
use crate::referee::state::{MatchNo, Registry};
use crate::rules::{Shelf, Table, What};
use crate::store::Opening;

/// Turns that the players of a game without a script make before one resigns.
const TURNS_MAX: usize = 16;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Game id
    #[arg(default_value = "tulpas")]
    game: String,
    /// Leave the directory here [default: a new one in the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

struct Player {
    name: &'static str,
    address: &'static str,
    /// The last mail of the referee to him: what he answers.
    last: Option<Mail>,
}

#[derive(Clone)]
struct Mail {
    subject: String,
    message_id: String,
    reply_to: String,
    text: String,
}

struct Scene<'a> {
    dir: PathBuf,
    daemon: Daemon,
    inbox: MaildirInbox,
    carrier: MaildirCarrier,
    players: Vec<Player>,
    letters: usize,
    seen: std::collections::BTreeSet<PathBuf>,
    out: &'a mut dyn Write,
}

pub fn run(a: &Arguments, out: &mut dyn Write) -> Done {
    // the demo brings its own configuration, which names no further games
    let shelf = Shelf::builtin();
    let book = super::games::find(&shelf, &a.game)?;
    if book.seats.len() != 2 && book.seats.len() != 4 {
        return Err(Failure::new(format!("`{}` has no demo", book.id)));
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
        players: vec![
            Player {
                name: "Alice",
                address: "alice@hill.example",
                last: None,
            },
            Player {
                name: "Bob",
                address: "bob@dale.example",
                last: None,
            },
        ],
        letters: 0,
        seen: Default::default(),
        dir,
        out,
    };
    scene.begin(&book.id)?;
    if book.id == "tulpas" {
        scene.tulpas()?;
    } else {
        scene.anything()?;
    }
    scene.end()
}

impl Scene<'_> {
    fn say(&mut self, text: &str) -> Done {
        writeln!(self.out, "\n==== {text}")?;
        Ok(())
    }

    /// A player answers the last mail he got, quoting it as mail programs do.
    fn writes(&mut self, who: usize, body: &str) -> Result<PathBuf, Failure> {
        self.letters += 1;
        let player = &self.players[who];
        let (subject, to, thread, quoted) = match &player.last {
            None => (
                "a game?".to_owned(),
                "referee@club.example".to_owned(),
                String::new(),
                String::new(),
            ),
            Some(mail) => (
                format!("Re: {}", mail.subject),
                mail.reply_to.clone(),
                format!(
                    "In-Reply-To: <{0}>\r\nReferences: <{0}>\r\n",
                    mail.message_id
                ),
                format!(
                    "\r\nOn Saturday, Tulpa wrote:\r\n{}",
                    mail.text
                        .lines()
                        .map(|l| format!("> {l}\r\n"))
                        .collect::<String>()
                ),
            ),
        };
        let name = player.name;
        let letter = format!(
            "From: {name} <{}>\r\nTo: {to}\r\nSubject: {subject}\r\n\
             Message-ID: <{}.{}@{}>\r\n{thread}\r\nHi,\r\n\r\n{}\r\n\r\n-- \r\n{name}\r\n{quoted}",
            player.address,
            self.letters,
            name.to_lowercase(),
            player.address.split('@').next_back().unwrap_or_default(),
            body.replace('\n', "\r\n"),
        );
        let path = self.post(&letter)?;
        writeln!(
            self.out,
            "\n>>>> {name} writes  (To: {to}, Subject: {subject})\n"
        )?;
        for line in body.lines() {
            writeln!(self.out, "    {line}")?;
        }
        self.round()?;
        Ok(path)
    }

    /// Delivers a letter as a mail server does: written in `tmp`, moved to `new`.
    fn post(&mut self, letter: &str) -> Result<PathBuf, Failure> {
        let inbox = self.dir.join("mail/inbox");
        let count = self.seen.len() + self.letters;
        let name = format!("{:04}.{count}.demo", self.letters);
        let tmp = inbox.join("tmp").join(&name);
        fs::write(&tmp, letter)?;
        fs::rename(&tmp, inbox.join("new").join(&name))?;
        Ok(inbox.join("cur").join(format!("{name}:2,S")))
    }

    /// The referee works, then everybody opens his mail.
    fn round(&mut self) -> Done {
        let (inbox, carrier): (&mut dyn Inbox, &mut dyn Carrier) =
            (&mut self.inbox, &mut self.carrier);
        self.daemon.round(inbox, carrier)?;
        let mut new: Vec<(std::time::SystemTime, PathBuf)> =
            fs::read_dir(self.dir.join("mail/outbox/new"))?
                .filter_map(|e| {
                    let path = e.ok()?.path();
                    let at = fs::metadata(&path).and_then(|m| m.modified()).ok()?;
                    Some((at, path))
                })
                .filter(|(_, p)| !self.seen.contains(p))
                .collect();
        new.sort();
        for (_, path) in new {
            self.opens(&path)?;
            self.seen.insert(path);
        }
        Ok(())
    }

    fn opens(&mut self, path: &Path) -> Done {
        let raw = fs::read(path)?;
        let mail = letter::open(&raw, &Limits::default())
            .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
        let header = |name: &str| mail.header(name).unwrap_or_default().trim().to_owned();
        let to = header("to");
        writeln!(
            self.out,
            "\n<<<< To: {to}\n     Subject: {}\n",
            mail.subject
        )?;
        for line in mail.text.trim_end().lines() {
            writeln!(self.out, "{}", format!("     {line}").trim_end())?;
        }
        let got = Mail {
            subject: mail.subject.clone(),
            message_id: header("message-id").trim_matches(['<', '>']).to_owned(),
            reply_to: header("reply-to"),
            text: mail.text.clone(),
        };
        if let Some(player) = self.players.iter_mut().find(|p| to.contains(p.address)) {
            player.last = Some(got);
        }
        Ok(())
    }

    fn begin(&mut self, game: &str) -> Done {
        self.say("Alice has heard of the referee and wants to play Bob")?;
        self.writes(
            0,
            &format!("new {game} vs bob@dale.example as white\nname Alice"),
        )?;
        self.say("The referee cannot know yet that Alice wrote this, so it asks her first")?;
        self.writes(0, "yes, that was me")?;
        self.say("Bob has his invitation")?;
        Ok(())
    }

    /// Picks that match, picks that do not, a refused move, a letter that comes twice, an ending.
    fn tulpas(&mut self) -> Done {
        self.writes(1, "accept\nname Bob\nguess amazon")?;
        self.say("Alice sends her card, her move for either outcome, and her guess, all in one")?;
        self.writes(
            0,
            "pick amazon\nif created: A@a2; Aa2-b4\nelse: Nc1-a2\nguess spider",
        )?;
        self.say("Bob tries something that is not allowed: nothing of his letter is done")?;
        self.writes(1, "pick ox\nelse: Ma10*b9\nguess archer")?;
        self.writes(1, "pick ox\nelse: a8-a7\nguess archer")?;
        let letter = self.writes(0, "pick ox\nelse: Ab4xf8\nguess mace")?;
        self.say("A mail server delivers Alice's letter a second time: nothing happens")?;
        let again = fs::read_to_string(&letter)?;
        self.letters += 1;
        self.post(&again)?;
        self.round()?;
        self.writes(1, "pick spider\nelse: a7-a6\nguess ox")?;
        self.say("Alice's Amazon takes the King")?;
        self.writes(0, "pick mace\nelse: Af8xf9")?;
        Ok(())
    }

    /// Two players who take the first thing that is legal and captures, or else something in the middle.
    fn anything(&mut self) -> Done {
        self.writes(1, "accept\nname Bob")?;
        for turn in 0..TURNS_MAX {
            let Some((who, order)) = self.choice(turn) else {
                return Ok(());
            };
            self.writes(who, &order)?;
        }
        if let Some((who, _)) = self.choice(TURNS_MAX) {
            self.say("Enough for a demo")?;
            self.writes(who, "resign")?;
        }
        Ok(())
    }

    fn choice(&self, turn: usize) -> Option<(usize, String)> {
        let records = self.daemon.records();
        let game = records.game(MatchNo(1))?;
        let table = game.table.as_ref()?;
        let (seat, what) = game.awaited().into_iter().next()?;
        let player = game.player_at(seat)?;
        let address = records.player(player)?.address.clone();
        let who = self.players.iter().position(|p| p.address == address)?;
        let order = match what {
            What::Turn => whole_turn(table, seat, turn),
            other => {
                let choices = table.choices(seat, other);
                choices.get(turn % choices.len().max(1))?.clone()
            }
        };
        Some((who, order))
    }

    fn end(self) -> Done {
        let Scene {
            daemon, dir, out, ..
        } = self;
        daemon.close()?;
        let place = dir.display();
        writeln!(
            out,
            "\n==== That was it. Every letter, mail and record lies in\n     {place}"
        )?;
        writeln!(
            out,
            "     mail/inbox/cur   what the players wrote\n     mail/outbox/new  what the referee mailed\n     \
             state            its journal; look with: tulpa -c {place}/tulpa.ron matches"
        )?;
        Ok(())
    }
}

/// A whole legal turn: captures where it can, else wanders; `end` once it may.
fn whole_turn(table: &Table, seat: crate::rules::Seat, turn: usize) -> String {
    let mut steps: Vec<String> = Vec::new();
    loop {
        let so_far: Vec<&str> = steps.iter().map(String::as_str).collect();
        let Ok(next) = table.next(seat, &so_far) else {
            break;
        };
        if next.steps.is_empty() {
            break;
        }
        if next.may_stop && steps.len() > 2 {
            steps.push("end".to_owned());
            break;
        }
        let at = (turn * 7 + steps.len() * 5) % next.steps.len();
        let step = next.steps.iter().find(|s| s.contains('x'));
        steps.push(step.unwrap_or(&next.steps[at]).clone());
        if steps.len() >= 40 {
            break;
        }
    }
    steps.join("; ")
}
