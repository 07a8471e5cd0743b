//! `new GAME [vs ADDRESS or NAME [and ...]] [as SEAT] [option=value ...]`, and the options of `seek`.

use std::collections::BTreeMap;

use super::letter::plain_address;
use crate::referee::order::{Order, Rival, Slip};

/// How `new` is written.
pub const NEW: &str = "new GAME vs ADDRESS or NAME and ... as SEAT option=value";
/// The most opponents one match can have.
const RIVALS_MAX: usize = 3;
/// The most options one order can have.
const OPTIONS_MAX: usize = 16;

/// Reads what follows `new`.
pub fn new_game(rest: &str) -> Result<Order, Slip> {
    let rest = without_mailto(rest);
    let unclear = |found: &str| Slip::Unclear {
        command: "new".to_owned(),
        found: found.to_owned(),
        usage: NEW.to_owned(),
    };
    let spaced = rest.replace(',', " and ");
    let mut words = spaced.split_whitespace().peekable();
    let mut game = None;
    for word in words.by_ref() {
        let lower = word.trim_end_matches(['.', ':']).to_ascii_lowercase();
        if !["a", "an", "game", "match", "of"].contains(&lower.as_str()) {
            game = Some(lower);
            break;
        }
    }
    let Some(game) = game.filter(|g| is_id(g) && !is_versus(g)) else {
        return Err(Slip::Missing {
            command: "new".to_owned(),
            usage: NEW.to_owned(),
        });
    };
    let mut rivals: Vec<Rival> = Vec::new();
    let mut seat = None;
    let mut options = BTreeMap::new();
    while let Some(word) = words.next() {
        let lower = word.to_ascii_lowercase();
        if let Some((key, value)) = option(word) {
            if options.len() >= OPTIONS_MAX || options.insert(key, value).is_some() {
                return Err(unclear(word));
            }
        } else if lower == "as" || lower == "playing" {
            let Some(name) = words.next() else {
                return Err(unclear(word));
            };
            if seat
                .replace(name.trim_end_matches('.').to_ascii_lowercase())
                .is_some()
            {
                return Err(unclear(name));
            }
            // `as green and blue vs ..`: an `and` before any opponent is named joins two seats
            let mut ahead = words.clone();
            if rivals.is_empty()
                && ahead
                    .next()
                    .is_some_and(|w| is_and(&w.to_ascii_lowercase()))
                && let Some(second) = ahead.next().filter(|w| !w.contains(['@', '=']))
                && let Some(seats) = &mut seat
            {
                seats.push_str(" and ");
                seats.push_str(&second.to_ascii_lowercase());
                words = ahead;
            }
        } else if is_versus(&lower) || (is_and(&lower) && !rivals.is_empty()) {
            let mut name = String::new();
            while let Some(next) = words.peek() {
                let low = next.to_ascii_lowercase();
                if is_and(&low)
                    || is_versus(&low)
                    || low == "as"
                    || low == "playing"
                    || option(next).is_some()
                {
                    break;
                }
                if !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(next);
                words.next();
            }
            if name.is_empty() && is_and(&lower) {
                continue; // `bob, and carol`
            }
            if rivals.len() >= RIVALS_MAX {
                return Err(unclear(&name));
            }
            rivals.push(
                rival(&name).ok_or_else(|| unclear(if name.is_empty() { word } else { &name }))?,
            );
        } else {
            return Err(unclear(word));
        }
    }
    Ok(Order::New {
        game,
        rivals,
        seat,
        options,
    })
}

/// Reads what follows `seek`.
pub fn seek(rest: &str) -> Result<Order, Slip> {
    let usage = "seek GAME option=value";
    let mut words = rest.split_whitespace();
    let game = words
        .next()
        .map(str::to_ascii_lowercase)
        .filter(|g| is_id(g))
        .ok_or_else(|| Slip::Missing {
            command: "seek".to_owned(),
            usage: usage.to_owned(),
        })?;
    let mut options = BTreeMap::new();
    for word in words {
        match option(word) {
            Some((key, value)) if options.len() < OPTIONS_MAX => {
                options.insert(key, value);
            }
            _ => {
                return Err(Slip::Unclear {
                    command: "seek".to_owned(),
                    found: word.to_owned(),
                    usage: usage.to_owned(),
                });
            }
        }
    }
    Ok(Order::Seek { game, options })
}

/// `key=value`, the key in lower case.
pub fn option(word: &str) -> Option<(String, String)> {
    let (key, value) = word.split_once('=')?;
    let value = value.trim_end_matches([';', ',']).trim_matches('"');
    let good = is_id(key) && !value.is_empty() && value.len() <= 200;
    good.then(|| (key.to_ascii_lowercase(), value.to_owned()))
}

fn is_id(word: &str) -> bool {
    word.len() <= 32
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

fn is_versus(lower: &str) -> bool {
    ["vs", "vs.", "versus", "against", "with", "v"].contains(&lower)
}

fn is_and(lower: &str) -> bool {
    ["and", "&", "+"].contains(&lower)
}

fn rival(name: &str) -> Option<Rival> {
    let name = name
        .trim_matches(['"', '\'', '<', '>'])
        .trim_end_matches(['.', ':']);
    let bare = match (name.find('<'), name.find('@')) {
        // `Bob <bob@example.org`: the bracket at the end is already gone
        (Some(lt), Some(_)) => name.get(lt + 1..).unwrap_or_default(),
        _ => name,
    };
    if bare.contains('@') {
        return plain_address(bare).map(Rival::Address);
    }
    // aliases as the referee gives them out (security.md 4)
    let good = (1..=24).contains(&bare.len())
        && bare
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b" _-.".contains(&b));
    good.then(|| Rival::Name(bare.to_owned()))
}

/// Outlook writes `bob@example.org<mailto:bob@example.org>`.
fn without_mailto(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<mailto:") {
        out.push_str(before);
        rest = after.split_once('>').map_or("", |(_, more)| more);
    }
    out.push_str(rest);
    out.replace("mailto:", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn challenges() {
        assert_eq!(
            new_game("tulpas vs Bob@Example.ORG as White array=A2 days=5+1"),
            Ok(Order::New {
                game: "tulpas".into(),
                rivals: vec![Rival::Address("Bob@example.org".into())],
                seat: Some("white".into()),
                options: opts(&[("array", "A2"), ("days", "5+1")]),
            })
        );
        assert_eq!(
            new_game("game of chaturaji with Bob Smith, carol and <d@x.org>"),
            Ok(Order::New {
                game: "chaturaji".into(),
                rivals: vec![
                    Rival::Name("Bob Smith".into()),
                    Rival::Name("carol".into()),
                    Rival::Address("d@x.org".into())
                ],
                seat: None,
                options: opts(&[]),
            })
        );
        for bad in [
            "",
            "vs bob",
            "tulpas bob",
            "tulpas vs",
            "tulpas vs a@b@c",
            "tulpas as",
            "tulpas a=1 a=2",
        ] {
            assert!(new_game(bad).is_err(), "{bad}");
        }
    }
}
