//! Placement: copying the elements of a chunk to the result, as nested runs that are merged into the longest possible
//! copies.

use super::convert::Conversion;
use super::target::Target;
use crate::selection::{Blocks, Run};
use crate::{Error, Result};
use smallvec::{SmallVec, smallvec};

/// The copies that bring a part of a source array (a chunk, or a whole contiguous dataset) to its place.
///
/// Every copy is `unit` bytes long. `axes` are what could not be merged into it, innermost first.
#[derive(Debug)]
pub(crate) struct Copies<'r> {
    pub(crate) unit: usize,
    pub(crate) source_start: usize,
    pub(crate) target_start: usize,
    pub(crate) axes: SmallVec<[AxisCopies<'r>; 4]>,
}

/// One axis of the copies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AxisCopies<'r> {
    pairs: Pairs<'r>,
    source_stride: usize,
    target_stride: usize,
}

/// Elements of the source along one axis and their places in the target.
#[derive(Debug, Clone, Copy)]
enum Pairs<'r> {
    /// `count` elements from `inner` on, `step` apart, to places from `out` on, `out_step` apart.
    Strided { inner: u64, step: u64, out: u64, out_step: u64, count: u64 },
    /// The elements at `count` positions from `first` on in blocks, to the places at the same positions.
    Blocks { inner: &'r Blocks, out: &'r Blocks, first: u64, count: u64 },
    /// Any pairs.
    Scattered(&'r [(u64, u64)]),
}

