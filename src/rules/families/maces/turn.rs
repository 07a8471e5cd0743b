//! The course of a turn: cards, placement, main action, swings, and what follows.

use std::sync::Arc;

use serde_json::Value;

use crate::rules::kit::Kit;
use crate::rules::play::{Happening, Seat};
use crate::rules::rulebook::SpecError;
use crate::rules::tally::Tally;

use super::board::{Board, Set, bit, each};
use super::{FORCED_LOOKS_MAX, Maces, NONE, Over, Passing, Phase, Role, State, Step};

impl Maces {
    /// A state without men or cards, white to move.
    pub(super) fn blank(&self) -> State {
        State {
            board: Board::empty(),
            turn: 0,
            phase: Phase::Main,
            picks: [None; 2],
            left: [0; 2],
            swung: 0,
            passing: None,
            fresh: None,
            touched: 0,
            last: 0,
            progress: false,
            turn_no: 1,
            over: None,
            tally: Arc::new(Tally::default()),
        }
    }

    /// A position of a record's header: `board` (rows, default the array), `turn`, `cards` by
    /// seat (default none left), `ep` (the square passed over). Nothing of it is required.
    pub(super) fn arranged(&self, kit: &Kit, position: &Value) -> Result<State, SpecError> {
        let Value::Object(fields) = position else {
            return Err(SpecError::new("a position is an object"));
        };
        let mut s = self.blank();
        let mut men = kit.setup.clone();
        for (key, value) in fields {
            match (key.as_str(), value) {
                ("board", Value::String(rows)) => {
                    let rows: Vec<String> = rows.split('/').map(str::to_owned).collect();
                    men = kit.parse_rows(&rows)?.0;
                }
                ("turn", Value::String(name)) => {
                    s.turn = kit
                        .seat_names
                        .iter()
                        .position(|n| n == name)
                        .ok_or_else(|| SpecError::new(format!("there is no seat `{name}`")))?
                        as u8;
                }
                ("cards", Value::Object(cards)) => {
                    for (seat, names) in cards {
                        let at = kit.seat_names.iter().position(|n| n == seat);
                        let left = at
                            .and_then(|at| s.left.get_mut(at))
                            .ok_or_else(|| SpecError::new(format!("there is no seat `{seat}`")))?;
                        for name in names.as_array().into_iter().flatten() {
                            let card = self.cards.iter().position(|(n, _)| name == n).ok_or_else(
                                || SpecError::new(format!("there is no card {name}")),
                            )?;
                            *left |= 1 << card;
                        }
                    }
                }
                ("ep", Value::String(name)) => {
                    let sq = kit
                        .square(name)
                        .ok_or_else(|| SpecError::new(format!("`{name}` is not on the board")))?;
                    s.passing = Some(Passing {
                        over: sq as u8,
                        pawn: NONE,
                    });
                }
                _ => {
                    return Err(
                        SpecError::new(format!("`{key}` is not part of a position here"))
                            .hint("board, turn, cards, ep"),
                    );
                }
            }
        }
        for (sq, man) in men.iter().enumerate() {
            if let Some(man) = man {
                s.board.put(sq as u8, self.piece(man.seat, man.kind));
            }
        }
        if let Some(p) = &mut s.passing {
            // the pawn that passed stands one step beyond, as its owner walks
            let dr = if s.turn == 0 { -1 } else { 1 };
            p.pawn = kit
                .offset(u16::from(p.over), 0, dr)
                .map(|sq| sq as u8)
                .filter(|sq| {
                    s.board.get(*sq).is_some_and(|m| {
                        m.seat() != s.turn && self.kind(m.kind()).role == Role::Pawn
                    })
                })
                .ok_or_else(|| SpecError::new("no pawn has passed over the `ep` square"))?;
        }
        self.open_turn(kit, &mut s, &mut Vec::new());
        Ok(s)
    }

