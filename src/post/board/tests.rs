use super::*;

/// A view from FEN-like rows, top rank first; a digit run is that many empty squares, `-` a hole.
fn fen(rows: &str) -> View {
    let mut all: Vec<Vec<Cell>> = Vec::new();
    for row in rows.split('/') {
        let mut cells = Vec::new();
        let mut run = 0usize;
        for c in row.chars() {
            if let Some(d) = c.to_digit(10) {
                run = run * 10 + d as usize;
                continue;
            }
            cells.extend(std::iter::repeat_n(Cell::Empty, std::mem::take(&mut run)));
            cells.push(match c {
                '-' => Cell::Hole,
                c => man(u8::from(c.is_lowercase()), c),
            });
        }
        cells.extend(std::iter::repeat_n(Cell::Empty, run));
        all.push(cells);
    }
    let (files, ranks) = (all[0].len() as u8, all.len() as u8);
    assert!(all.iter().all(|r| r.len() == usize::from(files)));
    let cells = all.into_iter().rev().flatten().collect();
    View {
        files,
        ranks,
        cells,
        last: vec![],
        to_move: vec![],
        notes: vec![],
        four: false,
        leaderless: vec![],
    }
}

fn man(seat: u8, letter: char) -> Cell {
    Cell::Man {
        seat: Seat(seat),
        letter: letter.to_ascii_uppercase(),
        mark: None,
        name: None,
    }
}

fn seats(names: &str) -> Vec<String> {
    names.split(' ').map(str::to_string).collect()
}

fn plain(view: &View, eyes: Option<u8>, names: &[String]) -> String {
    draw(
        &Drawing {
            view,
            eyes: eyes.map(Seat),
            seats: names,
        },
        BoardStyle::Plain,
    )
}

const ARRAY_A: &str = "m1n4n1m/1hrbqkbrh1/pppppppppp/10/10/10/10/PPPPPPPPPP/1HRBQKBRH1/M1N4N1M";

/// maces.md 1.2, in the style of protocol.md.
#[test]
fn array_a_of_maces() {
    let expected = "
      a b c d e f g h i j
  10  m . n . . . . n . m  10
   9  . h r b q k b r h .   9
   8  p p p p p p p p p p   8
   7  . . . . . . . . . .   7
   6  . . . . . . . . . .   6
   5  . . . . . . . . . .   5
   4  . . . . . . . . . .   4
   3  P P P P P P P P P P   3
   2  . H R B Q K B R H .   2
   1  M . N . . . . N . M   1
      a b c d e f g h i j
"
    .trim_start_matches('\n');
    assert_eq!(plain(&fen(ARRAY_A), None, &[]), expected);
}

#[test]
fn black_sees_his_men_below_and_the_last_turn_moves_no_column() {
    let mut view = fen("3k/2n1/N3/K3");
    // Nb3xa... : a2, b2 and the square left, d4.
    view.last = vec![4, 5, 15];
    let white = "
      a b c d
   4  . . .(k)  4
   3  . . n .   3
   2 (N|.). .   2
   1  K . . .   1
      a b c d
"
    .trim_start_matches('\n');
    assert_eq!(plain(&view, Some(0), &[]), white);
    let black = "
      d c b a
   1  . . . K   1
   2  . .(.|N)  2
   3  . n . .   3
   4 (k). . .   4
      d c b a
"
    .trim_start_matches('\n');
    assert_eq!(plain(&view, Some(1), &[]), black);
    view.last.clear();
    for eyes in [Some(0), Some(1)] {
        let bare = plain(&view, eyes, &[]);
        let marked = if eyes == Some(0) { white } else { black };
        assert_eq!(bare, marked.replace(['(', ')', '|'], " "));
    }
}

#[test]
fn thirty_files_fit_and_the_last_four_are_two_letters_high() {
    let row = "hcs1chs1hcs1chsshc1sch1shc1sch";
    let rows = std::iter::once(row)
        .chain(std::iter::repeat_n("30", 14))
        .collect::<Vec<_>>()
        .join("/");
    let text = plain(&fen(&rows), None, &[]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 15 + 4);
    assert_eq!(lines[0], format!("{}a a a a", " ".repeat(58)));
    assert_eq!(
        lines[1],
        "      a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d"
    );
    assert_eq!(
        lines[2],
        "  15  h c s . c h s . h c s . c h s s h c . s c h . s h c . s c h  15"
    );
    assert_eq!(
        lines[16],
        format!("   1  {}   1", [". "; 30].concat().trim_end())
    );
    assert!(text.is_ascii() && lines.iter().all(|l| l.len() <= 72 && !l.ends_with(' ')));
}

