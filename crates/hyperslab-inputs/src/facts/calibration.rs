//! The seconds of the user's own libhdf5: calibrated once, and asked to decode samples of each dataset.

use crate::worker;
use hyperslab::Dataset;
use hyperslab_doctor::{Prediction, Profile};
use hyperslab_engines::library::Found;
use hyperslab_measure::calibration::{self, Calibration, SamplePlan, store};
use hyperslab_measure::process::Launcher;
use hyperslab_storage::cost::{LibraryDecoding, Terms};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// Set to 0, seconds are predicted by the built-in constants, on any machine the same.
const VARIABLE: &str = "HYPERSLAB_CALIBRATION";
/// Processor time for the samples of a dataset.
const SAMPLE_SECONDS_MAX: f64 = 0.12;
/// Chunks of a dataset that are decoded at most, and their decoded bytes together; at least two are.
const SAMPLES_MAX: u64 = 256;
const SAMPLED_BYTES: u64 = 32 << 20;
/// Runs of chunks that follow each other.
const RUNS_MAX: usize = 8;
/// Larger chunks take too long.
const CHUNK_BYTES_MAX: u64 = 256 << 20;
/// A process that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A libhdf5 that was calibrated on this machine.
pub struct Calibrated {
    library: Found,
    calibration: Calibration,
    terms: Terms,
    launcher: Launcher,
    /// One dataset is sampled at a time: two at once would slow each other down.
    turn: Mutex<()>,
}

/// True unless the user wants the built-in constants.
pub fn is_wanted() -> bool {
    std::env::var_os(VARIABLE).is_none_or(|value| value != "0")
}

/// What the parts of a read cost where there is no library to measure: the built-in constants at this machine's speed.
pub fn machine_terms() -> Terms {
    static TERMS: OnceLock<Terms> = OnceLock::new();
    *TERMS.get_or_init(|| if is_wanted() { store::machine().terms() } else { Terms::BUILT_IN })
}

impl Calibrated {
    /// The calibration of a library, kept from an earlier run or made now.
    ///
    /// # Errors
    /// Why it cannot be calibrated, in a sentence.
    pub fn of(library: Found) -> Result<Self, String> {
        let (program, arguments) = worker::command().map_err(|failure| failure.message)?;
        let launcher = Launcher { program, arguments, timeout: TIMEOUT };
        let never = AtomicBool::new(false);
        let calibration = match store::load(&library) {
            Some(mut kept) => {
                if kept.refine(&launcher, &library, &never).is_ok_and(|refined| refined) {
                    store::save(&library, &kept);
                }
                kept
            }
            None => {
                let made = calibration::calibrate(&launcher, &library, &never)
                    .map_err(|error| format!("{}: {error}", library.path.display()))?;
                store::save(&library, &made);
                made
            }
        };
        let terms = calibration.terms();
        Ok(Self { library, calibration, terms, launcher, turn: Mutex::new(()) })
    }

    /// What the parts of a read cost.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The library with its default cache. `None` for a release that is not simulated.
    pub(super) fn profile(&self) -> Option<Profile> {
        let release = &self.calibration.release;
        let name = if self.library.origin.is_empty() {
            format!("libhdf5 {release}")
        } else {
            format!("{} (libhdf5 {release})", self.library.origin)
        };
        Profile::installed(&name, release)
    }

    /// What the report says of the seconds.
    pub fn prediction(&self) -> Prediction {
        let library = self.library.path.display().to_string();
        Prediction { library: Some(library), release: Some(self.calibration.release.clone()) }
    }

    /// What decoding a chunk of this dataset costs the library. `None` if nothing is decoded, or if the library cannot.
    pub fn decoding(&self, path: &Path, dataset: &Dataset, profiles: &[Profile]) -> Option<LibraryDecoding> {
        let chunk_bytes = dataset.chunk_bytes().filter(|bytes| (1..=CHUNK_BYTES_MAX).contains(bytes))?;
        if dataset.filters().is_empty() {
            return None;
        }
        let elements = first_elements(dataset, chunk_bytes)?;
        let fits_cache =
            profiles.iter().any(|profile| profile.cache(Some(chunk_bytes)).nbytes >= chunk_bytes);
        let plan = SamplePlan { elements, chunk_bytes, fits_cache, seconds_max: SAMPLE_SECONDS_MAX };
        let _turn = self.turn.lock();
        let never = AtomicBool::new(false);
        let dataset = (path, dataset.path());
        let decoded = self.calibration.decode_samples(&self.launcher, &self.library, dataset, plan, &never);
        // A library that lacks the filter decodes nothing: the speed is then that of hyperslab's decoder.
        decoded.ok().flatten()
    }
}

/// The first elements of filtered chunks: of runs of chunks that follow each other, as a program reads them (whose places in
/// the chunk index are found together, and whose values resemble each other), spread evenly over the dataset.
fn first_elements(dataset: &Dataset, chunk_bytes: u64) -> Option<Vec<Vec<u64>>> {
    let grid = dataset.chunk_grid()?;
    let map = dataset.chunk_map().ok()?;
    let filtered: Vec<_> =
        map.iter().filter(|(_, location)| location.filter_mask == 0).map(|(number, _)| number).collect();
    let count = (SAMPLED_BYTES / chunk_bytes).clamp(2, SAMPLES_MAX).min(filtered.len() as u64) as usize;
    Some(runs_of_samples(count, filtered.len()).map(|at| grid.offset(filtered[at])).collect())
}

/// The places of `count` samples among `chunks` chunks, in runs that are spread evenly.
fn runs_of_samples(count: usize, chunks: usize) -> impl Iterator<Item = usize> {
    let run = count.div_ceil(RUNS_MAX).max(1);
    let runs = count.div_ceil(run);
    let passed_over = chunks - count;
    // Before each run lies its share of the chunks that are passed over, and half a share before the first.
    (0..count).map(move |sample| sample + (2 * (sample / run) + 1) * passed_over / (2 * runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_runs_that_are_spread_over_all_chunks() {
        let places = |count, chunks| runs_of_samples(count, chunks).collect::<Vec<_>>();
        assert_eq!(places(3, 3), [0, 1, 2]);
        assert_eq!(places(4, 100), [12, 37, 62, 87], "a few are far apart");
        let many = places(256, 50_000);
        assert_eq!((many[0], many[31], many[32] - many[31] > 5_000), (3_109, 3_140, true));
        for (count, chunks) in [(2, 2), (9, 9), (17, 20), (255, 256), (256, 256), (256, 257), (10, 1_000_000)]
        {
            let mut places = places(count, chunks);
            assert!(places.iter().all(|place| *place < chunks), "{count} of {chunks}");
            places.dedup();
            assert_eq!(places.len(), count, "{count} of {chunks}");
            assert!(places.is_sorted(), "{count} of {chunks}: {places:?}");
        }
    }
}
