//! `tulpa board GAME`: the board as mailed.

use std::io::Write;
use std::path::PathBuf;

use super::{Common, Done, Failure, games};
use crate::post::board::{self, BoardStyle, Drawing};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Game id
    game: String,
    /// Position at the end of this record
    #[arg(long, value_name = "FILE")]
    after: Option<PathBuf>,
    /// Array to start from
    #[arg(long, conflicts_with = "after")]
    array: Option<String>,
    /// Seen from this seat
    #[arg(long)]
    seat: Option<String>,
    /// plain, unicode, list, html, svg or png
    #[arg(long, default_value = "plain")]
    style: String,
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    let table = games::table(common, &a.game, a.array.as_deref(), a.after.as_deref())?;
    let eyes = match &a.seat {
        None => None,
        Some(name) => Some(table.book().seat_named(name).ok_or_else(|| {
            let names: Vec<&str> = table.book().seats.iter().map(|s| s.name.as_str()).collect();
            Failure::new(format!("`{}` has no seat `{name}`", table.book().id))
                .hint(format!("seats: {}", names.join(", ")))
        })?),
    };
    let view = table.view(eyes);
    let drawing = Drawing {
        view: &view,
        eyes,
        seats: &table.kit().seat_names,
    };
    let text = match (a.style.as_str(), BoardStyle::named(&a.style)) {
        (_, Some(style)) => board::draw(&drawing, style),
        ("html", _) => board::draw_html(&drawing, BoardStyle::Plain),
        ("svg", _) => board::draw_svg(&drawing),
        ("png", _) => {
            out.write_all(&super::picture::png(&board::draw_svg(&drawing))?)?;
            return Ok(());
        }
        _ => {
            return Err(Failure::new(format!("there is no style `{}`", a.style))
                .hint("styles: plain, unicode, list, html, svg, png"));
        }
    };
    writeln!(out, "{}", text.trim_end())?;
    Ok(())
}
