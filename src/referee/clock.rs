//! Clocks (protocol.md, Clocks): one for each seat, running while the seat owes something; leave stops it.
//!
//! A clock starts when the referee decides to ask, not when the mail was handed over: the outbox does not tell the core when
//! that was.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};

use super::desk::Desk;
use super::event::Event;
use super::notice::{Deed, News, Why};
use super::order::Order;
use super::state::{DAY, Match, MatchNo, Registry, Stage};
use super::talk;
use crate::rules::{Ending, Seat, What};

/// Days of leave in one match, where the players settle nothing else.
pub const LEAVE_DAYS: u32 = 28;
/// The longest one leave, days.
pub const AWAY_DAYS_MAX: i64 = 90;

/// Of the reminders, the last: all of the time is over.
pub const OVER: u8 = 3;

/// Time control.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Clock {
    /// Days for each decision; 0: none beside the bank.
    pub days: u32,
    /// Days of the bank at the start, used up when the days of a decision are.
    #[serde(default)]
    pub bank: u32,
    /// Days that come into the bank with each turn.
    #[serde(default)]
    pub extra: u32,
    /// Days of leave.
    #[serde(default)]
    pub leave: u32,
    /// True where the referee ends the match by itself; false where the opponent may claim.
    pub auto: bool,
}

impl Clock {
    /// So many days for a decision, nothing else.
    pub fn days(days: u32) -> Clock {
        Clock {
            days,
            bank: 0,
            extra: 0,
            leave: LEAVE_DAYS,
            auto: false,
        }
    }
    /// Is there any limit?
    pub fn limited(&self) -> bool {
        self.days > 0 || self.bank > 0
    }
}

/// The clock of one seat.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Timer {
    /// Since when it runs.
    pub since: Option<Timestamp>,
    /// Reminders sent for the present decision.
    pub reminded: u8,
    /// What is left of the bank, seconds.
    pub bank: i64,
    /// From when to when it stands still.
    pub away: Option<(Timestamp, Timestamp)>,
    /// What is left of the leave, seconds.
    pub leave: i64,
}

impl Timer {
    /// At the start of a match.
    pub fn new(clock: &Clock) -> Timer {
        Timer {
            bank: i64::from(clock.bank) * DAY,
            leave: i64::from(clock.leave) * DAY,
            ..Timer::default()
        }
    }
    /// Seconds for the present decision.
    fn limit(&self, clock: &Clock) -> i64 {
        i64::from(clock.days) * DAY + self.bank.max(0)
    }
    /// When so many seconds of it are used up, leave not counted.
    fn after(&self, seconds: i64) -> Option<Timestamp> {
        let since = self.since?.as_second();
        let mut end = since.saturating_add(seconds);
        if let Some((from, to)) = self.away {
            let from = from.as_second().max(since);
            if from < end && to.as_second() > from {
                end = end.saturating_add(to.as_second() - from);
            }
        }
        Timestamp::from_second(end).ok()
    }
    /// Seconds used by `at`, leave not counted.
    fn used(&self, at: Timestamp) -> i64 {
        let Some(since) = self.since else { return 0 };
        let still = self.away.map_or(0, |(from, to)| {
            let from = from.as_second().max(since.as_second());
            (to.as_second().min(at.as_second()) - from).max(0)
        });
        (at.as_second() - since.as_second() - still).max(0)
    }
    /// When half, then nine tenths, then all of it is used up.
    fn due(&self, clock: &Clock) -> Option<Timestamp> {
        let whole = self.limit(clock);
        self.after(match self.reminded {
            0 => whole / 2,
            1 => whole / 10 * 9,
            2 => whole,
            _ => return None,
        })
    }
    fn stop(&mut self, clock: &Clock, at: Timestamp) {
        let over = self.used(at) - i64::from(clock.days) * DAY;
        self.bank = (self.bank - over.max(0)).max(0);
        self.since = None;
    }
    /// Leave from `from` to `to`; what an earlier leave has held back stays so.
    fn leave(&mut self, from: Timestamp, to: Timestamp, at: Timestamp) {
        if let Some(since) = self.since {
            let used = self.used(at);
            let since = Timestamp::from_second(at.as_second() - used).unwrap_or(since);
            self.since = Some(since);
        }
        self.back(at);
        self.leave -= (to.as_second() - from.as_second()).max(0);
        self.away = Some((from, to));
    }
    /// The rest of a leave is given back.
    fn back(&mut self, at: Timestamp) {
        if let Some((from, to)) = self.away {
            let end = at.max(from).min(to);
            self.leave += to.as_second() - end.as_second();
            self.away = Some((from, end));
        }
    }
}

