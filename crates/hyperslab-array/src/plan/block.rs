//! Small reads of unfiltered data, from blocks in the cache.
//!
//! A program that reads an unfiltered array row by row would make a request for every row. After a few small reads of
//! adjacent bytes, the whole block around the next one is fetched and cached, so that the following reads need no
//! request. Small reads at scattered positions fetch exactly the bytes that they want.
//!
//! A block that was read completely is dropped if the source has no latency: then the next one goes to the same memory.
//!
//! Blocks are aligned to the beginning of the file, so that neighbouring chunks share them.

use crate::array::DataSource;
use crate::chunk::cache::{ChunkCache, ChunkKey, Decoded};
use hyperslab_io::Advice;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// How a plan looks at the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheView {
    /// To use what is there.
    Use,
    /// To tell what is there, without counting as a use.
    Observe,
}

impl CacheView {
    /// What the cache holds under this key.
    pub(crate) fn find(self, cache: &ChunkCache, key: ChunkKey) -> Option<Arc<Decoded>> {
        match self {
            CacheView::Use => cache.get(key),
            CacheView::Observe => cache.peek(key),
        }
    }
}

/// A block that a small read takes its bytes from.
pub(crate) struct BlockStep {
    /// Bytes of the file.
    pub(crate) range: Range<u64>,
    /// The block, if the cache held it; else it is requested.
    pub(crate) cached: Option<Arc<Decoded>>,
}

/// Small reads that follow one another before a block is fetched. Where an answer takes its time, earlier.
const NEIGHBOURS_MIN: u32 = 4;
const DISTANT_NEIGHBOURS_MIN: u32 = 2;
/// A small read is at most this part of a block.
const SMALL_PART: u64 = 8;
/// A cache that has not room for so many blocks keeps none.
const ROOM_MIN: usize = 8;

/// Bytes of a block: a quarter of the largest request, within reason.
fn block_bytes(advice: Advice) -> u64 {
    (advice.request_bytes_max / 4).clamp(64 << 10, 2 << 20)
}

/// The largest read that counts as small.
pub(crate) fn small_bytes(advice: Advice) -> u64 {
    block_bytes(advice) / SMALL_PART
}

/// The blocks that a small read of these bytes should take them from; `None` where exactly they should be fetched.
pub(crate) fn blocks(
    data: &DataSource,
    advice: Advice,
    wanted: &Range<u64>,
    view: CacheView,
) -> Option<SmallVec<[BlockStep; 2]>> {
    let (cache, bytes, len) = (data.runtime.cache(), block_bytes(advice), data.source.len());
    if wanted.is_empty() || wanted.end > len || cache.budget() < ROOM_MIN * bytes as usize {
        return None;
    }
    let enough = if advice.has_latency() { DISTANT_NEIGHBOURS_MIN } else { NEIGHBOURS_MIN };
    let is_regular = || data.small_reads.neighbours(wanted, advice.gap_bytes) >= enough;
    if !data.small_reads.has_blocks() && !is_regular() {
        return None;
    }
    let numbers = wanted.start / bytes..=(wanted.end - 1) / bytes;
    let steps = numbers.map(|number| {
        let start = number * bytes;
        let cached = view.find(cache, data.block_key(start));
        BlockStep { range: start..start.saturating_add(bytes).min(len), cached }
    });
    let steps: SmallVec<[BlockStep; 2]> = steps.collect();
    (steps.iter().all(|step| step.cached.is_some()) || is_regular()).then_some(steps)
}
