//! LAYER 1: what may be played. No people, no mail, no time, no chance of its own.
//!
//! A [`Rulebook`] is one file of `games/`: board, array, pieces in Betza notation, and the family
//! whose code knows the rest. A [`Table`] is a rulebook with a position on it; an order is text
//! matched against the legal steps, so parsing *is* legality and no second rule book exists.
//!
//! To add a game: one file in `games/`, as `games/README.md` says. To add a family: one file in `families/` that implements
//! [`play::Play`], and a line in the list of `families/mod.rs`.

pub mod betza;
pub mod families;
pub mod kit;
pub mod notation;
mod order;
pub mod perft;
pub mod play;
pub mod record;
pub mod rulebook;
pub mod shelf;
pub mod table;
pub mod tally;
pub mod view;

pub use kit::{Kit, Man, Square};
pub use play::{Ask, Dice, Ending, Happening, Next, NoDice, Options, Play, Seat, What, Wrong};
pub use rulebook::{Rulebook, SpecError};
pub use shelf::Shelf;
pub use table::Table;
pub use view::{Cell, View};
