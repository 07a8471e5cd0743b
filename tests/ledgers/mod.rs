//! Honest ledgers of games that play themselves, written down a second time without the referee; and a pen that re-signs
//! whatever a cheat makes of them.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::collections::BTreeSet;

use jiff::Timestamp;
use tulpa::fair::chain;
use tulpa::fair::dice::Roll;
use tulpa::fair::entropy::{entropy, seed_commitment, words_seed, words_token};
use tulpa::fair::head::HeadKey;
use tulpa::fair::ledger::{escape, link};
use tulpa::fair::line::{Hash, hash, hex};
use tulpa::fair::seal::{commitment, nonce};
use tulpa::rules::{Ask, Dice, Happening, Options, Seat, Shelf, Table, What};

pub const GID: &str = "k7q2m5x4d3";
pub const SECRET: [u8; 32] = [0xa5; 32];

pub fn key() -> HeadKey {
    HeadKey::new(&[0x17; 32])
}

/// Small numbers without a clock.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap()
    }
}

/// A ledger as bodies, `kind key=value ..`; numbers, times and signatures come when it is rendered.
#[derive(Clone)]
pub struct Book {
    pub bodies: Vec<String>,
    /// Entries behind which a head stands.
    pub heads: BTreeSet<usize>,
    pub elements: Vec<Hash>,
    pub entropy: Hash,
    pub per: u32,
}

impl Book {
    pub fn new(rules: &str, seats: u32, per: u32, extra: &str) -> Book {
        let n = 256;
        let mut elements = vec![hash("the top"); n + 1];
        for j in (1..=n).rev() {
            elements[j - 1] = hash(&chain::chain_line(
                GID,
                u32::try_from(j).unwrap(),
                &elements[j],
            ));
        }
        let body = format!(
            "game id={GID} rules={rules} seats={seats} anchor={} n={n} per={per} key={}{extra}",
            hex(&elements[0]),
            hex(&key().public())
        );
        Book {
            bodies: vec![body],
            heads: BTreeSet::new(),
            elements,
            entropy: [0; 32],
            per,
        }
    }
    pub fn push(&mut self, body: impl Into<String>) {
        self.bodies.push(body.into());
    }
    pub fn head(&mut self) {
        self.heads.insert(self.bodies.len() - 1);
    }
    /// Index of the n-th body of a kind.
    pub fn at(&self, kind: &str, n: usize) -> usize {
        let of = |b: &String| b.split(' ').next() == Some(kind);
        let all: Vec<usize> = (0..self.bodies.len())
            .filter(|i| of(&self.bodies[*i]))
            .collect();
        *all.get(n)
            .unwrap_or_else(|| panic!("there is no {kind} {n}"))
    }
    pub fn count(&self, kind: &str) -> usize {
        self.bodies
            .iter()
            .filter(|b| b.split(' ').next() == Some(kind))
            .count()
    }
    pub fn get(&self, at: usize, key: &str) -> String {
        let mark = format!("{key}=");
        let found = self.bodies[at]
            .split(' ')
            .find_map(|t| t.strip_prefix(mark.as_str()));
        found
            .unwrap_or_else(|| panic!("no {key} in {}", self.bodies[at]))
            .to_owned()
    }
    pub fn set(&mut self, at: usize, key: &str, value: &str) {
        let mark = format!("{key}=");
        let mut done = false;
        let mut tokens: Vec<String> = self.bodies[at].split(' ').map(str::to_owned).collect();
        for t in &mut tokens {
            if t.starts_with(&mark) {
                *t = format!("{mark}{value}");
                done = true;
            }
        }
        if !done {
            tokens.push(format!("{mark}{value}"));
        }
        self.bodies[at] = tokens.join(" ");
    }
    /// Takes a body out; heads behind it move up.
    pub fn remove(&mut self, at: usize) -> String {
        self.heads = self
            .heads
            .iter()
            .map(|h| if *h >= at && *h > 0 { h - 1 } else { *h })
            .collect();
        self.bodies.remove(at)
    }
    pub fn insert(&mut self, at: usize, body: impl Into<String>) {
        self.heads = self
            .heads
            .iter()
            .map(|h| if *h >= at { h + 1 } else { *h })
            .collect();
        self.bodies.insert(at, body.into());
    }
    /// The roll of a slot as it should be.
    pub fn roll(&self, t: u32, j: u32, sides: &[u64], more: &str) -> String {
        let i = self.per * (t - 1) + j + 1;
        let c = self.elements[i as usize];
        let got = Roll::new(&c, GID, i, &self.entropy, "-").dice(sides);
        let list = |n: &[u64]| n.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        format!(
            "roll t={t} j={j} c={} dice={} got={}{more}",
            hex(&c),
            list(sides),
            list(&got)
        )
    }
    pub fn seal(t: u32, seat: u32, card: &str) -> String {
        let n = nonce(&SECRET, GID, t, seat);
        format!(
            "seal t={t} seat={seat} c={} by=ref",
            commitment(GID, t, seat, card, &n)
        )
    }
    pub fn open(t: u32, seat: u32, card: &str) -> String {
        format!(
            "open t={t} seat={seat} card={card} nonce={}",
            nonce(&SECRET, GID, t, seat)
        )
    }
    /// Numbered, timed, hashed and signed: what somebody who holds the key can make of any bodies.
    pub fn render(&self) -> String {
        self.render_at(|i| 1_795_254_570 + 60 * i64::try_from(i).unwrap())
    }
    pub fn render_at(&self, second: impl Fn(usize) -> i64) -> String {
        let key = key();
        let mut out = String::new();
        let mut h = [0; 32];
        for (i, body) in self.bodies.iter().enumerate() {
            let time = Timestamp::from_second(second(i)).unwrap();
            let (kind, rest) = body.split_once(' ').unwrap_or((body, ""));
            let line = format!("{i} {time} {kind} {rest}");
            h = link(&h, line.trim_end());
            out.push_str(line.trim_end());
            out.push('\n');
            if self.heads.contains(&i) || i + 1 == self.bodies.len() {
                out.push_str(&key.sign(GID, i as u64, &h).text());
                out.push('\n');
            }
        }
        out
    }
    /// The whole set-up: words, the default of a Message-ID, and for the last seat a committed seed.
    pub fn set_up(&mut self, seats: u32) {
        let secret = hash("a seed nobody knows");
        let anchor = self.elements[0];
        for seat in 1..=seats {
            self.push(format!("seat seat={seat} is=joined mid=0123456789abcdef"));
        }
        self.head();
        let c = seed_commitment(GID, seats, &secret);
        self.push(format!("seedcommit seat={seats} c={}", hex(&c)));
        let mut seeds = Vec::new();
        for seat in 1..seats {
            let words = format!("the quick brown fox {seat}");
            let s = words_seed(GID, seat, &words);
            self.push(format!(
                "seed seat={seat} words={} s={}",
                words_token(&words),
                hex(&s)
            ));
            seeds.push(Some(s));
        }
        self.head();
        self.push(format!("seed seat={seats} s={}", hex(&secret)));
        seeds.push(Some(secret));
        self.entropy = entropy(GID, &anchor, &seeds, "-");
        self.push(format!("start e={}", hex(&self.entropy)));
    }
}

