//! One file of `games/`: a whole game as data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use ron::extensions::Extensions;
use serde::{Deserialize, Serialize};

use super::families::Family;
use super::play::{NoDice, Options, Seat};
use super::table::Rules;

/// Largest rulebook file, bytes.
pub const RULEBOOK_BYTES_MAX: usize = 64 * 1024;
/// Most seats of a game.
const SEATS_MAX: usize = 8;
/// Most option values written by a player, bytes each.
const OPTION_BYTES_MAX: usize = 2048;
/// Compiled option sets kept per rulebook.
const COMPILED_MAX: usize = 16;

/// A rulebook that makes no sense, with the place in the file where known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpecError {
    /// What is wrong.
    pub what: String,
    /// Line and column, both from 1.
    pub place: Option<(usize, usize)>,
    /// The way out.
    pub hint: Option<String>,
}

impl SpecError {
    /// An error without a place.
    pub fn new(what: impl Into<String>) -> SpecError {
        SpecError {
            what: what.into(),
            place: None,
            hint: None,
        }
    }
    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> SpecError {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.what)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SpecError {}

/// A side of the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatDef {
    /// `white`, `green` ...
    pub name: String,
    /// Team number; seats of one team win together.
    #[serde(default)]
    pub team: Option<u8>,
}

/// A kind of piece.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PieceDef {
    /// Name in words.
    pub name: String,
    /// Moves in Betza notation; empty where the family writes them.
    #[serde(default)]
    pub moves: String,
    /// True for a pawn, whose letter notation leaves out.
    #[serde(default)]
    pub silent: bool,
}

/// How an array is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Array {
    /// FEN-like rows, top rank first.
    Rows(Vec<String>),
    /// Men by seat: `{"green": "Mf1 Pg1"}`.
    Men(BTreeMap<String, String>),
}

/// A choice that players have when they open a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionDef {
    /// Values; the first is the default.
    pub values: Vec<String>,
    /// One sentence for players.
    pub about: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    #[serde(default)]
    inventor: String,
    #[serde(default)]
    year: Option<u16>,
    summary: String,
    #[serde(default)]
    doubt: Option<String>,
    seats: Vec<SeatDef>,
    board: (u8, u8),
    #[serde(default)]
    holes: Vec<String>,
    array: String,
    arrays: BTreeMap<String, Array>,
    pieces: BTreeMap<char, PieceDef>,
    #[serde(default)]
    options: BTreeMap<String, OptionDef>,
    family: Family,
}

/// A whole game: what one file of `games/` says.
pub struct Rulebook {
    /// The file's name without `.ron`.
    pub id: String,
    /// Title in words.
    pub title: String,
    /// Who invented it.
    pub inventor: String,
    /// When.
    pub year: Option<u16>,
    /// One sentence for the list of games.
    pub summary: String,
    /// What is not certain about it, as a reconstructed array; told in the first mail.
    pub doubt: Option<String>,
    /// Sides, in order of play.
    pub seats: Vec<SeatDef>,
    /// Files and ranks.
    pub board: (u8, u8),
    /// Squares that are not part of the board.
    pub holes: Vec<String>,
    /// Name of the default array.
    pub array: String,
    /// All named arrays.
    pub arrays: BTreeMap<String, Array>,
    /// Pieces by letter.
    pub pieces: BTreeMap<char, PieceDef>,
    /// Options beside `array`.
    pub options: BTreeMap<String, OptionDef>,
    /// Family of rules with its own settings.
    pub family: Family,
    /// The text of the file; a match stores it.
    pub text: String,
    compiled: Mutex<BTreeMap<Options, Arc<dyn Rules>>>,
}

impl fmt::Debug for Rulebook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rulebook({})", self.id)
    }
}

