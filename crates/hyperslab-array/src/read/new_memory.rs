//! Reading into new memory. Bytes of a local file that are stored as they are wanted go into memory that was never written:
//! memory that a program used before must be zeroed first, which takes half as long as reading them.

use super::array::{carry_out, read};
use super::call::Call;
use super::convert::Conversion;
use super::raw;
use super::target::Target;
use crate::array::{Array, DataSource, Endianness, Operation, Storage};
use crate::memory::{bytes_of, unwritten, zeroed_values};
use crate::plan::{CacheView, ReadPlan, Steps};
use crate::selection::Measured;
use crate::{Result, Selection};
use std::mem::MaybeUninit;

/// A smaller result is zeroed in the processor's cache, which costs less than to divide it.
const UNWRITTEN_BYTES_MIN: u64 = 64 << 10;

/// Reads whole elements of a selection as values of `T`.
///
/// # Errors
/// As [`read`]; also if the elements do not have as many bytes as a number of values.
///
/// # Safety
/// Any bytes are a value of `T`, and `T` has no padding.
pub unsafe fn read_new<T: Copy>(
    array: &Array,
    selection: &Selection,
    order: Endianness,
    operation: &Operation,
) -> Result<Vec<T>> {
    let wanted = array.measure(selection)?;
    let bytes = wanted.count.checked_mul(array.element.bytes as u64);
    match (&array.storage, bytes) {
        (Storage::Contiguous { data, .. }, Some(bytes @ UNWRITTEN_BYTES_MIN..))
            if !data.source.advice().has_latency() && bytes.is_multiple_of(size_of::<T>() as u64) =>
        {
            // SAFETY: as promised to this function.
            unsafe { read_contiguous(array, data, wanted, array.conversion(order)?, operation, bytes) }
        }
        _ => {
            // SAFETY: as promised to this function.
            let mut values: Vec<T> =
                unsafe { zeroed_values(bytes.map(|bytes| bytes / size_of::<T>() as u64)) }?;
            // SAFETY: as promised to this function.
            let out = unsafe { bytes_of(&mut values) };
            read(array, selection, order, None, out, operation)?;
            Ok(values)
        }
    }
}

/// Reads `bytes` bytes of a contiguous array of a local file.
///
/// # Safety
/// Any bytes are a value of `T`, and `T` has no padding.
unsafe fn read_contiguous<T: Copy>(
    array: &Array,
    data: &DataSource,
    wanted: Measured<'_>,
    conversion: Conversion,
    operation: &Operation,
    bytes: u64,
) -> Result<Vec<T>> {
    let cancel = operation.cancel();
    let count = bytes / size_of::<T>() as u64;
    let mut values: Vec<T> = Vec::new();
    ReadPlan::for_each(array, wanted, None, CacheView::Use, |plan| {
        if let Steps::Contiguous { base, requests, .. } = &plan.steps
            && raw::are_stretches(requests, bytes)
        {
            values = unwritten(count as usize)?;
            let out = unwritten_bytes(&mut values, bytes as usize);
            raw::read_unwritten(data, *base, requests, out, conversion, cancel)?;
            // SAFETY: all of the bytes were read, and are values of `T` (promised).
            unsafe { values.set_len(count as usize) };
            return data.check_unchanged();
        }
        if values.is_empty() {
            // SAFETY: as promised to this function.
            values = unsafe { zeroed_values(Some(count)) }?;
        }
        // SAFETY: as promised to this function.
        let target = Target::new(unsafe { bytes_of(&mut values) });
        // SAFETY: `values` is borrowed for this plan alone.
        unsafe { carry_out(array, plan, Call { conversion, target, cancel }) }
    })?;
    Ok(values)
}

