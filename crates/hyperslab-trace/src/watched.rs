//! A dataset that is watched: what is read of it, as it happens.

use crate::candidates::candidates;
use crate::pattern::Patterns;
use crate::record::{CacheDecodes, Calls, ChunkDecodes, Others, TracedDataset, TracedPattern};
use crate::timeline::{Times, rounded};
use hyperslab_simulate::{Geometry, LibVersion, LiveCaches, Read};
use hyperslab_storage::CacheSettings;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is known of a dataset when it is read for the first time.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// What does not change: names, extent, type, chunks, filters, the library.
    pub dataset: TracedDataset,
    /// How its data is stored; or why that is not known.
    pub geometry: Option<Result<Arc<Geometry>, String>>,
}

/// One H5Dread or H5Dwrite.
#[derive(Debug, Clone, Copy)]
pub struct Call<'c> {
    /// The elements.
    pub read: Read<'c>,
    /// Their number.
    pub elements: u64,
    /// The number of dimensions.
    pub rank: usize,
    /// True for H5Dwrite.
    pub is_write: bool,
    /// When it ended, and how long it took, in seconds; the first counts from the beginning of the process.
    pub ended: f64,
    #[allow(missing_docs)]
    pub seconds: f64,
    /// The type of the elements in memory.
    pub memory_type: &'c str,
    /// Any number that the thread alone has.
    pub thread: u64,
}

/// A dataset that is watched.
#[derive(Debug)]
pub struct Watched {
    description: TracedDataset,
    caches: Option<LiveCaches>,
    /// The cache in force, and those that are tried.
    settings: Vec<CacheSettings>,
    not_counted: Option<String>,
    patterns: Patterns,
    times: Times,
    reads: Calls,
    writes: Calls,
    stored_chunks: Calls,
    /// The thread that read last, and all of them.
    thread: u64,
    threads: BTreeSet<u64>,
    first: Option<f64>,
    last: f64,
    opened: u64,
}

impl Watched {
    /// Begins to watch a dataset that was opened with this cache, so often.
    pub fn new(description: Description, cache: Option<CacheSettings>, opened: u64) -> Self {
        let Description { dataset, geometry } = description;
        let version = dataset.libhdf5.parse::<LibVersion>();
        let counted = match (geometry, version, cache) {
            (Some(Ok(geometry)), Ok(version), Some(cache)) => {
                let mut settings = vec![cache];
                settings.extend(candidates(&geometry, cache));
                Ok((LiveCaches::new(geometry, version, &settings), settings))
            }
            (Some(Err(problem)), ..) => Err(problem),
            (_, Err(problem), _) => Err(problem),
            // Nothing that chunks are decoded for.
            (None, ..) | (.., None) => Ok((None, Vec::new())),
        };
        let (caches, settings, not_counted) = match counted {
            Ok((caches, settings)) => (caches, settings, None),
            Err(problem) => (None, Vec::new(), Some(problem)),
        };
        Self {
            description: TracedDataset { cache, ..dataset },
            caches,
            settings,
            not_counted,
            patterns: Patterns::default(),
            times: Times::default(),
            reads: Calls::default(),
            writes: Calls::default(),
            stored_chunks: Calls::default(),
            thread: 0,
            threads: BTreeSet::new(),
            first: None,
            last: 0.0,
            opened,
        }
    }

    /// It was closed everywhere, and is opened again with this cache: libhdf5 has none of its chunks any more.
    pub fn reopen(&mut self, cache: Option<CacheSettings>) {
        self.opened += 1;
        if let (Some(caches), Some(cache), Some(in_force)) =
            (&mut self.caches, cache, self.settings.first_mut())
        {
            *in_force = cache;
            caches.reopen(&self.settings);
            self.description.cache = Some(cache);
        }
    }

    /// It is opened once more while it is open.
    pub fn open_again(&mut self) {
        self.opened += 1;
    }

