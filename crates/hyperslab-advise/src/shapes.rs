//! The chunk shapes that are considered.
//!
//! * A lattice: along each axis the extent divided into 1, 2, 3, 4, 6, 8, 12 … equal parts, in all combinations. It contains
//!   the balanced tilings.
//! * From each read: its block, and its block cut or grown to each size, along the axes in either order.
//! * The present shape.
//!
//! All have 64 KiB to 32 MiB, unless the whole dataset is smaller; the present one may have any size. The block of a read may be
//! smaller where the dataset has few of them.

use std::collections::BTreeSet;

use hyperslab_doctor::lattice;

/// Smaller chunks cost more to find than to read.
pub const CHUNK_BYTES_MIN: u64 = 64 << 10;
/// Larger ones fit no default cache.
pub const CHUNK_BYTES_MAX: u64 = 32 << 20;
/// The block of a read is a chunk shape down to this size, if the dataset has at most so many of them.
const BLOCK_BYTES_MIN: u64 = 4 << 10;
const BLOCKS_MAX: u64 = 4096;
/// At most so many shapes of the lattice for a full search; with more, extents are divided in larger steps.
pub(crate) const LATTICE_MAX: usize = 12_000;

/// The shapes, each once, in the order of their extents; at most `lattice_max` of them from the lattice.
pub(crate) fn shapes(
    shape: &[u64],
    element_bytes: u64,
    blocks: &[Vec<u64>],
    present: Option<&[u64]>,
    lattice_max: usize,
) -> Vec<Vec<u64>> {
    let mut found: BTreeSet<Vec<u64>> = present.map(<[u64]>::to_vec).into_iter().collect();
    if shape.is_empty() || shape.contains(&0) || element_bytes == 0 || element_bytes > CHUNK_BYTES_MAX {
        return found.into_iter().collect();
    }
    let total = bytes(shape, element_bytes);
    let sizes = CHUNK_BYTES_MIN.min(total)..=CHUNK_BYTES_MAX;
    let is_fit = |chunk: &Vec<u64>| sizes.contains(&bytes(chunk, element_bytes));
    let longest = (CHUNK_BYTES_MAX / element_bytes).max(1);
    let lattice = lattice(shape, lattice_max, |dim, step| parts(dim, step, longest));
    found.extend(lattice.into_iter().filter(is_fit));
    for block in blocks {
        let own = clamped(shape, block);
        let small = BLOCK_BYTES_MIN..CHUNK_BYTES_MIN;
        let is_small = small.contains(&bytes(&own, element_bytes)) && number(shape, &own) <= BLOCKS_MAX;
        found.extend(Some(own).filter(|own| is_small || is_fit(own)));
        let mut size = CHUNK_BYTES_MIN;
        while size <= CHUNK_BYTES_MAX {
            for fastest_first in [true, false] {
                found.extend(
                    Some(from_block(shape, element_bytes, block, size, fastest_first)).filter(is_fit),
                );
            }
            size *= 2;
        }
    }
    found.into_iter().collect()
}

fn bytes(chunk: &[u64], element_bytes: u64) -> u64 {
    chunk.iter().fold(element_bytes, |n, d| n.saturating_mul(*d))
}

/// Chunks of the dataset.
fn number(shape: &[u64], chunk: &[u64]) -> u64 {
    shape.iter().zip(chunk).fold(1, |n, (dim, len)| n.saturating_mul(dim.div_ceil(*len)))
}

/// The extent in equal parts: their lengths, none above `longest`. The numbers of parts are 1, 2, 3, 4, 6, 8, 12 … at step
/// 0, the powers of 2 at step 1, of 4 at step 2, of 8 at step 3.
fn parts(dim: u64, step: u32, longest: u64) -> Vec<u64> {
    let mut lengths: BTreeSet<u64> = BTreeSet::from([1]);
    for power in (0..64).step_by(step.max(1) as usize) {
        let number = 1u64 << power;
        lengths.insert(dim.div_ceil(number));
        if step == 0 && power > 0 {
            lengths.insert(dim.div_ceil(number.saturating_add(number / 2)));
        }
        if number > dim {
            break;
        }
    }
    lengths.into_iter().filter(|length| *length <= longest).collect()
}

