//! Files to read: the user's own, or made here by a library that can.
//!
//! Files that are written several times take turns, and only the last of each stays, until it is read: a disk holds one
//! at a time.

use super::row::{Skipped, WriteFigures};
use super::run::{Matrix, Progress, Subject};
use super::statistics::Summary;
use super::write_strategy::WriteStrategy;
use crate::engine::OpenOptions;
use crate::library::Family;
use crate::process::{Launcher, Operation, Outcome, Task};
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

/// A file that is to be made, and how that went so far.
pub(super) struct Made<'a> {
    storage: &'a Storage,
    way: &'a WriteStrategy,
    stored_as: String,
    file: PathBuf,
    outcomes: Vec<Outcome>,
    failure: Option<String>,
}

/// What there is to read: the user's file, or one that is made.
pub(super) enum Plan<'a> {
    AsItIs,
    Made(Made<'a>),
}

/// The name of the dataset in files that are made here.
const NAME: &str = "/data";

/// Where the runs are made, and who hears of them.
pub(super) struct Site<'a> {
    pub(super) folder: &'a Path,
    pub(super) launcher: &'a Launcher,
    pub(super) stop: &'a AtomicBool,
}

/// Every storage, each in every way of writing.
pub(super) fn plans<'a>(matrix: &'a Matrix, site: &Site<'_>) -> Vec<Plan<'a>> {
    let mut found = Vec::new();
    for storage in &matrix.storages {
        let Some(storage) = storage else {
            found.push(Plan::AsItIs);
            continue;
        };
        for way in &matrix.ways {
            let stored_as =
                if matrix.ways.len() > 1 { format!("{storage}, written {way}") } else { storage.to_string() };
            let file = site.folder.join(format!("{}.h5", found.len()));
            found.push(Plan::Made(Made {
                storage,
                way,
                stored_as,
                file,
                outcomes: Vec::new(),
                failure: None,
            }));
        }
    }
    found
}

impl Made<'_> {
    /// Writes it once more, unless that failed before.
    fn write(&mut self, matrix: &Matrix, site: &Site<'_>, progress: &mut dyn Progress) {
        if self.failure.is_none() {
            progress.doing(&format!("writing {}", self.stored_as));
            match self.task(matrix).map(|task| site.launcher.run(&task, site.stop)) {
                Ok(Ok(outcome)) => self.outcomes.push(outcome),
                Ok(Err(error)) => self.failure = Some(error.to_string()),
                Err(why) => self.failure = Some(why),
            }
        }
        progress.done();
    }

    /// A round before the last, unless writing has taken long enough; nothing of it stays.
    fn rehearse(&mut self, matrix: &Matrix, site: &Site<'_>, progress: &mut dyn Progress) {
        let spent: f64 = self.outcomes.iter().map(Outcome::total_seconds).sum();
        if spent > matrix.seconds_max {
            progress.done();
            return;
        }
        self.write(matrix, site, progress);
        self.remove();
    }

    /// Takes the file away again.
    fn remove(&self) {
        // The folder goes as a whole in the end; large files need not wait for that.
        let _ = std::fs::remove_file(&self.file);
    }

    fn task(&self, matrix: &Matrix) -> Result<Task, String> {
        let format = self.storage.format;
        let writer = matrix.writer(format).ok_or_else(|| {
            let family = Family::of(format);
            format!("no {} to write with was found; {}", family.name(), family.how_to_get())
        })?;
        self.storage.check()?;
        let values = matrix.subject.values();
        Ok(Task {
            engine: writer.clone(),
            file: self.file.clone(),
            dataset: NAME.to_owned(),
            access: self.way.access(self.storage),
            options: OpenOptions { cache: self.way.cache, page_buffer: None, records: matrix.records.clone() },
            operation: Operation::Write { storage: Box::new(self.storage.clone()), values },
        })
    }

    fn figures(&self, matrix: &Matrix) -> Option<WriteFigures> {
        let last = self.outcomes.last()?;
        let summary =
            |of: fn(&Outcome) -> f64| Summary::of(&self.outcomes.iter().map(of).collect::<Vec<_>>());
        let writer = matrix.writer(self.storage.format)?;
        let has_cache = writer.has_chunk_cache(self.storage.format);
        Some(WriteFigures {
            engine: writer.name(),
            version: last.version.clone(),
            written_as: self.way.access(self.storage).to_string(),
            access: self.way.access(self.storage),
            cache: self.way.cache.or(last.default_cache).filter(|_| has_cache),
            is_default_cache: self.way.cache.is_none(),
            write: summary(|outcome| outcome.data_seconds),
            open_write_close: summary(Outcome::total_seconds),
            cpu: summary(|outcome| outcome.usage.cpu_seconds),
            writes: last.blocks,
            bytes: last.bytes,
            write_calls: last.usage.write_calls,
            write_bytes: last.usage.write_bytes,
            memory_bytes: last.peak_memory_bytes.saturating_sub(last.base_memory_bytes),
            encodes: last.encodes,
            decodes: last.decodes,
            file_bytes: last.file_bytes,
            overhead_bytes: last.file_bytes as i64 - self.storage.logical_bytes() as i64,
        })
    }
}

impl Plan<'_> {
    /// The file, written for the last time where it is made here; or why there is none.
    pub(super) fn prepare(
        &mut self,
        matrix: &Matrix,
        site: &Site<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Prepared, Skipped> {
        match self {
            Self::AsItIs => {
                let Subject::Dataset { file, path, .. } = &matrix.subject else {
                    return Err(Skipped {
                        what: "the file as it is".to_owned(),
                        why: "there is none".to_owned(),
                    });
                };
                let (file, dataset) = (file.clone(), path.clone());
                Ok(Prepared { file, dataset, storage: None, stored_as: "as it is".to_owned(), write: None })
            }
            Self::Made(made) => {
                made.write(matrix, site, progress);
                match &made.failure {
                    Some(why) => {
                        Err(Skipped { what: format!("writing {}", made.stored_as), why: why.clone() })
                    }
                    None => Ok(Prepared {
                        file: made.file.clone(),
                        dataset: NAME.to_owned(),
                        storage: Some(made.storage.clone()),
                        stored_as: made.stored_as.clone(),
                        write: made.figures(matrix),
                    }),
                }
            }
        }
    }

    /// How the file is stored, where it is made here.
    pub(super) fn storage(&self) -> Option<&Storage> {
        match self {
            Self::AsItIs => None,
            Self::Made(made) => Some(made.storage),
        }
    }

    /// A round of writing before the last.
    pub(super) fn rehearse(&mut self, matrix: &Matrix, site: &Site<'_>, progress: &mut dyn Progress) {
        if let Self::Made(made) = self {
            made.rehearse(matrix, site, progress);
        }
    }

    /// How the file is written, where it is made here.
    pub(super) fn way(&self) -> Option<&WriteStrategy> {
        match self {
            Self::AsItIs => None,
            Self::Made(made) => Some(made.way),
        }
    }

    /// How often it is written in all.
    pub(super) fn writes(&self, matrix: &Matrix) -> usize {
        if matches!(self, Self::Made(_)) { matrix.write_repeats.max(1) } else { 0 }
    }

    /// Takes away what was made.
    pub(super) fn remove(&self) {
        if let Self::Made(made) = self {
            made.remove();
        }
    }
}
