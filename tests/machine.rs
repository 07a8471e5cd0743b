//! Anybody orders anything at any time: the referee answers, nothing trips, the events alone give the same records, and every
//! ledger holds (security.md 10, F12).

mod ledgers;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use ledgers::{Rng, by_lot};
use tulpa::cli::verify::rules;
use tulpa::fair::entropy::seed_commitment;
use tulpa::fair::line::{hash, hex};
use tulpa::fair::seal::commitment;
use tulpa::fair::verify::verify;
use tulpa::referee::keeper::Word;
use tulpa::referee::order::{Oddities, Order, OrderLine, Part, Proof, Read, Rival};
use tulpa::referee::{
    Command, Decision, Event, House, Match, MatchNo, PlayerNo, Registry, Room, SentMail, Stage,
    apply, decide, scribe,
};
use tulpa::rules::{Shelf, What};

/// Steps of one run; `TULPA_FUZZ` makes more runs, one for fifty.
const STEPS: u32 = 500;
const PEOPLE: u32 = 4;
/// Matches at a time: with more of them none would get far.
const GOING_MAX: usize = 4;

struct World<'a> {
    shelf: &'a Shelf,
    room: Room,
    now: Timestamp,
    rng: Rng,
    letters: u32,
    seed: u64,
    /// All that happened, and when.
    kept: Vec<(Event, Timestamp)>,
}

