//! What all games share and data gives: board geometry, seats, pieces, the array, the options.

use serde::{Deserialize, Serialize};

use super::play::{Options, Seat};
use super::rulebook::{Array, Rulebook, SpecError};

/// Index of a square: rank * files + file, a1 is 0.
pub type Square = u16;

/// A step off the board in the tables of [`Kit`].
pub const NOWHERE: Square = Square::MAX;

/// Largest board side, files or ranks.
pub const SIDE_MAX: u8 = 32;

/// A piece or pawn on the board.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize, Deserialize)]
pub struct Man {
    /// The owner's seat number.
    pub seat: u8,
    /// Index into [`Kit::pieces`].
    pub kind: u8,
}

impl Man {
    /// The owner.
    pub fn seat(self) -> Seat {
        Seat(self.seat)
    }
}

/// One kind of piece.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// Upper-case letter of notation and boards.
    pub letter: char,
    /// Name in words.
    pub name: String,
    /// Betza text; empty where the family writes the moves.
    pub moves: String,
    /// True for a FIDE-like pawn, whose letter notation leaves out.
    pub silent: bool,
}

/// The eight directions, queen-wise: first the four of the rook, then the four of the bishop.
pub const KING: [(i8, i8); 8] = [
    (0, 1),
    (1, 0),
    (0, -1),
    (-1, 0),
    (1, 1),
    (1, -1),
    (-1, -1),
    (-1, 1),
];

/// The eight knight leaps.
pub const KNIGHT: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// Board, seats, pieces and array of one game with its options chosen.
#[derive(Clone, Debug)]
pub struct Kit {
    /// Number of files.
    pub files: u8,
    /// Number of ranks.
    pub ranks: u8,
    /// Number of seats.
    pub seats: u8,
    /// Team of each seat; each seat its own where there are no teams.
    pub teams: Vec<u8>,
    /// Names of the seats.
    pub seat_names: Vec<String>,
    /// Kinds of piece, in the order of the rulebook's letters.
    pub pieces: Vec<Piece>,
    /// The array: what stands where at the start.
    pub setup: Vec<Option<Man>>,
    /// Squares whose man carries a `*` in the array (uncastled, Hydra).
    pub starred: Vec<bool>,
    /// Squares that are not part of the board.
    pub holes: Vec<bool>,
    /// Options as chosen, defaults filled in.
    pub options: Options,
    /// True for the rulebook's default array.
    pub standard: bool,
    king: Vec<[Square; 8]>,
    knight: Vec<[Square; 8]>,
    names: Vec<String>,
}

impl Kit {
    /// Builds the kit of a rulebook with these options.
    ///
    /// # Errors
    /// An unknown option or value, or an array that does not fit the board.
    pub fn new(book: &Rulebook, options: &Options) -> Result<Kit, SpecError> {
        let (files, ranks) = book.board;
        if files == 0 || ranks == 0 || files > SIDE_MAX || ranks > SIDE_MAX {
            return Err(SpecError::new(format!(
                "a board of {files} x {ranks} squares is outside 1 x 1 to {SIDE_MAX} x {SIDE_MAX}"
            )));
        }
        let squares = usize::from(files) * usize::from(ranks);
        let mut kit = Kit {
            files,
            ranks,
            seats: book.seats.len() as u8,
            teams: book
                .seats
                .iter()
                .enumerate()
                .map(|(i, s)| s.team.unwrap_or(i as u8))
                .collect(),
            seat_names: book.seats.iter().map(|s| s.name.clone()).collect(),
            pieces: book
                .pieces
                .iter()
                .map(|(letter, p)| Piece {
                    letter: *letter,
                    name: p.name.clone(),
                    moves: p.moves.clone(),
                    silent: p.silent,
                })
                .collect(),
            setup: vec![None; squares],
            starred: vec![false; squares],
            holes: vec![false; squares],
            options: book.settle_options(options)?,
            standard: false,
            king: Vec::with_capacity(squares),
            knight: Vec::with_capacity(squares),
            names: Vec::with_capacity(squares),
        };
        for sq in 0..squares as Square {
            kit.king
                .push(KING.map(|(f, r)| kit.offset(sq, f, r).unwrap_or(NOWHERE)));
            kit.knight
                .push(KNIGHT.map(|(f, r)| kit.offset(sq, f, r).unwrap_or(NOWHERE)));
            kit.names.push(square_name(kit.file(sq), kit.rank(sq)));
        }
        for name in &book.holes {
            let sq = kit
                .square(name)
                .ok_or_else(|| SpecError::new(format!("hole `{name}` is not on the board")))?;
            if std::mem::replace(&mut kit.holes[usize::from(sq)], true) {
                return Err(SpecError::new(format!("hole `{name}` is named twice")));
            }
        }
        let chosen = kit.options.get("array").cloned().unwrap_or_default();
        kit.standard = chosen == book.array;
        match book.arrays.get(&chosen) {
            Some(Array::Rows(rows)) => kit.set_rows(rows)?,
            Some(Array::Men(men)) => kit.set_men(men)?,
            // rows written out in place of a name, FEN-like
            None if chosen.contains('/') => {
                let rows: Vec<String> = chosen.split('/').map(str::to_owned).collect();
                kit.set_rows(&rows)?;
            }
            None => {
                return Err(SpecError::new(format!("there is no array `{chosen}`")));
            }
        }
        kit.no_man_in_a_hole(&kit.setup)?;
        Ok(kit)
    }

