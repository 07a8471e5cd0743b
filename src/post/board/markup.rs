//! The board in an HTML mail: the very same columns in `<pre>`, with a tint for dark squares and one for the last turn.
//! Style stands in the elements, since mail programs drop style sheets; nothing is fetched from anywhere.

use super::{BoardStyle, Drawing, list, plain};
use crate::post::hypertext::{escape, escape_into};
use crate::rules::Cell;

/// Around a board.
const PRE: &str = "<pre style=\"font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:15px;line-height:1.35\">";
const LAST: &str = "background:#ffe08a";
const DARK: &str = "background:#e6ece2";

/// The board, ready to stand in a mail.
pub(super) fn draw(drawing: &Drawing, style: BoardStyle) -> String {
    if style == BoardStyle::List {
        return format!("{PRE}\n{}</pre>\n", escape(&list::draw(drawing)));
    }
    joined(
        drawing,
        &plain::lines(drawing, style == BoardStyle::Unicode),
    )
}

/// Lines of a board as HTML.
pub(super) fn joined(drawing: &Drawing, lines: &[plain::Line]) -> String {
    let squares: usize = lines.iter().map(|l| l.cells.len()).sum();
    let mut out = String::with_capacity(PRE.len() + 40 * squares);
    out.push_str(PRE);
    out.push('\n');
    for line in lines {
        let start = out.len();
        out.push_str(&line.head);
        for square in &line.cells {
            out.push(square.gap);
            let tint = match square.at {
                Some((file, rank)) if matches!(drawing.cell(file, rank), Cell::Hole) => None,
                Some((file, rank)) if drawing.touched(file, rank) => Some(LAST),
                // a1 is dark.
                Some((file, rank)) if (file + rank) % 2 == 0 => Some(DARK),
                _ => None,
            };
            match tint {
                Some(tint) => {
                    out.push_str("<span style=\"");
                    out.push_str(tint);
                    out.push_str("\">");
                    escape_text(&mut out, square.text);
                    out.push_str("</span>");
                }
                None => escape_text(&mut out, square.text),
            }
        }
        out.push_str(&line.tail);
        out.truncate(start + out[start..].trim_end().len());
        out.push('\n');
    }
    out.push_str("</pre>\n");
    out
}

fn escape_text(out: &mut String, text: plain::Text) {
    for c in text.chars() {
        escape_into(out, c.encode_utf8(&mut [0; 4]));
    }
}
