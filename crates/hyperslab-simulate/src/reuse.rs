//! What a sweep decodes, estimated from extents alone: for ranking many chunk shapes, of which the best are simulated.
//!
//! Blocks of a sweep return to a chunk along each dimension in which the chunk is longer than the block. The cache serves
//! a return if it holds all chunks that the sweep touches in between, which are all chunks along the faster dimensions.

use super::overlap_count;
use hyperslab_storage::pattern::Sweep;

/// The estimate for one sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepEstimate {
    /// Chunks that the reads touch, counted again at each read.
    pub visits: f64,
    /// Chunks that are loaded.
    pub loads: f64,
}

/// Estimates what a sweep loads from chunks of this shape, with a cache of `cache_bytes`.
pub fn estimate_sweep(sweep: &Sweep, chunk: &[u64], element_bytes: u64, cache_bytes: u64) -> SweepEstimate {
    let (shape, block) = (sweep.shape(), sweep.block());
    let chunk_bytes = chunk.iter().fold(element_bytes, |n, d| n.saturating_mul(*d)) as f64;
    let counts: Vec<f64> = shape.iter().zip(chunk).map(|(dim, chunk)| dim.div_ceil(*chunk) as f64).collect();
    let overlaps: Vec<f64> =
        (0..shape.len()).map(|axis| overlap_count(shape[axis], block[axis], chunk[axis]) as f64).collect();
    // Chunks that a single block touches along each dimension.
    let touched: Vec<f64> =
        block.iter().zip(chunk).map(|(block, chunk)| block.div_ceil(*chunk) as f64).collect();
    if sweep.random().is_some() {
        return at_random(sweep, chunk, &counts, cache_bytes as f64 / chunk_bytes.max(1.0));
    }
    let mut loads: f64 = counts.iter().product();
    // Chunks that the sweep touches between two visits along the present dimension.
    let mut between: f64 = touched.iter().product();
    for &axis in sweep.order().iter().rev() {
        let returns = overlaps[axis] / counts[axis].max(1.0);
        if returns > 1.0 && between * chunk_bytes > cache_bytes as f64 {
            loads *= returns;
        }
        between *= counts[axis] / touched[axis].max(1.0);
    }
    SweepEstimate { visits: overlaps.iter().product(), loads }
}

/// Blocks at random places: each chunk that they touch is in the cache with the share of all chunks that it holds, once it is
/// full.
fn at_random(sweep: &Sweep, chunk: &[u64], counts: &[f64], held: f64) -> SweepEstimate {
    let all: f64 = counts.iter().product();
    let chunks =
        sweep.block().iter().zip(chunk).map(|(block, chunk)| (*block as f64 - 1.0) / *chunk as f64 + 1.0);
    let visits = sweep.reads() as f64 * chunks.product::<f64>().min(all);
    let distinct = all * (1.0 - (-visits / all.max(1.0)).exp());
    let missed = visits * (1.0 - held / all.max(1.0)).max(0.0);
    SweepEstimate { visits, loads: distinct.max(missed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_costs_a_load_only_where_the_cache_forgets() {
        // Rows over two columns of chunks of 4000 bytes: 100 rows return to each.
        let sweep = Sweep::row_major(&[1000, 20], &[1, 20]);
        assert_eq!(
            estimate_sweep(&sweep, &[100, 10], 4, 8000),
            SweepEstimate { visits: 2000.0, loads: 20.0 }
        );
        assert_eq!(
            estimate_sweep(&sweep, &[100, 10], 4, 7999),
            SweepEstimate { visits: 2000.0, loads: 2000.0 }
        );
    }
}
