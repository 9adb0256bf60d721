//! What lasts from table to table while a recipe is run: files, what is known of them, and defaults of libraries.

use super::cell::{Cell, FileWork, Work};
use hyperslab_doctor::DatasetFacts;
use hyperslab_engines::{CreationProperties, EngineKind};
use hyperslab_measure::data::Synthetic;
use hyperslab_measure::process::{Operation, Outcome, Task};
use hyperslab_storage::CacheSettings;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A file that a cell wrote.
pub(super) struct Artifact {
    pub(super) path: PathBuf,
    pub(super) storage: CreationProperties,
    /// What its values are, the same for the same values.
    pub(super) values: String,
}

/// What lasts from table to table.
pub(super) struct ArtifactCache {
    folder: PathBuf,
    shrink: f64,
    files: HashMap<(String, EngineKind), Artifact>,
    /// The cache that a library gives a file where none is set: netCDF-C's depends on the chunks of the file.
    defaults: HashMap<(EngineKind, PathBuf), CacheSettings>,
    facts: HashMap<PathBuf, Option<DatasetFacts>>,
    /// Values that were made up for a ratio, by their names: finding them takes a while.
    made_up: HashMap<String, Synthetic>,
}

impl ArtifactCache {
    pub(super) fn new(folder: &Path, shrink: f64) -> Self {
        let (files, defaults, facts, made_up) = Default::default();
        Self { folder: folder.to_owned(), shrink, files, defaults, facts, made_up }
    }

    /// Where a cell writes.
    pub(super) fn path(&self, cell: &str, by: EngineKind) -> PathBuf {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let cell: String = cell.chars().map(plain).collect();
        self.folder.join(format!("{cell}-{}.h5", by.name().to_lowercase()))
    }

    /// Notes the file that a cell wrote.
    pub(super) fn keep(&mut self, cell: &Cell, by: EngineKind, task: &Task) {
        let (storage, values) = match (&task.operation, &cell.work) {
            (Operation::Write { storage, .. }, Work::Write { file, .. }) => {
                (&**storage, self.values_name(file, by))
            }
            // Where chunks lie differs from file to file, so that none is like another.
            (Operation::Make { tree }, _) => (&tree.storage, cell.name.clone()),
            _ => return,
        };
        // Facts about a file that lay there before are not about this one.
        self.facts.remove(&task.file);
        let artifact = Artifact { path: task.file.clone(), storage: storage.clone(), values };
        self.files.insert((cell.name.clone(), by), artifact);
    }

    /// A name for the values of a file, the same for the same values.
    fn values_name(&self, file: &FileWork, by: EngineKind) -> String {
        match file.values_from() {
            Some(cell) => self.file(cell, by).map(|file| file.values.clone()).unwrap_or_default(),
            None => format!("{:?} {} {}", file.storage().shape, file.element, file.ratio),
        }
    }

    /// The made-up values of a file.
    pub(super) fn made_up(&mut self, file: &FileWork) -> Synthetic {
        const SEED: u64 = 1;
        let make = || Synthetic::with_ratio(&file.storage().shape, file.element, file.ratio, SEED);
        let name = self.values_name(file, EngineKind::Libhdf5);
        self.made_up.entry(name).or_insert_with(make).clone()
    }

    /// The file that a cell wrote: the reader's own, or else any.
    pub(super) fn file(&self, cell: &str, by: EngineKind) -> Result<&Artifact, String> {
        let of = |by: EngineKind| self.files.get(&(cell.to_owned(), by));
        let any = || EngineKind::ALL.into_iter().find_map(of);
        of(by).or_else(any).ok_or_else(|| format!("its file ({cell}) was not written"))
    }

    /// Deletes the files of cells that are not needed any more.
    pub(super) fn forget(&mut self, is_needed: impl Fn(&str) -> bool) {
        self.files.retain(|(cell, _), file| {
            let stays = is_needed(cell);
            if !stays {
                // The folder goes as a whole in the end; large files need not wait for that.
                let _ = std::fs::remove_file(&file.path);
            }
            stays
        });
    }

    /// True where the cache that a library gives this file is not known yet.
    pub(super) fn lacks_default(&self, by: EngineKind, file: &Path) -> bool {
        !self.defaults.contains_key(&(by, file.to_owned()))
    }

    /// Notes which cache a library gave a file: only a read without any setting tells it.
    pub(super) fn learn(&mut self, by: EngineKind, task: &Task, outcome: &Outcome) {
        let is_default = matches!(task.operation, Operation::Read { .. }) && task.options.cache.is_none();
        if let (true, Some(cache)) = (is_default, outcome.default_cache) {
            self.defaults.entry((by, task.file.clone())).or_insert(cache);
        }
    }

