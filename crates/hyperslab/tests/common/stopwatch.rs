//! How long something worked, whatever else the machine was doing.

use std::time::{Duration, Instant};

/// Measures from when it is made.
pub struct Stopwatch {
    wall: Instant,
    worked: Duration,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self { wall: Instant::now(), worked: worked() }
    }

    /// Time on the clock, or what the process worked in it if that is less: on a busy machine it mostly waits.
    pub fn elapsed(&self) -> Duration {
        self.wall.elapsed().min(worked().saturating_sub(self.worked))
    }
}

/// Processor time of all threads of this process.
#[cfg(unix)]
fn worked() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer.
    let answered = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(answered, 0, "the clock of the process");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere only the clock on the wall is known.
#[cfg(not(unix))]
fn worked() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
