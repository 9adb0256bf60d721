//! Blocks of unfiltered data in the cache. [`crate::plan`] decides when they are used.

use super::call::Call;
use crate::Result;
use crate::array::DataSource;
use crate::chunk::cache::Decoded;
use crate::chunk::memory::ChunkMemory;
use crate::plan::BlockStep;
use bytes::Bytes;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Copies the bytes `wanted` of the file from these blocks, which contain them.
pub(super) fn copy(
    data: &DataSource,
    steps: &[BlockStep],
    wanted: Range<u64>,
    out: &mut [u8],
    call: Call<'_>,
) -> Result<()> {
    let fetched = fetch_together(data, steps, call)?;
    for (step, fetched) in steps.iter().zip(fetched) {
        let block = match &step.cached {
            Some(block) => block.clone(),
            None => bring(data, step, fetched, call)?,
        };
        let (start, end) = (step.range.start.max(wanted.start), step.range.end.min(wanted.end));
        let from = &block[(start - step.range.start) as usize..(end - step.range.start) as usize];
        out[(start - wanted.start) as usize..(end - wanted.start) as usize].copy_from_slice(from);
        if data.source.advice().has_latency() {
            data.runtime.cache().consumed(&block, from.len());
        } else {
            data.runtime.cache().consumed_block(&block, from.len());
        }
    }
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