    /// Notes a call.
    pub fn note(&mut self, call: &Call<'_>) {
        if call.is_write && self.caches.take().is_some() {
            self.not_counted = Some("the program writes to it".to_owned());
        }
        let decodes = self.caches.as_mut().map(|caches| caches.read(call.read));
        let bytes = call.elements.saturating_mul(self.description.element_bytes);
        let calls = if call.is_write { &mut self.writes } else { &mut self.reads };
        calls.add(Calls { calls: 1, bytes, seconds: call.seconds, decodes });
        self.patterns.note(call, bytes, decodes);
        self.note_time(call.ended, call.seconds, decodes.unwrap_or(0), call.thread);
    }

    /// An H5Dread_chunk of the chunk that begins at this element, which succeeded or not. Returns the bytes that it read.
    pub fn read_stored(&mut self, first: &[u64]) -> u64 {
        self.caches.as_mut().map_or(0, |caches| caches.read_stored(first))
    }

    /// Notes an H5Dread_chunk that read these bytes.
    pub fn note_stored(&mut self, bytes: u64, ended: f64, seconds: f64, thread: u64) {
        self.stored_chunks.add(Calls { calls: 1, bytes, seconds, decodes: None });
        self.note_time(ended, seconds, 0, thread);
    }

    fn note_time(&mut self, ended: f64, seconds: f64, decodes: u64, thread: u64) {
        self.times.note(ended, seconds, decodes);
        self.last = ended;
        if self.first.is_none() {
            self.first = Some((ended - seconds).max(0.0));
        }
        if self.threads.is_empty() || self.thread != thread {
            self.thread = thread;
            self.threads.insert(thread);
        }
    }

    /// The same dataset in a child of the process: libhdf5's caches are as they are here, and nothing was noted.
    pub fn of_child(&self) -> Self {
        let description = Description { dataset: self.description.clone(), geometry: None };
        let mut caches = self.caches.clone();
        caches.iter_mut().for_each(LiveCaches::forget_counts);
        let (settings, not_counted) = (self.settings.clone(), self.not_counted.clone());
        Self { caches, settings, not_counted, ..Self::new(description, self.description.cache, 0) }
    }

    /// It is closed everywhere: libhdf5 has none of its chunks any more, and those simulated take no memory.
    pub fn close(&mut self) {
        self.caches.iter_mut().for_each(LiveCaches::drop_all);
    }

    /// What was noted, added up.
    pub fn sums(&self) -> Others {
        let (reads, writes, stored_chunks) = (self.reads, self.writes, self.stored_chunks);
        Others { datasets: 1, reads, writes, stored_chunks }
    }

    /// True where nothing was noted.
    pub fn is_untouched(&self) -> bool {
        self.reads.calls + self.writes.calls + self.stored_chunks.calls == 0
    }

    /// From now on decodes are not counted, for this reason.
    pub fn stop_counting(&mut self, why: &str) {
        self.caches = None;
        self.not_counted.get_or_insert_with(|| why.to_owned());
    }

