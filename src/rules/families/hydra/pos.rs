//! The board of Hydra-Vari Chess with both hands, and what a move does to it.

use serde::{Deserialize, Serialize};

/// A square, rank * 16 + file.
pub type Sq = u8;

/// Kinds of unit, as the low three bits of a [`Code`].
pub const PAWN: u8 = 1;
/// Knight.
pub const KNIGHT: u8 = 2;
/// Bishop.
pub const BISHOP: u8 = 3;
/// Rook.
pub const ROOK: u8 = 4;
/// Queen.
pub const QUEEN: u8 = 5;
/// King.
pub const KING: u8 = 6;
/// Letters of the kinds.
pub const LETTERS: [char; 7] = ['?', 'P', 'N', 'B', 'R', 'Q', 'K'];

/// What stands on a square: 0, or kind + [`BLACK`] + [`STAR`].
pub type Code = u8;
/// Set for the second seat.
pub const BLACK: u8 = 8;
/// Set while uncastled.
pub const STAR: u8 = 16;

/// Own moves after which the right to castle is lost (hydra.md 2.2).
pub const CASTLING_MOVES: u16 = 64;
/// Pawns of one colour that a file holds at most (hydra.md 2.3.5).
pub const FILE_CAP: u8 = 4;
/// h8 i8 h9 i9.
pub const HILL: [Sq; 4] = [7 * 16 + 7, 7 * 16 + 8, 8 * 16 + 7, 8 * 16 + 8];

/// The kind of a code.
pub fn kind(code: Code) -> u8 {
    code & 7
}
/// The seat of a code.
pub fn seat(code: Code) -> u8 {
    (code & BLACK) >> 3
}
/// File of a square, from 0.
pub fn file(sq: Sq) -> usize {
    usize::from(sq & 15)
}
/// Rank of a square, from 0.
pub fn rank(sq: Sq) -> u8 {
    sq >> 4
}
/// Own rank, 1 to 16.
pub fn own_rank(of: u8, sq: Sq) -> u8 {
    if of == 0 { rank(sq) + 1 } else { 16 - rank(sq) }
}
/// The square of that file and own rank.
pub fn on_own_rank(of: u8, file: usize, own: u8) -> Sq {
    let rank = if of == 0 { own - 1 } else { 16 - own };
    rank * 16 + file as u8
}

/// One move without the squares of newly placed kings.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Act {
    /// From, to; a capture where something is captured.
    Walk(Sq, Sq),
    /// A pawn reaches rank 16 and gives way to a ransomed unit (no loop).
    Ransom(Sq, Sq, u8),
    /// King or queen, rook, and where they land.
    Castle(Sq, Sq, Sq, Sq),
    /// A unit from hand.
    Drop(u8, Sq),
    /// A pawn on rank 16 becomes a unit of the opponent's hand.
    Swap(Sq, u8),
    /// A pawn on rank 16 goes to hand.
    Fold(Sq),
}

/// The pawn that jumped in the last move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Jump {
    /// Where it started.
    pub from: Sq,
    /// Where it stands.
    pub pawn: Sq,
}

impl Jump {
    /// Is the square strictly between start and landing?
    pub fn over(self, sq: Sq) -> bool {
        let (lo, hi) = (self.from.min(self.pawn), self.from.max(self.pawn));
        file(sq) == file(self.pawn) && sq > lo && sq < hi
    }
}

/// What a move took.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// Enemy units, kings included.
    pub units: u8,
    /// Enemy kings.
    pub kings: u8,
}

/// Sides of the rules that change what a move does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Law {
    /// Captured units change sides and are dropped.
    pub looping: bool,
    /// Weave in any order of the two colours on each file, not only checkered (H25).
    pub weave_any: bool,
}

/// The position without its history; by default an empty board.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Pos {
    /// Units by rank and file.
    pub board: [[Code; 16]; 16],
    /// Units in the hand (loop) or prison (no loop) of each seat, by kind.
    pub hands: [[u16; 7]; 2],
    /// Whose move.
    pub turn: u8,
    /// The jump of the move just made.
    pub jump: Option<Jump>,
    /// Own moves made.
    pub moves: [u16; 2],
    /// Kings on the board.
    pub kings: [u8; 2],
    /// Uncastled kings and queens.
    pub uncastled: [u8; 2],
    /// Pawns by seat and file.
    pub pawns: [[u8; 16]; 2],
    /// Digest of board, hands and turn.
    pub hash: u128,
}