/// The first bytes of the room of an empty vector.
fn unwritten_bytes<T>(values: &mut Vec<T>, len: usize) -> &mut [MaybeUninit<u8>] {
    let room = values.spare_capacity_mut();
    let room_bytes = size_of_val(room);
    // SAFETY: the slice is that of `room`; any memory is bytes that may not have been written.
    let bytes: &mut [MaybeUninit<u8>] =
        unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room_bytes) };
    &mut bytes[..len]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{ElementSpec, Origin};
    use crate::{Axis, ErrorKind};
    use hyperslab_io::{Advice, LocalFile, Source};
    use std::io::{self, Write};
    use std::sync::Arc;

    const BASE: u64 = 3;
    const COUNT: u64 = 5 << 19;

    /// The numbers from 0 on, big-endian, in 10 MiB that begin at `BASE`.
    fn numbers(source: Arc<dyn Source>) -> Array {
        let data = Arc::new(DataSource::new(source.clone(), crate::settings::runtime()));
        Array {
            origin: Origin { file: source, path: "/d".into(), structure: "header", at: 0 },
            shape: vec![COUNT / 2, 2],
            is_null: false,
            element: ElementSpec {
                bytes: 4,
                to_native: Some(Conversion::Swap { width: 4 }),
                to_datatype: Conversion::None,
            },
            fill: Vec::new(),
            storage: Storage::Contiguous { data, base: Some(BASE), record_bytes: None },
        }
    }

    fn read_numbers(array: &Array, selection: &Selection) -> Result<Vec<u32>> {
        // SAFETY: any bytes are a number.
        unsafe { read_new(array, selection, Endianness::Native, &Operation::default()) }
    }

    fn written() -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = (0..COUNT as u32).flat_map(u32::to_be_bytes).collect();
        file.write_all(&[0; BASE as usize]).unwrap();
        file.write_all(&bytes).unwrap();
        file
    }

    #[test]
    fn whole_arrays_rows_and_columns_are_read_from_a_file() {
        let file = written();
        let array = numbers(Arc::new(LocalFile::open(file.path()).unwrap()));
        let all: Vec<u32> = (0..COUNT as u32).collect();
        assert!(read_numbers(&array, &Selection::All).unwrap() == all);
        let rows = Selection::Slab(vec![Axis::span(7, COUNT / 2), Axis::all(2)]);
        assert!(read_numbers(&array, &rows).unwrap() == all[14..]);
        let column = Selection::Slab(vec![Axis::all(COUNT / 2), Axis::span(1, 2)]);
        assert!(read_numbers(&array, &column).unwrap().iter().eq(all.iter().skip(1).step_by(2)));
        let none = Selection::Slab(vec![Axis::span(5, 5), Axis::all(2)]);
        assert_eq!(read_numbers(&array, &none).unwrap(), []);
    }

    #[test]
    fn a_file_that_is_too_short_is_an_error() {
        let file = written();
        let array = numbers(Arc::new(LocalFile::open(file.path()).unwrap()));
        file.as_file().set_len(COUNT * 4).unwrap();
        assert_eq!(read_numbers(&array, &Selection::All).unwrap_err().kind(), ErrorKind::Changed);
        let short = numbers(Arc::new(LocalFile::open(file.path()).unwrap()));
        assert_eq!(read_numbers(&short, &Selection::All).unwrap_err().kind(), ErrorKind::Damaged);
    }

    #[test]
    fn values_that_the_elements_do_not_fill_are_refused() {
        let file = written();
        let array = numbers(Arc::new(LocalFile::open(file.path()).unwrap()));
        let one = Selection::Slab(vec![Axis::span(0, 1), Axis::span(0, 1)]);
        // SAFETY: any bytes are a number.
        let read = unsafe { read_new::<u64>(&array, &one, Endianness::Native, &Operation::default()) };
        assert_eq!(read.unwrap_err().kind(), ErrorKind::Invalid);
    }

    /// Says that it filled memory, but returns other bytes.
    struct Elsewhere;

    impl Source for Elsewhere {
        fn len(&self) -> u64 {
            BASE + COUNT * 4
        }

        fn read_into(&self, _: u64, out: &mut [u8]) -> io::Result<()> {
            out.fill(1);
            Ok(())
        }

        fn read_unwritten<'o>(&self, _: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
            Ok(Box::leak(vec![1; out.len()].into_boxed_slice()))
        }

        fn advice(&self) -> Advice {
            Advice::LOCAL
        }

        fn name(&self) -> String {
            "elsewhere".into()
        }
    }

    #[test]
    fn memory_that_a_source_did_not_fill_is_not_returned() {
        let read = read_numbers(&numbers(Arc::new(Elsewhere)), &Selection::All);
        assert_eq!(read.unwrap_err().kind(), ErrorKind::Internal);
    }
}
