//! Everything that reads bytes from outside, fed with letters that nobody would write: no panic, no endless loop, no
//! wrong answer (security.md 10). The seeds are `tests/letters/*.eml`; the same run always does the same.
//!
//! `TULPA_FUZZ=200000 cargo test --release --test fuzz` does more of it: so many inputs for each target.

#[path = "sim/chance.rs"]
#[allow(dead_code, reason = "shared with the simulation")]
mod chance;

use std::collections::BTreeMap;
use std::path::Path;

use chance::Chance;
use mailparse::MailHeaderMap as _;
use tulpa::config::Config;
use tulpa::post::address::{self, Addr, Tag};
use tulpa::post::compose::{Alias, Auto, Instance, MessageId, Outgoing, check_wire, compose};
use tulpa::post::from_html::html_to_text;
use tulpa::post::letter::{self, Limits};
use tulpa::post::orders::{understand, understand_most};
use tulpa::post::quote::typed;
use tulpa::post::reader::{self, Context, Reading};
use tulpa::post::words::Templates;
use tulpa::post::{auth, charset};
use tulpa::referee::order::{ORDERS_MAX, Proof};
use tulpa::rules::Rulebook;
use tulpa::store::{Payload, Store, no_fold, seen};

/// Inputs of each target in a plain `cargo test`.
const INPUTS: usize = 1500;

/// Words that mean something to one reader or another.
const WORDS: &[&str] = &[
    "pick amazon",
    "guess ox",
    "if created: A@a2; Aa2-b4",
    "else: Nc1-d3",
    "game 42",
    "new tulpas vs a@b.example",
    "message ",
    "preview ",
    "resign",
    "--",
    "> ",
    ">>> ",
    "On Monday, x wrote:",
    "-----Original Message-----",
    "From: a@b.example\r\n",
    "Reply-To: referee+abc.0.zzzz@club.example\r\n",
    "Content-Type: multipart/mixed; boundary=",
    "Content-Type: text/html; charset=utf-16le\r\n",
    "Content-Transfer-Encoding: base64\r\n",
    "--b\r\n",
    "--b--\r\n",
    "=?utf-8?B?////?=",
    "=?x?q?=00=0a?=",
    "\r\n\r\n",
    "\r",
    "\n",
    "\0",
    "\u{202e}",
    "\u{200b}",
    "ä",
    "’",
    "0-0",
    "=\r\n",
    "=3D",
    "<blockquote>",
    "</blockquote>",
    "<style>",
    "<!--",
    "&#x110000;",
    "&amp;",
    "<table><tr><td>",
    "[tulpas #42]",
    "[abc.0.zzzz]",
    "Authentication-Results: mx.club.example; dmarc=pass header.from=b.example\r\n",
    "; dkim=pass (",
    "(((",
    ")))",
    "\"\\\"",
    "{{ x }}",
    "{% if %}",
    "../",
    "Some(",
    "None",
    "\u{1b}[2J",
    "format=flowed; delsp=yes",
    " \r\n ",
];

fn inputs() -> usize {
    std::env::var("TULPA_FUZZ")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(INPUTS)
}

fn files(dir: &str, ending: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|x| x == ending))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|p| std::fs::read(p).unwrap()).collect()
}

/// One of the seeds, changed in a few places.
fn mutated(chance: &mut Chance, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[chance.below(seeds.len())].clone();
    for _ in 0..=chance.below(6) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + chance.below(40)).min(bytes.len());
        match chance.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                let times = 1 + chance.below(50);
                for _ in 0..times {
                    bytes.splice(at..at, part.iter().copied());
                }
            }
            3 => bytes.truncate(at),
            4 => {
                let other = &seeds[chance.below(seeds.len())];
                let from = chance.below(other.len() + 1);
                bytes.splice(at..end, other[from..].iter().copied());
            }
            5 => {
                let word = WORDS[chance.below(WORDS.len())];
                let word = word.repeat(1 + chance.below(300));
                bytes.splice(at..at, word.into_bytes());
            }
            6 => bytes.splice(at..end, chance.bytes()).for_each(drop),
            // whole lines change places
            7 => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
                let (a, b) = (chance.below(lines.len()), chance.below(lines.len()));
                if !lines.is_empty() {
                    lines.swap(a, b);
                }
                bytes = lines.concat();
            }
            _ => {
                let word = WORDS[chance.below(WORDS.len())];
                bytes.splice(at..end, word.bytes()).for_each(drop);
            }
        }
        bytes.truncate(400_000);
    }
    bytes
}

