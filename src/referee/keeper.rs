//! The Keeper's word: what the human who runs the referee may do to a match or a player. Each word is an event, and every
//! player whom it touches is told, in words that blame nobody.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::apply;
use super::desk::{Desk, notice, report};
use super::event::Event;
use super::listing::game_info;
use super::notice::{News, Notice, NoticeKind};
use super::proofs::receipt;
use super::state::{DAY, Hold, Match, MatchNo, PlayerNo, Records, Registry, Stage, Unfit};
use super::{Decision, Entropy, Outcome};
use crate::rules::{Ending, Seat, Shelf};

/// Longest reason that is passed on, characters.
pub const WHY_CHARS_MAX: usize = 200;
/// Most days given at once.
pub const EXTEND_DAYS_MAX: u32 = 365;
/// Stands for the Keeper where an event names who did it.
pub const KEEPER: PlayerNo = PlayerNo(0);
/// Why a match ended by the Keeper's decision.
pub const ADJUDICATED: &str = "adjudicated";

/// What the Keeper orders. Seats and players are named as he types them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "kebab-case")]
pub enum Word {
    /// Nothing is played and no clock runs until `Resume`.
    Hold {
        /// Which match.
        game: MatchNo,
        /// What the players are told.
        why: String,
    },
    /// The match goes on; the time it stood still is charged to nobody.
    Resume {
        /// Which match.
        game: MatchNo,
    },
    /// The match counts for nobody.
    Void {
        /// Which match.
        game: MatchNo,
        /// What the players are told.
        why: String,
    },
    /// The match ends as the Keeper says.
    Adjudicate {
        /// Which match.
        game: MatchNo,
        /// Names of the winning seats; none for a draw.
        winners: Vec<String>,
        /// What the players are told.
        why: String,
    },
    /// More time for the decision that is awaited.
    Extend {
        /// Which match.
        game: MatchNo,
        /// How much.
        days: u32,
        /// What the players are told.
        why: String,
    },
    /// Another player takes a seat.
    Replace {
        /// Which match.
        game: MatchNo,
        /// Name of the seat.
        seat: String,
        /// Name or address of the new player, who must be known and confirmed.
        by: String,
        /// What the players are told.
        why: String,
    },
    /// The board as it stands (or the invitation) once more.
    Resend {
        /// Which match.
        game: MatchNo,
    },
    /// Orders of this player are refused.
    Ban {
        /// Name, address or number.
        player: String,
        /// What he is told.
        why: String,
    },
    /// They are obeyed again.
    Unban {
        /// Name, address or number.
        player: String,
    },
    /// Everything personal of this player is forgotten (security.md 7). The store then rewrites the journal.
    Erase {
        /// Name, address or number.
        player: String,
    },
}

/// What the Keeper did, as the journal keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "as in `Word`, with names made numbers")]
pub enum Deed {
    Held {
        game: MatchNo,
        why: String,
    },
    Resumed {
        game: MatchNo,
    },
    Extended {
        game: MatchNo,
        days: u32,
    },
    Replaced {
        game: MatchNo,
        chair: u8,
        by: PlayerNo,
    },
    Resent {
        game: MatchNo,
    },
    Banned {
        player: PlayerNo,
        why: String,
    },
    Unbanned {
        player: PlayerNo,
    },
    Erased {
        player: PlayerNo,
    },
}

impl Deed {
    /// The match it is about.
    pub fn game(&self) -> Option<MatchNo> {
        match self {
            Deed::Held { game, .. }
            | Deed::Resumed { game }
            | Deed::Extended { game, .. }
            | Deed::Replaced { game, .. }
            | Deed::Resent { game } => Some(*game),
            Deed::Banned { .. } | Deed::Unbanned { .. } | Deed::Erased { .. } => None,
        }
    }
}

/// Why the Keeper's word is not carried out.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}{}", hint.as_ref().map(|h| format!("\n  hint: {h}")).unwrap_or_default())]
pub struct Unable {
    /// What is in the way.
    pub what: String,
    /// The way out.
    pub hint: Option<String>,
}

impl Unable {
    fn new(what: impl Into<String>) -> Unable {
        Unable {
            what: what.into(),
            hint: None,
        }
    }
    fn hint(mut self, hint: impl Into<String>) -> Unable {
        self.hint = Some(hint.into());
        self
    }
}

/// The name of a player who was erased.
pub fn erased_name(player: PlayerNo) -> String {
    format!("(left {})", player.0)
}

