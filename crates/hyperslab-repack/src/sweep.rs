//! The order of a rechunk that holds a part of the array in memory: pure arithmetic.
//!
//! ```text
//!          axis ──►
//!        ┌────┬────┬────┬────┐ source chunks
//! column │ kept │ read now   │        a step writes the target chunks ▒ of the column between two rows;
//!        ├──▒▒▒▒▒▒▒▒▒▒┬──────┤        what reaches beyond it is kept for the next step
//!        └────┴────┴────┴────┘
//! ```
//!
//! The array is divided into columns, whose borders are borders of chunks of both shapes, or those of the array. In each
//! column, steps of whole target chunks advance along one axis. A step reads the source chunks that it needs and that no
//! earlier step has read. So each source chunk is decoded once and each target chunk is encoded once.

use hyperslab_encode::block::Block;
use std::collections::VecDeque;

/// Shapes in elements: the array, a chunk of the source, a chunk of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shapes {
    pub extent: Vec<u64>,
    pub source: Vec<u64>,
    pub target: Vec<u64>,
    pub element_bytes: u64,
}

/// The order in which the array is traversed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sweep {
    pub shapes: Shapes,
    /// The axis along which steps advance.
    pub axis: usize,
    /// The shape of a column; along the axis, the whole extent.
    pub column: Vec<u64>,
    /// The elements of a step along the axis: whole target chunks.
    pub step: u64,
    /// The most bytes of elements in memory at a time.
    pub memory_bytes: u64,
}

/// More memory than this does not make a rechunk faster, if the shapes can do with it.
const ENOUGH_BYTES: u64 = 64 << 20;

impl Shapes {
    /// The least common multiple of both chunks along an axis, or the whole extent: a border of columns.
    fn common(&self, axis: usize) -> u64 {
        let (source, target, extent) = (self.source[axis], self.target[axis], self.extent[axis]);
        let multiple = (source / gcd(source, target)).saturating_mul(target);
        multiple.min(extent).max(1)
    }

    /// The most elements along the axis that a step of so many has in memory: the step may begin and end within chunks
    /// of the source.
    fn rows(&self, axis: usize, step: u64) -> u64 {
        let source = self.source[axis];
        let latest_start = source - gcd(step, source);
        let rows = latest_start.saturating_add(step).div_ceil(source).saturating_mul(source);
        rows.min(self.extent[axis])
    }

