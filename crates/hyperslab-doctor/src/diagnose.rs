//! The entry point: facts about a dataset in, a report out.

use crate::DoctorError;
use crate::case::Case;
use crate::engine::EngineCounts;
use crate::facts::{DatasetFacts, FileFacts};
use crate::finding::{self, Finding};
use crate::follow_up::follow_up;
use crate::options::Options;
use crate::report::{DatasetReport, ReadReport};
use crate::simulate::{SweepCounts, loads_by_chunk};

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
        follow_up(&case, &mut report.findings);
    }
    Ok(report)
}

/// The report of [`diagnose`] without findings, which take most of its time: what the reads cost.
///
/// # Errors
/// As [`diagnose`].
pub fn report_reads(facts: &DatasetFacts, options: &Options) -> Result<DatasetReport, DoctorError> {
    let mut report = DatasetReport::of(facts);
    if let Some(case) = Case::new(facts, options)? {
        report.fill(&case);
    }
    Ok(report)
}

/// The counts of one read of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedRead {
    /// In libhdf5, under each of [`Options::profiles`].
    pub counts: Vec<SweepCounts>,
    /// In hyperslab.
    pub engine: EngineCounts,
}

/// Simulates the reads of one dataset, without judging them. [`CostModel`](crate::predict::CostModel) makes seconds of the
/// counts.
///
/// Compact, virtual and external layouts have none.
///
/// # Errors
/// As [`diagnose`].
pub fn simulate_reads(facts: &DatasetFacts, options: &Options) -> Result<Vec<SimulatedRead>, DoctorError> {
    let Some(case) = Case::new(facts, options)? else { return Ok(Vec::new()) };
    let simulated = case.reads.into_iter().map(|read| SimulatedRead {
        counts: read.rows.iter().map(|row| row.counts).collect(),
        engine: read.engine,
    });
    Ok(simulated.collect())
}

/// Looks for faults of the storage alone, without simulating reads: cheap enough for every dataset of a file. If there
/// is one, returns the full report of [`diagnose`], since its fixes must be judged on all reads.
///
/// # Errors
/// As [`diagnose`].
pub fn diagnose_storage(
    facts: &DatasetFacts,
    options: &Options,
) -> Result<Option<DatasetReport>, DoctorError> {
    let Some(case) = Case::without_reads(facts, options)? else { return Ok(None) };
    if !finding::has_storage_fault(&case) {
        return Ok(None);
    }
    diagnose(facts, options).map(Some)
}

/// How often each stored chunk is loaded when the blocks of a simulated read are read in one library: linear index of the
/// chunk and number of loads, in ascending order. `None` if the read is too large to be simulated to its end, or if the
/// data is not chunked.
///
/// `profile` is a place in [`ReadReport::profiles`](crate::ReadReport).
///
/// # Errors
/// As [`diagnose`].
pub fn chunk_loads(
    facts: &DatasetFacts,
    options: &Options,
    read: &ReadReport,
    profile: usize,
) -> Result<Option<Vec<(u64, u64)>>, DoctorError> {
    let Some(case) = Case::without_reads(facts, options)? else { return Ok(None) };
    let (Some(chunk_bytes), Some(profile)) = (case.geometry.chunk_bytes(), case.profiles.get(profile)) else {
        return Ok(None);
    };
    let sweep = read.sweep(case.geometry.shape());
    let settings = profile.cache(Some(chunk_bytes));
    Ok(loads_by_chunk(&case.geometry, settings, profile.version, &sweep, options.visits_max))
}

/// Reports what is wrong with a file as a whole, most severe first.
pub fn diagnose_file(facts: &FileFacts, options: &Options) -> Vec<Finding> {
    finding::check_file(facts, options)
}
