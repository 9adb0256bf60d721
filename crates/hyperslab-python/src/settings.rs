//! Settings of the whole process, and statistics of the chunk cache.

use crate::errors;
use hyperslab::OpenOptions;
use pyo3::prelude::*;

/// Set the memory budget for decoded chunks of this process: a number of bytes, or text such as "2GiB". 0 keeps none.
#[pyfunction]
pub fn set_cache_bytes(bytes: &Bound<'_, PyAny>) -> PyResult<()> {
    hyperslab::set_cache_bytes(size(bytes)?);
    Ok(())
}

/// Return the number of bytes that a text such as "2GiB" or "500MB" names.
#[pyfunction]
pub fn parse_bytes(text: &str) -> PyResult<u64> {
    hyperslab::parse_bytes(text).map_err(|error| errors::invalid(error.to_string()))
}

/// Reads a size: a number of bytes, or text such as "2GiB".
pub fn size(bytes: &Bound<'_, PyAny>) -> PyResult<usize> {
    let bytes = match bytes.extract::<String>() {
        Ok(text) => parse_bytes(&text)?,
        Err(_) => bytes.extract::<u64>()?,
    };
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// The settings of one file.
pub fn of_file(cache_bytes: Option<&Bound<'_, PyAny>>, threads: Option<usize>) -> PyResult<OpenOptions> {
    let mut options = OpenOptions::new();
    if let Some(bytes) = cache_bytes {
        options = options.cache_bytes(size(bytes)?);
    }
    Ok(match threads {
        Some(count) => options.threads(count),
        None => options,
    })
}

/// How many threads decode, the caller's included.
#[pyfunction]
pub fn threads() -> usize {
    hyperslab::threads()
}

/// Sets how many threads of this process decode, the caller's included: 1 decodes on the caller's thread alone.
#[pyfunction]
pub fn set_threads(py: Python<'_>, count: usize) -> PyResult<()> {
    py.detach(|| hyperslab::set_threads(count)).map_err(errors::raise)
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