    fn memory(&self, axis: usize, column: &[u64], step: u64) -> u64 {
        (0..column.len()).fold(self.element_bytes, |bytes, at| {
            bytes.saturating_mul(if at == axis { self.rows(axis, step) } else { column[at] })
        })
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

impl Sweep {
    /// The sweep that fits into so many bytes.
    ///
    /// # Errors
    ///
    /// The bytes of the smallest sweep, if that needs more.
    pub fn find(shapes: &Shapes, memory_bytes: u64) -> Result<Self, u64> {
        let mut smallest = u64::MAX;
        for axis in 0..shapes.extent.len() {
            let mut sweep = Self::smallest(shapes, axis);
            if sweep.memory_bytes <= memory_bytes {
                sweep.grow(memory_bytes.min(ENOUGH_BYTES.max(sweep.memory_bytes)));
                return Ok(sweep);
            }
            smallest = smallest.min(sweep.memory_bytes);
        }
        Err(smallest)
    }

    fn smallest(shapes: &Shapes, axis: usize) -> Self {
        let mut column: Vec<u64> = (0..shapes.extent.len()).map(|at| shapes.common(at)).collect();
        column[axis] = shapes.extent[axis];
        let step = shapes.target[axis];
        let memory_bytes = shapes.memory(axis, &column, step);
        Self { shapes: shapes.clone(), axis, column, step, memory_bytes }
    }

    /// Makes columns wider, the fastest axis first, and then steps longer, within so many bytes.
    fn grow(&mut self, memory_bytes: u64) {
        let Self { shapes, axis, column, step, .. } = self;
        for at in (0..column.len()).rev().filter(|at| at != axis) {
            let unit = column[at];
            let bytes = shapes.memory(*axis, column, *step).max(1);
            let times = (memory_bytes / bytes).max(1);
            column[at] = unit.saturating_mul(times).min(shapes.extent[at]);
        }
        let target = shapes.target[*axis];
        let extent_chunks = shapes.extent[*axis].div_ceil(target);
        let whole_multiples = (0..64).map(|power| 1u64 << power).take_while(|&times| times < extent_chunks);
        let in_source = shapes.source[*axis].div_ceil(target);
        let in_both = shapes.source[*axis] / gcd(shapes.source[*axis], target);
        let candidates = whole_multiples
            .chain([in_source, in_both, extent_chunks])
            .filter(|&times| times <= extent_chunks);
        let fitting = candidates
            .map(|times| target.saturating_mul(times))
            .filter(|&step| shapes.memory(*axis, column, step) <= memory_bytes);
        *step = fitting.max().unwrap_or(*step);
        self.memory_bytes = shapes.memory(*axis, column, *step);
    }

    /// The axes in the order of steps: those of the columns, then the one along which steps advance; each with the
    /// elements of a column or step, and how many there are.
    fn axes(&self) -> impl DoubleEndedIterator<Item = (usize, u64, u128)> + '_ {
        let columns = (0..self.column.len()).filter(|&at| at != self.axis);
        columns.chain([self.axis]).map(|at| {
            let size = if at == self.axis { self.step } else { self.column[at] }.max(1);
            (at, size, u128::from(self.shapes.extent[at].div_ceil(size).max(1)))
        })
    }

    /// The number of the step that writes a target chunk. Steps are done in the order of their numbers: column by column.
    pub fn step_of(&self, target_coords: &[u64]) -> u128 {
        self.axes().fold(0, |number, (at, size, count)| {
            let element = target_coords[at].saturating_mul(self.shapes.target[at]);
            number * count + u128::from(element / size)
        })
    }

    /// The coordinates of a step, for each axis: of its column, and the number of the step in the column.
    fn coordinates(&self, mut number: u128) -> Vec<u64> {
        let mut coords = vec![0; self.column.len()];
        for (at, _, count) in self.axes().rev() {
            coords[at] = (number % count) as u64;
            number /= count;
        }
        coords
    }
}

/// Which elements of the source are in memory, from step to step.
#[derive(Debug, Default)]
pub(crate) struct Window<T> {
    /// The column of the parts.
    column: Vec<u64>,
    /// The parts that have been read, in order along the axis.
    parts: VecDeque<(Block, T)>,
}

impl<T> Window<T> {
    /// Goes on to a step: returns the blocks to be read, each of which is then given to [`Self::push`], and what this and
    /// later steps do not need any more.
    pub fn advance(&mut self, sweep: &Sweep, step: u128) -> (Vec<Block>, Vec<T>) {
        let (axis, shapes) = (sweep.axis, &sweep.shapes);
        let mut coords = sweep.coordinates(step);
        let number = std::mem::take(&mut coords[axis]);
        let mut dropped: Vec<T> = Vec::new();
        if self.column != coords {
            self.column.clone_from(&coords);
            dropped.extend(self.parts.drain(..).map(|(_, elements)| elements));
        }
        let (source, extent) = (shapes.source[axis], shapes.extent[axis]);
        let start = number.saturating_mul(sweep.step);
        let end = start.saturating_add(sweep.step).min(extent);
        let first = start / source * source;
        let last = end.div_ceil(source).saturating_mul(source).min(extent);
        // They are in order along the axis.
        while self.parts.front().is_some_and(|(block, _)| block.end(axis) <= first) {
            dropped.extend(self.parts.pop_front().map(|(_, elements)| elements));
        }
        let from = self.parts.back().map_or(first, |(block, _)| block.end(axis).max(first));
        // What the next step needs as well is a part of its own, so that the rest can be dropped.
        let shared = (end / source * source).clamp(from, last);
        let block = |(from, to): (u64, u64)| {
            let mut block = Block::of_chunk(&coords, &sweep.column);
            (block.start[axis], block.count[axis]) = (from, to - from);
            block.within(&shapes.extent)
        };
        let wanted = [(from, shared), (shared, last)].into_iter().filter(|(from, to)| from < to);
        (wanted.map(block).collect(), dropped)
    }

    /// Adds a part that has been read.
    pub fn push(&mut self, block: Block, elements: T) {
        self.parts.push_back((block, elements));
    }

    /// The parts in memory.
    pub fn parts(&self) -> impl Iterator<Item = &(Block, T)> {
        self.parts.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn shapes(extent: &[u64], source: &[u64], target: &[u64]) -> Shapes {
        Shapes { extent: extent.into(), source: source.into(), target: target.into(), element_bytes: 4 }
    }

    /// The coordinates of the chunks that a block overlaps.
    fn chunks(block: &Block, chunk: &[u64]) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for (axis, &size) in chunk.iter().enumerate() {
            let range = block.start[axis] / size..block.end(axis).div_ceil(size);
            all = all
                .into_iter()
                .flat_map(|at: Vec<u64>| range.clone().map(move |i| [&at[..], &[i]].concat()))
                .collect();
        }
        all
    }

