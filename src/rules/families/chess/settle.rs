//! What a rulebook's settings mean on this board: goals, promotions, castlings; and which of them
//! make no sense together.

use super::compiled::{CASTLINGS_MAX, Castle, Change, Compiled, kind_of};
use super::spec::{Castling, Check, Goal, Promotion, Spec};
use crate::rules::kit::{Kit, Square};
use crate::rules::rulebook::SpecError;

impl Compiled {
    pub(super) fn goals(
        &mut self,
        spec: &Spec,
        mask: &dyn Fn(&str) -> Result<u32, SpecError>,
        square: &dyn Fn(&str) -> Result<Square, SpecError>,
    ) -> Result<(), SpecError> {
        for goal in &spec.goals {
            match goal {
                Goal::Hill(names) => {
                    if self.royal == 0 {
                        return Err(SpecError::new("a hill needs a royal piece to climb it"));
                    }
                    if names.is_empty() {
                        return Err(SpecError::new("a hill without squares cannot be climbed"));
                    }
                    for name in names {
                        let sq = square(name)?;
                        let man = self.home[usize::from(sq)];
                        if man != 0 && self.royal >> kind_of(man) & 1 == 1 {
                            return Err(SpecError::new(format!(
                                "a royal piece starts on `{name}`, which is a hill"
                            )));
                        }
                        self.hill.push(sq);
                    }
                }
                Goal::Checks(0) => return Err(SpecError::new("no checks cannot win")),
                Goal::Checks(count) => {
                    if !self.guarded {
                        return Err(SpecError::new(
                            "counting checks needs a royal piece and check",
                        ));
                    }
                    self.checks = *count;
                }
                Goal::Extinct(letters) => self.extinct |= mask(letters)?,
                Goal::LastRank(letters) => self.last_rank |= mask(letters)?,
                Goal::LoseAll => self.lose_all = true,
                Goal::Bare => self.bare = true,
            }
        }
        Ok(())
    }

    pub(super) fn promotion(
        &mut self,
        p: &Promotion,
        kit: &Kit,
        mask: &dyn Fn(&str) -> Result<u32, SpecError>,
    ) -> Result<(), SpecError> {
        if p.ranks == 0 || p.ranks > kit.ranks || p.into.is_empty() || p.who.is_empty() {
            return Err(SpecError::new(format!(
                "the promotion of `{}` needs ranks and pieces",
                p.who
            )));
        }
        let into = mask(&p.into)?;
        if into & self.royal != 0 {
            return Err(SpecError::new(format!(
                "`{}` cannot promote to a royal piece",
                p.who
            )));
        }
        if p.optional && p.ranks == 1 {
            return Err(SpecError::new(format!(
                "the promotion of `{}` is on the last rank only, where it cannot be `optional`",
                p.who
            )));
        }
        if p.lost_only
            && let Some(letter) = p.into.chars().find(|c| {
                let kind = kit.kind(*c).map_or(0, usize::from);
                self.count.iter().all(|count| count[kind] == 0)
            })
        {
            return Err(SpecError::new(format!(
                "nobody starts with `{letter}`, so it can never have been lost (`lost_only`)"
            )));
        }
        for letter in p.who.chars() {
            let kind = usize::from(kit.need(letter)?);
            if self.change[kind].is_some() {
                return Err(SpecError::new(format!("`{letter}` promotes twice")));
            }
            self.change[kind] = Some(Change {
                ranks: p.ranks,
                into: p
                    .into
                    .chars()
                    .map(|c| kit.need(c))
                    .collect::<Result<_, _>>()?,
                optional: p.optional,
                lost_only: p.lost_only,
            });
        }
        Ok(())
    }