impl<'r> Copies<'r> {
    /// The copies of `runs` (one per axis) out of an array of `source_dims` into one of `target_dims`.
    pub(crate) fn new(
        runs: &[&'r Run],
        source_dims: &[u64],
        target_dims: &[u64],
        element_bytes: usize,
    ) -> Result<Self> {
        Self::strided(runs, source_dims, None, target_dims, element_bytes)
    }

    /// The same out of a source in which `outer_bytes` lie from one index of the outermost axis to the next.
    pub(crate) fn strided(
        runs: &[&'r Run],
        source_dims: &[u64],
        outer_bytes: Option<usize>,
        target_dims: &[u64],
        element_bytes: usize,
    ) -> Result<Self> {
        let mut copies =
            Copies { unit: element_bytes, source_start: 0, target_start: 0, axes: SmallVec::new() };
        let (mut source_stride, mut target_stride) = (element_bytes, element_bytes);
        for axis in (0..runs.len()).rev() {
            if let (0, Some(bytes)) = (axis, outer_bytes) {
                source_stride = bytes;
            }
            let along = |pairs| AxisCopies { pairs, source_stride, target_stride };
            match runs[axis] {
                &Run::Strided { inner, step, count, out } => {
                    copies.add(along(Pairs::Strided { inner, step, out, out_step: 1, count }))?;
                }
                Run::Scattered(pairs) => copies.add(along(Pairs::Scattered(pairs)))?,
                Run::Blocks(blocks) => {
                    for pairs in pairs_of_blocks(&blocks.inner, &blocks.out) {
                        copies.add(along(pairs))?;
                    }
                }
            }
            source_stride = times(source_stride, source_dims[axis])?;
            target_stride = times(target_stride, target_dims[axis])?;
        }
        Ok(copies)
    }

    /// Adds an axis outside of those that there are, or makes each copy longer instead.
    fn add(&mut self, axis: AxisCopies<'r>) -> Result<()> {
        match axis.pairs {
            Pairs::Strided { inner, step, out, out_step, count }
                if count == 1
                    || ((step, out_step) == (1, 1)
                        && (self.unit, self.unit) == (axis.source_stride, axis.target_stride)) =>
            {
                self.unit = times(self.unit, count)?;
                self.source_start += times(axis.source_stride, inner)?;
                self.target_start += times(axis.target_stride, out)?;
            }
            _ => self.axes.push(axis),
        }
        Ok(())
    }

    /// True where one copy does it all.
    pub(crate) fn is_single(&self) -> bool {
        self.axes.is_empty()
    }

    /// Bytes copied in all.
    pub(crate) fn bytes(&self) -> usize {
        self.axes.iter().fold(self.unit, |bytes, axis| bytes * axis.len() as usize)
    }

    /// One past the last byte that is read of the source.
    pub(crate) fn source_end(&self) -> usize {
        self.axes.iter().fold(self.source_start + self.unit, |end, axis| end + axis.last().0)
    }

    /// One past the last byte that is written of the target.
    pub(crate) fn target_end(&self) -> usize {
        self.axes.iter().fold(self.target_start + self.unit, |end, axis| end + axis.last().1)
    }

    /// Calls `copy(source offset, target offset)` for each copy of `unit` bytes, in ascending order of axes.
    #[inline]
    pub(crate) fn for_each(&self, copy: &mut impl FnMut(usize, usize)) {
        walk(&self.axes, self.source_start, self.target_start, copy);
    }

    /// Copies from `source` (bytes from offset `source_from` of the source array on) into the target.
    ///
    /// # Errors
    /// Copies that reach beyond the source or the target.
    ///
    /// # Safety
    /// Nobody else uses the places of these copies in the target meanwhile.
    pub(crate) unsafe fn run(
        &self,
        source: &[u8],
        source_from: usize,
        target: Target<'_>,
        conversion: Conversion,
    ) -> Result<()> {
        target.check(self.target_start..self.target_end())?;
        if self.source_start < source_from || self.source_end() - source_from > source.len() {
            return Err(Error::internal("a copy reaches beyond its source"));
        }
        // SAFETY: inside the target (checked above), and nobody else uses the places (promised).
        unsafe { self.run_unchecked(source, source_from, target, conversion) };
        Ok(())
    }

    /// Does the copies.
    ///
    /// # Safety
    /// All places are inside the target, and nobody else uses them.
    pub(crate) unsafe fn run_unchecked(
        &self,
        source: &[u8],
        source_from: usize,
        target: Target<'_>,
        conversion: Conversion,
    ) {
        match (conversion, self.unit) {
            // Single elements far apart: fixed widths let the copy be one load and one store.
            // SAFETY: as promised to this function; so for all four.
            (Conversion::None, 1) => unsafe { self.run_fixed::<1>(source, source_from, target) },
            // SAFETY: as above.
            (Conversion::None, 2) => unsafe { self.run_fixed::<2>(source, source_from, target) },
            // SAFETY: as above.
            (Conversion::None, 4) => unsafe { self.run_fixed::<4>(source, source_from, target) },
            // SAFETY: as above.
            (Conversion::None, 8) => unsafe { self.run_fixed::<8>(source, source_from, target) },
            _ => self.for_each(&mut |from, to| {
                // SAFETY: inside the target, and disjoint from others (promised).
                let place = unsafe { target.slice_mut(to, self.unit) };
                conversion.copy(&source[from - source_from..][..self.unit], place);
            }),
        }
    }

    /// Does copies of `UNIT` bytes.
    ///
    /// # Safety
    /// As for [`Self::run_unchecked`].
    unsafe fn run_fixed<const UNIT: usize>(&self, source: &[u8], source_from: usize, target: Target<'_>) {
        self.for_each(&mut |from, to| {
            let element: [u8; UNIT] = source[from - source_from..][..UNIT].try_into().expect("UNIT bytes");
            // SAFETY: inside the target, and disjoint from others (promised).
            unsafe { target.slice_mut(to, UNIT) }.copy_from_slice(&element);
        });
    }

    /// Writes a repeated element to all places of the target. `element` empty stands for zeros.
    ///
    /// # Errors
    /// Copies that reach beyond the target.
    ///
    /// # Safety
    /// Nobody else uses the places of these copies in the target meanwhile.
    pub(crate) unsafe fn fill(&self, element: &[u8], target: Target<'_>) -> Result<()> {
        target.check(self.target_start..self.target_end())?;
        self.for_each(&mut |_, to| {
            // SAFETY: inside the target (checked above), and nobody else uses the place (promised).
            repeat(element, unsafe { target.slice_mut(to, self.unit) });
        });
        Ok(())
    }
}

/// Writes an element over and over. `element` empty stands for zeros.
pub(crate) fn repeat(element: &[u8], place: &mut [u8]) {
    const BLOCK_BYTES: usize = 16 << 10;
    let first = element.first().copied().unwrap_or(0);
    if element.iter().all(|&byte| byte == first) {
        return place.fill(first);
    }
    let mut done = element.len().min(place.len());
    place[..done].copy_from_slice(&element[..done]);
    // Copies twice as much each time, up to a block that stays in the nearest cache.
    let block = element.len() * (BLOCK_BYTES / element.len()).max(1);
    while done < place.len() {
        let next = done.min(block).min(place.len() - done);
        place.copy_within(..next, done);
        done += next;
    }
}

/// The copies of blocks along one axis, innermost first. Whole blocks are two: within a block, and from block to block.
fn pairs_of_blocks<'r>(inner: &'r Blocks, out: &'r Blocks) -> SmallVec<[Pairs<'r>; 2]> {
    let strided = |inner, step, out, out_step, count| Pairs::Strided { inner, step, out, out_step, count };
    let Some((first, _)) = inner.bounds() else { return smallvec![Pairs::Scattered(&[])] };
    let (first_out, count) = (out.index(0), inner.len());
    if let (Some(step), Some(out_step)) = (inner.step(), out.step()) {
        return smallvec![strided(first, step, first_out, out_step, count)];
    }
    let block = if inner.is_span() { out.block() } else { inner.block() };
    match (inner.group_stride(block), out.group_stride(block)) {
        (Some(step), Some(out_step)) => {
            smallvec![strided(0, 1, 0, 1, block), strided(first, step, first_out, out_step, count / block)]
        }
        _ => smallvec![Pairs::Blocks { inner, out, first: 0, count }],
    }
}

impl<'r> AxisCopies<'r> {
    /// How many elements.
    pub(crate) fn len(&self) -> u64 {
        match self.pairs {
            Pairs::Strided { count, .. } | Pairs::Blocks { count, .. } => count,
            Pairs::Scattered(pairs) => pairs.len() as u64,
        }
    }