    /// The lines of the dataset.
    pub fn written(&self) -> (TracedDataset, Vec<TracedPattern>) {
        let decodes = |caches: &LiveCaches| {
            let others = caches.counts().skip(1);
            others.map(|(cache, counts)| CacheDecodes { cache, decodes: counts.decodes }).collect()
        };
        let caches = self.caches.as_ref();
        let seconds = |calls: Calls| Calls { seconds: rounded(calls.seconds), ..calls };
        let mut reads = seconds(self.reads);
        // Counts of a part of the reads would be taken for those of all.
        reads.decodes = caches.map(|_| reads.decodes.unwrap_or(0));
        let dataset = TracedDataset {
            opened: self.opened,
            threads: self.threads.len() as u32,
            first: rounded(self.first.unwrap_or(0.0)),
            last: rounded(self.last),
            reads,
            writes: seconds(self.writes),
            stored_chunks: seconds(self.stored_chunks),
            visits: caches.map(LiveCaches::visits),
            decodes_least: caches.map(LiveCaches::chunks_decodable),
            candidates: caches.map(decodes).unwrap_or_default(),
            not_counted: self.not_counted.clone(),
            timeline: Some(self.times.written()),
            chunk_decodes: caches
                .map(LiveCaches::decodes_by_chunk)
                .filter(|counts| !counts.decodes.is_empty())
                .map(|counts| ChunkDecodes {
                    chunks_per_part: counts.chunks_per_part,
                    decodes: counts.decodes.clone(),
                }),
            ..self.description.clone()
        };
        let patterns = self.patterns.written(&dataset).collect();
        (dataset, patterns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Order;
    use hyperslab_simulate::ChunkedStorage;

    /// 60 chunks of 4 by 30 elements.
    fn watched() -> Watched {
        let storage = ChunkedStorage {
            chunk_dims: vec![4, 30],
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        let geometry = Arc::new(Geometry::chunked(&[60, 120], 1, storage).unwrap());
        let dataset = TracedDataset {
            traced: "/t".into(),
            file: "t.h5".into(),
            shape: vec![60, 120],
            element_bytes: 1,
            libhdf5: "1.14.6".into(),
            ..TracedDataset::default()
        };
        let cache = CacheSettings { nbytes: 240, nslots: 521, w0: 0.75 };
        Watched::new(Description { dataset, geometry: Some(Ok(geometry)) }, Some(cache), 1)
    }

    fn read<'c>(start: &'c [u64], count: &'c [u64], step: &'c [u64]) -> Call<'c> {
        let block: &[u64] = &[1, 1];
        let read = if step.iter().all(|step| *step == 1) {
            Read::Blocks { start, step, count: block, block: count }
        } else {
            Read::Blocks { start, step, count, block }
        };
        let elements = count.iter().product();
        Call {
            read,
            elements,
            rank: 2,
            is_write: false,
            ended: 1.0,
            seconds: 0.1,
            memory_type: "f4",
            thread: 1,
        }
    }

    #[test]
    fn reads_become_patterns_and_counts() {
        let mut watched = watched();
        for column in 0..10 {
            for row in 0..60 {
                watched.note(&read(&[row, column], &[1, 1], &[1, 1]));
            }
        }
        watched.note(&read(&[0, 0], &[60, 40], &[1, 3]));
        let (dataset, patterns) = watched.written();
        // A cache of two chunks does not hold the fifteen of a column: each column decodes each anew.
        assert_eq!((dataset.reads.calls, dataset.reads.decodes), (601, Some(150 + 60)));
        assert_eq!(dataset.decodes_least, Some(60));
        let by_cache: Vec<_> =
            dataset.candidates.iter().map(|tried| (tried.cache.nbytes / 120, tried.decodes)).collect();
        assert_eq!(by_cache.last(), Some(&(60, 60)), "{by_cache:?}");
        assert_eq!(dataset.chunk_decodes.unwrap().decodes.iter().sum::<u64>(), 210);
        let [points, strided] = &patterns[..] else { panic!("{patterns:?}") };
        assert_eq!((points.shape.as_slice(), points.count), (&[1, 1][..], 600));
        assert_eq!(points.order, Some(Order::Sweep(vec![1, 0])));
        assert_eq!((strided.shape.as_slice(), strided.step.as_deref()), (&[60, 118][..], Some(&[1, 3][..])));
    }

    #[test]
    fn a_dataset_that_is_closed_begins_with_an_empty_cache_and_one_that_is_written_is_not_counted() {
        let mut watched = watched();
        let cache = CacheSettings { nbytes: 240, nslots: 521, w0: 0.75 };
        for _ in 0..3 {
            watched.note(&read(&[0, 0], &[1, 30], &[1, 1]));
            watched.reopen(Some(cache));
        }
        assert_eq!(watched.written().0.reads.decodes, Some(3));
        watched.note(&Call { is_write: true, ..read(&[0, 0], &[1, 30], &[1, 1]) });
        let dataset = watched.written().0;
        assert_eq!((dataset.reads.decodes, dataset.writes.calls), (None, 1));
        assert_eq!(dataset.not_counted.as_deref(), Some("the program writes to it"));
    }

    #[test]
    fn shapes_without_number_are_added_up() {
        let mut watched = watched();
        for len in 1..100 {
            watched.note(&read(&[0, 0], &[1, len], &[1, 1]));
        }
        let patterns = watched.written().1;
        assert_eq!((patterns.len(), patterns.iter().map(|pattern| pattern.count).sum::<u64>()), (64, 99));
    }
}
