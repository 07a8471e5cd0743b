//! LAYER 3: words in, words out. Letters become orders, notices and templates become mails; boards as text,
//! HTML and pictures. No clock, no files: bytes, texts and times are arguments.

pub mod address;
pub mod auth;
pub mod board;
pub mod charset;
pub mod compose;
pub mod from_html;
pub mod help;
pub mod html;
pub mod letter;
pub mod machine;
pub mod words;
