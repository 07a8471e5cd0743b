//! The desk on which one letter is carried out: an overlay, the events so far, and what everybody will be told.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::apply::{Known, apply_known};
use super::cards::cards_left;
use super::chance::Chance;
use super::event::{Event, Ordered};
use super::gallery;
use super::listing::{examples, game_info, match_info};
use super::notice::{
    Deed, Down, GameInfo, MatchInfo, News, Notice, NoticeKind, Receipt, Refusal, ReplyTo, Report,
    To, Why, owed_by,
};
use super::proofs::add_openings;
use super::room::Overlay;
use super::seats;
use super::seeds::seed_table;
use super::state::{Match, MatchNo, Player, PlayerNo, Registry, Stage};
use super::{Decision, Entropy, Outcome, dice};
use crate::rules::families::Family;
use crate::rules::{Seat, Shelf, Table, What};

/// Cards, placements and other short lists are shown whole up to this.
const CHOICES_MAX: usize = 24;

/// An order that stops a letter.
#[derive(Debug)]
pub(super) struct Stop {
    pub why: Why,
    pub game: Option<MatchNo>,
}

impl Stop {
    pub fn new(why: Why) -> Stop {
        Stop { why, game: None }
    }
    pub fn at(game: MatchNo, why: Why) -> Stop {
        Stop {
            why,
            game: Some(game),
        }
    }
}

/// The desk.
pub(super) struct Desk<'a> {
    pub over: Overlay<'a>,
    pub shelf: &'a Shelf,
    pub now: Timestamp,
    pub chance: Chance,
    pub events: Vec<Event>,
    /// Whose letter it is.
    pub actor: PlayerNo,
    /// What his letter puts into dice where he sends no words; empty without a Message-ID.
    pub words: String,
    /// His letter's Message-ID, hashed.
    pub mid: String,
    /// The match whose mail his letter answers, and the head in it.
    pub saw: Option<(MatchNo, String)>,
    /// News by match: for a single seat, or for all.
    pub news: BTreeMap<MatchNo, Vec<(Option<Seat>, News)>>,
    /// Receipts for the actor.
    pub receipts: BTreeMap<MatchNo, Vec<Receipt>>,
    /// Matches that the answer shows though nothing happened, and why.
    pub shown: BTreeMap<MatchNo, String>,
    /// Other answers to the actor.
    pub answers: Vec<NoticeKind>,
    /// Small things done.
    pub deeds: Vec<Deed>,
    /// Lines that were fine.
    pub fine: Vec<String>,
    /// The same by match.
    pub understood: BTreeMap<MatchNo, Vec<String>>,
    /// Notices to others that are no reports.
    pub others: Vec<(PlayerNo, MatchNo, NoticeKind)>,
    /// Matches that began.
    pub begun: Vec<MatchNo>,
    /// The letter's prose.
    pub ignored: Vec<String>,
    /// The match the letter answers: an answer about nothing else can be answered there.
    pub home: Option<MatchNo>,
}

