//! Questions about squares that the rules of a plain game answer.

use super::compiled::Compiled;
use crate::rules::kit::Square;

/// The eight neighbours, as files and ranks.
const AROUND: [(i16, i16); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

impl Compiled {
    fn place(&self, sq: Square) -> (i16, i16) {
        let files = Square::from(self.size.0);
        ((sq % files) as i16, (sq / files) as i16)
    }

    /// Ranks between the square and the seat's last rank.
    pub fn ranks_left(&self, seat: u8, sq: Square) -> u8 {
        let rank = self.place(sq).1 as u8;
        if seat == 0 {
            self.size.1 - 1 - rank
        } else {
            rank
        }
    }

    /// Do the other moves of this kind hold here?
    pub fn regional(&self, seat: u8, kind: u8, sq: Square) -> bool {
        let from = self.region[usize::from(kind)];
        from != u8::MAX && self.size.1 - 1 - self.ranks_left(seat, sq) >= from
    }

    /// May this kind stand here?
    pub fn inside(&self, seat: u8, kind: u8, sq: Square) -> bool {
        if self.special >> kind & 1 == 0 {
            return true;
        }
        let area = &self.areas[usize::from(seat)][usize::from(kind)];
        area.is_empty() || area[usize::from(sq)]
    }

    /// Is it a neighbour?
    pub fn touch(&self, a: Square, b: Square) -> bool {
        let ((af, ar), (bf, br)) = (self.place(a), self.place(b));
        (af - bf).abs().max((ar - br).abs()) == 1
    }

    /// One of the eight neighbours.
    pub fn neighbour(&self, sq: Square, dir: u8) -> Option<Square> {
        let (file, rank) = self.place(sq);
        let (df, dr) = AROUND[usize::from(dir) % 8];
        let (file, rank) = (file + df, rank + dr);
        (file >= 0 && rank >= 0 && file < i16::from(self.size.0) && rank < i16::from(self.size.1))
            .then(|| rank as Square * Square::from(self.size.0) + file as Square)
    }

    /// On one rank, file or diagonal?
    pub fn in_line(&self, a: Square, b: Square) -> bool {
        let ((af, ar), (bf, br)) = (self.place(a), self.place(b));
        af == bf || ar == br || (af - bf).abs() == (ar - br).abs()
    }

    /// On the first or the last rank?
    pub fn is_end(&self, sq: Square) -> bool {
        self.ranks_left(0, sq) == 0 || self.ranks_left(1, sq) == 0
    }

    /// Not part of the board?
    pub fn is_hole(&self, sq: Square) -> bool {
        self.holes[usize::from(sq)]
    }
}
