//! Runs a plan, table by table: its files are written, then the engines that read them take turns, as in a matrix.
//!
//! What a table shares with an earlier one is not measured again.

use super::artifacts::ArtifactCache;
use super::catalogue::Recipe;
use super::cell::{Cell, Work};
use super::description::Table;
use super::engines::{self, Used};
use super::figure::Kind;
use super::measured::{CacheFit, Measured};
use super::report::{Counts, NotRun, Report, TableReport, judge_all};
use super::task::{self, DATASET};
use crate::matrix::Simulated;
use hyperslab_doctor::{DatasetFacts, list_text};
use hyperslab_engines::{CreationProperties, Engine, EngineKind};
use hyperslab_measure::process::{Launcher, Operation, Task};
use hyperslab_measure::runner::{CachedResult, EngineRun, Progress, ResultCache, Turns, refuse_differing};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where recipes are run, and with what.
pub struct RunContext<'a> {
    /// The engines that take part, the first of each kind.
    pub engines: Vec<Engine>,
    /// Starts the processes.
    pub launcher: &'a Launcher,
    /// For the files.
    pub folder: &'a Path,
    /// What the simulator needs to know of a dataset, where it can be known.
    pub facts: &'a dyn Fn(&Path, &str) -> Option<DatasetFacts>,
    /// How often each cell is measured, at most.
    pub repeats: usize,
    /// A cell is not repeated once its runs took so many seconds.
    pub seconds_max: f64,
    /// Set to stop.
    pub stop: &'a AtomicBool,
}

/// A recipe while it is being run.
struct Session<'a> {
    context: &'a RunContext<'a>,
    artifacts: ArtifactCache,
    cache: HashMap<String, CachedResult<Measured>>,
    progress: &'a mut dyn Progress,
    /// What the tables so far came to: effects of later ones may be about it.
    measured: Vec<Measured>,
    not_run: Vec<NotRun>,
}

/// What each cell came to by each engine, or why it was not run.
type Results<'a> = HashMap<(&'a str, EngineKind), Result<Measured, String>>;

impl RunContext<'_> {
    /// Runs a recipe with data as much smaller; what is complete when it is stopped is kept.
    pub fn run(&self, recipe: &Recipe, scale: f64, progress: &mut dyn Progress) -> Report {
        let plan = recipe.plan(scale);
        let cells = plan.tables.iter().flat_map(|table| &table.cells);
        progress.expect(cells.map(|cell| (self.repeats_of(&cell.work) + 1) * cell.by.len()).sum());
        let mut session = Session {
            context: self,
            artifacts: ArtifactCache::new(self.folder, plan.shrink),
            cache: HashMap::new(),
            progress,
            measured: Vec::new(),
            not_run: Vec::new(),
        };
        let tables: Vec<TableReport> =
            (0..plan.tables.len()).map(|number| session.table(&plan.tables[number..])).collect();
        let used = |cell: &Measured| Used {
            by: cell.by,
            engine: cell.engine.clone(),
            version: cell.version.clone(),
        };
        let mut engines: Vec<Used> = session.measured.iter().map(used).collect();
        engines.sort_by_key(|used| used.by);
        engines.dedup();
        Report {
            recipe: recipe.name.to_owned(),
            publication: recipe.publication().to_owned(),
            shrink: plan.shrink,
            engines,
            counts: Counts::of(&tables),
            tables,
            is_interrupted: self.stop.load(Ordering::Relaxed),
        }
    }

    /// How often a cell is timed after the run that checks; files for others are written once.
    fn repeats_of(&self, work: &Work) -> usize {
        if work.kind() == Kind::File { 0 } else { self.repeats }
    }
}

