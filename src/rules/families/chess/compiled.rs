//! The rules of one plain game made ready for the board: rays, leaps and who attacks along them.

use super::settle::own_rank;
use super::spec::{Check, Spec, Stuck};
use crate::rules::betza::{self, Hop, Move};
use crate::rules::kit::{Kit, NOWHERE, Square};
use crate::rules::rulebook::SpecError;

/// Most kinds of piece in one game: letters A to Z.
const KINDS_MAX: usize = 26;
/// Most castlings of both seats.
pub(super) const CASTLINGS_MAX: usize = 16;

/// A man on the board in one byte: 0 vacant, else kind + 1, the seat, and whether it is promoted.
pub type Code = u8;
/// The second seat's bit.
pub const SECOND: Code = 0x40;
/// The promoted man's bit, kept in games with drops only.
pub const PROMOTED: Code = 0x80;

/// The kind of a man.
pub fn kind_of(code: Code) -> u8 {
    (code & 0x3f).wrapping_sub(1)
}
/// The seat of a man.
pub fn seat_of(code: Code) -> u8 {
    (code & SECOND) >> 6
}
/// The code of a man.
pub fn code(seat: u8, kind: u8) -> Code {
    (kind + 1) | (seat << 6)
}

/// For each direction and square, the squares that follow in that direction to the edge or a hole.
#[derive(Debug, Default)]
pub struct Rays {
    dirs: Vec<(i8, i8)>,
    spans: Vec<(u32, u8)>,
    pool: Vec<Square>,
    squares: usize,
}

impl Rays {
    fn add(&mut self, kit: &Kit, dx: i8, dy: i8) -> u16 {
        if let Some(at) = self.dirs.iter().position(|d| *d == (dx, dy)) {
            return at as u16;
        }
        self.squares = kit.squares();
        for from in 0..kit.squares() as Square {
            let start = self.pool.len();
            let mut at = from;
            while let Some(next) = kit.offset(at, dx, dy) {
                if kit.holes[usize::from(next)] {
                    break;
                }
                self.pool.push(next);
                at = next;
            }
            self.spans
                .push((start as u32, (self.pool.len() - start) as u8));
        }
        self.dirs.push((dx, dy));
        (self.dirs.len() - 1) as u16
    }

    /// The squares from `from` on, at most `range`.
    pub fn ray(&self, dir: u16, from: Square, range: u8) -> &[Square] {
        let (start, len) = self.spans[usize::from(dir) * self.squares + usize::from(from)];
        let start = start as usize;
        &self.pool[start..start + usize::from(len.min(range))]
    }
}

/// The squares between for every lame leap and square.
#[derive(Debug, Default)]
pub struct Paths {
    leaps: Vec<(i8, i8)>,
    /// Up to four squares, [`NOWHERE`] first where the leap leaves the board.
    squares: Vec<Vec<Vec<Square>>>,
}

impl Paths {
    fn add(&mut self, kit: &Kit, m: Move) -> u8 {
        if let Some(at) = self.leaps.iter().position(|l| *l == (m.dx, m.dy)) {
            return at as u8;
        }
        let between = m.between();
        self.squares.push(
            (0..kit.squares() as Square)
                .map(|from| {
                    between
                        .iter()
                        .map(|(x, y)| {
                            kit.offset(from, *x, *y)
                                .filter(|s| !kit.holes[usize::from(*s)])
                                .unwrap_or(NOWHERE)
                        })
                        .collect()
                })
                .collect(),
        );
        self.leaps.push((m.dx, m.dy));
        (self.leaps.len() - 1) as u8
    }

    /// The squares that leap number `path` passes from `from`.
    pub fn between(&self, path: u8, from: Square) -> &[Square] {
        &self.squares[usize::from(path)][usize::from(from)]
    }
}

/// No lame path.
pub const NO_PATH: u8 = u8::MAX;

/// One direction of a kind's moves.
#[derive(Copy, Clone, Debug)]
pub struct Gen {
    /// Its rays.
    pub dir: u16,
    /// How far.
    pub range: u8,
    /// Lame path, or [`NO_PATH`].
    pub path: u8,
    /// The rest, as written.
    pub as_written: Move,
}

