//! Which moves there are, which of them are safe, and which are duties.

use super::pos::{
    Act, BISHOP, FILE_CAP, HILL, KING, KNIGHT, Law, PAWN, Pos, QUEEN, ROOK, STAR, Sq, file, kind,
    man_key, on_own_rank, own_rank, rank, seat,
};

const LINES: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONALS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const LEAPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// A move that passed the tests so far, with what is known of the position after it.
#[derive(Copy, Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub act: Act,
    /// Captured kings that the mover re-places.
    pub placing: u8,
    /// Enemy kings taken.
    pub kings: u8,
    /// Digest after the move, before captured kings are placed.
    pub hash: u128,
}

fn towards(sq: Sq, (df, dr): (i8, i8)) -> Option<Sq> {
    let f = (sq & 15) as i8 + df;
    let r = (sq >> 4) as i8 + dr;
    ((0..16).contains(&f) && (0..16).contains(&r)).then_some((r as u8) << 4 | f as u8)
}

/// May `by` take what stands there: an enemy that has castled?
fn takable(code: u8, by: u8) -> bool {
    code != 0 && seat(code) != by && code & STAR == 0
}

/// Every move of the side to move by the rules of the units alone.
pub fn pseudo(law: Law, pos: &Pos, out: &mut Vec<Act>) {
    let us = pos.turn;
    for sq in 0..=255 {
        let code = pos.at(sq);
        if code == 0 || seat(code) != us || code & STAR != 0 {
            continue;
        }
        match kind(code) {
            PAWN => pawn(law, pos, sq, out),
            KNIGHT => leaps(pos, sq, &LEAPS, out),
            BISHOP => slides(pos, sq, &DIAGONALS, out),
            ROOK => slides(pos, sq, &LINES, out),
            QUEEN => {
                slides(pos, sq, &LINES, out);
                slides(pos, sq, &DIAGONALS, out);
            }
            _ => {
                leaps(pos, sq, &LINES, out);
                leaps(pos, sq, &DIAGONALS, out);
            }
        }
    }
    if pos.uncastled[usize::from(us)] > 0 {
        castlings(pos, out);
    }
    if law.looping {
        drops(pos, out);
    }
}

fn leaps(pos: &Pos, from: Sq, ways: &[(i8, i8)], out: &mut Vec<Act>) {
    for way in ways {
        if let Some(to) = towards(from, *way) {
            let there = pos.at(to);
            if there == 0 || takable(there, pos.turn) {
                out.push(Act::Walk(from, to));
            }
        }
    }
}

fn slides(pos: &Pos, from: Sq, ways: &[(i8, i8)], out: &mut Vec<Act>) {
    for way in ways {
        let mut at = from;
        while let Some(to) = towards(at, *way) {
            let there = pos.at(to);
            if there == 0 || takable(there, pos.turn) {
                out.push(Act::Walk(from, to));
            }
            if there != 0 {
                break;
            }
            at = to;
        }
    }
}

fn pawn(law: Law, pos: &Pos, from: Sq, out: &mut Vec<Act>) {
    let us = pos.turn;
    let own = own_rank(us, from);
    if own == 16 {
        if law.looping {
            last_rank_pawn(pos, from, out);
        }
        return;
    }
    if own <= 7 {
        for landing in own + 1..=9 {
            let to = on_own_rank(us, file(from), landing);
            if pos.at(to) == 0 {
                out.push(Act::Walk(from, to));
            }
        }
    } else {
        let to = on_own_rank(us, file(from), own + 1);
        if pos.at(to) == 0 {
            arrive(law, pos, from, to, own, out);
        }
    }
    for side in [-1, 1] {
        let Some(to) = towards(from, (side, if us == 0 { 1 } else { -1 })) else {
            continue;
        };
        let there = pos.at(to);
        let takes = takable(there, us) || (there == 0 && pos.en_passant(to).is_some());
        if takes && room(law, pos, us, file(to)) {
            arrive(law, pos, from, to, own, out);
        }
    }
}

/// May a pawn of `us` enter this file (hydra.md 2.3.5)?
fn room(law: Law, pos: &Pos, us: u8, file: usize) -> bool {
    !law.looping || pos.pawns[usize::from(us)][file] < FILE_CAP
}

fn arrive(law: Law, pos: &Pos, from: Sq, to: Sq, own: u8, out: &mut Vec<Act>) {
    if law.looping || own < 15 {
        out.push(Act::Walk(from, to));
        return;
    }
    for kind in KNIGHT..=KING {
        if pos.held(1 - pos.turn, kind) > 0 {
            out.push(Act::Ransom(from, to, kind));
        }
    }
}

