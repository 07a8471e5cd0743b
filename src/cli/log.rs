//! `tulpa log [MATCH]`: what happened, in words, newest last. Face-down cards, stored orders and what players write to each
//! other are not told.

use std::io::Write;

use serde_json::json;

use super::look::{Look, seats, time};
use super::{Common, Done, Failure};
use crate::daemon::Trouble;
use crate::referee::Event;
use crate::referee::keeper::{Deed, KEEPER};
use crate::referee::seeds::SeedStep;
use crate::referee::state::{Holder, MatchNo, PlayerNo, Registry, Stage};
use crate::rules::Seat;
use crate::store::records::Shelved;
use crate::store::{Course, Glance};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Only this match
    #[arg(value_name = "MATCH")]
    game: Option<u32>,
    /// Only the last so many lines
    #[arg(short = 'n', long, value_name = "COUNT")]
    lines: Option<usize>,
}

struct Entry {
    seq: u64,
    at: jiff::Timestamp,
    game: Option<u32>,
    text: String,
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    let look = Look::open(common)?;
    if let Some(no) = a.game {
        look.game(no)?;
    }
    let records = look.records();
    let mut all: Vec<Entry> = Vec::new();
    Glance::replay(&look.config.state, |seq, payload| {
        let mut note = |game: Option<u32>, text: String| {
            if a.game.is_none() || a.game == game {
                all.push(Entry {
                    seq,
                    at: payload.at,
                    game,
                    text,
                });
            }
        };
        let word = match payload.outcome.as_str() {
            "rejected" => Some("a letter was refused"),
            "duplicate" => Some("a letter came again and changed nothing"),
            "machine" => Some("a machine's letter was not answered"),
            "struck" => Some("a letter tripped the program"),
            "quarantined" => Some("a letter was set aside in `quarantine`"),
            _ => None,
        };
        if let Some(word) = word {
            note(None, word.to_owned());
        }
        for value in &payload.events {
            if let Ok(event) = serde_json::from_value::<Event>(value.clone()) {
                note(event.game().map(|g| g.0), words(&records, &event));
            }
        }
        for mark in &payload.outbox {
            if let Course::Dead { .. } = mark.course {
                note(
                    None,
                    format!("mail {}.{} was given up", mark.id.seq, mark.id.nth),
                );
            }
        }
        Ok(())
    })
    .map_err(|e| Failure::from(Trouble::from(e)))?;
    let skip = a.lines.map_or(0, |n| all.len().saturating_sub(n));
    let shown = &all[skip..];
    if common.json {
        let list: Vec<_> = shown
            .iter()
            .map(|e| json!({"seq": e.seq, "at": e.at.to_string(), "match": e.game, "text": e.text}))
            .collect();
        writeln!(out, "{}", serde_json::Value::Array(list))?;
        return Ok(());
    }
    for e in shown {
        let game = match (e.game, a.game) {
            (Some(no), None) => format!("match {no}: "),
            _ => String::new(),
        };
        writeln!(out, "{}  {game}{}", time(e.at), e.text)?;
    }
    Ok(())
}

