//! Reads that cross the chunks: each touches many, and needs little of any.

use crate::case::{Case, ReadCase};
use crate::predict::CostModel;

/// Chunks that one read must touch, at least.
const CHUNKS_MIN: u64 = 16;
/// Share of the touched bytes that the read needs, at most.
const SHARE_MAX: f64 = 1.0 / 32.0;

/// What the first block of a sweep touches.
pub(super) struct CrossedChunks {
    pub(super) chunks: u64,
    pub(super) wanted_bytes: u64,
    pub(super) touched_bytes: u64,
    /// Seconds of this read, as shown.
    pub(super) seconds: f64,
    /// And by the stored constants.
    pub(super) reference_seconds: f64,
}

impl CrossedChunks {
    /// `None` for data without chunks or elements.
    pub(super) fn of(case: &Case<'_>, read: &ReadCase) -> Option<Self> {
        let (chunk, chunk_bytes) = (case.geometry.chunk_dims()?, case.geometry.chunk_bytes()?);
        if case.geometry.shape().contains(&0) {
            return None;
        }
        let block = read.sweep.block();
        // The first block of the sweep, which starts at the origin.
        let chunks =
            block.iter().zip(chunk).fold(1u64, |n, (block, chunk)| n.saturating_mul(block.div_ceil(*chunk)));
        let wanted_bytes = block.iter().fold(case.geometry.element_bytes(), |n, b| n.saturating_mul(*b));
        let decode = |costs: &CostModel| if case.geometry.is_filtered() { costs.decode_once() } else { 0.0 };
        Some(Self {
            chunks,
            wanted_bytes,
            touched_bytes: chunks.saturating_mul(chunk_bytes),
            seconds: chunks as f64 * decode(&case.costs),
            reference_seconds: chunks as f64 * decode(&case.reference),
        })
    }

    /// True for a read that crosses the chunks.
    pub(super) fn holds(&self) -> bool {
        self.chunks >= CHUNKS_MIN && self.wanted_bytes as f64 <= SHARE_MAX * self.touched_bytes as f64
    }
}
