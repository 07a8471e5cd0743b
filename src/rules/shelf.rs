//! All rulebooks: those that travel with the program and those an organiser adds.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::rulebook::{Rulebook, SpecError, nearest};

/// Rulebooks by id.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    books: BTreeMap<String, Slot>,
}

/// A rulebook, read when it is first asked for: one letter needs one of them.
#[derive(Clone, Debug)]
struct Slot {
    text: &'static str,
    book: OnceLock<Option<Arc<Rulebook>>>,
}

/// The files of `games/`, compiled in.
pub const BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/games.rs"));

impl Shelf {
    /// The rulebooks that travel with the program. A broken one is left out; a test holds that
    /// none is.
    pub fn builtin() -> Shelf {
        let slot = |text| Slot {
            text,
            book: OnceLock::new(),
        };
        Shelf {
            books: (BUILTIN.iter())
                .map(|(id, text)| ((*id).to_owned(), slot(text)))
                .collect(),
        }
    }
    /// Adds a rulebook; one of the same id is replaced.
    pub fn add(&mut self, book: Rulebook) {
        let id = book.id.clone();
        let slot = Slot {
            text: "",
            book: OnceLock::from(Some(Arc::new(book))),
        };
        self.books.insert(id, slot);
    }
    /// Reads and adds a rulebook.
    ///
    /// # Errors
    /// As [`Rulebook::parse`].
    pub fn add_text(&mut self, id: &str, text: &str) -> Result<(), SpecError> {
        self.add(Rulebook::parse(id, text)?);
        Ok(())
    }
    fn read<'a>(id: &str, slot: &'a Slot) -> Option<&'a Arc<Rulebook>> {
        let parse = || Rulebook::parse(id, slot.text).ok().map(Arc::new);
        slot.book.get_or_init(parse).as_ref()
    }
    /// The rulebook of that id, in any case.
    pub fn get(&self, id: &str) -> Option<&Arc<Rulebook>> {
        let (id, slot) = (self.books.get_key_value(id))
            .or_else(|| self.books.get_key_value(&id.to_ascii_lowercase()))?;
        Shelf::read(id, slot)
    }
    /// All ids, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.books.keys().map(String::as_str)
    }
    /// All rulebooks, sorted by id.
    pub fn books(&self) -> impl Iterator<Item = &Arc<Rulebook>> {
        (self.books.iter()).filter_map(|(id, slot)| Shelf::read(id, slot))
    }
    /// The id that was probably meant.
    pub fn nearest(&self, id: &str) -> Option<&str> {
        let ids: Vec<&str> = self.ids().collect();
        nearest(id, &ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_rulebook_is_sound() {
        for (id, text) in BUILTIN {
            if let Err(e) = Rulebook::parse(id, text) {
                panic!("games/{id}.ron: {e}");
            }
        }
    }
}
