//! Calls of libhdf5 in C.

use super::storage::{StorageLines, joined};
use crate::CacheSettings;
use crate::filter::number::{DEFLATE, FLETCHER32, SHUFFLE};

/// The call that sets the chunk cache of a dataset; `function` takes the property list.
pub fn c_cache(function: &str, cache: CacheSettings) -> String {
    let CacheSettings { nbytes, nslots, w0 } = cache;
    format!("H5Pset_chunk_cache(dapl, {nslots}, {nbytes}, {w0}); /* dapl for {function} */")
}

impl StorageLines<'_> {
    /// The calls that set the properties of a new dataset. `None` for filters other than deflate.
    pub fn c(&self) -> Option<String> {
        let chunks = self.chunks?;
        if self.decimal_digits.is_some() || !self.has_only(&[SHUFFLE, DEFLATE, FLETCHER32]) {
            return None;
        }
        let (rank, list) = (chunks.len(), joined(chunks, ", "));
        let mut calls = format!("hsize_t chunk[] = {{{list}}}; H5Pset_chunk(dcpl, {rank}, chunk);");
        for filter in self.filters {
            calls.push_str(&match filter.id {
                SHUFFLE => " H5Pset_shuffle(dcpl);".to_owned(),
                DEFLATE => format!(" H5Pset_deflate(dcpl, {});", filter.parameters.first()?),
                _ => " H5Pset_fletcher32(dcpl);".to_owned(),
            });
        }
        Some(calls)
    }
}
