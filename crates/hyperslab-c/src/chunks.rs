//! Where chunks lie, and what a read would do.

use crate::dataset::Dataset;
use crate::pointers::{given, put, put_text};
use crate::read::block;
use crate::status::{Failure, Status, run};
use std::ffi::{c_char, c_void};

/// A chunk that is stored.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// The offset of its first byte in the file.
    pub address: u64,
    /// Its bytes in the file.
    pub stored_bytes: u64,
    /// Bit i is set if filter i was skipped.
    pub filter_mask: u32,
}

/// The number of chunks that are stored.
///
/// # Safety
/// A dataset that is open and a place for a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_chunk_count(dataset: *const Dataset, count: *mut u64) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let map = unsafe { given("dataset", dataset) }?.0.chunk_map()?;
        // SAFETY: as above.
        unsafe { put("count", count, map.len() as u64) }
    })
}

/// Calls `each` with every chunk that is stored, in row-major order: `offset` is the element at its corner, a number for each dimension;
/// `data` is handed on. Ends where `each` returns something else than 0.
///
/// # Safety
/// A dataset that is open, and a function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_chunks(
    dataset: *const Dataset,
    each: Option<unsafe extern "C" fn(offset: *const u64, chunk: *const Chunk, data: *mut c_void) -> i32>,
    data: *mut c_void,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let dataset = &unsafe { given("dataset", dataset) }?.0;
        let each = each.ok_or_else(|| Failure::invalid("each is a null pointer"))?;
        let map = dataset.chunk_map()?;
        let chunk_shape = dataset.chunk_shape().unwrap_or_default();
        for (number, location) in map.iter() {
            let mut offset = map.grid().coordinates(number);
            offset.iter_mut().zip(chunk_shape).for_each(|(at, chunk)| *at *= chunk);
            let chunk = Chunk {
                address: location.address,
                stored_bytes: location.stored_bytes,
                filter_mask: location.filter_mask,
            };
            // SAFETY: the function of the caller, with what it expects.
            if unsafe { each(offset.as_ptr(), &raw const chunk, data) } != 0 {
                break;
            }
        }
        Ok(())
    })
}

/// What a read of a block would do: its chunks, requests and filters; of all elements where both are null. Given back by hs_text_free().
///
/// # Safety
/// A dataset that is open, a number for each dimension, and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_explain(
    dataset: *const Dataset,
    start: *const u64,
    count: *const u64,
    text: *mut *mut c_char,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let dataset = &unsafe { given("dataset", dataset) }?.0;
        // SAFETY: as above.
        let selection = unsafe { block(dataset, start, count) }?;
        let explained = dataset.explain(&selection)?.to_string();
        // SAFETY: as above.
        unsafe { put_text("text", text, explained) }
    })
}
