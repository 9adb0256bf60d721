//! What this process has used so far, as the system counts it.
//!
//! Looking is a read, too, and is left out: the first look of a span counts itself to what was before, and the last one
//! sees what was before itself. So does the processor time that it takes: the processor's clock is read last at the start
//! of a span, and first at its end.

use serde::{Deserialize, Serialize};
use std::io::Read;

/// Seven lines, each of a name and a number of at most 20 digits.
const LOOK_BYTES_MAX: usize = 512;

/// Running totals; the difference of two is what lay between them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Seconds of processor time, of all threads, in the program and in the system.
    pub cpu_seconds: f64,
    /// Calls that read.
    pub read_calls: u64,
    /// Bytes that they asked for and got, from the page cache or from the disk.
    pub read_bytes: u64,
    /// Calls that wrote.
    pub write_calls: u64,
    /// Bytes that they wrote.
    pub write_bytes: u64,
}

impl Usage {
    /// The totals up to now, this look included: what a span begins with.
    pub fn at_start() -> Self {
        let (before, look_bytes) = Self::requests();
        // One call that reads, and what it got.
        let calls = u64::from(look_bytes > 0);
        let (read_calls, read_bytes) = (before.read_calls + calls, before.read_bytes + look_bytes);
        Self { read_calls, read_bytes, cpu_seconds: cpu_seconds(), ..before }
    }

    /// The totals up to now, without this look: what a span ends with.
    pub fn at_end() -> Self {
        let cpu_seconds = cpu_seconds();
        Self { cpu_seconds, ..Self::requests().0 }
    }

    /// The totals of input and output, and how many bytes it took to read them, in one call. Linux counts; elsewhere they
    /// are 0.
    fn requests() -> (Self, u64) {
        let mut text = [0u8; LOOK_BYTES_MAX];
        let looked = std::fs::File::open("/proc/self/io").and_then(|mut io| io.read(&mut text));
        let look_bytes = looked.unwrap_or(0);
        let io = std::str::from_utf8(&text[..look_bytes]).unwrap_or_default();
        let count = |name: &str| {
            let line = io.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
        };
        let totals = Self {
            cpu_seconds: 0.0,
            read_calls: count("syscr"),
            read_bytes: count("rchar"),
            write_calls: count("syscw"),
            write_bytes: count("wchar"),
        };
        (totals, look_bytes as u64)
    }

    /// The totals with processor time alone, which is had without a request: for spans without any.
    pub fn of_the_processor() -> Self {
        Self { cpu_seconds: cpu_seconds(), ..Self::default() }
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        self.with(other, |own, other| own + other, |own, other| own + other)
    }

    /// What was used since an earlier moment.
    pub fn since(self, earlier: Self) -> Self {
        self.with(earlier, |own, earlier| own - earlier, |own, earlier| own - earlier)
    }

    fn with(self, other: Self, seconds: fn(f64, f64) -> f64, count: fn(u64, u64) -> u64) -> Self {
        Self {
            cpu_seconds: seconds(self.cpu_seconds, other.cpu_seconds),
            read_calls: count(self.read_calls, other.read_calls),
            read_bytes: count(self.read_bytes, other.read_bytes),
            write_calls: count(self.write_calls, other.write_calls),
            write_bytes: count(self.write_bytes, other.write_bytes),
        }
    }
}

/// Processor time of all threads of this process so far, to the nanosecond where the system counts so finely.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer, which a failing call leaves as it is.
    unsafe {
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time);
    }
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that this process has had resident so far, since its program was started.
///
/// On Linux that is `VmHWM`: `ru_maxrss` survives `fork` and `exec`, so that a child of a large parent begins with the
/// parent's.
pub fn peak_memory_bytes() -> u64 {
    resident_peak().unwrap_or_else(resident_peak_of_usage)
}

/// `VmHWM` in `/proc/self/status`, where there is such a file. Looking is a read, which is for the caller to keep out of
/// spans of [`Usage`].
fn resident_peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"))?;
    kilobytes.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn resident_peak_of_usage() -> u64 {
    // SAFETY: a place for the answer, which a failing call leaves as it is.
    let most = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut used);
        used.ru_maxrss as u64
    };
    if cfg!(target_os = "macos") { most } else { most << 10 }
}

/// Seconds of processor time that this thread has used: what other work of the machine does not lengthen.
pub fn thread_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Pages of memory that this process has used for the first time.
pub(crate) fn page_faults() -> u64 {
    // SAFETY: numbers, for which zeros are valid, and a place for them.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut used);
        used
    };
    u64::try_from(used.ru_minflt).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_and_memory_are_noticed() {
        let (before, peak) = (Usage::at_start(), peak_memory_bytes());
        let mut block = vec![1u8; 256 << 20];
        for round in 0..4 {
            block.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_mul(3).wrapping_add(round));
        }
        std::hint::black_box(&block);
        assert!(peak_memory_bytes() > peak.max(200 << 20));
        assert!(Usage::at_end().since(before).cpu_seconds > 0.0);
    }

    /// Set for the child of the test below, which then only tells its peak.
    #[cfg(target_os = "linux")]
    const CHILD: &str = "HYPERSLAB_TEST_PEAK_OF_A_CHILD";

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_of_a_child_is_its_own() {
        const TOLD: &str = "peak=";
        if std::env::var_os(CHILD).is_some() {
            println!("{TOLD}{}", peak_memory_bytes());
            return;
        }
        let large = std::hint::black_box(vec![1u8; 200 << 20]);
        assert!(peak_memory_bytes() > 200 << 20);
        let program = std::env::current_exe().unwrap();
        let output = std::process::Command::new(program)
            .args(["the_peak_of_a_child_is_its_own", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let (_, told) = text.split_once(TOLD).unwrap_or_else(|| panic!("{text}"));
        let digits: String = told.chars().take_while(char::is_ascii_digit).collect();
        let peak: u64 = digits.parse().unwrap();
        assert!((1 << 20..100 << 20).contains(&peak), "{peak}");
        drop(large);
    }
}
