//! Letters as mail programs, people and attackers write them, each with what must be understood of it.
//!
//! `tests/letters/NAME.eml` is the raw letter, `NAME.expect` what the reader made of it. After a change that is meant,
//! `TULPA_BLESS=1 cargo test --test letters` writes the expectations anew; read the difference before it is committed.

use std::fmt::Write as _;
use std::path::PathBuf;

use proptest::prelude::*;
use tulpa::post::address::Addr;
use tulpa::post::letter::{LETTER_BYTES_MAX, Limits, Unreadable};
use tulpa::post::machine::Why;
use tulpa::post::reader::{Context, Reading, read};
use tulpa::referee::order::{Order, Read};

fn context() -> Context {
    Context {
        own: vec![Addr::parse("referee@example.org").unwrap()],
        instance: "tulpa-test".to_owned(),
        trusted_authserv: vec!["mx.example.org".to_owned()],
        limits: Limits::default(),
        received: "2025-11-20T12:00:00Z".parse().unwrap(),
        too_big: None,
    }
}

/// The stable text of a reading. Things that say nothing are left out.
fn told(reading: &Reading) -> String {
    let mut out = String::new();
    match reading {
        Reading::Machine(why) => {
            let _ = writeln!(out, "machine: {why:?}");
        }
        Reading::TooBig(read, bytes) => {
            let _ = writeln!(out, "too big: {bytes} bytes");
            tell_envelope(&mut out, read);
        }
        Reading::Unreadable(read, why) => {
            let _ = writeln!(out, "unreadable: {why}");
            tell_envelope(&mut out, read);
        }
        Reading::Orders(read) => {
            tell_envelope(&mut out, read);
            for part in &read.parts {
                match part.game {
                    Some(game) => {
                        let _ = writeln!(out, "game {game}");
                    }
                    None => out.push_str("no game named\n"),
                }
                for line in &part.orders {
                    let _ = match &line.order {
                        Ok(order) => writeln!(out, "  {}: {order:?}", line.line),
                        Err(slip) => writeln!(out, "  {}: SLIP {slip:?}", line.line),
                    };
                }
            }
            for line in &read.ignored {
                let _ = writeln!(out, "ignored: {line}");
            }
        }
    }
    out
}

fn tell_envelope(out: &mut String, read: &Read) {
    let _ = writeln!(out, "from: {}", read.from);
    let _ = writeln!(out, "proof: {:?}", read.proof);
    if let Some(token) = &read.token {
        let _ = writeln!(out, "token: {} {} {}", token.gid, token.seat, token.mac);
    }
    if let Some(game) = read.subject_match {
        let _ = writeln!(out, "subject: game {game}");
    }
    let _ = writeln!(out, "id: {}", read.message_id);
    for answer in &read.answers {
        let _ = writeln!(out, "answers: {answer}");
    }
    let odd = &read.oddities;
    for (name, is) in [
        ("undecodable", odd.undecodable),
        ("cut", odd.cut),
        ("html only", odd.html_only),
        ("from unusable", odd.from_unusable),
        ("too many orders", odd.too_many_orders),
        ("from subject", odd.from_subject),
    ] {
        if is {
            let _ = writeln!(out, "odd: {name}");
        }
    }
}

#[test]
fn every_letter_is_understood_as_expected() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/letters");
    let bless = std::env::var_os("TULPA_BLESS").is_some();
    let mut letters: Vec<PathBuf> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "eml"))
        .collect();
    letters.sort();
    assert!(letters.len() >= 40, "only {} letters", letters.len());
    let mut wrong = String::new();
    for path in &letters {
        let raw = std::fs::read(path).unwrap();
        let found = told(&read(&raw, &context()));
        let expect = path.with_extension("expect");
        if bless {
            std::fs::write(&expect, &found).unwrap();
        }
        let wanted = std::fs::read_to_string(&expect).unwrap_or_default();
        if found != wanted {
            let name = path.file_name().unwrap().to_string_lossy();
            let _ = writeln!(wrong, "{name}\n--- expected\n{wanted}--- found\n{found}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The line ends of the transport do not matter.
#[test]
fn crlf_and_lf_are_the_same() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/letters");
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "eml") {
            continue;
        }
        let raw = std::fs::read(&path).unwrap();
        let mut lf: Vec<u8> = Vec::new();
        for b in &raw {
            if *b == b'\n' && lf.last() == Some(&b'\r') {
                lf.pop();
            }
            lf.push(*b);
        }
        let crlf: Vec<u8> = lf
            .iter()
            .flat_map(|b| match b {
                b'\n' => vec![b'\r', b'\n'],
                b => vec![*b],
            })
            .collect();
        assert_eq!(
            told(&read(&lf, &context())),
            told(&read(&crlf, &context())),
            "{}",
            path.display()
        );
    }
}

