//! The auditor: reads the journal byte by byte and the mails as the mail server took them, by its own means, and says
//! which promise is broken. It shares no code with what it audits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::world::{ALICE, Author, BOB, EVE, World, header, hex};

/// Records of a segment: from where to where.
pub fn places(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 29 <= bytes.len() {
        let len = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let end = at + 29 + len;
        if len == 0 || end > bytes.len() {
            break;
        }
        found.push((at, end));
        at = end;
    }
    found
}

struct Record {
    seq: u64,
    payload: Json,
}

/// All payloads in order; the chain of checks must hold.
fn journal(state: &Path) -> Result<Vec<Record>, String> {
    let mut out = Vec::new();
    let mut next = 1;
    for segment in 1.. {
        let Ok(bytes) = std::fs::read(state.join(format!("journal.{segment:06}"))) else {
            break;
        };
        let mut before = [0u8; 16];
        for (n, (from, to)) in places(&bytes).into_iter().enumerate() {
            let record = &bytes[from..to];
            let (body, check) = record.split_at(record.len() - 16);
            let mut hash = Sha256::new();
            hash.update(before);
            hash.update(body);
            if hash.finalize()[..16] != *check {
                return Err(format!(
                    "I3 the chain of segment {segment} breaks at byte {from}"
                ));
            }
            before.copy_from_slice(check);
            if n == 0 {
                continue;
            }
            let seq = u64::from_be_bytes(body[5..13].try_into().unwrap());
            if seq != next {
                return Err(format!("I3 transaction {seq} follows {}", next - 1));
            }
            next += 1;
            let json: Json = serde_json::from_slice(&body[13..]).map_err(|e| e.to_string())?;
            match json {
                Json::Array(many) => {
                    out.extend(many.into_iter().map(|payload| Record { seq, payload }))
                }
                payload => out.push(Record { seq, payload }),
            }
        }
    }
    Ok(out)
}

fn list<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_default()
}

/// A mail as its reader sees it: headers and all parts decoded, by mailparse.
fn seen(bytes: &[u8]) -> String {
    fn parts(mail: &mailparse::ParsedMail, out: &mut String) {
        if let Ok(body) = mail.get_body() {
            out.push_str(&body);
        }
        mail.subparts.iter().for_each(|p| parts(p, out));
    }
    let mut out = String::from_utf8_lossy(bytes).into_owned();
    if let Ok(mail) = mailparse::parse_mail(bytes) {
        for h in &mail.headers {
            out.push_str(&h.get_value());
            out.push('\n');
        }
        parts(&mail, &mut out);
    }
    out
}

/// The journal in short, for whoever looks into one seed.
pub fn told(world: &World) -> String {
    let records = journal(&world.dir.path().join("state")).unwrap_or_default();
    let mut out = String::new();
    for record in &records {
        let p = &record.payload;
        let events: Vec<&str> = list(p, "events").iter().map(|e| text(e, "event")).collect();
        let mails: Vec<String> = list(p, "mails")
            .iter()
            .map(|m| format!("{} to {}", text(m, "kind"), text(m, "to")))
            .collect();
        let letter = list(p, "keys")
            .iter()
            .find_map(|k| world.letters.get(k.as_str()?.strip_prefix("2|")?));
        if !["sending", "sent"].contains(&text(p, "outcome")) {
            out.push_str(&format!(
                "{} {} {}: {events:?} {mails:?} {:?}\n",
                record.seq,
                text(p, "at"),
                text(p, "outcome"),
                letter.map(|l| (l.original, &l.author, &l.body))
            ));
        }
    }
    out
}

/// Everything that is broken in this world; nothing when all promises were kept.
pub fn audit(world: &mut World) -> Vec<String> {
    let state = world.dir.path().join("state");
    let mut wrong = Vec::new();
    match journal(&state) {
        Err(e) => wrong.push(e),
        Ok(records) => {
            letters(world, &records, &mut wrong);
            matches(world, &records, &mut wrong);
            mails(world, &records, &mut wrong);
            secrets(world, &records, &mut wrong);
        }
    }
    let (kept, made) = world.both_records();
    if kept != made {
        wrong.push("I3 the records differ from what the journal gives".into());
    }
    if !world.over {
        wrong.push("I13 the match did not come to an end".into());
    }
    wrong
}

