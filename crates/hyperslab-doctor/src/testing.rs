//! Datasets for tests: that of the case study, and simple ones.

use crate::diagnose::diagnose;
use crate::facts::{DatasetFacts, FilterFact};
use crate::finding::Finding;
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
