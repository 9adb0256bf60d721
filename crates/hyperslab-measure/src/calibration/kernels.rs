//! Reads that are dominated by one part of their cost.
//!
//! All data are uncompressed. Times are processor time of this thread, which other programs disturb less than the time
//! on the wall.

use crate::access::Access;
use crate::thread_seconds;
use hyperslab_engines::{
    Block, CreationProperties, EngineError, OpenDataset, OpenOptions, PreparedEngine, reserve,
};
use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Seconds of each kernel: of one read, unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelSeconds {
    /// One element of a chunk that the cache holds.
    pub one_element: f64,
    /// [`SEVERAL`] elements of it.
    pub several_elements: f64,
    /// [`CHUNKS_OF_A_READ`] small chunks that the cache holds.
    pub several_chunks: f64,
    /// [`SMALL_CHUNKS`] small chunks that the cache holds.
    pub many_chunks: f64,
    /// A column of [`COLUMN`] elements of a chunk of 256 KiB.
    pub column: f64,
    /// The first read of a chunk of [`SMALL_BYTES`].
    pub first_load: f64,
    /// One more read of such a chunk, which the cache does not hold.
    pub load: f64,
    /// One more read of a chunk of 1 MiB that the cache does not hold, but the processor's cache does.
    pub near_load: f64,
    /// The same, where 32 MiB were read in between.
    pub far_load: f64,
    /// The same, where the cache has room for it and keeps it.
    pub kept_load: f64,
    /// One element of a chunk of one element, without a cache.
    pub direct: f64,
    /// One request of as many bytes, without the library.
    pub request: f64,
}

/// The answer of a process that made a pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// Release of the library.
    pub release: String,
    /// What was measured.
    pub seconds: KernelSeconds,
}

/// Elements of a small read.
pub(super) const SEVERAL: u64 = 16;
/// Bytes of an element.
pub(super) const ELEMENT_BYTES: u64 = 4;
/// Small chunks, and elements of one.
pub(super) const SMALL_CHUNKS: u64 = 1024;
const SMALL_ELEMENTS: u64 = 64;
/// Bytes of a small chunk.
pub(super) const SMALL_BYTES: u64 = SMALL_ELEMENTS * ELEMENT_BYTES;
/// Small chunks of one read.
pub(super) const CHUNKS_OF_A_READ: u64 = 32;
/// Elements of a column.
pub(super) const COLUMN: u64 = 256;
/// Large chunks, and bytes of one.
const LARGE_CHUNKS: u64 = 32;
pub(super) const LARGE_BYTES: u64 = 1 << 20;
const LARGE_ELEMENTS: u64 = LARGE_BYTES / ELEMENT_BYTES;
/// Chunks of one element.
const SINGLE_CHUNKS: u64 = 1024;
/// A later sweep over fewer chunks is repeated until it has so many reads.
const LATER_READS_MIN: u64 = 32;

const DATASET: &str = "d";

/// The files of all kernels.
struct Files {
    small: PathBuf,
    column: PathBuf,
    large: PathBuf,
    single: PathBuf,
}

/// How far the typical time of a kernel is from the least of all passes to the median one.
///
/// Other activity only ever adds time, so that the least is what the library takes where nothing disturbs it. But on shared
/// machines calls take half as long again for seconds at a time, and then for no program less.
const TYPICAL: f64 = 0.5;

impl KernelSeconds {
    /// What is typical of some passes. `None` if there are none.
    pub(super) fn typical(passes: &[Self]) -> Option<Self> {
        let of = |field: fn(&Self) -> f64| {
            let mut seconds: Vec<f64> = passes.iter().map(field).collect();
            seconds.sort_by(f64::total_cmp);
            let (least, median) = (*seconds.first()?, *seconds.get(seconds.len() / 2)?);
            Some(least.powf(1.0 - TYPICAL) * median.powf(TYPICAL))
        };
        Some(Self {
            one_element: of(|k| k.one_element)?,
            several_elements: of(|k| k.several_elements)?,
            several_chunks: of(|k| k.several_chunks)?,
            many_chunks: of(|k| k.many_chunks)?,
            column: of(|k| k.column)?,
            first_load: of(|k| k.first_load)?,
            load: of(|k| k.load)?,
            near_load: of(|k| k.near_load)?,
            far_load: of(|k| k.far_load)?,
            kept_load: of(|k| k.kept_load)?,
            direct: of(|k| k.direct)?,
            request: of(|k| k.request)?,
        })
    }
}

