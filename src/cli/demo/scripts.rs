//! What the players of each game write. A script where a game has something to show, and behind it, or where there is none,
//! two who capture what they can; a match that takes too long is drawn by agreement.

use std::sync::Arc;

use super::super::{Done, Failure};
use super::player;
use super::scene::Scene;
use crate::referee::state::{MatchNo, Registry, Stage};
use crate::rules::{NoDice, Rulebook, What};

/// Turns that the players make before they agree on a draw.
const TURNS_MAX: usize = 40;

/// One thing that happens.
enum Line {
    /// A remark to whoever watches.
    Say(&'static str),
    /// A player writes; the first is 0.
    By(usize, &'static str),
    /// As `By`, and the mail server delivers the letter a second time.
    Twice(usize, &'static str),
}
use Line::{By, Say, Twice};

/// Where the chances of a demo begin.
pub(super) fn seed(game: &str) -> u64 {
    match game {
        "chaturaji" => 2012,
        _ => 1,
    }
}

/// Options that the opener asks for: a small array ends a large game in few turns.
fn options(game: &str) -> &'static str {
    match game {
        "superchief" => " array=24/24/4h2c2c3s9/24/5m3m14/24/24/5M3M14/24/4H2C2C3S9/24/24",
        "hydra" => {
            " array=r*6k*k*6r*/16/2n10n2/3pp6pp3/16/16/16/9B6/16/16/16/16/3PP6PP3/2N10N2/16/R*6K*K*6R*"
        }
        "maces" => " array=B2",
        _ => "",
    }
}

/// The script of a game; empty where it has none.
fn script(game: &str) -> &'static [Line] {
    match game {
        "tulpas" => TULPAS,
        "chess" => CHESS,
        "hydra" => HYDRA,
        "overlord" => OVERLORD,
        "superchief" => SUPERCHIEF,
        _ => &[],
    }
}

/// Picks that match, picks that do not, a refused move, a letter that comes twice, an ending.
const TULPAS: &[Line] = &[
    By(1, "guess amazon"),
    Say("Alice sends her card, her move for either outcome, and her guess, all in one"),
    By(
        0,
        "pick amazon\nif created: A@a2; Aa2-b4\nelse: Nc1-a2\nguess spider",
    ),
    Say("Bob tries something that is not allowed: nothing of his letter is done"),
    By(1, "pick ox\nelse: Ma10*b9\nguess archer"),
    By(1, "pick ox\nelse: a8-a7\nguess archer"),
    Twice(0, "pick ox\nelse: Ab4xf8\nguess mace"),
    By(1, "pick spider\nelse: a7-a6\nguess ox"),
    Say("Alice's Amazon takes the King"),
    By(0, "pick mace\nelse: Af8xf9"),
];

/// Legall's mate, behind a castling.
const CHESS: &[Line] = &[
    Say("Moves may be written as one is used to"),
    By(0, "e2-e4"),
    By(1, "e5"),
    By(0, "Nf3"),
    By(1, "d6"),
    By(0, "Bc4"),
    By(1, "Bg4"),
    Say("Alice castles on the wrong side first: nothing is played, and she is told what is legal"),
    By(0, "O-O-O"),
    By(0, "0-0"),
    By(1, "Nc6"),
    By(0, "Nc3"),
    By(1, "Nd4"),
    Say("Alice offers her Queen"),
    By(0, "Nxe5\nmessage Are you sure about that Knight?"),
    By(1, "Bxd1"),
    By(0, "Bxf7+"),
    By(1, "Ke7"),
    By(0, "Nd5#"),
];

/// Castling frees a man and makes it capturable; a captured King changes sides.
const HYDRA: &[Line] = &[
    Say("Alice forgets that her Rook has not castled yet"),
    By(0, "Ra1-a5"),
    By(0, "castle h1-c1 a1-d1"),
    Say("Bob castles into the Bishop's line"),
    By(1, "castle h16-c16 a16-d16"),
    Say("A King that can be captured must be, and Alice would rather do something else"),
    By(0, "Bj9-k10"),
    Say("So she captures it and puts it on the hill as her own"),
    By(0, "Bj9xc16 K@h8"),
    Say("Bob recaptures; the Bishop goes into his hand, to be dropped some day"),
    By(1, "Rd16xc16"),
    By(0, "Kh8-i9"),
    By(1, "B@e5"),
    By(0, "castle i1-n1 p1-m1"),
    Say("Three Kings to one: Bob has seen enough"),
    By(1, "resign"),
];

/// A turn of eight moves, refused at its fifth and then played.
const OVERLORD: &[Line] = &[
    Say("Eight moves a turn. The fifth of Alice's is out of command: nothing of them is played"),
    By(
        0,
        "Cb1-c3; Ma5-a6; Cj1-k3; Mi5-i6; Mv5-v6; Cu1-t3; Cac1-ab3; Mad5-ad6",
    ),
    Say("With the chieftain first it is"),
    By(
        0,
        "Cb1-c3; Ma5-a6; Cj1-k3; Mi5-i6; Cu1-t3; Mv5-v6; Cac1-ab3; Mad5-ad6",
    ),
    By(1, "Cb15-c13\nMa11-a10\nend"),
    By(0, "Ma6-a7\nend\noffer draw"),
    Say("They have seen what they wanted to"),
    By(1, "accept draw"),
];

/// A small array, so that the leaders meet.
const SUPERCHIEF: &[Line] = &[
    Say("Two chieftains a side: two moves a turn; but no man moves twice in it"),
    By(0, "Mf5-f6; Mf6-f7"),
    By(0, "Mf5-f6; Mj5-j6"),
];

impl Scene<'_> {
    /// The whole match, from the first letter to the end.
    pub(super) fn plays(&mut self, book: &Arc<Rulebook>) -> Done {
        self.begins(book)?;
        for line in script(&book.id) {
            match line {
                Say(text) => self.say(text)?,
                By(who, body) => drop(self.writes(*who, body)?),
                Twice(who, body) => {
                    let letter = self.writes(*who, body)?;
                    self.say("A mail server delivers that letter a second time: nothing happens")?;
                    let again = std::fs::read_to_string(&letter)?;
                    self.letters += 1;
                    self.post(&again)?;
                    self.round()?;
                }
            }
        }
        if book.id == "chaturaji" {
            self.a_die_that_did_not_fall()?;
        }
        self.goes_on()
    }

