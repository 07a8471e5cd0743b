//! Settings of a Maces game that make no sense together.

use super::{CARDS_MAX, Spec};
use crate::rules::kit::Kit;
use crate::rules::rulebook::SpecError;

/// Refuses what would be no game.
pub(super) fn sense(spec: &Spec, kit: &Kit) -> Result<(), SpecError> {
    if spec.promotions.is_empty() || spec.promotions.contains(&spec.pawn) {
        return Err(SpecError::new(
            "a pawn must be able to become something else",
        ));
    }
    if spec.promotions.contains(&spec.king) || spec.thrown_pawn == spec.king {
        return Err(SpecError::new("a pawn never becomes a king"));
    }
    if spec.thrown_pawn == spec.pawn {
        return Err(SpecError::new(
            "a pawn thrown onto its last rank must become something else (`thrown_pawn`)",
        ));
    }
    let king = kit.need(spec.king)?;
    for (seat, name) in kit.seat_names.iter().enumerate() {
        let has = |m: &Option<crate::rules::kit::Man>| {
            m.is_some_and(|m| usize::from(m.seat) == seat && m.kind == king)
        };
        if !kit.setup.iter().any(has) {
            return Err(SpecError::new(format!("{name} has no king in the array")));
        }
    }
    for (no, card) in spec.cards.iter().enumerate() {
        let clean = !card.name.is_empty() && card.name.chars().all(|c| c.is_ascii_lowercase());
        if !clean || spec.cards[..no].iter().any(|c| c.name == card.name) {
            return Err(SpecError::new(format!(
                "card `{}` needs a name of its own in small letters",
                card.name
            )));
        }
    }
    if spec.cards.len() > CARDS_MAX {
        return Err(SpecError::new(format!("at most {CARDS_MAX} cards")));
    }
    if !spec.cards.is_empty() && (spec.home_ranks == 0 || spec.home_ranks > kit.ranks / 2) {
        return Err(SpecError::new(
            "`home_ranks` must be at least 1 and at most half of the ranks",
        ));
    }
    Ok(())
}
