//! Why a text is not legal, in the game's terms: for the refusal that teaches the rule.
//!
//! Only texts that fit no legal step come here, so a check need not be complete: the first one
//! that applies is the answer, and none is better than a wrong one.

use crate::rules::kit::Kit;
use crate::rules::play::Seat;

use super::board::{bit, each};
use super::{Maces, Phase, Role, SHOT_RANGE, State};

/// Longest text that is looked into, bytes.
const TEXT_MAX: usize = 120;
/// Most squares that a step of this family names.
const NAMED_MAX: usize = 4;

/// What a text was meant to be, as far as its signs tell.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Sort {
    Move,
    Throw,
    Strike,
    Place,
}

struct Asked<'a> {
    m: &'a Maces,
    kit: &'a Kit,
    s: &'a State,
    me: u8,
}

/// The reason, where one is known.
pub fn why_not(m: &Maces, kit: &Kit, s: &State, seat: Seat, text: &str) -> Option<String> {
    if seat.0 > 1 || text.len() > TEXT_MAX {
        return None;
    }
    let asked = Asked {
        m,
        kit,
        s,
        me: seat.0,
    };
    if s.phase == Phase::Cards {
        return asked.card(text);
    }
    let low = text.to_ascii_lowercase();
    let words = squares(&low);
    let mut named = Vec::new();
    for word in &words {
        match kit.square(word) {
            Some(sq) => named.push(sq as u8),
            None => return Some(format!("there is no square {word} on this board")),
        }
    }
    if let Phase::Place(card) = s.phase {
        return asked.placement(card, text, &named);
    }
    if low.starts_with("o-o") || low.starts_with("0-0") || low.contains("castle") {
        return Some("there is no castling in this game".to_owned());
    }
    let sort = match () {
        () if low.contains('@') || low.contains("place") => Sort::Place,
        () if low.contains('^') || low.contains("throw") => Sort::Throw,
        () if low.contains('*') || low.contains("swing") || low.contains("shoot") => Sort::Strike,
        () => Sort::Move,
    };
    match (sort, named.as_slice()) {
        (Sort::Place, _) => Some("no Tulpa was created this turn, so none is placed".to_owned()),
        (Sort::Throw, [by, man, to]) => {
            // `throw c3 to a4 from b2` names the Horse-apult last
            if low.contains("from") {
                asked.throw(*to, *by, *man)
            } else {
                asked.throw(*by, *man, *to)
            }
        }
        (Sort::Strike, [from, at]) => asked.strike(*from, *at),
        (Sort::Strike, [from, to, at]) => asked.thrust(*from, *to, *at),
        (Sort::Move, [from, to]) => asked.walk(*from, *to, &low),
        _ => None,
    }
}

/// Names of squares in a lower-case text: one letter and its figures. `hb2^c3-a4` has three.
fn squares(low: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut file: Option<char> = None;
    let mut word = String::new();
    for c in low.chars().chain([' ']) {
        if c.is_ascii_digit() && (file.is_some() || !word.is_empty()) {
            if let Some(f) = file.take() {
                word.push(f);
            }
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            out.push(std::mem::take(&mut word));
            if out.len() == NAMED_MAX {
                break;
            }
        }
        file = c.is_ascii_lowercase().then_some(c);
    }
    out
}

