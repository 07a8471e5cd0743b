//! Whole matches through the referee: each ends with a ledger that both verifiers let through.

mod ledgers;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command as Program, Stdio};

use jiff::Timestamp;
use ledgers::{Rng, by_lot};
use tulpa::cli::verify::{SCRIPT, rules};
use tulpa::fair::entropy::seed_commitment;
use tulpa::fair::line::{hash, hex};
use tulpa::fair::seal::commitment;
use tulpa::fair::verify::verify;
use tulpa::referee::order::{Oddities, Order, OrderLine, Part, Proof, Read, Rival};
use tulpa::referee::{
    Command, Decision, House, MatchNo, Outcome, Registry, Room, Stage, To, decide, next_deadline,
    scribe,
};
use tulpa::rules::{Seat, Shelf, What};

const NO: MatchNo = MatchNo(1);

struct Table<'a> {
    room: Room,
    shelf: &'a Shelf,
    now: Timestamp,
    letters: u32,
    seed: u64,
}

impl Table<'_> {
    fn letter(&mut self, player: u8, order: Order) -> Decision {
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
        self.run(&Command::Letter(Box::new(read)))
    }
    fn run(&mut self, command: &Command) -> Decision {
        let entropy = hash(&format!("entropy {} {}", self.seed, self.letters));
        let decision = decide(&self.room, self.shelf, command, self.now, &entropy);
        self.room.keep(&decision);
        decision
    }
    /// Nobody writes until the next time that the referee looks by itself.
    fn waits(&mut self) -> Decision {
        self.letters += 1;
        self.now = next_deadline(&self.room).expect("somebody's time runs");
        self.run(&Command::Tick)
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
            0 => drop(t.letter(player, Order::Seed(format!("words of player {player}")))),
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

/// A card that only its player knows.
struct Own {
    card: String,
    nonce: String,
    turn: u32,
    /// It will be opened: the number is not out of thin air, nor does its player drop out.
    opens: bool,
}

/// What was tried, for the report.
type Tried = BTreeMap<&'static str, usize>;

/// A match in which players keep their cards, lie, copy, come too early and drop out; its ledger.
struct Doubters<'a> {
    t: Table<'a>,
    rng: Rng,
    own: BTreeMap<(u32, Seat), Own>,
    tried: &'a mut Tried,
}

