//! The requests that a reader makes, and what they take over a link.

use super::link::Link;

/// Requests that are in flight together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Batch {
    requests: u64,
    bytes: u64,
    in_flight_max: u64,
}

/// The requests of a reader, in order as far as that matters for the time that they take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// Those that are made one after the other.
    sequential: u64,
    sequential_bytes: u64,
    batches: Vec<Batch>,
}

impl Requests {
    /// Adds a request that is waited for before the next one is made.
    pub fn one(&mut self, bytes: u64) {
        self.sequential += 1;
        self.sequential_bytes = self.sequential_bytes.saturating_add(bytes);
    }

    /// Adds a read of so many bytes, of which `part_bytes` are requested first, and then the rest.
    pub fn in_parts(&mut self, bytes: u64, part_bytes: u64) {
        let first = bytes.min(part_bytes);
        self.one(first);
        if first < bytes {
            self.one(bytes - first);
        }
    }

    /// Adds requests of so many bytes together, of which at most `in_flight_max` are in flight at a time.
    pub fn together(&mut self, requests: u64, bytes: u64, in_flight_max: u64) {
        match requests {
            0 => {}
            1 => self.one(bytes),
            _ => self.batches.push(Batch { requests, bytes, in_flight_max: in_flight_max.max(1) }),
        }
    }

    /// Adds the requests of another series.
    pub fn extend(&mut self, others: Self) {
        self.sequential += others.sequential;
        self.sequential_bytes = self.sequential_bytes.saturating_add(others.sequential_bytes);
        self.batches.extend(others.batches);
    }

    /// All requests.
    pub fn count(&self) -> u64 {
        self.batches.iter().map(|batch| batch.requests).sum::<u64>() + self.sequential
    }

    /// Bytes of all responses.
    pub fn bytes(&self) -> u64 {
        self.batches.iter().fold(self.sequential_bytes, |sum, batch| sum.saturating_add(batch.bytes))
    }

    /// How often the reader waits for a response before it can make further requests.
    pub fn rounds(&self) -> u64 {
        self.batches.iter().map(Batch::rounds).sum::<u64>() + self.sequential
    }

    /// Seconds that they take, one batch after the other.
    pub fn seconds(&self, link: &Link) -> f64 {
        let sequential = self.sequential as f64 * link.latency_seconds
            + self.sequential_bytes as f64 / link.bytes_per_second;
        let batches = self.batches.iter().map(|batch| {
            let connections = batch.requests.min(batch.in_flight_max).min(link.connections).max(1);
            batch.rounds() as f64 * link.latency_seconds
                + batch.bytes as f64 / (link.bytes_per_second * connections as f64)
        });
        sequential + batches.sum::<f64>()
    }

    /// Dollars that they cost.
    pub fn dollars(&self, link: &Link) -> f64 {
        link.dollars(self.count() as f64, self.bytes() as f64)
    }
}

impl Batch {
    fn rounds(&self) -> u64 {
        self.requests.div_ceil(self.in_flight_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_in_flight_together_wait_once() {
        let link = Link { latency_seconds: 0.1, bytes_per_second: 1e6, connections: 4, ..Link::default() };
        let mut requests = Requests::default();
        requests.one(500_000);
        requests.together(20, 4_000_000, 10);
        requests.together(1, 0, 10);
        requests.together(0, 9, 10);
        assert_eq!((requests.count(), requests.bytes(), requests.rounds()), (22, 4_500_000, 4));
        // 0.1 + 0.5, 2 * 0.1 + 1 over four connections, 0.1
        assert!((requests.seconds(&link) - 1.9).abs() < 1e-12);
    }

    #[test]
    fn long_reads_come_in_two_parts() {
        let counts = |bytes, part_bytes| {
            let mut requests = Requests::default();
            requests.in_parts(bytes, part_bytes);
            (requests.count(), requests.bytes())
        };
        assert_eq!(counts(8, 8), (1, 8));
        assert_eq!(counts(30, 8), (2, 30), "not in four");
        assert_eq!(counts(30, u64::MAX), (1, 30));
    }
}
