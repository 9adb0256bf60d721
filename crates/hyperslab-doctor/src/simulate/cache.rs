//! The chunk cache itself: what one H5Dread does to it.
//!
//! ```text
//!   for each chunk that the block touches, in ascending linear index:
//!       in its slot?  ── hit ──►  one step towards the tail; count bytes read
//!            │ miss
//!       stored? filtered? fits?
//!            ├─ filtered, or fits          one driver read (and one decode), then
//!            │     └─ fits                 evict the slot's owner, prune, insert at the tail
//!            ├─ neither                    straight from the file: runs, or sieve
//!            └─ not stored                 up to 2.1 a chunk of fill values is inserted, later nothing
//! ```
//!
//! Sources in libhdf5: `H5D__chunk_read`, `_lookup`, `_cacheable`, `_lock`, `_unlock`, `_cache_prune`.

use super::entries::{Entries, NONE};
use super::geometry::{Grid, Storage};
use super::hash::SlotHash;
use super::sieve::{Block, Requests, SIEVE_BYTES, Sieve};
use super::{Geometry, LibVersion};
use serde::{Deserialize, Serialize};

/// The three settings of `H5Pset_chunk_cache`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CacheSettings {
    /// Bytes of decoded chunks the cache may hold.
    pub nbytes: u64,
    /// Slots of the hash table, one chunk each.
    pub nslots: u64,
    /// Share of the list in which fully read chunks go first, 0 to 1.
    pub w0: f64,
}

/// What one read, or several, cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadCounts {
    /// Chunks that the block touches, stored or not.
    pub chunks_touched: u64,
    /// Chunks put through the filter pipeline.
    pub decodes: u64,
    /// Reads of raw data that reached the driver.
    pub driver_reads: u64,
    /// Bytes of them.
    pub driver_bytes: u64,
}

impl ReadCounts {
    pub(super) fn add(&mut self, other: Self) {
        self.add_times(other, 1);
    }

    pub(super) fn add_times(&mut self, other: Self, times: u64) {
        let add = |a: &mut u64, b: u64| *a = a.saturating_add(b.saturating_mul(times));
        add(&mut self.chunks_touched, other.chunks_touched);
        add(&mut self.decodes, other.decodes);
        add(&mut self.driver_reads, other.driver_reads);
        add(&mut self.driver_bytes, other.driver_bytes);
    }

    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            chunks_touched: self.chunks_touched.saturating_sub(earlier.chunks_touched),
            decodes: self.decodes.saturating_sub(earlier.decodes),
            driver_reads: self.driver_reads.saturating_sub(earlier.driver_reads),
            driver_bytes: self.driver_bytes.saturating_sub(earlier.driver_bytes),
        }
    }
}

/// An open dataset as libhdf5 would hold it: its cache or its sieve, nothing else.
#[derive(Debug, Clone)]
pub struct ChunkCacheSim<'a> {
    geometry: &'a Geometry,
    state: State,
    version: LibVersion,
}

#[derive(Debug, Clone)]
enum State {
    Chunked(Box<Cache>),
    Contiguous { sieve: Sieve, sieve_bytes: u64 },
}

#[derive(Debug, Clone)]
struct Cache {
    nbytes: u64,
    nslots: u64,
    w0: f64,
    hash: SlotHash,
    entries: Entries,
    bytes_used: u64,
    /// Steps that pre-emption took along the list.
    steps: u64,
    touched: Touched,
}

/// The part of a read that lies in one dimension.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) len: u64,
}

/// Scratch space of the chunk walk, kept to spare allocations.
#[derive(Debug, Clone, Default)]
struct Touched {
    scaled: Vec<u64>,
    start: Vec<u64>,
    count: Vec<u64>,
    memory: Vec<u64>,
}

impl<'a> ChunkCacheSim<'a> {
    /// A dataset just opened with these settings.
    pub fn new(geometry: &'a Geometry, settings: CacheSettings, version: LibVersion) -> Self {
        let state = match &geometry.storage {
            Storage::Contiguous { .. } => State::Contiguous {
                sieve: Sieve::default(),
                sieve_bytes: SIEVE_BYTES.min(geometry.logical_bytes()),
            },
            Storage::Chunked(grid) => {
                // Either of them 0 means no cache at all.
                let has_cache = settings.nbytes > 0 && settings.nslots > 0;
                let (nbytes, nslots) = if has_cache { (settings.nbytes, settings.nslots) } else { (0, 0) };
                State::Chunked(Box::new(Cache {
                    nbytes,
                    nslots,
                    w0: settings.w0,
                    hash: SlotHash::new(version.hash_rule(), &geometry.shape, &grid.chunk, nslots),
                    // Without room for one chunk the table is never asked.
                    entries: Entries::new(if grid.chunk_bytes <= nbytes { nslots } else { 0 }),
                    bytes_used: 0,
                    steps: 0,
                    touched: Touched::default(),
                }))
            }
        };
        Self { geometry, state, version }
    }