impl<'a> Desk<'a> {
    pub fn new(
        base: &'a dyn Registry,
        shelf: &'a Shelf,
        now: Timestamp,
        entropy: &Entropy,
        actor: PlayerNo,
    ) -> Desk<'a> {
        Desk {
            over: Overlay::new(base),
            shelf,
            now,
            chance: Chance::new(entropy),
            events: Vec::new(),
            actor,
            words: String::new(),
            mid: String::new(),
            saw: None,
            news: BTreeMap::new(),
            receipts: BTreeMap::new(),
            shown: BTreeMap::new(),
            answers: Vec::new(),
            deeds: Vec::new(),
            fine: Vec::new(),
            understood: BTreeMap::new(),
            others: Vec::new(),
            begun: Vec::new(),
            ignored: Vec::new(),
            home: None,
        }
    }

    /// Writes an event. One that does not fit is a bug of the order that made it: it is left out.
    pub fn emit(&mut self, event: Event, known: Option<Known>) {
        if apply_known(&mut self.over, &event, self.now, known).is_ok() {
            self.events.push(event);
        } else {
            debug_assert!(false, "the event does not fit: {event:?}");
        }
    }

    /// The letter under way, where it is of the player of that seat.
    pub fn letter_for(&self, m: &Match, seat: Seat) -> Option<Ordered> {
        let saw = self.saw.as_ref().filter(|(no, _)| *no == m.no);
        let known = m.player_at(seat) == Some(self.actor) && !self.mid.is_empty();
        known.then(|| Ordered {
            mid: self.mid.clone(),
            saw: saw.map(|(_, head)| head.clone()),
        })
    }

    pub fn tell(&mut self, game: MatchNo, news: News) {
        self.news.entry(game).or_default().push((None, news));
    }
    pub fn tell_one(&mut self, game: MatchNo, seat: Seat, news: News) {
        self.news.entry(game).or_default().push((Some(seat), news));
    }
    pub fn show(&mut self, game: MatchNo, why: &str) {
        self.shown.entry(game).or_insert_with(|| why.to_owned());
    }
    pub fn name(&self, player: PlayerNo) -> String {
        self.over
            .player(player)
            .map_or_else(|| "?".to_owned(), |p| p.name.clone())
    }

    /// The whole decision: one notice for each who is to be told.
    pub fn finish(mut self) -> Decision {
        let mut answer: Vec<NoticeKind> = std::mem::take(&mut self.answers);
        let mut notices = Vec::new();
        let mut games: Vec<MatchNo> = self
            .news
            .keys()
            .chain(self.shown.keys())
            .chain(self.receipts.keys())
            .copied()
            .collect();
        games.extend(&self.begun);
        games.sort();
        games.dedup();
        let mut home = None;
        for no in games {
            let Some(m) = self.over.game(no) else {
                continue;
            };
            let news = self.news.remove(&no).unwrap_or_default();
            notices.extend(gallery::tell(&self, &m, &news));
            for (at, chair) in (0u8..).zip(&m.chairs) {
                let Some(player) = self.over.player(chair.player) else {
                    continue;
                };
                let seats = m.seats_of(player.no);
                let mut seen: Vec<News> = news
                    .iter()
                    .filter(|(only, _)| only.is_none_or(|s| seats.contains(&s)))
                    .map(|(_, n)| n.clone())
                    .collect();
                seen.dedup_by(|a, b| a == b && !matches!(a, News::Rolled { .. }));
                let mine = player.no == self.actor;
                let begun = self.begun.contains(&no);
                if !mine && !begun && !pressing(&m, &player, &seen) {
                    self.falls_behind(&m, at);
                    continue;
                }
                if let Some(missed) = self.catches_up(&m, at) {
                    seen.splice(0..0, missed);
                }
                if m.table.is_none() {
                    if !mine {
                        continue;
                    }
                    let Some(rules) = self.game_info(&m) else {
                        continue;
                    };
                    answer.push(NoticeKind::Proposed {
                        about: self.match_info(&m, player.no),
                        rules,
                        seeds: seed_table(&self, &m, player.no),
                        why: self.shown.get(&no).cloned().unwrap_or_default(),
                    });
                    home = home.or(Some(no));
                    continue;
                }
                let Some(mut report) = report(&self.over, &m, player.no) else {
                    continue;
                };
                report.news = seen;
                add_openings(&m, &mut report);
                dice::add_check(&self.over, &m, &mut report);
                if begun {
                    report.doubt = self.over.book(&m.book).and_then(|b| b.doubt.clone());
                }
                if mine {
                    report.receipts = self.receipts.remove(&no).unwrap_or_default();
                    // A card that this very mail opens is no secret any more: the opening proves it.
                    report.receipts.retain(|r| {
                        !report
                            .news
                            .iter()
                            .any(|n| seats.iter().any(|s| n.opens(Some(*s), r.turn)))
                    });
                    report.understood = self.understood.remove(&no).unwrap_or_default();
                }
                let silent = report.news.is_empty() && report.receipts.is_empty();
                if mine && silent {
                    report.why = self.shown.get(&no).cloned();
                }
                let kind = if begun {
                    NoticeKind::Begun(report)
                } else if mine && silent {
                    NoticeKind::Board(report)
                } else if m.stage == Stage::Over {
                    NoticeKind::Over(report)
                } else if mine {
                    NoticeKind::Understood(report)
                } else if report.owed.is_some() {
                    NoticeKind::YourMove(report)
                } else {
                    NoticeKind::News(report)
                };
                if mine {
                    answer.push(kind);
                    home = Some(no);
                } else {
                    notices.push(self.notice(&player, Some(&m), kind));
                }
            }
        }
        for (player, no, kind) in std::mem::take(&mut self.others) {
            if let Some(player) = self.over.player(player) {
                let m = self.over.game(no);
                notices.push(self.notice(&player, m.as_deref(), kind));
            }
        }
        if !self.deeds.is_empty() {
            answer.push(NoticeKind::Done {
                done: std::mem::take(&mut self.deeds),
            });
        }
        // The board comes last in a mail of several answers, where the reader's next order is asked for.
        let kind = match answer.len() {
            0 => NoticeKind::Done {
                done: vec![Deed::Nothing],
            },
            1 => answer.remove(0),
            _ => NoticeKind::Several(answer),
        };
        if let Some(player) = self.over.player(self.actor) {
            let m = home
                .or(kind.about())
                .or(self.home)
                .and_then(|no| self.over.game(no));
            let mut notice = self.notice(&player, m.as_deref(), kind);
            notice.answer = true;
            notice.ignored = std::mem::take(&mut self.ignored);
            notices.insert(0, notice);
        }
        Decision {
            events: self.events,
            notices,
            key: None,
            confirming: None,
            outcome: Outcome::Applied,
            changes: self.over.changes,
        }
    }

    /// Notes what a chair is not told now.
    fn falls_behind(&mut self, m: &Match, chair: u8) {
        let before = self.over.lines_before(m.no);
        let knows = m.chairs.get(usize::from(chair)).map(|c| c.behind);
        if m.table.is_some() && knows == Some(None) && before < m.lines {
            let event = Event::Behind {
                game: m.no,
                chair,
                since: Some(before),
            };
            self.emit(event, None);
        }
    }

    /// What a chair was not told before this letter.
    fn catches_up(&mut self, m: &Match, chair: u8) -> Option<Vec<News>> {
        let since = m.chairs.get(usize::from(chair))?.behind?;
        let book = self.over.book(&m.book)?;
        let before = self.over.lines_before(m.no);
        let lines = self.over.lines_from(m.no, since);
        let missed = lines
            .iter()
            .filter(|l| l.at < before)
            .filter_map(|l| News::of_line(l.public.as_deref()?, &book))
            .collect();
        let event = Event::Behind {
            game: m.no,
            chair,
            since: None,
        };
        self.emit(event, None);
        Some(missed)
    }

    /// A notice with everything that post must know about its reader.
    pub fn notice(&self, player: &Player, m: Option<&Match>, kind: NoticeKind) -> Notice {
        notice(&self.over, player, m, kind)
    }

    pub fn match_info(&self, m: &Match, reader: PlayerNo) -> MatchInfo {
        match_info(&self.over, m, reader)
    }

    pub fn game_info(&self, m: &Match) -> Option<GameInfo> {
        self.over
            .book(&m.book)
            .or_else(|| self.shelf.get(&m.game).cloned())
            .map(|b| game_info(&b))
    }
}

