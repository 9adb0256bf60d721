//! Measures every cell of a matrix.

use super::files::MatrixFile;
use super::key;
use super::question::Question;
use super::row::{Row, Rows};
use super::skipped::Skipped;
use super::subject::Matrix;
use super::write_figures::WriteFigures;
use hyperslab_doctor::DatasetFacts;
use hyperslab_engines::{Engine, Memory, OpenOptions};
use hyperslab_measure::access::{Access, Part};
use hyperslab_measure::process::{Launcher, Operation, RunError, Task};
use hyperslab_measure::runner::{EngineRun, Progress, ResultCache, Turns, refuse_differing};
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

/// Why a cell is not begun after the deadline.
const LATE: &str = "the time for all cells was used up";

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
    cache: &'a mut dyn ResultCache<Row>,
    rows: Rows,
}

/// Reads that are limited are timed for this long, if there are enough: a few reads of microseconds say little of all.
const TIMED_SECONDS: f64 = 0.3;

/// After a run that read no more than asked for: more reads, or all, where they take no time. They are checked again, so that
/// decodes are counted for them; their values were compared.
fn read_more(run: &mut EngineRun<Row>, shape: &[u64]) {
    let in_all = run.task.access.len(shape);
    let (Some(check), Operation::Read { part, .. }) = (run.runs.check(), &mut run.task.operation) else {
        return;
    };
    let Some(made) = part.most().filter(|made| *made < in_all) else { return };
    let seconds = check.data_seconds.max(1e-9);
    let worth = (check.blocks as f64 * TIMED_SECONDS / seconds).min(in_all as f64) as u64;
    if worth > made {
        *part = if worth < in_all { Part::Spread(worth) } else { Part::All };
        run.forget_runs();
    }
}

impl Matrix {
    /// Runs all cells that are not cached; what is complete when the site is stopped is kept.
    pub fn run<'a>(
        &'a self,
        site: &'a Site<'a>,
        progress: &'a mut dyn Progress,
        cache: &'a mut dyn ResultCache<Row>,
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

    fn skip(&mut self, what: String, why: impl Into<String>) {
        self.rows.skipped.push(Skipped { what, why: why.into() });
    }

    fn run(&mut self) {
        let matrix = self.matrix;
        if matrix.records.memory != Memory::AsStored && matrix.engines.contains(&Engine::Hyperslab) {
            let note = "hyperslab reads records as they are stored, however others lay them out";
            self.rows.notes.push(note.to_owned());
        }
        let all = MatrixFile::all(matrix, self.site.folder);
        let with_cells = |file: MatrixFile<'a>| {
            let cells = matrix.accesses.iter().map(|access| self.cell(&file, access)).collect();
            (file, cells)
        };
        let mut files: Vec<(MatrixFile<'_>, Vec<Cell<'_>>)> = all.into_iter().map(with_cells).collect();
        let is_lacking = |cells: &[Cell<'_>]| cells.iter().any(Cell::is_lacking);
        let lacking = || files.iter().filter(|(_, cells)| is_lacking(cells));
        let writes: usize = lacking().map(|(file, _)| file.writes(matrix)).sum();
        let reads: usize = lacking().flat_map(|(_, cells)| cells).map(Cell::run_count).sum();
        self.progress.expect(writes + reads);
        let turns = self.turns();
        for _ in 1..matrix.write_repeats {
            for (file, _) in files.iter_mut().filter(|(_, cells)| is_lacking(cells)) {
                file.rehearse(&turns, self.progress);
            }
        }
        for (file, cells) in &mut files {
            self.note_readers(file);
            self.read_all(file, cells);
            if let Some(place) = self.site.keep
                && let Err(error) = file.keep(place)
            {
                self.skip(format!("keeping the file as {}", place.display()), error.to_string());
            }
            file.remove();
        }
    }

