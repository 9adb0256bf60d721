//! The search: from all shapes and pipelines to a few storages that were measured and costed.
//!
//! ```text
//!   thousands of shapes ──estimate──► tens ──simulation──► a few, the best of all readers and of each
//!   all pipelines ──measured on the best shape──► those that are not worse in everything
//!   each of these shapes with the best of these pipelines, then with the others: measured, simulated
//! ```
//!
//! The best come first at each step. A step whose share of the time is over goes on with what it has.

use crate::cost::{self, Costed, SimulatedStorage};
use crate::error::AdviseError;
use crate::pipeline::{Compression, Pipeline};
use crate::question::Question;
use crate::reader::Reader;
use crate::storage::Storage;
use crate::trial::{Trial, Trials};
use crate::{rank, shapes};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// What the search came to.
pub(crate) struct Found {
    /// The dataset as it is.
    pub(crate) present: Costed,
    /// The storages that were costed in full, without the present one.
    pub(crate) storages: Vec<Costed>,
    /// Chunk shapes that were considered, and those of them that were simulated.
    pub(crate) shapes: usize,
    pub(crate) simulated: usize,
    /// Storages that were measured on samples.
    pub(crate) measured: usize,
    /// True if the time was over before everything was simulated and measured.
    pub(crate) is_cut: bool,
}

/// Shapes that are simulated, filtered and not, for each second of the time; and their bounds.
const SIMULATED_PER_SECOND: f64 = 3.0;
const SIMULATED_MIN: usize = 8;
const SIMULATED_MAX: usize = 48;
/// Shapes that are measured: the best for all readers together, for each reader, and for each.
const MEASURED_FILTERED: usize = 3;
const MEASURED_RAW: usize = 2;
/// Pipelines that are measured on all of these shapes before any other is.
const PIPELINES_FIRST: usize = 3;
/// Pipelines that are measured with each shape.
const PIPELINES_MAX: usize = 8;
/// Chunk visits of one simulation: for choosing among shapes, and for what is shown.
pub(crate) const VISITS_PRUNING: u64 = 30_000;
const VISITS_FINAL: u64 = 200_000;
/// The shares of the time after which no further filtered shape is simulated, no raw one, no storage measured; and after
/// which what was simulated roughly is not simulated again.
const FILTERED_UNTIL: f64 = 0.35;
const RAW_UNTIL: f64 = 0.5;
const MEASURED_UNTIL: f64 = 0.8;
const FINAL_UNTIL: f64 = 0.95;
/// A pipeline that is worse by more than this in size and speed is left out.
const TOLERANCE: f64 = 1.02;
/// What encoding is assumed to cost before it is measured.
const ASSUMED: Trial = Trial {
    decoded_bytes: 1 << 20,
    encoded_bytes: 1 << 19,
    encode_seconds: 0.02,
    decode_seconds: 0.002,
    largest_error: 0.0,
    inflate_factor: None,
};
/// What is not encoded.
pub(crate) const RAW: Trial = Trial {
    decoded_bytes: 1 << 20,
    encoded_bytes: 1 << 20,
    encode_seconds: 0.0,
    decode_seconds: 0.0,
    largest_error: 0.0,
    inflate_factor: None,
};

/// The time of a search.
struct Clock {
    start: Instant,
    time: Duration,
    /// True if a step was not done in full.
    is_cut: bool,
}

impl Clock {
    /// True if this share of the time is over; the search is then cut.
    fn is_over(&mut self, share: f64) -> bool {
        let is_over = self.start.elapsed() > self.time.mul_f64(share);
        self.is_cut |= is_over;
        is_over
    }
}

/// A shape that was simulated roughly, with its costs under an assumed pipeline.
struct Rough {
    costed: Costed,
    simulated: SimulatedStorage,
}

