//! What may follow a command word, and what it means there.

use super::challenge::{new_game, option};
use super::commands::{Line, first_word};
use super::orders::is_moves;
use crate::referee::order::{Order, Slip};

/// How the branches of a summoning are written.
const BRANCHES: &str = "if created: PLACEMENT; MOVES, else: MOVES";

/// How many words.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Does what follows `start` or `new` name an opponent or an option?
pub(super) fn is_challenge(low: &str) -> bool {
    low.split_whitespace()
        .any(|w| ["vs", "vs.", "versus", "against", "with"].contains(&w) || w.contains('='))
}

/// A line taken apart at its first word.
pub(super) struct Words<'a> {
    pub(super) word: &'a str,
    /// what follows, its last stop or exclamation mark left out
    pub(super) rest: &'a str,
    /// the same in lower case without articles
    pub(super) low: &'a str,
    /// too long for a command that is also an everyday word
    pub(super) chatty: bool,
}

impl Words<'_> {
    pub(super) fn missing(&self, usage: &str) -> Line {
        Line::Slip(Slip::Missing {
            command: self.word.to_owned(),
            usage: usage.to_owned(),
        })
    }

    /// A slip, however long the line is.
    pub(super) fn refused(&self, usage: &str) -> Line {
        Line::Slip(Slip::Unclear {
            command: self.word.to_owned(),
            found: self.rest.to_owned(),
            usage: usage.to_owned(),
        })
    }

    /// A slip in a short line, prose in a long one.
    pub(super) fn unclear(&self, usage: &str) -> Line {
        if self.chatty {
            Line::Prose
        } else {
            self.refused(usage)
        }
    }

    pub(super) fn result(&self, order: Result<Order, Slip>) -> Line {
        match order {
            Ok(order) => Line::Orders(vec![order]),
            Err(_) if self.chatty && !is_challenge(self.low) => Line::Prose,
            Err(slip) => Line::Slip(slip),
        }
    }

    pub(super) fn alone(&self, order: Order) -> Option<Line> {
        Some(match self.low {
            "" | "?" => Line::Orders(vec![order]),
            _ => match number(self.low) {
                Some(game) => Line::ForGame(game, vec![order]),
                None => self.unclear(self.word),
            },
        })
    }

    pub(super) fn optional(
        &self,
        usage: &str,
        most: usize,
        make: impl Fn(Option<String>) -> Order,
    ) -> Line {
        let low = self.low.strip_prefix("of ").unwrap_or(self.low);
        match words(low) {
            0 => Line::Orders(vec![make(None)]),
            n if n <= most => Line::Orders(vec![make(Some(low.trim_end_matches('?').to_owned()))]),
            _ => self.unclear(usage),
        }
    }

    pub(super) fn needed(&self, usage: &str, most: usize, make: impl Fn(String) -> Order) -> Line {
        match words(self.rest) {
            0 => self.missing(usage),
            n if n <= most => Line::Orders(vec![make(self.rest.to_owned())]),
            _ => self.unclear(usage),
        }
    }

    pub(super) fn number(&self, usage: &str, make: impl Fn(u32) -> Order) -> Line {
        match number(self.low) {
            Some(n) => Line::Orders(vec![make(n)]),
            None if self.low.is_empty() => self.missing(usage),
            None => self.unclear(usage),
        }
    }

    pub(super) fn card(&self) -> Line {
        let pick = self.word.starts_with("pick");
        let make = |pick: bool, card: &str| {
            let card = card.trim_start_matches("card ").trim().to_owned();
            if pick {
                Order::Pick(card)
            } else {
                Order::Guess(card)
            }
        };
        if let Some(line) = self.own_seal(!pick) {
            return line;
        }
        let usage = if pick { "pick CARD" } else { "guess CARD" };
        let low = self.low.replace(['"', '\'', '='], " ");
        let low = low.trim();
        // `pick amazon and guess ox` on one line
        let other = if pick { "guess" } else { "pick" };
        let words_of = |t: &str| {
            t.split([' ', ','])
                .filter(|w| !w.is_empty() && *w != "and")
                .collect::<Vec<_>>()
                .join(" ")
        };
        if let Some((mine, theirs)) = low.split_once(&format!("{other} ")) {
            let (mine, theirs) = (words_of(mine), words_of(theirs));
            if (1..=2).contains(&words(&mine)) && (1..=2).contains(&words(&theirs)) {
                return Line::Orders(vec![make(pick, &mine), make(!pick, &theirs)]);
            }
        }
        match words(low) {
            0 => self.missing(usage),
            1..=2 => Line::Orders(vec![make(pick, low)]),
            _ => self.refused(usage),
        }
    }

    /// `commit HEX` and `open CARD NONCE` behind `pick` or `guess`.
    fn own_seal(&self, guess: bool) -> Option<Line> {
        let (deed, rest) = first_word(self.low);
        let all: Vec<&str> = rest.split_whitespace().collect();
        Some(match (deed.as_str(), &all[..]) {
            ("commit", [c]) if is_hash(c) => Line::Orders(vec![Order::CardCommit {
                guess,
                commitment: (*c).to_owned(),
            }]),
            ("open", [card, nonce]) if is_hash(nonce) => Line::Orders(vec![Order::CardOpen {
                card: (*card).to_owned(),
                nonce: (*nonce).to_owned(),
            }]),
            ("commit", _) => self.refused(&format!("{} commit HEX, 64 hex digits", self.word)),
            ("open", _) => self.refused(&format!("{} open CARD NONCE, 64 hex digits", self.word)),
            _ => return None,
        })
    }

    /// `seed WORDS`, `seed commit HEX`, `seed open HEX`.
    pub(super) fn seed(&self) -> Line {
        let (deed, rest) = first_word(self.low);
        let make = match deed.as_str() {
            "" if self.rest.is_empty() => return self.missing("seed WORDS"),
            "commit" => Order::SeedCommit,
            "open" => Order::SeedOpen,
            _ => return Line::Orders(vec![Order::Seed(self.rest.to_owned())]),
        };
        if is_hash(rest) {
            Line::Orders(vec![make(rest.to_owned())])
        } else {
            self.refused(&format!("seed {deed} HEX, 64 hex digits"))
        }
    }

    /// `join 7`, `join 7 and some words for the dice`.
    pub(super) fn join(&self) -> Line {
        if let Some(n) = number(self.low) {
            return Line::Orders(vec![Order::Join(n)]);
        }
        match numbered(self.rest) {
            Some((n, words)) => Line::Orders(vec![Order::Seed(words.to_owned()), Order::Join(n)]),
            None if self.low.is_empty() => self.missing("join N"),
            None => self.unclear("join N"),
        }
    }

    pub(super) fn place(&self) -> Line {
        let usage = "place PIECE SQUARE";
        if self.rest.is_empty() {
            self.missing(usage)
        } else if self.rest.bytes().any(|b| b.is_ascii_digit()) && words(self.rest) <= 6 {
            Line::Orders(vec![Order::Place(self.rest.to_owned())])
        } else if self.word == "put" {
            self.unclear(usage)
        } else {
            self.refused(usage)
        }
    }

    pub(super) fn moves(&self) -> Line {
        let preview = self.word == "preview";
        let usage = if preview {
            "preview MOVES"
        } else {
            "move MOVES"
        };
        if self.rest.is_empty() {
            self.missing(usage)
        } else if is_moves(self.rest) {
            let moves = self.rest.to_owned();
            Line::Orders(vec![if preview {
                Order::Preview(moves)
            } else {
                Order::Play(moves)
            }])
        } else if preview {
            self.refused(usage)
        } else {
            self.unclear(usage)
        }
    }

    pub(super) fn branch_or_plan(&self) -> Line {
        let head = self
            .low
            .split([':', ';', ','])
            .next()
            .unwrap_or_default()
            .trim();
        let head = head.strip_suffix("then").unwrap_or(head).trim();
        let created = [
            "created",
            "it is created",
            "it's created",
            "tulpa is created",
            "tulpa created",
            "cards match",
            "cards matched",
            "match",
            "matched",
            "it matches",
            "matches",
            "they match",
            "summoned",
        ];
        let not = [
            "not created",
            "not",
            "no match",
            "cards differ",
            "not matched",
            "they differ",
            "no tulpa",
            "cards do not match",
            "cards don't match",
        ];
        let side = if created.contains(&head) {
            Some(true)
        } else if not.contains(&head) {
            Some(false)
        } else {
            None
        };
        if let Some(created) = side {
            let text = self.rest.split_once([':', ',', ';']).map_or("", |(_, t)| t);
            return branch(created, text, self);
        }
        // `if created A@b2; Ab2-d4`, the colon forgotten
        if let Some(first) = self.low.strip_prefix("created ")
            && is_moves(first)
        {
            let at = self.rest.len() - first.len().min(self.rest.len());
            return branch(true, self.rest.get(at..).unwrap_or_default(), self);
        }
        let usage = "if OPPONENT-MOVE then MY-MOVE";
        if let Some((theirs, mine)) = self.low.split_once(" then ") {
            let theirs = theirs.trim_end_matches([',', ' ']);
            let first = mine.split(';').next().unwrap_or_default().trim();
            if is_moves(theirs) && is_moves(first) {
                return Line::Orders(vec![Order::Plan(format!("if {}", self.rest))]);
            }
        }
        let orderly = self
            .rest
            .bytes()
            .any(|b| b.is_ascii_digit() || b":;@".contains(&b));
        if orderly {
            self.refused(usage)
        } else {
            self.unclear(usage)
        }
    }

    pub(super) fn otherwise(&self, rest: &str) -> Line {
        let rest = rest.trim_end_matches(['.', '!']);
        if rest.is_empty() || is_moves(rest) {
            return branch(false, rest, self);
        }
        if self.word == "otherwise" || self.chatty {
            let orderly = rest
                .bytes()
                .any(|b| b.is_ascii_digit() || b";@".contains(&b));
            if !orderly {
                return Line::Prose;
            }
        }
        self.refused(BRANCHES)
    }

    pub(super) fn challenge(&self) -> Line {
        self.result(new_game(self.rest))
    }

    /// accept, decline, cancel, resign: of a game, an invitation, a draw, an undo.
    pub(super) fn answer(&self) -> Line {
        let order = match self.word.get(..3) {
            Some("acc") => Order::Accept,
            Some("dec" | "rej" | "ref") => Order::Decline,
            Some("can") => Order::Cancel,
            _ => Order::Resign,
        };
        let low = self
            .low
            .trim_end_matches(" offer")
            .trim_end_matches(" invitation");
        let asked = self.low.ends_with('?');
        match (&order, low) {
            (_, "") => Line::Orders(vec![order]),
            (
                Order::Accept | Order::Decline | Order::Cancel,
                "invitation" | "game" | "challenge" | "it" | "match",
            ) => Line::Orders(vec![order]),
            (Order::Resign, "game" | "match" | "this game") => Line::Orders(vec![order]),
            (Order::Accept, "draw") => Line::Orders(vec![Order::AcceptDraw]),
            (Order::Decline, "draw") => Line::Orders(vec![Order::DeclineDraw]),
            (Order::Accept, "undo") => Line::Orders(vec![Order::AcceptUndo]),
            (Order::Decline, "undo") => Line::Orders(vec![Order::DeclineUndo]),
            _ => match number(low) {
                Some(game) if !asked => Line::ForGame(game, vec![order]),
                _ if order == Order::Accept && !asked && !is_no_invitation(low) => {
                    self.accept_words()
                }
                _ => {
                    let usage = match order {
                        Order::Resign => "resign",
                        Order::Cancel => "cancel",
                        Order::Decline => "decline, decline draw or decline undo",
                        _ => "accept, accept draw or accept undo",
                    };
                    self.refused(usage)
                }
            },
        }
    }

    /// `accept the quick brown fox`, `accept 42 the quick brown fox`.
    fn accept_words(&self) -> Line {
        match numbered(self.rest) {
            Some((game, words)) => {
                Line::ForGame(game, vec![Order::Seed(words.to_owned()), Order::Accept])
            }
            None => Line::Orders(vec![Order::Seed(self.rest.to_owned()), Order::Accept]),
        }
    }

    pub(super) fn draw(&self) -> Line {
        let low = self.low.trim_end_matches('?').trim();
        let order = match (self.word, low) {
            ("offer" | "offers", "draw" | "") | ("draw", "" | "offer" | "offered") => {
                Order::OfferDraw
            }
            ("draw", "accepted" | "agreed") => Order::AcceptDraw,
            ("draw", "declined") => Order::DeclineDraw,
            ("claim" | "claims", "draw") => Order::ClaimDraw,
            ("claim" | "claims", "time" | "flag" | "win on time") => Order::ClaimTime,
            ("undo" | "takeback", "" | "move" | "my move" | "last move") => Order::Undo,
            ("claim" | "claims", "") => return self.missing("claim draw or claim time"),
            ("claim" | "claims", _) => return self.refused("claim draw or claim time"),
            ("undo" | "takeback", _) => return self.refused("undo"),
            _ => return self.unclear("offer draw"),
        };
        Line::Orders(vec![order])
    }

    /// `turn 7`, and `turn 7: Nc1-d3`.
    pub(super) fn turn(&self) -> Line {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (n, after) = self.rest.split_at(digits);
        let after = after.trim_start_matches([':', '.', ' ']);
        match n.parse() {
            Ok(n) if after.is_empty() => Line::Orders(vec![Order::Turn(n)]),
            Ok(n) if is_moves(after) => {
                Line::Orders(vec![Order::Turn(n), Order::Play(after.to_owned())])
            }
            _ => self.unclear("turn N"),
        }
    }

    pub(super) fn show(&self) -> Line {
        let low = self.low.trim_end_matches('?');
        let low = low.strip_prefix("me").unwrap_or(low).trim();
        let low = ["board", "position", "turn", "move", "game"]
            .iter()
            .fold(low, |l, w| l.strip_prefix(w).unwrap_or(l).trim());
        match number(low) {
            Some(n) => Line::Orders(vec![Order::Show(Some(n))]),
            None if low.is_empty() => Line::Orders(vec![Order::Show(None)]),
            None => self.unclear("show or show N"),
        }
    }

    pub(super) fn set(&self) -> Line {
        let usage = "set key=value, for example set board=unicode";
        if self.rest.is_empty() {
            return self.missing(usage);
        }
        let tight = self.rest.replace(" =", "=").replace("= ", "=");
        let mut orders = Vec::new();
        for word in tight.split_whitespace() {
            match option(word) {
                Some((key, value)) => orders.push(Order::Set { key, value }),
                None => {
                    orders.clear();
                    break;
                }
            }
        }
        if orders.is_empty()
            && let [key, value] = tight.split_whitespace().collect::<Vec<_>>().as_slice()
            && let Some((key, value)) = option(&format!("{key}={value}"))
        {
            orders.push(Order::Set { key, value });
        }
        if orders.is_empty() {
            self.unclear(usage)
        } else {
            Line::Orders(orders)
        }
    }
}

