//! Words in, words out.

pub mod address;
pub mod board;
pub mod compose;
pub mod html;
pub mod words;
