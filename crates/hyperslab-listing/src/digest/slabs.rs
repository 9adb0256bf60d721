//! Divides a dataset into slabs that are read one after the other.
//!
//! A slab is a run of whole rows, in row-major order, of a limited size in bytes. If possible it ends at a chunk
//! boundary, so that no chunk is decoded twice.

/// The usual size of a slab. In a small file a slab is no larger than the file, which may claim any extent.
const SLAB_BYTES: u64 = 64 << 20;
/// The minimum size of a slab in a small file.
const SLAB_BYTES_MIN: u64 = 4 << 20;
/// The largest number of chunks that a slab touches, unless a single row touches more.
const SLAB_CHUNKS: u64 = 1 << 20;
/// The size up to which a slab may grow, within the length of the file, to contain whole chunks.
const CHUNKS_BYTES_MAX: u64 = 256 << 20;

/// Starts and counts of the slabs. Each element is in exactly one of them; each slab is contiguous in row-major order.
pub fn slabs(
    dims: &[u64],
    chunk: Option<&[u64]>,
    element_bytes: u64,
    file_len: u64,
) -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> + Send {
    let (axis, rows) = cut(dims, chunk, element_bytes, file_len);
    let dims = dims.to_vec();
    let mut next = (!dims.contains(&0)).then(|| vec![0u64; dims.len()]);
    std::iter::from_fn(move || {
        let start = next.take()?;
        let mut count = vec![1; dims.len()];
        for inner in axis..dims.len() {
            count[inner] = if inner == axis { rows.min(dims[axis] - start[axis]) } else { dims[inner] };
        }
        next = advance(&start, &count, &dims, axis);
        Some((start, count))
    })
}

/// The axis along which the dataset is divided, and the number of indexes per slab. Slower axes are iterated one index
/// at a time.
fn cut(dims: &[u64], chunk: Option<&[u64]>, element_bytes: u64, file_len: u64) -> (usize, u64) {
    let slab_bytes = file_len.clamp(SLAB_BYTES_MIN, SLAB_BYTES);
    let chunks_bytes_max = file_len.clamp(SLAB_BYTES_MIN, CHUNKS_BYTES_MAX);
    let chunk_along = |axis: usize| chunk.and_then(|chunk| chunk.get(axis)).map(|&size| size.max(1));
    let chunks_along = |axis: usize, dim: u64| chunk_along(axis).map_or(1, |size| dim.div_ceil(size));
    let (mut row_bytes, mut row_chunks) = (element_bytes.max(1), 1u64);
    let mut axis = dims.len();
    // The slowest axis of which at least one index fits in a slab.
    while axis > 0 {
        axis -= 1;
        let dim = dims[axis].max(1);
        let larger_bytes = row_bytes.saturating_mul(dim);
        let larger_chunks = row_chunks.saturating_mul(chunks_along(axis, dim));
        if axis == 0 || larger_bytes > slab_bytes || larger_chunks > SLAB_CHUNKS {
            break;
        }
        (row_bytes, row_chunks) = (larger_bytes, larger_chunks);
    }
    let Some(&dim) = dims.get(axis) else { return (axis, 1) };
    let chunk = chunk_along(axis).unwrap_or(1).min(dim.max(1));
    let by_chunks = match chunk_along(axis) {
        Some(size) => (SLAB_CHUNKS / row_chunks).max(1).saturating_mul(size),
        None => u64::MAX,
    };
    let rows = (slab_bytes / row_bytes).clamp(1, dim.max(1)).min(by_chunks);
    let aligned = if rows >= chunk {
        rows - rows % chunk
    } else if chunk.saturating_mul(row_bytes) <= chunks_bytes_max {
        chunk
    } else {
        rows
    };
    (axis, aligned)
}

fn advance(start: &[u64], count: &[u64], dims: &[u64], axis: usize) -> Option<Vec<u64>> {
    let mut next = start.to_vec();
    for at in (0..dims.len().min(axis + 1)).rev() {
        next[at] += count[at];
        if next[at] < dims[at] {
            return Some(next);
        }
        next[at] = 0;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(dims: &[u64], chunk: Option<&[u64]>, element_bytes: u64) -> Vec<(Vec<u64>, Vec<u64>)> {
        slabs(dims, chunk, element_bytes, u64::MAX).collect()
    }

    #[test]
    fn small_datasets_are_one_slab() {
        assert_eq!(all(&[], None, 8), [(vec![], vec![])]);
        assert_eq!(all(&[3, 4], None, 8), [(vec![0, 0], vec![3, 4])]);
        assert_eq!(all(&[3, 0], None, 8), []);
    }

    #[test]
    fn slabs_end_where_chunks_end() {
        let found = all(&[1460, 361, 720], Some(&[10, 361, 720]), 4);
        assert_eq!(found[0], (vec![0, 0, 0], vec![60, 361, 720]));
        assert_eq!(found.last().unwrap(), &(vec![1440, 0, 0], vec![20, 361, 720]));
        let large_chunks = all(&[1460, 361, 720], Some(&[100, 361, 720]), 4);
        assert_eq!(large_chunks[0].1, [100, 361, 720]);
    }

    #[test]
    fn a_row_too_large_is_cut_along_a_faster_axis() {
        let found = all(&[2, 3, 1 << 30], Some(&[2, 3, 1 << 20]), 1);
        assert_eq!(found[0], (vec![0, 0, 0], vec![1, 1, 64 << 20]));
        assert_eq!(found.len(), 2 * 3 * 16);
        assert_eq!(found[16].0, [0, 1, 0]);
    }

    #[test]
    fn tiny_chunks_make_small_slabs() {
        let found = all(&[1 << 26], Some(&[1]), 1);
        assert_eq!((found.len(), &found[0].1), (64, &vec![1 << 20]));
        assert_eq!(all(&[4, 1 << 22], Some(&[1, 1]), 1)[0].1, [1, 1 << 20]);
    }

    #[test]
    fn a_small_file_makes_small_slabs() {
        let first = |chunk: Option<&[u64]>, file_len| slabs(&[1 << 30], chunk, 1, file_len).next().unwrap().1;
        assert_eq!(first(None, 2000), [4 << 20]);
        assert_eq!(first(None, 40 << 20), [40 << 20]);
        assert_eq!(first(Some(&[200 << 20]), 2000), [4 << 20]);
        assert_eq!(first(Some(&[200 << 20]), 1 << 30), [200 << 20]);
    }

    #[test]
    fn every_element_once_and_in_order() {
        let dims = [3, 5, 1 << 24];
        let mut expected = 0;
        for (start, count) in slabs(&dims, None, 1, u64::MAX) {
            assert_eq!((start[0] * 5 + start[1]) * dims[2] + start[2], expected);
            expected += count.iter().product::<u64>();
            assert!(count.iter().product::<u64>() <= SLAB_BYTES);
        }
        assert_eq!(expected, dims.iter().product::<u64>());
    }
}