fn words(records: &Shelved, event: &Event) -> String {
    let name = |no: &PlayerNo| match records.player(*no) {
        _ if *no == KEEPER => "the Keeper".to_owned(),
        Some(p) => p.name.clone(),
        None => format!("player {}", no.0),
    };
    let seat = |game: &MatchNo, seat: &Seat| {
        records
            .game(*game)
            .and_then(|m| seats(records, &m).get(seat.at()).cloned())
            .unwrap_or_else(|| format!("seat {}", seat.0 + 1))
    };
    match event {
        Event::Met {
            player, confirmed, ..
        } => match confirmed {
            true => format!("{} wrote for the first time", name(player)),
            false => format!("{} was invited for the first time", name(player)),
        },
        Event::Confirmed { player } => format!("{} answered", name(player)),
        Event::Named { player, name } => format!("player {} is called {name}", player.0),
        Event::Blocked { player, whom, .. } => {
            format!("{} blocked {}", name(player), name(whom))
        }
        Event::Set { player, key, value } => format!("{} set {key}={value}", name(player)),
        Event::BookKept { id, .. } => format!("the rulebook `{id}` was kept"),
        Event::Proposed {
            id, players, open, ..
        } => {
            let names: Vec<String> = players.iter().map(name).collect();
            match open {
                true => format!("{} looks for somebody to play {id}", names.join(", ")),
                false => format!(
                    "{} proposed {id} to {}",
                    names.first().cloned().unwrap_or_default(),
                    names.get(1..).unwrap_or_default().join(", ")
                ),
            }
        }
        Event::Accepted { player, .. } => format!("{} accepted", name(player)),
        Event::Voided { by, .. } => format!("called off by {}", name(by)),
        Event::Begun { .. } => "began".to_owned(),
        Event::Sealed { game, seal } => {
            let (who, turn) = (seat(game, &seal.seat), seal.turn);
            match seal.by {
                Holder::Referee => format!("{who} laid a card face down for turn {turn}"),
                Holder::Player => format!("{who} committed to a card for turn {turn}"),
                Holder::Dice => format!("the dice laid down a card of {who} for turn {turn}"),
            }
        }
        Event::Unsealed {
            game,
            turn,
            seat: s,
            ..
        } => format!("{} opened the own card of turn {turn}", seat(game, s)),
        Event::Opened {
            game,
            turn,
            defaulted,
            ..
        } if !defaulted.is_empty() => {
            let who: Vec<String> = defaulted.iter().map(|s| seat(game, s)).collect();
            format!("{} lost the doubt in turn {turn}", who.join(" and "))
        }
        Event::Opened {
            game, turn, cards, ..
        } => {
            let hidden = records
                .game(*game)
                .is_some_and(|m| !m.reveal_both && m.stage == Stage::Playing);
            if hidden {
                return format!("the cards of turn {turn} were turned over");
            }
            let cards: Vec<String> = cards
                .iter()
                .map(|(s, card)| format!("{} {card}", seat(game, s)))
                .collect();
            format!("the cards of turn {turn}: {}", cards.join(", "))
        }
        Event::Planned { game, plan } => format!(
            "{} stored an order for turn {}",
            seat(game, &plan.seat),
            plan.turn
        ),
        Event::PlanGone {
            game,
            turn,
            seat: s,
        } => {
            format!(
                "the stored order of {} for turn {turn} is used up",
                seat(game, s)
            )
        }
        Event::Acted {
            game,
            seat: s,
            order,
            rolls,
            ..
        } => {
            let fell: Vec<String> = rolls.iter().map(ToString::to_string).collect();
            let fell = match fell.is_empty() {
                true => String::new(),
                false => format!("  (dice: {})", fell.join(" ")),
            };
            format!("{} played  {order}{fell}", seat(game, s))
        }
        Event::DrawOffered { game, seat: s } => format!("{} offered a draw", seat(game, s)),
        Event::DrawDeclined { game, seat: s } => format!("{} declined the draw", seat(game, s)),
        Event::DrawAgreed { game, seat: s } => format!("{} agreed to a draw", seat(game, s)),
        Event::Yielded { game, seat: s } => {
            format!("{} wants to resign; the partner is asked", seat(game, s))
        }
        Event::Behind { chair, since, .. } => match since {
            Some(_) => format!("the news of chair {} wait for the next mail", chair + 1),
            None => format!("chair {} has all the news", chair + 1),
        },
        Event::UndoAsked { game, seat: s } => format!("{} asked to take back", seat(game, s)),
        Event::UndoDeclined { game, seat: s } => {
            format!("{} declined to let it be taken back", seat(game, s))
        }
        Event::Undone { game, seat: s } => format!("{} took a turn back", seat(game, s)),
        Event::Noted { game, seat: s, .. } => format!("{} made a note", seat(game, s)),
        Event::Away {
            game,
            seat: s,
            from,
            to,
        } => format!("{} is away {} to {}", seat(game, s), time(*from), time(*to)),
        Event::Back { game, seat: s } => format!("{} is back", seat(game, s)),
        Event::Finished { game, ending } => {
            let who: Vec<String> = ending.winners.iter().map(|s| seat(game, s)).collect();
            match who.is_empty() {
                true => format!("ended, drawn: {}", ending.reason),
                false => format!("ended, won by {}: {}", who.join(" and "), ending.reason),
            }
        }
        Event::Said { game, seat: s, .. } => format!("{} wrote to the others", seat(game, s)),
        Event::Held { .. } => "a letter waits for its sender's confirmation".to_owned(),
        Event::EraseAsked { player } => {
            format!(
                "{} asks to be erased: `tulpa keep erase #{}`",
                name(player),
                player.0
            )
        }
        Event::Released { .. } => "a letter was confirmed".to_owned(),
        Event::Reminded {
            game,
            seat: s,
            stage: 3,
            open: true,
        } => format!("{} did not open the card in time", seat(game, s)),
        Event::Reminded { stage, .. } => match stage {
            1 => "half of the time is over".to_owned(),
            2 => "nine tenths of the time are over".to_owned(),
            _ => "the time is over".to_owned(),
        },
        Event::ClockMoved { seconds, .. } => {
            format!("the clocks were moved by {seconds} seconds; the referee was away")
        }
        Event::Founded { .. } => "its ledger was opened".to_owned(),
        Event::Gave { player, .. } => format!("{} gave a seed for the ledger", name(player)),
        Event::Replies { game, replies } => {
            let who = seat(game, &replies.seat);
            match replies.all.len() {
                0 => format!("the replies of {who} are gone"),
                n => format!("{who} stored {n} replies to the next turn"),
            }
        }
        Event::Watching { player, on, .. } => {
            format!(
                "{} {}",
                name(player),
                if *on {
                    "looks on"
                } else {
                    "looks on no longer"
                }
            )
        }
        Event::Seeds { step, .. } => match step {
            SeedStep::Committed { player, .. } => format!("{} sealed a seed", name(player)),
            SeedStep::Asked => "all are in; who has not is asked for a seed".to_owned(),
            SeedStep::Fixed => {
                "all seeds stand in the ledger; sealed ones are asked for".to_owned()
            }
            SeedStep::Opened { player, .. } => format!("{} opened the sealed seed", name(player)),
            SeedStep::Reminded => "who is awaited for a seed was reminded".to_owned(),
            SeedStep::Late { .. } => {
                "a sealed seed was not opened: it did not come about".to_owned()
            }
        },
        Event::Keeper { deed } => match deed {
            Deed::Held { why, .. } => format!("the Keeper put it on hold: {why}"),
            Deed::Resumed { .. } => "the Keeper let it go on".to_owned(),
            Deed::Extended { days, .. } => format!("the Keeper gave {days} days more"),
            Deed::Replaced { by, .. } => format!("the Keeper gave a seat to {}", name(by)),
            Deed::Resent { .. } => "the Keeper sent the board again".to_owned(),
            Deed::Banned { player, .. } => format!("the Keeper banned {}", name(player)),
            Deed::Unbanned { player } => format!("the Keeper unbanned {}", name(player)),
            Deed::Erased { player } => format!("the Keeper erased player {}", player.0),
        },
    }
}
