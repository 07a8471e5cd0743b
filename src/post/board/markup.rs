//! The board in an HTML mail: the very same columns in `<pre>`, with a tint for dark squares and one for the last turn.
//! Style stands in the elements, since mail programs drop style sheets; nothing is fetched from anywhere.

use super::{BoardStyle, Drawing, list, plain};
use crate::post::hypertext::escape;
use crate::rules::Cell;

/// Around a board.
const PRE: &str = "<pre style=\"font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:15px;line-height:1.35\">";
const LAST: &str = "background:#ffe08a";
const DARK: &str = "background:#e6ece2";

/// The board, ready to stand in a mail.
pub(super) fn draw(drawing: &Drawing, style: BoardStyle) -> String {
    let mut out = String::from(PRE);
    out.push('\n');
    if style == BoardStyle::List {
        out.push_str(&escape(&list::draw(drawing)));
        out.push_str("</pre>\n");
        return out;
    }
    for line in plain::lines(drawing, style == BoardStyle::Unicode) {
        let mut text = line.head;
        for square in line.cells {
            text.push(square.gap);
            let tint = match square.at {
                Some((file, rank)) if matches!(drawing.cell(file, rank), Cell::Hole) => None,
                Some((file, rank)) if drawing.touched(file, rank) => Some(LAST),
                // a1 is dark.
                Some((file, rank)) if (file + rank) % 2 == 0 => Some(DARK),
                _ => None,
            };
            match tint {
                Some(tint) => {
                    text.push_str(&format!(
                        "<span style=\"{tint}\">{}</span>",
                        escape(&square.text)
                    ));
                }
                None => text.push_str(&escape(&square.text)),
            }
        }
        text.push_str(&line.tail);
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out.push_str("</pre>\n");
    out
}
