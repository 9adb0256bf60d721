//! The requests of the process: counts and limits.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most that the process may request; a guard against a surprise on the bill.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// The most requests that the process may make.
    pub requests: Option<u64>,
    /// The most bytes that the process may fetch.
    pub bytes: Option<u64>,
}

/// The requests of the process to remote files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests, including those that failed.
    pub requests: u64,
    /// Bytes of the bodies that were received.
    pub bytes: u64,
    /// Batches of requests, each of which was waited for.
    pub rounds: u64,
    /// Attempts after the first of a request.
    pub retries: u64,
    /// Second requests for ranges whose first request took unusually long.
    pub hedges: u64,
    /// Bytes that were read from the disk cache instead of being requested.
    pub cached_bytes: u64,
    /// The time for which calls waited for their batches. Calls of several threads are added up.
    pub waited: Duration,
}

static REQUESTS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static ROUNDS: AtomicU64 = AtomicU64::new(0);
static RETRIES: AtomicU64 = AtomicU64::new(0);
static HEDGES: AtomicU64 = AtomicU64::new(0);
static CACHED_BYTES: AtomicU64 = AtomicU64::new(0);
static WAITED_NANOSECONDS: AtomicU64 = AtomicU64::new(0);

/// The requests of this process so far.
pub fn traffic() -> Traffic {
    let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Traffic {
        requests: get(&REQUESTS),
        bytes: get(&BYTES),
        rounds: get(&ROUNDS),
        retries: get(&RETRIES),
        hedges: get(&HEDGES),
        cached_bytes: get(&CACHED_BYTES),
        waited: Duration::from_nanos(get(&WAITED_NANOSECONDS)),
    }
}

/// Counts a batch of requests; returns its number, from 1 on.
pub(crate) fn begin_round() -> u64 {
    ROUNDS.fetch_add(1, Ordering::Relaxed) + 1
}

/// Adds the time that a call has waited for its batch.
pub(crate) fn waited(time: Duration) {
    WAITED_NANOSECONDS.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
}

/// Counts a request that is about to be made.
///
/// # Errors
/// If the process has made as many requests, or fetched as many bytes, as the limits allow.
pub(crate) fn begin_request(limits: Limits) -> io::Result<()> {
    let refuse = |what: String| Err(io::Error::new(io::ErrorKind::QuotaExceeded, what));
    if let Some(max) = limits.bytes
        && BYTES.load(Ordering::Relaxed) >= max
    {
        return refuse(format!("{max} bytes were fetched, as many as allowed"));
    }
    let made = REQUESTS.fetch_add(1, Ordering::Relaxed);
    if let Some(max) = limits.requests
        && made >= max
    {
        REQUESTS.fetch_sub(1, Ordering::Relaxed);
        return refuse(format!("{max} requests were made, as many as allowed"));
    }
    Ok(())
}

/// Counts an attempt after the first of a request.
pub(crate) fn retried() {
    RETRIES.fetch_add(1, Ordering::Relaxed);
}

/// Counts a second request for a range whose first request takes unusually long.
pub(crate) fn hedged() {
    HEDGES.fetch_add(1, Ordering::Relaxed);
}

/// Counts received bytes.
pub(crate) fn received(bytes: u64) {
    BYTES.fetch_add(bytes, Ordering::Relaxed);
}

/// Counts bytes that were read from the disk cache.
pub(crate) fn read_from_disk(bytes: u64) {
    CACHED_BYTES.fetch_add(bytes, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_refused_before_the_request() {
        let limits = Limits { requests: Some(0), bytes: None };
        let error = begin_request(limits).unwrap_err();
        assert_eq!(error.to_string(), "0 requests were made, as many as allowed");
        let limits = Limits { requests: None, bytes: Some(0) };
        assert!(begin_request(limits).unwrap_err().to_string().contains("0 bytes were fetched"));
    }
}
