//! The texts of all mails: one template for each Notice and Refusal, in minijinja.
//!
//! # How a template is made
//!
//! A file `templates/en/<name>.txt` (help: `templates/help/<topic>.txt`, called `help/<topic>`; the rules of a game:
//! `templates/rules/<id>.txt`, called `rules/<id>`) looks like this:
//!
//! ```text
//! {# knows: game, who, view #}
//! Subject: [tulpas #{{ game }}] Your move, vs {{ who }}
//!
//! {{ who }} played.
//!
//! {% include "_board" %}
//! ```
//!
//! - The line `knows:` (optional) lists every variable the program hands over. Without it a template may use what the
//!   built-in one uses. An override of the Keeper's may use the same variables and no others; [`Templates::check`] says so.
//! - The first line after it starts with `Subject: `, then comes an empty line, then the body. Names that start with `_`
//!   (`_board`, `rules/_head`) are parts for `{% include "_x" %}` and have no subject.
//! - An unknown variable is an error, never an empty place in a mail. Ask `{% if x is defined %}` where it may be missing.
//! - A line with nothing but `{% ... %}` vanishes. Lines longer than 72 columns are broken at blanks (not boards), blanks at
//!   line ends vanish, runs of empty lines become one.
//! - Every file of these folders is built in; the build script lists them.
//!
//! # Filters (beside minijinja's own)
//!
//! | filter | gives |
//! |---|---|
//! | `view \| board` | the board in the reader's style and from his side; a number as argument: from that seat's side |
//! | `view \| notes` | what stands beside the board: `  White  Tulpas to come: amazon ox` |
//! | `seat \| seat` | the name of a seat number, as in the rulebook: `white` |
//! | `time \| time` | RFC 3339 text or Unix seconds -> `Tue 25 Nov 2025 14:00 UTC` in the reader's zone |
//! | `seconds \| span` | `5 days`, `3 hours`, `2 days 4 hours` |
//! | `n \| plural("day")` | `1 day`, `5 days`; `plural("man", "men")` where an s is not enough |
//! | `text \| wrap` | broken at 72 columns, or at the argument |
//! | `text \| chat` | what a player wrote, made harmless: each line after `\| `, at most 40 lines |
//! | `text \| oneline` | all white space is one blank |
//!
//! The reader's own style reaches the filters through the variable `style`, which [`Templates::render`] adds.
//!
//! Values never become template source: they are put in last and are not read again. All strings of a context are freed
//! of control characters, bidi overrides and zero-width characters first (security.md 4).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::board::BoardStyle;
use crate::rules::{Seat, View};

mod builtin;
mod check;
mod filters;
mod given;
pub mod text;

pub use builtin::{BUILTIN, names};

/// Mails are at most this wide (protocol.md, Writing mails).
pub const COLUMNS: usize = 72;
/// No mail grows beyond this; a template that writes more is an error, not a full disk. Bytes.
pub const WORDS_BYTES_MAX: usize = 256 * 1024;
/// Instructions of the template engine for one mail: some hundred times what the longest of ours needs.
const FUEL: u64 = 1_000_000;
/// How deep templates may include each other.
const DEPTH_MAX: usize = 32;

/// The marks around a board in rendered text; stripped from every value that comes in.
pub(crate) const BOARD_OPEN: char = '\u{E000}';
pub(crate) const BOARD_HTML: char = '\u{E001}';
pub(crate) const BOARD_CLOSE: char = '\u{E002}';

/// How one reader wants his mails.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Style {
    /// `set board=`.
    pub board: BoardStyle,
    /// `set timezone=`, an IANA name. An unknown one is UTC.
    pub zone: String,
    /// From whose side boards are drawn; nobody's: from the first seat's.
    pub eyes: Option<Seat>,
    /// Names of the seats of this game, by number.
    pub seats: Vec<String>,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            board: BoardStyle::Plain,
            zone: "UTC".into(),
            eyes: None,
            seats: Vec::new(),
        }
    }
}

/// A piece of a rendered body: text, or a board that must keep its columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// Words, lines ending in `\n`.
    Text(String),
    /// A board: as it stands in the plain text, and as HTML.
    Board {
        /// For text/plain.
        plain: String,
        /// For text/html, escaped and ready.
        html: String,
    },
}

/// A rendered mail, not yet composed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// One line, no control characters.
    pub subject: String,
    /// The whole plain text, lines end in `\n`.
    pub text: String,
    /// The same, in pieces, for [`super::hypertext`].
    pub blocks: Vec<Block>,
}

/// What is wrong with a template.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("template `{template}`{}: {what}", line.map(|l| format!(", line {l}")).unwrap_or_default())]
pub struct WordsError {
    /// Its name, as in `BUILTIN`.
    pub template: String,
    /// Where, if known; counted in the file.
    pub line: Option<usize>,
    /// What, as a sentence without a full stop.
    pub what: String,
}

impl WordsError {
    fn new(template: &str, line: Option<usize>, what: impl Into<String>) -> WordsError {
        WordsError {
            template: template.into(),
            line,
            what: what.into(),
        }
    }

