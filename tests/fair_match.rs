//! Whole matches through the referee: each ends with a ledger that both verifiers let through.

mod ledgers;

use std::io::Write;
use std::process::{Command as Program, Stdio};

use jiff::Timestamp;
use ledgers::{Rng, by_lot};
use tulpa::cli::verify::{SCRIPT, rules};
use tulpa::fair::entropy::seed_commitment;
use tulpa::fair::line::{hash, hex};
use tulpa::fair::verify::verify;
use tulpa::referee::order::{Oddities, Order, OrderLine, Part, Proof, Read, Rival};
use tulpa::referee::{Command, House, MatchNo, Registry, Room, Stage, decide, scribe};
use tulpa::rules::{Shelf, What};

const NO: MatchNo = MatchNo(1);

struct Table<'a> {
    room: Room,
    shelf: &'a Shelf,
    now: Timestamp,
    letters: u32,
    seed: u64,
}

impl Table<'_> {
    fn letter(&mut self, player: u8, order: Order) {
        self.letters += 1;
        // sometimes the clock goes back: a ledger's time must not
        let step = if self.letters % 7 == 3 { -20 } else { 60 };
        self.now = Timestamp::from_second(self.now.as_second() + step).unwrap();
        let read = Read {
            from: format!("player{player}@example.org"),
            proof: Proof::Vouched,
            token: None,
            subject_match: None,
            message_id: format!("letter-{}-{}@client", self.seed, self.letters),
            answers: Vec::new(),
            parts: vec![Part {
                game: None,
                orders: vec![OrderLine {
                    line: 1,
                    text: "as ordered".into(),
                    order: Ok(order),
                }],
            }],
            ignored: Vec::new(),
            received: self.now,
            digest: [0; 32],
            oddities: Oddities::default(),
        };
        let entropy = hash(&format!("entropy {} {}", self.seed, self.letters));
        let command = Command::Letter(Box::new(read));
        let decision = decide(&self.room, self.shelf, &command, self.now, &entropy);
        self.room.keep(&decision);
    }
}

/// Everybody joins: with a letter, with words, or with a seed that is sealed and opened; now and then with a wrong one,
/// with the copy of another's seal, or too early.
fn seeds(t: &mut Table, seats: u8, rng: &mut Rng) {
    let gid = t.room.game(NO).unwrap().gid.clone();
    let own = |t: &Table, player: u8| hash(&format!("own {} {player}", t.seed));
    let sealed =
        |seed: &[u8; 32], player: u8| hex(&seed_commitment(&gid, u32::from(player) + 1, seed));
    let mut committed = Vec::new();
    for player in 0..seats {
        let seed = own(t, player);
        match rng.below(4) {
            0 => t.letter(player, Order::Seed(format!("words of player {player}"))),
            1 => {
                t.letter(player, Order::SeedOpen(hex(&seed)));
                t.letter(player, Order::SeedCommit(sealed(&seed, player)));
                t.letter(player, Order::SeedCommit(sealed(&[1; 32], player)));
                committed.push(player);
            }
            _ => {}
        }
        if player > 0 {
            t.letter(player, Order::Accept);
        }
    }
    let waiting = |t: &Table| t.room.game(NO).unwrap().stage == Stage::Inviting;
    assert_eq!(waiting(t), !committed.is_empty());
    for player in committed {
        assert!(waiting(t));
        t.letter(player, Order::SeedOpen(hex(&own(t, player + 1))));
        t.letter(player, Order::SeedOpen(hex(&own(t, player))));
    }
    assert!(!waiting(t));
}

