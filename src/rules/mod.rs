//! What may be played.

pub mod seat;
pub mod view;

pub use seat::Seat;
pub use view::{Cell, View};
