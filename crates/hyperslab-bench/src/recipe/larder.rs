//! What lasts from table to table while a recipe is run: files, defaults of libraries, measurements.

use super::measured::Measured;
use super::plan::Who;
use super::run::Kitchen;
use super::task::DATASET;
use crate::process::{Outcome, Task};
use crate::study::Storage;
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::simulate::CacheSettings;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A file that a cell wrote.
pub(super) struct Kept {
    pub(super) path: PathBuf,
    pub(super) storage: Storage,
    /// What its values are, the same for the same values.
    pub(super) values: String,
}

/// What lasts from table to table.
pub(super) struct Larder {
    folder: PathBuf,
    shrink: f64,
    kept: HashMap<(String, Who), Kept>,
    defaults: HashMap<Who, CacheSettings>,
    facts: HashMap<PathBuf, Option<DatasetFacts>>,
    known: HashMap<String, Measured>,
}

impl Larder {
    pub(super) fn new(folder: &Path, shrink: f64) -> Self {
        Self {
            folder: folder.to_owned(),
            shrink,
            kept: HashMap::new(),
            defaults: HashMap::new(),
            facts: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Where a cell writes.
    pub(super) fn place(&self, cell: &str, who: Who) -> PathBuf {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let cell: String = cell.chars().map(plain).collect();
        self.folder.join(format!("{cell}-{}.h5", who.name().to_lowercase()))
    }

    /// Notes that a cell wrote its file.
    pub(super) fn keep(&mut self, cell: &str, who: Who, kept: Kept) {
        // Facts about a file that lay there before are none about this one.
        self.facts.remove(&kept.path);
        self.kept.insert((cell.to_owned(), who), kept);
    }

    /// The file that a cell wrote: the reader's own, or else any.
    pub(super) fn file(&self, cell: &str, who: Who) -> Result<&Kept, String> {
        let own = self.kept.get(&(cell.to_owned(), who));
        let others = [Who::Libhdf5, Who::Netcdf, Who::Hdf4];
        let any = || others.iter().find_map(|who| self.kept.get(&(cell.to_owned(), *who)));
        own.or_else(any).ok_or_else(|| format!("its file ({cell}) was not written"))
    }

    /// Deletes the files of cells that nobody needs any more.
    pub(super) fn forget(&mut self, is_needed: impl Fn(&str) -> bool) {
        self.kept.retain(|(cell, _), kept| {
            let stays = is_needed(cell);
            if !stays {
                // The folder goes as a whole in the end; large files need not wait for that.
                let _ = std::fs::remove_file(&kept.path);
            }
            stays
        });
    }

    /// Notes what a run tells of its library.
    pub(super) fn learn(&mut self, who: Who, outcome: &Outcome) {
        self.defaults.extend(outcome.default_cache.map(|cache| (who, cache)));
    }

    /// A cache of the published size, as much smaller as the data; the library's own where none is set.
    pub(super) fn cache(&self, published: Option<CacheSettings>, who: Who) -> Option<CacheSettings> {
        let smaller = |cache: CacheSettings| {
            let nbytes = (cache.nbytes as f64 * self.shrink).round() as u64;
            CacheSettings { nbytes, ..cache }
        };
        match published {
            Some(cache) => Some(smaller(cache)),
            None if self.shrink < 1.0 => self.defaults.get(&who).copied().map(smaller),
            None => None,
        }
    }

    /// What the simulator needs to know of a file.
    pub(super) fn facts(&mut self, file: &Path, kitchen: &Kitchen<'_>) -> Option<&DatasetFacts> {
        let ask = || (kitchen.facts)(file, DATASET);
        self.facts.entry(file.to_owned()).or_insert_with(ask).as_ref()
    }

    /// The same for the same work, whichever cell it is of. A default that equals a setting is that setting.
    pub(super) fn key(&self, task: &Task, who: Who) -> String {
        let mut task = task.clone();
        if who == Who::Libhdf5 {
            task.opening.cache = task.opening.cache.or_else(|| self.defaults.get(&who).copied());
        }
        serde_json::to_string(&task).unwrap_or_default()
    }

    /// What such work came to before.
    pub(super) fn known(&self, key: &str) -> Option<&Measured> {
        self.known.get(key)
    }

    /// Remembers what it came to.
    pub(super) fn remember(&mut self, key: &str, measured: &Measured) {
        self.known.entry(key.to_owned()).or_insert_with(|| measured.clone());
    }
}
