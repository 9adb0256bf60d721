//! The settings of the process: the size of the chunk cache, and the number of threads. Nothing needs to be set. A file
//! can have its own settings; those of the process are their defaults.

mod bound;
mod budget;
mod cgroup;
mod memory;

use crate::chunk::cache::{ChunkCache, Stats};
pub use crate::environment::{CACHE_VARIABLE, THREADS_VARIABLE};
use crate::runtime::{self, Runtime};
use crate::{Error, Result, environment};
pub use environment::check as check_environment;
use hyperslab_io::PerProcess;

/// The chunk cache of the process, which files use unless they have their own.
pub(crate) fn chunk_cache() -> &'static ChunkCache {
    static CACHE: PerProcess<ChunkCache> = PerProcess::new();
    CACHE.get(|| match environment::cache_bytes() {
        Some(bytes) => ChunkCache::new(usize::try_from(bytes).unwrap_or(usize::MAX)),
        None => ChunkCache::following(default_budget),
    })
}

/// The chunk cache and the threads of the process.
pub fn runtime() -> Runtime {
    Runtime::new(chunk_cache)
}

fn default_budget(resident: usize) -> usize {
    budget::budget(memory::System::own().memory(), resident)
}

/// Sets the size of the process's chunk cache in bytes of decoded chunks; 0 disables caching.
///
/// The default, unless the environment variable [`CACHE_VARIABLE`] sets it, is an eighth of the memory that the process
/// may use (the least that the machine, its control groups and its resource limits allow), at most 8 GiB, and less
/// while other processes leave little memory free.
pub fn set_cache_bytes(bytes: usize) {
    chunk_cache().set_budget(bytes);
}

/// The size of the process's chunk cache in bytes.
pub fn cache_bytes() -> usize {
    chunk_cache().budget()
}

/// Removes all chunks from the process's cache, for measurements with a cold cache.
pub fn clear_cache() {
    chunk_cache().clear();
}

/// The statistics of the process's chunk cache.
pub fn cache_stats() -> Stats {
    chunk_cache().stats()
}

/// The number of threads that decode, including the calling thread. The threads are started by the first read, or by
/// this function.
pub fn threads() -> usize {
    runtime::thread_count()
}

/// Sets the number of threads that decode, including the calling thread. With 1, the calling thread decodes alone.
/// Reads that have already begun keep their threads.
///
/// The default, unless the environment variable [`THREADS_VARIABLE`] sets it, is the number of processors that the
/// process may use (its scheduling affinity and the processor quota of its control groups).
///
/// # Errors
/// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for 0; [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the system
/// cannot start so many threads.
pub fn set_threads(count: usize) -> Result<()> {
    if count == 0 {
        return Err(Error::invalid("0 is not a valid number of threads")
            .with_hint("with 1 thread, the calling thread decodes alone"));
    }
    runtime::set_thread_count(count)
}
