//! Does the referee know how to do this?

use std::collections::BTreeMap;

use tulpa::referee::order::{Oddities, Order, OrderLine, Part, Proof, Read, Rival};
use tulpa::referee::{Command, House, NoticeKind, Room, Why, decide};
use tulpa::rules::Shelf;

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.com";

fn letter(from: &str, n: u32, order: &Order) -> Command {
    Command::Letter(Box::new(Read {
        from: from.into(),
        proof: Proof::Vouched,
        token: None,
        subject_match: None,
        message_id: format!("letter-{n}@client"),
        answers: Vec::new(),
        parts: vec![Part {
            game: None,
            orders: vec![OrderLine {
                line: 1,
                text: format!("{order:?}"),
                order: Ok(order.clone()),
            }],
        }],
        ignored: Vec::new(),
        received: "2026-01-01T00:00:00Z".parse().unwrap(),
        digest: [0; 32],
        oddities: Oddities::default(),
    }))
}

/// Two players in a game; the order comes from the first. A refusal is fine, but not one that says that the referee has
/// not learnt it, or that there is no such setting, game or option.
pub fn help_can(order: &Order) -> bool {
    let mut room = Room::new(House {
        key: [7; 32],
        strict: false,
        days: 5,
    });
    let shelf = Shelf::builtin();
    let invite = Order::New {
        game: "tulpas".into(),
        rivals: vec![Rival::Address(BOB.into())],
        seat: Some("white".into()),
        options: BTreeMap::new(),
    };
    let mut now: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let mut run = |n: u32, from: &str, order: &Order| {
        now += jiff::SignedDuration::from_mins(1);
        let command = letter(from, n, order);
        let decision = decide(&room, &shelf, &command, now, &[n as u8; 32]);
        room.keep(&decision);
        decision.notices
    };
    run(1, ANN, &invite);
    run(2, BOB, &Order::Accept);
    let answers = run(3, ANN, order);
    assert!(!answers.is_empty(), "{order:?} is not answered");
    answers.iter().all(|n| match &n.kind {
        NoticeKind::Refused(r) => !matches!(
            r.why,
            Why::NotYet { .. }
                | Why::BadSetting { .. }
                | Why::NoSuchGame { .. }
                | Why::BadOption { .. }
                | Why::Rivals { .. }
        ),
        _ => true,
    })
}
