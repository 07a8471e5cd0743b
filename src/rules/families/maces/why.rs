//! Why a text is not legal, in the game's terms.

use crate::rules::kit::Kit;
use crate::rules::play::Seat;

use super::{Maces, State};

/// The reason, where one is known.
pub fn why_not(_m: &Maces, _kit: &Kit, _s: &State, _seat: Seat, _text: &str) -> Option<String> {
    None
}