impl World<'_> {
    fn does(&mut self, command: &Command) -> Decision {
        self.letters += 1;
        let entropy = hash(&format!("entropy {} {}", self.seed, self.letters));
        let decision = decide(&self.room, self.shelf, command, self.now, &entropy);
        self.room.keep(&decision);
        let events = decision.events.iter().cloned();
        self.kept.extend(events.map(|e| (e, self.now)));
        decision
    }

    /// A letter that answers a mail about a match, or none.
    fn writes(&mut self, player: PlayerNo, about: Option<MatchNo>, orders: Vec<Order>) -> Decision {
        let game = about.and_then(|no| self.room.game(no));
        let chair = game.as_ref().and_then(|m| m.chair_of(player));
        let mail = format!("mail-{}", self.letters);
        let mut answers = Vec::new();
        if let (Some(m), Some(chair)) = (&game, chair) {
            let sent = SentMail {
                game: m.no,
                chair,
                turn: m.turn(),
            };
            self.room.mails.insert(mail.clone(), sent);
            answers.push(mail);
        }
        let line = |order: &Order| OrderLine {
            line: 1,
            text: "as ordered".into(),
            order: Ok(order.clone()),
        };
        let read = Read {
            from: format!("player{}@example.org", player.0),
            proof: Proof::Vouched,
            token: None,
            subject_match: None,
            message_id: format!("letter-{}-{}@client", self.seed, self.letters),
            answers,
            parts: vec![Part {
                game: about.map(|no| no.0),
                orders: orders.iter().map(line).collect(),
            }],
            ignored: Vec::new(),
            received: self.now,
            digest: [0; 32],
            oddities: Oddities::default(),
        };
        self.does(&Command::Letter(Box::new(read)))
    }

    /// A match by lot that still goes on, else any.
    fn some_game(&mut self) -> Option<MatchNo> {
        let all: Vec<MatchNo> = self.room.changes.games.keys().copied().collect();
        let open = |no: &MatchNo| {
            let stage = self.room.game(*no).map(|m| m.stage);
            !matches!(stage, Some(Stage::Over | Stage::Void))
        };
        let going: Vec<MatchNo> = all.iter().copied().filter(open).collect();
        let from = if going.is_empty() || self.rng.below(20) == 0 {
            all
        } else {
            going
        };
        (!from.is_empty()).then(|| from[self.rng.below(from.len())])
    }

    fn going(&self) -> usize {
        let open = |m: &&std::sync::Arc<Match>| !matches!(m.stage, Stage::Over | Stage::Void);
        self.room.changes.games.values().filter(open).count()
    }

    /// A reply to a turn that the one to move may play, in a match of two; he plays it more often than not.
    fn reply(&mut self, m: &Match) -> Option<()> {
        let table = m.table.as_ref()?;
        let ask = table.asks().into_iter().find(|a| a.what == What::Turn)?;
        let theirs = by_lot(table, ask, &mut self.rng);
        let (after, _) = table
            .act(ask.seat, &theirs, &mut tulpa::rules::NoDice)
            .ok()?;
        let rival = tulpa::rules::Seat(1 - ask.seat.0.min(1));
        let next = after
            .asks()
            .into_iter()
            .find(|a| a.seat == rival && a.what == What::Turn);
        let mine = match next {
            Some(next) => by_lot(&after, next, &mut self.rng),
            None => "e2-e4".to_owned(),
        };
        let (one, other) = (m.player_at(rival)?, m.player_at(ask.seat)?);
        let plan = Order::Plan(format!("if {theirs} then {mine}"));
        self.writes(one, Some(m.no), vec![plan]);
        if self.rng.below(3) > 0 {
            self.writes(other, Some(m.no), vec![Order::Play(theirs)]);
        }
        Some(())
    }

    /// What a match waits for, done as it should be.
    fn duty(&mut self, m: &Match) -> Option<(PlayerNo, Vec<Order>)> {
        let Some(table) = m.table.as_ref() else {
            let chair = m.chairs.get(self.rng.below(m.chairs.len()))?;
            let (seed, sealed) = self.seed_of(m, chair.player);
            let order = match self.rng.below(6) {
                0 => Order::SeedCommit(sealed),
                1 => Order::Seed("words".into()),
                _ if !chair.accepted => Order::Accept,
                _ => Order::SeedOpen(hex(&seed)),
            };
            return Some((chair.player, vec![order]));
        };
        let asks = table.asks();
        let ask = *asks.get(self.rng.below(asks.len().max(1)))?;
        let player = m.player_at(ask.seat)?;
        let text = by_lot(table, ask, &mut self.rng);
        let after = |word: &str| text.strip_prefix(word).unwrap_or(&text).to_owned();
        let mine = (table.turn_no() - 1) % 2 == u32::from(ask.seat.0);
        let order = match ask.what {
            What::Pick if self.rng.below(3) == 0 => self.own_card(m, ask.seat.0, &after("pick ")),
            What::Pick if mine => Order::Pick(after("pick ")),
            What::Pick => Order::Guess(after("pick ")),
            What::Start => Order::Start(after("start ")),
            What::Exchange => Order::Exchange(after("exchange ")),
            What::Turn | What::Place => Order::Play(text.clone()),
        };
        Some((player, vec![order]))
    }

    fn nonce(&self, m: &Match, seat: u8) -> String {
        hex(&hash(&format!("nonce {} {} {seat}", m.gid, m.turn())))
    }

    /// A card that its owner keeps: laid down, or opened if it lies there.
    fn own_card(&mut self, m: &Match, seat: u8, card: &str) -> Order {
        let (nonce, number) = (self.nonce(m, seat), u32::from(seat) + 1);
        let made = |card: &str| commitment(&m.gid, m.turn(), number, card, &nonce);
        let cards = ["amazon", "ox", "archer", "spider", "mace"];
        let down = m.card_down(m.turn(), tulpa::rules::Seat(seat));
        match down.and_then(|d| cards.iter().find(|c| made(c) == d.commitment)) {
            Some(card) => Order::CardOpen {
                card: (*card).to_owned(),
                nonce,
            },
            None => Order::CardCommit {
                guess: false,
                commitment: made(card),
            },
        }
    }

    fn seed_of(&self, m: &Match, player: PlayerNo) -> ([u8; 32], String) {
        let seed = hash(&format!("seed {} {}", m.gid, player.0));
        let place = m.chair_of(player).map_or(1, |c| u32::from(c) + 1);
        (seed, hex(&seed_commitment(&m.gid, place, &seed)))
    }

    /// Something that somebody might write.
    fn whim(&mut self, m: Option<&Match>, player: PlayerNo) -> Order {
        let n = u32::try_from(self.rng.below(8)).unwrap() + 1;
        let text = || "some words, of whoever".to_owned();
        let turn = |world: &mut Self| {
            let table = m.and_then(|m| m.table.as_ref());
            let ask = table.and_then(|t| t.asks().first().copied());
            match (table, ask) {
                (Some(table), Some(ask)) => by_lot(table, ask, &mut world.rng),
                _ => "e2-e4".to_owned(),
            }
        };
        match self.rng.below(46) {
            0 => Order::OfferDraw,
            1 => Order::AcceptDraw,
            2 => Order::DeclineDraw,
            3 => Order::ClaimDraw,
            4 => Order::ClaimTime,
            5 => Order::Undo,
            6 | 7 => Order::AcceptUndo,
            8 => Order::DeclineUndo,
            9 => Order::Message(text()),
            10 => Order::Note(text()),
            11 => Order::Forget,
            12 => Order::Plans,
            13 => {
                let theirs = turn(self);
                let mine = turn(self);
                Order::Plan(format!("if {theirs} then {mine}"))
            }
            14..=16 => Order::AcceptUndo,
            17 => Order::Preview(turn(self)),
            18 => Order::Show(None),
            19 => Order::History,
            20 => Order::Export,
            21 => Order::Clock,
            22 => Order::Status,
            23 => Order::Standings(None),
            24 | 25 => Order::Watch(n),
            26 => Order::Unwatch(n),
            27 | 28 => Order::Seed(text()),
            29..=31 => match m {
                Some(m) => Order::SeedCommit(self.seed_of(m, player).1),
                None => Order::Seeks,
            },
            32..=34 => match m {
                Some(m) => Order::SeedOpen(hex(&self.seed_of(m, player).0)),
                None => Order::Seeks,
            },
            35 => Order::Away("today".into()),
            36 => Order::Back,
            37 => Order::Erase,
            38 => Order::Join(n),
            39 | 40 => Order::Accept,
            41 if self.rng.below(4) == 0 => Order::Decline,
            42 if self.rng.below(4) == 0 => Order::Resign,
            43 if self.going() < GOING_MAX => {
                let game = ["tulpas", "chaturaji", "chess"][self.rng.below(3)];
                let rivals: Vec<u32> = (1..=PEOPLE).filter(|p| *p != player.0).collect();
                let rival = rivals[self.rng.below(rivals.len())];
                let mut options = BTreeMap::from([("days".to_owned(), "2".to_owned())]);
                for (key, value) in [("reveal", "outcome"), ("seeds", "ask"), ("flag", "auto")] {
                    if self.rng.below(3) == 0 {
                        options.insert(key.to_owned(), value.to_owned());
                    }
                }
                Order::New {
                    game: game.into(),
                    rivals: vec![Rival::Address(format!("player{rival}@example.org"))],
                    seat: None,
                    options,
                }
            }
            44 if self.going() < GOING_MAX => Order::Seek {
                game: "chess".into(),
                options: BTreeMap::new(),
            },
            _ => {
                let seat = u8::try_from(self.rng.below(2)).unwrap();
                match m {
                    Some(m) => self.own_card(m, seat, "ox"),
                    None => Order::Games,
                }
            }
        }
    }

    fn keeper(&mut self, game: MatchNo) {
        let why = || "the weather".to_owned();
        let word = match self.rng.below(8) {
            0..=2 => Word::Hold { game, why: why() },
            3..=5 => Word::Resume { game },
            6 => Word::Extend {
                game,
                days: 1,
                why: why(),
            },
            _ => Word::Void { game, why: why() },
        };
        self.does(&Command::Keeper(word));
    }

    fn step(&mut self) {
        let hours = [0, 0, 0, 0, 1, 5, 20, 40][self.rng.below(8)];
        self.now += SignedDuration::from_mins(hours * 60 + 1);
        if hours > 0 {
            self.does(&Command::Tick);
        }
        let player = PlayerNo(u32::try_from(self.rng.below(PEOPLE as usize)).unwrap() + 1);
        let about = self.some_game();
        let game = about.and_then(|no| self.room.game(no));
        match (self.rng.below(40), about, &game) {
            (0, Some(no), _) => self.keeper(no),
            (1, Some(no), _) => {
                let games = vec![no];
                self.does(&Command::ClockMoved {
                    seconds: 3600,
                    games,
                });
            }
            (2..=4, _, Some(m)) if m.seats.len() == 2 => {
                let _ = self.reply(m);
            }
            (5, Some(no), Some(m)) if m.last.len() == 2 => {
                let one = m.last[self.rng.below(2)].seat;
                let other = tulpa::rules::Seat(1 - one.0.min(1));
                for (seat, order) in [(one, Order::Undo), (other, Order::AcceptUndo)] {
                    let player = m.player_at(seat).unwrap();
                    self.writes(player, Some(no), vec![order]);
                }
            }
            (6..=31, _, Some(m)) => {
                if let Some((player, mut orders)) = self.duty(m) {
                    if self.rng.below(4) == 0 {
                        orders.push(self.whim(Some(m), player));
                    }
                    self.writes(player, about, orders);
                } else {
                    let order = self.whim(Some(m), player);
                    self.writes(player, about, vec![order]);
                }
            }
            _ => {
                let order = self.whim(game.as_deref(), player);
                let decision = self.writes(player, about, vec![order.clone()]);
                assert!(
                    decision.outcome != tulpa::referee::Outcome::Applied
                        || !decision.notices.is_empty(),
                    "{order:?} is not answered"
                );
            }
        }
    }
}

