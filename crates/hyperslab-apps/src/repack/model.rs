//! What `hyperslab repack --json` prints.

use super::read_effects::ReadEffect;
use crate::files;
use hyperslab_filters::DeflateEncoder;
use hyperslab_repack::{
    Damage, Estimate, PlannedDataset, RepackError, RepackPlan, Repacked, SelectionSummary, StorageSummary,
};
use hyperslab_storage::GzipEncoder;
use serde::{Serialize, Serializer};
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
    pub datasets: Vec<Dataset>,
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

/// A dataset that is stored otherwise. There may be millions, which the plan has in memory already.
#[derive(Debug, Clone)]
pub struct Dataset(pub Arc<PlannedDataset>);

impl Serialize for Dataset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            path: &'a str,
            /// The options that say so; `--like doctor: CODE` for a finding of the doctor.
            options: &'a [String],
            shape: &'a [u64],
            logical_bytes: u64,
            stored_bytes: u64,
            before: Storage<'a>,
            after: Storage<'a>,
            /// Chunks in the new file.
            chunks: u64,
            memory_bytes: u64,
            temporary_bytes: u64,
        }
        let dataset = &*self.0;
        Shown {
            path: &dataset.path,
            options: &dataset.options,
            shape: &dataset.shape,
            logical_bytes: dataset.logical_bytes,
            stored_bytes: dataset.stored_bytes,
            before: Storage::of(&dataset.before),
            after: Storage::of(&dataset.after),
            chunks: dataset.chunks,
            memory_bytes: dataset.memory_bytes,
            temporary_bytes: dataset.temporary_bytes,
        }
        .serialize(serializer)
    }
}

/// A layout and filters.
#[derive(Debug, Serialize)]
struct Storage<'a> {
    layout: &'static str,
    chunk: Option<&'a [u64]>,
    filters: &'a [String],
}

impl<'a> Storage<'a> {
    fn of(storage: &'a StorageSummary) -> Self {
        Self { layout: storage.layout, chunk: storage.chunk.as_deref(), filters: &storage.filters }
    }
}

/// A dataset that stays as it is.
#[derive(Debug, Serialize)]
pub struct Kept {
    /// The object.
    pub path: Box<str>,
    /// In memory once for all datasets that it is about.
    #[serde(serialize_with = "shared_text")]
    pub reason: Arc<str>,
}

fn shared_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
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

/// An object that is copied because another one needs it.
#[derive(Debug, Serialize)]
pub struct Needed {
    /// The object.
    pub path: String,
    /// What needs it.
    pub by: String,
    /// `dimension scale`, `datatype`, `source`, `target`, `dimension`, or the attribute that names it.
    pub role: &'static str,
}

/// An object with a new path.
#[derive(Debug, Serialize)]
pub struct Renamed {
    /// Its old path.
    pub from: String,
    /// Its new path.
    pub to: String,
}

/// An object that referred to others that are left out.
#[derive(Debug, Serialize)]
pub struct BrokenReference {
    /// The object.
    pub path: String,
    /// What it is.
    pub what: String,
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
    pub damage: Vec<DamagedPart>,
    /// What could not be read, and is left out.
    pub lost: Vec<LostPart>,
    /// The largest error of each dataset whose filters round.
    pub rounding: Vec<Rounding>,
    /// Which encoder wrote each dataset that was encoded anew by gzip.
    pub encoders: Vec<Encoder>,
    /// What usual reads of changed datasets take in libhdf5 with its default cache, before and after.
    pub reads: Vec<ReadEffect>,
}

/// An object, or a part of one, that could not be read.
#[derive(Debug, Serialize)]
pub struct LostPart {
    /// The object.
    pub path: String,
    /// What it is.
    pub what: &'static str,
    /// Why.
    pub error: String,
}

/// A part of a dataset that could not be read.
#[derive(Debug, Serialize)]
pub struct DamagedPart {
    /// The object.
    pub path: String,
    /// Its first element along each dimension.
    pub offset: Vec<u64>,
    /// Its extent along each dimension.
    pub shape: Vec<u64>,
    /// Why.
    pub error: String,
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
            datasets: datasets.iter().cloned().map(Dataset).collect(),
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
        let listed = |needed: Vec<hyperslab_repack::Needed>| {
            needed
                .into_iter()
                .map(|hyperslab_repack::Needed { path, by, role }| Needed { path, by, role })
                .collect()
        };
        Some(Self {
            omitted,
            needed: listed(needed),
            dimensions: listed(dimensions),
            renamed: renamed.into_iter().map(|(from, to)| Renamed { from, to }).collect(),
            severed: severed
                .into_iter()
                .map(|severed| BrokenReference { path: severed.path, what: severed.what })
                .collect(),
        })
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
            damage: repacked.damage.iter().map(DamagedPart::from).collect(),
            lost: repacked
                .lost
                .iter()
                .map(|lost| LostPart { path: lost.path.clone(), what: lost.what, error: lost.error.clone() })
                .collect(),
            rounding: rounding
                .map(|(path, error_max)| Rounding { path: path.clone(), error_max: *error_max })
                .collect(),
            encoders: repacked.gzip.iter().map(encoder).collect(),
            reads: Vec::new(),
        }
    }
}
