//! The order of a rechunk that does not fit into memory: pure arithmetic. Elements go through a temporary file, so that
//! each source chunk is still decoded once.
//!
//! ```text
//! source chunks ─► slab ─► parts ─► temporary file: a region for each bucket ─► bucket ─► target chunks
//! ```
//!
//! A slab is a block of whole source chunks, a bucket one of whole target chunks. The part of a slab that lies in a bucket
//! is written to the bucket's region, after the parts of earlier slabs, in row-major order.

use crate::block::Block;
use crate::sweep::Shapes;

/// The shapes of slabs and buckets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spill {
    shapes: Shapes,
    pub slab: Vec<u64>,
    pub bucket: Vec<u64>,
    /// The most bytes of elements in memory at a time.
    pub memory_bytes: u64,
}

impl Spill {
    /// Slabs and buckets of half of so many bytes each.
    ///
    /// # Errors
    ///
    /// The bytes that are needed, if a single chunk is larger.
    pub fn find(shapes: &Shapes, memory_bytes: u64) -> Result<Self, u64> {
        let half = memory_bytes / 2;
        let grown = |chunk: &[u64]| grow(chunk, shapes, half);
        let (slab, bucket) = (grown(&shapes.source), grown(&shapes.target));
        let bytes = |shape: &[u64]| shape.iter().fold(shapes.element_bytes, |n, dim| n.saturating_mul(*dim));
        let largest = bytes(&slab).max(bytes(&bucket));
        if largest > half {
            return Err(largest.saturating_mul(2));
        }
        let memory_bytes = bytes(&slab).saturating_add(bytes(&bucket));
        Ok(Self { shapes: shapes.clone(), slab, bucket, memory_bytes })
    }

    /// The coordinates of the slab of a source chunk.
    pub fn slab_of(&self, source_coords: &[u64]) -> Vec<u64> {
        group(source_coords, &self.shapes.source, &self.slab)
    }

    /// The coordinates of the bucket of a target chunk.
    pub fn bucket_of(&self, target_coords: &[u64]) -> Vec<u64> {
        group(target_coords, &self.shapes.target, &self.bucket)
    }

    /// The elements of a slab.
    pub fn slab_block(&self, coords: &[u64]) -> Block {
        Block::of_chunk(coords, &self.slab).within(&self.shapes.extent)
    }

    /// The elements of a bucket.
    pub fn bucket_block(&self, coords: &[u64]) -> Block {
        Block::of_chunk(coords, &self.bucket).within(&self.shapes.extent)
    }
}

/// The coordinates of the group of whole chunks that a chunk lies in.
fn group(coords: &[u64], chunk: &[u64], group: &[u64]) -> Vec<u64> {
    let element = coords.iter().zip(chunk).map(|(at, size)| at.saturating_mul(*size));
    element.zip(group).map(|(element, size)| element / size).collect()
}

/// Whole chunks of at most so many bytes together, grown along the fastest axis first. A single chunk may be larger.
fn grow(chunk: &[u64], shapes: &Shapes, bytes_max: u64) -> Vec<u64> {
    // Elements beyond the extent are never in memory.
    let in_memory = |shape: &[u64]| {
        let dims = shape.iter().zip(&shapes.extent).map(|(size, dim)| size.min(dim));
        dims.fold(shapes.element_bytes, |n, dim| n.saturating_mul(*dim)).max(1)
    };
    let mut grown: Vec<u64> = chunk.to_vec();
    for axis in (0..grown.len()).rev() {
        let times = (bytes_max / in_memory(&grown)).max(1);
        let chunks = shapes.extent[axis].div_ceil(chunk[axis]).max(1);
        grown[axis] = chunk[axis].saturating_mul(times.min(chunks));
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_steps_become_series_in_little_memory() {
        let shapes = Shapes {
            extent: vec![1460, 361, 720],
            source: vec![1, 361, 720],
            target: vec![365, 25, 25],
            element_bytes: 4,
        };
        let spill = Spill::find(&shapes, 60 << 20).unwrap();
        assert_eq!(spill.slab, [30, 361, 720]);
        assert_eq!(spill.bucket, [365, 25, 725]);
        assert!(spill.memory_bytes <= 60 << 20);
        assert_eq!(spill.bucket_of(&[1, 14, 28]), [1, 14, 0]);
        assert_eq!(
            spill.bucket_block(&[1, 14, 0]),
            Block { start: vec![365, 350, 0], count: vec![365, 11, 720] }
        );
        assert_eq!(spill.slab_of(&[59, 0, 0]), [1, 0, 0]);
        let chunk = 365 * 25 * 25 * 4;
        assert!(Spill::find(&shapes, chunk).is_err(), "a chunk is larger than half of that");
    }
}
