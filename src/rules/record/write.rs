//! Writing of a played match as a record.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::rules::play::{Ending, Happening, Seat};
use crate::rules::rulebook::Rulebook;
use crate::rules::table::Table;

/// A record in the making: one line for the header and one for all that happens.
#[derive(Clone, Debug)]
pub struct Writer {
    lines: Vec<Value>,
    /// Cards that lie face down, by seat; a record tells them once they are turned over.
    picks: BTreeMap<Seat, String>,
    figures: bool,
}

impl Writer {
    /// Begins the record of a match: its table at the start and what beginning it brought about.
    /// `position` is what [`Table::arrange`] was given, where the match did not begin at its array.
    pub fn new(table: &Table, position: Option<&Value>, begun: &[Happening]) -> Writer {
        let mut header = Map::new();
        header.insert("game".to_owned(), table.book().id.clone().into());
        let mut options = table.options().clone();
        if let Some(array) = options.remove("array") {
            header.insert("array".to_owned(), array.into());
        }
        if !options.is_empty() {
            header.insert("options".to_owned(), json!(options));
        }
        if let Some(position) = position {
            header.insert("position".to_owned(), position.clone());
        }
        let mut writer = Writer {
            lines: vec![Value::Object(header)],
            picks: BTreeMap::new(),
            figures: true,
        };
        // the opening dice are not recorded
        let told: Vec<Happening> = begun
            .iter()
            .filter(|h| !matches!(h, Happening::Rolled { .. }))
            .cloned()
            .collect();
        writer.add(table, "", &told);
        writer
    }

    /// Leaves out the numbers of legal steps, which cost a look at every position.
    #[must_use]
    pub fn without_figures(mut self) -> Writer {
        self.figures = false;
        self
    }

    /// Adds an act: the table it was played on, the canonical order, what happened.
    pub fn add(&mut self, before: &Table, order: &str, happened: &[Happening]) {
        let book = before.book();
        let name = |seat: Seat| book.seat_name(seat).to_owned();
        for h in happened {
            match h {
                Happening::Played { seat, steps, .. } => {
                    let mut line = json!({"seat": name(*seat), "steps": steps});
                    if self.figures
                        && let Some(legal) = figures(before, *seat, steps)
                    {
                        line["legal"] = legal.into();
                    }
                    self.lines.push(line);
                }
                Happening::Picked { seat } => {
                    let card = order.trim().strip_prefix("pick ").unwrap_or(order.trim());
                    self.picks.insert(*seat, card.to_owned());
                }
                Happening::Opened { seat, .. } => {
                    let picks = std::mem::take(&mut self.picks);
                    let cards: Vec<String> = picks.into_values().collect();
                    self.lines
                        .push(json!({"seat": name(*seat), "cards": cards}));
                }
                Happening::Certain { seat, card } => {
                    self.lines
                        .push(json!({"seat": name(*seat), "cards": [card, card]}));
                }
                Happening::Placed { seat, text, .. } => {
                    self.lines.push(json!({"seat": name(*seat), "place": text}));
                }
                Happening::Rolled { seat, dice } => {
                    let roll: BTreeMap<String, &Vec<u16>> =
                        dice.iter().map(|(army, d)| (name(*army), d)).collect();
                    self.lines.push(json!({"seat": name(*seat), "roll": roll}));
                }
                Happening::Passed { seat } => {
                    self.lines.push(json!({"seat": name(*seat), "pass": true}));
                }
                Happening::Started { seat } => {
                    self.lines.push(json!({"seat": name(*seat), "start": true}));
                }
                Happening::Exchange { seat, choice } => {
                    self.lines
                        .push(json!({"seat": name(*seat), "exchange": choice}));
                }
                Happening::Ended(ending) => self.end(book, ending),
                Happening::NoRoom { .. } | Happening::Remark(_) => {}
            }
        }
    }

    /// Adds an outcome that the rules did not bring about: agreed, resigned, claimed.
    pub fn end(&mut self, book: &Rulebook, ending: &Ending) {
        let winner: Vec<&str> = ending.winners.iter().map(|s| book.seat_name(*s)).collect();
        self.lines
            .push(json!({"outcome": {"winner": winner, "reason": ending.reason}}));
    }

    /// The record, one JSON object a line.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&line.to_string());
            text.push('\n');
        }
        text
    }
}

/// Legal steps before each step of a turn.
fn figures(before: &Table, seat: Seat, steps: &[String]) -> Option<Vec<usize>> {
    let mut so_far: Vec<&str> = Vec::with_capacity(steps.len());
    let mut out = Vec::with_capacity(steps.len());
    for step in steps {
        out.push(before.next(seat, &so_far).ok()?.steps.len());
        so_far.push(step);
    }
    Some(out)
}
