//! Several engines that take turns, round by round, so that a disturbance or a machine that warms up affects all alike.
//!
//! The first round checks: values are compared between all, decodes counted. It is not timed, unless it took so long that
//! one run has to be enough.

use super::result_cache::{CachedResult, ResultCache};
use super::runs::Runs;
use crate::process::{Check, Launcher, Operation, RunError, Task};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Hears how far the runs are.
pub trait Progress {
    /// So many runs are expected in all.
    fn expect(&mut self, runs: usize);
    /// This is being done.
    fn doing(&mut self, what: &str);
    /// One run is done.
    fn done(&mut self);
}

/// One engine at one task, and how its runs went.
pub struct EngineRun<T> {
    /// What is done, in words.
    pub label: String,
    /// The task.
    pub task: Task,
    /// The filters of the dataset, whose decodes the first run counts.
    pub filters: Vec<u16>,
    /// How often it is timed after the run that checks, at most.
    pub repeats: usize,
    /// Names the values that are read: runs of the same name are compared. None where there are none.
    pub values: Option<String>,
    /// By which the result is cached.
    pub key: String,
    /// What it took when it was measured before, if it was.
    pub cached: Option<CachedResult<T>>,
    /// Its runs so far.
    pub runs: Runs,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// SHA-256 of the values that were compared, if they are not those of its runs.
    pub compared: Option<String>,
}

impl<T: Clone> EngineRun<T> {
    /// A task that was not run yet.
    pub fn new(label: String, task: Task) -> Self {
        Self {
            label,
            task,
            filters: Vec::new(),
            repeats: 0,
            values: None,
            key: String::new(),
            cached: None,
            runs: Runs::default(),
            failure: None,
            compared: None,
        }
    }

    /// The SHA-256 of the values that it read.
    pub fn checksum(&self) -> Option<String> {
        match (&self.cached, &self.compared) {
            (Some(cached), _) => cached.checksum.clone(),
            (None, Some(compared)) => Some(compared.clone()),
            (None, None) => self.runs.check().and_then(|check| check.checksum.clone()),
        }
    }

    /// Its runs do not count: it is run again with another task, of which values need not be compared.
    pub fn forget_runs(&mut self) {
        self.compared = self.checksum();
        self.runs = Runs::default();
    }

    /// Why there is no result.
    pub fn failure(&self) -> String {
        self.failure.clone().unwrap_or_else(|| "it was not run".to_owned())
    }

    /// The result: what is cached, or else what `of` makes of the runs, which is cached then.
    ///
    /// # Errors
    /// Why there is none.
    pub fn result(
        &self,
        cache: &mut dyn ResultCache<T>,
        of: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        let result = match (&self.failure, &self.cached) {
            (Some(_), _) => return Err(self.failure()),
            (None, Some(cached)) => return Ok(cached.result.clone()),
            (None, None) => of()?,
        };
        cache.keep(&self.key, &CachedResult { result: result.clone(), checksum: self.checksum() });
        Ok(result)
    }

    /// The same task, with everything checked that can be.
    fn checking(&self) -> Task {
        let mut task = self.task.clone();
        match &mut task.operation {
            Operation::Read { check, .. } => *check = Some(Check { filters: self.filters.clone() }),
            Operation::Visit { check, .. } => *check = true,
            _ => {}
        }
        task
    }
}

/// Where runs are made, and how long one task may take.
pub struct Turns<'a> {
    /// Starts the processes.
    pub launcher: &'a Launcher,
    /// Set to stop.
    pub stop: &'a AtomicBool,
    /// A task is not repeated once its runs took so many seconds.
    pub seconds_max: f64,
    /// Nothing is repeated any more after this.
    pub deadline: Option<Instant>,
}

impl Turns<'_> {
    /// Runs all that are not cached. `after` each run, the caller may take what it made.
    pub fn take<T: Clone>(
        &self,
        runs: &mut [EngineRun<T>],
        progress: &mut dyn Progress,
        mut after: impl FnMut(usize, &EngineRun<T>),
    ) {
        let rounds = runs.iter().map(|run| run.repeats).max().unwrap_or(0);
        for round in 0..=rounds {
            for (number, run) in runs.iter_mut().enumerate() {
                let is_checked = round == 0 && run.runs.check().is_some();
                if run.cached.is_some() || round > run.repeats || is_checked {
                    continue;
                }
                let is_enough = round > 0 && (run.runs.spent() > self.seconds_max || self.is_late());
                if run.failure.is_none() && !is_enough {
                    progress.doing(&run.label);
                    let checking = (round == 0).then(|| run.checking());
                    match self.launcher.run(checking.as_ref().unwrap_or(&run.task), self.stop) {
                        Ok(outcome) if round == 0 => run.runs.add_check(outcome),
                        Ok(outcome) => run.runs.add(outcome),
                        // What was complete when the user stopped it counts.
                        Err(RunError::Interrupted) if run.runs.check().is_some() => {}
                        Err(error) => run.failure = Some(error.to_string()),
                    }
                    after(number, run);
                }
                progress.done();
            }
        }
    }

    /// True once the time for all is used up.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Runs a task once, timed, unless it failed before.
    pub fn once<T: Clone>(&self, run: &mut EngineRun<T>, progress: &mut dyn Progress) {
        if run.failure.is_none() {
            progress.doing(&run.label);
            match self.launcher.run(&run.task, self.stop) {
                Ok(outcome) => run.runs.add(outcome),
                Err(error) => run.failure = Some(error.to_string()),
            }
        }
        progress.done();
    }
}

/// Runs whose values are not those that the first of the same name read are failures, not results. Where the checksum of
/// what was `written` is known, all are compared with that.
pub fn refuse_differing<T: Clone>(runs: &mut [EngineRun<T>], written: Option<&str>) {
    let mut first: HashMap<String, (String, String)> = HashMap::new();
    for run in runs {
        let (Some(values), Some(sum)) = (run.values.clone(), run.checksum()) else { continue };
        let (reader, expected) = first.entry(values).or_insert_with(|| match written {
            Some(written) => ("what was written".to_owned(), written.to_owned()),
            None => (run.label.clone(), sum.clone()),
        });
        if *expected != sum {
            run.failure = Some(format!("WRONG VALUES: not those of {reader}"));
        }
    }
}