    fn from_jinja(template: &str, error: &minijinja::Error) -> WordsError {
        // The error inside an include is the interesting one.
        let mut deepest = error;
        let mut source = std::error::Error::source(error);
        while let Some(inner) = source {
            if let Some(inner) = inner.downcast_ref::<minijinja::Error>() {
                deepest = inner;
            }
            source = inner.source();
        }
        let name = deepest.name().unwrap_or(template).trim_end_matches(SUBJECT);
        let what = match deepest.kind() {
            ErrorKind::UndefinedError => "a variable that is not given here".to_string(),
            kind => kind.to_string(),
        };
        let what = match deepest.detail() {
            Some(detail) => format!("{what}: {detail}"),
            None => what,
        };
        WordsError::new(name, deepest.line(), what)
    }
}

/// The suffix under which a template's subject line is kept.
const SUBJECT: &str = "#subject";

/// The rules of a game that has no text of its own: made of its rulebook.
pub const PLAIN_RULES: &str = "rules/plain";

/// Is it a part for others, without a subject?
fn is_part(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|n| n.starts_with('_'))
}

/// All templates, ready to render.
pub struct Templates {
    env: Environment<'static>,
    /// Variables that each template may use, from its own file or the built-in one's.
    known: BTreeMap<String, BTreeSet<String>>,
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Templates")
            .field("names", &self.known.keys())
            .finish()
    }
}

impl Templates {
    /// The built-in templates.
    pub fn builtin() -> Result<Templates, WordsError> {
        Templates::with(&BTreeMap::new())
    }

    /// The built-in templates, with the Keeper's own in the place of those of the same name. The keys are names as in
    /// [`BUILTIN`] (`your_move`, `help/start`, `_footer`), the values whole files. Where there are any, everything is
    /// checked; that the built-in ones are sound a test holds, and one letter should not wait for it.
    pub fn with(overrides: &BTreeMap<String, String>) -> Result<Templates, WordsError> {
        let mut templates = Templates::load()?;
        if overrides.is_empty() {
            return Ok(templates);
        }
        templates.know()?;
        for (name, source) in overrides {
            // The rules of a Keeper's own game may use what those of any plain game do.
            let like = match name.strip_prefix("rules/") {
                Some(_) if !templates.known.contains_key(name) => PLAIN_RULES,
                _ => name,
            };
            let Some(known) = templates.known.get(like).cloned() else {
                return Err(WordsError::new(
                    name,
                    None,
                    "there is no template of this name",
                ));
            };
            templates.add(name, source)?;
            // What the program hands over is decided by the built-in file.
            templates.known.insert(name.clone(), known);
        }
        templates.check()?;
        Ok(templates)
    }

    /// The built-in templates, each read when it is first asked for: one letter needs a few of them.
    fn load() -> Result<Templates, WordsError> {
        let mut env = Environment::empty();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        env.set_syntax(syntax.map_err(|e| WordsError::from_jinja("", &e))?);
        env.set_recursion_limit(DEPTH_MAX);
        env.set_fuel(Some(FUEL));
        env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        filters::add(&mut env);
        env.set_loader(|key| {
            let name = key.strip_suffix(SUBJECT).unwrap_or(key);
            let Some((_, source)) = BUILTIN.iter().find(|(n, _)| *n == name) else {
                return Ok(None);
            };
            let parts = Parts::of(name, source)
                .map_err(|e| minijinja::Error::new(ErrorKind::SyntaxError, e.to_string()))?;
            Ok(match name == key {
                true => Some(parts.body),
                false => parts.subject,
            })
        });
        Ok(Templates {
            env,
            known: BTreeMap::new(),
        })
    }

