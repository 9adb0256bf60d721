//! A dataset while a program reads it: caches of several settings side by side, through which the same reads go.

use super::cache::Cache;
use super::cursor::ChunkCursor;
use super::geometry::{Span, StoredAs};
use super::{Geometry, LibVersion, ReadCounts};
use hyperslab_storage::CacheSettings;
use std::collections::HashSet;
use std::sync::Arc;

/// The elements that one H5Dread selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read<'r> {
    /// `count` blocks of `block` elements at distances of `step` along each dimension, the first at `start`.
    Blocks {
        /// The first element.
        start: &'r [u64],
        /// The distance between the beginnings of two blocks; of a single block, it has no meaning.
        step: &'r [u64],
        /// The number of blocks.
        count: &'r [u64],
        /// The extent of a block.
        block: &'r [u64],
    },
    /// Any others: the linear indexes of the chunks with wanted elements, ascending, and how many elements of each are wanted.
    Chunks(&'r [(u64, u64)]),
}

/// The chunk caches that a dataset could have, while a program reads it.
#[derive(Debug, Clone)]
pub struct LiveCaches {
    geometry: Arc<Geometry>,
    version: LibVersion,
    caches: Vec<(CacheSettings, Cache, ReadCounts)>,
    visited: Visited,
    visits: u64,
    by_chunk: DecodesByChunk,
    spans: Vec<Span>,
    cursor: ChunkCursor,
}

impl LiveCaches {
    /// A dataset just opened, with each of these settings; `None` where it has no chunks.
    pub fn new(geometry: Arc<Geometry>, version: LibVersion, settings: &[CacheSettings]) -> Option<Self> {
        let grid = geometry.grid()?;
        let open = |settings: &CacheSettings| {
            (*settings, Cache::new(&geometry, grid, *settings, version), ReadCounts::default())
        };
        let caches = settings.iter().map(open).collect();
        let visited = Visited::new(grid.chunks.grid_chunks());
        let by_chunk = DecodesByChunk::new(grid.chunks.grid_chunks());
        let (spans, cursor) = (Vec::new(), ChunkCursor::default());
        Some(Self { version, caches, visited, visits: 0, by_chunk, spans, cursor, geometry })
    }

    /// The dataset is closed and opened again: its chunks are in memory no more. What was counted remains.
    pub fn reopen(&mut self, settings: &[CacheSettings]) {
        let StoredAs::Chunked(grid) = &self.geometry.storage else { return };
        for ((settings, cache, _), new) in self.caches.iter_mut().zip(settings) {
            *settings = *new;
            *cache = Cache::new(&self.geometry, grid, *new, self.version);
        }
    }

    /// The dataset is closed: the caches take no memory until it is opened again.
    pub fn drop_all(&mut self) {
        let StoredAs::Chunked(grid) = &self.geometry.storage else { return };
        for (settings, cache, _) in &mut self.caches {
            *cache = Cache::new(&self.geometry, grid, CacheSettings { nbytes: 0, ..*settings }, self.version);
        }
    }

    /// What was counted so far is not counted any more; the chunks remain in memory.
    pub fn forget_counts(&mut self) {
        let chunks = self.geometry.chunks().map_or(0, |chunks| chunks.grid_chunks());
        self.caches.iter_mut().for_each(|(.., counts)| *counts = ReadCounts::default());
        (self.visited, self.visits, self.by_chunk) = (Visited::new(chunks), 0, DecodesByChunk::new(chunks));
    }

    /// One H5Dread. Requests of reads that bypass a cache are counted where the read is of blocks without steps; decodes always.
    /// Returns the decodes in the first cache. A read that reaches beyond the extent is not counted.
    pub fn read(&mut self, read: Read<'_>) -> u64 {
        let Self { geometry, version, caches, visited, visits, by_chunk, spans, cursor } = self;
        let StoredAs::Chunked(grid) = &geometry.storage else { return 0 };
        let before = caches.first().map_or(0, |(.., counts)| counts.decodes);
        let mut touch = |linear: u64, cursor: &ChunkCursor| {
            *visits += 1;
            visited.insert(linear);
            for (number, (_, cache, counts)) in caches.iter_mut().enumerate() {
                let decodes = counts.decodes;
                counts.chunks_touched += 1;
                cache.read_chunk(geometry, grid, *version, linear, cursor, counts);
                if number == 0 && counts.decodes > decodes {
                    by_chunk.add(linear);
                }
            }
        };
        match read {
            Read::Blocks { start, step, count, block } => {
                spans.clear();
                let axes = start.iter().zip(step).zip(count.iter().zip(block));
                spans.extend(axes.map(|((start, step), (count, block))| {
                    if *count == 1 {
                        Span::plain(*start, *block)
                    } else {
                        Span::blocks(*start, *count, *step, *block)
                    }
                }));
                if is_inside(geometry, spans) {
                    cursor.each_chunk(grid, spans, touch);
                }
            }
            Read::Chunks(chunks) => {
                for (linear, elements) in
                    chunks.iter().filter(|(linear, _)| *linear < grid.chunks.grid_chunks())
                {
                    cursor.set(grid, *linear, *elements);
                    touch(*linear, cursor);
                }
            }
        }
        self.caches.first().map_or(0, |(.., counts)| counts.decodes) - before
    }

