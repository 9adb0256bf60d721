//! The one entry point: facts in, report out.

use crate::DoctorError;
use crate::case::Case;
use crate::facts::DatasetFacts;
use crate::finding;
use crate::options::Options;
use crate::report::DatasetReport;

/// Simulates the reads of one dataset and says what is wrong with them.
///
/// Layouts whose reads cost no chunk and no driver read of their own (compact, virtual, external) have a report
/// without reads. An error means that the question does not fit the dataset: [`DoctorError::Rank`] where a read or an
/// order is of another rank, [`DoctorError::Geometry`] where the extents are beyond 64 bits.
pub fn diagnose(facts: &DatasetFacts, options: &Options) -> Result<DatasetReport, DoctorError> {
    let mut report = DatasetReport::of(facts);
    if let Some(case) = Case::new(facts, options)? {
        report.fill(&case);
        report.findings = finding::check(&case);
    }
    Ok(report)
}