    /// Finds out which variables each built-in template may use, where it does not say so itself.
    fn know(&mut self) -> Result<(), WordsError> {
        for (name, source) in BUILTIN {
            if !self.known.contains_key(*name) {
                let known = match Parts::of(name, source)?.known {
                    Some(known) => known,
                    None => self.variables(name)?,
                };
                self.known.insert((*name).to_owned(), known);
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, source: &str) -> Result<(), WordsError> {
        let parts = Parts::of(name, source)?;
        if let Some(known) = parts.known {
            self.known.insert(name.to_owned(), known);
        }
        if let Some(subject) = parts.subject {
            self.add_one(format!("{name}{SUBJECT}"), subject, name)?;
        }
        self.add_one(name.to_owned(), parts.body, name)
    }

    fn add_one(&mut self, key: String, source: String, name: &str) -> Result<(), WordsError> {
        self.env
            .add_template_owned(key, source)
            .map_err(|e| WordsError::from_jinja(name, &e))
    }

    /// Is there a template of this name?
    pub fn has(&self, name: &str) -> bool {
        !name.ends_with(SUBJECT) && self.env.get_template(name).is_ok()
    }

    /// Puts a context into a template. The context must be a JSON object.
    pub fn render(&self, name: &str, context: Json, style: &Style) -> Result<Words, WordsError> {
        self.render_shown(name, context, None, style)
    }

    /// The same with a position as the context's `view`, which is read by filters and need not be JSON.
    pub fn render_shown(
        &self,
        name: &str,
        context: Json,
        view: Option<Arc<View>>,
        style: &Style,
    ) -> Result<Words, WordsError> {
        let mut context = match context {
            Json::Object(map) => given::fields(map),
            Json::Null => BTreeMap::new(),
            _ => return Err(WordsError::new(name, None, "the context is not an object")),
        };
        context.insert("style".into(), given::Reader::value(style));
        if let Some(view) = view {
            context.insert("view".into(), given::Shown::value(view));
        }
        let context = minijinja::Value::from(context);
        let subject = self.fill(&format!("{name}{SUBJECT}"), name, &context)?;
        let body = self.fill(name, name, &context)?;
        Ok(Words::from_rendered(&subject, &body))
    }

    fn fill(
        &self,
        key: &str,
        name: &str,
        context: &minijinja::Value,
    ) -> Result<String, WordsError> {
        let template = self
            .env
            .get_template(key)
            .map_err(|e| WordsError::from_jinja(name, &e))?;
        let mut out = Capped(Vec::new());
        template
            .render_captured_to(context, &mut out)
            .map_err(|e| WordsError::from_jinja(name, &e))?;
        String::from_utf8(out.0).map_err(|_| WordsError::new(name, None, "the text is not UTF-8"))
    }
}

/// A template's file, taken apart.
struct Parts {
    /// What it says it knows.
    known: Option<BTreeSet<String>>,
    /// Its subject, unless it is a part for others.
    subject: Option<String>,
    /// The rest, padded so that lines are numbered as in the file.
    body: String,
}

impl Parts {
    fn of(name: &str, source: &str) -> Result<Parts, WordsError> {
        let source = source
            .strip_prefix('\u{FEFF}')
            .unwrap_or(source)
            .replace("\r\n", "\n");
        let mut rest = source.as_str();
        let mut line = 1;
        let mut known = None;
        if let Some((first, after)) = rest.split_once('\n')
            && let Some(list) = first
                .trim()
                .strip_prefix("{# knows:")
                .and_then(|l| l.strip_suffix("#}"))
        {
            let list = list
                .split([',', ' '])
                .filter(|v| !v.is_empty())
                .map(str::to_string)
                .collect();
            known = Some(list);
            (rest, line) = (after, 2);
        }
        let mut subject = None;
        if !is_part(name) {
            let (first, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let Some(text) = first.strip_prefix("Subject:") else {
                return Err(WordsError::new(
                    name,
                    Some(line),
                    "the first line must be `Subject: ...`",
                ));
            };
            subject = Some(text.trim().to_string());
            rest = after;
            line += 1;
        }
        Ok(Parts {
            known,
            subject,
            body: format!("{}{rest}", "\n".repeat(line - 1)),
        })
    }
}

/// Refuses to grow beyond `WORDS_BYTES_MAX`.
struct Capped(Vec<u8>);

impl std::io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > WORDS_BYTES_MAX {
            return Err(std::io::Error::other("the text is too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Words {
    /// These words, and below them the others.
    pub fn append(&mut self, other: Words) {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push('\n');
            self.blocks.push(Block::Text("\n".to_owned()));
        }
        self.text.push_str(&other.text);
        self.blocks.extend(other.blocks);
    }

    /// Cuts a rendered body at its boards and tidies the text between them.
    fn from_rendered(subject: &str, body: &str) -> Words {
        let mut blocks = Vec::new();
        let mut rest = body;
        while let Some((before, after)) = rest.split_once(BOARD_OPEN) {
            let (board, after) = after.split_once(BOARD_CLOSE).unwrap_or((after, ""));
            let (plain, html) = board.split_once(BOARD_HTML).unwrap_or((board, ""));
            blocks.push(Block::Text(text::tidy(before, COLUMNS)));
            blocks.push(Block::Board {
                plain: text::line_ends(plain),
                html: html.to_string(),
            });
            rest = after.strip_prefix('\n').unwrap_or(after);
        }
        blocks.push(Block::Text(text::tidy(rest, COLUMNS)));
        let last = blocks.len() - 1;
        for (i, block) in blocks.iter_mut().enumerate() {
            if let Block::Text(text) = block {
                if i == 0 {
                    *text = text.trim_start_matches('\n').to_string();
                }
                if i == last {
                    let cut = text.trim_end_matches('\n').len();
                    text.truncate(cut);
                    if !text.is_empty() {
                        text.push('\n');
                    }
                }
            }
        }
        blocks.retain(|b| !matches!(b, Block::Text(t) if t.is_empty()));
        let mut text = String::new();
        for block in &blocks {
            match block {
                Block::Text(t) => text.push_str(t),
                Block::Board { plain, .. } => text.push_str(plain),
            }
        }
        Words {
            subject: text::one_line(subject),
            text,
            blocks,
        }
    }
}

#[cfg(test)]
#[path = "words/tests.rs"]
mod tests;
