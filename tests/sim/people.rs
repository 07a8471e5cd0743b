//! Who writes to the referee: two players, a stranger, machines; and what a mail system makes of their letters.

use std::rc::Rc;

use tulpa::referee::state::{Match, MatchNo, Registry, Stage};
use tulpa::rules::{Seat, Table, What};

use super::super::chance::Chance;
use super::super::post::Taken;
use super::{ALICE, Author, BOB, EVE, REFEREE, World, header, host};

impl World {
    pub(super) fn machine(&mut self, at: usize, subject: &str, bounce: bool, mail: &Taken) {
        let (who, id) = (self.players[at].address, self.originals);
        let reply = header(&mail.bytes, "Reply-To");
        let letter = if bounce {
            format!(
                "Return-Path: <>\r\nFrom: MAILER-DAEMON@hill.example\r\nTo: {REFEREE}\r\nMessage-ID: <bounce.{id}@hill.example>\r\n\
                 Subject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
                 --b\r\nContent-Type: text/plain\r\n\r\nresign\r\n--b--\r\n"
            )
        } else {
            format!(
                "From: <{who}>\r\nTo: {reply}\r\nMessage-ID: <away.{id}@hill.example>\r\nAuto-Submitted: auto-replied\r\n\
                 Authentication-Results: mx.club.example; dmarc=pass header.from={}\r\nSubject: Re: {subject}\r\n\r\n\
                 I am away.\r\nresign\r\nshow\r\n",
                host(who)
            )
        };
        self.originals += 1;
        let original = self.originals;
        self.deliver(letter.into_bytes(), Author::Machine, original, "", 0);
    }

    pub(super) fn wants(&mut self, at: usize) -> Option<String> {
        let address = self.players[at].address;
        let last = self.players[at].mails.last().cloned();
        if let Some(mail) = &last
            && header(&mail.bytes, "Reply-To").contains("+confirm")
            && self.players[at].said_yes != mail.message_id
        {
            self.players[at].said_yes.clone_from(&mail.message_id);
            return Some("yes".into());
        }
        let daemon = self.daemon.as_ref()?;
        let records = daemon.records();
        let game: Option<std::sync::Arc<Match>> = records.game(MatchNo(1));
        let mut outside = self.outside.borrow_mut();
        let Some(game) = game else {
            return (address == ALICE).then(|| format!("new tulpas vs {BOB} as white\nname Alice"));
        };
        let me = records.player_by_address(address)?;
        match game.stage {
            Stage::Inviting => {
                return (address == BOB).then(|| "accept\nname Bob".to_owned());
            }
            Stage::Playing => {}
            _ => {
                self.over |= game.stage == Stage::Over;
                return outside.chance.hits(100).then(|| "status".to_owned());
            }
        }
        let seat = game.seat_of(me)?;
        let table = game.table.as_ref()?;
        if outside.chance.hits(self.players[at].careless) {
            outside.count("careless letter");
            let slips = [
                "pikc amazon",
                "Ma1*b2",
                "pick dragon",
                "show",
                "hello there, how are you?",
                "preview Nc1-d3",
                "message good luck\npick nothing",
                "",
            ];
            let n = outside.chance.below(slips.len());
            return Some(slips[n].to_owned());
        }
        let mover = mover(table);
        match game.owed(seat) {
            None => outside.chance.hits(150).then(|| "show".to_owned()),
            Some(_) if table.turn_no() > self.turns => Some("resign".into()),
            Some(What::Pick) => {
                let cards = table.choices(mover, What::Pick);
                let n = outside.chance.below(cards.len().min(2));
                let card = cards.get(n)?.trim_start_matches("pick ").to_owned();
                let word = if seat == mover { "pick" } else { "guess" };
                let mut order = format!("{word} {card}");
                if seat == mover && outside.chance.hits(400) {
                    outside.count("one letter for a whole turn");
                    order.push_str("\nelse: a3-a4");
                }
                Some(order)
            }
            Some(What::Turn) => Some(whole_turn(table, seat, &mut outside.chance)),
            Some(other) => {
                let choices = table.choices(seat, other);
                let n = outside.chance.below(choices.len());
                choices.get(n).cloned()
            }
        }
    }