/// Dice of the chain, and what was thrown for which slot.
struct Thrower<'a> {
    book: &'a Book,
    opening: u32,
    roll: Option<Roll>,
    thrown: Vec<(u32, Vec<u64>)>,
}

impl Dice for Thrower<'_> {
    fn slot(&mut self, turn: u32, roll: u32) {
        if turn == 0 {
            self.opening = roll + 1;
        }
        let t = if turn == 0 {
            roll + 1
        } else {
            self.opening + turn
        };
        let i = self.book.per * (t - 1) + 1;
        let c = self.book.elements[i as usize];
        self.roll = Some(Roll::new(&c, GID, i, &self.book.entropy, "-"));
        self.thrown.push((t, Vec::new()));
    }
    fn roll(&mut self, _of: Seat, sides: u16) -> u16 {
        self.thrown.last_mut().unwrap().1.push(u64::from(sides));
        u16::try_from(self.roll.as_mut().unwrap().die(u64::from(sides))).unwrap()
    }
}

/// What a random game wrote down.
pub struct Game {
    pub book: Book,
    pub opening: u32,
    pub ended: bool,
}

fn follow(
    book: &mut Book,
    table: &Table,
    opening: u32,
    happened: &[Happening],
    thrown: &[(u32, Vec<u64>)],
) {
    let mut thrown = thrown.iter();
    let mut passes = happened
        .iter()
        .filter(|h| matches!(h, Happening::Passed { .. }))
        .count();
    for h in happened {
        match h {
            Happening::Rolled { seat, .. } => {
                let (t, sides) = thrown.next().unwrap();
                let more = if *t <= opening {
                    " for=opening".to_owned()
                } else {
                    format!(" for=turn seat={}", seat.at() + 1)
                };
                let line = book.roll(*t, 0, sides, &more);
                book.push(line);
            }
            Happening::Passed { seat } => {
                let t = opening + table.turn_no() - u32::try_from(passes).unwrap();
                passes -= 1;
                book.push(format!("pass t={t} seat={}", seat.at() + 1));
            }
            _ => {}
        }
    }
}