/// The block of a read, within the extent.
fn clamped(shape: &[u64], block: &[u64]) -> Vec<u64> {
    block.iter().zip(shape).map(|(block, dim)| (*block).clamp(1, *dim)).collect()
}

/// The block of a read, cut to a size along the slowest axes first, or grown to it along the fastest (or slowest) first.
fn from_block(shape: &[u64], element_bytes: u64, block: &[u64], size: u64, fastest_first: bool) -> Vec<u64> {
    let mut chunk = clamped(shape, block);
    for axis in 0..chunk.len() {
        let pieces = bytes(&chunk, element_bytes).div_ceil(size);
        if pieces > 1 {
            chunk[axis] = (chunk[axis] / pieces).max(1);
        }
    }
    let mut axes: Vec<usize> = (0..chunk.len()).collect();
    if fastest_first {
        axes.reverse();
    }
    for axis in axes {
        let room = size / bytes(&chunk, element_bytes).max(1);
        if room < 2 || chunk[axis] >= shape[axis] {
            continue;
        }
        let most = chunk[axis].saturating_mul(room).min(shape[axis]);
        // Equal parts, rather than full ones and a remainder.
        chunk[axis] = shape[axis].div_ceil(shape[axis].div_ceil(most));
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_keep_to_their_sizes_in_any_rank() {
        for (shape, element) in [
            (vec![8000, 20, 20], 4),
            (vec![60, 30, 9, 717], 4),
            (vec![7; 12], 8),
            (vec![u64::MAX / 16, 2], 1),
        ] {
            let found = shapes(&shape, element, std::slice::from_ref(&shape), None, LATTICE_MAX);
            assert!(!found.is_empty() && found.len() <= LATTICE_MAX + 20, "{shape:?}: {}", found.len());
            for chunk in found {
                assert!((CHUNK_BYTES_MIN..=CHUNK_BYTES_MAX).contains(&bytes(&chunk, element)), "{chunk:?}");
                assert!(chunk.iter().zip(&shape).all(|(chunk, dim)| chunk <= dim), "{chunk:?}");
            }
        }
    }

    #[test]
    fn the_present_shape_and_those_of_the_papers_are_among_them() {
        let found = shapes(&[60, 30, 9, 717], 4, &[vec![1, 1, 1, 717]], Some(&[4, 30, 9, 717]), LATTICE_MAX);
        assert!(found.contains(&vec![4, 30, 9, 717]) && found.contains(&vec![1, 30, 9, 717]));
        let series = shapes(&[1460, 361, 720], 4, &[vec![1460, 1, 1], vec![1, 361, 720]], None, LATTICE_MAX);
        assert!(series.contains(&vec![1460, 1, 144]), "1460 x 144 floats are 0.8 MiB");
        assert!(series.contains(&vec![1, 361, 720]));
        // A block that neither divides the extent nor has a round size.
        assert!(shapes(&[39, 36_841], 4, &[vec![39, 969]], None, LATTICE_MAX).contains(&vec![39, 969]));
    }

    #[test]
    fn small_blocks_are_shapes_where_they_are_few() {
        let of = |rows: u64, block: [u64; 2]| {
            shapes(&[rows, 4096], 4, &[block.to_vec()], None, LATTICE_MAX).contains(&block.to_vec())
        };
        assert!(of(1000, [10, 400]), "1,100 blocks of 16 kB");
        assert!(!of(1_000_000, [10, 400]), "1,100,000 blocks");
        assert!(!of(1000, [2, 400]), "3,200 bytes");
    }

    #[test]
    fn small_data_is_one_chunk_and_no_data_none() {
        assert!(shapes(&[10, 10], 4, &[], None, LATTICE_MAX).contains(&vec![10, 10]));
        assert!(shapes(&[0, 10], 4, &[], None, LATTICE_MAX).is_empty());
        assert!(shapes(&[10], u64::MAX, &[], None, LATTICE_MAX).is_empty(), "elements larger than a chunk");
    }

    #[test]
    fn blocks_grow_in_equal_parts() {
        assert_eq!(from_block(&[1000, 1000], 4, &[1, 1000], 1 << 20, true), [250, 1000]);
        assert_eq!(from_block(&[10, 5000, 5000], 4, &[1, 5000, 5000], 1 << 20, true), [1, 52, 5000]);
    }
}