/// A match by lot, of at most so many letters; its ledger, and how it stood after every letter.
fn play(shelf: &Shelf, id: &str, seed: u64, letters: u32, both: bool) -> (String, Vec<String>) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut t = Table {
        room: Room::new(House {
            key: hash(&format!("server {seed}")),
            ..House::default()
        }),
        shelf,
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        letters: 0,
        seed,
    };
    let seats = u8::try_from(shelf.get(id).unwrap().seats.len()).unwrap();
    let rival = |n: u8| Rival::Address(format!("player{n}@example.org"));
    let reveal = (!both).then(|| ("reveal".to_owned(), "outcome".to_owned()));
    t.letter(
        0,
        Order::New {
            game: id.into(),
            rivals: (1..seats).map(rival).collect(),
            seat: None,
            options: reveal.into_iter().collect(),
        },
    );
    seeds(&mut t, seats, &mut rng);
    let mut stood = Vec::new();
    while t.letters < letters {
        let m = t.room.game(NO).expect("the match was opened");
        if m.stage != Stage::Playing {
            break;
        }
        let table = m.table.clone().unwrap();
        let owed = m.awaited();
        let (seat, what) = owed[rng.below(owed.len())];
        let ask = table
            .asks()
            .into_iter()
            .find(|a| a.seat == seat && a.what == what)
            .unwrap();
        let text = by_lot(&table, ask, &mut rng);
        let after = |word: &str| text.strip_prefix(word).unwrap_or(&text).to_owned();
        let mine = (table.turn_no() - 1) % 2 == u32::from(seat.0);
        let order = match what {
            What::Pick if mine => Order::Pick(after("pick ")),
            What::Pick => Order::Guess(after("pick ")),
            What::Start => Order::Start(after("start ")),
            What::Exchange => Order::Exchange(after("exchange ")),
            What::Turn | What::Place => Order::Play(text.clone()),
        };
        let before = m.fair.tip.next;
        t.letter(m.seats[seat.at()], order);
        let after = t.room.game(NO).unwrap();
        assert!(
            after.fair.tip.next > before,
            "{id} {seed}: `{text}` was not played"
        );
        stood.push(scribe::export(&t.room, NO).unwrap());
    }
    if t.room.game(NO).unwrap().stage == Stage::Playing {
        t.letter(0, Order::Resign);
    }
    (
        scribe::export(&t.room, NO).expect("every match has a ledger"),
        stood,
    )
}

fn by_python(files: &[String]) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("verify.py"), SCRIPT).unwrap();
    let judge = "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import verify\n\
        for line in sys.stdin: print(verify.verify(bytes.fromhex(line.strip()))[0])";
    let child = Program::new("python3")
        .args(["-c", judge, dir.path().to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: there is no python3 on this machine, so verify.py was not run");
        return;
    };
    let text: String = files.iter().map(|f| hex(f.as_bytes()) + "\n").collect();
    let mut stdin = child.stdin.take().unwrap();
    let feed = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = child.wait_with_output().unwrap();
    feed.join().unwrap().unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.lines().count(), files.len());
    for (found, file) in out.lines().zip(files) {
        assert_eq!(found, "[]", "{file}");
    }
}

fn matches(each: u64, letters: u32) {
    let shelf = Shelf::builtin();
    let mut files = Vec::new();
    for seed in 1..=each {
        for (id, both) in [
            ("tulpas", true),
            ("tulpas", false),
            ("chaturaji", true),
            ("chess", true),
        ] {
            let (ledger, stood) = play(&shelf, id, seed, letters, both);
            let report = verify(&ledger, None);
            assert_eq!(report.findings, [], "{id} {seed}\n{ledger}");
            assert_eq!(
                rules::replay(&shelf, &report),
                Ok(()),
                "{id} {seed}\n{ledger}"
            );
            // what was signed on the way is a part of it
            for earlier in stood.iter().step_by(9) {
                let earlier = verify(earlier, None);
                assert_eq!(earlier.findings, [], "{id} {seed}");
                for head in &earlier.heads {
                    assert_eq!(report.holds(head), Ok(()));
                }
            }
            assert!(!ledger.contains("example.org") && !ledger.contains("client"));
            files.push(ledger);
        }
    }
    by_python(&files);
}

#[test]
fn every_match_ends_with_a_ledger_that_holds() {
    matches(4, 60);
}

#[test]
#[ignore = "1,000 matches; some minutes"]
fn a_thousand_matches_end_with_a_ledger_that_holds() {
    matches(250, 120);
}
