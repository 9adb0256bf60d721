//! Elements of a dataset, read into the caller's memory: by all cores, without a lock.

use crate::dataset::Dataset;
use crate::element::{Class, Type, texts};
use crate::pointers::{given, memory, numbers, put_owned};
use crate::status::{Failure, Status, run};
use crate::text::Strings;
use hyperslab::{Endianness, Selection};

/// A block; all elements where both are null.
///
/// # Safety
/// Null, or a number for each dimension.
pub unsafe fn block(
    dataset: &hyperslab::Dataset,
    start: *const u64,
    count: *const u64,
) -> Result<Selection, Failure> {
    let shape = dataset.shape();
    if start.is_null() && count.is_null() {
        return Ok(Selection::block(&vec![0; shape.len()], shape));
    }
    // SAFETY: as the caller promises.
    let (start, count) =
        unsafe { (numbers("start", start, shape.len())?, numbers("count", count, shape.len())?) };
    Ok(Selection::block(start, count))
}

fn read(dataset: &Dataset, selection: &Selection, buffer: *mut u8, bytes: usize) -> Result<(), Failure> {
    let dataset = &dataset.0;
    let datatype = dataset.datatype();
    let element = Type::of(datatype);
    if element.class_ == Class::HS_TEXT {
        return Err(Failure::invalid(format!("{}: hs_read_text() reads text", dataset.path())));
    }
    let elements: u64 = dataset.selected_shape(selection)?.iter().product();
    let needed = usize::try_from(elements).ok().and_then(|elements| elements.checked_mul(element.bytes));
    let needed = needed.ok_or_else(|| Failure::invalid("more than fits into memory"))?;
    // SAFETY: as the caller promises.
    let out = unsafe { memory(buffer, bytes, needed) }?;
    let order = if element.class_ == Class::HS_OTHER { Endianness::File } else { Endianness::Native };
    Ok(dataset.read_into(selection, order, out)?)
}

/// Reads a block of `count` elements along each dimension, the first at `start`; all elements where both are null. Numbers are in the
/// byte order of this machine. The buffer must have the size of what is read.
///
/// # Safety
/// A dataset that is open, a number for each dimension, and memory of this size, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_read(
    dataset: *const Dataset,
    start: *const u64,
    count: *const u64,
    buffer: *mut std::ffi::c_void,
    bytes: usize,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let dataset = unsafe { given("dataset", dataset) }?;
        // SAFETY: as above.
        let selection = unsafe { block(&dataset.0, start, count) }?;
        read(dataset, &selection, buffer.cast(), bytes)
    })
}

/// Reads a hyperslab: `count` blocks of the extent `block` along each dimension, at distances of `stride`, the first at `start`, as
/// H5Sselect_hyperslab() selects them. A null `stride` or `block` means 1 along each dimension.
///
/// # Safety
/// As that of hs_read().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_read_hyperslab(
    dataset: *const Dataset,
    start: *const u64,
    stride: *const u64,
    count: *const u64,
    block: *const u64,
    buffer: *mut std::ffi::c_void,
    bytes: usize,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let dataset = unsafe { given("dataset", dataset) }?;
        let rank = dataset.0.shape().len();
        let ones = vec![1; rank];
        let or_ones = |name, given: *const u64| {
            // SAFETY: as above.
            if given.is_null() { Ok(&ones[..]) } else { unsafe { numbers(name, given, rank) } }
        };
        // SAFETY: as above.
        let (start, count) = unsafe { (numbers("start", start, rank)?, numbers("count", count, rank)?) };
        let selection =
            Selection::hyperslab(start, or_ones("stride", stride)?, count, or_ones("block", block)?)?;
        read(dataset, &selection, buffer.cast(), bytes)
    })
}

/// Reads a block of texts, of fixed or variable length; all where both are null. Given back by hs_strings_free().
///
/// # Safety
/// A dataset that is open, a number for each dimension, and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_read_text(
    dataset: *const Dataset,
    start: *const u64,
    count: *const u64,
    strings: *mut *mut Strings,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let dataset = &unsafe { given("dataset", dataset) }?.0;
        // SAFETY: as above.
        let selection = unsafe { block(dataset, start, count) }?;
        let elements = dataset.read_bytes(&selection, Endianness::File)?;
        let texts = texts(dataset.datatype(), &elements, dataset.file().heap())?;
        // SAFETY: as above.
        unsafe { put_owned("strings", strings, Strings::of(texts)) }
    })
}