fn text(chance: &mut Chance, seeds: &[Vec<u8>]) -> String {
    String::from_utf8_lossy(&mutated(chance, seeds)).into_owned()
}

fn context() -> Context {
    Context {
        own: vec![Addr::parse("referee@club.example").unwrap()],
        instance: "club.example".into(),
        trusted_authserv: vec!["mx.club.example".into()],
        limits: Limits::default(),
        received: jiff::Timestamp::UNIX_EPOCH,
        too_big: None,
    }
}

#[test]
fn f1_letters_and_f8_bounces() {
    let (seeds, context) = (files("tests/letters", "eml"), context());
    let mut chance = Chance::new(1);
    for _ in 0..inputs() {
        let raw = mutated(&mut chance, &seeds);
        let read = reader::read(&raw, &context);
        assert_eq!(
            read,
            reader::read(&raw, &context),
            "the same letter reads the same"
        );
        if let Reading::Orders(read) = &read {
            let orders: usize = read.parts.iter().map(|p| p.orders.len()).sum();
            assert!(orders <= ORDERS_MAX + 1, "{orders} orders");
            let unforged = read.proof != Proof::Vouched || !read.from.is_empty();
            assert!(unforged, "nobody is vouched for");
        }
        if let Ok(letter) = letter::open(&raw, &context.limits) {
            assert!(letter.text.len() <= context.limits.text_bytes);
        }
        // the same cut short, as a transport hands over a letter that is too large
        let head = &raw[..raw.len().min(1000)];
        let cut = Context {
            too_big: Some(1 << 30),
            ..context.clone()
        };
        assert!(!matches!(reader::read(head, &cut), Reading::Orders(_)));
    }
}

#[test]
fn f2_orders() {
    let seeds: Vec<Vec<u8>> = WORDS
        .iter()
        .map(|w| format!("{w}\n").into_bytes())
        .collect();
    let mut chance = Chance::new(2);
    for _ in 0..inputs() {
        let mut all = String::new();
        for _ in 0..chance.below(30) {
            all.push_str(&text(&mut chance, &seeds));
        }
        let most = 1 + chance.below(ORDERS_MAX);
        let found = understand_most(&typed(&all), most);
        assert!(found.parts.iter().map(|p| p.orders.len()).sum::<usize>() <= most + 1);
    }
}

#[test]
fn f3_addresses_and_tokens() {
    let base = Addr::parse("referee@club.example").unwrap();
    let tag = Tag {
        gid: "abcdefghij".into(),
        seat: 1,
        mac: "abcdefghijklmnopqrstuvwxyz".into(),
    };
    let good = address::plus_address(&base, &tag).unwrap();
    assert_eq!(address::parse_plus(&base, good.as_str()), Some(tag.clone()));
    let seeds: Vec<Vec<u8>> = [
        good.as_str(),
        &address::subject_tag(&tag),
        &tag.text(),
        "\"A b\" <a@b.example>, c: d@e;",
        "<x.y@club.example>",
    ]
    .iter()
    .map(|s| s.as_bytes().to_vec())
    .collect();
    let mut chance = Chance::new(3);
    for _ in 0..inputs() * 4 {
        let text = text(&mut chance, &seeds);
        let _ = Tag::parse(&text);
        for found in address::subject_tags(&text) {
            assert_eq!(Tag::parse(&found.text()), Some(found));
        }
        let _ = address::parse_plus(&base, &text);
        let _ = address::our_message_id(&text, "club.example");
        let _ = letter::plain_address(&text);
        if let Ok(addr) = Addr::parse(&text) {
            assert!(
                !addr.as_str().contains(['\r', '\n', '\0', ' ', '<', '>']),
                "{addr:?}"
            );
        }
        if let Ok(id) = MessageId::parse(&text) {
            assert!(id.as_str().bytes().all(|b| b.is_ascii_graphic()), "{id:?}");
        }
    }
}

