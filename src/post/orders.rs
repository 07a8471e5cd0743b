//! From typed lines to orders (protocol.md, Commands).
//!
//! A line is an order when it *is* one. Two kinds of lines are neither orders nor prose but slips, and stop the whole
//! letter: one that starts with a command word and cannot be carried out, and one whose first word is nearly a command word
//! (`pikc amazon`).

use super::arguments::is_hash;
use super::commands::{Line, line_order};
use super::courtesy::{COURTESY_NAMES_MAX, is_courtesy};
use super::fold::clean;
use super::moves::{looks_like_turn, nearly_turn};
use super::quote::{Typed, What};
use crate::referee::order::{IGNORED_CHARS_MAX, IGNORED_LINES_MAX, Order, OrderLine, Part, Slip};

/// How many typed lines are read (security.md 5, "200 command lines").
pub const COMMAND_LINES_MAX: usize = 200;

/// Command words that make a line a slip though it is not ASCII, if it has no more than [`FOREIGN_WORDS_MAX`] words.
const SEALED: [(&str, &str); 7] = [
    ("accept", "accept, or accept WORDS"),
    ("seed", "seed WORDS"),
    ("pick", "pick CARD"),
    ("guess", "guess CARD"),
    ("place", "place PIECE SQUARE"),
    ("move", "move MOVES"),
    ("preview", "preview MOVES"),
];
const FOREIGN_WORDS_MAX: usize = 4;

/// What the lines of a letter say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Understood {
    /// Orders by `game N` headings.
    pub parts: Vec<Part>,
    /// Prose, capped.
    pub ignored: Vec<String>,
    /// Was the limit on lines or orders reached?
    pub too_many: bool,
}

impl Understood {
    /// Was no order and no slip found?
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|p| p.orders.is_empty())
    }
}

/// Reads the typed lines of a letter.
pub fn understand(lines: &[Typed]) -> Understood {
    understand_most(lines, crate::referee::order::ORDERS_MAX)
}

/// The same with a lower limit on orders.
pub fn understand_most(lines: &[Typed], orders_max: usize) -> Understood {
    let mut reader = Reader {
        most: orders_max,
        ..Reader::default()
    };
    let mut at = 0;
    let mut read = 0;
    while let Some(typed) = lines.get(at) {
        at += 1;
        let What::Text { folded, raw } = &typed.what else {
            reader.branch = None;
            continue;
        };
        let folded = &whole_hash(folded, lines.get(at), &mut at);
        read += 1;
        if read > COMMAND_LINES_MAX {
            reader.too_many(typed.line, folded);
            break;
        }
        let Some(line) = read_line(folded) else {
            reader.ignore(folded);
            continue;
        };
        match line {
            Line::Prose => reader.ignore(folded),
            Line::Stop => break,
            Line::Game(number, rest) => {
                reader.heading(number);
                if !rest.is_empty() {
                    match read_line(&rest) {
                        Some(Line::Orders(orders)) => reader.take(typed.line, &rest, orders),
                        Some(Line::Slip(slip)) => reader.slip(typed.line, folded, slip),
                        Some(Line::Text(make, first)) => {
                            let text = paragraph(&first, lines, &mut at);
                            reader.push(typed.line, &rest, Ok(make(clean(&text))));
                        }
                        Some(Line::Branch(created, text)) => {
                            reader.branch(typed.line, &rest, created, text);
                        }
                        _ => reader.ignore(&rest),
                    }
                }
            }
            Line::ForGame(number, orders) => {
                let before = reader.game();
                reader.heading(number);
                reader.take(typed.line, folded, orders);
                reader.parts.push(Part {
                    game: before,
                    orders: Vec::new(),
                });
            }
            Line::Text(make, _) => {
                // the words as they came, not folded: chat may be in any script
                let first = after_first_word(raw);
                let text = paragraph(first, lines, &mut at);
                let text = clean(&text);
                if text.is_empty() {
                    let command = folded.to_ascii_lowercase();
                    let usage = format!("{command} TEXT");
                    reader.slip(typed.line, folded, Slip::Missing { command, usage });
                } else {
                    reader.push(typed.line, folded, Ok(make(text)));
                }
            }
            Line::Branch(created, text) => reader.branch(typed.line, folded, created, text),
            Line::Orders(orders) => reader.take(typed.line, folded, orders),
            Line::Slip(slip) => reader.slip(typed.line, folded, slip),
        }
        if reader.full {
            break;
        }
    }
    reader.done()
}

