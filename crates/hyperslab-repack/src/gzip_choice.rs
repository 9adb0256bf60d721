//! Chunks of the new file that are read to decide between the encoders of gzip, before the data is read.

use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_encode::chunk_encoder::{ChunkEncoder, CodecState};
use hyperslab_encode::ordered::Workers;
use hyperslab_filters::FilterError;
use hyperslab_tree::damage::fill_element;

/// Decides by new chunks of `count` in all, of `chunk_bytes` bytes each; `block` is where the one in a row lies.
///
/// # Errors
/// Those of the filters. What cannot be read is told when it is to be written.
pub(crate) fn settle_by_reading(
    encoder: &ChunkEncoder,
    workers: &Workers<CodecState>,
    dataset: &Dataset,
    chunk_bytes: usize,
    count: usize,
    block: impl Fn(usize) -> Block + Sync,
) -> Result<(), FilterError> {
    let fill = fill_element(dataset);
    encoder.settle(count, workers, |row: usize, chunk: &mut Vec<u8>| {
        let whole = block(row);
        let within = whole.clone().within(dataset.shape());
        let selection = Selection::block(&within.start, &within.count);
        let Ok(elements) = dataset.read_bytes(&selection, Endianness::File) else { return false };
        *chunk = fill.repeat(chunk_bytes / fill.len().max(1));
        copy_common((&elements, &within), (chunk, &whole), fill.len());
        true
    })
}
