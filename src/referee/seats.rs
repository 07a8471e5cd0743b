//! Who sits where: games of more than two seats, where one person may hold both seats of a team (chaturaji.md 1.11).

use std::ops::RangeInclusive;

use super::chance::Chance;
use super::desk::Desk;
use super::notice::Why;
use super::order::Rival;
use super::report::RosterLine;
use super::state::{Match, PlayerNo, Registry};
use crate::rules::{Rulebook, Seat};

/// How many people a game is for: one for each seat, or fewer where partners' seats may be in one hand.
pub(super) fn people(book: &Rulebook) -> RangeInclusive<usize> {
    let most = book.seats.len();
    let mut teams: Vec<Option<u8>> = book.seats.iter().map(|s| s.team).collect();
    if teams.iter().any(Option::is_none) {
        return most..=most;
    }
    teams.sort_unstable();
    teams.dedup();
    if teams.len() < 2 {
        most..=most
    } else {
        teams.len()..=most
    }
}

/// Every way to give the seats to so many people: each has at least one, nobody sits on two teams, wishes are kept. Where
/// somebody must hold more than others, that is the first person, if the wishes allow it.
fn ways(book: &Rulebook, people: usize, wishes: &[(Seat, u8)]) -> Vec<Vec<u8>> {
    let chairs = u8::try_from(people).unwrap_or(u8::MAX);
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for (at, def) in book.seats.iter().enumerate() {
        let mut next = Vec::new();
        for way in &all {
            for chair in 0..chairs {
                let wished = wishes.iter().find(|(s, _)| s.at() == at);
                let other_team = way
                    .iter()
                    .zip(&book.seats)
                    .any(|(c, d)| *c == chair && (d.team.is_none() || d.team != def.team));
                if wished.is_none_or(|(_, c)| *c == chair) && !other_team {
                    next.push([way.as_slice(), &[chair]].concat());
                }
            }
        }
        all = next;
    }
    all.retain(|way| (0..chairs).all(|c| way.contains(&c)));
    let firsts = |way: &[u8]| way.iter().filter(|c| **c == 0).count();
    let most = all.iter().map(|w| firsts(w)).max().unwrap_or(0);
    all.retain(|way| firsts(way) == most);
    all
}

/// Can the seats be given so?
pub(super) fn possible(book: &Rulebook, people: usize, wishes: &[(Seat, u8)]) -> bool {
    !ways(book, people, wishes).is_empty()
}

/// The chair of each seat; lots are drawn where nobody chose.
pub(super) fn allot(
    book: &Rulebook,
    people: usize,
    wishes: &[(Seat, u8)],
    chance: &mut Chance,
) -> Vec<u8> {
    let mut ways = ways(book, people, wishes);
    if ways.is_empty() {
        return Vec::new();
    }
    let at = chance.below(u32::try_from(ways.len()).unwrap_or(1)) as usize;
    ways.swap_remove(at.min(ways.len() - 1))
}

/// In `vs bob and carol as green and blue` the reader, who knows no game, takes `blue` for an opponent; it is a seat where
/// nobody has that name.
pub(super) fn sort_out(
    desk: &Desk,
    book: &Rulebook,
    rivals: &[Rival],
    own: Option<&str>,
) -> (Vec<Rival>, Option<String>) {
    let is_seat = |r: &&Rival| match r {
        Rival::Name(n) => {
            own.is_some() && book.seat_named(n).is_some() && desk.over.player_by_name(n).is_none()
        }
        Rival::Address(_) => false,
    };
    let (seats, people): (Vec<&Rival>, Vec<&Rival>) = rivals.iter().partition(is_seat);
    let mut all: Vec<&str> = own.into_iter().collect();
    all.extend(seats.into_iter().map(|r| match r {
        Rival::Address(text) | Rival::Name(text) => text.as_str(),
    }));
    let own = (!all.is_empty()).then(|| all.join(" and "));
    (people.into_iter().cloned().collect(), own)
}

/// What `as green and blue` and `yellow=bob` ask for; the second kind is taken out of the options.
pub(super) fn wishes(
    desk: &Desk,
    book: &Rulebook,
    own: Option<&str>,
    rivals: &[Rival],
    options: &mut std::collections::BTreeMap<String, String>,
) -> Result<Vec<(Seat, u8)>, Why> {
    let named = |name: &str| {
        book.seat_named(name).ok_or_else(|| Why::NoSuchSeat {
            seat: name.to_owned(),
            seats: book.seats.iter().map(|s| s.name.clone()).collect(),
        })
    };
    let mut all: Vec<(Seat, u8)> = Vec::new();
    for name in own
        .unwrap_or_default()
        .split(|c: char| c.is_whitespace() || "+&,".contains(c))
        .filter(|w| !w.is_empty() && !w.eq_ignore_ascii_case("and"))
    {
        all.push((named(name)?, 0));
    }
    for (at, def) in (0u8..).zip(&book.seats) {
        let key = def.name.to_ascii_lowercase();
        if book.options.contains_key(&key) {
            continue;
        }
        if let Some(who) = options.remove(&key) {
            let chair = chair_named(desk, &who, rivals)
                .ok_or_else(|| Why::NoSuchPlayer { name: who.clone() })?;
            all.push((Seat(at), chair));
        }
    }
    all.sort_unstable();
    all.dedup();
    if !possible(book, rivals.len() + 1, &all) && !rivals.is_empty() {
        return Err(Why::SeatsCannotBe);
    }
    Ok(all)
}

