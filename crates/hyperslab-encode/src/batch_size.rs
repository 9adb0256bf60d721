//! How much of the data as it is stored is read at a time.

use hyperslab::{ChunkMap, Location};
use hyperslab_io::Source;
use std::ops::Range;

/// How much of a source is read at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSize {
    /// The bytes of the chunks of a batch; a larger chunk is a batch of its own.
    pub bytes: u64,
    /// Neighbours are read together up to so many bytes.
    pub request_bytes: u64,
}

/// More of a local file would leave the processor cache before it is written.
const LOCAL_BYTES: u64 = 1 << 20;
/// Smaller requests to a remote source take hardly less time.
const REMOTE_REQUEST_BYTES: u64 = 2 << 20;
const CHUNKS_MAX: usize = 1 << 14;

impl BatchSize {
    /// For a source, within so many bytes of memory: enough for as many requests as it wants to have in flight.
    pub fn of(source: &dyn Source, memory_bytes: u64) -> Self {
        let advice = source.advice();
        if !advice.has_latency() {
            return Self { bytes: LOCAL_BYTES, request_bytes: advice.request_bytes_max.max(LOCAL_BYTES) };
        }
        let in_flight = advice.in_flight_max as u64;
        let bytes = in_flight.saturating_mul(REMOTE_REQUEST_BYTES).min(memory_bytes).max(LOCAL_BYTES);
        Self { bytes, request_bytes: (bytes / in_flight).clamp(1, advice.request_bytes_max.max(1)) }
    }

    /// The rows of a map, in batches.
    pub fn batches(self, map: &ChunkMap) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        std::iter::from_fn(move || {
            let (mut end, mut bytes) = (start, 0u64);
            while let Some((_, location)) = map.nth(end) {
                bytes = bytes.saturating_add(location.stored_bytes);
                if end > start && (bytes > self.bytes || end - start == CHUNKS_MAX) {
                    break;
                }
                end += 1;
            }
            let batch = start..end;
            start = end;
            (!batch.is_empty()).then_some(batch)
        })
    }

    /// Ranges of contiguous bytes, each for one request; together they are a batch.
    pub fn ranges(self, bytes: Range<u64>) -> Vec<Range<u64>> {
        let step = self.request_bytes.max(1);
        let count = (bytes.end - bytes.start).div_ceil(step);
        let start = |number: u64| bytes.start + number * step;
        (0..count).map(|number| start(number)..start(number + 1).min(bytes.end)).collect()
    }

    /// The range of a local file that contains these chunks and hardly anything else; `None` for others.
    pub fn run(self, source: &dyn Source, chunks: &[Location]) -> Option<Range<u64>> {
        let start = chunks.iter().map(|chunk| chunk.address).min()?;
        let end = chunks.iter().map(|chunk| chunk.address.saturating_add(chunk.stored_bytes)).max()?;
        let bytes = chunks.iter().map(|chunk| chunk.stored_bytes).fold(0u64, u64::saturating_add);
        let advice = source.advice();
        let is_dense = end - start <= bytes.saturating_add(advice.gap_bytes);
        (!advice.has_latency() && is_dense && end <= source.len()).then_some(start..end)
    }
}
