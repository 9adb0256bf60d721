//! What an access costs a libhdf5, without reading: chunks decoded, and the seconds that they should take.

use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::CostModel;
use hyperslab_doctor::simulate::{ChunkCacheSim, Geometry, LibVersion, ReadCounts, Touched};
use hyperslab_engines::Block;
use hyperslab_measure::access::{Access, Part};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::Terms;

/// Accesses of more blocks than this are not simulated.
const BLOCKS_MAX: u64 = 20_000_000;

/// What was simulated of some reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Simulated {
    /// The chunks that they touch.
    pub touched: Touched,
    /// What the library does.
    pub counts: ReadCounts,
}

impl Simulated {
    /// Reads of these blocks, behind a chunk cache that keeps what it held before.
    pub fn reads(
        geometry: &Geometry,
        cache: &mut ChunkCacheSim<'_>,
        blocks: impl Iterator<Item = Block>,
    ) -> Self {
        let mut simulated = Self::default();
        for block in blocks {
            let extents = block.count.iter().zip(&block.step);
            let covered: Vec<u64> = extents.map(|(count, step)| count.saturating_sub(1) * step + 1).collect();
            simulated.touched.add(Touched::by_read(geometry, &block.start, &covered));
            simulated.counts.add(cache.read_strided(&block.start, &block.count, &block.step));
        }
        simulated
    }

    /// All that a libhdf5 of this release does with this cache. `None` where there are no chunks.
    pub(crate) fn of(
        facts: &DatasetFacts,
        access: &Access,
        part: Part,
        version: LibVersion,
        cache: CacheSettings,
    ) -> Option<Self> {
        let geometry = Geometry::of(facts).ok()??;
        geometry.chunk_dims()?;
        if access.len_of(&facts.shape, part) > BLOCKS_MAX {
            return None;
        }
        let mut cache = ChunkCacheSim::new(&geometry, cache, version);
        Some(Self::reads(&geometry, &mut cache, access.part(&facts.shape, part)))
    }
}

/// Chunks decoded, and the seconds that it should take, where chunks pass filters; `None` as of [`Simulated::of`].
pub(super) fn decodes_and_seconds(
    facts: &DatasetFacts,
    access: &Access,
    part: Part,
    version: LibVersion,
    cache: CacheSettings,
) -> Option<(u64, Option<f64>)> {
    let geometry = Geometry::of(facts).ok()??;
    if !geometry.is_filtered() {
        return Some((0, None));
    }
    let Simulated { touched, counts } = Simulated::of(facts, access, part, version, cache)?;
    // In one thread, as libhdf5 is.
    let seconds = CostModel::new(facts, &geometry, Terms::BUILT_IN, 1).seconds_of_reads(&touched, &counts);
    Some((counts.decodes, Some(seconds)))
}