    /// Everything that is read of one file.
    fn read_all(&mut self, file: &mut MatrixFile<'_>, cells: &mut [Cell<'_>]) {
        let turns = self.turns();
        let is_lacking = cells.iter().any(Cell::is_lacking);
        let written = match is_lacking && !turns.is_late() {
            true => file.prepare(&turns, self.progress),
            false => Err(Skipped { what: file.stored_as.clone(), why: LATE.to_owned() }),
        };
        let written = match written {
            Ok(written) => written,
            Err(skipped) => {
                self.rows.rows.extend(cells.iter().flat_map(Cell::cached_rows));
                return self.rows.skipped.extend(is_lacking.then_some(skipped));
            }
        };
        let facts = (self.site.facts)(&file.path, &file.dataset);
        for cell in cells {
            let is_stopped = self.site.stop.load(Ordering::Relaxed);
            if (is_stopped || turns.is_late()) && cell.is_lacking() {
                self.rows.rows.extend(cell.cached_rows());
                let why = if is_stopped { RunError::Interrupted.to_string() } else { LATE.to_owned() };
                self.skip(format!("{}, {}", file.stored_as, cell.access), why);
                continue;
            }
            self.measure(file, written.as_ref(), cell, facts.as_ref());
        }
    }

    /// Says once which engines do not read files of a format at all: that is not a failure, unless none is left.
    fn note_readers(&mut self, file: &MatrixFile<'_>) {
        let format = self.matrix.format_of(file.made);
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
            return self.skip(file.stored_as.clone(), why);
        }
        let note = format!("{format} files are read by {}, not by {}", names(&readers), names(&others));
        if !self.rows.notes.contains(&note) {
            self.rows.notes.push(note);
        }
    }

    /// What is asked of an access to a file, and what is cached of it.
    fn cell(&mut self, file: &MatrixFile<'a>, access: &'a Access) -> Cell<'a> {
        let mut runs = Vec::new();
        for question in self.matrix.questions(file.made, access) {
            let run = self.engine_run(file, &question);
            match run.cached.is_none().then(|| (self.site.leave_out)(&question)).flatten() {
                Some(why) => self.skip(question.to_string(), why),
                None => runs.push(run),
            }
        }
        Cell { access, runs }
    }

    fn engine_run(&mut self, file: &MatrixFile<'_>, question: &Question<'_>) -> EngineRun<Row> {
        let Question { access, engine, options, .. } = question;
        let (shape, part) = (self.matrix.subject.shape().to_vec(), self.matrix.part(access));
        let operation = Operation::Read { shape, part, cold: self.matrix.cold, check: None };
        let task = Task {
            access: (*access).clone(),
            options: options.clone(),
            ..Task::new(engine, &file.path, &file.dataset, operation)
        };
        let key = key::of(self.matrix, question, self.site.launcher);
        EngineRun {
            cached: self.cache.recall(&key),
            key,
            // The engine that does nothing reads no values.
            values: (**engine != Engine::Null).then(String::new),
            repeats: self.matrix.repeats,
            ..EngineRun::new(format!("{}: {access}, {}", engine.name(), file.stored_as), task)
        }
    }

    fn measure(
        &mut self,
        file: &MatrixFile<'_>,
        written: Option<&WriteFigures>,
        cell: &mut Cell<'_>,
        facts: Option<&DatasetFacts>,
    ) {
        for run in &mut cell.runs {
            run.filters = facts.iter().flat_map(|facts| &facts.filters).map(|filter| filter.id).collect();
        }
        let shape = self.matrix.subject.shape();
        let (turns, repeats) = (self.turns(), self.matrix.repeats);
        cell.runs.iter_mut().for_each(|run| run.repeats = 0);
        turns.take(&mut cell.runs, self.progress, |_, _| {});
        refuse_differing(&mut cell.runs, self.expected(file, cell.access).as_deref());
        for run in &mut cell.runs {
            run.repeats = repeats;
            read_more(run, shape);
        }
        turns.take(&mut cell.runs, self.progress, |_, _| {});
        for run in &cell.runs {
            match run.result(self.cache, || Row::of(run, file, written, self.matrix, facts)) {
                Ok(row) => self.rows.rows.push(row),
                Err(why) => self.skip(run.label.clone(), why),
            }
        }
    }

    /// The checksum of what was written, for files that one engine alone reads. Their filters lose nothing.
    fn expected(&self, file: &MatrixFile<'_>, access: &Access) -> Option<String> {
        let (storage, _) = file.made.filter(|(storage, _)| !storage.format.is_hdf5())?;
        let operation = Operation::Expect {
            shape: storage.shape.clone(),
            part: self.matrix.part(access),
            values: self.matrix.subject.values(),
            element: storage.element,
        };
        let task = Task {
            access: access.clone(),
            options: OpenOptions { records: self.matrix.records.clone(), ..OpenOptions::default() },
            ..Task::new(&Engine::Null, &file.path, &file.dataset, operation)
        };
        self.site.launcher.run(&task, self.site.stop).ok()?.checksum
    }
}
