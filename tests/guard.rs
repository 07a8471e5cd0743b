//! The guard at the door: planted leaks are found in every encoding, honest mails pass, and what it stops stays stopped.

mod common;

use std::fs;
use std::io::Write;
use std::sync::{Arc, Mutex};

use common::{ALICE, BOB, CAROL, Club, count};
use tulpa::daemon::HELD_BY_GUARD;
use tulpa::fair::chain;
use tulpa::fair::line::{hex, line_mac, unhex};
use tulpa::fair::seal;
use tulpa::fair::token::reply_token;
use tulpa::post::guard::{Allowed, Leak, look, look_text};
use tulpa::referee::keeper::Word;
use tulpa::referee::secrets::{Secrets, secrets};
use tulpa::referee::{MatchNo, Registry};
use tulpa::rules::Seat;

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let all = three.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for at in 0..4 {
            match at <= three.len() {
                true => out.push(char::from(SIGNS[(all >> (18 - 6 * at) & 63) as usize])),
                false => out.push('='),
            }
        }
    }
    out
}

/// Every byte as quoted-printable, with soft line ends.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for (n, b) in text.bytes().enumerate() {
        if n % 20 == 19 {
            out.push_str("=\r\n");
        }
        out.push_str(&format!("={b:02X}"));
    }
    out
}

fn mail(head: &str, body: &str) -> Vec<u8> {
    format!(
        "From: <referee@club.example>\r\nTo: <{BOB}>\r\nSubject: [tulpas #1] Your card\r\n{head}MIME-Version: 1.0\r\n\r\n{body}\r\n"
    )
    .into_bytes()
}

fn plain(line: &str) -> Vec<u8> {
    mail(
        "Content-Type: text/plain; charset=utf-8\r\n",
        &format!("Dear Bob,\r\n{line}\r\nyours"),
    )
}

/// Alice's card is down, Bob's is not.
fn club() -> Club {
    let mut club = Club::started("guarded", "tulpas");
    club.quiet = true;
    club.writes(ALICE, "pick amazon");
    club
}

fn of(club: &Club, who: &str) -> Secrets {
    let records = club.daemon.records();
    let m = records.game(MatchNo(1)).unwrap();
    secrets(&records, &m, records.player_by_address(who))
}

#[test]
fn planted_leaks_are_found() {
    let club = club();
    let (game, bob) = (club.game(), of(&club, BOB));
    let nonce = game.sealed[0].nonce.0.clone();
    let bytes = unhex(&nonce).unwrap();
    let secret = unhex(&game.secret.0).unwrap();
    let server: [u8; 32] = fs::read(club.dir.path().join("state/keys/server"))
        .unwrap()
        .try_into()
        .unwrap();
    let top = line_mac(&secret, &format!("tulpa1/top {}", game.gid));
    let c_5 = hex(&chain::down(&game.gid, 2048, &top, 5));
    let alice = game.chair_of(game.chairs[0].player).unwrap();
    let token = reply_token(&server, &game.gid, alice, 1);
    let html = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n";
    let qp = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n";
    let pairs: Vec<String> = nonce
        .as_bytes()
        .chunks(2)
        .map(|p| String::from_utf8_lossy(p).to_uppercase())
        .collect();
    let mut longer = b"ab".to_vec();
    longer.extend(&bytes);
    let planted: Vec<(&str, Vec<u8>, Leak)> = vec![
        (
            "a nonce in hex",
            plain(&format!("by the way {nonce}")),
            Leak::Value,
        ),
        ("a nonce in pairs", plain(&pairs.join(":")), Leak::Value),
        (
            "a nonce broken over lines",
            plain(&format!("{}\r\n {}", &nonce[..30], &nonce[30..])),
            Leak::Value,
        ),
        ("a nonce in base64", plain(&base64(&bytes)), Leak::Value),
        (
            "a nonce inside of base64",
            plain(&base64(&longer)),
            Leak::Value,
        ),
        (
            "a nonce in url base64",
            plain(&base64(&bytes).replace('+', "-").replace('/', "_")),
            Leak::Value,
        ),
        (
            "its hex in base64 in the text",
            plain(&base64(nonce.as_bytes())),
            Leak::Value,
        ),
        (
            "a nonce in a base64 part",
            mail(html, &base64(format!("<p>{nonce}</p>").as_bytes())),
            Leak::Value,
        ),
        (
            "a nonce in quoted-printable",
            mail(qp, &quoted(&format!("see {nonce}"))),
            Leak::Value,
        ),
        ("the match's secret", plain(&game.secret.0), Leak::Value),
        ("the server's key", plain(&base64(&server)), Leak::Value),
        (
            "a roll to come, in a header",
            mail(&format!("X-Game: {c_5}\r\n"), "hello"),
            Leak::Roll,
        ),
        (
            "a token in Reply-To",
            mail(
                &format!(
                    "Reply-To: <ref+{}.0.{}@club.example>\r\n",
                    game.gid,
                    token.to_uppercase()
                ),
                "hello",
            ),
            Leak::Token,
        ),
        (
            "a token in base64",
            plain(&base64(token.as_bytes())),
            Leak::Token,
        ),
        (
            "an address",
            plain("Alice (Alice@Hill.example) asks"),
            Leak::Address,
        ),
        (
            "an address in an encoded word",
            mail(
                &format!("Comments: =?utf-8?B?{}?=\r\n", base64(ALICE.as_bytes())),
                "hello",
            ),
            Leak::Address,
        ),
        (
            "an address in a link",
            plain("mailto:x@y.example?cc=alice%40hill.example"),
            Leak::Address,
        ),
        (
            "a seal's line",
            plain(&format!("printf tulpa1/seal {} 1 1 amazon xyz", game.gid)),
            Leak::Card,
        ),
        (
            "a card by itself",
            plain("Alice wrote: pick amazon"),
            Leak::Card,
        ),
    ];
    assert!(planted.len() >= 10);
    for (what, bytes, leak) in &planted {
        assert_eq!(
            look(bytes, &bob, &Allowed::default()),
            Some(*leak),
            "{what}"
        );
    }
    let broken = b"Subject: x\r\nno header at all".as_slice();
    assert!(look(broken, &bob, &Allowed::default()).is_none_or(|l| l == Leak::Closed));
}

