//! Blocks along one axis, as indexes of the engine. Files and callers ask for blocks of any length, so indexes are listed
//! only where no other form says the same, and only where there is memory for them.

use hyperslab::{Axis, Error, Range, Result};

/// `len` indexes from `start` on: `block` of them, the next `block` of them `stride` after the first ones, and so on. The
/// blocks do not overlap, and the last index is one.
pub fn even(start: u64, stride: u64, block: u64, len: u64) -> Result<Axis> {
    if len <= block || stride == block {
        return Ok(Axis::span(start, start + len));
    }
    if block == 1 {
        return Ok(Axis::Range(Range { start, count: len, step: stride }));
    }
    let mut indexes = room_for(Some(len))?;
    indexes.extend((0..len).map(|i| start + i / block * stride + i % block));
    Ok(Axis::List(indexes))
}

/// The first and the last indexes of blocks, as they come, as those of blocks in order between which there are gaps.
pub fn merge(mut blocks: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    blocks.sort_unstable();
    blocks.dedup_by(|next, block| {
        let meets = next.0 <= block.1.saturating_add(1);
        if meets {
            block.1 = block.1.max(next.1);
        }
        meets
    });
    blocks
}

/// How many indexes merged blocks have.
pub fn len(merged: &[(u64, u64)]) -> Option<u64> {
    merged.iter().try_fold(0u64, |len, (first, last)| len.checked_add((last - first).checked_add(1)?))
}

/// The indexes of merged blocks.
pub fn any(merged: &[(u64, u64)]) -> Result<Axis> {
    if let &[(first, last)] = merged {
        return Ok(Axis::span(first, last + 1));
    }
    let mut indexes = room_for(len(merged))?;
    indexes.extend(merged.iter().flat_map(|&(first, last)| first..=last));
    Ok(Axis::List(indexes))
}

/// An empty list with room for so many numbers.
pub fn room_for(numbers: Option<u64>) -> Result<Vec<u64>> {
    let mut list = Vec::new();
    let room = numbers.and_then(|numbers| usize::try_from(numbers).ok());
    if room.is_some_and(|room| list.try_reserve_exact(room).is_ok()) {
        return Ok(list);
    }
    Err(Error::invalid("no memory for a list of the indexes that are selected").hint("select fewer elements"))
}
