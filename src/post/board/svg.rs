//! The board as a picture, for web pages and exports. Whole numbers only; the same view gives the same bytes.

use super::{Drawing, capital, plain, seat_name, square_name};
use crate::post::hypertext::escape;
use crate::rules::Cell;

/// The side of a square, in user units.
const SIDE: usize = 40;
/// Room for the labels.
const MARGIN: usize = 28;
/// Fill and outline of a seat's men, by number.
const COLOURS: [(&str, &str); 6] = [
    ("#fffdf5", "#333333"),
    ("#333333", "#fffdf5"),
    ("#3465a4", "#ffffff"),
    ("#c0392b", "#ffffff"),
    ("#4e9a06", "#ffffff"),
    ("#e9b000", "#222222"),
];

/// Fill and letter colour of a seat: a colour by its name where it has one, else by its number.
fn colours(name: &str, seat: u8) -> (&'static str, &'static str) {
    let at = match name {
        "white" => 0,
        "black" => 1,
        "blue" => 2,
        "red" => 3,
        "green" => 4,
        "yellow" => 5,
        _ => usize::from(seat) % COLOURS.len(),
    };
    COLOURS[at]
}

/// A whole SVG document.
pub(super) fn draw(drawing: &Drawing) -> String {
    let rows = drawing.rows();
    let columns = rows.first().map_or(0, Vec::len);
    let (width, height) = (columns * SIDE + 2 * MARGIN, rows.len() * SIDE + 2 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans,sans-serif\" text-anchor=\"middle\" role=\"img\">\n<title>board</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (row, squares) in rows.iter().enumerate() {
        for (column, (file, rank)) in squares.iter().enumerate() {
            let cell = drawing.cell(*file, *rank);
            if matches!(cell, Cell::Hole) {
                continue;
            }
            let (x, y) = (MARGIN + column * SIDE, MARGIN + row * SIDE);
            let fill = match (drawing.touched(*file, *rank), (file + rank) % 2) {
                (true, _) => "#ffe08a",
                (false, 0) => "#c9d6c0",
                (false, _) => "#eef2ea",
            };
            out.push_str(&format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\"/>\n"
            ));
            if let Cell::Man {
                seat,
                letter,
                mark,
                name,
            } = cell
            {
                man(
                    &mut out,
                    drawing,
                    (x, y),
                    (seat.0, *letter, *mark, name.as_deref()),
                    rank * drawing.files() + file,
                );
            }
        }
    }
    let label = |out: &mut String, x: usize, y: usize, text: &str| {
        out.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"13\" fill=\"#555555\">{}</text>\n",
            escape(text)
        ));
    };
    for (column, square) in rows.iter().flatten().take(columns).enumerate() {
        let (x, name) = (MARGIN + column * SIDE + SIDE / 2, drawing.labels(*square).1);
        label(&mut out, x, MARGIN - 8, &name);
        label(&mut out, x, height - MARGIN + 18, &name);
    }
    for (row, square) in rows.iter().filter_map(|r| r.first()).enumerate() {
        let (y, name) = (
            MARGIN + row * SIDE + SIDE / 2 + 5,
            drawing.labels(*square).0,
        );
        label(&mut out, MARGIN / 2, y, &name);
        label(&mut out, width - MARGIN / 2, y, &name);
    }
    out.push_str("</svg>\n");
    out
}

/// A man: the chess figure, or his letter in a disc of his colour. Hovering tells who he is.
fn man(
    out: &mut String,
    drawing: &Drawing,
    (x, y): (usize, usize),
    (seat, letter, mark, name): (u8, char, Option<char>, Option<&str>),
    at: usize,
) {
    let owner = seat_name(drawing.seats, crate::rules::Seat(seat));
    let (fill, ink) = colours(&owner, seat);
    let (cx, cy) = (x + SIDE / 2, y + SIDE / 2);
    let title = format!(
        "{} {} {}",
        capital(&owner),
        name.map(str::to_string)
            .unwrap_or_else(|| letter.to_string()),
        square_name(drawing.view, at)
    );
    out.push_str(&format!("<g><title>{}</title>", escape(&title)));
    match plain::figure(1, letter, name) {
        Some(figure) if !drawing.view.four => {
            let text_y = cy + 12;
            out.push_str(&format!(
                "<text x=\"{cx}\" y=\"{text_y}\" font-size=\"34\" fill=\"{fill}\" stroke=\"#333333\">{figure}</text>"
            ));
        }
        _ => {
            let text_y = cy + 7;
            let letter = escape(&letter.to_uppercase().to_string());
            out.push_str(&format!(
                "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"16\" fill=\"{fill}\" stroke=\"#333333\"/>\
                 <text x=\"{cx}\" y=\"{text_y}\" font-size=\"20\" fill=\"{ink}\">{letter}</text>"
            ));
        }
    }
    if let Some(mark) = mark {
        let (mx, my) = (x + SIDE - 7, y + 13);
        let mark = escape(&mark.to_string());
        out.push_str(&format!(
            "<text x=\"{mx}\" y=\"{my}\" font-size=\"14\" fill=\"#a40000\">{mark}</text>"
        ));
    }
    out.push_str("</g>\n");
}