/// Finds the storages that are worth a choice.
pub(crate) fn search(question: &Question<'_>, trials: &mut dyn Trials) -> Result<Found, AdviseError> {
    let mut clock = Clock { start: Instant::now(), time: question.time, is_cut: false };
    let facts = question.facts;
    let present_pipeline = Pipeline::of(&facts.filters);
    let present_storage = Storage {
        chunk: facts.chunk_dims().map(<[u64]>::to_vec),
        pipeline: present_pipeline.clone().unwrap_or(Pipeline::NONE),
    };
    let simulated_present = cost::simulate_present(question, facts, VISITS_FINAL)?;
    let present = cost::of_present(question, present_storage.clone(), &simulated_present, None)?;
    let checksum = present_pipeline.as_ref().is_some_and(|pipeline| pipeline.checksum);

    let blocks: Vec<Vec<u64>> = question.reads.iter().map(|read| read.block.clone()).collect();
    let all =
        shapes::shapes(&facts.shape, facts.element_bytes, &blocks, facts.chunk_dims(), shapes::LATTICE_MAX);
    let considered = all.len();
    let number = (question.time.as_secs_f64() * SIMULATED_PER_SECOND) as usize;
    let number = number.clamp(SIMULATED_MIN, SIMULATED_MAX);
    let filtered = simulated(question, &all, true, number, &mut || clock.is_over(FILTERED_UNTIL))?;
    let raw = simulated(question, &all, false, number / 2, &mut || clock.is_over(RAW_UNTIL))?;
    let simulated_count = filtered.len() + raw.len();
    let filtered_shapes = best_shapes(question, &filtered, facts.chunk_dims(), MEASURED_FILTERED);
    let raw_shapes = best_shapes(question, &raw, facts.chunk_dims(), MEASURED_RAW);

    // All pipelines, measured on the best shape.
    let lossy = question.max_error.map(|bound| Pipeline::lossy_candidates(bound, checksum));
    let pipelines: Vec<Pipeline> = Pipeline::candidates(facts.element_bytes, checksum)
        .into_iter()
        .chain(lossy.into_iter().flatten())
        .filter(|pipeline| question.readers.iter().any(|reader: &Reader| reader.reads(pipeline)))
        .collect();
    let (none, mut pipelines): (Vec<Pipeline>, Vec<Pipeline>) =
        pipelines.into_iter().partition(|pipeline| pipeline.compression == Compression::None);
    if let Some(own) = present_pipeline.as_ref().filter(|own| own.compression != Compression::None)
        && !pipelines.contains(own)
    {
        pipelines.push(own.clone());
    }
    let mut measured: Vec<(Storage, Trial)> = Vec::new();
    let mut measure = |chunk: &Vec<u64>, pipelines: &[Pipeline]| {
        let results: Vec<(Pipeline, Trial)> = pipelines
            .iter()
            .cloned()
            .zip(trials.measure(chunk, pipelines))
            .filter_map(|(pipeline, trial)| Some((pipeline, trial?)))
            .collect();
        measured.extend(
            results.iter().map(|(pipeline, trial)| (Storage::chunked(chunk, pipeline.clone()), *trial)),
        );
        results
    };
    if let Some((best, others)) = filtered_shapes.split_first() {
        let kept = worthwhile(&measure(best, &pipelines), present_pipeline.as_ref());
        let (first, later) = kept.split_at(kept.len().min(PIPELINES_FIRST));
        // What one reader alone would choose is measured in any case: it is what the choice of all is compared with.
        let needed = question.readers.len();
        for (place, chunk) in others.iter().enumerate() {
            if clock.is_over(MEASURED_UNTIL) && place >= needed {
                break;
            }
            measure(chunk, first);
        }
        for chunk in others {
            if later.is_empty() || clock.is_over(MEASURED_UNTIL) {
                break;
            }
            measure(chunk, later);
        }
    }
    for chunk in &raw_shapes {
        measured.extend(none.iter().map(|pipeline| (Storage::chunked(chunk, pipeline.clone()), RAW)));
    }
    let can_grow = (0..facts.shape.len()).any(|axis| facts.can_grow(axis));
    if !can_grow && !checksum {
        measured.push((Storage::CONTIGUOUS, RAW));
    }
    measured.retain(|(storage, _)| present_pipeline.is_none() || *storage != present_storage);
    let measured_count = measured.len();
    let rough: Vec<SimulatedStorage> = filtered.into_iter().chain(raw).map(|one| one.simulated).collect();
    let storages = costed(question, &measured, rough, &mut || clock.is_over(FINAL_UNTIL))?;
    let present = with_writing(question, present, trials, present_pipeline)?;
    Ok(Found {
        present,
        storages,
        shapes: considered,
        simulated: simulated_count,
        measured: measured_count,
        is_cut: clock.is_cut,
    })
}

