//! Moves as text: Betza notation, after Ralph Betza's "funny notation" with common XBetza letters.
//!
//! A text is a row of parts; a piece may do what any part says. A part is modifiers (small letters),
//! one atom (a capital), and a range.
//!
//! | atom | leap | atom | leap | atom | leap |
//! |---|---|---|---|---|---|
//! | `W` | 1,0 | `D` | 2,0 | `H` | 3,0 |
//! | `F` | 1,1 | `N` | 2,1 | `C` | 3,1 |
//! | | | `A` | 2,2 | `Z` | 3,2 |
//! | | | | | `G` | 3,3 |
//!
//! `K` is `WF`, `R` is `W` without end, `B` is `F` without end, `Q` is `RB`.
//! A number behind an atom is how often the leap may be repeated (`W3`, `R4`, `B2`), `0` or the atom
//! written twice (`NN`) without end. A repeated leap stops at the first man.
//!
//! Directions: `f` forward, `b` back, `l` left, `r` right, `s` = `lr`, `v` = `fb`; none means all.
//! - On straight atoms each letter is a direction of its own: `frlR`.
//! - On diagonal atoms a letter stands for both leaps that way, two letters across each other for
//!   the one between them: `fF` two leaps, `flF` one.
//! - On oblique atoms a letter (or the letter twice) stands for the two leaps that go farthest that
//!   way, `fs` and `bs` for the two wide ones, a letter with `h` for all four, two other letters
//!   across each other for one leap, the first letter the long way: `fN` two leaps, `fhN` four, `flN` one.
//! - On `K` and `Q` the straight part takes every letter, the diagonal part `f`, `b` and `v` only.
//!
//! Other modifiers: `m` moves without capture, `c` captures only (none: both); `n` lame, the squares
//! between must be vacant: straight steps first, then diagonal ones; `p` hops over exactly one man and goes
//! on, `g` hops and lands right behind it; `i` only from a square where this letter starts;
//! `e` also captures en passant. A lame initial move leaves the squares it passed open to that.
//!
//! Anything else is refused with its place.

use super::rulebook::SpecError;

/// May a move end on a vacant square, on an enemy?
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MoveMode {
    /// On a vacant square.
    pub quiet: bool,
    /// On an enemy.
    pub capture: bool,
}

/// Does a move need a man to hop over?
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Hop {
    /// It does not.
    None,
    /// Over one man, then on as far as it goes.
    Over,
    /// Over one man, to the square right behind it.
    Behind,
}

/// One direction of one part.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Move {
    /// Files to the right.
    pub dx: i8,
    /// Ranks forward.
    pub dy: i8,
    /// How often the leap may be repeated; `u8::MAX` without end.
    pub range: u8,
    /// Where it may end.
    pub mode: MoveMode,
    /// The squares between must be vacant.
    pub lame: bool,
    /// What it hops over.
    pub hop: Hop,
    /// Only from a square where this letter starts.
    pub initial: bool,
    /// Also captures en passant.
    pub ep: bool,
}

/// Without end.
pub const ENDLESS: u8 = u8::MAX;
/// Longest text of one piece, bytes.
pub const BETZA_BYTES_MAX: usize = 256;

impl Move {
    /// The same for a seat that faces another way: quarter turns clockwise, seen from above.
    #[must_use]
    pub fn turned(self, quarters: u8) -> Move {
        let (mut dx, mut dy) = (self.dx, self.dy);
        for _ in 0..quarters % 4 {
            (dx, dy) = (dy, -dx);
        }
        Move { dx, dy, ..self }
    }

    /// The squares a lame leap passes, as offsets from its start.
    pub fn between(self) -> Vec<(i8, i8)> {
        let (mut x, mut y) = (0i8, 0i8);
        let mut out = Vec::new();
        loop {
            let (rx, ry) = (self.dx - x, self.dy - y);
            let (straight_x, straight_y) = (rx.abs() > ry.abs(), ry.abs() > rx.abs());
            if !straight_y {
                x += rx.signum();
            }
            if !straight_x {
                y += ry.signum();
            }
            if (x, y) == (self.dx, self.dy) {
                return out;
            }
            out.push((x, y));
        }
    }
}

