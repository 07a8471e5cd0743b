//! The guard at the door: planted leaks are found in every encoding, honest mails pass, and what it stops stays stopped.

mod common;
mod planted;

use std::fs;

use common::{ALICE, BOB, CAROL, Club, count, to};
use planted::{Lines, base64, mail, of, plain, printed, quoted};
use tulpa::daemon::HELD_BY_GUARD;
use tulpa::edge::{Carrier, Delivery};
use tulpa::fair::chain;
use tulpa::fair::line::{hex, line_mac, unhex};
use tulpa::fair::seal;
use tulpa::fair::token::reply_token;
use tulpa::post::guard::{Allowed, Leak, look, look_text};
use tulpa::referee::MatchNo;
use tulpa::referee::keeper::Word;
use tulpa::referee::secrets::secrets;
use tulpa::rules::Seat;
use tulpa::store::Queued;

/// Alice's card is down, Bob's is not.
fn club() -> Club {
    let mut club = Club::started("guarded", "tulpas");
    club.quiet = true;
    club.writes(ALICE, "pick amazon");
    club
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

/// A letter that nothing vouches for, from an address that nobody knows.
const STRANGER: &str = "eve@moor.example";

/// Mails to bare addresses are asked for by whoever likes: they tell nothing of the match that the letter names.
#[test]
fn a_mail_to_a_bare_address_is_looked_through_too() {
    let nonce_of = |club: &Club| club.game().sealed[0].nonce.0.clone();
    let token_of = |club: &Club| {
        let tag = club.last[ALICE].reply_to.split('@').next().unwrap();
        tag.rsplit('.').next().unwrap().to_owned()
    };
    let secret_of = |club: &Club| club.game().secret.0.clone();
    let roll_of = |club: &Club| {
        let game = club.game();
        let top = line_mac(
            &unhex(&game.secret.0).unwrap(),
            &format!("tulpa1/top {}", game.gid),
        );
        hex(&chain::down(&game.gid, 2048, &top, 700))
    };
    type Plant<'a> = (&'a str, &'a dyn Fn(&Club) -> String);
    let planted: [Plant; 4] = [
        ("a nonce or a key", &nonce_of),
        ("a reply token", &token_of),
        ("a nonce or a key", &secret_of),
        ("a roll to come", &roll_of),
    ];
    for (leak, secret) in planted {
        let text = printed(|_| {
            let mut club = club();
            let line = format!("help {}", secret(&club));
            let alice = club.last[ALICE].clone();
            let eml = club.letter(STRANGER, false, Some(&alice), &line);
            // the owner of the thread is asked, whom it tells nothing new
            club.post(&eml);
            club.round();
            // a game's number is all that names it
            let eml = club.letter(STRANGER, false, None, &format!("game 1\n{line}"));
            club.post(&eml);
            let mails = club.round();
            assert_eq!(count(&mails, STRANGER), 0, "{leak}: {mails:#?}");
            let hold = club.game().hold.clone().expect("the match is on hold");
            assert_eq!(hold.why, HELD_BY_GUARD);
        });
        let said = format!("a mail `confirm` about match 1 would have told its reader {leak}");
        assert!(text.contains(&said), "{text}");
    }
    // nothing is wrong with a mail that repeats its own code and what its reader wrote
    let mut club = club();
    let eml = club.letter(STRANGER, false, None, "game 1\npick amazon\nguess ox");
    club.post(&eml);
    let mails = club.round();
    assert_eq!(count(&mails, STRANGER), 1, "{mails:#?}");
    assert!(mails[0].text.contains("    confirm "), "{mails:#?}");
    assert!(club.game().hold.is_none());
}

/// Whoever guesses a card learns nothing by the referee's silence, nor can he stop the match so.
#[test]
fn a_guess_that_is_repeated_is_no_leak() {
    let mut club = club();
    let gid = club.game().gid.clone();
    for card in ["ox", "amazon", "spider"] {
        let line = format!("tulpa1/seal {gid} 1 1 {card} x");
        let mails = club.writes(BOB, &line);
        assert_eq!(count(&mails, BOB), 1, "{card}: {mails:#?}");
        let eml = club.letter(BOB, false, None, &format!("pick {card}\nguess {card}"));
        club.post(&eml);
        let mails = club.round();
        assert_eq!(count(&mails, BOB), 1, "{card}: {mails:#?}");
        assert!(club.game().hold.is_none(), "{card}");
    }
}

/// What a player noted or wrote himself comes back to him; a Message-ID like somebody's address stops nothing.
#[test]
fn ones_own_words_come_back() {
    let mut club = club();
    club.writes(BOB, &format!("note she is {ALICE}"));
    let mails = club.writes(BOB, "show");
    assert!(mails[0].text.contains(ALICE), "{mails:#?}");
    let eml = club.letter(BOB, true, None, "game 1\nshow");
    let own = eml.lines().find(|l| l.starts_with("Message-ID")).unwrap();
    let eml = eml.replace(own, &format!("Message-ID: <{ALICE}>"));
    club.post(&eml);
    let mails = club.round();
    assert_eq!(count(&mails, BOB), 1, "{mails:#?}");
    assert!(club.game().hold.is_none());
}

/// The Keeper's own words, in mails about a match and about none: nobody's address, no code of another letter.
#[test]
fn people_outside_of_the_match_are_kept_too() {
    let text = printed(|_| {
        let mut club = club();
        // Carol is known and plays nothing
        club.writes(CAROL, "name Carol");
        let why = format!("ask {CAROL}");
        let extend = |why: String| Word::Extend {
            game: MatchNo(1),
            days: 2,
            why,
        };
        club.daemon
            .word(&extend(why.clone()), None)
            .unwrap()
            .unwrap();
        assert_eq!(club.round().len(), 0);
        let resume = Word::Resume { game: MatchNo(1) };
        club.daemon.word(&resume, None).unwrap().unwrap();
        club.round();
        let ban = Word::Ban {
            player: "Bob".to_owned(),
            why,
        };
        club.daemon.word(&ban, None).unwrap().unwrap();
        let mails = club.round();
        assert_eq!(mails.len(), 0, "{mails:#?}");
        // a letter of Carol's waits for her word
        let eml = club.letter(CAROL, false, None, "new chess vs nobody@moor.example");
        club.post(&eml);
        let mails = club.round();
        let ask = &to(&mails, CAROL).text;
        let code = ask.split("    confirm ").nth(1).unwrap();
        let code = code.split_whitespace().next().unwrap().to_owned();
        club.daemon.word(&extend(code), None).unwrap().unwrap();
        assert_eq!(club.round().len(), 0);
    });
    for said in [
        "a mail `keeper` would have told its reader an address",
        "would have told its reader a code of confirmation",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

/// A carrier whose every failure quotes the mail, as some mail servers do.
struct Grumbler(usize);

impl Carrier for Grumbler {
    fn send(&mut self, mail: &Queued) -> Delivery {
        self.0 += 1;
        let text = String::from_utf8_lossy(mail.bytes());
        let head = text.split("\r\n\r\n").next().unwrap();
        let why = format!("554 <{}> is not here: {head}", mail.to());
        match self.0 % 4 {
            0 => Delivery::Later(why),
            1 => Delivery::Unknown(why),
            2 => Delivery::Dead(why),
            _ => Delivery::Stop(why),
        }
    }
}

/// Everything that is printed while matches are played, at the most talkative level, holds none of their secrets as they
/// stood before and after each letter.
#[test]
fn no_line_of_the_log_tells_a_secret() {
    let (mut letters, mut looked, mut refused) = (0, 0, 0);
    let text = printed(|lines| {
        for (game, options) in [("tulpas", " reveal=outcome"), ("tulpas", ""), ("chess", "")] {
            let mut club = Club::started_with("guarded", game, options);
            club.quiet = true;
            let mut from = 0;
            for turn in 0..14 {
                let Some((seat, what)) = club.game().awaited().into_iter().next() else {
                    break;
                };
                let all = |club: &Club| {
                    let records = club.daemon.records();
                    secrets(&records, &club.game(), None)
                };
                let before = all(&club);
                let table = club.game().table.clone().unwrap();
                let order = tulpa::cli::demo::player::answer(&table, seat, what, turn).unwrap();
                let who = club.asked_address();
                club.writes(who, &order);
                // and one that is refused, and one whose answer nobody takes
                club.writes(who, "pick nothing\nNz9-z1");
                let eml = club.letter(who, true, None, "game 1\nshow");
                club.post(&eml);
                let mut carrier = Grumbler(turn);
                club.daemon.round(&mut club.inbox, &mut carrier).unwrap();
                refused += carrier.0 - turn;
                letters += 3;
                let text = lines.text();
                for secrets in [&before, &all(&club)] {
                    for line in text[from..].lines() {
                        let leak = look_text(line, secrets, &Allowed::default());
                        assert_eq!(leak, None, "{line}");
                        looked += 1;
                    }
                }
                from = text.len();
            }
        }
    });
    let lines = text.lines().count();
    println!("{letters} letters, {refused} mails not taken, {lines} lines");
    assert!(letters > 60 && refused > 8);
    assert!(looked > 16, "nothing is printed at all");
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
            if text.contains(&format!("To: {BOB}\r\n")) {
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