const HEAD: &str = "From: Alice <alice@club.example>\nTo: referee@example.org\nSubject: [tulpas #42] x\n\
                    Message-ID: <m1@club.example>\nMIME-Version: 1.0\n";

#[test]
fn a_thousand_nested_parts_are_refused_with_an_answer() {
    let mut raw = HEAD.to_owned();
    for n in 0..1000 {
        let _ = write!(
            raw,
            "Content-Type: multipart/mixed; boundary=\"b{n}\"\n\n--b{n}\n"
        );
    }
    raw.push_str("Content-Type: text/plain\n\nNc1-d3\n");
    let Reading::Unreadable(read, why) = read(raw.as_bytes(), &context()) else {
        panic!("read");
    };
    assert!(matches!(why, Unreadable::TooManyParts { .. }));
    assert_eq!(read.from, "alice@club.example");
    assert!(read.is_empty());
}

#[test]
fn a_thousand_nested_parts_that_hide_their_boundaries_are_too() {
    let mut raw = HEAD.to_owned();
    for n in 0..1000 {
        let _ = write!(
            raw,
            "Content-Type: multipart/mixed; boundary = \"b{n}\"\n\n--b{n}\n"
        );
    }
    raw.push_str("\nNc1-d3\n");
    assert!(matches!(
        read(raw.as_bytes(), &context()),
        Reading::Unreadable(..)
    ));
}

#[test]
fn a_thousand_parts_side_by_side_are_refused() {
    let mut raw = format!("{HEAD}Content-Type: multipart/mixed; boundary=b\n\n");
    for _ in 0..1000 {
        raw.push_str("--b\nContent-Type: text/plain\n\nNc1-d3\n");
    }
    raw.push_str("--b--\n");
    assert!(matches!(
        read(raw.as_bytes(), &context()),
        Reading::Unreadable(_, Unreadable::TooManyParts { .. })
    ));
}

#[test]
fn nine_levels_are_one_too_many_and_eight_are_read() {
    for (levels, good) in [(8, true), (9, false)] {
        let mut raw = HEAD.to_owned();
        for n in 0..levels {
            let _ = write!(
                raw,
                "Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n"
            );
        }
        raw.push_str("Content-Type: text/plain\n\nNc1-d3\n");
        let reading = read(raw.as_bytes(), &context());
        assert_eq!(matches!(reading, Reading::Orders(_)), good, "{levels}");
    }
}

#[test]
fn five_mebibytes_are_not_read() {
    let mut raw = format!("{HEAD}\nNc1-d3\n").into_bytes();
    raw.resize(5 << 20, b'x');
    let Reading::TooBig(letter, bytes) = read(&raw, &context()) else {
        panic!("read");
    };
    assert_eq!(bytes, 5 << 20);
    assert_eq!(letter.from, "alice@club.example");
    // the transport kept only the beginning
    let capped = Context {
        too_big: Some(5 << 20),
        ..context()
    };
    raw.truncate(LETTER_BYTES_MAX);
    assert!(matches!(read(&raw, &capped), Reading::TooBig(..)));
    // a machine's large letter is still a machine's
    let auto = [b"Auto-Submitted: auto-replied\n".as_slice(), &raw].concat();
    assert_eq!(read(&auto, &capped), Reading::Machine(Why::AutoSubmitted));
}

#[test]
fn header_bombs_are_met_with_silence() {
    for raw in [
        format!("{}{HEAD}\nNc1-d3\n", "X-A: b\n".repeat(300)),
        format!("X: {}\n{HEAD}\nNc1-d3\n", "=?utf-8?q?".repeat(5000)),
        format!("X: {}\n{HEAD}\nNc1-d3\n", "a\n ".repeat(50_000)),
    ] {
        assert_eq!(
            read(raw.as_bytes(), &context()),
            Reading::Machine(Why::HeaderBomb)
        );
    }
    let part = format!(
        "{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; name=\"{}\"\n\nNc1-d3\n--b--\n",
        "=?utf-8?q?".repeat(20_000)
    );
    assert!(matches!(
        read(part.as_bytes(), &context()),
        Reading::Unreadable(_, Unreadable::HeaderBomb)
    ));
}

