//! `tulpa export MATCH --as ...`: a match out of the store, in the forms that others read.

use std::fmt::Write as _;
use std::io::Write;

use super::look::{Look, player_at, seats, stage};
use super::{Common, Done, Failure};
use crate::daemon::Trouble;
use crate::post::board::{self, Drawing};
use crate::post::hypertext::escape;
use crate::post::letter;
use crate::referee::scribe;
use crate::referee::state::{Match, Registry, Stage};
use crate::rules::{Seat, Shelf, record};
use crate::store::Glance;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Number of the match
    #[arg(value_name = "MATCH")]
    game: u32,
    /// record: what `tulpa replay` reads; ledger: what `tulpa verify` reads; mails: all that was sent (mbox);
    /// page: boards turn by turn (HTML)
    #[arg(long = "as", value_name = "FORM", default_value = "record")]
    form: Form,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Record,
    Ledger,
    Mails,
    Page,
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    let look = match a.form {
        Form::Ledger => Look::signing(common)?,
        _ => Look::open(common)?,
    };
    let m = look.game(a.game)?;
    match a.form {
        Form::Record => out.write_all(record_of(&look, &m).as_bytes())?,
        Form::Ledger => out.write_all(ledger_of(&look, &m)?.as_bytes())?,
        Form::Mails => mails(&look, &m, common.quiet, out)?,
        Form::Page => out.write_all(page(&look, &m)?.as_bytes())?,
    }
    Ok(())
}

/// The record as everybody may have it: whole once the match is over, before that without what is hidden.
fn record_of(look: &Look, m: &Match) -> String {
    let whole = m.reveal_both || matches!(m.stage, Stage::Over | Stage::Void);
    let mut text = String::new();
    for line in look.records().lines(m.no) {
        let line = if whole { Some(line.full) } else { line.public };
        if let Some(line) = line {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

/// The signed ledger, which holds nothing that everybody may not see.
fn ledger_of(look: &Look, m: &Match) -> Result<String, Failure> {
    scribe::export(&look.records(), m.no).ok_or_else(|| {
        Failure::new(format!("match {} has no ledger", m.no))
            .hint("it was begun by a version of this program that kept none")
    })
}

/// Every mail of the match as it was sent, in mbox form (RFC 4155, `From ` lines quoted). A mail that tells a card which
/// still lies face down is left out: the Keeper does not see it either.
fn mails(look: &Look, m: &Match, quiet: bool, out: &mut dyn Write) -> Done {
    let lane = format!("{}/", m.no.0);
    let (mut left_out, mut gone) = (0, 0);
    let mut trouble = Ok(());
    Glance::replay(&look.config.state, |_, payload| {
        for mail in payload.mails.iter().filter(|x| x.seat.starts_with(&lane)) {
            if mail.bytes.0.is_empty() {
                gone += 1;
                continue;
            }
            if tells_secret(m, &mail.bytes.0) {
                left_out += 1;
                continue;
            }
            if trouble.is_ok() {
                let at = payload.at.strftime("%a %b %e %H:%M:%S %Y");
                trouble = writeln!(out, "From {} {at}", mail.envelope_from)
                    .and_then(|()| mbox(&mail.bytes.0, out));
            }
        }
        Ok(())
    })
    .map_err(|e| Failure::from(Trouble::from(e)))?;
    trouble?;
    if !quiet {
        tell("these mails hold the players' addresses and reply tokens: keep them to yourself");
        if left_out > 0 {
            tell(&format!(
                "left out: {left_out} with cards that still lie face down"
            ));
        }
        if gone > 0 {
            tell(&format!("left out: {gone} of an erased player"));
        }
    }
    Ok(())
}

fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "note: {text}");
}

fn tells_secret(m: &Match, raw: &[u8]) -> bool {
    if m.sealed.is_empty() {
        return false;
    }
    let text = match letter::open(raw, &letter::Limits::default()) {
        Ok(letter) => letter.text,
        // what cannot be read cannot be judged
        Err(_) => return true,
    };
    let text: String = text.split_whitespace().collect();
    let mut known = m.sealed.iter().filter(|s| s.known());
    known.any(|s| text.contains(&s.nonce.0))
}

fn mbox(raw: &[u8], out: &mut dyn Write) -> std::io::Result<()> {
    for line in raw.split_inclusive(|b| *b == b'\n') {
        let bare = line.strip_suffix(b"\r\n").or(line.strip_suffix(b"\n"));
        let quoted = line.iter().position(|b| *b != b'>').unwrap_or(0);
        if line[quoted..].starts_with(b"From ") {
            out.write_all(b">")?;
        }
        out.write_all(bare.unwrap_or(line))?;
        out.write_all(b"\n")?;
    }
    out.write_all(b"\n")
}

/// One file with everything in it: no script, no picture from elsewhere.
fn page(look: &Look, m: &Match) -> Result<String, Failure> {
    let records = look.records();
    let text = record_of(look, m);
    let book = records
        .book(&m.book)
        .ok_or_else(|| Failure::new("the rulebook of this match is not kept"))?;
    // the book it was begun with, whatever is on the shelf today
    let mut shelf = Shelf::default();
    shelf
        .add_text(&book.id, &book.text)
        .map_err(|e| Failure::new(e.to_string()))?;
    if text.is_empty() {
        return Err(Failure::new(format!("match {} has not begun", m.no)));
    }
    let names = seats(&records, m);
    let people: Vec<String> = (0..m.seats.len())
        .filter_map(|i| {
            let seat = Seat(u8::try_from(i).ok()?);
            Some(format!(
                "{} {}",
                names.get(i)?,
                player_at(&records, m, seat)?
            ))
        })
        .collect();
    let title = format!("{}, match {}", book.title, m.no);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>\
         body{{font-family:sans-serif;max-width:60em;margin:1em auto;padding:0 1em}}\
         svg{{max-width:100%;height:auto}}h2{{font-size:1em;font-weight:normal}}code{{font-size:1.1em}}\
         </style></head>\n<body>\n<h1>{0}</h1>\n<p>{1}</p>\n<p>{2}</p>\n",
        escape(&title),
        escape(&people.join(" \u{2013} ")),
        escape(stage(m)),
    );
    let lines: Vec<&str> = text.lines().collect();
    let mut last: Option<crate::rules::View> = None;
    let done = record::positions(&shelf, &text, |no, table| {
        let words = lines
            .get(no - 1)
            .map(|l| told(l, &names))
            .unwrap_or_default();
        let view = table.view(None);
        let _ = writeln!(
            html,
            "<h2><b>{}</b> {}</h2>",
            no - 1,
            escape(&words)
                .replace('\u{1}', "<code>")
                .replace('\u{2}', "</code>")
        );
        // a board only where it changed
        if last.as_ref().is_none_or(|v| v.cells != view.cells) {
            let drawing = Drawing {
                view: &view,
                eyes: None,
                seats: &table.kit().seat_names,
            };
            html.push_str(&board::draw_svg(&drawing));
        }
        last = Some(view);
    });
    if let Err(e) = done {
        let hint = match m.reveal_both {
            true => "`tulpa rebuild` makes the record again",
            false => "the cards of this match stay hidden until it is over",
        };
        return Err(Failure::new(format!("the record does not replay: {e}")).hint(hint));
    }
    html.push_str("</body></html>\n");
    Ok(html)
}

