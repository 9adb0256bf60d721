//! The runs of one task by one engine.

use super::statistics::Summary;
use crate::process::Outcome;

/// A first run, in which values are compared and decodes counted, and those that are timed.
#[derive(Debug, Default)]
pub struct Runs {
    check: Option<Outcome>,
    timed: Vec<Outcome>,
}

impl Runs {
    /// One that checked, which is not timed unless it stays the only one.
    pub fn add_check(&mut self, outcome: Outcome) {
        self.check = Some(outcome);
    }

    /// One that is timed.
    pub fn add(&mut self, outcome: Outcome) {
        self.timed.push(outcome);
    }

    /// The run that checked.
    pub fn check(&self) -> Option<&Outcome> {
        self.check.as_ref()
    }

    /// The last one that counts.
    pub fn last(&self) -> Option<&Outcome> {
        self.counting().last()
    }

    /// A number of all that count.
    pub fn summary(&self, of: fn(&Outcome) -> f64) -> Summary {
        Summary::of(&self.counting().iter().map(of).collect::<Vec<_>>())
    }

    /// Seconds of each block, where that was noted: the median of all runs that count.
    pub fn block_seconds(&self) -> Vec<f64> {
        let runs: Vec<&[f64]> = self.counting().iter().map(|run| run.block_seconds.as_slice()).collect();
        let blocks = runs.iter().map(|run| run.len()).min().unwrap_or(0);
        let median = |at: usize| Summary::of(&runs.iter().map(|run| run[at]).collect::<Vec<_>>()).median;
        (0..blocks).map(median).collect()
    }

    /// Seconds that all took together.
    pub fn spent(&self) -> f64 {
        self.check.iter().chain(&self.timed).map(Outcome::total_seconds).sum()
    }

    /// Those that were timed, or the one that checked where it took long enough.
    fn counting(&self) -> &[Outcome] {
        if self.timed.is_empty() { self.check.as_slice() } else { &self.timed }
    }
}
