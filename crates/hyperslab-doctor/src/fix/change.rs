//! What a fix changes, as far as a read notices it: the reader's chunk cache, or how the data is stored.

use crate::DoctorError;
use crate::case::{Case, ReadCase};
use crate::facts::DatasetFacts;
use crate::predict::CostModel;
use crate::profile::Profile;
use crate::simulate::{Geometry, SweepKey, simulate_sweep};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::Sweep;
use std::cell::RefCell;
use std::collections::HashMap;

/// A setting or a storage in place of the present one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// The chunk cache of the program that reads.
    Cache(CacheSettings),
    /// The dataset, written anew.
    Rewritten(Rewritten),
}

/// What is assumed of a dataset that a repack wrote anew. All chunks exist.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rewritten {
    /// Extent of a chunk.
    pub(crate) chunk: Vec<u64>,
    /// True if there is a filter pipeline.
    pub(crate) is_filtered: bool,
    /// Bytes of all chunks in the file, as estimated.
    pub(crate) stored_bytes: u64,
    /// How many times as long the decoder takes for a byte, compared with the present pipeline.
    pub(crate) decode_factor: f64,
}

impl Rewritten {
    /// The same filters over other chunks. Chunks of another shape are assumed to compress alike.
    pub(crate) fn rechunked(facts: &DatasetFacts, chunk: &[u64]) -> Self {
        Self {
            chunk: chunk.to_vec(),
            is_filtered: !facts.filters.is_empty(),
            stored_bytes: facts.stored_bytes,
            decode_factor: 1.0,
        }
    }
}

/// The most that judging one read may cost, as a share of what a simulation may.
const VISITS_SHARE: u64 = 16;

/// Seconds of a read before and after a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effect {
    /// As they are shown: before, after.
    pub(crate) shown: (f64, f64),
    /// By the stored constants, on which decisions rest: before, after.
    pub(crate) reference: (f64, f64),
}

impl Effect {
    /// How many times as long the read takes afterwards, by the stored constants.
    pub(crate) fn ratio(&self) -> f64 {
        self.reference.1 / self.reference.0.max(1e-9)
    }
}

/// A dataset after a change. What was simulated is remembered.
pub(crate) struct Changed<'c> {
    case: &'c Case<'c>,
    cache: Option<CacheSettings>,
    geometry: Option<Geometry>,
    costs: CostModel,
    reference: CostModel,
    remembered: RefCell<HashMap<(Sweep, SweepKey), Seconds>>,
}

/// Seconds of a read: as shown, and by the stored constants.
type Seconds = (f64, f64);

impl<'c> Changed<'c> {
    /// # Errors
    /// [`DoctorError::Geometry`] if the new chunks cannot be chunks of this dataset.
    pub(crate) fn new(case: &'c Case<'c>, change: &Change) -> Result<Self, DoctorError> {
        let remembered = RefCell::default();
        let (costs, reference) = (case.costs, case.reference);
        match change {
            Change::Cache(cache) => {
                Ok(Self { case, cache: Some(*cache), geometry: None, costs, reference, remembered })
            }
            Change::Rewritten(new) => {
                let geometry = case.geometry.stored_as(&new.chunk, new.is_filtered, new.stored_bytes)?;
                let chunk_bytes = geometry.chunk_bytes().unwrap_or(0);
                let stored =
                    |costs: CostModel| costs.stored_as(chunk_bytes, new.stored_bytes, new.decode_factor);
                let (costs, reference) = (stored(costs), stored(reference));
                Ok(Self { case, cache: None, geometry: Some(geometry), costs, reference, remembered })
            }
        }
    }

    /// The dataset before the change.
    pub(crate) fn case(&self) -> &Case<'c> {
        self.case
    }

    /// What a read takes before and after, in one library.
    pub(crate) fn effect(&self, read: &ReadCase, profile: usize) -> Effect {
        let (row, profile) = (&read.rows[profile], &self.case.profiles[profile]);
        let (shown, reference) = self.after(read, profile);
        Effect { shown: (row.seconds, shown), reference: (row.reference_seconds, reference) }
    }

    /// Seconds after the change.
    fn after(&self, read: &ReadCase, profile: &Profile) -> Seconds {
        let geometry = self.geometry.as_ref().unwrap_or(&self.case.geometry);
        let settings = self.cache.unwrap_or_else(|| profile.cache(geometry.chunk_bytes()));
        let key = (read.sweep.clone(), SweepKey::new(geometry, settings, profile.version));
        if let Some(seconds) = self.remembered.borrow().get(&key) {
            return *seconds;
        }
        let visits_max = (self.case.options.visits_max / VISITS_SHARE).max(1);
        let counts = match &self.geometry {
            Some(geometry) => simulate_sweep(geometry, settings, profile.version, &read.sweep, visits_max),
            None => self.case.counts(&read.sweep, settings, profile.version),
        };
        let seconds = (self.costs.seconds(&counts), self.reference.seconds(&counts));
        self.remembered.borrow_mut().insert(key, seconds);
        seconds
    }
}