impl Doubters<'_> {
    fn tried(&mut self, what: &'static str) {
        *self.tried.entry(what).or_default() += 1;
    }

    /// Sends an order that must be refused and must change nothing.
    fn refused(&mut self, chair: u8, order: Order, what: &'static str) {
        self.tried(what);
        let decision = self.t.letter(chair, order);
        assert_eq!(
            decision.outcome,
            Outcome::Rejected,
            "{what}: {:?}",
            decision.events
        );
        assert!(decision.events.is_empty(), "{what}: {:?}", decision.events);
        self.told(&decision);
    }

    fn fine(&mut self, chair: u8, order: Order, what: &'static str) {
        self.tried(what);
        let decision = self.t.letter(chair, order);
        assert_eq!(
            decision.outcome,
            Outcome::Applied,
            "{what}: {:?}",
            decision.events
        );
        assert!(!decision.events.is_empty(), "{what}: {:?}", decision.events);
        self.told(&decision);
    }

    fn waits(&mut self) {
        let decision = self.t.waits();
        self.told(&decision);
    }

    /// No mail, no ledger line tells a nonce before its card is open, nor which card it was.
    fn told(&self, decision: &Decision) {
        let m = self.t.room.game(NO).unwrap();
        let ledger = scribe::export(&self.t.room, NO).unwrap();
        for ((turn, seat), own) in &self.own {
            if ledger.contains(&own.nonce) {
                continue;
            }
            let owner = m.player_at(*seat).unwrap();
            for notice in decision
                .notices
                .iter()
                .filter(|n| n.to != To::Player(owner))
            {
                let text = serde_json::to_string(notice).unwrap();
                assert!(!text.contains(&own.nonce), "{turn} {seat:?}: {text}");
            }
        }
        for seal in m.sealed.iter().filter(|s| s.known()) {
            assert!(!ledger.contains(&seal.nonce.0), "{ledger}");
        }
    }

    fn number(&self, turn: u32, seat: Seat, card: &str, nonce: &str) -> String {
        let gid = &self.t.room.game(NO).unwrap().gid;
        commitment(gid, turn, u32::from(seat.0) + 1, card, nonce)
    }

    /// A seat that owes a card does something about it.
    fn card(&mut self, seat: Seat, mover: Seat) {
        let m = self.t.room.game(NO).unwrap();
        let (turn, chair) = (m.turn(), m.seats[seat.at()]);
        let table = m.table.clone().unwrap();
        let left = table.choices(seat, What::Pick);
        let mut card = left[self.rng.below(left.len())]
            .trim_start_matches("pick ")
            .to_owned();
        let guess = seat != mover;
        let nonce = hex(&hash(&format!("{} {}", self.t.seed, self.t.letters)));
        // `pick commit` is for whatever card is owed
        let word = guess && self.rng.below(2) == 0;
        let commit = |commitment: String| Order::CardCommit {
            guess: word,
            commitment,
        };
        // the partner's number is in every mail
        let other = m
            .card_down(turn, Seat(1 - seat.0))
            .map(|s| s.commitment.clone());
        let mut opens = true;
        match self.rng.below(12) {
            0 => return self.waits(),
            1 | 2 => {
                let order = if guess {
                    Order::Guess(card)
                } else {
                    Order::Pick(card)
                };
                return self.fine(chair, order, "plain cards");
            }
            3 if other.is_some() => {
                return self.refused(chair, commit(other.unwrap()), "copied commitments");
            }
            4 => card = ["dragon", "x", "a-very-long-card"][self.rng.below(3)].to_owned(),
            5 => opens = false,
            _ => {}
        }
        let number = self.number(turn, seat, &card, &nonce);
        self.fine(chair, commit(number.clone()), "commitments");
        if other.is_none() {
            let open = Order::CardOpen {
                card: card.clone(),
                nonce: nonce.clone(),
            };
            self.refused(chair, open, "early openings");
            let again = match guess {
                true => Order::Guess("ox".into()),
                false => Order::Pick("ox".into()),
            };
            self.refused(chair, again, "second cards");
        }
        let own = Own {
            card,
            nonce,
            turn,
            opens,
        };
        self.own.insert((turn, seat), own);
    }

    /// The number of a card for the next summoning, sent ahead; where one may be sent at all.
    fn ahead(&mut self, seat: Seat) {
        let m = self.t.room.game(NO).unwrap();
        let (turn, chair) = (m.turn() + 1, m.seats[seat.at()]);
        let card = ["amazon", "ox", "archer", "spider", "mace"][self.rng.below(5)].to_owned();
        let nonce = hex(&hash(&format!("{} {}", self.t.seed, self.t.letters)));
        let commitment = self.number(turn, seat, &card, &nonce);
        let guess = false;
        let decision = self
            .t
            .letter(chair, Order::CardCommit { guess, commitment });
        self.told(&decision);
        if decision.outcome == Outcome::Applied {
            self.tried("commitments ahead");
            let own = Own {
                card,
                nonce,
                turn,
                opens: true,
            };
            self.own.insert((turn, seat), own);
        }
    }

    /// A seat that must open its card does, or not.
    fn open(&mut self, seat: Seat) {
        let m = self.t.room.game(NO).unwrap();
        let (turn, chair) = (m.turn(), m.seats[seat.at()]);
        let own = &self.own[&(turn, seat)];
        let (card, nonce) = (own.card.clone(), own.nonce.clone());
        let order = |card: String, nonce: String| Order::CardOpen { card, nonce };
        match self.rng.below(8) {
            _ if !own.opens => {
                self.tried("drop-outs at opening");
                self.waits();
            }
            0 => self.waits(),
            1 => self.refused(chair, order(card, hex(&hash(&nonce))), "wrong nonces"),
            2 => self.refused(chair, order("king".into(), nonce), "wrong cards"),
            3 if turn > 1 => {
                let past = (self.own.values()).find(|o| o.turn < turn);
                if let Some((card, nonce)) = past.map(|o| (o.card.clone(), o.nonce.clone())) {
                    self.refused(
                        chair,
                        order(card, nonce),
                        "openings of another turn or seat",
                    );
                }
            }
            _ => self.fine(chair, order(card, nonce), "openings"),
        }
    }
}

