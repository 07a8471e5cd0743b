//! tulpa: a referee for games played by e-mail.
pub mod config;
pub mod edge;
pub mod fair;
pub mod post;
pub mod referee;
pub mod rules;
pub mod store;