    /// Runs a sweep over these target chunks: decodes of each source chunk, and the most elements in memory.
    fn run(sweep: &Sweep, targets: &[Vec<u64>]) -> (BTreeMap<Vec<u64>, usize>, u64) {
        let shapes = &sweep.shapes;
        let mut steps: BTreeMap<u128, Vec<&Vec<u64>>> = BTreeMap::new();
        targets.iter().for_each(|target| steps.entry(sweep.step_of(target)).or_default().push(target));
        let mut window = Window::default();
        let (mut decodes, mut most) = (BTreeMap::new(), 0);
        for (step, targets) in steps {
            for block in window.advance(sweep, step).0 {
                chunks(&block, &shapes.source).into_iter().for_each(|chunk| {
                    *decodes.entry(chunk).or_default() += 1;
                });
                window.push(block, ());
            }
            most = most.max(window.parts().map(|(block, ())| block.elements()).sum());
            for target in targets {
                let chunk = Block::of_chunk(target, &shapes.target).within(&shapes.extent);
                let found = window.parts().filter_map(|(block, ())| block.intersection(&chunk));
                assert_eq!(found.map(|part| part.elements()).sum::<u64>(), chunk.elements(), "{target:?}");
            }
        }
        (decodes, most)
    }

    #[test]
    fn time_steps_become_series_and_back() {
        let extent = [1460, 361, 720];
        let (maps, series) = ([1, 361, 720], [365, 25, 25]);
        let there = Sweep::find(&shapes(&extent, &maps, &series), 400 << 20).unwrap();
        assert_eq!((there.axis, &there.column[..], there.step), (0, &[1460, 361, 720][..], 365));
        assert_eq!(there.memory_bytes, 365 * 361 * 720 * 4);
        let back = Sweep::find(&shapes(&extent, &series, &maps), 400 << 20).unwrap();
        assert_eq!((back.axis, back.step, back.memory_bytes), (0, 365, 365 * 361 * 720 * 4));
        let too_small = Sweep::find(&shapes(&extent, &maps, &series), 64 << 20);
        assert_eq!(too_small, Err(365 * 361 * 720 * 4));
    }

    #[test]
    fn long_columns_become_wide_ones_in_little_memory() {
        let sweep = Sweep::find(&shapes(&[67_186, 20_000], &[2000, 1], &[67_186, 10]), 32 << 20).unwrap();
        assert_eq!((sweep.axis, &sweep.column[..], sweep.step), (0, &[67_186, 120][..], 67_186));
    }

    #[test]
    fn odd_shapes_do_not_need_their_common_multiple() {
        let sweep = Sweep::find(&shapes(&[1_000_000, 64], &[97, 64], &[101, 64]), 128 << 10).unwrap();
        assert!(sweep.memory_bytes <= 128 << 10, "{sweep:?}");
        assert_eq!(sweep.step % 101, 0);
    }

    proptest! {
        #[test]
        fn each_chunk_is_decoded_once_within_memory(
            axes in prop::collection::vec((1u64..13, 1u64..8, 1u64..8), 1..4),
            memory_bytes in 1u64..3000,
            skip in 1usize..5,
        ) {
            let [extent, source, target]: [Vec<u64>; 3] =
                [0, 1, 2].map(|i| axes.iter().map(|axis| [axis.0, axis.1, axis.2][i]).collect());
            let shapes = Shapes { extent, source, target, element_bytes: 1 };
            let sweep = match Sweep::find(&shapes, memory_bytes) {
                Ok(sweep) => sweep,
                Err(needed) => {
                    prop_assert!(needed > memory_bytes);
                    Sweep::find(&shapes, needed).unwrap()
                }
            };
            prop_assert!(sweep.memory_bytes <= memory_bytes.max(Sweep::smallest(&shapes, sweep.axis).memory_bytes));
            let whole = Block { start: vec![0; axes.len()], count: shapes.extent.clone() };
            let all = chunks(&whole, &shapes.target);
            let (decodes, most) = run(&sweep, &all);
            prop_assert!(most <= sweep.memory_bytes, "{} > {:?}", most, sweep);
            prop_assert_eq!(decodes.keys().cloned().collect::<BTreeSet<_>>(),
                chunks(&whole, &shapes.source).into_iter().collect::<BTreeSet<_>>());
            prop_assert!(decodes.values().all(|&times| times == 1), "{:?} {:?}", sweep, decodes);
            // Of a sparse array only some target chunks exist.
            let some: Vec<_> = all.into_iter().step_by(skip).collect();
            let (decodes, most) = run(&sweep, &some);
            prop_assert!(most <= sweep.memory_bytes);
            prop_assert!(decodes.values().all(|&times| times == 1), "{:?} {:?}", sweep, decodes);
        }
    }
}