/// Makes the files in a folder, if that is to be done, and one pass over all kernels.
pub(crate) fn pass(engine: &dyn PreparedEngine, folder: &Path, create: bool) -> Result<Pass, EngineError> {
    let at = |name: &str| folder.join(name);
    let files = Files {
        small: at("small.h5"),
        column: at("column.h5"),
        large: at("large.h5"),
        single: at("single.h5"),
    };
    if create {
        write(engine, &files.small, &[SMALL_CHUNKS * SMALL_ELEMENTS], &[SMALL_ELEMENTS])?;
        write(engine, &files.column, &[COLUMN, COLUMN], &[COLUMN, COLUMN])?;
        write(engine, &files.large, &[LARGE_CHUNKS * LARGE_ELEMENTS], &[LARGE_ELEMENTS])?;
        write(engine, &files.single, &[SINGLE_CHUNKS], &[1])?;
    }
    // Memory that is used for the first time is measured before anything else has used memory.
    let (small, large) = ((SMALL_ELEMENTS, SMALL_CHUNKS), LARGE_ELEMENTS);
    let of = |file, cache, chunks, which| one_of_each_chunk(engine, file, cache, chunks, which);
    let kept_load = of(&files.large, Cache::Room, (large, 16), Sweep::First)?;
    let far_load = of(&files.large, Cache::OneChunk(LARGE_BYTES), (large, 32), Sweep::Later)?;
    let near_load = of(&files.large, Cache::OneChunk(LARGE_BYTES), (large, 2), Sweep::Later)?;
    let first_load = of(&files.small, Cache::Room, small, Sweep::First)?;
    let load = of(&files.small, Cache::OneChunk(SMALL_BYTES), small, Sweep::Later)?;
    let direct = of(&files.single, Cache::None, (1, SINGLE_CHUNKS), Sweep::Later)?;

    let mut small = open(engine, &files.small, Cache::Room)?;
    let all = SMALL_CHUNKS * SMALL_ELEMENTS;
    sweep(&mut *small, (0..SMALL_CHUNKS).map(|chunk| line(chunk * SMALL_ELEMENTS, 1)))?;
    let thirty_two = CHUNKS_OF_A_READ * SMALL_ELEMENTS;
    let by_several = || (0..all / thirty_two).map(|read| line(read * thirty_two, thirty_two));
    sweep(&mut *small, by_several())?;
    let several_chunks = sweep(&mut *small, by_several())?;
    sweep(&mut *small, std::iter::once(line(0, all)))?;
    let many_chunks = sweep(&mut *small, std::iter::once(line(0, all)))?;
    small.close()?;

    let mut column = open(engine, &files.column, Cache::Room)?;
    let columns = || (0..COLUMN).map(|x| block(vec![0, x], vec![COLUMN, 1]));
    sweep(&mut *column, columns())?;
    let columns_seconds = sweep(&mut *column, columns())?;
    let ones = || (0..4_000).map(|i| block(vec![i % COLUMN, i / COLUMN], vec![1, 1]));
    sweep(&mut *column, ones())?;
    let one_element = sweep(&mut *column, ones())?;
    let several = || (0..2_000).map(|i| block(vec![i % COLUMN, SEVERAL * (i / COLUMN)], vec![1, SEVERAL]));
    sweep(&mut *column, several())?;
    let several_elements = sweep(&mut *column, several())?;
    column.close()?;
    let seconds = KernelSeconds {
        one_element,
        several_elements,
        several_chunks,
        many_chunks,
        column: columns_seconds,
        first_load,
        load,
        near_load,
        far_load,
        kept_load,
        direct,
        request: request(&files.single)?,
    };
    Ok(Pass { release: engine.version(), seconds })
}

