//! Measures every cell of a matrix.

use super::files::{FilePlan, PreparedFile, plans};
use super::key;
use super::row::{Row, Rows, Skipped};
use super::subject::Matrix;
use super::write_strategy::WriteStrategy;
use crate::engine::{Engine, FileBuffers, OpenOptions};
use crate::process::{Launcher, Operation, RunError, Task};
use crate::runner::{CachedResult, EngineRun, Progress, ResultCache, Turns, refuse_differing};
use crate::study::{Access, Format, Memory, Storage};
use hyperslab_doctor::DatasetFacts;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Where and with what a matrix is run.
pub struct Site<'a> {
    /// For the files that are made.
    pub folder: &'a Path,
    /// Starts the processes.
    pub launcher: &'a Launcher,
    /// What the simulator needs to know of a dataset, where it can be known.
    pub facts: &'a dyn Fn(&Path, &str) -> Option<DatasetFacts>,
    /// Set to stop: what is complete then is kept.
    pub stop: &'a AtomicBool,
    /// Why a cell is left out, if it is.
    pub leave_out: &'a dyn Fn(&Question<'_>) -> Option<String>,
    /// No cell is begun after this.
    pub deadline: Option<Instant>,
    /// Where the file that is made is kept, of a matrix that makes one.
    pub keep: Option<&'a Path>,
}

/// One cell, before it is measured.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// How the data is stored; none for the user's file as it is.
    pub storage: Option<&'a Storage>,
    /// How the file is written.
    pub strategy: Option<&'a WriteStrategy>,
    /// How it is read.
    pub access: &'a Access,
    /// The engine.
    pub engine: &'a Engine,
    /// Its settings.
    pub options: &'a OpenOptions,
}

/// Why a cell is not begun after the deadline.
const LATE: &str = "the time for all cells was used up";

/// The cell in words: `libhdf5 (h5py 3.16.0): 1x717, chunks 4x30 gzip=6`.
impl fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, ", self.engine.name(), self.access)?;
        match self.storage {
            Some(storage) => write!(f, "{storage}")?,
            None => f.write_str("as it is")?,
        }
        match self.options.cache {
            Some(cache) => write!(f, ", cache {},{},{}", cache.nbytes, cache.nslots, cache.w0),
            None => Ok(()),
        }
    }
}

/// One access to one file, by every engine with each of its settings.
struct Cell<'a> {
    access: &'a Access,
    runs: Vec<EngineRun<Row>>,
}

impl Cell<'_> {
    fn is_lacking(&self) -> bool {
        self.runs.iter().any(|run| run.cached.is_none())
    }

    /// How many runs it needs.
    fn run_count(&self) -> usize {
        let lacking = self.runs.iter().filter(|run| run.cached.is_none());
        lacking.map(|run| run.repeats + 1).sum()
    }

    fn cached_rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.runs.iter().filter_map(|run| Some(run.cached.as_ref()?.result.clone()))
    }
}

/// A matrix while it is being run.
struct Session<'a> {
    matrix: &'a Matrix,
    site: &'a Site<'a>,
    progress: &'a mut dyn Progress,
    cache: Option<&'a mut dyn ResultCache<Row>>,
    rows: Rows,
}

impl Matrix {
    /// Runs all cells that are not cached; what is complete when the site is stopped is kept.
    pub fn run<'a>(
        &'a self,
        site: &'a Site<'a>,
        progress: &'a mut dyn Progress,
        cache: Option<&'a mut dyn ResultCache<Row>>,
    ) -> Rows {
        let mut session = Session { matrix: self, site, progress, cache, rows: Rows::default() };
        session.run();
        session.rows
    }
}

