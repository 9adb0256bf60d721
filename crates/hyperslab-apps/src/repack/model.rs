//! What `hyperslab repack --json` prints.

use super::read_effects::ReadEffect;
use crate::files;
use hyperslab_filters::DeflateEncoder;
use hyperslab_repack::{
    BrokenReference, Damage, Estimate, Lost, Needed, PlannedDataset, RepackError, RepackPlan, Repacked,
    SelectionSummary,
};
use hyperslab_storage::GzipEncoder;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// One file.
#[derive(Debug, Serialize)]
pub struct Document {
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
#[derive(Debug, Default, Serialize)]
pub struct Plan {
    /// Datasets that are stored otherwise than before.
    pub datasets: Vec<Arc<PlannedDataset>>,
    /// Datasets that patterns match and that stay as they are.
    pub kept: Vec<Kept>,
    /// What the selection of objects leaves out, adds and changes; null if all are copied.
    pub selection: Option<Selection>,
    /// What the new file contains that releases as old as `--libver` cannot read.
    pub raised: Vec<RaisedFeature>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// The most bytes of elements and chunks in memory at a time.
    pub memory_bytes: u64,
    /// The most bytes in a temporary file at a time.
    pub temporary_bytes: u64,
    /// The predicted size of the new file; null if it was not asked for.
    pub predicted_bytes: Option<u64>,
    /// The most bytes of memory that the process is predicted to take; null if it was not asked for.
    pub predicted_memory_bytes: Option<u64>,
    /// The predicted seconds; null if they were not asked for.
    pub predicted_seconds: Option<f64>,
    /// True if the size was predicted from samples, and may be off by some percent; null if it was not asked for.
    pub is_sampled: Option<bool>,
}

/// A dataset that stays as it is.
#[derive(Debug, Serialize)]
pub struct Kept {
    /// The object.
    pub path: Box<str>,
    /// In memory once for all datasets that it is about.
    pub reason: Arc<str>,
}

/// What the new file contains that releases as old as `--libver` cannot read.
#[derive(Debug, Serialize)]
pub struct RaisedFeature {
    /// What it is called.
    pub feature: &'static str,
    /// The oldest release of HDF5 that reads it.
    pub release: String,
    /// The first object that has it; null for the file itself.
    pub path: Option<String>,
    /// The number of objects that have it; 0 for the file itself.
    pub objects: u64,
}

/// What the selection of objects does.
#[derive(Debug, Serialize)]
pub struct Selection {
    /// Paths of what is left out; what is below them is not listed.
    pub omitted: Vec<String>,
    /// Objects that are copied because others need them.
    pub needed: Vec<Needed>,
    /// Dimensions that stay without their variable, which is left out.
    pub dimensions: Vec<Needed>,
    /// Objects with other names.
    pub renamed: Vec<Renamed>,
    /// Objects that referred to others that are left out.
    pub severed: Vec<BrokenReference>,
}

/// An object with a new path.
#[derive(Debug, Serialize)]
pub struct Renamed {
    /// Its old path.
    pub from: String,
    /// Its new path.
    pub to: String,
}

/// What was done.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// Objects that were copied.
    pub objects: usize,
    /// Bytes of the file before.
    pub bytes_before: u64,
    /// Bytes of the new file.
    pub bytes: u64,
    /// From the start of the new file to the end of all metadata.
    pub metadata_bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Bytes of the new file that were read back and compared; null without verification.
    pub verified_bytes: Option<u64>,
    /// Parts that could not be read, and became fill values.
    pub damage: Vec<Damage>,
    /// What could not be read, and is left out.
    pub lost: Vec<Lost>,
    /// The largest error of each dataset whose filters round.
    pub rounding: Vec<Rounding>,
    /// Which encoder wrote each dataset that was encoded anew by gzip.
    pub encoders: Vec<Encoder>,
    /// What usual reads of changed datasets take in libhdf5 with its default cache, before and after.
    pub reads: Vec<ReadEffect>,
}

