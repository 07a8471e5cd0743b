//! The referee without any mail: letters as values in, events and notices out.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tulpa::fair::seal;
use tulpa::fair::token::reply_token;
use tulpa::referee::order::{Oddities, Order, OrderLine, Part, Proof, Read, Rival, Slip, Token};
use tulpa::referee::{
    Command, Decision, House, MatchNo, News, Notice, NoticeKind, Outcome, Registry, ReplyTo,
    Report, Room, SentMail, Stage, To, Why, apply, decide, next_deadline,
};
use tulpa::rules::{Seat, Shelf};

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.net";

struct World {
    room: Room,
    shelf: Shelf,
    now: Timestamp,
    letters: u32,
    /// Every notice ever written.
    all: Vec<Notice>,
    /// The last mail to each address, for tokens and threads.
    last: BTreeMap<String, Notice>,
    mails: u32,
}

fn line(text: &str, order: Order) -> OrderLine {
    OrderLine {
        line: 1,
        text: text.into(),
        order: Ok(order),
    }
}

/// A tiny reader, enough for these tests; the real one is in layer `post`.
fn orders(text: &str) -> Vec<OrderLine> {
    let mut out: Vec<OrderLine> = Vec::new();
    for (i, l) in text.lines().enumerate() {
        let l = l.trim();
        let (word, rest) = l.split_once(' ').unwrap_or((l, ""));
        let rest_string = rest.to_string();
        let order = match word {
            "" => continue,
            "help" => Order::Help(None),
            "games" => Order::Games,
            "status" => Order::Status,
            "history" => Order::History,
            "show" => Order::Show(None),
            "accept" if rest == "draw" => Order::AcceptDraw,
            "accept" if rest == "undo" => Order::AcceptUndo,
            "accept" => Order::Accept,
            "decline" => Order::Decline,
            "block" => Order::Block(rest_string),
            "cancel" => Order::Cancel,
            "rules" => Order::Rules(rest_string),
            "notation" => Order::Notation(rest_string),
            "set" => {
                let (key, value) = rest.split_once('=').unwrap();
                Order::Set {
                    key: key.into(),
                    value: value.into(),
                }
            }
            "name" => Order::Name(rest_string),
            "claim" => Order::ClaimTime,
            "clock" => Order::Clock,
            "away" => Order::Away(rest_string),
            "back" => Order::Back,
            "note" => Order::Note(rest_string),
            "undo" => Order::Undo,
            "refuse" => Order::DeclineUndo,
            "pick" => Order::Pick(rest_string),
            "guess" => Order::Guess(rest_string),
            "place" => Order::Place(rest_string),
            "preview" => Order::Preview(rest_string),
            "resign" => Order::Resign,
            "offer" => Order::OfferDraw,
            "message" => Order::Message(rest_string),
            "turn" => Order::Turn(rest.parse().unwrap()),
            "confirm" => Order::Confirm(rest_string),
            "seek" => Order::Seek {
                game: rest_string,
                options: BTreeMap::new(),
            },
            "seeks" => Order::Seeks,
            "join" => Order::Join(rest.parse().unwrap()),
            "if" => Order::IfCreated {
                created: Some(rest.trim_start_matches("created:").trim().into()),
                otherwise: None,
            },
            "else:" => Order::IfCreated {
                created: None,
                otherwise: Some(rest_string),
            },
            _ => Order::Play(l.into()),
        };
        out.push(OrderLine {
            line: i + 1,
            ..line(l, order)
        });
    }
    out
}

fn new_game(game: &str, rival: &str, seat: &str, options: &[(&str, &str)]) -> Vec<OrderLine> {
    vec![line(
        "new ...",
        Order::New {
            game: game.into(),
            rivals: vec![Rival::Address(rival.into())],
            seat: (!seat.is_empty()).then(|| seat.into()),
            options: options
                .iter()
                .map(|(k, v)| (k.to_string(), v.to_string()))
                .collect(),
        },
    )]
}

