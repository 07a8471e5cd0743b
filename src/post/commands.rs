//! One line, already folded to ASCII: the command it is, the slip it is, or prose.

use super::challenge::{new_game, option, seek};
use super::near;
use super::orders::is_moves;
use crate::referee::order::{Order, Slip};

/// What one line is.
#[derive(Debug)]
pub enum Line {
    /// Nothing for the referee.
    Prose,
    /// `--`, `quit`, `stop`, `thanks`: reading ends.
    Stop,
    /// `game 42`, and what stands behind it on the same line.
    Game(u32, String),
    /// `accept 42`: one order for one game.
    ForGame(u32, Order),
    /// `message ...`, `note ...`: takes the rest of the paragraph.
    Text(fn(String) -> Order, String),
    /// `if created: ...` (true) or `else: ...` (false).
    Branch(bool, String),
    /// One order, or several joined by `;`.
    Orders(Vec<Order>),
    /// Must be refused with the whole letter.
    Slip(Slip),
}

/// Lines with more words than this that begin with an everyday word (`show`, `name`, `new`) are prose.
const CHATTY_WORDS_MAX: usize = 4;
/// How the branches of a summoning are written.
const BRANCHES: &str = "if created: PLACEMENT; MOVES, else: MOVES";

/// Reads one line.
pub fn line_order(line: &str) -> Line {
    let line = undecorated(line);
    let lower = line.to_ascii_lowercase();
    let plain = lower.trim_end_matches(['.', '!', ',', ' ']);
    if matches!(
        plain,
        "--" | "quit" | "stop" | "thanks" | "thx" | "thank you" | "many thanks" | "thanks a lot"
    ) {
        return Line::Stop;
    }
    if let Some(heading) = game_heading(line) {
        return heading;
    }
    let (word, rest) = first_word(line);
    let plain_place = matches!(word.as_str(), "place" | "put") && !line.contains(';');
    if is_moves(line) && !plain_place && word != "preview" {
        return Line::Orders(vec![Order::Play(without_move(line).to_owned())]);
    }
    if let Some(orders) = several(line, &word) {
        return Line::Orders(orders);
    }
    if word == "please" && !rest.is_empty() {
        return match line_order(rest) {
            Line::Slip(_) if words(rest) > CHATTY_WORDS_MAX => Line::Prose,
            other => other,
        };
    }
    if ["i", "we", "i'll", "ill"].contains(&word.as_str()) {
        return spoken(rest);
    }
    match command(&word, rest, line) {
        Some(line) => line,
        None => {
            let bare_greeting = words(line) == 1 && line.ends_with(',');
            match near::meant(&word, !rest.is_empty(), words(line)) {
                Some(meant) if !bare_greeting => Line::Slip(Slip::NearMiss {
                    word,
                    meant: meant.to_owned(),
                }),
                _ => Line::Prose,
            }
        }
    }
}

/// Bold marks of HTML letters, backticks, quotes, a bullet.
fn undecorated(line: &str) -> &str {
    let mut line = line.trim();
    for mark in ['*', '`', '"', '\'', '_'] {
        if let Some(inner) = line
            .strip_prefix(mark)
            .and_then(|l| l.strip_suffix(mark))
            .filter(|l| !l.contains(mark))
        {
            line = inner.trim();
        }
    }
    for bullet in ["- ", "* ", "+ "] {
        line = line.strip_prefix(bullet).unwrap_or(line).trim();
    }
    line
}

/// The first word in lower case and what follows it, a colon between them left out.
fn first_word(line: &str) -> (String, &str) {
    let end = line
        .find(|c: char| !(c.is_ascii_alphabetic() || c == '\''))
        .unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    (word.to_ascii_lowercase(), rest.trim())
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// `game 42`, `match #42:`, `#42`, alone or with an order behind it.
fn game_heading(line: &str) -> Option<Line> {
    let lower = line.to_ascii_lowercase();
    let rest = ["game", "match"]
        .iter()
        .find_map(|w| lower.strip_prefix(w))
        .filter(|r| r.starts_with([' ', '#']))
        .or_else(|| lower.starts_with('#').then_some(lower.as_str()))?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("no.").unwrap_or(rest).trim_start();
    let rest = rest.strip_prefix('#').unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits)?.parse().ok()?;
    let after = rest.get(digits..)?;
    if !after.is_empty() && !after.starts_with([':', ' ', '.', ',', ';']) {
        return None;
    }
    let kept = line.get(line.len() - after.len()..)?;
    let kept = kept.trim_start_matches([':', '.', ',', ';', ' ']).trim();
    Some(Line::Game(number, kept.to_owned()))
}

/// `move e2-e4` is `e2-e4`.
fn without_move(line: &str) -> &str {
    let (word, rest) = first_word(line);
    if ["move", "moves", "play"].contains(&word.as_str()) && is_moves(rest) {
        rest
    } else {
        line
    }
}

