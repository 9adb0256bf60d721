//! Datasets of formats before HDF5: what reading them costs the libraries of these formats.
//!
//! ```text
//! OlderFacts ─┐
//! Options ────┴─► OlderCase: each read in libhdf4 or netCDF-C ─► findings (finding/older) ─► DatasetReport
//! ```
//!
//! Times are predicted by constants: no library of these formats is measured.

mod case;
mod facts;
mod fix;
mod report;

pub use facts::{Library, OlderFacts, OlderFileFacts, OlderStorage, Room};

pub(crate) use case::{Counts, OlderCase, OlderRead};
pub(crate) use fix::{read_at_once, repack};

use crate::DoctorError;
use crate::finding::{self, Finding};
use crate::options::Options;
use crate::report::DatasetReport;

/// Simulates the reads of a dataset of an older format and reports what is wrong with them.
///
/// # Errors
/// As [`diagnose`](crate::diagnose).
pub fn diagnose_older(facts: &OlderFacts, options: &Options) -> Result<DatasetReport, DoctorError> {
    let mut report = report::of(facts);
    if let Some(case) = OlderCase::new(facts, options)? {
        report.reads = report::reads(&case);
        report.findings = finding::check_older(&case);
    }
    Ok(report)
}

/// Looks for faults of the storage alone, without simulating reads. `None` if there is none.
///
/// # Errors
/// As [`diagnose_older`].
pub fn diagnose_older_storage(
    facts: &OlderFacts,
    options: &Options,
) -> Result<Option<DatasetReport>, DoctorError> {
    let Some(case) = OlderCase::without_reads(facts, options)? else { return Ok(None) };
    let findings = finding::check_older(&case);
    Ok((!findings.is_empty()).then(|| DatasetReport { findings, ..report::of(facts) }))
}

/// Reports what is wrong with a file of an older format as a whole, most severe first.
pub fn diagnose_older_file(facts: &OlderFileFacts, options: &Options) -> Vec<Finding> {
    finding::check_older_file(facts, options)
}
