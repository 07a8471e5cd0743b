//! The Chieftain games: who may activate whom (chieftain.md 1.3, 1.4, 6, T22).

use tulpa::rules::NoDice;

mod chiefs;
use chiefs::*;

#[test]
fn leader2_activates_two_men() {
    let at = start("chieftain", &[("leaders", "leader2")]);
    // d4 is three ranks away from the leader on c1
    assert!(refused(&at, "Md4-d5").1.contains("within 2"));
    // b2 and c2 are paid for by c1, the leader itself then by nobody: f1 is three files away
    let two = play(&at, "Nb2-c4; Mc2-c3; end");
    assert_eq!(two.turn_no(), 2);
    assert_eq!(refused(&at, "Nb2-c4; Mc2-c3; Cc1-c2").0, 2);
    let moves = "Nb2-c4; Mc2-c3; Mf2-f3; Ng2-f4; Nj2-k4; Mk2-k3; Mn2-n3; No2-n4";
    assert_eq!(play(&at, moves).turn_no(), 2);
}

#[test]
fn t22_who_pays_may_be_settled_late() {
    // T22
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . C . . C . . C . . M . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    play(&at, "Cf3-g3; Ci3-j3; Ml3-l4");
}

#[test]
fn t22_a_carried_chieftain_fuels_another() {
    // T22, second position
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . . C . . C . . . . M . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    play(&at, "Cf3-h3; Mk3-k4");
}

#[test]
fn t22_a_chieftain_that_paid_for_itself_is_spent() {
    // T22, the other chieftain too far to carry it
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . . . . . . . . . . . . . .
         3 . C . . . C . . . . M . . . . .
         2 . . . . . . . . . . . . . . . .
         1 . . . . . . . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    assert_eq!(refused(&at, "Cf3-h3; Mk3-k4").0, 1);
}

#[test]
fn a_named_activator_binds() {
    // README, Chieftain 4: named, d4 may not be paid for by the other
    let at = drawn(
        "
        12 . . . . . . . . . . . . . . . c
        11 . . . . . . . . . . . . . . . .
        10 . . . . . . . . . . . . . . . .
         9 . . . . . . . . . . . . . . . .
         8 . . . . . . . . . . . . . . . .
         7 . . . . . . . . . . . . . . . .
         6 . . . . . . . . . . . . . . . .
         5 . . . . . . . . . . . . . . . .
         4 . . . M . . . . . . . . . . . .
         3 . . . . . . . . . . . . . . . .
         2 . N . . . . . . . . . . . . . .
         1 . . C . . C . . . . . . . . . .
           a b c d e f g h i j k l m n o p
        ",
    );
    play(&at, "Md4-d5; Nb2-c4");
    play(&at, "Md4-d5 (f1); Nb2-c4");
    play(&at, "d4d5(F1); Nb2-c4 (by Cc1)");
    let (no, why) = refused(&at, "Md4-d5 (c1); Nb2-c4");
    assert_eq!(no, 1);
    assert!(why.contains("no free chieftain"), "{why}");
    let (no, why) = refused(&at, "Nb2-c4 (f1)");
    assert_eq!(no, 0);
    assert!(why.contains("f1 cannot activate"), "{why}");
    let (_, why) = refused(&at, "Nb2-c4 (d4)");
    assert!(why.contains("no chieftain of yours stands on d4"), "{why}");
    let (_, why) = refused(&at, "Md4-d5 (c1); Nb2-c4 (c1)");
    assert!(why.contains("activated all it can"), "{why}");
    // the text that is kept does not name it, and what was named leaves no trace
    let seat = at.asks()[0].seat;
    let (named, happened) = at.act(seat, "Md4-d5 (f1); end", &mut NoDice).unwrap();
    assert_eq!(named, play(&at, "Md4-d5; end"));
    assert!(matches!(
        &happened[0],
        tulpa::rules::Happening::Played { steps, .. } if steps == &["Md4-d5", "end"]
    ));
}

#[test]
fn a_refusal_names_the_man_on_file_x() {
    // the x of x4 is a file here, no sign of a capture
    let board = "23c/24/24/24/24/24/24/23m/22MM/24/24/C23";
    let at = position("superchief", board, "white");
    for order in ["Mx4-w5", "Mx4xx5", "x4x5", "Mx4xw4"] {
        let (_, why) = refused(&at, order);
        assert!(
            why.contains("the man on x4 is out of command"),
            "{order}: {why}"
        );
    }
    let (_, why) = refused(&at, "Mw4xx5");
    assert!(why.contains("the man on w4 is out of command"), "{why}");
    let near = position("superchief", &board.replace("C23", "23C"), "white");
    let (_, why) = refused(&near, "Mx4xw4");
    assert!(why.contains("your own man stands on w4"), "{why}");
    play(&near, "Mx4xx5");
    play(&near, "Mw4xx5");
}
