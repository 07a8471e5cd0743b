//! Mails to an SMTP submission server (RFC 6409), one recipient each.
//!
//! The steps of a transaction are taken one by one, since what an error means depends on the step (reliability.md 5):
//! a 550 at MAIL FROM stops everything, at RCPT TO it kills one mail; a broken line before the final dot means later,
//! after it nobody knows.

use std::cell::Cell;
use std::error::Error as _;
use std::time::{Duration, Instant};

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{
    Certificate, CertificateStore, SmtpConnection, TlsParameters,
};
use lettre::transport::smtp::commands::{Data, Mail, Noop, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};

use super::address::{has_clean_lines, is_plain};
use super::secret::PasswordSource;
use super::stream::{Protection, Server, is_bad_certificate, is_loopback};
use super::{Carrier, Delivery};
use crate::store::Queued;

/// Until the server must answer; RFC 5321 section 4.5.3.2 asks for minutes, a mail that waits is sent again anyway.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// A connection silent for longer is not used again; a used one is asked NOOP first.
const KEEP: Duration = Duration::from_secs(20);
/// Mails over one connection; some servers end it after a hundred.
const MAILS_PER_CONNECTION: u32 = 80;

/// A submission server and how to get in.
pub struct SmtpSetup {
    /// The server.
    pub server: Server,
    /// User and where the password comes from; none for a relay that knows us.
    pub login: Option<(String, PasswordSource)>,
    /// Whether the password is an XOAUTH2 access token.
    pub xoauth2: bool,
    /// What to call ourselves in EHLO; the machine's name if `None`.
    pub hello: Option<String>,
    /// Time for one answer.
    pub timeout: Duration,
}

impl SmtpSetup {
    /// The usual: password login, the machine's name.
    pub fn new(server: Server, login: Option<(String, PasswordSource)>) -> SmtpSetup {
        SmtpSetup {
            server,
            login,
            xoauth2: false,
            hello: None,
            timeout: ANSWER_TIMEOUT,
        }
    }
}

/// Sends over SMTP, keeping one connection while there is work.
pub struct SmtpCarrier {
    setup: SmtpSetup,
    open: Option<(SmtpConnection, Instant, u32)>,
}

impl SmtpCarrier {
    /// A carrier that has not connected yet.
    pub fn new(setup: SmtpSetup) -> SmtpCarrier {
        SmtpCarrier { setup, open: None }
    }

    /// Connects and logs in, then hangs up: what `tulpa doctor` asks.
    pub fn probe(&mut self) -> Result<(), Delivery> {
        let mut line = self.connect()?;
        let _ = line.quit();
        Ok(())
    }

    fn line(&mut self) -> Result<(SmtpConnection, u32), Delivery> {
        if let Some((mut line, used, mails)) = self.open.take() {
            if used.elapsed() < KEEP && mails < MAILS_PER_CONNECTION && line.test_connected() {
                return Ok((line, mails));
            }
            line.abort();
        }
        Ok((self.connect()?, 0))
    }

    fn connect(&mut self) -> Result<SmtpConnection, Delivery> {
        let server = &self.setup.server;
        if server.protection == Protection::None && !is_loopback(&server.host) {
            return Err(Delivery::Stop(format!(
                "`{}` is not this machine, so it needs TLS",
                server.host
            )));
        }
        let hello = self
            .setup
            .hello
            .clone()
            .map_or_else(ClientId::default, ClientId::Domain);
        let tls = tls_of(server).map_err(Delivery::Stop)?;
        let wrapped = tls
            .as_ref()
            .filter(|_| server.protection == Protection::Tls);
        let to = (server.host.as_str(), server.port);
        let mut line = SmtpConnection::connect(to, Some(self.setup.timeout), &hello, wrapped, None)
            .map_err(|e| before(&e))?;
        if let Some(tls) = tls
            .as_ref()
            .filter(|_| server.protection == Protection::StartTls)
        {
            if !line.can_starttls() {
                line.abort();
                return Err(Delivery::Stop(format!(
                    "`{}` does not offer STARTTLS",
                    server.host
                )));
            }
            line.starttls(tls, &hello).map_err(|e| before(&e))?;
            // An answer put in before TLS was up would leave us one answer behind: EHLO's many lines would come now.
            let noop = line.command(Noop).map_err(|e| before(&e))?;
            if noop.message().count() > 1 {
                line.abort();
                return Err(Delivery::Stop(
                    "answers came that were not asked for: somebody may sit in between".into(),
                ));
            }
        }
        if let Some((user, source)) = self.setup.login.as_mut() {
            let secret = source().map_err(Delivery::Stop)?;
            let credentials = Credentials::new(user.clone(), secret.reveal().clone());
            let ways: &[Mechanism] = if self.setup.xoauth2 {
                &[Mechanism::Xoauth2]
            } else {
                &[Mechanism::Plain, Mechanism::Login]
            };
            match line.auth(ways, &credentials) {
                Ok(answer) if answer.has_code(235) => {}
                Ok(answer) => {
                    line.abort();
                    return Err(Delivery::Later(format!(
                        "login answered with {}",
                        answer.code()
                    )));
                }
                Err(e) => {
                    line.abort();
                    let what = format!("login as `{user}`: {}", say(&e));
                    return Err(if e.is_permanent() || e.is_client() {
                        Delivery::Stop(what)
                    } else {
                        Delivery::Later(what)
                    });
                }
            }
        }
        Ok(line)
    }
}

