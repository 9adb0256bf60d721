//! What a process is asked to do for a cell.

use super::artifacts::ArtifactCache;
use super::plan::{Cell, Content, EngineKind, Work};
use crate::data::Values;
use crate::engine::{Engine, OpenOptions};
use crate::process::{Check, Operation, Task};
use crate::study::{Access, FilterSpec, Format, Memory, Records, Storage, Tree};

/// The name of the dataset in files that recipes make.
pub(super) const DATASET: &str = "/data";

/// The task of a cell by an engine, as it is measured.
pub(super) fn of(cell: &Cell, who: EngineKind, engine: &Engine, artifacts: &ArtifactCache) -> Result<Task, String> {
    let (mut access, mut options) = (Access::none(), OpenOptions::default());
    let mut file = artifacts.place(&cell.name, who);
    let operation = match &cell.work {
        Work::Write { storage, values, access: blocks, records, .. } => {
            options.records = in_memory(records, who);
            let storage = as_written(storage, who);
            storage.check()?;
            access.clone_from(blocks);
            let values = match values {
                Content::Synthetic(synthetic) => Values::Synthetic(synthetic.clone()),
                Content::Of(cell) => {
                    let file = artifacts.file(cell, EngineKind::Libhdf5)?.path.clone();
                    Values::Dataset { file, path: DATASET.to_owned() }
                }
            };
            Operation::Write { storage: Box::new(storage), values }
        }
        Work::Read { of, access: blocks, cache, reads_max, records, cold } => {
            options.records = in_memory(records, who);
            let kept = artifacts.file(of, who)?;
            file.clone_from(&kept.path);
            access.clone_from(blocks);
            if engine.has_chunk_cache(kept.storage.format) {
                options.cache = artifacts.cache(*cache, who, &file);
            }
            let shape = kept.storage.shape.clone();
            Operation::Read { shape, reads_max: *reads_max, cold: *cold, check: None }
        }
        Work::Make { tree, .. } => {
            let storage = as_written(&tree.storage, who);
            Operation::Make { tree: Box::new(Tree { storage, ..(**tree).clone() }) }
        }
        Work::Visit { of, wanted, page_buffer } => {
            file.clone_from(&artifacts.file(of, who)?.path);
            options.page_buffer = page_buffer.filter(|_| engine.has_page_buffer());
            Operation::Visit { wanted: *wanted, cold: false, check: false }
        }
    };
    Ok(Task { engine: engine.clone(), file, dataset: DATASET.to_owned(), access, options, operation })
}

/// The first read of a cell that sets no cache, where nobody knows yet which one the library gives its file.
pub(super) fn first_read(task: &Task, cell: &Cell, artifacts: &ArtifactCache, who: EngineKind) -> Option<Task> {
    let Work::Read { of, cache: None, .. } = &cell.work else { return None };
    let format = artifacts.file(of, who).ok()?.storage.format;
    let is_unknown = task.engine.has_chunk_cache(format) && artifacts.lacks_default(who, &task.file);
    let mut first = task.clone();
    if let Operation::Read { reads_max, .. } = &mut first.operation {
        *reads_max = Some(1);
    }
    is_unknown.then_some(first)
}

/// The same in the first round, in which values are compared and decodes counted.
pub(super) fn checking(task: &Task, cell: &Cell, who: EngineKind, artifacts: &ArtifactCache) -> Task {
    let mut checking = task.clone();
    match &mut checking.operation {
        Operation::Read { check, .. } => {
            let file = cell.work.needs().and_then(|of| artifacts.file(of, who).ok());
            let filters = file.map(|file| file.storage.filters.as_slice()).unwrap_or_default();
            *check = Some(Check { filters: filters.iter().map(FilterSpec::id).collect() });
        }
        Operation::Visit { check, .. } => *check = true,
        _ => {}
    }
    checking
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

/// As the library of whoever does it can have them.
fn in_memory(records: &Records, who: EngineKind) -> Records {
    let memory = match (who, records.memory) {
        (EngineKind::Libhdf5, Memory::Columns) => Memory::Struct,
        (EngineKind::Hdf4, Memory::Struct) | (EngineKind::Hyperslab | EngineKind::Netcdf, _) => Memory::AsStored,
        (_, memory) => memory,
    };
    Records { memory, ..records.clone() }
}

/// The same storage in the format of whoever writes it.
fn as_written(storage: &Storage, who: EngineKind) -> Storage {
    let format = match (who, storage.format) {
        (EngineKind::Netcdf, Format::Hdf5) => Format::Netcdf4,
        (EngineKind::Hdf4, _) => Format::Hdf4,
        (_, format) => format,
    };
    Storage { format, ..storage.clone() }
}
