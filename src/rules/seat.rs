//! A side of a match.

use serde::{Deserialize, Serialize};

/// A side of a match: white, green ...; counted from 0 in the order of the rulebook's seats.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Seat(pub u8);