/// The best shapes by the estimate and the blocks of the reads themselves, which the estimate does not know to fit, simulated; the
/// first of them in any case.
fn simulated(
    question: &Question<'_>,
    shapes: &[Vec<u64>],
    is_filtered: bool,
    number: usize,
    is_over: &mut dyn FnMut() -> bool,
) -> Result<Vec<Rough>, AdviseError> {
    let (compression, trial) =
        if is_filtered { (Compression::Gzip(4), ASSUMED) } else { (Compression::None, RAW) };
    let pipeline = Pipeline { compression, ..Pipeline::NONE };
    let is_shape = |block: &&Vec<u64>| shapes.contains(block);
    let blocks: Vec<&Vec<u64>> = question.reads.iter().map(|read| &read.block).filter(is_shape).collect();
    let mut best = rank::best(question, shapes, is_filtered, number);
    for block in blocks {
        if !best.contains(block) {
            best.insert(best.len().min(1), block.clone());
        }
    }
    let mut found = Vec::with_capacity(best.len());
    // As many at a time as there are threads, so that the clock is looked at often.
    for several in best.chunks(rayon::current_num_threads().max(1)) {
        if !found.is_empty() && is_over() {
            break;
        }
        let simulated = several.par_iter().map(|chunk| {
            let simulated = cost::simulate(question, Some(chunk), is_filtered, VISITS_PRUNING)?;
            let costed = cost::of_storage(question, &simulated, &pipeline, &trial)?;
            Ok(Rough { costed, simulated })
        });
        found.extend(simulated.collect::<Result<Vec<Rough>, AdviseError>>()?);
    }
    Ok(found)
}

/// What counts depend on: the chunk shape, and whether there are filters.
type SimulationKey = (Option<Vec<u64>>, bool);

/// The costs of what was measured; each chunk shape is simulated once, whatever its filters, and not at all if the rough
/// simulation was exact.
fn costed(
    question: &Question<'_>,
    measured: &[(Storage, Trial)],
    mut rough: Vec<SimulatedStorage>,
    is_over: &mut dyn FnMut() -> bool,
) -> Result<Vec<Costed>, AdviseError> {
    let key = |storage: &Storage| (storage.chunk.clone(), storage.pipeline.is_filtered());
    let mut keys: Vec<SimulationKey> = Vec::new();
    for (storage, _) in measured {
        if !keys.contains(&key(storage)) {
            keys.push(key(storage));
        }
    }
    let mut known: Vec<SimulatedStorage> = Vec::new();
    for several in keys.chunks(rayon::current_num_threads().max(1)) {
        let mut missing: Vec<(&SimulationKey, Option<SimulatedStorage>)> = Vec::new();
        for key in several {
            let place = rough.iter().position(|one| (&one.chunk, one.is_filtered) == (&key.0, key.1));
            match place.map(|place| rough.swap_remove(place)) {
                Some(one) if one.is_exact() => known.push(one),
                other => missing.push((key, other)),
            }
        }
        let is_late = !missing.is_empty() && is_over();
        let simulated = missing.into_par_iter().map(|((chunk, is_filtered), rough)| match rough {
            Some(rough) if is_late => Ok(rough),
            _ => cost::simulate(question, chunk.as_deref(), *is_filtered, VISITS_FINAL),
        });
        known.extend(simulated.collect::<Result<Vec<SimulatedStorage>, AdviseError>>()?);
    }
    let costed = measured.iter().filter_map(|(storage, trial)| {
        let is_same = |one: &&SimulatedStorage| (one.chunk.clone(), one.is_filtered) == key(storage);
        let simulated = known.iter().find(is_same)?;
        Some(cost::of_storage(question, simulated, &storage.pipeline, trial))
    });
    costed.collect()
}

