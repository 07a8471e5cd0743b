//! What is wrong with a configuration that parses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Config, ConfigError, InboxConf, Limits, OutboxConf, Password, Tls};
use crate::edge::address::is_plain;
use crate::edge::stream::{is_loopback, read_ca};

impl Config {
    /// Whether nothing but directories of this machine is touched: only then may the clock be set (`--now`).
    pub fn is_rehearsal(&self) -> bool {
        matches!(
            (&self.inbox, &self.outbox),
            (InboxConf::Maildir(_), OutboxConf::Maildir(_))
        )
    }

    /// All that is wrong, without touching a server. Nothing when all is good.
    pub fn check(&self) -> Vec<ConfigError> {
        let mut wrong = Wrong {
            file: self.file.clone(),
            found: Vec::new(),
        };
        wrong.unless(
            is_plain(&self.referee.address),
            "referee.address",
            "is not a plain address",
            "`name@host`, nothing around it",
        );
        let name = &self.referee.name;
        wrong.unless(
            !name.trim().is_empty() && !name.chars().any(char::is_control),
            "referee.name",
            "is empty or has control characters",
            "",
        );
        let keeper = self.keeper.address.as_deref();
        wrong.unless(
            keeper.is_none_or(is_plain),
            "keeper.address",
            "is not a plain address",
            "`name@host`, or `None`",
        );
        wrong.unless(
            keeper != Some(&self.referee.address),
            "keeper.address",
            "is the referee's own: alarms would come back as letters",
            "",
        );
        wrong.unless(
            self.poll >= Duration::from_secs(1),
            "poll",
            "is below one second",
            "`\"60s\"`",
        );
        wrong.unless(
            self.language
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
                && !self.language.is_empty(),
            "language",
            "is not a language code",
            "`\"en\"`",
        );
        let most = Limits::default();
        let mine = &self.limits;
        for (name, value, most) in [
            ("letter_bytes", mine.letter_bytes, most.letter_bytes),
            ("header_bytes", mine.header_bytes, most.header_bytes),
            ("header_fields", mine.header_fields, most.header_fields),
            ("depth", mine.depth, most.depth),
            ("parts", mine.parts, most.parts),
            ("text_bytes", mine.text_bytes, most.text_bytes),
            ("orders", mine.orders, most.orders),
        ] {
            let hint = format!("from 1 to {most}");
            wrong.unless(
                (1..=most).contains(&value),
                &format!("limits.{name}"),
                "is out of range",
                &hint,
            );
        }
        wrong.unless(
            mine.letters_per_round > 0,
            "limits.letters_per_round",
            "is 0: no letter would ever be read",
            "",
        );
        for path in &self.games {
            wrong.unless(
                path.exists(),
                "games",
                &format!("`{}` does not exist", path.display()),
                "",
            );
        }
        if let Some(path) = &self.templates {
            wrong.unless(
                path.is_dir(),
                "templates",
                &format!("`{}` is not a directory", path.display()),
                "",
            );
        }
        match &self.inbox {
            InboxConf::Imap(imap) => {
                self.check_server(
                    &mut wrong,
                    "inbox",
                    &imap.host,
                    imap.tls,
                    imap.ca.as_deref(),
                    imap.password.as_ref(),
                );
                wrong.unless(!imap.user.is_empty(), "inbox.user", "is missing", "");
                wrong.unless(
                    imap.password.is_some(),
                    "inbox.password",
                    "is missing",
                    PASSWORDS,
                );
                for folder in [Some(&imap.folder), imap.done.as_ref()]
                    .into_iter()
                    .flatten()
                {
                    let good = !folder.is_empty()
                        && folder.is_ascii()
                        && !folder.chars().any(char::is_control);
                    wrong.unless(
                        good,
                        "inbox.folder",
                        "is empty or not ASCII",
                        "write it in modified UTF-7, as the server lists it",
                    );
                }
                wrong.unless(
                    imap.done.as_ref() != Some(&imap.folder),
                    "inbox.done",
                    "is the mailbox that is read",
                    "another one, or `None`",
                );
                let atom = |b: u8| b.is_ascii_alphanumeric() || b"$_-.".contains(&b);
                wrong.unless(
                    imap.keyword.bytes().all(atom),
                    "inbox.keyword",
                    "is not an IMAP keyword",
                    "`\"$TulpaDone\"`",
                );
            }
            InboxConf::Maildir(_) | InboxConf::Pipe => {}
        }
        match &self.outbox {
            OutboxConf::Smtp(smtp) => {
                self.check_server(
                    &mut wrong,
                    "outbox",
                    &smtp.host,
                    smtp.tls,
                    smtp.ca.as_deref(),
                    smtp.password.as_ref(),
                );
                wrong.unless(
                    smtp.user.is_some() == smtp.password.is_some(),
                    "outbox",
                    "has one of `user` and `password`",
                    "both, or none",
                );
            }
            OutboxConf::Sendmail(path) => {
                wrong.unless(
                    path.is_file(),
                    "outbox",
                    &format!("`{}` is not a program", path.display()),
                    "",
                );
            }
            OutboxConf::Maildir(path) => {
                let same = matches!(&self.inbox, InboxConf::Maildir(inbox) if inbox == path);
                wrong.unless(
                    !same,
                    "outbox",
                    "is the inbox: the referee would read its own mails",
                    "another directory",
                );
            }
        }
        wrong.found
    }

    fn check_server(
        &self,
        wrong: &mut Wrong,
        at: &str,
        host: &str,
        tls: Tls,
        ca: Option<&Path>,
        password: Option<&Password>,
    ) {
        wrong.unless(!host.is_empty(), &format!("{at}.host"), "is missing", "");
        wrong.unless(
            tls != Tls::Off || is_loopback(host),
            &format!("{at}.tls"),
            "is off for another machine",
            "`Implicit` or `Starttls`",
        );
        if let Some(Err(why)) = ca.map(read_ca) {
            wrong.unless(
                false,
                &format!("{at}.ca"),
                &format!("cannot be used: {why}"),
                "",
            );
        }
        if let Some(Err(why)) = password.map(|password| password.check(self.file.as_deref())) {
            wrong.unless(false, &format!("{at}.password"), &why, PASSWORDS);
        }
    }
}

/// The sources of a password, for hints.
const PASSWORDS: &str =
    "`File(\"path\")`, `Command(\"pass show mail\")`, `Env(\"NAME\")` or `Credential(\"name\")`";

struct Wrong {
    file: Option<PathBuf>,
    found: Vec<ConfigError>,
}

impl Wrong {
    fn unless(&mut self, good: bool, setting: &str, what: &str, hint: &str) {
        if !good {
            let hint = (!hint.is_empty()).then(|| hint.to_owned());
            self.found.push(ConfigError {
                file: self.file.clone(),
                at: None,
                what: format!("`{setting}` {what}"),
                hint,
            });
        }
    }
}
