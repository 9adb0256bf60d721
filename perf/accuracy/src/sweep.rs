//! Writing and reading a cell with libhdf5, in processes of their own.

use crate::Failure;
use crate::cell::Cell;
use hyperslab_engines::library::Found;
use hyperslab_engines::{Block, CreationProperties, Engine, OpenDataset, OpenOptions};
use hyperslab_measure::access::Access;
use hyperslab_measure::data::{Synthetic, Values};
use hyperslab_storage::CacheSettings;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The first argument of a process that does one job.
pub(crate) const WORKER: &str = "worker";
/// The dataset of every file.
pub(crate) const DATASET: &str = "d";
/// Sweeps of a cell; the fastest counts.
const REPETITIONS: usize = 2;

#[derive(Serialize, Deserialize)]
enum Job {
    Write {
        library: Found,
        file: PathBuf,
        storage: Box<CreationProperties>,
        values: Synthetic,
    },
    Sweep {
        library: Found,
        file: PathBuf,
        shape: Vec<u64>,
        read: Vec<u64>,
        cache: CacheSettings,
        probe: PathBuf,
    },
}

/// What sweeps of a cell took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Sweeps {
    /// Seconds of processor time of the fastest.
    pub(crate) seconds: f64,
    /// Seconds of a small read that is always the same, in the same process: the mean of before and after the sweep.
    pub(crate) probe_seconds: f64,
}

/// Elements of the dataset that is always the same, and small reads of it.
const PROBE_ELEMENTS: u64 = 4096;
const PROBE_READS: u64 = 3_000;

/// Writes the dataset that the small reads are of.
pub(crate) fn write_probe(library: &Found, file: &Path) -> Result<(), Failure> {
    let element = "<f4".parse()?;
    let chunks = Some(vec![PROBE_ELEMENTS]);
    let storage =
        Box::new(CreationProperties { chunks, ..CreationProperties::plain(vec![PROBE_ELEMENTS], element) });
    let values = Synthetic::with_ratio(&storage.shape, element, 2.0, 1);
    run(&Job::Write { library: library.clone(), file: file.to_owned(), storage, values }).map(drop)
}

/// Writes the dataset of a cell.
pub(crate) fn write(library: &Found, file: &Path, cell: &Cell) -> Result<(), Failure> {
    let (library, file) = (library.clone(), file.to_owned());
    let (storage, values) = (Box::new(cell.storage.clone()), cell.values.clone());
    run(&Job::Write { library, file, storage, values }).map(drop)
}

/// Sweeps a cell several times.
pub(crate) fn measure(library: &Found, file: &Path, probe: &Path, cell: &Cell) -> Result<Sweeps, Failure> {
    let mut least = Sweeps { seconds: f64::INFINITY, probe_seconds: 0.0 };
    for _ in 0..REPETITIONS {
        let sweeps = run(&Job::Sweep {
            library: library.clone(),
            file: file.to_owned(),
            shape: cell.storage.shape.clone(),
            read: cell.read.clone(),
            cache: cell.cache,
            probe: probe.to_owned(),
        })?;
        if sweeps.seconds < least.seconds {
            least = sweeps;
        }
    }
    Ok(least)
}

/// Seconds of one of the small reads that are always the same.
fn probe(dataset: &mut dyn OpenDataset) -> Result<f64, Failure> {
    let mut value = [0u8; 4];
    let mut read = |at: u64| {
        let block = Block { start: vec![at % PROBE_ELEMENTS], count: vec![1], step: vec![1] };
        dataset.read(&block, &mut value)
    };
    read(0)?;
    let began = thread_seconds();
    for number in 0..PROBE_READS {
        read(number)?;
    }
    Ok((thread_seconds() - began) / PROBE_READS as f64)
}

/// Does one job in a process of its own; returns its seconds.
fn run(job: &Job) -> Result<Sweeps, Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(WORKER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().ok_or("no pipe")?.write_all(&serde_json::to_vec(job)?)?;
    let output = child.wait_with_output()?;
    let answer: Result<Sweeps, String> = serde_json::from_slice(&output.stdout)?;
    Ok(answer?)
}

/// Does the job on standard input.
pub(crate) fn serve() -> Result<(), Failure> {
    let job: Job = serde_json::from_reader(std::io::stdin())?;
    let done = work(&job).map_err(|error| error.to_string());
    serde_json::to_writer(std::io::stdout(), &done)?;
    Ok(())
}

fn work(job: &Job) -> Result<Sweeps, Failure> {
    match job {
        Job::Write { library, file, storage, values } => {
            let engine = Engine::Libhdf5(library.clone()).prepare()?;
            let source = Values::Synthetic(values.clone()).open()?;
            let mut dataset = engine.create(file, DATASET, storage, &OpenOptions::default())?;
            let mut buffer = Vec::new();
            for block in Access::by_chunk(storage).blocks(&storage.shape) {
                buffer.resize(usize::try_from(block.bytes(dataset.element_bytes()))?, 0);
                source.fill(&block, &mut buffer)?;
                dataset.write(&block, &buffer)?;
            }
            dataset.close()?;
            Ok(Sweeps { seconds: 0.0, probe_seconds: 0.0 })
        }
        Job::Sweep { library, file, shape, read, cache, probe: probed } => {
            let engine = Engine::Libhdf5(library.clone()).prepare()?;
            let options = OpenOptions { cache: Some(*cache), ..OpenOptions::default() };
            let mut dataset = engine.open(file, DATASET, &options)?;
            let blocks: Vec<_> = Access::sweep(read.clone()).blocks(shape).collect();
            let bytes = |block: &Block| block.bytes(dataset.element_bytes());
            let sizes: Vec<usize> =
                blocks.iter().map(|block| usize::try_from(bytes(block))).collect::<Result<_, _>>()?;
            // Written to, so that its pages are there before the clock runs.
            let mut buffer = vec![1u8; sizes.iter().copied().max().unwrap_or(0)];
            let mut probed = engine.open(probed, DATASET, &OpenOptions::default())?;
            let before = probe(&mut *probed)?;
            let began = thread_seconds();
            for (block, size) in blocks.iter().zip(sizes) {
                dataset.read(block, &mut buffer[..size])?;
            }
            let seconds = thread_seconds() - began;
            let probe_seconds = f64::midpoint(before, probe(&mut *probed)?);
            dataset.close()?;
            Ok(Sweeps { seconds, probe_seconds })
        }
    }
}

/// Seconds of processor time that this thread has used.
fn thread_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
