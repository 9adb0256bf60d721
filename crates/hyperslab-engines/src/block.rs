//! The elements of a dataset that one call reads or writes.

use hyperslab::{Axis, Selection};

/// One read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// First element.
    pub start: Vec<u64>,
    /// Elements wanted, by dimension.
    pub count: Vec<u64>,
    /// Distance between them, by dimension.
    pub step: Vec<u64>,
}

impl Block {
    /// All elements of this extent; nothing where it has none.
    pub fn whole(shape: &[u64]) -> Option<Self> {
        let rank = shape.len();
        (!shape.contains(&0)).then(|| Self {
            start: vec![0; rank],
            count: shape.to_vec(),
            step: vec![1; rank],
        })
    }

    /// Number of elements (saturating).
    pub fn elements(&self) -> u64 {
        self.count.iter().fold(1, |n, count| n.saturating_mul(*count))
    }

    /// Bytes of its elements (saturating).
    pub fn bytes(&self, element_bytes: usize) -> u64 {
        self.elements().saturating_mul(element_bytes as u64)
    }

    /// True where it has so many dimensions.
    pub fn has_rank(&self, rank: usize) -> bool {
        [&self.start, &self.count, &self.step].iter().all(|numbers| numbers.len() == rank)
    }

    /// What is wrong with it for an extent of this shape, in words.
    pub fn check(&self, shape: &[u64]) -> Result<(), String> {
        if !self.has_rank(shape.len()) {
            return Err(format!(
                "a block of {} dimensions, but the dataset has {}",
                self.count.len(),
                shape.len()
            ));
        }
        let axes = self.start.iter().zip(&self.count).zip(&self.step).zip(shape);
        let is_inside = |(((start, count), step), dim): (((&u64, &u64), &u64), &u64)| {
            let last = count.saturating_sub(1).saturating_mul(*step).saturating_add(*start);
            *count == 0 || last < *dim
        };
        if axes.into_iter().all(is_inside) {
            return Ok(());
        }
        let Self { start, count, step } = self;
        Err(format!(
            "{count:?} elements from {start:?} on, every {step:?}, do not lie in an extent of {shape:?}"
        ))
    }

    /// True where every element of the block is wanted.
    pub fn is_plain(&self) -> bool {
        self.step.iter().all(|step| *step == 1)
    }
}

/// A block as hyperslab selects it.
pub fn selection(block: &Block) -> hyperslab::Result<Selection> {
    let ranges = block.start.iter().zip(&block.count).zip(&block.step);
    let axes = ranges.map(|((start, count), step)| Axis::range(*start, *count, *step));
    axes.collect::<hyperslab::Result<_>>().map(Selection::Slab)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_lies_inside_or_is_refused() {
        let block = |start: &[u64], count: &[u64], step: &[u64]| {
            Block { start: start.to_vec(), count: count.to_vec(), step: step.to_vec() }.check(&[4, 5])
        };
        for (start, count, step) in
            [([0, 0], [4, 5], [1, 1]), ([3, 0], [1, 3], [9, 2]), ([9, 0], [0, 5], [1, 1])]
        {
            assert_eq!(block(&start, &count, &step), Ok(()));
        }
        assert!(block(&[0, 1], &[4, 5], &[1, 1]).unwrap_err().contains("extent of [4, 5]"));
        assert!(block(&[0, 0], &[2, 1], &[4, 1]).is_err());
        assert!(block(&[u64::MAX, 0], &[2, 1], &[1, 1]).is_err());
        assert!(block(&[1, 0], &[2, 1], &[u64::MAX, 1]).is_err());
        for (start, count, step) in [(2, 2, 1), (2, 1, 2), (1, 2, 2), (3, 3, 3)] {
            assert!(block(&vec![0; start], &vec![1; count], &vec![1; step]).unwrap_err().contains("has 2"));
        }
    }
}