/// I1, I2, I10, I11: what became of each letter.
fn letters(world: &World, records: &[Record], wrong: &mut Vec<String>) {
    let mut fates: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        for key in list(&record.payload, "keys") {
            if let Some(digest) = key.as_str().and_then(|k| k.strip_prefix("2|")) {
                fates.entry(digest).or_default().push(record);
            }
        }
    }
    let outside = world.outside.borrow();
    let mut changed: BTreeMap<usize, u32> = BTreeMap::new();
    let mut answered: BTreeMap<usize, usize> = BTreeMap::new();
    for (digest, letter) in &world.letters {
        let none = Vec::new();
        let all = fates.get(digest.as_str()).unwrap_or(&none);
        let final_ones: Vec<&&Record> = all
            .iter()
            .filter(|r| !["duplicate", "struck"].contains(&text(&r.payload, "outcome")))
            .collect();
        let doubles = all
            .iter()
            .filter(|r| text(&r.payload, "outcome") == "duplicate")
            .count();
        if letter.arrives && final_ones.is_empty() && doubles == 0 {
            wrong.push(format!("I10 a letter vanished: {letter:?}"));
        }
        if final_ones.len() > 1 {
            wrong.push(format!(
                "I10 a letter has {} fates: {letter:?}",
                final_ones.len()
            ));
        }
        for record in final_ones {
            let payload = &record.payload;
            let outcome = text(payload, "outcome");
            let in_game = list(payload, "events")
                .iter()
                .filter(|e| !["held", "released", "met", "confirmed"].contains(&text(e, "event")))
                .count();
            if in_game > 0 {
                *changed.entry(letter.original).or_default() += 1;
                if outcome != "applied" {
                    wrong.push(format!(
                        "I2 a letter that was {outcome} changed something: {letter:?}"
                    ));
                }
            }
            let others = list(payload, "mails")
                .iter()
                .filter(|m| m["kind"] != "alarm")
                .count();
            let to_author = |who: &str| {
                list(payload, "mails")
                    .iter()
                    .filter(|m| text(m, "to") == who)
                    .count()
            };
            match &letter.author {
                Author::Machine if others > 0 || in_game > 0 || outcome != "machine" => {
                    wrong.push(format!(
                        "I11 a machine was answered ({outcome}): {letter:?}"
                    ));
                }
                Author::Forger | Author::Stranger if in_game > 0 => {
                    wrong.push(format!(
                        "I2 somebody else than the player was obeyed: {letter:?}"
                    ));
                }
                Author::Player(who) => {
                    let mails = to_author(who);
                    *answered.entry(letter.original).or_default() += mails;
                    if ["applied", "rejected"].contains(&outcome)
                        && mails != 1
                        && !["(cut)", "yes"].contains(&letter.body.as_str())
                    {
                        wrong.push(format!(
                            "one letter, {mails} answers ({outcome}): {letter:?}"
                        ));
                    }
                }
                _ => {}
            }
        }
    }
    for (original, times) in changed {
        if times > 1 {
            wrong.push(format!("I1 letter {original} took effect {times} times"));
        }
    }
    for (original, mails) in answered {
        if mails > 1 {
            wrong.push(format!("letter {original} was answered {mails} times"));
        }
    }
    let left = outside.letters.iter().filter(|l| !l.done).count();
    if left > 0 {
        wrong.push(format!("I10 {left} letters still lie in the mailbox"));
    }
}

