//! Metadata in passing: what one long walk looks at, dropped when the walk is past it.
//!
//! The chunk index of a dataset of 10⁷ chunks has hundreds of megabytes, of which each node is looked at once. Kept
//! with the metadata of the file, it would only push out what is wanted again.

use super::Metadata;
use crate::Result;
use bytes::Bytes;
use hyperslab_format::{Fetched, Need};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Blocks that a walk fetches are kept with the metadata of the file as long as it has less than this.
const SHARED_BYTES_MAX: u64 = 8 << 20;

/// The metadata of a file as one walk sees it: the blocks that the file keeps, and others of the walk's own.
pub(super) struct Passing<'m> {
    kept: &'m Metadata,
    own: RefCell<HashMap<u64, Block>>,
    /// How often the walk has fetched.
    round: Cell<u64>,
}

struct Block {
    bytes: Bytes,
    /// The round in which the walk last looked at it.
    used: Cell<u64>,
}

impl<'m> Passing<'m> {
    pub(super) fn new(kept: &'m Metadata) -> Self {
        Self { kept, own: RefCell::default(), round: Cell::new(0) }
    }

    /// Fetches the blocks in which the needs lie; false if all of them were there. Drops those that the walk has not
    /// looked at since it last asked: a node that was looked at and then asked for more is looked at again.
    pub(super) fn fetch(&self, needs: &[Need]) -> Result<bool> {
        let round = self.round.get();
        let mut own = self.own.borrow_mut();
        own.retain(|_, block| block.used.get() >= round);
        self.round.set(round + 1);
        let missing = self.kept.missing(needs, |number| own.contains_key(&number));
        let bytes = self.kept.block_bytes.saturating_mul(missing.len() as u64);
        if self.kept.kept_bytes().saturating_add(bytes) <= SHARED_BYTES_MAX {
            return self.kept.fetch(needs);
        }
        for (number, bytes) in self.kept.read(&missing)? {
            own.insert(number, Block { bytes, used: Cell::new(round + 1) });
        }
        Ok(!missing.is_empty())
    }

    fn block(&self, number: u64) -> Option<Bytes> {
        if let Some(block) = self.own.borrow().get(&number) {
            block.used.set(self.round.get());
            return Some(block.bytes.clone());
        }
        self.kept.block(number)
    }
}

impl Fetched for Passing<'_> {
    fn file_len(&self) -> u64 {
        self.kept.file_len()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.kept.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.kept.stored_bytes()
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        self.kept.join(at, len, |number| self.block(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::{Address, Parse, Stop, View, Widths};
    use hyperslab_io::{Memory, wrap::Recorder};
    use std::sync::Arc;

    /// Looks at 16 bytes in each of 6,000 blocks, 1,000 at a time, and then once more at those of the last round.
    #[test]
    fn a_long_walk_keeps_little_and_fetches_each_block_once() {
        let (block, blocks, at_once) = (4096, 6000, 1000);
        let bytes: Vec<u8> = (0..blocks * block).map(|i| (i / block) as u8).collect();
        let (source, recording) = Recorder::new(Memory::new("test", bytes));
        let metadata = Metadata::new(Arc::new(source));
        assert_eq!(metadata.block_bytes, block);
        let mut next = 0;
        let walk = |view: &View| -> Parse<Option<u64>> {
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
        metadata.drive_in_passing(0, Widths::default(), walk, each).unwrap();
        assert_eq!(found, [1000, 2000, 3000, 4000, 5000, 6000]);
        let requested: u64 = recording.take().iter().map(|range| range.end - range.start).sum();
        assert_eq!(requested, blocks * block);
        assert!(metadata.kept_bytes() <= SHARED_BYTES_MAX, "{}", metadata.kept_bytes());
    }
}
