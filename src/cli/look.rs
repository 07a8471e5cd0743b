//! How subcommands look at the state: without the lock, so that the referee may run meanwhile, and without writing a byte.

use std::sync::Arc;

use super::run::open;
use super::{Common, Failure};
use crate::config::Config;
use crate::daemon::{self, Trouble};
use crate::edge::clock::Clock;
use crate::referee::state::{Match, MatchNo, Registry, Stage};
use crate::rules::Seat;
use crate::store::Glance;
use crate::store::records::{Desk, Shelved};

/// What the journal says now.
pub struct Look {
    pub config: Config,
    pub clock: Clock,
    desk: Arc<Desk>,
    pub glance: Glance,
}

impl Look {
    pub fn open(common: &Common) -> Result<Look, Failure> {
        // no key: nothing that is only looked at needs one
        Look::with(common, |_| Ok([0; 32]))
    }

    /// The same with the key that the referee signs with; it is not made here.
    pub fn signing(common: &Common) -> Result<Look, Failure> {
        Look::with(common, |config| {
            daemon::kept_key(&config.state)?.ok_or_else(|| {
                let file = config.state.join("keys").join("server");
                Failure::new(format!("{}: there is no key to sign with", file.display()))
                    .hint("the referee makes it at its first start; a lost key comes back with `tulpa restore` only")
            })
        })
    }

    fn with(
        common: &Common,
        key: impl Fn(&Config) -> Result<[u8; 32], Failure>,
    ) -> Result<Look, Failure> {
        let (config, clock) = open(common)?;
        let desk = Arc::new(Desk::new(daemon::house(&config, key(&config)?)));
        let glance =
            Glance::open(&config.state, &daemon::the_fold(&desk)).map_err(Trouble::from)?;
        Ok(Look {
            config,
            clock,
            desk,
            glance,
        })
    }

    pub fn records(&self) -> Shelved<'_> {
        Shelved::new(&self.glance, &self.desk)
    }

    /// The match of that number, or the way out.
    pub fn game(&self, no: u32) -> Result<Arc<Match>, Failure> {
        self.records().game(MatchNo(no)).ok_or_else(|| {
            Failure::new(format!("there is no match {no}")).hint("`tulpa matches` lists them")
        })
    }
}

/// `playing`, `on hold` ..
pub fn stage(m: &Match) -> &'static str {
    match m.stage {
        Stage::Inviting => "inviting",
        Stage::Seeking => "seeking",
        Stage::Playing if m.hold.is_some() => "on hold",
        Stage::Playing => "playing",
        Stage::Over => "over",
        Stage::Void => "void",
    }
}

/// Names of the seats of a match, as its rulebook has them.
pub fn seats(records: &Shelved, m: &Match) -> Vec<String> {
    records
        .book(&m.book)
        .map(|b| b.seats.iter().map(|s| s.name.clone()).collect())
        .unwrap_or_default()
}

/// Name of the player of a seat.
pub fn player_at(records: &Shelved, m: &Match, seat: Seat) -> Option<String> {
    records.player(m.player_at(seat)?).map(|p| p.name.clone())
}

/// A time as people at a terminal read it.
pub fn time(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
