//! Files to read: the user's own, or made here by each library that can.

use super::row::{Skipped, WriteFigures};
use super::run::{Matrix, Progress, Subject};
use super::statistics::Summary;
use crate::data::Values;
use crate::engine::{Engine, Opening};
use crate::process::{Launcher, Operation, RunError, Task};
use crate::study::Storage;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A file with the dataset.
pub(super) struct Prepared {
    pub(super) file: PathBuf,
    pub(super) dataset: String,
    pub(super) storage: Option<Storage>,
    pub(super) stored_as: String,
    pub(super) write: Option<WriteFigures>,
}

/// The name of the dataset in files that are made here.
const NAME: &str = "/data";

/// The file for one storage, or why there is none.
pub(super) fn prepare(
    matrix: &Matrix,
    storage: Option<&Storage>,
    number: usize,
    folder: &Path,
    launcher: &Launcher,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Prepared, Skipped> {
    let Some(storage) = storage else {
        let Subject::Dataset { file, path, .. } = &matrix.subject else {
            return Err(Skipped { what: "the file as it is".to_owned(), why: "there is none".to_owned() });
        };
        let (file, dataset) = (file.clone(), path.clone());
        return Ok(Prepared { file, dataset, storage: None, stored_as: "as it is".to_owned(), write: None });
    };
    let skipped = |why: String| Skipped { what: format!("writing {storage}"), why };
    let writer = matrix.engines.iter().find(|engine| matches!(engine, Engine::Libhdf5(_)));
    let writer = writer.ok_or_else(|| {
        skipped(
            "no libhdf5 to write with was found; pip install h5py brings one, or name one with --libhdf5"
                .to_owned(),
        )
    })?;
    storage.check().map_err(skipped)?;
    let file = folder.join(format!("{number}.h5"));
    let access = matrix.write_access(storage);
    let values = match &matrix.subject {
        Subject::Dataset { file, path, .. } => Values::Dataset { file: file.clone(), path: path.clone() },
        Subject::Synthetic(synthetic) => Values::Synthetic(synthetic.clone()),
    };
    let task = Task {
        engine: writer.clone(),
        file: file.clone(),
        dataset: NAME.to_owned(),
        access: access.clone(),
        opening: Opening { cache: matrix.write_cache, page_buffer: None },
        operation: Operation::Write { storage: Box::new(storage.clone()), values },
    };
    let mut outcomes = Vec::new();
    for _ in 0..matrix.write_repeats.max(1) {
        progress.doing(&format!("writing {storage}"));
        match launcher.run(&task, stop) {
            Ok(outcome) => outcomes.push(outcome),
            Err(RunError::Interrupted) => return Err(skipped("interrupted".to_owned())),
            Err(error) => return Err(skipped(error.to_string())),
        }
    }
    let summary =
        |of: fn(&crate::process::Outcome) -> f64| Summary::of(&outcomes.iter().map(of).collect::<Vec<_>>());
    let file_bytes = outcomes.last().map_or(0, |outcome| outcome.file_bytes);
    let write = WriteFigures {
        engine: writer.name(),
        written_as: access.to_string(),
        write: summary(|outcome| outcome.data_seconds),
        open_write_close: summary(|outcome| outcome.total_seconds()),
        cpu: summary(|outcome| outcome.usage.cpu_seconds),
        file_bytes,
        overhead_bytes: file_bytes as i64 - storage.logical_bytes() as i64,
    };
    let stored_as = storage.to_string();
    Ok(Prepared {
        file,
        dataset: NAME.to_owned(),
        storage: Some(storage.clone()),
        stored_as,
        write: Some(write),
    })
}