/// Two rounds of splitmix64 (Steele, Lea, Flood 2014): a key for a feature of a position.
pub fn key(feature: u64) -> u128 {
    let round = |x: u64| {
        let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let low = round(feature.wrapping_mul(0x1000_0001_0000_01b3));
    let high = round(low ^ feature ^ 0x5bd1_e995_0000_0000);
    u128::from(high) << 64 | u128::from(low)
}

/// Key of a unit on a square.
pub fn man_key(sq: Sq, code: Code) -> u128 {
    key(u64::from(sq) << 8 | u64::from(code))
}
fn hand_key(of: u8, kind: u8, count: u16) -> u128 {
    key(1 << 32 | u64::from(of) << 24 | u64::from(kind) << 16 | u64::from(count))
}
/// Key of the second seat's turn.
pub fn turn_key() -> u128 {
    key(2 << 32)
}
/// Key of a usable en passant.
pub fn jump_key(jump: Jump) -> u128 {
    key(3 << 32 | u64::from(jump.from) << 8 | u64::from(jump.pawn))
}
/// Key of the duty to castle.
pub fn duty_key() -> u128 {
    key(4 << 32)
}

impl Pos {
    /// What stands there.
    pub fn at(&self, sq: Sq) -> Code {
        self.board[usize::from(rank(sq))][file(sq)]
    }
    /// Puts a unit on a vacant square.
    pub fn put(&mut self, sq: Sq, code: Code) {
        self.board[usize::from(rank(sq))][file(sq)] = code;
        self.hash ^= man_key(sq, code);
        let of = usize::from(seat(code));
        match kind(code) {
            PAWN => self.pawns[of][file(sq)] += 1,
            KING => self.kings[of] += 1,
            _ => {}
        }
        if code & STAR != 0 && kind(code) >= QUEEN {
            self.uncastled[of] += 1;
        }
    }
    /// Takes away what stands there; 0 where nothing does.
    pub fn lift(&mut self, sq: Sq) -> Code {
        let code = std::mem::take(&mut self.board[usize::from(rank(sq))][file(sq)]);
        if code == 0 {
            return 0;
        }
        self.hash ^= man_key(sq, code);
        let of = usize::from(seat(code));
        match kind(code) {
            PAWN => self.pawns[of][file(sq)] -= 1,
            KING => self.kings[of] -= 1,
            _ => {}
        }
        if code & STAR != 0 && kind(code) >= QUEEN {
            self.uncastled[of] -= 1;
        }
        code
    }
    /// Sets how many units of a kind a hand holds.
    pub fn hold(&mut self, of: u8, kind: u8, count: u16) {
        let held = &mut self.hands[usize::from(of)][usize::from(kind)];
        if *held > 0 {
            self.hash ^= hand_key(of, kind, *held);
        }
        *held = count;
        if count > 0 {
            self.hash ^= hand_key(of, kind, count);
        }
    }
    fn gain(&mut self, of: u8, kind: u8) {
        self.hold(of, kind, self.held(of, kind).saturating_add(1));
    }
    fn spend(&mut self, of: u8, kind: u8) {
        self.hold(of, kind, self.held(of, kind).saturating_sub(1));
    }
    /// Units of a kind in a hand.
    pub fn held(&self, of: u8, kind: u8) -> u16 {
        self.hands[usize::from(of)][usize::from(kind)]
    }
    /// Gives the move to a seat.
    pub fn set_turn(&mut self, turn: u8) {
        if turn != self.turn {
            self.hash ^= turn_key();
            self.turn = turn;
        }
    }
    /// The square of a seat's king where it has exactly one.
    pub fn last_king(&self, of: u8) -> Option<Sq> {
        if self.kings[usize::from(of)] != 1 {
            return None;
        }
        (0..=255).find(|sq| {
            let code = self.at(*sq);
            kind(code) == KING && seat(code) == of
        })
    }
    /// Must the side to move castle if it can (hydra.md 2.2, H14)?
    pub fn must_castle(&self) -> bool {
        let of = usize::from(self.turn);
        let n = self.moves[of].saturating_add(1);
        n <= CASTLING_MOVES && u16::from(self.uncastled[of]) > CASTLING_MOVES - n
    }
    /// The jumper that a capturing move onto this square takes too. A pawn that leaps back onto a
    /// jumped square takes the jumper as well, even where it takes a unit of its own side there.
    pub fn en_passant(&self, to: Sq) -> Option<Sq> {
        self.jump.filter(|j| j.over(to)).map(|j| j.pawn)
    }
    /// Is this walk one that may capture, not a pawn's plain forward move?
    pub fn may_capture(&self, from: Sq, to: Sq) -> bool {
        let code = self.at(from);
        kind(code) != PAWN || file(from) != file(to) || own_rank(seat(code), from) == 16
    }

    fn capture(&mut self, law: Law, sq: Sq, taken: &mut Taken) {
        let code = self.lift(sq);
        if code == 0 {
            return;
        }
        let (mover, k) = (self.turn, kind(code));
        if seat(code) != mover {
            taken.units += 1;
            taken.kings += u8::from(k == KING);
        }
        let kept = if law.looping { k != KING } else { k != PAWN };
        if kept {
            self.gain(mover, k);
        }
    }
    fn capture_on(&mut self, law: Law, to: Sq, taken: &mut Taken) {
        let pawn = self.en_passant(to);
        self.capture(law, to, taken);
        if let Some(pawn) = pawn {
            self.capture(law, pawn, taken);
            self.jump = None;
        }
    }

    /// Plays a move of the side to move up to, not with, the placing of captured kings, the weave
    /// and the deadline. The turn does not pass.
    pub fn play(&mut self, law: Law, act: Act) -> Taken {
        let mut taken = Taken::default();
        let (mover, tint) = (self.turn, self.turn << 3);
        let mut jump = None;
        match act {
            Act::Walk(from, to) => {
                if self.may_capture(from, to) {
                    self.capture_on(law, to, &mut taken);
                } else if rank(from).abs_diff(rank(to)) > 1 {
                    jump = Some(Jump { from, pawn: to });
                }
                let code = self.lift(from);
                self.put(to, code);
            }
            Act::Ransom(from, to, kind) => {
                self.lift(from);
                if file(from) != file(to) {
                    self.capture_on(law, to, &mut taken);
                }
                self.spend(1 - mover, kind);
                self.put(to, kind | tint);
            }
            Act::Castle(royal, rook, royal_to, rook_to) => {
                let royal_code = self.lift(royal) & !STAR;
                let rook_code = self.lift(rook) & !STAR;
                let first = self.en_passant(royal_to).or(self.en_passant(rook_to));
                self.capture(law, royal_to, &mut taken);
                self.capture(law, rook_to, &mut taken);
                if let Some(pawn) = first {
                    self.capture(law, pawn, &mut taken);
                }
                self.put(royal_to, royal_code);
                self.put(rook_to, rook_code);
            }
            Act::Drop(kind, to) => {
                self.spend(mover, kind);
                self.put(to, kind | tint);
            }
            Act::Swap(sq, kind) => {
                self.lift(sq);
                self.spend(1 - mover, kind);
                self.gain(1 - mover, PAWN);
                self.put(sq, kind | tint);
            }
            Act::Fold(sq) => {
                self.lift(sq);
                self.gain(mover, PAWN);
            }
        }
        self.jump = jump;
        self.moves[usize::from(mover)] = self.moves[usize::from(mover)].saturating_add(1);
        taken
    }

    /// Weave and castling deadline; true where the weave was exiled.
    pub fn settle(&mut self, law: Law) -> bool {
        let woven = self.woven(law);
        if woven {
            for sq in 7 * 16..9 * 16 {
                self.lift(sq);
            }
            self.jump = None;
        }
        if self.moves[usize::from(self.turn)] >= CASTLING_MOVES {
            self.lapse(self.turn);
        }
        woven
    }
    /// Takes the right and the protection from all uncastled units of a seat.
    pub fn lapse(&mut self, of: u8) {
        for sq in 0..=255 {
            let code = self.at(sq);
            if code & STAR != 0 && seat(code) == of {
                self.lift(sq);
                self.put(sq, code & !STAR);
            }
        }
    }
    fn woven(&self, law: Law) -> bool {
        let first = self.board[7][0];
        if kind(first) != PAWN {
            return false;
        }
        let all_pawns = |row: &[Code; 16]| row.iter().all(|c| kind(*c) == PAWN);
        if !all_pawns(&self.board[7]) || !all_pawns(&self.board[8]) {
            return false;
        }
        (0..16).all(|f| {
            let (low, high) = (self.board[7][f], self.board[8][f]);
            low != high && (law.weave_any || (low == first) == (f % 2 == 0))
        })
    }
}
