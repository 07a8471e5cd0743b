//! Was this letter written by a machine? Then it is neither obeyed nor answered (security.md 3, RFC 3834).
//!
//! Two machines that answer each other do so for ever; silence is the only safe reply.

use super::address::{Addr, our_message_id};
use super::letter::Letter;

/// More hops than any real letter needs: a loop.
pub const RECEIVED_MAX: usize = 50;

/// Why a letter counts as written by a machine; for the keeper's log only.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// `Return-Path: <>`
    NullReturnPath,
    /// `Auto-Submitted:` other than `no`
    AutoSubmitted,
    /// `Precedence:` bulk, junk, list or auto_reply
    Precedence,
    /// `List-Id:`
    List,
    /// X-Auto-Response-Suppress, X-Autoreply, X-Autorespond and their kin
    AutoResponder,
    /// `X-Loop:` with our own name, or a Message-ID of ours
    OurOwn,
    /// From or Sender is mailer-daemon, postmaster, no-reply, or ourselves
    Sender,
    /// multipart/report: a bounce or a receipt
    Report,
    /// the answer to a calendar invitation
    Calendar,
    /// more than [`RECEIVED_MAX`] Received lines
    TooManyHops,
    /// the subject says "automatic reply" in one of many languages
    Subject,
    /// a header block no mail program writes
    HeaderBomb,
}

/// Who we are, so that our own letters are known when they come back.
pub struct Ourselves<'a> {
    /// Our addresses, without plus parts.
    pub addresses: &'a [Addr],
    /// What stands in our X-Loop header.
    pub instance: &'a str,
}

/// How out-of-office answers begin their subject when they carry no header that says so.
const SUBJECTS: [&str; 29] = [
    "automatic reply",
    "automatic response",
    "autoreply",
    "auto-reply",
    "auto reply",
    "auto response",
    "autoresponse",
    "out of office",
    "out of the office",
    "out-of-office",
    "automatische antwort",
    "abwesenheitsnotiz",
    "abwesenheit:",
    "réponse automatique",
    "absence du bureau",
    "respuesta automática",
    "fuera de la oficina",
    "risposta automatica",
    "resposta automática",
    "automatisch antwoord",
    "automatisk svar",
    "autosvar",
    "automaattinen vastaus",
    "odpowiedź automatyczna",
    "automatická odpověď",
    "автоответ",
    "自動応答",
    "自動返信",
    "自动答复",
];

/// Addresses that belong to machines.
const MACHINES: [&str; 10] = [
    "mailer-daemon",
    "postmaster",
    "noreply",
    "no-reply",
    "no_reply",
    "donotreply",
    "do-not-reply",
    "bounce",
    "bounces",
    "listserv",
];

/// `Some` where no answer may be given.
pub fn written_by_machine(letter: &Letter, we: &Ourselves<'_>) -> Option<Why> {
    let value = |name: &str| letter.header(name).map(|v| v.trim().to_ascii_lowercase());
    if letter
        .all("return-path")
        .any(|v| v.replace(char::is_whitespace, "") == "<>")
    {
        return Some(Why::NullReturnPath);
    }
    if letter.all("auto-submitted").any(|v| {
        let word = v.split([';', '(']).next().unwrap_or_default().trim();
        !word.eq_ignore_ascii_case("no")
    }) {
        return Some(Why::AutoSubmitted);
    }
    if value("precedence").is_some_and(|v| {
        matches!(
            v.as_str(),
            "bulk" | "junk" | "list" | "auto_reply" | "auto-reply"
        )
    }) {
        return Some(Why::Precedence);
    }
    if value("list-id").is_some() {
        return Some(Why::List);
    }
    if [
        "x-auto-response-suppress",
        "x-autoreply",
        "x-autorespond",
        "x-autoresponder",
        "x-auto-reply-from",
        "x-mail-autoreply",
        "x-vacation",
    ]
    .iter()
    .any(|h| letter.header(h).is_some())
    {
        return Some(Why::AutoResponder);
    }
    if !we.instance.is_empty()
        && letter
            .all("x-loop")
            .any(|v| v.trim().eq_ignore_ascii_case(we.instance))
    {
        return Some(Why::OurOwn);
    }
    if letter.header("message-id").is_some_and(|id| {
        we.addresses
            .iter()
            .any(|a| our_message_id(id, a.host()).is_some())
    }) {
        return Some(Why::OurOwn);
    }
    if letter
        .all("from")
        .chain(letter.all("sender"))
        .any(|v| by_machine(v, we.addresses))
    {
        return Some(Why::Sender);
    }
    if letter.content_type == "multipart/report" {
        return Some(Why::Report);
    }
    if letter.calendar_reply {
        return Some(Why::Calendar);
    }
    if letter.all("received").count() > RECEIVED_MAX {
        return Some(Why::TooManyHops);
    }
    let subject = letter.subject.to_lowercase();
    let subject = subject.trim();
    if SUBJECTS.iter().any(|s| subject.starts_with(s)) {
        return Some(Why::Subject);
    }
    None
}

/// Does any address in this raw header belong to a machine or to us?
fn by_machine(value: &str, own: &[Addr]) -> bool {
    value
        .split(|c: char| c.is_whitespace() || "<>,;:\"()".contains(c))
        .filter_map(|word| word.rsplit_once('@'))
        .any(|(local, domain)| {
            let local = local.to_ascii_lowercase();
            let domain = domain.to_ascii_lowercase();
            let plain = local.split('+').next().unwrap_or_default();
            MACHINES.contains(&plain)
                || own.iter().any(|ours| {
                    ours.host().eq_ignore_ascii_case(&domain)
                        && ours.local().eq_ignore_ascii_case(plain)
                })
        })
}