    /// A person's letter, and what the mail system makes of it.
    pub(super) fn writes(&mut self, at: usize, body: &str) {
        self.originals += 1;
        let original = self.originals;
        let who = self.players[at].address;
        let outside = Rc::clone(&self.outside);
        let fault = |what, n| outside.borrow_mut().fault(what, n);
        let old = fault("answer to an old mail", 60);
        let html = fault("html only", 80);
        let player = &self.players[at];
        let mail = match old {
            true => player.mails.first(),
            false => player.mails.last(),
        };
        let mut eml = String::new();
        let host = host(who);
        if !fault("not vouched for", 60) {
            eml.push_str(&format!(
                "Authentication-Results: mx.club.example; dmarc=pass header.from={host}\r\n"
            ));
        }
        eml.push_str(&format!(
            "From: <{who}>\r\nMessage-ID: <letter.{original}@{host}>\r\nDate: Thu, 1 Jan 2026 12:00:00 +0000\r\n"
        ));
        match mail {
            None => eml.push_str(&format!("To: {REFEREE}\r\nSubject: hello\r\n")),
            Some(mail) => {
                let (to, id) = (
                    header(&mail.bytes, "Reply-To"),
                    mail.message_id.trim_matches(['<', '>']),
                );
                eml.push_str(&format!(
                    "To: {to}\r\nSubject: Re: your turn\r\nIn-Reply-To: <{id}>\r\n"
                ));
            }
        }
        let quoted = "On Thursday, the referee wrote:\r\n> pick mace\r\n> resign\r\n";
        if html {
            let lines = body
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('\n', "<br>");
            eml.push_str(&format!(
                "MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body><p>{lines}</p>\
                 <blockquote>resign<br>pick mace</blockquote></body></html>\r\n"
            ));
        } else {
            eml.push_str(&format!(
                "\r\n{}\r\n\r\n{quoted}",
                body.replace('\n', "\r\n")
            ));
        }
        let me = Author::Player(who);
        if fault("letter is lost", 40) {
            return;
        }
        let delay = match fault("letter is late", 60) {
            true => self.outside.borrow_mut().chance.between(1, 12) * 40_000,
            false => self.outside.borrow_mut().chance.between(0, 3_000),
        };
        if fault("letter is cut", 12) {
            let cut = self.outside.borrow_mut().chance.below(eml.len());
            let short = eml.as_bytes()[..cut].to_vec();
            self.deliver(short, me, original, "(cut)", delay);
            return;
        }
        let bytes = eml.clone().into_bytes();
        self.deliver(bytes.clone(), me.clone(), original, body, delay);
        if fault("same bytes twice", 60) {
            self.deliver(bytes, me.clone(), original, body, delay + 4_000);
        }
        if fault("another Received line", 50) {
            let copy =
                format!("Received: from relay.example by mx.club.example; {original}\r\n{eml}");
            self.deliver(copy.into_bytes(), me.clone(), original, body, delay + 9_000);
        }
        if fault("sent again by hand", 40) {
            self.originals += 1;
            let copy = eml.replace("<letter.", "<again.");
            let original = self.originals;
            self.deliver(
                copy.into_bytes(),
                me.clone(),
                original,
                body,
                delay + 20_000,
            );
        }
        if fault("other words under the same Message-ID", 40) && !html {
            self.originals += 1;
            let (head, _) = eml.split_once("\r\n\r\n").unwrap();
            let copy = format!("{head}\r\n\r\nstatus\r\n");
            let original = self.originals;
            self.deliver(copy.into_bytes(), me, original, "status", delay + 30_000);
        }
    }

