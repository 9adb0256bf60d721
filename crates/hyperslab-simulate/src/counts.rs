//! Output of the simulation: counts.

use super::sieve::Requests;
use serde::{Deserialize, Serialize};

/// The cost of one or more reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadCounts {
    /// Chunks that the block touches, stored or not.
    pub chunks_touched: u64,
    /// Chunks put through the filter pipeline.
    pub decodes: u64,
    /// Reads of raw data that reached the file driver.
    pub driver_reads: u64,
    /// The bytes of those reads.
    pub driver_bytes: u64,
    /// What else takes time.
    #[serde(skip)]
    pub work: CacheWork,
}

/// What writing costs: chunks put through the filter pipeline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WriteCounts {
    /// Chunks that were encoded: evicted or closed after they were changed.
    pub encodes: u64,
    /// Chunks that were decoded before: only a part of them was written.
    pub decodes: u64,
}

impl WriteCounts {
    /// Adds other writes.
    pub fn add(&mut self, other: Self) {
        self.encodes += other.encodes;
        self.decodes += other.decodes;
    }
}

/// What the chunk cache does besides decoding: too little to look at, but enough to be felt in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheWork {
    /// Chunks evicted.
    pub evictions: u64,
    /// Entries that eviction looked at.
    pub steps: u64,
    /// Driver reads that bypass the cache: runs, or fillings of the sieve buffer.
    pub direct_reads: u64,
    /// Bytes of those reads.
    pub direct_bytes: u64,
    /// Bytes of chunks that were loaded without decoding, and loaded before within the last
    /// [`NEAR_BYTES`](super::recent::NEAR_BYTES) of loads: the processor's cache still has them.
    pub near_bytes: u64,
    /// Bytes of the other chunks that were loaded without decoding.
    pub far_bytes: u64,
}

impl CacheWork {
    fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            evictions: with(self.evictions, other.evictions),
            steps: with(self.steps, other.steps),
            direct_reads: with(self.direct_reads, other.direct_reads),
            direct_bytes: with(self.direct_bytes, other.direct_bytes),
            near_bytes: with(self.near_bytes, other.near_bytes),
            far_bytes: with(self.far_bytes, other.far_bytes),
        }
    }
}

impl ReadCounts {
    /// Adds the counts of another read.
    pub fn add(&mut self, other: Self) {
        self.add_times(other, 1);
    }

    pub(super) fn add_times(&mut self, other: Self, times: u64) {
        let add = |a: &mut u64, b: u64| *a = a.saturating_add(b.saturating_mul(times));
        add(&mut self.chunks_touched, other.chunks_touched);
        add(&mut self.decodes, other.decodes);
        add(&mut self.driver_reads, other.driver_reads);
        add(&mut self.driver_bytes, other.driver_bytes);
        self.work = self.work.zip(other.work, |a, b| a.saturating_add(b.saturating_mul(times)));
    }

    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            chunks_touched: self.chunks_touched.saturating_sub(earlier.chunks_touched),
            decodes: self.decodes.saturating_sub(earlier.decodes),
            driver_reads: self.driver_reads.saturating_sub(earlier.driver_reads),
            driver_bytes: self.driver_bytes.saturating_sub(earlier.driver_bytes),
            work: self.work.zip(earlier.work, u64::saturating_sub),
        }
    }

    pub(super) fn add_requests(&mut self, requests: Requests) {
        self.driver_reads = self.driver_reads.saturating_add(requests.reads);
        self.driver_bytes = self.driver_bytes.saturating_add(requests.bytes);
        self.work.direct_reads = self.work.direct_reads.saturating_add(requests.reads);
        self.work.direct_bytes = self.work.direct_bytes.saturating_add(requests.bytes);
    }

    /// The same kind of reads, `factor` times as many.
    pub(super) fn scaled(self, factor: f64) -> Self {
        let scale = |count: u64| (count as f64 * factor).round() as u64;
        Self {
            chunks_touched: scale(self.chunks_touched),
            decodes: scale(self.decodes),
            driver_reads: scale(self.driver_reads),
            driver_bytes: scale(self.driver_bytes),
            work: self.work.zip(CacheWork::default(), |count, _| scale(count)),
        }
    }
}
