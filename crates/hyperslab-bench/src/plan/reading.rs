//! Seconds of the reads of a cell.
//!
//! The simulator follows the first reads of an access; from the second half of them, when the cache is warm, the rest is
//! extrapolated.

use crate::document::Participant;
use crate::matrix::Simulated;
use hyperslab_doctor::predict::CostModel;
use hyperslab_doctor::simulate::{ChunkCacheSim, Geometry, LibVersion};
use hyperslab_doctor::{DatasetFacts, equivalent_cache};
use hyperslab_engines::Engine;
use hyperslab_measure::access::{Access, Part};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::Terms;

/// Seconds to find and load one chunk, where chunks are too many to be followed.
const VISIT_SECONDS: f64 = 2.0e-6;
/// Chunk visits that are simulated of one access.
const VISITS_MAX: u64 = 400_000;
/// The cache of a library that does not say which it has: that of libhdf5 up to 1.14.
pub const CACHE_ASSUMED: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

/// Seconds of one run of all reads; 0 for the engine that does nothing.
pub fn read_seconds(
    facts: &DatasetFacts,
    access: &Access,
    part: Part,
    engine: &Engine,
    cache: Option<CacheSettings>,
    about: Option<&Participant>,
    terms: Terms,
) -> f64 {
    let version =
        about.and_then(|about| about.hdf5_version.as_ref()?.parse().ok()).unwrap_or(LibVersion::NEWEST);
    let cache = match engine {
        // Its own cache has no slots, and is not what the user varies.
        Engine::Hyperslab => equivalent_cache(hyperslab::cache_bytes() as u64).0,
        _ => cache.or(about.and_then(|about| about.default_cache)).unwrap_or(CACHE_ASSUMED),
    };
    let Some(swept) = Swept::of(facts, access, part, cache, version, terms) else { return 0.0 };
    match engine {
        Engine::Null => 0.0,
        // It decodes each chunk once, whatever comes again.
        Engine::Hyperslab => swept.seconds - (swept.decodes - swept.chunks).max(0.0) * swept.decode_once,
        _ => swept.seconds,
    }
}

/// What all blocks of an access come to.
pub struct Swept {
    /// Seconds of all reads in libhdf5.
    pub seconds: f64,
    /// Chunks decoded.
    pub decodes: f64,
    /// Chunks of the dataset.
    pub chunks: f64,
    /// Seconds of one decode.
    pub decode_once: f64,
}

impl Swept {
    /// Follows the reads; `None` for a dataset that cannot be simulated.
    pub fn of(
        facts: &DatasetFacts,
        access: &Access,
        part: Part,
        cache: CacheSettings,
        version: LibVersion,
        terms: Terms,
    ) -> Option<Self> {
        let geometry = Geometry::of(facts).ok()??;
        let model = CostModel::new(facts, &geometry, terms, 1);
        let shape = geometry.shape();
        let unit: Vec<u64> = match geometry.chunk_dims() {
            Some(chunk) => chunk.to_vec(),
            // Of contiguous data, the rows that a block consists of.
            None => {
                (0..shape.len()).map(|axis| if axis + 2 > shape.len() { shape[axis] } else { 1 }).collect()
            }
        };
        let units = |dims: &[u64]| {
            dims.iter().zip(&unit).fold(1u64, |n, (dim, unit)| n.saturating_mul(dim.div_ceil((*unit).max(1))))
        };
        let blocks = access.len_of(shape, part);
        let (touched, decode_once) = (units(&access.block), model.decode_once());
        let mut swept = Self { seconds: 0.0, decodes: 0.0, chunks: units(shape) as f64, decode_once };
        if touched > VISITS_MAX {
            // Too many to follow: each is fetched, and decoded where it is filtered.
            swept.decodes = if geometry.is_filtered() { blocks as f64 * touched as f64 } else { 0.0 };
            swept.seconds = blocks as f64 * touched as f64 * VISIT_SECONDS + swept.decodes * decode_once;
            return Some(swept);
        }
        let mut sim = ChunkCacheSim::new(&geometry, cache, version);
        let followed = blocks.min((VISITS_MAX / touched.max(1)).max(2));
        let mut reads = access.part(shape, part);
        let cold = Simulated::reads(&geometry, &mut sim, reads.by_ref().take((followed / 2) as usize));
        let warm = Simulated::reads(&geometry, &mut sim, reads.take((followed - followed / 2) as usize));
        let rest = (blocks - followed / 2) as f64 / (followed - followed / 2).max(1) as f64;
        for (Simulated { touched, counts }, times) in [(cold, 1.0), (warm, rest)] {
            swept.seconds += model.seconds_of_reads(&touched, &counts) * times;
            swept.decodes += counts.decodes as f64 * times;
        }
        Some(swept)
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::facts_of;
    use super::*;
    use hyperslab_engines::CreationProperties;
    use hyperslab_storage::FilterRequest;

    fn storage(chunks: &[u64], filters: &str) -> CreationProperties {
        let plain = CreationProperties::plain(vec![1000, 40, 50], "<f4".parse().unwrap());
        let filters = FilterRequest::parse_pipeline(filters).unwrap();
        CreationProperties { chunks: Some(chunks.to_vec()), filters, ..plain }
    }

    fn decodes(storage: &CreationProperties, block: &[u64], part: Part) -> f64 {
        let access = Access::sweep(block.to_vec());
        let swept = Swept::of(
            &facts_of(storage, 2.0),
            &access,
            part,
            CACHE_ASSUMED,
            LibVersion::NEWEST,
            Terms::BUILT_IN,
        );
        swept.unwrap().decodes
    }

    #[test]
    fn hyperslab_is_not_predicted_to_fetch_whole_chunks_again_and_again() {
        // Columns through raw planes that no cache of 1 MiB holds.
        let storage = CreationProperties {
            chunks: Some(vec![1000, 40, 1]),
            filters: Vec::new(),
            ..storage(&[1, 1, 1], "gzip=1")
        };
        let seconds = |engine: &Engine| {
            let cache = Some(CacheSettings { nbytes: 1 << 18, ..CACHE_ASSUMED });
            let access = Access::sweep(vec![1, 1, 50]);
            read_seconds(&facts_of(&storage, 1.0), &access, Part::All, engine, cache, None, Terms::BUILT_IN)
        };
        let library = Engine::Libhdf5(hyperslab_engines::library::Found {
            path: "libhdf5.so".into(),
            origin: String::new(),
            plugins: None,
        });
        let (ours, theirs) = (seconds(&Engine::Hyperslab), seconds(&library));
        assert!(ours < 2.0 && theirs > 10.0 * ours, "{ours} s and {theirs} s");
    }

    #[test]
    fn what_is_simulated_in_part_is_what_all_would_be() {
        // Maps decode each chunk of a map for every map: 4 chunks of 800 kB, of which one fits.
        let storage = storage(&[500, 20, 25], "gzip=1");
        assert_eq!(decodes(&storage, &[1, 40, 50], Part::All), 4000.0);
        assert_eq!(decodes(&storage, &[1, 40, 50], Part::First(10)), 40.0);
        // Two million single elements: more than are followed; they come back to 40 x 50 / (20 x 25) chunks.
        let all = decodes(&storage, &[1, 1, 1], Part::All);
        assert!((0.5..2.0).contains(&(all / (1000.0 * 40.0 * 2.0))), "{all}");
    }
}
