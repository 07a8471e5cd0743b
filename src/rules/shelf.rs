//! All rulebooks: those that travel with the program and those an organiser adds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rulebook::{Rulebook, SpecError, nearest};

/// Rulebooks by id.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    books: BTreeMap<String, Arc<Rulebook>>,
}

/// The files of `games/`, compiled in.
pub const BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/games.rs"));

impl Shelf {
    /// The rulebooks that travel with the program. A broken one is left out; a test holds that
    /// none is.
    pub fn builtin() -> Shelf {
        let mut shelf = Shelf::default();
        for (id, text) in BUILTIN {
            if let Ok(book) = Rulebook::parse(id, text) {
                shelf.add(book);
            }
        }
        shelf
    }
    /// Adds a rulebook; one of the same id is replaced.
    pub fn add(&mut self, book: Rulebook) {
        self.books.insert(book.id.clone(), Arc::new(book));
    }
    /// Reads and adds a rulebook.
    ///
    /// # Errors
    /// As [`Rulebook::parse`].
    pub fn add_text(&mut self, id: &str, text: &str) -> Result<(), SpecError> {
        self.add(Rulebook::parse(id, text)?);
        Ok(())
    }
    /// The rulebook of that id, in any case.
    pub fn get(&self, id: &str) -> Option<&Arc<Rulebook>> {
        self.books
            .get(id)
            .or_else(|| self.books.get(&id.to_ascii_lowercase()))
    }
    /// All ids, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.books.keys().map(String::as_str)
    }
    /// All rulebooks, sorted by id.
    pub fn books(&self) -> impl Iterator<Item = &Arc<Rulebook>> {
        self.books.values()
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
