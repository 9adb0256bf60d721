//! Blocks of elements of an array, and copies between buffers that contain them.

/// A block: `count` elements from `start` on, along each axis. A buffer of a block has its elements in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The index of its first element along each axis.
    pub start: Vec<u64>,
    /// The number of elements along each axis.
    pub count: Vec<u64>,
}

impl Block {
    /// The chunk at these coordinates of the chunk grid, including the part beyond the extent.
    pub fn of_chunk(coords: &[u64], chunk: &[u64]) -> Self {
        let start = coords.iter().zip(chunk).map(|(at, size)| at.saturating_mul(*size)).collect();
        Self { start, count: chunk.to_vec() }
    }

    /// The part of it that lies within the extent.
    pub fn within(mut self, extent: &[u64]) -> Self {
        for ((count, start), dim) in self.count.iter_mut().zip(&self.start).zip(extent) {
            *count = (*count).min(dim.saturating_sub(*start));
        }
        self
    }

    /// The elements that both have; `None` if there are none.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        for axis in 0..self.start.len() {
            let start = self.start[axis].max(other.start[axis]);
            let end = self.end(axis).min(other.end(axis));
            if start >= end {
                return None;
            }
            (both.start[axis], both.count[axis]) = (start, end - start);
        }
        Some(both)
    }

    /// The first index after it, along an axis.
    pub fn end(&self, axis: usize) -> u64 {
        self.start[axis].saturating_add(self.count[axis])
    }

    /// True if another block goes on where this one ends along an axis.
    pub fn is_followed_by(&self, other: &Self, axis: usize) -> bool {
        let is_same = |other_axis: usize| {
            (self.start[other_axis], self.count[other_axis])
                == (other.start[other_axis], other.count[other_axis])
        };
        axis < self.start.len()
            && other.start[axis] == self.end(axis)
            && (0..self.start.len()).all(|other_axis| other_axis == axis || is_same(other_axis))
    }

    /// The number of its elements, at most `u64::MAX`.
    pub fn elements(&self) -> u64 {
        self.count.iter().fold(1, |product: u64, count| product.saturating_mul(*count))
    }

    /// True if the elements of this part of another block are one run of its buffer.
    pub fn is_run_of(&self, whole: &Self) -> bool {
        let several = (0..self.count.len()).find(|&axis| self.count[axis] > 1);
        several.is_none_or(|axis| self.count[axis + 1..] == whole.count[axis + 1..])
    }

    /// The offset of an element in a buffer of this block, in elements.
    pub fn offset(&self, at: &[u64]) -> u64 {
        (0..at.len()).fold(0, |offset, axis| offset * self.count[axis] + (at[axis] - self.start[axis]))
    }
}

/// Copies the elements that two blocks have in common from the buffer of one into the buffer of the other.
///
/// # Panics
///
/// If a buffer is smaller than its block.
pub fn copy_common(
    (from, from_block): (&[u8], &Block),
    (to, to_block): (&mut [u8], &Block),
    element_bytes: usize,
) {
    let Some(common) = from_block.intersection(to_block) else { return };
    // Axes at the end that are complete in both are one run of bytes with the axis before them.
    let rank = common.count.len();
    let is_whole = |axis: usize| {
        from_block.count[axis] == common.count[axis] && to_block.count[axis] == common.count[axis]
    };
    let mut inner = rank;
    while inner > 0 && is_whole(inner - 1) {
        inner -= 1;
    }
    let outer = inner.saturating_sub(1);
    let run = common.count[outer..].iter().product::<u64>() as usize * element_bytes;
    // Runs at equal distances follow each other along the axis before it.
    let rows = outer.checked_sub(1);
    let count = rows.map_or(1, |axis| common.count[axis]);
    let stride = |block: &Block| block.count[outer..].iter().product::<u64>() as usize * element_bytes;
    let (from_stride, to_stride) = (stride(from_block), stride(to_block));
    let mut at = common.start.clone();
    loop {
        let mut source = from_block.offset(&at) as usize * element_bytes;
        let mut target = to_block.offset(&at) as usize * element_bytes;
        for _ in 0..count {
            to[target..target + run].copy_from_slice(&from[source..source + run]);
            (source, target) = (source + from_stride, target + to_stride);
        }
        let last = rows.unwrap_or(0);
        let Some(axis) = (0..last).rev().find(|&axis| at[axis] + 1 < common.end(axis)) else { return };
        at[axis] += 1;
        at[axis + 1..last].copy_from_slice(&common.start[axis + 1..last]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(axes: &[(u64, u64)]) -> Block {
        Block {
            start: axes.iter().map(|axis| axis.0).collect(),
            count: axes.iter().map(|axis| axis.1).collect(),
        }
    }

    /// The elements of a block in row-major order, each as the coordinates.
    fn elements(block: &Block) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for (start, count) in block.start.iter().zip(&block.count) {
            all = all
                .into_iter()
                .flat_map(|at| (*start..start + count).map(move |i| [&at[..], &[i]].concat()))
                .collect();
        }
        all
    }

    #[test]
    fn scalars_are_copied() {
        let mut to = [0; 4];
        copy_common((&[1, 2, 3, 4], &block(&[])), (&mut to, &block(&[])), 4);
        assert_eq!(to, [1, 2, 3, 4]);
    }

    #[test]
    fn parts_that_are_runs() {
        let whole = block(&[(2, 3), (0, 4), (5, 6)]);
        let is_run = |axes: &[(u64, u64)]| block(axes).is_run_of(&whole);
        assert!(is_run(&[(2, 2), (0, 4), (5, 6)]) && is_run(&[(4, 1), (1, 2), (5, 6)]));
        assert!(is_run(&[(3, 1), (3, 1), (6, 2)]) && is_run(&[(3, 1), (3, 1), (6, 1)]));
        assert!(!is_run(&[(2, 2), (0, 3), (5, 6)]) && !is_run(&[(4, 1), (1, 2), (5, 5)]));
        assert!(block(&[]).is_run_of(&block(&[])));
    }

    proptest! {
        #[test]
        fn each_common_element_is_copied_and_no_other(
            axes in prop::collection::vec((0u64..4, 1u64..5, 0u64..4, 1u64..5), 1..4),
            element_bytes in 1usize..4,
        ) {
            let from = block(&axes.iter().map(|axis| (axis.0, axis.1)).collect::<Vec<_>>());
            let to = block(&axes.iter().map(|axis| (axis.2, axis.3)).collect::<Vec<_>>());
            let value = |at: &[u64]| 1 + at.iter().fold(0, |value, i| value * 9 + i) as u8 % 200;
            let bytes: Vec<u8> =
                elements(&from).iter().flat_map(|at| vec![value(at); element_bytes]).collect();
            let mut found = vec![0; to.elements() as usize * element_bytes];
            copy_common((&bytes, &from), (&mut found, &to), element_bytes);
            let is_in = |at: &Vec<u64>| elements(&from).contains(at);
            let expected: Vec<u8> = elements(&to)
                .iter()
                .flat_map(|at| vec![if is_in(at) { value(at) } else { 0 }; element_bytes])
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
