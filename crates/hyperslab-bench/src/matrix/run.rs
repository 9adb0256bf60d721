//! Measures every cell.
//!
//! All contenders of one storage and access take turns, round by round, so that a disturbance or a machine that warms up
//! meets all alike. A first round checks: values are compared between all, decodes counted. It is not measured, unless
//! it took so long that one run has to be enough.

use super::engine_run::{EngineRun, differing};
use super::result_cache::{CachedResult, ResultCache, key_of};
use super::prepare::{Plan, Prepared, Site, plans};
use super::row::{Row, Rows, Skipped};
use super::write_strategy::WriteStrategy;
use crate::data::{Synthetic, Values};
use crate::engine::{Engine, OpenOptions};
use crate::process::{Check, Launcher, Operation, RunError, Task};
use crate::study::{Access, Format, Memory, Records, Storage};
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::simulate::CacheSettings;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is stored and read.
#[derive(Debug, Clone)]
pub enum Subject {
    /// A dataset of the user's; its file is only read.
    Dataset {
        /// The file.
        file: PathBuf,
        /// The dataset in it.
        path: String,
        /// Its extent.
        shape: Vec<u64>,
    },
    /// Values that are made up.
    Synthetic(Synthetic),
}

impl Subject {
    /// What is written of it.
    pub fn values(&self) -> Values {
        match self {
            Self::Dataset { file, path, .. } => Values::Dataset { file: file.clone(), path: path.clone() },
            Self::Synthetic(synthetic) => Values::Synthetic(synthetic.clone()),
        }
    }

    /// The extent.
    pub fn shape(&self) -> &[u64] {
        match self {
            Self::Dataset { shape, .. } => shape,
            Self::Synthetic(synthetic) => &synthetic.shape,
        }
    }
}

/// What is varied, each a list; the cells are their product.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// What is stored.
    pub subject: Subject,
    /// How; none stands for the user's file as it is.
    pub storages: Vec<Option<Storage>>,
    /// How it is read.
    pub accesses: Vec<Access>,
    /// Chunk caches of libraries that have one; none stands for the library's default.
    pub caches: Vec<Option<CacheSettings>>,
    /// Page buffers of libraries that have one; none stands for no buffer.
    pub page_buffers: Vec<Option<u64>>,
    /// What is read of records, and how they lie in memory.
    pub records: Records,
    /// EngineKind reads.
    pub engines: Vec<Engine>,
    /// EngineKind writes a format that none of those who read does.
    pub writers: Vec<Engine>,
    /// How files are written; at least one way.
    pub ways: Vec<WriteStrategy>,
    /// How often each file is written, at most: not again once that took `seconds_max`, but for the one that is read.
    pub write_repeats: usize,
    /// How often each cell is measured, at most.
    pub repeats: usize,
    /// A cell is not repeated once its runs have taken so many seconds.
    pub seconds_max: f64,
    /// Only so many reads of each access.
    pub reads_max: Option<u64>,
    /// Whether the file is taken out of the page cache before each run.
    pub cold: bool,
}

/// EngineKind wants to know how far it is.
pub trait Progress {
    /// So many runs are expected in all.
    fn expect(&mut self, runs: usize);
    /// This is being done.
    fn doing(&mut self, what: &str);
    /// One run is done.
    fn done(&mut self);
    /// What was measured before need not be measured again.
    fn result_cache(&mut self) -> Option<&mut dyn ResultCache> {
        None
    }
}

/// One access to one file, and who takes part.
struct Cell<'a> {
    access: &'a Access,
    contenders: Vec<EngineRun<'a>>,
    /// By which a contender's row is remembered.
    keys: Vec<String>,
}

impl Cell<'_> {
    /// True where not all of it is remembered.
    fn is_lacking(&self) -> bool {
        self.contenders.iter().any(|contender| contender.kept.is_none())
    }

    /// How many runs it needs.
    fn runs(&self, matrix: &Matrix) -> usize {
        let lacking = self.contenders.iter().filter(|contender| contender.kept.is_none());
        lacking.count() * (matrix.repeats + 1)
    }

    /// What is remembered of it.
    fn kept_rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.contenders.iter().filter_map(|contender| Some(contender.kept.as_ref()?.row.clone()))
    }
}

