//! Where the chunks of an array lie.
//!
//! The chunks of one file are kept as its chunk map, in columns: at most 28 bytes a chunk. What is inlined is kept beside
//! it, and replaces what the map says. An array of several files has a part for each; the parts follow one another along
//! one axis.

use bytes::Bytes;
use hyperslab::ChunkMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bytes of a chunk.
#[derive(Debug, PartialEq, Eq)]
pub enum Content<'c> {
    /// In a file.
    Stored {
        /// The number of the file in [`Index::files`](crate::Index::files).
        file: usize,
        /// Offset of the first byte from the beginning of the file, which comes before a user block.
        offset: u64,
        /// Size in bytes.
        bytes: u64,
    },
    /// Here, encoded by the codecs of the array.
    Inline(&'c Bytes),
}

/// The chunks of an array that are stored or inlined.
#[derive(Debug, Clone, Default)]
pub struct Chunks {
    /// The axis along which the parts follow one another.
    axis: usize,
    parts: Vec<Part>,
}

/// The chunks that one file has.
#[derive(Debug, Clone)]
struct Part {
    file: usize,
    /// Coordinate of its first chunks along the axis of the parts.
    first: u64,
    /// How many chunks there are along each axis, stored or not.
    counts: Vec<u64>,
    stored: Stored,
    /// By their numbers in row-major order of the part.
    inline: BTreeMap<u128, Bytes>,
}

#[derive(Debug, Clone)]
enum Stored {
    Nothing,
    /// One chunk.
    Block {
        offset: u64,
        bytes: u64,
    },
    /// Its grid may have fewer chunks than the part.
    Map(Arc<ChunkMap>),
}

impl Chunks {
    /// The chunks of an array of one file: none so far. `counts` is the number of chunks along each axis.
    pub(crate) fn new(counts: Vec<u64>) -> Self {
        let part = Part { file: 0, first: 0, counts, stored: Stored::Nothing, inline: BTreeMap::new() };
        Self { axis: 0, parts: vec![part] }
    }

    /// The only chunk is stored as one block.
    pub(crate) fn set_block(&mut self, offset: u64, bytes: u64) {
        self.parts[0].stored = Stored::Block { offset, bytes };
    }

    /// The chunks of a map are stored.
    pub(crate) fn set_map(&mut self, map: Arc<ChunkMap>) {
        self.parts[0].stored = Stored::Map(map);
    }

    /// A chunk is inlined, also if it is stored.
    pub(crate) fn set_inline(&mut self, coordinates: &[u64], bytes: Bytes) {
        let number = number(coordinates, &self.parts[0].counts);
        self.parts[0].inline.insert(number, bytes);
    }

    /// True if a chunk is stored or inlined.
    pub(crate) fn has(&self, coordinates: &[u64]) -> bool {
        self.get(coordinates).is_some()
    }

    /// The number of the file that the chunks of this array of one file lie in.
    pub(crate) fn set_file(&mut self, file: usize) {
        self.parts.iter_mut().for_each(|part| part.file = file);
    }

    /// Adds the chunks of an array that follows along an axis.
    pub(crate) fn append(&mut self, axis: usize, next: Chunks) {
        self.axis = axis;
        let first = self.parts.last().map_or(0, |last| last.first + last.counts[axis]);
        self.parts.extend(next.parts.into_iter().map(|part| Part { first: first + part.first, ..part }));
    }

    /// The bytes of the chunk at these coordinates of the grid; `None` if it was never written.
    pub fn get(&self, coordinates: &[u64]) -> Option<Content<'_>> {
        let along = coordinates.get(self.axis).copied().unwrap_or(0);
        let after = self.parts.partition_point(|part| part.first <= along);
        let part = self.parts.get(after.checked_sub(1)?)?;
        let mut inside = coordinates.to_vec();
        if let Some(along) = inside.get_mut(self.axis) {
            *along -= part.first;
        }
        part.get(&inside)
    }

    /// Calls `each` with all chunks that are stored or inlined, and their coordinates; file after file, those that are
    /// stored first, each in row-major order.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn visit<E>(&self, mut each: impl FnMut(&[u64], Content<'_>) -> Result<(), E>) -> Result<(), E> {
        for part in &self.parts {
            part.visit(self.axis, &mut each)?;
        }
        Ok(())
    }

    /// How many chunks are stored or inlined.
    pub fn len(&self) -> usize {
        let count = |part: &Part| {
            let is_stored = |number| part.stored.get(&coordinates(number, &part.counts)).is_some();
            let replaced = part.inline.keys().filter(|&&number| is_stored(number)).count();
            let stored = match &part.stored {
                Stored::Nothing => 0,
                Stored::Block { .. } => 1,
                Stored::Map(map) => map.len(),
            };
            stored + part.inline.len() - replaced
        };
        self.parts.iter().map(count).sum()
    }

    /// True if no chunk is stored or inlined.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Stored {
    /// Offset and size of a chunk.
    fn get(&self, coordinates: &[u64]) -> Option<(u64, u64)> {
        match self {
            Stored::Nothing => None,
            Stored::Block { offset, bytes } => Some((*offset, *bytes)),
            Stored::Map(map) => {
                let grid = map.grid();
                let is_inside = coordinates.iter().zip(grid.counts()).all(|(at, count)| at < count);
                let found = map.get(grid.number(coordinates.iter().copied())).filter(|_| is_inside)?;
                Some((found.address, found.stored_bytes))
            }
        }
    }
}

