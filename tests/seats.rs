//! Matches of more than two seats: who sits where, who is told what, draws and resigning; through real letters.

use tulpa::cli::demo::player;
use tulpa::referee::state::Stage;
use tulpa::rules::{Seat, What};

mod common;
use common::*;

const FOUR: [&str; 4] = [ALICE, BOB, CAROL, DAVE];

/// A match of Martian Chaturaji that Alice opened with `order` behind the game's name, all others having accepted.
fn begun(order: &str, others: &[&'static str]) -> Club {
    let mut club = Club::new("none");
    club.quiet = true;
    club.writes(ALICE, &format!("new chaturaji {order}\nname Alice"));
    for who in others {
        assert_eq!(club.game().stage, Stage::Inviting);
        club.writes(who, "accept");
    }
    assert_eq!(club.game().stage, Stage::Playing);
    club
}

fn four() -> Club {
    begun(
        &format!("vs {BOB} and {CAROL}, {DAVE} as green"),
        &FOUR[1..],
    )
}

fn seats(club: &Club, who: &str) -> Vec<u8> {
    let game = club.game();
    let chair = game.chairs.iter().find(|c| club.address(c.player) == who);
    let seats = game.seats_of(chair.unwrap().player);
    seats.into_iter().map(|s| s.0).collect()
}

fn holder(club: &Club, seat: u8) -> &'static str {
    let address = club.address(club.game().player_at(Seat(seat)).unwrap());
    ALL.into_iter().find(|w| *w == address).unwrap()
}

/// Plays so many orders; everybody gets at most one mail for each.
fn play(club: &mut Club, orders: usize) {
    for i in 0..orders {
        let game = club.game();
        let Some((seat, what)) = game.awaited().into_iter().next() else {
            return;
        };
        let table = game.table.as_ref().unwrap();
        // nobody's monarch falls so soon where all only stand and wait
        let order = match what {
            What::Turn => "end".to_owned(),
            _ => player::answer(table, seat, what, i).unwrap(),
        };
        let who = holder(club, seat.0);
        let mails = club.writes(who, &order);
        assert!(club.game().lines > game.lines, "{mails:#?}");
        for person in FOUR {
            assert!(count(&mails, person) <= 1, "{mails:#?}");
        }
    }
}

#[test]
fn two_people_hold_a_team_each() {
    let mut club = begun(&format!("vs {BOB} as blue"), &[BOB]);
    assert_eq!(
        (seats(&club, ALICE), seats(&club, BOB)),
        (vec![0, 2], vec![1, 3])
    );
    assert!(
        club.last[BOB].text.contains("You are yellow and red."),
        "{}",
        club.last[BOB].text
    );
    assert!(club.last[BOB].text.contains("Green   Alice"));
    play(&mut club, 9);
    assert!(club.turn() > 7);
    // one person resigns for both of his seats
    let mails = club.writes(BOB, "resign");
    counts(&mails, 1, 1);
    let ending = club.game().ending.clone().unwrap();
    assert_eq!(
        (ending.reason.as_str(), ending.winners),
        ("resigned", vec![Seat(0), Seat(2)])
    );
}

#[test]
fn of_three_the_opener_has_two_seats_or_whom_he_names() {
    let club = begun(&format!("vs {BOB} and {CAROL}"), &[BOB, CAROL]);
    assert_eq!(seats(&club, ALICE).len(), 2);
    let order = format!("vs {BOB} and {CAROL} green=me yellow={BOB} red={BOB}");
    let club = begun(&order, &[BOB, CAROL]);
    assert_eq!(seats(&club, ALICE), [0]);
    assert_eq!(
        (seats(&club, BOB), seats(&club, CAROL)),
        (vec![1, 3], vec![2])
    );
    let order = format!("vs {BOB} and {CAROL} as yellow and red");
    let club = begun(&order, &[BOB, CAROL]);
    assert_eq!(seats(&club, ALICE), [1, 3]);
    let order = format!("as blue and green vs {BOB} and {CAROL}");
    let club = begun(&order, &[BOB, CAROL]);
    assert_eq!(seats(&club, ALICE), [0, 2]);
    // on both sides at once nobody can be, nor five at four seats
    let mut club = Club::new("none");
    for (order, why) in [
        (
            format!("new chaturaji vs {BOB} and {CAROL} as green and yellow"),
            "cannot be shared",
        ),
        (
            format!("new chaturaji vs {BOB} and {CAROL} red=nobody"),
            "nobody",
        ),
        (format!("new chess vs {BOB} and {CAROL}"), "1 opponent"),
    ] {
        let mails = club.writes(ALICE, &order);
        counts(&mails, 1, 0);
        assert!(mails[0].text.contains(why), "{}", mails[0].text);
    }
}

