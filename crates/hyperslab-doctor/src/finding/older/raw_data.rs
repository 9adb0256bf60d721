//! `compressible-data-raw` of datasets of older formats: netCDF classic compresses nothing, HDF4 only what its writer asked for.

use crate::facts::FilterFact;
use crate::finding::compressible_data_raw::Smaller;
use crate::finding::model::Finding;
use crate::older::{OlderCase, repack};

pub(in crate::finding) fn check(case: &OlderCase<'_>) -> Option<Finding> {
    let dataset = &case.facts.dataset;
    if dataset.filters.iter().any(FilterFact::compresses) {
        return None;
    }
    let smaller = Smaller::of(dataset)?;
    let fix = repack(case, &smaller.effect(dataset));
    Some(smaller.finding(dataset, "", vec![fix]))
}
