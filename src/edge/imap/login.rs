//! From a socket to an open mailbox, and what a server's errors are called.

use imap::Error;
use imap::types::{Flag, Mailbox};

use super::{ImapSetup, Line, Login, TALK_BYTES_MAX};
use crate::edge::InboxError;
use crate::edge::stream::{COMMAND_TIMEOUT, Gauge, Stream};

struct Token<'a>(&'a str);

impl imap::Authenticator for Token<'_> {
    type Response = String;
    /// A challenge that is not empty is the server's error; it wants an empty line before it says NO.
    fn process(&self, challenge: &[u8]) -> String {
        if challenge.is_empty() {
            self.0.to_owned()
        } else {
            String::new()
        }
    }
}

pub(super) fn open(setup: &mut ImapSetup) -> Result<Line, InboxError> {
    let secret = (setup.password)().map_err(InboxError::Stop)?;
    let gauge = Gauge::new(TALK_BYTES_MAX);
    let stream = Stream::imap(&setup.server, gauge.clone())?;
    let client = imap::Client::new(stream);
    let login = match setup.login {
        Login::Password => client.login(&setup.user, secret.reveal()),
        Login::XOAuth2 => {
            let token = zeroize::Zeroizing::new(format!(
                "user={}\x01auth=Bearer {}\x01\x01",
                setup.user,
                secret.reveal()
            ));
            client.authenticate("XOAUTH2", &Token(&token))
        }
    };
    let mut session = login.map_err(|(error, _)| match error {
        // A server that is only busy says so in the code (RFC 5530).
        Error::No(no) if no.information.to_ascii_uppercase().contains("UNAVAILABLE") => {
            InboxError::Later(format!(
                "login not possible now: {}",
                clean(&no.information)
            ))
        }
        Error::No(no) => InboxError::Stop(format!(
            "login refused for `{}`: {}",
            setup.user,
            clean(&no.information)
        )),
        other => InboxError::Later(say(&other)),
    })?;
    let later = |error: Error| InboxError::Later(say(&error));
    gauge.allow(COMMAND_TIMEOUT, TALK_BYTES_MAX);
    let can = session.capabilities().map_err(later)?;
    let (can_move, can_idle) = (can.has_str("MOVE"), can.has_str("IDLE"));
    gauge.allow(COMMAND_TIMEOUT, TALK_BYTES_MAX);
    let mailbox = session.select(&setup.folder).map_err(|error| match error {
        Error::No(no) => InboxError::Stop(format!(
            "cannot open mailbox `{}`: {}",
            setup.folder,
            clean(&no.information)
        )),
        other => later(other),
    })?;
    if mailbox.is_read_only {
        return Err(InboxError::Stop(format!(
            "mailbox `{}` is read-only",
            setup.folder
        )));
    }
    let Some(validity) = mailbox.uid_validity else {
        return Err(InboxError::Stop(format!(
            "mailbox `{}` has no UIDVALIDITY: letters there have no lasting names",
            setup.folder
        )));
    };
    let keywords = keeps(&mailbox, &setup.keyword);
    Ok(Line {
        session,
        gauge,
        validity,
        keywords,
        can_move,
        can_idle,
    })
}

/// Whether the mailbox keeps our keyword (RFC 3501 section 7.1, PERMANENTFLAGS).
fn keeps(mailbox: &Mailbox, keyword: &str) -> bool {
    !keyword.is_empty()
        && mailbox.permanent_flags.iter().any(|flag| match flag {
            Flag::MayCreate => true,
            Flag::Custom(name) => name.eq_ignore_ascii_case(keyword),
            _ => false,
        })
}

/// A server's words, safe to print.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

pub(super) fn say(error: &Error) -> String {
    match error {
        Error::Io(e)
            if matches!(
                e.kind(),
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
            ) =>
        {
            "the IMAP server does not answer".into()
        }
        Error::Io(e) => format!("the IMAP connection broke: {e}"),
        Error::ConnectionLost => "the IMAP server closed the connection".into(),
        Error::Bye(bye) => format!("the IMAP server says goodbye: {}", clean(&bye.information)),
        Error::No(no) => format!("the IMAP server refuses: {}", clean(&no.information)),
        Error::Bad(bad) => format!(
            "the IMAP server does not understand: {}",
            clean(&bad.information)
        ),
        Error::Parse(_) => "the IMAP server's answer cannot be read".into(),
        _ => "the IMAP server's answer makes no sense".into(),
    }
}