/// A legal order for what is asked, by lot.
pub fn by_lot(table: &Table, ask: Ask, rng: &mut Rng) -> String {
    if ask.what != What::Turn {
        let choices = table.choices(ask.seat, ask.what);
        return choices[rng.below(choices.len())].clone();
    }
    let mut steps: Vec<String> = Vec::new();
    loop {
        let so_far: Vec<&str> = steps.iter().map(String::as_str).collect();
        let next = table.next(ask.seat, &so_far).unwrap();
        if next.steps.is_empty() {
            break;
        }
        if next.may_stop && rng.below(3) == 0 {
            steps.push("end".to_owned());
            break;
        }
        steps.push(next.steps[rng.below(next.steps.len())].clone());
    }
    steps.join("; ")
}

/// Plays a game by lot, at most `turns` turns, and writes its ledger.
pub fn game(shelf: &Shelf, id: &str, both: bool, seed: u64, turns: u32) -> Game {
    let rules = shelf.get(id).unwrap();
    let seats = u32::try_from(rules.seats.len()).unwrap();
    let per = if id == "chaturaji" { 1 } else { 8 };
    let mut book = Book::new(id, seats, per, if both { "" } else { " reveal=outcome" });
    book.set_up(seats);
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let now = book.clone();
    let mut dice = Thrower {
        book: &now,
        opening: 0,
        roll: None,
        thrown: Vec::new(),
    };
    let (mut table, happened) = Table::begin(rules, &Options::new(), &mut dice).unwrap();
    let (opening, thrown) = (dice.opening, dice.thrown);
    follow(&mut book, &table, opening, &happened, &thrown);
    book.head();
    let mut deferred = Vec::new();
    let mut ended = false;
    loop {
        let t = opening + table.turn_no();
        if let Some(ending) = table.ending() {
            let all: Vec<String> = ending
                .winners
                .iter()
                .map(|s| (s.at() + 1).to_string())
                .collect();
            let winner = if all.is_empty() {
                "none".to_owned()
            } else {
                all.join(",")
            };
            book.push(format!(
                "end winner={winner} reason={}",
                escape(&ending.reason)
            ));
            ended = true;
        } else if t > turns {
            book.push("end winner=none reason=agreed");
        }
        if table.ending().is_some() || t > turns {
            book.bodies.append(&mut deferred);
            book.head();
            return Game {
                book,
                opening,
                ended,
            };
        }
        let asks = table.asks();
        let ask = asks[0];
        if ask.what == What::Pick {
            let mut cards = Vec::new();
            for ask in &asks {
                let choices = table.choices(ask.seat, What::Pick);
                let card = choices[rng.below(choices.len())]
                    .trim_start_matches("pick ")
                    .to_owned();
                book.push(Book::seal(t, u32::from(ask.seat.0) + 1, &card));
                book.head();
                table = table
                    .act(ask.seat, &format!("pick {card}"), &mut tulpa::rules::NoDice)
                    .unwrap()
                    .0;
                cards.push((u32::from(ask.seat.0) + 1, card));
            }
            let mover = (t - 1) % 2 + 1;
            let yes = if cards[0].1 == cards[1].1 {
                "yes"
            } else {
                "no"
            };
            book.push(format!("result t={t} seat={mover} match={yes}"));
            for (seat, card) in cards {
                let open = Book::open(t, seat, &card);
                if both {
                    book.push(open);
                } else {
                    deferred.push(open);
                }
            }
            book.head();
            continue;
        }
        let order = by_lot(&table, ask, &mut rng);
        let now = book.clone();
        let mut dice = Thrower {
            book: &now,
            opening,
            roll: None,
            thrown: Vec::new(),
        };
        let (after, happened) = table.act(ask.seat, &order, &mut dice).unwrap();
        let thrown = dice.thrown;
        let text = escape(&order);
        let text = if text.len() > 60 {
            split(&text)
        } else {
            format!("text={text}")
        };
        book.push(format!(
            "move t={t} seat={} by=player {text} mid=00112233aabbccdd",
            ask.seat.at() + 1
        ));
        table = after;
        follow(&mut book, &table, opening, &happened, &thrown);
        book.head();
    }
}

/// A long text in pieces of 57 characters or less, none of which cuts an escape.
fn split(text: &str) -> String {
    let mut out = Vec::new();
    let mut piece = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        piece.push(c);
        if c == '%' {
            piece.extend(chars.by_ref().take(2));
        }
        if piece.len() > 54 {
            out.push(std::mem::take(&mut piece));
        }
    }
    if !piece.is_empty() {
        out.push(piece);
    }
    let name = |i: usize| {
        if i == 0 {
            "text".to_owned()
        } else {
            format!("text{}", i + 1)
        }
    };
    let all: Vec<String> = out
        .iter()
        .enumerate()
        .map(|(i, p)| format!("{}={p}", name(i)))
        .collect();
    all.join(" ")
}