/// I5, I6, I12: the course of the match, told again from its events with nothing but counting.
fn matches(world: &World, records: &[Record], wrong: &mut Vec<String>) {
    let mut sealed: BTreeMap<(u64, u64), (String, bool)> = BTreeMap::new();
    let (mut begun, mut over) = (false, false);
    // of each seat: since when at the earliest it owes what it owes, and how often it was reminded of it
    let (mut since, mut stage) = ([0i64; 2], [0i64; 2]);
    let mut gid = String::new();
    for record in records {
        let at = seconds(text(&record.payload, "at"));
        for event in list(&record.payload, "events") {
            let kind = text(event, "event");
            // a `new` that was sent again by hand is a second game, in which nobody plays
            if event["game"].as_u64().is_some_and(|game| game != 1) {
                continue;
            }
            if over && ["sealed", "opened", "acted", "finished", "begun"].contains(&kind) {
                wrong.push(format!("`{kind}` after the end"));
            }
            match kind {
                "proposed" => gid = text(event, "gid").to_owned(),
                "begun" => {
                    if begun {
                        wrong.push("I1 the match began twice".into());
                    }
                    (begun, since, stage) = (true, [at; 2], [0; 2]);
                }
                "sealed" => {
                    let seal = &event["seal"];
                    let (turn, seat) = (
                        seal["turn"].as_u64().unwrap_or(0),
                        seal["seat"].as_u64().unwrap_or(9),
                    );
                    if let Some(own) = since.get_mut(seat as usize) {
                        (*own, stage[seat as usize]) = (at, 0);
                    }
                    let line = format!(
                        "tulpa1/seal {gid} {turn} {} {} {}",
                        seat + 1,
                        text(seal, "card"),
                        text(seal, "nonce")
                    );
                    if hex(&Sha256::digest(line.as_bytes())) != text(seal, "commitment") {
                        wrong.push(format!(
                            "I6 the commitment of turn {turn} is of another card"
                        ));
                    }
                    let card = (text(seal, "card").to_owned(), false);
                    if sealed.insert((turn, seat), card).is_some() {
                        wrong.push(format!("I6 a second card for turn {turn}, seat {seat}"));
                    }
                }
                "opened" => {
                    let turn = event["turn"].as_u64().unwrap_or(0);
                    for card in list(event, "cards") {
                        let seat = card[0].as_u64().unwrap_or(9);
                        match sealed.get_mut(&(turn, seat)) {
                            Some((kept, opened)) if *kept == card[1] && !*opened => *opened = true,
                            _ => wrong.push(format!(
                                "I6 turn {turn}: a card was opened that did not lie there"
                            )),
                        }
                    }
                    if list(event, "cards").len() != 2 {
                        wrong.push(format!(
                            "I6 turn {turn} was opened before both cards were in"
                        ));
                    }
                }
                "acted" => {
                    let seat = event["seat"].as_u64().unwrap_or(0).min(1) as usize;
                    (since[seat], stage[seat]) = (at, 0);
                }
                "finished" => over = true,
                "clock-moved" => {
                    let seconds = event["seconds"].as_i64().unwrap_or(0);
                    since.iter_mut().for_each(|s| *s += seconds);
                }
                "reminded" => {
                    let now = event["stage"].as_i64().unwrap_or(0);
                    let seat = event["seat"].as_u64().unwrap_or(0).min(1) as usize;
                    let since = since[seat];
                    if now <= stage[seat] {
                        wrong.push(format!("I12 reminder {now} came twice"));
                    }
                    stage[seat] = now;
                    let whole = 5 * 86_400;
                    let due = [0, whole / 2, whole / 10 * 9, whole][now.clamp(0, 3) as usize];
                    // what really went by, by the counter that nobody can set
                    let real = really(world, since, at);
                    if at - since < due || real.saturating_add(3 * 3_600) < due {
                        wrong.push(format!(
                            "I12 reminder {now} after {} of {due} seconds, really {real}",
                            at - since
                        ));
                    }
                }
                _ => {}
            }
        }
    }
}

fn seconds(at: &str) -> i64 {
    at.parse::<jiff::Timestamp>().map_or(0, |t| t.as_second())
}

/// Steady seconds between two wall times: the latest step that showed the first, and the step that showed the second.
fn really(world: &World, since: i64, at: i64) -> i64 {
    let end = world.hours.iter().rev().find(|(wall, _)| *wall == at);
    let Some((_, end)) = end else { return i64::MAX };
    let begin = world
        .hours
        .iter()
        .rev()
        .find(|(wall, steady)| *wall == since && steady <= end);
    // a deadline that moved begins at no step
    begin.map_or(i64::MAX, |(_, begin)| end - begin)
}

