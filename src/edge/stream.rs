//! A connection that always ends: every read has a deadline and a byte allowance, plain or over TLS.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::InboxError;

/// Until a connection must stand, for each address of a host.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Until a command must be answered whole.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest line read before TLS is up.
const LINE_BYTES_MAX: usize = 2048;
/// Lines read before the answer to STARTTLS.
const LINES_MAX: usize = 32;

/// How the line to a server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// TLS from the first byte (ports 993 and 465).
    Tls,
    /// STARTTLS, and nothing without it.
    StartTls,
    /// No protection: accepted for loopback addresses only.
    None,
}

/// Whether a host is this machine, the only one that may be spoken to without TLS.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

/// Where a server is and whom to believe that it is the one.
#[derive(Debug, Clone)]
pub struct Server {
    /// Host name, also the one its certificate must carry.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// TLS.
    pub protection: Protection,
    /// A PEM file of certificate authorities to believe instead of the machine's own.
    pub ca: Option<PathBuf>,
}

/// What the owner of a session may still spend; shared with the stream inside the session.
#[derive(Debug, Clone)]
pub struct Gauge(Arc<Mutex<Spend>>);

#[derive(Debug)]
struct Spend {
    until: Instant,
    bytes: u64,
    idle: bool,
}

impl Gauge {
    /// A gauge with one command's time and `bytes` to read.
    pub fn new(bytes: u64) -> Gauge {
        Gauge(Arc::new(Mutex::new(Spend {
            until: Instant::now() + COMMAND_TIMEOUT,
            bytes,
            idle: false,
        })))
    }

    fn with<T>(&self, f: impl FnOnce(&mut Spend) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Before each command: so long and so much.
    pub fn allow(&self, time: Duration, bytes: u64) {
        self.with(|spend| {
            spend.until = Instant::now() + time;
            spend.bytes = bytes;
            spend.idle = false;
        });
    }

    /// The next command is IDLE: its `+` is handed out before untagged lines that came first. `imap` 3.0.0-alpha.15
    /// would swallow them and wait for its time-out (RFC 2177 allows that order).
    pub fn allow_idle(&self, bytes: u64) {
        self.allow(COMMAND_TIMEOUT, bytes);
        self.with(|spend| spend.idle = true);
    }
}

enum Line {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

/// A connection to a server.
pub struct Stream {
    line: Line,
    gauge: Gauge,
    ready: Vec<u8>,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.line {
            Line::Plain(_) => "Stream::Plain",
            Line::Tls(_) => "Stream::Tls",
        })
    }
}

impl Stream {
    /// Connects to an IMAP server and reads its greeting, by hand: STARTTLS is answered before any login, PREAUTH is
    /// refused (it would skip STARTTLS), and what a server sends before TLS is up is never read as an answer after it.
    pub fn imap(server: &Server, gauge: Gauge) -> Result<Stream, InboxError> {
        if server.protection == Protection::None && !is_loopback(&server.host) {
            return Err(InboxError::Stop(format!(
                "`{}` is not this machine, so it needs TLS",
                server.host
            )));
        }
        let tcp = dial(&server.host, server.port)?;
        let mut stream = Stream {
            line: Line::Plain(tcp),
            gauge,
            ready: Vec::new(),
        };
        if server.protection == Protection::Tls {
            stream = stream.secure(server)?;
        }
        stream.greeting()?;
        if server.protection == Protection::StartTls {
            stream.starttls()?;
            stream = stream.secure(server)?;
        }
        Ok(stream)
    }

    fn greeting(&mut self) -> Result<(), InboxError> {
        let line = self.line_by_bytes()?;
        let upper = line.to_ascii_uppercase();
        if upper.starts_with("* OK") {
            Ok(())
        } else if upper.starts_with("* PREAUTH") {
            Err(InboxError::Stop(
                "the server says PREAUTH: that is refused, since it would skip the login".into(),
            ))
        } else if upper.starts_with("* BYE") {
            Err(InboxError::Later(
                "the server says BYE instead of a greeting".into(),
            ))
        } else {
            Err(InboxError::Later("no IMAP greeting".into()))
        }
    }

    fn starttls(&mut self) -> Result<(), InboxError> {
        self.write_all(b"s STARTTLS\r\n")
            .and_then(|()| self.flush())
            .map_err(|e| broken(&e))?;
        for _ in 0..LINES_MAX {
            let line = self.line_by_bytes()?;
            if line.starts_with("* ") {
                continue;
            }
            if !line.to_ascii_uppercase().starts_with("S OK") {
                return Err(InboxError::Stop("the server does not do STARTTLS".into()));
            }
            return match &self.line {
                Line::Plain(tcp) if nothing_waits(tcp) => Ok(()),
                _ => Err(InboxError::Stop("the server sent more after its answer to STARTTLS: somebody may sit in between".into())),
            };
        }
        Err(InboxError::Later("no answer to STARTTLS".into()))
    }

