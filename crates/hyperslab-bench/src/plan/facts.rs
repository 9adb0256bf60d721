//! What the simulator needs to know of a file that is not written yet: its chunks and filters.

use crate::matrix::{Matrix, Subject};
use hyperslab_doctor::{DatasetFacts, FilterFact};
use hyperslab_engines::CreationProperties;
use hyperslab_storage::FilterRequest;

/// How many times smaller the filters make the values: as in the file, or as made-up values are asked to be.
pub fn ratio(matrix: &Matrix, storage: &CreationProperties, as_is: Option<&DatasetFacts>) -> f64 {
    if !storage.filters.iter().any(FilterRequest::compresses) {
        return 1.0;
    }
    match (&matrix.subject, as_is) {
        (Subject::Dataset { .. }, Some(facts)) if facts.stored_bytes > 0 => {
            (facts.logical_bytes as f64 / facts.stored_bytes as f64).max(1.0)
        }
        _ => 2.0,
    }
}

/// A file that is not there yet, as the simulator takes it.
pub fn facts_of(storage: &CreationProperties, ratio: f64) -> DatasetFacts {
    let element = &storage.element;
    let facts = DatasetFacts::contiguous("", &storage.shape, &element.to_string(), element.bytes());
    let stored_bytes = (storage.logical_bytes() as f64 / ratio) as u64;
    match &storage.chunks {
        Some(chunks) => facts.in_chunks(
            chunks,
            storage.filters.iter().cloned().map(FilterFact::from).collect(),
            stored_bytes,
        ),
        None => DatasetFacts { stored_bytes, ..facts },
    }
}