/// I8, I9: what became of each mail.
fn mails(world: &World, records: &[Record], wrong: &mut Vec<String>) {
    let outside = world.outside.borrow();
    let mut queued: BTreeMap<(u64, u64), (&str, &str)> = BTreeMap::new();
    let mut nth: BTreeMap<u64, u64> = BTreeMap::new();
    let mut course: BTreeMap<(u64, u64), &str> = BTreeMap::new();
    let mut lanes: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
    for record in records {
        for mark in list(&record.payload, "outbox") {
            let id = (
                mark["id"]["seq"].as_u64().unwrap_or(0),
                mark["id"]["nth"].as_u64().unwrap_or(0),
            );
            let step = match &mark["course"] {
                Json::String(word) => word.as_str(),
                Json::Object(map) => map.keys().next().map_or("", String::as_str),
                _ => "",
            };
            course.insert(id, step);
        }
        for mail in list(&record.payload, "mails") {
            let n = nth.entry(record.seq).or_default();
            let id = (record.seq, *n);
            *n += 1;
            if mail["supersedes"] == true {
                for old in lanes.entry(text(mail, "seat")).or_default().drain(..) {
                    if course
                        .get(&old)
                        .is_none_or(|c| ["later", "queued"].contains(c))
                    {
                        course.insert(old, "superseded");
                    }
                }
            }
            if mail["board"] == true {
                lanes.entry(text(mail, "seat")).or_default().push(id);
            }
            queued.insert(id, (text(mail, "message_id"), text(mail, "to")));
            course.insert(id, "queued");
        }
    }
    let mut taken: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for one in &outside.taken {
        taken.entry(&one.message_id).or_default().push(one);
    }
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for (id, (message_id, to)) in &queued {
        let none = Vec::new();
        let copies = taken.get(message_id).unwrap_or(&none);
        let unknown = outside.unknown.get(*message_id).copied().unwrap_or(0);
        if !ids.insert(*message_id) {
            wrong.push(format!(
                "I8 two mails have the same Message-ID {message_id}"
            ));
        }
        match course.get(id).copied().unwrap_or_default() {
            "sent" if copies.is_empty() => {
                wrong.push(format!(
                    "I8 a mail to {to} counts as sent and nobody took it"
                ));
            }
            "sent" | "dead" | "superseded" => {}
            other => wrong.push(format!("I8 a mail to {to} is left `{other}`")),
        }
        if copies
            .iter()
            .any(|c| c.bytes != copies[0].bytes || c.to != *to)
        {
            wrong.push(format!("I8 a mail to {to} went out with different bytes"));
        }
        let ours = copies.iter().filter(|c| !c.copied).count();
        if ours > 1 + unknown {
            wrong.push(format!(
                "I9 a mail to {to} went out {ours} times, {unknown} times for a reason"
            ));
        }
    }
    for id in taken.keys().filter(|id| !ids.contains(**id)) {
        wrong.push(format!("I8 a mail went out that was never kept: {id}"));
    }
}

/// I7: nobody sees what is not his.
fn secrets(world: &World, records: &[Record], wrong: &mut Vec<String>) {
    let outside = world.outside.borrow();
    // whose a mail is, and from which transaction
    let mut from: BTreeMap<&str, u64> = BTreeMap::new();
    let mut nonces: Vec<(u64, &str, u64, u64)> = Vec::new();
    let mut opened: BTreeMap<u64, u64> = BTreeMap::new();
    for record in records {
        for mail in list(&record.payload, "mails") {
            from.insert(text(mail, "message_id"), record.seq);
        }
        for event in list(&record.payload, "events") {
            match text(event, "event") {
                "sealed" if event["game"] == 1 => {
                    let seal = &event["seal"];
                    let of = |key: &str| seal[key].as_u64().unwrap_or(0);
                    nonces.push((record.seq, text(seal, "nonce"), of("seat"), of("turn")));
                }
                "opened" if event["game"] == 1 => {
                    opened.insert(event["turn"].as_u64().unwrap_or(0), record.seq);
                }
                "keeper" if text(&event["deed"], "did") == "held" => {
                    wrong.push("I7 a mail was stopped at the door".to_owned());
                }
                _ => {}
            }
        }
    }
    let mut tokens: BTreeMap<String, String> = BTreeMap::new();
    for mail in outside
        .taken
        .iter()
        .filter(|m| [ALICE, BOB].contains(&m.to.as_str()))
    {
        let reply = header(&mail.bytes, "Reply-To");
        if reply.contains('+') {
            tokens.insert(reply, mail.to.clone());
        }
    }
    for mail in &outside.taken {
        let text = seen(&mail.bytes);
        let seq = from
            .get(mail.message_id.as_str())
            .copied()
            .unwrap_or(u64::MAX);
        for other in [ALICE, BOB, EVE].into_iter().filter(|o| *o != mail.to) {
            // Alice named Bob's address herself
            let her_own = mail.to == ALICE && other == BOB && text.contains("new tulpas vs");
            if text.contains(other) && !her_own {
                wrong.push(format!("I7 a mail to {} shows {other}", mail.to));
            }
        }
        for (token, owner) in &tokens {
            if *owner != mail.to && text.contains(token.split('@').next().unwrap_or(token)) {
                wrong.push(format!("I7 a mail to {} has the token of {owner}", mail.to));
            }
        }
        for (_, nonce, seat, turn) in &nonces {
            let owner = if *seat == 0 { ALICE } else { BOB };
            let still_down = opened.get(turn).is_none_or(|o| seq < *o);
            if owner != mail.to && still_down && text.contains(nonce) {
                wrong.push(format!(
                    "I7 a mail to {} opens the card of turn {turn}",
                    mail.to
                ));
            }
        }
    }
}