    /// The squares that a text names, in its order.
    pub fn squares_in(&self, text: &str) -> Vec<Square> {
        let low = text.to_ascii_lowercase();
        let bytes = low.as_bytes();
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let digits = bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
            if digits == 0 {
                at += 1;
                continue;
            }
            let end = at + digits;
            let found = [2usize, 1]
                .into_iter()
                .filter(|n| *n <= at)
                .find_map(|n| self.square(low.get(at - n..end)?));
            out.extend(found);
            at = end;
        }
        out
    }
    /// Number of squares, holes included.
    pub fn squares(&self) -> usize {
        self.setup.len()
    }
    /// File of a square, a = 0.
    pub fn file(&self, sq: Square) -> u8 {
        (sq % Square::from(self.files)) as u8
    }
    /// Rank of a square, first rank = 0.
    pub fn rank(&self, sq: Square) -> u8 {
        (sq / Square::from(self.files)) as u8
    }
    /// The square of a file and a rank, both from 0, if on the board.
    pub fn at(&self, file: i16, rank: i16) -> Option<Square> {
        (file >= 0 && rank >= 0 && file < i16::from(self.files) && rank < i16::from(self.ranks))
            .then(|| rank as Square * Square::from(self.files) + file as Square)
    }
    /// The square `df` files and `dr` ranks away, if on the board.
    pub fn offset(&self, sq: Square, df: i8, dr: i8) -> Option<Square> {
        self.at(
            i16::from(self.file(sq)) + i16::from(df),
            i16::from(self.rank(sq)) + i16::from(dr),
        )
    }
    /// The eight neighbours in the order of [`KING`]; [`NOWHERE`] off the board.
    pub fn king(&self, sq: Square) -> &[Square; 8] {
        &self.king[usize::from(sq)]
    }
    /// The neighbours that exist.
    pub fn neighbours(&self, sq: Square) -> impl Iterator<Item = Square> + '_ {
        self.king(sq).iter().copied().filter(|s| *s != NOWHERE)
    }
    /// The eight knight leaps in the order of [`KNIGHT`]; [`NOWHERE`] off the board.
    pub fn knight(&self, sq: Square) -> &[Square; 8] {
        &self.knight[usize::from(sq)]
    }
    /// Name of a square: `a1`, `ab3`.
    pub fn name(&self, sq: Square) -> &str {
        self.names.get(usize::from(sq)).map_or("?", String::as_str)
    }
    /// The square of that name, lower case.
    pub fn square(&self, name: &str) -> Option<Square> {
        let (file, rank) = parse_square(name)?;
        self.at(i16::from(file), i16::from(rank))
    }
    /// Index of the piece with this upper-case letter.
    pub fn kind(&self, letter: char) -> Option<u8> {
        self.pieces
            .iter()
            .position(|p| p.letter == letter)
            .map(|i| i as u8)
    }
    /// Index of the piece with this letter, or an error that names it.
    ///
    /// # Errors
    /// No such letter in the rulebook.
    pub fn need(&self, letter: char) -> Result<u8, SpecError> {
        self.kind(letter).ok_or_else(|| {
            let known: Vec<String> = self.pieces.iter().map(|p| p.letter.to_string()).collect();
            SpecError::new(format!("there is no piece `{letter}`"))
                .hint(format!("pieces: {}", known.join(" ")))
        })
    }
    /// Letter that notation writes before a move of this kind: empty for a pawn.
    pub fn prefix(&self, kind: u8) -> String {
        match self.pieces.get(usize::from(kind)) {
            Some(p) if !p.silent => p.letter.to_string(),
            _ => String::new(),
        }
    }
    /// Letter of a kind, always.
    pub fn letter(&self, kind: u8) -> char {
        self.pieces.get(usize::from(kind)).map_or('?', |p| p.letter)
    }

    /// Sets the array from FEN-like rows, top rank first: upper case the first seat, lower case
    /// the second, numbers for runs of vacant squares, `*` behind a marked man.
    ///
    /// # Errors
    /// A row that is too long or short, or a letter that is no piece.
    pub fn set_rows(&mut self, rows: &[String]) -> Result<(), SpecError> {
        let (men, starred) = self.parse_rows(rows)?;
        self.setup = men;
        self.starred = starred;
        Ok(())
    }

    /// Reads FEN-like rows without setting them.
    ///
    /// # Errors
    /// As [`Kit::set_rows`].
    #[allow(clippy::type_complexity)]
    pub fn parse_rows(&self, rows: &[String]) -> Result<(Vec<Option<Man>>, Vec<bool>), SpecError> {
        let mut men = vec![None; self.squares()];
        let mut starred = vec![false; self.squares()];
        if rows.len() != usize::from(self.ranks) {
            return Err(SpecError::new(format!(
                "the array has {} rows, the board {} ranks",
                rows.len(),
                self.ranks
            )));
        }
        for (i, row) in rows.iter().enumerate() {
            let rank = usize::from(self.ranks) - 1 - i;
            let mut file = 0usize;
            let mut run = 0usize;
            let wrong =
                |what: &str| SpecError::new(format!("row `{row}` (rank {}): {what}", rank + 1));
            for c in row.chars() {
                if let Some(d) = c.to_digit(10) {
                    run = (run * 10 + d as usize).min(1000);
                    continue;
                }
                file += std::mem::take(&mut run);
                if c == '*' {
                    let at = (rank * usize::from(self.files) + file)
                        .checked_sub(1)
                        .filter(|_| file > 0)
                        .ok_or_else(|| wrong("`*` stands behind no man"))?;
                    starred[at] = true;
                    continue;
                }
                let kind = self
                    .kind(c.to_ascii_uppercase())
                    .ok_or_else(|| wrong(&format!("there is no piece `{c}`")))?;
                if file >= usize::from(self.files) {
                    return Err(wrong("too many squares"));
                }
                men[rank * usize::from(self.files) + file] = Some(Man {
                    seat: u8::from(c.is_ascii_lowercase()),
                    kind,
                });
                file += 1;
            }
            file += run;
            if file != usize::from(self.files) {
                return Err(wrong(&format!("{file} squares where {} are", self.files)));
            }
        }
        self.no_man_in_a_hole(&men)?;
        Ok((men, starred))
    }

    fn no_man_in_a_hole(&self, men: &[Option<Man>]) -> Result<(), SpecError> {
        match (0..men.len()).find(|i| self.holes[*i] && men[*i].is_some()) {
            Some(i) => Err(SpecError::new(format!(
                "a man stands in the hole `{}`",
                self.name(i as Square)
            ))),
            None => Ok(()),
        }
    }

    /// Sets the array from men listed by seat: `"green": "Mf1 Pg1 Rh1"`.
    fn set_men(
        &mut self,
        men: &std::collections::BTreeMap<String, String>,
    ) -> Result<(), SpecError> {
        for (seat, list) in men {
            let no = self
                .seat_names
                .iter()
                .position(|n| n == seat)
                .ok_or_else(|| SpecError::new(format!("the array names no seat `{seat}`")))?;
            for word in list.split_whitespace() {
                let mut chars = word.chars();
                let kind = self.need(chars.next().unwrap_or('?'))?;
                let sq = self
                    .square(chars.as_str())
                    .ok_or_else(|| SpecError::new(format!("`{word}` is not on the board")))?;
                let old = self.setup[usize::from(sq)].replace(Man {
                    seat: no as u8,
                    kind,
                });
                if old.is_some() {
                    return Err(SpecError::new(format!("two men on {}", self.name(sq))));
                }
            }
        }
        Ok(())
    }
}

/// Name of a square from file and rank, both from 0. Files beyond z are aa, ab ...
pub fn square_name(file: u8, rank: u8) -> String {
    let mut text = String::with_capacity(4);
    let file = if file >= 26 {
        text.push((b'a' + file / 26 - 1) as char);
        file % 26
    } else {
        file
    };
    text.push((b'a' + file) as char);
    text.push_str(&(u16::from(rank) + 1).to_string());
    text
}

/// File and rank, both from 0, of a square's lower-case name.
pub fn parse_square(name: &str) -> Option<(u8, u8)> {
    let letters = name.bytes().take_while(u8::is_ascii_lowercase).count();
    let file = match name.as_bytes().get(..letters)? {
        [a] => u16::from(a - b'a'),
        [a, b] => (u16::from(a - b'a') + 1) * 26 + u16::from(b - b'a'),
        _ => return None,
    };
    let digits = &name[letters..];
    if digits.is_empty()
        || digits.len() > 2
        || digits.starts_with('0')
        || !digits.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let rank: u8 = digits.parse().ok()?;
    Some((u8::try_from(file).ok()?, rank - 1))
}
