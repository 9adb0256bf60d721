//! Datasets for tests of this crate and of those above it: that of the case study, and simple ones.

use crate::facts::{DatasetFacts, FilterFact};

/// The compressed dataset of the 2015 paper.
pub fn case_study() -> DatasetFacts {
    DatasetFacts::contiguous("/All_Data/CrIS-SDR_All/ES_ImaginaryLW", &[60, 30, 9, 717], ">f4", 4)
        .unlimited()
        .in_chunks(&[4, 30, 9, 717], vec![FilterFact::gzip(6)], 43_162_046)
}

/// A dataset that gzip at level 6 compresses to half its size.
pub fn chunked(shape: &[u64], chunk: &[u64], element_bytes: u64) -> DatasetFacts {
    let facts = contiguous(shape, element_bytes);
    let stored_bytes = facts.logical_bytes / 2;
    facts.in_chunks(chunk, vec![FilterFact::gzip(6)], stored_bytes)
}

/// A contiguous dataset without filters.
pub fn contiguous(shape: &[u64], element_bytes: u64) -> DatasetFacts {
    DatasetFacts::contiguous("/d", shape, &format!("<f{element_bytes}"), element_bytes)
}

/// The same without filters.
pub fn unfiltered(facts: DatasetFacts) -> DatasetFacts {
    DatasetFacts { filters: vec![], stored_bytes: facts.logical_bytes, ..facts }
}
