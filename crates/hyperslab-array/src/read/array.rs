//! Reading a selection of an array: plans the read and executes the plan.

use super::call::Call;
use super::convert::Conversion;
use super::place::repeat;
use super::target::Target;
use super::virtual_array::VirtualRead;
use super::{chunked, raw, virtual_array};
use crate::array::{Array, Endianness, Operation, Storage};
use crate::memory::zeroed;
use crate::plan::{CacheView, RawStep, ReadPlan, Steps, only_stretch};
use crate::selection::FieldSubset;
use crate::{Error, Result, Selection};

/// Reads a selection of an array into `out`, which must have exactly as many bytes as the result: whole elements, or
/// some of the bytes of each.
pub fn read(
    array: &Array,
    selection: &Selection,
    order: Endianness,
    parts: Option<&FieldSubset>,
    out: &mut [u8],
    operation: &Operation,
) -> Result<()> {
    let conversion = || array.conversion(order);
    let Some(parts) = parts else {
        // An empty read needs no conversion, so it must not fail for want of one.
        let conversion = if out.is_empty() { Conversion::None } else { conversion()? };
        return read_whole(array, selection, conversion, out, operation);
    };
    let wanted = array.measure(selection)?;
    check_len(wanted.count, parts.bytes(), out)?;
    if out.is_empty() {
        return Ok(());
    }
    if parts.run.is_none() || array.storage.is_virtual() {
        let mut elements = zeroed(wanted.count.checked_mul(array.element.bytes as u64))?;
        read_whole(array, selection, conversion()?, &mut elements, operation)?;
        parts.gather(&elements, out);
        return Ok(());
    }
    let call = Call { conversion: conversion()?, target: Target::new(out), cancel: operation.cancel() };
    // SAFETY: `out` is borrowed for this read alone; one plan is carried out after the other.
    let carry_out = |plan: &ReadPlan| unsafe { carry_out(array, plan, call) };
    ReadPlan::for_each(array, wanted, Some(parts), CacheView::Use, carry_out)
}

/// Reads whole elements of a selection into `out`, which must have exactly as many bytes as the result.
fn read_whole(
    array: &Array,
    selection: &Selection,
    conversion: Conversion,
    out: &mut [u8],
    operation: &Operation,
) -> Result<()> {
    let wanted = array.measure(selection)?;
    check_len(wanted.count, array.element.bytes, out)?;
    if out.is_empty() {
        return Ok(());
    }
    let call = Call { conversion, target: Target::new(out), cancel: operation.cancel() };
    let sources = match &array.storage {
        Storage::Virtual(sources) => Some((sources, wanted.shape.clone())),
        _ => None,
    };
    // Elements of a virtual array become the fill value.
    // SAFETY: `out` is borrowed for this read alone; one plan is carried out after the other.
    let carry_out = |plan: &ReadPlan| unsafe { carry_out(array, plan, call) };
    ReadPlan::for_each(array, wanted, None, CacheView::Use, carry_out)?;
    sources.map_or(Ok(()), |(sources, shape)| {
        let read_source = |source: &Array, selection: &Selection, out: &mut [u8]| {
            read_whole(source, selection, Conversion::None, out, operation)
        };
        let (sources, shape) = (&**sources, shape.as_slice());
        let read = VirtualRead { array, sources, selection, shape, operation };
        // SAFETY: as above; the fill values are written.
        unsafe { virtual_array::read(&read, call, &read_source) }
    })
}

fn check_len(count: u64, element_bytes: usize, out: &[u8]) -> Result<()> {
    let needed = count.saturating_mul(element_bytes as u64);
    if needed == out.len() as u64 {
        return Ok(());
    }
    Err(Error::invalid(format!("the result has {needed} bytes, the buffer {}", out.len())))
}