#[test]
fn what_is_no_secret_passes() {
    let club = club();
    let (alice, bob) = (of(&club, ALICE), of(&club, BOB));
    let game = club.game();
    let nonce = &game.sealed[0].nonce.0;
    let none = Allowed::default();
    // her own receipt
    let receipt = String::from_utf8(plain(nonce)).unwrap().replace(BOB, ALICE);
    assert_eq!(look(receipt.as_bytes(), &alice, &none), None);
    // the seal, and a value that looks like one
    assert_eq!(look(&plain(&game.sealed[0].commitment), &bob, &none), None);
    // all cards that Bob may choose from
    let all = "pick amazon\r\npick spider\r\npick ox\r\npick mace\r\npick archer";
    assert_eq!(look(&plain(all), &bob, &none), None);
    // an address that its reader typed
    let typed = Allowed {
        typed: format!("new chess vs {ALICE}"),
        ..Allowed::default()
    };
    assert_eq!(look(&plain(ALICE), &bob, &typed), None);
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_mail_that_tells_is_not_sent_and_its_match_stands_still() {
    let lines = Lines::default();
    let into = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || into.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let mut club = club();
        let why = format!("ask {ALICE} why");
        let word = Word::Extend {
            game: MatchNo(1),
            days: 2,
            why,
        };
        club.daemon.word(&word, None).unwrap().unwrap();
        let mails = club.round();
        assert_eq!(count(&mails, BOB), 0, "{mails:#?}");
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(
            text.contains("would have told its reader an address"),
            "{text} {mails:#?}"
        );
        let hold = club.game().hold.clone().expect("the match is on hold");
        assert_eq!(hold.why, HELD_BY_GUARD);
        // the others hear of it when they write
        let mails = club.writes(BOB, "pick ox");
        assert!(
            mails
                .iter()
                .any(|m| m.text.contains("a mail about this match must be looked")),
            "{mails:#?}"
        );
        club.daemon
            .word(&Word::Resume { game: MatchNo(1) }, None)
            .unwrap()
            .unwrap();
        club.round();
        club.writes(BOB, "pick ox");
        club.writes(CAROL, "help");
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(
            text.contains("would have told its reader an address"),
            "{text}"
        );
        let records = club.daemon.records();
        let all = secrets(&records, &club.game(), None);
        for line in text.lines() {
            assert_eq!(look_text(line, &all, &Allowed::default()), None, "{line}");
        }
    });
}

