//! From settings to the things they describe: inbox, carrier, passwords.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::{Auth, Config, ConfigError, InboxConf, OutboxConf, Password, Tls};
use crate::edge::imap::{ImapInbox, ImapSetup, Login};
use crate::edge::incoming;
use crate::edge::maildir::{MaildirCarrier, MaildirInbox};
use crate::edge::secret::{PasswordSource, Secret};
use crate::edge::sendmail::SendmailCarrier;
use crate::edge::smtp::{SmtpCarrier, SmtpSetup};
use crate::edge::stream::Server;
use crate::edge::{Carrier, Inbox};

/// Longest password or token.
const PASSWORD_BYTES_MAX: u64 = 16 << 10;
/// Until a password command must have answered.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

impl Config {
    /// The inbox. Connects to nothing yet; makes missing Maildirs.
    pub fn open_inbox(&self) -> Result<Box<dyn Inbox + Send>, ConfigError> {
        Ok(match &self.inbox {
            InboxConf::Maildir(dir) => {
                let inbox = MaildirInbox::open(dir).map_err(|e| self.trouble("inbox", dir, &e))?;
                Box::new(inbox.limit(self.limits.letter_bytes))
            }
            // what `receive` takes while this process is at work
            InboxConf::Pipe => {
                let inbox = incoming::inbox(&self.state, self.limits.letter_bytes);
                Box::new(inbox.map_err(|e| self.trouble("state", &self.state, &e))?)
            }
            InboxConf::Imap(imap) => {
                let port = imap
                    .port
                    .unwrap_or(if imap.tls == Tls::Implicit { 993 } else { 143 });
                let server = Server {
                    host: imap.host.clone(),
                    port,
                    protection: imap.tls.protection(),
                    ca: imap.ca.clone(),
                };
                let mut setup = ImapSetup::new(
                    server,
                    &imap.user,
                    source(imap.password.clone(), self.file.clone()),
                );
                setup.login = match imap.auth {
                    Auth::Password => Login::Password,
                    Auth::XOAuth2 => Login::XOAuth2,
                };
                setup.folder.clone_from(&imap.folder);
                setup.done_folder.clone_from(&imap.done);
                setup.keyword.clone_from(&imap.keyword);
                setup.idle = imap.idle;
                setup.limit = self.limits.letter_bytes;
                Box::new(ImapInbox::new(setup))
            }
        })
    }

    /// The carrier. Connects to nothing yet; makes missing Maildirs.
    pub fn open_carrier(&self) -> Result<Box<dyn Carrier + Send>, ConfigError> {
        Ok(match &self.outbox {
            OutboxConf::Maildir(dir) => {
                Box::new(MaildirCarrier::open(dir).map_err(|e| self.trouble("outbox", dir, &e))?)
            }
            OutboxConf::Sendmail(program) => Box::new(SendmailCarrier::new(program)),
            OutboxConf::Smtp(smtp) => {
                let port = smtp.port.unwrap_or(match smtp.tls {
                    Tls::Implicit => 465,
                    Tls::Starttls => 587,
                    Tls::Off => 25,
                });
                let server = Server {
                    host: smtp.host.clone(),
                    port,
                    protection: smtp.tls.protection(),
                    ca: smtp.ca.clone(),
                };
                let login = smtp
                    .user
                    .clone()
                    .map(|user| (user, source(smtp.password.clone(), self.file.clone())));
                let mut setup = SmtpSetup::new(server, login);
                setup.xoauth2 = smtp.auth == Auth::XOAuth2;
                setup.hello.clone_from(&smtp.hello);
                Box::new(SmtpCarrier::new(setup))
            }
        })
    }

    fn trouble(&self, setting: &str, path: &Path, error: &std::io::Error) -> ConfigError {
        let what = format!("`{setting}`: cannot make `{}`: {error}", path.display());
        ConfigError {
            file: self.file.clone(),
            at: None,
            what,
            hint: None,
        }
    }
}