/// Executes a plan.
///
/// # Safety
/// Nobody else uses the places of the plan in the target meanwhile.
pub(super) unsafe fn carry_out(array: &Array, plan: &ReadPlan, call: Call<'_>) -> Result<()> {
    let Call { target, conversion, .. } = call;
    match &plan.steps {
        Steps::Nothing => Ok(()),
        Steps::Fill => {
            // Which elements are selected does not matter: all of them have the same value.
            let element = array.fill_element(conversion, plan.parts.as_ref());
            target.check(0..plan.result_bytes() as usize)?;
            // SAFETY: checked; and nobody else uses it (promised).
            repeat(&element, unsafe { target.slice_mut(0, plan.result_bytes() as usize) });
            Ok(())
        }
        Steps::Compact { data, dims, points } => {
            let copies = plan.whole_copies(dims, points.as_ref(), None)?;
            // SAFETY: as promised to this function.
            unsafe { copies.run(data, 0, target, conversion) }
        }
        Steps::Contiguous { data, base, record_bytes, dims, points, requests } => {
            match only_stretch(requests).filter(|_| !data.source.advice().has_latency()) {
                // SAFETY: as promised to this function.
                Some((step, to)) => unsafe { raw::read_stretch(data, *base, step, to, call) }?,
                None => {
                    let copies = plan.whole_copies(dims, points.as_ref(), *record_bytes)?;
                    // SAFETY: as promised to this function.
                    unsafe { raw::read(data, *base, &copies, requests, call) }?;
                }
            }
            if requests.iter().any(RawStep::fetches) { data.check_unchanged() } else { Ok(()) }
        }
        // SAFETY: as promised to this function.
        Steps::Chunks(steps) => unsafe { chunked::read(array, plan, steps, call) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{DataSource, ElementSpec, Origin};
    use crate::read::new_memory::read_new;
    use crate::{Axis, Points};
    use hyperslab_io::{Memory, Source};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// An array of records of 3 x 2 elements, of which other data lies before and between.
    fn records(records: u64, element_bytes: usize, gap: u64) -> (Array, Vec<u8>) {
        let row = 6 * element_bytes as u64;
        let (base, record_bytes) = (5, row + gap);
        let bytes: Vec<u8> = (0..base + records * record_bytes).map(|i| (i * 7 % 251) as u8).collect();
        let elements = (0..records).flat_map(|record| {
            let start = (base + record * record_bytes) as usize;
            bytes[start..start + row as usize].to_vec()
        });
        let elements = elements.collect();
        let source: Arc<dyn Source> = Arc::new(Memory::new("records", bytes));
        let data = Arc::new(DataSource::new(source.clone(), crate::settings::runtime()));
        let array = Array {
            origin: Origin { file: source, path: "/v".into(), structure: "header", at: 0 },
            shape: vec![records, 3, 2],
            is_null: false,
            element: ElementSpec {
                bytes: element_bytes,
                to_native: Some(Conversion::None),
                to_datatype: Conversion::None,
            },
            fill: Vec::new(),
            storage: Storage::Contiguous { data, base: Some(base), record_bytes: Some(record_bytes) },
        };
        (array, elements)
    }

    fn read_all(array: &Array, selection: &Selection, parts: Option<&FieldSubset>) -> Vec<u8> {
        let count = array.measure(selection).unwrap().count as usize;
        let mut out = vec![0; count * parts.map_or(array.element.bytes, FieldSubset::bytes)];
        read(array, selection, Endianness::File, parts, &mut out, &Operation::default()).unwrap();
        if parts.is_none() {
            // SAFETY: any byte is a byte.
            let new = unsafe { read_new::<u8>(array, selection, Endianness::File, &Operation::default()) };
            assert_eq!(new.unwrap(), out);
        }
        out
    }

    proptest! {
        #[test]
        fn records_that_lie_apart_are_read_like_adjacent_ones(
            count in 1u64..5, element_bytes in 1usize..9, gap in 0u64..12,
            points in prop::collection::vec((0u64..5, 0u64..3, 0u64..2), 1..9)
        ) {
            let (array, elements) = records(count, element_bytes, gap);
            let element = |(record, row, column): (u64, u64, u64)| {
                let start = ((record * 3 + row) * 2 + column) as usize * element_bytes;
                elements[start..start + element_bytes].to_vec()
            };
            prop_assert_eq!(&read_all(&array, &Selection::All, None), &elements);
            let points: Vec<_> = points.into_iter().filter(|point| point.0 < count).collect();
            let lists = [points.iter().map(|p| p.0).collect(), vec![2, 0], vec![1]];
            let slab = Selection::Slab(lists.clone().into_iter().map(Axis::List).collect());
            let expected = lists[0].iter().flat_map(|&record| [(record, 2, 1), (record, 0, 1)]).flat_map(element);
            prop_assert_eq!(read_all(&array, &slab, None), expected.collect::<Vec<_>>());
            let coordinates = points.iter().flat_map(|&(a, b, c)| [a, b, c]).collect();
            let selection = Selection::Points(Points { rank: 3, coordinates });
            let expected: Vec<u8> = points.iter().copied().flat_map(element).collect();
            prop_assert_eq!(&read_all(&array, &selection, None), &expected);
            let first = FieldSubset::new(std::iter::once(0..1).collect(), element_bytes).unwrap();
            let expected: Vec<u8> = expected.iter().step_by(element_bytes).copied().collect();
            prop_assert_eq!(read_all(&array, &selection, Some(&first)), expected);
            let expected: Vec<u8> = elements.iter().step_by(element_bytes).copied().collect();
            prop_assert_eq!(read_all(&array, &Selection::All, Some(&first)), expected);
        }
    }

    #[test]
    fn records_beyond_64_bits_are_refused() {
        let (mut array, _) = records(4, 8, 0);
        for wrong in [u64::MAX, u64::MAX / 3, 1 << 62] {
            let Storage::Contiguous { record_bytes, .. } = &mut array.storage else { unreachable!() };
            *record_bytes = Some(wrong);
            for selection in [Selection::All, Selection::Points(Points { rank: 3, coordinates: vec![0; 3] })]
            {
                let mut out = vec![0; array.measure(&selection).unwrap().count as usize * 8];
                let outcome =
                    read(&array, &selection, Endianness::File, None, &mut out, &Operation::default());
                assert!(outcome.unwrap_err().message().contains("records of"), "{wrong}");
            }
        }
    }
}
