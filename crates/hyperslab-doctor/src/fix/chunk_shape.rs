//! The chunk shape that suits one read even in the oldest default cache.
//!
//! The search starts from the block. If there is room, the chunk grows along the dimensions in which the sweep moves
//! fastest, so that the next reads fall into the same chunk. A block larger than the largest chunk is cut, slowest
//! dimension first, so that no other read needs its chunks.

use crate::simulate::{Geometry, LibVersion, simulate_sweep};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::Sweep;

/// The largest chunk that fits in the default cache of libhdf5 up to 1.14.
pub(crate) const REPACK_CHUNK_BYTES: u64 = 1 << 20;

/// Returns a chunk shape of at most [`REPACK_CHUNK_BYTES`] with which the sweep decodes each chunk once in a cache of
/// that size, as checked by simulation. Returns `None` if the shape found does not achieve that, or is the current one.
pub(crate) fn shape_for_read(geometry: &Geometry, sweep: &Sweep, visits_max: u64) -> Option<Vec<u64>> {
    let chunk = grow(geometry.shape(), geometry.element_bytes(), sweep)?;
    if geometry.chunk_dims() == Some(&chunk) {
        return None;
    }
    // Filtered or not, each chunk must be loaded only once.
    let rechunked = geometry.rechunked(&chunk).ok()?;
    let settings = CacheSettings { nbytes: REPACK_CHUNK_BYTES, nslots: 521, w0: 0.75 };
    let counts = simulate_sweep(&rechunked, settings, LibVersion::V1_14, sweep, visits_max);
    (counts.is_exact && counts.driver_reads <= rechunked.chunks()?.grid_chunks()).then_some(chunk)
}

fn grow(shape: &[u64], element_bytes: u64, sweep: &Sweep) -> Option<Vec<u64>> {
    if shape.contains(&0) || element_bytes > REPACK_CHUNK_BYTES {
        return None;
    }
    let mut chunk: Vec<u64> =
        sweep.block().iter().zip(shape).map(|(block, dim)| (*block).min(*dim)).collect();
    let bytes = |chunk: &[u64]| chunk.iter().fold(element_bytes, |n, d| n.saturating_mul(*d));
    for axis in 0..chunk.len() {
        let pieces = bytes(&chunk).div_ceil(REPACK_CHUNK_BYTES);
        if pieces > 1 {
            chunk[axis] = (chunk[axis] / pieces).max(1);
        }
    }
    for &axis in sweep.order().iter().rev() {
        let room = REPACK_CHUNK_BYTES / bytes(&chunk).max(1);
        let seed = chunk[axis];
        if seed >= shape[axis] {
            continue;
        }
        if seed.saturating_mul(room) >= shape[axis] {
            chunk[axis] = shape[axis];
            continue;
        }
        // Equal parts in whole blocks, rather than full ones and a remainder.
        let pieces = shape[axis].div_ceil(seed * room);
        let even = shape[axis].div_ceil(pieces).div_ceil(seed) * seed;
        chunk[axis] = even.min(seed * room);
        break;
    }
    Some(chunk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{case_study, chunked};

    fn shape(facts: &crate::DatasetFacts, block: &[u64]) -> Option<Vec<u64>> {
        let geometry = Geometry::of(facts).unwrap().unwrap();
        shape_for_read(&geometry, &Sweep::row_major(geometry.shape(), block), 1_000_000)
    }

    #[test]
    fn rows_of_the_case_study_get_the_chunks_of_the_paper() {
        assert_eq!(shape(&case_study(), &[1, 1, 1, 717]), Some(vec![1, 30, 9, 717]));
    }

    #[test]
    fn series_get_long_chunks_of_equal_size() {
        let maps = chunked(&[1460, 361, 720], &[1, 361, 720], 4);
        assert_eq!(
            shape(&maps, &[1460, 1, 1]),
            Some(vec![1460, 1, 144]),
            "720 in 5 equal pieces, not 179 and a rest"
        );
        assert_eq!(shape(&maps, &[1, 361, 720]), None, "it has that shape already");
    }

    #[test]
    fn a_read_larger_than_a_chunk_is_cut() {
        let one = chunked(&[10, 5000, 5000], &[10, 5000, 5000], 4);
        assert_eq!(shape(&one, &[1, 5000, 5000]), Some(vec![1, 52, 5000]));
    }

    #[test]
    fn no_shape_for_nothing() {
        assert_eq!(shape(&chunked(&[0, 5], &[1, 5], 4), &[1, 5]), None);
    }
}
