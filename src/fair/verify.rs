//! Verifies a ledger file: numbers, times, hashes, heads, seeds, dice, cards (trust.md 6, part 1).
//!
//! A file is lines and heads, each ended by LF, and its last line is a head. Two changes of a file leave it true and are let
//! through: a head is left out that is not the last, nor the one under which a committed seed was opened; the file ends right
//! behind an earlier head (then it is the ledger of an earlier day, which only the heads in one's own mailbox tell:
//! [`Report::holds`]).

mod cards;
mod fault;
mod rolls;
mod setup;

pub use fault::Fault;
pub use setup::{Game, SEATS_MAX};

use super::head::Head;
use super::ledger::{Entry, Kind, SAW_HEX, link};
use super::line::{Hash, hex, number};

/// Largest ledger file, bytes.
pub const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Most findings that are told.
pub const FINDINGS_MAX: usize = 50;

/// Something that does not hold, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Line of the file, from 1; 0 for the whole.
    pub line: usize,
    /// What.
    pub fault: Fault,
}

/// What a ledger file is worth.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What does not hold; nothing where all is well.
    pub findings: Vec<Finding>,
    /// What the first line says.
    pub game: Option<Game>,
    /// Every entry with its line in the file.
    pub entries: Vec<(usize, Entry)>,
    /// h of every entry.
    pub links: Vec<Hash>,
    /// Heads of the file.
    pub heads: Vec<Head>,
}

impl Report {
    /// Does a head of somebody's own mailbox stand in this ledger? Heads of other games and of other keys do not count.
    ///
    /// # Errors
    /// The head is signed and of this game, and the file does not contain it.
    pub fn holds(&self, head: &Head) -> Result<(), Fault> {
        let Some(game) = self.game.as_ref().filter(|g| g.gid == head.gid) else {
            return Ok(());
        };
        if !head.is_signed_by(&game.key) {
            return Ok(());
        }
        match usize::try_from(head.seq)
            .ok()
            .and_then(|i| self.links.get(i))
        {
            None => Err(Fault::Beyond { seq: head.seq }),
            Some(h) if *h == head.h => Ok(()),
            Some(_) => Err(Fault::Fork { seq: head.seq }),
        }
    }

    fn tell(&mut self, line: usize, fault: Fault) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(Finding { line, fault });
        }
    }
}

/// What is remembered from line to line.
struct Audit {
    game: Game,
    setup: setup::Setup,
    rolls: rolls::Rolls,
    cards: cards::Cards,
    started: bool,
    ended: bool,
}

