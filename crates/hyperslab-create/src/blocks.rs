//! Blocks of an array in row-major order.

use hyperslab_encode::block::Block;

/// The shape of blocks of at most `cells_max` cells, such that the cells of one block after the other are in row-major order:
/// whole axes at the end, and a part of the axis before them.
pub(crate) fn run_shape(counts: &[u64], cells_max: u64) -> Vec<u64> {
    let mut shape = vec![1; counts.len()];
    let mut left = cells_max.max(1);
    for (size, &count) in shape.iter_mut().zip(counts).rev() {
        *size = count.clamp(1, left);
        if *size < count {
            break;
        }
        left /= *size;
    }
    shape
}

/// The number of blocks of this shape in an array; `None` if it overflows 64 bits.
pub(crate) fn count(extent: &[u64], shape: &[u64]) -> Option<u64> {
    if extent.contains(&0) {
        return Some(0);
    }
    let mut counts = extent.iter().zip(shape).map(|(dim, size)| dim.div_ceil((*size).max(1)));
    counts.try_fold(1, |product: u64, count| product.checked_mul(count))
}

/// The block of a number in row-major order, including the part beyond the extent.
pub(crate) fn nth(extent: &[u64], shape: &[u64], number: u64) -> Block {
    let mut start = vec![0; extent.len()];
    let mut rest = number;
    for axis in (0..extent.len()).rev() {
        let size = shape[axis].max(1);
        let count = extent[axis].div_ceil(size).max(1);
        start[axis] = (rest % count).saturating_mul(size);
        rest /= count;
    }
    Block { start, count: shape.to_vec() }
}

/// All blocks of this shape, within the extent.
pub(crate) fn blocks<'a>(extent: &'a [u64], shape: &'a [u64]) -> impl Iterator<Item = Block> + 'a {
    let count = count(extent, shape).unwrap_or(0);
    (0..count).map(move |number| nth(extent, shape, number).within(extent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_runs() {
        assert_eq!(run_shape(&[10, 5, 4], 1), [1, 1, 1]);
        assert_eq!(run_shape(&[10, 5, 4], 3), [1, 1, 3]);
        assert_eq!(run_shape(&[10, 5, 4], 11), [1, 2, 4]);
        assert_eq!(run_shape(&[10, 5, 4], 45), [2, 5, 4]);
        assert_eq!(run_shape(&[10, 5, 4], u64::MAX), [10, 5, 4]);
        assert_eq!(run_shape(&[], 7), [0; 0]);
        for cells in 1..60 {
            let extent = [3, 4, 5];
            let shape = run_shape(&extent, cells);
            let mut next = 0;
            for block in blocks(&extent, &shape) {
                let whole = Block { start: vec![0; 3], count: extent.to_vec() };
                assert_eq!(whole.offset(&block.start), next, "{cells}");
                assert!(block.is_run_of(&whole) && block.elements() <= cells);
                next += block.elements();
            }
            assert_eq!(next, 60);
        }
    }

    #[test]
    fn a_scalar_is_one_block_and_an_empty_array_none() {
        assert_eq!(blocks(&[], &[]).count(), 1);
        assert_eq!(blocks(&[3, 0], &[1, 1]).count(), 0);
        assert_eq!(count(&[u64::MAX, 3], &[1, 1]), None);
        assert_eq!(count(&[u64::MAX, 3, 0], &[1, 1, 1]), Some(0));
    }
}
