//! Whole conversations: letters as bytes into a Maildir, every mail that comes out compared with `tests/golden/NAME.txt`.
//!
//! After a change that is meant, `TULPA_BLESS=1 cargo test --test golden` writes the transcripts anew; read the difference
//! before it is committed. What nobody can guess (tokens, nonces, hashes, codes) stands as a placeholder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use tulpa::config::Config;
use tulpa::daemon::Daemon;
use tulpa::edge::clock::Clock;
use tulpa::edge::maildir::{MaildirCarrier, MaildirInbox};
use tulpa::post::letter::{self, Limits};
use tulpa::referee::state::{Match, MatchNo, Registry, Stage};
use tulpa::store::Opening;

const ALICE: &str = "alice@hill.example";
const BOB: &str = "bob@dale.example";
const EVE: &str = "eve@moor.example";
const REFEREE: &str = "referee@club.example";

#[derive(Clone, Debug)]
struct Mail {
    to: String,
    subject: String,
    message_id: String,
    reply_to: String,
    text: String,
}

/// A referee, its mailbox, and what was said.
struct Club {
    name: &'static str,
    dir: tempfile::TempDir,
    daemon: Daemon,
    inbox: MaildirInbox,
    carrier: MaildirCarrier,
    letters: usize,
    seen: BTreeSet<PathBuf>,
    last: BTreeMap<&'static str, Mail>,
    said: String,
    /// A long way to the point is played without being written down.
    quiet: bool,
}

impl Club {
    fn new(name: &'static str) -> Club {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tulpa.ron");
        let config = "(referee: (address: \"referee@club.example\"), \
                      identity: (trusted_authserv: [\"mx.club.example\"]))\n";
        fs::write(&file, config).unwrap();
        let config = Config::load(&file).unwrap();
        let clock = Clock::fixed("2026-01-03T12:00:00Z".parse().unwrap());
        Club {
            name,
            daemon: Daemon::open(&config, clock, Opening::Careful).unwrap(),
            inbox: MaildirInbox::open(&dir.path().join("mail/inbox")).unwrap(),
            carrier: MaildirCarrier::open(&dir.path().join("mail/outbox")).unwrap(),
            dir,
            letters: 0,
            seen: BTreeSet::new(),
            last: BTreeMap::new(),
            said: String::new(),
            quiet: false,
        }
    }

    /// A game under way, Alice with White.
    fn started(name: &'static str, game: &str) -> Club {
        Club::started_with(name, game, "")
    }

    fn started_with(name: &'static str, game: &str, options: &str) -> Club {
        let mut club = Club::new(name);
        club.quiet = true;
        let order = format!("new {game} vs {BOB} as white{options}\nname Alice");
        let mails = club.writes(ALICE, &order);
        assert_eq!(count(&mails, ALICE), 1, "{mails:#?}");
        assert_eq!(count(&mails, BOB), 1, "{mails:#?}");
        let mails = club.writes(BOB, "accept\nname Bob");
        assert_eq!(count(&mails, ALICE), 1, "{mails:#?}");
        assert_eq!(count(&mails, BOB), 1, "{mails:#?}");
        assert_eq!(club.game().stage, Stage::Playing);
        club.quiet = false;
        club
    }

    fn game(&self) -> std::sync::Arc<Match> {
        self.daemon.records().game(MatchNo(1)).unwrap()
    }

    fn turn(&self) -> u32 {
        self.game().table.as_ref().unwrap().turn_no()
    }

    fn is_over(&self) -> bool {
        self.game().stage == Stage::Over
    }

    /// A letter as a mail program writes it, answering a mail if there is one.
    fn letter(&mut self, who: &str, proven: bool, answers: Option<&Mail>, body: &str) -> String {
        self.letters += 1;
        let n = self.letters;
        if !self.quiet {
            let _ = writeln!(self.said, "\n>>>> {who}\n");
            for line in body.lines() {
                let _ = writeln!(self.said, "    {line}");
            }
        }
        let host = who.split('@').next_back().unwrap();
        let mut eml = String::new();
        if proven {
            let _ = write!(
                eml,
                "Authentication-Results: mx.club.example; dmarc=pass header.from={host}\r\n"
            );
        }
        let _ = write!(eml, "From: <{who}>\r\nMessage-ID: <letter.{n}@{host}>\r\n");
        match answers {
            None => {
                let _ = write!(eml, "To: {REFEREE}\r\nSubject: hello\r\n\r\n");
            }
            Some(mail) => {
                let (to, id, subject) = (&mail.reply_to, &mail.message_id, &mail.subject);
                let _ = write!(
                    eml,
                    "To: {to}\r\nSubject: Re: {subject}\r\nIn-Reply-To: {id}\r\nReferences: {id}\r\n\r\n"
                );
            }
        }
        let _ = write!(eml, "{}\r\n", body.replace('\n', "\r\n"));
        if let Some(mail) = answers {
            eml.push_str("\r\nOn Saturday, the referee wrote:\r\n");
            for line in mail.text.lines() {
                let _ = write!(eml, "> {line}\r\n");
            }
        }
        eml
    }

