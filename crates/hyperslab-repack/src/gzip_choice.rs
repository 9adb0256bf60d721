//! Which encoder writes gzip: what is asked for, and the chunks of the new file that are read to decide.

use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_encode::chunk_encoder::{ChunkEncoder, CodecState};
use hyperslab_encode::ordered::Workers;
use hyperslab_filters::FilterError;
use hyperslab_storage::GzipEncoder;
use hyperslab_tree::damage::fill_element;
use hyperslab_tree::relocate::contains_addresses;

/// The encoder for a dataset where `asked` is asked for.
pub(crate) fn requested(dataset: &Dataset, asked: GzipEncoder) -> GzipEncoder {
    // Elements with addresses are other ones in the new file.
    if contains_addresses(dataset.datatype()) { GzipEncoder::Small } else { asked }
}

/// The elements of a block as they are in the source. What cannot be read is told when it is to be written.
pub(crate) fn elements(dataset: &Dataset, block: &Block) -> Option<Vec<u8>> {
    dataset.read_bytes(&Selection::block(&block.start, &block.count), Endianness::File).ok()
}

/// Decides by new chunks of `count` in all, of `chunk_bytes` bytes each; `block` is where the one in a row lies, and `read` the
/// elements of what of it is within the extent.
///
/// # Errors
/// Those of the filters.
pub(crate) fn choose_by_reading(
    encoder: &ChunkEncoder,
    workers: &Workers<CodecState>,
    dataset: &Dataset,
    (chunk_bytes, count): (usize, usize),
    block: impl Fn(usize) -> Block + Sync,
    read: impl Fn(&Block) -> Option<Vec<u8>> + Sync,
) -> Result<(), FilterError> {
    let fill = fill_element(dataset);
    encoder.choose(count, workers, |row: usize, chunk: &mut Vec<u8>| {
        let whole = block(row);
        let within = whole.clone().within(dataset.shape());
        let Some(elements) = read(&within) else { return false };
        *chunk = fill.repeat(chunk_bytes / fill.len().max(1));
        copy_common((&elements, &within), (chunk, &whole), fill.len());
        true
    })
}
