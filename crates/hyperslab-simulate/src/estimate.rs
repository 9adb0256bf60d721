//! Counts without simulation, for reads that are too large to simulate.

use super::sieve::SIEVE_BYTES;
use super::{CacheWork, Geometry, ReadCounts, Touched};
use hyperslab_storage::pattern::Sweep;

/// The counts of a pattern without cache hits: each read loads every stored chunk that it touches, or makes a request for
/// every run.
pub(super) fn without_hits(geometry: &Geometry, sweep: &Sweep, touched: &Touched) -> ReadCounts {
    let times = |a: u64, b: u64| a.saturating_mul(b);
    let Some(grid) = geometry.grid() else {
        let rows = |extents: &[u64]| extents[..extents.len() - 1].iter().copied().fold(1, times);
        let requests = match (sweep.random(), sweep.shape().last().zip(sweep.block().last())) {
            (Some(places), _) => times(places.count, rows(sweep.block())),
            (None, Some((dim, block))) => times(rows(sweep.shape()), dim.div_ceil(*block)),
            (None, None) => 1,
        };
        let most = SIEVE_BYTES.min(geometry.logical_bytes());
        return ReadCounts {
            driver_reads: requests,
            driver_bytes: times(requests, most),
            ..ReadCounts::default()
        };
    };
    let visits = touched.visits;
    let share =
        |chunks: u64| (visits as f64 * (chunks as f64 / grid.chunks.grid_chunks().max(1) as f64)) as u64;
    let stored = share(grid.chunks.stored_chunks());
    let mean_bytes = grid.chunks.stored_bytes().checked_div(grid.chunks.stored_chunks()).unwrap_or(0);
    ReadCounts {
        chunks_touched: visits,
        decodes: share(geometry.chunks_decodable()),
        driver_reads: stored,
        driver_bytes: times(stored, mean_bytes),
        work: CacheWork {
            far_bytes: if geometry.is_filtered() { 0 } else { times(stored, mean_bytes) },
            ..CacheWork::default()
        },
    }
}
