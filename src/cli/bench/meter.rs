//! What was used: processor time and memory, as the kernel counts them in `/proc`.

use std::fs;
use std::time::{Duration, Instant};

/// Ticks of `/proc/*/stat` in a second: fixed at 100 for what user space sees on Linux.
const TICK: Duration = Duration::from_millis(10);

/// Wall clock and processor time of a stretch of work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    pub wall: Duration,
    pub cpu: Duration,
}

/// Processor time so far of all living threads of a process, `self` or its number; nothing where the system does not
/// tell.
pub fn cpu_of(process: &str) -> Option<Duration> {
    let mut nanos = 0;
    for task in fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanos += text.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanos))
}

/// Processor time of this thread so far.
pub fn cpu_of_thread() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// Two neighbouring fields of `/proc/self/stat`, in ticks, counted from the one after the name: it may hold anything.
fn ticks(at: usize) -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(at);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * (user + system))
}

/// Runs the work and says what it used, all threads together, also those that ended; to 10 ms. Processor time is wall
/// time where the system does not tell.
pub fn used<T>(work: impl FnOnce() -> T) -> (T, Used) {
    let (before, start) = (ticks(11), Instant::now());
    let done = work();
    let wall = start.elapsed();
    let cpu = match (before, ticks(11)) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => wall,
    };
    (done, Used { wall, cpu })
}

/// Processor time, user and system, of all children that ended and were waited for; to 10 ms.
pub fn children() -> Option<Duration> {
    ticks(13)
}

/// Resident memory of this process now, bytes.
pub fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_understood() {
        let (sum, used) = used(|| (1..=1_000_000u64).map(std::hint::black_box).sum::<u64>());
        assert_eq!(sum, 500_000_500_000);
        assert!(used.wall > Duration::ZERO);
        if cfg!(target_os = "linux") {
            assert!(children().is_some() && resident().is_some_and(|b| b > 1 << 20));
        }
    }
}
