//! Players and referee with a Maildir between them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::super::{Done, Failure};
use crate::daemon::Daemon;
use crate::edge::maildir::{MaildirCarrier, MaildirInbox};
use crate::edge::{Carrier, Inbox};
use crate::post::letter::{self, Limits};

pub(super) struct Player {
    pub(super) name: &'static str,
    pub(super) address: &'static str,
    /// The last mail of the referee to him: what he answers.
    pub(super) last: Option<Mail>,
}

#[derive(Clone)]
pub(super) struct Mail {
    subject: String,
    message_id: String,
    reply_to: String,
    text: String,
}

pub(super) struct Scene<'a> {
    pub(super) dir: PathBuf,
    pub(super) daemon: Daemon,
    pub(super) inbox: MaildirInbox,
    pub(super) carrier: MaildirCarrier,
    pub(super) players: Vec<Player>,
    pub(super) letters: usize,
    pub(super) seen: BTreeSet<PathBuf>,
    pub(super) out: &'a mut dyn Write,
}

impl Scene<'_> {
    pub(super) fn say(&mut self, text: &str) -> Done {
        writeln!(self.out, "\n==== {text}")?;
        Ok(())
    }

    /// A player answers the last mail he got, quoting it as mail programs do.
    pub(super) fn writes(&mut self, who: usize, body: &str) -> Result<PathBuf, Failure> {
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
    pub(super) fn post(&mut self, letter: &str) -> Result<PathBuf, Failure> {
        let inbox = self.dir.join("mail/inbox");
        let count = self.seen.len() + self.letters;
        let name = format!("{:04}.{count}.demo", self.letters);
        let tmp = inbox.join("tmp").join(&name);
        fs::write(&tmp, letter)?;
        fs::rename(&tmp, inbox.join("new").join(&name))?;
        Ok(inbox.join("cur").join(format!("{name}:2,S")))
    }

    /// The referee works, then everybody opens his mail.
    pub(super) fn round(&mut self) -> Done {
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

    pub(super) fn end(self) -> Done {
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