    /// Delivers as a mail server does: written in `tmp`, moved to `new`.
    fn post(&mut self, eml: &str) {
        let inbox = self.dir.path().join("mail/inbox");
        let name = format!("{:06}.{}.golden", self.letters, self.seen.len());
        fs::write(inbox.join("tmp").join(&name), eml).unwrap();
        fs::rename(inbox.join("tmp").join(&name), inbox.join("new").join(&name)).unwrap();
    }

    /// The referee works; what it mailed.
    fn round(&mut self) -> Vec<Mail> {
        self.daemon
            .round(&mut self.inbox, &mut self.carrier)
            .unwrap();
        let mut new: Vec<_> = fs::read_dir(self.dir.path().join("mail/outbox/new"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| !self.seen.contains(p))
            .map(|p| (fs::metadata(&p).unwrap().modified().unwrap(), p))
            .collect();
        new.sort();
        let mut mails = Vec::new();
        for (_, path) in new {
            let mail = letter::open(&fs::read(&path).unwrap(), &Limits::default()).unwrap();
            let header = |name: &str| mail.header(name).unwrap_or_default().trim().to_owned();
            let mail = Mail {
                to: header("to"),
                subject: mail.subject.clone(),
                message_id: header("message-id"),
                reply_to: header("reply-to"),
                text: mail.text.clone(),
            };
            if let Some(who) = [ALICE, BOB, EVE].into_iter().find(|w| mail.to.contains(w)) {
                self.last.insert(who, mail.clone());
            }
            mails.push(mail);
            self.seen.insert(path);
        }
        if !self.quiet {
            // carried within one second: by recipient, so that the transcript stands still
            let mut told: Vec<String> = mails.iter().map(tell).collect();
            told.sort();
            if told.is_empty() {
                self.said.push_str("\n(no mail)\n");
            }
            self.said.push_str(&told.concat());
        }
        mails
    }

    /// Sizes of all mails carried to somebody so far.
    fn bytes_to(&self, who: &str) -> Vec<usize> {
        let mut sizes: Vec<usize> = (self.seen.iter())
            .map(|p| fs::read(p).unwrap())
            .filter(|b| {
                letter::open(b, &Limits::default())
                    .is_ok_and(|l| l.header("to").is_some_and(|to| to.contains(who)))
            })
            .map(|b| b.len())
            .collect();
        sizes.sort_unstable();
        sizes
    }

    /// A proven answer to the last mail.
    fn writes(&mut self, who: &'static str, body: &str) -> Vec<Mail> {
        let last = self.last.get(who).cloned();
        let eml = self.letter(who, true, last.as_ref(), body);
        self.post(&eml);
        self.round()
    }

    /// Compares with what was said last time.
    fn ends(self) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(format!("{}.txt", self.name));
        if std::env::var_os("TULPA_BLESS").is_some() {
            fs::write(&path, &self.said).unwrap();
            return;
        }
        let before = fs::read_to_string(&path).unwrap_or_default();
        if let Some((n, (now, then))) =
            (self.said.lines().zip(before.lines()).enumerate()).find(|(_, (now, then))| now != then)
        {
            let n = n + 1;
            panic!("{}:{n}: was `{then}`, is `{now}`", path.display());
        }
        assert!(self.said == before, "{}: other length", path.display());
    }
}

fn tell(mail: &Mail) -> String {
    let mut out = format!("\n<<<< {}\n     {}\n\n", mail.to, scrub(&mail.subject));
    for line in scrub(&mail.text).trim_end().lines() {
        out.push_str(format!("     {line}").trim_end());
        out.push('\n');
    }
    out
}

