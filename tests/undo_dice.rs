//! What fell cannot be unseen: nothing is taken back beyond a roll, and no slot of the chain is thrown twice.

use std::collections::BTreeMap;

use tulpa::cli::demo::player;
use tulpa::cli::verify::rules;
use tulpa::edge::entropy::Source;
use tulpa::edge::pipe;
use tulpa::fair::ledger::Kind;
use tulpa::fair::verify::{Report, verify};
use tulpa::referee::{Event, MatchNo, scribe};
use tulpa::rules::{Shelf, What};

mod common;
mod ledgers;
use common::{ALICE, BOB, CAROL, Club, DAVE, Mail, to};

/// Slots with what fell in them; every one once, in order.
#[track_caller]
fn slots(report: &Report) -> BTreeMap<(u64, u64), String> {
    let mut all = BTreeMap::new();
    let mut last = None;
    let rolls = report.entries.iter().filter(|(_, e)| e.kind == Kind::Roll);
    for (_, e) in rolls {
        let slot = (e.num("t").unwrap(), e.num("j").unwrap());
        assert!(Some(slot) > last, "{slot:?} after {last:?}");
        last = Some(slot);
        all.insert(slot, e.text("got").unwrap());
    }
    all
}

#[track_caller]
fn holds(club: &Club) -> Report {
    let text = scribe::export(&club.daemon.records(), MatchNo(1)).unwrap();
    let report = verify(&text, None);
    assert_eq!(report.findings, [], "{text}");
    assert_eq!(rules::replay(&Shelf::builtin(), &report), Ok(()), "{text}");
    report
}

fn begun(others: &[&'static str], seed: u64) -> Club {
    let mut club = Club::new("none");
    club.quiet = true;
    club.daemon.chance = Source::Counted(seed);
    let others_of: Vec<String> = others.iter().map(|o| (*o).to_owned()).collect();
    club.writes(
        ALICE,
        &format!("new chaturaji vs {}", others_of.join(" and ")),
    );
    for who in others {
        club.writes(who, "accept");
    }
    assert!(club.game().table.is_some());
    club
}

fn order(club: &Club, turn: usize) -> Option<String> {
    let game = club.game();
    let (seat, what) = game.awaited().into_iter().next()?;
    Some(match what {
        What::Turn if !turn.is_multiple_of(3) => "end".to_owned(),
        _ => player::answer(game.table.as_ref()?, seat, what, turn)?,
    })
}

fn refused(mails: &[Mail], who: &str) -> bool {
    let text = &to(mails, who).text;
    text.contains("Nothing was") && !text.contains("asks to take back")
}

/// Whoever asks, at whatever point: in a game of dice no turn is taken back, and the ledger shows each slot thrown once.
#[test]
fn a_turn_before_a_roll_stays_played() {
    for (others, seed) in [(&[BOB, CAROL, DAVE][..], 11), (&[BOB][..], 12)] {
        let mut club = begun(others, seed);
        let mut thrown = BTreeMap::new();
        let mut asked = 0;
        for turn in 0..40 {
            let Some(order) = order(&club, turn) else {
                break;
            };
            let who = club.asked_address();
            club.writes(who, &order);
            if club.is_over() {
                break;
            }
            let report = holds(&club);
            let now = slots(&report);
            for (slot, fell) in &thrown {
                assert_eq!(now.get(slot), Some(fell), "{slot:?}");
            }
            let rolled = report.entries.last().unwrap().1.kind == Kind::Roll;
            let game = club.game();
            if rolled {
                assert_eq!(
                    game.before,
                    [],
                    "something could be taken back beyond a roll"
                );
            }
            thrown = now;
            // who has played wants it back, and another would agree
            let mails = club.writes(who, "undo");
            assert!(refused(&mails, who), "{mails:#?}");
            let other = if who == BOB { ALICE } else { BOB };
            let mails = club.writes(other, "accept undo");
            assert!(refused(&mails, other), "{mails:#?}");
            let after = club.game();
            assert_eq!((after.entry, after.lines), (game.entry, game.lines));
            assert_eq!(after.undo_offer, None);
            asked += 1;
        }
        assert!(asked > 20 && thrown.len() > 20, "{asked} {}", thrown.len());
    }
}

/// A letter that is decided once more, after a crash or by another process with other chances, throws the same dice; so does a
/// match that is made again from the journal.
#[test]
fn a_slot_falls_as_it_fell_whatever_the_chances_are() {
    let mut club = begun(&[BOB, CAROL, DAVE], 13);
    let mut fell = 0;
    for turn in 0..12 {
        let Some(order) = order(&club, turn) else {
            break;
        };
        let who = club.asked_address();
        let last = club.last.get(who).cloned();
        let eml = club.letter(who, true, last.as_ref(), &order);
        let now = club.daemon.clock.now();
        let arrived = pipe::take(&mut eml.as_bytes(), u64::MAX, now).unwrap();
        let rolls = |chance: u8| -> Vec<Vec<u16>> {
            let done = club.daemon.rehearse(&arrived, now, &[chance; 32]).unwrap();
            let events = done.decision.unwrap().events;
            let of = |e: &Event| match e {
                Event::Acted { rolls, .. } => Some(rolls.clone()),
                _ => None,
            };
            events.iter().filter_map(of).collect()
        };
        let once = rolls(1);
        for chance in 2..6 {
            assert_eq!(rolls(chance), once, "{order}");
        }
        fell += once.iter().flatten().count();
        club.post(&eml);
        club.round();
    }
    assert!(fell > 10, "{fell}");
    holds(&club);
}

/// A referee who takes a turn back beyond its roll, or throws a slot once more, is found by whoever reads the ledger.
#[test]
fn a_ledger_that_takes_a_roll_back_does_not_hold() {
    let shelf = Shelf::builtin();
    let (mut undone, mut again) = (0, 0);
    for seed in 1..6 {
        let honest = ledgers::game(&shelf, "chaturaji", true, seed, 12).book;
        let report = verify(&honest.render(), None);
        assert_eq!(report.findings, []);
        assert_eq!(rules::replay(&shelf, &report), Ok(()));
        for n in 0..honest.count("roll") {
            let at = honest.at("roll", n);
            let before = &honest.bodies[at - 1];
            let Some(seat) = before.strip_prefix("move ") else {
                continue;
            };
            let seat = seat.split(' ').find_map(|t| t.strip_prefix("seat="));
            let mut book = honest.clone();
            let text = honest.get(at, "t");
            book.insert(
                at + 1,
                format!("admin act=undo seat={} text={text}", seat.unwrap()),
            );
            let report = verify(&book.render(), None);
            assert_eq!(report.findings, []);
            let (_, why) = rules::replay(&shelf, &report).unwrap_err();
            assert!(why.contains("no move of this seat"), "{why}");
            undone += 1;
            // the same slot, with what the mover would rather have
            let mut book = honest.clone();
            let got = honest.get(at, "got");
            let other = if got.starts_with('4') { "1" } else { "4" };
            let mut body = honest.bodies[at].clone();
            body = body.replace(&format!("got={got}"), &format!("got={other}{}", &got[1..]));
            book.insert(at + 1, body);
            assert_ne!(verify(&book.render(), None).findings, []);
            again += 1;
        }
    }
    assert!(undone > 20 && again == undone, "{undone} {again}");
}
