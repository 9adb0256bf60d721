//! Writing and reading a cell with libhdf5, in processes of their own.

use crate::Failure;
use crate::cell::Cell;
use hyperslab_doctor::simulate::CacheSettings;
use hyperslab_engines::Storage;
use hyperslab_engines::library::Found;
use hyperslab_engines::{Engine, OpenOptions};
use hyperslab_measure::access::Access;
use hyperslab_measure::data::{Synthetic, Values};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The first argument of a process that does one job.
pub(crate) const WORKER: &str = "worker";
/// The dataset of every file.
pub(crate) const DATASET: &str = "d";
/// Sweeps of a cell; the fastest counts.
const REPETITIONS: usize = 5;

#[derive(Serialize, Deserialize)]
enum Job {
    Write { library: Found, file: PathBuf, storage: Box<Storage>, values: Synthetic },
    Sweep { library: Found, file: PathBuf, shape: Vec<u64>, read: Vec<u64>, cache: CacheSettings },
}

/// What sweeps of a cell took.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Sweeps {
    /// Seconds of processor time of the fastest.
    pub(crate) seconds: f64,
    /// Seconds of the fixed piece of work: the longest before and after a sweep.
    pub(crate) probe_seconds: f64,
}

/// Writes the dataset of a cell.
pub(crate) fn write(library: &Found, file: &Path, cell: &Cell) -> Result<(), Failure> {
    let (library, file) = (library.clone(), file.to_owned());
    let (storage, values) = (Box::new(cell.storage.clone()), cell.values.clone());
    run(&Job::Write { library, file, storage, values }).map(drop)
}

/// Sweeps a cell several times.
pub(crate) fn measure(library: &Found, file: &Path, cell: &Cell) -> Result<Sweeps, Failure> {
    let mut least = Sweeps { seconds: f64::INFINITY, probe_seconds: 0.0 };
    for _ in 0..REPETITIONS {
        let before = probe();
        let seconds = run(&Job::Sweep {
            library: library.clone(),
            file: file.to_owned(),
            shape: cell.storage.shape.clone(),
            read: cell.read.clone(),
            cache: cell.cache,
        })?;
        if seconds < least.seconds {
            least = Sweeps { seconds, probe_seconds: before.max(probe()) };
        }
    }
    Ok(least)
}

/// Seconds of a fixed piece of work.
fn probe() -> f64 {
    let began = thread_seconds();
    let mut state = 1u64;
    for round in 0..3_000_000u64 {
        state = black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round));
    }
    thread_seconds() - began
}

/// Does one job in a process of its own; returns its seconds.
fn run(job: &Job) -> Result<f64, Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(WORKER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().ok_or("no pipe")?.write_all(&serde_json::to_vec(job)?)?;
    let output = child.wait_with_output()?;
    let answer: Result<f64, String> = serde_json::from_slice(&output.stdout)?;
    Ok(answer?)
}

/// Does the job on standard input.
pub(crate) fn serve() -> Result<(), Failure> {
    let job: Job = serde_json::from_reader(std::io::stdin())?;
    let done = work(&job).map_err(|error| error.to_string());
    serde_json::to_writer(std::io::stdout(), &done)?;
    Ok(())
}

fn work(job: &Job) -> Result<f64, Failure> {
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
            Ok(0.0)
        }
        Job::Sweep { library, file, shape, read, cache } => {
            let engine = Engine::Libhdf5(library.clone()).prepare()?;
            let options = OpenOptions { cache: Some(*cache), ..OpenOptions::default() };
            let mut dataset = engine.open(file, DATASET, &options)?;
            let blocks: Vec<_> = Access::sweep(read.clone()).blocks(shape).collect();
            let bytes = |block: &hyperslab_engines::Block| block.bytes(dataset.element_bytes());
            let sizes: Vec<usize> =
                blocks.iter().map(|block| usize::try_from(bytes(block))).collect::<Result<_, _>>()?;
            // Written to, so that its pages are there before the clock runs.
            let mut buffer = vec![1u8; sizes.iter().copied().max().unwrap_or(0)];
            let began = thread_seconds();
            for (block, size) in blocks.iter().zip(sizes) {
                dataset.read(block, &mut buffer[..size])?;
            }
            let seconds = thread_seconds() - began;
            dataset.close()?;
            Ok(seconds)
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
