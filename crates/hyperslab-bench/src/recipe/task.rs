//! What a process is asked to do for a cell.

use super::artifacts::ArtifactCache;
use super::engines::EngineKind;
use super::plan::{Cell, Content, Work};
use crate::data::Values;
use crate::engine::{Engine, OpenOptions};
use crate::process::{Operation, Task};
use crate::study::{Access, Format, Memory, Records, Storage, Tree};

/// The name of the dataset in files that recipes make.
pub(super) const DATASET: &str = "/data";

/// The task of a cell by an engine, as it is measured.
pub(super) fn of(
    cell: &Cell,
    by: EngineKind,
    engine: &Engine,
    artifacts: &ArtifactCache,
) -> Result<Task, String> {
    let (mut access, mut options) = (Access::none(), OpenOptions::default());
    let mut file = artifacts.path(&cell.name, by);
    let operation = match &cell.work {
        Work::Write { storage, values, access: blocks, records, .. } => {
            options.records = in_memory(records, by);
            let storage = as_written(storage, by);
            storage.check()?;
            access.clone_from(blocks);
            let values = match values {
                Content::Synthetic(synthetic) => Values::Synthetic(synthetic.clone()),
                Content::Of(cell) => {
                    let file = artifacts.path(cell, EngineKind::Libhdf5);
                    Values::Dataset { file, path: DATASET.to_owned() }
                }
            };
            Operation::Write { storage: Box::new(storage), values }
        }
        Work::Read { of, access: blocks, cache, reads_max, records, cold } => {
            options.records = in_memory(records, by);
            let kept = artifacts.file(of, by)?;
            file.clone_from(&kept.path);
            access.clone_from(blocks);
            if engine.has_chunk_cache(kept.storage.format) {
                options.cache = artifacts.cache(*cache, by, &file);
            }
            let shape = kept.storage.shape.clone();
            Operation::Read { shape, reads_max: *reads_max, cold: *cold, check: None }
        }
        Work::Make { tree, .. } => {
            let storage = as_written(&tree.storage, by);
            Operation::Make { tree: Box::new(Tree { storage, ..(**tree).clone() }) }
        }
        Work::Visit { of, wanted, page_buffer } => {
            file.clone_from(&artifacts.file(of, by)?.path);
            options.page_buffer = page_buffer.filter(|_| engine.has_page_buffer());
            Operation::Visit { wanted: *wanted, cold: false, check: false }
        }
    };
    Ok(Task { engine: engine.clone(), file, dataset: DATASET.to_owned(), access, options, operation })
}

/// The first read of a cell that sets no cache, where it is not known yet which one the library gives its file.
pub(super) fn first_read(
    task: &Task,
    cell: &Cell,
    artifacts: &ArtifactCache,
    by: EngineKind,
) -> Option<Task> {
    let Work::Read { of, cache: None, .. } = &cell.work else { return None };
    let format = artifacts.file(of, by).ok()?.storage.format;
    let is_unknown = task.engine.has_chunk_cache(format) && artifacts.lacks_default(by, &task.file);
    let mut first = task.clone();
    if let Operation::Read { reads_max, .. } = &mut first.operation {
        *reads_max = Some(1);
    }
    is_unknown.then_some(first)
}

/// Names the values that are read from a file: the same for all who read the same blocks of the same values.
pub(super) fn values_read(work: &Work, values: &str) -> Option<String> {
    match work {
        Work::Read { access, reads_max, records, .. } => {
            Some(format!("{values} {access} {reads_max:?} {:?}", records.fields))
        }
        Work::Visit { wanted, .. } => Some(format!("{values} {wanted:?}")),
        Work::Write { .. } | Work::Make { .. } => None,
    }
}

impl Work {
    /// What is done, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Write { access, .. } | Self::Read { access, .. } => access.to_string(),
            Self::Make { tree, .. } => tree.to_string(),
            Self::Visit { wanted, .. } => format!("all objects, {wanted:?}").to_lowercase(),
        }
    }
}

/// As the engine can have them.
fn in_memory(records: &Records, by: EngineKind) -> Records {
    let memory = match (by, records.memory) {
        (EngineKind::Libhdf5, Memory::Columns) => Memory::Struct,
        (EngineKind::Hdf4, Memory::Struct) | (EngineKind::Hyperslab | EngineKind::Netcdf, _) => {
            Memory::AsStored
        }
        (_, memory) => memory,
    };
    Records { memory, ..records.clone() }
}

/// The same storage in the format that the engine writes.
fn as_written(storage: &Storage, by: EngineKind) -> Storage {
    let format = match (by, storage.format) {
        (EngineKind::Netcdf, Format::Hdf5) => Format::Netcdf4,
        (EngineKind::Hdf4, _) => Format::Hdf4,
        (_, format) => format,
    };
    Storage { format, ..storage.clone() }
}
