//! What a process is asked to do for a cell.

use super::artifacts::ArtifactCache;
use super::cell::{Cell, Work};
use super::scaling::Bytes;
use hyperslab_engines::{CreationProperties, Engine, EngineKind, Format, Memory, OpenOptions, Records};
use hyperslab_measure::access::{Access, Part};
use hyperslab_measure::data::Values;
use hyperslab_measure::process::{Operation, Task};
use hyperslab_measure::tree::Tree;

/// The name of the dataset in files that recipes make.
pub(super) const DATASET: &str = "/data";

/// The task of a cell by an engine, as it is measured.
pub(super) fn of(
    cell: &Cell,
    by: EngineKind,
    engine: &Engine,
    artifacts: &mut ArtifactCache,
) -> Result<Task, String> {
    let (mut access, mut options) = (Access::none(), OpenOptions::default());
    let mut file = artifacts.path(&cell.name, by);
    let operation = match &cell.work {
        Work::Write { file, .. } => {
            options.records.memory = in_memory(file.memory, by);
            let storage = as_written(file.storage(), by);
            storage.check()?;
            access = file.access();
            let values = match file.values_from() {
                None => Values::Synthetic(artifacts.made_up(file)),
                Some(cell) => {
                    let file = artifacts.path(cell, EngineKind::Libhdf5);
                    Values::Dataset { file, path: DATASET.to_owned() }
                }
            };
            Operation::Write { storage: Box::new(storage), values }
        }
        Work::Read(read) => {
            options.records = Records { fields: read.fields.clone(), memory: in_memory(read.memory, by) };
            let kept = artifacts.file(&read.from, by)?;
            file.clone_from(&kept.path);
            access = read.access();
            if engine.has_chunk_cache(kept.storage.format) {
                options.cache = artifacts.cache(read.cache(), by, &file);
            }
            let shape = kept.storage.shape.clone();
            Operation::Read {
                shape,
                part: read.reads.map_or(Part::All, Part::First),
                cold: read.cold,
                check: None,
            }
        }
        Work::Make(make) => {
            let tree = make.tree();
            Operation::Make { tree: Box::new(Tree { storage: as_written(tree.storage.clone(), by), ..tree }) }
        }
        Work::Visit(visit) => {
            file.clone_from(&artifacts.file(&visit.from, by)?.path);
            options.buffers.page_buffer =
                visit.page_buffer.filter(|_| engine.has_file_buffers()).map(|Bytes(bytes)| bytes);
            Operation::Visit { wanted: visit.wanted, cold: false, check: false }
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
    let Work::Read(read) = &cell.work else { return None };
    let format = artifacts.file(&read.from, by).ok()?.storage.format;
    let has_cache = read.cache().is_none() && task.engine.has_chunk_cache(format);
    let mut first = task.clone();
    if let Operation::Read { part, .. } = &mut first.operation {
        *part = Part::First(1);
    }
    (has_cache && artifacts.lacks_default(by, &task.file)).then_some(first)
}

/// Names the values that are read from a file: the same for all who read the same blocks of the same values.
pub(super) fn values_read(work: &Work, values: &str) -> Option<String> {
    match work {
        Work::Read(read) => Some(format!("{values} {} {:?} {:?}", read.access(), read.reads, read.fields)),
        Work::Visit(visit) => Some(format!("{values} {:?}", visit.wanted)),
        Work::Write { .. } | Work::Make(_) => None,
    }
}

/// As the engine can have records.
fn in_memory(memory: Memory, by: EngineKind) -> Memory {
    match (by, memory) {
        (EngineKind::Libhdf5, Memory::Columns) => Memory::Struct,
        (EngineKind::Hdf4, Memory::Struct) | (EngineKind::Hyperslab | EngineKind::Netcdf, _) => {
            Memory::AsStored
        }
        (_, memory) => memory,
    }
}

/// The same storage in the format that the engine writes.
fn as_written(storage: CreationProperties, by: EngineKind) -> CreationProperties {
    let format = match (by, storage.format) {
        (EngineKind::Netcdf, Format::Hdf5) => Format::Netcdf4,
        (EngineKind::Hdf4, _) => Format::Hdf4,
        (_, format) => format,
    };
    CreationProperties { format, ..storage }
}
