//! Blocks of small datasets whose data was read ahead, together with that of others, from a source with latency.

use super::chunk_decoder::ChunkDecoder;
use super::{Subject, parts};
use crate::stored_reader::{SMALL_BYTES, StoredReader, stored_range, stored_ranges};
use hyperslab::File;
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_filters::Scratch;

/// The elements of a block; `None` if not all of them were read ahead, or if a chunk cannot be decoded: the engine
/// reads them then, and has the better message.
pub(super) fn read_from_ahead(
    file: &File,
    reader: &StoredReader,
    subject: &Subject,
    block: &Block,
) -> Option<Vec<u8>> {
    let (dataset, size) = (&subject.dataset, subject.fill.len());
    if !reader.has_latency() || dataset.logical_bytes() > SMALL_BYTES {
        return None;
    }
    let extent = dataset.shape();
    let Some(chunk) = dataset.chunk_shape() else {
        let ranges = stored_ranges(file, dataset).ok()?;
        let stored = reader.read_before(ranges.first()?)?;
        let whole = Block { start: vec![0; extent.len()], count: extent.to_vec() };
        let mut elements = vec![0; usize::try_from(subject.bytes(block)).ok()?];
        copy_common((&stored, &whole), (&mut elements, block), size);
        return Some(elements);
    };
    let map = dataset.chunk_map().ok()?;
    let chunk_bytes = chunk.iter().try_fold(size, |bytes, &dim| bytes.checked_mul(dim as usize))?;
    let decoder = ChunkDecoder::new(dataset, chunk_bytes).ok()?;
    let (mut scratch, mut decoded) = (Scratch::new(), Vec::new());
    let mut elements = subject.fill.repeat(block.elements() as usize);
    for part in parts(block, chunk) {
        let coords = part.start.iter().zip(chunk).map(|(start, size)| start / size);
        let coords: Vec<u64> = coords.collect();
        let Some(location) = map.get(map.grid().number(coords.iter().copied())) else { continue };
        let stored = reader.read_before(&stored_range(location))?;
        let whole = Block::of_chunk(&coords, chunk);
        let is_partial = whole.clone().within(extent) != whole;
        decoder.decode(&stored, location, is_partial, &mut scratch, &mut decoded).ok()?;
        copy_common((&decoded, &whole), (&mut elements, block), size);
    }
    Some(elements)
}
