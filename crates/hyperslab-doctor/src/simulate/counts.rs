//! Input and output of the simulation: cache settings, counts.

use super::sieve::Requests;
use serde::{Deserialize, Serialize};

/// The three settings of `H5Pset_chunk_cache`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CacheSettings {
    /// Bytes of decoded chunks the cache may hold.
    pub nbytes: u64,
    /// Slots of the hash table, one chunk each.
    pub nslots: u64,
    /// Share of the list in which completely read chunks are evicted first, 0 to 1.
    pub w0: f64,
}

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
    }

    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            chunks_touched: self.chunks_touched.saturating_sub(earlier.chunks_touched),
            decodes: self.decodes.saturating_sub(earlier.decodes),
            driver_reads: self.driver_reads.saturating_sub(earlier.driver_reads),
            driver_bytes: self.driver_bytes.saturating_sub(earlier.driver_bytes),
        }
    }

    pub(super) fn add_requests(&mut self, requests: Requests) {
        self.driver_reads = self.driver_reads.saturating_add(requests.reads);
        self.driver_bytes = self.driver_bytes.saturating_add(requests.bytes);
    }
}
