//! Chunks whose shape stays, as the recoding decodes them: with what is stored beyond the extent, which may be anything.

use crate::plan::{Method, Recoding};
use crate::recode::chunk_decoder::{ChunkDecoder, read_stored};

use hyperslab::{ChunkMap, Dataset};
use hyperslab_encode::block::Block;
use hyperslab_encode::chunk_encoder::CodecState;
use hyperslab_io::Source;
use std::sync::Arc;

pub(super) struct StoredChunks {
    map: Arc<ChunkMap>,
    decoder: ChunkDecoder,
    source: Arc<dyn Source>,
}

impl StoredChunks {
    /// For samples of this shape; none where they are not the chunks of the source, and where each chunk would be a request that
    /// takes long.
    pub fn of(dataset: &Dataset, recoding: &Recoding, shape: &[u64], chunk_bytes: u64) -> Option<Self> {
        let source = dataset.file().source();
        let is_whole = dataset.chunk_shape() == Some(shape);
        if !is_whole || !matches!(recoding.method, Method::ChunkByChunk) || source.advice().has_latency() {
            return None;
        }
        let decoder = ChunkDecoder::new(dataset, usize::try_from(chunk_bytes).ok()?).ok()?;
        Some(Self { map: dataset.chunk_map().ok()?, decoder, source })
    }

    /// Decodes a chunk; none where it does not exist, or only the engine can read it. `is_partial`: it reaches beyond the extent.
    pub fn decode(&self, block: &Block, is_partial: bool, state: &mut CodecState) -> Option<()> {
        let grid = self.map.grid();
        let coordinates = block.start.iter().zip(grid.chunk_shape()).map(|(start, size)| start / size);
        let location = self.map.get(grid.number(coordinates))?;
        let CodecState { scratch, chunk, stored, .. } = state;
        read_stored(&*self.source, location, stored).ok()?;
        self.decoder.decode(stored, location, is_partial, scratch, chunk).ok()
    }
}
