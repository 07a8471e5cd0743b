//! What time it is: the machine's clock, or a fixed one for rehearsals (`--now`).

use std::time::{Duration, Instant};

use jiff::Timestamp;

/// A clock. Cheap to clone; all clones of one clock agree.
#[derive(Debug, Clone)]
pub struct Clock {
    fixed: Option<Timestamp>,
    steady: Option<Duration>,
    began: Instant,
    boot: Option<String>,
}

impl Clock {
    /// The machine's clock.
    pub fn system() -> Clock {
        Clock {
            fixed: None,
            steady: None,
            began: Instant::now(),
            boot: boot_id(),
        }
    }

    /// A clock that stands still.
    pub fn fixed(at: Timestamp) -> Clock {
        Clock {
            fixed: Some(at),
            ..Clock::system()
        }
    }

    /// A clock whose both hands are set, for simulations.
    pub fn scripted(at: Timestamp, steady: Duration) -> Clock {
        Clock {
            steady: Some(steady),
            ..Clock::fixed(at)
        }
    }

    /// Now, UTC.
    pub fn now(&self) -> Timestamp {
        self.fixed.unwrap_or_else(Timestamp::now)
    }

    /// Whether this clock stands still.
    pub fn is_fixed(&self) -> bool {
        self.fixed.is_some() && self.steady.is_none()
    }

    /// Time since this clock was made, by a counter that nobody can set. Compared with [`Clock::now`] it shows a jump of
    /// the wall clock (reliability.md 7). Zero for a fixed clock.
    pub fn steady(&self) -> Duration {
        match self.steady {
            Some(steady) => steady,
            None if self.fixed.is_some() => Duration::ZERO,
            None => self.began.elapsed(),
        }
    }

    /// Names this run of the machine, where the system tells it (Linux): steady times of one boot only are comparable.
    pub fn boot(&self) -> Option<&str> {
        self.boot.as_deref()
    }
}

fn boot_id() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_stands() {
        let at: Timestamp = "2025-11-20T14:00:00Z".parse().unwrap();
        let clock = Clock::fixed(at);
        assert_eq!((clock.now(), clock.steady()), (at, Duration::ZERO));
        let system = Clock::system();
        assert!(system.now() > at && system.steady() <= system.steady());
    }
}