    /// Starts the turn of `s.turn`: counts the position, then cards or the main action.
    pub(super) fn open_turn(&self, kit: &Kit, s: &mut State, out: &mut Vec<Happening>) {
        let mut key = [0u8; super::board::SQUARES_MAX + 4];
        let n = kit.squares().min(super::board::SQUARES_MAX);
        key[..n].copy_from_slice(&s.board.bytes()[..n]);
        let over = s.passing.filter(|_| self.passing_matters(s));
        key[n] = s.turn;
        key[n + 1] = over.map_or(NONE, |p| p.over);
        key[n + 2] = s.left[0];
        key[n + 3] = s.left[1];
        Arc::make_mut(&mut s.tally).position(&key[..n + 4]);
        if s.tally.ending().is_some() {
            return;
        }
        let left = s.left[usize::from(s.turn)];
        match left.count_ones() {
            0 => self.open_main(s),
            1 => {
                // 3.2-4: the last card matches by necessity
                let card = left.trailing_zeros() as u8;
                out.push(Happening::Certain {
                    seat: Seat(s.turn),
                    card: self.card(card).to_owned(),
                });
                self.matched(kit, s, card, out);
            }
            _ => s.phase = Phase::Cards,
        }
    }

    fn card(&self, card: u8) -> &str {
        self.cards
            .get(usize::from(card))
            .map_or("?", |(name, _)| name)
    }

    fn vacant_home(&self, s: &State) -> Set {
        self.home[usize::from(s.turn)] & !s.board.all()
    }

    fn matched(&self, kit: &Kit, s: &mut State, card: u8, out: &mut Vec<Happening>) {
        let seat = Seat(s.turn);
        let vacant = self.vacant_home(s);
        match vacant.count_ones() {
            0 => {
                out.push(Happening::NoRoom { seat });
                self.open_main(s);
            }
            1 => {
                s.phase = Phase::Place(card);
                if let Some((_, kind)) = self.cards.get(usize::from(card)) {
                    let at = vacant.trailing_zeros() as u8;
                    self.place(kit, s, *kind, at, true, out);
                }
            }
            _ => s.phase = Phase::Place(card),
        }
    }

    /// Both cards are in: turn them over.
    fn open_cards(&self, kit: &Kit, s: &mut State, out: &mut Vec<Happening>) {
        let [Some(a), Some(b)] = s.picks else {
            return;
        };
        s.picks = [None; 2];
        let room = self.vacant_home(s) != 0;
        out.push(Happening::Opened {
            seat: Seat(s.turn),
            cards: if self.reveal {
                vec![
                    (Seat(0), self.card(a).to_owned()),
                    (Seat(1), self.card(b).to_owned()),
                ]
            } else {
                Vec::new()
            },
            created: (a == b && room).then(|| self.card(a).to_owned()),
        });
        if a == b {
            self.matched(kit, s, a, out);
        } else {
            self.open_main(s);
        }
    }

    fn place(
        &self,
        kit: &Kit,
        s: &mut State,
        kind: u8,
        at: u8,
        forced: bool,
        out: &mut Vec<Happening>,
    ) {
        if let Phase::Place(card) = s.phase {
            s.left[usize::from(s.turn)] &= !1u8.wrapping_shl(u32::from(card));
        }
        s.board.put(at, self.piece(s.turn, kind));
        s.touched |= bit(at);
        s.progress = true;
        out.push(Happening::Placed {
            seat: Seat(s.turn),
            text: format!("{}@{}", kit.letter(kind), kit.name(u16::from(at))),
            forced,
        });
        self.open_main(s);
    }

    /// The main phase begins; without a move or throw it is stalemate (whatever swings there are).
    fn open_main(&self, s: &mut State) {
        s.phase = Phase::Main;
        if !self.any_main(s) {
            s.over = Some(Over::Stalemate);
        }
    }

