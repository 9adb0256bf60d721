//! What reads touch, whatever the cache does: chunks visited, and runs of adjacent bytes copied.
//!
//! Blocks and chunks cut each axis into pieces. Everything here is a product over the axes of numbers that follow from
//! extent, block and chunk, so a sweep of any number of reads costs nothing to describe:
//!
//! ```text
//!   chunks   ├───────┼───────┼───────┼───────┤        the extent is cut at every boundary
//!   blocks   ├────┼────┼────┼────┼────┼────┼─┤        of a chunk and of a block
//!   pieces   ├────┼──┼─┼────┼┼───┼───┼┼────┼─┤
//! ```
//!
//! libhdf5 copies a piece of a chunk run by run; a run ends at the last axis along which the piece is neither the whole
//! chunk nor the whole block.

use super::geometry::{Geometry, Span};
use hyperslab_storage::pattern::Sweep;

/// What a series of reads touches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touched {
    /// H5Dread calls.
    pub reads: u64,
    /// Those that touch several chunks.
    pub reads_of_several: u64,
    /// Chunks that the reads touch, counted again at each read, stored or not.
    pub visits: u64,
    /// The most chunks that one read touches.
    pub chunks_per_read_max: u64,
    /// Runs of adjacent elements, adjacent in the chunk and in the reader's buffer.
    pub runs: u64,
    /// Elements of all reads together.
    pub elements: u64,
    /// Elements of the largest read.
    pub elements_max: u64,
}

/// The pieces of one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AxisPieces {
    /// Indexes of all blocks together.
    indexes: u64,
    blocks: u64,
    /// Blocks that lie inside one chunk.
    inside: u64,
    pieces: u64,
    /// Pieces that are a whole chunk and a whole block.
    whole: u64,
    /// The most pieces of one block.
    pieces_max: u64,
    /// Indexes of the longest block.
    len_max: u64,
}

/// Offsets of blocks in their chunks that are tried one by one when looking for the block with most pieces. Where there are
/// more, one of them is nearly at the end of its chunk.
const OFFSETS_MAX: u64 = 10_000;

impl AxisPieces {
    /// One block.
    fn of_span(span: Span, chunk: u64) -> Self {
        let last = (span.start + span.len.max(1) - 1) / chunk;
        let pieces = last - span.start / chunk + 1;
        Self {
            indexes: span.len,
            blocks: 1,
            inside: u64::from(pieces == 1),
            pieces,
            whole: u64::from(span.len == chunk && span.start.is_multiple_of(chunk)),
            pieces_max: pieces,
            len_max: span.len,
        }
    }

    /// Blocks of `block` indexes side by side on an axis of `dim`; the last one may be shorter.
    fn of_axis(dim: u64, block: u64, chunk: u64) -> Self {
        let (full_blocks, rest) = (dim / block, dim % block);
        let last = (rest > 0).then(|| Self::of_span(Span::plain(dim - rest, rest), chunk));
        let covered = full_blocks * block;
        let pieces = overlap_count(covered, block, chunk);
        let alike = Self {
            indexes: covered,
            blocks: full_blocks,
            // A block that is no longer than a chunk has one piece or two; a longer one has several.
            inside: if block <= chunk { full_blocks - (pieces - full_blocks) } else { 0 },
            pieces,
            whole: if block == chunk { full_blocks } else { 0 },
            pieces_max: most_pieces(full_blocks, block, chunk),
            len_max: block.min(covered),
        };
        last.map_or(alike, |last| alike.and(last))
    }

    fn and(self, other: Self) -> Self {
        Self {
            indexes: self.indexes + other.indexes,
            blocks: self.blocks + other.blocks,
            inside: self.inside + other.inside,
            pieces: self.pieces + other.pieces,
            whole: self.whole + other.whole,
            pieces_max: self.pieces_max.max(other.pieces_max),
            len_max: self.len_max.max(other.len_max),
        }
    }
}

/// The most pieces of one of `blocks` full blocks.
fn most_pieces(blocks: u64, block: u64, chunk: u64) -> u64 {
    let offset_max = if blocks > OFFSETS_MAX {
        chunk - 1
    } else {
        let offset = |number: u64| (number * block) % chunk;
        (0..blocks).map(offset).max().unwrap_or(0)
    };
    if blocks == 0 { 0 } else { offset_max.saturating_add(block).div_ceil(chunk) }
}