/// A record line in words; moves stand between the marks U+0001 and U+0002.
fn told(line: &str, names: &[String]) -> String {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(line) else {
        return String::new();
    };
    let text = |key: &str| json.get(key).and_then(|v| v.as_str()).unwrap_or_default();
    let list = |key: &str| -> String {
        let all = json.get(key).and_then(|v| v.as_array());
        let all: Vec<&str> = all
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_str())
            .collect();
        all.join("; ")
    };
    let seat = text("seat");
    let has = |key: &str| json.get(key).is_some();
    if has("game") {
        "the start".to_owned()
    } else if has("steps") {
        format!("{seat}: \u{1}{}\u{2}", list("steps"))
    } else if has("cards") {
        let cards: Vec<String> = json
            .get("cards")
            .and_then(|v| v.as_array())
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_str())
            .zip(names)
            .map(|(card, name)| format!("{name} {card}"))
            .collect();
        format!("cards of {seat}'s turn: {}", cards.join(", "))
    } else if has("place") {
        format!("{seat} places \u{1}{}\u{2}", text("place"))
    } else if let Some(roll) = json.get("roll") {
        format!(
            "{seat} rolls {}",
            roll.to_string().replace(['"', '{', '}'], "")
        )
    } else if has("pass") {
        format!("{seat} is passed over")
    } else if has("start") {
        format!("{seat} begins")
    } else if has("exchange") {
        format!("{seat} exchanges: {}", text("exchange"))
    } else if let Some(outcome) = json.get("outcome") {
        let reason = outcome.get("reason").and_then(|v| v.as_str());
        let winners: Vec<&str> = outcome
            .get("winner")
            .and_then(|v| v.as_array())
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_str())
            .collect();
        let who = match winners.is_empty() {
            true => "drawn".to_owned(),
            false => format!("won by {}", winners.join(" and ")),
        };
        format!("{who}: {}", reason.unwrap_or_default())
    } else {
        String::new()
    }
}