fn source(password: Option<Password>, file: Option<PathBuf>) -> PasswordSource {
    Box::new(move || match &password {
        Some(password) => password.read(file.as_deref()),
        None => Err("no password is configured".into()),
    })
}

impl Password {
    /// Whether the source may be used at all; reads no secret. `config` is the file that named it.
    pub fn check(&self, config: Option<&Path>) -> Result<(), String> {
        match self {
            Password::File(path) => match path.metadata() {
                Ok(meta) if meta.is_file() => Ok(()),
                Ok(_) => Err(format!("`{}` is not a file", path.display())),
                Err(e) => Err(format!("cannot read `{}`: {e}", path.display())),
            },
            Password::Command(_) => Ok(()),
            Password::Env(name) => match std::env::var_os(name) {
                Some(_) => Ok(()),
                None => Err(format!("`{name}` is not in the environment")),
            },
            Password::Credential(name) => credential(name)?
                .metadata()
                .map(|_| ())
                .map_err(|e| format!("credential `{name}`: {e}")),
            Password::Inline(_) => {
                let Some(path) = config else { return Ok(()) };
                let mode = path
                    .metadata()
                    .map_err(|e| format!("cannot read `{}`: {e}", path.display()))?
                    .permissions()
                    .mode();
                if mode & 0o077 == 0 {
                    Ok(())
                } else {
                    Err(format!(
                        "others can read `{}` (mode {:o})",
                        path.display(),
                        mode & 0o777
                    ))
                }
            }
        }
    }

    /// The password: the first line of its source.
    pub fn read(&self, config: Option<&Path>) -> Result<Secret<String>, String> {
        self.check(config)?;
        match self {
            Password::File(path) => from_file(path),
            Password::Command(line) => from_command(line),
            Password::Env(name) => first_line(
                std::env::var(name)
                    .map_err(|_| format!("`{name}` is not text"))?
                    .into_bytes(),
            ),
            Password::Credential(name) => from_file(&credential(name)?),
            Password::Inline(secret) => Ok(secret.clone()),
        }
    }
}

fn credential(name: &str) -> Result<PathBuf, String> {
    let plain = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !plain || name.is_empty() {
        return Err(format!("`{name}` is not the name of a credential"));
    }
    let dir = std::env::var_os("CREDENTIALS_DIRECTORY")
        .ok_or("systemd gave no credentials (`$CREDENTIALS_DIRECTORY`)")?;
    Ok(Path::new(&dir).join(name))
}

fn from_file(path: &Path) -> Result<Secret<String>, String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(PASSWORD_BYTES_MAX).read_to_end(&mut bytes))
        .map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
    first_line(bytes)
}

fn from_command(line: &str) -> Result<Secret<String>, String> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", line])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot start the password command: {e}"))?;
    let (send, receive) = mpsc::channel();
    let stdout = child.stdout.take();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = stdout {
            let _ = pipe.take(PASSWORD_BYTES_MAX).read_to_end(&mut bytes);
        }
        send.send(bytes)
    });
    let Ok(bytes) = receive.recv_timeout(COMMAND_TIMEOUT) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err("the password command did not end in time".into());
    };
    let status = child.wait().map_err(|e| e.to_string())?;
    if !status.success() {
        return Err(format!("the password command failed: {status}"));
    }
    first_line(bytes)
}

fn first_line(bytes: Vec<u8>) -> Result<Secret<String>, String> {
    let bytes = zeroize::Zeroizing::new(bytes);
    let line = bytes
        .split(|&b| b == b'\n' || b == b'\r')
        .next()
        .unwrap_or_default();
    match std::str::from_utf8(line) {
        Ok("") => Err("the password is empty".into()),
        Ok(text) => Ok(Secret::new(text.to_owned())),
        Err(_) => Err("the password is not UTF-8".into()),
    }
}