    /// A cache of the published size, as much smaller as the data; the library's own for the file where none is set.
    pub(super) fn cache(
        &self,
        published: Option<CacheSettings>,
        by: EngineKind,
        file: &Path,
    ) -> Option<CacheSettings> {
        let smaller = |cache: CacheSettings| {
            let nbytes = (cache.nbytes as f64 * self.shrink).round() as u64;
            CacheSettings { nbytes, ..cache }
        };
        match published {
            Some(cache) => Some(smaller(cache)),
            None if self.shrink < 1.0 => self.defaults.get(&(by, file.to_owned())).copied().map(smaller),
            None => None,
        }
    }

    /// What the simulator needs to know of a file, which is asked for once.
    pub(super) fn facts(
        &mut self,
        file: &Path,
        ask: impl FnOnce() -> Option<DatasetFacts>,
    ) -> Option<&DatasetFacts> {
        self.facts.entry(file.to_owned()).or_insert_with(ask).as_ref()
    }

    /// The same for the same work, whichever cell it is of. A default that equals a setting is that setting.
    pub(super) fn key(&self, task: &Task, by: EngineKind) -> String {
        let mut task = task.clone();
        if by == EngineKind::Libhdf5 {
            let default = || self.defaults.get(&(by, task.file.clone())).copied();
            task.options.cache = task.options.cache.or_else(default);
        }
        serde_json::to_string(&task).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::task::DATASET;
    use super::*;
    use hyperslab_engines::{Engine, OpenOptions};
    use hyperslab_measure::access::{Access, Part};

    const DEFAULT: CacheSettings = CacheSettings { nbytes: 4000, nslots: 521, w0: 0.75 };

    fn read(file: &str, cache: Option<CacheSettings>) -> Task {
        Task {
            engine: Engine::Null,
            file: file.into(),
            dataset: DATASET.to_owned(),
            access: Access::whole(&[4]),
            options: OpenOptions { cache, ..OpenOptions::default() },
            operation: Operation::Read { shape: vec![4], part: Part::All, cold: false, check: None },
        }
    }

    fn gave(cache: CacheSettings) -> Outcome {
        Outcome { default_cache: Some(cache), ..Outcome::default() }
    }

    #[test]
    fn the_default_cache_of_a_file_is_what_a_read_without_a_setting_got_first() {
        let mut artifacts = ArtifactCache::new(Path::new("/nowhere"), 0.25);
        let known = |artifacts: &ArtifactCache, file: &str| {
            artifacts.cache(None, EngineKind::Netcdf, Path::new(file))
        };
        let set = CacheSettings { nbytes: 1, ..DEFAULT };
        // netCDF-C tells what was set as if it was its own.
        artifacts.learn(EngineKind::Netcdf, &read("a", Some(set)), &gave(set));
        let write = Task { operation: Operation::Inspect, ..read("a", None) };
        artifacts.learn(EngineKind::Netcdf, &write, &gave(set));
        assert!(artifacts.lacks_default(EngineKind::Netcdf, Path::new("a")));
        assert_eq!(known(&artifacts, "a"), None);
        artifacts.learn(EngineKind::Netcdf, &read("a", None), &gave(DEFAULT));
        artifacts.learn(EngineKind::Netcdf, &read("a", None), &gave(set));
        assert_eq!(known(&artifacts, "a"), Some(CacheSettings { nbytes: 1000, ..DEFAULT }));
        assert_eq!(known(&artifacts, "b"), None, "another file may get another");
        assert_eq!(
            artifacts.cache(None, EngineKind::Libhdf5, Path::new("a")),
            None,
            "and so may another library"
        );
        let published = artifacts.cache(Some(DEFAULT), EngineKind::Libhdf5, Path::new("b"));
        assert_eq!(published, Some(CacheSettings { nbytes: 1000, ..DEFAULT }));
    }

    #[test]
    fn a_default_that_equals_a_setting_is_that_setting() {
        let mut artifacts = ArtifactCache::new(Path::new("/nowhere"), 1.0);
        artifacts.learn(EngineKind::Libhdf5, &read("a", None), &gave(DEFAULT));
        let key = |cache, file| artifacts.key(&read(file, cache), EngineKind::Libhdf5);
        assert_eq!(key(None, "a"), key(Some(DEFAULT), "a"));
        assert_ne!(key(None, "b"), key(Some(DEFAULT), "b"));
        assert_eq!(
            artifacts.cache(None, EngineKind::Libhdf5, Path::new("a")),
            None,
            "at the published size none is set"
        );
    }
}
