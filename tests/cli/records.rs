//! Matches out of the store replay: what `tulpa export` prints, `tulpa replay` accepts.

use std::fs;
use std::sync::Arc;

use super::common::Home;
use tulpa::referee::state::{Clock, Counters};
use tulpa::referee::{Event, House, MatchNo, PlayerNo, Registry, Room, Secret, Stage, apply};
use tulpa::rules::{Dice, NoDice, Options, Rulebook, Seat, Shelf, Table, What, record};

/// Dice from a counter, written down as they fall.
struct Thrown {
    state: u64,
    fell: Vec<u16>,
}

impl Thrown {
    fn next(&mut self) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.state >> 33
    }
}

impl Dice for Thrown {
    fn roll(&mut self, _: Seat, sides: u16) -> u16 {
        let n = self.next() % u64::from(sides.max(1));
        let fell = u16::try_from(n).unwrap() + 1;
        self.fell.push(fell);
        fell
    }
}

/// Any whole turn that is legal.
fn turn(table: &Table, seat: Seat, chance: &mut Thrown) -> Option<String> {
    let mut steps: Vec<String> = Vec::new();
    loop {
        let so_far: Vec<&str> = steps.iter().map(String::as_str).collect();
        let next = table.next(seat, &so_far).ok()?;
        let pick = usize::try_from(chance.next()).ok()?;
        if next.steps.is_empty() || (next.may_stop && !steps.is_empty() && pick % 3 == 0) {
            if !next.steps.is_empty() || steps.is_empty() {
                steps.push("end".to_owned());
            }
            return Some(steps.join("; "));
        }
        steps.push(next.steps[pick % next.steps.len()].clone());
        if table.act(seat, &steps.join("; "), &mut NoDice).is_ok() && (pick / 7) % 4 != 0 {
            return Some(steps.join("; "));
        }
    }
}

/// Plays a match in memory through the referee's events alone; answers its record.
fn played(book: &Arc<Rulebook>, options: &Options, seed: u64, turns: usize) -> (String, bool) {
    let mut room = Room::new(House::default());
    let at = jiff::Timestamp::UNIX_EPOCH;
    let mut chance = Thrown {
        state: seed,
        fell: Vec::new(),
    };
    let count = u32::try_from(book.seats.len()).unwrap();
    let players: Vec<PlayerNo> = (1..=count).map(PlayerNo).collect();
    for player in &players {
        let event = Event::Met {
            player: *player,
            address: format!("p{}@example.org", player.0),
            name: format!("Player-{}", player.0),
            confirmed: true,
        };
        apply(&mut room, &event, at).unwrap();
    }
    let digest = tulpa::referee::book_digest(&book.text);
    let game = MatchNo(1);
    let options = book.settle_options(options).unwrap();
    let (table, _) = Table::begin(book, &options, &mut chance).unwrap();
    let rolls = std::mem::take(&mut chance.fell);
    let _ = table;
    let opening = [
        Event::BookKept {
            digest: digest.clone(),
            id: book.id.clone(),
            text: book.text.clone(),
        },
        Event::Proposed {
            ask_seeds: false,
            game,
            gid: "aaaaaaaaaa".to_owned(),
            secret: Secret("00".repeat(32)),
            id: book.id.clone(),
            book: digest,
            options,
            reveal_both: true,
            clock: Clock::days(0),
            players,
            wishes: Vec::new(),
            people: u8::try_from(count).unwrap(),
            open: false,
        },
        Event::Begun {
            game,
            seats: (0..u8::try_from(count).unwrap()).collect(),
            rolls,
        },
    ];
    for event in &opening {
        apply(&mut room, event, at).unwrap();
    }
    assert_eq!(
        room.counters(),
        Counters {
            players: count,
            matches: 1
        }
    );
    for _ in 0..turns {
        let m = room.game(game).unwrap();
        if m.stage != Stage::Playing {
            break;
        }
        let table = m.table.as_ref().unwrap();
        let asks = table.asks();
        let Some(ask) = asks.first().copied() else {
            break;
        };
        chance.fell.clear();
        let event = if ask.what == What::Pick {
            let mut cards = Vec::new();
            for ask in asks.iter().filter(|a| a.what == What::Pick) {
                let all = table.choices(ask.seat, What::Pick);
                let at = usize::try_from(chance.next()).unwrap() % all.len();
                let card = all[at].trim_start_matches("pick ").to_owned();
                cards.push((ask.seat, card));
            }
            Event::Opened {
                game,
                turn: table.turn_no(),
                cards,
                rolls: Vec::new(),
                defaulted: Vec::new(),
            }
        } else {
            let order = match ask.what {
                What::Turn => turn(table, ask.seat, &mut chance),
                other => {
                    let all = table.choices(ask.seat, other);
                    let at = usize::try_from(chance.next()).unwrap();
                    all.get(at % all.len().max(1)).cloned()
                }
            };
            let Some(order) = order else { break };
            chance.fell.clear();
            if table.act(ask.seat, &order, &mut chance).is_err() {
                continue;
            }
            Event::Acted {
                game,
                seat: ask.seat,
                order: order.clone(),
                ordered: order,
                rolls: std::mem::take(&mut chance.fell),
                letter: None,
            }
        };
        apply(&mut room, &event, at).unwrap();
    }
    let over = room.game(game).unwrap().stage == Stage::Over;
    let lines = room.lines(game);
    let text = lines.iter().map(|l| format!("{}\n", l.full)).collect();
    (text, over)
}