    /// Reads the block of `count` elements at `start` into a buffer of that shape.
    ///
    /// # Panics
    /// If the block is not of the dataset's rank or reaches beyond its extent.
    pub fn read(&mut self, start: &[u64], count: &[u64]) -> ReadCounts {
        let shape = &self.geometry.shape;
        assert!(start.len() == shape.len() && count.len() == shape.len(), "a block of another rank");
        let spans: Vec<Span> =
            start.iter().zip(count).map(|(start, len)| Span { start: *start, len: *len }).collect();
        for (span, dim) in spans.iter().zip(shape) {
            let end = span.start.checked_add(span.len);
            assert!(end.is_some_and(|end| end <= *dim), "a block beyond the extent");
        }
        self.read_spans(&spans)
    }

    /// [`Self::read`] for spans known to lie inside the extent.
    pub(super) fn read_spans(&mut self, spans: &[Span]) -> ReadCounts {
        let mut counts = ReadCounts::default();
        if spans.iter().any(|span| span.len == 0) {
            return counts;
        }
        match (&mut self.state, &self.geometry.storage) {
            (State::Contiguous { sieve, sieve_bytes }, Storage::Contiguous { is_allocated: true }) => {
                let start: Vec<u64> = spans.iter().map(|span| span.start).collect();
                let count: Vec<u64> = spans.iter().map(|span| span.len).collect();
                let block = Block {
                    outer: &self.geometry.shape,
                    start: &start,
                    count: &count,
                    memory: &count,
                    element_bytes: self.geometry.element_bytes,
                };
                counts.add_requests(block.requests_sieved(sieve, *sieve_bytes));
            }
            (State::Chunked(cache), Storage::Chunked(grid)) => {
                cache.read(self.geometry, grid, self.version, spans, &mut counts);
            }
            _ => {}
        }
        counts
    }

    /// The entries of the chunk cache; `None` for contiguous data.
    pub(super) fn entries(&mut self) -> Option<&mut Entries> {
        match &mut self.state {
            State::Chunked(cache) => Some(&mut cache.entries),
            State::Contiguous { .. } => None,
        }
    }

    /// No less than what simulating this read takes: chunks, and for those that bypass the cache (or contiguous data)
    /// the runs in each.
    pub(super) fn cost_max(&self, spans: &[Span]) -> u64 {
        let rows = |lens: &mut dyn Iterator<Item = u64>| lens.fold(1u64, |n, len| n.saturating_mul(len));
        match &self.geometry.storage {
            Storage::Contiguous { .. } => {
                rows(&mut spans[..spans.len().saturating_sub(1)].iter().map(|span| span.len))
            }
            Storage::Chunked(grid) => {
                let chunks = rows(&mut spans.iter().zip(&grid.chunk).map(|(span, chunk)| {
                    let last = (span.start + span.len.saturating_sub(1)) / chunk;
                    last - span.start / chunk + 1
                }));
                if !self.depends_on_offsets() {
                    return chunks;
                }
                let runs = spans.iter().zip(&grid.chunk).map(|(span, chunk)| span.len.min(*chunk));
                chunks.saturating_mul(rows(&mut runs.take(spans.len() - 1)))
            }
        }
    }

    /// Steps that pre-emption took along the list so far: what a simulation costs beside its chunk visits.
    pub(super) fn steps(&self) -> u64 {
        match &self.state {
            State::Chunked(cache) => cache.steps,
            State::Contiguous { .. } => 0,
        }
    }

    /// True where the cost of reading a chunk depends on where in it the block lies: chunks that bypass the cache
    /// and go through a sieve.
    pub(super) fn depends_on_offsets(&self) -> bool {
        match (&self.state, &self.geometry.storage) {
            (State::Chunked(cache), Storage::Chunked(grid)) => {
                let some_unfiltered = !grid.is_filtered || grid.edge_chunks_unfiltered;
                self.version.sieves_chunks() && some_unfiltered && grid.chunk_bytes > cache.nbytes
            }
            _ => true,
        }
    }
}

impl ReadCounts {
    fn add_requests(&mut self, requests: Requests) {
        self.driver_reads += requests.reads;
        self.driver_bytes += requests.bytes;
    }
}