/// What stands in the place of his address; nothing can be sent there (RFC 2606).
pub fn erased_address(player: PlayerNo) -> String {
    format!("left-{}@erased.invalid", player.0)
}

/// The player of that name, address or number.
pub fn player_called(reg: &dyn Registry, called: &str) -> Option<PlayerNo> {
    let called = called.trim();
    let number = called.strip_prefix('#').unwrap_or(called).parse().ok();
    reg.player_by_address(called)
        .or_else(|| reg.player_by_name(called))
        .or_else(|| number.map(PlayerNo).filter(|no| reg.player(*no).is_some()))
}

/// Decides the Keeper's word.
///
/// # Errors
/// What is in the way; then nothing is done.
pub fn order(
    reg: &dyn Registry,
    shelf: &Shelf,
    word: &Word,
    now: Timestamp,
    entropy: &Entropy,
) -> Result<Decision, Unable> {
    let mut desk = Desk::new(reg, shelf, now, entropy, KEEPER);
    let mut extra = Vec::new();
    match word {
        Word::Hold { game, why } => {
            let m = playing(&desk, *game)?;
            if m.hold.is_some() {
                return Err(Unable::new(format!("game {game} is on hold already")));
            }
            did(
                &mut desk,
                Deed::Held {
                    game: *game,
                    why: cut(why),
                },
            );
            tell(&mut desk, *game, "hold", why);
        }
        Word::Resume { game } => {
            let m = playing(&desk, *game)?;
            if m.hold.is_none() {
                return Err(Unable::new(format!("game {game} is not on hold")));
            }
            did(&mut desk, Deed::Resumed { game: *game });
            tell(&mut desk, *game, "resume", "");
        }
        Word::Void { game, why } => {
            let m = open(&desk, *game)?;
            if m.table.is_some() {
                tell(&mut desk, *game, "void", why);
            } else {
                for chair in &m.chairs {
                    let kind = NoticeKind::Voided {
                        late: false,
                        about: desk.match_info(&m, chair.player),
                        by: "the Keeper".to_owned(),
                        yourself: false,
                    };
                    desk.others.push((chair.player, *game, kind));
                }
            }
            desk.emit(
                Event::Voided {
                    game: *game,
                    by: KEEPER,
                },
                None,
            );
        }
        Word::Adjudicate { game, winners, why } => adjudicate(&mut desk, *game, winners, why)?,
        Word::Extend { game, days, why } => {
            let m = playing(&desk, *game)?;
            if *days == 0 || *days > EXTEND_DAYS_MAX {
                return Err(Unable::new(format!(
                    "from 1 to {EXTEND_DAYS_MAX} days can be given at once"
                )));
            }
            if m.clock.days == 0 && m.asked.is_none() {
                return Err(Unable::new(format!("game {game} has no time limit")));
            }
            did(
                &mut desk,
                Deed::Extended {
                    game: *game,
                    days: *days,
                },
            );
            desk.tell(*game, news("extend", why, *days, "", None));
        }
        Word::Replace {
            game,
            seat,
            by,
            why,
        } => extra = replace(&mut desk, *game, seat, by, why)?,
        Word::Resend { game } => extra = resend(&mut desk, *game)?,
        Word::Ban { player, why } => {
            let player = find(&desk, player)?;
            if desk.over.player(player).is_some_and(|p| p.banned.is_some()) {
                return Err(Unable::new("he is banned already"));
            }
            did(
                &mut desk,
                Deed::Banned {
                    player,
                    why: cut(why),
                },
            );
            extra = to_player(&desk, player, "banned", why);
        }
        Word::Unban { player } => {
            let player = find(&desk, player)?;
            if desk.over.player(player).is_some_and(|p| p.banned.is_none()) {
                return Err(Unable::new("he is not banned"));
            }
            did(&mut desk, Deed::Unbanned { player });
            extra = to_player(&desk, player, "unbanned", "");
        }
        Word::Erase { player } => {
            let no = find(&desk, player)?;
            let playing: Vec<String> = desk
                .over
                .player(no)
                .map(|p| p.playing.iter().map(ToString::to_string).collect())
                .unwrap_or_default();
            if !playing.is_empty() {
                return Err(Unable::new(format!(
                    "he still takes part in game {}",
                    playing.join(", ")
                ))
                .hint(
                    "first `tulpa keep replace`, `keep adjudicate` or `keep void` for each of them",
                ));
            }
            did(&mut desk, Deed::Erased { player: no });
        }
    }
    let mut decision = desk.finish();
    decision.notices.extend(extra);
    decision.outcome = Outcome::Applied;
    Ok(decision)
}

