//! What was found in many files: the causes, the worst first.

use super::{Answer, Examiner};
use crate::forecast::ListingTotal;
use crate::runner::PassedOver;
use hyperslab_doctor::{Finding, Report, Severity};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was found in all files.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Files that were examined.
    pub files: u64,
    /// Files that could not be read, or not completely.
    pub damaged: u64,
    /// Files without a finding.
    pub without_findings: u64,
    /// Files of the folders that were not examined, by kind.
    pub passed_over: PassedOver,
    /// What was found, the most severe first.
    pub causes: Vec<Cause>,
    /// What listing all files takes in an object store, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<ListingTotal>,
    #[serde(skip)]
    found: BTreeMap<String, Cause>,
}

/// One code in all files.
#[derive(Debug, Clone, Serialize)]
pub struct Cause {
    /// The code of the finding.
    pub code: String,
    /// The most severe.
    pub severity: Severity,
    /// Files in which it was found.
    pub files: u64,
    /// Datasets in which it was found, and files as a whole.
    pub findings: u64,
    /// Seconds that it costs in all of them, where it costs time.
    pub seconds: f64,
    /// Bytes that it costs in all of them, where it costs space.
    pub bytes: u64,
    /// The file in which it is most severe.
    pub worst_file: String,
}

/// All findings of a report: of the file, then of its datasets.
pub fn findings(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().chain(report.datasets.iter().flat_map(|dataset| &dataset.findings))
}

impl Summary {
    /// Of no file yet.
    pub fn new(examiner: &Examiner<'_>, passed_over: PassedOver) -> Self {
        let listing = examiner.store().map(|store| ListingTotal::new(&store.name));
        Self { listing, passed_over, ..Self::default() }
    }

    /// Adds a file; `None` for one that could not be read.
    pub fn add(&mut self, answer: Option<&Answer>) {
        self.files += 1;
        let Some(Answer { report, failures, .. }) = answer else {
            self.damaged += 1;
            return;
        };
        self.damaged += u64::from(!failures.is_empty());
        self.without_findings += u64::from(findings(report).next().is_none());
        self.count(report);
        if let (Some(listing), Some(forecast)) = (&mut self.listing, &report.forecast) {
            listing.add(forecast);
        }
    }

    fn count(&mut self, report: &Report) {
        let mut here: Vec<&str> = Vec::new();
        for finding in findings(report) {
            let cause = self.found.entry(finding.code.clone()).or_insert_with(|| Cause {
                code: finding.code.clone(),
                severity: finding.severity,
                files: 0,
                findings: 0,
                seconds: 0.0,
                bytes: 0,
                worst_file: report.file.clone(),
            });
            if finding.severity > cause.severity {
                cause.severity = finding.severity;
                cause.worst_file.clone_from(&report.file);
            }
            cause.findings += 1;
            cause.seconds += finding.cost.seconds.unwrap_or(0.0);
            cause.bytes = cause.bytes.saturating_add(finding.cost.bytes.unwrap_or(0));
            if !here.contains(&finding.code.as_str()) {
                here.push(&finding.code);
                cause.files += 1;
            }
        }
    }

    /// The summary after the last file: its causes are in order.
    pub fn finished(mut self) -> Self {
        self.causes = std::mem::take(&mut self.found).into_values().collect();
        self.causes.sort_by(|a, b| b.severity.cmp(&a.severity).then(b.seconds.total_cmp(&a.seconds)));
        self
    }
}
