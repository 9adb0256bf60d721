//! The order of a rechunk that does not fit into memory: pure arithmetic. Elements go through a temporary file, so that
//! each source chunk is still decoded once.
//!
//! ```text
//! source chunks ─► slab ─► parts ─► temporary file: bucket after bucket ─► bucket ─► target chunks
//! ```
//!
//! A slab is a block of whole source chunks, a bucket one of whole target chunks. The temporary file has the elements of the
//! array bucket by bucket, and those of a bucket slab by slab. So the part of a slab that lies in a bucket is one run of
//! bytes, and a bucket is one, too; where they are follows from the shapes. Slabs are as large as memory allows, and buckets
//! as small as they can be without parts that are too small to be written one by one: mostly single chunks.

use crate::sweep::Shapes;
use hyperslab_encode::block::Block;
use hyperslab_encode::ordered::AHEAD;

/// Writing fewer bytes takes hardly less time.
const PART_BYTES: u64 = 64 << 10;

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
    /// Slabs and buckets for so many bytes of memory and so many threads. While a slab is in memory, each thread has a part
    /// of it; afterwards, each has a bucket, and the encoded chunks of several.
    ///
    /// # Errors
    ///
    /// The bytes that are needed, if single chunks are too large.
    pub fn find(shapes: &Shapes, memory_bytes: u64, threads: u64) -> Result<Self, u64> {
        let threads = threads.max(1);
        let [source, target] = [&shapes.source, &shapes.target].map(|chunk| in_memory(chunk, shapes));
        let needed = source.saturating_add(target.saturating_mul(threads));
        if needed > memory_bytes {
            return Err(needed);
        }
        let part_goal = PART_BYTES.min((memory_bytes - source) / threads);
        let slab = grow(&shapes.source, shapes, memory_bytes - threads * part_goal.max(target));
        // The results of a single chunk belong to the memory of the threads.
        let buckets = |bucket: &[u64]| {
            let each = if *bucket == shapes.target { 1 } else { 2 + AHEAD as u64 };
            in_memory(bucket, shapes).saturating_mul(each * threads)
        };
        let part = |bucket: &[u64]| {
            in_memory(
                &slab.iter().zip(bucket).map(|(slab, bucket)| *slab.min(bucket)).collect::<Vec<_>>(),
                shapes,
            )
        };
        let mut bucket = shapes.target.clone();
        for axis in (0..bucket.len()).rev() {
            let wanted = part_goal / part(&bucket);
            let room = memory_bytes
                / (in_memory(&bucket, shapes).saturating_mul((2 + AHEAD as u64) * threads)).max(1);
            // Buckets that are longer than slabs do not have larger parts.
            let across = slab[axis].min(shapes.extent[axis]).div_ceil(bucket[axis]);
            bucket[axis] = bucket[axis].saturating_mul(wanted.min(room).min(across).max(1));
        }
        let with_slab = in_memory(&slab, shapes).saturating_add(part(&bucket).saturating_mul(threads));
        let memory_bytes = with_slab.max(buckets(&bucket));
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

    /// The coordinates of the buckets that a slab overlaps, in row-major order.
    pub fn buckets(&self, slab: &Block) -> Vec<Vec<u64>> {
        overlapped(slab, &self.bucket)
    }

    /// The coordinates of the slabs that a bucket overlaps, in row-major order.
    pub fn slabs(&self, bucket: &Block) -> Vec<Vec<u64>> {
        overlapped(bucket, &self.slab)
    }

    /// The offset in the temporary file of a bucket's elements, in bytes.
    pub fn bucket_offset(&self, bucket: &Block) -> u64 {
        let whole = Block { start: vec![0; self.shapes.extent.len()], count: self.shapes.extent.clone() };
        elements_before(&whole, bucket).saturating_mul(self.shapes.element_bytes)
    }

    /// The offset of a part, the common elements of a bucket and a slab, in the run of the bucket's bytes.
    pub fn part_offset(&self, bucket: &Block, part: &Block) -> u64 {
        elements_before(bucket, part).saturating_mul(self.shapes.element_bytes)
    }
}

/// The elements of a block that come before a part of it, if the part is one of a grid over it, and the elements are
/// ordered part by part.
fn elements_before(block: &Block, part: &Block) -> u64 {
    let product =
        |counts: &[u64]| counts.iter().fold(1, |product: u64, count| product.saturating_mul(*count));
    // Along each axis: the parts beside this one with smaller coordinates, which extend through the axes after it.
    let beside = |axis: usize| {
        let rows = part.start[axis] - block.start[axis];
        product(&part.count[..axis]).saturating_mul(rows).saturating_mul(product(&block.count[axis + 1..]))
    };
    (0..part.start.len()).map(beside).fold(0, u64::saturating_add)
}

/// The coordinates of the parts of a grid that a block overlaps, in row-major order.
fn overlapped(block: &Block, size: &[u64]) -> Vec<Vec<u64>> {
    (0..size.len()).fold(vec![Vec::new()], |found, axis| {
        let numbers = block.start[axis] / size[axis]..block.end(axis).div_ceil(size[axis]);
        let longer = |coords: Vec<u64>| numbers.clone().map(move |number| [&coords[..], &[number]].concat());
        found.into_iter().flat_map(longer).collect()
    })
}

