//! Metadata for one long traversal, dropped as soon as the traversal no longer uses it.
//!
//! The chunk index of a dataset with 10⁷ chunks has hundreds of megabytes, and each node is used once. In the metadata
//! cache of the file, it would replace metadata that is used again.

use super::Metadata;
use crate::Result;
use bytes::Bytes;
use hyperslab_format::{Fetched, Need};
use hyperslab_io::{CachedExtents, ExtentMap};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

/// The blocks of a traversal are added to the metadata cache of the file while that has fewer bytes than this.
const SHARED_BYTES_MAX: u64 = 8 << 20;

/// The metadata of a file for one traversal: the cached blocks of the file, and blocks of its own.
pub(super) struct TransientMetadata<'m> {
    cached: &'m Metadata,
    own: RefCell<HashMap<u64, Block>>,
    /// For a source with latency: its extents, instead of blocks.
    extents: RefCell<ExtentMap>,
    /// How many times the traversal has fetched blocks.
    round: Cell<u64>,
}

struct Block {
    bytes: Bytes,
    /// The round in which the traversal last used it.
    used: Cell<u64>,
}

impl<'m> TransientMetadata<'m> {
    pub(super) fn new(cached: &'m Metadata) -> Self {
        Self { cached, own: RefCell::default(), extents: RefCell::default(), round: Cell::new(0) }
    }

    /// Fetches the blocks that contain the needed ranges; false if all of them had been fetched already.
    ///
    /// Drops the blocks that were not used in the last round. This is safe because a parser that needs more bytes reads
    /// the node again from its beginning, and so uses its blocks in every round.
    pub(super) fn fetch(&self, needs: &[Need]) -> Result<bool> {
        if let Some(shared) = &self.cached.extents {
            return self.fetch_extents(needs, shared);
        }
        let round = self.round.get();
        let mut own = self.own.borrow_mut();
        own.retain(|_, block| block.used.get() >= round);
        self.round.set(round + 1);
        let missing = self.cached.missing(needs, |number| own.contains_key(&number));
        let bytes = self.cached.block_bytes.saturating_mul(missing.len() as u64);
        if self.cached.cached_bytes().saturating_add(bytes) <= SHARED_BYTES_MAX {
            return self.cached.fetch(needs);
        }
        for (number, bytes) in self.cached.read(&missing)? {
            own.insert(number, Block { bytes, used: Cell::new(round + 1) });
        }
        Ok(!missing.is_empty())
    }

    /// The same for a source with latency.
    fn fetch_extents(&self, needs: &[Need], shared: &CachedExtents) -> Result<bool> {
        let round = self.round.get();
        let mut own = self.extents.borrow_mut();
        own.drop_unused_since(round);
        self.round.set(round + 1);
        let requests = shared.missing(|missing_in_shared| {
            // What is only partly shared is fetched whole, because a range is taken from one of the two.
            let missing = |range: &Range<u64>| match missing_in_shared(range).is_empty() {
                true => Vec::new(),
                false => own.missing(range),
            };
            self.cached.requests(needs, missing)
        });
        let bytes: u64 = requests.iter().map(|request| request.end - request.start).sum();
        if self.cached.cached_bytes().saturating_add(bytes) <= SHARED_BYTES_MAX {
            return self.cached.fetch(needs);
        }
        for (start, bytes) in self.cached.fetch_extents(needs, &requests)? {
            own.insert(start, &bytes, round + 1);
        }
        Ok(!requests.is_empty())
    }

    fn block(&self, number: u64) -> Option<Bytes> {
        if let Some(block) = self.own.borrow().get(&number) {
            block.used.set(self.round.get());
            return Some(block.bytes.clone());
        }
        self.cached.block(number)
    }
}

impl Fetched for TransientMetadata<'_> {
    fn file_len(&self) -> u64 {
        self.cached.file_len()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.cached.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.cached.stored_bytes()
    }

    fn parsed(&self, structure: &'static str, at: u64, len: u64) {
        self.cached.parsed(structure, at, len);
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        if self.cached.extents.is_some() {
            let shared = self.cached.get(at, len);
            return shared.or_else(|| self.extents.borrow().get(at, len, self.round.get()));
        }
        self.cached.join(at, len, |number| self.block(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::{Address, Parse, Stop, View, Widths};
    use hyperslab_io::Memory;
    use hyperslab_io::wrap::Recorder;
    use std::sync::Arc;

    /// Reads 16 bytes in each of 6,000 blocks, 1,000 blocks at a time.
    #[test]
    fn a_long_traversal_caches_little_and_fetches_each_block_once() {
        let (block, blocks, at_once) = (4096, 6000, 1000);
        let bytes: Vec<u8> = (0..blocks * block).map(|i| (i / block) as u8).collect();
        let (source, recording) = Recorder::new(Memory::new("test", bytes));
        let metadata = Metadata::new(Arc::new(source));
        assert_eq!(metadata.block_bytes, block);
        let mut next = 0;
        let traversal = |view: &View| -> Parse<Option<u64>> {
            if next == blocks {
                return Ok(None);
            }
            let round = next..next + at_once;
            let mut needs = Vec::new();
            for number in round.clone() {
                match view.bytes("node", Address(number * block), 16) {
                    Ok(found) => assert_eq!(found[..], [number as u8; 16]),
                    Err(Stop::Need(need)) => needs.extend(need),
                    Err(stop) => return Err(stop),
                }
            }
            if !needs.is_empty() {
                return Err(Stop::Need(needs));
            }
            next = round.end;
            Ok(Some(next))
        };
        let mut found = Vec::new();
        let each = |done| {
            found.push(done);
            Ok(())
        };
        metadata.drive_in_passing(0, Widths::default(), traversal, each).unwrap();
        assert_eq!(found, [1000, 2000, 3000, 4000, 5000, 6000]);
        let requested: u64 = recording.take().iter().map(|range| range.end - range.start).sum();
        assert_eq!(requested, blocks * block);
        assert!(metadata.cached_bytes() <= SHARED_BYTES_MAX, "{}", metadata.cached_bytes());
    }
}
