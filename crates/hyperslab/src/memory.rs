//! Memory and threads, for programs that process data beside the engine.

mod places;

pub use places::Places;

use crate::File;

pub use hyperslab_array::chunk::memory::mapped_bytes_peak;
pub use hyperslab_array::chunk::readahead::Readahead;
pub use hyperslab_array::memory::advise_huge_pages;

/// What `work` makes of each item, in the order of the items: on the calling thread and on those that decode the file, of
/// which a forked process has its own.
pub fn in_parallel<T: Sync, R: Send>(file: &File, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    file.inner.data.runtime.map(items, work)
}
