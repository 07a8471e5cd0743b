//! Whose turn, by when, what follows.