#[test]
fn f4_authentication_results() {
    let seeds: Vec<Vec<u8>> = [
        "mx.club.example; dmarc=pass (p=none) header.from=b.example; spf=pass smtp.mailfrom=b.example",
        "mx.club.example 1; dkim=fail reason=\"x; y\" header.d=b.example; dmarc=fail header.from=b.example",
    ]
    .iter()
    .map(|s| s.as_bytes().to_vec())
    .collect();
    let mut chance = Chance::new(4);
    let trusted = ["mx.club.example".to_owned()];
    for _ in 0..inputs() * 2 {
        let value = text(&mut chance, &seeds);
        let _ = auth::vouched([value.as_str()], &trusted, "b.example");
        // another server's word is worth nothing, whatever it is
        let foreign = auth::vouched([value.as_str()], &[], "b.example");
        assert_ne!(foreign, Proof::Vouched, "{value}");
    }
}

#[test]
fn f5_html_and_charsets() {
    let mut seeds: Vec<Vec<u8>> = files("tests/letters", "eml");
    seeds.retain(|s| String::from_utf8_lossy(s).contains("<html"));
    assert!(!seeds.is_empty());
    let mut chance = Chance::new(5);
    for _ in 0..inputs() / 3 {
        let raw = mutated(&mut chance, &seeds);
        let out = html_to_text(&String::from_utf8_lossy(&raw), 64 * 1024);
        assert!(out.len() <= 256 * 1024, "{} bytes of text", out.len());
        for name in [
            None,
            Some("utf-16"),
            Some("iso-2022-jp"),
            Some("utf-7"),
            Some("gb18030"),
            Some("x"),
        ] {
            let _ = charset::decode_text(&raw, name);
        }
        let _ = charset::decode_base64_leniently(&raw);
    }
}

#[test]
fn f7_journals() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), no_fold()).unwrap();
    for n in 0u8..30 {
        let payload = Payload {
            outcome: "applied".into(),
            keys: vec![seen::bytes(&[n])],
            note: Some("x".repeat(usize::from(n) * 7)),
            ..Payload::default()
        };
        store.commit(payload).unwrap();
    }
    let kept = |store: &Store| {
        let mut all = Vec::new();
        store
            .replay(|seq, payload| {
                all.push((seq, payload));
                Ok(())
            })
            .map(|()| all)
    };
    let right = kept(&store).unwrap();
    store.close().unwrap();
    let journal = std::fs::read(dir.path().join("journal.000001")).unwrap();
    let mut chance = Chance::new(7);
    for _ in 0..inputs() / 30 {
        let fresh = tempfile::tempdir().unwrap();
        std::fs::write(fresh.path().join("FORMAT"), "1\n").unwrap();
        // the ballast is not what is tried here
        std::fs::write(fresh.path().join("ballast"), vec![0; 8 << 20]).unwrap();
        let bytes = mutated(&mut chance, std::slice::from_ref(&journal));
        std::fs::write(fresh.path().join("journal.000001"), bytes).unwrap();
        let Ok(store) = Store::open(fresh.path(), no_fold()) else {
            continue;
        };
        if let Ok(found) = kept(&store) {
            assert!(
                right.starts_with(&found),
                "another history than the one that was kept"
            );
        }
    }
}

