//! A referee with many matches under way, made by events rather than by letters, and letters for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::super::Failure;
use crate::config::Config;
use crate::daemon::{self, Daemon, Trouble};
use crate::edge::clock::Clock;
use crate::edge::{Arrived, Inbox, InboxError, pipe};
use crate::fair::head::HeadKey;
use crate::fair::line::hex;
use crate::fair::token::reply_token;
use crate::referee::state::{Clock as Pace, MatchNo, PlayerNo, Registry, Secret};
use crate::referee::{Event, book_digest};
use crate::rules::{Options, Rulebook, Seat, Shelf};
use crate::store::records::{Desk, lane};
use crate::store::{Course, NewMail, Opening, OutboxId, OutboxMark, Payload, Settled, Store};

/// Matches that two players have together.
const MATCHES_OF_A_PAIR: u32 = 10;
/// Transactions handed to the store at once.
const GROUP: u32 = 200;
/// The letter's address of the referee.
const REFEREE: &str = "referee";
const HOST: &str = "club.example";

/// A game that is played again and again in all matches, whole turns from the first.
pub struct Script {
    /// Id of the game.
    pub game: &'static str,
    /// Orders, of both sides in turn.
    pub turns: &'static [&'static str],
}

/// A Ruy Lopez, as a player types it.
pub const CHESS: Script = Script {
    game: "chess",
    turns: &[
        "e2-e4", "e7-e5", "Ng1-f3", "Nb8-c6", "Bf1-b5", "a7-a6", "Bb5-a4", "Ng8-f6", "O-O",
        "Bf8-e7", "Rf1-e1", "b7-b5", "Ba4-b3", "d7-d6", "c2-c3", "O-O", "h2-h3", "Nc6-a5",
        "Bb3-c2", "c7-c5", "d2-d4", "Qd8-c7",
    ],
};

/// What a mail program quotes below an answer.
const QUOTED: &str = "\
> Black has moved: 12... Qd8-c7\r\n>\r\n>    a   b   c   d   e   f   g   h\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 8| r | . | b | . | . | r | k | . |8\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 7| . | . | q | . | b | p | p | p |7\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 6| p | . | . | p | . | n | . | . |6\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 5| n | p | p | . | p | . | . | . |5\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 4| . | . | . | P | P | . | . | . |4\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 3| . | . | P | . | . | N | . | P |3\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 2| P | P | B | . | . | P | P | . |2\r\n\
>  +---+---+---+---+---+---+---+---+\r\n> 1| R | N | B | Q | R | . | K | . |1\r\n\
>  +---+---+---+---+---+---+---+---+\r\n>\r\n> Your move, please. Answer this mail.\r\n";

/// A state directory with matches in it.
pub struct Club {
    /// Where it lies.
    pub dir: PathBuf,
    /// Its configuration.
    pub config: Config,
    script: &'static Script,
    key: [u8; 32],
    /// Turns played in each match.
    turns: Vec<u8>,
    letters: u64,
    /// Files of letters so far.
    pub files: u64,
}

fn player(no: u32) -> String {
    format!("player{no}@people.example")
}

/// The public id of match `no`: ten of `[a-z2-7]`.
fn gid(no: u32) -> String {
    let sign = |n: u32| char::from(b"abcdefghijklmnopqrstuvwxyz234567"[(n & 31) as usize]);
    (0..10u32)
        .map(|place| sign(no.checked_shr(5 * place).unwrap_or(0)))
        .collect()
}