impl Asked<'_> {
    fn sq(&self, sq: u8) -> &str {
        self.kit.name(u16::from(sq))
    }

    fn seat(&self, seat: u8) -> &str {
        self.kit
            .seat_names
            .get(usize::from(seat))
            .map_or("?", String::as_str)
    }

    /// `Mace on a1`; the square alone where nobody stands there.
    fn man(&self, sq: u8) -> String {
        match self.s.board.get(sq) {
            Some(p) => format!("{} on {}", self.m.name(self.kit, p.kind()), self.sq(sq)),
            None => self.sq(sq).to_owned(),
        }
    }

    fn role(&self, sq: u8) -> Option<Role> {
        self.s.board.get(sq).map(|p| self.m.kind(p.kind()).role)
    }

    fn mine(&self, sq: u8) -> bool {
        self.s.board.men[usize::from(self.me)] & bit(sq) != 0
    }

    fn vacant(&self, sq: u8) -> bool {
        self.s.board.all() & bit(sq) == 0
    }

    fn next_to(&self, a: u8, b: u8) -> bool {
        self.m.shape.king[usize::from(a & 127)] & bit(b) != 0
    }

    /// The enemy Spider that holds this man.
    fn holder(&self, sq: u8) -> Option<u8> {
        let enemy = self.s.board.men[usize::from(1 - self.me)];
        (self.s.board.spiders & bit(sq) == 0)
            .then(|| self.s.board.spiders & enemy & self.m.shape.king[usize::from(sq & 127)])
            .and_then(|set| each(set).next())
    }

    /// Who may act at all: an own man, not webbed.
    fn actor(&self, sq: u8) -> Option<String> {
        if self.vacant(sq) {
            return Some(format!("there is no man on {}", self.sq(sq)));
        }
        if !self.mine(sq) {
            return Some(format!(
                "the {} is {}'s",
                self.man(sq),
                self.seat(1 - self.me)
            ));
        }
        self.holder(sq).map(|spider| {
            format!(
                "the {} holds the man on {} (web)",
                self.man(spider),
                self.sq(sq)
            )
        })
    }

    /// Two main actions: the second is refused, with the swings that are still owed.
    fn spent(&self) -> Option<String> {
        (self.s.phase == Phase::Swings).then(|| {
            let owing: Vec<String> = self.m.owing(self.s).iter().map(|o| self.man(*o)).collect();
            match owing.as_slice() {
                [] => "this turn's move or throw is already made".to_owned(),
                [one] => {
                    format!("this turn's move or throw is already made; the {one} must still swing")
                }
                many => format!(
                    "this turn's move or throw is already made; still to swing: {}",
                    many.join(", ")
                ),
            }
        })
    }

    fn card(&self, text: &str) -> Option<String> {
        let left = self
            .m
            .card_names(self.s.left[usize::from(self.s.turn)])
            .join(", ");
        let owner = self.seat(self.s.turn);
        let low = text.to_ascii_lowercase();
        let spent = self
            .m
            .cards
            .iter()
            .find(|(name, _)| low.split_whitespace().any(|word| word == name));
        Some(match spent {
            Some((_, kind)) => format!(
                "{owner}'s {} was created already; cards left: {left}",
                self.m.name(self.kit, *kind)
            ),
            None => format!("a card is asked for now; {owner}'s cards left: {left}"),
        })
    }

    fn placement(&self, card: u8, text: &str, named: &[u8]) -> Option<String> {
        let kind = self.m.cards.get(usize::from(card))?.1;
        let (name, letter) = (self.m.name(self.kit, kind), self.kit.letter(kind));
        let [at] = named else {
            return Some(format!(
                "the {name} must be placed first, as in `{letter}@b1`"
            ));
        };
        if self.m.home[usize::from(self.me)] & bit(*at) == 0 {
            let ranks: Vec<String> = (0..self.m.home_ranks)
                .map(|n| match self.me {
                    0 => n + 1,
                    _ => self.m.shape.ranks.saturating_sub(n),
                })
                .map(|n| n.to_string())
                .collect();
            return Some(format!(
                "a Tulpa appears on {}'s home ranks only ({}); {} is outside",
                self.seat(self.me),
                ranks.join(" and "),
                self.sq(*at)
            ));
        }
        if !self.vacant(*at) {
            return Some(format!(
                "{} is occupied; a Tulpa appears on a vacant square",
                self.sq(*at)
            ));
        }
        let written = text.trim().chars().next();
        written
            .filter(|c| text.contains('@') && !c.eq_ignore_ascii_case(&letter))
            .map(|_| format!("the cards created the {name}: `{letter}@{}`", self.sq(*at)))
    }

    fn throw(&self, by: u8, man: u8, to: u8) -> Option<String> {
        if let Some(why) = self.spent() {
            return Some(why);
        }
        if self.role(by).is_some_and(|r| r != Role::Horse) {
            return Some(format!(
                "the {} is no Horse-apult; only Horse-apults throw",
                self.man(by)
            ));
        }
        if let Some(why) = self.actor(by) {
            return Some(why);
        }
        if self.vacant(man) {
            return Some(format!("there is no man on {} to throw", self.sq(man)));
        }
        if !self.next_to(by, man) {
            return Some(format!(
                "{} is not next to the Horse-apult on {}",
                self.sq(man),
                self.sq(by)
            ));
        }
        if self.s.swung & bit(man) != 0 {
            return Some(self.swung(man, "be thrown"));
        }
        if !self.vacant(to) {
            return Some(format!(
                "{} is occupied; a throw needs a vacant square",
                self.sq(to)
            ));
        }
        if self.m.shape.knight[usize::from(by & 127)] & bit(to) == 0 {
            return Some(format!(
                "{} is not a Knight's move from the Horse-apult on {}",
                self.sq(to),
                self.sq(by)
            ));
        }
        (self.role(man) == Some(Role::Pawn)).then(|| self.promotion(self.mine(man)))
    }

    fn swung(&self, sq: u8, verb: &str) -> String {
        format!(
            "the {} has swung this turn and may not {verb} any more",
            self.man(sq)
        )
    }

    fn promotion(&self, own: bool) -> String {
        if !own {
            return format!(
                "an enemy Pawn thrown onto its last rank turns {} by itself",
                self.m.name(self.kit, self.m.thrown_pawn)
            );
        }
        let letters: Vec<String> = self
            .m
            .promotions
            .iter()
            .map(|k| self.kit.letter(*k).to_string())
            .collect();
        format!(
            "a Pawn becomes one of {} on its last rank, and only there",
            letters.join(" ")
        )
    }

    fn strike(&self, from: u8, at: u8) -> Option<String> {
        if let Some(why) = self.actor(from) {
            return Some(why);
        }
        match self.role(from) {
            Some(Role::Mace) => self.swing(from, at),
            Some(Role::Archer) => self.spent().or_else(|| self.shot(from, at)),
            Some(Role::Ox) => Some(format!(
                "the {} thrusts only from the square its own Knight move took it to",
                self.man(from)
            )),
            _ => Some(format!(
                "the {} is no Mace; only Maces swing",
                self.man(from)
            )),
        }
    }

    fn swing(&self, from: u8, at: u8) -> Option<String> {
        if self.s.swung & bit(from) != 0 {
            return Some(self.swung(from, "swing"));
        }
        let none = if self.m.victims(self.s, from) == 0 {
            format!("; the {} has nobody to strike", self.man(from))
        } else {
            String::new()
        };
        if self.vacant(at) {
            return Some(format!("there is no enemy man on {}{none}", self.sq(at)));
        }
        if self.mine(at) {
            return Some(format!("the {} is your own{none}", self.man(at)));
        }
        if !self.next_to(from, at) {
            return Some(format!(
                "{} is not next to the {}{none}",
                self.sq(at),
                self.man(from)
            ));
        }
        if self.s.board.shielded & bit(at) != 0 {
            return Some(format!("no Mace can remove the {}{none}", self.man(at)));
        }
        (self.s.phase == Phase::Main)
            .then(|| "no move or throw would remain after that swing; move first".to_owned())
    }

    fn shot(&self, from: u8, at: u8) -> Option<String> {
        if self.vacant(at) {
            return Some(format!("there is no enemy man on {}", self.sq(at)));
        }
        if self.mine(at) {
            return Some(format!("the {} is your own", self.man(at)));
        }
        for dir in 0..8 {
            let mut sq = from;
            let mut first = None;
            for n in 1..=self.m.shape.room[usize::from(from & 127)][dir] {
                sq = self.m.shape.along(sq, dir);
                if sq == at {
                    return if n > SHOT_RANGE {
                        Some(format!(
                            "{} is out of the Archer's range of {SHOT_RANGE} squares",
                            self.sq(at)
                        ))
                    } else {
                        first.map(|f| format!("the {} stands in the arrow's way", self.man(f)))
                    };
                }
                if first.is_none() && !self.vacant(sq) {
                    first = Some(sq);
                }
            }
        }
        Some(format!(
            "{} is not on a straight line from the {}",
            self.sq(at),
            self.man(from)
        ))
    }

    fn thrust(&self, from: u8, to: u8, at: u8) -> Option<String> {
        if let Some(why) = self.spent().or_else(|| self.actor(from)) {
            return Some(why);
        }
        if self.role(from) != Some(Role::Ox) {
            return Some(format!(
                "the {} cannot thrust; write a swing as a step of its own, after `;`",
                self.man(from)
            ));
        }
        if let Some(why) = self.reach(from, to) {
            return Some(why);
        }
        if at == from || self.vacant(at) {
            return Some(format!("there is no enemy man on {}", self.sq(at)));
        }
        if self.mine(at) {
            return Some(format!(
                "the {} is your own; a thrust removes enemies only",
                self.man(at)
            ));
        }
        (!self.next_to(to, at)).then(|| {
            format!(
                "{} is not next to {}, where the Wild Ox lands",
                self.sq(at),
                self.sq(to)
            )
        })
    }

    fn walk(&self, from: u8, to: u8, low: &str) -> Option<String> {
        if self.s.phase == Phase::Swings
            && self.role(from) == Some(Role::Mace)
            && self.mine(from)
            && !self.vacant(to)
            && !self.mine(to)
            && self.next_to(from, to)
        {
            return Some(format!(
                "a Mace does not capture by stepping; to swing write `{}{}*{}`",
                self.kit.letter(self.s.board.get(from)?.kind()),
                self.sq(from),
                self.sq(to)
            ));
        }
        if let Some(why) = self.spent().or_else(|| self.actor(from)) {
            return Some(why);
        }
        if self.s.swung & bit(from) != 0 {
            return Some(self.swung(from, "move"));
        }
        if let Some(why) = self.reach(from, to) {
            return Some(why);
        }
        let promotes = low.contains(['=', '/', '(']);
        (self.role(from) == Some(Role::Pawn)
            && (promotes || self.m.shape.own_rank(self.me, to) + 1 == self.m.shape.ranks))
            .then(|| self.promotion(true))
    }

    /// Why the own, unwebbed man on `from` cannot reach `to`.
    fn reach(&self, from: u8, to: u8) -> Option<String> {
        if self.mine(to) {
            return Some(format!("the {} is your own", self.man(to)));
        }
        let mut steps = Vec::new();
        self.m.main_actions(self.s, &mut steps);
        if steps.iter().any(|step| {
            matches!(step, super::Step::Move { from: f, to: t, .. } if (*f, *t) == (from, to))
        }) {
            return None;
        }
        match self.role(from)? {
            Role::Mace if !self.vacant(to) && self.next_to(from, to) => {
                Some("a Mace does not capture by stepping".to_owned())
            }
            Role::Mace => Some("a Mace steps one square, to a vacant one".to_owned()),
            Role::King | Role::Horse => {
                Some(format!("the {} steps one square only", self.man(from)))
            }
            Role::Ox => Some("a Wild Ox moves as a Knight".to_owned()),
            Role::Archer => Some(
                "an Archer moves one or two squares on a straight line, and leaps over nobody"
                    .to_owned(),
            ),
            Role::Pawn => Some(self.pawn(from, to)),
            Role::Plain => self.blocked(from, to),
        }
    }

    fn pawn(&self, from: u8, to: u8) -> String {
        let files = self.m.shape.files;
        let rank = |sq: u8| i16::from(self.m.shape.own_rank(self.me, sq));
        let ahead = rank(to) - rank(from);
        if from % files != to % files {
            return if ahead == 1 && self.next_to(from, to) && self.vacant(to) {
                format!(
                    "there is nothing to capture on {}; a Pawn moves straight ahead",
                    self.sq(to)
                )
            } else {
                "a Pawn captures one square diagonally forward".to_owned()
            };
        }
        match ahead {
            i16::MIN..=0 => "a Pawn moves forward only".to_owned(),
            1 => format!("{} is occupied; a Pawn captures diagonally", self.sq(to)),
            2 if rank(from) >= i16::from(self.m.double_step_ranks) => format!(
                "a Pawn takes two steps from its own ranks 1 to {} only",
                self.m.double_step_ranks
            ),
            2 => format!(
                "the way from {} to {} is not free",
                self.sq(from),
                self.sq(to)
            ),
            _ => "a Pawn moves one square, or two from its first ranks".to_owned(),
        }
    }

    /// A piece of lines: is somebody in the way?
    fn blocked(&self, from: u8, to: u8) -> Option<String> {
        let gait = &self.m.kind(self.s.board.get(from)?.kind()).gait;
        for dir in 0..8 {
            let reach = gait.walk[dir].max(gait.take[dir]);
            let room = self.m.shape.room[usize::from(from & 127)][dir].min(reach);
            let mut sq = from;
            for _ in 0..room {
                sq = self.m.shape.along(sq, dir);
                if sq == to {
                    return self
                        .m
                        .first_met(self.s, from, dir, room)
                        .filter(|f| *f != to)
                        .map(|f| format!("the {} stands in the way", self.man(f)));
                }
            }
        }
        Some(format!(
            "the {} does not move to {}",
            self.man(from),
            self.sq(to)
        ))
    }
}