impl Matrix {
    /// Runs all cells that are not remembered; what is complete when `stop` is set is kept. `facts` tells what the
    /// simulator needs to know of a dataset, where it can be known.
    pub fn run(
        &self,
        folder: &Path,
        launcher: &Launcher,
        facts: &dyn Fn(&Path, &str) -> Option<DatasetFacts>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Rows {
        let mut rows = Rows::default();
        if self.records.memory != Memory::AsStored && self.engines.contains(&Engine::Hyperslab) {
            rows.notes
                .push("hyperslab reads records as they are stored, however others lay them out".to_owned());
        }
        let site = Site { folder, launcher, stop };
        let mut files: Vec<(Plan<'_>, Vec<Cell<'_>>)> = plans(self, &site)
            .into_iter()
            .map(|plan| {
                let cells = self.accesses.iter().map(|access| self.cell(&plan, access, &site, progress));
                let cells = cells.collect();
                (plan, cells)
            })
            .collect();
        let lacking = || files.iter().filter(|(_, cells)| cells.iter().any(Cell::is_lacking));
        let writes: usize = lacking().map(|(plan, _)| plan.writes(self)).sum();
        let runs: usize = lacking().flat_map(|(_, cells)| cells).map(|cell| cell.runs(self)).sum();
        progress.expect(writes + runs);
        for _ in 1..self.write_repeats {
            for (plan, _) in files.iter_mut().filter(|(_, cells)| cells.iter().any(Cell::is_lacking)) {
                plan.rehearse(self, &site, progress);
            }
        }
        for (plan, cells) in &mut files {
            self.note_readers(plan.storage(), &mut rows);
            self.read_all(plan, cells, &site, facts, progress, &mut rows);
            plan.remove();
        }
        rows
    }

    /// Everything that is read of one file.
    fn read_all(
        &self,
        plan: &mut Plan<'_>,
        cells: &mut [Cell<'_>],
        site: &Site<'_>,
        facts: &dyn Fn(&Path, &str) -> Option<DatasetFacts>,
        progress: &mut dyn Progress,
        rows: &mut Rows,
    ) {
        let is_lacking = cells.iter().any(Cell::is_lacking);
        let prepared = match is_lacking.then(|| plan.prepare(self, site, progress)) {
            Some(Ok(prepared)) => prepared,
            Some(Err(skipped)) => {
                cells.iter().for_each(|cell| rows.rows.extend(cell.kept_rows()));
                return rows.skipped.push(skipped);
            }
            None => return cells.iter().for_each(|cell| rows.rows.extend(cell.kept_rows())),
        };
        let facts = facts(&prepared.file, &prepared.dataset);
        for cell in cells {
            if site.stop.load(Ordering::Relaxed) && cell.is_lacking() {
                rows.rows.extend(cell.kept_rows());
                let what = format!("{}, {}", prepared.stored_as, cell.access);
                rows.skipped.push(Skipped { what, why: RunError::Interrupted.to_string() });
                continue;
            }
            self.measure(&prepared, cell, facts.as_ref(), site, progress, rows);
        }
    }

    /// EngineKind writes files of a format, if anybody.
    pub fn writer(&self, format: Format) -> Option<&Engine> {
        self.engines.iter().chain(&self.writers).find(|engine| engine.writes(format))
    }

    /// Every engine that reads such files, with every setting that means something to it. A file of the user's that is
    /// read as it is was opened as HDF5 before.
    fn contenders(&self, storage: Option<&Storage>) -> Vec<EngineRun<'_>> {
        let format = storage.map_or(Format::Hdf5, |storage| storage.format);
        let mut found = Vec::new();
        for engine in self.engines.iter().filter(|engine| engine.reads(format)) {
            let caches = if engine.has_chunk_cache(format) { &*self.caches } else { &[None] };
            let buffers = if engine.has_page_buffer() { &*self.page_buffers } else { &[None] };
            for &cache in caches {
                for &page_buffer in buffers {
                    let options = OpenOptions { cache, page_buffer, records: self.records.clone() };
                    found.push(EngineRun::new(engine, options));
                }
            }
        }
        found
    }

    /// Says once who does not read files of a format at all: that is no failure, unless nobody is left.
    fn note_readers(&self, storage: Option<&Storage>, rows: &mut Rows) {
        let format = storage.map_or(Format::Hdf5, |storage| storage.format);
        let (readers, others): (Vec<&Engine>, Vec<&Engine>) =
            self.engines.iter().partition(|engine| engine.reads(format));
        if others.is_empty() {
            return;
        }
        let names = |engines: &[&Engine]| {
            let names: Vec<String> = engines.iter().map(|engine| engine.name()).collect();
            names.join(", ")
        };
        if readers.is_empty() {
            let why = format!("{format} files are not read by {}", names(&others));
            let what = storage.map_or_else(|| "as it is".to_owned(), Storage::to_string);
            return rows.skipped.push(Skipped { what, why });
        }
        let note = format!("{format} files are read by {}, not by {}", names(&readers), names(&others));
        if !rows.notes.contains(&note) {
            rows.notes.push(note);
        }
    }

    /// The contenders of a cell, with what is remembered of them.
    fn cell<'a>(
        &'a self,
        plan: &Plan<'_>,
        access: &'a Access,
        site: &Site<'_>,
        progress: &mut dyn Progress,
    ) -> Cell<'a> {
        let mut contenders = self.contenders(plan.storage());
        let mut keys = vec![String::new(); contenders.len()];
        if let Some(result_cache) = progress.result_cache() {
            for (contender, key) in contenders.iter_mut().zip(&mut keys) {
                *key = key_of(self, plan, access, contender.engine, &contender.options, site.launcher);
                contender.kept = result_cache.recall(key);
            }
        }
        Cell { access, contenders, keys }
    }

    fn measure(
        &self,
        prepared: &Prepared,
        cell: &mut Cell<'_>,
        facts: Option<&DatasetFacts>,
        site: &Site<'_>,
        progress: &mut dyn Progress,
        rows: &mut Rows,
    ) {
        let (access, contenders) = (cell.access, &mut cell.contenders);
        let filters =
            facts.map(|facts| facts.filters.iter().map(|filter| filter.id).collect()).unwrap_or_default();
        let check = Check { filters };
        for round in 0..=self.repeats {
            for contender in contenders.iter_mut().filter(|contender| contender.kept.is_none()) {
                if contender.failure.is_some() || contender.is_enough(round, self.seconds_max) {
                    progress.done();
                    continue;
                }
                progress.doing(&format!("{}: {access}, {}", contender.engine.name(), prepared.stored_as));
                let task = self.task(prepared, access, contender, (round == 0).then(|| check.clone()));
                match site.launcher.run(&task, site.stop) {
                    Ok(outcome) => contender.runs.add(outcome),
                    Err(error) => contender.failure = Some(error.to_string()),
                }
                progress.done();
            }
        }
        let expected = self.expected(prepared, access, site);
        differing(contenders, expected);
        for (contender, key) in contenders.iter().zip(&cell.keys) {
            if let (Some(kept), None) = (&contender.kept, &contender.failure) {
                rows.rows.push(kept.row.clone());
                continue;
            }
            match contender.row(self, prepared, access, facts) {
                Ok(row) => {
                    if let Some(result_cache) = progress.result_cache() {
                        result_cache.keep(key, &CachedResult { row: row.clone(), checksum: contender.checksum() });
                    }
                    rows.rows.push(row);
                }
                Err(skipped) => rows.skipped.push(skipped),
            }
        }
    }

    /// The checksum of what was written, for files that one engine alone reads. Their filters lose nothing.
    fn expected(&self, prepared: &Prepared, access: &Access, site: &Site<'_>) -> Option<String> {
        let storage = prepared.storage.as_ref().filter(|storage| !storage.format.is_hdf5())?;
        let operation = Operation::Expect {
            shape: storage.shape.clone(),
            reads_max: self.reads_max,
            values: self.subject.values(),
            element: storage.element,
        };
        let task = Task {
            engine: Engine::Null,
            file: prepared.file.clone(),
            dataset: prepared.dataset.clone(),
            access: access.clone(),
            options: OpenOptions { records: self.records.clone(), ..OpenOptions::default() },
            operation,
        };
        site.launcher.run(&task, site.stop).ok()?.checksum
    }

    fn task(
        &self,
        prepared: &Prepared,
        access: &Access,
        contender: &EngineRun<'_>,
        check: Option<Check>,
    ) -> Task {
        let shape = self.subject.shape().to_vec();
        Task {
            engine: contender.engine.clone(),
            file: prepared.file.clone(),
            dataset: prepared.dataset.clone(),
            access: access.clone(),
            options: contender.options.clone(),
            operation: Operation::Read { shape, reads_max: self.reads_max, cold: self.cold, check },
        }
    }
}
