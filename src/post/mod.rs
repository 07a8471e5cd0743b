//! Words in, words out.
pub mod auth;
pub mod charset;
pub mod html;
pub mod letter;
pub mod machine;
