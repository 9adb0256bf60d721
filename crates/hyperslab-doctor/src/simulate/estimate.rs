//! Counts without simulation, for reads that are too large to simulate.

use super::sieve::SIEVE_BYTES;
use super::{Geometry, ReadCounts};
use crate::pattern::Sweep;

/// The counts of a sweep without cache hits: each read loads every stored chunk that it touches, or makes a request for
/// every run.
pub(super) fn without_hits(geometry: &Geometry, sweep: &Sweep) -> ReadCounts {
    let times = |a: u64, b: u64| a.saturating_mul(b);
    let Some(grid) = geometry.grid() else {
        let runs = sweep.shape()[..sweep.shape().len() - 1].iter().copied().fold(1, times);
        let requests = times(
            runs,
            sweep.shape().last().map_or(1, |dim| dim.div_ceil(sweep.block()[sweep.block().len() - 1])),
        );
        let most = SIEVE_BYTES.min(geometry.logical_bytes());
        return ReadCounts {
            driver_reads: requests,
            driver_bytes: times(requests, most),
            ..ReadCounts::default()
        };
    };
    let visits = sweep
        .shape()
        .iter()
        .zip(sweep.block())
        .zip(&grid.chunk)
        .map(|((dim, block), chunk)| overlap_count(*dim, *block, *chunk))
        .fold(1, times);
    let share =
        |chunks: u64| (visits as f64 * (chunks as f64 / grid.chunks.grid_chunks().max(1) as f64)) as u64;
    let stored = share(grid.chunks.stored_chunks());
    let mean_bytes = grid.chunks.stored_bytes().checked_div(grid.chunks.stored_chunks()).unwrap_or(0);
    ReadCounts {
        chunks_touched: visits,
        decodes: share(geometry.chunks_decodable()),
        driver_reads: stored,
        driver_bytes: times(stored, mean_bytes),
    }
}

/// How many overlaps of a block and a chunk there are along a dimension that is divided into both.
pub(crate) fn overlap_count(dim: u64, block: u64, chunk: u64) -> u64 {
    if dim == 0 {
        return 0;
    }
    let (mut a, mut b) = (block, chunk);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Each boundary of a block or a chunk starts a new overlap; boundaries that coincide, at common multiples, start
    // one.
    let common = (block / a).checked_mul(chunk).map_or(0, |both| (dim - 1) / both);
    (dim.div_ceil(block) - 1) + (dim.div_ceil(chunk) - 1) - common + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn blocks_and_chunks_meet_as_often_as_one_counts_them() {
        for dim in 1..30 {
            for block in 1..12 {
                for chunk in 1..12 {
                    let meet = (0..dim).map(|at| (at / block, at / chunk)).collect::<HashSet<_>>().len();
                    assert_eq!(overlap_count(dim, block, chunk), meet as u64, "{dim} {block} {chunk}");
                }
            }
        }
        assert_eq!(overlap_count(u64::MAX, u64::MAX, u64::MAX - 1), 2);
    }
}
