//! What a rulebook says to the chess family.

use serde::{Deserialize, Serialize};

/// Settings of the chess family. Nothing set is a game of capture without aim, which is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Letters of the royal pieces; each side has exactly one, or none in a game without.
    #[serde(default)]
    pub royal: String,
    /// What protects a royal piece.
    #[serde(default)]
    pub check: Check,
    /// Every aim that wins beside mate.
    #[serde(default)]
    pub goals: Vec<Goal>,
    /// What it means to have no legal step without being in check.
    #[serde(default)]
    pub stalemate: Stuck,
    /// Castlings of the first seat; the second has them mirrored.
    #[serde(default)]
    pub castling: Vec<Castling>,
    /// Promotions.
    #[serde(default)]
    pub promotion: Vec<Promotion>,
    /// Captured men may be dropped.
    #[serde(default)]
    pub drops: Option<Drops>,
    /// A capture removes the capturer and all around except these letters (Atomic).
    #[serde(default)]
    pub explosion: Option<Explosion>,
    /// Who can capture must (Antichess).
    #[serde(default)]
    pub must_capture: bool,
    /// Royal pieces may not see each other along an open file (Xiangqi).
    #[serde(default)]
    pub kings_apart: bool,
    /// Men that may not leave an area.
    #[serde(default)]
    pub areas: Vec<Area>,
    /// Men that move otherwise on some ranks.
    #[serde(default)]
    pub regional: Vec<Regional>,
    /// Draw where neither side has mating material as in FIDE chess (5.2.2): bare kings, or one
    /// minor piece of these letters more.
    #[serde(default)]
    pub minor: Option<String>,
}

/// What protects a royal piece.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Check {
    /// It may not be left under attack (FIDE Laws 3.9); mate wins.
    #[default]
    Forbidden,
    /// Nothing: capturing it wins.
    Capture,
}

/// An aim that wins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Goal {
    /// The royal piece stands on one of these squares (King of the Hill).
    Hill(Vec<String>),
    /// This many checks were given.
    Checks(u8),
    /// All men of one of these letters are gone: their owner loses.
    Extinct(String),
    /// One of these letters stands on the last rank.
    LastRank(String),
    /// Having no man left wins.
    LoseAll,
    /// A bare royal piece loses, unless the other side is bared by the next turn (Shatranj).
    Bare,
}

/// The worth of having no legal step for the side that is stuck.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Stuck {
    /// A draw.
    #[default]
    Draw,
    /// The stuck side loses.
    Loss,
    /// The stuck side wins.
    Win,
}

/// One castling of the first seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Castling {
    /// Where the royal piece starts.
    pub king: String,
    /// Where it lands.
    pub lands: String,
    /// Where its partner starts.
    pub rook: String,
    /// Where the partner lands.
    pub rook_lands: String,
    /// True for `O-O-O`.
    #[serde(default)]
    pub long: bool,
}

/// A promotion.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promotion {
    /// Letters of the men that promote.
    pub who: String,
    /// Letters they may become.
    pub into: String,
    /// On how many last ranks.
    #[serde(default = "one")]
    pub ranks: u8,
    /// True where the man may stay what it is; never on the last rank.
    #[serde(default)]
    pub optional: bool,
    /// True where it becomes only what the side has lost (Grand Chess).
    #[serde(default)]
    pub lost_only: bool,
}

fn one() -> u8 {
    1
}

/// Drops of captured men.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drops {
    /// A promoted man goes to the hand as this letter.
    #[serde(default)]
    pub promoted_as: Option<char>,
    /// Letters that may not be dropped on the first and the last rank.
    #[serde(default)]
    pub not_on_ends: String,
}

/// Captures explode.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explosion {
    /// Letters that survive beside it.
    pub spared: String,
}

/// Squares that some men may not leave.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Letters.
    pub who: String,
    /// Corner of the first seat's area; the second's is mirrored.
    pub from: String,
    /// The corner across.
    pub to: String,
}

/// Other moves on some ranks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regional {
    /// Letter.
    pub who: char,
    /// From this rank on, counted from the mover's side.
    pub from_rank: u8,
    /// The moves there, in place of the others.
    pub moves: String,
}
