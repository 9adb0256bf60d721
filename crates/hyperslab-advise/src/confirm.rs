//! The storages that are nearest to the best, decoded by the user's libhdf5.
//!
//! How much longer libhdf5 takes to inflate than hyperslab is measured on one chunk shape. With another it differs: the buffers of
//! large chunks are new memory each time and leave the processor's cache, long runs of sparse data are copied faster. So before
//! one of several storages is chosen that seem about as fast, the library decodes samples in the shape of each.

use crate::choose::{Choice, Served};
use crate::clock::Clock;
use crate::cost::{Costed, estimated_decoding};
use crate::error::AdviseError;
use crate::question::Question;
use crate::storages::Storages;
use crate::trial::{Trial, Trials};

/// Storages that seem to take at most so many times as long as the best may turn out to be better.
const NEAR: f64 = 1.3;
/// The share of the time after which no further storage is decoded; the best is in any case.
const UNTIL: f64 = 0.98;
/// Storages that are decoded for each second of the time.
const DECODED_PER_SECOND: f64 = 2.4;

/// Lets the library decode samples of the storages that are nearest to the best, nearest first, as long as there is time.
pub(crate) fn confirm(
    question: &Question<'_>,
    present: &Costed,
    storages: &mut Storages,
    trials: &mut dyn Trials,
    clock: &Clock,
) -> Result<(), AdviseError> {
    let is_filtered = |at: usize| storages.get(at).0.pipeline.is_filtered();
    let mut is_left: Vec<bool> = (0..storages.len()).map(is_filtered).collect();
    let most = (question.time.as_secs_f64() * DECODED_PER_SECOND) as usize;
    for number in 0..most.max(1) {
        if number > 0 && clock.has_passed(UNTIL) {
            break;
        }
        let Some(at) = nearest(question, present, storages.costed(), &is_left) else { break };
        is_left[at] = false;
        let (storage, trial) = storages.get(at).clone();
        let chunk = storage.chunk.as_deref().unwrap_or_default();
        let Some(library) = trials.decode_by_library(chunk, &storage.pipeline) else { continue };
        let estimate = estimated_decoding(question, &storage, &trial);
        storages.set(question, at, Trial { library: Some(library), ..trial })?;
        // Most of what the estimate did not know is about the shape: it is the same at other levels.
        let Some(estimate) = estimate else { continue };
        let times = library.seconds / estimate.seconds;
        for (other, _) in is_left.iter().enumerate().filter(|(_, is_left)| **is_left) {
            let (same, trial) = storages.get(other).clone();
            let is_alike = same.chunk == storage.chunk && same.pipeline.shuffle == storage.pipeline.shuffle;
            if let (true, Some(factor)) = (is_alike, trial.inflate_factor) {
                storages.set(question, other, Trial { inflate_factor: Some(factor * times), ..trial })?;
            }
        }
    }
    Ok(())
}

/// The storage that is to be decoded next: of those that are left, the nearest to the best for the readers that it would serve. `None`
/// if none is near.
fn nearest(question: &Question<'_>, present: &Costed, costed: &[Costed], is_left: &[bool]) -> Option<usize> {
    let all: Vec<Costed> = std::iter::once(present).chain(costed).cloned().collect();
    let choice = Choice::new(question, &all);
    let readers = (0..question.readers.len()).filter(|at| !question.readers[*at].profiles().is_empty());
    let each: Vec<Served> = readers.map(Served::One).collect();
    let together = (!each.is_empty()).then_some(Served::All);
    let near = together.into_iter().chain(each).flat_map(|served| {
        let scores = choice.own_scores(served);
        let allowed = choice.allowed(served);
        let least = allowed.iter().map(|at| scores[*at]).fold(f64::INFINITY, f64::min);
        let times = allowed.into_iter().filter(|at| *at > 0).map(move |at| (scores[at] / least, at - 1));
        times.filter(|(times, at)| *times <= NEAR && is_left[*at])
    });
    near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, at)| at)
}