/// Puts placeholders for what is different each time.
fn scrub(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if let Some((before, _)) = line.split_once("    confirm ") {
            let _ = writeln!(out, "{before}    confirm <code>");
            continue;
        }
        let mut word = String::new();
        for c in line.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() {
                word.push(c);
                continue;
            }
            match word.len() {
                64 if out.ends_with("n=") => out.push_str("<nonce>"),
                64 => out.push_str("<hash>"),
                // the name of the game in the line that is hashed
                10 if ["tulpa1/seal ", "head ", "id="]
                    .iter()
                    .any(|w| out.ends_with(w)) =>
                {
                    out.push_str("<gid>");
                }
                // the head in short, `6f1c...9a02`
                4 if out.ends_with("  head ") || out.ends_with("<hash>...") => {
                    out.push_str("<hash>");
                }
                _ => out.push_str(&word),
            }
            word.clear();
            out.push(c);
        }
    }
    out.trim_end_matches('\n').to_owned()
}

fn count(mails: &[Mail], who: &str) -> usize {
    mails.iter().filter(|m| m.to.contains(who)).count()
}

/// One mail to the one, and so many to the other.
#[track_caller]
fn counts(mails: &[Mail], alice: usize, bob: usize) {
    let found = (count(mails, ALICE), count(mails, BOB));
    assert_eq!(found, (alice, bob), "{mails:#?}");
    assert_eq!(mails.len(), alice + bob, "{mails:#?}");
}

#[track_caller]
fn to<'a>(mails: &'a [Mail], who: &str) -> &'a Mail {
    mails.iter().find(|m| m.to.contains(who)).expect("a mail")
}

#[test]
fn cards_match_at_the_first_try() {
    let mut club = Club::started("match", "tulpas");
    let mails = club.writes(ALICE, "pick amazon");
    counts(&mails, 1, 0);
    assert!(to(&mails, ALICE).text.contains("  amazon ..."));
    let mails = club.writes(BOB, "guess amazon");
    assert!(to(&mails, ALICE).text.contains("A@"), "{mails:#?}");
    assert_eq!((count(&mails, ALICE), club.turn()), (1, 1));
    let mails = club.writes(ALICE, "A@a2; Aa2-b4");
    assert_eq!((count(&mails, BOB), club.turn()), (1, 2));
    club.ends();
}

#[test]
fn cards_differ_five_turns_running() {
    let mut club = Club::started("differ", "tulpas");
    let play = ["a3-a4", "a8-a7", "b3-b4", "b8-b7", "c3-c4"];
    for (turn, step) in (1..).zip(play) {
        let (mover, other) = if turn % 2 == 1 {
            (ALICE, BOB)
        } else {
            (BOB, ALICE)
        };
        let mails = club.writes(mover, "pick spider");
        assert_eq!((mails.len(), count(&mails, mover)), (1, 1), "{mails:#?}");
        let mails = club.writes(other, "guess archer");
        assert!(to(&mails, mover).text.contains("spider"));
        assert_eq!(club.turn(), turn);
        club.writes(mover, step);
        assert_eq!(club.turn(), turn + 1);
    }
    club.ends();
}

#[test]
fn the_fifth_tulpa_comes_without_picks() {
    let mut club = Club::started("fifth", "tulpas");
    let tulpas = [
        ("amazon", "A@b1", "a3-a4", "a8-a7"),
        ("ox", "O@a2", "b3-b4", "b8-b7"),
        ("archer", "Y@d1", "c3-c4", "c8-c7"),
        ("spider", "S@e1", "d3-d4", "d8-d7"),
    ];
    club.quiet = true;
    for (turn, (card, place, white, black)) in tulpas.into_iter().enumerate() {
        // the last turn before is written down
        club.quiet = turn + 1 < tulpas.len();
        let order = format!("pick {card}\nif created: {place}; {white}\nelse: {white}");
        counts(&club.writes(ALICE, &order), 1, 0);
        club.writes(BOB, &format!("guess {card}"));
        assert_eq!(club.turn(), turn as u32 * 2 + 2);
        counts(
            &club.writes(BOB, &format!("pick mace\nelse: {black}")),
            0,
            1,
        );
        club.writes(ALICE, "guess ox");
        assert_eq!(club.turn(), turn as u32 * 2 + 3);
    }
    let mails = club.writes(ALICE, "pick mace");
    counts(&mails, 1, 0);
    let mails = club.writes(ALICE, "M@f1; e3-e4");
    assert_eq!((count(&mails, BOB), club.turn()), (1, 10));
    club.ends();
}

#[test]
fn one_mail_with_pick_both_branches_and_guess() {
    let mut club = Club::started("one_mail", "tulpas");
    let order = "pick amazon\nif created: A@a2; Aa2-b4\nelse: Nc1-a2\nguess spider";
    let mails = club.writes(ALICE, order);
    counts(&mails, 1, 0);
    let text = &to(&mails, ALICE).text;
    assert!(text.contains("  amazon ...") && text.contains("  spider ..."));
    let mails = club.writes(BOB, "guess ox");
    assert_eq!(club.turn(), 2, "the branch for no Tulpa is played");
    assert!(to(&mails, BOB).text.contains("Nc1-a2"));
    assert!(!to(&mails, BOB).text.contains("spider ..."));
    club.writes(BOB, "pick ox\nelse: a8-a7");
    assert_eq!(club.turn(), 3, "Alice's guess lay there");
    club.ends();
}

