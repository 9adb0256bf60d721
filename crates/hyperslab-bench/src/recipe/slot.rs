//! A cell by one engine, while it is being run.

use super::larder::{Kept, Larder};
use super::measured::{About, CacheFit, Measured};
use super::plan::{Cell, Content, Who, Work};
use super::run::Kitchen;
use super::task;
use crate::engine::Engine;
use crate::matrix::{Runs, simulated};
use crate::process::{Operation, Task};

/// A cell by one engine, and how it went so far.
pub(super) struct Slot<'a> {
    pub(super) cell: &'a Cell,
    pub(super) who: Who,
    engine: Result<&'a Engine, String>,
    task: Option<Task>,
    /// Names the work; see [`Larder::key`].
    key: String,
    /// The same work is that of another slot.
    is_twin: bool,
    runs: Runs,
    pub(super) failure: Option<String>,
}

impl<'a> Slot<'a> {
    pub(super) fn new(cell: &'a Cell, who: Who, kitchen: &'a Kitchen<'_>) -> Self {
        let engine = kitchen.engines.get(who);
        let failure = engine.as_ref().err().cloned();
        let (key, runs) = (String::new(), Runs::default());
        Self { cell, who, engine, task: None, key, is_twin: false, runs, failure }
    }

    /// One more run, unless it would tell nothing.
    pub(super) fn round(
        &mut self,
        round: usize,
        others: &[Slot<'_>],
        larder: &mut Larder,
        kitchen: &Kitchen<'_>,
    ) {
        if self.is_enough(round, kitchen.seconds_max) {
            return;
        }
        if round == 0 {
            match self.make_task(larder, kitchen) {
                Ok(task) => {
                    self.key = larder.key(&task, self.who);
                    self.task = Some(task);
                }
                Err(why) => {
                    self.failure = Some(why);
                    return;
                }
            }
            let runs_it = |other: &Slot<'_>| other.key == self.key && other.failure.is_none();
            self.is_twin = larder.known(&self.key).is_some() || others.iter().any(runs_it);
        }
        let Some(task) = self.task.as_ref().filter(|_| !self.is_twin) else { return };
        let checking = (round == 0).then(|| task::checking(task, self.cell, self.who, larder));
        match kitchen.launcher.run(checking.as_ref().unwrap_or(task), kitchen.stop) {
            Ok(outcome) => {
                self.runs.add(outcome);
                self.keep(larder);
            }
            Err(error) => self.failure = Some(error.to_string()),
        }
    }

    /// True where another round would tell nothing, or take longer than the cell is worth.
    fn is_enough(&self, round: usize, seconds_max: f64) -> bool {
        self.failure.is_some() || self.is_twin || round > 0 && self.runs.spent() > seconds_max
    }

    /// What is to be run. Where no cache is set, one read is made before by which the library's own is known.
    fn make_task(&self, larder: &mut Larder, kitchen: &Kitchen<'_>) -> Result<Task, String> {
        let engine = self.engine.clone()?;
        let task = task::of(self.cell, self.who, engine, larder)?;
        let Some(first) = task::first_read(&task, self.cell, larder, self.who) else { return Ok(task) };
        // Where that fails, so does what follows, with the reason.
        if let Ok(outcome) = kitchen.launcher.run(&first, kitchen.stop) {
            larder.learn(self.who, &first, &outcome);
        }
        task::of(self.cell, self.who, engine, larder)
    }

    /// Leaves what it wrote to others.
    fn keep(&self, larder: &mut Larder) {
        let Some(task) = &self.task else { return };
        let (storage, values) = match (&task.operation, &self.cell.work) {
            (Operation::Write { storage, .. }, Work::Write { values: Content::Synthetic(synthetic), .. }) => {
                (&**storage, serde_json::to_string(synthetic).unwrap_or_default())
            }
            (Operation::Write { storage, .. }, Work::Write { values: Content::Of(cell), .. }) => {
                let values = larder.file(cell, self.who).map(|file| file.values.clone());
                (&**storage, values.unwrap_or_default())
            }
            // Where chunks lie differs from file to file, so that none is like another.
            (Operation::Make { tree }, _) => (&tree.storage, self.cell.name.clone()),
            _ => return,
        };
        let kept = Kept { path: task.file.clone(), storage: storage.clone(), values };
        larder.keep(&self.cell.name, self.who, kept);
    }

    /// The checksum of what was read, with what makes two of them comparable: the values, the blocks, their number.
    pub(super) fn checksum(&self, larder: &Larder) -> Option<(String, String)> {
        let sum = self.runs.check()?.checksum.clone()?;
        let values = &larder.file(self.cell.work.needs()?, self.who).ok()?.values;
        Some(match &self.cell.work {
            Work::Read { access, reads_max, records, .. } => {
                (format!("{values} {access} {reads_max:?} {:?}", records.fields), sum)
            }
            Work::Visit { wanted, .. } => (format!("{values} {wanted:?}"), sum),
            Work::Write { .. } | Work::Make { .. } => return None,
        })
    }

    /// What it came to, if it was run.
    pub(super) fn measured(&self, larder: &mut Larder, kitchen: &Kitchen<'_>) -> Option<Measured> {
        if self.failure.is_some() {
            return None;
        }
        if self.is_twin {
            let (cell, published) = (self.cell.name.clone(), self.cell.published_of(self.who));
            let mut twin = Measured { cell, published, ..larder.known(&self.key)?.clone() };
            let is_default = matches!(self.cell.work, Work::Read { cache: None, .. });
            twin.cache = twin.cache.map(|fit| CacheFit { is_default, ..fit });
            return Some(twin);
        }
        let (check, task, engine) = (self.runs.check()?, self.task.as_ref()?, self.engine.as_ref().ok()?);
        let (mut cache, mut simulated) = (None, None);
        let storage = match &task.operation {
            Operation::Write { storage, .. } => (**storage).clone(),
            Operation::Make { tree } => tree.storage.clone(),
            _ => larder.file(self.cell.work.needs()?, self.who).ok()?.storage.clone(),
        };
        if let (Operation::Read { reads_max, .. }, Work::Read { cache: set, access, .. }) =
            (&task.operation, &self.cell.work)
        {
            let has_cache = engine.has_chunk_cache(storage.format);
            let settings = task.opening.cache.or(check.default_cache).filter(|_| has_cache);
            if let (Some(settings), Some(version)) = (settings, &check.hdf5_version) {
                cache = CacheFit::of(&storage, access, settings, set.is_none());
                let facts = larder.facts(&task.file, kitchen);
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
        larder.remember(&self.key, &measured);
        Some(measured)
    }
}
