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

/// Processor time of all threads of this process that still live; wall time where the system does not tell.
fn cpu() -> Option<Duration> {
    let mut nanos = 0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanos += text.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanos))
}

/// Runs the work and says what it used.
pub fn used<T>(work: impl FnOnce() -> T) -> (T, Used) {
    let (before, start) = (cpu(), Instant::now());
    let done = work();
    let wall = start.elapsed();
    let cpu = match (before, cpu()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => wall,
    };
    (done, Used { wall, cpu })
}

/// Processor time, user and system, of all children that ended and were waited for; to 10 ms.
pub fn children() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // after the name, which may hold anything: state is field 3, cutime 16, cstime 17
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * (user + system))
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
        let (sum, used) = used(|| (0..1_000_000u64).fold(1, |a, b| a ^ b.wrapping_mul(a)));
        assert!(sum > 0 && used.wall > Duration::ZERO);
        if cfg!(target_os = "linux") {
            assert!(children().is_some() && resident().is_some_and(|b| b > 1 << 20));
        }
    }
}
