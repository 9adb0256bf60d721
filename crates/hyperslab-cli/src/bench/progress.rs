//! How far a bench is, on standard error, where that is a terminal: by what runs cost, not by how many there are.

use hyperslab_measure::runner::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar with the time that is left.
pub(super) struct Bar<'a> {
    bar: ProgressBar,
    /// Seconds of a run, by what is said of it.
    seconds_of: &'a dyn Fn(&str) -> f64,
    /// Seconds of all runs, where they are known; else each run counts the same.
    seconds: Option<f64>,
    /// Milliseconds of the run that is being made.
    doing: u64,
}

impl<'a> Bar<'a> {
    /// A bar over so many predicted seconds; where none are given, over runs.
    pub(super) fn new(seconds: Option<f64>, seconds_of: &'a dyn Fn(&str) -> f64) -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{bar:20} {percent} %, {eta} left  {wide_msg}");
        bar.set_style(style.expect("the template is valid"));
        Self { bar, seconds_of, seconds, doing: 1 }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar<'_> {
    fn expect(&mut self, runs: usize) {
        self.bar.set_length(self.seconds.map_or(runs as u64, |seconds| (seconds * 1e3) as u64));
    }

    fn doing(&mut self, what: &str) {
        self.bar.set_message(what.to_owned());
        if self.seconds.is_some() {
            self.doing = ((self.seconds_of)(what) * 1e3) as u64;
        }
    }

    fn done(&mut self) {
        self.bar.inc(self.doing);
    }
}
