//! Latency and bandwidth of a source, measured by the responses that arrive.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The latency and bandwidth that are assumed before anything was measured: those of a store in the same region.
const ASSUMED: Measured =
    Measured { latency: 0.040, shortest: 0.040, bytes_per_second: 80e6, responses: 0, bodies: 0 };
/// So many responses are measured before the assumption is replaced.
const RESPONSES_MIN: u64 = 8;
/// Each response changes the measured values by this part of the difference.
const WEIGHT: f64 = 1.0 / 8.0;
/// Shorter bodies say nothing about the bandwidth: they arrive together with the head of the response.
const BODY_BYTES_MIN: u64 = 128 << 10;

/// The speed of a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    /// Seconds from a request to the head of its response.
    pub latency: f64,
    /// The shortest latency so far, in seconds.
    pub shortest: f64,
    /// The bandwidth of one connection.
    pub bytes_per_second: f64,
    /// The number of responses that were measured.
    pub responses: u64,
    /// The number of those that were long enough to measure the bandwidth.
    bodies: u64,
}

impl Measured {
    /// Adds a response: the time to its head, the time from its head to its end, and the length of its body.
    fn add(&mut self, to_head: Duration, to_end: Duration, bytes: u64) {
        let mean = |old: f64, new: f64, count: u64| {
            // The first responses are weighted equally, the later ones replace the earlier ones gradually.
            old + (new - old) * WEIGHT.max(1.0 / (count as f64))
        };
        self.responses += 1;
        let latency = to_head.as_secs_f64();
        self.latency = mean(self.latency, latency, self.responses);
        self.shortest = if self.responses == 1 { latency } else { self.shortest.min(latency) };
        if bytes >= BODY_BYTES_MIN && !to_end.is_zero() {
            self.bodies += 1;
            self.bytes_per_second =
                mean(self.bytes_per_second, bytes as f64 / to_end.as_secs_f64(), self.bodies);
        }
    }

    /// The gap that takes as long to transfer as one of `in_flight` concurrent requests adds to a batch.
    fn gap_bytes(&self, in_flight: usize) -> u64 {
        let bytes = self.latency * self.bytes_per_second / in_flight.max(1) as f64;
        (bytes as u64).clamp(GAP_BYTES.0, GAP_BYTES.1)
    }

    /// The time that a request for so many bytes usually takes.
    fn usual(&self, bytes: u64) -> Duration {
        Duration::from_secs_f64(self.latency + bytes as f64 / self.bytes_per_second.max(1.0))
    }
}

/// Limits of the gap: a request header has about 512 bytes; more than 1 MiB is never worth fetching in vain.
const GAP_BYTES: (u64, u64) = (512, 1 << 20);
/// A request is slow if it takes so many times as long as usual,
const SLOW_FACTOR: u32 = 4;
/// and at least so long: shorter delays are those of a busy client.
const SLOW_MIN: Duration = Duration::from_secs(1);
/// So many responses are measured before a request is called slow.
const USUAL_RESPONSES_MIN: u64 = 20;
/// Requests that take so many times the shortest latency wait for each other.
const CROWDED_FACTOR: f64 = 2.0;

/// The measured speed of one source, shared by its requests.
#[derive(Debug)]
pub(crate) struct LinkSpeed(Mutex<Measured>);

impl LinkSpeed {
    pub const fn new() -> Self {
        Self(Mutex::new(ASSUMED))
    }

    fn measured(&self) -> Measured {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a response: the time to its head, the time from its head to its end, and the length of its body.
    pub fn add(&self, to_head: Duration, to_end: Duration, bytes: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(to_head, to_end, bytes);
    }

    /// Two ranges with a gap of at most this are fetched faster by one request than by two, if as many as `in_flight` are
    /// made at once.
    pub fn gap_bytes(&self, in_flight: usize) -> u64 {
        let measured = self.measured();
        let known = if measured.responses < RESPONSES_MIN { ASSUMED } else { measured };
        known.gap_bytes(in_flight)
    }

    /// The time after which a request for so many bytes is unusually slow; `None` as long as too few were made.
    pub fn slow_after(&self, bytes: u64) -> Option<Duration> {
        let measured = self.measured();
        let is_known = measured.responses >= USUAL_RESPONSES_MIN;
        is_known.then(|| (measured.usual(bytes) * SLOW_FACTOR).max(SLOW_MIN))
    }

    /// True if responses take much longer than the fastest ones: more requests in flight would only wait for each other.
    pub fn is_crowded(&self) -> bool {
        let measured = self.measured();
        measured.latency > CROWDED_FACTOR * measured.shortest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn the_gap_is_what_a_connection_transfers_while_a_request_waits() {
        let link = LinkSpeed::new();
        let assumed = link.gap_bytes(256);
        assert_eq!(assumed, 12_500);
        for _ in 0..RESPONSES_MIN - 1 {
            link.add(milliseconds(200), milliseconds(100), 1 << 20);
        }
        assert_eq!(link.gap_bytes(256), assumed, "too few responses");
        link.add(milliseconds(200), milliseconds(100), 1 << 20);
        // 0.2 s at 10 MiB/s, shared by 256.
        assert_eq!(link.gap_bytes(256), (0.2 * 10.0 * 1048576.0 / 256.0) as u64);
        for _ in 0..1000 {
            link.add(milliseconds(1), milliseconds(1), 100);
        }
        assert_eq!(link.gap_bytes(256), GAP_BYTES.0, "short bodies do not change the bandwidth");
        for _ in 0..1000 {
            link.add(milliseconds(500), milliseconds(1), 1 << 20);
        }
        assert_eq!(link.gap_bytes(1), GAP_BYTES.1);
    }

    #[test]
    fn a_request_is_slow_compared_with_others() {
        let link = LinkSpeed::new();
        assert_eq!(link.slow_after(100), None);
        for _ in 0..USUAL_RESPONSES_MIN {
            link.add(milliseconds(40), milliseconds(10), 1 << 20);
        }
        assert_eq!(link.slow_after(100), Some(SLOW_MIN));
        // 100 MiB take 1 s.
        let long = link.slow_after(100 << 20).unwrap();
        assert!((milliseconds(4100)..milliseconds(4200)).contains(&long), "{long:?}");
    }

    #[test]
    fn a_link_is_crowded_when_latency_grows() {
        let link = LinkSpeed::new();
        (0..100).for_each(|_| link.add(milliseconds(40), milliseconds(1), 0));
        assert!(!link.is_crowded());
        (0..100).for_each(|_| link.add(milliseconds(100), milliseconds(1), 0));
        assert!(link.is_crowded());
    }
}