fn play_doubting(
    shelf: &Shelf,
    seed: u64,
    letters: u32,
    both: bool,
    tried: &mut Tried,
) -> (String, Vec<String>) {
    let t = Table {
        room: Room::new(House {
            key: hash(&format!("server {seed}")),
            ..House::default()
        }),
        shelf,
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        letters: 0,
        seed,
    };
    let rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let own = BTreeMap::new();
    let mut d = Doubters { t, rng, own, tried };
    let options = [
        ("reveal", if both { "both" } else { "outcome" }),
        ("days", "2"),
    ];
    let order = Order::New {
        game: "tulpas".into(),
        rivals: vec![Rival::Address("player1@example.org".into())],
        seat: None,
        options: options.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
    };
    d.t.letter(0, order);
    d.t.letter(1, Order::Accept);
    let mut stood = Vec::new();
    while d.t.letters < letters {
        let m = d.t.room.game(NO).expect("the match was opened");
        if m.stage != Stage::Playing {
            break;
        }
        let table = m.table.clone().unwrap();
        let mover = Seat(u8::try_from((table.turn_no() - 1) % 2).unwrap());
        let opening: Vec<Seat> = m.every_seat().filter(|s| m.must_open(*s)).collect();
        let owed = m.awaited();
        if !opening.is_empty() {
            let seat = opening[d.rng.below(opening.len())];
            d.open(seat);
        } else {
            let (seat, what) = owed[d.rng.below(owed.len())];
            if what == What::Pick {
                d.card(seat, mover);
            } else {
                if d.rng.below(8) == 0 {
                    d.ahead(Seat(1 - seat.0));
                }
                let ask = table.asks().into_iter().find(|a| a.seat == seat).unwrap();
                let text = by_lot(&table, ask, &mut d.rng);
                d.fine(m.seats[seat.at()], Order::Play(text), "moves");
            }
        }
        stood.push(scribe::export(&d.t.room, NO).unwrap());
    }
    if d.t.room.game(NO).unwrap().stage == Stage::Playing {
        d.t.letter(0, Order::Resign);
    }
    let ledger = scribe::export(&d.t.room, NO).unwrap();
    for (what, line) in [
        ("results by default", "why=default"),
        ("cards of the dice", "by=dice"),
        ("cards not opened in time", "for=open"),
        ("results", " result "),
        ("pieces by default", "match=yes why=default"),
    ] {
        *d.tried.entry(what).or_default() += ledger.matches(line).count();
    }
    (ledger, stood)
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
            holds(&shelf, &format!("{id} {seed}"), &ledger, &stood);
            files.push(ledger);
        }
    }
    by_python(&files);
}

/// Matches of doubters, with both ways of revealing; what was tried in them.
fn doubting_matches(count: u64, letters: u32) -> Tried {
    let shelf = Shelf::builtin();
    let mut tried = Tried::new();
    let mut files = Vec::new();
    for seed in 1..=count {
        let (ledger, stood) = play_doubting(&shelf, seed, letters, seed % 2 == 0, &mut tried);
        holds(&shelf, &format!("doubters {seed}"), &ledger, &stood);
        files.push(ledger);
        // the other verifier may stand on its head too, in the middle of a match
        files.extend(stood.into_iter().step_by(23));
    }
    by_python(&files);
    for what in [
        "commitments",
        "commitments ahead",
        "plain cards",
        "openings",
        "copied commitments",
        "early openings",
        "second cards",
        "wrong nonces",
        "wrong cards",
        "drop-outs at opening",
        "openings of another turn or seat",
        "results by default",
        "pieces by default",
        "cards of the dice",
    ] {
        assert!(tried.contains_key(what), "{what}: {tried:?}");
    }
    tried
}

/// The ledger is let through, and what was signed on the way is a part of it.
fn holds(shelf: &Shelf, name: &str, ledger: &str, stood: &[String]) {
    let report = verify(ledger, None);
    assert_eq!(report.findings, [], "{name}\n{ledger}");
    assert_eq!(rules::replay(shelf, &report), Ok(()), "{name}\n{ledger}");
    for earlier in stood.iter().step_by(9) {
        let before = verify(earlier, None);
        assert_eq!(before.findings, [], "{name}\n{earlier}");
        assert_eq!(rules::replay(shelf, &before), Ok(()), "{name}\n{earlier}");
        for head in &before.heads {
            assert_eq!(report.holds(head), Ok(()));
        }
    }
    assert!(!ledger.contains("example.org") && !ledger.contains("client"));
}

#[test]
fn every_match_ends_with_a_ledger_that_holds() {
    matches(4, 60);
}

#[test]
fn matches_of_players_who_trust_nobody_hold() {
    doubting_matches(24, 90);
}

/// trust.md 8, T8.
#[test]
#[ignore = "2,000 matches; some minutes; run with --nocapture for the counts"]
fn two_thousand_matches_of_players_who_trust_nobody_hold() {
    let tried = doubting_matches(2_000, 120);
    println!("{tried:#?}");
}

#[test]
#[ignore = "1,000 matches; some minutes"]
fn a_thousand_matches_end_with_a_ledger_that_holds() {
    matches(250, 120);
}
