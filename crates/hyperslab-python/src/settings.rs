//! What can be set for the whole process, and what the chunk cache has done.

use crate::errors;
use pyo3::prelude::*;

/// Sets how many bytes of decoded chunks this process keeps: a number, or text such as "2GiB"; 0 keeps none.
#[pyfunction]
pub fn set_cache_bytes(bytes: &Bound<'_, PyAny>) -> PyResult<()> {
    let wanted = match bytes.extract::<String>() {
        Ok(text) => hyperslab::parse_bytes(&text).ok_or_else(|| {
            errors::invalid(format!("cannot read {text:?} as a number of bytes; write 2GiB, 500MB"))
        })?,
        Err(_) => bytes.extract::<u64>()?,
    };
    hyperslab::set_cache_bytes(usize::try_from(wanted).unwrap_or(usize::MAX));
    Ok(())
}

/// How many bytes of decoded chunks this process keeps at most.
#[pyfunction]
pub fn cache_bytes() -> usize {
    hyperslab::cache_bytes()
}

/// What the chunk cache of this process has done so far.
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

/// What the chunk cache of this process has done so far.
#[pyclass(frozen, get_all, module = "hyperslab")]
pub struct CacheStats {
    /// Requests that were served without decoding.
    hits: u64,
    /// Requests that had to decode.
    misses: u64,
    /// Chunks that were decoded, those read ahead included.
    decodes: u64,
    /// Chunks that made room for others.
    evictions: u64,
    /// Bytes of the chunks that are kept.
    resident_bytes: usize,
    /// Chunks that are kept.
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
