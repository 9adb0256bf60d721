//! The time of a search.

use std::time::{Duration, Instant};

/// The time of a search.
pub(crate) struct Clock {
    start: Instant,
    time: Duration,
    /// True if a step was not done in full.
    pub(crate) is_cut: bool,
}

impl Clock {
    /// It begins now.
    pub(crate) fn new(time: Duration) -> Self {
        Self { start: Instant::now(), time, is_cut: false }
    }

    /// True if this share of the time is over; the search is then cut.
    pub(crate) fn is_over(&mut self, share: f64) -> bool {
        let is_over = self.has_passed(share);
        self.is_cut |= is_over;
        is_over
    }

    /// True if this share of the time is over, for steps that are done only where there is time left.
    pub(crate) fn has_passed(&self, share: f64) -> bool {
        self.start.elapsed() > self.time.mul_f64(share)
    }
}
