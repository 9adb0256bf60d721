//! Seconds of writing a file.

use super::reading::{CACHE_ASSUMED, Swept};
use hyperslab_bench::matrix::WriteStrategy;
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::Terms;
use hyperslab_doctor::simulate::LibVersion;
use hyperslab_engines::{FilterSpec, Storage};
use hyperslab_measure::access::Part;

/// Bytes a second that are written without a filter.
const WRITE_BYTES_PER_SECOND: f64 = 8.0e8;

/// Seconds of writing a file once: a chunk that leaves the cache before it is full is decoded and encoded again.
pub(super) fn write_seconds(
    storage: &Storage,
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
    let encode = storage.filters.iter().map(|filter| 1.0 / encode_bytes_per_second(filter)).sum::<f64>();
    let again = (swept.decodes - swept.chunks).max(0.0);
    // A first encode needs no decode before it.
    swept.seconds - (swept.decodes - again) * swept.decode_once
        + swept.decodes * chunk_bytes * encode
        + bytes / WRITE_BYTES_PER_SECOND
}

/// Bytes a second on one core, as libhdf5's usual builds come; zlib's by level.
fn encode_bytes_per_second(filter: &FilterSpec) -> f64 {
    const ZLIB: [f64; 10] = [8e8, 1e8, 9e7, 7e7, 5.5e7, 4e7, 3e7, 2.2e7, 1e7, 5e6];
    match filter {
        FilterSpec::Gzip(level) => ZLIB[(*level).min(9) as usize],
        FilterSpec::Shuffle => 2e9,
        FilterSpec::Fletcher32 => 1.5e9,
        FilterSpec::Szip { .. } => 1.2e8,
        FilterSpec::Nbit | FilterSpec::ScaleOffset(_) => 1.5e8,
        FilterSpec::Other { .. } => 2e8,
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::facts_of;
    use super::*;
    use hyperslab_doctor::simulate::CacheSettings;

    #[test]
    fn a_writer_that_leaves_chunks_half_full_takes_longer() {
        let plain = Storage::plain(vec![1000, 40, 50], "<f4".parse().unwrap());
        let filters = FilterSpec::parse_pipeline("gzip=1").unwrap();
        let storage = Storage { chunks: Some(vec![500, 20, 25]), filters, ..plain };
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
