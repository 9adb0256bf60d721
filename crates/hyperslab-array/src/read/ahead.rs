//! Read-ahead: decodes the chunks that a regular series of reads will want next, on idle cores.

use super::decode::decode_to_keep;
use crate::array::Chunked;
use crate::chunk::grid::ChunkNumber;
use crate::chunk::readahead::Readahead;
use crate::plan::ChunkStep;
use std::sync::Arc;

/// Records that a single chunk is being read, and starts to decode those that will be wanted after it.
pub(crate) fn follow(chunked: &Arc<Chunked>, chunk: &ChunkStep) {
    // Chunks that are not decoded need no other core.
    if chunk.is_raw {
        return;
    }
    let readahead = &chunked.state.readahead;
    let numbers = (u64::try_from(chunk.number), u64::try_from(chunked.grid.len()));
    // Nobody reads through a grid of more than 2⁶⁴ chunks.
    let (Ok(number), Ok(count)) = numbers else { return };
    // Most reads stay in their chunk: for them this one load is all.
    if readahead.is_last(number) {
        return;
    }
    // A cache without room keeps nothing ahead.
    let runtime = &chunked.data.runtime;
    let ahead_max = Readahead::ahead_max(runtime.thread_count(), runtime.cache().budget(), chunked.bytes);
    if ahead_max == 0 {
        return;
    }
    for number in readahead.touch(number, count, ahead_max) {
        let chunked = chunked.clone();
        runtime.spawn(move || decode_ahead(&chunked, number));
    }
}

/// Records that several chunks are read at once.
pub(crate) fn pass(chunked: &Chunked, chunks: &[ChunkStep]) {
    chunked.state.readahead.pass(chunks.iter().filter_map(|chunk| chunk.number.try_into().ok()));
}

/// Decodes one chunk into the cache. An error is reported by the read that wants the chunk.
///
/// Between the announcement of a chunk and the moment when a thread is free for it, the reader may have passed it or
/// continued elsewhere. So the thread first claims the chunk and then checks the position of the reader: a reader that
/// arrives later finds the claim; one that has already passed has decoded the chunk.
fn decode_ahead(chunked: &Chunked, expected: u64) {
    let readahead = &chunked.state.readahead;
    if !readahead.expects(expected) {
        return;
    }
    let number = ChunkNumber::from(expected);
    let region: Vec<_> = chunked.grid.coordinates(number).iter().map(|&c| (c, c + 1)).collect();
    let Ok(map) = chunked.locate(&region) else { return };
    let Some(location) = map.get(number).filter(|_| !chunked.is_raw(number)) else { return };
    let Some(claim) = chunked.data.runtime.cache().claim(chunked.key(number)) else { return };
    // Only now is the answer final: a reader that comes from here on waits for the claim.
    if !readahead.expects(expected) {
        return;
    }
    if let Ok(decoded) = decode_to_keep(chunked, number, location, None) {
        claim.fulfil(decoded);
    }
}
