//! The doctor's fixes for a file that `hyperslab repack` can make.

use super::examine::Examiner;
use crate::args::{Cli, Command, DoctorArgs};
use crate::failure::Failure;
use clap::Parser;
use hyperslab_doctor::Finding;
use hyperslab_storage::StorageChange;
use std::path::Path;

/// A fix of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Advice {
    /// The dataset; `None` for the file as a whole.
    pub dataset: Option<String>,
    /// The finding.
    pub code: String,
    /// What is to be stored otherwise.
    pub change: StorageChange,
    /// True if it makes another read much slower.
    pub slows_others: bool,
}

/// Examines files as `hyperslab doctor FILE` does without options.
pub(crate) struct Advisor {
    args: DoctorArgs,
}

impl Advisor {
    /// # Errors
    /// A mistake in this program.
    pub(crate) fn new() -> Result<Self, Failure> {
        match Cli::try_parse_from(["hyperslab", "doctor", "FILE"]).map(|cli| cli.command) {
            Ok(Command::Doctor(args)) => Ok(Self { args: *args }),
            _ => Err(Failure::unreadable("the doctor's own options are not understood")),
        }
    }

    /// The fixes for a file and its datasets, those of the most severe findings first; of each finding the first one that
    /// `hyperslab repack` can make.
    pub(crate) fn advice(&self, path: &Path) -> Result<Vec<Advice>, Failure> {
        let report = Examiner::new(&self.args)?.examine(path, None)?.report;
        let of = |dataset: Option<&str>, findings: &[Finding]| -> Vec<Advice> {
            let advice = findings.iter().filter_map(|finding| {
                let (fix, change) = finding.fixes.iter().find_map(|fix| Some((fix, fix.change.as_ref()?)))?;
                let (dataset, code) = (dataset.map(str::to_owned), finding.code.clone());
                Some(Advice { dataset, code, change: change.clone(), slows_others: fix.slows_others })
            });
            advice.collect()
        };
        let of_datasets =
            report.datasets.iter().flat_map(|dataset| of(Some(&dataset.path), &dataset.findings));
        Ok(of(None, &report.findings).into_iter().chain(of_datasets).collect())
    }
}