impl Match {
    fn clocks_run(&self) -> bool {
        self.stage == Stage::Playing && self.clock.limited() && self.hold.is_none()
    }
    /// Moves the beginning of the time that runs, `seconds` later; reminders stay sent unless their time lies ahead again.
    pub(super) fn give_time(&mut self, seconds: i64, at: Timestamp) {
        let seeds = self
            .fair
            .seeds
            .since
            .map(|t| t.as_second().saturating_add(seconds));
        self.fair.seeds.since = seeds.and_then(|t| Timestamp::from_second(t).ok());
        for timer in &mut self.timers {
            let since = timer.since.map(|t| t.as_second().saturating_add(seconds));
            timer.since = since.and_then(|t| Timestamp::from_second(t).ok());
            // that it is over is said by a tick, never by the way
            let most = if timer.reminded >= OVER {
                OVER
            } else {
                OVER - 1
            };
            timer.reminded = 0;
            while timer.reminded < most && timer.due(&self.clock).is_some_and(|t| t <= at) {
                timer.reminded += 1;
            }
        }
        self.move_opening(seconds, at);
    }
    /// When the time of a seat runs out, if it runs.
    pub fn deadline_of(&self, seat: Seat) -> Option<Timestamp> {
        let timer = self.timers.get(seat.at())?;
        if !self.clocks_run() {
            return None;
        }
        timer.after(timer.limit(&self.clock))
    }
    /// When the referee must look at a seat's clock by itself: at half and at nine tenths of the time, then at its end.
    pub fn due_of(&self, seat: Seat) -> Option<Timestamp> {
        let timer = self.timers.get(seat.at())?;
        if !self.clocks_run() {
            return None;
        }
        timer.due(&self.clock)
    }
    /// The earliest [`Match::deadline_of`] and [`Match::opening_until`].
    pub fn deadline(&self) -> Option<Timestamp> {
        let clocks = self.every_seat().filter_map(|s| self.deadline_of(s));
        clocks.chain(self.opening_until()).min()
    }
    /// When the referee must look at the match by itself: at a clock, at cards to be opened, at seeds before it begins.
    pub fn next_due(&self) -> Option<Timestamp> {
        let clocks = self.every_seat().filter_map(|s| self.due_of(s));
        let cards = self.opening_due();
        clocks.chain(cards).chain(self.seeds_due()).min()
    }
    /// Has this seat's time run out, and was that said?
    pub fn is_out_of_time(&self, seat: Seat) -> bool {
        let timer = self.timers.get(seat.at());
        self.clocks_run() && timer.is_some_and(|t| t.since.is_some() && t.reminded >= OVER)
    }
    /// All seats, once the match has begun.
    pub fn every_seat(&self) -> impl Iterator<Item = Seat> + use<> {
        let n = u8::try_from(self.seats.len()).unwrap_or(u8::MAX);
        (0..n).map(Seat)
    }
    /// Who wins where that seat loses alone; `None` where the match could go on without it.
    pub fn winners_against(&self, seat: Seat) -> Option<Vec<Seat>> {
        let book = self.table.as_ref()?.book();
        let team = |s: Seat| book.seats.get(s.at()).and_then(|d| d.team);
        let others: Vec<Seat> = self
            .every_seat()
            .filter(|s| *s != seat && (team(seat).is_none() || team(*s) != team(seat)))
            .collect();
        let two_sides = self.seats.len() == 2 || team(seat).is_some();
        two_sides.then_some(others)
    }
}

/// Starts and stops clocks after an event: `before` is who owed what, in turn `turn`.
pub(super) fn run(m: &mut Match, before: &[(Seat, What)], turn: u32, at: Timestamp) {
    if !m.clock.limited() {
        return;
    }
    let after = m.awaited();
    let now = m.turn();
    let clock = m.clock.clone();
    let owed = |list: &[(Seat, What)], seat: Seat| {
        list.iter().find(|(s, _)| *s == seat).map(|(_, what)| *what)
    };
    for seat in m.every_seat() {
        let (was, is) = (owed(before, seat), owed(&after, seat));
        if was == is && (turn == now || is.is_none()) {
            continue;
        }
        let Some(timer) = m.timers.get_mut(seat.at()) else {
            continue;
        };
        if was.is_some() {
            timer.stop(&clock, at);
            if turn < now {
                timer.bank += i64::from(clock.extra) * DAY;
            }
        }
        if is.is_some() {
            timer.since = Some(at);
            timer.reminded = 0;
        }
    }
}

