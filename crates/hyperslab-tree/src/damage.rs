//! Parts of a source that cannot be read, and become fill values.

use hyperslab::storage::Fill;
use hyperslab::{Dataset, Error, ErrorKind};
use hyperslab_encode::RepackError;
use hyperslab_encode::block::Block;
use serde::Serialize;

/// A part of the source that could not be read, and became fill values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The path of the dataset.
    pub path: String,
    /// The coordinates of its first element.
    pub offset: Vec<u64>,
    /// Its shape. Of contiguous data: that of the rows that contain such elements.
    pub shape: Vec<u64>,
    /// The error.
    pub error: String,
}

/// A part of the source that could not be read, and that the new file does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// The path of the object.
    pub path: String,
    /// `the object`, `its links`, `a link`, `its attributes` or `an attribute`.
    pub what: &'static str,
    /// The error.
    pub error: String,
}

impl Damage {
    /// The elements of a block of a dataset, and why they cannot be read.
    pub fn new(path: &str, block: &Block, error: impl std::fmt::Display) -> Self {
        let Block { start, count } = block.clone();
        Self { path: path.into(), offset: start, shape: count, error: error.to_string() }
    }
}

/// The bytes of an element of the fill value.
pub fn fill_element(dataset: &Dataset) -> Vec<u8> {
    let size = dataset.datatype().size as usize;
    match &dataset.fill_value().value {
        Fill::User(bytes) if bytes.len() == size => bytes.to_vec(),
        _ => vec![0; size],
    }
}

/// A chunk of fill values, without filters, and the filter mask that says so.
///
/// # Errors
///
/// A chunk that does not fit into memory.
pub fn fill_chunk(dataset: &Dataset) -> Result<(Vec<u8>, u32), Error> {
    let element = fill_element(dataset);
    let len = dataset.chunk_bytes().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
    let mut chunk = Vec::new();
    chunk.try_reserve_exact(len).map_err(|_| Error::out_of_memory("a chunk does not fit into memory"))?;
    (0..len / element.len().max(1)).for_each(|_| chunk.extend_from_slice(&element));
    let mask = 1u64.checked_shl(dataset.filters().len() as u32).map_or(u32::MAX, |bit| (bit - 1) as u32);
    Ok((chunk, mask))
}

/// The error of reading that a repack can go on after; others are returned.
///
/// # Errors
///
/// That the work was cancelled, and what is not an error of reading.
pub fn tolerated(error: RepackError) -> Result<Error, RepackError> {
    match error {
        RepackError::Read(error) if error.kind() != ErrorKind::Cancelled => Ok(error),
        other => Err(other),
    }
}

/// The rows of a contiguous dataset that contain `len` bytes of its data from `start` on.
pub fn rows(dataset: &Dataset, start: u64, len: u64) -> Block {
    let shape = dataset.shape();
    let Some((&dim, inner)) = shape.split_first() else {
        return Block { start: Vec::new(), count: Vec::new() };
    };
    let row = (dataset.logical_bytes() / dim.max(1)).max(1);
    let (first, end) = (start / row, start.saturating_add(len).div_ceil(row).min(dim));
    Block { start: [&[first], &vec![0; inner.len()][..]].concat(), count: [&[end - first], inner].concat() }
}
