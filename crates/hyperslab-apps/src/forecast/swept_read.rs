//! A block that is swept over a dataset, in parts that fit into memory.

use hyperslab::Dataset;
use hyperslab_storage::pattern::Sweep;

/// Blocks of a read that are replayed at most.
const BLOCKS_MAX: usize = 10_000;
/// Larger blocks are read in parts, so that they fit into memory.
const BLOCK_BYTES_MAX: u64 = 64 << 20;

/// A block that is swept over a dataset.
pub struct SweptRead {
    /// The dataset.
    pub(super) path: String,
    /// The read as the doctor names it.
    pub(super) name: String,
    /// Extent of the block.
    pub(super) block: Vec<u64>,
    /// Blocks of the whole sweep, in the parts in which they are read.
    pub(super) total: u64,
    /// The first of them: start and count.
    pub(super) blocks: Vec<(Vec<u64>, Vec<u64>)>,
    /// Parts of a block of the sweep.
    pub(super) parts: u64,
}

impl SweptRead {
    /// One block of a dataset, read once.
    pub fn once(dataset: &Dataset, name: &str, start: &[u64], count: &[u64]) -> Self {
        let whole = Self::new(dataset, name, &Sweep::row_major(count, &nonempty(count)));
        let blocks = whole.blocks.into_iter().map(|(at, count)| (moved(&at, start), count)).collect();
        Self { blocks, ..whole }
    }

    /// The blocks of a pattern over a dataset. Strided blocks are read whole: what lies between the elements that are wanted
    /// is in the same chunks.
    pub fn new(dataset: &Dataset, name: &str, sweep: &Sweep) -> Self {
        let element = dataset.logical_bytes().checked_div(dataset.elements()).unwrap_or(1).max(1);
        let part = part(sweep.block(), dataset.chunk_shape(), element);
        let parts: u64 = sweep.block().iter().zip(&part).map(|(block, part)| block.div_ceil(*part)).product();
        let in_parts = Sweep::new(sweep.shape(), &part, sweep.order());
        let (total, blocks) = match sweep.random() {
            None => (in_parts.reads(), in_parts.blocks().take(BLOCKS_MAX).collect()),
            Some(_) => {
                let blocks = sweep.blocks().flat_map(|(start, count)| parts_of(&start, &count, &part));
                (sweep.reads().saturating_mul(parts), blocks.take(BLOCKS_MAX).collect())
            }
        };
        Self {
            path: dataset.path().to_owned(),
            name: name.to_owned(),
            block: sweep.block().to_vec(),
            total,
            blocks,
            parts,
        }
    }
}

/// The parts of a block at `start`.
fn parts_of(start: &[u64], count: &[u64], part: &[u64]) -> Vec<(Vec<u64>, Vec<u64>)> {
    Sweep::row_major(count, part).blocks().map(|(at, count)| (moved(&at, start), count)).collect()
}

fn moved(at: &[u64], by: &[u64]) -> Vec<u64> {
    at.iter().zip(by).map(|(at, by)| at + by).collect()
}

/// A block that can be swept over an extent.
fn nonempty(block: &[u64]) -> Vec<u64> {
    block.iter().map(|dim| (*dim).max(1)).collect()
}

/// A block cut along its slowest dimensions, at the borders of chunks, until it is small enough.
fn part(block: &[u64], chunk: Option<&[u64]>, element_bytes: u64) -> Vec<u64> {
    let mut part = block.to_vec();
    let bytes = |part: &[u64]| part.iter().fold(element_bytes, |bytes, dim| bytes.saturating_mul(*dim));
    for axis in 0..part.len() {
        if bytes(&part) <= BLOCK_BYTES_MAX {
            break;
        }
        let unit = chunk.map_or(1, |chunk| chunk[axis]).clamp(1, part[axis].max(1));
        part[axis] = 1;
        let others = bytes(&part).max(1);
        part[axis] = (BLOCK_BYTES_MAX / others / unit * unit).clamp(unit, block[axis].max(1));
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_anywhere_is_cut_into_parts() {
        let parts = parts_of(&[7, 3], &[5, 4], &[2, 4]);
        assert_eq!(parts, [(vec![7, 3], vec![2, 4]), (vec![9, 3], vec![2, 4]), (vec![11, 3], vec![1, 4])]);
    }

    #[test]
    fn large_blocks_are_cut_at_the_borders_of_chunks() {
        assert_eq!(part(&[10, 100], None, 4), [10, 100]);
        // 40 planes of 4 MB: 16 would fit, in chunks of 5 planes.
        assert_eq!(part(&[40, 1000, 1000], Some(&[5, 100, 100]), 4), [15, 1000, 1000]);
        // A plane is too large: a chunk of planes, then rows.
        assert_eq!(part(&[40, 10_000, 10_000], Some(&[1, 100, 100]), 4), [1, 1600, 10_000]);
        assert_eq!(part(&[1 << 40], None, 8), [8 << 20]);
    }
}
