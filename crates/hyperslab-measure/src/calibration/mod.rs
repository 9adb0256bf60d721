//! What the parts of a read cost on this machine with the user's own libhdf5.
//!
//! Small reads of small files are timed, each kind dominated by one part of the cost ([`kernels`]); the parts follow by
//! subtraction ([`solve`]). Each pass is a process of its own, so that the first use of memory is seen as a program sees
//! it, and the least of all passes counts: a busy neighbour only ever adds time. The result is kept on disk ([`store`]).
//! Decoding is measured for each dataset, on its own chunks ([`decoding`]).
//!
//! ```text
//!   calibrate ──► kernels, a process a pass ──► least of all passes ──► solve ──► Terms ──► store
//!   decode_samples ──► decoding, in a process ──► LibraryDecoding
//! ```

pub(crate) mod decoding;
pub(crate) mod kernels;
mod solve;
pub mod store;

pub use decoding::SamplePlan;
pub use kernels::{KernelSeconds, Pass};

use crate::process::{Answer, Launcher, Operation, RunError, Task};
use hyperslab_doctor::LibraryDecoding;
use hyperslab_doctor::predict::Terms;
use hyperslab_engines::Engine;
use hyperslab_engines::library::Found;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Passes over all kernels.
const PASSES: usize = 8;
/// No further pass begins after this.
const SECONDS_MAX: Duration = Duration::from_millis(1_700);

/// What was measured of a libhdf5 on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Its release: `2.0.0`.
    pub release: String,
    /// Seconds of the parts of a read.
    pub terms: Terms,
    /// Passes that were made.
    pub passes: usize,
}

/// Measures a libhdf5, in about a second and a half.
///
/// # Errors
/// The library cannot be loaded, a pass failed, or there is no place for 40 MiB of temporary files.
pub fn calibrate(launcher: &Launcher, library: &Found, stop: &AtomicBool) -> Result<Calibration, RunError> {
    let (engine, began) = (Engine::Libhdf5(library.clone()), Instant::now());
    let folder =
        scratch_folder().map_err(|error| RunError::Failed(format!("no temporary folder: {error}")))?;
    let mut least: Option<KernelSeconds> = None;
    let (mut passes, mut release) = (0, String::new());
    while passes < PASSES && (passes == 0 || began.elapsed() < SECONDS_MAX) {
        let operation = Operation::Calibrate { create: passes == 0 };
        let answer = launcher.ask(&Task::new(&engine, folder.path(), "", operation), stop)?;
        let Answer::Kernels(pass) = answer else { return Err(RunError::unexpected()) };
        release.clone_from(&pass.release);
        least = Some(least.map_or_else(|| pass.seconds.clone(), |least| least.least(&pass.seconds)));
        passes += 1;
    }
    let terms = solve::terms(&least.ok_or_else(RunError::unexpected)?);
    Ok(Calibration { release, terms, passes })
}

/// Has the user's libhdf5 decode samples of a dataset.
///
/// # Errors
/// The library cannot read the dataset: a filter is missing, the file is damaged, its elements are of variable length.
pub fn decode_samples(
    launcher: &Launcher,
    library: &Found,
    file: &Path,
    dataset: &str,
    plan: SamplePlan,
    stop: &AtomicBool,
) -> Result<Option<LibraryDecoding>, RunError> {
    let (engine, operation) = (Engine::Libhdf5(library.clone()), Operation::DecodeSamples(plan));
    match launcher.ask(&Task::new(&engine, file, dataset, operation), stop)? {
        Answer::Decoding(decoding) => Ok(decoding),
        _ => Err(RunError::unexpected()),
    }
}

/// A folder in memory if the system has one: what is measured is the library, not a disk.
fn scratch_folder() -> std::io::Result<tempfile::TempDir> {
    let builder = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix("hyperslab-calibration-");
        builder
    };
    let in_memory = PathBuf::from("/dev/shm");
    if in_memory.is_dir()
        && let Ok(folder) = builder().tempdir_in(&in_memory)
    {
        return Ok(folder);
    }
    builder().tempdir()
}