/// One line; `None` where it is not plain ASCII and does not begin a message.
fn read_line(folded: &str) -> Option<Line> {
    if folded.is_ascii() {
        return Some(line_order(folded));
    }
    // a message may be in any script, its command word is ASCII all the same
    let end = folded.find(|c: char| !c.is_ascii_alphabetic())?;
    let word = folded.get(..end)?;
    match line_order(&format!("{word} x")) {
        text @ Line::Text(..) => Some(text),
        // `guess äx` was meant as one: half a turn must not be played
        _ if folded.split_whitespace().count() <= FOREIGN_WORDS_MAX => {
            let command = word.to_ascii_lowercase();
            SEALED
                .iter()
                .find(|(known, _)| *known == command)
                .map(|(_, usage)| {
                    Line::Slip(Slip::Unclear {
                        command,
                        found: clean(folded.get(end..).unwrap_or_default()),
                        usage: (*usage).to_owned(),
                    })
                })
        }
        _ => None,
    }
}

/// `pick open archer` and its 64 digits on the line below: too long for mail programs that break lines at 72 columns.
fn whole_hash(folded: &str, next: Option<&Typed>, at: &mut usize) -> String {
    let mut line = folded.to_owned();
    let all: Vec<String> = folded
        .split_whitespace()
        .map(str::to_ascii_lowercase)
        .collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let waits = matches!(
        all[..],
        ["pick" | "guess" | "seed", "commit"] | ["seed", "open"] | ["pick" | "guess", "open", _]
    );
    if let (true, Some(What::Text { folded: below, .. })) = (waits, next.map(|t| &t.what))
        && is_hash(below.trim())
    {
        *at += 1;
        line.push(' ');
        line.push_str(below.trim());
    }
    line
}

/// What stands after the command word of a message, and after its colon.
fn after_first_word(raw: &str) -> &str {
    let raw = raw.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = raw.trim_start_matches(char::is_alphanumeric);
    rest.trim_start().trim_start_matches(':').trim()
}

/// The rest of the paragraph. It ends at a blank line, at a quotation, and at a line that plays or picks: a card must never
/// travel to the opponent because an empty line was forgotten.
fn paragraph(first: &str, lines: &[Typed], at: &mut usize) -> String {
    let mut text = first.to_owned();
    while let Some(Typed {
        what: What::Text { raw, folded },
        ..
    }) = lines.get(*at)
    {
        if folded.is_ascii() && plays(&line_order(folded)) {
            break;
        }
        text.push('\n');
        text.push_str(raw);
        *at += 1;
    }
    text
}

/// Lines that end a message without an empty line before them.
fn plays(line: &Line) -> bool {
    match line {
        Line::Game(..) | Line::ForGame(..) | Line::Branch(..) | Line::Text(..) => true,
        Line::Orders(orders) => orders.iter().any(|o| {
            matches!(
                o,
                Order::Play(_)
                    | Order::Pick(_)
                    | Order::Guess(_)
                    | Order::CardCommit { .. }
                    | Order::CardOpen { .. }
                    | Order::SeedCommit(_)
                    | Order::SeedOpen(_)
                    | Order::Place(_)
                    | Order::Plan(_)
                    | Order::End
                    | Order::Start(_)
                    | Order::Exchange(_)
                    | Order::Preview(_)
                    | Order::Resign
                    | Order::OfferDraw
                    | Order::AcceptDraw
                    | Order::ClaimDraw
            )
        }),
        Line::Slip(slip) => {
            let word = match slip {
                Slip::NearMiss { meant, .. } => meant,
                Slip::Missing { command, .. } | Slip::Unclear { command, .. } => command,
                Slip::TooMany => return false,
            };
            ["pick", "guess", "seed", "place", "if", "else"].contains(&word.as_str())
        }
        Line::Prose | Line::Stop => false,
    }
}

#[derive(Default)]
struct Reader {
    parts: Vec<Part>,
    ignored: Vec<String>,
    orders: usize,
    most: usize,
    full: bool,
    /// The line above was a greeting or a farewell.
    courteous: bool,
    /// `if created:` (true) or `else:` (false) stood alone on the line above: its moves follow.
    branch: Option<bool>,
}

impl Reader {
    fn game(&self) -> Option<u32> {
        self.parts.last().and_then(|p| p.game)
    }

    fn heading(&mut self, number: u32) {
        self.branch = None;
        self.parts.push(Part {
            game: Some(number),
            orders: Vec::new(),
        });
    }

    fn last(&mut self) -> Option<&mut Order> {
        let line = self.parts.last_mut()?.orders.last_mut()?;
        line.order.as_mut().ok()
    }

    fn push(&mut self, line: usize, text: &str, order: Result<Order, Slip>) {
        self.branch = None;
        self.orders += 1;
        if self.orders > self.most {
            self.too_many(line, text);
            return;
        }
        self.put(line, text, order);
    }

    fn put(&mut self, line: usize, text: &str, order: Result<Order, Slip>) {
        self.courteous = false;
        if self.parts.is_empty() {
            self.parts.push(Part::default());
        }
        if let Some(part) = self.parts.last_mut() {
            part.orders.push(OrderLine {
                line,
                text: text.to_owned(),
                order,
            });
        }
    }

