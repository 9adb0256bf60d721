//! Who is told how far a run over many files is.

use std::path::Path;

/// Hears how far a run over many files is. Several threads work on files at the same time.
pub trait FilesObserver: Sync {
    /// So many files will be worked on.
    fn files(&self, _count: usize) {}

    /// Work on this one begins.
    fn begin(&self, _file: &Path) {}

    /// One more is done.
    fn done(&self) {}

    /// Calls `deliver`, which hands on what came of a file: where progress is drawn, it must not stand in the way.
    fn interrupted(&self, deliver: &mut dyn FnMut()) {
        deliver();
    }
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl FilesObserver for Silent {}
