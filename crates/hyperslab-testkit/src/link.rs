//! What lies between a program and a distant file: latency, bandwidth, faults; and what is counted on the way.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How fast answers come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    /// From a request to the first byte of its answer.
    pub latency: Duration,
    /// Of one connection; `None` is as fast as the machine.
    pub bytes_per_second: Option<u64>,
}

impl Link {
    /// How long it takes to send so many bytes.
    pub(crate) fn transfer(&self, bytes: u64) -> Duration {
        self.bytes_per_second
            .map_or(Duration::ZERO, |rate| Duration::from_secs_f64(bytes as f64 / rate as f64))
    }
}

/// What goes wrong with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The server answers with this status and no bytes.
    Status(u16),
    /// The answer ends after so many bytes of its body.
    Truncated(u64),
    /// The server answers with the whole file and status 200.
    WholeFile,
    /// The answer says, and brings, bytes that begin one further on.
    WrongRange,
    /// The connection is reset before the request was read.
    Reset,
    /// Nothing comes for so long; then the answer does.
    Stall(Duration),
}

/// What was asked for so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests, those with a fault included.
    pub requests: u64,
    /// Bytes of files that were sent.
    pub bytes: u64,
    /// Requests that were under way at the same time, at most.
    pub in_flight_max: usize,
    /// Connections that were made.
    pub connections: u64,
    /// The ranges that were asked for, in the order in which the requests came.
    pub ranges: Vec<Range<u64>>,
}

/// Counts requests, and has faults ready for the next ones.
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

    /// Hands over the counts and begins anew.
    pub fn take(&self) -> Counts {
        std::mem::take(&mut *lock(&self.counts))
    }

    pub fn order(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        lock(&self.faults).extend(faults);
    }

    /// The fault of the request that comes next, if it is this one.
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

    /// Counts a request and takes its fault. It is under way until what is returned is dropped.
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

/// A request that is under way.
pub(crate) struct InFlight<'t>(&'t Traffic);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        *lock(&self.0.in_flight) -= 1;
    }
}

/// A test that panics on one thread still counts on the others.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
