//! Feeds the parsers: fetches the metadata they lack, in blocks, and keeps it.
//!
//! This is the only loop between parsing and I/O. A parser says which ranges it needs; the blocks they lie in are
//! fetched, neighbouring blocks in one request, and the parser is called again.

mod passing;

use crate::format_error::format_error;
use crate::{Error, Result};
use bytes::{Bytes, BytesMut};
use hyperslab_format::message::cache_image::{Overlay, OverlayEntries};
use hyperslab_format::{Fetched, Need, Parse, Stop, View, Widths};
use hyperslab_io::{Cancel, Source, coalesce, fetch_all};
use passing::Passing;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

/// Kept metadata beyond this is dropped between two look-ups.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// The metadata of one file that has been fetched so far.
pub(crate) struct Metadata {
    source: Arc<dyn Source>,
    file_len: u64,
    block_bytes: u64,
    blocks: RwLock<HashMap<u64, Bytes>>,
    /// What a metadata cache image supersedes, in the few files that have one.
    superseded: OnceLock<OverlayEntries>,
    /// Parsers under way.
    running: AtomicUsize,
}

/// A parser that asks this often for what was just fetched will never end.
const REPEATED_MAX: u32 = 16;

/// Counts a parser as running while it lives.
struct Running<'c>(&'c AtomicUsize);