#[test]
fn a_slip_in_the_cards_name() {
    let mut club = Club::started("slip", "tulpas");
    let mails = club.writes(ALICE, "pick amazn");
    counts(&mails, 1, 0);
    assert!(to(&mails, ALICE).text.contains("amazon"));
    assert!(club.game().sealed.is_empty());
    counts(&club.writes(ALICE, "pick amazon"), 1, 0);
    assert_eq!(club.game().sealed.len(), 1);
    counts(&club.writes(ALICE, "pick ox"), 1, 0);
    assert_eq!(club.game().sealed[0].card.0, "amazon");
    club.ends();
}

#[test]
fn both_picks_in_the_same_second() {
    let mut club = Club::started("same_second", "tulpas");
    for (who, order) in [(ALICE, "pick mace"), (BOB, "guess mace")] {
        let last = club.last.get(who).cloned();
        let eml = club.letter(who, true, last.as_ref(), order);
        club.post(&eml);
    }
    let mails = club.round();
    assert!(mails.iter().any(|m| m.text.contains("M@a2")), "{mails:#?}");
    // neither of the receipts before the opening went to the other
    assert_eq!((count(&mails, ALICE), count(&mails, BOB)), (2, 1));
    club.writes(ALICE, "M@a2; a3-a4");
    assert_eq!(club.turn(), 2);
    club.ends();
}

#[test]
fn what_the_other_gets_is_the_same_whatever_the_card() {
    let mut before: Option<String> = None;
    let mut size: Option<Vec<usize>> = None;
    for card in ["amazon", "ox", "archer", "spider", "mace"] {
        let mut club = Club::started("hidden", "tulpas");
        counts(&club.writes(ALICE, &format!("pick {card}")), 1, 0);
        let mails = club.writes(BOB, "status");
        // The receipt itself has one length whatever the card, in the bytes as they are carried.
        assert_eq!(
            *size.get_or_insert(club.bytes_to(ALICE)),
            club.bytes_to(ALICE),
            "{card}"
        );
        let more = club.writes(BOB, "show");
        assert!(to(&more, BOB).text.contains("is down, sealed as"));
        let told: String = mails.iter().chain(&more).map(tell).collect();
        assert!(!told.is_empty());
        assert_eq!(*before.get_or_insert(told.clone()), told, "{card}");
        if card == "amazon" {
            club.ends();
        }
    }
}

#[test]
fn a_king_swung_down_by_a_mace() {
    let mut club = Club::started_with("mace_takes_king", "maces", " array=B2");
    let record = include_str!("conformance/maces-11.jsonl");
    let lines: Vec<serde_json::Value> = record
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .filter(|l: &serde_json::Value| l.get("steps").is_some())
        .collect();
    for (i, line) in lines.iter().enumerate() {
        club.quiet = i + 2 < lines.len();
        let who = if line["seat"] == "white" { ALICE } else { BOB };
        let steps: Vec<&str> = (line["steps"].as_array().unwrap().iter())
            .map(|s| s.as_str().unwrap())
            .collect();
        assert!(!club.is_over());
        let mails = club.writes(who, &steps.join("; "));
        assert!(club.is_over() || club.turn() == i as u32 + 2, "{mails:#?}");
        if i + 1 == lines.len() {
            counts(&mails, 1, 1);
            assert!(steps.last().unwrap().starts_with("Md2*"));
        }
    }
    assert!(club.is_over());
    counts(&club.writes(ALICE, "a3-a4"), 1, 0);
    club.ends();
}