    /// `count` of the copies along this axis, from the `from`-th on.
    pub(crate) fn part(&self, from: u64, count: u64) -> AxisCopies<'r> {
        let pairs = match self.pairs {
            Pairs::Strided { inner, step, out, out_step, .. } => Pairs::Strided {
                inner: inner + from * step,
                step,
                out: out + from * out_step,
                out_step,
                count,
            },
            Pairs::Blocks { inner, out, first, .. } => {
                Pairs::Blocks { inner, out, first: first + from, count }
            }
            Pairs::Scattered(pairs) => Pairs::Scattered(&pairs[from as usize..(from + count) as usize]),
        };
        AxisCopies { pairs, ..*self }
    }

    /// Bytes of the source from one element to the next, where that is the same between all of them.
    pub(crate) fn even_stride(&self) -> Option<usize> {
        match self.pairs {
            Pairs::Strided { step, .. } => usize::try_from(step).ok()?.checked_mul(self.source_stride),
            Pairs::Blocks { .. } | Pairs::Scattered(_) => None,
        }
    }

    /// True where each element lies behind the one before it, in source and target.
    pub(crate) fn is_ascending(&self) -> bool {
        !matches!(self.pairs, Pairs::Scattered(_))
    }

    /// The largest source and the largest target offset along this axis, in bytes.
    pub(crate) fn last(&self) -> (usize, usize) {
        let (inner, out) = match self.pairs {
            Pairs::Scattered(pairs) => {
                pairs.iter().fold((0, 0), |last, pair| (last.0.max(pair.0), last.1.max(pair.1)))
            }
            _ => self.pairs.get(self.len().saturating_sub(1)),
        };
        (inner as usize * self.source_stride, out as usize * self.target_stride)
    }

    /// Source and target offset of the `i`-th element along this axis, in bytes.
    pub(crate) fn place(&self, i: u64) -> (usize, usize) {
        let (inner, out) = self.pairs.get(i);
        (inner as usize * self.source_stride, out as usize * self.target_stride)
    }
}

impl Pairs<'_> {
    /// The `i`-th element and its place.
    fn get(&self, i: u64) -> (u64, u64) {
        match self {
            Pairs::Strided { inner, step, out, out_step, .. } => (inner + i * step, out + i * out_step),
            Pairs::Blocks { inner, out, first, .. } => (inner.index(first + i), out.index(first + i)),
            Pairs::Scattered(pairs) => pairs[i as usize],
        }
    }
}

