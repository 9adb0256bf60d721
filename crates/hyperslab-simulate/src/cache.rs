//! The chunk cache: what one H5Dread does to it.
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

use super::cursor::ChunkCursor;
use super::entries::{Entries, NONE};
use super::geometry::{Grid, Span};
use super::hash::SlotHash;
use super::recent::RecentLoads;
use super::sieve::{Block, SIEVE_BYTES, Sieve};
use super::{Geometry, LibVersion, ReadCounts, WriteCounts};
use hyperslab_storage::CacheSettings;
use std::collections::HashSet;

/// The chunk cache of one open dataset.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    pub(super) nbytes: u64,
    nslots: u64,
    w0: f64,
    hash: SlotHash,
    pub(super) entries: Entries,
    /// Not limited by `nbytes` if w0 = 1, only by the slots; therefore 128 bits.
    bytes_used: u128,
    /// Steps of eviction along the list, and steps spent on counting requests.
    pub(super) steps: u64,
    /// Entries that eviction looked at, and chunks evicted, since the dataset was opened.
    looked_at: u64,
    evicted: u64,
    recent: RecentLoads,
    /// Where the dataset is written: what was encoded, and the chunks that are stored since.
    written: WriteCounts,
    stored_since: HashSet<u64>,
    is_writing: bool,
    /// The chunks that were touched, if that is recorded.
    pub(super) visited: Option<HashSet<u64>>,
    /// Every load in order, if that is recorded.
    pub(super) loads: Option<Vec<ChunkLoads>>,
    cursor: ChunkCursor,
}

/// Loads of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkLoads {
    /// Linear index of the chunk.
    pub(super) chunk: u64,
    pub(super) times: u64,
}

/// What looking for a chunk came to.
enum Lookup {
    Hit,
    /// The chunk's slot; none if the cache has no room for a chunk.
    Missed {
        slot: Option<u64>,
    },
}

impl Cache {
    pub(super) fn new(
        geometry: &Geometry,
        grid: &Grid,
        settings: CacheSettings,
        version: LibVersion,
    ) -> Self {
        // If either is 0 there is no cache at all.
        let has_cache = settings.nbytes > 0 && settings.nslots > 0;
        let (nbytes, nslots) = if has_cache { (settings.nbytes, settings.nslots) } else { (0, 0) };
        Self {
            nbytes,
            nslots,
            w0: settings.w0,
            hash: SlotHash::new(version.hash_rule(), &geometry.shape, &grid.chunk, nslots),
            // If not even one chunk fits, the table is never used.
            entries: Entries::new(if grid.chunk_bytes <= nbytes { nslots } else { 0 }),
            bytes_used: 0,
            steps: 0,
            looked_at: 0,
            evicted: 0,
            recent: RecentLoads::default(),
            written: WriteCounts::default(),
            stored_since: HashSet::new(),
            is_writing: false,
            visited: None,
            loads: None,
            cursor: ChunkCursor::default(),
        }
    }

    /// One H5Dread.
    pub(super) fn read(
        &mut self,
        geometry: &Geometry,
        grid: &Grid,
        version: LibVersion,
        spans: &[Span],
        counts: &mut ReadCounts,
    ) {
        let (looked_at, evicted) = (self.looked_at, self.evicted);
        // The sieve buffer of chunks that bypass the cache lasts for one H5Dread. The chunks are far apart in the file,
        // so what it holds of one is of no use to the others.
        self.each_chunk(grid, spans, |cache, linear, cursor| {
            counts.chunks_touched += 1;
            cache.read_chunk(geometry, grid, version, linear, cursor, counts);
        });
        counts.work.steps += self.looked_at - looked_at;
        counts.work.evictions += self.evicted - evicted;
    }

    /// One H5Dwrite into chunks with filters.
    pub(super) fn write(&mut self, geometry: &Geometry, grid: &Grid, spans: &[Span]) -> WriteCounts {
        self.is_writing = true;
        let before = self.written;
        if grid.is_filtered {
            self.each_chunk(grid, spans, |cache, linear, cursor| {
                cache.write_chunk(geometry, grid, linear, cursor);
            });
        }
        WriteCounts {
            encodes: self.written.encodes - before.encodes,
            decodes: self.written.decodes - before.decodes,
        }
    }

    /// What is still in the cache is encoded.
    pub(super) fn close(&mut self, grid: &Grid) -> WriteCounts {
        let before = self.written.encodes;
        while self.entries.head != NONE {
            self.evict(self.entries.head, grid);
        }
        WriteCounts { encodes: self.written.encodes - before, decodes: 0 }
    }

    /// Calls `work` for each chunk with wanted elements, in ascending linear index.
    fn each_chunk(
        &mut self,
        grid: &Grid,
        spans: &[Span],
        mut work: impl FnMut(&mut Self, u64, &ChunkCursor),
    ) {
        let mut cursor = std::mem::take(&mut self.cursor);
        cursor.each_chunk(grid, spans, |linear, cursor| {
            if let Some(visited) = &mut self.visited {
                visited.insert(linear);
            }
            work(self, linear, cursor);
        });
        self.cursor = cursor;
    }

    /// Looks for a chunk in its slot. Where it is there, notes that bytes of it were accessed.
    fn look_up(&mut self, grid: &Grid, linear: u64, cursor: &ChunkCursor, accessed: u64) -> Lookup {
        if self.nslots == 0 || grid.chunk_bytes > self.nbytes {
            return Lookup::Missed { slot: None };
        }
        let slot = self.hash.slot(linear, &cursor.scaled);
        match self.entries.in_slot(slot).filter(|entry| self.entries.get(*entry).chunk == linear) {
            Some(entry) => {
                self.entries.promote(entry);
                self.entries.count_read(entry, accessed);
                Lookup::Hit
            }
            None => Lookup::Missed { slot: Some(slot) },
        }
    }

