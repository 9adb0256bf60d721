//! What `hyperslab repack --json` prints.

use super::read_effects::ReadEffect;
use crate::location;
use hyperslab_repack::{Damage, PlannedDataset, RepackPlan, Repacked, SelectionSummary, StorageSummary};
use serde::Serialize;
use std::path::Path;

/// One file.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    /// The file that was read.
    pub input: String,
    /// The new file.
    pub output: String,
    /// What was to be done; null if the file could not be planned.
    pub plan: Option<Plan>,
    /// What was done; null in a dry run, and after an error.
    pub result: Option<Outcome>,
    /// Why it was not done; null if it was.
    pub error: Option<String>,
}

/// The plan.
#[derive(Debug, Serialize)]
pub(super) struct Plan {
    /// Datasets that are stored otherwise than before.
    pub datasets: Vec<Dataset>,
    /// Datasets that patterns match and that stay as they are.
    pub kept: Vec<Kept>,
    /// What the selection of objects leaves out, adds and changes; null if all are copied.
    pub selection: Option<Selection>,
    /// The most bytes of elements and chunks in memory at a time.
    pub memory_bytes: u64,
    /// The most bytes in a temporary file at a time.
    pub temporary_bytes: u64,
    /// The predicted size of the new file; null if it was not asked for.
    pub predicted_bytes: Option<u64>,
    /// The predicted seconds; null if they were not asked for.
    pub predicted_seconds: Option<f64>,
}

/// A dataset that is stored otherwise.
#[derive(Debug, Serialize)]
pub(super) struct Dataset {
    pub path: String,
    /// The options that say so; `--like doctor: CODE` for a finding of the doctor.
    pub options: Vec<String>,
    pub shape: Vec<u64>,
    pub logical_bytes: u64,
    pub stored_bytes: u64,
    pub before: Storage,
    pub after: Storage,
    /// Chunks in the new file.
    pub chunks: u64,
    pub memory_bytes: u64,
    pub temporary_bytes: u64,
}

/// A layout and filters.
#[derive(Debug, Serialize)]
pub(super) struct Storage {
    pub layout: &'static str,
    pub chunk: Option<Vec<u64>>,
    pub filters: Vec<String>,
}

/// A dataset that stays as it is.
#[derive(Debug, Serialize)]
pub(super) struct Kept {
    pub path: String,
    pub reason: String,
}

/// What the selection of objects does.
#[derive(Debug, Serialize)]
pub(super) struct Selection {
    /// Paths of what is left out; what is below them is not listed.
    pub omitted: Vec<String>,
    /// Objects that are copied because others need them.
    pub needed: Vec<Needed>,
    pub renamed: Vec<Renamed>,
    /// Objects that referred to others that are left out.
    pub severed: Vec<Severed>,
}

/// An object that is copied because another one needs it.
#[derive(Debug, Serialize)]
pub(super) struct Needed {
    pub path: String,
    pub by: String,
    /// `dimension scale`, `datatype`, `source` or `target`.
    pub role: &'static str,
}

/// An object with a new path.
#[derive(Debug, Serialize)]
pub(super) struct Renamed {
    pub from: String,
    pub to: String,
}

/// An object that referred to others that are left out.
#[derive(Debug, Serialize)]
pub(super) struct Severed {
    pub path: String,
    pub what: String,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    pub objects: usize,
    pub bytes_before: u64,
    pub bytes: u64,
    /// From the start of the new file to the end of all metadata.
    pub metadata_bytes: u64,
    pub seconds: f64,
    /// Bytes of the new file that were read back and compared; null without verification.
    pub verified_bytes: Option<u64>,
    /// Parts that could not be read, and became fill values.
    pub damage: Vec<DamagedPart>,
    /// The largest error of each dataset whose filters round.
    pub rounding: Vec<Rounding>,
    /// What usual reads of changed datasets take in libhdf5 with its default cache, before and after.
    pub reads: Vec<ReadEffect>,
}

