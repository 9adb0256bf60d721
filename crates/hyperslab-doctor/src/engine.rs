//! What a sweep costs hyperslab: an upper bound.
//!
//! A filtered chunk is decoded once as long as the process's cache has room for all chunks that the sweep returns to.
//! Otherwise the count is that of libhdf5's policy with hyperslab's budget; hyperslab's own policy keeps at least as
//! much. Unfiltered data is fetched again for each read, but for small reads that follow one another in the file: after the
//! first few, they take their bytes from blocks.

use crate::simulate::{Geometry, LibVersion, SweepCounts};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::Sweep;

/// What a sweep costs hyperslab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineCounts {
    /// Chunks put through the filter pipeline.
    pub decodes: u64,
    /// Requests for stored bytes.
    pub requests: u64,
    /// Their bytes; of filtered chunks, the decoded ones: an upper bound.
    pub bytes: u64,
}

/// Wanted runs of unfiltered data that are this close together are fetched in one request (`hyperslab_io`, local
/// files).
const GAP_BYTES: u64 = 8 << 10;
/// The largest such request.
const REQUEST_BYTES_MAX: u64 = 1 << 20;
/// The blocks that small reads take their bytes from (`hyperslab_array`, local files), in bytes.
const BLOCK_BYTES: u64 = 256 << 10;
/// The largest read that counts as small, in bytes.
const SMALL_BYTES_MAX: u64 = 32 << 10;
/// Small reads that make requests of their own before the first block is fetched.
const READS_BEFORE_BLOCKS: u64 = 4;
/// Blocks that the budget must have room for.
const BLOCKS_MIN: u64 = 8;
/// A prime above the number of chunks that any budget holds: hyperslab's cache has no slots that could collide.
const SLOTS: u64 = 4_194_301;

/// The chunk cache of a libhdf5 that approximates hyperslab's of this many bytes, where the dataset is larger.
pub fn equivalent_cache(budget_bytes: u64) -> (CacheSettings, LibVersion) {
    (CacheSettings { nbytes: budget_bytes, nslots: SLOTS, w0: 0.75 }, LibVersion::V2_2)
}

impl EngineCounts {
    /// The counts of a sweep. `limited` simulates it under [`equivalent_cache`]; it is called only where the budget is too
    /// small.
    pub(crate) fn new(
        geometry: &Geometry,
        sweep: &Sweep,
        counts: &SweepCounts,
        budget_bytes: u64,
        limited: impl FnOnce() -> SweepCounts,
    ) -> Self {
        // Nothing of what is read was ever written.
        if counts.driver_reads == 0 {
            return Self { decodes: 0, requests: 0, bytes: 0 };
        }
        let wanted_bytes = counts.touched.elements.saturating_mul(geometry.element_bytes());
        let (Some(chunk_bytes), Some(chunk)) = (geometry.chunk_bytes(), geometry.chunk_dims()) else {
            return Self::unfiltered(
                geometry,
                geometry.shape(),
                sweep,
                sweep.reads(),
                wanted_bytes,
                budget_bytes,
            );
        };
        if counts.chunks_filtered == 0 {
            return Self::unfiltered(geometry, chunk, sweep, counts.chunk_visits, wanted_bytes, budget_bytes);
        }
        let fits = counts.chunks_filtered.saturating_mul(chunk_bytes) <= budget_bytes;
        let decodes =
            if fits { counts.chunks_filtered } else { limited().decodes.max(counts.chunks_filtered) };
        Self { decodes, requests: decodes, bytes: decodes.saturating_mul(chunk_bytes) }
    }

    /// The counts of reads of unfiltered chunks of the shape `chunk`, with the number of their visits and the bytes that all of
    /// them want together: in a sweep, those of the dataset.
    fn unfiltered(
        geometry: &Geometry,
        chunk: &[u64],
        sweep: &Sweep,
        visits: u64,
        wanted_bytes: u64,
        budget_bytes: u64,
    ) -> Self {
        let piece: Vec<u64> =
            sweep.block().iter().zip(chunk).map(|(block, chunk)| *block.min(chunk)).collect();
        let (requests, bytes) = fetch(chunk, &piece, geometry.element_bytes());
        let is_small = requests == 1
            && bytes <= SMALL_BYTES_MAX
            && sweep.reads() > READS_BEFORE_BLOCKS
            && visits == sweep.reads();
        if is_small && follows_the_file(sweep, chunk, &piece) && budget_bytes >= BLOCKS_MIN * BLOCK_BYTES {
            // One block more, since the data need not begin where a block does.
            let blocks = wanted_bytes.div_ceil(BLOCK_BYTES) + 1;
            let requests = sweep.reads().min(READS_BEFORE_BLOCKS + blocks);
            return Self { decodes: 0, requests, bytes: wanted_bytes };
        }
        // Of many visits only a part of such a piece is wanted, where blocks are cut by chunks.
        let pieces = visits as f64 * piece.iter().map(|&count| count as f64).product::<f64>();
        let share = (wanted_bytes as f64 / geometry.element_bytes() as f64 / pieces.max(1.0)).min(1.0);
        let bytes = (visits as f64 * bytes as f64 * share) as u64;
        Self { decodes: 0, requests: requests.saturating_mul(visits), bytes: bytes.max(wanted_bytes) }
    }
}

