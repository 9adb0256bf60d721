//! Blocks of unfiltered data in the cache. [`crate::plan`] decides when they are used.

use super::call::Call;
use super::convert::Conversion;
use crate::Result;
use crate::array::DataSource;
use crate::chunk::cache::Decoded;
use crate::chunk::memory::ChunkMemory;
use crate::plan::BlockStep;
use bytes::Bytes;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Copies the bytes `wanted` of the file from these blocks, which contain them, and converts them.
pub(super) fn copy(
    data: &Arc<DataSource>,
    steps: &[BlockStep],
    wanted: Range<u64>,
    out: &mut [u8],
    call: Call<'_>,
    conversion: Conversion,
) -> Result<()> {
    // An element may begin in one block and end in the next.
    let (with_copy, afterwards) = match steps {
        [_] => (conversion, Conversion::None),
        _ => (Conversion::None, conversion),
    };
    let fetched = fetch_together(data, steps, call)?;
    for (step, fetched) in steps.iter().zip(fetched) {
        let block = match &step.cached {
            Some(block) => block.clone(),
            None => bring(data, step, fetched, call)?,
        };
        let (start, end) = (step.range.start.max(wanted.start), step.range.end.min(wanted.end));
        let from = &block[(start - step.range.start) as usize..(end - step.range.start) as usize];
        with_copy.copy(from, &mut out[(start - wanted.start) as usize..(end - wanted.start) as usize]);
        if data.source.advice().has_latency() {
            data.runtime.cache().consumed(&block, from.len());
        } else if data.runtime.cache().consumed_block(&block, from.len()) {
            follow(data, &step.range);
        }
    }
    afterwards.in_place(out);
    Ok(())
}

/// Fetches the missing blocks at the same time, if the source has latency.
fn fetch_together(
    data: &DataSource,
    steps: &[BlockStep],
    call: Call<'_>,
) -> Result<SmallVec<[Option<Bytes>; 2]>> {
    let mut fetched: SmallVec<[Option<Bytes>; 2]> = steps.iter().map(|_| None).collect();
    if data.source.advice().has_latency() {
        let missing = |step: &BlockStep| step.cached.is_none();
        let ranges: Vec<_> =
            steps.iter().filter(|step| missing(step)).map(|step| step.range.clone()).collect();
        let answers = data.fetch(&ranges, call.cancel)?;
        let places = steps.iter().zip(&mut fetched).filter(|(step, _)| missing(step));
        places.zip(answers).for_each(|((_, place), answer)| *place = Some(answer));
    }
    Ok(fetched)
}

/// Fetches a block into the cache, unless another thread has done so in the meantime.
fn bring(
    data: &DataSource,
    step: &BlockStep,
    fetched: Option<Bytes>,
    call: Call<'_>,
) -> Result<Arc<Decoded>> {
    call.check_cancelled()?;
    let Range { start, end } = step.range;
    let gap = data.source.advice().gap_bytes;
    let len = (end - start) as usize;
    data.small_reads.keep_block();
    data.runtime.cache().get_or_decode(data.block_key(start), len, || {
        let mut memory = ChunkMemory::take(len)?;
        match fetched {
            Some(bytes) => memory.copy_from_slice(&bytes),
            None => data.read_into(start, &mut memory)?,
        }
        data.small_reads.note(start..end, gap);
        Ok(Decoded::from(memory))
    })
}

/// Has the block after this one fetched on an idle core if a walk has come to this one.
fn follow(data: &Arc<DataSource>, block: &Range<u64>) {
    let next = block.end..block.end.saturating_add(block.end - block.start).min(data.source.len());
    if data.runtime.thread_count() > 1 && !next.is_empty() && data.small_reads.ascends_to(block) {
        let (data, block) = (data.clone(), block.clone());
        data.runtime.clone().spawn(move || bring_ahead(&data, &block, next));
    }
}

/// Fetches the next block into the cache, unless the walk has gone on or elsewhere in the meantime. An error is reported
/// by the read that wants the block.
fn bring_ahead(data: &DataSource, block: &Range<u64>, next: Range<u64>) {
    let len = (next.end - next.start) as usize;
    let Some(claim) = data.runtime.cache().claim(data.block_key(next.start)) else { return };
    // Only now is the answer final: a reader that comes from here on waits for the claim.
    if !data.small_reads.ascends_to(block) {
        return;
    }
    let Ok(mut memory) = ChunkMemory::take(len) else { return };
    if data.read_into(next.start, &mut memory).is_ok() {
        data.small_reads.note(next, data.source.advice().gap_bytes);
        claim.fulfil(Decoded::from(memory));
    }
}