fn cut(why: &str) -> String {
    why.trim().chars().take(WHY_CHARS_MAX).collect()
}

fn did(desk: &mut Desk, deed: Deed) {
    desk.emit(Event::Keeper { deed }, None);
}

fn news(deed: &str, why: &str, days: u32, name: &str, seat: Option<Seat>) -> News {
    News::Keeper {
        deed: deed.to_owned(),
        why: cut(why),
        days,
        name: name.to_owned(),
        seat,
    }
}

fn tell(desk: &mut Desk, game: MatchNo, deed: &str, why: &str) {
    desk.tell(game, news(deed, why, 0, "", None));
}

fn find(desk: &Desk, called: &str) -> Result<PlayerNo, Unable> {
    player_called(&desk.over, called).ok_or_else(|| {
        Unable::new(format!("there is no player `{called}`")).hint("`tulpa players` lists them")
    })
}

fn any(desk: &Desk, game: MatchNo) -> Result<std::sync::Arc<Match>, Unable> {
    desk.over.game(game).ok_or_else(|| {
        Unable::new(format!("there is no game {game}")).hint("`tulpa matches` lists them")
    })
}

/// A match that is neither over nor void.
fn open(desk: &Desk, game: MatchNo) -> Result<std::sync::Arc<Match>, Unable> {
    let m = any(desk, game)?;
    match m.stage {
        Stage::Over | Stage::Void => Err(Unable::new(format!("game {game} is over"))),
        _ => Ok(m),
    }
}

fn playing(desk: &Desk, game: MatchNo) -> Result<std::sync::Arc<Match>, Unable> {
    let m = open(desk, game)?;
    match m.stage {
        Stage::Playing => Ok(m),
        _ => Err(Unable::new(format!("game {game} has not begun"))),
    }
}

fn seat_called(m: &Match, called: &str) -> Result<Seat, Unable> {
    let book = m.table.as_ref().map(|t| t.book());
    book.and_then(|b| b.seat_named(called)).ok_or_else(|| {
        let names: Vec<&str> = book
            .map(|b| b.seats.iter().map(|s| s.name.as_str()).collect())
            .unwrap_or_default();
        Unable::new(format!("game {} has no seat `{called}`", m.no))
            .hint(format!("seats: {}", names.join(", ")))
    })
}

fn adjudicate(desk: &mut Desk, game: MatchNo, winners: &[String], why: &str) -> Result<(), Unable> {
    let m = playing(desk, game)?;
    let mut seats = Vec::new();
    for name in winners {
        let seat = seat_called(&m, name)?;
        if !seats.contains(&seat) {
            seats.push(seat);
        }
    }
    seats.sort();
    if seats.len() == m.seats.len() {
        return Err(Unable::new("not every seat can win").hint("a draw is `--draw`"));
    }
    let ending = Ending {
        winners: seats,
        reason: ADJUDICATED.to_owned(),
    };
    tell(desk, game, "adjudicate", why);
    desk.tell(
        game,
        News::Ended {
            winners: ending.winners.clone(),
            reason: ending.reason.clone(),
        },
    );
    desk.emit(Event::Finished { game, ending }, None);
    Ok(())
}

/// The cards that the seat has laid down stay down: they are committed to. Their receipts go to the new player.
fn replace(
    desk: &mut Desk,
    game: MatchNo,
    seat: &str,
    by: &str,
    why: &str,
) -> Result<Vec<Notice>, Unable> {
    let m = playing(desk, game)?;
    let seat = seat_called(&m, seat)?;
    let by = find(desk, by)?;
    let new = desk
        .over
        .player(by)
        .filter(|p| p.confirmed && !p.silent && p.banned.is_none())
        .ok_or_else(|| {
            Unable::new("this player has never written, or wants no mail")
                .hint("ask him to write `help` to the referee first")
        })?;
    if m.chair_of(by).is_some() {
        return Err(Unable::new(format!(
            "`{}` plays in game {game} already",
            new.name
        )));
    }
    let (Some(old), Some(chair)) = (m.player_at(seat), m.seats.get(seat.at()).copied()) else {
        return Err(Unable::new(format!("nobody has that seat in game {game}")));
    };
    for plan in m.plans.iter().filter(|p| p.seat == seat) {
        let (turn, seat) = (plan.turn, plan.seat);
        desk.emit(Event::PlanGone { game, turn, seat }, None);
    }
    did(desk, Deed::Replaced { game, chair, by });
    desk.tell(game, news("replace", why, 0, &new.name, Some(seat)));
    let mut notices = to_player(desk, old, "replaced", why);
    let m = any(desk, game)?;
    let down: Vec<_> = m.sealed.iter().filter(|s| s.seat == seat).collect();
    if !down.is_empty()
        && let Some(mut report) = report(&desk.over, &m, by)
    {
        report.receipts = down.into_iter().map(|s| receipt(&m, s)).collect();
        let kind = NoticeKind::Understood(report);
        notices.push(notice(&desk.over, &new, Some(&m), kind));
    }
    // told where the seat was, not only that there was one
    for notice in notices.iter_mut().filter(|n| n.game.is_none()) {
        notice.game = Some(m.no);
        notice.tag = format!("[{} #{}]", m.game, m.no);
    }
    Ok(notices)
}