impl Cache {
    fn read(
        &mut self,
        geometry: &Geometry,
        grid: &Grid,
        version: LibVersion,
        spans: &[Span],
        counts: &mut ReadCounts,
    ) {
        let rank = spans.len();
        let mut touched = std::mem::take(&mut self.touched);
        touched.scaled.clear();
        touched.scaled.extend(spans.iter().zip(&grid.chunk).map(|(span, chunk)| span.start / chunk));
        touched.start.clear();
        touched.start.resize(rank, 0);
        touched.count.clear();
        touched.count.resize(rank, 0);
        touched.memory.clear();
        touched.memory.extend(spans.iter().map(|span| span.len));
        for axis in 0..rank {
            touched.clip(axis, grid, spans);
        }
        // The sieve of chunks that bypass the cache lives for one H5Dread, and its chunks lie apart in the file, so
        // that what it holds of one serves none of the others.
        loop {
            let linear: u64 = touched.scaled.iter().zip(&grid.strides).map(|(s, stride)| s * stride).sum();
            counts.chunks_touched += 1;
            self.read_chunk(geometry, grid, version, linear, &touched, counts);
            let next = (0..rank).rev().find(|axis| {
                let last = (spans[*axis].start + spans[*axis].len - 1) / grid.chunk[*axis];
                touched.scaled[*axis] < last
            });
            let Some(axis) = next else { break };
            touched.scaled[axis] += 1;
            touched.clip(axis, grid, spans);
            for inner in axis + 1..rank {
                touched.scaled[inner] = spans[inner].start / grid.chunk[inner];
                touched.clip(inner, grid, spans);
            }
        }
        self.touched = touched;
    }

    fn read_chunk(
        &mut self,
        geometry: &Geometry,
        grid: &Grid,
        version: LibVersion,
        linear: u64,
        touched: &Touched,
        counts: &mut ReadCounts,
    ) {
        let accessed = touched.count.iter().fold(geometry.element_bytes, |n, c| n * c);
        let fits = self.nslots > 0 && grid.chunk_bytes <= self.nbytes;
        let slot = if fits { self.hash.slot(linear, &touched.scaled) } else { 0 };
        if fits
            && let Some(entry) = self.entries.in_slot(slot)
            && self.entries.get(entry).chunk == linear
        {
            self.entries.promote(entry);
            self.entries.count_read(entry, accessed);
            return;
        }
        let is_filtered = grid.is_filtered
            && !(grid.edge_chunks_unfiltered && grid.is_partial_edge(&geometry.shape, &touched.scaled));
        match grid.chunks.get(linear) {
            Some(stored) if is_filtered || fits => {
                counts.driver_reads += 1;
                counts.driver_bytes += stored.bytes;
                counts.decodes += u64::from(is_filtered && stored.is_filtered);
                if fits {
                    self.insert(grid, linear, slot, accessed);
                }
            }
            Some(_) => {
                let block = Block {
                    outer: &grid.chunk,
                    start: &touched.start,
                    count: &touched.count,
                    memory: &touched.memory,
                    element_bytes: geometry.element_bytes,
                };
                counts.add_requests(if version.sieves_chunks() {
                    block.requests_sieved(&mut Sieve::default(), SIEVE_BYTES)
                } else {
                    block.requests_unsieved()
                });
            }
            None if version.caches_missing_chunks() && !grid.skips_missing && fits => {
                self.insert(grid, linear, slot, accessed);
            }
            None => {}
        }
    }

    fn insert(&mut self, grid: &Grid, linear: u64, slot: u64, accessed: u64) {
        // The slot's owner goes first, however much room is left.
        if let Some(owner) = self.entries.in_slot(slot) {
            self.evict(owner, grid);
        }
        self.prune(grid);
        self.entries.push_tail(linear, slot, grid.chunk_bytes.saturating_sub(accessed));
        self.bytes_used += grid.chunk_bytes;
    }

    fn evict(&mut self, entry: u32, grid: &Grid) {
        self.entries.remove(entry);
        self.bytes_used -= grid.chunk_bytes;
    }

    fn is_over(&self, grid: &Grid) -> bool {
        // Sums of sizes that fit the limit, or with w0 = 1 of as many chunks as there are slots: no real overflow,
        // but the limit is the user's.
        self.bytes_used.saturating_add(grid.chunk_bytes) > self.nbytes
    }

