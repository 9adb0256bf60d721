//! Elements as `python/hyperslab/_elements.py` returns them.

use crate::errors;
use hyperslab_create::{Elements, ObjectId};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes, and what they refer to: the offsets, numbers of elements and lengths in bytes of sequences, and the sequences one after
/// the other; the offsets and objects of references.
#[derive(FromPyObject)]
struct Parts<'py>(
    PyReadonlyArray1<'py, u8>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    Bound<'py, PyBytes>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
);

/// The elements of a tuple of parts.
///
/// # Errors
/// Parts of other types, or that contradict each other.
pub fn elements_of(parts: &Bound<'_, PyAny>) -> PyResult<Elements> {
    let wrong = || errors::invalid("elements whose parts contradict each other");
    let Parts(bytes, offsets, counts, lengths, content, places, objects) = parts.extract()?;
    let mut elements = Elements::from(bytes.as_array().to_vec());
    let mut rest = content.as_bytes();
    let (offsets, counts, lengths) = (offsets.as_array(), counts.as_array(), lengths.as_array());
    if offsets.len() != counts.len() || offsets.len() != lengths.len() {
        return Err(wrong());
    }
    for ((&offset, &count), &length) in offsets.iter().zip(counts).zip(lengths) {
        let length = usize::try_from(length).map_err(|_| wrong())?;
        let (sequence, after) = rest.split_at_checked(length).ok_or_else(wrong)?;
        rest = after;
        let (offset, count) = (usize::try_from(offset), u32::try_from(count));
        let (Ok(offset), Ok(count)) = (offset, count) else { return Err(wrong()) };
        elements.set_sequence(offset, count, sequence.to_vec());
    }
    let (places, objects) = (places.as_array(), objects.as_array());
    if places.len() != objects.len() {
        return Err(wrong());
    }
    for (&place, &object) in places.iter().zip(objects) {
        let (Ok(place), Ok(object)) = (usize::try_from(place), u32::try_from(object)) else {
            return Err(wrong());
        };
        elements.set_reference(place, ObjectId(object));
    }
    Ok(elements)
}