impl Session<'_> {
    /// The first of the tables that are left; what it comes to is added to what those before came to.
    fn table(&mut self, left: &[Table]) -> TableReport {
        let table = &left[0];
        let is_needed = |cell: &str| left.iter().any(|table| table.reads(cell));
        let all = || table.cells.iter().flat_map(|cell| cell.by.iter().map(move |by| (cell, *by)));
        let mut results: Results<'_> = HashMap::new();
        for reads in [false, true] {
            let own = all().filter(|(cell, _)| (cell.work.kind() == Kind::Read) == reads);
            results.extend(self.take_turns(own, &is_needed));
        }
        let (mut cells, mut not_run) = (Vec::new(), Vec::<NotRun>::new());
        for (cell, by) in all() {
            match results.remove(&(cell.name.as_str(), by)) {
                Some(Ok(measured)) => cells.push(measured),
                Some(Err(why)) => add_not_run(&mut not_run, (cell.name.clone(), by), why),
                None => {}
            }
        }
        not_run.iter_mut().for_each(|not_run| not_run.what = shortened(&not_run.cells));
        self.artifacts.forget(|cell| left[1..].iter().any(|table| table.reads(cell)));
        self.measured.extend(cells.iter().cloned());
        self.not_run.extend(not_run.iter().cloned());
        TableReport {
            title: table.title.clone(),
            notes: table.notes.clone(),
            effects: judge_all(&table.effects, &self.measured, &self.not_run),
            cells,
            not_run,
        }
    }

    /// Cells of which none needs what another makes, unless that comes before it and is made in the first round.
    fn take_turns<'a>(
        &mut self,
        cells: impl Iterator<Item = (&'a Cell, EngineKind)>,
        is_needed: &dyn Fn(&str) -> bool,
    ) -> Results<'a> {
        let mut runs: Vec<EngineRun<Measured>> = Vec::new();
        let mut owners: Vec<(&Cell, EngineKind)> = Vec::new();
        // Which of the runs each cell is, several may be the same; or why there is none.
        let mut chosen: Vec<(&Cell, EngineKind, Result<usize, String>)> = Vec::new();
        for (cell, by) in cells {
            let run = self.engine_run(cell, by).map(|run| {
                let known = runs.iter().position(|known| known.key == run.key);
                known.unwrap_or_else(|| {
                    runs.push(run);
                    owners.push((cell, by));
                    runs.len() - 1
                })
            });
            chosen.push((cell, by, run));
        }
        let RunContext { launcher, stop, seconds_max, .. } = *self.context;
        let artifacts = &mut self.artifacts;
        Turns { launcher, stop, seconds_max, deadline: None }.take(
            &mut runs,
            self.progress,
            |number, run| {
                let (cell, by) = owners[number];
                if run.failure.is_none() {
                    artifacts.keep(cell, by, &run.task);
                }
                artifacts.forget(is_needed);
            },
        );
        refuse_differing(&mut runs, None);
        let mut result = |(cell, by, run): (&'a Cell, EngineKind, Result<usize, String>)| {
            let measured = run.and_then(|number| self.measured(&runs[number], owners[number]));
            ((cell.name.as_str(), by), measured.map(|measured| measured.of_cell(cell)))
        };
        chosen.into_iter().map(&mut result).collect()
    }

    /// What a cell asks of an engine, or why it cannot. Where no cache is set, one read is made before by which the
    /// library's own is known.
    fn engine_run(&mut self, cell: &Cell, by: EngineKind) -> Result<EngineRun<Measured>, String> {
        let engine = engines::first(by, &self.context.engines)?;
        let mut task = task::of(cell, by, engine, &mut self.artifacts)?;
        if let Some(first) = task::first_read(&task, cell, &self.artifacts, by) {
            // Where that fails, so does what follows, with the reason.
            if let Ok(outcome) = self.context.launcher.run(&first, self.context.stop) {
                self.artifacts.learn(by, &first, &outcome);
            }
            task = task::of(cell, by, engine, &mut self.artifacts)?;
        }
        let key = self.artifacts.key(&task, by);
        let file = cell.work.needs().and_then(|of| self.artifacts.file(of, by).ok());
        let filters = file.map(|file| file.storage.filters.as_slice()).unwrap_or_default();
        Ok(EngineRun {
            filters: filters.iter().map(|filter| filter.id).collect(),
            values: file.and_then(|file| task::values_read(&cell.work, &file.values)),
            repeats: self.context.repeats_of(&cell.work),
            cached: self.cache.recall(&key),
            key,
            ..EngineRun::new(format!("{}: {}", by.name(), cell.name), task)
        })
    }

    /// What a run came to.
    fn measured(
        &mut self,
        run: &EngineRun<Measured>,
        (cell, by): (&Cell, EngineKind),
    ) -> Result<Measured, String> {
        let Self { context, artifacts, cache, .. } = self;
        run.result(cache, || {
            let Task { engine, options, operation, file, access, .. } = &run.task;
            let storage: CreationProperties = match operation {
                Operation::Write { storage, .. } => (**storage).clone(),
                Operation::Make { tree } => tree.storage.clone(),
                _ => artifacts.file(cell.work.needs().unwrap_or_default(), by)?.storage.clone(),
            };
            let check = run.runs.check().ok_or_else(|| run.failure())?;
            let has_cache = engine.has_chunk_cache(storage.format);
            let settings = options.cache.or(check.default_cache).filter(|_| has_cache);
            let mut simulated = None;
            if let (Operation::Read { part, .. }, Some(settings), Some(version)) =
                (operation, settings, &check.hdf5_version)
                && let Some(fit) = CacheFit::of(&storage, access, settings)
            {
                let facts = artifacts.facts(file, || (context.facts)(file, DATASET));
                let reads = |facts| Simulated::of(facts, access, *part, version.parse().ok()?, settings);
                simulated = Some((fit, facts.and_then(reads).map(|reads| reads.counts)));
            }
            Measured::of(cell, by, run, &storage, simulated).ok_or_else(|| run.failure())
        })
    }
}

/// Adds a cell to those that were not run for the same reason.
fn add_not_run(not_run: &mut Vec<NotRun>, cell: (String, EngineKind), why: String) {
    match not_run.iter_mut().find(|known| known.why == why) {
        Some(known) => known.cells.push(cell),
        None => not_run.push(NotRun { what: String::new(), why, cells: vec![cell] }),
    }
}

/// Names, or their number where they are many.
fn shortened(cells: &[(String, EngineKind)]) -> String {
    let names: Vec<String> = cells.iter().map(|(cell, by)| format!("{cell} ({})", by.name())).collect();
    match names.as_slice() {
        [first, .., last] if names.len() > 3 => format!("{} cells, from {first} to {last}", names.len()),
        few => list_text(few),
    }
}
