//! Blocks of a fixed size, of which those that were used last are kept: fsspec's cache `blockcache` (`BlockCache` in
//! `fsspec/caching.py`), the default of xarray's engine h5netcdf since 2026, and the block cache of the driver ROS3 of
//! libhdf5 2.2.

use super::access::Access;
use super::policy::Policy;
use super::requests::Requests;
use std::collections::{BTreeMap, HashMap};

/// Blocks that fsspec keeps.
pub(super) const FSSPEC_BLOCKS: usize = 32;

/// The blocks of an open file.
pub(super) struct BlockCache {
    file_bytes: u64,
    block_bytes: u64,
    blocks_max: usize,
    /// What is requested first of a longer block.
    part_bytes: u64,
    /// When each block was used last.
    held: HashMap<u64, u64>,
    /// The blocks by their last use.
    by_use: BTreeMap<u64, u64>,
    clock: u64,
}

impl BlockCache {
    /// An empty cache for so many blocks.
    pub(super) fn new(file_bytes: u64, block_bytes: u64, blocks_max: usize) -> Self {
        let (held, by_use) = (HashMap::new(), BTreeMap::new());
        let (block_bytes, part_bytes) = (block_bytes.max(1), u64::MAX);
        Self { file_bytes, block_bytes, blocks_max, part_bytes, held, by_use, clock: 0 }
    }

    /// The same, with blocks of which so many bytes are requested, and then the rest.
    pub(super) fn in_parts(self, part_bytes: u64) -> Self {
        Self { part_bytes, ..self }
    }

    /// A read of the bytes from `start` to `end`: the blocks that it touches, in order.
    pub(super) fn touch(&mut self, start: u64, end: u64, requests: &mut Requests) {
        let end = end.min(self.file_bytes);
        if start >= end {
            return;
        }
        for block in start / self.block_bytes..=(end - 1) / self.block_bytes {
            self.use_block(block, requests);
        }
    }

    fn use_block(&mut self, block: u64, requests: &mut Requests) {
        self.clock += 1;
        match self.held.insert(block, self.clock) {
            Some(used) => drop(self.by_use.remove(&used)),
            None => {
                let start = block.saturating_mul(self.block_bytes);
                let bytes = self.block_bytes.min(self.file_bytes.saturating_sub(start));
                requests.in_parts(bytes, self.part_bytes);
                if self.held.len() > self.blocks_max
                    && let Some((_, oldest)) = self.by_use.pop_first()
                {
                    self.held.remove(&oldest);
                }
            }
        }
        self.by_use.insert(self.clock, block);
    }
}

impl Policy for BlockCache {
    fn read(&mut self, access: Access, requests: &mut Requests) {
        self.touch(access.address, access.address.saturating_add(access.len), requests);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_that_was_used_last_stays() {
        let mut cache = BlockCache::new(950, 100, 2);
        let mut requests = Requests::default();
        for (start, end) in [(0, 10), (150, 160), (20, 30), (250, 260), (20, 30), (150, 160)] {
            cache.touch(start, end, &mut requests);
        }
        assert_eq!(requests.count(), 4, "0, 1, 2 instead of 1, 1 again");
        cache.touch(850, 2_000, &mut requests);
        assert_eq!((requests.count(), requests.bytes()), (6, 550), "the last block ends with the file");
        cache.touch(950, 960, &mut requests);
        assert_eq!(requests.count(), 6);
    }
}
