//! The floor of recoding: the time in which all cores decode, or encode, each chunk of a dataset once.
//!
//! There is no plan, no cutting into other chunks, no verification and no writing. A program that recodes a dataset does
//! all of that in addition.

use hyperslab::{ChunkMap, Error, File, Result};
use hyperslab_filters::{DeflateEncoder, FilterSpec, Pipeline, Scratch};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// Reading chunks from the page cache and decoding them.
    Decode,
    /// Encoding chunks that are in memory, gzip by this encoder.
    Encode(DeflateEncoder),
}

/// Measures a chunked dataset. The seconds are those of the slowest thread.
///
/// # Errors
/// A dataset that cannot be read.
pub fn measure(path: &str, name: &str, codec: Codec) -> Result<Value> {
    let file = File::open(path)?;
    let dataset = file.dataset(name)?;
    let map = dataset.chunk_map()?;
    let filters = dataset.filters();
    let specs: Vec<_> = filters
        .iter()
        .map(|filter| FilterSpec {
            id: filter.id,
            optional: filter.is_optional(),
            parameters: &filter.parameters,
        })
        .collect();
    let bytes = dataset.chunk_bytes().unwrap_or_default() as usize;
    let pipeline = Pipeline::new(&specs, dataset.datatype().size as usize, bytes)?;
    let pipeline = match codec {
        Codec::Encode(encoder) => pipeline.with_deflate_encoder(encoder),
        Codec::Decode => pipeline,
    };
    let work = Work { file: &file, map: &map, pipeline: &pipeline, bytes, next: AtomicUsize::new(0) };
    // The first pass is for the page cache.
    work.run(Codec::Decode)?;
    let seconds = work.run(codec)?;
    Ok(json!({ "seconds": seconds.as_secs_f64(), "chunks": map.len() }))
}

struct Work<'a> {
    file: &'a File,
    map: &'a ChunkMap,
    pipeline: &'a Pipeline,
    /// Of a decoded chunk.
    bytes: usize,
    next: AtomicUsize,
}

impl Work<'_> {
    fn run(&self, codec: Codec) -> Result<Duration> {
        self.next.store(0, Ordering::Relaxed);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| self.thread(codec))).collect();
            let mut slowest = Duration::ZERO;
            for thread in threads {
                slowest = slowest.max(thread.join().expect("no thread panics")?);
            }
            Ok(slowest)
        })
    }

    fn thread(&self, codec: Codec) -> Result<Duration> {
        let source = self.file.source();
        let mut scratch = Scratch::new();
        let (mut stored, mut chunk) = (Vec::new(), vec![0; self.bytes]);
        let mut seconds = Duration::ZERO;
        while let Some((_, location)) = self.map.nth(self.next.fetch_add(1, Ordering::Relaxed)) {
            let began = Instant::now();
            stored.resize(location.stored_bytes as usize, 0);
            source.read_into(location.address, &mut stored).map_err(Error::from)?;
            self.pipeline.decode_into(&stored, location.filter_mask, &mut scratch, &mut chunk)?;
            let decoded = Instant::now();
            seconds += match codec {
                Codec::Decode => decoded - began,
                Codec::Encode(_) => {
                    self.pipeline.encode(&chunk, &mut scratch)?;
                    decoded.elapsed()
                }
            };
        }
        Ok(seconds)
    }
}