/// `pick amazon; guess ox`, `pick amazon; Nc1-d3`: every piece must be an order of its own.
fn several(line: &str, word: &str) -> Option<Vec<Order>> {
    if !line.contains(';')
        || [
            "if",
            "else",
            "otherwise",
            "message",
            "msg",
            "note",
            "preview",
        ]
        .contains(&word)
    {
        return None;
    }
    let mut orders = Vec::new();
    for piece in line.split(';').map(str::trim).filter(|p| !p.is_empty()) {
        match line_order(piece) {
            Line::Orders(found) => orders.extend(found),
            _ => return None,
        }
    }
    (!orders.is_empty()).then_some(orders)
}

/// `I resign`, `I accept the draw`: only what cannot be small talk.
fn spoken(rest: &str) -> Line {
    let (word, _) = first_word(rest);
    let meant = [
        "resign", "accept", "decline", "offer", "claim", "give", "pass", "pick",
    ];
    if words(rest) > CHATTY_WORDS_MAX || !meant.contains(&word.as_str()) {
        return Line::Prose;
    }
    match line_order(rest) {
        Line::Orders(orders) => Line::Orders(orders),
        Line::ForGame(number, order) => Line::ForGame(number, order),
        _ => Line::Prose,
    }
}

fn one(order: Order) -> Option<Line> {
    Some(Line::Orders(vec![order]))
}

/// The commands by their first word and its synonyms; `None` where it is no command word.
fn command(word: &str, rest: &str, line: &str) -> Option<Line> {
    let args = rest.trim_end_matches(['.', '!', ',', ';', ' ']);
    let low = args.to_ascii_lowercase();
    let low = without_articles(&low);
    let line = Words {
        word,
        rest: args,
        low: &low,
        chatty: words(line) > CHATTY_WORDS_MAX,
    };
    match word {
        "pick" | "picks" | "guess" | "guesses" => Some(line.card()),
        "place" | "put" => Some(line.place()),
        "if" => Some(line.branch_or_plan()),
        "else" | "otherwise" => Some(line.otherwise(rest)),
        "move" | "moves" | "play" | "preview" => Some(line.moves()),
        "message" | "msg" => Some(Line::Text(Order::Message, rest.to_owned())),
        "note" => Some(Line::Text(Order::Note, rest.to_owned())),
        "new" | "challenge" => Some(line.challenge()),
        "start" if is_challenge(&low) => Some(line.challenge()),
        "seek" => Some(line.result(seek(args))),
        "accept" | "accepts" | "accepted" | "decline" | "declines" | "declined" | "reject"
        | "refuse" | "cancel" | "resign" | "resigns" | "surrender" => Some(line.answer()),
        "give" => (low == "up" || low == "up game").then(|| Line::Orders(vec![Order::Resign])),
        "offer" | "offers" | "draw" | "claim" | "claims" | "undo" | "takeback" => Some(line.draw()),
        "end" | "pass" => match low.as_str() {
            "" | "turn" | "my turn" => one(Order::End),
            _ => Some(line.unclear("end")),
        },
        "start" => Some(line.needed("start SEAT", 2, Order::Start)),
        "exchange" => match low.as_str() {
            "first" | "second" | "no" => one(Order::Exchange(low)),
            "" => Some(line.missing("exchange first, exchange second or exchange no")),
            _ => Some(line.refused("exchange first, exchange second or exchange no")),
        },
        "turn" => Some(line.turn()),
        "show" | "board" | "position" => Some(line.show()),
        "join" => Some(line.number("join N", Order::Join)),
        "watch" => Some(line.number("watch N", Order::Watch)),
        "unwatch" => Some(line.number("unwatch N", Order::Unwatch)),
        "set" => Some(line.set()),
        "erase" if low == "me" => one(Order::Erase),
        "erase" => Some(line.refused("erase me")),
        "my" if low == "games" => one(Order::Status),
        "help" | "commands" | "info" => Some(line.optional("help TOPIC", 2, Order::Help)),
        "rules" => Some(line.optional("rules GAME", 1, |a| Order::Rules(a.unwrap_or_default()))),
        "notation" => Some(line.optional("notation GAME", 1, |a| {
            Order::Notation(a.unwrap_or_default())
        })),
        "standings" => Some(line.optional("standings GAME", 1, Order::Standings)),
        "block" => Some(line.optional("block NAME", 3, |a| Order::Block(a.unwrap_or_default()))),
        "name" => Some(line.needed("name NAME", 4, Order::Name)),
        "away" => Some(line.needed("away DATE to DATE", 8, Order::Away)),
        "delegate" => Some(line.needed("delegate to NAME", 4, |a| {
            Order::Delegate(a.strip_prefix("to ").map(str::to_owned).unwrap_or(a))
        })),
        "confirm" => {
            Some(line.optional("confirm CODE", 1, |a| Order::Confirm(a.unwrap_or_default())))
        }
        _ => line.alone(match word {
            "games" => Order::Games,
            "seeks" => Order::Seeks,
            "plans" => Order::Plans,
            "forget" => Order::Forget,
            "history" => Order::History,
            "export" => Order::Export,
            "clock" | "clocks" => Order::Clock,
            "status" => Order::Status,
            "back" => Order::Back,
            "unsubscribe" => Order::Unsubscribe,
            _ => return None,
        }),
    }
}