    fn slip(&mut self, line: usize, text: &str, slip: Slip) {
        self.push(line, text, Err(slip));
    }

    fn too_many(&mut self, line: usize, text: &str) {
        self.full = true;
        self.put(line, text, Err(Slip::TooMany));
    }

    fn take(&mut self, line: usize, text: &str, orders: Vec<Order>) {
        for order in orders {
            let moves = match &order {
                Order::Play(moves) => Some(moves.clone()),
                Order::Place(what) => Some(format!("place {what}")),
                _ => None,
            };
            if let (Some(created), Some(moves)) = (self.branch, &moves) {
                self.grow_branch(created, moves);
                continue;
            }
            if let (Order::Play(more), Some(Order::Play(turn))) = (&order, self.last()) {
                turn.push_str("; ");
                turn.push_str(more);
                if let Some(whole) = self.parts.last_mut().and_then(|p| p.orders.last_mut()) {
                    whole.text.push_str("; ");
                    whole.text.push_str(text);
                }
                continue;
            }
            // `end` on a line of its own ends the turn above it
            if let (Order::End, Some(Order::Play(turn))) = (&order, self.last()) {
                turn.push_str("; end");
                continue;
            }
            self.push(line, text, Ok(order));
        }
    }

    /// `if created: ...` / `else: ...`; the second joins the first.
    fn branch(&mut self, line: usize, text: &str, created: bool, moves: String) {
        let filled = (!moves.is_empty()).then_some(moves);
        let open = filled.is_none();
        let joined = match self.last() {
            Some(Order::IfCreated { otherwise, .. }) if !created && otherwise.is_none() => {
                *otherwise = Some(filled.clone().unwrap_or_default());
                true
            }
            Some(Order::IfCreated { created: slot, .. }) if created && slot.is_none() => {
                *slot = Some(filled.clone().unwrap_or_default());
                true
            }
            _ => false,
        };
        if joined && let Some(above) = self.parts.last_mut().and_then(|p| p.orders.last_mut()) {
            above.text.push('\n');
            above.text.push_str(text);
        }
        if !joined {
            let filled = Some(filled.unwrap_or_default());
            let order = if created {
                Order::IfCreated {
                    created: filled,
                    otherwise: None,
                }
            } else {
                Order::IfCreated {
                    created: None,
                    otherwise: filled,
                }
            };
            self.push(line, text, Ok(order));
        }
        self.branch = open.then_some(created);
    }

    fn grow_branch(&mut self, created: bool, moves: &str) {
        if let Some(Order::IfCreated {
            created: first,
            otherwise: second,
        }) = self.last()
        {
            let slot = if created { first } else { second };
            let text = slot.get_or_insert_default();
            if !text.is_empty() {
                text.push_str("; ");
            }
            text.push_str(moves);
        }
    }

    fn ignore(&mut self, line: &str) {
        self.branch = None;
        if is_courtesy(line) {
            self.courteous = true;
            return;
        }
        // The name under a farewell.
        let name = line.split_whitespace().count() <= COURTESY_NAMES_MAX
            && line
                .split_whitespace()
                .all(|w| w.starts_with(char::is_uppercase));
        if std::mem::take(&mut self.courteous) && name {
            return;
        }
        if self.ignored.len() < IGNORED_LINES_MAX {
            let line = clean(line);
            let mut short: String = line.chars().take(IGNORED_CHARS_MAX).collect();
            if short.len() < line.len() {
                short.push_str("...");
            }
            if !short.is_empty() {
                self.ignored.push(short);
            }
        }
    }

    fn done(mut self) -> Understood {
        // a branch with nothing in it is a slip
        for line in self.parts.iter_mut().flat_map(|p| &mut p.orders) {
            if let Ok(Order::IfCreated { created, otherwise }) = &line.order
                && [created, otherwise]
                    .iter()
                    .any(|b| b.as_deref().is_some_and(str::is_empty))
            {
                let command = if created.as_deref() == Some("") {
                    "if"
                } else {
                    "else"
                };
                line.order = Err(Slip::Missing {
                    command: command.to_owned(),
                    usage: "if created: PLACEMENT; MOVES, else: MOVES".to_owned(),
                });
            }
        }
        self.parts
            .retain(|p| p.game.is_some() || !p.orders.is_empty());
        // `accept 42` reopens the part before it: an empty one at the end says nothing
        while self.parts.len() > 1 && self.parts.last().is_some_and(|p| p.orders.is_empty()) {
            self.parts.pop();
        }
        Understood {
            parts: self.parts,
            ignored: self.ignored,
            too_many: self.full,
        }
    }
}

/// A bare line of moves, or one that was meant as such.
pub(super) fn is_moves(line: &str) -> bool {
    looks_like_turn(line) || nearly_turn(line)
}

#[cfg(test)]
mod tests;