/// Side step, leap, swap, return to hand (hydra.md 2.3.6).
fn last_rank_pawn(pos: &Pos, from: Sq, out: &mut Vec<Act>) {
    let us = pos.turn;
    for side in [-1, 1] {
        if let Some(to) = towards(from, (side, 0)) {
            let there = pos.at(to);
            if (there == 0 || takable(there, us)) && pos.pawns[usize::from(us)][file(to)] < FILE_CAP
            {
                out.push(Act::Walk(from, to));
            }
        }
    }
    for own in 1..16 {
        let to = on_own_rank(us, file(from), own);
        let there = pos.at(to);
        let friend = there != 0
            && seat(there) == us
            && there & STAR == 0
            && (KNIGHT..=QUEEN).contains(&kind(there));
        if there == 0 || takable(there, us) || friend {
            out.push(Act::Walk(from, to));
        }
    }
    for kind in KNIGHT..=QUEEN {
        if pos.held(1 - us, kind) > 0 {
            out.push(Act::Swap(from, kind));
        }
    }
    out.push(Act::Fold(from));
}

fn drops(pos: &Pos, out: &mut Vec<Act>) {
    let us = pos.turn;
    for kind in PAWN..=QUEEN {
        if pos.held(us, kind) == 0 {
            continue;
        }
        for sq in 0..=255 {
            if pos.at(sq) == 0 && (kind != PAWN || pos.pawns[usize::from(us)][file(sq)] < FILE_CAP)
            {
                out.push(Act::Drop(kind, sq));
            }
        }
    }
}

/// The two ranks on which a side castles.
fn castling_rows(of: u8) -> [u8; 2] {
    if of == 0 { [0, 1] } else { [15, 14] }
}

fn is_royal(code: u8, of: u8) -> bool {
    code & STAR != 0 && seat(code) == of && kind(code) >= QUEEN
}
fn is_rook(code: u8, of: u8) -> bool {
    code & STAR != 0 && seat(code) == of && kind(code) == ROOK
}

fn castlings(pos: &Pos, out: &mut Vec<Act>) {
    let us = pos.turn;
    for row in castling_rows(us) {
        let cells = &pos.board[usize::from(row)];
        for royal in (0..16).filter(|f| is_royal(cells[*f], us)) {
            for rook in (0..16).filter(|f| is_rook(cells[*f], us)) {
                let free =
                    |f: usize| f == royal || f == rook || cells[f] == 0 || takable(cells[f], us);
                let (lo, hi) = (royal.min(rook), royal.max(rook));
                let sq = |f: usize| row << 4 | f as u8;
                for s in (lo..hi).filter(|s| free(*s) && free(s + 1)) {
                    out.push(Act::Castle(sq(royal), sq(rook), sq(s), sq(s + 1)));
                    out.push(Act::Castle(sq(royal), sq(rook), sq(s + 1), sq(s)));
                }
            }
        }
    }
}

/// Could a move of `by`, its own king's safety and its duties apart, take a castled unit on `sq`?
pub fn attacked(law: Law, pos: &Pos, sq: Sq, by: u8) -> bool {
    let man = |at: Option<Sq>| {
        at.map_or(0, |at| {
            let code = pos.at(at);
            if code != 0 && code & STAR == 0 && seat(code) == by {
                kind(code)
            } else {
                0
            }
        })
    };
    if LEAPS.iter().any(|w| man(towards(sq, *w)) == KNIGHT) {
        return true;
    }
    for (ways, slider) in [(&LINES, ROOK), (&DIAGONALS, BISHOP)] {
        for way in ways {
            let mut at = towards(sq, *way);
            let mut near = true;
            while let Some(here) = at {
                if pos.at(here) != 0 {
                    let k = man(at);
                    if k == QUEEN || k == slider || (near && k == KING) {
                        return true;
                    }
                    break;
                }
                near = false;
                at = towards(here, *way);
            }
        }
    }
    let back = if by == 0 { -1 } else { 1 };
    let ransom =
        law.looping || own_rank(by, sq) < 16 || (KNIGHT..=KING).any(|k| pos.held(1 - by, k) > 0);
    let may_enter = ransom && room(law, pos, by, file(sq));
    if may_enter
        && [-1, 1]
            .iter()
            .any(|side| man(towards(sq, (*side, back))) == PAWN)
    {
        return true;
    }
    if law.looping {
        let top = on_own_rank(by, file(sq), 16);
        if man(Some(top)) == PAWN {
            return true;
        }
        if rank(top) == rank(sq)
            && may_enter
            && [-1, 1]
                .iter()
                .any(|side| man(towards(sq, (*side, 0))) == PAWN)
        {
            return true;
        }
    }
    pos.uncastled[usize::from(by)] > 0
        && castling_rows(by).contains(&rank(sq))
        && castled_upon(pos, sq, by)
}

