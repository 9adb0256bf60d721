//! The simulated link to a remote file: its latency, bandwidth and faults, and the counts of its requests.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The speed of a simulated link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    /// The time from a request to the first byte of its response.
    pub latency: Duration,
    /// The bandwidth of one connection; `None` if unlimited.
    pub bytes_per_second: Option<u64>,
}

impl Link {
    /// The time that the link takes to send `bytes` bytes.
    pub(crate) fn transfer(&self, bytes: u64) -> Duration {
        self.bytes_per_second
            .map_or(Duration::ZERO, |rate| Duration::from_secs_f64(bytes as f64 / rate as f64))
    }
}

/// A simulated failure of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The response has this status and no body.
    Status(u16),
    /// The response ends after this many bytes of its body.
    Truncated(u64),
    /// The response is the whole file with status 200.
    WholeFile,
    /// The response is a range that begins one byte later than requested.
    WrongRange,
    /// The connection is reset before the request is read.
    Reset,
    /// The response begins after this pause.
    Stall(Duration),
    /// The response pauses in the middle of its body.
    StallInBody(Duration),
    /// The response has status 503 and asks for a pause of this number of seconds.
    RetryAfter(u64),
    /// The response says that its body is compressed.
    Gzip,
}

/// The counts of the requests so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests, including those with a fault.
    pub requests: u64,
    /// Bytes of the file that were sent.
    pub bytes: u64,
    /// The largest number of requests in flight at the same time.
    pub in_flight_max: usize,
    /// Connections that were opened.
    pub connections: u64,
    /// The requested ranges, in the order in which the requests arrived.
    pub ranges: Vec<Range<u64>>,
}

/// Counts requests, and holds the faults of the next ones.
#[derive(Default)]
pub(crate) struct Traffic {
    counts: Mutex<Counts>,
    in_flight: Mutex<usize>,
    faults: Mutex<VecDeque<Option<Fault>>>,
}

impl Traffic {
    pub fn counts(&self) -> Counts {
        lock(&self.counts).clone()
    }

    /// Returns the counts since the last call.
    pub fn take(&self) -> Counts {
        std::mem::take(&mut *lock(&self.counts))
    }

    pub fn order(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        lock(&self.faults).extend(faults);
    }

    /// Removes the fault of the next request if it satisfies `is`, and returns whether it did.
    pub fn next_fault_if(&self, is: impl FnOnce(Fault) -> bool) -> bool {
        let mut faults = lock(&self.faults);
        let found = faults.front().copied().flatten().is_some_and(is);
        if found {
            faults.pop_front();
        }
        found
    }

    pub fn connected(&self) {
        lock(&self.counts).connections += 1;
    }

    /// Counts a request and returns its fault. The request is in flight until the returned guard is dropped.
    pub fn request(&self, range: Range<u64>) -> (InFlight<'_>, Option<Fault>) {
        let now = {
            let mut in_flight = lock(&self.in_flight);
            *in_flight += 1;
            *in_flight
        };
        let mut counts = lock(&self.counts);
        counts.requests += 1;
        counts.in_flight_max = counts.in_flight_max.max(now);
        counts.ranges.push(range);
        (InFlight(self), lock(&self.faults).pop_front().flatten())
    }

    pub fn sent(&self, bytes: u64) {
        lock(&self.counts).bytes += bytes;
    }
}

/// A request in flight.
pub(crate) struct InFlight<'t>(&'t Traffic);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        *lock(&self.0.in_flight) -= 1;
    }
}

/// Locks a mutex, even if a test has panicked while holding it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
