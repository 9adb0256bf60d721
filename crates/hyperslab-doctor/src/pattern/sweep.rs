//! A block swept over an extent.

use super::order::is_permutation;

/// All positions of a block, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    shape: Vec<u64>,
    block: Vec<u64>,
    order: Vec<usize>,
}

impl Sweep {
    /// A sweep of `block` over `shape`; `order` lists the dimensions, slowest first.
    ///
    /// # Panics
    /// If the ranks of the three differ, the block is empty in some dimension, or the order is not a permutation.
    pub fn new(shape: &[u64], block: &[u64], order: &[usize]) -> Self {
        assert!(shape.len() == block.len() && shape.len() == order.len(), "ranks differ");
        assert!(!block.contains(&0), "an empty block");
        assert!(is_permutation(order), "not a permutation");
        Self { shape: shape.to_vec(), block: block.to_vec(), order: order.to_vec() }
    }

    /// A sweep in row-major order: the last dimension moves fastest.
    pub fn row_major(shape: &[u64], block: &[u64]) -> Self {
        Self::new(shape, block, &(0..shape.len()).collect::<Vec<_>>())
    }

    /// The extent that the sweep covers.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The block, before clipping.
    pub fn block(&self) -> &[u64] {
        &self.block
    }

    /// The dimensions, slowest first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Number of positions (saturating).
    pub fn reads(&self) -> u64 {
        self.shape.iter().zip(&self.block).fold(1, |n, (dim, block)| n.saturating_mul(dim.div_ceil(*block)))
    }

    /// The positions: start and clipped count of each.
    pub fn blocks(&self) -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> + '_ {
        let first = (self.reads() > 0).then(|| vec![0u64; self.shape.len()]);
        std::iter::successors(first, |start| self.after(start)).map(|start| {
            let count = (start.iter().zip(&self.block).zip(&self.shape))
                .map(|((start, block), dim)| (*block).min(dim - start))
                .collect();
            (start, count)
        })
    }

    /// The position of this number, of which there is one.
    pub fn position(&self, mut number: u64) -> Vec<u64> {
        let mut start = vec![0; self.shape.len()];
        for &axis in self.order.iter().rev() {
            let places = self.shape[axis].div_ceil(self.block[axis]).max(1);
            start[axis] = number % places * self.block[axis];
            number /= places;
        }
        start
    }

    /// The position that follows this one.
    pub fn after(&self, start: &[u64]) -> Option<Vec<u64>> {
        let mut after = start.to_vec();
        for &axis in self.order.iter().rev() {
            match after[axis].checked_add(self.block[axis]).filter(|at| *at < self.shape[axis]) {
                Some(at) => {
                    after[axis] = at;
                    return Some(after);
                }
                None => after[axis] = 0,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_clipped_and_the_last_dimension_moves_fastest() {
        let sweep = Sweep::row_major(&[3, 5], &[2, 3]);
        let blocks: Vec<_> = sweep.blocks().collect();
        assert_eq!(sweep.reads(), 4);
        assert_eq!(
            blocks,
            [
                (vec![0, 0], vec![2, 3]),
                (vec![0, 3], vec![2, 2]),
                (vec![2, 0], vec![1, 3]),
                (vec![2, 3], vec![1, 2])
            ]
        );
    }

    #[test]
    fn an_order_changes_which_moves_fastest() {
        let starts: Vec<_> = Sweep::new(&[2, 2], &[1, 1], &[1, 0]).blocks().map(|(start, _)| start).collect();
        assert_eq!(starts, [[0, 0], [1, 0], [0, 1], [1, 1]]);
    }

    #[test]
    fn nothing_to_sweep_and_far_too_much() {
        assert_eq!(Sweep::row_major(&[0, 5], &[1, 5]).blocks().count(), 0);
        assert_eq!(Sweep::row_major(&[], &[]).blocks().count(), 1, "a scalar is read once");
        assert_eq!(Sweep::row_major(&[u64::MAX, u64::MAX], &[1, 1]).reads(), u64::MAX);
    }
}
