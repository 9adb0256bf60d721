//! What the parts of a read cost on this machine with the user's own libhdf5.
//!
//! Small reads of small files are timed, each kind dominated by one part of the cost ([`kernels`]); the parts follow by
//! subtraction ([`solve`]). Each pass is a process of its own, so that the first use of memory is seen as a program sees
//! it. The result is kept on disk ([`store`]) and refined when it is used again.
//! Decoding is measured for each dataset, on its own chunks ([`decoding`]). Without a library, built-in terms are scaled to
//! the machine ([`machine`]).
//!
//! ```text
//!   calibrate ──► kernels, a process a pass ──► store; typical of all passes ──► solve ──► Terms
//!   Calibration::decode_samples ──► decoding, in a process ──► LibraryDecoding
//! ```

pub(crate) mod decoding;
mod inflate;
pub(crate) mod kernels;
mod machine;
mod solve;
pub mod store;

pub use decoding::SamplePlan;
pub use kernels::{KernelSeconds, Pass};
pub use machine::MachineSeconds;

use crate::process::{Answer, Launcher, Operation, RunError, Task};
use hyperslab_engines::Engine;
use hyperslab_engines::library::Found;
use hyperslab_storage::cost::{LibraryDecoding, Terms};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Passes over all kernels when a library is calibrated for the first time.
const PASSES: usize = 8;
/// No further pass begins after this.
const SECONDS_MAX: Duration = Duration::from_millis(1_700);
/// Passes that are kept: each later use adds one up to this number, because a shared machine is not always as fast.
const PASSES_KEPT: usize = 16;

/// The least share of what reading a sample takes that is decoding it.
const DECODING_SHARE_MIN: f64 = 0.3;

/// What was measured of a libhdf5 on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Its release: `2.0.0`.
    pub release: String,
    /// Seconds of the kernels in each pass.
    passes: Vec<KernelSeconds>,
}

impl Calibration {
    /// Seconds of the parts of a read.
    pub fn terms(&self) -> Terms {
        KernelSeconds::typical(&self.passes).map_or(Terms::BUILT_IN, |seconds| solve::terms(&seconds))
    }

    /// Measures once more, in about a tenth of a second, if that was done less often than it is worth. Returns false if
    /// nothing was measured.
    ///
    /// # Errors
    /// As [`calibrate`].
    pub fn refine(
        &mut self,
        launcher: &Launcher,
        library: &Found,
        stop: &AtomicBool,
    ) -> Result<bool, RunError> {
        if self.passes.len() >= PASSES_KEPT {
            return Ok(false);
        }
        self.passes.push(Passes::new(launcher, library)?.make(true, stop)?.seconds);
        Ok(true)
    }

    /// Has the library decode samples of a dataset. Of each sample an element is read; what is returned is without the call,
    /// and without the eviction of the sample before it.
    ///
    /// # Errors
    /// The library cannot read the dataset: a filter is missing, the file is damaged, its elements are of variable length.
    pub fn decode_samples(
        &self,
        launcher: &Launcher,
        library: &Found,
        (file, dataset): (&Path, &str),
        plan: SamplePlan,
        stop: &AtomicBool,
    ) -> Result<Option<LibraryDecoding>, RunError> {
        let (engine, operation) = (Engine::Libhdf5(library.clone()), Operation::DecodeSamples(plan));
        let Answer::Decoding(read) = launcher.ask(&Task::new(&engine, file, dataset, operation), stop)?
        else {
            return Err(RunError::unexpected());
        };
        let terms = self.terms();
        let decoded = |read: LibraryDecoding| {
            let seconds = read.seconds - terms.call - terms.eviction;
            LibraryDecoding { seconds: seconds.max(read.seconds * DECODING_SHARE_MIN), ..read }
        };
        Ok(read.map(decoded))
    }
}

/// Measures a libhdf5, in about a second and a half.
///
/// # Errors
/// The library cannot be loaded, a pass failed, or there is no place for 40 MiB of temporary files.
pub fn calibrate(launcher: &Launcher, library: &Found, stop: &AtomicBool) -> Result<Calibration, RunError> {
    let began = Instant::now();
    let all = Passes::new(launcher, library)?;
    let first = all.make(true, stop)?;
    let mut calibration = Calibration { release: first.release, passes: vec![first.seconds] };
    while calibration.passes.len() < PASSES && began.elapsed() < SECONDS_MAX {
        calibration.passes.push(all.make(false, stop)?.seconds);
    }
    Ok(calibration)
}

/// Passes over the same files.
struct Passes<'a> {
    launcher: &'a Launcher,
    engine: Engine,
    folder: tempfile::TempDir,
}

impl<'a> Passes<'a> {
    fn new(launcher: &'a Launcher, library: &Found) -> Result<Self, RunError> {
        let folder =
            scratch_folder().map_err(|error| RunError::Failed(format!("no temporary folder: {error}")))?;
        Ok(Self { launcher, engine: Engine::Libhdf5(library.clone()), folder })
    }

    /// One pass, in a process of its own; the first one creates the files.
    fn make(&self, create: bool, stop: &AtomicBool) -> Result<Pass, RunError> {
        let task = Task::new(&self.engine, self.folder.path(), "", Operation::Calibrate { create });
        match self.launcher.ask(&task, stop)? {
            Answer::Kernels(pass) => Ok(*pass),
            _ => Err(RunError::unexpected()),
        }
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
