//! Datasets for tests: that of the case study, and simple ones.

use crate::diagnose::diagnose;
use crate::facts::{DatasetFacts, FilterFact};
use crate::finding::Finding;
use crate::older::{Library, OlderFacts, OlderStorage};
use crate::options::Options;

pub(crate) use hyperslab_simulate::testing::{case_study, chunked, contiguous, unfiltered};

pub(crate) fn gzip(level: u32) -> FilterFact {
    FilterFact::gzip(level)
}

/// The finding with this code, if the doctor makes it for these reads (the default ones if empty).
pub(crate) fn finding(code: &str, facts: &DatasetFacts, reads: &[&str]) -> Option<Finding> {
    let options =
        Options { reads: reads.iter().map(|read| read.parse().unwrap()).collect(), ..Options::default() };
    diagnose(facts, &options).unwrap().findings.into_iter().find(|finding| finding.code == code)
}

/// A dataset of an older format, of four bytes an element: what HDF4 compresses is half as large.
pub(crate) fn older(shape: &[u64], storage: OlderStorage) -> OlderFacts {
    let dataset = match &storage {
        OlderStorage::Stream => chunked(shape, shape, 4),
        OlderStorage::Chunks(chunk) => chunked(shape, chunk, 4),
        _ => contiguous(shape, 4),
    };
    let library =
        if matches!(storage, OlderStorage::Records(_)) { Library::NetcdfC } else { Library::Libhdf4 };
    let dimensions = ["y", "x", "z"].into_iter().take(shape.len()).map(str::to_owned).collect();
    OlderFacts { dataset, storage, library, dimensions }
}
