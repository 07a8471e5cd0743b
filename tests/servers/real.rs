//! Dovecot and Exim, started when the first test wants them and stopped with the last.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tulpa::edge::imap::{ImapInbox, ImapSetup};
use tulpa::edge::secret::{PasswordSource, Secret};
use tulpa::edge::smtp::{SmtpCarrier, SmtpSetup};
use tulpa::edge::stream::{Protection, Server};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/mailserver.sh");

pub struct Servers {
    dir: PathBuf,
    ports: BTreeMap<String, u16>,
    /// Ours to stop; none when `TULPA_MAIL_DIR` names running ones.
    _temp: Option<tempfile::TempDir>,
}

/// The running servers.
pub fn servers() -> Arc<Servers> {
    static RUNNING: Mutex<Weak<Servers>> = Mutex::new(Weak::new());
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(servers) = running.upgrade() {
        return servers;
    }
    let servers = Arc::new(Servers::start());
    *running = Arc::downgrade(&servers);
    servers
}

impl Servers {
    fn start() -> Servers {
        let (dir, temp) = match std::env::var_os("TULPA_MAIL_DIR") {
            Some(dir) => (PathBuf::from(dir), None),
            None => {
                use std::os::unix::fs::PermissionsExt;
                let temp = tempfile::Builder::new()
                    .prefix("tm")
                    .tempdir_in("/tmp")
                    .unwrap();
                std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o755))
                    .unwrap();
                let base = 21_000 + (std::process::id() % 20) * 2000;
                let status = Command::new(SCRIPT)
                    .arg("start")
                    .arg(temp.path())
                    .env("PORT_BASE", base.to_string())
                    .status()
                    .unwrap();
                assert!(
                    status.success(),
                    "the servers did not start; try `.ci/mailserver.sh install`"
                );
                (temp.path().to_owned(), Some(temp))
            }
        };
        let env = std::fs::read_to_string(dir.join("ports.env")).unwrap();
        let ports = env
            .lines()
            .filter_map(|line| line.split_once('='))
            .filter_map(|(k, v)| Some((k.to_owned(), v.parse().ok()?)));
        Servers {
            ports: ports.collect(),
            dir,
            _temp: temp,
        }
    }

    pub fn server(&self, port: &str, protection: Protection) -> Server {
        Server {
            host: "localhost".into(),
            port: self.ports[port],
            protection,
            ca: Some(self.dir.join("tls/ca.pem")),
        }
    }

    pub fn stranger(&self) -> PathBuf {
        self.dir.join("tls/stranger.pem")
    }

    pub fn maildir(&self, user: &str) -> PathBuf {
        self.dir.join("mail").join(user).join("Maildir")
    }

    pub fn setup(&self, user: &str) -> ImapSetup {
        ImapSetup::new(
            self.server("IMAPS_PORT", Protection::Tls),
            user,
            password(&format!("secret-{user}")),
        )
    }

    pub fn inbox(&self, user: &str) -> ImapInbox {
        ImapInbox::new(self.setup(user))
    }

    pub fn smtp(&self, port: &str, protection: Protection, user: &str) -> SmtpCarrier {
        let login = Some((user.to_owned(), password(&format!("secret-{user}"))));
        SmtpCarrier::new(SmtpSetup::new(self.server(port, protection), login))
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        if self._temp.is_some() {
            let _ = Command::new(SCRIPT)
                .arg("stop")
                .arg(&self.dir as &Path)
                .status();
        }
    }
}

pub fn password(text: &str) -> PasswordSource {
    let text = text.to_owned();
    Box::new(move || Ok(Secret::new(text.clone())))
}
