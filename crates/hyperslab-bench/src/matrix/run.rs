//! Measures every cell.
//!
//! All contenders of one storage and access take turns, round by round, so that a disturbance or a machine that warms up
//! meets all alike. A first round checks: values are compared between all, decodes counted. It is not measured, unless
//! it took so long that one run has to be enough.

use super::prepare::{Plan, Prepared, Site, plans};
use super::row::{ReadFigures, Row, Rows, Skipped};
use super::simulated;
use super::statistics::Summary;
use super::way::Way;
use crate::data::{Synthetic, Values};
use crate::engine::{Engine, Opening};
use crate::process::{Check, Launcher, Operation, Outcome, RunError, Task};
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
    /// Who reads.
    pub engines: Vec<Engine>,
    /// Who writes a format that none of those who read does.
    pub writers: Vec<Engine>,
    /// How files are written; at least one way.
    pub ways: Vec<Way>,
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

/// Who wants to know how far it is.
pub trait Progress {
    /// So many runs are expected in all.
    fn expect(&mut self, runs: usize);
    /// This is being done.
    fn doing(&mut self, what: &str);
    /// One run is done.
    fn done(&mut self);
}

/// One contender in a cell.
struct Contender<'a> {
    engine: &'a Engine,
    opening: Opening,
    check: Option<Outcome>,
    timed: Vec<Outcome>,
    failure: Option<String>,
}

impl Matrix {
    /// Runs all cells; what is complete when `stop` is set is kept. `facts` tells what the simulator needs to know of a
    /// dataset, where it can be known.
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
        let mut plans = plans(self, &site);
        let writes: usize = plans.iter().map(|plan| plan.writes(self)).sum();
        let contenders: usize = plans.iter().map(|plan| self.contenders(plan.storage()).len()).sum();
        progress.expect(writes + self.accesses.len() * contenders * (self.repeats + 1));
        for _ in 1..self.write_repeats {
            plans.iter_mut().for_each(|plan| plan.rehearse(self, &site, progress));
        }
        for plan in &mut plans {
            self.read_all(plan, &site, facts, progress, &mut rows);
            plan.remove();
        }
        rows
    }

    /// Everything that is read of one file.
    fn read_all(
        &self,
        plan: &mut Plan<'_>,
        site: &Site<'_>,
        facts: &dyn Fn(&Path, &str) -> Option<DatasetFacts>,
        progress: &mut dyn Progress,
        rows: &mut Rows,
    ) {
        let prepared = match plan.prepare(self, site, progress) {
            Ok(prepared) => prepared,
            Err(skipped) => return rows.skipped.push(skipped),
        };
        self.note_readers(&prepared, rows);
        let facts = facts(&prepared.file, &prepared.dataset);
        for access in &self.accesses {
            if site.stop.load(Ordering::Relaxed) {
                let what = format!("{}, {access}", prepared.stored_as);
                rows.skipped.push(Skipped { what, why: "interrupted".to_owned() });
                continue;
            }
            self.cell(&prepared, access, facts.as_ref(), site, progress, rows);
        }
    }

    /// Who writes files of a format, if anybody.
    pub fn writer(&self, format: Format) -> Option<&Engine> {
        self.engines.iter().chain(&self.writers).find(|engine| engine.writes(format))
    }

    /// Every engine that reads such files, with every setting that means something to it. A file of the user's that is
    /// read as it is was opened as HDF5 before.
    fn contenders(&self, storage: Option<&Storage>) -> Vec<Contender<'_>> {
        let format = storage.map_or(Format::Hdf5, |storage| storage.format);
        let mut found = Vec::new();
        for engine in self.engines.iter().filter(|engine| engine.reads(format)) {
            let caches = if engine.has_chunk_cache(format) { &*self.caches } else { &[None] };
            let buffers = if engine.has_page_buffer() { &*self.page_buffers } else { &[None] };
            for &cache in caches {
                for &page_buffer in buffers {
                    let opening = Opening { cache, page_buffer, records: self.records.clone() };
                    found.push(Contender { engine, opening, check: None, timed: Vec::new(), failure: None });
                }
            }
        }
        found
    }

    /// Says once who does not read files of a format at all: that is no failure, unless nobody is left.
    fn note_readers(&self, prepared: &Prepared, rows: &mut Rows) {
        let format = prepared.storage.as_ref().map_or(Format::Hdf5, |storage| storage.format);
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
            return rows.skipped.push(Skipped { what: prepared.stored_as.clone(), why });
        }
        let note = format!("{format} files are read by {}, not by {}", names(&readers), names(&others));
        if !rows.notes.contains(&note) {
            rows.notes.push(note);
        }
    }

    fn cell(
        &self,
        prepared: &Prepared,
        access: &Access,
        facts: Option<&DatasetFacts>,
        site: &Site<'_>,
        progress: &mut dyn Progress,
        rows: &mut Rows,
    ) {
        let mut contenders = self.contenders(prepared.storage.as_ref());
        let filters =
            facts.map(|facts| facts.filters.iter().map(|filter| filter.id).collect()).unwrap_or_default();
        let check = Check { filters };
        for round in 0..=self.repeats {
            for contender in &mut contenders {
                if contender.failure.is_some() || contender.is_enough(round, self.seconds_max) {
                    progress.done();
                    continue;
                }
                progress.doing(&format!("{}: {access}, {}", contender.engine.name(), prepared.stored_as));
                let task = self.task(prepared, access, contender, (round == 0).then(|| check.clone()));
                match site.launcher.run(&task, site.stop) {
                    Ok(outcome) if round == 0 => contender.check = Some(outcome),
                    Ok(outcome) => contender.timed.push(outcome),
                    Err(RunError::Interrupted) => contender.failure = Some("interrupted".to_owned()),
                    Err(error) => contender.failure = Some(error.to_string()),
                }
                progress.done();
            }
        }
        let expected = self.expected(prepared, access, site);
        differing(&mut contenders, expected);
        for contender in contenders {
            match contender.row(self, prepared, access, facts) {
                Ok(row) => rows.rows.push(row),
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
            opening: Opening { records: self.records.clone(), ..Opening::default() },
            operation,
        };
        site.launcher.run(&task, site.stop).ok()?.checksum
    }

    fn task(
        &self,
        prepared: &Prepared,
        access: &Access,
        contender: &Contender<'_>,
        check: Option<Check>,
    ) -> Task {
        let shape = self.subject.shape().to_vec();
        Task {
            engine: contender.engine.clone(),
            file: prepared.file.clone(),
            dataset: prepared.dataset.clone(),
            access: access.clone(),
            opening: contender.opening.clone(),
            operation: Operation::Read { shape, reads_max: self.reads_max, cold: self.cold, check },
        }
    }
}

