//! `tulpa matches`, `tulpa players`, `tulpa show MATCH`: what is going on, for the Keeper. No sealed card, no stored order
//! and no token is ever shown, and addresses only in the list of players.

use std::io::Write;

use serde_json::json;

use super::look::{Look, player_at, seats, stage, time};
use super::{Common, Done};
use crate::post::board::{self, BoardStyle, Drawing};
use crate::referee::notice::owed_word;
use crate::referee::state::{MatchNo, PlayerNo, Registry, Stage};
use crate::rules::Seat;

pub fn matches(common: &Common, out: &mut dyn Write) -> Done {
    let look = Look::open(common)?;
    let records = look.records();
    let mut all = Vec::new();
    for no in 1..=records.counters().matches {
        let Some(m) = records.game(MatchNo(no)) else {
            continue;
        };
        let names: Vec<String> = m
            .chairs
            .iter()
            .filter_map(|c| records.player(c.player).map(|p| p.name.clone()))
            .collect();
        let deadline = m.deadline();
        if common.json {
            all.push(json!({
                "match": no, "game": m.game, "stage": stage(&m), "players": names,
                "turn": m.turn(), "deadline": deadline.map(|t| t.to_string()),
            }));
        } else {
            let until = deadline.map(|t| format!("  until {}", time(t)));
            writeln!(
                out,
                "{no:5}  {:14} {:9} turn {:4}  {}{}",
                m.game,
                stage(&m),
                m.turn(),
                names.join(", "),
                until.unwrap_or_default(),
            )?;
        }
    }
    if common.json {
        writeln!(out, "{}", serde_json::Value::Array(all))?;
    }
    Ok(())
}

pub fn players(common: &Common, out: &mut dyn Write) -> Done {
    let look = Look::open(common)?;
    let records = look.records();
    let mut all = Vec::new();
    for no in 1..=records.counters().players {
        let Some(p) = records.player(PlayerNo(no)) else {
            continue;
        };
        if common.json {
            all.push(json!({
                "player": no, "name": p.name, "address": p.address, "confirmed": p.confirmed,
                "banned": p.banned.is_some(), "playing": p.playing.len(), "over": p.over.len(),
            }));
        } else {
            let marks = [
                (!p.confirmed && !p.silent, "  never wrote"),
                (p.silent, "  wants no mail"),
                (p.banned.is_some(), "  banned"),
            ];
            let marks: String = marks.iter().filter(|m| m.0).map(|m| m.1).collect();
            writeln!(
                out,
                "{no:5}  {:24} {:32} {} playing{marks}",
                p.name,
                p.address,
                p.playing.len()
            )?;
        }
    }
    if common.json {
        writeln!(out, "{}", serde_json::Value::Array(all))?;
    }
    Ok(())
}

pub fn show(common: &Common, no: u32, out: &mut dyn Write) -> Done {
    let look = Look::open(common)?;
    let records = look.records();
    let m = look.game(no)?;
    let names = seats(&records, &m);
    let awaited = m.awaited();
    let book = records.book(&m.book);
    let title = book.as_ref().map_or(&m.game, |b| &b.title);
    let people: Vec<(Option<String>, String, Option<&str>)> = if m.seats.is_empty() {
        m.chairs
            .iter()
            .map(|c| {
                let name = records.player(c.player).map(|p| p.name.clone());
                let wishes: Vec<&str> = c
                    .wishes
                    .iter()
                    .filter_map(|s| names.get(s.at()).map(String::as_str))
                    .collect();
                let seat = (!wishes.is_empty()).then(|| wishes.join(" and "));
                let state = (!c.accepted).then_some("has not answered");
                (seat, name.unwrap_or_default(), state)
            })
            .collect()
    } else {
        (0..m.seats.len())
            .filter_map(|i| {
                let seat = Seat(u8::try_from(i).ok()?);
                let owed = awaited
                    .iter()
                    .find(|(s, _)| *s == seat)
                    .map(|(_, w)| match *w {
                        crate::rules::What::Pick => "card",
                        what => owed_word(what, true),
                    })
                    .or(m.must_open(seat).then_some("open"));
                let name = player_at(&records, &m, seat).unwrap_or_default();
                Some((names.get(i).cloned(), name, owed))
            })
            .collect()
    };
    if common.json {
        let people: Vec<_> = people
            .iter()
            .map(|(seat, name, owes)| json!({"seat": seat, "name": name, "owes": owes}))
            .collect();
        let text = json!({
            "match": no, "game": m.game, "id": m.gid, "stage": stage(&m), "turn": m.turn(),
            "options": m.options, "days": m.clock.days, "players": people,
            "deadline": m.deadline().map(|t| t.to_string()),
            "hold": m.hold.as_ref().map(|h| &h.why),
            "ending": m.ending.as_ref().map(|e| json!({
                "winner": e.winners.iter().map(|s| names.get(s.at())).collect::<Vec<_>>(), "reason": e.reason,
            })),
        });
        writeln!(out, "{text}")?;
        return Ok(());
    }
    writeln!(out, "match {no}  {title}  ({})", m.gid)?;
    let options: Vec<String> = m.options.iter().map(|(k, v)| format!("{k}={v}")).collect();
    if !options.is_empty() {
        writeln!(out, "options   {}", options.join(" "))?;
    }
    match (&m.hold, m.stage) {
        (Some(hold), Stage::Playing) => writeln!(
            out,
            "stage     on hold since {}: {}",
            time(hold.since),
            hold.why
        )?,
        (_, Stage::Playing) => writeln!(out, "stage     playing, turn {}", m.turn())?,
        _ => writeln!(out, "stage     {}", stage(&m))?,
    }
    let wide = people
        .iter()
        .filter_map(|p| p.0.as_ref().map(String::len))
        .max()
        .unwrap_or(0)
        .max(8);
    for (seat, name, owes) in &people {
        let owes = match owes {
            Some("has not answered") => "  has not answered".to_owned(),
            Some(what) => format!("  owes: {what}"),
            None => String::new(),
        };
        let seat = seat.as_deref().unwrap_or("-");
        writeln!(out, "{seat:wide$}  {name}{owes}")?;
    }
    if m.stage == Stage::Playing && m.hold.is_none() {
        match m.deadline() {
            Some(at) => {
                let late = if at <= look.clock.now() {
                    "  (over)"
                } else {
                    ""
                };
                writeln!(out, "deadline  {} UTC{late}", time(at))?;
            }
            None => writeln!(out, "deadline  none")?,
        }
    }
    if let Some(ending) = &m.ending {
        let winners: Vec<String> = ending
            .winners
            .iter()
            .filter_map(|s| player_at(&records, &m, *s))
            .collect();
        let how = match winners.is_empty() {
            true => "drawn".to_owned(),
            false => format!("won by {}", winners.join(" and ")),
        };
        writeln!(out, "ending    {how}: {}", ending.reason)?;
    }
    if let Some(table) = &m.table {
        let view = table.view(None);
        let drawing = Drawing {
            view: &view,
            eyes: None,
            seats: &table.kit().seat_names,
        };
        writeln!(
            out,
            "\n{}",
            board::draw(&drawing, BoardStyle::Plain).trim_end()
        )?;
        let notes = board::notes(&view, &table.kit().seat_names);
        if !notes.trim().is_empty() {
            writeln!(out, "\n{}", notes.trim_end())?;
        }
    }
    Ok(())
}
