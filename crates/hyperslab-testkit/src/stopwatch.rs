//! Measuring time on a machine that may be busy with other work.

use std::time::{Duration, Instant};

/// Measures the time since [`Stopwatch::start`].
pub struct Stopwatch {
    wall: Instant,
    processor: Duration,
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        Self { wall: Instant::now(), processor: processor_time() }
    }

    /// The elapsed time, or the processor time of this process if that is less. On a busy machine, a test spends much of
    /// the elapsed time waiting for a processor.
    pub fn elapsed(&self) -> Duration {
        self.wall.elapsed().min(processor_time().saturating_sub(self.processor))
    }
}

/// The processor time of all threads of this process.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(code, 0, "the processor time of this process");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// On other systems only the elapsed time is known.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
