//! The wanted indexes along one axis.

use super::Blocks;
use super::refused::out_of_range;
use crate::Result;

/// Indexes along one axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Axis {
    /// Regular blocks, such as a range.
    Blocks(Blocks),
    /// Any indexes, in the wanted order.
    List(Vec<u64>),
}

impl Axis {
    /// Every index of an axis of `dim` elements.
    pub fn all(dim: u64) -> Self {
        Axis::Blocks(Blocks::span(0, dim))
    }

    /// `start..end`.
    pub fn span(start: u64, end: u64) -> Self {
        Axis::Blocks(Blocks::span(start, end.saturating_sub(start)))
    }

    /// Evenly spaced indexes: `start`, `start + step`, … (`count` of them).
    ///
    /// # Errors
    /// `ErrorKind::Invalid` if `step` is 0, or if an index overflows 64 bits.
    pub fn range(start: u64, count: u64, step: u64) -> Result<Self> {
        Blocks::new(start, step, count, 1).map(Axis::Blocks)
    }

    /// One axis of HDF5's hyperslab: `count` blocks of `block` indexes; the first block begins at `start`, and each
    /// other one `stride` indexes after the previous one.
    ///
    /// # Errors
    /// `ErrorKind::Invalid` if `stride` is 0 or blocks overlap, or if an index overflows 64 bits.
    pub fn hyperslab(start: u64, stride: u64, count: u64, block: u64) -> Result<Self> {
        Blocks::new(start, stride, count, block).map(Axis::Blocks)
    }

    /// These indexes, as regular blocks if they are evenly spaced.
    pub(crate) fn listed(indexes: Vec<u64>) -> Self {
        let (start, count) = (indexes.first().copied().unwrap_or(0), indexes.len() as u64);
        let step = indexes.get(1).map_or(1, |second| second.saturating_sub(start));
        let even = step > 0 && indexes.windows(2).all(|pair| pair[0].checked_add(step) == Some(pair[1]));
        match Blocks::new(start, step, count, 1) {
            Ok(blocks) if even => Axis::Blocks(blocks),
            _ => Axis::List(indexes),
        }
    }

    /// The number of indexes.
    pub fn len(&self) -> u64 {
        match self {
            Axis::Blocks(blocks) => blocks.len(),
            Axis::List(list) => list.len() as u64,
        }
    }

    /// True if there are no indexes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The smallest and the largest index; `None` if there are none.
    pub fn bounds(&self) -> Option<(u64, u64)> {
        match self {
            Axis::Blocks(blocks) => blocks.bounds(),
            Axis::List(list) => Some((*list.iter().min()?, *list.iter().max()?)),
        }
    }

    /// Returns an error if an index is not below `dim`, the size of axis `axis`.
    pub fn check(&self, axis: usize, dim: u64) -> Result<()> {
        let beyond = match self {
            Axis::Blocks(blocks) => blocks.bounds().map(|(_, last)| last).filter(|&last| last >= dim),
            Axis::List(list) => list.iter().copied().find(|&index| index >= dim),
        };
        beyond.map_or(Ok(()), |index| Err(out_of_range(index, axis, dim)))
    }
}