    /// One castling of one seat; the file names the squares of the first seat.
    pub(super) fn castle(
        &mut self,
        kit: &Kit,
        seat: u8,
        written: &Castling,
        first: [Square; 4],
    ) -> Result<(), SpecError> {
        let squares = first.map(|sq| {
            let rank = own_rank(kit, seat, sq);
            Square::from(rank) * Square::from(kit.files) + Square::from(kit.file(sq))
        });
        let [king, lands, rook, rook_lands] = squares;
        if squares.iter().any(|s| kit.rank(*s) != kit.rank(king)) {
            return Err(SpecError::new(format!(
                "castling goes along one rank, not from `{}` and `{}` to `{}` and `{}`",
                written.king, written.rook, written.lands, written.rook_lands
            )));
        }
        if king == rook || lands == rook_lands {
            return Err(SpecError::new(format!(
                "castling from `{}` puts king and partner on one square",
                written.king
            )));
        }
        let royal = kit.setup[usize::from(king)]
            .is_some_and(|m| m.seat == seat && self.royal >> m.kind & 1 == 1);
        let partner = kit.setup[usize::from(rook)].is_some_and(|m| m.seat == seat);
        if !royal || !partner {
            // Another array, without the king or the rook there, has no such castling.
            if !kit.standard {
                return Ok(());
            }
            let (name, whom) = if royal {
                (&written.rook, "man")
            } else {
                (&written.king, "royal piece")
            };
            let at = kit.name(if royal { rook } else { king });
            return Err(SpecError::new(format!(
                "castling from `{name}`: no {whom} of {} stands on {at}",
                kit.seat_names[usize::from(seat)]
            )));
        }
        let long = written.long;
        if self
            .castles
            .iter()
            .any(|c| c.seat == seat && c.long == long)
        {
            let text = if long { "O-O-O" } else { "O-O" };
            return Err(SpecError::new(format!(
                "two castlings are both written {text}"
            )));
        }
        if self.castles.len() >= CASTLINGS_MAX {
            return Err(SpecError::new(format!(
                "more than {CASTLINGS_MAX} castlings"
            )));
        }
        let span = |a: Square, b: Square| a.min(b)..=a.max(b);
        let mut free: Vec<Square> = span(king, lands)
            .chain(span(rook, rook_lands))
            .chain(span(king, rook))
            .collect();
        free.sort_unstable();
        free.dedup();
        free.retain(|s| *s != king && *s != rook);
        let bit = 1 << self.castles.len();
        self.lost[usize::from(king)] |= bit;
        self.lost[usize::from(rook)] |= bit;
        let safe = span(king, lands).collect();
        self.castles.push(Castle {
            seat,
            squares,
            free,
            safe,
            long,
        });
        Ok(())
    }

    /// Refuses settings that make no sense together, once everything else is made ready.
    pub(super) fn sense(&self, spec: &Spec, kit: &Kit) -> Result<(), SpecError> {
        let wrong = |what: String| Err(SpecError::new(what));
        if spec.royal.is_empty() {
            let needs = [
                (spec.check == Check::Capture, "`check: Capture`"),
                (!spec.castling.is_empty(), "`castling`"),
                (spec.kings_apart, "`kings_apart`"),
                (spec.goals.contains(&Goal::Bare), "the goal `Bare`"),
                (spec.minor.is_some(), "`minor`"),
            ];
            if let Some((_, what)) = needs.iter().find(|(set, _)| *set) {
                return wrong(format!("{what} needs a `royal` piece"));
            }
        }
        if let Some(piece) = kit.pieces.iter().find(|p| p.moves.is_empty()) {
            return wrong(format!("piece `{}` has no `moves`", piece.letter));
        }
        if self.drops && self.spared.is_some() {
            return wrong("`drops` and `explosion` are not played together".to_owned());
        }
        if self.promoted_as.is_some() && spec.promotion.is_empty() {
            return wrong("`promoted_as` needs a `promotion`".to_owned());
        }
        if let Some(minor) = self.minor
            && minor & self.royal != 0
        {
            return wrong("the royal piece is no `minor` piece".to_owned());
        }
        let starts = |kind: usize| self.count.iter().any(|count| count[kind] > 0);
        let becomes = |kind: usize| {
            self.change
                .iter()
                .flatten()
                .any(|change| change.into.iter().any(|k| usize::from(*k) == kind))
        };
        for goal in &spec.goals {
            let (letters, late) = match goal {
                Goal::Extinct(letters) => (letters, false),
                Goal::LastRank(letters) => (letters, true),
                _ => continue,
            };
            if letters.is_empty() {
                return wrong("a goal without letters cannot be reached".to_owned());
            }
            for letter in letters.chars() {
                let kind = usize::from(kit.need(letter)?);
                if !(starts(kind) || late && becomes(kind)) {
                    return wrong(format!("nobody has a `{letter}`, which a goal speaks of"));
                }
            }
        }
        for (no, area) in spec.areas.iter().enumerate() {
            let again = |c: char| spec.areas[..no].iter().any(|a| a.who.contains(c));
            if let Some(letter) = area.who.chars().find(|c| again(*c)) {
                return wrong(format!("`{letter}` has two areas"));
            }
        }
        for (no, region) in spec.regional.iter().enumerate() {
            if spec.regional[..no].iter().any(|r| r.who == region.who) {
                return wrong(format!("`{}` is regional twice", region.who));
            }
        }
        for (sq, man) in kit.setup.iter().enumerate() {
            if let Some(man) = man
                && !self.inside(man.seat, man.kind, sq as Square)
            {
                return wrong(format!(
                    "the `{}` on {} starts outside its area",
                    kit.letter(man.kind),
                    kit.name(sq as Square)
                ));
            }
        }
        Ok(())
    }
}

/// The rank of a square counted from a seat's side, from 0.
pub(super) fn own_rank(kit: &Kit, seat: u8, sq: Square) -> u8 {
    if seat == 0 {
        kit.rank(sq)
    } else {
        kit.ranks - 1 - kit.rank(sq)
    }
}