    /// Makes room for one chunk: pointer 0 walks the list and takes fully read entries, pointer 1 sets out from the
    /// head after w0 of the list and takes anything.
    ///
    /// With w0 = 1 the second pointer never sets out, and the limit on bytes is none.
    fn prune(&mut self, grid: &Grid) {
        let mut wait = (self.entries.used as f64 * self.w0) as i64;
        if self.entries.finished == 0 {
            // Nothing for the first pointer; what the second will take needs no walk to be found.
            while wait < self.entries.used as i64 && self.entries.head != NONE && self.is_over(grid) {
                wait = 0;
                self.evict(self.entries.head, grid);
            }
            return;
        }
        let mut at = [self.entries.head, NONE];
        while (at[0] != NONE || at[1] != NONE) && self.is_over(grid) {
            self.steps += 1;
            if wait == 0 {
                at[1] = self.entries.head;
            }
            let mut next = at.map(|entry| if entry == NONE { NONE } else { self.entries.get(entry).next });
            for pointer in 0..2 {
                let entry = at[pointer];
                if entry == NONE || !self.is_over(grid) {
                    continue;
                }
                // Nothing is ever written here, so that "fully read, never written" is all of "finished".
                if pointer == 0 && self.entries.get(entry).unread != 0 {
                    continue;
                }
                let after = self.entries.get(entry).next;
                for other in 0..2 {
                    if at[other] == entry {
                        at[other] = NONE;
                    }
                    if next[other] == entry {
                        next[other] = after;
                    }
                }
                self.evict(entry, grid);
            }
            at = next;
            wait -= 1;
        }
    }
}

