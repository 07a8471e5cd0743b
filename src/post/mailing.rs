//! From a [`Notice`] to a finished mail: words, HTML, headers, in one place.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::address::{Addr, AddrError, Tag, plus, plus_address, subject_tag};
use super::board::BoardStyle;
use super::compose::{Alias, Attached, Auto, Instance, Mail, MessageId, Outgoing, compose};
use super::hypertext::{Quick, page};
use super::words::{Block, Style, Templates, Words, WordsError};
use super::{help, hypertext};
use crate::fair::fold::fold;
use crate::fair::head::Head;
use crate::fair::line::hex;
use crate::fair::token::{message_id_left, reply_token};
use crate::referee::authority::CONFIRM;
use crate::referee::order::Read;
use crate::referee::{Notice, NoticeKind, ReplyTo, Report};
use crate::rules::Shelf;

/// Where mails are written: the referee's own name, address and keys.
pub struct Office {
    /// Texts.
    pub templates: Templates,
    /// Name in From.
    pub name: Alias,
    /// Address in From.
    pub address: Addr,
    /// Are there plus-addresses? Otherwise the token stands in the subject.
    pub plus: bool,
    /// This installation.
    pub instance: Instance,
    /// Key of tokens and Message-IDs.
    pub key: [u8; 32],
}

/// Why a mail cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The recipient's address, or ours with a token, is not one we can write to.
    #[error("an address cannot be written to: {0}")]
    Address(#[from] AddrError),
    /// A template failed.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// A notice of several parts had none.
    #[error("there is nothing to say")]
    Empty,
    /// A Message-ID could not be made.
    #[error("a Message-ID cannot be made")]
    MessageId,
}

/// One mail to be written.
pub struct Job<'a> {
    /// What to tell.
    pub notice: &'a Notice,
    /// The recipient's address.
    pub to: &'a str,
    /// The letter that this answers.
    pub answers: Option<&'a Read>,
    /// Number of the mail in this installation: the same number gives the same Message-ID.
    pub seq: u64,
    /// When it is written.
    pub now: Timestamp,
    /// The end of the match's ledger, for the foot.
    pub foot: Option<&'a Foot>,
}

/// What the foot of a mail shows of a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foot {
    /// Entries that this seat has not been mailed yet.
    pub entries: Vec<String>,
    /// The referee's word for all up to here.
    pub head: Head,
}

/// Entries in one mail; who is further behind asks for an export.
const FOOT_ENTRIES_MAX: usize = 300;

impl Foot {
    fn context(&self, game: u32) -> Json {
        let text = hex(&self.head.h);
        let new = &self.entries[self.entries.len().saturating_sub(FOOT_ENTRIES_MAX)..];
        let mut ledger: Vec<String> = new.iter().map(|line| fold(line)).collect();
        ledger.push(fold(&self.head.text()));
        json!({
            "game": game,
            "entry": self.head.seq,
            "head": format!("{}...{}", &text[..4], &text[60..]),
            "ledger": ledger.join("\n"),
        })
    }
}