fn castled_upon(pos: &Pos, sq: Sq, by: u8) -> bool {
    let cells = &pos.board[usize::from(rank(sq))];
    let here = file(sq);
    for royal in (0..16).filter(|f| is_royal(cells[*f], by)) {
        for rook in (0..16).filter(|f| is_rook(cells[*f], by)) {
            let (lo, hi) = (royal.min(rook), royal.max(rook));
            if here < lo || here > hi {
                continue;
            }
            let free = |f: usize| f == royal || f == rook || cells[f] == 0 || takable(cells[f], by);
            if (here > lo && free(here - 1)) || (here < hi && free(here + 1)) {
                return true;
            }
        }
    }
    false
}

/// How far a text got that is not legal; the refusal tells it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Barred {
    /// The last king would be under attack.
    Unsafe,
    /// An enemy king can be taken and this does not.
    KingDuty,
    /// A castling is due and this is none.
    CastlingDuty,
}

/// The legal moves before the repetition filter (hydra.md 2.5, steps 1 to 4). With `blocks` a new
/// king may cover the last one (softer H5); `placeable` then tells whether some square will do.
pub fn candidates(
    law: Law,
    blocks: bool,
    pos: &Pos,
    placeable: impl Fn(&Candidate) -> bool,
) -> Vec<Candidate> {
    let mut acts = Vec::with_capacity(512);
    pseudo(law, pos, &mut acts);
    let last = pos.last_king(pos.turn);
    let mut list: Vec<Candidate> = Vec::with_capacity(acts.len());
    let mut takes_king = false;
    for act in acts {
        let mut next = *pos;
        let taken = next.play(law, act);
        let placing = placing(law, &next, taken.kings);
        next.settle(law);
        let c = Candidate {
            act,
            placing,
            kings: taken.kings,
            hash: next.hash,
        };
        if let Some(king) = last {
            let safe = if blocks && placing > 0 {
                placeable(&c)
            } else {
                is_safe(law, &next, king, act, blocks)
            };
            if !safe {
                continue;
            }
        }
        takes_king |= taken.kings > 0;
        list.push(c);
    }
    if takes_king {
        list.retain(|c| c.kings > 0);
    }
    let castles = |c: &Candidate| matches!(c.act, Act::Castle(..));
    if pos.must_castle() && list.iter().any(castles) {
        list.retain(castles);
    }
    list
}

/// Why a move that the units could make is not legal, repetition apart.
pub fn barred(law: Law, pos: &Pos, act: Act, legal: &[Candidate]) -> Option<Barred> {
    let mut next = *pos;
    let taken = next.play(law, act);
    next.settle(law);
    if legal.iter().any(|c| c.act == act) {
        None
    } else if pos
        .last_king(pos.turn)
        .is_some_and(|king| !is_safe(law, &next, king, act, false))
    {
        Some(Barred::Unsafe)
    } else if taken.kings == 0 && legal.iter().any(|c| c.kings > 0) {
        Some(Barred::KingDuty)
    } else {
        Some(Barred::CastlingDuty)
    }
}

/// Kings the mover puts back: those taken, unless they were the last.
fn placing(law: Law, next: &Pos, kings: u8) -> u8 {
    if law.looping && next.kings[usize::from(1 - next.turn)] > 0 {
        kings
    } else {
        0
    }
}

/// Is the king that was the mover's last one before the move safe after it? Kings new on the
/// board count as absent (hydra.md 2.3.4, H31).
fn is_safe(law: Law, next: &Pos, king: Sq, act: Act, blocks: bool) -> bool {
    let king = match act {
        Act::Walk(from, to) if from == king => to,
        Act::Castle(royal, _, to, _) if royal == king => to,
        _ => king,
    };
    if next.at(king) & STAR != 0 {
        return true;
    }
    let enemy = 1 - next.turn;
    if let Act::Ransom(_, to, KING) = act
        && !blocks
    {
        let mut without = *next;
        without.lift(to);
        return !attacked(law, &without, king, enemy);
    }
    !attacked(law, next, king, enemy)
}

/// Squares for a captured king after a move, in the order a1..a16, b1..; the position is the
/// one after [`Pos::play`] and before the weave.
pub fn vacant(pos: &Pos, out: &mut Vec<Sq>) {
    for f in 0..16u8 {
        out.extend((0..16u8).map(|r| r << 4 | f).filter(|sq| pos.at(*sq) == 0));
    }
}

/// Digest with a king of `of` placed there.
pub fn with_king(hash: u128, of: u8, sq: Sq) -> u128 {
    hash ^ man_key(sq, KING | of << 3)
}

/// Is the last king, wherever it stood before, safe with new kings on the board (softer H5)?
pub fn safe_with(law: Law, next: &Pos, old_last: Sq, act: Act) -> bool {
    is_safe(law, next, old_last, act, true)
}

/// Does the side stand with four kings on the hill?
pub fn holds_hill(pos: &Pos, of: u8) -> bool {
    HILL.iter().all(|sq| {
        let code = pos.at(*sq);
        kind(code) == KING && seat(code) == of
    })
}
