//! What an access costs an engine, without reading: chunks decoded, and the seconds that they should take.

use crate::study::{Access, Block};
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::{CostModel, Terms};
use hyperslab_doctor::simulate::{CacheSettings, ChunkCacheSim, Geometry, LibVersion, ReadCounts, Touched};

/// Accesses of more blocks than this are not simulated.
const BLOCKS_MAX: u64 = 20_000_000;

/// What was simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Simulated {
    /// Chunks decoded.
    pub(super) decodes: u64,
    /// Seconds that it should take.
    pub(super) seconds: Option<f64>,
}

/// Reads by a libhdf5 of this release, with this cache. `None` for engines without, and where [`counts`] knows none.
pub(super) fn reads(
    facts: &DatasetFacts,
    access: &Access,
    reads_max: Option<u64>,
    version: Option<&str>,
    cache: Option<CacheSettings>,
) -> Option<Simulated> {
    let (Some(version), Some(cache)) = (version, cache) else { return None };
    let geometry = Geometry::of(facts).ok()??;
    if !geometry.is_filtered() {
        return Some(Simulated { decodes: 0, seconds: None });
    }
    let counts = counts(facts, access, reads_max, version, cache)?;
    let mut touched = Touched::default();
    for block in access.first_blocks(&facts.shape, reads_max) {
        touched.add(Touched::by_read(&geometry, &block.start, &covered(&block)));
    }
    // In one thread, as libhdf5 is.
    let seconds = CostModel::new(facts, &geometry, Terms::BUILT_IN, 1).seconds_of_reads(&touched, &counts);
    Some(Simulated { decodes: counts.decodes, seconds: Some(seconds) })
}

/// All that a libhdf5 of this release does with this cache. `None` where a stride leaps over chunks: the simulator knows
/// plain blocks, which touch the same chunks as strided ones with steps up to a chunk. Bytes of a strided read are those
/// of the block that it lies in.
pub(crate) fn counts(
    facts: &DatasetFacts,
    access: &Access,
    reads_max: Option<u64>,
    version: &str,
    cache: CacheSettings,
) -> Option<ReadCounts> {
    let version: LibVersion = version.parse().ok()?;
    let geometry = Geometry::of(facts).ok()??;
    let chunk = geometry.chunk_dims()?;
    if access.step.iter().zip(chunk).any(|(step, chunk)| step > chunk) {
        return None;
    }
    if access.len(&facts.shape).min(reads_max.unwrap_or(u64::MAX)) > BLOCKS_MAX {
        return None;
    }
    let mut simulated = ChunkCacheSim::new(&geometry, cache, version);
    let mut counts = ReadCounts::default();
    for block in access.first_blocks(&facts.shape, reads_max) {
        counts.add(simulated.read(&block.start, &covered(&block)));
    }
    Some(counts)
}

/// The extents of the plain block that a strided one lies in.
fn covered(block: &Block) -> Vec<u64> {
    let extents = block.count.iter().zip(&block.step);
    extents.map(|(count, step)| count.saturating_sub(1) * step + 1).collect()
}