    fn line_by_bytes(&mut self) -> Result<String, InboxError> {
        let mut line = Vec::new();
        let mut byte = [0u8];
        loop {
            if self.read(&mut byte).map_err(|e| broken(&e))? == 0 {
                return Err(InboxError::Later("the server closed the connection".into()));
            }
            if byte[0] == b'\n' {
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            line.push(byte[0]);
            if line.len() > LINE_BYTES_MAX {
                return Err(InboxError::Later("the server's line has no end".into()));
            }
        }
    }

    fn secure(self, server: &Server) -> Result<Stream, InboxError> {
        let Line::Plain(mut tcp) = self.line else {
            return Ok(self);
        };
        let name = ServerName::try_from(server.host.clone())
            .map_err(|_| InboxError::Stop(format!("`{}` is not a host name", server.host)))?;
        let config = client_config(server.ca.as_deref()).map_err(InboxError::Stop)?;
        let mut tls = ClientConnection::new(Arc::new(config), name)
            .map_err(|e| InboxError::Stop(format!("TLS: {e}")))?;
        tcp.set_read_timeout(Some(CONNECT_TIMEOUT))
            .map_err(|e| broken(&e))?;
        while tls.is_handshaking() {
            tls.complete_io(&mut tcp)
                .map_err(|e| handshake_trouble(&server.host, &e))?;
        }
        Ok(Stream {
            line: Line::Tls(Box::new(StreamOwned::new(tls, tcp))),
            gauge: self.gauge,
            ready: self.ready,
        })
    }

    fn read_raw(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let (left, bytes) = self.gauge.with(|spend| {
            (
                spend.until.saturating_duration_since(Instant::now()),
                spend.bytes,
            )
        });
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if bytes == 0 {
            return Err(io::Error::other("the server sends more than was asked for"));
        }
        let most = buf.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
        let read = match &mut self.line {
            Line::Plain(tcp) => {
                tcp.set_read_timeout(Some(left))?;
                tcp.read(&mut buf[..most])?
            }
            Line::Tls(tls) => {
                tls.sock.set_read_timeout(Some(left))?;
                tls.read(&mut buf[..most])?
            }
        };
        self.gauge
            .with(|spend| spend.bytes = spend.bytes.saturating_sub(read as u64));
        Ok(read)
    }

    /// Reads until the answer to IDLE has come and puts that line first.
    fn settle_idle(&mut self) -> io::Result<()> {
        let mut got = Vec::new();
        let mut buf = [0u8; 1024];
        loop {
            let mut from = 0;
            while let Some(end) = got[from..]
                .iter()
                .position(|&b| b == b'\n')
                .map(|at| from + at + 1)
            {
                if got[from] != b'*' {
                    self.ready.extend_from_slice(&got[from..end]);
                    self.ready.extend_from_slice(&got[..from]);
                    self.ready.extend_from_slice(&got[end..]);
                    return Ok(());
                }
                from = end;
            }
            let read = self.read_raw(&mut buf)?;
            if read == 0 {
                self.ready = got;
                return Ok(());
            }
            got.extend_from_slice(&buf[..read]);
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.gauge.with(|spend| std::mem::take(&mut spend.idle)) {
            self.settle_idle()?;
        }
        if !self.ready.is_empty() {
            let most = buf.len().min(self.ready.len());
            buf[..most].copy_from_slice(&self.ready[..most]);
            self.ready.drain(..most);
            return Ok(most);
        }
        self.read_raw(buf)
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.line {
            Line::Plain(tcp) => tcp.write(buf),
            Line::Tls(tls) => tls.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.line {
            Line::Plain(tcp) => tcp.flush(),
            Line::Tls(tls) => tls.flush(),
        }
    }
}

impl imap::extensions::idle::SetReadTimeout for Stream {
    /// `None` puts the time of one command back: a connection without a time-out could wait for ever.
    fn set_read_timeout(&mut self, timeout: Option<Duration>) -> imap::Result<()> {
        self.gauge
            .with(|spend| spend.until = Instant::now() + timeout.unwrap_or(COMMAND_TIMEOUT));
        Ok(())
    }
}

fn dial(host: &str, port: u16) -> Result<TcpStream, InboxError> {
    let trouble =
        |e: io::Error| InboxError::Later(format!("cannot connect to `{host}` port {port}: {e}"));
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs().map_err(trouble)? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(tcp) => {
                tcp.set_write_timeout(Some(COMMAND_TIMEOUT))
                    .and_then(|()| tcp.set_nodelay(true))
                    .map_err(trouble)?;
                return Ok(tcp);
            }
            Err(e) => last = e,
        }
    }
    Err(trouble(last))
}

fn nothing_waits(tcp: &TcpStream) -> bool {
    let mut byte = [0u8];
    let quiet = tcp.set_nonblocking(true).is_ok()
        && matches!(tcp.peek(&mut byte), Err(e) if e.kind() == io::ErrorKind::WouldBlock);
    tcp.set_nonblocking(false).is_ok() && quiet
}

/// Certificates of a PEM file, or why not.
pub fn read_ca(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let text = std::fs::read(path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
    let found = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| format!("`{}` is not a PEM file: {e}", path.display()))?;
    if found.is_empty() {
        return Err(format!("`{}` holds no certificate", path.display()));
    }
    Ok(found)
}

fn client_config(ca: Option<&Path>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = ca {
        for certificate in read_ca(path)? {
            roots
                .add(certificate)
                .map_err(|e| format!("`{}`: {e}", path.display()))?;
        }
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(builder
        .map_err(|e| e.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// Whether an error, or what caused it, is a certificate that is not believed.
pub fn is_bad_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut at = Some(error);
    while let Some(e) = at {
        if matches!(e.downcast_ref(), Some(rustls::Error::InvalidCertificate(_))) {
            return true;
        }
        let inner = e.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.is_some_and(|inner| {
            matches!(
                inner.downcast_ref(),
                Some(rustls::Error::InvalidCertificate(_))
            )
        }) {
            return true;
        }
        at = e.source();
    }
    false
}

fn handshake_trouble(host: &str, error: &io::Error) -> InboxError {
    let text = format!("no TLS with `{host}`: {error}");
    if is_bad_certificate(error) {
        InboxError::Stop(text)
    } else {
        InboxError::Later(text)
    }
}

fn broken(error: &io::Error) -> InboxError {
    InboxError::Later(match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "the server does not answer".into(),
        _ => format!("the connection broke: {error}"),
    })
}
