//! How far a repack is, for other threads; and their wish to end it.

use hyperslab::Cancel;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// How often it is told how far the work is.
const INTERVAL: Duration = Duration::from_millis(200);

/// Counters of a repack in progress.
#[derive(Debug)]
pub struct Monitor {
    /// Set to end the repack. What was written by then is incomplete.
    pub cancel: Cancel,
    total_bytes: AtomicU64,
    done_bytes: AtomicU64,
    written_bytes: AtomicU64,
}

impl Default for Monitor {
    fn default() -> Self {
        Self::new(Cancel::new())
    }
}

impl Monitor {
    /// A monitor with this flag.
    pub fn new(cancel: Cancel) -> Self {
        let [total_bytes, done_bytes, written_bytes] = Default::default();
        Self { cancel, total_bytes, done_bytes, written_bytes }
    }

    /// The bytes of data that have to be processed: decoded where data is decoded, otherwise as stored.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes.load(Ordering::Relaxed)
    }

    /// Those of them that were processed.
    pub fn done_bytes(&self) -> u64 {
        self.done_bytes.load(Ordering::Relaxed)
    }

    /// The bytes of data in the new file.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes.load(Ordering::Relaxed)
    }

    /// Sets the bytes that have to be processed.
    pub fn expect(&self, bytes: u64) {
        self.total_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were processed, and what was written for them.
    pub fn done(&self, bytes: u64, written: u64) {
        self.done_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.written_bytes.fetch_add(written, Ordering::Relaxed);
    }

    /// Does `work` while another thread calls `tell`: at once, five times a second, and once more in the end, also where the
    /// work panics.
    pub fn tell_while(&self, mut tell: impl FnMut(&Self) + Send, work: impl FnOnce()) {
        let is_done = &AtomicBool::new(false);
        thread::scope(|scope| {
            let teller = scope.spawn(move || {
                loop {
                    let is_last = is_done.load(Ordering::Acquire);
                    tell(self);
                    if is_last {
                        break;
                    }
                    thread::park_timeout(INTERVAL);
                }
            });
            let _end = End { is_done, teller: teller.thread() };
            work();
        });
    }

    /// # Errors
    ///
    /// The wish to end it.
    pub fn check(&self) -> Result<(), hyperslab::Error> {
        Ok(self.cancel.check()?)
    }
}

/// Ends the thread that tells how far it is, when the work ends in any way: the scope waits for it.
struct End<'t> {
    is_done: &'t AtomicBool,
    teller: &'t Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Release);
        self.teller.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_told_also_of_work_that_panics() {
        let told = AtomicU64::new(0);
        let monitor = Monitor::default();
        let tell = |monitor: &Monitor| told.store(monitor.done_bytes(), Ordering::Relaxed);
        monitor.tell_while(tell, || monitor.done(3, 1));
        assert_eq!(told.load(Ordering::Relaxed), 3);
        let work = || {
            monitor.done(4, 1);
            panic!("a mistake");
        };
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| monitor.tell_while(tell, work)));
        assert!(ended.is_err());
        assert_eq!(told.load(Ordering::Relaxed), 7);
    }
}