/// Which encoder wrote a dataset.
#[derive(Debug, Serialize)]
pub struct Encoder {
    /// The object.
    pub path: String,
    /// `fast` or `small`.
    pub encoder: GzipEncoder,
}

/// The largest difference between a value and what is read back.
#[derive(Debug, Serialize)]
pub struct Rounding {
    /// The object.
    pub path: String,
    /// The largest change of a value.
    pub error_max: f64,
}

/// What the program takes of the memory before it does anything: its code, its threads, and what its allocator holds.
const PROGRAM_BYTES: u64 = 24 << 20;

impl Plan {
    /// Takes up a prediction.
    pub fn predict(&mut self, estimate: &Estimate) {
        self.predicted_bytes = Some(estimate.bytes);
        self.predicted_memory_bytes = Some(PROGRAM_BYTES + estimate.memory_bytes);
        self.predicted_seconds = Some(estimate.seconds);
        self.is_sampled = Some(estimate.is_sampled);
    }

    /// Adds datasets that stay as they are.
    pub fn keep(&mut self, kept: &[(String, String)]) {
        let kept = kept
            .iter()
            .map(|(path, reason)| Kept { path: path.as_str().into(), reason: reason.as_str().into() });
        self.kept.extend(kept);
    }
}

impl Document {
    /// A file of which nothing is known yet.
    pub fn new(input: &Path, output: &Path) -> Self {
        let name = |path: &Path| files::shown(path);
        Self { input: name(input), output: name(output), plan: None, result: None, error: None }
    }
}

impl Plan {
    /// The plan as it is shown.
    pub fn new(plan: &RepackPlan) -> Result<Self, RepackError> {
        let raised = plan.raised()?.into_iter().map(|(raised, path)| RaisedFeature {
            feature: raised.feature,
            release: raised.release.to_string(),
            path,
            objects: raised.objects,
        });
        let datasets = &plan.datasets;
        let kept = plan.kept().map(|(path, reason)| Kept { path: path.into(), reason: reason.clone() });
        Ok(Self {
            memory_bytes: datasets.iter().map(|dataset| dataset.memory_bytes).max().unwrap_or(0),
            temporary_bytes: datasets.iter().map(|dataset| dataset.temporary_bytes).max().unwrap_or(0),
            datasets: datasets.clone(),
            kept: kept.collect(),
            selection: Selection::new(plan.selection()),
            raised: raised.collect(),
            notes: Vec::new(),
            predicted_bytes: None,
            predicted_memory_bytes: None,
            predicted_seconds: None,
            is_sampled: None,
        })
    }
}

impl Selection {
    fn new(summary: &SelectionSummary) -> Option<Self> {
        if *summary == SelectionSummary::default() {
            return None;
        }
        let SelectionSummary { omitted, needed, dimensions, renamed, severed } = summary.clone();
        Some(Self {
            omitted,
            needed,
            dimensions,
            renamed: renamed.into_iter().map(|(from, to)| Renamed { from, to }).collect(),
            severed,
        })
    }
}

impl Outcome {
    pub(super) fn new(
        repacked: &Repacked,
        bytes_before: u64,
        seconds: f64,
        verified_bytes: Option<u64>,
    ) -> Self {
        let rounding = repacked.rounding.iter();
        let encoder = |(path, encoder): &(String, DeflateEncoder)| Encoder {
            path: path.clone(),
            encoder: (*encoder).into(),
        };
        Self {
            objects: repacked.objects,
            bytes_before,
            bytes: repacked.bytes,
            metadata_bytes: repacked.metadata_bytes,
            seconds,
            verified_bytes,
            damage: repacked.damage.clone(),
            lost: repacked.lost.clone(),
            rounding: rounding
                .map(|(path, error_max)| Rounding { path: path.clone(), error_max: *error_max })
                .collect(),
            encoders: repacked.gzip.iter().map(encoder).collect(),
            reads: Vec::new(),
        }
    }
}
