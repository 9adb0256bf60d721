//! How far a command over many files is, on standard error, where that is a terminal.

use crate::failure::one_line;
use crate::location;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

/// How often the remaining time is updated.
const INTERVAL: Duration = Duration::from_millis(500);

/// A bar over files; none where standard error is not a terminal. Output that waits for its reader holds the lock of a bar: without
/// one, work goes on.
pub(crate) struct FileProgress {
    bar: Option<ProgressBar>,
}

impl FileProgress {
    /// A bar over so many files; a single one has none.
    pub(crate) fn new(files: usize) -> Self {
        if files <= 1 || !std::io::stderr().is_terminal() {
            return Self::none();
        }
        let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:20} {pos} of {len} files, {eta} left  {wide_msg}");
        bar.set_style(style.expect("the template is valid"));
        bar.enable_steady_tick(INTERVAL);
        Self { bar: Some(bar) }
    }

    /// No bar: what is done with each file shows its own.
    pub(crate) fn none() -> Self {
        Self { bar: None }
    }

    /// Says which file is worked on.
    pub(crate) fn begin(&self, path: &Path) {
        if let Some(bar) = &self.bar {
            bar.set_message(one_line(&location::shown(path)));
        }
    }

    /// One more file is done.
    pub(crate) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Writes to the terminal, while the bar is not there.
    pub(crate) fn interrupted<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for FileProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
