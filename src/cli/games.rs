//! `tulpa games` and `tulpa rules GAME`; and how the other subcommands find a game.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::{Common, Done, Failure};
use crate::config::Config;
use crate::daemon;
use crate::rules::{NoDice, Options, Rulebook, Shelf, Table, record};

/// The games of the program and those of the configuration, where there is one. One that was not
/// named and cannot be read is told and left aside: the games of the program need none.
pub fn shelf(common: &Common) -> Result<Shelf, Failure> {
    let named = common.config.is_some();
    if !named && !Config::places().iter().any(|place| place.exists()) {
        return Ok(Shelf::builtin());
    }
    let config = match Config::find(common.config.as_deref()) {
        Ok(config) => config,
        Err(e) if !named => {
            eprintln!("{e}");
            return Ok(Shelf::builtin());
        }
        Err(e) => return Err(e.into()),
    };
    Ok(daemon::shelf(&config)?)
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
    let (_, book) = open(common, game)?;
    writeln!(out, "{}", crate::post::help::rules(&book))?;
    Ok(())
}
