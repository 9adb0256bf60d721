//! Where the chunks of a dataset lie, as NumPy records and as h5py's tuples.

use crate::array::{self, Shape};
use hyperslab::{ChunkMap, ChunkNumber, Location};
use numpy::{PyArrayDescr, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A record array of all chunks that exist, in row-major order.
pub fn records<'py>(py: Python<'py>, map: &ChunkMap) -> PyResult<Bound<'py, PyUntypedArray>> {
    let rank = map.grid().counts().len();
    let dtype = crate::helper(py, "hyperslab._chunks", "chunk_dtype")?.call1((rank,))?;
    let dtype = dtype.cast_into::<PyArrayDescr>()?;
    let array = array::empty(py, &dtype, &mut Shape::from_slice(&[map.len() as isize]))?;
    // SAFETY: the array is fresh, in row-major order, and its fields are numbers.
    let out = unsafe { array::bytes_mut(&array) };
    py.detach(|| {
        let rows = out.chunks_exact_mut(record_bytes(rank));
        rows.zip(map.iter()).for_each(|(row, (number, location))| {
            let words = map.grid().offset(number).into_iter();
            let words = words.chain([location.address, location.stored_bytes]);
            let (places, mask) = row.split_at_mut(row.len() - 4);
            places
                .chunks_exact_mut(8)
                .zip(words)
                .for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
            mask.copy_from_slice(&location.filter_mask.to_ne_bytes());
        });
    });
    Ok(array)
}

/// Bytes of a record: numbers of 8 bytes for the offset, the address and the size, 4 for the filter mask.
fn record_bytes(rank: usize) -> usize {
    8 * (rank + 2) + 4
}

/// Offset, filter mask, address and size of a chunk.
pub fn info<'py>(
    py: Python<'py>,
    map: &ChunkMap,
    number: ChunkNumber,
    location: Location,
) -> PyResult<Bound<'py, PyTuple>> {
    let offset = PyTuple::new(py, map.grid().offset(number))?;
    (offset, location.filter_mask, location.address, location.stored_bytes).into_pyobject(py)
}

/// The same of the chunk that holds an element, if the chunk exists.
pub fn info_at<'py>(
    py: Python<'py>,
    map: &ChunkMap,
    element: &[u64],
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let chunk = element.iter().zip(map.grid().chunk_shape()).map(|(at, chunk)| at / chunk);
    let number = map.grid().number(chunk);
    map.get(number).map(|location| info(py, map, number, location)).transpose()
}
