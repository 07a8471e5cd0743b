//! What proves a card: the receipt of whoever laid it down, its number for the others, its opening (trust.md 4).

use serde::{Deserialize, Serialize};

use super::report::{News, Report};
use super::state::{Match, Sealed};
use crate::fair::seal;
use crate::rules::Seat;

/// A card of somebody else that lies face down: what the reader must know before he lays down his own (trust.md 4).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Down {
    /// Whose.
    pub seat: Seat,
    /// For which turn.
    pub turn: u32,
    /// 64 hex digits.
    pub commitment: String,
}

/// A card turned over, with what proves that it is the one that was laid down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// Whose.
    pub seat: Seat,
    /// For which turn.
    pub turn: u32,
    /// The card.
    pub card: String,
    /// 64 hex digits, as mailed when the card was laid down.
    pub commitment: String,
    /// Shell commands that print the commitment.
    pub check: Vec<String>,
}

/// The picker's proof of his card (trust.md 4).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// For which turn.
    pub turn: u32,
    /// The card.
    pub card: String,
    /// 64 hex digits.
    pub nonce: String,
    /// 64 hex digits; public.
    pub commitment: String,
    /// Shell commands that print the commitment.
    pub check: Vec<String>,
    /// Dots that make the receipts of all cards equally long (trust.md 4).
    pub filler: String,
    /// False with `reveal=outcome`: the card stays hidden until the match is over.
    pub both: bool,
    /// The picker's seat, from 1 as in the line that is hashed.
    pub seat: u32,
    /// The picker alone knows the card: `card`, `nonce` and `check` are empty.
    pub own: bool,
}

/// Receipts are padded as if every card had a name of so many characters; no game has a longer one.
pub const RECEIPT_CARD_CHARS: usize = 8;

impl Receipt {
    /// The dots for a card; at least one, since blanks at a line's end would vanish.
    pub fn filler(card: &str) -> String {
        ".".repeat((RECEIPT_CARD_CHARS + 1).saturating_sub(card.len()).max(1))
    }
}

fn check(m: &Match, s: &Sealed) -> Vec<String> {
    if !s.known() {
        return Vec::new();
    }
    seal::check_commands(&m.gid, s.turn, s.number(), &s.card.0, &s.nonce.0).to_vec()
}

/// The receipt of a sealed card.
pub(super) fn receipt(m: &Match, s: &Sealed) -> Receipt {
    Receipt {
        turn: s.turn,
        card: s.card.0.clone(),
        nonce: s.nonce.0.clone(),
        commitment: s.commitment.clone(),
        check: check(m, s),
        filler: Receipt::filler(&s.card.0),
        both: m.reveal_both,
        seat: s.number(),
        own: !s.known(),
    }
}

/// A card that is turned over, with its proof.
pub(super) fn opening(m: &Match, s: &Sealed) -> Opening {
    Opening {
        seat: s.seat,
        turn: s.turn,
        card: s.card.0.clone(),
        commitment: s.commitment.clone(),
        check: check(m, s),
    }
}

/// What stayed hidden during the match is proved at its end (trust.md 4).
pub(super) fn add_openings(m: &Match, report: &mut Report) {
    let ended = |n: &News| matches!(n, News::Ended { .. });
    if !m.opened.is_empty() && report.news.iter().any(ended) {
        let openings = m.opened.iter().map(|s| opening(m, s)).collect();
        report.news.push(News::Openings { openings });
    }
}
