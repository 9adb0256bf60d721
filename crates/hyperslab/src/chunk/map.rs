//! Where the chunks of one dataset lie: the chunk index of the file, flattened for look-up.

use crate::{Error, Result};
use hyperslab_format::chunk_index::ChunkTable;

/// A chunk that exists in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Absolute offset of its first byte in the file.
    pub address: u64,
    /// Bytes that it takes in the file.
    pub stored_bytes: u64,
    /// Bit `i` is set where filter `i` was skipped.
    pub filter_mask: u32,
}

/// How many chunks a dataset has along each axis, and which number a chunk has in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkGrid {
    /// Chunks along each axis.
    pub counts: Vec<u64>,
}

impl ChunkGrid {
    /// The grid of chunks of `chunk_dims` over an extent of `dims`.
    pub fn new(dims: &[u64], chunk_dims: &[u64]) -> Result<Self> {
        let counts: Vec<u64> = dims.iter().zip(chunk_dims).map(|(dim, chunk)| dim.div_ceil(*chunk)).collect();
        if counts.iter().try_fold(1u64, |product, &count| product.checked_mul(count.max(1))).is_none() {
            return Err(Error::damaged(format!("a grid of {counts:?} chunks cannot be counted")));
        }
        Ok(Self { counts })
    }

    /// How many chunks the grid has (existing or not).
    pub fn len(&self) -> u64 {
        self.counts.iter().product()
    }

    /// True without a chunk.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the chunk at these coordinates (in chunks).
    pub fn number(&self, coordinates: impl IntoIterator<Item = u64>) -> u64 {
        coordinates
            .into_iter()
            .zip(&self.counts)
            .fold(0, |number, (coordinate, count)| number * count + coordinate)
    }

    /// The coordinates of a chunk.
    pub fn coordinates(&self, number: u64) -> Vec<u64> {
        let mut rest = number;
        let mut coordinates: Vec<u64> = self
            .counts
            .iter()
            .rev()
            .map(|&count| {
                let coordinate = rest % count.max(1);
                rest /= count.max(1);
                coordinate
            })
            .collect();
        coordinates.reverse();
        coordinates
    }
}

/// The existing chunks of a dataset, or of a part of it.
#[derive(Debug, Clone)]
pub struct ChunkMap {
    /// Numbers of the chunks, ascending; empty where every number up to `locations.len()` is there.
    numbers: Vec<u64>,
    locations: Vec<Location>,
}

impl ChunkMap {
    /// Flattens what a walk over the chunk index found. Addresses become absolute.
    pub(crate) fn new(table: &ChunkTable, grid: &ChunkGrid, base: u64) -> Self {
        let rank = grid.counts.len();
        let mut entries: Vec<(u64, Location)> = (0..table.len())
            .map(|i| {
                let location = Location {
                    address: base.saturating_add(table.addresses[i]),
                    stored_bytes: table.stored_bytes[i],
                    filter_mask: table.filter_masks[i],
                };
                (grid.number(table.coords[i * rank..(i + 1) * rank].iter().copied()), location)
            })
            .collect();
        if !entries.is_sorted_by_key(|entry| entry.0) {
            entries.sort_by_key(|entry| entry.0);
        }
        let dense = entries.iter().enumerate().all(|(i, entry)| entry.0 == i as u64);
        Self {
            numbers: if dense { Vec::new() } else { entries.iter().map(|entry| entry.0).collect() },
            locations: entries.into_iter().map(|entry| entry.1).collect(),
        }
    }

    /// Where chunk `number` lies, if it exists.
    #[inline]
    pub fn get(&self, number: u64) -> Option<Location> {
        if self.numbers.is_empty() {
            return self.locations.get(usize::try_from(number).ok()?).copied();
        }
        let i = self.numbers.binary_search(&number).ok()?;
        Some(self.locations[i])
    }

    /// How many chunks exist.
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// True where no chunk exists.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// All existing chunks by ascending number.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Location)> + '_ {
        self.locations.iter().enumerate().map(|(i, &location)| {
            (if self.numbers.is_empty() { i as u64 } else { self.numbers[i] }, location)
        })
    }
}
