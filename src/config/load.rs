//! From a file to a [`Config`], or to an error that says where and what instead.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ron::extensions::Extensions;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::{Config, InboxConf, OutboxConf, Password};

/// Largest configuration read.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What is wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub file: Option<PathBuf>,
    /// Line and column, from 1.
    pub at: Option<(usize, usize)>,
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub hint: Option<String>,
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
        }
        if let Some((line, column)) = self.at {
            write!(f, "{line}:{column}:")?;
        }
        if self.file.is_some() || self.at.is_some() {
            f.write_str(" ")?;
        }
        f.write_str(&self.what)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl Config {
    /// The places looked at where no file is named, first to last.
    pub fn places() -> Vec<PathBuf> {
        let mut places = vec![PathBuf::from("tulpa.ron")];
        let var = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        if let Some(dir) =
            var("XDG_CONFIG_HOME").or_else(|| var("HOME").map(|home| home.join(".config")))
        {
            places.push(dir.join("tulpa/tulpa.ron"));
        }
        places.push(PathBuf::from("/etc/tulpa/tulpa.ron"));
        places
    }

    /// The configuration named, or the first of [`Config::places`].
    pub fn find(named: Option<&Path>) -> Result<Config, ConfigError> {
        if let Some(path) = named {
            return Config::load(path);
        }
        let places = Config::places();
        if let Some(path) = places.iter().find(|path| path.exists()) {
            return Config::load(path);
        }
        let list: Vec<String> = places
            .iter()
            .map(|path| format!("`{}`", path.display()))
            .collect();
        Err(ConfigError {
            file: None,
            at: None,
            what: format!("no configuration: looked for {}", list.join(", ")),
            hint: Some(
                "copy `config.example.ron` to `tulpa.ron`, or name a file with `--config`".into(),
            ),
        })
    }

    /// Reads a file; relative paths in it become relative to its directory.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        use std::io::Read;
        let error = |what: String| ConfigError {
            file: Some(path.to_owned()),
            at: None,
            what,
            hint: None,
        };
        let mut bytes = Vec::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
            .map_err(|e| error(format!("cannot read the configuration: {e}")))?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(error("is larger than any configuration".into()));
        }
        let text = String::from_utf8(bytes).map_err(|_| error("is not UTF-8".into()))?;
        let mut config = Config::parse(&text).map_err(|e| ConfigError {
            file: Some(path.to_owned()),
            ..e
        })?;
        let whole = std::path::absolute(path).map_err(|e| error(e.to_string()))?;
        config.anchor(whole.parent().unwrap_or(Path::new("/")));
        config.file = Some(path.to_owned());
        config.refuse_open_inline()?;
        Ok(config)
    }

    /// Reads a text; paths stay as they are.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        let text = text.trim_start_matches('\u{feff}');
        ron::Options::default()
            .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
            .from_str(text)
            .map_err(|error| {
                let (what, hint) = explain(&error.code);
                ConfigError {
                    file: None,
                    at: Some((error.span.start.line, error.span.start.col)),
                    what,
                    hint,
                }
            })
    }

    /// Makes relative paths relative to `dir`.
    pub fn anchor(&mut self, dir: &Path) {
        let fix = |path: &mut PathBuf| *path = dir.join(&*path);
        fix(&mut self.state);
        self.games.iter_mut().for_each(fix);
        self.templates.iter_mut().for_each(fix);
        let secret = |password: &mut Option<Password>| {
            if let Some(Password::File(path)) = password {
                fix(path);
            }
        };
        match &mut self.inbox {
            InboxConf::Maildir(path) => fix(path),
            InboxConf::Imap(imap) => {
                imap.ca.iter_mut().for_each(fix);
                secret(&mut imap.password);
            }
            InboxConf::Pipe => {}
        }
        match &mut self.outbox {
            OutboxConf::Maildir(path) | OutboxConf::Sendmail(path) => fix(path),
            OutboxConf::Smtp(smtp) => {
                smtp.ca.iter_mut().for_each(fix);
                secret(&mut smtp.password);
            }
        }
    }

    fn refuse_open_inline(&self) -> Result<(), ConfigError> {
        let inbox = match &self.inbox {
            InboxConf::Imap(imap) => imap.password.as_ref(),
            _ => None,
        };
        let outbox = match &self.outbox {
            OutboxConf::Smtp(smtp) => smtp.password.as_ref(),
            _ => None,
        };
        for password in [inbox, outbox].into_iter().flatten() {
            if matches!(password, Password::Inline(_))
                && let Err(what) = password.check(self.file.as_deref())
            {
                let hint = Some(
                    "`chmod 600` the file, or use `File(..)`, `Command(..)`, `Env(..)`".into(),
                );
                return Err(ConfigError {
                    file: self.file.clone(),
                    at: None,
                    what: format!("inline password: {what}"),
                    hint,
                });
            }
        }
        Ok(())
    }
}

/// A length of time as text: `"90s"`, `"5m"`, `"2h"`, `"3d"`.
pub(super) fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    parse_duration(&text).ok_or_else(|| {
        D::Error::custom(format!(
            "`{text}` is not a length of time, expected one like `60s`, `5m`, `2h` or `3d`"
        ))
    })
}

/// Reads a length of time; `None` if it is none or longer than a century.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(at);
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 24 * 3600,
        _ => return None,
    };
    let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (seconds <= 100 * 366 * 24 * 3600).then(|| Duration::from_secs(seconds))
}

fn explain(code: &ron::Error) -> (String, Option<String>) {
    use ron::Error as E;
    match code {
        E::NoSuchStructField {
            expected, found, ..
        } => (
            format!("unknown setting `{found}`"),
            Some(nearest(found, expected)),
        ),
        E::NoSuchEnumVariant {
            expected, found, ..
        } => (
            format!("unknown choice `{found}`"),
            Some(nearest(found, expected)),
        ),
        E::DuplicateStructField { field, .. } => (format!("`{field}` is set twice"), None),
        E::MissingStructField { field, .. } => (format!("`{field}` is missing"), None),
        other => {
            let text = other.to_string();
            let mut chars = text.chars();
            let lower = chars
                .next()
                .map(|c| c.to_lowercase().chain(chars).collect())
                .unwrap_or(text.clone());
            (lower, None)
        }
    }
}

/// `did you mean`, when one is near; all that there are, in any case.
fn nearest(found: &str, known: &[&str]) -> String {
    let all = known
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let best = known.iter().map(|name| (distance(found, name), name)).min();
    match best {
        Some((far, name)) if far <= 1 + found.len() / 3 => {
            format!("did you mean `{name}`? known here: {all}")
        }
        _ => format!("known here: {all}"),
    }
}

/// Letters to add, drop or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