/// A part of a dataset that could not be read.
#[derive(Debug, Serialize)]
pub(super) struct DamagedPart {
    pub path: String,
    pub offset: Vec<u64>,
    pub shape: Vec<u64>,
    pub error: String,
}

/// The largest difference between a value and what is read back.
#[derive(Debug, Serialize)]
pub(super) struct Rounding {
    pub path: String,
    pub error_max: f64,
}

impl Plan {
    /// Adds datasets that stay as they are.
    pub fn keep(&mut self, kept: &[(String, String)]) {
        self.kept
            .extend(kept.iter().map(|(path, reason)| Kept { path: path.clone(), reason: reason.clone() }));
    }
}

impl Document {
    /// A file of which nothing is known yet.
    pub fn new(input: &Path, output: &Path) -> Self {
        let name = |path: &Path| location::shown(path);
        Self { input: name(input), output: name(output), plan: None, result: None, error: None }
    }
}

impl From<&RepackPlan> for Plan {
    fn from(plan: &RepackPlan) -> Self {
        let datasets: Vec<Dataset> = plan.datasets.iter().map(Dataset::from).collect();
        let kept = plan.kept.iter().map(|(path, reason)| Kept { path: path.clone(), reason: reason.clone() });
        Self {
            memory_bytes: datasets.iter().map(|dataset| dataset.memory_bytes).max().unwrap_or(0),
            temporary_bytes: datasets.iter().map(|dataset| dataset.temporary_bytes).max().unwrap_or(0),
            datasets,
            kept: kept.collect(),
            selection: Selection::new(plan.selection()),
            predicted_bytes: None,
            predicted_seconds: None,
        }
    }
}

impl Selection {
    fn new(summary: &SelectionSummary) -> Option<Self> {
        if *summary == SelectionSummary::default() {
            return None;
        }
        let SelectionSummary { omitted, needed, renamed, severed } = summary.clone();
        let needed =
            needed.into_iter().map(|needed| Needed { path: needed.path, by: needed.by, role: needed.role });
        Some(Self {
            omitted,
            needed: needed.collect(),
            renamed: renamed.into_iter().map(|(from, to)| Renamed { from, to }).collect(),
            severed: severed
                .into_iter()
                .map(|severed| Severed { path: severed.path, what: severed.what })
                .collect(),
        })
    }
}

impl From<&PlannedDataset> for Dataset {
    fn from(dataset: &PlannedDataset) -> Self {
        Self {
            path: dataset.path.clone(),
            options: dataset.options.clone(),
            shape: dataset.shape.clone(),
            logical_bytes: dataset.logical_bytes,
            stored_bytes: dataset.stored_bytes,
            before: Storage::from(&dataset.before),
            after: Storage::from(&dataset.after),
            chunks: dataset.chunks,
            memory_bytes: dataset.memory_bytes,
            temporary_bytes: dataset.temporary_bytes,
        }
    }
}

impl From<&StorageSummary> for Storage {
    fn from(storage: &StorageSummary) -> Self {
        Self { layout: storage.layout, chunk: storage.chunk.clone(), filters: storage.filters.clone() }
    }
}

impl From<&Damage> for DamagedPart {
    fn from(damage: &Damage) -> Self {
        Self {
            path: damage.path.clone(),
            offset: damage.offset.clone(),
            shape: damage.shape.clone(),
            error: damage.error.clone(),
        }
    }
}

impl Outcome {
    pub fn new(repacked: &Repacked, bytes_before: u64, seconds: f64, verified_bytes: Option<u64>) -> Self {
        let rounding = repacked.rounding.iter();
        Self {
            objects: repacked.objects,
            bytes_before,
            bytes: repacked.bytes,
            metadata_bytes: repacked.metadata_bytes,
            seconds,
            verified_bytes,
            damage: repacked.damage.iter().map(DamagedPart::from).collect(),
            rounding: rounding
                .map(|(path, error_max)| Rounding { path: path.clone(), error_max: *error_max })
                .collect(),
            reads: Vec::new(),
        }
    }
}