/// chaturaji.md 1.2, with the colours' letters.
#[test]
fn a_board_of_four() {
    let mut view = fen("8/8/8/8/8/8/8/8");
    view.four = true;
    let mut put = |square: &str, seat: u8, letter: char| {
        let b = square.as_bytes();
        view.cells[usize::from(b[1] - b'1') * 8 + usize::from(b[0] - b'a')] = man(seat, letter);
    };
    // green south, yellow west, blue north, red east
    for (seat, squares) in [
        (0, ["f1", "g1", "h1", "f2", "g2", "h2"]),
        (1, ["a3", "a2", "a1", "b1", "b2", "b3"]),
        (2, ["c8", "b8", "a8", "a7", "b7", "c7"]),
        (3, ["h6", "h7", "h8", "g6", "g7", "g8"]),
    ] {
        for (square, letter) in squares.iter().zip("MPRSSS".chars()) {
            put(square, seat, letter);
        }
    }
    view.last = vec![5, 15];
    let names = seats("green yellow blue red");
    let expected = "
      a  b  c  d  e  f  g  h
   8  BR BP BM .  .  .  RS RR   8
   7  BS BS BS .  .  .  RS RP   7
   6  .  .  .  .  .  .  RS RM   6
   5  .  .  .  .  .  .  .  .    5
   4  .  .  .  .  .  .  .  .    4
   3  YM YS .  .  .  .  .  .    3
   2  YP YS .  .  .  GS GS(GS)  2
   1  YR YS .  .  . (GM)GP GR   1
      a  b  c  d  e  f  g  h
"
    .trim_start_matches('\n');
    assert_eq!(plain(&view, None, &names), expected);
    let blue = plain(&view, Some(2), &names);
    assert!(
        blue.starts_with("      h  g  f  e  d  c  b  a\n   1  GR GP(GM)"),
        "{blue}"
    );
    // West looks east: his own raven at his right hand, and the ranks run from left to right.
    let yellow = "
      8  7  6  5  4  3  2  1
   h  RR RP RM .  .  .  GS GR   h
   g  RS RS RS .  .  .  GS GP   g
   f  .  .  .  .  .  .  GS(GM)  f
   e  .  .  .  .  .  .  .  .    e
   d  .  .  .  .  .  .  .  .    d
   c  BM BS .  .  .  .  .  .    c
   b  BP BS .  .  .  YS YS YS   b
   a  BR BS .  .  .  YM YP YR   a
      8  7  6  5  4  3  2  1
"
    .trim_start_matches('\n');
    view.last = vec![5];
    assert_eq!(plain(&view, Some(1), &names), yellow);
    let red = plain(&view, Some(3), &names);
    assert!(
        red.starts_with("      1  2  3  4  5  6  7  8\n   a  YR YP YM")
            && red.contains("   h  GR GS .  .  .  RM RP RR   h\n"),
        "{red}"
    );
    // An army without its monarch.
    view.leaderless = vec![Seat(1)];
    let text = plain(&view, None, &names);
    assert!(
        text.contains("   1  yR yS ") && text.contains("GM"),
        "{text}"
    );
    let svg = draw_svg(&Drawing {
        view: &view,
        eyes: Some(Seat(1)),
        seats: &names,
    });
    assert_eq!(svg.matches("width=\"40\"").count(), 64);
    view.leaderless.clear();
    // Two names with one first letter: numbers.
    let text = plain(&view, None, &seats("green grey blue red"));
    assert!(text.contains("1M") && text.contains("2M") && text.contains("BM"));
    assert!(!text.contains("GM"));
}

#[test]
fn marks_stand_behind_their_man_and_holes_are_blank() {
    let mut view = fen("-k/K1");
    if let Cell::Man { mark, .. } = &mut view.cells[0] {
        *mark = Some('*');
    }
    let expected = "
      a  b
   2     k    2
   1  K* .    1
      a  b
"
    .trim_start_matches('\n');
    assert_eq!(plain(&view, None, &[]), expected);
}