#[test]
fn more_orders_than_a_letter_may_hold_are_one_slip() {
    let raw = format!("{HEAD}\n{}", "help\n".repeat(60));
    let Reading::Orders(read) = read(raw.as_bytes(), &context()) else {
        panic!("not read");
    };
    assert!(read.oddities.too_many_orders);
    assert!(read.first_slip().is_some());
    let prose = format!("{HEAD}\n{}Nc1-d3\n", "well, well\n".repeat(300));
    let Reading::Orders(read) = self::read(prose.as_bytes(), &context()) else {
        panic!("not read");
    };
    assert!(read.first_slip().is_some());
}

fn orders_of(text: &str) -> Vec<Order> {
    let raw = format!("{HEAD}Content-Type: text/plain; charset=utf-8\n\n{text}");
    match read(raw.as_bytes(), &context()) {
        Reading::Orders(read) => read.orders().cloned().collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_forgotten_empty_line_does_not_send_a_card_to_the_opponent() {
    assert_eq!(
        orders_of("message good luck\nand have fun\npick amazon\nNc1-d3\n"),
        [
            Order::Message("good luck\nand have fun".into()),
            Order::Pick("amazon".into()),
            Order::Play("Nc1-d3".into())
        ]
    );
    // nor does a slip of the finger
    let raw = format!("{HEAD}\nmessage good luck\npikc amazon\n");
    let Reading::Orders(read) = read(raw.as_bytes(), &context()) else {
        panic!("not read");
    };
    assert_eq!(
        read.orders().cloned().collect::<Vec<_>>(),
        [Order::Message("good luck".into())]
    );
    assert!(read.first_slip().is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// No bytes make the reader panic.
    #[test]
    fn no_bytes_upset_the_reader(raw in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read(&raw, &context());
    }

    /// Nor does anything that looks like a letter.
    #[test]
    fn no_letter_upsets_the_reader(
        headers in proptest::collection::vec(
            "(From|To|Subject|Content-Type|Content-Transfer-Encoding|Authentication-Results|References|Sender): \\PC{0,80}", 0..8),
        kind in "(text/plain|text/html|multipart/mixed; boundary=b|text/plain; format=flowed; delsp=yes)",
        coding in "(7bit|base64|quoted-printable|8bit|x)",
        charset in "(utf-8|iso-8859-1|utf-7|utf-16le|iso-2022-jp|x-none)",
        body in "(\\PC|\n|> |--b\n|<div>|<!--|=|&#){0,300}",
    ) {
        let raw = format!(
            "{}\nContent-Type: {kind}; charset={charset}\nContent-Transfer-Encoding: {coding}\n\n{body}",
            headers.join("\n")
        );
        let _ = read(raw.as_bytes(), &context());
    }

    /// A quotation behind what was written changes nothing of what is understood.
    #[test]
    fn a_quotation_is_no_order(
        own in "(Nc1-d3|pick ox|guess spider|hello there|message hi|if created: A@b2|else: Nc1-d3|show){1}",
        quoted in proptest::collection::vec("(Nc1-d3|resign|pick ox|game 7|message x|\\PC{0,40})", 0..10),
    ) {
        let quotation: String = quoted.iter().map(|l| format!("> {l}\n")).collect();
        prop_assert_eq!(
            orders_of(&format!("{own}\n\nOn Tue, 18 Nov 2025, Ref <referee@example.org> wrote:\n{quotation}")),
            orders_of(&format!("{own}\n"))
        );
    }

    /// What a player typed is found whatever transfer encoding his program chose.
    #[test]
    fn encodings_do_not_matter(own in "[ -~]{0,60}") {
        let qp: String = own.bytes().map(|b| format!("={b:02X}")).collect::<Vec<_>>().chunks(20)
            .map(|c| c.concat()).collect::<Vec<_>>().join("=\n");
        let raw = |coding: &str, body: &str| {
            format!("{HEAD}Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: {coding}\n\n{body}\n")
        };
        let parts = |raw: String| match read(raw.as_bytes(), &context()) {
            Reading::Orders(read) => (read.parts, read.ignored),
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(parts(raw("quoted-printable", &qp)), parts(raw("7bit", &own)));
    }
}
