//! Chunk shapes of about a given number of bytes.

/// The chunk that serves reads in blocks of `read` elements, in row-major order of the blocks.
///
/// A block smaller than a chunk grows along the fastest axes first, so that the next reads find their elements in the
/// same chunk. A larger one is cut along the slowest axis first, so that no other read needs its chunks.
pub(crate) fn serving(extent: &[u64], read: &[u64], element_bytes: u64, bytes_max: u64) -> Vec<u64> {
    let mut chunk: Vec<u64> = read.iter().zip(extent).map(|(&block, &dim)| block.min(dim).max(1)).collect();
    let bytes = |chunk: &[u64]| chunk.iter().fold(element_bytes.max(1), |n, dim| n.saturating_mul(*dim));
    for axis in 0..chunk.len() {
        let pieces = bytes(&chunk).div_ceil(bytes_max.max(1));
        if pieces > 1 {
            chunk[axis] = (chunk[axis] / pieces).max(1);
        }
    }
    for axis in (0..chunk.len()).rev() {
        let times = bytes_max / bytes(&chunk);
        if times < 2 {
            break;
        }
        // Equal parts in whole blocks, rather than full ones and a remainder.
        let (block, dim) = (chunk[axis], extent[axis].max(1));
        let parts = dim.div_ceil(block.saturating_mul(times)).max(1);
        let even = dim.div_ceil(parts).div_ceil(block).saturating_mul(block);
        chunk[axis] = even.min(dim);
    }
    chunk
}

/// Rows: as many whole axes at the end as fit into a chunk of so many bytes.
pub(crate) fn rows(extent: &[u64], element_bytes: u64, bytes_max: u64) -> Vec<u64> {
    serving(extent, &vec![1; extent.len()], element_bytes, bytes_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T2M: [u64; 3] = [1460, 361, 720];

    #[test]
    fn small_blocks_grow_along_the_fastest_axis() {
        assert_eq!(serving(&T2M, &[1460, 1, 1], 4, 1 << 20), [1460, 1, 144]);
        assert_eq!(serving(&T2M, &[1, 361, 720], 4, 4 << 20), [4, 361, 720]);
        assert_eq!(rows(&T2M, 4, 1 << 20), [1, 361, 720]);
        assert_eq!(rows(&[5, 10], 8, 1 << 20), [5, 10]);
        assert_eq!(rows(&[0, 10], 8, 1 << 20), [1, 10]);
    }

    #[test]
    fn large_blocks_are_cut_along_the_slowest_axis() {
        assert_eq!(serving(&[10, 5000, 5000], &[1, 5000, 5000], 4, 1 << 20), [1, 52, 5000]);
        assert_eq!(serving(&[1 << 40], &[1 << 40], 1 << 20, 1 << 20), [1]);
    }
}
