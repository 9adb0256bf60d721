//! How far a bench is, on standard error, where that is a terminal: by what runs cost, not by how many there are.

use hyperslab_apps::bench::Observer;
use hyperslab_measure::runner::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// A bar with the time that is left.
struct Bar<'a> {
    bar: ProgressBar,
    /// Seconds of a run, by what is said of it.
    seconds_of: &'a dyn Fn(&str) -> f64,
    /// Seconds of all runs, where they are known; else each run counts the same.
    seconds: Option<f64>,
    /// Milliseconds of the run that is being made.
    doing: u64,
}

impl<'a> Bar<'a> {
    /// A bar over this number of predicted seconds; where none are given, over runs.
    fn new(seconds: Option<f64>, seconds_of: &'a dyn Fn(&str) -> f64) -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{bar:20} {percent} %, {eta} left  {wide_msg}");
        bar.set_style(style.expect("the template is valid"));
        Self { bar, seconds_of, seconds, doing: 1 }
    }

    fn finish(&self) {
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

/// Set by Ctrl-C, by a request to end, and by a terminal that is closed.
static STOP: AtomicBool = AtomicBool::new(false);

/// What is complete is reported, and the folder goes; a second Ctrl-C ends the process.
pub(super) fn end_by_interrupt() {
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Notes on standard error, a bar where that is a terminal, and Ctrl-C.
pub(super) struct Terminal<'e> {
    pub err: &'e mut dyn Write,
}

impl Observer for Terminal<'_> {
    fn note(&mut self, text: &str) {
        // If standard error cannot be written, there is nowhere left to report it.
        let _ = writeln!(self.err, "{text}");
    }

    fn stop(&self) -> &'static AtomicBool {
        &STOP
    }

    fn watch(
        &mut self,
        seconds: Option<f64>,
        seconds_of: &dyn Fn(&str) -> f64,
        work: &mut dyn FnMut(&mut dyn Progress),
    ) {
        let mut bar = Bar::new(seconds, seconds_of);
        work(&mut bar);
        bar.finish();
    }
}