impl Rulebook {
    /// Reads a rulebook and checks that it makes sense with every array and option.
    ///
    /// # Errors
    /// Line, column, what was expected, and the nearest known word.
    pub fn parse(id: &str, text: &str) -> Result<Rulebook, SpecError> {
        if text.len() > RULEBOOK_BYTES_MAX {
            return Err(SpecError::new(format!(
                "larger than {RULEBOOK_BYTES_MAX} bytes"
            )));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let options = ron::Options::default().with_default_extension(
            Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES,
        );
        let file: File = options.from_str(text).map_err(|e| spanned(&e))?;
        let book = Rulebook {
            id: id.to_owned(),
            title: file.title,
            inventor: file.inventor,
            year: file.year,
            summary: file.summary,
            doubt: file.doubt,
            seats: file.seats,
            board: file.board,
            holes: file.holes,
            array: file.array,
            arrays: file.arrays,
            pieces: file.pieces,
            options: file.options,
            family: file.family,
            text: text.to_owned(),
            compiled: Mutex::default(),
        };
        book.check().map_err(|e| place(text, e))?;
        Ok(book)
    }

    fn check(&self) -> Result<(), SpecError> {
        let wrong = |what: String| Err(SpecError::new(what));
        if self.title.trim().is_empty() || self.summary.trim().is_empty() {
            return wrong("a game needs a `title` and a `summary`".to_owned());
        }
        if self.seats.is_empty() || self.seats.len() > SEATS_MAX {
            return wrong(format!("a game has 1 to {SEATS_MAX} `seats`"));
        }
        for (no, seat) in self.seats.iter().enumerate() {
            let clean = !seat.name.is_empty() && seat.name.bytes().all(|b| b.is_ascii_lowercase());
            if !clean || self.seats[..no].iter().any(|s| s.name == seat.name) {
                return wrong(format!(
                    "seat `{}` needs a name of its own in small letters",
                    seat.name
                ));
            }
        }
        if !self.arrays.contains_key(&self.array) {
            let known: Vec<&str> = self.array_names().collect();
            let hint = match nearest(&self.array, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("arrays: {}", known.join(", ")),
            };
            return Err(
                SpecError::new(format!("the default array `{}` is not there", self.array))
                    .hint(hint),
            );
        }
        for (letter, piece) in &self.pieces {
            if !letter.is_ascii_uppercase() {
                return wrong(format!(
                    "piece `{letter}` is not an upper-case letter A to Z"
                ));
            }
            if piece.name.trim().is_empty() {
                return wrong(format!("piece `{letter}` needs a name"));
            }
        }
        let mut silent = self.pieces.iter().filter(|(_, p)| p.silent);
        if let (Some((one, _)), Some((two, _))) = (silent.next(), silent.next()) {
            return wrong(format!(
                "`{one}` and `{two}` are both `silent`: moves without a letter would be either's"
            ));
        }
        for name in self.arrays.keys() {
            self.playable(&Options::from([("array".to_owned(), name.clone())]))
                .map_err(|e| SpecError {
                    what: if self.arrays.len() > 1 {
                        format!("array `{name}`: {}", e.what)
                    } else {
                        e.what
                    },
                    ..e
                })?;
        }
        for (key, def) in &self.options {
            if key == "array" || def.values.is_empty() {
                return wrong(format!(
                    "option `{key}` needs at least one value and another name than `array`"
                ));
            }
            for (no, value) in def.values.iter().enumerate() {
                if def.values[..no].contains(value) {
                    return wrong(format!("option `{key}` has the value `{value}` twice"));
                }
                self.playable(&Options::from([(key.clone(), value.clone())]))?;
            }
        }
        Ok(())
    }

    /// Compiles the rules for these options and sees that a game can begin.
    fn playable(&self, options: &Options) -> Result<(), SpecError> {
        let start = self.rules(options)?.begin(&mut NoDice, &mut Vec::new());
        match start.ending() {
            Some(ending) => Err(SpecError::new(format!(
                "the game would be over before its first turn ({})",
                ending.reason
            ))),
            None => Ok(()),
        }
    }

    /// Names of the arrays.
    pub fn array_names(&self) -> impl Iterator<Item = &str> {
        self.arrays.keys().map(String::as_str)
    }

    /// The options with defaults filled in and names matched without regard to case.
    ///
    /// # Errors
    /// An unknown option or value, with those that exist.
    pub fn settle_options(&self, given: &Options) -> Result<Options, SpecError> {
        let mut settled: Options = self
            .options
            .iter()
            .filter_map(|(k, d)| Some((k.clone(), d.values.first()?.clone())))
            .collect();
        settled.insert("array".to_owned(), self.array.clone());
        for (key, value) in given {
            if value.len() > OPTION_BYTES_MAX {
                return Err(SpecError::new(format!("option `{key}` is too long")));
            }
            if key == "array" && value.contains('/') {
                // FEN-like, perhaps with the side to move, which an array always leaves to the first
                let rows = value.trim().trim_end_matches(" w");
                settled.insert(key.clone(), rows.to_owned());
                continue;
            }
            let values: Vec<&str> = if key == "array" {
                self.array_names().collect()
            } else if let Some(def) = self.options.get(key) {
                def.values.iter().map(String::as_str).collect()
            } else {
                let known: Vec<&str> = std::iter::once("array")
                    .chain(self.options.keys().map(String::as_str))
                    .collect();
                let hint = match nearest(key, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("options: {}", known.join(", ")),
                };
                return Err(
                    SpecError::new(format!("`{}` has no option `{key}`", self.id)).hint(hint),
                );
            };
            let found = values.iter().find(|v| v.eq_ignore_ascii_case(value));
            let Some(found) = found else {
                return Err(
                    SpecError::new(format!("option `{key}` cannot be `{value}`"))
                        .hint(format!("{key} is one of: {}", values.join(", "))),
                );
            };
            settled.insert(key.clone(), (*found).to_owned());
        }
        Ok(settled)
    }

    /// The compiled rules for these options, kept for the next caller.
    ///
    /// # Errors
    /// Options that the game does not have, or a spec its family refuses.
    pub fn rules(&self, options: &Options) -> Result<Arc<dyn Rules>, SpecError> {
        let mut kept = self
            .compiled
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(rules) = kept.get(options) {
            return Ok(Arc::clone(rules));
        }
        let kit = super::kit::Kit::new(self, options)?;
        let rules = self.family.compile(kit)?;
        if kept.len() < COMPILED_MAX {
            kept.insert(options.clone(), Arc::clone(&rules));
        }
        Ok(rules)
    }

    /// The seat of that name, in any case.
    pub fn seat_named(&self, name: &str) -> Option<Seat> {
        self.seats
            .iter()
            .position(|s| s.name.eq_ignore_ascii_case(name))
            .map(|i| Seat(i as u8))
    }

    /// The name of a seat.
    pub fn seat_name(&self, seat: Seat) -> &str {
        self.seats.get(seat.at()).map_or("?", |s| s.name.as_str())
    }
}

/// Where in the file an error lies that only sense could find: at the first word in backquotes that
/// the file writes as a key, a letter or a text.
fn place(text: &str, e: SpecError) -> SpecError {
    if e.place.is_some() {
        return e;
    }
    let words = e.what.split('`').skip(1).step_by(2);
    let forms = |w: &str| {
        [
            format!("'{w}'"),
            format!("{w:?}"),
            format!("{w}:"),
            w.to_owned(),
        ]
    };
    let found = words
        .flat_map(forms)
        .filter(|form| form.len() > 2 && form != "''")
        .find_map(|form| {
            text.lines().enumerate().find_map(|(no, line)| {
                let code = line.split("//").next().unwrap_or(line);
                let column = code.find(&form)?;
                Some((no + 1, code[..column].chars().count() + 1))
            })
        });
    SpecError { place: found, ..e }
}

fn spanned(e: &ron::error::SpannedError) -> SpecError {
    let hint = match &e.code {
        ron::Error::NoSuchStructField {
            expected, found, ..
        } => nearest(found, expected).map(|n| format!("did you mean `{n}`?")),
        ron::Error::NoSuchEnumVariant {
            expected, found, ..
        } => nearest(found, expected).map(|n| format!("did you mean `{n}`?")),
        _ => None,
    };
    SpecError {
        what: e.code.to_string(),
        place: Some((e.span.start.line, e.span.start.col)),
        hint,
    }
}

/// The known word nearest to what was written, if near enough to be a slip.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    known
        .iter()
        .map(|k| (distance(&word, &k.to_ascii_lowercase()), *k))
        .min()
        .filter(|(d, k)| *d <= 1 + k.len() / 3)
        .map(|(_, k)| k)
}

/// Edits that turn one word into the other: insertions, deletions, changes and swaps of neighbours.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            next[j] = (row[j] + 1).min(next[j - 1] + 1).min(row[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}
