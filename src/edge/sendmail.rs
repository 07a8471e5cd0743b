//! Mails to the machine's own `sendmail` program, whatever stands behind it.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::address::{has_clean_lines, is_plain};
use super::{Carrier, Delivery};
use crate::store::Queued;

/// Until the program must be done; after that nobody knows what it did.
pub const DONE_WITHIN: Duration = Duration::from_secs(120);
/// For its last words once it has ended; a child of its own may hold the pipes open.
const AFTERWARDS: Duration = Duration::from_secs(2);
/// Exit codes of sysexits.h that are about the machine now: `EX_OSERR`, `EX_CANTCREAT`, `EX_IOERR`, `EX_TEMPFAIL`.
const LATER: [i32; 4] = [71, 73, 74, 75];
/// Those that are about us: `EX_NOPERM`, `EX_CONFIG`.
const STOP: [i32; 2] = [77, 78];
/// What is kept of the program's complaint.
const COMPLAINT_BYTES_MAX: u64 = 300;

/// Sends through `sendmail -i -f SENDER -- RECIPIENT`. Addresses are checked first, so none reads as an option.
#[derive(Debug)]
pub struct SendmailCarrier {
    program: PathBuf,
    within: Duration,
}

impl SendmailCarrier {
    /// A carrier for a program; `/usr/sbin/sendmail` as a rule.
    pub fn new(program: &Path) -> SendmailCarrier {
        SendmailCarrier {
            program: program.to_owned(),
            within: DONE_WITHIN,
        }
    }

    /// Another time limit.
    pub fn within(mut self, time: Duration) -> SendmailCarrier {
        self.within = time;
        self
    }

    fn start(&self, mail: &Queued) -> io::Result<Child> {
        let from = if mail.envelope_from().is_empty() {
            "<>"
        } else {
            mail.envelope_from()
        };
        Command::new(&self.program)
            .args(["-i", "-f", from, "--", mail.to()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
    }
}

impl Carrier for SendmailCarrier {
    fn send(&mut self, mail: &Queued) -> Delivery {
        if !is_plain(mail.to()) {
            return Delivery::Dead("the recipient is not a plain address".into());
        }
        if !mail.envelope_from().is_empty() && !is_plain(mail.envelope_from()) {
            return Delivery::Stop("our own envelope sender is not a plain address".into());
        }
        if !has_clean_lines(mail.bytes()) {
            return Delivery::Dead("the mail has a line end that is not CRLF".into());
        }
        let mut child = match self.start(mail) {
            Ok(child) => child,
            Err(e) => {
                let what = format!("cannot start `{}`: {e}", self.program.display());
                let ours = matches!(
                    e.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                );
                return if ours {
                    Delivery::Stop(what)
                } else {
                    Delivery::Later(what)
                };
            }
        };
        // A pipe of our own each way, in threads: a program that does not read or does not stop must not hold us.
        // Programs of this kind want the line ends of the machine.
        let text: Vec<u8> = mail
            .bytes()
            .iter()
            .copied()
            .filter(|&b| b != b'\r')
            .collect();
        let stdin = child.stdin.take();
        let (wrote, written) = mpsc::channel();
        std::thread::spawn(move || {
            wrote.send(stdin.is_some_and(|mut pipe| pipe.write_all(&text).is_ok()))
        });
        let stderr = child.stderr.take();
        let (heard, said) = mpsc::channel();
        std::thread::spawn(move || {
            let mut complaint = Vec::new();
            if let Some(mut pipe) = stderr {
                let _ = pipe
                    .by_ref()
                    .take(COMPLAINT_BYTES_MAX)
                    .read_to_end(&mut complaint);
                let _ = heard.send(complaint);
                let _ = io::copy(&mut pipe, &mut io::sink());
            }
        });
        let until = Instant::now() + self.within;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Delivery::Unknown("the program did not end in time".into());
                }
            }
        };
        let written = written.recv_timeout(AFTERWARDS).unwrap_or(false);
        let said = if status.success() {
            Vec::new()
        } else {
            said.recv_timeout(AFTERWARDS).unwrap_or_default()
        };
        let said: String = String::from_utf8_lossy(&said)
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        match status.code() {
            Some(0) if written => Delivery::Sent,
            Some(0) => Delivery::Unknown("the program did not read the whole mail".into()),
            Some(code) if LATER.contains(&code) => {
                Delivery::Later(format!("exit code {code}: {}", said.trim()))
            }
            Some(code) if STOP.contains(&code) => {
                Delivery::Stop(format!("exit code {code}: {}", said.trim()))
            }
            Some(code) => Delivery::Dead(format!("exit code {code}: {}", said.trim())),
            None => Delivery::Unknown("the program was killed".into()),
        }
    }
}