/// The chunk cache of a kernel.
#[derive(Clone, Copy)]
enum Cache {
    /// Everything fits.
    Room,
    /// One chunk of so many bytes fits.
    OneChunk(u64),
    None,
}

impl Cache {
    fn settings(self) -> CacheSettings {
        let (nbytes, nslots) = match self {
            Cache::Room => (64 << 20, 100_003),
            Cache::OneChunk(bytes) => (bytes + bytes / 100, 521),
            Cache::None => (0, 0),
        };
        CacheSettings { nbytes, nslots, w0: 0.75 }
    }
}

fn write(engine: &dyn PreparedEngine, file: &Path, shape: &[u64], chunk: &[u64]) -> Result<(), EngineError> {
    let element = "<f4".parse().map_err(EngineError::Unsupported)?;
    let storage = CreationProperties {
        chunks: Some(chunk.to_vec()),
        ..CreationProperties::plain(shape.to_vec(), element)
    };
    let mut dataset = engine.create(file, DATASET, &storage, &OpenOptions::default())?;
    let mut values = Vec::new();
    for block in Access::by_chunk(&storage).blocks(shape) {
        let values = reserve(&mut values, block.bytes(ELEMENT_BYTES as usize))?;
        dataset.write(&block, values)?;
    }
    dataset.close()
}

fn open(engine: &dyn PreparedEngine, file: &Path, cache: Cache) -> Result<Box<dyn OpenDataset>, EngineError> {
    let options = OpenOptions { cache: Some(cache.settings()), ..OpenOptions::default() };
    engine.open(file, DATASET, &options)
}

/// Whether a sweep is the first one of a file that was just opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweep {
    First,
    Later,
}

/// Seconds of a read of one element of each of the first `chunks` chunks.
fn one_of_each_chunk(
    engine: &dyn PreparedEngine,
    file: &Path,
    cache: Cache,
    (chunk_elements, chunks): (u64, u64),
    which: Sweep,
) -> Result<f64, EngineError> {
    let mut dataset = open(engine, file, cache)?;
    let reads = || (0..chunks).map(|chunk| line(chunk * chunk_elements, 1));
    let mut seconds = sweep(&mut *dataset, reads())?;
    if which == Sweep::Later {
        seconds = sweep(&mut *dataset, reads().cycle().take(chunks.max(LATER_READS_MIN) as usize))?;
    }
    dataset.close()?;
    Ok(seconds)
}

/// Seconds of reading one element of a file that the operating system has in memory.
fn request(file: &Path) -> Result<f64, EngineError> {
    use std::os::unix::fs::FileExt;
    let failed = |error: std::io::Error| EngineError::Unsupported(format!("{}: {error}", file.display()));
    let file = std::fs::File::open(file).map_err(failed)?;
    let mut element = [0; ELEMENT_BYTES as usize];
    let began = thread_seconds();
    for number in 0..SINGLE_CHUNKS {
        file.read_exact_at(&mut element, number * ELEMENT_BYTES).map_err(failed)?;
    }
    Ok((thread_seconds() - began) / SINGLE_CHUNKS as f64)
}

fn line(start: u64, count: u64) -> Block {
    block(vec![start], vec![count])
}

fn block(start: Vec<u64>, count: Vec<u64>) -> Block {
    let step = vec![1; start.len()];
    Block { start, count, step }
}

/// Seconds of one read, on average.
fn sweep(dataset: &mut dyn OpenDataset, reads: impl Iterator<Item = Block>) -> Result<f64, EngineError> {
    let reads: Vec<Block> = reads.collect();
    let largest = reads.iter().map(|block| block.bytes(ELEMENT_BYTES as usize)).max().unwrap_or(0);
    let mut buffer = Vec::new();
    let buffer = reserve(&mut buffer, largest)?;
    let began = thread_seconds();
    for block in &reads {
        let bytes = block.bytes(ELEMENT_BYTES as usize) as usize;
        dataset.read(block, &mut buffer[..bytes])?;
    }
    Ok((thread_seconds() - began) / reads.len().max(1) as f64)
}