#[test]
fn a_resent_letter_is_not_answered() {
    let mut club = Club::started("resent", "maces");
    let last = club.last.get(ALICE).cloned();
    let eml = club.letter(ALICE, true, last.as_ref(), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    assert_eq!((count(&mails, BOB), club.turn()), (1, 2));
    club.post(&eml);
    counts(&club.round(), 0, 0);
    club.writes(BOB, "a8-a7");
    assert_eq!(club.turn(), 3);
    club.post(&eml);
    counts(&club.round(), 0, 0);
    assert_eq!(club.turn(), 3);
    club.ends();
}

#[test]
fn a_player_answers_an_old_mail() {
    let mut club = Club::started("old_mail", "maces");
    let old = club.last[ALICE].clone();
    club.writes(ALICE, "a3-a4");
    club.writes(BOB, "a8-a7");
    for order in ["b3-b4", "a3-a4"] {
        let eml = club.letter(ALICE, true, Some(&old), order);
        club.post(&eml);
        counts(&club.round(), 1, 0);
        assert_eq!(club.turn(), 3);
    }
    club.writes(ALICE, "b3-b4");
    assert_eq!(club.turn(), 4);
    club.ends();
}

#[test]
fn a_stranger_tries_to_move() {
    let mut club = Club::started("stranger", "maces");
    let hers = club.last[ALICE].clone();
    // Alice's mail in Eve's hands: Alice is asked, Eve hears nothing of the game
    let eml = club.letter(EVE, true, Some(&hers), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    counts(&mails, 1, 0);
    assert!(!to(&mails, ALICE).text.contains("Q"), "no board");
    assert_eq!(club.turn(), 1);
    // only the number of the game, from her own address
    let plain = Mail {
        reply_to: REFEREE.to_owned(),
        message_id: "<nothing@moor.example>".to_owned(),
        text: String::new(),
        ..hers.clone()
    };
    let eml = club.letter(EVE, true, Some(&plain), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    assert_eq!((mails.len(), count(&mails, EVE)), (1, 1), "{mails:#?}");
    // in Alice's name, with nothing to prove it
    let eml = club.letter(ALICE, false, Some(&plain), "a3-a4");
    club.post(&eml);
    let mails = club.round();
    // she is asked about this one by itself, and says yes to it alone
    counts(&mails, 1, 0);
    assert_eq!(club.turn(), 1);
    let asked = club.last[ALICE].clone();
    let eml = club.letter(ALICE, false, Some(&asked), "yes");
    club.post(&eml);
    counts(&club.round(), 1, 1);
    assert_eq!(club.turn(), 2);
    club.ends();
}

#[test]
fn a_letter_without_proof_is_confirmed_first() {
    let mut club = Club::new("confirmed");
    let order = format!("new maces vs {BOB} as white\nname Alice");
    let eml = club.letter(ALICE, false, None, &order);
    club.post(&eml);
    counts(&club.round(), 1, 0);
    assert!(club.daemon.records().game(MatchNo(1)).is_none());
    let asked = club.last[ALICE].clone();
    let eml = club.letter(ALICE, false, Some(&asked), "yes, that was me");
    club.post(&eml);
    counts(&club.round(), 1, 1);
    assert_eq!(club.game().stage, Stage::Inviting);
    let asked = club.last[BOB].clone();
    let eml = club.letter(BOB, false, Some(&asked), "accept");
    club.post(&eml);
    counts(&club.round(), 1, 1);
    assert_eq!(club.game().stage, Stage::Playing);
    club.ends();
}

#[test]
fn a_card_already_spent() {
    let mut club = Club::started("spent", "tulpas");
    club.quiet = true;
    club.writes(ALICE, "pick amazon\nif created: A@a2; a3-a4\nelse: a3-a4");
    club.writes(BOB, "guess amazon");
    club.writes(BOB, "pick ox\nelse: a8-a7");
    club.writes(ALICE, "guess mace");
    assert_eq!(club.turn(), 3);
    club.quiet = false;
    counts(&club.writes(ALICE, "pick amazon"), 1, 0);
    counts(&club.writes(BOB, "guess amazon"), 0, 1);
    assert!(club.game().sealed.iter().all(|s| s.turn < 3));
    counts(&club.writes(ALICE, "pick ox"), 1, 0);
    club.ends();
}

#[test]
fn an_empty_mail() {
    let mut club = Club::started("empty", "maces");
    counts(&club.writes(ALICE, ""), 1, 0);
    assert_eq!(club.turn(), 1);
    club.ends();
}

#[test]
fn a_draw_offered_declined_offered_accepted() {
    let mut club = Club::started("draw", "maces");
    let mails = club.writes(ALICE, "a3-a4\noffer draw");
    assert_eq!((count(&mails, BOB), club.turn()), (1, 2));
    let mails = club.writes(BOB, "decline draw\na8-a7");
    assert_eq!((count(&mails, ALICE), club.turn()), (1, 3));
    counts(&club.writes(BOB, "accept draw"), 0, 1);
    assert!(!club.is_over(), "a declined offer is gone");
    club.writes(ALICE, "b3-b4\noffer draw");
    assert!(!club.is_over());
    counts(&club.writes(BOB, "accept draw"), 1, 1);
    assert!(club.is_over());
    club.ends();
}
