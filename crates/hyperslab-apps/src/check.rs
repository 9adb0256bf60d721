//! Whether files follow the specification. The rules are in `hyperslab-check`; this opens files, and adds up what was found.

mod values;

use crate::runner::PassedOver;
use crate::{Error, Result, absent, files};
use hyperslab::hdf5::source_with_metadata;
use hyperslab::io::Source;
use hyperslab::{Absent, ErrorKind, File};
pub use hyperslab_check::Options;
use hyperslab_check::{CheckError, Finding, Report};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What was found in one file.
pub struct Checked {
    /// The findings.
    pub report: Report,
    /// What the file refers to and lacks.
    pub absent: Vec<String>,
}

/// What was found in all files.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Files that were checked.
    pub files: u64,
    /// Files that could not be checked.
    pub unreadable: u64,
    /// Files of the folders that were not checked, by kind.
    pub passed_over: PassedOver,
    /// Files with errors.
    pub with_errors: u64,
    /// Files with warnings, but without errors.
    pub with_warnings: u64,
    /// The number of files in which each rule was violated, by its code.
    pub rules: BTreeMap<&'static str, u64>,
}

/// A file with its findings, as JSON shows it.
#[derive(Debug, Serialize)]
pub struct Document<'r> {
    /// The file.
    pub file: String,
    /// Findings of each severity.
    pub errors: u64,
    /// Findings of each severity.
    pub warnings: u64,
    /// Findings of each severity.
    pub notes: u64,
    /// Findings that are not listed, because their rule has many.
    pub unlisted: u64,
    /// The findings that are listed.
    pub findings: Vec<FindingDocument<'r>>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Objects that were visited.
    pub objects: u64,
    /// Structures that were read.
    pub structures: u64,
    /// Chunks that were looked at.
    pub chunks: u64,
    /// Bytes that belong to nothing.
    pub orphan_bytes: u64,
    /// Bytes that the file says are free.
    pub free_bytes: u64,
    /// Bytes between structures.
    pub padding_bytes: u64,
    /// What the file refers to and lacks.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub absent: &'r [String],
}

/// A file that could not be checked, as JSON shows it.
#[derive(Debug, Serialize)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// Why.
    pub error: String,
}

/// A finding, as JSON shows it.
#[derive(Debug, Serialize)]
pub struct FindingDocument<'r> {
    /// The code of the rule.
    pub code: &'static str,
    /// How severe it is.
    pub severity: String,
    /// The object, or nothing.
    pub object: &'r str,
    /// The structure.
    pub structure: &'static str,
    /// Its byte in the file.
    pub offset: u64,
    /// What is wrong.
    pub message: &'r str,
    /// The section of the specification.
    pub source: &'static str,
}

impl Summary {
    /// Of no file yet.
    pub fn new(passed_over: PassedOver) -> Self {
        Self { passed_over, ..Self::default() }
    }

    /// Adds a file; `None` for one that could not be checked.
    pub fn add(&mut self, checked: Option<&Checked>) {
        self.files += 1;
        let Some(Checked { report, .. }) = checked else {
            self.unreadable += 1;
            return;
        };
        self.with_errors += u64::from(report.errors > 0);
        self.with_warnings += u64::from(report.errors == 0 && report.warnings > 0);
        report.counts.keys().for_each(|code| *self.rules.entry(code).or_default() += 1);
    }

    /// True if a file has errors or could not be checked, or a folder could not be read.
    pub fn is_damaged(&self) -> bool {
        self.with_errors + self.unreadable > 0 || self.passed_over.has_unreadable()
    }
}

impl Checked {
    /// As JSON shows it.
    pub fn document(&self, path: &Path) -> Document<'_> {
        document(path, &self.report, &self.absent)
    }
}

fn document<'r>(path: &Path, report: &'r Report, absent: &'r [String]) -> Document<'r> {
    let finding = |finding: &'r Finding| FindingDocument {
        code: finding.rule.code,
        severity: finding.rule.severity.to_string(),
        object: &finding.object,
        structure: finding.structure,
        offset: finding.at,
        message: &finding.message,
        source: finding.source,
    };
    Document {
        file: files::shown(path),
        errors: report.errors,
        warnings: report.warnings,
        notes: report.notes,
        unlisted: report.unlisted(),
        findings: report.findings.iter().map(finding).collect(),
        bytes: report.file_bytes,
        objects: report.objects,
        structures: report.structures,
        chunks: report.chunks,
        orphan_bytes: report.orphan_bytes,
        free_bytes: report.free_bytes,
        padding_bytes: report.padding_bytes,
        absent,
    }
}

/// Checks a file. Its members are joined if it consists of several.
///
/// # Errors
/// A file that is not HDF5, and one that cannot be read.
pub fn run(path: &Path, options: Options) -> Result<Checked> {
    let (source, absent, file) = open(path)?;
    let mut report = hyperslab_check::check(&*source, options);
    let file = file.filter(|file| options.data && file.format_word() == "hdf4");
    if let (Some(file), Ok(report)) = (file, &mut report) {
        values::decode(&file, report)?;
    }
    report.map(|report| Checked { report, absent }).map_err(|error| {
        let message = format!("{}: {error}", files::shown(path));
        match error {
            CheckError::NoSuperblock(_) if error.is_not_hdf5() => {
                Error::new(ErrorKind::NotHdf5, message).about(files::shown(path))
            }
            _ => Error::unreadable(message),
        }
    })
}

/// A file's bytes, what it lacks, and what opened it. A file that cannot be opened because it is damaged is checked as it is.
type Opened = (Arc<dyn Source>, Vec<String>, Option<File>);

fn open(path: &Path) -> Result<Opened, Error> {
    match files::look_with(path, &File::options()) {
        Ok(file) => {
            let source = source_with_metadata(&file);
            let mut absent = hyperslab::absent(&file);
            // A finding of its own.
            absent.retain(|absent| *absent != Absent::Close);
            Ok((source, absent::sentences(&absent), Some(file)))
        }
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotHdf5 | ErrorKind::Invalid => Err(error.into()),
            _ => match files::open_source(path) {
                Ok(bytes) => Ok((bytes, Vec::new(), None)),
                Err(_) => Err(error.into()),
            },
        },
    }
}