impl World {
    fn new() -> World {
        World {
            room: Room::new(House {
                key: [7; 32],
                strict: false,
                days: 0,
                allowance: Default::default(),
            }),
            shelf: Shelf::builtin(),
            now: "2026-01-01T00:00:00Z".parse().unwrap(),
            letters: 0,
            all: Vec::new(),
            last: BTreeMap::new(),
            mails: 0,
        }
    }
    fn read(&mut self, from: &str, orders: Vec<OrderLine>) -> Read {
        self.letters += 1;
        Read {
            from: from.into(),
            proof: Proof::None,
            token: None,
            subject_match: None,
            message_id: format!("letter-{}@client", self.letters),
            answers: Vec::new(),
            parts: vec![Part { game: None, orders }],
            ignored: Vec::new(),
            received: self.now,
            digest: [0; 32],
            oddities: Oddities::default(),
        }
    }
    /// Decides, checks that applying the events gives what the decision says it wrote, keeps it.
    fn run(&mut self, command: &Command) -> Decision {
        self.now = Timestamp::from_second(self.now.as_second() + 60).unwrap();
        let entropy = seal_bytes(self.letters);
        let before = self.room.clone();
        let decision = decide(&self.room, &self.shelf, command, self.now, &entropy);
        let mut applied = before;
        for event in &decision.events {
            let json = serde_json::to_string(event).unwrap();
            let event = serde_json::from_str(&json).unwrap_or_else(|e| panic!("{json}: {e}"));
            apply(&mut applied, &event, self.now).unwrap_or_else(|e| panic!("{json}: {e}"));
        }
        self.room.keep(&decision);
        applied.seen = self.room.seen.clone();
        for (no, m) in &self.room.changes.games {
            let other = &applied.changes.games[no];
            assert_eq!(format!("{m:?}"), format!("{other:?}"));
            assert_eq!(m.save(), other.save());
            let loaded = tulpa::referee::Match::load(&m.save(), |d| self.room.book(d)).unwrap();
            assert_eq!(format!("{m:?}"), format!("{loaded:?}"));
        }
        assert_eq!(
            format!("{:?}", self.room.changes.players),
            format!("{:?}", applied.changes.players)
        );
        assert_eq!(self.room.changes.lines, applied.changes.lines);
        for notice in &decision.notices {
            let address = match &notice.to {
                To::Player(no) => self.room.player(*no).unwrap().address.clone(),
                To::Address(a) => a.clone(),
            };
            self.mails += 1;
            if let (Some(game), ReplyTo::Chair { chair, .. }) = (notice.game, &notice.reply) {
                let id = format!("mail-{}@referee", self.mails);
                self.room.mails.insert(
                    id,
                    SentMail {
                        game,
                        chair: *chair,
                        turn: notice.turn,
                    },
                );
            }
            self.last.insert(address, notice.clone());
        }
        self.all.extend(decision.notices.clone());
        decision
    }
    /// A letter that answers the last mail, by its token.
    fn reply(&mut self, from: &str, text: &str) -> Decision {
        let mut read = self.read(from, orders(text));
        read.token = self.token_for(from);
        self.run(&Command::Letter(Box::new(read)))
    }
    fn token_for(&self, address: &str) -> Option<Token> {
        match &self.last.get(address)?.reply {
            ReplyTo::Chair { gid, chair, epoch } => Some(Token {
                gid: gid.clone(),
                seat: *chair,
                mac: reply_token(&self.room.house.key, gid, *chair, *epoch),
            }),
            ReplyTo::Code(code) => Some(Token {
                gid: tulpa::referee::authority::CONFIRM.into(),
                seat: 0,
                mac: code.clone(),
            }),
            ReplyTo::Plain => None,
        }
    }
    /// A letter whose sender the mail server vouches for.
    fn vouched(&mut self, from: &str, orders: Vec<OrderLine>) -> Decision {
        let mut read = self.read(from, orders);
        read.proof = Proof::Vouched;
        self.run(&Command::Letter(Box::new(read)))
    }
    /// A match between ann (white) and bob (black).
    fn started(game: &str, options: &[(&str, &str)]) -> World {
        let mut w = World::new();
        w.vouched(ANN, new_game(game, BOB, "white", options));
        w.reply(BOB, "accept");
        assert_eq!(w.game().stage, Stage::Playing);
        w
    }
    fn game(&self) -> std::sync::Arc<tulpa::referee::Match> {
        self.room.game(MatchNo(1)).unwrap()
    }
    fn to<'a>(&self, decision: &'a Decision, address: &str) -> &'a NoticeKind {
        let no = self.room.player_by_address(address).unwrap();
        let mut found = decision.notices.iter().filter(|n| n.to == To::Player(no));
        let one = found
            .next()
            .unwrap_or_else(|| panic!("no mail to {address}: {decision:#?}"));
        assert!(found.next().is_none(), "more than one mail to {address}");
        &one.kind
    }
    fn silent_to(&self, decision: &Decision, address: &str) {
        let no = self.room.player_by_address(address).unwrap();
        assert!(
            !decision.notices.iter().any(|n| n.to == To::Player(no)),
            "a mail to {address}: {decision:#?}"
        );
    }
}

fn seal_bytes(n: u32) -> [u8; 32] {
    seal::line_mac(&[1; 32], &n.to_string())
}

fn report(kind: &NoticeKind) -> &Report {
    match kind {
        NoticeKind::Begun(r)
        | NoticeKind::YourMove(r)
        | NoticeKind::News(r)
        | NoticeKind::Understood(r)
        | NoticeKind::Board(r)
        | NoticeKind::Preview(r)
        | NoticeKind::Over(r) => r,
        other => panic!("no report: {other:#?}"),
    }
}

fn why(kind: &NoticeKind) -> &Why {
    match kind {
        NoticeKind::Refused(r) => &r.why,
        other => panic!("not refused: {other:#?}"),
    }
}

#[test]
fn an_invitation_needs_two_opt_ins() {
    let mut w = World::new();
    let d = w.vouched(ANN, new_game("tulpas", BOB, "white", &[]));
    assert!(matches!(w.to(&d, ANN), NoticeKind::Proposed { .. }));
    assert!(matches!(
        w.to(&d, BOB),
        NoticeKind::Invitation { stranger: true, .. }
    ));
    // Silence is respected: nobody can make the referee write to him again.
    let d = w.vouched(ANN, new_game("maces", BOB, "", &[]));
    assert!(matches!(why(w.to(&d, ANN)), Why::CannotInvite { .. }));
    w.silent_to(&d, BOB);
    let invitation = w.last[BOB].clone();
    // A forged yes without a token is asked back, once a day.
    let read = w.read(BOB, orders("accept"));
    let d = w.run(&Command::Letter(Box::new(read)));
    assert_eq!(d.outcome, Outcome::Held);
    assert!(matches!(w.to(&d, BOB), NoticeKind::Confirm { .. }));
    let read = w.read(BOB, orders("accept"));
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(d.notices.is_empty() && d.events.is_empty());
    w.last.insert(BOB.into(), invitation);
    let d = w.reply(BOB, "accept");
    assert!(matches!(w.to(&d, ANN), NoticeKind::Begun(_)));
    assert!(matches!(w.to(&d, BOB), NoticeKind::Begun(_)));
    assert_eq!(report(w.to(&d, ANN)).owed.as_deref(), Some("pick"));
    assert_eq!(report(w.to(&d, BOB)).owed.as_deref(), Some("guess"));
    assert_eq!(
        w.game().seat_of(w.room.player_by_address(BOB).unwrap()),
        Some(Seat(1))
    );
    // No address in any notice to the other.
    let ann = w.room.player_by_address(ANN).unwrap();
    for n in w.all.iter().filter(|n| n.to == To::Player(ann)) {
        assert!(
            !serde_json::to_string(n).unwrap().contains("bob@")
                || matches!(n.kind, NoticeKind::Refused(_))
        );
    }
}

/// The code of a confirmation mail, and what it says would be done.
fn question(kind: &NoticeKind) -> (&str, Vec<&str>) {
    match kind {
        NoticeKind::Confirm { code, lines, .. } => {
            (code, lines.iter().map(String::as_str).collect())
        }
        other => panic!("no question: {other:#?}"),
    }
}

