//! A cell by one engine, while it is being run.

use super::artifacts::{Artifact, ArtifactCache};
use super::measured::{About, CacheFit, Measured};
use super::plan::{Cell, Content, EngineKind, Work};
use super::run::RunContext;
use super::task;
use crate::engine::Engine;
use crate::matrix::{Runs, simulated};
use crate::process::{Operation, Task};

/// A cell by one engine, and how it went so far.
pub(super) struct CellRun<'a> {
    pub(super) cell: &'a Cell,
    pub(super) who: EngineKind,
    engine: Result<&'a Engine, String>,
    task: Option<Task>,
    /// Names the work; see [`ArtifactCache::key`].
    key: String,
    /// The same work is that of another slot.
    is_twin: bool,
    runs: Runs,
    pub(super) failure: Option<String>,
}

impl<'a> CellRun<'a> {
    pub(super) fn new(cell: &'a Cell, who: EngineKind, context: &'a RunContext<'_>) -> Self {
        let engine = context.engines.get(who);
        let failure = engine.as_ref().err().cloned();
        let (key, runs) = (String::new(), Runs::default());
        Self { cell, who, engine, task: None, key, is_twin: false, runs, failure }
    }

    /// One more run, unless it would tell nothing.
    pub(super) fn round(
        &mut self,
        round: usize,
        others: &[CellRun<'_>],
        artifacts: &mut ArtifactCache,
        context: &RunContext<'_>,
    ) {
        if self.is_enough(round, context.seconds_max) {
            return;
        }
        if round == 0 {
            match self.make_task(artifacts, context) {
                Ok(task) => {
                    self.key = artifacts.key(&task, self.who);
                    self.task = Some(task);
                }
                Err(why) => {
                    self.failure = Some(why);
                    return;
                }
            }
            let runs_it = |other: &CellRun<'_>| other.key == self.key && other.failure.is_none();
            self.is_twin = artifacts.known(&self.key).is_some() || others.iter().any(runs_it);
        }
        let Some(task) = self.task.as_ref().filter(|_| !self.is_twin) else { return };
        let checking = (round == 0).then(|| task::checking(task, self.cell, self.who, artifacts));
        match context.launcher.run(checking.as_ref().unwrap_or(task), context.stop) {
            Ok(outcome) => {
                self.runs.add(outcome);
                self.keep(artifacts);
            }
            Err(error) => self.failure = Some(error.to_string()),
        }
    }

    /// True where another round would tell nothing, or take longer than the cell is worth.
    fn is_enough(&self, round: usize, seconds_max: f64) -> bool {
        self.failure.is_some() || self.is_twin || round > 0 && self.runs.spent() > seconds_max
    }

    /// What is to be run. Where no cache is set, one read is made before by which the library's own is known.
    fn make_task(&self, artifacts: &mut ArtifactCache, context: &RunContext<'_>) -> Result<Task, String> {
        let engine = self.engine.clone()?;
        let task = task::of(self.cell, self.who, engine, artifacts)?;
        let Some(first) = task::first_read(&task, self.cell, artifacts, self.who) else { return Ok(task) };
        // Where that fails, so does what follows, with the reason.
        if let Ok(outcome) = context.launcher.run(&first, context.stop) {
            artifacts.learn(self.who, &first, &outcome);
        }
        task::of(self.cell, self.who, engine, artifacts)
    }

    /// Leaves what it wrote to others.
    fn keep(&self, artifacts: &mut ArtifactCache) {
        let Some(task) = &self.task else { return };
        let (storage, values) = match (&task.operation, &self.cell.work) {
            (Operation::Write { storage, .. }, Work::Write { values: Content::Synthetic(synthetic), .. }) => {
                (&**storage, serde_json::to_string(synthetic).unwrap_or_default())
            }
            (Operation::Write { storage, .. }, Work::Write { values: Content::Of(cell), .. }) => {
                let values = artifacts.file(cell, self.who).map(|file| file.values.clone());
                (&**storage, values.unwrap_or_default())
            }
            // Where chunks lie differs from file to file, so that none is like another.
            (Operation::Make { tree }, _) => (&tree.storage, self.cell.name.clone()),
            _ => return,
        };
        let kept = Artifact { path: task.file.clone(), storage: storage.clone(), values };
        artifacts.keep(&self.cell.name, self.who, kept);
    }

    /// The checksum of what was read, with what makes two of them comparable: the values, the blocks, their number.
    pub(super) fn checksum(&self, artifacts: &ArtifactCache) -> Option<(String, String)> {
        let sum = self.runs.check()?.checksum.clone()?;
        let values = &artifacts.file(self.cell.work.needs()?, self.who).ok()?.values;
        Some(match &self.cell.work {
            Work::Read { access, reads_max, records, .. } => {
                (format!("{values} {access} {reads_max:?} {:?}", records.fields), sum)
            }
            Work::Visit { wanted, .. } => (format!("{values} {wanted:?}"), sum),
            Work::Write { .. } | Work::Make { .. } => return None,
        })
    }

    /// What it came to, if it was run.
    pub(super) fn measured(&self, artifacts: &mut ArtifactCache, context: &RunContext<'_>) -> Option<Measured> {
        if self.failure.is_some() {
            return None;
        }
        if self.is_twin {
            let (cell, published) = (self.cell.name.clone(), self.cell.published_of(self.who));
            let mut twin = Measured { cell, published, ..artifacts.known(&self.key)?.clone() };
            let is_default = matches!(self.cell.work, Work::Read { cache: None, .. });
            twin.cache = twin.cache.map(|fit| CacheFit { is_default, ..fit });
            return Some(twin);
        }
        let (check, task, engine) = (self.runs.check()?, self.task.as_ref()?, self.engine.as_ref().ok()?);
        let (mut cache, mut simulated) = (None, None);
        let storage = match &task.operation {
            Operation::Write { storage, .. } => (**storage).clone(),
            Operation::Make { tree } => tree.storage.clone(),
            _ => artifacts.file(self.cell.work.needs()?, self.who).ok()?.storage.clone(),
        };
        if let (Operation::Read { reads_max, .. }, Work::Read { cache: set, access, .. }) =
            (&task.operation, &self.cell.work)
        {
            let has_cache = engine.has_chunk_cache(storage.format);
            let settings = task.options.cache.or(check.default_cache).filter(|_| has_cache);
            if let (Some(settings), Some(version)) = (settings, &check.hdf5_version) {
                cache = CacheFit::of(&storage, access, settings, set.is_none());
                let facts = artifacts.facts(&task.file, context);
                simulated =
                    facts.and_then(|facts| simulated::counts(facts, access, *reads_max, version, settings));
            }
        }
        let is_one = check.objects.is_none();
        let logical_bytes = check.objects.map_or(1, |objects| objects.datasets) * storage.logical_bytes();
        let about = About {
            cell: self.cell.name.clone(),
            kind: self.cell.work.kind(),
            who: self.who,
            engine: engine.name(),
            published: self.cell.published_of(self.who),
            stored_as: storage.to_string(),
            done_as: self.cell.work.words(),
            blocks_in_all: if is_one { task.access.len(&storage.shape) } else { check.blocks },
            logical_bytes,
            cache,
            simulated,
        };
        let measured = Measured::of(about, &self.runs)?;
        artifacts.remember(&self.key, &measured);
        Some(measured)
    }
}