/// Contenders whose values are not those that were written, where that is known, or not those of the first, are
/// failures, not rows.
fn differing(contenders: &mut [Contender<'_>], expected: Option<String>) {
    let sum = |contender: &Contender<'_>| {
        let is_null = matches!(contender.engine, Engine::Null);
        contender.check.as_ref().filter(|_| !is_null).and_then(|check| check.checksum.clone())
    };
    let first = || contenders.iter().find_map(|one| Some((format!("{} read", one.engine.name()), sum(one)?)));
    let written = expected.map(|expected| ("were written".to_owned(), expected));
    let Some((known, expected)) = written.or_else(first) else { return };
    for contender in contenders {
        if sum(contender).is_some_and(|own| own != expected) {
            contender.failure = Some(format!("WRONG VALUES: not those that {known}"));
        }
    }
}

impl Contender<'_> {
    /// True where another round would take longer than the cell is worth.
    fn is_enough(&self, round: usize, seconds_max: f64) -> bool {
        let spent: f64 = self.check.iter().chain(&self.timed).map(Outcome::total_seconds).sum();
        round > 0 && spent > seconds_max
    }

    fn row(
        self,
        matrix: &Matrix,
        prepared: &Prepared,
        access: &Access,
        facts: Option<&DatasetFacts>,
    ) -> Result<Row, Skipped> {
        let what = format!("{}: {access}, {}", self.engine.name(), prepared.stored_as);
        let (Some(check), None) = (&self.check, &self.failure) else {
            let why = self.failure.unwrap_or_else(|| "it was not run".to_owned());
            return Err(Skipped { what, why });
        };
        let measured: Vec<&Outcome> =
            if self.timed.is_empty() { vec![check] } else { self.timed.iter().collect() };
        let summary =
            |of: fn(&Outcome) -> f64| Summary::of(&measured.iter().map(|one| of(one)).collect::<Vec<_>>());
        let read = summary(|outcome| outcome.data_seconds);
        let in_all = access.len(matrix.subject.shape());
        let is_part = check.blocks > 0 && check.blocks < in_all;
        let last = measured[measured.len() - 1];
        let format = prepared.storage.as_ref().map_or(Format::Hdf5, |storage| storage.format);
        let has_cache = self.engine.has_chunk_cache(format);
        let cache = self.opening.cache.or(check.default_cache).filter(|_| has_cache);
        let simulated = facts.and_then(|facts| {
            simulated::decodes(facts, access, matrix.reads_max, check.hdf5_version.as_deref(), cache)
        });
        Ok(Row {
            storage: prepared.storage.clone(),
            stored_as: prepared.stored_as.clone(),
            access: access.clone(),
            read_as: access.to_string(),
            engine: self.engine.name(),
            version: check.version.clone(),
            cache,
            is_default_cache: self.opening.cache.is_none(),
            page_buffer: self.opening.page_buffer,
            write: prepared.write.clone(),
            read: ReadFigures {
                read,
                open_read_close: summary(Outcome::total_seconds),
                first: summary(|outcome| outcome.first_seconds),
                average: if check.blocks == 0 { 0.0 } else { read.median / check.blocks as f64 },
                cpu: summary(|outcome| outcome.usage.cpu_seconds),
                reads: check.blocks,
                reads_in_all: in_all,
                reckoned_read: is_part.then(|| read.median / check.blocks as f64 * in_all as f64),
                bytes: last.bytes,
                read_calls: last.usage.read_calls,
                read_bytes: last.usage.read_bytes,
                memory_bytes: last.peak_memory_bytes.saturating_sub(last.base_memory_bytes),
                decodes: check.decodes,
                simulated_decodes: simulated,
                page_cache: last.page_cache,
            },
        })
    }
}
