//! `tulpa games` and `tulpa rules GAME`; and how the other subcommands find a game.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::{Common, Done, Failure};
use crate::post::help;
use crate::post::words::{Style, Templates};
use crate::rules::{NoDice, Options, Rulebook, Shelf, Table, record};

/// The games of the program and, where a configuration names more, those too.
pub fn shelf(_common: &Common) -> Result<Shelf, Failure> {
    Ok(Shelf::builtin())
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
    let shelf = shelf(common)?;
    let book = find(&shelf, id)?;
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

pub fn list(common: &Common, out: &mut dyn Write) -> Done {
    let shelf = shelf(common)?;
    if common.json {
        let all: Vec<_> = shelf
            .books()
            .map(|b| {
                serde_json::json!({
                    "id": b.id, "title": b.title, "inventor": b.inventor, "year": b.year,
                    "summary": b.summary, "seats": b.seats.iter().map(|s| &s.name).collect::<Vec<_>>(),
                    "arrays": b.array_names().collect::<Vec<_>>(), "doubt": b.doubt,
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::Array(all))?;
        return Ok(());
    }
    let wide = shelf.ids().map(str::len).max().unwrap_or(0);
    for book in shelf.books() {
        writeln!(out, "{:wide$}  {}", book.id, book.title)?;
        writeln!(out, "{:wide$}    {}", "", book.summary)?;
    }
    Ok(())
}

pub fn rules(common: &Common, game: &str, out: &mut dyn Write) -> Done {
    let book = find(&shelf(common)?, game)?;
    let templates = Templates::builtin().map_err(|e| Failure::new(e.to_string()))?;
    let words = help::rules(&templates, &book, &Style::default())
        .map_err(|e| Failure::new(e.to_string()))?;
    write!(out, "{}", words.text)?;
    Ok(())
}
