use mailparse::{MailHeaderMap, parse_mail};
use proptest::prelude::*;

use super::*;

struct Kit {
    name: Alias,
    from: Addr,
    to: Addr,
    reply: Addr,
    id: MessageId,
    root: MessageId,
    theirs: MessageId,
    instance: Instance,
}

fn kit() -> Kit {
    let addr = |s: &str| Addr::parse(s).unwrap();
    let id = |s: &str| MessageId::parse(s).unwrap();
    Kit {
        name: Alias::parse("Tulpa").unwrap(),
        from: addr("referee@example.org"),
        to: addr("alice@mail.test"),
        reply: addr("referee+k7q2m5x4d3.2.vz2fhyebnzen6l77yhnaaxkmra@example.org"),
        id: id("d138aacc954563bc2c3fa4bd96112446@example.org"),
        root: id("<00000000000000000000000000000000@example.org>"),
        theirs: id("<CAF=abc+def@mail.gmail.com>"),
        instance: Instance::parse("tulpa.example.org").unwrap(),
    }
}

fn outgoing<'a>(
    kit: &'a Kit,
    subject: &'a str,
    text: &'a str,
    html: Option<&'a str>,
) -> Outgoing<'a> {
    Outgoing {
        from_name: &kit.name,
        from: &kit.from,
        to: &kit.to,
        reply_to: &kit.reply,
        envelope_from: Some(&kit.from),
        subject,
        date: "2025-11-25T14:00:00Z".parse().unwrap(),
        message_id: &kit.id,
        in_reply_to: Some(&kit.theirs),
        references: std::slice::from_ref(&kit.root),
        auto: Auto::Replied,
        game: Some(42),
        unsubscribe: Some(&kit.reply),
        instance: &kit.instance,
        text,
        html,
        files: &[],
    }
}

const NAMES: [&str; 15] = [
    "From",
    "To",
    "Reply-To",
    "Subject",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
    "Auto-Submitted",
    "List-Id",
    "List-Unsubscribe",
    "X-Loop",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
];