    /// A chunk is read as it is stored: libhdf5 drops what it has of it.
    pub(super) fn drop_chunk(&mut self, grid: &Grid, linear: u64, scaled: &[u64]) {
        if self.nslots == 0 || grid.chunk_bytes > self.nbytes {
            return;
        }
        let held = self.entries.in_slot(self.hash.slot(linear, scaled));
        if let Some(entry) = held.filter(|entry| self.entries.get(*entry).chunk == linear) {
            self.evict(entry, grid);
        }
    }

    /// One chunk of an H5Dread.
    pub(super) fn read_chunk(
        &mut self,
        geometry: &Geometry,
        grid: &Grid,
        version: LibVersion,
        linear: u64,
        cursor: &ChunkCursor,
        counts: &mut ReadCounts,
    ) {
        let accessed = cursor.bytes(geometry);
        let Lookup::Missed { slot } = self.look_up(grid, linear, cursor, accessed) else { return };
        let fits = slot.is_some();
        let is_filtered = grid.is_filtered
            && !(grid.edge_chunks_unfiltered && grid.is_partial_edge(&geometry.shape, &cursor.scaled));
        let stored = grid.chunks.get(linear);
        if let (Some(loads), Some(_)) = (&mut self.loads, stored) {
            loads.push(ChunkLoads { chunk: linear, times: 1 });
        }
        match stored {
            Some(stored) if is_filtered || fits => {
                counts.driver_reads += 1;
                counts.driver_bytes += stored.bytes;
                let is_decoded = is_filtered && stored.is_filtered;
                counts.decodes += u64::from(is_decoded);
                if is_decoded {
                    self.recent.pass(stored.bytes);
                } else if self.recent.load(linear, stored.bytes) {
                    counts.work.near_bytes += stored.bytes;
                } else {
                    counts.work.far_bytes += stored.bytes;
                }
                if let Some(slot) = slot {
                    self.insert(grid, linear, slot, accessed);
                }
            }
            Some(_) => {
                let block = Block {
                    outer: &grid.chunk,
                    start: &cursor.start,
                    count: &cursor.count,
                    memory: &cursor.memory,
                    element_bytes: geometry.element_bytes,
                };
                let requests = if version.sieves_chunks() {
                    block.requests_sieved(&mut Sieve::default(), SIEVE_BYTES)
                } else {
                    block.requests_unsieved()
                };
                self.steps += requests.steps;
                counts.add_requests(requests);
            }
            None => {
                let slot = slot.filter(|_| version.caches_missing_chunks() && !grid.skips_missing);
                if let Some(slot) = slot {
                    self.insert(grid, linear, slot, accessed);
                }
            }
        }
    }

    fn write_chunk(&mut self, geometry: &Geometry, grid: &Grid, linear: u64, cursor: &ChunkCursor) {
        let accessed = cursor.bytes(geometry);
        let Lookup::Missed { slot } = self.look_up(grid, linear, cursor, accessed) else { return };
        let is_stored = self.stored_since.contains(&linear) || grid.chunks.get(linear).is_some();
        // A chunk that is written as a whole need not be read before.
        self.written.decodes += u64::from(is_stored && accessed != grid.chunk_bytes);
        if let Some(slot) = slot {
            self.insert(grid, linear, slot, accessed);
        } else {
            self.written.encodes += 1;
            self.stored_since.insert(linear);
        }
    }

    fn insert(&mut self, grid: &Grid, linear: u64, slot: u64, accessed: u64) {
        // The slot's current chunk is evicted first, however much room is left.
        if let Some(owner) = self.entries.in_slot(slot) {
            self.evict(owner, grid);
        }
        self.prune(grid);
        self.entries.push_tail(linear, slot, grid.chunk_bytes.saturating_sub(accessed));
        self.bytes_used += u128::from(grid.chunk_bytes);
    }

    fn evict(&mut self, entry: u32, grid: &Grid) {
        self.evicted += 1;
        if self.is_writing {
            self.written.encodes += 1;
            self.stored_since.insert(self.entries.get(entry).chunk);
        }
        self.entries.remove(entry);
        self.bytes_used -= u128::from(grid.chunk_bytes);
    }

    fn is_over(&self, grid: &Grid) -> bool {
        self.bytes_used + u128::from(grid.chunk_bytes) > u128::from(self.nbytes)
    }

    /// Makes room for one chunk. Pointer 0 goes along the list and evicts entries that have been read completely;
    /// pointer 1 starts from the head once pointer 0 has passed w0 of the list, and evicts any entry.
    ///
    /// With w0 = 1 the second pointer never starts, and the size in bytes is not limited.
    fn prune(&mut self, grid: &Grid) {
        let mut wait = (self.entries.used as f64 * self.w0) as i64;
        if self.entries.finished == 0 {
            // The first pointer would find nothing; what the second evicts can be determined without following the
            // list.
            while wait < self.entries.used as i64 && self.entries.head != NONE && self.is_over(grid) {
                wait = 0;
                self.evict(self.entries.head, grid);
            }
            return;
        }
        let mut at = [self.entries.head, NONE];
        while (at[0] != NONE || at[1] != NONE) && self.is_over(grid) {
            self.steps += 1;
            self.looked_at += 1;
            if wait == 0 {
                at[1] = self.entries.head;
            }
            let mut next = at.map(|entry| if entry == NONE { NONE } else { self.entries.get(entry).next });
            for pointer in 0..2 {
                let entry = at[pointer];
                if entry == NONE || !self.is_over(grid) {
                    continue;
                }
                // Either all calls read or all write, so an entry is finished when it has been read, or written, completely.
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
