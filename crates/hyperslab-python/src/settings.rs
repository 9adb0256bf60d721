//! Settings of the whole process, and statistics of the chunk cache.

use crate::errors;
use pyo3::prelude::*;

/// Set the memory budget for decoded chunks of this process: a number of bytes, or text such as "2GiB". 0 keeps none.
#[pyfunction]
pub fn set_cache_bytes(bytes: &Bound<'_, PyAny>) -> PyResult<()> {
    let wanted = match bytes.extract::<String>() {
        Ok(text) => hyperslab::parse_bytes(&text).ok_or_else(|| {
            errors::invalid(format!("{text:?} is not a valid byte size; use a number of bytes, or one with a unit such as 2GiB or 500MB"))
        })?,
        Err(_) => bytes.extract::<u64>()?,
    };
    hyperslab::set_cache_bytes(usize::try_from(wanted).unwrap_or(usize::MAX));
    Ok(())
}

/// Return the memory budget for decoded chunks of this process, in bytes.
#[pyfunction]
pub fn cache_bytes() -> usize {
    hyperslab::cache_bytes()
}

/// Return statistics of the chunk cache of this process.
#[pyfunction]
pub fn cache_stats() -> CacheStats {
    let stats = hyperslab::cache_stats();
    CacheStats {
        hits: stats.hits,
        misses: stats.misses,
        decodes: stats.decodes,
        evictions: stats.evictions,
        resident_bytes: stats.resident_bytes,
        resident_chunks: stats.resident_chunks,
    }
}

/// Statistics of the chunk cache of this process.
#[pyclass(frozen, get_all, module = "hyperslab")]
pub struct CacheStats {
    /// Requests for a chunk that were answered from the cache.
    hits: u64,
    /// Requests for a chunk that had to decode it.
    misses: u64,
    /// Chunks that were decoded, including those read ahead.
    decodes: u64,
    /// Chunks that were removed to make room for others.
    evictions: u64,
    /// The size of the chunks in the cache, in bytes.
    resident_bytes: usize,
    /// The number of chunks in the cache.
    resident_chunks: usize,
}

#[pymethods]
impl CacheStats {
    fn __repr__(&self) -> String {
        let Self { hits, misses, decodes, evictions, resident_bytes, resident_chunks } = self;
        format!(
            "CacheStats(hits={hits}, misses={misses}, decodes={decodes}, evictions={evictions}, \
             resident_bytes={resident_bytes}, resident_chunks={resident_chunks})"
        )
    }
}