fn run(shelf: &Shelf, seed: u64) -> (usize, usize, BTreeMap<String, u32>) {
    let house = House {
        key: hash(&format!("server {seed}")),
        days: 2,
        allowance: tulpa::referee::state::Allowance {
            new_games: 100,
            invitations: 100,
            ..Default::default()
        },
        ..House::default()
    };
    let mut world = World {
        shelf,
        room: Room::new(house.clone()),
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        rng: Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        letters: 0,
        seed,
        kept: Vec::new(),
    };
    for p in 1..=PEOPLE {
        let name = Order::Name(format!("Number {p}"));
        world.writes(PlayerNo(p), None, vec![name]);
    }
    for _ in 0..STEPS {
        world.step();
    }
    // the events alone give the same records
    let mut again = Room::new(house);
    for (event, at) in &world.kept {
        apply(&mut again, event, *at).unwrap_or_else(|e| panic!("{seed}: {event:?}: {e}"));
    }
    let (mut begun, mut over) = (0, 0);
    for no in world.room.changes.games.keys() {
        let (m, same) = (world.room.game(*no).unwrap(), again.game(*no).unwrap());
        assert_eq!(m.save(), same.save(), "{seed}: match {no}");
        let ledger = scribe::export(&world.room, *no).unwrap();
        assert_eq!(Some(&ledger), scribe::export(&again, *no).as_ref());
        let report = verify(&ledger, None);
        assert_eq!(report.findings, [], "{seed}: match {no}\n{ledger}");
        assert_eq!(
            rules::replay(shelf, &report),
            Ok(()),
            "{seed}: match {no}\n{ledger}"
        );
        begun += usize::from(m.table.is_some());
        over += usize::from(m.stage == Stage::Over);
    }
    let mut kinds = BTreeMap::new();
    for (event, _) in &world.kept {
        let value = serde_json::to_value(event).unwrap();
        let kind = value["event"].as_str().unwrap_or_default();
        let step = value["step"]["step"].as_str().unwrap_or_default();
        *kinds
            .entry(format!("{kind} {step}").trim_end().to_owned())
            .or_default() += 1;
    }
    (begun, over, kinds)
}

#[test]
fn anybody_orders_anything() {
    let shelf = Shelf::builtin();
    let runs = std::env::var("TULPA_FUZZ")
        .ok()
        .and_then(|n| n.parse::<u64>().ok());
    let runs = runs.map_or(24, |n| n / 50);
    let (mut begun, mut over, mut kinds) = (0, 0, BTreeMap::<String, u32>::new());
    for seed in 1..=runs.max(1) {
        let (b, o, all) = run(&shelf, seed);
        begun += b;
        over += o;
        for (kind, n) in all {
            *kinds.entry(kind).or_default() += n;
        }
    }
    println!("{begun} matches began, {over} ended; {kinds:#?}");
    // it does reach what it is for
    for kind in [
        "acted",
        "sealed",
        "unsealed",
        "opened",
        "replies",
        "watching",
        "undone",
        "reminded",
        "seeds committed",
        "seeds fixed",
        "seeds opened",
        "seeds late",
        "finished",
        "voided",
    ] {
        assert!(
            kinds.contains_key(kind),
            "no `{kind}` in {runs} runs: {kinds:#?}"
        );
    }
}