impl Office {
    /// Writes one mail.
    ///
    /// # Errors
    /// An address that cannot be written to, or a template of the Keeper's that fails.
    pub fn write(&self, job: &Job, shelf: &Shelf) -> Result<Mail, WriteError> {
        let notice = job.notice;
        let to = Addr::parse(job.to)?;
        let (reply_to, tag) = self.reply_to(&notice.reply)?;
        let style = style(notice);
        let foot = notice.game.map(|no| {
            job.foot
                .map_or_else(|| json!({ "game": no.0 }), |f| f.context(no.0))
        });
        let words = self.words(&notice.kind, notice, &style, (shelf, foot))?;
        let mut subject = words.subject.clone();
        if let Some(tag) = &tag {
            subject.push(' ');
            subject.push_str(&subject_tag(tag));
        }
        let gid = notice.gid.as_deref().unwrap_or("none");
        let seat = notice.seat.map_or(255, |s| s.0);
        let id = |seq: u64, seat: u8, kind: &str| {
            let left = message_id_left(&self.key, gid, seq, seat, kind);
            MessageId::ours(&left, &self.address).map_err(|_| WriteError::MessageId)
        };
        let message_id = id(job.seq, seat, notice.kind.name())?;
        let answered = job
            .answers
            .filter(|_| notice.answer)
            .and_then(|read| MessageId::parse(&read.message_id).ok());
        // one root for each game, so that clients thread it although most mails answer none of theirs
        let mut references = Vec::new();
        if notice.gid.is_some() {
            references.push(id(0, 255, "root")?);
        }
        references.extend(answered.clone());
        let html = (notice.settings.get("html").map(String::as_str) != Some("no"))
            .then(|| page(&words, &quick(&notice.kind, &subject), reply_to.as_str()));
        let files = self.files(&notice.kind);
        Ok(compose(&Outgoing {
            from_name: &self.name,
            from: &self.address,
            to: &to,
            reply_to: &reply_to,
            envelope_from: Some(&self.address),
            subject: &subject,
            date: job.now,
            message_id: &message_id,
            in_reply_to: answered.as_ref(),
            references: &references,
            auto: if notice.answer {
                Auto::Replied
            } else {
                Auto::Generated
            },
            game: notice.game.map(|g| g.0),
            unsubscribe: notice.game.map(|_| &reply_to),
            instance: &self.instance,
            text: &words.text,
            html: html.as_deref(),
            files: &files,
        }))
    }

    /// What comes behind the words: the second verifier with `help verify`, a ledger with `export`.
    fn files(&self, kind: &NoticeKind) -> Vec<Attached> {
        match kind {
            NoticeKind::Help { topic } if help::topic(&self.templates, topic) == "help/verify" => {
                vec![Attached::new("verify.py", help::VERIFY_SCRIPT)]
            }
            NoticeKind::History {
                about,
                ledger: Some(ledger),
                ..
            } => {
                let name = format!("game-{}.ledger", about.no);
                vec![Attached::new(&name, ledger.as_str())]
            }
            NoticeKind::Several(parts) => parts.iter().flat_map(|p| self.files(p)).collect(),
            _ => Vec::new(),
        }
    }

    fn reply_to(&self, reply: &ReplyTo) -> Result<(Addr, Option<Tag>), WriteError> {
        let tag = match reply {
            ReplyTo::Plain => return Ok((self.address.clone(), None)),
            ReplyTo::Chair { gid, chair, epoch } => Tag {
                gid: gid.clone(),
                seat: *chair,
                mac: reply_token(&self.key, gid, *chair, *epoch),
            },
            ReplyTo::Code(code) => Tag {
                gid: CONFIRM.to_owned(),
                seat: 0,
                mac: code.clone(),
            },
        };
        if self.plus {
            Ok((plus_address(&self.address, &tag)?, None))
        } else {
            Ok((self.address.clone(), Some(tag)))
        }
    }

    fn words(
        &self,
        kind: &NoticeKind,
        notice: &Notice,
        style: &Style,
        (shelf, foot): (&Shelf, Option<Json>),
    ) -> Result<Words, WriteError> {
        if let NoticeKind::Several(parts) = kind {
            return self.several(parts, notice, style, (shelf, foot));
        }
        // the position goes to the template as it is: as JSON it would be most of the context
        let mut bare = kind.clone();
        let view = bare.take_view();
        let mut context = notice.context_of(&bare);
        let mut template = kind.name().to_owned();
        let mut page = None;
        if let Json::Object(map) = &mut context {
            if let Some(foot) = foot {
                map.insert("foot".into(), foot);
            }
            match kind {
                NoticeKind::Help { topic } => template = help::topic(&self.templates, topic),
                NoticeKind::Rules { about } => {
                    if let Some(book) = shelf.get(&about.id) {
                        page = Some(help::rules(&self.templates, book, style)?);
                    }
                }
                NoticeKind::Notation { about } => {
                    page = Some(help::notation(&self.templates, &about.family)?);
                }
                _ => {}
            }
        }
        let words = self
            .templates
            .render_shown(&template, context, view, style)?;
        Ok(match page {
            Some(mut page) => {
                page.append(words);
                page
            }
            None => words,
        })
    }

