//! How the men of the Chieftain games move (chieftain.md 1.2). Where notation and that table
//! disagree the table rules, so the walks are written out.

use serde::{Deserialize, Serialize};

use super::super::super::kit::{Kit, NOWHERE, Square};

/// A way of moving.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Walk {
    /// One king step, or two in any directions with the middle square empty.
    Chieftain,
    /// One king step.
    Man,
    /// The knight's leap.
    Knight,
    /// One, two (jumping) or three squares along rank or file; three as slide and jump or jump
    /// and slide, so blocked only where both squares between are occupied.
    Hero,
    /// The same on diagonals.
    Shaman,
    /// Slides up to four on diagonals, leaps two along rank or file.
    Bishopy,
    /// Slides up to four along rank or file, leaps two on diagonals.
    Rookish,
}

const LINES: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONALS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
/// Longest slide of Bishopy and Rookish.
const SLIDE: i8 = 4;

impl Walk {
    /// Calls `each` with every target on the board, whoever stands there, until it answers true.
    pub fn targets(
        self,
        kit: &Kit,
        from: Square,
        vacant: impl Fn(Square) -> bool,
        mut each: impl FnMut(Square) -> bool,
    ) -> bool {
        match self {
            Walk::Man => kit.neighbours(from).any(each),
            Walk::Knight => kit
                .knight(from)
                .iter()
                .any(|to| *to != NOWHERE && each(*to)),
            Walk::Chieftain => area(kit, from, &vacant, &mut each),
            Walk::Hero => LINES
                .iter()
                .any(|w| three(kit, from, *w, &vacant, &mut each)),
            Walk::Shaman => DIAGONALS
                .iter()
                .any(|w| three(kit, from, *w, &vacant, &mut each)),
            Walk::Bishopy => slide(kit, from, &DIAGONALS, &LINES, &vacant, &mut each),
            Walk::Rookish => slide(kit, from, &LINES, &DIAGONALS, &vacant, &mut each),
        }
    }
}

fn area(
    kit: &Kit,
    from: Square,
    vacant: &impl Fn(Square) -> bool,
    each: &mut impl FnMut(Square) -> bool,
) -> bool {
    if kit.neighbours(from).any(&mut *each) {
        return true;
    }
    for df in -2i8..=2 {
        for dr in -2i8..=2 {
            if df.abs() < 2 && dr.abs() < 2 {
                continue;
            }
            let Some(to) = kit.offset(from, df, dr) else {
                continue;
            };
            let by = |mf: i8, mr: i8| {
                (mf - df).abs() <= 1
                    && (mr - dr).abs() <= 1
                    && kit.offset(from, mf, mr).is_some_and(vacant)
            };
            let reached = LINES.iter().chain(&DIAGONALS).any(|(mf, mr)| by(*mf, *mr));
            if reached && each(to) {
                return true;
            }
        }
    }
    false
}

fn three(
    kit: &Kit,
    from: Square,
    (df, dr): (i8, i8),
    vacant: &impl Fn(Square) -> bool,
    each: &mut impl FnMut(Square) -> bool,
) -> bool {
    let Some(one) = kit.offset(from, df, dr) else {
        return false;
    };
    if each(one) {
        return true;
    }
    let Some(two) = kit.offset(one, df, dr) else {
        return false;
    };
    if each(two) {
        return true;
    }
    kit.offset(two, df, dr)
        .is_some_and(|end| (vacant(one) || vacant(two)) && each(end))
}

fn slide(
    kit: &Kit,
    from: Square,
    ways: &[(i8, i8)],
    leaps: &[(i8, i8)],
    vacant: &impl Fn(Square) -> bool,
    each: &mut impl FnMut(Square) -> bool,
) -> bool {
    for (df, dr) in ways {
        for n in 1..=SLIDE {
            let Some(to) = kit.offset(from, df * n, dr * n) else {
                break;
            };
            if each(to) {
                return true;
            }
            if !vacant(to) {
                break;
            }
        }
    }
    leaps
        .iter()
        .any(|(df, dr)| kit.offset(from, df * 2, dr * 2).is_some_and(&mut *each))
}
