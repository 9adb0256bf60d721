//! Running parsers over a file: fetches the metadata that they need, and caches it.
//!
//! This is the only loop between parsing and I/O. A parser returns the ranges that it needs; they are fetched, and the
//! parser is called again. From a local file, the blocks that contain the ranges are fetched; from a source with latency,
//! the ranges themselves ([`extents`]), and the needs of many parsers together ([`Metadata::drive_rounds`]).

mod extents;
mod transient;

use crate::format_error::format_error;
use crate::{Error, Result};
use bytes::{Bytes, BytesMut};
use extents::PAGE_BYTES_MAX;
use hyperslab_format::message::cache_image::{Overlay, OverlayEntries};
use hyperslab_format::{Fetched, Need, Parse, Stop, View, Widths};
use hyperslab_io::extent_cache::Use;
use hyperslab_io::purpose::{self, Purpose};
use hyperslab_io::{CachedExtents, Cancel, Epoch, Source, coalesce, fetch_all};

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use transient::TransientMetadata;

/// Above this many bytes, cached metadata is dropped between look-ups, unless [`Metadata::limit`] sets another limit.
const CACHED_BYTES_MAX: usize = 64 << 20;

/// The metadata of one file that has been fetched so far.
pub(crate) struct Metadata {
    source: Arc<dyn Source>,
    /// The state of the file that the length and the bytes are of.
    epoch: Epoch,
    file_len: u64,
    block_bytes: u64,
    blocks: RwLock<HashMap<u64, Bytes>>,
    /// Above this many bytes, blocks are dropped between look-ups.
    blocks_bytes_max: AtomicUsize,
    /// For a source with latency: its extents, instead of blocks. Those of all files of the process share a budget.
    extents: Option<CachedExtents>,
    /// The bytes of a page, if the file is paged.
    page_bytes: OnceLock<u64>,
    /// The entries of a metadata cache image, which replace bytes of the file. Few files have one.
    superseded: OnceLock<OverlayEntries>,
    /// The number of parsers that are running.
    running: AtomicUsize,
    /// Every part of a structure that was parsed, if that is observed.
    observed: OnceLock<Mutex<ParsedParts>>,
    /// The longest range from each offset that a parser got, if that is observed.
    obtained: OnceLock<Mutex<HashMap<u64, u64>>>,
}

/// The longest part of a structure that was parsed at each offset, and the name of the structure.
type ParsedParts = HashMap<u64, (&'static str, u64)>;

/// A parser that requests the same fetched ranges this many times in a row does not terminate.
const REPEATED_MAX: u32 = 16;

/// While a parser is running, the metadata that it uses is not dropped.
struct Running<'m> {
    count: &'m AtomicUsize,
    extents: Option<Use<'m>>,
}

impl<'m> Running<'m> {
    fn new(metadata: &'m Metadata) -> Self {
        metadata.running.fetch_add(1, Ordering::AcqRel);
        let extents = metadata.extents.as_ref().map(|extents| extents.cache().begin_use());
        Self { count: &metadata.running, extents }
    }