/// How many overlaps of a block and a chunk there are along a dimension that is divided into both.
pub fn overlap_count(dim: u64, block: u64, chunk: u64) -> u64 {
    if dim == 0 {
        return 0;
    }
    let (mut a, mut b) = (block, chunk);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Each boundary of a block or a chunk starts a new overlap; boundaries that coincide, at common multiples, start
    // one. They are subtracted first: both kinds together may be more than fit, their overlaps are not more than `dim`.
    let common = (block / a).checked_mul(chunk).map_or(0, |both| (dim - 1) / both);
    ((dim - 1) / block - common) + (dim - 1) / chunk + 1
}

impl Touched {
    /// All reads of a sweep over all positions.
    pub fn by_sweep(geometry: &Geometry, sweep: &Sweep) -> Self {
        let chunk = geometry.chunk_dims().unwrap_or(geometry.shape());
        if sweep.reads() == 0 {
            return Self::default();
        }
        let axes = sweep.shape().iter().zip(sweep.block()).zip(chunk);
        Self::of_axes(axes.map(|((&dim, &block), &chunk)| AxisPieces::of_axis(dim, block, chunk)))
    }

    /// One read of `count` elements at `start`, inside the extent.
    pub fn by_read(geometry: &Geometry, start: &[u64], count: &[u64]) -> Self {
        let chunk = geometry.chunk_dims().unwrap_or(geometry.shape());
        if count.contains(&0) {
            return Self { reads: 1, ..Self::default() };
        }
        let axes = start.iter().zip(count).zip(chunk);
        Self::of_axes(
            axes.map(|((&start, &len), &chunk)| AxisPieces::of_span(Span::plain(start, len), chunk)),
        )
    }

    fn of_axes(axes: impl Iterator<Item = AxisPieces>) -> Self {
        let mut all = Self {
            reads: 1,
            reads_of_several: 0,
            visits: 1,
            chunks_per_read_max: 1,
            runs: 0,
            elements: 1,
            elements_max: 1,
        };
        let (mut inside, mut whole) = (1u64, 1u64);
        for axis in axes {
            // Runs end at this axis where its piece is not whole and those of all later axes are: earlier axes count
            // index by index, later ones piece by piece.
            all.runs = all.runs.saturating_mul(axis.whole);
            let ending = (axis.pieces - axis.whole).saturating_mul(all.elements);
            all.runs = all.runs.saturating_add(ending);
            let multiply = |product: &mut u64, factor: u64| *product = product.saturating_mul(factor);
            multiply(&mut all.reads, axis.blocks);
            multiply(&mut all.visits, axis.pieces);
            multiply(&mut all.chunks_per_read_max, axis.pieces_max);
            multiply(&mut all.elements, axis.indexes);
            multiply(&mut all.elements_max, axis.len_max);
            multiply(&mut inside, axis.inside);
            multiply(&mut whole, axis.whole);
        }
        all.runs = all.runs.saturating_add(whole);
        all.reads_of_several = all.reads - inside;
        all
    }

    /// The same kind of reads, `factor` times as many.
    pub(super) fn times(self, factor: f64) -> Self {
        let scaled = |count: u64| (count as f64 * factor).round() as u64;
        Self {
            reads: scaled(self.reads),
            reads_of_several: scaled(self.reads_of_several),
            visits: scaled(self.visits),
            runs: scaled(self.runs),
            elements: scaled(self.elements),
            ..self
        }
    }

