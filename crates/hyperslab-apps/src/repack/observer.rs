//! Who is told how far the rewriting of a file is, and may end it.

use hyperslab::Cancel;
use hyperslab_repack::Monitor;

/// Hears how far the rewriting of a file is, and may end it.
pub trait Observer: Sync {
    /// Ends the work where it is cancelled: what has been written then goes.
    fn cancel(&self) -> Cancel {
        Cancel::never()
    }

    /// Calls `work`, which rewrites the file of this name and keeps the monitor up to date.
    fn watch(&self, _name: &str, _monitor: &Monitor, work: &mut dyn FnMut()) {
        work();
    }
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Observer for Quiet {}
