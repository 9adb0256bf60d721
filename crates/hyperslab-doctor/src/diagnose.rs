//! The entry point: facts about a dataset in, a report out.

use crate::DoctorError;
use crate::case::Case;
use crate::facts::DatasetFacts;
use crate::finding;
use crate::options::Options;
use crate::report::DatasetReport;

/// Simulates the reads of one dataset and reports what is wrong with them.
///
/// Compact, virtual and external layouts get a report without reads: reading them touches no chunk and makes no driver
/// read of their own.
///
/// # Errors
/// [`DoctorError::Rank`] if a read or an order has another rank than the dataset, [`DoctorError::Order`] if the order
/// is not a permutation of the dimensions, [`DoctorError::Geometry`] if the size of the dataset exceeds 64 bits.
pub fn diagnose(facts: &DatasetFacts, options: &Options) -> Result<DatasetReport, DoctorError> {
    let mut report = DatasetReport::of(facts);
    if let Some(case) = Case::new(facts, options)? {
        report.fill(&case);
        report.findings = finding::check(&case);
    }
    Ok(report)
}
