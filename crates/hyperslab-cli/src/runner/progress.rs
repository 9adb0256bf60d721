//! How far a command over many files is, on standard error, where that is a terminal.

use crate::failure::one_line;
use crate::location;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

/// The time that is left is counted down as often.
const INTERVAL: Duration = Duration::from_millis(500);

/// A bar over files. Where standard error is not a terminal, nothing is drawn.
pub(crate) struct FileProgress {
    bar: ProgressBar,
}

impl FileProgress {
    /// A bar over so many files; a single one has none.
    pub(crate) fn new(files: usize) -> Self {
        let target = if files > 1 && std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(files as u64), target);
        let style = ProgressStyle::with_template("{bar:20} {pos} of {len} files, {eta} left  {wide_msg}");
        bar.set_style(style.expect("the template is valid"));
        if !bar.is_hidden() {
            bar.enable_steady_tick(INTERVAL);
        }
        Self { bar }
    }

    /// No bar: what is done with each file shows its own.
    pub(crate) fn none() -> Self {
        Self { bar: ProgressBar::hidden() }
    }

    /// Says which file is worked on.
    pub(crate) fn begin(&self, path: &Path) {
        if !self.bar.is_hidden() {
            self.bar.set_message(one_line(&location::shown(path)));
        }
    }

    /// One more file is done.
    pub(crate) fn done(&self) {
        self.bar.inc(1);
    }

    /// Writes to the terminal, while the bar is not there.
    pub(crate) fn interrupted<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for FileProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
