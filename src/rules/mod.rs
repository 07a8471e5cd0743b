//! What may be played.
pub mod notation;