impl Part {
    fn get(&self, coordinates: &[u64]) -> Option<Content<'_>> {
        if let Some(bytes) = self.inline.get(&number(coordinates, &self.counts)) {
            return Some(Content::Inline(bytes));
        }
        let (offset, bytes) = self.stored.get(coordinates)?;
        Some(Content::Stored { file: self.file, offset, bytes })
    }

    fn visit<E>(
        &self,
        axis: usize,
        each: &mut impl FnMut(&[u64], Content<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let moved = |mut coordinates: Vec<u64>| {
            if let Some(along) = coordinates.get_mut(axis) {
                *along += self.first;
            }
            coordinates
        };
        let is_replaced =
            |at: &[u64]| !self.inline.is_empty() && self.inline.contains_key(&number(at, &self.counts));
        let stored = |offset, bytes| Content::Stored { file: self.file, offset, bytes };
        match &self.stored {
            Stored::Nothing => {}
            Stored::Block { offset, bytes } => {
                let at = vec![0; self.counts.len()];
                if !is_replaced(&at) {
                    each(&moved(at), stored(*offset, *bytes))?;
                }
            }
            Stored::Map(map) => {
                for (number, location) in map.iter() {
                    let at = map.grid().coordinates(number);
                    if !is_replaced(&at) {
                        each(&moved(at), stored(location.address, location.stored_bytes))?;
                    }
                }
            }
        }
        for (&number, bytes) in &self.inline {
            each(&moved(coordinates(number, &self.counts)), Content::Inline(bytes))?;
        }
        Ok(())
    }
}

/// The number of a chunk in row-major order.
pub(crate) fn number(coordinates: &[u64], counts: &[u64]) -> u128 {
    let axes = coordinates.iter().zip(counts);
    axes.fold(0, |number, (&at, &count)| number * u128::from(count.max(1)) + u128::from(at))
}

/// The coordinates of a chunk by its number.
pub(crate) fn coordinates(mut number: u128, counts: &[u64]) -> Vec<u64> {
    let mut coordinates: Vec<u64> = counts
        .iter()
        .rev()
        .map(|&count| {
            let count = u128::from(count.max(1));
            let coordinate = (number % count) as u64;
            number /= count;
            coordinate
        })
        .collect();
    coordinates.reverse();
    coordinates
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::{ChunkGrid, Location};

    /// An array of 2 x 2 chunks, of which three are stored and one of those is inlined.
    fn chunks(address: u64) -> Chunks {
        let location = |address| Location { address, stored_bytes: 7, filter_mask: 0 };
        let stored =
            [[0, 0], [0, 1], [1, 1]].map(|at: [u64; 2]| (at, location(address + 10 * at[0] + at[1])));
        let map = ChunkMap::new(ChunkGrid::new(&[4, 3], &[2, 2]).unwrap(), stored).unwrap();
        let mut chunks = Chunks::new(vec![2, 2]);
        chunks.set_map(Arc::new(map));
        chunks.set_inline(&[0, 1], Bytes::from_static(b"inline"));
        chunks
    }

    fn all(chunks: &Chunks) -> Vec<(Vec<u64>, String)> {
        let mut found = Vec::new();
        let each = |at: &[u64], content: Content<'_>| -> Result<(), ()> {
            assert_eq!(chunks.get(at).as_ref(), Some(&content));
            found.push((at.to_vec(), format!("{content:?}")));
            Ok(())
        };
        chunks.visit(each).unwrap();
        assert_eq!(found.len(), chunks.len());
        found
    }

    #[test]
    fn inlined_chunks_replace_stored_ones() {
        let chunks = chunks(100);
        let found = all(&chunks);
        assert_eq!(found.iter().map(|(at, _)| at.clone()).collect::<Vec<_>>(), [[0, 0], [1, 1], [0, 1]]);
        assert_eq!(chunks.get(&[0, 1]), Some(Content::Inline(&Bytes::from_static(b"inline"))));
        assert_eq!(chunks.get(&[1, 0]), None);
        assert_eq!(chunks.get(&[2, 0]), None);
    }

    #[test]
    fn parts_follow_one_another_along_their_axis() {
        for (axis, at) in [(0, [3, 1]), (1, [1, 3])] {
            let mut joined = chunks(100);
            let mut next = chunks(200);
            next.set_file(1);
            joined.append(axis, next);
            assert_eq!(all(&joined).len(), 6);
            assert_eq!(joined.get(&at), Some(Content::Stored { file: 1, offset: 211, bytes: 7 }));
        }
    }
}
