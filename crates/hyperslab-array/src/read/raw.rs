//! Unfiltered bytes: read only what is selected, in few large requests, straight to its place where it lies in one
//! piece there.

use super::convert::Conversion;
use super::place::{AxisCopies, Copies};
use super::target::Target;
use super::worker::{sized, with_worker};
use crate::array::DataSource;
use crate::{Error, Result};
use hyperslab_io::{Advice, Source};
use smallvec::SmallVec;
use std::ops::Range;

/// Reads in one piece are cut here, so that several threads share them.
const PIECE_BYTES: usize = 4 << 20;
/// Requests that are shared out among threads at a time.
const BATCH: usize = 4096;
/// Below this a read is not worth waking other threads.
const PARALLEL_BYTES_MIN: usize = 1 << 20;

/// One request for unfiltered bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawRequest {
    /// First byte, counted from the beginning of the array.
    pub(crate) start: usize,
    /// Bytes to ask for.
    pub(crate) len: usize,
    /// What to do with them.
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// They go to one place, as they are.
    Straight { target: usize },
    /// They hold `count` elements of axis `axis` (counted from the innermost), from the `first` on, with all of
    /// the axes inside of it, and gaps.
    Scattered { axis: usize, first: u64, count: u64, source: usize, target: usize },
}

/// Makes the requests for these copies, in ascending order of axes.
pub(crate) fn requests(copies: &Copies<'_>, advice: Advice, emit: &mut impl FnMut(RawRequest)) {
    descend(copies, copies.axes.len(), copies.source_start, copies.target_start, advice, emit);
}

fn descend(
    copies: &Copies<'_>,
    depth: usize,
    source: usize,
    target: usize,
    advice: Advice,
    emit: &mut impl FnMut(RawRequest),
) {
    let Some(axis) = depth.checked_sub(1) else {
        for done in (0..copies.unit).step_by(PIECE_BYTES) {
            let place = Place::Straight { target: target + done };
            emit(RawRequest { start: source + done, len: (copies.unit - done).min(PIECE_BYTES), place });
        }
        return;
    };
    let outer = copies.axes[axis];
    let inner = extent(&copies.axes[..axis], copies.unit);
    let inner_copies: usize = copies.axes[..axis].iter().map(|axis| axis.len() as usize).product();
    let (gap, max) = (advice.gap_bytes as usize, advice.request_bytes_max as usize);
    let worthwhile = |span: usize, elements: u64| {
        let pieces = inner_copies * elements as usize;
        span <= max && span.saturating_sub(pieces * copies.unit) <= gap * pieces
    };
    let count = outer.len();
    let mut first = 0;
    while first < count {
        let (at, to) = outer.place(first);
        let mut span = at + inner.start..at + inner.end;
        if !worthwhile(span.len(), 1) {
            descend(copies, axis, source + at, target + to, advice, emit);
            first += 1;
            continue;
        }
        let mut end = first + 1;
        // Where each further element alike is worthwhile, as many as fit into a request are taken at once.
        let near = inner_copies.saturating_mul(copies.unit.saturating_add(gap));
        let alike = outer.even_stride().filter(|&stride| stride > 0 && stride <= near);
        if let Some(stride) = alike {
            let fit = max.saturating_sub(span.len()) / stride + 1;
            end = (first + fit as u64).min(count);
            span.end += (end - first - 1) as usize * stride;
        }
        while alike.is_none() && end < count {
            let (at, _) = outer.place(end);
            let longer = span.start.min(at + inner.start)..span.end.max(at + inner.end);
            if !worthwhile(longer.len(), end + 1 - first) {
                break;
            }
            (span, end) = (longer, end + 1);
        }
        if axis == 0 && end == first + 1 {
            descend(copies, axis, source + at, target + to, advice, emit);
        } else {
            let place = Place::Scattered { axis, first, count: end - first, source, target };
            emit(RawRequest { start: source + span.start, len: span.len(), place });
        }
        first = end;
    }
}