fn resend(desk: &mut Desk, game: MatchNo) -> Result<Vec<Notice>, Unable> {
    let m = any(desk, game)?;
    let mut notices = Vec::new();
    for chair in &m.chairs {
        let Some(player) = desk.over.player(chair.player) else {
            continue;
        };
        let kind = if let Some(report) = report(&desk.over, &m, chair.player) {
            NoticeKind::Board(report)
        } else if m.stage == Stage::Inviting && !chair.accepted && !player.silent {
            let Some(book) = desk.over.book(&m.book) else {
                continue;
            };
            NoticeKind::Invitation {
                about: desk.match_info(&m, chair.player),
                by: m
                    .chairs
                    .first()
                    .map(|c| desk.name(c.player))
                    .unwrap_or_default(),
                rules: game_info(&book),
                stranger: !player.confirmed,
            }
        } else {
            continue;
        };
        notices.push(notice(&desk.over, &player, Some(&m), kind));
    }
    if notices.is_empty() {
        return Err(Unable::new(format!(
            "there is nothing to send again for game {game}"
        )));
    }
    did(desk, Deed::Resent { game });
    Ok(notices)
}

fn to_player(desk: &Desk, player: PlayerNo, deed: &str, why: &str) -> Vec<Notice> {
    let kind = NoticeKind::Keeper {
        deed: deed.to_owned(),
        why: cut(why),
    };
    desk.over
        .player(player)
        .filter(|p| !p.silent)
        .map(|p| notice(&desk.over, &p, None, kind))
        .into_iter()
        .collect()
}

/// Folds a deed about a match.
pub(super) fn on_match(
    rec: &mut dyn Records,
    m: &mut Match,
    deed: &Deed,
    at: Timestamp,
) -> Result<(), Unfit> {
    match deed {
        Deed::Held { why, .. } => {
            m.hold = Some(Hold {
                since: at,
                why: why.clone(),
            });
        }
        Deed::Resumed { .. } => {
            if let Some(hold) = m.hold.take() {
                m.give_time(at.as_second() - hold.since.as_second(), at);
            }
        }
        Deed::Extended { days, .. } => m.give_time(i64::from(*days) * DAY, at),
        Deed::Replaced { chair, by, .. } => {
            let slot = m
                .chairs
                .get_mut(usize::from(*chair))
                .ok_or_else(|| Unfit::new("there is no such chair"))?;
            let old = std::mem::replace(&mut slot.player, *by);
            let no = m.no;
            apply::on_player(rec, old, |p| p.playing.retain(|g| *g != no))?;
            apply::on_player(rec, *by, |p| p.playing.push(no))?;
        }
        _ => {}
    }
    Ok(())
}

/// Folds a deed about a player.
pub(super) fn on_player(rec: &mut dyn Records, deed: &Deed) -> Result<(), Unfit> {
    match deed {
        Deed::Banned { player, why } => {
            apply::on_player(rec, *player, |p| p.banned = Some(why.clone()))
        }
        Deed::Unbanned { player } => apply::on_player(rec, *player, |p| p.banned = None),
        Deed::Erased { player } => {
            let old = rec
                .player(*player)
                .ok_or_else(|| Unfit::new(format!("there is no player {}", player.0)))?;
            rec.free_name(&old.name);
            rec.free_address(&old.address);
            apply::on_player(rec, *player, |p| {
                p.address = erased_address(*player);
                p.name = erased_name(*player);
                p.silent = true;
                p.confirmed = false;
                p.banned = None;
                p.epoch += 1;
                p.settings.clear();
                p.invited.clear();
            })
        }
        _ => Ok(()),
    }
}
