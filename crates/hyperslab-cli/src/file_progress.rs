//! How far a command over many files is, on standard error, where that is a terminal.

use crate::failure::one_line;
use hyperslab_apps::files;
use hyperslab_apps::runner::FilesObserver;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// How often the remaining time is updated.
const INTERVAL: Duration = Duration::from_millis(500);

/// A bar over files; none where standard error is not a terminal, and for a single one. Output that waits for its reader holds
/// the lock of a bar: without one, work goes on.
#[derive(Default)]
pub(crate) struct FileProgress {
    bar: OnceLock<ProgressBar>,
}

impl FilesObserver for FileProgress {
    fn files(&self, count: usize) {
        if count <= 1 || !std::io::stderr().is_terminal() {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:20} {pos} of {len} files, {eta} left  {wide_msg}");
        bar.set_style(style.expect("the template is valid"));
        bar.enable_steady_tick(INTERVAL);
        let _ = self.bar.set(bar);
    }

    fn begin(&self, file: &Path) {
        if let Some(bar) = self.bar.get() {
            bar.set_message(one_line(&files::shown(file)));
        }
    }

    fn done(&self) {
        if let Some(bar) = self.bar.get() {
            bar.inc(1);
        }
    }

    fn interrupted(&self, deliver: &mut dyn FnMut()) {
        match self.bar.get() {
            Some(bar) => bar.suspend(deliver),
            None => deliver(),
        }
    }
}

impl Drop for FileProgress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