/// Must this player be mailed now, or can it wait for his next mail?
fn pressing(m: &Match, player: &Player, seen: &[News]) -> bool {
    let personal = player.settings.get("news").is_some_and(|v| v == "mine");
    let owes = m.seats_of(player.no).iter().any(|s| m.is_awaited(*s));
    let several = m.seats.len() > 2;
    seen.iter().any(|n| match (owes, personal) {
        (true, _) => true,
        (false, true) => n.is_personal(),
        (false, false) => !several || n.is_turn(),
    })
}

/// A notice with everything that post must know about its reader.
pub(super) fn notice(
    reg: &dyn Registry,
    player: &Player,
    m: Option<&Match>,
    kind: NoticeKind,
) -> Notice {
    let book = m.and_then(|m| reg.book(&m.book));
    Notice {
        to: To::Player(player.no),
        to_name: player.name.clone(),
        game: m.map(|m| m.no),
        gid: m.map(|m| m.gid.clone()),
        seats: book
            .map(|b| b.seats.iter().map(|s| s.name.clone()).collect())
            .unwrap_or_default(),
        // Always the same side below, also for one who holds two seats.
        seat: m.and_then(|m| m.seats_of(player.no).first().copied()),
        reply: m
            .and_then(|m| {
                let chair = m.chair_of(player.no)?;
                Some(ReplyTo::Chair {
                    gid: m.gid.clone(),
                    chair,
                    epoch: player.epoch,
                })
            })
            .unwrap_or(ReplyTo::Plain),
        entry: m.map_or(0, |m| m.entry),
        turn: m.map_or(0, Match::turn),
        answer: false,
        tag: m
            .map(|m| format!("[{} #{}]", m.game, m.no))
            .unwrap_or_default(),
        ignored: Vec::new(),
        settings: player.settings.clone(),
        kind,
    }
}

/// The one answer to a letter that is not obeyed.
pub(super) fn refuse(
    reg: &dyn Registry,
    player: &Player,
    game: Option<MatchNo>,
    ignored: &[String],
    refusal: Refusal,
) -> Notice {
    let m = game.and_then(|no| reg.game(no));
    let mut refusal = refusal;
    if let Some(m) = &m {
        refusal.report = report(reg, m, player.no).map(Box::new);
    }
    let mut notice = notice(reg, player, m.as_deref(), NoticeKind::Refused(refusal));
    notice.answer = true;
    notice.ignored = ignored.to_vec();
    notice
}