/// The eight (or four) leaps of an atom.
fn leaps(long: i8, short: i8) -> Vec<(i8, i8)> {
    let mut out = Vec::with_capacity(8);
    for (a, b) in [(long, short), (short, long)] {
        for (x, y) in [(a, b), (a, -b), (-a, b), (-a, -b)] {
            if !out.contains(&(x, y)) {
                out.push((x, y));
            }
        }
    }
    out.sort_unstable();
    out
}

/// Does the leap go the way of the letter?
fn goes(leap: (i8, i8), way: u8) -> bool {
    match way {
        b'f' => leap.1 > 0,
        b'b' => leap.1 < 0,
        b'l' => leap.0 < 0,
        b'r' => leap.0 > 0,
        b's' => leap.0 != 0,
        b'v' => leap.1 != 0,
        _ => false,
    }
}

fn upright(way: u8) -> bool {
    matches!(way, b'f' | b'b' | b'v')
}

/// The leaps of an atom that its direction letters allow.
fn chosen(long: i8, short: i8, ways: &[u8]) -> Vec<(i8, i8)> {
    let all = leaps(long, short);
    if ways.is_empty() {
        return all;
    }
    let straight = short == 0;
    let diagonal = short == long;
    let mut out: Vec<(i8, i8)> = Vec::new();
    let mut at = 0;
    while at < ways.len() {
        let way = ways[at];
        at += 1;
        let second = ways.get(at).copied();
        let across = second.filter(|w| *w != b'h' && upright(*w) != upright(way));
        let farthest = |leap: &(i8, i8)| {
            let (x, y) = (leap.0.abs(), leap.1.abs());
            goes(*leap, way) && if upright(way) { y > x } else { x > y }
        };
        if straight {
            out.extend(all.iter().filter(|l| goes(**l, way)));
        } else if diagonal {
            match across {
                Some(other) => {
                    at += 1;
                    out.extend(all.iter().filter(|l| goes(**l, way) && goes(**l, other)));
                }
                None => out.extend(all.iter().filter(|l| goes(**l, way))),
            }
        } else if second == Some(b'h') {
            at += 1;
            out.extend(all.iter().filter(|l| goes(**l, way)));
        } else if second == Some(way) {
            at += 1;
            out.extend(all.iter().filter(|l| farthest(l)));
        } else if let Some(other) = across {
            at += 1;
            let wide = other == b's';
            out.extend(all.iter().filter(|l| {
                goes(**l, way)
                    && goes(**l, other)
                    && if wide {
                        l.0.abs() > l.1.abs()
                    } else {
                        farthest(l)
                    }
            }));
        } else {
            out.extend(all.iter().filter(|l| farthest(l)));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Compiles a piece's moves for a seat that faces up the board.
///
/// # Errors
/// A letter that is not known, with its place in the text.
pub fn compile(text: &str) -> Result<Vec<Move>, SpecError> {
    let bytes = text.as_bytes();
    let wrong = |at: usize, what: &str| {
        SpecError::new(format!("{what} at place {} of the moves `{text}`", at + 1))
    };
    if bytes.len() > BETZA_BYTES_MAX {
        return Err(SpecError::new(format!(
            "moves longer than {BETZA_BYTES_MAX} bytes"
        )));
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b' ' {
            at += 1;
            continue;
        }
        let mut ways = Vec::new();
        let mut mode = MoveMode {
            quiet: false,
            capture: false,
        };
        let (mut lame, mut hop, mut initial, mut ep) = (false, Hop::None, false, false);
        let front = at;
        while at < bytes.len() && bytes[at].is_ascii_lowercase() {
            match bytes[at] {
                way @ (b'f' | b'b' | b'l' | b'r' | b's' | b'v' | b'h') => {
                    if way == b'h' && ways.last().is_none_or(|w| *w == b'h') {
                        return Err(wrong(at, "`h` follows no direction"));
                    }
                    ways.push(way);
                }
                b'm' => mode.quiet = true,
                b'c' => mode.capture = true,
                b'n' => lame = true,
                b'p' => hop = Hop::Over,
                b'g' => hop = Hop::Behind,
                b'i' => initial = true,
                b'e' => ep = true,
                other => {
                    return Err(wrong(at, &format!("unknown letter `{}`", other as char))
                        .hint("modifiers are f b l r s v h, m c n p g i e"));
                }
            }
            at += 1;
        }
        if !mode.quiet && !mode.capture {
            mode = MoveMode {
                quiet: true,
                capture: true,
            };
        }
        let Some(atom) = bytes.get(at).copied() else {
            return Err(wrong(front, "modifiers without an atom"));
        };
        let parts: &[(i8, i8, bool)] = match atom {
            b'W' => &[(1, 0, false)],
            b'F' => &[(1, 1, false)],
            b'D' => &[(2, 0, false)],
            b'N' => &[(2, 1, false)],
            b'A' => &[(2, 2, false)],
            b'H' => &[(3, 0, false)],
            b'C' => &[(3, 1, false)],
            b'Z' => &[(3, 2, false)],
            b'G' => &[(3, 3, false)],
            b'K' => &[(1, 0, false), (1, 1, false)],
            b'R' => &[(1, 0, true)],
            b'B' => &[(1, 1, true)],
            b'Q' => &[(1, 0, true), (1, 1, true)],
            _ => {
                let letter = text[at..].chars().next().unwrap_or('?');
                return Err(wrong(at, &format!("unknown letter `{letter}`"))
                    .hint("atoms are W F D N A H C Z G K R B Q"));
            }
        };
        let place = at;
        at += 1;
        let mut range = if parts[0].2 { ENDLESS } else { 1 };
        let digits = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        if digits > 0 {
            let number: u8 = text[at..at + digits]
                .parse()
                .map_err(|_| wrong(at, "a range above 254"))?;
            range = if number == 0 { ENDLESS } else { number };
            at += digits;
        } else if bytes.get(at) == Some(&atom) {
            range = ENDLESS;
            at += 1;
        }
        if lame && range != 1 {
            return Err(wrong(place, "`n` on a repeated leap"));
        }
        if hop != Hop::None && range == 1 {
            return Err(wrong(place, "`p` and `g` on a leap that is not repeated"));
        }
        if ways.contains(&b'h') && !matches!(atom, b'N' | b'C' | b'Z') {
            return Err(wrong(place, "`h` on an atom that is not oblique"));
        }
        let both = parts.len() == 2;
        for (long, short, _) in parts {
            let own: Vec<u8> = if both && *short != 0 {
                ways.iter().copied().filter(|w| upright(*w)).collect()
            } else {
                ways.clone()
            };
            if both && *short != 0 && own.is_empty() && !ways.is_empty() {
                continue;
            }
            for (dx, dy) in chosen(*long, *short, &own) {
                out.push(Move {
                    dx,
                    dy,
                    range,
                    mode,
                    lame,
                    hop,
                    initial,
                    ep,
                });
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaps_of(text: &str) -> Vec<(i8, i8)> {
        let mut all: Vec<_> = compile(text)
            .unwrap()
            .iter()
            .map(|m| (m.dx, m.dy))
            .collect();
        all.dedup();
        all
    }

    #[test]
    fn fide_pieces() {
        for (text, count, range) in [
            ("K", 8, 1),
            ("Q", 8, ENDLESS),
            ("R", 4, ENDLESS),
            ("B", 4, ENDLESS),
            ("N", 8, 1),
        ] {
            let moves = compile(text).unwrap();
            assert_eq!(moves.len(), count, "{text}");
            assert!(
                moves
                    .iter()
                    .all(|m| m.range == range && m.mode.quiet && m.mode.capture),
                "{text}"
            );
        }
        let pawn = compile("fmWfcFifmnD").unwrap();
        assert_eq!(pawn.len(), 4);
        let step = pawn.iter().find(|m| (m.dx, m.dy) == (0, 1)).unwrap();
        assert!(step.mode.quiet && !step.mode.capture && !step.initial);
        let double = pawn.iter().find(|m| (m.dx, m.dy) == (0, 2)).unwrap();
        assert!(double.initial && double.lame && !double.mode.capture);
        assert_eq!(double.between(), [(0, 1)]);
        assert_eq!(
            pawn.iter()
                .filter(|m| m.mode.capture && m.dy == 1 && m.dx != 0)
                .count(),
            2
        );
        assert!(compile("fmWfceFifmnD").unwrap().iter().any(|m| m.ep));
    }

    #[test]
    fn leapers_and_riders() {
        for (text, count) in [
            ("C", 8),
            ("Z", 8),
            ("A", 4),
            ("D", 4),
            ("H", 4),
            ("G", 4),
            ("WF", 8),
            ("NN", 8),
        ] {
            assert_eq!(compile(text).unwrap().len(), count, "{text}");
        }
        assert_eq!(compile("NN").unwrap()[0].range, ENDLESS);
        assert_eq!(compile("W3").unwrap()[0].range, 3);
        assert_eq!(compile("B4D").unwrap().len(), 8);
        assert_eq!(leaps_of("C")[0], (-3, -1));
        assert_eq!(leaps_of("Z")[0], (-3, -2));
    }

    #[test]
    fn xiangqi() {
        let horse = compile("nN").unwrap();
        assert_eq!(horse.len(), 8);
        let up = horse.iter().find(|m| (m.dx, m.dy) == (1, 2)).unwrap();
        assert_eq!(up.between(), [(0, 1)]);
        let side = horse.iter().find(|m| (m.dx, m.dy) == (-2, 1)).unwrap();
        assert_eq!(side.between(), [(-1, 0)]);
        assert_eq!(compile("nA").unwrap()[0].between(), [(-1, -1)]);
        let janggi = compile("nZ").unwrap();
        let up = janggi.iter().find(|m| (m.dx, m.dy) == (2, 3)).unwrap();
        assert_eq!(up.between(), [(0, 1), (1, 2)]);
        let cannon = compile("mRcpR").unwrap();
        assert_eq!(cannon.len(), 8);
        assert!(
            cannon
                .iter()
                .all(|m| (m.hop == Hop::Over) == m.mode.capture)
        );
    }

    #[test]
    fn directions() {
        assert_eq!(
            leaps_of("WfF"),
            [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0), (1, 1)]
        );
        assert_eq!(
            leaps_of("FfW"),
            [(-1, -1), (-1, 1), (0, 1), (1, -1), (1, 1)]
        );
        assert_eq!(leaps_of("fN"), [(-1, 2), (1, 2)]);
        assert_eq!(leaps_of("ffN"), [(-1, 2), (1, 2)]);
        assert_eq!(leaps_of("fsN"), [(-2, 1), (2, 1)]);
        assert_eq!(leaps_of("fhN"), [(-2, 1), (-1, 2), (1, 2), (2, 1)]);
        assert_eq!(leaps_of("flN"), [(-1, 2)]);
        assert_eq!(leaps_of("lfN"), [(-2, 1)]);
        assert_eq!(leaps_of("fbN"), [(-1, -2), (-1, 2), (1, -2), (1, 2)]);
        assert_eq!(leaps_of("sN"), [(-2, -1), (-2, 1), (2, -1), (2, 1)]);
        assert_eq!(leaps_of("flF"), [(-1, 1)]);
        assert_eq!(leaps_of("fF"), [(-1, 1), (1, 1)]);
        assert_eq!(leaps_of("frlR"), [(-1, 0), (0, 1), (1, 0)]);
        assert_eq!(leaps_of("fK"), [(-1, 1), (0, 1), (1, 1)]);
        assert_eq!(leaps_of("sK"), [(-1, 0), (1, 0)]);
        assert_eq!(
            leaps_of("rlbK"),
            [(-1, -1), (-1, 0), (0, -1), (1, -1), (1, 0)]
        );
        assert_eq!(leaps_of(""), []);
    }

    #[test]
    fn the_other_seats_face_elsewhere() {
        let step = compile("fW").unwrap()[0];
        let turned: Vec<_> = (0..4)
            .map(|q| step.turned(q))
            .map(|m| (m.dx, m.dy))
            .collect();
        assert_eq!(turned, [(0, 1), (1, 0), (0, -1), (-1, 0)]);
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_place() {
        for (text, place) in [
            ("fmWX", 4),
            ("xW", 1),
            ("W(F)", 2),
            ("fm", 1),
            ("hN", 1),
            ("nR", 2),
            ("pW", 2),
            ("fhF", 3),
            ("W999", 2),
            ("é", 1),
            ("W F Y", 5),
        ] {
            let error = compile(text).unwrap_err();
            assert!(
                error.what.contains(&format!("at place {place} ")),
                "{text}: {error}"
            );
        }
        assert!(compile(&"W".repeat(1000)).is_err());
    }
}
