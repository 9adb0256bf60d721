//! The grid of chunks over an array, and the numbers of its chunks.

use crate::{Error, Result};

/// The number of a chunk in the grid of its dataset, in row-major order. The grid of a sparse dataset may have more
/// than 2⁶⁴ chunks.
pub type ChunkNumber = u128;

/// The chunk grid of a dataset: the number of chunks along each axis, and the numbering of chunks in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkGrid {
    counts: Vec<u64>,
    chunk_shape: Vec<u64>,
}

impl ChunkGrid {
    /// The grid of chunks of `chunk_shape` over an array of `shape`, both in elements.
    ///
    /// # Errors
    /// A chunk without elements, a different number of axes, or more than 2¹²⁸ chunks.
    pub fn new(shape: &[u64], chunk_shape: &[u64]) -> Result<Self> {
        if shape.len() != chunk_shape.len() || chunk_shape.contains(&0) {
            return Err(Error::damaged(format!(
                "chunks of {chunk_shape:?} elements in an array of {shape:?}"
            )));
        }
        let counts: Vec<u64> =
            shape.iter().zip(chunk_shape).map(|(dim, chunk)| dim.div_ceil(*chunk)).collect();
        let product = |product: u128, &count: &u64| product.checked_mul(count.max(1).into());
        if counts.iter().try_fold(1, product).is_none() {
            return Err(Error::unsupported(format!(
                "a grid of {counts:?} chunks has more than 2^128 of them"
            )));
        }
        Ok(Self { counts, chunk_shape: chunk_shape.to_vec() })
    }

    /// The number of chunks along each axis.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The sizes of a chunk in elements.
    pub fn chunk_shape(&self) -> &[u64] {
        &self.chunk_shape
    }

    /// The number of chunks in the grid, existing or not.
    pub fn len(&self) -> ChunkNumber {
        self.counts.iter().map(|&count| ChunkNumber::from(count)).product()
    }

    /// True if the grid has no chunks.
    pub fn is_empty(&self) -> bool {
        self.counts.contains(&0)
    }

    /// The number of the chunk at these coordinates in the chunk grid.
    pub fn number(&self, coordinates: impl IntoIterator<Item = u64>) -> ChunkNumber {
        coordinates.into_iter().zip(&self.counts).fold(0, |number, (coordinate, &count)| {
            number * ChunkNumber::from(count.max(1)) + u128::from(coordinate)
        })
    }

    /// The coordinates of a chunk in the chunk grid.
    pub fn coordinates(&self, number: ChunkNumber) -> Vec<u64> {
        let mut coordinates = vec![0; self.counts.len()];
        self.write_coordinates(number, &mut coordinates);
        coordinates
    }

    /// The coordinates of the first element of a chunk (h5py's `chunk_offset`).
    pub fn offset(&self, number: ChunkNumber) -> Vec<u64> {
        let mut offset = self.coordinates(number);
        offset.iter_mut().zip(&self.chunk_shape).for_each(|(at, chunk)| *at = at.saturating_mul(*chunk));
        offset
    }

    /// Writes the coordinates of a chunk (in chunks).
    pub(crate) fn write_coordinates(&self, number: ChunkNumber, coordinates: &mut [u64]) {
        let axes = coordinates.iter_mut().zip(&self.counts).rev();
        match u64::try_from(number) {
            // Division of 64 bits is several times as fast.
            Ok(mut rest) => axes.for_each(|(coordinate, &count)| {
                *coordinate = rest % count.max(1);
                rest /= count.max(1);
            }),
            Err(_) => {
                let mut rest = number;
                axes.for_each(|(coordinate, &count)| {
                    let count = ChunkNumber::from(count.max(1));
                    *coordinate = (rest % count) as u64;
                    rest /= count;
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn numbers_are_row_major_and_lead_back() {
        let grid = ChunkGrid::new(&[5, 7], &[2, 3]).unwrap();
        assert_eq!((grid.counts(), grid.len(), grid.number([2, 1])), (&[3, 3][..], 9, 7));
        assert_eq!((grid.coordinates(7), grid.offset(7)), (vec![2, 1], vec![4, 3]));
        assert!(ChunkGrid::new(&[0, 7], &[2, 3]).unwrap().is_empty());
    }

    #[test]
    fn more_chunks_than_64_bits_count_have_numbers_too() {
        let side = (1 << 32) + 1;
        let grid = ChunkGrid::new(&[side; 3], &[1, 1, 1]).unwrap();
        assert_eq!(grid.len(), u128::from(side).pow(3));
        for coordinates in [[0, 0, 0], [1, 2, 3], [side - 1; 3], [0, side - 1, 7]] {
            assert_eq!(grid.coordinates(grid.number(coordinates)), coordinates);
        }
        assert_eq!(grid.number([side - 1; 3]), grid.len() - 1);
    }

    #[test]
    fn refuses_invalid_grids() {
        assert_eq!(ChunkGrid::new(&[4], &[0]).unwrap_err().kind(), ErrorKind::Damaged);
        assert_eq!(ChunkGrid::new(&[4], &[1, 1]).unwrap_err().kind(), ErrorKind::Damaged);
        assert_eq!(ChunkGrid::new(&[u64::MAX; 3], &[1; 3]).unwrap_err().kind(), ErrorKind::Unsupported);
        ChunkGrid::new(&[u64::MAX; 2], &[1; 2]).unwrap();
    }
}
