//! `tulpa games`, `tulpa rules` and `tulpa notation`; and how the other subcommands find a game.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use super::{Common, Done, Failure};
use crate::config::Config;
use crate::daemon;
use crate::post::help;
use crate::post::words::{Style, Templates};
use crate::rules::{NoDice, Options, Rulebook, Shelf, Table, record};

/// The configuration, if one is named or lies in one of the usual places: games and texts need none. One that was not
/// named and cannot be read is told and left aside.
fn config(common: &Common) -> Result<Option<Config>, Failure> {
    let named = common.config.as_deref();
    if named.is_none() && !Config::places().iter().any(|p| p.exists()) {
        return Ok(None);
    }
    match Config::find(named) {
        Ok(config) => Ok(Some(config)),
        Err(e) if named.is_none() => {
            eprintln!("{e}");
            Ok(None)
        }
        Err(e) => Err(e.into()),
    }
}

/// The games of the program and, where a configuration names more, those too.
pub fn shelf(common: &Common) -> Result<Shelf, Failure> {
    Ok(match config(common)? {
        Some(config) => daemon::shelf(&config)?,
        None => Shelf::builtin(),
    })
}

/// The texts of the program, with the Keeper's own in their place.
fn templates(common: &Common) -> Result<Templates, Failure> {
    match config(common)? {
        // no key is needed to print a text
        Some(config) => Ok(daemon::office(&config, [0; 32])?.templates),
        None => Templates::builtin().map_err(|e| Failure::new(e.to_string())),
    }
}

/// All games, and the one named: by its id, or by a rulebook file, `my.ron`, which then is one of them.
pub fn open(common: &Common, game: &str) -> Result<(Shelf, Arc<Rulebook>), Failure> {
    let mut shelf = shelf(common)?;
    let file = Path::new(game);
    let id = match file.extension() {
        Some(end) if end == "ron" => {
            let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or(game);
            let id = stem.to_ascii_lowercase();
            let text = read_text(file)?;
            shelf
                .add_text(&id, &text)
                .map_err(|e| Failure::new(format!("{}: {e}", file.display())))?;
            id
        }
        _ => game.to_owned(),
    };
    let book = find(&shelf, &id)?;
    Ok((shelf, book))
}

/// The game of that id, or the nearest one in a hint.
pub fn find(shelf: &Shelf, id: &str) -> Result<Arc<Rulebook>, Failure> {
    shelf.get(id).cloned().ok_or_else(|| {
        let known: Vec<&str> = shelf.ids().collect();
        let hint = match shelf.nearest(id) {
            Some(near) => format!("did you mean `{near}`? `tulpa games` lists all"),
            None => format!("games: {}", known.join(", ")),
        };
        Failure::new(format!("there is no game `{id}`")).hint(hint)
    })
}

/// A table of that game: at its start with the array asked for, or at the end of a record.
pub fn table(
    common: &Common,
    id: &str,
    array: Option<&str>,
    after: Option<&Path>,
) -> Result<Table, Failure> {
    let (shelf, book) = open(common, id)?;
    if let Some(file) = after {
        let text = read_text(file)?;
        let table = record::replay(&shelf, &text)
            .map_err(|e| Failure::new(format!("{}: {e}", file.display())))?;
        if table.book().id != book.id {
            return Err(Failure::new(format!(
                "{} is a record of `{}`",
                file.display(),
                table.book().id
            )));
        }
        return Ok(table);
    }
    let mut options = Options::new();
    if let Some(array) = array {
        options.insert("array".to_owned(), array.to_owned());
    }
    let (table, _) = Table::begin(&book, &options, &mut NoDice)
        .map_err(|e| Failure::new(e.what.clone()).hint(e.hint.clone().unwrap_or_default()))?;
    Ok(table)
}

/// Reads a text file, `-` being standard input.
pub fn read_text(file: &Path) -> Result<String, Failure> {
    let read = if file.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin().lock())
    } else {
        std::fs::read_to_string(file)
    };
    read.map_err(|e| Failure::new(format!("{}: {e}", file.display())))
}

/// Text aligned in columns; the last is not padded.
fn rows(table: &[Vec<String>]) -> Vec<String> {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = table.iter().filter_map(|row| row.get(c));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    table
        .iter()
        .map(|row| {
            let cells = row
                .iter()
                .zip(&widths)
                .map(|(cell, w)| format!("{cell:w$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}

fn maker(book: &Rulebook) -> String {
    let year = book.year.map(|y| y.to_string()).unwrap_or_default();
    let parts = [book.inventor.as_str(), year.as_str()];
    let known: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    known.join(" ")
}

/// One line a game; on a terminal the summary stands below it.
pub fn list(common: &Common, out: &mut dyn Write) -> Done {
    let shelf = shelf(common)?;
    if common.json {
        let all: Vec<_> = shelf
            .books()
            .map(|b| {
                serde_json::json!({
                    "id": b.id, "title": b.title, "inventor": b.inventor, "year": b.year,
                    "summary": b.summary, "seats": b.seats.iter().map(|s| &s.name).collect::<Vec<_>>(),
                    "files": b.board.0, "ranks": b.board.1,
                    "arrays": b.array_names().collect::<Vec<_>>(), "array": b.array,
                    "options": b.options.iter().map(|(k, o)| (k.clone(), serde_json::json!(o.values)))
                        .collect::<serde_json::Map<_, _>>(),
                    "doubt": b.doubt,
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::Array(all))?;
        return Ok(());
    }
    let below = std::io::stdout().is_terminal();
    let table: Vec<Vec<String>> = shelf
        .books()
        .map(|b| {
            let mut row = vec![
                b.id.clone(),
                b.title.clone(),
                format!("{} seats", b.seats.len()),
                format!("{}x{}", b.board.0, b.board.1),
                maker(b),
            ];
            if !below {
                row.push(b.summary.clone());
            }
            row
        })
        .collect();
    for (row, book) in rows(&table).iter().zip(shelf.books()) {
        writeln!(out, "{row}")?;
        if below {
            writeln!(out, "    {}", book.summary)?;
        }
    }
    Ok(())
}

/// The rules of a game; without one, the games that have rules to read.
pub fn rules(common: &Common, game: Option<&str>, out: &mut dyn Write) -> Done {
    let Some(game) = game else {
        return titles(common, "rules", out);
    };
    let (_, book) = open(common, game)?;
    let words = help::rules(&templates(common)?, &book, &Style::default())
        .map_err(|e| Failure::new(e.to_string()))?;
    write!(out, "{}", words.text)?;
    Ok(())
}

/// How the moves of a game are written.
pub fn notation(common: &Common, game: Option<&str>, out: &mut dyn Write) -> Done {
    let Some(game) = game else {
        return titles(common, "notation", out);
    };
    let (_, book) = open(common, game)?;
    let words = help::notation(&templates(common)?, &help::family(&book.family).0)
        .map_err(|e| Failure::new(e.to_string()))?;
    write!(out, "{}", words.text)?;
    Ok(())
}

fn titles(common: &Common, command: &str, out: &mut dyn Write) -> Done {
    let shelf = shelf(common)?;
    let table: Vec<Vec<String>> = shelf
        .books()
        .map(|b| vec![format!("tulpa {command} {}", b.id), b.title.clone()])
        .collect();
    for row in rows(&table) {
        writeln!(out, "{row}")?;
    }
    Ok(())
}
