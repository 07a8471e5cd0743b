//! What templates can do beside minijinja's own filters.

use std::sync::Arc;

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State};

use super::given::{Reader, Shown};
use super::{BOARD_CLOSE, BOARD_HTML, BOARD_OPEN, COLUMNS, Style, text};
use crate::post::board::{self, Drawing};
use crate::rules::{Seat, View};

/// The filters of minijinja that are of use in a mail.
pub(super) fn add(env: &mut Environment<'static>) {
    use minijinja::{filters as f, tests as t};
    env.add_filter("capitalize", f::capitalize);
    env.add_filter("default", f::default);
    env.add_filter("first", f::first);
    env.add_filter("indent", f::indent);
    env.add_filter("join", f::join);
    env.add_filter("last", f::last);
    env.add_filter("length", f::length);
    env.add_filter("lower", f::lower);
    env.add_filter("upper", f::upper);
    env.add_filter("replace", f::replace);
    env.add_filter("trim", f::trim);
    env.add_test("defined", t::is_defined);
    env.add_test("undefined", t::is_undefined);
    env.add_test("none", t::is_none);
    env.add_test("odd", t::is_odd);
    env.add_test("even", t::is_even);

    env.add_filter("board", board_filter);
    env.add_filter("notes", notes);
    env.add_filter("seat", seat);
    env.add_filter("time", time);
    env.add_filter("span", |seconds: i64| text::span(seconds));
    env.add_filter("plural", |n: i64, one: String, many: Option<String>| {
        text::plural(n, &one, many.as_deref())
    });
    env.add_filter("wrap", |s: String, columns: Option<usize>| {
        text::wrap(&s, columns.unwrap_or(COLUMNS).max(20))
    });
    env.add_filter("chat", |s: String| text::chat(&s));
    env.add_filter("oneline", |s: String| text::one_line(&s));
    env.add_filter("ljust", |s: String, width: usize| {
        format!("{s:<width$}", width = width.min(COLUMNS))
    });
    env.add_filter("rjust", |s: String, width: usize| {
        format!("{s:>width$}", width = width.min(COLUMNS))
    });
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidOperation, what.to_string())
}

/// The reader's style; the usual one where a template is filled without.
fn style(state: &State) -> Arc<Style> {
    state
        .lookup("style")
        .and_then(|v| Reader::of(&v))
        .unwrap_or_default()
}

fn view(value: &Value) -> Result<Arc<View>, Error> {
    Shown::of(value).map_err(|e| wrong(format!("not a view: {e}")))
}

fn board_filter(state: &State, shown: Value, eyes: Option<u8>) -> Result<String, Error> {
    let view = view(&shown)?;
    let style = style(state);
    let drawing = Drawing {
        view: &view,
        eyes: eyes.map(Seat).or(style.eyes),
        seats: &style.seats,
    };
    let (plain, html) = board::draw_both(&drawing, style.board);
    Ok(format!(
        "{BOARD_OPEN}{plain}{BOARD_HTML}{html}{BOARD_CLOSE}"
    ))
}

fn notes(state: &State, shown: Value) -> Result<String, Error> {
    Ok(board::notes(&*view(&shown)?, &style(state).seats))
}

fn seat(state: &State, number: Value) -> Result<String, Error> {
    if number.kind() == ValueKind::String {
        return Ok(number.to_string());
    }
    let number = u8::try_from(number).map_err(|_| wrong("not the number of a seat"))?;
    Ok(board::seat_name(&style(state).seats, Seat(number)))
}

/// A moment in the reader's zone.
fn time(state: &State, moment: Value) -> Result<String, Error> {
    let at = match moment.as_str() {
        Some(s) => s.parse::<jiff::Timestamp>().map_err(wrong)?,
        None => {
            let seconds =
                i64::try_from(moment).map_err(|_| wrong("neither RFC 3339 nor seconds"))?;
            jiff::Timestamp::from_second(seconds).map_err(wrong)?
        }
    };
    Ok(when(at, &style(state).zone))
}

/// `Tue 25 Nov 2025 14:00 UTC` in the zone named, in UTC where there is no such zone.
pub(crate) fn when(at: jiff::Timestamp, zone: &str) -> String {
    let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
    at.to_zoned(zone)
        .strftime("%a %-d %b %Y %H:%M %Z")
        .to_string()
}
