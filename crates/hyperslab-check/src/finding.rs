//! The result of a check: findings, and what the bytes of the file belong to.

use crate::rule::{Rule, Severity};
use std::collections::BTreeMap;

/// A place in a file that does not follow a rule.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The path of the object that the structure belongs to; empty for the file itself.
    pub object: String,
    /// The structure, named as in the specification.
    pub structure: &'static str,
    /// The offset in bytes, from the first byte of the file.
    pub at: u64,
    /// What was found there.
    pub message: String,
    /// The section of the specification that the rule or the structure is from.
    pub source: &'static str,
}

/// The result of a check.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The findings in the order in which they were made; of each rule at most [`FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// The number of findings by the code of their rule, including those that are not listed.
    pub counts: BTreeMap<&'static str, u64>,
    /// The number of errors.
    pub errors: u64,
    /// The number of warnings.
    pub warnings: u64,
    /// The number of notes.
    pub notes: u64,
    /// The length of the file in bytes.
    pub file_bytes: u64,
    /// The number of objects.
    pub objects: u64,
    /// The number of structures, including blocks of raw data.
    pub structures: u64,
    /// The number of chunks.
    pub chunks: u64,
    /// Bytes that belong to no structure, and that no free-space manager lists.
    pub orphan_bytes: u64,
    /// Bytes that free-space managers list.
    pub free_bytes: u64,
    /// Bytes that align structures, or that are left at the ends of pages.
    pub padding_bytes: u64,
}

/// At most so many findings of a rule are listed.
pub const FINDINGS_MAX: u64 = 100;

impl Report {
    pub(crate) fn add(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.rule.code).or_default();
        *count += 1;
        match finding.rule.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
        if *count <= FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    /// Adds what a rule has found of an object, by its path, in the structure at this offset.
    pub(crate) fn note(
        &mut self,
        rule: &'static Rule,
        object: impl Into<String>,
        structure: &'static str,
        at: u64,
        message: String,
    ) {
        let object = object.into();
        self.add(Finding { rule, object, structure, at, message, source: rule.source });
    }

    /// The number of findings that are not listed.
    pub fn unlisted(&self) -> u64 {
        self.errors + self.warnings + self.notes - self.findings.len() as u64
    }
}
