//! A target chunk from parts of the source that are in memory.

use super::{ChunkedTarget, Subject};
use hyperslab_encode::block::{Block, copy_common};

/// Fills `chunk` with the chunk in a row, whose elements are in these parts; with fill values where no part has them.
/// Returns whether the chunk reaches beyond the extent.
pub(super) fn gather(
    subject: &Subject,
    target: &ChunkedTarget,
    row: usize,
    parts: &[(&[u8], &Block)],
    chunk: &mut Vec<u8>,
) -> bool {
    let block = target.block(row);
    let within = block.clone().within(subject.dataset.shape());
    let (is_partial, size) = (within != block, subject.fill.len());
    let common = parts.iter().filter_map(|(_, part)| part.intersection(&within));
    let found: u64 = common.map(|part| part.elements()).sum();
    chunk.resize(target.chunk_bytes, 0);
    if is_partial || found < within.elements() {
        chunk.chunks_exact_mut(size.max(1)).for_each(|element| element.copy_from_slice(&subject.fill));
    }
    parts.iter().for_each(|&part| copy_common(part, (chunk, &block), size));
    is_partial
}
