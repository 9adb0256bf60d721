//! What can be set for the whole process: the memory of the chunk cache, and the number of threads. Nothing needs to
//! be. [`File::options`](crate::File::options) sets the same for one file; what is set here are its defaults.

mod bound;
mod budget;
mod cgroup;
mod memory;

use crate::chunk::cache::{ChunkCache, Stats};
pub use crate::environment::{CACHE_VARIABLE, THREADS_VARIABLE};
use crate::runtime::{self, PerProcess, Runtime};
use crate::{Error, Result, environment};
pub use environment::check as check_environment;

/// The cache of decoded chunks that files share unless they have one of their own.
pub(crate) fn chunk_cache() -> &'static ChunkCache {
    static CACHE: PerProcess<ChunkCache> = PerProcess::new();
    CACHE.get(|| match environment::cache_bytes() {
        Some(bytes) => ChunkCache::new(usize::try_from(bytes).unwrap_or(usize::MAX)),
        None => ChunkCache::following(default_budget),
    })
}

/// What reads use unless something else is set: the cache and the threads of the process.
pub fn runtime() -> Runtime {
    Runtime::new(chunk_cache)
}

fn default_budget(resident: usize) -> usize {
    budget::budget(memory::System::own().memory(), resident)
}

/// Sets how many bytes of decoded chunks the process keeps; 0 keeps none.
///
/// Unless this, or the variable [`CACHE_VARIABLE`], says how many, it is an eighth of the memory that the process may
/// use (the least that the machine, its control groups and its resource limits allow), at most 8 GiB, and less while
/// other processes leave little memory free.
pub fn set_cache_bytes(bytes: usize) {
    chunk_cache().set_budget(bytes);
}

/// How many bytes of decoded chunks the process keeps at most.
pub fn cache_bytes() -> usize {
    chunk_cache().budget()
}

/// Forgets all decoded chunks of the process's cache: for measurements that must begin cold.
pub fn clear_cache() {
    chunk_cache().clear();
}

/// What the process's chunk cache has done so far.
pub fn cache_stats() -> Stats {
    chunk_cache().stats()
}

/// How many threads decode, the caller's included. They are started by the first read, or by this.
pub fn threads() -> usize {
    runtime::thread_count()
}

/// Sets how many threads decode, the caller's included: 1 decodes on the caller's thread alone. Reads that are under
/// way go on with the threads that they began with.
///
/// Unless this, or the variable [`THREADS_VARIABLE`], says how many, there are as many as the process may run at a time
/// (its scheduling affinity, the processor quota of its control groups).
///
/// # Errors
/// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for 0; [`ErrorKind::Limit`](crate::ErrorKind::Limit) where the
/// system gives no more threads.
pub fn set_threads(count: usize) -> Result<()> {
    if count == 0 {
        return Err(
            Error::invalid("0 threads cannot decode").with_hint("1 decodes on the caller's thread alone")
        );
    }
    runtime::set_thread_count(count)
}
