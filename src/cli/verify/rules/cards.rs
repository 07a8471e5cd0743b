//! Cards of a ledger played again: laid down when one was asked for, compared as the rules do, defaulted as trust.md 4 says.

use super::{Again, seat_of, slot};
use crate::fair::ledger::{Entry, Kind};
use crate::rules::{Happening, NoDice, Seat, What};

impl Again<'_> {
    /// A card goes down for a summoning that can still come; one that the dice chose is the one they chose.
    pub(super) fn laid_down(&self, at: usize) -> Result<(), String> {
        let e = &self.entries[at].1;
        let Some(table) = &self.table else {
            return Ok(());
        };
        let t = e.num("t").unwrap_or(0);
        if t < self.turn() || t > self.turn() + 2 {
            return Err(format!(
                "turn {} is under way: no card for turn {t} can go down",
                self.turn()
            ));
        }
        let asked = table.asks().iter().any(|a| a.what == What::Pick);
        if table.kit().seat_names.len() != 2 || (t == self.turn() && !asked) {
            return Err("the rules ask for no card here".to_owned());
        }
        if e.get("by") != Some("dice") {
            return Ok(());
        }
        let seat = seat_of(e)?;
        let cards = table.choices(seat, What::Pick);
        let roll =
            self.entries[..at].iter().rev().map(|(_, r)| r).find(|r| {
                r.kind == Kind::Roll && r.get("for") == Some("card") && slot(r) == slot(e)
            });
        let roll = roll.ok_or("no roll above chose this card")?;
        let sides = cards.len().to_string();
        let fell = roll
            .num("got")
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(0);
        let chosen = cards.get(fell.wrapping_sub(1)).map(|c| bare(c).to_owned());
        let shown = slot(e).and_then(|s| self.cards.get(&s));
        if roll.get("dice") != Some(sides.as_str())
            || shown.is_some_and(|c| Some(c) != chosen.as_ref())
        {
            return Err("this is not the card that the dice chose".to_owned());
        }
        Ok(())
    }

    /// Both cards of the turn, played as the rules do.
    pub(super) fn compared(&mut self, at: usize) -> Result<usize, String> {
        let e = &self.entries[at].1;
        let table = self.begun()?.clone();
        let pickers: Vec<Seat> = table
            .asks()
            .into_iter()
            .filter(|a| a.what == What::Pick)
            .map(|a| a.seat)
            .collect();
        if pickers.len() != 2 {
            return Err("the rules ask for no cards here".to_owned());
        }
        let t = self.turn();
        let left: Vec<String> = table
            .choices(pickers[0], What::Pick)
            .iter()
            .map(|c| bare(c).to_owned())
            .collect();
        let shown = |seat: &Seat| self.cards.get(&(t, seat.at() as u64 + 1)).cloned();
        let yes = e.get("match") == Some("yes");
        let by_default = e.get("why") == Some("default");
        let both: Vec<Option<String>> = pickers.iter().map(shown).collect();
        let spent = both.iter().flatten().find(|c| !left.contains(c));
        if let (Some(card), false) = (spent, by_default) {
            return Err(format!("the card `{card}` is not left"));
        }
        if by_default && spent.is_none() && both.iter().all(Option::is_some) {
            return Err("both opened a card that is left: nobody defaulted".to_owned());
        }
        if by_default {
            self.doubt_lost(at, &pickers, &left, yes)?;
        }
        let fit = |c: &Option<String>| c.clone().filter(|c| left.contains(c));
        let known = both.iter().find_map(fit);
        // Where the openings are still to come, the board behind tells which card it was.
        let tries: Vec<(String, String)> = match (&both[0], &both[1]) {
            (Some(a), Some(b)) if !by_default => vec![(a.clone(), b.clone())],
            _ => {
                let ones: Vec<String> = known.map_or(left.clone(), |c| vec![c]);
                ones.into_iter()
                    .filter_map(|a| {
                        let other = left.iter().find(|c| (**c == a) == yes)?;
                        Some((a, other.clone()))
                    })
                    .collect()
            }
        };
        let next = self.entries[at + 1..]
            .iter()
            .map(|(_, e)| e)
            .find(|e| e.kind == Kind::Move);
        for (a, b) in tries {
            let played = table
                .act(pickers[0], &format!("pick {a}"), &mut NoDice)
                .and_then(|(one, _)| one.act(pickers[1], &format!("pick {b}"), &mut NoDice));
            let Ok((after, happened)) = played else {
                continue;
            };
            let opened = happened.iter().find_map(|h| match h {
                Happening::Opened { seat, .. } => Some(*seat),
                _ => None,
            });
            if e.get("seat").is_some() && opened.is_some_and(|mover| seat_of(e) != Ok(mover)) {
                return Err("these cards belong to the summoning of the other seat".to_owned());
            }
            let goes_on = next.is_none_or(|m| {
                let text = m.text("text").unwrap_or_default();
                seat_of(m).is_ok_and(|seat| after.act(seat, &text, &mut NoDice).is_ok())
            });
            if goes_on || both.iter().all(Option::is_some) {
                self.past.clear();
                self.table = Some(after);
                return Ok(at + 1);
            }
        }
        Err("no card that is left fits this result and the move behind it".to_owned())
    }

    /// Who defaults loses the doubt: the mover gets no piece, the guesser's card counts as the mover's. A card that a player
    /// keeps and that is not open yet may be anything.
    fn doubt_lost(
        &self,
        at: usize,
        pickers: &[Seat],
        left: &[String],
        yes: bool,
    ) -> Result<(), String> {
        let t = self.turn();
        let mover = seat_of(&self.entries[at].1)?;
        let of = |e: &Entry, seat: Seat| slot(e) == Some((t, seat.at() as u64 + 1));
        // true: defaulted; false: did not; none: nobody can say yet
        let bad = |seat: Seat| {
            let mut above = self.entries[..at].iter().map(|(_, e)| e);
            let late = above
                .clone()
                .any(|e| e.kind == Kind::Timeout && e.get("for") == Some("open") && of(e, seat));
            let own =
                above.any(|e| e.kind == Kind::Seal && e.get("by") == Some("player") && of(e, seat));
            let shown = self.cards.get(&(t, seat.at() as u64 + 1));
            match shown {
                Some(card) => Some(own && !left.contains(card)),
                None if late || !own => Some(late && own),
                None => None,
            }
        };
        let guesser = pickers.iter().find(|s| **s != mover);
        let due = match (bad(mover), guesser.and_then(|s| bad(*s))) {
            (Some(true), _) => Some(false),
            (Some(false), Some(true)) => Some(true),
            _ => None,
        };
        match due {
            Some(due) if due != yes => Err(match due {
                true => "the guesser defaulted: the cards count as equal",
                false => "the mover defaulted: nothing is created",
            }
            .to_owned()),
            _ => Ok(()),
        }
    }
}

/// The card in `pick amazon`.
fn bare(choice: &str) -> &str {
    choice.strip_prefix("pick ").unwrap_or(choice)
}