    /// Those who mean ill, and letters that nobody should send.
    pub(super) fn mischief(&mut self) {
        let outside = Rc::clone(&self.outside);
        let fault = |what, n| outside.borrow_mut().fault(what, n);
        let victim = usize::from(self.outside.borrow_mut().chance.hits(500));
        let token = self.players[victim]
            .mails
            .last()
            .map(|m| header(&m.bytes, "Reply-To"))
            .unwrap_or_else(|| REFEREE.to_owned());
        let whom = self.players[victim].address;
        let n = self.originals;
        let mut letters: Vec<(Author, String)> = Vec::new();
        if fault("spoofed From", 30) {
            letters.push((
                Author::Forger,
                format!("From: <{whom}>\r\nTo: {REFEREE}\r\nMessage-ID: <forged.{n}@x.example>\r\nAuthentication-Results: evil.example; dmarc=pass header.from={}\r\n\r\nresign\r\n", host(whom)),
            ));
        }
        if fault("forwarded token", 25) {
            letters.push((
                Author::Stranger,
                format!("Authentication-Results: mx.club.example; dmarc=pass header.from=moor.example\r\nFrom: <{EVE}>\r\nTo: {token}\r\nMessage-ID: <eve.{n}@moor.example>\r\n\r\nresign\r\npick ox\r\n"),
            ));
        }
        if fault("stranger", 20) {
            letters.push((
                Author::Stranger,
                format!("From: <{EVE}>\r\nTo: {REFEREE}\r\nMessage-ID: <stranger.{n}@moor.example>\r\nSubject: [tulpas #1]\r\n\r\nresign\r\n"),
            ));
        }
        if fault("mailing list", 15) {
            letters.push((
                Author::Machine,
                format!("From: <{whom}>\r\nList-Id: <l.example>\r\nPrecedence: list\r\nTo: {token}\r\nMessage-ID: <list.{n}@l.example>\r\n\r\nresign\r\n"),
            ));
        }
        if fault("five megabytes", 3) {
            let big =
                "0123456789 0123456789 0123456789 0123456789 012345678\r\n".repeat(5 << 20 >> 6);
            letters.push((
                Author::Stranger,
                format!("From: <{EVE}>\r\nTo: {REFEREE}\r\nMessage-ID: <big.{n}@moor.example>\r\n\r\n{big}"),
            ));
        }
        if fault("thousand parts", 10) {
            let mut parts = String::new();
            for i in 0..1000 {
                parts.push_str(&format!(
                    "--b{i}\r\nContent-Type: multipart/mixed; boundary=b{}\r\n\r\n",
                    i + 1
                ));
            }
            letters.push((
                Author::Stranger,
                format!("From: <{EVE}>\r\nTo: {REFEREE}\r\nMessage-ID: <bomb.{n}@moor.example>\r\nContent-Type: multipart/mixed; boundary=b0\r\n\r\n{parts}"),
            ));
        }
        for (author, eml) in letters {
            self.originals += 1;
            let original = self.originals;
            self.deliver(eml.into_bytes(), author, original, "resign", 100);
        }
    }
}

fn mover(table: &Table) -> Seat {
    match table.asks().iter().find(|a| a.what != What::Pick) {
        Some(ask) => ask.seat,
        None => Seat(((table.turn_no() + 1) % 2) as u8),
    }
}

fn whole_turn(table: &Table, seat: Seat, chance: &mut Chance) -> String {
    let mut steps: Vec<String> = Vec::new();
    for _ in 0..40 {
        let so_far: Vec<&str> = steps.iter().map(String::as_str).collect();
        let Ok(next) = table.next(seat, &so_far) else {
            break;
        };
        if next.steps.is_empty() {
            break;
        }
        if next.may_stop && !steps.is_empty() {
            steps.push("end".into());
            break;
        }
        let n = chance.below(next.steps.len());
        steps.push(next.steps[n].clone());
    }
    steps.join("; ")
}