/// The shapes that are best for all readers and for each, so many of each, by turns; and the present one.
fn best_shapes(
    question: &Question<'_>,
    simulated: &[Rough],
    present: Option<&[u64]>,
    number: usize,
) -> Vec<Vec<u64>> {
    let costed = || simulated.iter().map(|rough| &rough.costed);
    let readers = 0..question.readers.len();
    let least: Vec<f64> = readers
        .clone()
        .map(|reader| costed().map(|one| one.seconds[reader]).fold(f64::INFINITY, f64::min))
        .collect();
    let regret = |one: &Costed| -> f64 {
        readers.clone().map(|reader| one.seconds[reader] / least[reader].max(1e-12)).sum()
    };
    let sorted = |score: &dyn Fn(&Costed) -> f64| -> Vec<Vec<u64>> {
        let mut order: Vec<&Costed> = costed().collect();
        order.sort_by(|a, b| score(a).total_cmp(&score(b)).then_with(|| a.storage.cmp(&b.storage)));
        order.into_iter().filter_map(|one| one.storage.chunk.clone()).collect()
    };
    let mut orders = vec![sorted(&regret)];
    orders.extend(readers.clone().map(|reader| sorted(&|one: &Costed| one.seconds[reader])));
    let mut chosen: Vec<Vec<u64>> = Vec::new();
    for chunk in (0..number).flat_map(|place| orders.iter().filter_map(move |order| order.get(place))) {
        if !chosen.contains(chunk) {
            chosen.push(chunk.clone());
        }
    }
    if let Some(present) = present.filter(|present| !chosen.iter().any(|chunk| chunk == present)) {
        chosen.push(present.to_vec());
    }
    chosen
}

/// The pipelines that are not worse than another in size and in both speeds; the present one stays.
fn worthwhile(results: &[(Pipeline, Trial)], present: Option<&Pipeline>) -> Vec<Pipeline> {
    let is_worse = |one: &Trial, other: &Trial| {
        one.share() > TOLERANCE * other.share()
            && one.decode_seconds_per_byte() > TOLERANCE * other.decode_seconds_per_byte()
            && one.encode_seconds_per_byte() > TOLERANCE * other.encode_seconds_per_byte()
    };
    let mut kept: Vec<&(Pipeline, Trial)> = results
        .iter()
        .filter(|(_, trial)| !results.iter().any(|(_, other)| is_worse(trial, other)))
        .collect();
    // Of too many, those that leave out least: by the product of size and decoding.
    let score = |trial: &Trial| trial.share() * trial.decode_seconds_per_byte();
    kept.sort_by(|a, b| score(&a.1).total_cmp(&score(&b.1)).then_with(|| a.0.cmp(&b.0)));
    let smallest =
        results.iter().min_by(|a, b| a.1.share().total_cmp(&b.1.share()).then_with(|| a.0.cmp(&b.0)));
    let mut pipelines: Vec<Pipeline> =
        kept.into_iter().take(PIPELINES_MAX).map(|(pipeline, _)| pipeline.clone()).collect();
    for more in smallest.map(|(pipeline, _)| pipeline).into_iter().chain(present) {
        if !pipelines.contains(more) {
            pipelines.push(more.clone());
        }
    }
    pipelines
}

/// The present storage with what it costs to write and to decode it, if its filters are among those that can be tried.
fn with_writing(
    question: &Question<'_>,
    mut present: Costed,
    trials: &mut dyn Trials,
    pipeline: Option<Pipeline>,
) -> Result<Costed, AdviseError> {
    let trial = match (&present.storage.chunk, pipeline) {
        (Some(chunk), Some(pipeline)) if pipeline.is_filtered() => {
            trials.measure(chunk, &[pipeline]).pop().flatten()
        }
        (_, Some(pipeline)) if !pipeline.is_filtered() => Some(RAW),
        _ => None,
    };
    let writing = trial.map(|trial| cost::of_writing(question, &present.storage, &trial, VISITS_PRUNING));
    present.writing = writing.transpose()?;
    Ok(present)
}