    fn begins(&mut self, book: &Arc<Rulebook>) -> Done {
        let rivals: Vec<&str> = self.players.iter().skip(1).map(|p| p.address).collect();
        let seat = book.seats.first().map_or("", |s| s.name.as_str());
        let order = format!(
            "new {} vs {} as {seat}{}\nname Alice",
            book.id,
            rivals.join(" and "),
            options(&book.id)
        );
        self.say("Alice has heard of the referee and opens a game")?;
        self.writes(0, &order)?;
        self.say("The referee cannot know yet that Alice wrote this, so it asks her first")?;
        self.writes(0, "yes, that was me")?;
        for who in 1..self.players.len() {
            let name = self.players[who].name;
            self.say(&format!("{name} has an invitation"))?;
            self.writes(who, &format!("accept\nname {name}"))?;
        }
        Ok(())
    }

    /// Plays until the match is over, or agrees on a draw.
    fn goes_on(&mut self) -> Done {
        for turn in 0..TURNS_MAX {
            let Some((who, order)) = self.choice(turn) else {
                return Ok(());
            };
            self.writes(who, &order)?;
        }
        let Some((first, _)) = self.choice(TURNS_MAX) else {
            return Ok(());
        };
        self.say("Enough for a demo: they agree on a draw")?;
        self.writes(first, "offer draw")?;
        for who in (0..self.players.len()).filter(|w| *w != first) {
            self.writes(who, "accept draw")?;
        }
        Ok(())
    }

    /// Whoever is awaited first, and what he writes.
    fn choice(&self, wander: usize) -> Option<(usize, String)> {
        let records = self.daemon.records();
        let game = records
            .game(MatchNo(1))
            .filter(|m| m.stage == Stage::Playing)?;
        let table = game.table.as_ref()?;
        let (seat, what) = game.awaited().into_iter().next()?;
        let address = records.player(game.player_at(seat)?)?.address.clone();
        let who = self.players.iter().position(|p| p.address == address)?;
        let order = match what {
            // exchanges are worth seeing
            What::Exchange => "exchange first".to_owned(),
            _ => player::answer(table, seat, what, wander)?,
        };
        Some((who, order))
    }

    /// The first mover spends a die that did not fall; the referee says which did.
    fn a_die_that_did_not_fall(&mut self) -> Result<(), Failure> {
        if let Some((who, start)) = self.choice(0) {
            self.writes(who, &start)?;
        }
        let Some((who, order)) = self.choice(0) else {
            return Ok(());
        };
        let wrong = {
            let records = self.daemon.records();
            let game = records.game(MatchNo(1));
            let table = game.as_ref().and_then(|m| m.table.clone());
            let seat = game.as_ref().and_then(|m| m.awaited().into_iter().next());
            table.zip(seat).and_then(|(table, (seat, _))| {
                let steps = table.next(seat, &[]).ok()?.steps;
                let (_, step) = steps.first()?.split_once(':')?;
                (1..=4)
                    .map(|die| format!("{die}:{step}; end"))
                    .find(|o| table.act(seat, o, &mut NoDice).is_err())
            })
        };
        if let Some(wrong) = wrong {
            self.say("A die that did not fall cannot be spent")?;
            self.writes(who, &wrong)?;
        }
        self.writes(who, &order)?;
        Ok(())
    }
}