impl Touched {
    /// What of the read lies in the current chunk, along one dimension.
    fn clip(&mut self, axis: usize, grid: &Grid, spans: &[Span]) {
        let chunk_start = self.scaled[axis] * grid.chunk[axis];
        let start = spans[axis].start.max(chunk_start);
        let span_end = spans[axis].start + spans[axis].len;
        let end = span_end.min(chunk_start.saturating_add(grid.chunk[axis]));
        self.start[axis] = start - chunk_start;
        self.count[axis] = end - start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{ChunkMap, StoredChunk};
    use crate::simulate::ChunkedStorage;
    use std::sync::Arc;

    const ONE_MIB: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

    fn storage(chunk_dims: &[u64], is_filtered: bool) -> ChunkedStorage {
        ChunkedStorage {
            chunk_dims: chunk_dims.to_vec(),
            is_filtered,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        }
    }

    fn line(chunks: u64, is_filtered: bool) -> Geometry {
        Geometry::chunked(&[chunks * 10], 1, storage(&[10], is_filtered)).unwrap()
    }

    /// Decodes of each read of whole chunks, in the given order.
    fn decodes(geometry: &Geometry, settings: CacheSettings, order: &[u64]) -> Vec<u64> {
        let mut sim = ChunkCacheSim::new(geometry, settings, LibVersion::NEWEST);
        order.iter().map(|chunk| sim.read(&[chunk * 10], &[5]).decodes).collect()
    }

    #[test]
    fn a_filtered_chunk_larger_than_the_cache_is_decoded_at_every_read() {
        let geometry = Geometry::chunked(&[60, 30, 9, 717], 4, storage(&[4, 30, 9, 717], true)).unwrap();
        let mut sim = ChunkCacheSim::new(&geometry, ONE_MIB, LibVersion::V1_14);
        let mut total = ReadCounts::default();
        for t in 0..60 {
            for y in 0..30 {
                for x in 0..9 {
                    total.add(sim.read(&[t, y, x, 0], &[1, 1, 1, 717]));
                }
            }
        }
        assert_eq!(total.decodes, 16_200);
        assert_eq!(total.driver_reads, 16_200);
        assert_eq!(total.driver_bytes, 16_200 * 3_097_440);
    }

    #[test]
    fn a_walk_around_one_chunk_too_many_hits_nothing() {
        let geometry = line(3, true);
        let settings = CacheSettings { nbytes: 29, nslots: 521, w0: 0.75 };
        assert_eq!(
            decodes(&geometry, settings, &[0, 1, 2, 0, 1, 2, 0]),
            [1; 7],
            "29 bytes hold 2 chunks of 10"
        );
        let settings = CacheSettings { nbytes: 30, ..settings };
        assert_eq!(decodes(&geometry, settings, &[0, 1, 2, 0, 1, 2, 0]), [1, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn one_slot_holds_one_chunk_whatever_the_bytes() {
        let settings = CacheSettings { nbytes: 1 << 20, nslots: 1, w0: 0.75 };
        assert_eq!(decodes(&line(2, true), settings, &[0, 0, 1, 0]), [1, 0, 1, 1]);
    }

    #[test]
    fn w0_of_one_makes_the_limit_soft() {
        // Ten half-read chunks in a cache for two: all stay.
        let settings = CacheSettings { nbytes: 20, nslots: 521, w0: 1.0 };
        let order: Vec<u64> = (0..10).chain(0..10).collect();
        let mut expected = vec![1; 10];
        expected.extend([0; 10]);
        assert_eq!(decodes(&line(10, true), settings, &order), expected);
    }

    #[test]
    fn fully_read_chunks_go_first() {
        let geometry = line(3, true);
        let settings = CacheSettings { nbytes: 20, nslots: 521, w0: 0.75 };
        let mut sim = ChunkCacheSim::new(&geometry, settings, LibVersion::NEWEST);
        assert_eq!(sim.read(&[0], &[5]).decodes, 1);
        assert_eq!(sim.read(&[10], &[10]).decodes, 1);
        assert_eq!(sim.read(&[20], &[5]).decodes, 1, "evicts the second, which is finished");
        assert_eq!(sim.read(&[0], &[5]).decodes, 0);
        assert_eq!(sim.read(&[10], &[5]).decodes, 1);
    }

    #[test]
    fn chunks_that_are_not_stored_take_a_place_only_up_to_2_1() {
        let stored = [0u64, 2].map(|index| (index, StoredChunk { bytes: 7, is_filtered: true }));
        let chunks = Some(Arc::new(ChunkMap::from_chunks(3, stored)));
        let geometry =
            Geometry::chunked(&[30], 1, ChunkedStorage { chunks, ..storage(&[10], true) }).unwrap();
        let settings = CacheSettings { nbytes: 10, nslots: 521, w0: 0.75 };
        let run = |version| {
            let mut sim = ChunkCacheSim::new(&geometry, settings, version);
            [0, 10, 0].map(|start| sim.read(&[start], &[1]).decodes)
        };
        assert_eq!(run(LibVersion::V2_1), [1, 0, 1], "the missing chunk pushed the stored one out");
        assert_eq!(run(LibVersion::V2_2), [1, 0, 0]);
    }

    #[test]
    fn unfiltered_chunks_that_do_not_fit_are_read_in_runs_and_later_through_a_sieve() {
        let geometry = Geometry::chunked(&[100, 100], 4, storage(&[100, 100], false)).unwrap();
        let settings = CacheSettings { nbytes: 1000, nslots: 521, w0: 0.75 };
        let column = |version| ChunkCacheSim::new(&geometry, settings, version).read(&[0, 3], &[100, 1]);
        let old = column(LibVersion::V2_0);
        assert_eq!((old.decodes, old.driver_reads, old.driver_bytes), (0, 100, 400));
        let new = column(LibVersion::V2_1);
        assert_eq!((new.driver_reads, new.driver_bytes), (1, 40_000 - 12));
    }

    #[test]
    fn contiguous_data_keep_their_sieve_between_reads() {
        let geometry = Geometry::contiguous(&[1000, 1000], 4, true).unwrap();
        let mut sim = ChunkCacheSim::new(&geometry, ONE_MIB, LibVersion::V1_8);
        let first = sim.read(&[0, 0], &[1, 1000]);
        assert_eq!((first.driver_reads, first.driver_bytes, first.chunks_touched), (1, 65_536, 0));
        let hits: u64 = (1..16).map(|row| sim.read(&[row, 0], &[1, 1000]).driver_reads).sum();
        assert_eq!(hits, 0, "sixteen rows of 4000 bytes lie in 65536");
        assert_eq!(sim.read(&[16, 0], &[1, 1000]).driver_reads, 1);
        let unallocated = Geometry::contiguous(&[10], 4, false).unwrap();
        assert_eq!(
            ChunkCacheSim::new(&unallocated, ONE_MIB, LibVersion::V1_8).read(&[0], &[10]).driver_reads,
            0
        );
    }

    #[test]
    fn a_chunk_with_all_filters_masked_is_read_but_not_decoded() {
        let chunks = ChunkMap::from_chunks(1, [(0, StoredChunk { bytes: 10, is_filtered: false })]);
        let chunks = Some(Arc::new(chunks));
        let geometry =
            Geometry::chunked(&[10], 1, ChunkedStorage { chunks, ..storage(&[10], true) }).unwrap();
        let counts = ChunkCacheSim::new(&geometry, ONE_MIB, LibVersion::NEWEST).read(&[0], &[1]);
        assert_eq!((counts.decodes, counts.driver_reads), (0, 1));
    }

    #[test]
    #[should_panic(expected = "beyond the extent")]
    fn a_block_beyond_the_extent_is_refused() {
        let geometry = line(1, true);
        ChunkCacheSim::new(&geometry, ONE_MIB, LibVersion::NEWEST).read(&[u64::MAX], &[2]);
    }
}
