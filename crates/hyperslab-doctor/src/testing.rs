//! Datasets for tests: that of the case study, and simple ones.

use crate::diagnose::diagnose;
use crate::facts::{DatasetFacts, FilterFact};
use crate::finding::Finding;
use crate::options::Options;

/// The compressed dataset of the 2015 paper.
pub(crate) fn case_study() -> DatasetFacts {
    DatasetFacts::contiguous("/All_Data/CrIS-SDR_All/ES_ImaginaryLW", &[60, 30, 9, 717], ">f4", 4)
        .unlimited()
        .in_chunks(&[4, 30, 9, 717], vec![FilterFact::gzip(6)], 43_162_046)
}

/// A dataset that gzip at level 6 compresses to half its size.
pub(crate) fn chunked(shape: &[u64], chunk: &[u64], element_bytes: u64) -> DatasetFacts {
    let facts = contiguous(shape, element_bytes);
    let stored_bytes = facts.logical_bytes / 2;
    facts.in_chunks(chunk, vec![gzip(6)], stored_bytes)
}

/// A contiguous dataset without filters.
pub(crate) fn contiguous(shape: &[u64], element_bytes: u64) -> DatasetFacts {
    DatasetFacts::contiguous("/d", shape, &format!("<f{element_bytes}"), element_bytes)
}

/// The same without filters.
pub(crate) fn unfiltered(facts: DatasetFacts) -> DatasetFacts {
    DatasetFacts { filters: vec![], stored_bytes: facts.logical_bytes, ..facts }
}

pub(crate) fn gzip(level: u32) -> FilterFact {
    FilterFact::gzip(level)
}

/// The finding with this code, if the doctor makes it for these reads (the default ones if empty).
pub(crate) fn finding(code: &str, facts: &DatasetFacts, reads: &[&str]) -> Option<Finding> {
    let options =
        Options { reads: reads.iter().map(|read| read.parse().unwrap()).collect(), ..Options::default() };
    diagnose(facts, &options).unwrap().findings.into_iter().find(|finding| finding.code == code)
}
