//! Elements as `python/hyperslab/_new_file/elements.py` returns them.

use super::source::ArrayBytes;
use crate::errors;
use bytes::Bytes;
use hyperslab_create::{Elements, ObjectId, Region};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes, and what they refer to.
#[derive(FromPyObject)]
struct Parts<'py>(
    PyReadonlyArray1<'py, u8>,
    Sequences<'py>,
    /// The offsets and objects of references.
    (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
    /// The offsets, datasets and selections of region references.
    Vec<(i64, u32, Bound<'py, PyBytes>)>,
);

/// The offsets and numbers of elements of sequences, and their elements.
#[derive(FromPyObject)]
struct Sequences<'py>(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, Contents<'py>);

#[derive(FromPyObject)]
enum Contents<'py> {
    /// The lengths in bytes, and the sequences one after the other.
    Plain(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u8>),
    /// Of elements that refer to something themselves.
    Nested(Vec<Bound<'py, PyAny>>),
}

/// The elements of a tuple of parts.
///
/// # Errors
/// Parts of other types, or that contradict each other.
pub fn elements_of(parts: &Bound<'_, PyAny>) -> PyResult<Elements> {
    let wrong = || errors::invalid("elements whose parts contradict each other");
    let Parts(bytes, Sequences(offsets, counts, contents), (places, objects), regions) = parts.extract()?;
    let mut elements = Elements::from(bytes.as_array().to_vec());
    let (offsets, counts) = (offsets.as_array(), counts.as_array());
    match contents {
        Contents::Nested(contents) => {
            if offsets.len() != counts.len() || offsets.len() != contents.len() {
                return Err(wrong());
            }
            for ((&offset, &count), content) in offsets.iter().zip(counts).zip(contents) {
                let (offset, count) = (usize::try_from(offset), u32::try_from(count));
                let (Ok(offset), Ok(count)) = (offset, count) else { return Err(wrong()) };
                elements.set_sequence(offset, count, elements_of(&content)?);
            }
        }
        Contents::Plain(lengths, content) => {
            let lengths = lengths.as_array();
            if offsets.len() != counts.len() || offsets.len() != lengths.len() {
                return Err(wrong());
            }
            let number = |((&offset, &count), &length): ((&i64, &i64), &i64)| {
                let parts = (usize::try_from(offset), u32::try_from(count), usize::try_from(length));
                let (Ok(offset), Ok(count), Ok(length)) = parts else { return Err(wrong()) };
                Ok((offset, count, length))
            };
            let sequences =
                offsets.iter().zip(counts).zip(lengths).map(number).collect::<PyResult<Vec<_>>>()?;
            let content = Bytes::from_owner(ArrayBytes::new(content.as_any())?);
            if !elements.set_sequences(sequences, content) {
                return Err(wrong());
            }
        }
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
    for (place, dataset, selection) in regions {
        let place = usize::try_from(place).map_err(|_| wrong())?;
        elements.set_region(place, Region::new(ObjectId(dataset), selection.as_bytes().to_vec()));
    }
    Ok(elements)
}
