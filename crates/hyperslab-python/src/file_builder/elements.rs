//! Elements as `python/hyperslab/_new_file/elements.py` returns them.

use crate::errors;
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
    Plain(PyReadonlyArray1<'py, i64>, Bound<'py, PyBytes>),
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
    let contents: Vec<Elements> = match contents {
        Contents::Nested(contents) => contents.iter().map(elements_of).collect::<PyResult<_>>()?,
        Contents::Plain(lengths, content) => {
            let mut rest = content.as_bytes();
            let next = |&length: &i64| {
                let length = usize::try_from(length).map_err(|_| wrong())?;
                let (sequence, after) = rest.split_at_checked(length).ok_or_else(wrong)?;
                rest = after;
                Ok(sequence.to_vec().into())
            };
            lengths.as_array().iter().map(next).collect::<PyResult<_>>()?
        }
    };
    if offsets.len() != counts.len() || offsets.len() != contents.len() {
        return Err(wrong());
    }
    for ((&offset, &count), content) in offsets.iter().zip(counts).zip(contents) {
        let (offset, count) = (usize::try_from(offset), u32::try_from(count));
        let (Ok(offset), Ok(count)) = (offset, count) else { return Err(wrong()) };
        elements.set_sequence(offset, count, content);
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