    /// One H5Dread_chunk, of the chunk that begins at an element: it decodes nothing, and what the caches hold of the chunk is
    /// dropped, also where the chunk is missing and the call fails. Returns the bytes that it read.
    pub fn read_stored(&mut self, first: &[u64]) -> u64 {
        let Self { geometry, caches, cursor, .. } = self;
        let StoredAs::Chunked(grid) = &geometry.storage else { return 0 };
        let mut along = first.iter().zip(&geometry.shape).zip(&grid.chunk);
        if first.len() != geometry.shape.len() || along.any(|((at, dim), chunk)| at >= dim || at % chunk > 0)
        {
            return 0;
        }
        let along = first.iter().zip(&grid.chunk).zip(&grid.strides);
        let linear = along.map(|((at, chunk), stride)| at / chunk * stride).sum();
        cursor.set(grid, linear, 1);
        caches.iter_mut().for_each(|(_, cache, _)| cache.drop_chunk(grid, linear, &cursor.scaled));
        grid.chunks.get(linear).map_or(0, |stored| stored.bytes)
    }

    /// The dataset.
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// What the reads cost with each of the settings.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = (CacheSettings, &ReadCounts)> {
        self.caches.iter().map(|(settings, _, counts)| (*settings, counts))
    }

    /// Chunks that the reads touched, counted again at each read.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Chunks that were touched at least once.
    pub fn chunks_visited(&self) -> u64 {
        self.visited.count
    }

    /// How often each chunk was decoded with the first of the settings.
    pub fn decodes_by_chunk(&self) -> &DecodesByChunk {
        &self.by_chunk
    }

    /// Those of them that are decoded when they are read: fewer decodes are not possible.
    pub fn chunks_decodable(&self) -> u64 {
        let StoredAs::Chunked(grid) = &self.geometry.storage else { return 0 };
        if !grid.is_filtered {
            return 0;
        }
        let mut cursor = ChunkCursor::default();
        let is_decoded = |linear: &u64| {
            cursor.set(grid, *linear, 1);
            let is_edge =
                grid.edge_chunks_unfiltered && grid.is_partial_edge(&self.geometry.shape, &cursor.scaled);
            !is_edge && grid.chunks.get(*linear).is_some_and(|stored| stored.is_filtered)
        };
        self.visited.iter().filter(is_decoded).count() as u64
    }
}

fn is_inside(geometry: &Geometry, spans: &[Span]) -> bool {
    spans.len() == geometry.shape.len()
        && spans.iter().zip(&geometry.shape).all(|(span, dim)| {
            span.len > 0 && span.start.checked_add(span.len).is_some_and(|end| end <= *dim)
        })
}

/// Of larger grids, chunks side by side are counted together.
const PARTS_MAX: u64 = 4096;

/// How often each chunk was decoded, in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodesByChunk {
    /// The number of neighbouring chunks that are counted together.
    pub chunks_per_part: u64,
    /// The decodes of each part; empty as long as there were none.
    pub decodes: Vec<u64>,
    parts: u64,
}

impl DecodesByChunk {
    fn new(chunks: u64) -> Self {
        let chunks_per_part = chunks.div_ceil(PARTS_MAX).max(1);
        Self { chunks_per_part, decodes: Vec::new(), parts: chunks.div_ceil(chunks_per_part) }
    }

    fn add(&mut self, chunk: u64) {
        if self.decodes.is_empty() {
            self.decodes = vec![0; self.parts as usize];
        }
        self.decodes[(chunk / self.chunks_per_part) as usize] += 1;
    }
}

/// A grid with at most this number of chunks has a bit for each.
const BITS_MAX: u64 = 1 << 24;