/// Writes what happened to a seat's leave.
pub(super) fn apply(m: &mut Match, event: &Event, at: Timestamp) {
    match event {
        Event::Away { seat, from, to, .. } => {
            if let Some(timer) = m.timers.get_mut(seat.at()) {
                timer.leave(*from, *to, at);
            }
        }
        Event::Back { seat, .. } => {
            if let Some(timer) = m.timers.get_mut(seat.at()) {
                timer.back(at);
            }
        }
        Event::ClockMoved { seconds, .. } => m.give_time(*seconds, at),
        Event::Reminded {
            stage, open: true, ..
        } => {
            if let Some(asked) = &mut m.asked {
                asked.reminded = *stage;
            }
        }
        Event::Reminded { seat, stage, .. } => {
            if let Some(timer) = m.timers.get_mut(seat.at()) {
                timer.reminded = *stage;
            }
        }
        _ => {}
    }
}

/// Is the order about one match?
pub(super) fn needs_game(order: &Order) -> bool {
    matches!(order, Order::Clock)
}

/// Carries the order out, if it is one of this file.
pub(super) fn order(
    desk: &mut Desk,
    no: Option<MatchNo>,
    order: &Order,
) -> Option<Result<(), Why>> {
    match order {
        Order::Clock => {
            let m = desk.over.game(no?)?;
            let Some(seat) = m.seat_of(desk.actor) else {
                return Some(Err(Why::NotBegun));
            };
            let clocks = m.every_seat().map(|s| reading(&m, s)).collect();
            desk.tell_one(m.no, seat, News::Clocks { clocks });
            Some(Ok(()))
        }
        Order::Away(text) => Some(away(desk, text)),
        Order::Back => Some(back(desk)),
        _ => None,
    }
}

/// A clock as it is read out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reading {
    /// Whose.
    pub seat: Seat,
    /// When it runs out; `None` where it stands still.
    pub until: Option<Timestamp>,
    /// Seconds left in the bank.
    pub bank: i64,
    /// Seconds of leave left.
    pub leave: i64,
}

fn reading(m: &Match, seat: Seat) -> Reading {
    let timer = m.timers.get(seat.at()).cloned().unwrap_or_default();
    Reading {
        seat,
        until: m.deadline_of(seat),
        bank: timer.bank,
        leave: timer.leave,
    }
}

/// The other side is out of time.
pub(super) fn claim_time(desk: &mut Desk, m: &Match) -> Result<(), Why> {
    let seat = talk::seat_in(desk, m)?;
    let mut until = None;
    for (other, what) in m.awaited() {
        let Some(winners) = m.winners_against(other).filter(|w| w.contains(&seat)) else {
            continue;
        };
        let Some(deadline) = m.deadline_of(other) else {
            continue;
        };
        if deadline <= desk.now {
            // who sends no card loses no match by it: the dice lay one down for him
            if what == What::Pick {
                return Err(Why::NoCardClaim);
            }
            talk::finish(desk, m, Ending::win(winners, "time"));
            return Ok(());
        }
        until = until.max(Some(deadline));
    }
    Err(Why::NoTimeClaim { until })
}

fn own_seats(desk: &Desk) -> Vec<(MatchNo, Seat)> {
    let Some(player) = desk.over.player(desk.actor) else {
        return Vec::new();
    };
    let games = player.playing.iter().filter_map(|no| desk.over.game(*no));
    games
        .filter(|m| m.stage == Stage::Playing && m.clock.limited())
        .filter_map(|m| Some((m.no, m.seat_of(player.no)?)))
        .collect()
}

fn away(desk: &mut Desk, text: &str) -> Result<(), Why> {
    let bad = || Why::BadDates {
        text: text.to_owned(),
        most: AWAY_DAYS_MAX,
    };
    let zone = desk.over.player(desk.actor);
    let zone = zone
        .and_then(|p| TimeZone::get(p.settings.get("timezone")?).ok())
        .unwrap_or(TimeZone::UTC);
    let today = desk.now.to_zoned(zone.clone()).date();
    let (first, last) = dates(text, today).ok_or_else(bad)?;
    if last < today || (last - first).get_days() > 366 {
        return Err(bad());
    }
    // From the beginning of the first day, or now, to the end of the last.
    let start = |d: Date| d.to_zoned(zone.clone()).ok().map(|z| z.timestamp());
    let from = start(first).ok_or_else(bad)?.max(desk.now);
    let to = last.checked_add(1.day()).ok().and_then(start);
    let to = to.filter(|t| *t > from).ok_or_else(bad)?;
    if to.as_second() - from.as_second() > AWAY_DAYS_MAX * DAY {
        return Err(bad());
    }
    let mut short = Vec::new();
    let games = own_seats(desk);
    for (no, seat) in &games {
        let Some(m) = desk.over.game(*no) else {
            continue;
        };
        let mut timer = m.timers.get(seat.at()).cloned().unwrap_or_default();
        timer.back(desk.now);
        let end = from.as_second().saturating_add(timer.leave.max(0));
        let end = Timestamp::from_second(end.min(to.as_second())).map_err(|_| bad())?;
        if end < to {
            short.push((no.0, end));
        }
        desk.emit(
            Event::Away {
                game: *no,
                seat: *seat,
                from,
                to: end,
            },
            None,
        );
    }
    desk.deeds.push(Deed::Away {
        from,
        to,
        games: games.len(),
        short,
    });
    Ok(())
}