    fn several(
        &self,
        parts: &[NoticeKind],
        notice: &Notice,
        style: &Style,
        (shelf, foot): (&Shelf, Option<Json>),
    ) -> Result<Words, WriteError> {
        let mut all: Option<Words> = None;
        // What was ignored is told once, in the last part that has a place for it.
        let last = parts
            .iter()
            .rposition(|p| !matches!(p, NoticeKind::Help { .. }));
        let quiet = Notice {
            ignored: Vec::new(),
            ..notice.clone()
        };
        for (i, part) in parts.iter().enumerate() {
            let notice = if Some(i) == last { notice } else { &quiet };
            let words = self.words(part, notice, style, (shelf, None))?;
            match &mut all {
                None => all = Some(words),
                Some(all) => {
                    let rule = format!("\n{}\n\n", "-".repeat(40));
                    all.text.push_str(&rule);
                    all.text.push_str(&words.text);
                    all.blocks.push(Block::Text(rule));
                    all.blocks.extend(words.blocks);
                }
            }
        }
        let mut all = all.ok_or(WriteError::Empty)?;
        // the foot stands once, below all, whatever the last part is
        if let Some(foot) = foot {
            let closing = json!({ "foot": foot });
            all.append(self.templates.render("closing", closing, style)?);
        }
        Ok(all)
    }
}

fn style(notice: &Notice) -> Style {
    let setting = |key: &str| notice.settings.get(key).map(String::as_str);
    Style {
        board: setting("board")
            .and_then(BoardStyle::named)
            .unwrap_or_default(),
        zone: setting("timezone").unwrap_or("UTC").to_owned(),
        eyes: notice.seat,
        seats: notice.seats.clone(),
    }
}

/// Whole answers behind one link each.
fn quick(kind: &NoticeKind, subject: &str) -> Vec<Quick> {
    let link = |label: &str, body: &str| Quick {
        label: label.to_owned(),
        subject: format!("Re: {subject}"),
        body: body.to_owned(),
    };
    match kind {
        NoticeKind::Invitation { stranger, .. } => {
            let mut links = vec![link("accept", "accept"), link("decline", "decline")];
            if *stranger {
                links.push(link("block", "block"));
            }
            links
        }
        NoticeKind::Confirm { .. } => vec![link("yes, that was me", "yes")],
        NoticeKind::Begun(r)
        | NoticeKind::YourMove(r)
        | NoticeKind::News(r)
        | NoticeKind::Understood(r)
        | NoticeKind::Board(r)
        | NoticeKind::Reminder(r) => report_links(r, &link),
        _ => Vec::new(),
    }
    .into_iter()
    .take(hypertext::QUICK_MAX)
    .collect()
}

fn report_links(r: &Report, link: &dyn Fn(&str, &str) -> Quick) -> Vec<Quick> {
    let mut links = Vec::new();
    let word = match r.owed.as_deref() {
        Some("pick") => Some("pick"),
        Some("guess") => Some("guess"),
        Some("place") => Some("place"),
        Some("exchange") => Some("exchange"),
        Some("start") => Some("start"),
        _ => None,
    };
    if let Some(word) = word {
        for choice in &r.choices {
            let bare = choice.strip_prefix(word).unwrap_or(choice).trim();
            let body = format!("{word} {}", bare.trim_start_matches("pick "));
            links.push(link(&body, &body));
        }
    }
    if let (Some(by), Some(you)) = (r.draw_offer, r.you)
        && by != you
    {
        links.push(link("accept draw", "accept draw"));
        links.push(link("decline draw", "decline draw"));
    } else if r.ending.is_none() {
        links.push(link("offer draw", "offer draw"));
    }
    if r.ending.is_none() {
        links.push(link("show", "show"));
        links.push(link("resign", "resign"));
    }
    links
}

/// The address bounces of a mail go to, where plus-addresses exist.
///
/// # Errors
/// An address that grows too long.
pub fn bounce_address(base: &Addr, mark: &str) -> Result<Addr, AddrError> {
    plus(base, &format!("b.{mark}"))
}