    /// Plays a legal step.
    pub(super) fn play(
        &self,
        kit: &Kit,
        s: &mut State,
        seat: Seat,
        step: Step,
        out: &mut Vec<Happening>,
    ) {
        match step {
            Step::Pick(card) => {
                if let Some(pick) = s.picks.get_mut(seat.at()) {
                    *pick = Some(card);
                    out.push(Happening::Picked { seat });
                    self.open_cards(kit, s, out);
                }
            }
            Step::Place { kind, at } => self.place(kit, s, kind, at, false, out),
            Step::Move {
                from,
                to,
                promo,
                also,
                ..
            } => {
                self.remove(s, to);
                if also != NONE {
                    self.remove(s, also);
                }
                if let Some(mut piece) = s.board.take(from) {
                    if self.kind(piece.kind()).role == Role::Pawn {
                        s.progress = true;
                        if from.abs_diff(to) == 2 * self.shape.files {
                            s.fresh = Some(Passing {
                                over: (from + to) / 2,
                                pawn: to,
                            });
                        }
                    }
                    if promo != NONE {
                        piece = self.piece(s.turn, promo);
                    }
                    s.board.put(to, piece);
                }
                s.touched |= bit(from) | bit(to);
                s.phase = Phase::Swings;
            }
            Step::Throw { by, man, to, promo } => {
                if let Some(mut piece) = s.board.take(man) {
                    if self.kind(piece.kind()).role == Role::Pawn {
                        s.progress = true;
                        if promo != NONE {
                            piece = self.piece(s.turn, promo);
                        } else if self.shape.own_rank(piece.seat(), to) + 1 == self.shape.ranks {
                            piece = self.piece(piece.seat(), self.thrown_pawn);
                        }
                    }
                    s.board.put(to, piece);
                }
                s.touched |= bit(by) | bit(man) | bit(to);
                s.phase = Phase::Swings;
            }
            Step::Strike { from, at, shot } => {
                self.remove(s, at);
                s.touched |= bit(from);
                if shot {
                    s.phase = Phase::Swings;
                } else {
                    s.swung |= bit(from);
                }
            }
        }
    }

    /// Removes an enemy man, if one is there; a King ends the game at once.
    fn remove(&self, s: &mut State, at: u8) {
        if let Some(piece) = s.board.take(at) {
            s.progress = true;
            s.touched |= bit(at);
            if self.kind(piece.kind()).role == Role::King {
                s.over = Some(Over::KingCaptured { by: s.turn });
            }
        }
    }

    /// Ends the turn and starts the other side's.
    pub(super) fn close_turn(&self, kit: &Kit, s: &mut State, out: &mut Vec<Happening>) {
        if s.over.is_some() {
            return;
        }
        Arc::make_mut(&mut s.tally).turn(s.progress);
        s.passing = s.fresh.take();
        s.swung = 0;
        s.last = std::mem::take(&mut s.touched);
        s.progress = false;
        s.turn = 1 - s.turn;
        s.turn_no = s.turn_no.saturating_add(1);
        self.open_turn(kit, s, out);
    }

    /// Do the owed swings lead to the same position whatever is chosen?
    pub(super) fn one_outcome(&self, kit: &Kit, s: &State) -> bool {
        let mut end = None;
        let mut looks = 0;
        self.same_end(kit, s, &mut end, &mut looks)
    }

    fn same_end(&self, kit: &Kit, s: &State, end: &mut Option<Board>, looks: &mut u32) -> bool {
        *looks += 1;
        if *looks > FORCED_LOOKS_MAX {
            return false;
        }
        let mut steps = Vec::new();
        if s.over.is_none() {
            self.swings(s, &mut steps);
        }
        if steps.is_empty() {
            return match end {
                None => {
                    *end = Some(s.board.clone());
                    true
                }
                Some(end) => *end == s.board,
            };
        }
        steps.iter().all(|step| {
            let mut next = s.clone();
            self.play(kit, &mut next, Seat(s.turn), *step, &mut Vec::new());
            self.same_end(kit, &next, end, looks)
        })
    }

    /// Own Maces that still owe a swing, for a refusal's words.
    pub(super) fn owing(&self, s: &State) -> Vec<u8> {
        let mut steps = Vec::new();
        self.swings(s, &mut steps);
        let set = steps.iter().fold(0, |set, step| match step {
            Step::Strike { from, .. } => set | bit(*from),
            _ => set,
        });
        each(set).collect()
    }
}
