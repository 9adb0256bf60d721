//! Which chunks a selection touches that is a list of blocks or elements.

use std::collections::BTreeMap;

/// How many elements of each chunk are wanted, by the linear index of the chunk.
pub struct WantedChunks<'s> {
    chunk: Option<&'s [u64]>,
    strides: Vec<u64>,
    wanted: BTreeMap<u64, u64>,
}

impl<'s> WantedChunks<'s> {
    /// None of them yet. Without chunks, nothing is counted.
    pub fn new(shape: &[u64], chunk: Option<&'s [u64]>) -> Self {
        let mut strides = vec![1u64; shape.len()];
        if let Some(chunk) = chunk {
            for axis in (1..shape.len()).rev() {
                strides[axis - 1] = strides[axis].saturating_mul(shape[axis].div_ceil(chunk[axis].max(1)));
            }
        }
        Self { chunk, strides, wanted: BTreeMap::new() }
    }

    /// Adds the elements from `first` to `last` along each dimension.
    pub fn add_block(&mut self, first: &[u64], last: &[u64]) {
        let Some(chunk) = self.chunk else { return };
        let mut at: Vec<u64> = first.iter().zip(chunk).map(|(first, chunk)| first / chunk).collect();
        loop {
            let mut elements = 1u64;
            for axis in 0..at.len() {
                let begin = (at[axis] * chunk[axis]).max(first[axis]);
                let end = (at[axis] * chunk[axis] + chunk[axis] - 1).min(last[axis]);
                elements = elements.saturating_mul(end.saturating_sub(begin) + 1);
            }
            let linear = at.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum();
            *self.wanted.entry(linear).or_default() += elements;
            let Some(axis) = (0..at.len()).rev().find(|axis| at[*axis] < last[*axis] / chunk[*axis]) else {
                return;
            };
            at[axis] += 1;
            for inner in axis + 1..at.len() {
                at[inner] = first[inner] / chunk[inner];
            }
        }
    }

    /// The chunks with wanted elements, in row-major order.
    pub fn listed(self) -> Vec<(u64, u64)> {
        self.wanted.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_divided_along_the_chunks() {
        let mut wanted = WantedChunks::new(&[10, 10], Some(&[4, 5]));
        wanted.add_block(&[3, 4], &[4, 5]);
        wanted.add_block(&[9, 9], &[9, 9]);
        assert_eq!(wanted.listed(), [(0, 1), (1, 1), (2, 1), (3, 1), (5, 1)]);
        let mut nothing = WantedChunks::new(&[10], None);
        nothing.add_block(&[0], &[9]);
        assert!(nothing.listed().is_empty());
    }
}