#[test]
fn a_seek_is_filled_by_as_many_as_were_asked_for() {
    let mut club = Club::new("none");
    club.writes(ALICE, "seek chaturaji players=2");
    assert_eq!(club.game().stage, Stage::Seeking);
    let mails = club.writes(BOB, "join 1");
    assert_eq!(club.game().stage, Stage::Playing, "{mails:#?}");
    assert_eq!(seats(&club, BOB).len(), 2);
    let mails = club.writes(ALICE, "seek chaturaji players=5");
    assert!(
        mails[0].text.contains("players=2 to players=4"),
        "{mails:#?}"
    );
}

#[test]
fn one_who_declines_ends_it_for_all() {
    let mut club = Club::new("none");
    club.writes(
        ALICE,
        &format!("new chaturaji vs {BOB} and {CAROL} and {DAVE}"),
    );
    let mails = club.writes(BOB, "accept");
    assert!(
        to(&mails, BOB).subject.contains("You have accepted"),
        "{mails:#?}"
    );
    let mails = club.writes(CAROL, "decline");
    assert_eq!(club.game().stage, Stage::Void);
    // Dave never wrote, and was promised silence
    for (who, mine) in [(ALICE, 1), (BOB, 1), (CAROL, 1), (DAVE, 0)] {
        assert_eq!(count(&mails, who), mine, "{who} {mails:#?}");
    }
}

#[test]
fn a_draw_needs_all_four() {
    let mut club = four();
    play(&mut club, 2);
    let mails = club.writes(ALICE, "offer draw");
    assert_eq!(mails.len(), 4, "{mails:#?}");
    club.writes(BOB, "accept draw");
    club.writes(CAROL, "decline draw");
    assert_eq!(club.game().draw_offer, None);
    club.writes(ALICE, "offer draw");
    club.writes(BOB, "accept draw");
    // others may move meanwhile
    let turn = club.turn();
    let next = club.asked_address();
    if next != ALICE {
        club.writes(next, "end");
        assert!(club.turn() > turn);
    }
    club.writes(CAROL, "accept draw");
    assert!(!club.is_over());
    let mails = club.writes(DAVE, "accept draw");
    assert!(club.is_over());
    assert_eq!(mails.len(), 4, "{mails:#?}");
    assert!(to(&mails, BOB).text.contains("drawn"));
}

#[test]
fn partners_resign_together() {
    let mut club = four();
    play(&mut club, 1);
    let partner = holder(&club, 2);
    let mails = club.writes(ALICE, "resign");
    assert!(!club.is_over());
    assert_eq!((mails.len(), count(&mails, partner)), (2, 1), "{mails:#?}");
    assert!(to(&mails, partner).text.contains("wants to resign"));
    // playing on takes it back
    for _ in 0..4 {
        play(&mut club, 1);
    }
    assert!(club.game().yielding.is_empty());
    club.writes(ALICE, "resign");
    let again = club.writes(ALICE, "resign");
    assert_eq!(again.len(), 1);
    let mails = club.writes(partner, "resign");
    assert!(club.is_over());
    assert_eq!(mails.len(), 4, "{mails:#?}");
    let winners = club.game().ending.clone().unwrap().winners;
    assert_eq!(winners, [Seat(1), Seat(3)]);
}

#[test]
fn who_wants_only_his_own_turns_is_told_of_all_others_then() {
    let mut club = four();
    club.writes(ALICE, "set news=mine");
    play(&mut club, 1);
    let mut told = None;
    for _ in 0..10 {
        let before = club.last[ALICE].message_id.clone();
        let mover = club.asked_address();
        play(&mut club, 1);
        let mail = &club.last[ALICE];
        if mover != ALICE && mail.message_id != before {
            told = Some(mail.text.clone());
            assert_eq!(club.asked_address(), ALICE, "mailed though not awaited");
        }
    }
    let told = told.expect("a mail when it is her turn");
    // the three others, in order, each once
    assert_eq!(told.matches(" played  end").count(), 3, "{told}");
}

#[test]
fn a_preview_throws_no_dice() {
    let mut club = four();
    play(&mut club, 1);
    let who = club.asked_address();
    let mails = club.writes(who, "preview end");
    let text = &mails[0].text;
    assert!(
        text.contains("Nothing was played") || text.contains("not understood"),
        "{text}"
    );
    assert!(
        !text.contains("Dice:") && !text.contains("The dice"),
        "{text}"
    );
}
