//! Whole conversations about the larger games: four seats, long turns, kings that come back, an inventor's own file.

use serde_json::Value;
use tulpa::cli::demo::player;
use tulpa::referee::state::Stage;
use tulpa::rules::{Seat, What};

mod common;
use common::*;

/// Who is asked for what, with a choice that is sensible.
fn asked(club: &Club, wander: usize) -> Option<(&'static str, Seat, What, String)> {
    let game = club.game();
    let table = game.table.as_ref()?;
    let (seat, what) = game.awaited().into_iter().next()?;
    let player = game.player_at(seat)?;
    let address = club.address(player);
    let who = ALL.into_iter().find(|w| *w == address)?;
    Some((who, seat, what, player::answer(table, seat, what, wander)?))
}

/// How many armies the seat to move commands.
fn armies(club: &Club) -> usize {
    let game = club.game();
    let notes = game.table.as_ref().unwrap().view(None).notes;
    let commands = notes.iter().find(|(_, label, _)| label == "Commands");
    commands.map_or(0, |(_, _, text)| text.split(", ").count())
}

#[test]
fn four_play_chaturaji_with_a_captured_army_and_an_exchange() {
    let mut club = Club::new("chaturaji");
    let order = format!("new chaturaji vs {BOB} and {CAROL} and {DAVE} as green\nname Alice");
    let mails = club.writes(ALICE, &order);
    assert_eq!(mails.len(), 4, "{mails:#?}");
    for (who, name) in [(BOB, "Bob"), (CAROL, "Carol"), (DAVE, "Dave")] {
        assert_eq!(club.game().stage, Stage::Inviting);
        let mails = club.writes(who, &format!("accept\nname {name}"));
        assert_eq!(count(&mails, who), 1, "{mails:#?}");
    }
    assert_eq!(club.game().stage, Stage::Playing);
    let (mut controlled, mut exchanged, mut turns) = (0, false, 0);
    while let Some((who, seat, what, order)) = asked(&club, turns) {
        turns += 1;
        assert!(turns < 400, "the match does not end");
        let two = what == What::Turn && armies(&club) > 1;
        controlled += usize::from(two);
        club.quiet = match what {
            What::Start | What::Exchange | What::Place => false,
            _ => turns > 3 && !(two && controlled < 3),
        };
        exchanged |= what == What::Exchange;
        let before = club.game().lines;
        let order = match what {
            What::Exchange => "exchange first".to_owned(),
            What::Start => "Start Green".to_owned(),
            _ => order,
        };
        let mails = club.writes(who, &order);
        assert!(club.game().lines > before, "{seat:?} {order}: {mails:#?}");
        for w in [ALICE, BOB, CAROL, DAVE] {
            assert!(count(&mails, w) <= 1, "{mails:#?}");
        }
        if club.is_over() {
            club.said
                .push_str(&mails.iter().map(tell).collect::<String>());
        }
    }
    assert!(club.is_over());
    println!("turns {turns} controlled {controlled} exchanged {exchanged}");
    assert!(controlled > 0 && exchanged);
    club.ends();
}