/// What a second reader makes of the body.
fn read_back(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[test]
fn a_whole_mail() {
    let kit = kit();
    let mail = compose(&outgoing(
        &kit,
        "[tulpas #42] Your move 7, vs bob",
        "bob played  Hb9^c8-a7\n",
        None,
    ));
    let expected = "From: \"Tulpa\" <referee@example.org>\n\
        To: alice@mail.test\n\
        Reply-To: referee+k7q2m5x4d3.2.vz2fhyebnzen6l77yhnaaxkmra@example.org\n\
        Subject: [tulpas #42] Your move 7, vs bob\n\
        Date: Tue, 25 Nov 2025 14:00:00 +0000\n\
        Message-ID: <d138aacc954563bc2c3fa4bd96112446@example.org>\n\
        In-Reply-To: <CAF=abc+def@mail.gmail.com>\n\
        References: <00000000000000000000000000000000@example.org>\n <CAF=abc+def@mail.gmail.com>\n\
        Auto-Submitted: auto-replied\n\
        List-Id: <game-42.example.org>\n\
        List-Unsubscribe: <mailto:referee%2Bk7q2m5x4d3.2.vz2fhyebnzen6l77yhnaaxkmra@example.org?subject=unsubscribe>\n\
        X-Loop: tulpa.example.org\n\
        MIME-Version: 1.0\n\
        Content-Type: text/plain; charset=utf-8\n\
        Content-Transfer-Encoding: 7bit\n\
        \n\
        bob played  Hb9^c8-a7\n";
    assert_eq!(
        String::from_utf8(mail.bytes).unwrap(),
        expected.replace('\n', "\r\n")
    );
    assert_eq!(
        (mail.to.as_str(), mail.envelope_from.as_str()),
        ("alice@mail.test", "referee@example.org")
    );
}

#[test]
fn both_parts_and_the_same_bytes_each_time() {
    let kit = kit();
    let html = "<p>grüße &amp; so</p>\n";
    let one = compose(&outgoing(&kit, "s", "grüße\n", Some(html)));
    assert_eq!(one, compose(&outgoing(&kit, "s", "grüße\n", Some(html))));
    let parsed = parse_mail(&one.bytes).unwrap();
    assert_eq!(parsed.ctype.mimetype, "multipart/alternative");
    let kinds: Vec<&str> = parsed
        .subparts
        .iter()
        .map(|p| p.ctype.mimetype.as_str())
        .collect();
    assert_eq!(kinds, ["text/plain", "text/html"]);
    assert_eq!(
        read_back(&parsed.subparts[0].get_body().unwrap()).trim_end(),
        "grüße"
    );
    assert_eq!(
        read_back(&parsed.subparts[1].get_body().unwrap()).trim_end(),
        html.trim_end()
    );
}

#[test]
fn lines_that_other_programs_give_a_meaning_to_are_encoded() {
    let kit = kit();
    let long = format!("{}.From {}", "x".repeat(75), "y".repeat(200));
    let text = format!("a\r\n.\r\nFrom here\n..\n{long}\ntrailing \n\u{0}\rb\n=2E\n");
    let mail = compose(&outgoing(&kit, "s", &text, None));
    check_wire(&mail.bytes).unwrap();
    let parsed = parse_mail(&mail.bytes).unwrap();
    let body = read_back(&parsed.get_body().unwrap());
    assert_eq!(
        body,
        format!("a\n.\nFrom here\n..\n{long}\ntrailing \n\nb\n=2E\n")
    );
    assert!(
        String::from_utf8_lossy(&mail.bytes)
            .lines()
            .all(|l| l.len() <= 130)
    );
}

#[test]
fn subjects_fold_and_encode() {
    let kit = kit();
    for subject in [
        "short".to_string(),
        "word ".repeat(30).trim_end().to_string(),
        "Zug 7 gegen Jürgen – schön, und noch viel länger als es in eine Zeile passt, ja"
            .to_string(),
        "looks =?utf-8?Q?like?= one".to_string(),
        "x".repeat(150),
        "将棋".repeat(40),
    ] {
        let mail = compose(&outgoing(&kit, &subject, "t", None));
        let parsed = parse_mail(&mail.bytes).unwrap();
        assert_eq!(parsed.headers.get_first_value("Subject").unwrap(), subject);
        assert!(
            mail.bytes
                .split(|b| *b == b'\n')
                .filter(|l| !l.starts_with(b"List-Un"))
                .all(|l| l.len() <= 78)
        );
    }
    let mail = compose(&outgoing(&kit, "a\r\nBcc: x@y\r\n\r\nbody", "t", None));
    assert_eq!(mail.subject, "a Bcc: x@y body");
    assert!(
        parse_mail(&mail.bytes)
            .unwrap()
            .headers
            .get_first_value("Bcc")
            .is_none()
    );
}

#[test]
fn names_of_every_script_but_no_tricks() {
    let mut kit = kit();
    kit.name = Alias::parse("Jürgen 将棋").unwrap();
    let mail = compose(&outgoing(&kit, "s", "t", None));
    let parsed = parse_mail(&mail.bytes).unwrap();
    assert_eq!(
        parsed.headers.get_first_value("From").unwrap(),
        "Jürgen 将棋 <referee@example.org>"
    );
    for bad in [
        "",
        " ",
        "a\nb",
        "a\rb",
        "a\"b",
        "a<b",
        "a\\b",
        "a\u{0}b",
        "a\u{202E}b",
        "a,b",
        "a@b",
        &"x".repeat(25),
    ] {
        assert!(Alias::parse(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn ids_of_other_programs_are_taken_only_if_harmless() {
    for bad in [
        "",
        "<>",
        "a",
        "<a b@c>",
        "<a@b>\r\nX: y",
        "<a@b><c@d>",
        "a@b@c",
        "<ä@b>",
        &format!("{}@b", "x".repeat(260)),
    ] {
        assert!(MessageId::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_thread_keeps_its_root() {
    let ids: Vec<MessageId> = (0..50)
        .map(|n| MessageId::parse(&format!("{n}@x.test")).unwrap())
        .collect();
    let kept = thread(&ids, Some(&ids[49]));
    assert_eq!(kept.len(), REFERENCES_MAX);
    assert_eq!(
        (kept[0].as_str(), kept[1].as_str(), kept[9].as_str()),
        ("<0@x.test>", "<41@x.test>", "<49@x.test>")
    );
}

#[test]
fn the_wire_check_finds_what_it_is_for() {
    assert_eq!(check_wire(b"a\r\nb\r\n"), Ok(()));
    assert_eq!(check_wire(b"a\r\nb"), Err(WireError::Open));
    assert_eq!(check_wire(b"a\nb\r\n"), Err(WireError::BareLineEnd));
    assert_eq!(check_wire(b"a\rb\r\n"), Err(WireError::BareLineEnd));
    assert_eq!(check_wire(b"a\r\n.\r\n"), Err(WireError::Dot));
    assert_eq!(check_wire(b"a\r\nFrom b\r\n"), Err(WireError::From));
    assert_eq!(check_wire(b"a\xff\r\n"), Err(WireError::EightBit));
    assert_eq!(
        check_wire(&[vec![b'x'; 999], b"\r\n".to_vec()].concat()),
        Err(WireError::LongLine)
    );
}

/// Text that goes for the seams: line ends of all kinds, dots, header look-alikes, encoded words.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\r\n".to_string()),
        Just("\n".to_string()),
        Just("\r".to_string()),
        Just(".".to_string()),
        Just("\r\n.\r\n".to_string()),
        Just("\n.\nQUIT\n".to_string()),
        Just("From ".to_string()),
        Just("Bcc: x@y.test".to_string()),
        Just("=?utf-8?B?DQo=?=".to_string()),
        Just("--=_".to_string()),
        Just("=".to_string()),
        Just(" ".to_string()),
        Just("\u{0}\u{1b}[2J\u{202e}\u{2028}\u{85}".to_string()),
        "[a-z ]{0,90}",
        "\\PC{0,20}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_player_can_add_headers_or_cut_a_mail(subject in hostile(), chat in hostile(), alias in hostile(), with_html: bool) {
        let mut kit = kit();
        if let Ok(alias) = Alias::parse(&alias) {
            kit.name = alias;
        }
        if let Ok(id) = MessageId::parse(&alias) {
            kit.theirs = id;
        }
        let html = with_html.then_some(chat.as_str());
        let mail = compose(&outgoing(&kit, &subject, &chat, html));
        prop_assert_eq!(check_wire(&mail.bytes), Ok(()));
        prop_assert!(!mail.bytes.windows(5).any(|w| w == b"\r\n.\r\n"));
        let parsed = parse_mail(&mail.bytes).unwrap();
        let names: Vec<String> = parsed.headers.iter().map(|h| h.get_key()).collect();
        for name in &names {
            prop_assert!(NAMES.contains(&name.as_str()), "{}", name);
            prop_assert_eq!(names.iter().filter(|n| *n == name).count(), 1, "{}", name);
        }
        prop_assert_eq!(parsed.headers.get_first_value("Subject").unwrap(), mail.subject.clone());
        prop_assert_eq!(parsed.headers.get_first_value("To").unwrap(), kit.to.as_str());
        let plain = match with_html {
            true => {
                prop_assert_eq!(parsed.subparts.len(), 2);
                read_back(&parsed.subparts[0].get_body().unwrap())
            }
            false => read_back(&parsed.get_body().unwrap()),
        };
        let expected = text::clean(&chat);
        prop_assert_eq!(plain.trim_end_matches('\n'), expected.trim_end_matches('\n'));
    }
}
