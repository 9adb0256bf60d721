//! The bytes of a file for parsers that run without interruption: what a parser asks for is read at once.
//!
//! Blocks that were read are kept up to a limit. An error of the source is kept, and ends the check.
//!
//! Of a source with latency, the caller fetches the metadata that it knows of before the check (`Source::known`). What else
//! is needed comes in larger blocks, of which several are requested together if they follow each other.

use hyperslab_format::{Bytes, Fetched};
use hyperslab_io::{Cancel, Source, fetch_all};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::ops::Range;

/// Bytes that are read at once,
const BLOCK_BYTES: u64 = 64 << 10;
/// and from a source with latency.
const REMOTE_BLOCK_BYTES: u64 = 1 << 20;
/// The most blocks that are requested together.
const RUN_BLOCKS_MAX: u64 = 16;
/// The most bytes that are read ahead.
const AHEAD_BYTES_MAX: u64 = 64 << 20;
/// Blocks are dropped above so many bytes.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// Longer structures are not looked at. (The largest that libhdf5 writes in practice are pages of chunk indexes and local
/// heaps of some megabytes.)
pub(crate) const STRUCTURE_BYTES_MAX: u64 = 1 << 30;

/// The bytes of a file.
pub(crate) struct Input<'s> {
    source: &'s dyn Source,
    block_bytes: u64,
    is_far: bool,
    /// The end of the last run of blocks that were read, and their number.
    run: Cell<(u64, u64)>,
    blocks: RefCell<HashMap<u64, Bytes>>,
    /// What was read ahead, by offset, until it is used.
    ahead: RefCell<HashMap<u64, Bytes>>,
    failed: RefCell<Option<io::Error>>,
    has_failed: Cell<bool>,
}

impl<'s> Input<'s> {
    pub(crate) fn new(source: &'s dyn Source) -> Self {
        let (blocks, ahead, failed, has_failed) = Default::default();
        let is_far = source.advice().has_latency();
        let block_bytes = if is_far { REMOTE_BLOCK_BYTES } else { BLOCK_BYTES };
        Self { source, block_bytes, is_far, run: Cell::default(), blocks, ahead, failed, has_failed }
    }

    /// The source.
    pub(crate) fn source(&self) -> &'s dyn Source {
        self.source
    }

    /// The error of the source, if there was one.
    pub(crate) fn failure(&self) -> io::Result<()> {
        self.failed.borrow_mut().take().map_or(Ok(()), Err)
    }

    /// True after the source has failed: nothing more can be read.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.get()
    }

    /// Reads bytes that are not kept.
    pub(crate) fn read(&self, at: u64, len: u64) -> Option<Vec<u8>> {
        if self.has_failed.get() || len > STRUCTURE_BYTES_MAX {
            return None;
        }
        if let Some(ahead) = self.ahead.borrow_mut().remove(&at)
            && ahead.len() as u64 >= len
        {
            return Some(ahead[..len as usize].to_vec());
        }
        let mut bytes = vec![0; len as usize];
        self.or_fail(self.source.read_into(at, &mut bytes)).map(|()| bytes)
    }

    /// Reads ranges of a source with latency together, as far as they are not too many, for the calls of [`Self::read`] that
    /// follow.
    pub(crate) fn read_ahead(&self, ranges: impl Iterator<Item = Range<u64>>) {
        if !self.is_far || self.has_failed.get() {
            return;
        }
        let mut bytes = 0;
        let fits = |range: &Range<u64>| {
            bytes += range.end - range.start;
            bytes <= AHEAD_BYTES_MAX
        };
        let ranges: Vec<_> = ranges.filter(|range| !range.is_empty()).take_while(fits).collect();
        if let Some(fetched) = self.or_fail(fetch_all(self.source, &ranges, &Cancel::current())) {
            *self.ahead.borrow_mut() = ranges.iter().map(|range| range.start).zip(fetched).collect();
        }
    }

    fn or_fail<T>(&self, outcome: io::Result<T>) -> Option<T> {
        match outcome {
            Ok(found) => Some(found),
            Err(error) => {
                self.has_failed.set(true);
                self.failed.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    /// Reads a block. After blocks that lie before it, the next ones are read together with it.
    fn read_run(&self, number: u64) -> Option<Vec<(u64, Bytes)>> {
        let blocks = self.source.len().div_ceil(self.block_bytes);
        let (end, count) = self.run.get();
        let count = if end == number && self.is_far { (2 * count).clamp(1, RUN_BLOCKS_MAX) } else { 1 };
        let numbers: Vec<u64> = (number..(number + count).min(blocks)).collect();
        self.run.set((number + numbers.len() as u64, numbers.len() as u64));
        if numbers.len() == 1 {
            let start = number * self.block_bytes;
            let bytes = self.read(start, self.block_bytes.min(self.source.len().checked_sub(start)?))?;
            return Some(vec![(number, Bytes::from(bytes))]);
        }
        let range = |number: &u64| {
            let start = number * self.block_bytes;
            start..(start + self.block_bytes).min(self.source.len())
        };
        let ranges: Vec<_> = numbers.iter().map(range).collect();
        let fetched = self.or_fail(fetch_all(self.source, &ranges, &Cancel::current()))?;
        Some(numbers.into_iter().zip(fetched).collect())
    }

    fn block(&self, number: u64) -> Option<Bytes> {
        if let Some(known) = self.blocks.borrow().get(&number) {
            return Some(known.clone());
        }
        if self.has_failed.get() {
            return None;
        }
        let read = self.read_run(number)?;
        let block = read.first().map(|(_, block)| block.clone());
        let mut blocks = self.blocks.borrow_mut();
        if blocks.len() * self.block_bytes as usize > KEPT_BYTES_MAX {
            blocks.clear();
        }
        blocks.extend(read);
        block
    }
}

impl Fetched for Input<'_> {
    fn file_len(&self) -> u64 {
        self.source.len()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.source.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.source.stored_bytes()
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        let end = at.checked_add(len).filter(|&end| end <= self.file_len())?;
        if self.is_far
            && let Some(known) = self.source.known(at, len)
        {
            return Some(known);
        }
        let (first, last) = (at / self.block_bytes, end.saturating_sub(1).max(at) / self.block_bytes);
        if first == last {
            let start = (at - first * self.block_bytes) as usize;
            return Some(self.block(first)?.slice(start..start + len as usize));
        }
        if len > self.block_bytes {
            return self.read(at, len).map(Bytes::from);
        }
        let mut joined = Vec::with_capacity(len as usize);
        for number in first..=last {
            let block = self.block(number)?;
            let from = at.saturating_sub(number * self.block_bytes).min(block.len() as u64) as usize;
            let to = (end - number * self.block_bytes).min(block.len() as u64) as usize;
            joined.extend_from_slice(&block[from..to]);
        }
        Some(joined.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::Memory;

    #[test]
    fn joins_blocks() {
        let bytes: Vec<u8> = (0..5 * BLOCK_BYTES / 2).map(|i| (i / 7) as u8).collect();
        let source = Memory::new("test", bytes.clone());
        let input = Input::new(&source);
        let end = bytes.len() as u64;
        for (at, len) in [(0, 0), (0, 10), (BLOCK_BYTES - 3, 10), (100, end - 100), (end - 5, 5), (end, 0)] {
            let found = input.get(at, len).unwrap();
            assert_eq!(found, bytes[at as usize..(at + len) as usize], "{at} {len}");
        }
        assert_eq!(input.get(end - 5, 6), None);
        input.failure().unwrap();
    }
}
