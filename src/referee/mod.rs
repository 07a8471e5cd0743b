//! Whose turn, by when, what follows.
pub mod order;