#[test]
fn the_list_says_who_stands_where() {
    let mut view = fen(ARRAY_A);
    for cell in &mut view.cells {
        if let Cell::Man { letter, name, .. } = cell {
            let said = match letter {
                'K' => "king",
                'Q' => "queen",
                'R' => "rook",
                'B' => "bishop",
                'N' => "knight",
                'M' => "mace",
                'H' => "horse-apult",
                _ => "pawn",
            };
            *name = Some(said.into());
        }
    }
    view.last = vec![2, 23];
    let names = seats("white black");
    let drawing = Drawing {
        view: &view,
        eyes: None,
        seats: &names,
    };
    let expected = "
White: king f2; queen e2; bishop d2 g2; horse-apult b2 i2; knight c1
  h1; mace a1 j1; rook c2 h2; pawn a3 b3 c3 d3 e3 f3 g3 h3 i3 j3
Black: king f9; queen e9; bishop d9 g9; horse-apult b9 i9; knight c10
  h10; mace a10 j10; rook c9 h9; pawn a8 b8 c8 d8 e8 f8 g8 h8 i8 j8
Touched by the last turn: c1 d3
"
    .trim_start_matches('\n');
    assert_eq!(draw(&drawing, BoardStyle::List), expected);
    let unicode = draw(&drawing, BoardStyle::Unicode);
    assert!(
        unicode.contains("   2  · H ♖ ♗ ♕ ♔ ♗ ♖ H ·   2\n"),
        "{unicode}"
    );
}

#[test]
fn html_and_plain_have_the_same_columns() {
    let mut view = fen(ARRAY_A);
    view.last = vec![2, 23];
    let drawing = Drawing {
        view: &view,
        eyes: None,
        seats: &[],
    };
    let html = draw_html(&drawing, BoardStyle::Plain);
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    assert_eq!(
        text.trim_matches('\n'),
        draw(&drawing, BoardStyle::Plain).trim_end_matches('\n')
    );
    assert_eq!(html.matches("#ffe08a").count(), 2);
    assert!(!html.contains("http") && !html.contains("src="));
}

#[test]
fn pictures_have_one_square_for_each_square() {
    let mut view = fen("-k/K1");
    view.last = vec![0];
    let names = seats("white black");
    let svg = draw_svg(&Drawing {
        view: &view,
        eyes: Some(Seat(1)),
        seats: &names,
    });
    assert_eq!(svg.matches("width=\"40\"").count(), 3);
    assert!(svg.contains("<title>White K a1</title>") && svg.contains("<title>Black K b2</title>"));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
}

#[test]
fn notes_are_aligned() {
    let mut view = fen("1");
    view.notes = vec![
        (Some(Seat(0)), "Tulpas to come".into(), "amazon ox".into()),
        (Some(Seat(1)), "Tulpas to come".into(), "".into()),
        (None, "turn".into(), "7".into()),
    ];
    let expected =
        "  White  Tulpas to come: amazon ox\n  Black  Tulpas to come:\n         turn: 7\n";
    assert_eq!(notes(&view, &seats("white black")), expected);
}

#[test]
fn names_of_squares() {
    assert_eq!([0, 25, 26, 29].map(file_name), ["a", "z", "aa", "ad"]);
    let view = View {
        files: 30,
        ranks: 15,
        ..fen("1")
    };
    assert_eq!(square_name(&view, 30 * 2 + 27), "ab3");
}

/// A view that makes no sense is drawn somehow, not panicked over.
#[test]
fn a_short_or_empty_view_is_drawn_too() {
    for (files, ranks) in [(0, 0), (0, 5), (5, 0), (30, 26), (255, 255)] {
        let view = View {
            files,
            ranks,
            cells: vec![Cell::Empty; 3],
            last: vec![7, 65535],
            ..fen("1")
        };
        let drawing = Drawing {
            view: &view,
            eyes: Some(Seat(9)),
            seats: &[],
        };
        for style in [BoardStyle::Plain, BoardStyle::Unicode, BoardStyle::List] {
            let _ = (
                draw(&drawing, style),
                draw_html(&drawing, style),
                draw_svg(&drawing),
            );
        }
    }
}
