//! LAYER 3: words in, words out. Letters become orders, notices and templates become mails; boards as text,
//! HTML and pictures. No clock, no files: bytes, texts and times are arguments.

pub mod address;
pub mod board;
pub mod compose;
pub mod help;
pub mod hypertext;
pub mod words;