/// `me`, or an opponent as he was written behind `vs`.
fn chair_named(desk: &Desk, who: &str, rivals: &[Rival]) -> Option<u8> {
    let me = desk.over.player(desk.actor);
    let mine =
        me.is_some_and(|p| p.address.eq_ignore_ascii_case(who) || p.name.eq_ignore_ascii_case(who));
    if mine || who.eq_ignore_ascii_case("me") {
        return Some(0);
    }
    let at = rivals.iter().position(|r| match r {
        Rival::Address(text) | Rival::Name(text) => text.eq_ignore_ascii_case(who),
    })?;
    u8::try_from(at + 1).ok()
}

/// Who sits where, for a mail of a game of more than two seats.
pub(super) fn roster(reg: &dyn Registry, m: &Match, reader: PlayerNo) -> Vec<RosterLine> {
    if m.seats.len() <= 2 {
        return Vec::new();
    }
    let mine = m.seats_of(reader);
    let team = |s: Seat| team_of(m, s);
    (0u8..)
        .map(Seat)
        .take(m.seats.len())
        .map(|seat| RosterLine {
            seat,
            name: m
                .player_at(seat)
                .and_then(|p| reg.player(p))
                .map_or_else(|| "?".to_owned(), |p| p.name.clone()),
            you: mine.contains(&seat),
            partner: !mine.contains(&seat)
                && mine
                    .iter()
                    .any(|s| team(*s).is_some() && team(*s) == team(seat)),
        })
        .collect()
}

/// The team of a seat, where the game has teams.
pub(super) fn team_of(m: &Match, seat: Seat) -> Option<u8> {
    let book = m.table.as_ref()?.book();
    book.seats.get(seat.at())?.team
}

/// The aliases of those whom a reader plays against, each once; everybody else's where there are no teams.
pub(super) fn opponents(reg: &dyn Registry, m: &Match, reader: PlayerNo) -> Vec<String> {
    let mine = m.seats_of(reader);
    let mut players: Vec<PlayerNo> = Vec::new();
    for seat in (0u8..).map(Seat).take(m.seats.len()) {
        let friend = mine
            .iter()
            .any(|s| team_of(m, *s).is_some() && team_of(m, *s) == team_of(m, seat));
        if let Some(player) = m.player_at(seat)
            && player != reader
            && !friend
            && !players.contains(&player)
        {
            players.push(player);
        }
    }
    players
        .into_iter()
        .map(|p| {
            reg.player(p)
                .map_or_else(|| "?".to_owned(), |p| p.name.clone())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Shelf;

    #[test]
    fn two_three_or_four_people_at_four_seats() {
        let shelf = Shelf::builtin();
        let book = shelf.get("chaturaji").unwrap();
        assert_eq!(people(book), 2..=4);
        assert_eq!(people(shelf.get("chess").unwrap()), 2..=2);
        let mut two = ways(book, 2, &[]);
        two.sort();
        assert_eq!(two, [[0, 1, 0, 1], [1, 0, 1, 0]]);
        assert_eq!(ways(book, 2, &[(Seat(3), 0)]), [[1, 0, 1, 0]]);
        // of three the one who opened the match holds two
        let three = ways(book, 3, &[]);
        assert_eq!(three.len(), 4);
        assert!(
            three
                .iter()
                .all(|w| w.iter().filter(|c| **c == 0).count() == 2)
        );
        assert!(three.iter().all(|w| w[0] == w[2] || w[1] == w[3]));
        // unless he says otherwise
        let given = [(Seat(1), 2), (Seat(3), 2), (Seat(0), 0)];
        assert_eq!(ways(book, 3, &given), [[0, 2, 1, 2]]);
        assert_eq!(ways(book, 4, &[]).len(), 24);
        assert_eq!(ways(book, 4, &[(Seat(0), 0)]).len(), 6);
        // nobody plays against himself
        assert!(!possible(book, 2, &[(Seat(0), 0), (Seat(1), 0)]));
        assert!(!possible(book, 4, &[(Seat(0), 0), (Seat(2), 0)]));
        assert!(!possible(book, 5, &[]));
    }
}