#[test]
fn whoever_writes_in_a_players_name_cannot_silence_him() {
    for spoofer_first in [true, false] {
        let mut w = World::started("maces", &[]);
        let asked = |w: &mut World, text: &str| {
            let read = w.read(ANN, orders(text));
            let d = w.run(&Command::Letter(Box::new(read)));
            assert_eq!(d.outcome, Outcome::Held);
            let (code, lines) = question(w.to(&d, ANN));
            assert_eq!(lines, [text]);
            w.silent_to(&d, BOB);
            (code.to_owned(), w.last[ANN].clone())
        };
        let (his, hers);
        if spoofer_first {
            his = asked(&mut w, "resign");
            hers = asked(&mut w, "a3-a4");
        } else {
            hers = asked(&mut w, "a3-a4");
            his = asked(&mut w, "resign");
        }
        assert_ne!(his.0, hers.0);
        // The spoofer does not see the codes; a yes without one is a question more.
        let read = w.read(ANN, orders("accept"));
        let d = w.run(&Command::Letter(Box::new(read)));
        assert_eq!(d.outcome, Outcome::Held);
        // She says yes to hers alone.
        w.last.insert(ANN.into(), hers.1);
        let d = w.reply(ANN, "");
        assert!(matches!(w.to(&d, BOB), NoticeKind::YourMove(_)), "{d:#?}");
        let m = w.game();
        assert_eq!((m.stage, m.turn()), (Stage::Playing, 2));
        assert!(w.room.held(&hers.0).is_none() && w.room.held(&his.0).is_some());
        // Somebody else cannot say yes for her.
        let eve = w.read("eve@moor.example", orders(&format!("confirm {}", his.0)));
        let d = w.run(&Command::Letter(Box::new(eve)));
        assert!(d.events.is_empty() && d.notices.is_empty());
        // A day later nobody can.
        w.now = Timestamp::from_second(w.now.as_second() + 90_000).unwrap();
        w.last.insert(ANN.into(), his.1);
        let d = w.reply(ANN, "");
        assert!(d.events.is_empty(), "{d:#?}");
        assert_eq!(w.game().stage, Stage::Playing);
    }
}

#[test]
fn questions_have_a_limit_and_proven_letters_none() {
    let mut w = World::started("tulpas", &[]);
    let mail = w.last[ANN].clone();
    for n in 1..=7 {
        let read = w.read(ANN, orders("resign"));
        let d = w.run(&Command::Letter(Box::new(read)));
        assert_eq!(d.outcome, Outcome::Held);
        assert_eq!(d.notices.len(), usize::from(n <= 5), "{n}");
        if n <= 5 {
            assert!(matches!(w.to(&d, ANN), NoticeKind::Confirm { last, .. } if *last == (n == 5)));
        }
    }
    w.last.insert(ANN.into(), mail);
    let d = w.reply(ANN, "pick ox");
    assert_eq!(report(w.to(&d, ANN)).receipts.len(), 1);
    let d = w.vouched(ANN, orders("status"));
    assert!(matches!(w.to(&d, ANN), NoticeKind::Status { .. }));
}

#[test]
fn a_question_repeats_nothing_of_others() {
    let mut w = World::started("tulpas", &[]);
    let mut lines = orders("message buy now\nguess ox\na3-a4");
    lines.push(OrderLine {
        text: "new tulpas vs carl@third.example".into(),
        ..new_game("tulpas", "carl@third.example", "", &[]).remove(0)
    });
    let read = w.read(ANN, lines.clone());
    let d = w.run(&Command::Letter(Box::new(read)));
    let (_, said) = question(w.to(&d, ANN));
    let new = "new tulpas vs c...@third.example";
    assert_eq!(said, ["message (7 characters)", "guess ox", "a3-a4", new]);
    // With her token in other hands she is asked too, but no card is named.
    w.reply(ANN, "");
    let mut w = World::started("tulpas", &[]);
    let token = w.token_for(ANN);
    let mut read = w.read("eve@moor.example", lines);
    read.token = token;
    let d = w.run(&Command::Letter(Box::new(read)));
    let (_, said) = question(w.to(&d, ANN));
    assert_eq!(said[1], "guess (the card is not shown)");
}

#[test]
fn declining_and_blocking_end_it() {
    let mut w = World::new();
    w.vouched(ANN, new_game("maces", BOB, "", &[]));
    let d = w.reply(BOB, "decline\nblock");
    assert!(matches!(
        w.to(&d, ANN),
        NoticeKind::Voided {
            yourself: false,
            ..
        }
    ));
    assert_eq!(w.game().stage, Stage::Void);
    let d = w.vouched(ANN, new_game("maces", BOB, "", &[]));
    assert!(matches!(why(w.to(&d, ANN)), Why::CannotInvite { .. }));
}

#[test]
fn confirming_carries_the_letter_out() {
    let mut w = World::new();
    let read = w.read(ANN, new_game("maces", BOB, "white", &[]));
    let d = w.run(&Command::Letter(Box::new(read)));
    assert_eq!(d.outcome, Outcome::Held);
    assert!(matches!(&d.notices[..], [Notice { to: To::Address(a), .. }] if a == ANN));
    assert!(w.room.player_by_address(ANN).is_none());
    let token = w.token_for(ANN);
    // Somebody else who learns the code cannot use it.
    let mut read = w.read("eve@example.com", Vec::new());
    read.token = token.clone();
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(d.notices.is_empty() && d.events.is_empty());
    let mut read = w.read(ANN, Vec::new());
    read.token = token.clone();
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(matches!(w.to(&d, ANN), NoticeKind::Proposed { .. }));
    let mut read = w.read(ANN, Vec::new());
    read.token = token;
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(d.events.is_empty(), "a code works once");
}

