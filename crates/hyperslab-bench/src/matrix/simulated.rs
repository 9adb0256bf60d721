//! How many chunks an engine decodes for an access, without reading.

use crate::study::Access;
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::simulate::{CacheSettings, ChunkCacheSim, Geometry, LibVersion};

/// Accesses of more blocks than this are not simulated.
const BLOCKS_MAX: u64 = 20_000_000;

/// Decodes by a libhdf5 of this release, with this cache. `None` for engines without, and where a stride leaps over
/// chunks: the simulator knows plain blocks, which touch the same chunks as strided ones with steps up to a chunk.
pub(super) fn decodes(
    facts: &DatasetFacts,
    access: &Access,
    reads_max: Option<u64>,
    version: Option<&str>,
    cache: Option<CacheSettings>,
) -> Option<u64> {
    let (Some(version), Some(cache)) = (version, cache) else { return None };
    let version: LibVersion = version.parse().ok()?;
    let geometry = Geometry::of(facts).ok()??;
    if !geometry.is_filtered() {
        return Some(0);
    }
    let chunk = geometry.chunk_dims()?;
    if access.step.iter().zip(chunk).any(|(step, chunk)| step > chunk) {
        return None;
    }
    let most = reads_max.unwrap_or(u64::MAX);
    if access.len(&facts.shape).min(most) > BLOCKS_MAX {
        return None;
    }
    let mut simulated = ChunkCacheSim::new(&geometry, cache, version);
    let reads = access.blocks(&facts.shape).take(usize::try_from(most).unwrap_or(usize::MAX));
    Some(reads.fold(0, |decodes, block| {
        let extents = block.count.iter().zip(&block.step);
        let covered: Vec<u64> = extents.map(|(count, step)| count.saturating_sub(1) * step + 1).collect();
        decodes + simulated.read(&block.start, &covered).decodes
    }))
}
