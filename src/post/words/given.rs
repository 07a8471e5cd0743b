//! What the program hands to templates: contexts as values of the template engine, cleaned on the way; views and styles
//! whole, since a board is read by a filter and not by a template.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Style, text};
use crate::rules::{Cell, View};

/// A context's value, every string of it cleaned.
pub(super) fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(b) => Value::from(b),
        Json::Number(n) => match (n.as_u64(), n.as_i64(), n.as_f64()) {
            (Some(n), _, _) => Value::from(n),
            (_, Some(n), _) => Value::from(n),
            (_, _, n) => Value::from(n),
        },
        Json::String(s) => match text::clean(&s) {
            Cow::Borrowed(_) => Value::from(s),
            Cow::Owned(clean) => Value::from(clean),
        },
        Json::Array(list) => Value::from(list.into_iter().map(value).collect::<Vec<_>>()),
        Json::Object(map) => Value::from(fields(map)),
    }
}

/// The same of an object, by name.
pub(super) fn fields(map: serde_json::Map<String, Json>) -> BTreeMap<String, Value> {
    map.into_iter().map(|(k, v)| (k, value(v))).collect()
}

fn field(of: &impl Serialize) -> Option<Value> {
    serde_json::to_value(of).ok().map(value)
}

/// A position, for the filters `board` and `notes`; templates read its fields like those of any object.
#[derive(Debug)]
pub(super) struct Shown(Arc<View>);

impl Shown {
    /// A view, cleaned as strings of a context are.
    pub fn value(mut view: Arc<View>) -> Value {
        if is_dirty(&view) {
            let view = Arc::make_mut(&mut view);
            view.cells.iter_mut().for_each(clean_cell);
            for (_, label, text) in &mut view.notes {
                *label = text::clean(label).into_owned();
                *text = text::clean(text).into_owned();
            }
        }
        Value::from_object(Shown(view))
    }

    /// The view that a template hands to a filter: this one, or what looks like one.
    pub fn of(value: &Value) -> Result<Arc<View>, minijinja::Error> {
        match value.downcast_object_ref::<Shown>() {
            Some(shown) => Ok(Arc::clone(&shown.0)),
            None => View::deserialize(value.clone()).map(Arc::new),
        }
    }
}

fn is_dirty(view: &View) -> bool {
    let dirty = |s: &str| matches!(text::clean(s), Cow::Owned(_));
    let cell = |c: &Cell| match c {
        Cell::Man {
            letter, mark, name, ..
        } => {
            text::unwelcome(*letter)
                || mark.is_some_and(text::unwelcome)
                || name.as_deref().is_some_and(dirty)
        }
        _ => false,
    };
    view.cells.iter().any(cell) || view.notes.iter().any(|(_, a, b)| dirty(a) || dirty(b))
}

fn clean_cell(cell: &mut Cell) {
    if let Cell::Man {
        letter, mark, name, ..
    } = cell
    {
        if text::unwelcome(*letter) {
            *letter = '?';
        }
        *mark = mark.filter(|m| !text::unwelcome(*m));
        if let Some(name) = name {
            *name = text::clean(name).into_owned();
        }
    }
}

impl Object for Shown {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "files" => field(&self.0.files),
            "ranks" => field(&self.0.ranks),
            "cells" => field(&self.0.cells),
            "last" => field(&self.0.last),
            "to_move" => field(&self.0.to_move),
            "notes" => field(&self.0.notes),
            "four" => field(&self.0.four),
            "leaderless" => field(&self.0.leaderless),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&[
            "files",
            "ranks",
            "cells",
            "last",
            "to_move",
            "notes",
            "four",
            "leaderless",
        ])
    }
}

/// A reader's style, for the filters.
#[derive(Debug)]
pub(super) struct Reader(Arc<Style>);

impl Reader {
    /// A style, cleaned as strings of a context are.
    pub fn value(style: &Style) -> Value {
        let clean = |s: &String| text::clean(s).into_owned();
        Value::from_object(Reader(Arc::new(Style {
            board: style.board,
            zone: clean(&style.zone),
            eyes: style.eyes,
            seats: style.seats.iter().map(clean).collect(),
        })))
    }

    /// The style of a template's variable.
    pub fn of(value: &Value) -> Option<Arc<Style>> {
        match value.downcast_object_ref::<Reader>() {
            Some(reader) => Some(Arc::clone(&reader.0)),
            None => Style::deserialize(value.clone()).ok().map(Arc::new),
        }
    }
}

impl Object for Reader {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "board" => field(&self.0.board),
            "zone" => field(&self.0.zone),
            "eyes" => field(&self.0.eyes),
            "seats" => field(&self.0.seats),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["board", "zone", "eyes", "seats"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Seat;

    #[test]
    fn a_view_handed_over_whole_reads_like_its_fields() {
        let view = View {
            files: 2,
            ranks: 1,
            cells: vec![
                Cell::Empty,
                Cell::Man {
                    seat: Seat(1),
                    letter: 'K',
                    mark: Some('\u{200B}'),
                    name: Some("ki\u{202E}ng".into()),
                },
            ],
            notes: vec![(Some(Seat(0)), "To\u{E000} come".into(), "ox".into())],
            ..View::default()
        };
        let mut clean = view.clone();
        clean.cells.iter_mut().for_each(clean_cell);
        clean.notes[0].1 = "To come".into();
        let shown = Shown::value(Arc::new(view));
        assert_eq!(*Shown::of(&shown).unwrap(), clean);
        let plain = field(&clean).unwrap();
        assert_eq!(*Shown::of(&plain).unwrap(), clean);
        for key in plain.try_iter().unwrap() {
            let item = |of: &Value| of.get_item(&key).unwrap();
            assert_eq!(item(&shown), item(&plain), "{key}");
        }
        assert_eq!(shown.len(), plain.len());
        let style = Style::default();
        assert_eq!(*Reader::of(&Reader::value(&style)).unwrap(), style);
        assert_eq!(Reader::value(&style).len(), field(&style).unwrap().len());
    }
}