#[test]
fn records_of_all_families_replay() {
    let shelf = Shelf::builtin();
    let mut seen = [false; 5];
    for (game, turns, seeds) in [
        ("tulpas", 150, 6),
        ("maces", 60, 3),
        ("chess", 60, 3),
        ("chaturaji", 220, 8),
        ("superchief", 40, 3),
        ("hydra", 60, 3),
    ] {
        let book = shelf.get(game).unwrap().clone();
        for seed in 0..seeds {
            let (text, _) = played(&book, &Options::new(), seed * 7919 + 1, turns);
            if let Err(e) = record::replay(&shelf, &text) {
                let at: Vec<&str> = text
                    .lines()
                    .skip(e.line.saturating_sub(3))
                    .take(4)
                    .collect();
                panic!("{game}, seed {seed}: {e}\n{}", at.join("\n"));
            }
            for (i, word) in [
                "\"cards\"",
                "\"place\"",
                "\"roll\"",
                "\"exchange\"",
                "\"pass\"",
            ]
            .iter()
            .enumerate()
            {
                seen[i] |= text.contains(word);
            }
        }
    }
    assert!(
        seen[0] && seen[1] && seen[2],
        "cards, placements and rolls occurred: {seen:?}"
    );
}

#[test]
fn options_have_their_place_in_the_header() {
    let shelf = Shelf::builtin();
    let book = shelf.get("superchief").unwrap().clone();
    let Some((key, option)) = book.options.iter().find(|(k, _)| *k == "leaders") else {
        panic!("superchief has the option of its rules page");
    };
    let options = Options::from([(key.clone(), option.values.last().unwrap().clone())]);
    let (text, _) = played(&book, &options, 3, 6);
    assert!(
        text.starts_with("{") && text.contains("\"options\":{\"leaders\""),
        "{text}"
    );
    record::replay(&shelf, &text).unwrap();
}

#[test]
fn the_demos_matches_replay_and_make_a_page() {
    let home = Home::new();
    for game in ["tulpas", "chess"] {
        home.run(&["demo", game, "--keep", game]).good();
        let config = format!("{game}/tulpa.ron");
        let record = home.run(&["-c", &config, "export", "1"]).good();
        fs::write(home.path("r.jsonl"), &record).unwrap();
        let said = home.run(&["replay", "r.jsonl"]);
        assert_eq!(said.whole(), "exit 0\n");
        let page = home
            .run(&["-c", &config, "export", "1", "--as", "page"])
            .good();
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(
            page.matches("<svg").count() > 3 && page.contains("<code>"),
            "{page}"
        );
        assert!(!page.contains("<script") && !page.contains("src="));
        let mbox = home
            .run(&["-c", &config, "export", "1", "--as", "mails"])
            .good();
        let mails = fs::read_dir(home.path(&format!("{game}/mail/outbox/new"))).unwrap();
        let begun = mbox.lines().filter(|l| l.starts_with("From ")).count();
        assert!(begun > 3 && begun <= mails.count(), "{begun}");
    }
}

#[test]
fn a_board_as_a_picture() {
    let home = Home::new();
    let done = super::common::tulpa()
        .args(["board", "chess", "--style", "png"])
        .current_dir(home.dir.path())
        .output()
        .unwrap();
    if !done.status.success() {
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(err.contains("no fonts"), "{err}");
        return;
    }
    assert!(done.stdout.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(done.stdout.len() > 10_000, "{}", done.stdout.len());
}