/// Calls `copy` for every combination of the axes (innermost first), from these starts on.
pub(crate) fn walk(
    axes: &[AxisCopies<'_>],
    source: usize,
    target: usize,
    copy: &mut impl FnMut(usize, usize),
) {
    let Some((outer, inner)) = axes.split_last() else {
        return copy(source, target);
    };
    match outer.pairs {
        Pairs::Strided { step, out_step, count, .. } => {
            let (from, to) = outer.place(0);
            let strides = (step as usize * outer.source_stride, out_step as usize * outer.target_stride);
            walk_strided(inner, (source + from, target + to), strides, count, copy);
        }
        Pairs::Blocks { inner: elements, out: places, first, count } => {
            let mut done = 0;
            while done < count {
                let (from, to) = outer.place(done);
                let adjacent = elements.run_len(first + done).min(places.run_len(first + done));
                let adjacent = adjacent.min(count - done);
                let strides = (outer.source_stride, outer.target_stride);
                walk_strided(inner, (source + from, target + to), strides, adjacent, copy);
                done += adjacent;
            }
        }
        Pairs::Scattered(pairs) => {
            for &(first, out) in pairs {
                let from = source + first as usize * outer.source_stride;
                walk(inner, from, target + out as usize * outer.target_stride, copy);
            }
        }
    }
}

/// Calls `copy` for every combination of the axes `inner`, at `count` places from `from` and `to` on.
fn walk_strided(
    inner: &[AxisCopies<'_>],
    (mut from, mut to): (usize, usize),
    (from_stride, to_stride): (usize, usize),
    count: u64,
    copy: &mut impl FnMut(usize, usize),
) {
    let few = few_places(inner);
    for _ in 0..count {
        match &few {
            Some(few) => few.iter().for_each(|place| copy(from + place.0, to + place.1)),
            None if inner.is_empty() => copy(from, to),
            None => walk(inner, from, to, copy),
        }
        from += from_stride;
        to += to_stride;
    }
}

/// Source and target offsets along a single axis of few elements, such as the members of a record.
fn few_places(axes: &[AxisCopies<'_>]) -> Option<SmallVec<[(usize, usize); FEW_MAX]>> {
    match axes {
        [only] if only.len() <= FEW_MAX as u64 => Some((0..only.len()).map(|i| only.place(i)).collect()),
        _ => None,
    }
}

/// So many places are worth being worked out beforehand.
const FEW_MAX: usize = 16;

fn times(bytes: usize, count: u64) -> Result<usize> {
    usize::try_from(count)
        .ok()
        .and_then(|count| bytes.checked_mul(count))
        .ok_or_else(|| Error::invalid("the selection's extent in bytes does not fit this machine"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::Axis;
    use crate::selection::cut::cut;
    use proptest::prelude::*;

    fn even(inner: u64, step: u64, count: u64, out: u64) -> Run {
        Run::Strided { inner, step, count, out }
    }

    #[test]
    fn full_axes_merge_into_one_copy() {
        let (first, full) = (even(2, 1, 3, 0), even(0, 1, 5, 0));
        let copies = Copies::new(&[&first, &full], &[10, 5], &[3, 5], 4).unwrap();
        assert!(copies.is_single());
        assert_eq!((copies.unit, copies.source_start), (3 * 5 * 4, 2 * 5 * 4));
    }

    #[test]
    fn elements_are_repeated_to_the_last_byte() {
        for (element, len) in [(&[][..], 5), (&[7], 5), (&[1, 2], 1), (&[1, 2, 3], 100_000), (&[0; 4], 8)] {
            let mut place = vec![0xff; len];
            repeat(element, &mut place);
            let expected: Vec<u8> =
                element.iter().copied().cycle().chain(std::iter::repeat(0)).take(len).collect();
            assert_eq!(place, expected);
        }
    }

    #[test]
    fn places_rows_strides_and_lists() {
        let source: Vec<u8> = (0..60).collect();
        let mut out = vec![0xff; 2 * 3 * 2];
        let (rows, columns) = (Run::Scattered(vec![(4, 0), (1, 1)]), even(1, 2, 3, 0));
        let copies = Copies::new(&[&rows, &columns], &[5, 6], &[2, 3], 2).unwrap();
        let run = |source: &[u8], out: &mut [u8], conversion| {
            // SAFETY: nobody else has the buffer.
            unsafe { copies.run(source, 0, Target::new(out), conversion) }
        };
        run(&source, &mut out, Conversion::None).unwrap();
        assert_eq!(out, [50, 51, 54, 55, 58, 59, 14, 15, 18, 19, 22, 23]);
        run(&source, &mut out, Conversion::Swap { width: 2 }).unwrap();
        assert_eq!(out[..4], [51, 50, 55, 54]);
        // SAFETY: nobody else has the buffer.
        unsafe { copies.fill(&[7, 8], Target::new(&mut out)) }.unwrap();
        assert_eq!(out, [7, 8].repeat(6));
        assert!(run(&source, &mut out[..11], Conversion::None).is_err());
        assert!(run(&source[..58], &mut out, Conversion::None).is_err());
    }

    #[test]
    fn whole_blocks_are_copied_in_one_piece() {
        let (rows, full) = (Axis::hyperslab(1, 4, 3, 2).unwrap(), even(0, 1, 5, 0));
        let pieces = cut(&rows, 20, 0);
        let copies = Copies::new(&[&pieces[0].run, &full], &[20, 5], &[6, 5], 4).unwrap();
        assert_eq!((copies.unit, copies.axes.len(), copies.source_start), (2 * 5 * 4, 1, 0));
        assert_eq!((copies.axes[0].place(0), copies.axes[0].place(2)), ((20, 0), (9 * 20, 80)));
    }

    prop_compose! {
        /// Blocks, perhaps cut off at both ends, with the numbers that they are.
        fn blocks(dim: u64)(start in 0..dim, gap in 0u64..4, count in 1u64..6, block in 1u64..5, cut_off in 0u64..5)
            -> (Blocks, Vec<u64>) {
            let whole = Blocks::new(start, block + gap, count, block).unwrap();
            let end = whole.positions(0, dim - 1).end;
            let part = whole.slice(cut_off.min(end - 1)..end);
            let listed = (0..count).flat_map(|i| (0..block).map(move |j| start + i * (block + gap) + j));
            (part, listed.filter(|&index| index < dim).skip(cut_off.min(end - 1) as usize).collect())
        }
    }

    proptest! {
        #[test]
        fn blocks_go_to_their_places(
            (rows, row_list) in blocks(13), (columns, column_list) in blocks(11),
            (places, place_list) in blocks(12), to_blocks: bool,
        ) {
            // Either to consecutive places, or to blocks of places, as many as there are.
            let (row_run, row_list, place_list, height) = if to_blocks {
                let len = rows.len().min(places.len());
                let run = Run::regular(rows.slice(0..len), places.slice(0..len));
                (run, &row_list[..len as usize], place_list, 12)
            } else {
                let run = Run::regular(rows, Blocks::span(0, rows.len()));
                (run, &row_list[..], (0..rows.len()).collect(), rows.len())
            };
            let column_run = Run::regular(columns, Blocks::span(0, columns.len()));
            let width = columns.len() as usize;
            let source: Vec<u8> = (0..13 * 11).collect();
            let mut expected = vec![0xff; height as usize * width];
            for (&row, &place) in row_list.iter().zip(&place_list) {
                for (i, &column) in column_list.iter().enumerate() {
                    expected[place as usize * width + i] = source[(row * 11 + column) as usize];
                }
            }
            let runs = [&row_run, &column_run];
            let copies = Copies::new(&runs, &[13, 11], &[height, columns.len()], 1).unwrap();
            let mut found = vec![0xff; expected.len()];
            // SAFETY: nobody else has the buffer.
            unsafe { copies.run(&source, 0, Target::new(&mut found), Conversion::None) }.unwrap();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(copies.bytes(), row_list.len() * column_list.len());
            let parts = copies.axes.iter().all(|axis| {
                let halves = [axis.part(0, axis.len() / 2), axis.part(axis.len() / 2, axis.len().div_ceil(2))];
                let places = halves.iter().flat_map(|half| (0..half.len()).map(|i| half.place(i)));
                places.eq((0..axis.len()).map(|i| axis.place(i)))
            });
            prop_assert!(parts);
        }
    }
}