/// True if each block of the sweep is one run of bytes in its chunk, and begins where the one before it ends.
fn follows_the_file(sweep: &Sweep, chunk: &[u64], piece: &[u64]) -> bool {
    let first = piece.iter().position(|&count| count > 1).unwrap_or(piece.len());
    let are_rows_whole = (first + 1..chunk.len()).all(|axis| piece[axis] == chunk[axis]);
    are_rows_whole && sweep.random().is_none() && sweep.order().iter().copied().eq(0..chunk.len())
}

/// Requests and bytes for one block of a contiguous array: runs are merged, axis by axis, where gaps are small.
fn fetch(shape: &[u64], block: &[u64], element_bytes: u64) -> (u64, u64) {
    let (mut requests, mut bytes, mut extent) = (1u64, element_bytes, element_bytes);
    let mut stride = element_bytes;
    for (&dim, &count) in shape.iter().zip(block).rev() {
        let count = count.min(dim).max(1);
        let joined = stride.saturating_mul(count - 1).saturating_add(extent);
        let is_gapless = stride == extent && requests == 1;
        if is_gapless || (stride.saturating_sub(extent) <= GAP_BYTES && requests == 1) {
            (bytes, extent) = (joined, joined);
        } else {
            requests = requests.saturating_mul(count);
            bytes = bytes.saturating_mul(count);
            extent = joined;
        }
        stride = stride.saturating_mul(dim);
    }
    (requests.max(bytes.div_ceil(REQUEST_BYTES_MAX)), bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::simulate_sweep;
    use crate::testing::{contiguous, unfiltered};
    use hyperslab_storage::pattern::RandomPlaces;

    #[test]
    fn small_reads_that_follow_one_another_share_blocks() {
        let geometry = Geometry::of(&contiguous(&[30_000, 100], 4)).unwrap().unwrap();
        let counts = |sweep: &Sweep| {
            let swept =
                simulate_sweep(&geometry, equivalent_cache(1 << 30).0, LibVersion::V2_2, sweep, 100_000);
            let engine = EngineCounts::new(&geometry, sweep, &swept, 1 << 30, || swept);
            (engine.requests, engine.bytes)
        };
        let rows = Sweep::row_major(&[30_000, 100], &[1, 100]);
        assert_eq!(counts(&rows), (4 + 46 + 1, 12_000_000));
        assert_eq!(counts(&Sweep::row_major(&[30_000, 100], &[1, 30])).0, 4 + 46 + 1, "the last is cut");
        let columns = Sweep::new(&[30_000, 100], &[1, 100], &[1, 0]);
        assert_eq!(counts(&columns).0, 30_000, "in another order");
        assert_eq!(counts(&Sweep::row_major(&[30_000, 100], &[100, 100])).0, 300, "larger reads");
    }

    #[test]
    fn unfiltered_chunks_are_fetched_in_parts() {
        let counts = |shape: &[u64], chunk: &[u64], block: &[u64]| {
            let facts = unfiltered(crate::testing::chunked(shape, chunk, 4));
            let geometry = Geometry::of(&facts).unwrap().unwrap();
            let sweep = Sweep::row_major(shape, block);
            let swept =
                simulate_sweep(&geometry, equivalent_cache(1 << 30).0, LibVersion::V2_2, &sweep, 100_000);
            let engine = EngineCounts::new(&geometry, &sweep, &swept, 1 << 30, || swept);
            (engine.requests, engine.bytes)
        };
        // The gaps between the elements of a column are fetched, too; counted by the bench: 201 requests, 25.9 MB.
        assert_eq!(counts(&[1616, 20, 10], &[1616, 2, 10], &[1616, 1, 1]), (200, 200 * (1615 * 80 + 4)));
        // Rows that lie in three chunks; counted: 15,553 requests.
        assert_eq!(counts(&[81, 64, 89], &[30, 30, 30], &[1, 1, 89]), (5184 * 3, 81 * 64 * 89 * 4));
        // Rows of a chunk that follow one another come from blocks; counted: 11 requests.
        assert_eq!(counts(&[1616, 20, 10], &[100, 20, 10], &[1, 20, 10]).0, 4 + 5 + 1);
    }

    #[test]
    fn random_places_fetch_what_they_want_and_follow_nothing() {
        let geometry = Geometry::of(&contiguous(&[30_000, 100], 4)).unwrap().unwrap();
        let places = RandomPlaces { count: 20, seed: 3 };
        let sweep = Sweep::row_major(&[30_000, 100], &[1, 100]).at_random(places);
        let swept = simulate_sweep(&geometry, equivalent_cache(1 << 30).0, LibVersion::V2_2, &sweep, 100_000);
        let engine = EngineCounts::new(&geometry, &sweep, &swept, 1 << 30, || swept);
        assert_eq!((engine.requests, engine.bytes), (20, 20 * 400));
    }

    #[test]
    fn near_rows_are_fetched_together_and_far_ones_alone() {
        assert_eq!(fetch(&[10, 100], &[1, 100], 4), (1, 400));
        assert_eq!(fetch(&[10, 100], &[10, 1], 4), (1, 9 * 400 + 4));
        assert_eq!(fetch(&[10, 100_000], &[10, 1], 4), (10, 40));
        assert_eq!(fetch(&[8, 1024, 1024], &[8, 1024, 1024], 1), (8, 8 << 20));
        // The gap between rows is small enough that a whole plane is fetched for one column.
        assert_eq!(fetch(&[125, 1000, 1000], &[125, 1000, 1], 4).1, 499_996_004);
    }
}