impl Club {
    /// Makes the directory and `matches` matches in it, the first turn of each still to come; `tick` is told how many
    /// there are.
    ///
    /// # Errors
    /// A disk that cannot be written.
    pub fn found(
        dir: &Path,
        script: &'static Script,
        matches: u32,
        tick: &dyn Fn(u32),
    ) -> Result<Club, Failure> {
        fs::create_dir_all(dir)?;
        let file = dir.join("tulpa.ron");
        let text = format!(
            "(\n    referee: (name: \"Tulpa\", address: \"{REFEREE}@{HOST}\"),\n    \
             limits: (letters_per_round: 10000),\n)\n"
        );
        fs::write(&file, text)?;
        let config = Config::load(&file)?;
        let shelf = Shelf::builtin();
        let book = super::super::games::find(&shelf, script.game)?;
        // opens once, so that the key and the directory are there
        let opened = Daemon::open(&config, Clock::system(), Opening::Careful)?;
        let house = opened.records().house().clone();
        opened.close()?;
        let key = house.key;
        let desk = Arc::new(Desk::new(house));
        let mut store =
            Store::open(&config.state, daemon::the_fold(&desk)).map_err(Trouble::from)?;
        let sign = hex(&HeadKey::of_server(&key).public());
        let mut no = 1;
        while no <= matches {
            let last = matches.min(no + GROUP - 1);
            let group: Vec<Payload> = (no..=last).map(|n| begin(n, &book, &sign)).collect();
            let done = store.commit_many(group).map_err(Trouble::from)?;
            store.commit(sent(&done)).map_err(Trouble::from)?;
            no = last + 1;
            tick(last);
        }
        store.close().map_err(Trouble::from)?;
        Ok(Club {
            dir: dir.to_owned(),
            config,
            script,
            key,
            turns: vec![0; matches as usize],
            letters: 0,
            files: 0,
        })
    }

    /// The referee of this club.
    ///
    /// # Errors
    /// A state that cannot be opened, or is open already.
    pub fn open(&self, opening: Opening) -> Result<Daemon, Failure> {
        Ok(Daemon::open(&self.config, Clock::system(), opening)?)
    }

    /// The configuration's file.
    pub fn config_file(&self) -> PathBuf {
        self.dir.join("tulpa.ron")
    }

    /// `count` letters, the next turn of as many matches, spread over all of them.
    ///
    /// # Errors
    /// No more turns in the script, or too few matches.
    pub fn letters(&mut self, count: u32) -> Result<Vec<String>, Failure> {
        let matches = self.turns.len() as u32;
        if count > matches {
            return Err(Failure::new("fewer matches than letters"));
        }
        let stride = matches / count;
        (0..count)
            .map(|i| {
                let no = 1 + i * stride;
                let turn = &mut self.turns[(no - 1) as usize];
                let order = self.script.turns.get(usize::from(*turn));
                let order = order
                    .ok_or_else(|| Failure::new("the script of the benchmark is at its end"))?;
                let chair = *turn % 2;
                *turn += 1;
                Ok(self.letter(no, chair, order))
            })
            .collect()
    }

    fn letter(&mut self, no: u32, chair: u8, order: &str) -> String {
        self.letters += 1;
        let pair = (no - 1) / MATCHES_OF_A_PAIR;
        let from = player(2 * pair + 1 + u32::from(chair));
        let gid = gid(no);
        let token = reply_token(&self.key, &gid, chair, 1);
        let n = self.letters;
        format!(
            "Return-Path: <{from}>\r\nReceived: from mx.people.example by mx.{HOST} with ESMTPS;\r\n \
             Fri, 21 Nov 2025 10:00:00 +0000\r\nFrom: A Player <{from}>\r\n\
             To: Tulpa <{REFEREE}+{gid}.{chair}.{token}@{HOST}>\r\n\
             Subject: Re: [tulpas #{no}] Your move\r\nDate: Fri, 21 Nov 2025 10:00:00 +0000\r\n\
             Message-ID: <{n}.{no}@people.example>\r\nIn-Reply-To: <{n}@elsewhere.example>\r\n\
             MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: quoted-printable\r\nUser-Agent: Mailer 1.0\r\n\r\n\
             Hi,\r\n\r\n{order}\r\n\r\n-- \r\nA Player\r\n\r\n\
             On Thu, 20 Nov 2025, Tulpa wrote:\r\n{QUOTED}"
        )
    }
}