#[test]
fn f10_mails_read_back_as_they_were_meant() {
    let seeds = files("tests/letters", "eml");
    let us = Addr::parse("referee@club.example").unwrap();
    let to = Addr::parse("alice@hill.example").unwrap();
    let id = MessageId::parse("a.b@club.example").unwrap();
    let instance = Instance::parse("club.example").unwrap();
    let known = [
        "From",
        "To",
        "Reply-To",
        "Subject",
        "Date",
        "Message-ID",
        "Auto-Submitted",
        "X-Loop",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
        "List-Id",
        "List-Unsubscribe",
    ];
    let mut chance = Chance::new(10);
    for _ in 0..inputs() / 2 {
        let (subject, body) = (text(&mut chance, &seeds), text(&mut chance, &seeds));
        let name = Alias::parse(&subject).unwrap_or_else(|_| Alias::parse("Tulpa").unwrap());
        let mail = compose(&Outgoing {
            from_name: &name,
            from: &us,
            to: &to,
            reply_to: &us,
            envelope_from: Some(&us),
            subject: &subject,
            date: jiff::Timestamp::UNIX_EPOCH,
            message_id: &id,
            in_reply_to: None,
            references: &[],
            auto: Auto::Replied,
            game: Some(7),
            unsubscribe: Some(&us),
            instance: &instance,
            text: &body,
            html: chance.hits(500).then_some(body.as_str()),
            files: &[],
        });
        check_wire(&mail.bytes).unwrap();
        let back = mailparse::parse_mail(&mail.bytes).unwrap();
        for header in back.get_headers() {
            assert!(
                known.contains(&header.get_key().as_str()),
                "a header grew: {}",
                header.get_key()
            );
        }
        assert_eq!(back.headers.get_all_values("To"), ["alice@hill.example"]);
        let got = back.headers.get_first_value("Subject").unwrap_or_default();
        let plain = |s: &str| s.split_whitespace().collect::<String>();
        assert_eq!(plain(&got), plain(&mail.subject));
    }
}

#[test]
fn f11_settings_games_and_templates() {
    let configs = vec![
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("config.example.ron")).unwrap(),
    ];
    let (games, templates) = (files("games", "ron"), files("templates/en", "txt"));
    let mut chance = Chance::new(11);
    for _ in 0..inputs() / 3 {
        if let Ok(config) = Config::parse(&text(&mut chance, &configs)) {
            let _ = config.check();
        }
        let _ = Rulebook::parse("x", &text(&mut chance, &games));
    }
    for _ in 0..inputs() / 100 {
        let mine = BTreeMap::from([("board".to_owned(), text(&mut chance, &templates))]);
        let _ = Templates::with(&mine);
    }
    let deep = "(".repeat(100_000);
    assert!(Config::parse(&deep).is_err());
    assert!(Rulebook::parse("x", &deep).is_err());
}

#[test]
fn f13_what_is_quoted_is_not_ordered() {
    let lines = [
        "pick amazon",
        "Nc1-d3",
        "hello, how are you?",
        "offer draw",
        "guess ox",
        "",
        "else: a3-a4",
    ];
    let ways = [
        "On Mon, 1 Jan 2026, Tulpa wrote:",
        "Am 1. Januar schrieb Tulpa:",
        "Le 1 janvier, Tulpa a écrit :",
    ];
    let mut chance = Chance::new(13);
    for _ in 0..inputs() {
        let some = |chance: &mut Chance, mark: &str| -> String {
            let n = 1 + chance.below(6);
            (0..n)
                .map(|_| format!("{mark}{}\n", lines[chance.below(lines.len())]))
                .collect()
        };
        let own = some(&mut chance, "");
        let way = ways[chance.below(ways.len())];
        let quoted = format!("{own}\n{way}\n{}", some(&mut chance, "> "));
        let (alone, both) = (understand(&typed(&own)), understand(&typed(&quoted)));
        assert_eq!(alone.parts, both.parts, "{quoted}");
    }
}