fn without_articles(low: &str) -> String {
    low.split_whitespace()
        .filter(|w| !["the", "a", "an", "please", "now"].contains(w))
        .collect::<Vec<_>>()
        .join(" ")
}

fn is_challenge(low: &str) -> bool {
    low.split_whitespace()
        .any(|w| ["vs", "vs.", "versus", "against", "with"].contains(&w) || w.contains('='))
}

/// A line taken apart at its first word.
struct Words<'a> {
    word: &'a str,
    /// what follows, its last stop or exclamation mark left out
    rest: &'a str,
    /// the same in lower case without articles
    low: &'a str,
    /// too long for a command that is also an everyday word
    chatty: bool,
}

impl Words<'_> {
    fn missing(&self, usage: &str) -> Line {
        Line::Slip(Slip::Missing {
            command: self.word.to_owned(),
            usage: usage.to_owned(),
        })
    }

    /// A slip, however long the line is.
    fn refused(&self, usage: &str) -> Line {
        Line::Slip(Slip::Unclear {
            command: self.word.to_owned(),
            found: self.rest.to_owned(),
            usage: usage.to_owned(),
        })
    }

    /// A slip in a short line, prose in a long one.
    fn unclear(&self, usage: &str) -> Line {
        if self.chatty {
            Line::Prose
        } else {
            self.refused(usage)
        }
    }

    fn result(&self, order: Result<Order, Slip>) -> Line {
        match order {
            Ok(order) => Line::Orders(vec![order]),
            Err(_) if self.chatty && !is_challenge(self.low) => Line::Prose,
            Err(slip) => Line::Slip(slip),
        }
    }

    fn alone(&self, order: Order) -> Option<Line> {
        Some(match self.low {
            "" | "?" => Line::Orders(vec![order]),
            _ => match number(self.low) {
                Some(game) => Line::ForGame(game, order),
                None => self.unclear(self.word),
            },
        })
    }

    fn optional(&self, usage: &str, most: usize, make: impl Fn(Option<String>) -> Order) -> Line {
        let low = self.low.strip_prefix("of ").unwrap_or(self.low);
        match words(low) {
            0 => Line::Orders(vec![make(None)]),
            n if n <= most => Line::Orders(vec![make(Some(low.trim_end_matches('?').to_owned()))]),
            _ => self.unclear(usage),
        }
    }

    fn needed(&self, usage: &str, most: usize, make: impl Fn(String) -> Order) -> Line {
        match words(self.rest) {
            0 => self.missing(usage),
            n if n <= most => Line::Orders(vec![make(self.rest.to_owned())]),
            _ => self.unclear(usage),
        }
    }

    fn number(&self, usage: &str, make: impl Fn(u32) -> Order) -> Line {
        match number(self.low) {
            Some(n) => Line::Orders(vec![make(n)]),
            None if self.low.is_empty() => self.missing(usage),
            None => self.unclear(usage),
        }
    }

    fn card(&self) -> Line {
        let pick = self.word.starts_with("pick");
        let make = |pick: bool, card: &str| {
            let card = card.trim_start_matches("card ").trim().to_owned();
            if pick {
                Order::Pick(card)
            } else {
                Order::Guess(card)
            }
        };
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

    fn place(&self) -> Line {
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

    fn moves(&self) -> Line {
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

    fn branch_or_plan(&self) -> Line {
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

    fn otherwise(&self, rest: &str) -> Line {
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

    fn challenge(&self) -> Line {
        self.result(new_game(self.rest))
    }

    /// accept, decline, cancel, resign: of a game, an invitation, a draw, an undo.
    fn answer(&self) -> Line {
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
                Some(game) if !asked => Line::ForGame(game, order),
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

    fn draw(&self) -> Line {
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
    fn turn(&self) -> Line {
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

    fn show(&self) -> Line {
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

    fn set(&self) -> Line {
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

/// `42`, `#42`, `game 42`
fn number(low: &str) -> Option<u32> {
    let low = low.strip_prefix("game").unwrap_or(low).trim();
    let low = low.strip_prefix('#').unwrap_or(low);
    if low.is_empty() || !low.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    low.parse().ok()
}