/// Verifies a file; with `key` only a ledger under that key will do.
pub fn verify(text: &str, key: Option<&Hash>) -> Report {
    let mut report = Report::default();
    if text.len() > FILE_BYTES_MAX {
        report.tell(
            0,
            Fault::FileTooLarge {
                most: FILE_BYTES_MAX,
            },
        );
        return report;
    }
    if text.is_empty() {
        report.tell(0, Fault::Empty);
        return report;
    }
    if !text.is_ascii() {
        report.tell(0, Fault::NotAscii);
        return report;
    }
    let mut heads: Vec<(usize, Head)> = Vec::new();
    let mut audit: Option<Audit> = None;
    // After a line that cannot be read what follows would be found fault with for nothing.
    let mut readable = true;
    let mut ends_with_head = false;
    for (at, line) in text.lines().enumerate() {
        let at = at + 1;
        // `lines` takes a carriage return away with the line's end
        if text.as_bytes().get(offset(text, line) + line.len()) == Some(&b'\r') {
            report.tell(at, Fault::CarriageReturn);
            return report;
        }
        ends_with_head = line.starts_with("head");
        if ends_with_head {
            if let Err(fault) = head(&report, &mut heads, at, line) {
                report.tell(at, fault);
            } else if let Some(audit) = audit.as_mut().filter(|_| readable)
                && let Err(fault) = audit.head()
            {
                report.tell(at, fault);
            }
            continue;
        }
        let before = report.links.last().copied().unwrap_or_default();
        report.links.push(link(&before, line));
        let entry = match Entry::parse(line) {
            Ok(entry) => entry,
            Err(e) => {
                report.tell(at, Fault::Line(e));
                readable = false;
                continue;
            }
        };
        if readable && let Err(fault) = one(&mut report, &mut audit, &entry, key) {
            let first = report.game.is_none();
            report.tell(at, fault);
            if first {
                return report;
            }
        }
        report.entries.push((at, entry));
    }
    if !text.ends_with('\n') {
        report.tell(0, Fault::NoNewline);
    } else if !ends_with_head {
        report.tell(0, Fault::NoHeadAtEnd);
    }
    if let Some(audit) = audit.filter(|a| a.ended && readable)
        && let Err(fault) = audit.cards.over()
    {
        report.tell(0, fault);
    }
    if report.findings.is_empty()
        && let Some(game) = &report.game
    {
        // Signatures last: they cost most, and prove nothing about lines that do not hold.
        let game_key = game.key;
        for (at, head) in &heads {
            if !head.is_signed_by(&game_key) {
                let key = hex(&game_key);
                report.tell(*at, Fault::Signature { seq: head.seq, key });
            }
        }
    }
    report.heads = heads.into_iter().map(|(_, h)| h).collect();
    report
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

fn head(
    report: &Report,
    heads: &mut Vec<(usize, Head)>,
    at: usize,
    line: &str,
) -> Result<(), Fault> {
    let head = Head::parse(line).ok_or(Fault::HeadForm)?;
    let game = report.game.as_ref().ok_or(Fault::NoGame)?;
    if head.gid != game.gid {
        return Err(Fault::HeadOfAnother {
            gid: game.gid.clone(),
            found: head.gid,
        });
    }
    let last = (report.links.len() as u64).saturating_sub(1);
    if head.seq != last || heads.last().is_some_and(|(_, h)| h.seq >= head.seq) {
        return Err(Fault::HeadPlace {
            at: last,
            found: head.seq,
        });
    }
    if report.links.last() != Some(&head.h) {
        return Err(Fault::HeadHash { seq: head.seq });
    }
    heads.push((at, head));
    Ok(())
}

/// One entry. The first must be the game's.
fn one(
    report: &mut Report,
    audit: &mut Option<Audit>,
    e: &Entry,
    key: Option<&Hash>,
) -> Result<(), Fault> {
    let due = report.entries.len() as u64;
    if e.seq != due {
        return Err(Fault::Order {
            expected: due,
            found: e.seq,
        });
    }
    if report
        .entries
        .last()
        .is_some_and(|(_, before)| e.time < before.time)
    {
        return Err(Fault::Backwards);
    }
    let Some(audit) = audit else {
        if e.kind != Kind::Game {
            return Err(Fault::NoGame);
        }
        let game = Game::of(e)?;
        if let Some(given) = key.filter(|k| **k != game.key) {
            return Err(Fault::OtherKey {
                given: hex(given),
                found: hex(&game.key),
            });
        }
        report.game = Some(game.clone());
        *audit = Some(Audit::new(game));
        return Ok(());
    };
    if let Some(saw) = e.get("saw") {
        saw_head(&report.links, due, saw)?;
    }
    audit.entry(e)
}

/// Is the head that a player answered one of this ledger?
fn saw_head(links: &[Hash], due: u64, saw: &str) -> Result<(), Fault> {
    let stranger = || Fault::Saw {
        saw: saw.to_owned(),
    };
    let (seq, digits) = saw.split_once(':').ok_or_else(stranger)?;
    let seq = number(seq).filter(|s| *s < due).ok_or_else(stranger)?;
    let h = usize::try_from(seq).ok().and_then(|s| links.get(s));
    let h = h.map(|h| hex(h)).ok_or_else(stranger)?;
    if digits.len() == SAW_HEX && h.starts_with(digits) {
        Ok(())
    } else {
        Err(stranger())
    }
}

impl Audit {
    fn new(game: Game) -> Audit {
        Audit {
            setup: setup::Setup::default(),
            rolls: rolls::Rolls::new(&game),
            cards: cards::Cards::new(game.reveal_both),
            game,
            started: false,
            ended: false,
        }
    }

    fn entry(&mut self, e: &Entry) -> Result<(), Fault> {
        if self.ended && !matches!(e.kind, Kind::Open | Kind::Note | Kind::Admin) {
            return Err(Fault::AfterEnd);
        }
        if let Some(mid) = e.get("mid")
            && (mid.len() != SAW_HEX || !mid.bytes().all(is_hex))
        {
            return Err(value(e, "mid"));
        }
        if e.get("seat").is_some() {
            self.game.seat(e)?;
        }
        if e.get("t").is_some() && e.num("t").and_then(|t| u32::try_from(t).ok()).is_none() {
            return Err(value(e, "t"));
        }
        match e.kind {
            Kind::Game => Err(Fault::SecondGame),
            Kind::Seedcommit | Kind::Seed | Kind::Start if self.started => {
                Err(if e.kind == Kind::Start {
                    Fault::SecondStart
                } else {
                    Fault::AfterStart
                })
            }
            Kind::Seedcommit => self.setup.commit(&self.game, e),
            Kind::Seed => self.setup.seed(&self.game, e),
            Kind::Bind => self.rolls.bind(&self.game, e),
            Kind::Start => {
                let b = self
                    .rolls
                    .beacon(&self.game, e, self.game.start_beacon.as_deref())?;
                let entropy = self.setup.start(&self.game, e, &b)?;
                self.rolls.entropy = Some(entropy);
                self.started = true;
                Ok(())
            }
            Kind::Roll => self.rolls.roll(&self.game, e),
            Kind::Move | Kind::Pass if !self.started => Err(Fault::NotStarted),
            Kind::Move
                if !["player", "deadline", "master"].contains(&e.get("by").unwrap_or("")) =>
            {
                Err(value(e, "by"))
            }
            Kind::Move if e.text("text").is_none() => Err(value(e, "text")),
            Kind::Seal => self.cards.seal(&self.game, e),
            Kind::Open => self.cards.open(&self.game, e, self.ended),
            Kind::Result => self.cards.result(e),
            Kind::Timeout => {
                self.cards.timeout(e);
                Ok(())
            }
            Kind::End => {
                let winner = e.get("winner").unwrap_or("");
                let seats = winner.split(',').all(|w| {
                    number(w).is_some_and(|n| (1..=u64::from(self.game.seats)).contains(&n))
                });
                if winner != "none" && !seats {
                    return Err(value(e, "winner"));
                }
                self.ended = true;
                Ok(())
            }
            Kind::Seat | Kind::Move | Kind::Pass | Kind::Late | Kind::Admin | Kind::Note => Ok(()),
        }
    }

    /// A head stands here: what one transaction must not leave half done is done.
    fn head(&mut self) -> Result<(), Fault> {
        self.setup.head();
        self.cards.head()
    }
}

fn is_hex(b: u8) -> bool {
    b.is_ascii_digit() || (b'a'..=b'f').contains(&b)
}

fn value(e: &Entry, key: &str) -> Fault {
    Fault::Value {
        key: key.to_owned(),
        value: e.get(key).unwrap_or_default().to_owned(),
    }
}
