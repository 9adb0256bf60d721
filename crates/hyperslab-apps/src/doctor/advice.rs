//! The doctor's fixes for a file that `hyperslab repack` can make.

use super::Request;
use crate::Result;
use hyperslab_doctor::Finding;
use hyperslab_storage::StorageChange;
use std::path::Path;

/// A fix of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The dataset; `None` for the file as a whole.
    pub dataset: Option<String>,
    /// The finding.
    pub code: String,
    /// What is to be stored otherwise.
    pub change: StorageChange,
    /// True if it makes another read much slower.
    pub slows_others: bool,
}

/// The fixes for a file and its datasets, those of the most severe findings first; of each finding the first one that
/// `hyperslab repack` can make.
///
/// # Errors
/// If the file cannot be read.
pub fn advice(path: &Path) -> Result<Vec<Advice>> {
    let report = super::run(path, &Request::default())?.report;
    let of = |dataset: Option<&str>, findings: &[Finding]| -> Vec<Advice> {
        let advice = findings.iter().filter_map(|finding| {
            let (fix, change) = finding.fixes.iter().find_map(|fix| Some((fix, fix.change.as_ref()?)))?;
            let (dataset, code) = (dataset.map(str::to_owned), finding.code.clone());
            Some(Advice { dataset, code, change: change.clone(), slows_others: fix.slows_others })
        });
        advice.collect()
    };
    let of_datasets = report.datasets.iter().flat_map(|dataset| of(Some(&dataset.path), &dataset.findings));
    Ok(of(None, &report.findings).into_iter().chain(of_datasets).collect())
}