    /// Extents that were used so far are no longer needed.
    fn begin_round(&mut self) {
        self.extents.iter_mut().for_each(Use::renew);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Metadata {
    pub(crate) fn new(source: Arc<dyn Source>) -> Self {
        Self::with(source, CachedExtents::new)
    }

    /// The metadata of a source, of which `extents` makes the extents if it has latency.
    fn with(source: Arc<dyn Source>, extents: impl FnOnce() -> CachedExtents) -> Self {
        let advice = source.advice();
        Self {
            epoch: source.epoch(),
            file_len: source.len(),
            block_bytes: advice.block_bytes.max(512),
            blocks: RwLock::default(),
            blocks_bytes_max: AtomicUsize::new(CACHED_BYTES_MAX),
            extents: advice.has_latency().then(|| {
                let extents = extents();
                extents.insert(0, &source.beginning());
                // Opening many files must not need more memory than reading them.
                extents.cache().trim();
                extents
            }),
            page_bytes: OnceLock::new(),
            superseded: OnceLock::new(),
            running: AtomicUsize::new(0),
            observed: OnceLock::new(),
            obtained: OnceLock::new(),
            source,
        }
    }

    /// The same metadata; missing bytes are fetched from another source of the same file from now on.
    pub(crate) fn through(self, source: Arc<dyn Source>) -> Self {
        Self { source, ..self }
    }

    /// The file is divided into pages of this size, each with metadata or raw data only.
    pub(crate) fn paged(&self, page_bytes: u64) {
        if (512..=PAGE_BYTES_MAX).contains(&page_bytes) {
            let _ = self.page_bytes.set(page_bytes);
        }
    }

    /// True if fetching many ranges together takes less time than one after the other.
    pub(crate) fn has_latency(&self) -> bool {
        self.extents.is_some()
    }

    /// Replaces the bytes of the file at the addresses of these entries from now on.
    pub(crate) fn supersede(&self, entries: OverlayEntries) {
        let _ = self.superseded.set(entries);
    }

    /// Adds bytes that were fetched earlier, if the source has latency.
    pub(crate) fn preload(&self, at: u64, bytes: &Bytes) {
        if let Some(extents) = &self.extents {
            extents.insert(at, bytes);
        }
    }

    /// From now on, remembers what is parsed.
    pub(crate) fn observe(&self) {
        let _ = self.observed.set(Mutex::default());
    }

    /// From now on, remembers which ranges parsers get, apart from long traversals.
    pub(crate) fn observe_ranges(&self) {
        let _ = self.obtained.set(Mutex::default());
    }

    /// The ranges that parsers got since [`Self::observe_ranges`]: offsets and lengths. Parsers may get more than they use,
    /// and do not go on without.
    pub(crate) fn obtained(&self) -> Vec<(u64, u64)> {
        let Some(obtained) = self.obtained.get() else { return Vec::new() };
        let obtained = obtained.lock().expect("no panic while holding the lock");
        obtained.iter().map(|(at, len)| (*at, *len)).collect()
    }

    /// Name, absolute offset and bytes of the structures that were parsed since [`Self::observe`].
    pub(crate) fn observed(&self) -> Vec<(&'static str, u64, u64)> {
        let Some(observed) = self.observed.get() else { return Vec::new() };
        let observed = observed.lock().expect("no panic while holding the lock");
        observed.iter().map(|(at, (structure, bytes))| (*structure, *at, *bytes)).collect()
    }

    /// Runs a parser until it returns a result, and fetches the bytes that it needs.
    pub(crate) fn drive<T>(
        &self,
        base: u64,
        widths: Widths,
        parser: impl FnMut(&View) -> Parse<T>,
    ) -> Result<T> {
        self.run(self, |needs| self.fetch(needs), base, widths, parser)
    }

    /// Runs a long traversal to its end. `each` is called with every batch of results as it is found. Fetched bytes are
    /// cached only while the traversal uses them, unless they are few.
    pub(crate) fn drive_in_passing<T>(
        &self,
        base: u64,
        widths: Widths,
        mut traversal: impl FnMut(&View) -> Parse<Option<T>>,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let transient = TransientMetadata::new(self);
        let mut next = || self.run(&transient, |needs| transient.fetch(needs), base, widths, &mut traversal);
        while let Some(found) = next()? {
            each(found)?;
        }
        Ok(())
    }

    /// Runs many parsers over the fetched bytes, in rounds. `round` runs them as far as possible and returns what they
    /// need, which is fetched together, before the next round. Ends when nothing is needed, or when `bytes_max` bytes
    /// are cached.
    pub(crate) fn drive_rounds(
        &self,
        base: u64,
        widths: Widths,
        bytes_max: u64,
        mut round: impl FnMut(&View) -> Vec<Need>,
    ) -> Result<()> {
        let superseded = self.superseded.get().map(|entries| Overlay::new(self, entries));
        let fetched = superseded.as_ref().map_or(self as &dyn Fetched, |overlay| overlay as &dyn Fetched);
        let view = View::new(fetched).with(base, widths);
        let mut running = Running::new(self);
        // What is fetched in advance must still be there when it is used.
        let budget = self.extents.as_ref().map_or(u64::MAX, |extents| extents.cache().bytes_max() / 2);
        let bytes_max = bytes_max.min(budget);
        let mut repeated = 0;
        loop {
            running.begin_round();
            let mut needs = round(&view);
            let mut left = bytes_max.saturating_sub(self.cached_bytes());
            let fits = |need: &Need| {
                let bytes = need.range.end.saturating_sub(need.range.start);
                left = left.checked_sub(bytes)?;
                Some(())
            };
            let wanted = needs.len();
            needs.truncate(needs.iter().map_while(fits).count());
            repeated = if self.fetch(&needs)? { 0 } else { repeated + 1 };
            if needs.is_empty() || needs.len() < wanted || repeated > REPEATED_MAX {
                return Ok(());
            }
        }
    }

    /// Runs a parser over the fetched bytes until it returns a result. `fetch` returns false if all needed bytes had
    /// been fetched already.
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
        self.check_epoch()?;
        let _running = Running::new(self);
        let mut last_needs = Vec::new();
        let mut repeated = 0;
        loop {
            match parser(&view) {
                Ok(value) => return Ok(value),
                Err(Stop::Bad(error)) => return Err(format_error(error)),
                Err(Stop::Need(needs)) => {
                    // If another thread fetched the block after the parser missed it, that is progress, too.
                    let fetched = fetch(&needs)?;
                    repeated = if fetched || needs != last_needs { 0 } else { repeated + 1 };
                    if repeated > REPEATED_MAX {
                        let what = needs.first().map_or("nothing", |need| need.reason);
                        return Err(Error::internal(format!(
                            "the parser requests {what} again and again although it was fetched"
                        )));
                    }
                    last_needs = needs;
                }
            }
        }
    }

    /// Bytes that were read before a commit must not be combined with what is read after it.
    fn check_epoch(&self) -> Result<()> {
        match self.source.epoch() == self.epoch {
            true => Ok(()),
            false => {
                Err(Error::internal("metadata of an earlier state of the file").in_file(self.source.name()))
            }
        }
    }

    /// Keeps at most this many bytes of blocks between look-ups from now on. Extents of sources with latency have a budget
    /// of their own.
    pub(crate) fn limit(&self, bytes_max: usize) {
        self.blocks_bytes_max.store(bytes_max, Ordering::Relaxed);
    }

    /// Drops all blocks if there are many and no parser is running. A running parser might otherwise never finish. Of
    /// sources with latency, drops the extents that were not used for the longest time, of this file or of others.
    pub(crate) fn trim(&self) {
        if let Some(extents) = &self.extents {
            extents.cache().trim();
            return;
        }
        if self.running.load(Ordering::Acquire) > 0 {
            return;
        }
        let mut blocks = self.blocks.write().expect("no panic while holding the lock");
        if blocks.len() * self.block_bytes as usize > self.blocks_bytes_max.load(Ordering::Relaxed) {
            blocks.clear();
        }
    }

    /// Fetches the blocks that contain the needed ranges; false if all of them had been fetched already.
    fn fetch(&self, needs: &[Need]) -> Result<bool> {
        if let Some(extents) = &self.extents {
            let requests = extents.missing(|missing| self.requests(needs, missing));
            let fetched = self.fetch_extents(needs, &requests)?;
            fetched.iter().for_each(|(start, bytes)| extents.insert(*start, bytes));
            return Ok(!fetched.is_empty());
        }
        let missing = self.missing(needs, |_| false);
        let read = self.read(&missing)?;
        self.blocks.write().expect("no panic while holding the lock").extend(read);
        Ok(!missing.is_empty())
    }

    /// The requests for these needs, for a source with latency.
    fn requests(&self, needs: &[Need], missing: impl Fn(&Range<u64>) -> Vec<Range<u64>>) -> Vec<Range<u64>> {
        let page = self.page_bytes.get().copied();
        let gap = self.source.metadata_gap_bytes();
        extents::requests(needs, missing, self.file_len, page, self.source.advice(), gap)
    }

    /// Makes these requests, which are for these needs: offsets and bytes.
    fn fetch_extents(&self, needs: &[Need], requests: &[Range<u64>]) -> Result<Vec<(u64, Bytes)>> {
        let reason = needs.first().map_or("metadata", |need| need.reason);
        let fetch = || fetch_all(&*self.source, requests, &Cancel::current());
        let answers = purpose::with_each(purposes(needs, requests), || purpose::with(reason, fetch))?;
        Ok(requests.iter().map(|request| request.start).zip(answers).collect())
    }

    /// The numbers of the blocks that contain the needed ranges, ascending, without those that are cached here or
    /// elsewhere.
    fn missing(&self, needs: &[Need], is_elsewhere: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut missing: Vec<u64> = Vec::new();
        let blocks = self.blocks.read().expect("no panic while holding the lock");
        for need in needs {
            let end = need.range.end.min(self.file_len);
            let numbers = need.range.start / self.block_bytes..end.div_ceil(self.block_bytes);
            missing.extend(numbers.filter(|&number| !blocks.contains_key(&number) && !is_elsewhere(number)));
        }
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Reads blocks, and the blocks between them that belong to the same request.
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

    /// A cached block.
    fn block(&self, number: u64) -> Option<Bytes> {
        self.blocks.read().expect("no panic while holding the lock").get(&number).cloned()
    }

    /// The bytes of all cached blocks.
    fn cached_bytes(&self) -> u64 {
        if let Some(extents) = &self.extents {
            return extents.bytes();
        }
        let blocks = self.blocks.read().expect("no panic while holding the lock").len();
        self.block_bytes.saturating_mul(blocks as u64)
    }

    /// The bytes of a range, if `block` returns all blocks that contain it.
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

/// Why each request is made: by its first byte, the first structure in it, and the number of structures in it.
fn purposes(needs: &[Need], requests: &[Range<u64>]) -> Vec<(u64, Purpose)> {
    let mut starts: Vec<(u64, &'static str)> =
        needs.iter().map(|need| (need.range.start, need.reason)).collect();
    starts.sort_unstable();
    starts.dedup();
    let purpose = |request: &Range<u64>| {
        let first = starts.partition_point(|(start, _)| *start < request.start);
        let serves = starts[first..].partition_point(|(start, _)| *start < request.end);
        // A structure may begin before the request, in bytes that are known already.
        let (_, reason) = starts.get(first).filter(|_| serves > 0).or(starts[..first].last())?;
        Some((request.start, Purpose { reason, serves: serves.max(1) }))
    };
    requests.iter().filter_map(purpose).collect()
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

    fn parsed(&self, structure: &'static str, at: u64, len: u64) {
        let Some(observed) = self.observed.get() else { return };
        let mut observed = observed.lock().expect("no panic while holding the lock");
        let known = observed.entry(at).or_insert((structure, len));
        if len > known.1 {
            *known = (structure, len);
        }
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        if let Some(obtained) = self.obtained.get() {
            let mut obtained = obtained.lock().expect("no panic while holding the lock");
            let known = obtained.entry(at).or_default();
            *known = len.max(*known);
        }
        if let Some(extents) = &self.extents {
            return extents.get(at, len);
        }
        self.join(at, len, |number| self.block(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use hyperslab_format::Address;
    use hyperslab_io::wrap::Recorder;
    use hyperslab_io::{ExtentCache, Memory};
    use hyperslab_testkit::{DistantSource, Link};

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

    #[test]
    fn the_metadata_of_many_distant_files_shares_a_budget() {
        fn cache() -> &'static ExtentCache {
            static CACHE: ExtentCache = ExtentCache::new(1 << 20);
            &CACHE
        }
        const FILES: u64 = 200;
        let open = |number: u64| {
            let source = Arc::new(Memory::new("test", vec![number as u8; 70 << 10]));
            let distant = DistantSource::new(source, Link::default(), 8);
            (Metadata::with(Arc::new(distant.clone()), || CachedExtents::of(cache)), distant)
        };
        let read = |(metadata, _): &(Metadata, DistantSource), number: u64| {
            let parser = |view: &View| view.bytes("test", Address(4 << 10), 100);
            let found = metadata.drive(0, Widths::default(), parser).unwrap();
            assert_eq!(found, [number as u8; 100][..]);
            metadata.trim();
        };
        let files: Vec<_> = (0..FILES).map(open).collect();
        for (number, file) in files.iter().enumerate() {
            read(file, number as u64);
            // Each look-up fetches 64 KiB.
            assert!(cache().bytes() <= 1 << 20, "{}", cache().bytes());
            // The first file is used all the time.
            read(&files[0], 0);
        }
        assert!(cache().bytes() > 1 << 19, "{}", cache().bytes());
        let requests = |number: usize| files[number].1.counts().requests;
        assert_eq!([requests(0), requests(1), requests(FILES as usize - 1)], [1, 1, 1]);
        let last = FILES as usize - 1;
        read(&files[last], last as u64);
        assert_eq!(requests(last), 1, "it was used a moment ago");
        read(&files[1], 1);
        assert_eq!(requests(1), 2, "it was not used for the longest time");
    }
}