/// From the first to the last byte that copies along these axes touch, from their common start.
fn extent(axes: &[AxisCopies<'_>], unit: usize) -> Range<usize> {
    let mut extent = 0..unit;
    for axis in axes {
        let least = if axis.is_ascending() {
            axis.place(0).0
        } else {
            (0..axis.len()).map(|i| axis.place(i).0).min().unwrap_or(0)
        };
        extent = extent.start + least..extent.end + axis.last().0;
    }
    extent
}

/// Reads an unfiltered array that begins at `base` in the source.
///
/// # Safety
/// Nobody else uses the places of these copies in the target meanwhile.
pub(crate) unsafe fn read(
    data: &DataSource,
    base: u64,
    copies: &Copies<'_>,
    target: Target<'_>,
    conversion: Conversion,
) -> Result<()> {
    let (source, runtime) = (&*data.source, &data.runtime);
    target.check(copies.target_start..copies.target_end())?;
    check_source(source, base, copies)?;
    // SAFETY: all places are inside the target (checked), nobody else uses them (promised), and those of two requests
    // are disjoint.
    let read_one =
        |request: RawRequest| unsafe { read_request(source, base, copies, request, target, conversion) };
    if copies.bytes() < PARALLEL_BYTES_MIN {
        let mut outcome = Ok(());
        requests(copies, source.advice(), &mut |request| {
            if outcome.is_ok() {
                outcome = read_one(request);
            }
        });
        return outcome;
    }
    // Batches, because a request for each of many scattered elements takes more memory than the elements.
    let mut batch = Vec::with_capacity(BATCH);
    let mut outcome = Ok(());
    requests(copies, source.advice(), &mut |request| {
        batch.push(request);
        if batch.len() == BATCH && outcome.is_ok() {
            outcome = runtime.for_each(&batch, |&request| read_one(request));
        }
        if batch.len() == BATCH {
            batch.clear();
        }
    });
    outcome?;
    runtime.for_each(&batch, |&request| read_one(request))
}

/// Refuses copies that reach beyond the end of their source.
pub(crate) fn check_source(source: &dyn Source, base: u64, copies: &Copies<'_>) -> Result<()> {
    if base > source.len() || copies.source_end() as u64 > source.held_from(base) {
        return Err(Error::damaged(format!(
            "raw data at byte {base:#x} reaches beyond the end of the file ({} bytes)",
            source.len()
        ))
        .at_byte("raw data", base));
    }
    Ok(())
}

/// Makes a request, and puts its bytes into their places.
///
/// # Safety
/// The places of the request are inside the target, and nobody else uses them meanwhile.
unsafe fn read_request(
    source: &dyn Source,
    base: u64,
    copies: &Copies<'_>,
    request: RawRequest,
    target: Target<'_>,
    conversion: Conversion,
) -> Result<()> {
    let at = base + request.start as u64;
    match request.place {
        Place::Straight { target: to } => {
            // SAFETY: inside the target, and nobody else uses it (promised).
            let place = unsafe { target.slice_mut(to, request.len) };
            source.read_into(at, place)?;
            conversion.in_place(place);
        }
        Place::Scattered { axis, first, count, source: from, target: to } => with_worker(|worker| {
            let bytes = sized(&mut worker.stored, request.len)?;
            source.read_into(at, bytes)?;
            let mut axes = SmallVec::from(&copies.axes[..axis]);
            axes.push(copies.axes[axis].part(first, count));
            let part = Copies { unit: copies.unit, source_start: from, target_start: to, axes };
            // SAFETY: as above.
            unsafe { part.run_unchecked(bytes, request.start, target, conversion) };
            Ok::<_, Error>(())
        })?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::{Axis, Blocks, cut::cut};
    use hyperslab_io::{Memory, wrap::Recorder};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn check(dims: &[u64], axes: &[Axis], advice: Advice) -> Vec<(usize, usize)> {
        let bytes: Vec<u8> = (0..dims.iter().product::<u64>() * 2).map(|i| (i % 251) as u8).collect();
        let pieces: Vec<_> = axes.iter().zip(dims).map(|(axis, &dim)| cut(axis, dim, 0)).collect();
        let runs: Vec<_> = pieces.iter().map(|pieces| &pieces[0].run).collect();
        let shape: Vec<u64> = axes.iter().map(Axis::len).collect();
        let copies = Copies::new(&runs, dims, &shape, 2).unwrap();
        let mut expected = vec![0; copies.bytes()];
        // SAFETY: nobody else has the buffer.
        unsafe { copies.run(&bytes, 0, Target::new(&mut expected), Conversion::None) }.unwrap();
        let mut all = Vec::new();
        requests(&copies, advice, &mut |request| all.push(request));
        let mut found = vec![0; copies.bytes()];
        let memory = Memory::new("test", bytes);
        for &request in &all {
            let target = Target::new(&mut found);
            // SAFETY: the buffer has room for all copies, and nobody else has it.
            unsafe { read_request(&memory, 0, &copies, request, target, Conversion::None) }.unwrap();
        }
        assert_eq!(found, expected);
        all.iter().map(|request| (request.start, request.len)).collect()
    }

    const ADVICE: Advice = Advice { gap_bytes: 4, request_bytes_max: 64, ..Advice::LOCAL };

    #[test]
    fn near_rows_share_a_request_and_far_rows_do_not() {
        assert_eq!(check(&[10, 4], &[Axis::span(2, 5), Axis::all(4)], ADVICE), [(16, 24)]);
        assert_eq!(check(&[10, 4], &[Axis::span(2, 5), Axis::span(0, 3)], ADVICE), [(16, 22)]);
        assert_eq!(
            check(&[3, 100], &[Axis::all(3), Axis::span(10, 12)], ADVICE),
            [(20, 4), (220, 4), (420, 4)]
        );
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one request")]
    fn reading_everything_is_one_request() {
        let (source, recording) = Recorder::new(Memory::new("test", vec![1u8; 4000]));
        let pieces = cut(&Axis::all(2000), 2000, 0);
        let copies = Copies::new(&[&pieces[0].run], &[2000], &[2000], 2).unwrap();
        let mut out = vec![0; 4000];
        let data = DataSource::new(Arc::new(source), crate::settings::runtime());
        // SAFETY: nobody else has the buffer.
        unsafe { read(&data, 0, &copies, Target::new(&mut out), Conversion::None) }.unwrap();
        assert_eq!((recording.take(), out), (vec![0..4000], vec![1; 4000]));
    }

    prop_compose! {
        fn axis(dim: u64)(choice in 0..3, start in 0..dim, step in 1u64..4, count in 1u64..10, block in 1u64..4,
                          cut_off in 0u64..3, list in prop::collection::vec(0..dim, 1..6)) -> Axis {
            let range = count.min((dim - start).div_ceil(step));
            match choice {
                0 => Axis::range(start, range, step).unwrap(),
                1 => {
                    let blocks = Blocks::new(start, step + block, count, block).unwrap();
                    let inside = blocks.positions(0, dim - 1);
                    Axis::Blocks(blocks.slice(cut_off.min(inside.end - 1)..inside.end))
                }
                _ => Axis::List(list),
            }
        }
    }

    proptest! {
        #[test]
        fn requests_bring_what_direct_copies_bring(
            a in axis(7), b in axis(9), c in axis(11), gap_bytes in 0u64..30, request_bytes_max in 1u64..200
        ) {
            check(&[7, 9, 11], &[a, b, c], Advice { gap_bytes, request_bytes_max, ..Advice::LOCAL });
        }
    }
}
