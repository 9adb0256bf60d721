//! One chunk shape for datasets that are read together, such as the variables over one grid: a program that reads the same
//! block of each then reads the same number of chunks of each, and all of them fit its cache or none does.

use crate::advice::answer_of;
use crate::candidate::Candidate;
use crate::cost::{self, Costed, SimulatedStorage};
use crate::promising::VISITS_PRUNING;
use crate::trial::{Trial, Trials};
use crate::{Advice, AdviseError, Pipeline, Question, StorageAnswer};
use serde::Serialize;

/// A dataset that is read together with others, and what was recommended for it alone.
pub struct Member<'m, 'q> {
    /// What was asked.
    pub question: &'m Question<'q>,
    /// What was answered.
    pub advice: &'m Advice,
    /// Samples of its values.
    pub trials: &'m mut dyn Trials,
}

/// The chunk shape that datasets have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Together {
    /// Extent of a chunk; null for contiguous storage.
    pub chunk: Option<Vec<u64>>,
    /// Each dataset, stored so.
    pub datasets: Vec<Agreed>,
}

/// A dataset in the common chunks, with the filters that were recommended for it alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreed {
    /// Absolute path in the file.
    pub path: String,
    /// The storage.
    pub storage: StorageAnswer,
    /// How many times as long its reads take as with the storage that was recommended for it alone, on average over the
    /// readers.
    pub slower: f64,
    /// True if it is stored so already.
    pub is_present: bool,
}

/// Finds the shape with which all of them together lose least beside what was recommended for each alone: of the
/// recommended shapes, the one in which their reads take the fewest times as long on average, at the bound of the size of
/// each. `None` if there is no such shape, or fewer than two datasets.
///
/// # Errors
/// As [`advise`](crate::advise).
pub fn together(members: &mut [Member<'_, '_>]) -> Result<Option<Together>, AdviseError> {
    let mut shapes: Vec<Option<Vec<u64>>> = Vec::new();
    for member in &*members {
        let Some(own) = own(member) else { return Ok(None) };
        if !shapes.contains(&own.chunk) {
            shapes.push(own.chunk.clone());
        }
    }
    if members.len() < 2 {
        return Ok(None);
    }
    let mut best: Option<(f64, Together)> = None;
    let mut known: Vec<Simulated> = Vec::new();
    for chunk in shapes {
        let mut datasets = Vec::with_capacity(members.len());
        for member in &mut *members {
            datasets.extend(agreed(member, chunk.as_deref(), &mut known)?);
        }
        let sum: f64 = datasets.iter().map(|one| one.slower).sum();
        // A shape that one of them cannot have, or not at its size, is out.
        if datasets.len() == members.len() && best.as_ref().is_none_or(|(least, _)| sum < *least) {
            best = Some((sum, Together { chunk, datasets }));
        }
    }
    Ok(best.map(|(_, together)| together))
}

/// A simulated storage of elements of this size.
struct Simulated {
    element_bytes: u64,
    storage: SimulatedStorage,
}

/// What was recommended for a dataset alone. `None` if its filters are not among those that can be tried.
fn own<'m>(member: &'m Member<'_, '_>) -> Option<&'m StorageAnswer> {
    Pipeline::of(&member.question.facts.filters)?;
    member.advice.recommendations.first().map(|one| &one.storage)
}

fn agreed(
    member: &mut Member<'_, '_>,
    chunk: Option<&[u64]>,
    known: &mut Vec<Simulated>,
) -> Result<Option<Agreed>, AdviseError> {
    let question = member.question;
    let path = question.facts.path.clone();
    let Some(own) = own(member).cloned() else { return Ok(None) };
    let present = &member.advice.present;
    if own.chunk.as_deref() == chunk {
        let is_present = own.storage == present.storage;
        return Ok(Some(Agreed { path, storage: own, slower: 1.0, is_present }));
    }
    let storage = Candidate { chunk: chunk.map(<[u64]>::to_vec), pipeline: own.storage.pipeline.clone() };
    if storage == present.storage {
        let slower = times(&present.seconds, &own.seconds);
        return Ok(Some(Agreed { path, storage: present.clone(), slower, is_present: true }));
    }
    let trial = match (chunk, storage.pipeline.is_filtered()) {
        (_, false) => Some(Trial::RAW),
        (Some(chunk), true) => {
            member.trials.measure(chunk, std::slice::from_ref(&storage.pipeline)).pop().flatten()
        }
        (None, true) => None,
    };
    let Some(trial) = trial else { return Ok(None) };
    let (element_bytes, is_filtered) = (question.facts.element_bytes, storage.pipeline.is_filtered());
    let is_same = |one: &Simulated| {
        (one.element_bytes, one.storage.chunk.as_deref(), one.storage.is_filtered)
            == (element_bytes, chunk, is_filtered)
    };
    let place = match known.iter().position(is_same) {
        Some(place) => place,
        None => {
            let simulated = cost::simulate(question, chunk, is_filtered, VISITS_PRUNING)?;
            known.push(Simulated { element_bytes, storage: simulated });
            known.len() - 1
        }
    };
    let costed: Costed = cost::of_storage(question, &known[place].storage, &storage.pipeline, &trial)?;
    if costed.stored_bytes > question.size_bound.bytes(present.stored_bytes) {
        return Ok(None);
    }
    let slower = times(&costed.seconds, &own.seconds);
    let filters = storage.pipeline.text();
    Ok(Some(Agreed { path, storage: answer_of(question, &costed, filters), slower, is_present: false }))
}

/// How many times as long, on average over the readers.
fn times(seconds: &[f64], own: &[f64]) -> f64 {
    let sum: f64 = seconds.iter().zip(own).map(|(seconds, own)| seconds / own.max(1e-9)).sum();
    sum / seconds.len().max(1) as f64
}