/// All that happens until two players may play match `no`, whose ledger is signed with the key `sign`.
fn begin(no: u32, book: &Rulebook, sign: &str) -> Payload {
    let pair = (no - 1) / MATCHES_OF_A_PAIR;
    let players = [2 * pair + 1, 2 * pair + 2];
    let game = MatchNo(no);
    let digest = book_digest(&book.text);
    let mut events = Vec::new();
    if no == 1 {
        events.push(Event::BookKept {
            digest: digest.clone(),
            id: book.id.clone(),
            text: book.text.clone(),
        });
    }
    if (no - 1).is_multiple_of(MATCHES_OF_A_PAIR) {
        events.extend(players.map(|p| Event::Met {
            player: PlayerNo(p),
            address: player(p),
            name: format!("Player {p}"),
            confirmed: true,
        }));
    }
    events.push(Event::Proposed {
        ask_seeds: false,
        game,
        gid: gid(no),
        secret: Secret(format!("{no:064x}")),
        id: book.id.clone(),
        book: digest,
        options: book.settle_options(&Options::new()).unwrap_or_default(),
        reveal_both: true,
        clock: Pace::days(7),
        players: players.map(PlayerNo).to_vec(),
        wishes: vec![(Seat(0), 0)],
        people: 2,
        open: false,
    });
    events.push(Event::Founded {
        game,
        key: sign.to_owned(),
    });
    events.push(Event::Accepted {
        game,
        player: PlayerNo(players[1]),
    });
    events.push(Event::Begun {
        game,
        seats: vec![0, 1],
        rolls: Vec::new(),
    });
    let told = |chair: u8| NewMail {
        to: player(players[usize::from(chair)]),
        envelope_from: String::new(),
        message_id: format!("begun.{no}.{chair}@{HOST}"),
        bytes: Vec::new().into(),
        seat: lane(game, chair),
        seq: 1,
        kind: "begun".to_owned(),
        board: true,
        supersedes: false,
        not_before: None,
    };
    Payload {
        at: Timestamp::now(),
        outcome: "applied".to_owned(),
        mails: [0, 1].map(told).to_vec(),
        events: (events.iter())
            .filter_map(|e| serde_json::to_value(e).ok())
            .collect(),
        ..Payload::default()
    }
}

/// The mails of these transactions, two each, are at their readers'.
fn sent(done: &[Settled]) -> Payload {
    let mut outbox: Vec<OutboxMark> = Vec::new();
    for seq in done.iter().map(Settled::seq) {
        for _ in 0..2 {
            let before = outbox.last().filter(|m| m.id.seq == seq);
            let nth = before.map_or(0, |m| m.id.nth + 1);
            let id = OutboxId { seq, nth };
            let course = Course::Sent;
            outbox.push(OutboxMark { id, course });
        }
    }
    Payload {
        at: Timestamp::now(),
        outcome: "sent".to_owned(),
        outbox,
        ..Payload::default()
    }
}

/// A letter as it comes through a pipe.
///
/// # Errors
/// None, as it is in memory.
pub fn arrived(letter: &str) -> Result<Arrived, Failure> {
    Ok(pipe::take(
        &mut letter.as_bytes(),
        crate::edge::LETTER_BYTES_MAX,
        Timestamp::now(),
    )?)
}

/// Letters at hand: given out once, and counted when they are done.
#[derive(Default)]
pub struct Pile {
    /// Not yet given out.
    pub letters: Vec<Arrived>,
    /// Settled so far.
    pub done: usize,
}

impl Pile {
    /// A pile of these.
    ///
    /// # Errors
    /// None, as they are in memory.
    pub fn of(letters: &[String]) -> Result<Pile, Failure> {
        Ok(Pile {
            letters: letters
                .iter()
                .map(|l| arrived(l))
                .collect::<Result<_, _>>()?,
            done: 0,
        })
    }
}

impl Inbox for Pile {
    fn fetch(&mut self, most: usize) -> Result<Vec<Arrived>, InboxError> {
        let rest = self.letters.split_off(most.min(self.letters.len()));
        Ok(std::mem::replace(&mut self.letters, rest))
    }
    fn settle(&mut self, _: &crate::edge::ArrivedId, _: Settled) -> Result<(), InboxError> {
        self.done += 1;
        Ok(())
    }
    fn wait(&mut self, _: std::time::Duration) -> Result<(), InboxError> {
        Ok(())
    }
}