/// The moves of one branch, `place amazon b2` and `A@b2` included; nothing yet where they follow on the next lines.
fn branch(created: bool, text: &str, line: &Words<'_>) -> Line {
    let text = text.trim();
    let good = text
        .split(';')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .all(|s| {
            is_moves(s)
                || is_placement(s)
                || matches!(s.to_ascii_lowercase().as_str(), "end" | "pass")
        });
    if good {
        Line::Branch(created, text.to_owned())
    } else {
        line.refused(BRANCHES)
    }
}

fn is_placement(text: &str) -> bool {
    let (word, rest) = first_word(text);
    ["place", "put"].contains(&word.as_str()) && rest.bytes().any(|b| b.is_ascii_digit())
}

/// 64 hex digits.
pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `accept your draw`, `accept nothing`: no word of these can have been meant for the dice.
fn is_no_invitation(low: &str) -> bool {
    const NOT: [&str; 8] = [
        "draw",
        "undo",
        "takeback",
        "resignation",
        "no",
        "not",
        "nothing",
        "never",
    ];
    low.split_whitespace().any(|w| NOT.contains(&w))
}

/// `42 some words`, `game #42 some words`: the number and the words.
fn numbered(rest: &str) -> Option<(u32, &str)> {
    let at = rest.find(|c: char| c.is_ascii_digit())?;
    let (front, digits) = rest.split_at(at);
    let end = digits.find([' ', ':', ','])?;
    let front = front.to_ascii_lowercase();
    let n = number(&format!("{front}{}", &digits[..end]))?;
    Some((n, digits[end..].trim_start_matches([':', ',', ' '])))
}

/// `42`, `#42`, `game 42`
fn number(low: &str) -> Option<u32> {
    let low = low.strip_prefix("game").unwrap_or(low).trim();
    let low = low.strip_prefix('#').unwrap_or(low);
    if low.is_empty() || !low.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    low.parse().ok()
}
