//! An open dataset: a series of H5Dread calls, each with its counts.

use super::cache::{Cache, ChunkLoads};
use super::entries::Entries;
use super::geometry::{Span, StoredAs};
use super::sieve::{Block, SIEVE_BYTES, Sieve};
use super::{Geometry, LibVersion, ReadCounts, WriteCounts};
use hyperslab_storage::CacheSettings;
use std::collections::HashSet;

/// An open dataset as libhdf5 keeps it: its chunk cache or its sieve buffer.
#[derive(Debug, Clone)]
pub struct ChunkCacheSim<'a> {
    geometry: &'a Geometry,
    state: State,
    version: LibVersion,
}

#[derive(Debug, Clone)]
enum State {
    Chunked(Box<Cache>),
    Contiguous { sieve: Sieve, sieve_bytes: u64, steps: u64 },
}

impl<'a> ChunkCacheSim<'a> {
    /// A dataset just opened with these settings.
    pub fn new(geometry: &'a Geometry, settings: CacheSettings, version: LibVersion) -> Self {
        let state = match &geometry.storage {
            StoredAs::Contiguous { .. } => State::Contiguous {
                sieve: Sieve::default(),
                sieve_bytes: SIEVE_BYTES.min(geometry.logical_bytes()),
                steps: 0,
            },
            StoredAs::Chunked(grid) => {
                State::Chunked(Box::new(Cache::new(geometry, grid, settings, version)))
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
            start.iter().zip(count).map(|(start, len)| Span::plain(*start, *len)).collect();
        self.check(&spans);
        self.read_spans(&spans)
    }

    /// Reads `count` elements at distances of `step` along each dimension, the first at `start`. Counts are exact where chunks
    /// are decoded; of data that is not, a strided read makes more requests than are counted.
    ///
    /// # Panics
    /// As [`Self::read`].
    pub fn read_strided(&mut self, start: &[u64], count: &[u64], step: &[u64]) -> ReadCounts {
        let spans = self.strided(start, count, step);
        self.read_spans(&spans)
    }

    /// Writes `count` elements at distances of `step` along each dimension, the first at `start`, into chunks with filters. Of a
    /// simulation, either all calls read or all write.
    ///
    /// # Panics
    /// As [`Self::read`].
    pub fn write(&mut self, start: &[u64], count: &[u64], step: &[u64]) -> WriteCounts {
        let spans = self.strided(start, count, step);
        match (&mut self.state, &self.geometry.storage) {
            (State::Chunked(cache), StoredAs::Chunked(grid)) if spans.iter().all(|span| span.len > 0) => {
                cache.write(self.geometry, grid, &spans)
            }
            _ => WriteCounts::default(),
        }
    }

    /// Closes a dataset that was written: the chunks that are still in the cache are encoded.
    pub fn close(self) -> WriteCounts {
        match (self.state, &self.geometry.storage) {
            (State::Chunked(mut cache), StoredAs::Chunked(grid)) => cache.close(grid),
            _ => WriteCounts::default(),
        }
    }

    fn strided(&self, start: &[u64], count: &[u64], step: &[u64]) -> Vec<Span> {
        let shape = &self.geometry.shape;
        let ranks = [start.len(), count.len(), step.len()];
        assert!(ranks.iter().all(|rank| *rank == shape.len()), "a block of another rank");
        let axes = start.iter().zip(count).zip(step);
        let spans: Vec<Span> =
            axes.map(|((start, count), step)| Span::strided(*start, *count, *step)).collect();
        self.check(&spans);
        spans
    }

    fn check(&self, spans: &[Span]) {
        for (span, dim) in spans.iter().zip(&self.geometry.shape) {
            let end = span.start.checked_add(span.len);
            assert!(end.is_some_and(|end| end <= *dim), "a block beyond the extent");
        }
    }

    /// The same. Returns the linear indexes of the stored chunks that are loaded, in order; none for contiguous data.
    ///
    /// # Panics
    /// As [`Self::read`].
    pub fn chunks_loaded_by(&mut self, start: &[u64], count: &[u64]) -> Vec<u64> {
        self.record_loads();
        self.read(start, count);
        self.loads().iter().map(|load| load.chunk).collect()
    }

    /// [`Self::read`] for spans known to lie inside the extent.
    pub(super) fn read_spans(&mut self, spans: &[Span]) -> ReadCounts {
        let mut counts = ReadCounts::default();
        if spans.iter().any(|span| span.len == 0) {
            return counts;
        }
        match (&mut self.state, &self.geometry.storage) {
            (
                State::Contiguous { sieve, sieve_bytes, steps },
                StoredAs::Contiguous { is_allocated: true },
            ) => {
                let start: Vec<u64> = spans.iter().map(|span| span.start).collect();
                let count: Vec<u64> = spans.iter().map(|span| span.len).collect();
                let block = Block {
                    outer: &self.geometry.shape,
                    start: &start,
                    count: &count,
                    memory: &count,
                    element_bytes: self.geometry.element_bytes,
                };
                let requests = block.requests_sieved(sieve, *sieve_bytes);
                *steps += requests.steps;
                counts.add_requests(requests);
            }
            (State::Chunked(cache), StoredAs::Chunked(grid)) => {
                cache.read(self.geometry, grid, self.version, spans, &mut counts);
            }
            _ => {}
        }
        counts
    }

    /// Records from now on which chunks are touched.
    pub(super) fn record_visits(&mut self) {
        if let State::Chunked(cache) = &mut self.state {
            cache.visited = Some(HashSet::new());
        }
    }

    /// The chunks that were touched, by linear index.
    pub(super) fn visited(&self) -> impl Iterator<Item = u64> + '_ {
        let visited = match &self.state {
            State::Chunked(cache) => cache.visited.as_ref(),
            State::Contiguous { .. } => None,
        };
        visited.into_iter().flatten().copied()
    }

    /// Records from now on which chunks are loaded.
    pub(super) fn record_loads(&mut self) {
        if let State::Chunked(cache) = &mut self.state {
            cache.loads = Some(Vec::new());
        }
    }

    /// The loads that were recorded, in order.
    pub(super) fn loads(&mut self) -> &mut [ChunkLoads] {
        match &mut self.state {
            State::Chunked(cache) => cache.loads.as_deref_mut().unwrap_or_default(),
            State::Contiguous { .. } => &mut [],
        }
    }

    /// The dataset.
    pub(super) fn geometry(&self) -> &'a Geometry {
        self.geometry
    }