impl<'a> Session<'a> {
    fn turns(&self) -> Turns<'a> {
        let Site { launcher, stop, deadline, .. } = *self.site;
        Turns { launcher, stop, seconds_max: self.matrix.seconds_max, deadline }
    }

    fn run(&mut self) {
        let matrix = self.matrix;
        if matrix.records.memory != Memory::AsStored && matrix.engines.contains(&Engine::Hyperslab) {
            let note = "hyperslab reads records as they are stored, however others lay them out";
            self.rows.notes.push(note.to_owned());
        }
        let plans = plans(matrix, self.site.folder).into_iter();
        let mut files: Vec<(FilePlan<'_>, Vec<Cell<'_>>)> = plans
            .map(|plan| {
                let cells = matrix.accesses.iter().map(|access| self.cell(&plan, access)).collect();
                (plan, cells)
            })
            .collect();
        let is_lacking = |cells: &[Cell<'_>]| cells.iter().any(Cell::is_lacking);
        let lacking = || files.iter().filter(|(_, cells)| is_lacking(cells));
        let writes: usize = lacking().map(|(plan, _)| plan.writes(matrix)).sum();
        let reads: usize = lacking().flat_map(|(_, cells)| cells).map(Cell::run_count).sum();
        self.progress.expect(writes + reads);
        let turns = self.turns();
        for _ in 1..matrix.write_repeats {
            for (plan, _) in files.iter_mut().filter(|(_, cells)| is_lacking(cells)) {
                plan.rehearse(&turns, self.progress);
            }
        }
        for (plan, cells) in &mut files {
            self.note_readers(plan.made().map(|(storage, _)| storage));
            self.read_all(plan, cells);
            if let (Some(place), Some(_)) = (self.site.keep, plan.made())
                && let Err(error) = plan.keep(place)
            {
                let what = format!("keeping the file as {}", place.display());
                self.rows.skipped.push(Skipped { what, why: error.to_string() });
            }
            plan.remove();
        }
    }

    /// Everything that is read of one file.
    fn read_all(&mut self, plan: &mut FilePlan<'_>, cells: &mut [Cell<'_>]) {
        let turns = self.turns();
        let is_lacking = cells.iter().any(Cell::is_lacking);
        if is_lacking && turns.is_late() {
            let made = plan.made().map_or_else(|| "as it is".to_owned(), |(storage, _)| storage.to_string());
            self.rows.skipped.push(Skipped { what: made, why: LATE.to_owned() });
            self.rows.rows.extend(cells.iter().flat_map(Cell::cached_rows));
            return;
        }
        let prepared = match is_lacking.then(|| plan.prepare(self.matrix, &turns, self.progress)) {
            Some(Ok(prepared)) => prepared,
            nothing => {
                self.rows.rows.extend(cells.iter().flat_map(Cell::cached_rows));
                self.rows.skipped.extend(nothing.and_then(Result::err));
                return;
            }
        };
        let facts = (self.site.facts)(&prepared.file, &prepared.dataset);
        for cell in cells {
            let is_stopped = self.site.stop.load(Ordering::Relaxed);
            if (is_stopped || turns.is_late()) && cell.is_lacking() {
                self.rows.rows.extend(cell.cached_rows());
                let what = format!("{}, {}", prepared.stored_as, cell.access);
                let why = if is_stopped { RunError::Interrupted.to_string() } else { LATE.to_owned() };
                self.rows.skipped.push(Skipped { what, why });
                continue;
            }
            self.measure(&prepared, cell, facts.as_ref());
        }
    }

    /// Says once which engines do not read files of a format at all: that is not a failure, unless none is left.
    fn note_readers(&mut self, storage: Option<&Storage>) {
        let format = storage.map_or(Format::Hdf5, |storage| storage.format);
        let (readers, others): (Vec<&Engine>, Vec<&Engine>) =
            self.matrix.engines.iter().partition(|engine| engine.reads(format));
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
            return self.rows.skipped.push(Skipped { what, why });
        }
        let note = format!("{format} files are read by {}, not by {}", names(&readers), names(&others));
        if !self.rows.notes.contains(&note) {
            self.rows.notes.push(note);
        }
    }

    /// Every engine that reads such files, with every setting that means something to it, and what is cached of them. A
    /// file of the user's that is read as it is was opened as HDF5 before.
    fn cell(&mut self, plan: &FilePlan<'_>, access: &'a Access) -> Cell<'a> {
        let matrix = self.matrix;
        let format = plan.made().map_or(Format::Hdf5, |(storage, _)| storage.format);
        let mut runs = Vec::new();
        for engine in matrix.engines.iter().filter(|engine| engine.reads(format)) {
            let caches = if engine.has_chunk_cache(format) { &*matrix.caches } else { &[None] };
            let buffers =
                if engine.has_file_buffers() { &*matrix.buffers } else { &[FileBuffers::default()] };
            for &cache in caches {
                for &buffers in buffers {
                    let options = OpenOptions { cache, buffers, records: matrix.records.clone() };
                    let run = self.engine_run(plan, access, engine, options);
                    let (storage, strategy) = plan.made().unzip();
                    let question = Question { storage, strategy, access, engine, options: &run.task.options };
                    match run.cached.is_none().then(|| (self.site.leave_out)(&question)).flatten() {
                        Some(why) => self.rows.skipped.push(Skipped { what: question.to_string(), why }),
                        None => runs.push(run),
                    }
                }
            }
        }
        Cell { access, runs }
    }

    fn engine_run(
        &mut self,
        plan: &FilePlan<'_>,
        access: &Access,
        engine: &Engine,
        options: OpenOptions,
    ) -> EngineRun<Row> {
        let matrix = self.matrix;
        let key = key::of(matrix, plan.made(), access, engine, &options, self.site.launcher);
        let cached = self.cache.as_mut().and_then(|cache| cache.recall(&key));
        let (shape, reads_max) = (matrix.subject.shape().to_vec(), matrix.reads_max);
        let task = Task {
            engine: engine.clone(),
            // Named when the file is there.
            file: Default::default(),
            dataset: String::new(),
            access: access.clone(),
            options,
            operation: Operation::Read { shape, reads_max, cold: matrix.cold, check: None },
        };
        // The engine that does nothing reads no values.
        let values = (*engine != Engine::Null).then(String::new);
        EngineRun { key, cached, values, repeats: matrix.repeats, ..EngineRun::new(engine.name(), task) }
    }

    fn measure(&mut self, prepared: &PreparedFile, cell: &mut Cell<'_>, facts: Option<&DatasetFacts>) {
        let access = cell.access;
        for run in &mut cell.runs {
            run.label = format!("{}: {access}, {}", run.task.engine.name(), prepared.stored_as);
            (run.task.file, run.task.dataset) = (prepared.file.clone(), prepared.dataset.clone());
            run.filters = facts.iter().flat_map(|facts| &facts.filters).map(|filter| filter.id).collect();
        }
        self.turns().take(&mut cell.runs, self.progress, |_, _| {});
        refuse_differing(&mut cell.runs, self.expected(prepared, access).as_deref());
        for run in &cell.runs {
            if let (Some(cached), None) = (&run.cached, &run.failure) {
                self.rows.rows.push(cached.result.clone());
                continue;
            }
            match Row::of(run, prepared.storage.as_ref(), &prepared.stored_as, self.matrix, facts) {
                Some(row) => {
                    let row = Row { write: prepared.write.clone(), ..row };
                    if let Some(cache) = self.cache.as_mut() {
                        let cached = CachedResult { result: row.clone(), checksum: run.checksum() };
                        cache.keep(&run.key, &cached);
                    }
                    self.rows.rows.push(row);
                }
                None => self.rows.skipped.push(Skipped { what: run.label.clone(), why: run.failure() }),
            }
        }
    }

    /// The checksum of what was written, for files that one engine alone reads. Their filters lose nothing.
    fn expected(&self, prepared: &PreparedFile, access: &Access) -> Option<String> {
        let storage = prepared.storage.as_ref().filter(|storage| !storage.format.is_hdf5())?;
        let operation = Operation::Expect {
            shape: storage.shape.clone(),
            reads_max: self.matrix.reads_max,
            values: self.matrix.subject.values(),
            element: storage.element,
        };
        let task = Task {
            engine: Engine::Null,
            file: prepared.file.clone(),
            dataset: prepared.dataset.clone(),
            access: access.clone(),
            options: OpenOptions { records: self.matrix.records.clone(), ..OpenOptions::default() },
            operation,
        };
        self.site.launcher.run(&task, self.site.stop).ok()?.checksum
    }
}
