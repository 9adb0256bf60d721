//! Seconds of writing a file.

use super::reading::{CACHE_ASSUMED, Swept};
use crate::matrix::WriteStrategy;
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::{WRITE_BYTES_PER_SECOND, encode_byte_seconds};
use hyperslab_doctor::simulate::LibVersion;
use hyperslab_engines::CreationProperties;
use hyperslab_measure::access::Part;
use hyperslab_storage::cost::Terms;

/// Seconds of writing a file once: a chunk that leaves the cache before it is full is decoded and encoded again.
pub fn write_seconds(
    storage: &CreationProperties,
    strategy: &WriteStrategy,
    facts: &DatasetFacts,
    terms: Terms,
) -> f64 {
    let bytes = storage.logical_bytes() as f64;
    let cache = strategy.cache.unwrap_or(CACHE_ASSUMED);
    let Some(swept) =
        Swept::of(facts, &strategy.access(storage), Part::All, cache, LibVersion::NEWEST, terms)
    else {
        return bytes / WRITE_BYTES_PER_SECOND;
    };
    let chunk_bytes = storage.chunk_bytes().unwrap_or(0) as f64;
    let encode = encode_byte_seconds(&facts.filters);
    let again = (swept.decodes - swept.chunks).max(0.0);
    // A first encode needs no decode before it.
    swept.seconds - (swept.decodes - again) * swept.decode_once
        + swept.decodes * chunk_bytes * encode
        + bytes / WRITE_BYTES_PER_SECOND
}

#[cfg(test)]
mod tests {
    use super::super::facts::facts_of;
    use super::*;
    use hyperslab_storage::{CacheSettings, FilterRequest};

    #[test]
    fn a_writer_that_leaves_chunks_half_full_takes_longer() {
        let plain = CreationProperties::plain(vec![1000, 40, 50], "<f4".parse().unwrap());
        let filters = FilterRequest::parse_pipeline("gzip=1").unwrap();
        let storage = CreationProperties { chunks: Some(vec![500, 20, 25]), filters, ..plain };
        let facts = facts_of(&storage, 2.0);
        let seconds = |block: Option<Vec<u64>>, nbytes| {
            let cache = Some(CacheSettings { nbytes, ..CACHE_ASSUMED });
            write_seconds(&storage, &WriteStrategy { block, order: None, cache }, &facts, Terms::BUILT_IN)
        };
        let by_maps = seconds(Some(vec![1, 40, 50]), 1 << 20);
        assert!(by_maps > 100.0 * seconds(None, 1 << 20), "{by_maps}");
        assert!(by_maps > 100.0 * seconds(Some(vec![1, 40, 50]), 64 << 20));
    }
}
