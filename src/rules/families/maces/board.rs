//! The board of a Maces game: one byte a square, and sets of squares kept in step with it.

use serde::{Deserialize, Serialize};

use crate::rules::kit::{KING, Kit, NOWHERE};
use crate::rules::rulebook::SpecError;

/// Most squares a board of this family may have: a set of squares is one `u128`.
pub const SQUARES_MAX: usize = 128;

/// A set of squares.
pub type Set = u128;

/// The set of one square.
pub fn bit(sq: u8) -> Set {
    1 << (sq & 127)
}

/// The squares of a set, lowest first.
pub fn each(mut set: Set) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let sq = set.trailing_zeros() as u8;
            set &= set - 1;
            sq
        })
    })
}

/// What other men must know of a kind at a glance.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Nothing.
    Plain,
    /// Swings.
    Mace,
    /// Webs.
    Spider,
    /// No Mace can remove it.
    Shielded,
}

/// A man as the board keeps it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Piece(u8);

impl Piece {
    /// A man of seat 0 or 1; kinds are below 31, as there are 26 letters.
    pub fn new(seat: u8, kind: u8, mark: Mark) -> Piece {
        Piece(((kind & 31) + 1).min(31) | (seat & 1) << 5 | (mark as u8) << 6)
    }
    /// The owner.
    pub fn seat(self) -> u8 {
        self.0 >> 5 & 1
    }
    /// Index into the kit's pieces.
    pub fn kind(self) -> u8 {
        (self.0 & 31).saturating_sub(1)
    }
}

/// Cells and the sets that are asked for all the time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Board {
    cells: [u8; SQUARES_MAX],
    /// Squares of each seat's men.
    pub men: [Set; 2],
    /// Squares of all Maces.
    pub maces: Set,
    /// Squares of all Spiders.
    pub spiders: Set,
    /// Squares of all men that no Mace can remove.
    pub shielded: Set,
}

impl Board {
    /// A board without men.
    pub fn empty() -> Board {
        Board {
            cells: [0; SQUARES_MAX],
            men: [0; 2],
            maces: 0,
            spiders: 0,
            shielded: 0,
        }
    }
    /// The man on a square.
    pub fn get(&self, sq: u8) -> Option<Piece> {
        let cell = self.cells[usize::from(sq & 127)];
        (cell != 0).then_some(Piece(cell))
    }
    /// Puts a man on a vacant square.
    pub fn put(&mut self, sq: u8, piece: Piece) {
        self.cells[usize::from(sq & 127)] = piece.0;
        let b = bit(sq);
        self.men[usize::from(piece.seat())] |= b;
        match piece.0 >> 6 {
            1 => self.maces |= b,
            2 => self.spiders |= b,
            3 => self.shielded |= b,
            _ => {}
        }
    }
    /// Takes the man off a square.
    pub fn take(&mut self, sq: u8) -> Option<Piece> {
        let piece = self.get(sq)?;
        self.cells[usize::from(sq & 127)] = 0;
        let b = !bit(sq);
        self.men[0] &= b;
        self.men[1] &= b;
        self.maces &= b;
        self.spiders &= b;
        self.shielded &= b;
        Some(piece)
    }
    /// All men.
    pub fn all(&self) -> Set {
        self.men[0] | self.men[1]
    }
    /// The cells as bytes; two boards are the same if these are.
    pub fn bytes(&self) -> &[u8; SQUARES_MAX] {
        &self.cells
    }
}

impl TryFrom<Vec<u8>> for Board {
    type Error = &'static str;
    fn try_from(bytes: Vec<u8>) -> Result<Board, &'static str> {
        if bytes.len() > SQUARES_MAX {
            return Err("a board of too many squares");
        }
        let mut board = Board::empty();
        for (sq, cell) in bytes.into_iter().enumerate() {
            if cell != 0 {
                board.put(sq as u8, Piece(cell));
            }
        }
        Ok(board)
    }
}

impl From<Board> for Vec<u8> {
    fn from(board: Board) -> Vec<u8> {
        let end = board
            .cells
            .iter()
            .rposition(|c| *c != 0)
            .map_or(0, |i| i + 1);
        board.cells[..end].to_vec()
    }
}

/// Distances and neighbourhoods of the board's shape. Tables are full length, so that no byte
/// of a snapshot can lead outside them.
#[derive(Debug)]
pub struct Shape {
    /// The eight neighbours.
    pub king: Vec<Set>,
    /// The knight leaps.
    pub knight: Vec<Set>,
    /// Squares to the edge in each direction of [`KING`].
    pub room: Vec<[u8; 8]>,
    /// What one step in each direction adds to a square.
    pub step: [i16; 8],
    /// Files of the board.
    pub files: u8,
    /// Ranks of the board.
    pub ranks: u8,
}

impl Shape {
    /// Tables for the board of a kit.
    ///
    /// # Errors
    /// More squares than [`SQUARES_MAX`].
    pub fn new(kit: &Kit) -> Result<Shape, SpecError> {
        if kit.squares() > SQUARES_MAX {
            return Err(SpecError::new(format!(
                "a Maces board has at most {SQUARES_MAX} squares"
            )));
        }
        let mut shape = Shape {
            king: vec![0; SQUARES_MAX],
            knight: vec![0; SQUARES_MAX],
            room: vec![[0; 8]; SQUARES_MAX],
            step: KING.map(|(f, r)| i16::from(r) * i16::from(kit.files) + i16::from(f)),
            files: kit.files,
            ranks: kit.ranks,
        };
        for sq in 0..kit.squares() as u16 {
            let at = usize::from(sq);
            for to in kit.king(sq).iter().filter(|t| **t != NOWHERE) {
                shape.king[at] |= bit(*to as u8);
            }
            for to in kit.knight(sq).iter().filter(|t| **t != NOWHERE) {
                shape.knight[at] |= bit(*to as u8);
            }
            for (room, (f, r)) in shape.room[at].iter_mut().zip(KING) {
                let mut from = sq;
                while let Some(to) = kit.offset(from, f, r) {
                    *room += 1;
                    from = to;
                }
            }
        }
        Ok(shape)
    }
    /// The rank of a square as its owner counts it, the own first rank being 0.
    pub fn own_rank(&self, seat: u8, sq: u8) -> u8 {
        let rank = sq / self.files;
        if seat == 0 {
            rank
        } else {
            (self.ranks - 1).saturating_sub(rank)
        }
    }
    /// The next square in a direction of [`KING`]; the caller knows that there is room.
    pub fn along(&self, sq: u8, dir: usize) -> u8 {
        (i16::from(sq) + self.step[dir]) as u8
    }
}
