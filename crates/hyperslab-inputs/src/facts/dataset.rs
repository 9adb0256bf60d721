//! Collects the doctor's facts about a dataset from the engine.

use super::sample::{self, SampleScope};
use super::variable_length;
use hyperslab::{Dataset, Result};
use hyperslab_doctor::DatasetFacts;
use hyperslab_listing::layout_facts;

/// Fewer variable-length elements are not looked up where the storage alone is checked.
const REFERENCES_MIN: u64 = 1_000;

/// The facts about a dataset, including the measurements on sample chunks that `wanted` selects.
pub fn of(dataset: &Dataset, wanted: SampleScope) -> Result<DatasetFacts> {
    let facts = layout_facts(dataset)?;
    let samples = sample::measure(dataset, &facts.filters, wanted);
    // Damage in the heap is told of by whoever reads the values.
    let is_worth_it = wanted != SampleScope::Nothing || dataset.elements() >= REFERENCES_MIN;
    let variable_length = if is_worth_it { variable_length::measure(dataset).ok().flatten() } else { None };
    Ok(DatasetFacts { samples, variable_length, ..facts })
}