/// The kinds that attack a square from one direction.
#[derive(Copy, Clone, Debug)]
pub struct Attack {
    /// From the attacked square towards the attacker.
    pub back: u16,
    /// How far.
    pub range: u8,
    /// What it hops over.
    pub hop: Hop,
    /// Lame path from the attacker, or [`NO_PATH`].
    pub path: u8,
    /// Only from a starting square.
    pub initial: bool,
    /// Only on the ranks of `regional`, or only off them; matters to kinds in `special`.
    pub regional: bool,
    /// Bits of kinds.
    pub kinds: u32,
}

/// A castling made ready.
#[derive(Clone, Debug)]
pub struct Castle {
    /// Whose.
    pub seat: u8,
    /// King from, king to, rook from, rook to.
    pub squares: [Square; 4],
    /// Must be vacant.
    pub free: Vec<Square>,
    /// May not be attacked.
    pub safe: Vec<Square>,
    /// `O-O-O`?
    pub long: bool,
}

/// A promotion rule made ready for one kind.
#[derive(Clone, Debug)]
pub struct Change {
    /// On how many last ranks.
    pub ranks: u8,
    /// Into which kinds.
    pub into: Vec<u8>,
    /// May it stay as it is?
    pub optional: bool,
    /// Only into what is lost.
    pub lost_only: bool,
}

/// Everything compiled.
#[derive(Debug)]
pub struct Compiled {
    /// Number of kinds.
    pub kinds: usize,
    /// Straight and oblique lines.
    pub rays: Rays,
    /// Lame paths.
    pub paths: Paths,
    /// Moves by seat, then kind; the second list is on regional ranks.
    pub gens: [Vec<[Vec<Gen>; 2]>; 2],
    /// Attacks by the attacker's seat.
    pub attacks: [Vec<Attack>; 2],
    /// Kinds with areas or regions.
    pub special: u32,
    /// Where a kind may stand, by seat and kind; empty for everywhere.
    pub areas: [Vec<Vec<bool>>; 2],
    /// From which own rank (from 0) the second list holds; `u8::MAX` never.
    pub region: Vec<u8>,
    /// Kinds that are royal.
    pub royal: u32,
    /// Whose code starts where, for initial moves.
    pub home: Vec<Code>,
    /// Initial count of each kind by seat.
    pub count: [Vec<u8>; 2],
    /// Castlings.
    pub castles: Vec<Castle>,
    /// Castling bits lost when a square is touched.
    pub lost: Vec<u16>,
    /// Promotions by kind.
    pub change: Vec<Option<Change>>,
    /// Kinds that are vacant for drops on the end ranks.
    pub not_on_ends: u32,
    /// What a promoted man becomes in the hand.
    pub promoted_as: Option<u8>,
    /// Drops at all?
    pub drops: bool,
    /// Kinds spared by explosions; `None` without explosions.
    pub spared: Option<u32>,
    /// Hill squares.
    pub hill: Vec<Square>,
    /// Checks that win; 0 for none.
    pub checks: u8,
    /// Kinds whose extinction loses.
    pub extinct: u32,
    /// Kinds that win on the last rank.
    pub last_rank: u32,
    /// Losing all wins.
    pub lose_all: bool,
    /// A bare royal piece loses.
    pub bare: bool,
    /// Kinds that alone cannot mate; `None` where material draws nothing.
    pub minor: Option<u32>,
    /// Is check forbidden?
    pub guarded: bool,
    /// Captures are compulsory.
    pub must_capture: bool,
    /// Kings may not face each other.
    pub apart: bool,
    /// Worth of stalemate.
    pub stuck: Stuck,
    /// True where a step of a man that stands off every line to its king needs no test.
    pub lines_suffice: bool,
    /// Files and ranks.
    pub size: (u8, u8),
    forward: u16,
    pub(super) holes: Vec<bool>,
}

