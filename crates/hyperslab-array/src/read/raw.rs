//! Reading unfiltered bytes: the requests of the plan, directly into the result if their destination is contiguous.

use super::call::Call;
use super::convert::Conversion;
use super::place::Copies;
use super::worker::{sized, with_worker};
use super::{block, pipeline};
use crate::array::DataSource;
use crate::plan::{RawDestination, RawFrom, RawRequest, RawStep};
use crate::{Error, Result};
use hyperslab_io::{Cancel, Source};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, PoisonError};

/// For a smaller read, other threads are not woken.
const PARALLEL_BYTES_MIN: usize = 1 << 20;

/// Reads bytes of an unfiltered array that begins at `base`: these steps of a plan with these copies.
///
/// # Safety
/// Nobody else uses the places of these copies in the target meanwhile.
pub(crate) unsafe fn read(
    data: &Arc<DataSource>,
    base: u64,
    copies: &Copies<'_>,
    steps: &[RawStep],
    call: Call<'_>,
) -> Result<()> {
    check(data, base, copies, call)?;
    let one = |step: &RawStep| {
        call.check_cancelled()?;
        // SAFETY: all places are inside the target (checked), nobody else uses them (promised), and those of two steps
        // are disjoint.
        unsafe { read_step(data, base, copies, step, call) }
    };
    let is_small = || steps.iter().any(|step| step.blocks().is_some());
    if data.source.advice().has_latency() && !is_small() {
        let ranges: Vec<_> = steps.iter().map(|step| step.wanted.range(base)).collect();
        pipeline::run(
            data,
            &ranges,
            |_| 1,
            call,
            |index, _, bytes| {
                // SAFETY: as above.
                unsafe { place(data, base, copies, &steps[index], bytes, call) };
                Ok(())
            },
        )
    } else if brought(copies, steps) < PARALLEL_BYTES_MIN {
        steps.iter().try_for_each(one)
    } else {
        data.runtime.for_each(steps, one)
    }
}

/// The bytes that steps bring, which are more than those of the result where what lies between them comes along.
fn brought(copies: &Copies<'_>, steps: &[RawStep]) -> usize {
    steps.iter().map(|step| step.wanted.len).sum::<usize>().max(copies.bytes())
}

/// Reads a single stretch of bytes to offset `to` of the target, for a source without latency: as [`read`] does it, without
/// the copies, which take as long to find as a small read.
///
/// # Safety
/// Nobody else uses these bytes of the target meanwhile.
pub(crate) unsafe fn read_stretch(
    data: &Arc<DataSource>,
    base: u64,
    step: &RawStep,
    to: usize,
    call: Call<'_>,
) -> Result<()> {
    let RawRequest { start, len, .. } = step.wanted;
    call.target.check(to..to.saturating_add(len))?;
    check_end(&*data.source, base, start as u64 + len as u64)?;
    call.check_cancelled()?;
    // SAFETY: inside the target (checked), and nobody else uses it (promised).
    bring(data, base, step, unsafe { call.target.slice_mut(to, len) }, call, call.conversion)
}

/// True if the steps bring the `bytes` of the result from the first to the last, as requests of their own.
pub(super) fn are_stretches(steps: &[RawStep], bytes: u64) -> bool {
    let end = steps.iter().try_fold(0, |end, step| match step.wanted.destination {
        RawDestination::Contiguous { target } if target == end && step.blocks().is_none() => {
            Some(end + step.wanted.len)
        }
        _ => None,
    });
    end.is_some_and(|end| end as u64 == bytes)
}

/// Reads steps that [are stretches](are_stretches) into memory that was never written, which has as many bytes.
pub(super) fn read_unwritten(
    data: &DataSource,
    base: u64,
    steps: &[RawStep],
    mut out: &mut [MaybeUninit<u8>],
    conversion: Conversion,
    cancel: &Cancel,
) -> Result<()> {
    let mut pieces = Vec::with_capacity(steps.len());
    for step in steps {
        let (piece, others) = out.split_at_mut(step.wanted.len);
        pieces.push((step, Mutex::new(piece)));
        out = others;
    }
    data.runtime.for_each(&pieces, |(step, piece)| {
        cancel.check()?;
        let RawRequest { start, len, .. } = step.wanted;
        check_end(&*data.source, base, start as u64 + len as u64)?;
        let mut piece = piece.lock().unwrap_or_else(PoisonError::into_inner);
        let place = piece.as_ptr().cast();
        let read = data.read_unwritten(step.wanted.range(base).start, &mut piece)?;
        // Memory that was never written must not become a result, whatever a source returns.
        if (read.as_ptr(), read.len()) != (place, len) {
            return Err(Error::internal("a source did not fill the memory that it was given"));
        }
        note(data, base, step);
        conversion.in_place(read);
        Ok(())
    })
}

