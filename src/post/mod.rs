//! LAYER 3: words in, words out. Letters become orders, notices and templates become mails; boards as text,
//! HTML and pictures. No clock, no files: bytes, texts and times are arguments.

pub mod address;
pub mod arguments;
pub mod auth;
pub mod board;
pub mod challenge;
pub mod charset;
pub mod commands;
pub mod compose;
mod courtesy;
pub mod fold;
pub mod from_html;
pub mod guard;
pub mod help;
pub mod hypertext;
pub mod letter;
pub mod machine;
pub mod mailing;
pub mod motion;
pub mod moves;
pub mod near;
pub mod orders;
pub mod quote;
pub mod reader;
pub mod words;
