//! Chunks whose shape stays. They are recoded with what is stored beyond the extent, which may be anything.

use crate::block::Block;
use crate::chunk_encoder::CodecState;
use crate::plan::{Method, Recoding};
use crate::recode::chunk_decoder::{ChunkDecoder, read_stored};
use hyperslab::internal::stored;
use hyperslab::{ChunkMap, Dataset};
use hyperslab_io::Source;
use std::sync::Arc;

pub(super) struct StoredChunks {
    map: Arc<ChunkMap>,
    decoder: ChunkDecoder,
    source: Arc<dyn Source>,
}

impl StoredChunks {
    /// None where chunks get another shape, and where each would be a request that takes long.
    pub fn of(dataset: &Dataset, recoding: &Recoding, chunk_bytes: u64) -> Option<Self> {
        let source = stored::source(&dataset.file());
        if !matches!(recoding.method, Method::ChunkByChunk) || source.advice().has_latency() {
            return None;
        }
        let decoder = ChunkDecoder::new(dataset, usize::try_from(chunk_bytes).ok()?).ok()?;
        Some(Self { map: dataset.chunk_map().ok()?, decoder, source })
    }

    /// Decodes a chunk that reaches beyond the extent; none where it is a part of a chunk, or damaged.
    pub fn decode(&self, block: &Block, state: &mut CodecState) -> Option<()> {
        let grid = self.map.grid();
        if block.count != grid.chunk_shape() {
            return None;
        }
        let coordinates = block.start.iter().zip(grid.chunk_shape()).map(|(start, size)| start / size);
        let location = self.map.get(grid.number(coordinates))?;
        let CodecState { scratch, chunk, stored, .. } = state;
        read_stored(&*self.source, location, stored).ok()?;
        self.decoder.decode(stored, location, true, scratch, chunk).ok()
    }
}