impl<'c> Running<'c> {
    fn new(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Metadata {
    pub(crate) fn new(source: Arc<dyn Source>) -> Self {
        let block_bytes = source.advice().block_bytes.max(512);
        Self {
            file_len: source.len(),
            block_bytes,
            blocks: RwLock::default(),
            superseded: OnceLock::new(),
            running: AtomicUsize::new(0),
            source,
        }
    }

    /// The same metadata, of which what is missing is fetched from another source of the same bytes.
    pub(crate) fn through(self, source: Arc<dyn Source>) -> Self {
        Self { source, ..self }
    }

    /// From now on, these bytes are seen instead of those at their addresses.
    pub(crate) fn supersede(&self, entries: OverlayEntries) {
        let _ = self.superseded.set(entries);
    }

    /// Runs a parser to its end, fetching what it lacks.
    pub(crate) fn drive<T>(
        &self,
        base: u64,
        widths: Widths,
        parser: impl FnMut(&View) -> Parse<T>,
    ) -> Result<T> {
        self.run(self, |needs| self.fetch(needs), base, widths, parser)
    }

    /// Runs a long walk to its end, and hands over what it finds meanwhile. What is fetched for it is kept only as
    /// long as the walk looks at it, unless that is little.
    pub(crate) fn drive_in_passing<T>(
        &self,
        base: u64,
        widths: Widths,
        mut walk: impl FnMut(&View) -> Parse<Option<T>>,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let passing = Passing::new(self);
        while let Some(found) = self.run(&passing, |needs| passing.fetch(needs), base, widths, &mut walk)? {
            each(found)?;
        }
        Ok(())
    }

    /// Runs a parser over what has been fetched to its end; `fetch` answers false if all that is needed was there.
    fn run<T>(
        &self,
        fetched: &dyn Fetched,
        mut fetch: impl FnMut(&[Need]) -> Result<bool>,
        base: u64,
        widths: Widths,
        mut parser: impl FnMut(&View) -> Parse<T>,
    ) -> Result<T> {
        let superseded = self.superseded.get().map(|entries| Overlay::new(fetched, entries));
        let fetched = superseded.as_ref().map_or(fetched, |overlay| overlay as &dyn Fetched);
        let view = View::new(fetched).with(base, widths);
        let _running = Running::new(&self.running);
        let mut last_needs = Vec::new();
        let mut repeated = 0;
        loop {
            match parser(&view) {
                Ok(value) => return Ok(value),
                Err(Stop::Bad(error)) => return Err(format_error(error)),
                Err(Stop::Need(needs)) => {
                    // Another thread may fetch a block between the parser's look and ours: that is progress, too.
                    let fetched = fetch(&needs)?;
                    repeated = if fetched || needs != last_needs { 0 } else { repeated + 1 };
                    if repeated > REPEATED_MAX {
                        let what = needs.first().map_or("nothing", |need| need.reason);
                        return Err(Error::internal(format!(
                            "the parser asks again for {what}, which was fetched"
                        )));
                    }
                    last_needs = needs;
                }
            }
        }
    }

    /// Forgets all blocks when there are many, unless a parser is under way: it could never end.
    pub(crate) fn trim(&self) {
        if self.running.load(Ordering::Acquire) > 0 {
            return;
        }
        let mut blocks = self.blocks.write().expect("no panic while holding the lock");
        if blocks.len() * self.block_bytes as usize > KEPT_BYTES_MAX {
            blocks.clear();
        }
    }

    /// Fetches the blocks in which the needs lie; false if all of them were there.
    fn fetch(&self, needs: &[Need]) -> Result<bool> {
        let missing = self.missing(needs, |_| false);
        let read = self.read(&missing)?;
        self.blocks.write().expect("no panic while holding the lock").extend(read);
        Ok(!missing.is_empty())
    }

    /// The blocks in which the needs lie, ascending, without those that are kept or that `is_here` knows.
    fn missing(&self, needs: &[Need], is_here: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut missing: Vec<u64> = Vec::new();
        let blocks = self.blocks.read().expect("no panic while holding the lock");
        for need in needs {
            let end = need.range.end.min(self.file_len);
            let numbers = need.range.start / self.block_bytes..end.div_ceil(self.block_bytes);
            missing.extend(numbers.filter(|&number| !blocks.contains_key(&number) && !is_here(number)));
        }
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Reads blocks, neighbours in one request, and those between that come with them.
    fn read(&self, numbers: &[u64]) -> Result<Vec<(u64, Bytes)>> {
        let ranges: Vec<_> = numbers
            .iter()
            .map(|number| {
                let start = number * self.block_bytes;
                start..start.saturating_add(self.block_bytes).min(self.file_len)
            })
            .collect();
        let requests: Vec<_> = coalesce(&ranges, self.source.advice()).into_iter().map(|r| r.range).collect();
        let answers = fetch_all(&*self.source, &requests, &Cancel::never())?;
        let mut blocks = Vec::with_capacity(numbers.len());
        for (request, answer) in requests.iter().zip(answers) {
            for offset in (0..answer.len()).step_by(self.block_bytes as usize) {
                let end = (offset + self.block_bytes as usize).min(answer.len());
                blocks.push(((request.start + offset as u64) / self.block_bytes, answer.slice(offset..end)));
            }
        }
        Ok(blocks)
    }

    /// A block that is kept.
    fn block(&self, number: u64) -> Option<Bytes> {
        self.blocks.read().expect("no panic while holding the lock").get(&number).cloned()
    }

    /// Bytes of the blocks that are kept.
    fn kept_bytes(&self) -> u64 {
        let blocks = self.blocks.read().expect("no panic while holding the lock").len();
        self.block_bytes.saturating_mul(blocks as u64)
    }

    /// The bytes of a range, if `block` has all blocks that it lies in.
    fn join(&self, at: u64, len: u64, block: impl Fn(u64) -> Option<Bytes>) -> Option<Bytes> {
        let end = at.checked_add(len).filter(|&end| end <= self.file_len)?;
        let (first, last) = (at / self.block_bytes, end.saturating_sub(1) / self.block_bytes);
        let within = (at - first * self.block_bytes) as usize;
        if first == last {
            return Some(block(first)?.slice(within..within + len as usize));
        }
        let all: Option<Vec<Bytes>> = (first..=last).map(block).collect();
        let all = all?;
        let mut joined = BytesMut::with_capacity(len as usize);
        for (i, block) in all.into_iter().enumerate() {
            let skip = if i == 0 { within } else { 0 };
            let take = (block.len() - skip).min(len as usize - joined.len());
            joined.extend_from_slice(&block[skip..skip + take]);
        }
        Some(joined.freeze())
    }
}

impl Fetched for Metadata {
    fn file_len(&self) -> u64 {
        self.file_len
    }

    fn held_from(&self, at: u64) -> u64 {
        self.source.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.source.stored_bytes()
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        self.join(at, len, |number| self.block(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use hyperslab_format::Address;
    use hyperslab_io::{Memory, wrap::Recorder};

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one request")]
    fn fetches_blocks_once_and_joins_them() {
        let bytes: Vec<u8> = (0..20_000u32).map(|i| i as u8).collect();
        let (source, recording) = Recorder::new(Memory::new("test", bytes.clone()));
        let metadata = Metadata::new(Arc::new(source));
        let read = |at: u64, len: u64| {
            metadata.drive(0, Widths::default(), |view| view.bytes("test", Address(at), len)).unwrap()
        };
        assert_eq!(read(4000, 5000), bytes[4000..9000]);
        assert_eq!(recording.take(), [0..12288]);
        assert_eq!(read(10, 100), bytes[10..110]);
        assert_eq!(read(19_990, 10), bytes[19_990..]);
        assert_eq!(recording.take(), [16384..20000]);
        let beyond = metadata.drive(0, Widths::default(), |view| view.bytes("test", Address(19_990), 11));
        assert_eq!(beyond.unwrap_err().kind(), ErrorKind::Damaged);
    }
}
