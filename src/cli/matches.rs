//! `tulpa matches` and `tulpa players`: what is going on, for the Keeper. Addresses only of whom he asks for.

use std::io::Write;

use super::run::open;
use super::{Common, Done};
use crate::daemon::Daemon;
use crate::referee::state::{MatchNo, PlayerNo, Registry};
use crate::store::Opening;

pub fn matches(common: &Common, out: &mut dyn Write) -> Done {
    let (config, clock) = open(common)?;
    let daemon = Daemon::open(&config, clock, Opening::Quick)?;
    let records = daemon.records();
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
        if common.json {
            all.push(serde_json::json!({
                "match": no, "game": m.game, "stage": format!("{:?}", m.stage).to_lowercase(),
                "players": names, "turn": m.turn(),
            }));
        } else {
            let stage = format!("{:?}", m.stage).to_lowercase();
            writeln!(
                out,
                "{no:5}  {:14} {stage:9} turn {:4}  {}",
                m.game,
                m.turn(),
                names.join(", ")
            )?;
        }
    }
    if common.json {
        writeln!(out, "{}", serde_json::Value::Array(all))?;
    }
    Ok(())
}

pub fn players(common: &Common, out: &mut dyn Write) -> Done {
    let (config, clock) = open(common)?;
    let daemon = Daemon::open(&config, clock, Opening::Quick)?;
    let records = daemon.records();
    let mut all = Vec::new();
    for no in 1..=records.counters().players {
        let Some(p) = records.player(PlayerNo(no)) else {
            continue;
        };
        if common.json {
            all.push(serde_json::json!({
                "player": no, "name": p.name, "address": p.address, "confirmed": p.confirmed,
                "playing": p.playing.len(), "over": p.over.len(),
            }));
        } else {
            writeln!(
                out,
                "{no:5}  {:24} {:32} {} playing",
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
