//! Files to read: the user's own, or made here by a library that can.
//!
//! Files that are written several times take turns, and only the last of each stays, until it is read: a disk holds one
//! at a time.

use super::row::{Skipped, WriteFigures};
use super::subject::{Matrix, Subject};
use super::write_strategy::WriteStrategy;
use crate::engine::OpenOptions;
use crate::library::Family;
use crate::process::{Operation, Task};
use crate::runner::{EngineRun, Progress, Turns};
use crate::study::Storage;
use std::path::{Path, PathBuf};

/// A file with the dataset, ready to be read.
pub(super) struct PreparedFile {
    pub(super) file: PathBuf,
    pub(super) dataset: String,
    pub(super) storage: Option<Storage>,
    pub(super) stored_as: String,
    pub(super) write: Option<WriteFigures>,
}

/// A file to read.
pub(super) enum FilePlan<'a> {
    /// The user's, as it is.
    AsItIs,
    /// One that is made here.
    Made(Box<NewFile<'a>>),
}

/// A file that is made here.
pub(super) struct NewFile<'a> {
    storage: &'a Storage,
    strategy: &'a WriteStrategy,
    stored_as: String,
    path: PathBuf,
    /// Writing it, or why it cannot be written.
    run: Result<EngineRun<()>, String>,
}

/// The name of the dataset in files that are made here.
const DATASET: &str = "/data";

/// Every storage, written by each strategy.
pub(super) fn plans<'a>(matrix: &'a Matrix, folder: &Path) -> Vec<FilePlan<'a>> {
    let mut found = Vec::new();
    for storage in &matrix.storages {
        let Some(storage) = storage else {
            found.push(FilePlan::AsItIs);
            continue;
        };
        for strategy in &matrix.strategies {
            let path = folder.join(format!("{}.h5", found.len()));
            found.push(FilePlan::Made(Box::new(NewFile::new(matrix, storage, strategy, path))));
        }
    }
    found
}

impl<'a> NewFile<'a> {
    fn new(matrix: &Matrix, storage: &'a Storage, strategy: &'a WriteStrategy, path: PathBuf) -> Self {
        let stored_as = match matrix.strategies.len() {
            1 => storage.to_string(),
            _ => format!("{storage}, written {strategy}"),
        };
        let task = task(matrix, storage, strategy, &path);
        let run = task.map(|task| EngineRun::new(format!("writing {stored_as}"), task));
        Self { storage, strategy, stored_as, path, run }
    }

    fn write(&mut self, turns: &Turns<'_>, progress: &mut dyn Progress) {
        match &mut self.run {
            Ok(run) => turns.once(run, progress),
            Err(_) => progress.done(),
        }
    }

    /// The file as it is read, or why it was not written.
    fn prepared(&self, matrix: &Matrix) -> Result<PreparedFile, String> {
        let run = self.run.as_ref().map_err(String::clone)?;
        let write =
            WriteFigures::of(run, self.storage, self.strategy, matrix).ok_or_else(|| run.failure())?;
        Ok(PreparedFile {
            file: self.path.clone(),
            dataset: DATASET.to_owned(),
            storage: Some(self.storage.clone()),
            stored_as: self.stored_as.clone(),
            write: Some(write),
        })
    }
}

fn task(matrix: &Matrix, storage: &Storage, strategy: &WriteStrategy, path: &Path) -> Result<Task, String> {
    let writer = matrix.writer(storage.format).ok_or_else(|| {
        let family = Family::of(storage.format);
        format!("no {} to write with was found; {}", family.name(), family.how_to_get())
    })?;
    storage.check()?;
    Ok(Task {
        engine: writer.clone(),
        file: path.to_owned(),
        dataset: DATASET.to_owned(),
        access: strategy.access(storage),
        options: OpenOptions {
            cache: strategy.cache,
            records: matrix.records.clone(),
            ..OpenOptions::default()
        },
        operation: Operation::Write { storage: Box::new(storage.clone()), values: matrix.subject.values() },
    })
}

impl<'a> FilePlan<'a> {
    /// The file, written for the last time where it is made here; or why there is none.
    pub(super) fn prepare(
        &mut self,
        matrix: &Matrix,
        turns: &Turns<'_>,
        progress: &mut dyn Progress,
    ) -> Result<PreparedFile, Skipped> {
        match (self, &matrix.subject) {
            (Self::Made(made), _) => {
                made.write(turns, progress);
                let what = || format!("writing {}", made.stored_as);
                made.prepared(matrix).map_err(|why| Skipped { what: what(), why })
            }
            (Self::AsItIs, Subject::Dataset { file, path, .. }) => Ok(PreparedFile {
                file: file.clone(),
                dataset: path.clone(),
                storage: None,
                stored_as: "as it is".to_owned(),
                write: None,
            }),
            (Self::AsItIs, Subject::Synthetic(_)) => {
                Err(Skipped { what: "the file as it is".to_owned(), why: "there is none".to_owned() })
            }
        }
    }

    /// How the file is stored and written, where it is made here.
    pub(super) fn made(&self) -> Option<(&'a Storage, &'a WriteStrategy)> {
        match self {
            Self::AsItIs => None,
            Self::Made(made) => Some((made.storage, made.strategy)),
        }
    }

    /// A round of writing before the last, of which no file stays; none once writing has taken long enough.
    pub(super) fn rehearse(&mut self, turns: &Turns<'_>, progress: &mut dyn Progress) {
        let Self::Made(made) = self else { return };
        if turns.is_late() || made.run.as_ref().is_ok_and(|run| run.runs.spent() > turns.seconds_max) {
            return progress.done();
        }
        made.write(turns, progress);
        self.remove();
    }

    /// How often it is written in all.
    pub(super) fn writes(&self, matrix: &Matrix) -> usize {
        if matches!(self, Self::Made(_)) { matrix.write_repeats.max(1) } else { 0 }
    }

    /// Moves what was made to a place of the user's.
    pub(super) fn keep(&self, place: &Path) -> std::io::Result<()> {
        let Self::Made(made) = self else { return Ok(()) };
        // Another file system takes a copy.
        std::fs::rename(&made.path, place).or_else(|_| std::fs::copy(&made.path, place).map(drop))
    }

    /// Deletes what was made.
    pub(super) fn remove(&self) {
        if let Self::Made(made) = self {
            // The folder goes as a whole in the end; large files need not wait for that.
            let _ = std::fs::remove_file(&made.path);
        }
    }
}
