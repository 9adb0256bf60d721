//! Datasets: their shape, type, chunks and filters.

use crate::element::Type;
use crate::file::File;
use crate::pointers::{given, put, put_numbers, put_owned, put_text, text};
use crate::status::{Failure, Status, run};
use hyperslab_storage::FilterRequest;
use std::ffi::c_char;

/// A dataset. Given back by hs_dataset_close().
pub struct Dataset(pub hyperslab::Dataset);

/// Opens a dataset.
///
/// # Safety
/// A file that is open, a text and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_dataset_open(
    file: *const File,
    path: *const c_char,
    dataset: *mut *mut Dataset,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let (file, path) = unsafe { (given("file", file)?, text("path", path)?) };
        // SAFETY: as above.
        unsafe { put_owned("dataset", dataset, Dataset(file.0.dataset(path)?)) }
    })
}

/// Closes a dataset. A null pointer is nothing.
///
/// # Safety
/// Null, or a dataset that was not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_dataset_close(dataset: *mut Dataset) {
    if !dataset.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(dataset) });
    }
}

/// The number of dimensions; 0 for a single element.
///
/// # Safety
/// A dataset that is open and a place for a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_dataset_rank(dataset: *const Dataset, rank: *mut usize) -> Status {
    // SAFETY: as the caller promises.
    run(|| unsafe { put("rank", rank, given("dataset", dataset)?.0.shape().len()) })
}

/// The extent of each dimension.
///
/// # Safety
/// A dataset that is open and a place for each dimension, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_dataset_shape(dataset: *const Dataset, shape: *mut u64) -> Status {
    // SAFETY: as the caller promises.
    run(|| unsafe { put_numbers("shape", shape, given("dataset", dataset)?.0.shape()) })
}

/// The type of the elements, as they are read.
///
/// # Safety
/// A dataset that is open and a place for a type, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_dataset_type(dataset: *const Dataset, type_: *mut Type) -> Status {
    // SAFETY: as the caller promises.
    run(|| unsafe { put("type", type_, Type::of(given("dataset", dataset)?.0.datatype())) })
}

/// The extent of a chunk. HS_INVALID if the dataset is not stored in chunks.
///
/// # Safety
/// A dataset that is open and a place for each dimension, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_dataset_chunk_shape(dataset: *const Dataset, shape: *mut u64) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let dataset = unsafe { given("dataset", dataset) }?;
        let chunk = dataset
            .0
            .chunk_shape()
            .ok_or_else(|| Failure::invalid(format!("{}: it is not stored in chunks", dataset.0.path())))?;
        // SAFETY: as above.
        unsafe { put_numbers("shape", shape, chunk) }
    })
}

/// The filters, in the words of `hyperslab repack --filter`, such as "shuffle+gzip=4"; empty where there are none. Given back by
/// hs_text_free().
///
/// # Safety
/// A dataset that is open and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_dataset_filters(dataset: *const Dataset, filters: *mut *mut c_char) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let dataset = unsafe { given("dataset", dataset) }?;
        let stored = dataset.0.filters().iter();
        let requests =
            stored.map(|filter| FilterRequest::of_stored(filter.id, &filter.parameters).to_string());
        let text = requests.collect::<Vec<_>>().join("+");
        // SAFETY: as above.
        unsafe { put_text("filters", filters, text) }
    })
}
