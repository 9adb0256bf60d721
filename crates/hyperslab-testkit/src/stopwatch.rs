//! How long something took, whatever else the machine was doing.

use std::time::{Duration, Instant};

/// Measures from [`Stopwatch::start`] on.
pub struct Stopwatch {
    wall: Instant,
    processor: Duration,
}

impl Stopwatch {
    /// A stopwatch that begins now.
    pub fn start() -> Self {
        Self { wall: Instant::now(), processor: processor_time() }
    }

    /// The time that has passed, or the processor time of this process in it if that is less: on a busy machine a
    /// test mostly waits for others.
    pub fn elapsed(&self) -> Duration {
        self.wall.elapsed().min(processor_time().saturating_sub(self.processor))
    }
}

/// Processor time of all threads of this process.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(code, 0, "the processor time of this process");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere only the time that has passed is known.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
