//! How far a bench is, on standard error, where that is a terminal.

use hyperslab_bench::runner::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar with the time that is left.
pub(super) struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub(super) fn new() -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} runs, {eta} left  {wide_msg}");
        bar.set_style(style.expect("the template is valid"));
        Self { bar }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn expect(&mut self, runs: usize) {
        self.bar.set_length(runs as u64);
    }

    fn doing(&mut self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    fn done(&mut self) {
        self.bar.inc(1);
    }
}