/// A seed that one player has opened and another has not: nobody else may know it before the match begins.
#[test]
fn an_opened_seed_is_a_secret_until_all_are_open() {
    let mut club = Club::new("guarded_seed");
    club.quiet = true;
    club.writes(ALICE, &format!("new chaturaji vs {BOB} as green and blue"));
    let gid = club.game().gid.clone();
    let sealed = |place: u32, seed: &[u8; 32]| {
        let c = tulpa::fair::entropy::seed_commitment(&gid, place, seed);
        format!("seed commit {}", hex(&c))
    };
    let (hers, his) = ([0xa1; 32], [0xb0; 32]);
    club.writes(ALICE, &sealed(1, &hers));
    club.writes(BOB, &format!("accept\n{}", sealed(2, &his)));
    club.writes(ALICE, &format!("seed open {}", hex(&hers)));
    let leak = plain(&hex(&hers));
    assert_eq!(
        look(&leak, &of(&club, BOB), &Allowed::default()),
        Some(Leak::Value)
    );
    let own = of(&club, ALICE);
    assert_ne!(look(&leak, &own, &Allowed::default()), Some(Leak::Value));
    let mails = club.writes(BOB, &format!("seed open {}", hex(&his)));
    assert!(club.game().table.is_some(), "{mails:#?}");
    assert_eq!(look(&leak, &of(&club, BOB), &Allowed::default()), None);
}

/// Both players keep their cards, and Alice has opened hers.
fn opened(card: &str, lines: &Lines) -> (Club, String) {
    let into = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || into.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let mut club = Club::started("guarded_cards", "tulpas");
        club.quiet = true;
        let gid = club.game().gid.clone();
        let nonces = [seal::line_hash("hers"), seal::line_hash("his")];
        for (seat, who) in [(1, ALICE), (2, BOB)] {
            let nonce = &nonces[seat as usize - 1];
            let number = seal::commitment(&gid, 1, seat, card, nonce);
            club.writes(who, &format!("pick commit {number}"));
        }
        let records = club.daemon.records();
        assert!(secrets(&records, &club.game(), None).cards.is_empty());
        drop(records);
        let [nonce, wrong] = nonces;
        club.writes(ALICE, &format!("pick open {card} {wrong}"));
        club.writes(ALICE, &format!("pick open {card} {nonce}"));
        club.writes(ALICE, &format!("pick open {card} {nonce}"));
        club.writes(BOB, "show");
        club.later(25);
        club.writes(BOB, "message open yours\nstatus\nhistory");
        assert!(club.game().card_down(1, Seat(0)).unwrap().known());
        (club, nonce)
    })
}

#[test]
fn what_is_opened_in_secret_stays_secret() {
    let mut sizes: Option<[Vec<usize>; 2]> = None;
    for card in ["amazon", "ox", "archer", "spider", "mace"] {
        let lines = Lines::default();
        let (club, nonce) = opened(card, &lines);
        let bob = of(&club, BOB);
        let none = Allowed::default();
        assert_eq!(look(&plain(&nonce), &bob, &none), Some(Leak::Value));
        let bytes = unhex(&nonce).unwrap();
        assert_eq!(
            look(&plain(&base64(&bytes)), &bob, &none),
            Some(Leak::Value)
        );
        let told = format!("She wrote: pick open {card}");
        assert_eq!(look(&plain(&told), &bob, &none), Some(Leak::Card));
        let hers = String::from_utf8(plain(&nonce))
            .unwrap()
            .replace(BOB, ALICE);
        assert_eq!(look(hers.as_bytes(), &of(&club, ALICE), &none), None);
        // nothing of it has left: not to him, not into the log
        for path in &club.seen {
            let mail = fs::read(path).unwrap();
            let text = String::from_utf8_lossy(&mail);
            if text.contains(&format!("To: <{BOB}>")) {
                assert_eq!(look(&mail, &bob, &none), None, "{text}");
            }
        }
        let records = club.daemon.records();
        let all = secrets(&records, &club.game(), None);
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        for line in text.lines() {
            assert_eq!(look_text(line, &all, &none), None, "{line}");
        }
        // and no size tells which card it is (trust.md 8, T7); a refusal repeats what its reader wrote
        let now = [club.bytes_to(ALICE), club.bytes_to(BOB)];
        let first = sizes.get_or_insert_with(|| now.clone());
        assert_eq!(first[1], now[1], "{card}");
        let same = first[0].iter().zip(&now[0]).filter(|(a, b)| a == b).count();
        assert!(
            same + 2 >= now[0].len(),
            "{card}: {:?} {:?}",
            first[0],
            now[0]
        );
    }
}