impl Compiled {
    /// Makes a game ready.
    ///
    /// # Errors
    /// Settings that make no sense together.
    pub fn new(spec: &Spec, kit: &Kit) -> Result<Compiled, SpecError> {
        let wrong = |what: String| Err(SpecError::new(what));
        if kit.seats != 2 {
            return wrong(format!(
                "the chess family is for 2 seats, not {}",
                kit.seats
            ));
        }
        let kinds = kit.pieces.len();
        if kinds > KINDS_MAX {
            return wrong(format!("{kinds} kinds of piece are more than {KINDS_MAX}"));
        }
        let mask = |letters: &str| -> Result<u32, SpecError> {
            letters
                .chars()
                .try_fold(0u32, |all, c| Ok(all | 1 << kit.need(c)?))
        };
        let square = |name: &str| {
            kit.square(name)
                .filter(|s| !kit.holes[usize::from(*s)])
                .ok_or_else(|| SpecError::new(format!("`{name}` is not on the board")))
        };
        let mut rays = Rays::default();
        let mut paths = Paths::default();
        let forward = rays.add(kit, 0, 1);
        let mut ready = Compiled {
            kinds,
            gens: [
                vec![Default::default(); kinds],
                vec![Default::default(); kinds],
            ],
            attacks: [Vec::new(), Vec::new()],
            special: 0,
            areas: [vec![Vec::new(); kinds], vec![Vec::new(); kinds]],
            region: vec![u8::MAX; kinds],
            royal: mask(&spec.royal)?,
            home: kit
                .setup
                .iter()
                .map(|man| man.map_or(0, |m| code(m.seat, m.kind)))
                .collect(),
            count: [vec![0; kinds], vec![0; kinds]],
            castles: Vec::new(),
            lost: vec![0; kit.squares()],
            change: vec![None; kinds],
            not_on_ends: 0,
            promoted_as: None,
            drops: spec.drops.is_some(),
            spared: spec
                .explosion
                .as_ref()
                .map(|e| mask(&e.spared))
                .transpose()?,
            hill: Vec::new(),
            checks: 0,
            extinct: 0,
            last_rank: 0,
            lose_all: false,
            bare: false,
            minor: spec.minor.as_deref().map(mask).transpose()?,
            guarded: spec.check == Check::Forbidden && !spec.royal.is_empty(),
            must_capture: spec.must_capture,
            apart: spec.kings_apart,
            stuck: spec.stalemate,
            lines_suffice: false,
            size: (kit.files, kit.ranks),
            forward,
            holes: kit.holes.clone(),
            rays: Rays::default(),
            paths: Paths::default(),
        };
        for man in kit.setup.iter().flatten() {
            let count = &mut ready.count[usize::from(man.seat)][usize::from(man.kind)];
            *count = count.saturating_add(1);
        }
        if ready.royal != 0 {
            for seat in 0..2usize {
                let royals: u32 = (0..kinds)
                    .filter(|k| ready.royal >> k & 1 == 1)
                    .map(|k| u32::from(ready.count[seat][k]))
                    .sum();
                if royals != 1 {
                    return wrong(format!(
                        "{} has {royals} royal pieces in the array, not one",
                        kit.seat_names[seat]
                    ));
                }
            }
        }
        ready.goals(spec, &mask, &square)?;
        if ready.royal == 0 && !ready.lose_all && ready.extinct == 0 && ready.last_rank == 0 {
            return wrong("the game has no royal piece and no goal, so nobody can win".to_owned());
        }
        if ready.lose_all && ready.guarded {
            return wrong(
                "losing all men cannot win where a royal piece may not be lost".to_owned(),
            );
        }
        if spec.must_capture && spec.drops.is_some() {
            return wrong("`must_capture` and `drops` are not played together".to_owned());
        }
        for area in &spec.areas {
            let (a, b) = (square(&area.from)?, square(&area.to)?);
            for letter in area.who.chars() {
                let kind = kit.need(letter)?;
                ready.special |= 1 << kind;
                for seat in 0..2u8 {
                    let inside = |sq: Square| {
                        let rank = own_rank(kit, seat, sq);
                        (kit.file(a).min(kit.file(b))..=kit.file(a).max(kit.file(b)))
                            .contains(&kit.file(sq))
                            && (kit.rank(a).min(kit.rank(b))..=kit.rank(a).max(kit.rank(b)))
                                .contains(&rank)
                    };
                    ready.areas[usize::from(seat)][usize::from(kind)] =
                        (0..kit.squares() as Square).map(inside).collect();
                }
            }
        }
        let mut regional: Vec<Option<Vec<Move>>> = vec![None; kinds];
        for region in &spec.regional {
            let kind = usize::from(kit.need(region.who)?);
            if region.from_rank == 0 || region.from_rank > kit.ranks {
                return wrong(format!(
                    "rank {} of `{}` is not on the board",
                    region.from_rank, region.who
                ));
            }
            ready.special |= 1 << kind;
            ready.region[kind] = region.from_rank - 1;
            regional[kind] = Some(betza::compile(&region.moves)?);
        }
        for (kind, there) in regional.into_iter().enumerate() {
            let piece = &kit.pieces[kind];
            let usual = betza::compile(&piece.moves).map_err(|e| SpecError {
                what: format!("piece `{}`: {}", piece.letter, e.what),
                ..e
            })?;
            let there = there.unwrap_or_default();
            for seat in 0..2u8 {
                for (no, list) in [&usual, &there].into_iter().enumerate() {
                    for m in list {
                        // the second seat sees the board from the other end
                        let m = m.turned(2 * seat);
                        let path = if m.lame && !m.between().is_empty() {
                            paths.add(kit, m)
                        } else {
                            NO_PATH
                        };
                        let made = Gen {
                            dir: rays.add(kit, m.dx, m.dy),
                            range: m.range,
                            path,
                            as_written: m,
                        };
                        ready.gens[usize::from(seat)][kind][no].push(made);
                        if m.mode.capture {
                            let attack = Attack {
                                back: rays.add(kit, -m.dx, -m.dy),
                                range: m.range,
                                hop: m.hop,
                                path,
                                initial: m.initial,
                                regional: no == 1,
                                kinds: 1 << kind,
                            };
                            ready.add_attack(seat, attack);
                        }
                    }
                }
            }
        }
        // The nearest and the commonest first: leaps are cheap, long lines dear.
        for list in &mut ready.attacks {
            list.sort_by_key(|a| a.range);
        }
        ready.rays = rays;
        ready.paths = paths;
        for p in &spec.promotion {
            ready.promotion(p, kit, &mask)?;
        }
        if let Some(drops) = &spec.drops {
            ready.not_on_ends = mask(&drops.not_on_ends)?;
            ready.promoted_as = drops.promoted_as.map(|c| kit.need(c)).transpose()?;
        }
        for c in &spec.castling {
            let first = [
                square(&c.king)?,
                square(&c.lands)?,
                square(&c.rook)?,
                square(&c.rook_lands)?,
            ];
            for seat in 0..2u8 {
                ready.castle(kit, seat, c, first)?;
            }
        }
        ready.sense(spec, kit)?;
        ready.lines_suffice = ready.guarded
            && ready.spared.is_none()
            && !ready.apart
            && ready.attacks.iter().flatten().all(|a| {
                a.hop == Hop::None
                    && a.path == NO_PATH
                    && (a.range == 1 || ready.is_queenly(a.back))
            });
        Ok(ready)
    }

    fn is_queenly(&self, dir: u16) -> bool {
        let (x, y) = self.rays.dirs[usize::from(dir)];
        x.abs() <= 1 && y.abs() <= 1
    }

    /// The ray number of straight up the board.
    pub fn forward(&self) -> u16 {
        self.forward
    }

    fn add_attack(&mut self, seat: u8, attack: Attack) {
        let list = &mut self.attacks[usize::from(seat)];
        let same = list.iter_mut().find(|a| {
            (a.back, a.range, a.hop, a.path, a.initial, a.regional)
                == (
                    attack.back,
                    attack.range,
                    attack.hop,
                    attack.path,
                    attack.initial,
                    attack.regional,
                )
        });
        match same {
            Some(known) => known.kinds |= attack.kinds,
            None => list.push(attack),
        }
    }
}