    /// The entries of the chunk cache; `None` for contiguous data.
    pub(super) fn entries(&mut self) -> Option<&mut Entries> {
        match &mut self.state {
            State::Chunked(cache) => Some(&mut cache.entries),
            State::Contiguous { .. } => None,
        }
    }

    /// An upper bound of what simulating this read takes: chunks, and the rows of runs in each chunk that bypasses the
    /// cache (or in contiguous data).
    pub(super) fn cost_max(&self, spans: &[Span]) -> u64 {
        let rows = |lens: &mut dyn Iterator<Item = u64>| lens.fold(1u64, |n, len| n.saturating_mul(len));
        match &self.geometry.storage {
            StoredAs::Contiguous { .. } => {
                rows(&mut spans[..spans.len().saturating_sub(2)].iter().map(|span| span.len))
            }
            StoredAs::Chunked(grid) => {
                let chunks = rows(&mut spans.iter().zip(&grid.chunk).map(|(span, chunk)| {
                    let last = (span.start + span.len.saturating_sub(1)) / chunk;
                    last - span.start / chunk + 1
                }));
                if !self.depends_on_offsets() {
                    return chunks;
                }
                let runs = spans.iter().zip(&grid.chunk).map(|(span, chunk)| span.len.min(*chunk));
                chunks.saturating_mul(rows(&mut runs.take(spans.len().saturating_sub(2))))
            }
        }
    }

    /// Steps of eviction along the list, and steps spent on counting requests: the cost of a simulation apart from its
    /// chunk visits.
    pub(super) fn steps(&self) -> u64 {
        match &self.state {
            State::Chunked(cache) => cache.steps,
            State::Contiguous { steps, .. } => *steps,
        }
    }

    /// True if the cost of reading a chunk depends on the position of the block in it: for chunks that bypass the cache
    /// and are read through a sieve buffer.
    pub(super) fn depends_on_offsets(&self) -> bool {
        match (&self.state, &self.geometry.storage) {
            (State::Chunked(cache), StoredAs::Chunked(grid)) => {
                let some_unfiltered = !grid.is_filtered || grid.edge_chunks_unfiltered;
                self.version.sieves_chunks() && some_unfiltered && grid.chunk_bytes > cache.nbytes
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkedStorage;
    use crate::facts::{ChunkMap, StoredChunk};
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

    /// The decodes of each read, where the reads are of whole chunks in the given order.
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
        // Ten half-read chunks in a cache for two: no chunk has been read completely.
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
