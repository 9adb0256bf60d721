//! The storages that were measured, with their costs.

use crate::candidate::Candidate;
use crate::cost::{self, Costed, SimulatedStorage};
use crate::error::AdviseError;
use crate::question::Question;
use crate::trial::Trial;
use rayon::prelude::*;

/// Chunk visits of one simulation for what is shown.
pub(crate) const VISITS_FINAL: u64 = 200_000;

/// The storages that were measured, with their costs.
pub(crate) struct Storages {
    measured: Vec<(Candidate, Trial)>,
    /// In the same order.
    costed: Vec<Costed>,
    /// Their reads, by chunk shape.
    simulated: Vec<SimulatedStorage>,
}

/// What counts depend on: the chunk shape, and whether there are filters.
type SimulationKey = (Option<Vec<u64>>, bool);

fn key(storage: &Candidate) -> SimulationKey {
    (storage.chunk.clone(), storage.pipeline.is_filtered())
}

impl Storages {
    /// The costs of what was measured; each chunk shape is simulated once, whatever its filters, and not at all if the rough
    /// simulation was exact, or if the time is over.
    pub(crate) fn new(
        question: &Question<'_>,
        measured: Vec<(Candidate, Trial)>,
        mut rough: Vec<SimulatedStorage>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Result<Self, AdviseError> {
        let mut keys: Vec<SimulationKey> = Vec::new();
        for (storage, _) in &measured {
            if !keys.contains(&key(storage)) {
                keys.push(key(storage));
            }
        }
        let mut simulated: Vec<SimulatedStorage> = Vec::new();
        for several in keys.chunks(rayon::current_num_threads().max(1)) {
            let mut missing: Vec<(&SimulationKey, Option<SimulatedStorage>)> = Vec::new();
            for key in several {
                let place = rough.iter().position(|one| (&one.chunk, one.is_filtered) == (&key.0, key.1));
                match place.map(|place| rough.swap_remove(place)) {
                    Some(one) if one.is_exact() => simulated.push(one),
                    other => missing.push((key, other)),
                }
            }
            let is_late = !missing.is_empty() && is_over();
            let found = missing.into_par_iter().map(|((chunk, is_filtered), rough)| match rough {
                Some(rough) if is_late => Ok(rough),
                _ => cost::simulate(question, chunk.as_deref(), *is_filtered, VISITS_FINAL),
            });
            simulated.extend(found.collect::<Result<Vec<SimulatedStorage>, AdviseError>>()?);
        }
        let mut storages = Self { measured, costed: Vec::new(), simulated };
        for at in 0..storages.measured.len() {
            storages.costed.extend(storages.costs(question, at)?);
        }
        Ok(storages)
    }

    /// What one costs. `None` if its shape was not simulated, which does not happen.
    fn costs(&self, question: &Question<'_>, at: usize) -> Result<Option<Costed>, AdviseError> {
        let (storage, trial) = &self.measured[at];
        let is_same = |one: &&SimulatedStorage| (one.chunk.clone(), one.is_filtered) == key(storage);
        let simulated = self.simulated.iter().find(is_same);
        simulated.map(|one| cost::of_storage(question, one, &storage.pipeline, trial)).transpose()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.measured.len()
    }

    /// One of them, and what was measured.
    pub(crate) fn get(&self, at: usize) -> &(Candidate, Trial) {
        &self.measured[at]
    }

    /// The same storage, of which more was measured.
    pub(crate) fn set(
        &mut self,
        question: &Question<'_>,
        at: usize,
        trial: Trial,
    ) -> Result<(), AdviseError> {
        self.measured[at].1 = trial;
        if let Some(costed) = self.costs(question, at)? {
            self.costed[at] = costed;
        }
        Ok(())
    }

    /// Their costs, in the order in which they were measured.
    pub(crate) fn costed(&self) -> &[Costed] {
        &self.costed
    }

    /// The same.
    pub(crate) fn into_costed(self) -> Vec<Costed> {
        self.costed
    }
}
