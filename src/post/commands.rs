//! One line, already folded to ASCII: the command it is, the slip it is, or prose.

use super::arguments::{Words, is_challenge, words};
use super::challenge::seek;
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
    /// `accept 42`, `accept 42 WORDS`: orders for one game.
    ForGame(u32, Vec<Order>),
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
    if matches!(plain, "end" | "pass") {
        return Line::Orders(vec![Order::End]);
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
pub(super) fn first_word(line: &str) -> (String, &str) {
    let end = line
        .find(|c: char| !(c.is_ascii_alphabetic() || c == '\''))
        .unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    (word.to_ascii_lowercase(), rest.trim())
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
        Line::ForGame(number, orders) => Line::ForGame(number, orders),
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
        "join" => Some(line.join()),
        "seed" => Some(line.seed()),
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