fn back(desk: &mut Desk) -> Result<(), Why> {
    for (game, seat) in own_seats(desk) {
        desk.emit(Event::Back { game, seat }, None);
    }
    desk.deeds.push(Deed::Back);
    Ok(())
}

/// `2026-12-20 to 2027-01-03`, `20 Dec to 3 Jan`, `Dec 20 - Jan 3 2027`; one date is one day.
fn dates(text: &str, today: Date) -> Option<(Date, Date)> {
    let lower = text.to_ascii_lowercase();
    let lower = lower.trim_start_matches("from ").replace("until", "to");
    let (first, last) = match lower.split_once(" to ").or_else(|| lower.split_once(" - ")) {
        Some((a, b)) => (a, b),
        None => (lower.as_str(), lower.as_str()),
    };
    let first = date(first, today)?;
    let last = date(last, first.max(today))?;
    (first <= last).then_some((first, last))
}

/// One date; a month without a year is the next one not before `near`.
fn date(text: &str, near: Date) -> Option<Date> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let text = text.trim();
    if text == "today" {
        return Some(near);
    }
    if let Ok(date) = text.parse::<Date>() {
        return Some(date);
    }
    let (mut day, mut month, mut year) = (None, None, None);
    for word in text.split([' ', ',', '.']).filter(|w| !w.is_empty()) {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        match digits.parse::<i16>() {
            Ok(n) if n > 31 => year = Some(n),
            Ok(n) => day = i8::try_from(n).ok(),
            Err(_) => month = MONTHS.iter().position(|m| word.starts_with(m)),
        }
    }
    let month = i8::try_from(month? + 1).ok()?;
    let at = |year: i16| Date::new(year, month, day?).ok();
    match year {
        Some(year) => at(year),
        None => at(near.year())
            .filter(|d| *d >= near)
            .or_else(|| at(near.year() + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn dates_as_people_write_them() {
        let today: Date = "2026-12-01".parse().unwrap();
        for (text, first, last) in [
            ("2026-12-20 to 2027-01-03", "2026-12-20", "2027-01-03"),
            ("20 Dec to 3 Jan", "2026-12-20", "2027-01-03"),
            ("Dec 20 - Jan 3rd, 2027", "2026-12-20", "2027-01-03"),
            (
                "from 2 december until 4 december",
                "2026-12-02",
                "2026-12-04",
            ),
            ("today to 5 dec", "2026-12-01", "2026-12-05"),
            ("24 Dec", "2026-12-24", "2026-12-24"),
        ] {
            let found = dates(text, today).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (found.0.to_string(), found.1.to_string()),
                (first.to_owned(), last.to_owned()),
                "{text}"
            );
        }
        for text in ["soon", "2026-12-05 to 2026-12-02", "32 Dec", "Dec", ""] {
            assert_eq!(dates(text, today), None, "{text}");
        }
    }

    #[test]
    fn a_bank_is_used_after_the_days_of_a_decision_and_leave_holds_it() {
        let clock = Clock {
            days: 1,
            bank: 2,
            ..Clock::days(1)
        };
        let mut timer = Timer::new(&clock);
        timer.since = Some(at(0));
        assert_eq!(timer.after(timer.limit(&clock)), Some(at(3 * DAY)));
        timer.leave(at(DAY), at(4 * DAY), at(DAY / 2));
        assert_eq!(timer.leave, i64::from(LEAVE_DAYS) * DAY - 3 * DAY);
        assert_eq!(timer.after(timer.limit(&clock)), Some(at(6 * DAY)));
        // Back after one day of three: the other two days of leave are his again.
        timer.back(at(2 * DAY));
        assert_eq!(timer.leave, i64::from(LEAVE_DAYS) * DAY - DAY);
        assert_eq!(timer.after(timer.limit(&clock)), Some(at(4 * DAY)));
        timer.stop(&clock, at(3 * DAY));
        assert_eq!((timer.bank, timer.since), (DAY, None));
    }
}
