//! Files to read: the user's own, or made here by a library that can.
//!
//! Files that are written several times take turns, and only the last of each stays, until it is read: a disk holds one
//! at a time.

use super::question::Made;
use super::skipped::Skipped;
use super::subject::{Matrix, Subject};
use super::write_figures::WriteFigures;
use hyperslab_engines::{EngineKind, OpenOptions};
use hyperslab_measure::process::{Operation, Task};
use hyperslab_measure::runner::{EngineRun, Progress, Turns};
use std::path::{Path, PathBuf};

/// A file to read.
pub(super) struct MatrixFile<'a> {
    /// How it is made; none for the user's, as it is.
    pub(super) made: Option<Made<'a>>,
    pub(super) path: PathBuf,
    pub(super) dataset: String,
    /// How it is stored, in words.
    pub(super) stored_as: String,
    /// Writing it, where it is made here; or why there is no such file.
    writing: Result<Option<EngineRun<()>>, String>,
}

/// The name of the dataset in files that are made here.
const DATASET: &str = "/data";

impl<'a> MatrixFile<'a> {
    /// The files of a matrix; those that are made here lie in a folder.
    pub(super) fn all(matrix: &'a Matrix, folder: &Path) -> Vec<Self> {
        let file = |(number, made)| Self::new(matrix, made, folder.join(format!("{number}.h5")));
        matrix.files().enumerate().map(file).collect()
    }

    fn new(matrix: &'a Matrix, made: Option<Made<'a>>, new: PathBuf) -> Self {
        let stored_as = matrix.stored_as(made);
        let label = || format!("writing {stored_as}");
        let (path, dataset, writing) = match (made, &matrix.subject) {
            (Some(made), _) => {
                let writing = task(matrix, made, &new).map(|task| Some(EngineRun::new(label(), task)));
                (new, DATASET, writing)
            }
            (None, Subject::Dataset { file, path, .. }) => (file.clone(), path.as_str(), Ok(None)),
            (None, Subject::Synthetic(_)) => (new, DATASET, Err("made-up values are in no file".to_owned())),
        };
        Self { made, path, dataset: dataset.to_owned(), stored_as, writing }
    }

    fn write(&mut self, turns: &Turns<'_>, progress: &mut dyn Progress) {
        match &mut self.writing {
            Ok(Some(run)) => turns.once(run, progress),
            Ok(None) => {}
            Err(_) => progress.done(),
        }
    }

    /// Writes the file for the last time, where it is made here. What that came to; or why there is no file.
    pub(super) fn prepare(
        &mut self,
        turns: &Turns<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Option<WriteFigures>, Skipped> {
        self.write(turns, progress);
        let written = match (&self.writing, self.made) {
            (Ok(Some(run)), Some(made)) => WriteFigures::of(run, made).map(Some).ok_or_else(|| run.failure()),
            (Ok(_), _) => Ok(None),
            (Err(why), _) => Err(why.clone()),
        };
        written.map_err(|why| Skipped { what: format!("writing {}", self.stored_as), why })
    }

    /// A round of writing before the last, of which no file stays; none once writing has taken long enough.
    pub(super) fn rehearse(&mut self, turns: &Turns<'_>, progress: &mut dyn Progress) {
        let Ok(Some(run)) = &self.writing else { return self.write(turns, progress) };
        if turns.is_late() || run.runs.spent() > turns.seconds_max {
            return progress.done();
        }
        self.write(turns, progress);
        self.remove();
    }

    /// How often it is written in all.
    pub(super) fn writes(&self, matrix: &Matrix) -> usize {
        if self.made.is_some() { matrix.write_repeats.max(1) } else { 0 }
    }

    /// Moves what was made to a place of the user's.
    pub(super) fn keep(&self, place: &Path) -> std::io::Result<()> {
        if self.made.is_none() {
            return Ok(());
        }
        // Another file system takes a copy.
        std::fs::rename(&self.path, place).or_else(|_| std::fs::copy(&self.path, place).map(drop))
    }

    /// Deletes what was made.
    pub(super) fn remove(&self) {
        if self.made.is_some() {
            // The folder goes as a whole in the end; large files need not wait for that.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn task(matrix: &Matrix, (storage, strategy): Made<'_>, path: &Path) -> Result<Task, String> {
    let writer = matrix.writer(storage.format).ok_or_else(|| {
        let kind = EngineKind::of(storage.format);
        format!("no {} to write with was found; {}", kind.name(), kind.how_to_get())
    })?;
    storage.check()?;
    let operation = Operation::Write { storage: Box::new(storage.clone()), values: matrix.subject.values() };
    let records = matrix.records.clone();
    Ok(Task {
        access: strategy.access(storage),
        options: OpenOptions { cache: strategy.cache, records, ..OpenOptions::default() },
        ..Task::new(writer, path, DATASET, operation)
    })
}