/// Whose turn it is, in games where cards are picked for the one who moves.
pub(super) fn mover(table: &Table) -> Seat {
    let asks = table.asks();
    if let Some(ask) = asks.iter().find(|a| a.what != What::Pick) {
        return ask.seat;
    }
    let seats = u32::try_from(table.book().seats.len().max(1)).unwrap_or(1);
    let at = table.turn_no().saturating_sub(1) % seats;
    Seat(u8::try_from(at).unwrap_or(0))
}

pub(super) fn bare(text: &str, prefix: &str) -> String {
    text.strip_prefix(prefix).unwrap_or(text).to_owned()
}

/// The match as its reader may see it; `None` before it begins.
pub(super) fn report(reg: &dyn Registry, m: &Match, reader: PlayerNo) -> Option<Report> {
    let table = m.table.as_ref()?;
    report_of(reg, m, table, reader)
}

/// The same with another position: a preview.
pub(super) fn report_of(
    reg: &dyn Registry,
    m: &Match,
    table: &Table,
    reader: PlayerNo,
) -> Option<Report> {
    let you = m.seat_of(reader);
    let moves = mover(table);
    let owed = you.and_then(|s| m.owed(s));
    let (mut choices, mut may_end) = (Vec::new(), false);
    if let (Some(seat), Some(what)) = (you, owed) {
        match what {
            What::Turn => {
                if let Ok(next) = table.next(seat, &[]) {
                    may_end = next.may_stop;
                    choices = examples(table, seat, &next.steps);
                }
            }
            What::Pick => choices = cards_left(table, moves),
            _ => {
                choices = table.choices(seat, what);
                choices.truncate(CHOICES_MAX);
            }
        }
    }
    let names: Vec<String> = (0..m.seats.len())
        .map(|i| {
            let player = u8::try_from(i).ok().and_then(|i| m.player_at(Seat(i)));
            player
                .and_then(|p| reg.player(p))
                .map_or_else(|| "?".to_owned(), |p| p.name.clone())
        })
        .collect();
    let mut guess_ahead = Vec::new();
    if let Some(seat) = you
        && matches!(table.book().family, Family::Maces(_))
        && m.stage == Stage::Playing
        && moves == seat
        && let Some(other) = m.rival_of(seat)
        && m.card_down(m.turn() + 1, seat).is_none()
    {
        let left = cards_left(table, other);
        if left.len() > 1 {
            guess_ahead = left;
        }
    }
    Some(Report {
        about: match_info(reg, m, reader),
        gid: m.gid.clone(),
        entry: m.entry,
        you,
        yours: m.seats_of(reader),
        roster: seats::roster(reg, m, reader),
        others: seats::opponents(reg, m, reader).join(" and "),
        names,
        news: Vec::new(),
        why: None,
        view: Arc::new(table.view(you)),
        turn: table.turn_no(),
        owed: you.and_then(|s| owed_by(m, s, s == moves)),
        choices,
        may_end,
        awaited: m
            .every_seat()
            .filter(|s| m.is_awaited(*s) && !m.seats_of(reader).contains(s))
            .collect(),
        guess_ahead,
        down: m
            .sealed
            .iter()
            .filter(|s| m.stage == Stage::Playing && Some(s.seat) != you)
            .map(|s| Down {
                seat: s.seat,
                turn: s.turn,
                commitment: s.commitment.clone(),
            })
            .collect(),
        receipts: Vec::new(),
        understood: Vec::new(),
        draw_offer: m
            .draw_offer
            .filter(|_| !m.has_agreed(reader) && !m.seats_of(reader).is_empty()),
        yielding: m.yielding.iter().copied().find(|s| {
            seats::team_of(m, *s).is_some()
                && you.is_some_and(|y| seats::team_of(m, y) == seats::team_of(m, *s))
                && m.player_at(*s) != Some(reader)
        }),
        undo_offer: m.undo_offer.filter(|s| m.player_at(*s) != Some(reader)),
        dice: None,
        draw_claim: if m.stage == Stage::Playing {
            table.draw_claim()
        } else {
            None
        },
        deadline: you.and_then(|s| match m.must_open(s) {
            true => m.opening_until(),
            false => m.deadline_of(s),
        }),
        my_notes: m
            .notes
            .iter()
            .filter(|n| Some(n.seat) == you)
            .cloned()
            .collect(),
        ending: m.ending.clone(),
        ending_step: m.ending.as_ref().and_then(|e| {
            let by = e.winners.first()?;
            m.last.iter().find(|l| l.seat == *by)?.steps.last().cloned()
        }),
        doubt: None,
    })
}