/// Returns an error if copies extend beyond the target or beyond the end of the file.
pub(super) fn check(data: &DataSource, base: u64, copies: &Copies<'_>, call: Call<'_>) -> Result<()> {
    call.target.check(copies.target_start..copies.target_end())?;
    check_source(&*data.source, base, copies)
}

/// Returns an error if copies extend beyond the end of their source.
pub(crate) fn check_source(source: &dyn Source, base: u64, copies: &Copies<'_>) -> Result<()> {
    check_end(source, base, copies.source_end() as u64)
}

/// Returns an error if bytes that begin at `base` do not reach to `end` from there.
fn check_end(source: &dyn Source, base: u64, end: u64) -> Result<()> {
    if base > source.len() || end > source.held_from(base) {
        return Err(Error::damaged(format!(
            "raw data at byte {base:#x} reaches beyond the end of the file ({} bytes)",
            source.len()
        ))
        .at_byte("raw data", base));
    }
    Ok(())
}

/// Fetches and places the bytes of one step.
///
/// # Safety
/// The places of the step are inside the target, and nobody else uses them meanwhile.
unsafe fn read_step(
    data: &Arc<DataSource>,
    base: u64,
    copies: &Copies<'_>,
    step: &RawStep,
    call: Call<'_>,
) -> Result<()> {
    let wanted = &step.wanted;
    match wanted.destination {
        RawDestination::Contiguous { target: to } => {
            // SAFETY: inside the target, and nobody else uses it (promised).
            let out = unsafe { call.target.slice_mut(to, wanted.len) };
            bring(data, base, step, out, call, call.conversion)
        }
        RawDestination::Scattered { .. } => with_worker(|worker| {
            let bytes = sized(&mut worker.stored, wanted.len)?;
            bring(data, base, step, bytes, call, Conversion::None)?;
            // SAFETY: as promised to this function.
            unsafe { scatter(copies, wanted, bytes, call) };
            Ok(())
        }),
    }
}

/// Fetches the bytes of one step, or takes them from blocks, and converts them.
fn bring(
    data: &Arc<DataSource>,
    base: u64,
    step: &RawStep,
    out: &mut [u8],
    call: Call<'_>,
    conversion: Conversion,
) -> Result<()> {
    let range = step.wanted.range(base);
    match step.blocks() {
        Some(blocks) => block::copy(data, blocks, range, out, call, conversion),
        None => {
            data.read_into(range.start, out)?;
            note(data, base, step);
            conversion.in_place(out);
            Ok(())
        }
    }
}

/// Records a small read.
fn note(data: &DataSource, base: u64, step: &RawStep) {
    if matches!(step.from, RawFrom::SmallRequest) {
        data.small_reads.note(step.wanted.range(base), data.source.advice().gap_bytes);
    }
}

/// Places the bytes that were fetched for a step.
///
/// # Safety
/// The places of the step are inside the target, and nobody else uses them meanwhile.
pub(super) unsafe fn place(
    data: &DataSource,
    base: u64,
    copies: &Copies<'_>,
    step: &RawStep,
    bytes: &[u8],
    call: Call<'_>,
) {
    note(data, base, step);
    // SAFETY: as promised to this function.
    unsafe { scatter(copies, &step.wanted, bytes, call) };
}

/// # Safety
/// As for [`place`].
unsafe fn scatter(copies: &Copies<'_>, wanted: &RawRequest, bytes: &[u8], call: Call<'_>) {
    match wanted.destination {
        RawDestination::Contiguous { target: to } => {
            // SAFETY: inside the target, and nobody else uses it (promised).
            call.conversion.copy(bytes, unsafe { call.target.slice_mut(to, wanted.len) });
        }
        RawDestination::Scattered { axis, first, count, source: from, target: to } => {
            let mut axes = SmallVec::from(&copies.axes[..axis]);
            axes.push(copies.axes[axis].part(first, count));
            let part = Copies { unit: copies.unit, source_start: from, target_start: to, axes };
            // SAFETY: as above.
            unsafe { part.run_unchecked(bytes, wanted.start, call.target, call.conversion) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::raw_requests as requests;
    use crate::read::target::Target;
    use crate::selection::cut::cut;
    use crate::selection::{Axis, Blocks};
    use hyperslab_io::Advice;
    use proptest::prelude::*;

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
        let (target, cancel) = (Target::new(&mut found), Cancel::never());
        let call = Call { target, conversion: Conversion::None, cancel: &cancel };
        for request in &all {
            // SAFETY: the buffer has room for all copies, and nobody else has it.
            unsafe { scatter(&copies, request, &bytes[request.start..][..request.len], call) };
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