#[test]
fn cards_that_differ_and_cards_that_match() {
    let mut w = World::started("tulpas", &[]);
    let d = w.reply(ANN, "pick amazon");
    let r = report(w.to(&d, ANN));
    let receipt = &r.receipts[0];
    assert_eq!(receipt.card, "amazon");
    let line = seal::seal_line(&r.gid, 1, 1, "amazon", &receipt.nonce);
    assert_eq!(seal::line_hash(&line), receipt.commitment);
    assert_eq!(receipt.check[0], format!("n={}", receipt.nonce));
    assert!(receipt.check[1].contains(&line.replace(&receipt.nonce, "$n")));
    w.silent_to(&d, BOB);
    let d = w.reply(BOB, "guess ox");
    let r = report(w.to(&d, ANN));
    assert!(
        r.news
            .iter()
            .any(|n| matches!(n, News::Opened { cards, created: None, .. }
        if *cards == vec![(Seat(0), "amazon".into()), (Seat(1), "ox".into())])),
        "{r:#?}"
    );
    assert_eq!(r.owed.as_deref(), Some("turn"));
    assert_eq!(report(w.to(&d, BOB)).owed, None);
    let d = w.reply(ANN, "Nc1-a2");
    // Black's turn 2: bob picks, ann guesses.
    assert_eq!(report(w.to(&d, BOB)).owed.as_deref(), Some("pick"));
    assert_eq!(report(w.to(&d, ANN)).owed.as_deref(), Some("guess"));
    w.reply(BOB, "pick ox");
    let d = w.reply(ANN, "guess ox");
    let r = report(w.to(&d, BOB));
    assert_eq!(r.owed.as_deref(), Some("place"), "{r:#?}");
    assert!(
        r.choices.iter().any(|c| c.starts_with("O@")),
        "{:?}",
        r.choices
    );
    let d = w.reply(BOB, "O@b10\nNc10-a9");
    let r = report(w.to(&d, ANN));
    assert!(r.news.iter().any(|n| matches!(n, News::Placed { .. })));
    assert!(
        r.news.iter().any(|n| matches!(n, News::Played { .. })),
        "{r:#?}"
    );
    assert_eq!(w.game().turn(), 3);
    let d = w.reply(BOB, "guess amazon\nmessage well met");
    assert!(matches!(w.to(&d, BOB), NoticeKind::Understood(_)));
    assert!(
        report(w.to(&d, ANN))
            .news
            .iter()
            .any(|n| matches!(n, News::Said { .. }))
    );
    let d = w.reply(ANN, "history");
    let NoticeKind::History { lines, .. } = w.to(&d, ANN) else {
        panic!("{d:#?}")
    };
    assert_eq!(lines[1], r#"{"cards":["amazon","ox"],"seat":"white"}"#);
    assert_eq!(lines.len(), 6, "{lines:#?}");
}

#[test]
fn one_mail_with_pick_both_branches_and_guess() {
    for (guess, steps) in [("amazon", "Nc1-a2"), ("ox", "Nh1-j2")] {
        let mut w = World::started("tulpas", &[]);
        // A branch that could not be played is refused at once, and nothing is sealed.
        let d = w.reply(
            ANN,
            "pick amazon\nif created: A@d1; Nc1-a2\nelse: Nc1-d3\nguess ox",
        );
        assert!(
            matches!(why(w.to(&d, ANN)), Why::NoSuchStep { .. }),
            "{d:#?}"
        );
        assert!(w.game().sealed.is_empty());
        let d = w.reply(
            ANN,
            "pick amazon\nif created: A@d1; Ad1-e3\nelse: Nh1-j2\nguess ox",
        );
        assert!(
            matches!(why(w.to(&d, ANN)), Why::NoSuchStep { .. }),
            "{d:#?}"
        );
        let d = w.reply(
            ANN,
            "pick amazon\nif created: A@d1; Nc1-a2\nelse: Nh1-j2\nguess ox",
        );
        assert_eq!(report(w.to(&d, ANN)).receipts.len(), 2);
        assert_eq!(w.game().sealed.len(), 2);
        let d = w.reply(BOB, &format!("guess {guess}"));
        let r = report(w.to(&d, BOB));
        assert!(
            r.news
                .iter()
                .any(|n| matches!(n, News::Played { steps: s, .. } if s == &[steps])),
            "{r:#?}"
        );
        assert_eq!(w.game().turn(), 2);
        // Ann's card for black's summoning is in already.
        let d = w.reply(BOB, "pick ox");
        let r = report(w.to(&d, BOB));
        assert!(
            r.news
                .iter()
                .any(|n| matches!(n, News::Opened { created: Some(c), .. } if c == "ox"))
        );
    }
}

#[test]
fn all_or_nothing() {
    let mut w = World::started("tulpas", &[]);
    let before = w.game();
    let d = w.reply(ANN, "pick amazon\nelse: Ke2-e9");
    assert_eq!(d.outcome, Outcome::Rejected);
    assert!(matches!(why(w.to(&d, ANN)), Why::NoSuchStep { .. }));
    assert!(d.events.is_empty());
    assert_eq!(w.game().save(), before.save());
    w.silent_to(&d, BOB);
    let mut slip = orders("pick amazon");
    slip.push(OrderLine {
        line: 2,
        text: "gues ox".into(),
        order: Err(Slip::NearMiss {
            word: "gues".into(),
            meant: "guess".into(),
        }),
    });
    let mut read = w.read(ANN, slip);
    read.token = w.token_for(ANN);
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(matches!(why(w.to(&d, ANN)), Why::NearMiss { .. }));
    assert!(w.game().sealed.is_empty());
}

#[test]
fn a_slip_in_the_cards_name_and_final_cards() {
    let mut w = World::started("tulpas", &[]);
    let d = w.reply(ANN, "pick amazn");
    assert!(
        matches!(why(w.to(&d, ANN)), Why::NoSuchCard { meant: Some(m), left, .. } if m == "amazon" && left.len() == 5)
    );
    assert!(w.game().sealed.is_empty());
    w.reply(ANN, "pick amazon");
    let d = w.reply(ANN, "pick ox");
    assert!(matches!(
        why(w.to(&d, ANN)),
        Why::CardAlreadyDown { turn: 1 }
    ));
    let d = w.reply(ANN, "pick amazon");
    assert!(d.events.is_empty());
    assert!(
        report(w.to(&d, ANN))
            .news
            .contains(&News::CardStays { turn: 1 })
    );
}

#[test]
fn cards_in_the_same_second_in_either_order() {
    let mut ends = Vec::new();
    for order in [[ANN, BOB], [BOB, ANN]] {
        let mut w = World::started("tulpas", &[]);
        for who in order {
            w.reply(
                who,
                if who == ANN {
                    "pick mace"
                } else {
                    "guess mace"
                },
            );
        }
        assert_eq!(w.game().owed(Seat(0)), Some(tulpa::rules::What::Place));
        ends.push(w.game().table.clone().unwrap());
    }
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn duplicates_and_old_mails() {
    let mut w = World::started("maces", &[]);
    let mut read = w.read(ANN, orders("a3-a4"));
    read.token = w.token_for(ANN);
    let letter = Command::Letter(Box::new(read.clone()));
    w.run(&letter);
    assert_eq!(w.game().turn(), 2);
    let d = w.run(&letter);
    assert_eq!(d.outcome, Outcome::Duplicate);
    assert!(d.events.is_empty() && d.notices.is_empty());
    // The same orders in a new mail: the board, never played twice.
    let d = w.reply(ANN, "a3-a4");
    assert!(d.events.is_empty());
    assert_eq!(report(w.to(&d, ANN)).why.as_deref(), Some("already_played"));
    // Another move out of turn.
    let d = w.reply(ANN, "b3-b4");
    assert!(matches!(why(w.to(&d, ANN)), Why::NotAsked { .. }));
    w.reply(BOB, "a8-a7");
    // Now it is ann's turn again, but she answers a mail of turn 1.
    let old = w
        .room
        .mails
        .iter()
        .find(|(_, m)| m.chair == 0 && m.turn == 1)
        .unwrap()
        .0
        .clone();
    let mut read = w.read(ANN, orders("b3-b4"));
    read.answers = vec![old];
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(d.events.is_empty());
    assert_eq!(report(w.to(&d, ANN)).why.as_deref(), Some("stale"));
    assert_eq!(w.game().turn(), 3);
    let d = w.reply(ANN, "turn 1\nb3-b4");
    assert!(matches!(
        why(w.to(&d, ANN)),
        Why::TurnIsOver { asked: 1, now: 3 }
    ));
}

#[test]
fn a_stranger_cannot_move() {
    let mut w = World::started("maces", &[]);
    let before = w.game().save();
    // With nothing: he is asked to confirm, and then told that the game is not his.
    let mut read = w.read("eve@example.com", orders("a3-a4"));
    read.subject_match = Some(1);
    let d = w.run(&Command::Letter(Box::new(read)));
    assert_eq!(d.outcome, Outcome::Held);
    let mut read = w.read("eve@example.com", Vec::new());
    read.token = w.token_for("eve@example.com");
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(matches!(
        why(w.to(&d, "eve@example.com")),
        Why::NotYours { game: 1 }
    ));
    let text = serde_json::to_string(&d.notices).unwrap();
    assert!(!text.contains("cells"), "no board for strangers");
    // With ann's token: ann is asked, eve hears nothing.
    let mut read = w.read("eve@example.com", orders("a3-a4"));
    read.token = w.token_for(ANN);
    let d = w.run(&Command::Letter(Box::new(read)));
    assert!(
        matches!(w.to(&d, ANN), NoticeKind::Confirm { from: Some(f), .. } if f == "e...@example.com")
    );
    // With ann's address and no proof: the same.
    let read = w.read(ANN, orders("a3-a4"));
    let d = w.run(&Command::Letter(Box::new(read)));
    assert_eq!(d.outcome, Outcome::Held);
    // With a wrong token.
    let mut read = w.read(BOB, orders("a3-a4"));
    read.token = w.token_for(BOB).map(|t| Token { seat: 0, ..t });
    assert_eq!(
        w.run(&Command::Letter(Box::new(read))).outcome,
        Outcome::Held
    );
    assert_eq!(w.game().save(), before);
}

#[test]
fn draws_resigning_and_finished_matches() {
    let mut w = World::started("maces", &[]);
    let d = w.reply(ANN, "a3-a4\noffer draw");
    assert_eq!(report(w.to(&d, BOB)).draw_offer, Some(Seat(0)));
    let d = w.reply(ANN, "accept draw");
    assert!(matches!(why(w.to(&d, ANN)), Why::NoDrawOffered));
    let d = w.reply(BOB, "accept");
    assert!(matches!(w.to(&d, ANN), NoticeKind::Over(_)));
    assert_eq!(w.game().ending.as_ref().unwrap().reason, "agreed");
    let d = w.reply(BOB, "a8-a7");
    assert!(matches!(why(w.to(&d, BOB)), Why::IsOver { .. }));
    let mut w = World::started("maces", &[]);
    let d = w.reply(BOB, "resign");
    assert!(matches!(w.to(&d, ANN), NoticeKind::Over(_)));
    assert_eq!(w.game().ending.as_ref().unwrap().winners, vec![Seat(0)]);
}

#[test]
fn preview_changes_nothing() {
    let mut w = World::started("maces", &[]);
    let d = w.reply(ANN, "preview a3-a5");
    assert!(d.events.is_empty());
    assert!(matches!(w.to(&d, ANN), NoticeKind::Preview(_)));
    assert_eq!(w.game().turn(), 1);
}

/// White creates all five; then no cards are asked for white, and the fifth comes by itself.
#[test]
fn the_fifth_tulpa() {
    let mut w = World::started("tulpas", &[]);
    // The knights come and go on squares that no Tulpa is placed on.
    let cards = ["amazon", "ox", "archer", "spider"];
    let mut white = ["Nc1-a2", "Na2-c1"].iter().cycle();
    let mut black = ["Nh10-j9", "Nj9-h10"].iter().cycle();
    for card in cards {
        w.reply(ANN, &format!("pick {card}"));
        let d = w.reply(BOB, &format!("guess {card}"));
        let choices = &report(w.to(&d, ANN)).choices;
        let place = choices
            .iter()
            .find(|c| "defg".contains(&c[2..3]))
            .unwrap()
            .clone();
        let d = w.reply(ANN, &format!("{place}\n{}", white.next().unwrap()));
        assert!(matches!(w.to(&d, ANN), NoticeKind::Understood(_)), "{d:#?}");
        // Black's cards differ.
        w.reply(ANN, "guess ox");
        let d = w.reply(BOB, &format!("pick mace\nelse: {}", black.next().unwrap()));
        assert!(matches!(w.to(&d, BOB), NoticeKind::Understood(_)), "{d:#?}");
    }
    let r = report(&w.last[ANN].kind).clone();
    assert_eq!(r.owed.as_deref(), Some("place"), "{r:#?}");
    assert!(
        r.news
            .iter()
            .any(|n| matches!(n, News::Certain { card, .. } if card == "mace"))
    );
    let d = w.reply(BOB, "guess mace");
    assert!(matches!(why(w.to(&d, BOB)), Why::NoPicks { .. }));
    let place = r
        .choices
        .iter()
        .find(|c| "defgi".contains(&c[2..3]))
        .unwrap();
    let d = w.reply(ANN, &format!("{place}\n{}", white.next().unwrap()));
    assert!(matches!(w.to(&d, ANN), NoticeKind::Understood(_)), "{d:#?}");
    let d = w.reply(BOB, "guess amazon");
    assert!(matches!(why(w.to(&d, BOB)), Why::NoPicks { .. }), "{d:#?}");
}

#[test]
fn nothing_of_a_sealed_card_gets_out() {
    for options in [&[][..], &[("reveal", "outcome")][..]] {
        let mut w = World::started("tulpas", options);
        let all = w.all.len();
        w.reply(ANN, "pick spider\nguess archer\nelse: Nh1-j2");
        w.reply(BOB, "show\nhistory\nstatus\nmessage what did you pick?");
        w.reply(BOB, "pick oxx");
        w.reply(BOB, "pick ox");
        let nonces: Vec<String> = w.game().sealed.iter().map(|s| s.nonce.0.clone()).collect();
        let ann = w.room.player_by_address(ANN).unwrap();
        for n in &w.all[all..] {
            let mut n = n.clone();
            // Names of all cards are in every board's notes and choices; look at what is said about picks.
            strip(&mut n.kind);
            let text = serde_json::to_string(&n).unwrap();
            let who = n.to == To::Player(ann);
            if !who {
                assert!(
                    !text.contains("spider") && !text.contains("archer"),
                    "{text}"
                );
                for (seal, nonce) in w.game().sealed.iter().zip(&nonces) {
                    assert!(seal.seat != Seat(0) || !text.contains(nonce.as_str()));
                }
            } else {
                assert!(!text.contains("\"ox\""), "{text}");
            }
        }
        let d = w.reply(BOB, "guess ox");
        let text = format!("{:?}", report(w.to(&d, BOB)).news);
        assert_eq!(text.contains("spider"), options.is_empty(), "{text}");
        let text = format!("{:?}", report(w.to(&d, ANN)).news);
        // Turn 2 opened at once too: ann guessed archer, bob picked ox.
        assert_eq!(text.contains("\"ox\""), options.is_empty(), "{text}");
        let d = w.reply(ANN, "history");
        let NoticeKind::History { lines, .. } = w.to(&d, ANN) else {
            panic!()
        };
        assert_eq!(
            lines.iter().any(|l| l.contains("spider")),
            options.is_empty()
        );
    }
}

fn strip(kind: &mut NoticeKind) {
    match kind {
        NoticeKind::Several(parts) => parts.iter_mut().for_each(strip),
        NoticeKind::Refused(r) => {
            if let Some(r) = &mut r.report {
                blank(r);
            }
            if let Why::NoSuchCard { left, .. } = &mut r.why {
                left.clear();
            }
        }
        NoticeKind::Begun(r)
        | NoticeKind::YourMove(r)
        | NoticeKind::News(r)
        | NoticeKind::Understood(r)
        | NoticeKind::Board(r)
        | NoticeKind::Preview(r)
        | NoticeKind::Over(r) => blank(r),
        _ => {}
    }
}

fn blank(r: &mut Report) {
    std::sync::Arc::make_mut(&mut r.view).notes.clear();
    r.choices.clear();
    r.guess_ahead.clear();
}

#[test]
fn reminders_and_the_clock() {
    let mut w = World::started("maces", &[("days", "2")]);
    let due = next_deadline(&w.room).unwrap();
    assert_eq!(due.as_second() - w.now.as_second(), 86_400);
    assert!(w.run(&Command::Tick).notices.is_empty());
    w.now = due;
    let d = w.run(&Command::Tick);
    assert!(matches!(
        &d.notices[..],
        [Notice {
            kind: NoticeKind::Reminder(_),
            ..
        }]
    ));
    w.now = Timestamp::from_second(w.now.as_second() + 10 * 86_400).unwrap();
    let d = w.run(&Command::Tick);
    assert_eq!(d.notices.len(), 2);
    assert!(next_deadline(&w.room).is_none());
}

/// Days later, to the second.
fn after(w: &mut World, days: i64) {
    w.now = Timestamp::from_second(w.now.as_second() + days * 86_400).unwrap();
}

#[test]
fn clocks_run_for_every_seat_that_owes_something() {
    let mut w = World::started("tulpas", &[("days", "2")]);
    let (white, black) = (Seat(0), Seat(1));
    let end = w.game().deadline_of(white).unwrap();
    assert_eq!(w.game().deadline_of(black), Some(end));
    w.reply(ANN, "pick ox");
    assert_eq!(w.game().deadline_of(white), None, "her card is down");
    assert_eq!(w.game().deadline_of(black), Some(end));
    let d = w.reply(ANN, "claim time");
    assert_eq!(*why(w.to(&d, ANN)), Why::NoTimeClaim { until: Some(end) });
    after(&mut w, 1);
    w.reply(BOB, "guess mace");
    let end = w.game().deadline_of(white).unwrap();
    let d = w.reply(BOB, "claim time");
    assert_eq!(*why(w.to(&d, BOB)), Why::NoTimeClaim { until: Some(end) });
    after(&mut w, 3);
    let d = w.run(&Command::Tick);
    for who in [ANN, BOB] {
        let NoticeKind::Reminder(r) = w.to(&d, who) else {
            panic!("{d:#?}")
        };
        assert!(
            matches!(&r.news[..], [News::TimeOver { seats, auto: false }] if seats[..] == [white])
        );
    }
    let d = w.reply(ANN, "claim time");
    assert_eq!(*why(w.to(&d, ANN)), Why::NoTimeClaim { until: None });
    let d = w.reply(BOB, "claim time");
    let NoticeKind::Over(r) = w.to(&d, ANN) else {
        panic!("{d:#?}")
    };
    let ending = r.ending.clone().unwrap();
    assert_eq!(
        (&ending.winners[..], &ending.reason[..]),
        (&[black][..], "time")
    );
}

#[test]
fn a_flag_that_falls_by_itself_and_a_bank_that_grows() {
    let mut w = World::started("maces", &[("days", "5+1"), ("flag", "auto")]);
    let (white, black) = (Seat(0), Seat(1));
    let bank = |w: &World, seat: Seat| w.game().timers[seat.at()].bank;
    assert_eq!(bank(&w, white), 5 * 86_400);
    assert_eq!(w.game().deadline_of(black), None);
    let since = w.game().timers[0].since.unwrap();
    after(&mut w, 2);
    w.reply(ANN, "a3-a4");
    let used = w.now.as_second() - since.as_second();
    assert_eq!(bank(&w, white), 6 * 86_400 - used);
    let d = w.reply(BOB, "clock");
    let r = report(w.to(&d, BOB));
    assert!(matches!(&r.news[..], [News::Clocks { clocks }] if clocks.len() == 2));
    w.now = w.game().deadline_of(black).unwrap();
    let d = w.run(&Command::Tick);
    assert!(matches!(w.to(&d, ANN), NoticeKind::Over(_)));
    assert!(matches!(w.to(&d, BOB), NoticeKind::Over(_)));
    let ending = w.game().ending.clone().unwrap();
    assert_eq!(
        (&ending.winners[..], &ending.reason[..]),
        (&[white][..], "time")
    );
    for options in [
        ("days", "5+x"),
        ("bank", "0"),
        ("flag", "never"),
        ("leave", "-1"),
    ] {
        let d = w.vouched(ANN, new_game("maces", BOB, "", &[options]));
        assert!(
            matches!(why(w.to(&d, ANN)), Why::BadOption { .. }),
            "{options:?}"
        );
    }
}

#[test]
fn leave_stops_the_clock_within_its_allowance() {
    let mut w = World::started("maces", &[("days", "2"), ("leave", "3")]);
    let white = Seat(0);
    let end = w.game().deadline_of(white).unwrap();
    let d = w.reply(ANN, "away soon");
    assert!(matches!(why(w.to(&d, ANN)), Why::BadDates { .. }));
    // Asked for five days, of which the game allows three.
    let d = w.reply(ANN, "away 2026-01-02 to 2026-01-06");
    let NoticeKind::Done { done } = w.to(&d, ANN) else {
        panic!("{d:#?}")
    };
    assert!(
        format!("{done:?}").contains("short: [(1, 2026-01-05"),
        "{done:?}"
    );
    let later = end.as_second() + 3 * 86_400;
    assert_eq!(w.game().deadline_of(white).unwrap().as_second(), later);
    after(&mut w, 2);
    // The answer about the leave can itself be answered.
    let d = w.reply(ANN, "back");
    assert_eq!(d.outcome, Outcome::Applied);
    let now = w.game().deadline_of(white).unwrap().as_second();
    assert!(now < later && now > end.as_second() + 86_400);
    assert!(w.game().timers[0].leave > 0);
}

#[test]
fn a_turn_is_taken_back_when_the_other_agrees() {
    let mut w = World::started("maces", &[("days", "3")]);
    let start = w.game().table.clone();
    let d = w.reply(ANN, "undo");
    assert_eq!(*why(w.to(&d, ANN)), Why::NothingToUndo);
    w.reply(ANN, "a3-a4");
    let moved = w.game().table.clone();
    let d = w.reply(ANN, "undo");
    assert_eq!(report(w.to(&d, BOB)).undo_offer, Some(Seat(0)));
    let d = w.reply(ANN, "accept undo");
    assert_eq!(*why(w.to(&d, ANN)), Why::NoUndoAsked, "not by herself");
    w.reply(BOB, "refuse");
    assert_eq!(w.game().table, moved);
    w.reply(ANN, "undo");
    w.reply(BOB, "accept undo\nmessage as you like");
    assert_eq!(w.game().table, start);
    assert!(w.game().deadline_of(Seat(0)).is_some() && w.game().deadline_of(Seat(1)).is_none());
    // The record forgets it; the same turn can be played again, and two turns be taken back.
    w.reply(ANN, "b3-b4");
    w.reply(BOB, "b8-b7");
    let d = w.reply(ANN, "history");
    let NoticeKind::History { lines, .. } = w.to(&d, ANN) else {
        panic!("{d:#?}")
    };
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[1].contains("b3-b4"));
    w.reply(ANN, "undo");
    // A move instead of an answer declines.
    w.reply(ANN, "c3-c4");
    let d = w.reply(BOB, "accept undo");
    assert_eq!(*why(w.to(&d, BOB)), Why::NoUndoAsked);
    w.reply(ANN, "undo");
    // `accept` alone means what is asked.
    w.reply(BOB, "accept");
    w.reply(ANN, "undo");
    w.reply(BOB, "accept undo");
    assert_eq!((w.game().turn(), &w.game().table), (1, &start));
}

#[test]
fn what_the_cards_have_shown_is_not_taken_back() {
    let mut w = World::started("tulpas", &[]);
    w.reply(ANN, "pick ox\nelse: a3-a4");
    w.reply(BOB, "guess mace");
    assert_eq!(w.game().turn(), 2);
    w.reply(ANN, "undo");
    w.reply(BOB, "accept undo");
    let m = w.game();
    assert_eq!(m.turn(), 1);
    assert_eq!(
        m.owed(Seat(0)),
        Some(tulpa::rules::What::Turn),
        "her cards stay open"
    );
    let d = w.reply(ANN, "undo");
    assert_eq!(*why(w.to(&d, ANN)), Why::NothingToUndo);
    w.reply(ANN, "b3-b4");
    w.reply(BOB, "pick mace");
    w.reply(ANN, "guess ox");
    let d = w.reply(ANN, "undo");
    assert_eq!(
        *why(w.to(&d, ANN)),
        Why::NothingToUndo,
        "cards were opened since"
    );
}

#[test]
fn a_note_is_for_its_writers_eyes() {
    let mut w = World::started("maces", &[]);
    let d = w.reply(ANN, "note the mace on a1 is slow");
    w.silent_to(&d, BOB);
    for n in 0..25 {
        w.reply(ANN, &format!("note {n}"));
    }
    let d = w.reply(ANN, "show");
    assert_eq!(report(w.to(&d, ANN)).my_notes.len(), 20);
    let d = w.reply(BOB, "show\nhistory");
    assert!(!format!("{d:?}").contains("note {"), "{d:#?}");
    assert!(!format!("{:?}", d.notices).contains("turn: 1, text"));
}

#[test]
fn a_name_in_the_letter_that_invites_counts() {
    let mut w = World::new();
    let mut lines = new_game("maces", BOB, "white", &[]);
    lines.extend(orders("name Ann"));
    let d = w.vouched(ANN, lines);
    assert!(matches!(w.to(&d, BOB), NoticeKind::Invitation { by, .. } if by == "Ann"));
}

#[test]
fn what_stays_hidden_is_proved_at_the_end() {
    let mut w = World::started("tulpas", &[("reveal", "outcome")]);
    w.reply(ANN, "pick ox\nelse: a3-a4");
    let d = w.reply(BOB, "guess mace");
    let told = format!("{:?}", d.notices);
    for notice in &d.notices {
        let mine = notice.to == To::Player(w.room.player_by_address(BOB).unwrap());
        let text = serde_json::to_string(&notice.kind).unwrap();
        assert_eq!(text.matches("nonce").count(), usize::from(mine), "{told}");
        assert!(!text.contains("\"cards\":[["), "{text}");
    }
    let d = w.reply(BOB, "resign");
    for who in [ANN, BOB] {
        let r = report(w.to(&d, who));
        let found = r.news.iter().find_map(|n| match n {
            News::Openings { openings } => Some(openings),
            _ => None,
        });
        let all: Vec<(u8, &str)> = found
            .expect("the openings")
            .iter()
            .map(|o| (o.seat.0, o.card.as_str()))
            .collect();
        assert_eq!(all, [(0, "ox"), (1, "mace")]);
    }
}

#[test]
fn the_others_commitment_comes_before_ones_own_card() {
    let mut w = World::started("tulpas", &[]);
    w.reply(ANN, "pick ox");
    let sealed = w.game().sealed[0].commitment.clone();
    let d = w.reply(BOB, "show");
    let r = report(w.to(&d, BOB));
    assert_eq!(r.down.len(), 1);
    assert_eq!((r.down[0].seat, &r.down[0].commitment), (Seat(0), &sealed));
    // A refusal carries it too.
    let d = w.reply(BOB, "guess oxx");
    let NoticeKind::Refused(refusal) = w.to(&d, BOB) else {
        panic!("{d:#?}")
    };
    assert_eq!(refusal.report.as_ref().unwrap().down.len(), 1);
    let d = w.reply(ANN, "show");
    assert!(
        report(w.to(&d, ANN)).down.is_empty(),
        "her own is no news to her"
    );
    // Opened in one mail: the proof is there, and no receipt says that nobody can see it.
    let d = w.reply(BOB, "guess ox");
    let r = report(w.to(&d, BOB));
    assert!(r.receipts.is_empty());
    let News::Opened { openings, .. } = &r.news[0] else {
        panic!("{r:#?}")
    };
    assert_eq!(openings.len(), 2);
    assert_eq!(openings[0].commitment, sealed);
    for o in openings {
        let nonce = o.check[0].strip_prefix("n=").unwrap();
        let (gid, seat) = (&w.game().gid, u32::from(o.seat.0) + 1);
        assert_eq!(
            seal::commitment(gid, o.turn, seat, &o.card, nonce),
            o.commitment
        );
    }
}

#[test]
fn seeking_and_joining() {
    let mut w = World::new();
    w.vouched(ANN, orders("seek maces"));
    let d = w.vouched(BOB, orders("seeks"));
    assert!(matches!(w.to(&d, BOB), NoticeKind::Seeks { seeks } if seeks.len() == 1));
    let d = w.vouched(BOB, orders("join 1\nname Bob"));
    assert!(
        matches!(w.to(&d, ANN), NoticeKind::Begun(r) if r.others == "Bob"),
        "{d:#?}"
    );
    assert_eq!(w.game().stage, Stage::Playing);
}

/// Every notice of these tests has a template that takes it, and no template says more than the notice knows.
fn render(notice: &Notice) -> Vec<String> {
    use tulpa::post::words::{Style, Templates};
    let templates = Templates::builtin().unwrap();
    let style = Style {
        eyes: notice.seat,
        seats: notice.seats.clone(),
        ..Style::default()
    };
    let kinds = match &notice.kind {
        NoticeKind::Several(parts) => parts.clone(),
        one => vec![one.clone()],
    };
    let mut out = Vec::new();
    for kind in kinds {
        let name = match &kind {
            NoticeKind::Help { .. } => "help/help",
            kind => kind.name(),
        };
        let mut context = Notice {
            kind: kind.clone(),
            ..notice.clone()
        }
        .context();
        if let Some(game) = notice.game {
            context["foot"] = serde_json::json!({ "game": game.0 });
        }
        if matches!(kind, NoticeKind::Rules { .. } | NoticeKind::Notation { .. }) {
            context["text"] = "(text)".into();
        }
        let words = templates
            .render(name, context, &style)
            .unwrap_or_else(|e| panic!("{e}: {kind:#?}"));
        assert!(!words.subject.contains("none"), "{}", words.subject);
        out.push(format!("Subject: {}\n\n{}", words.subject, words.text));
    }
    out
}

#[test]
fn every_kind_has_its_words() {
    let mut w = World::started("tulpas", &[("days", "3")]);
    for (who, text) in [
        (ANN, "rules tulpas\nnotation tulpas\nset board=plain"),
        (ANN, "help\ngames\nstatus\nseeks\nshow\nhistory\nname Ann"),
        (ANN, "pick amazn"),
        (ANN, "pick amazon\nguess ox\nelse: Nc1-d3"),
        (ANN, "pick amazon\nguess ox\nelse: Nc1-a2"),
        (BOB, "a8-a7"),
        (BOB, "guess ox\nmessage hello\noffer draw"),
        (BOB, "pick ox\nif created: O@b10; a8-a7"),
        (ANN, "preview a3-a4"),
        (ANN, "clock\nnote slow\naway 2026-02-01 to 2026-04-03\nback"),
        (ANN, "claim time"),
        (ANN, "undo"),
        (ANN, "away soon"),
        (ANN, "show"),
        (ANN, "accept draw\nresign"),
        (ANN, "decline draw\nfrobnicate"),
        (ANN, ""),
        (ANN, "new"),
        (ANN, "resign"),
        (ANN, "history"),
    ] {
        w.reply(who, text);
    }
    w.vouched(ANN, new_game("tulpsa", BOB, "", &[]));
    w.vouched(ANN, new_game("tulpas", "carl@example.org", "red", &[]));
    w.vouched(
        ANN,
        new_game("tulpas", "carl@example.org", "black", &[("array", "C")]),
    );
    w.vouched(
        ANN,
        new_game("tulpas", "carl@example.org", "black", &[("array", "B")]),
    );
    w.reply("carl@example.org", "decline");
    let read = w.read("dora@example.org", orders("games"));
    w.run(&Command::Letter(Box::new(read)));
    let mut all = String::new();
    for notice in &w.all {
        for text in render(notice) {
            all.push_str(&text);
            all.push_str("\n=====\n");
        }
    }
    assert!(
        all.lines()
            .all(|l| l.chars().count() <= 72 || l.contains("printf") || l.starts_with("Subject")),
        "{all}"
    );
    if std::env::var_os("SHOW_MAILS").is_some() {
        println!("{all}");
    }
}