/// The coordinates of the group of whole chunks that a chunk lies in.
fn group(coords: &[u64], chunk: &[u64], group: &[u64]) -> Vec<u64> {
    let element = coords.iter().zip(chunk).map(|(at, size)| at.saturating_mul(*size));
    element.zip(group).map(|(element, size)| element / size).collect()
}

/// The bytes of a block of this shape at the start of the array. Elements beyond the extent are never in memory.
fn in_memory(shape: &[u64], shapes: &Shapes) -> u64 {
    let dims = shape.iter().zip(&shapes.extent).map(|(size, dim)| size.min(dim));
    dims.fold(shapes.element_bytes, |n, dim| n.saturating_mul(*dim)).max(1)
}

/// Whole chunks of at most so many bytes together, grown along the fastest axis first. A single chunk may be larger.
fn grow(chunk: &[u64], shapes: &Shapes, bytes_max: u64) -> Vec<u64> {
    let mut grown: Vec<u64> = chunk.to_vec();
    for axis in (0..grown.len()).rev() {
        let times = (bytes_max / in_memory(&grown, shapes)).max(1);
        let chunks = shapes.extent[axis].div_ceil(chunk[axis]).max(1);
        grown[axis] = chunk[axis].saturating_mul(times.min(chunks));
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shapes(extent: &[u64], source: &[u64], target: &[u64]) -> Shapes {
        Shapes { extent: extent.into(), source: source.into(), target: target.into(), element_bytes: 4 }
    }

    #[test]
    fn time_steps_become_series_in_little_memory() {
        let shapes = shapes(&[1460, 361, 720], &[1, 361, 720], &[365, 25, 25]);
        let chunk = 365 * 25 * 25 * 4;
        let spill = Spill::find(&shapes, 32 << 20, 2).unwrap();
        assert_eq!((&spill.slab[..], &spill.bucket[..]), (&[30, 361, 720][..], &[365, 25, 25][..]));
        assert_eq!(spill.memory_bytes, 30 * 361 * 720 * 4 + 2 * 30 * 25 * 25 * 4);
        assert_eq!(spill.bucket_of(&[1, 14, 28]), [1, 14, 28]);
        let bucket = spill.bucket_block(&[1, 14, 28]);
        assert_eq!(bucket, Block { start: vec![365, 350, 700], count: vec![365, 11, 20] });
        assert_eq!(spill.bucket_offset(&bucket), (2 * 365 * 361 * 720 - 365 * 11 * 20) * 4);
        assert_eq!(spill.slab_of(&[59, 0, 0]), [1, 0, 0]);
        assert_eq!(spill.slabs(&bucket).len(), 13);
        assert_eq!(Spill::find(&shapes, chunk, 2), Err(361 * 720 * 4 + 2 * chunk));
    }

    #[test]
    fn small_chunks_are_written_together() {
        let shapes = shapes(&[1460, 361, 720], &[1, 361, 720], &[1460, 1, 1]);
        let spill = Spill::find(&shapes, 32 << 20, 2).unwrap();
        assert_eq!((&spill.slab[..], &spill.bucket[..]), (&[32, 361, 720][..], &[1460, 1, 512][..]));
    }

    proptest! {
        #[test]
        fn parts_cover_the_file_once(
            axes in prop::collection::vec((1u64..13, 1u64..8, 1u64..8), 1..4),
            memory_bytes in 1u64..6000,
            threads in 1u64..4,
        ) {
            let [extent, source, target]: [Vec<u64>; 3] =
                [0, 1, 2].map(|i| axes.iter().map(|axis| [axis.0, axis.1, axis.2][i]).collect());
            let shapes = shapes(&extent, &source, &target);
            let spill = match Spill::find(&shapes, memory_bytes, threads) {
                Ok(spill) => spill,
                Err(needed) => {
                    prop_assert!(needed > memory_bytes);
                    Spill::find(&shapes, needed, threads).unwrap()
                }
            };
            let least = Spill::find(&shapes, 1, threads).unwrap_err();
            prop_assert!(spill.memory_bytes <= memory_bytes.max(least), "{:?}", spill);
            let whole = Block { start: vec![0; extent.len()], count: extent.clone() };
            let mut runs = Vec::new();
            for slab in spill.slabs(&whole) {
                let slab = spill.slab_block(&slab);
                for bucket in spill.buckets(&slab) {
                    let bucket = spill.bucket_block(&bucket);
                    let part = bucket.intersection(&slab).unwrap();
                    let start = spill.bucket_offset(&bucket) + spill.part_offset(&bucket, &part);
                    runs.push((start, start + part.elements() * 4));
                }
            }
            runs.sort_unstable();
            prop_assert_eq!(runs.last().unwrap().1, whole.elements() * 4);
            prop_assert!(runs[0].0 == 0 && runs.windows(2).all(|pair| pair[0].1 == pair[1].0), "{:?}", runs);
            for bucket in spill.buckets(&whole) {
                let bucket = spill.bucket_block(&bucket);
                let parts = spill.slabs(&bucket);
                let offsets = parts.iter().map(|slab| {
                    spill.part_offset(&bucket, &bucket.intersection(&spill.slab_block(slab)).unwrap())
                });
                prop_assert!(offsets.collect::<Vec<_>>().is_sorted(), "the parts of a bucket are in order");
            }
        }
    }
}