    /// Adds other reads.
    pub fn add(&mut self, other: Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.reads, other.reads);
        add(&mut self.reads_of_several, other.reads_of_several);
        add(&mut self.visits, other.visits);
        add(&mut self.runs, other.runs);
        add(&mut self.elements, other.elements);
        self.chunks_per_read_max = self.chunks_per_read_max.max(other.chunks_per_read_max);
        self.elements_max = self.elements_max.max(other.elements_max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkedStorage;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// The runs of one piece of a chunk, by the rule.
    fn runs_of_piece(lens: &[u64], chunk: &[u64], block: &[u64]) -> u64 {
        let not_whole =
            (0..lens.len()).rev().find(|&axis| lens[axis] != chunk[axis] || lens[axis] != block[axis]);
        not_whole.map_or(1, |axis| lens[..axis].iter().product())
    }

    /// What one read touches, chunk by chunk.
    fn by_hand(start: &[u64], count: &[u64], chunk: &[u64]) -> Touched {
        let mut pieces: Vec<Vec<u64>> = vec![vec![]];
        for axis in 0..start.len() {
            let lens: Vec<u64> = (start[axis] / chunk[axis]..=(start[axis] + count[axis] - 1) / chunk[axis])
                .map(|number| {
                    let (low, high) = (number * chunk[axis], (number + 1) * chunk[axis]);
                    high.min(start[axis] + count[axis]) - low.max(start[axis])
                })
                .collect();
            pieces = pieces
                .iter()
                .flat_map(|before| lens.iter().map(move |&len| [before.as_slice(), &[len]].concat()))
                .collect();
        }
        let elements = count.iter().product();
        Touched {
            reads: 1,
            reads_of_several: u64::from(pieces.len() > 1),
            visits: pieces.len() as u64,
            chunks_per_read_max: pieces.len() as u64,
            runs: pieces.iter().map(|lens| runs_of_piece(lens, chunk, count)).sum(),
            elements,
            elements_max: elements,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_closed_form_counts_what_reads_one_by_one_touch(
            axes in prop::collection::vec((1u64..20, 1u64..9, 1u64..9), 1..4)
        ) {
            let shape: Vec<u64> = axes.iter().map(|axis| axis.0).collect();
            let block: Vec<u64> = axes.iter().map(|axis| axis.1).collect();
            let chunk_dims: Vec<u64> = axes.iter().map(|axis| axis.2).collect();
            let storage = ChunkedStorage {
                chunk_dims: chunk_dims.clone(),
                is_filtered: false,
                edge_chunks_unfiltered: false,
                skips_missing_chunks: false,
                chunks: None,
            };
            let geometry = Geometry::chunked(&shape, 4, storage).unwrap();
            let sweep = Sweep::row_major(&shape, &block);
            let mut expected = Touched::default();
            for (start, count) in sweep.blocks() {
                let read = by_hand(&start, &count, &chunk_dims);
                prop_assert_eq!(Touched::by_read(&geometry, &start, &count), read);
                expected.add(read);
            }
            prop_assert_eq!(Touched::by_sweep(&geometry, &sweep), expected);
        }
    }

    #[test]
    fn rows_of_a_plane_are_one_run_each_and_columns_one_an_element() {
        let geometry = Geometry::contiguous(&[100, 50], 8, true).unwrap();
        assert_eq!(Touched::by_sweep(&geometry, &Sweep::row_major(&[100, 50], &[1, 50])).runs, 100);
        assert_eq!(Touched::by_sweep(&geometry, &Sweep::row_major(&[100, 50], &[100, 1])).runs, 5_000);
        assert_eq!(Touched::by_sweep(&geometry, &Sweep::row_major(&[100, 50], &[100, 50])).runs, 1);
    }

    #[test]
    fn enormous_extents_saturate() {
        let geometry = Geometry::contiguous(&[1 << 60], 8, true).unwrap();
        let touched = Touched::by_sweep(&geometry, &Sweep::row_major(&[1 << 60], &[1]));
        assert_eq!((touched.reads, touched.runs), (1 << 60, 1 << 60));
    }

    #[test]
    fn blocks_and_chunks_meet_as_often_as_one_counts_them() {
        for dim in 1..30 {
            for block in 1..12 {
                for chunk in 1..12 {
                    let meet = (0..dim).map(|at| (at / block, at / chunk)).collect::<HashSet<_>>().len();
                    assert_eq!(overlap_count(dim, block, chunk), meet as u64, "{dim} {block} {chunk}");
                }
            }
        }
        assert_eq!(overlap_count(u64::MAX, u64::MAX, u64::MAX - 1), 2);
        assert_eq!(overlap_count(u64::MAX, 1, 1), u64::MAX);
        assert_eq!(AxisPieces::of_axis(u64::MAX, 1, 1).inside, u64::MAX);
    }
}