impl Carrier for SmtpCarrier {
    fn send(&mut self, mail: &Queued) -> Delivery {
        let (from, to) = match addresses(mail) {
            Ok(pair) => pair,
            Err(refused) => return refused,
        };
        let (mut line, mails) = match self.line() {
            Ok(line) => line,
            Err(why) => return why,
        };
        let done = transact(&mut line, from, to, mail.bytes());
        if done == Delivery::Sent {
            self.open = Some((line, Instant::now(), mails + 1));
        } else {
            line.abort();
        }
        done
    }
}

impl Drop for SmtpCarrier {
    fn drop(&mut self) {
        if let Some((mut line, _, _)) = self.open.take() {
            let _ = line.set_timeout(Some(Duration::from_secs(1)));
            line.abort();
        }
    }
}

/// Sender and recipient of a mail that may be sent at all.
fn addresses(mail: &Queued) -> Result<(Option<Address>, Address), Delivery> {
    let parse = |text: &str| {
        Some(text)
            .filter(|text| is_plain(text))
            .and_then(|text| text.parse::<Address>().ok())
    };
    let to = parse(mail.to())
        .ok_or_else(|| Delivery::Dead("the recipient is not a plain address".into()))?;
    let from = match mail.envelope_from() {
        "" => None,
        text => Some(parse(text).ok_or_else(|| {
            Delivery::Stop("our own envelope sender is not a plain address".into())
        })?),
    };
    if !has_clean_lines(mail.bytes()) {
        return Err(Delivery::Dead(
            "the mail has a line end that is not CRLF".into(),
        ));
    }
    Ok((from, to))
}

fn transact(
    line: &mut SmtpConnection,
    from: Option<Address>,
    to: Address,
    bytes: &[u8],
) -> Delivery {
    let mut parameters = Vec::new();
    if !bytes.is_ascii() {
        if !line.server_info().supports_feature(Extension::EightBitMime) {
            return Delivery::Dead("the mail is not ASCII and the server takes no 8BITMIME".into());
        }
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    if let Err(e) = line.command(Mail::new(from, parameters)) {
        let what = format!("sender refused: {}", say(&e));
        return if e.is_permanent() {
            Delivery::Stop(what)
        } else {
            Delivery::Later(what)
        };
    }
    if let Err(e) = line.command(Rcpt::new(to, Vec::new())) {
        return step(&e, "recipient");
    }
    match line.command(Data) {
        Ok(answer) if answer.has_code(354) => {}
        Ok(answer) => return Delivery::Later(format!("DATA answered with {}", answer.code())),
        Err(e) => return step(&e, "DATA"),
    }
    // The second look of the writer for more bytes happens when the first are out, just before the dot.
    let written = Cell::new(false);
    let mut parts = [bytes].into_iter();
    let body = std::iter::from_fn(|| {
        let next = parts.next();
        written.set(next.is_none());
        next
    });
    match line.message_iter(body) {
        Ok(_) => Delivery::Sent,
        Err(e) if e.is_permanent() || e.is_transient() => step(&e, "mail"),
        Err(e) if written.get() => {
            Delivery::Unknown(format!("no answer after the mail: {}", say(&e)))
        }
        Err(e) => Delivery::Later(format!("the connection broke within the mail: {}", say(&e))),
    }
}

/// An answer to RCPT, DATA or the mail itself: 5xx is final, but for those that are about us and not about this mail.
fn step(error: &Error, what: &str) -> Delivery {
    let text = format!("{what}: {}", say(error));
    match error.status().map(u16::from) {
        Some(530 | 534 | 535 | 538) => Delivery::Stop(text),
        Some(500..) => Delivery::Dead(text),
        _ => Delivery::Later(text),
    }
}

/// An error before any transaction.
fn before(error: &Error) -> Delivery {
    let text = say(error);
    let cause: &(dyn std::error::Error + 'static) = error;
    if is_bad_certificate(cause) {
        Delivery::Stop(text)
    } else {
        Delivery::Later(text)
    }
}

/// The server's words without control characters, and never a line of the mail.
fn say(error: &Error) -> String {
    let mut text = error.to_string();
    if error.is_timeout() {
        text = "the server does not answer".into();
    } else if let (Some(code), Some(cause)) = (error.status(), error.source()) {
        text = format!("{code} {cause}");
    }
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(300)
        .collect()
}

fn tls_of(server: &Server) -> Result<Option<TlsParameters>, String> {
    if server.protection == Protection::None {
        return Ok(None);
    }
    let mut builder = TlsParameters::builder(server.host.clone());
    if let Some(path) = &server.ca {
        super::stream::read_ca(path)?;
        let pem =
            std::fs::read(path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
        let ca = Certificate::from_pem(&pem).map_err(|e| format!("`{}`: {e}", path.display()))?;
        builder = builder
            .certificate_store(CertificateStore::None)
            .add_root_certificate(ca);
    }
    builder
        .build()
        .map(Some)
        .map_err(|e| format!("TLS for `{}`: {e}", server.host))
}
