//! What a seat may see of a position: the only thing that boards are drawn from.
//!
//! A view is data without rules. Whoever draws it (post) never learns what a piece can do, and whoever makes it (the
//! families) never learns how wide a mail is.

use serde::{Deserialize, Serialize};

use super::Seat;

/// A position as one pair of eyes may see it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct View {
    /// Number of files, 1 to 30.
    pub files: u8,
    /// Number of ranks, 1 to 26.
    pub ranks: u8,
    /// One cell for each square, index `rank * files + file`, a1 first.
    pub cells: Vec<Cell>,
    /// Squares touched by the last turn, as indices into `cells`.
    pub last: Vec<u16>,
    /// Seats that owe something now.
    pub to_move: Vec<Seat>,
    /// What stands beside the board: (seat, label, text), e.g. (white, "Tulpas to come", "amazon ox").
    pub notes: Vec<(Option<Seat>, String, String)>,
    /// Four seats: a man is drawn with the letter of its colour.
    pub four: bool,
    /// Armies whose leader is captured: their men stand, but move only where somebody else commands them.
    #[serde(default)]
    pub leaderless: Vec<Seat>,
}

/// What stands on a square.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Cell {
    /// Nobody.
    #[default]
    Empty,
    /// No square at all: the board has a hole here.
    Hole,
    /// A man.
    Man {
        /// Whose it is (the colour of the army, not who commands it now).
        seat: Seat,
        /// Its letter, upper case, as in the game's file.
        letter: char,
        /// Something to know about it, e.g. `*` behind an uncastled Hydra king.
        mark: Option<char>,
        /// Its name in words, for readers who cannot use a diagram.
        name: Option<String>,
    },
}