/// Which chunks were touched.
#[derive(Debug, Clone)]
struct Visited {
    places: Places,
    count: u64,
}

#[derive(Debug, Clone)]
enum Places {
    Bits(Vec<u64>),
    Some(HashSet<u64>),
}

impl Visited {
    fn new(chunks: u64) -> Self {
        let places = if chunks <= BITS_MAX {
            Places::Bits(vec![0; chunks.div_ceil(64) as usize])
        } else {
            Places::Some(HashSet::new())
        };
        Self { places, count: 0 }
    }

    fn insert(&mut self, chunk: u64) {
        let is_new = match &mut self.places {
            Places::Bits(bits) => {
                let (word, bit) = (&mut bits[(chunk / 64) as usize], 1u64 << (chunk % 64));
                let is_new = *word & bit == 0;
                *word |= bit;
                is_new
            }
            Places::Some(places) => places.insert(chunk),
        };
        self.count += u64::from(is_new);
    }

    fn iter(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match &self.places {
            Places::Bits(bits) => Box::new(bits.iter().enumerate().flat_map(|(word, bits)| {
                (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u64 * 64 + bit)
            })),
            Places::Some(places) => Box::new(places.iter().copied()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChunkCacheSim, ChunkedStorage};

    fn geometry(shape: &[u64], chunk: &[u64]) -> Geometry {
        let storage = ChunkedStorage {
            chunk_dims: chunk.to_vec(),
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        Geometry::chunked(shape, 1, storage).unwrap()
    }

    const CACHES: [CacheSettings; 2] = [
        CacheSettings { nbytes: 30, nslots: 521, w0: 0.75 },
        CacheSettings { nbytes: 1000, nslots: 521, w0: 0.75 },
    ];

    #[test]
    fn each_cache_counts_what_it_counts_alone() {
        let geometry = geometry(&[40, 30], &[4, 3]);
        let mut live = LiveCaches::new(Arc::new(geometry.clone()), LibVersion::V1_14, &CACHES).unwrap();
        let mut alone = CACHES.map(|settings| ChunkCacheSim::new(&geometry, settings, LibVersion::V1_14));
        let mut decodes = [0; 2];
        for row in (0..40).chain(0..40) {
            let (start, count) = ([row, 2], [1, 20]);
            live.read(Read::Blocks { start: &start, step: &[1, 1], count: &[1, 1], block: &count });
            for (decodes, sim) in decodes.iter_mut().zip(&mut alone) {
                *decodes += sim.read(&start, &count).decodes;
            }
        }
        assert_eq!(live.counts().map(|(_, counts)| counts.decodes).collect::<Vec<_>>(), decodes);
        assert!(decodes[0] > decodes[1], "{decodes:?}");
        assert_eq!(live.decodes_by_chunk().decodes.iter().sum::<u64>(), decodes[0]);
        assert_eq!((live.visits(), live.chunks_visited(), live.chunks_decodable()), (80 * 8, 80, 80));
    }

    #[test]
    fn a_chunk_that_is_read_as_it_is_stored_is_in_the_cache_no_more() {
        let mut live = LiveCaches::new(Arc::new(geometry(&[40], &[10])), LibVersion::V1_14, &CACHES).unwrap();
        let all = Read::Blocks { start: &[0], step: &[1], count: &[1], block: &[20] };
        assert_eq!((live.read(all), live.read(all)), (2, 0));
        assert_eq!((live.read_stored(&[10]), live.read_stored(&[40])), (10, 0));
        assert_eq!(live.read(all), 1);
    }

    #[test]
    fn chunks_that_are_named_count_like_blocks_and_a_closed_dataset_forgets() {
        let mut live = LiveCaches::new(Arc::new(geometry(&[40], &[10])), LibVersion::V1_14, &CACHES).unwrap();
        assert_eq!(live.read(Read::Chunks(&[(0, 1), (3, 2)])), 2);
        assert_eq!(live.read(Read::Blocks { start: &[35], step: &[1], count: &[1], block: &[1] }), 0);
        live.reopen(&CACHES);
        assert_eq!(live.read(Read::Chunks(&[(3, 1), (4, 1)])), 1, "there is no chunk 4");
        assert_eq!(
            live.read(Read::Blocks { start: &[35], step: &[1], count: &[1], block: &[6] }),
            0,
            "beyond the end"
        );
        assert_eq!(live.chunks_visited(), 2);
    }
}
