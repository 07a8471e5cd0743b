//! Hydra-Vari Chess without the loop: the numbered rulings of its rules page, each by name (h31 is H31).

mod drawn;

use drawn::*;
use tulpa::rules::Table;

fn men(list: &str) -> Table {
    held("", list)
}
fn held(hands: &'static str, list: &str) -> Table {
    Drawn {
        hands,
        ..Drawn::new("hydra-noloop")
    }
    .men(list)
}

#[test]
fn h20_an_empty_prison_bars_a_capture_on_rank_16() {
    // black's pawn b2 may not take on a1 while white holds nothing; with the knight in prison it may
    let list = "Ka1 Rh3 pb2 nh9 ko16 kp16 Pm5";
    assert!(has(&men(list), "m5-m6"));
    assert!(
        !has(&men(list), "Rh3xh9"),
        "the capture itself fills the prison"
    );
    assert!(!has(&held("white N1", list), "m5-m6"));
}

#[test]
fn h31_king_capture_is_compulsory_and_a_ransomed_king_no_shelter() {
    assert_eq!(all(&men("Ka1 Kb1 Rd4 kd9 ko16 qm12")).join(" "), "Rd4xd9");
    // the last king a16 stands in check from h16: a queen on c16 blocks, a ransomed king does not
    let at = held("black K1 N1", "Pc15 Ka16 rh16 kp1 ko1");
    assert!(has(&at, "c15-c16=N") && !has(&at, "c15-c16=K"));
    // with a second king there is no such test
    let two = held("black K1 N1", "Pc15 Ka16 Kp14 rh16 kp1 ko1");
    assert!(has(&two, "c15-c16=K"));
}

#[test]
fn h32_the_unit_just_captured_is_not_the_one_ransomed() {
    let at = held("black Q1", "Pc15 Ka1 Kb1 rd16 ko8 kp8");
    assert_eq!(of(&at, "c15").join(" "), "c15-c16=Q c15xd16=Q");
    let at = play(&at, "c15xd16=Q");
    assert_eq!(note(&at, 0, "Prison"), "R");
    assert_eq!(note(&at, 1, "Prison"), "empty");
}

#[test]
fn h33_a_step_between_central_squares_wins_and_standing_there_does_not() {
    // h8 is attacked: no win; the attacker leaves, another move does not win; the next step does
    let at = men("Kg8 Ka1 rh14 ko16 kp16 pc12 Pc4 qb16");
    let at = play(&at, "Kg8-h8");
    assert_eq!(at.ending(), None);
    let at = men("Kh8 Ka1 ko16 kp16 pc12 Pc4 qb16");
    assert_eq!(play(&at, "c4-c5").ending(), None);
    assert_eq!(outcome(&play(&at, "Kh8-h9")), "white: hill");
    // a capture is a step
    let taking = men("Kg8 Ka1 nh8 ko16 kp16 pc12 qb16");
    assert_eq!(outcome(&play(&taking, "Kg8xh8")), "white: hill");
}

#[test]
fn h34_an_attacked_king_on_the_hill_does_not_win_with_several_kings() {
    let at = men("Kg8 Ka1 Kb1 rh14 ko16 kp16 pc12 qb16");
    assert_eq!(play(&at, "Kg8-h8").ending(), None);
}

#[test]
fn h35_only_a_capture_wins_by_material() {
    // a bare king before the move: nothing was captured, nothing is won
    assert_eq!(play(&men("Ka1 Rb3 kp16"), "Rb3-b4").ending(), None);
    // prisoners do not count
    let at = held("white Q1 R1", "Ka1 Rb3 nb9 kp16");
    assert_eq!(outcome(&play(&at, "Rb3xb9")), "white: material");
    // the weave is no capture; with a capture the board after it is judged
    let mut woven = String::new();
    for rank in 8..=9 {
        for (f, file) in ('a'..='p').enumerate() {
            if (rank, file) != (8, 'p') {
                let man = if (f + rank) % 2 == 1 { 'P' } else { 'p' };
                woven.push_str(&format!("{man}{file}{rank} "));
            }
        }
    }
    let rest = "Kg1 Ka1 ko16 bn16";
    let quiet = play(&men(&format!("{woven}Pp7 {rest}")), "p7-p8");
    assert_eq!(drawn::men(&quiet), "Ka1 Kg1 bn16 ko16");
    assert_eq!(quiet.ending(), None);
    let taking = play(&men(&format!("{woven}Po7 np8 {rest}")), "o7xp8");
    assert_eq!(outcome(&taking), "white: material");
}

#[test]
fn h36_uncastled_queens_and_rooks_are_material() {
    assert_eq!(play(&men("Ka1 Rb3 nb9 kp4 ra16*"), "Rb3xb9").ending(), None);
    assert_eq!(play(&men("Ka1 Rb3 nb9 kp4 qg16*"), "Rb3xb9").ending(), None);
    assert_eq!(
        outcome(&play(&men("Ka1 Rb3 nb9 kp4"), "Rb3xb9")),
        "white: material"
    );
}

#[test]
fn filling_rank_16_wins_nothing() {
    let row: String = "bcdefghijklmnop"
        .chars()
        .map(|f| format!("N{f}16 "))
        .collect();
    let at = held("black N1", &format!("{row}Pa15 Ka1 Kb1 ko5 kp5 qp7"));
    assert_eq!(line(&at, "a15-a16=N").ending(), None);
}
