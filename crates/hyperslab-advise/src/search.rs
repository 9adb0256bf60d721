//! The search: from all shapes and pipelines to a few storages that were measured and costed.
//!
//! ```text
//!   thousands of shapes ──estimate──► tens ──simulation──► a few, the best of all readers and of each
//!   all pipelines ──measured on the best shape──► those that are not worse in everything
//!   each of these shapes with the best of these pipelines, then with the others: measured, simulated
//!   those that are nearest to the best: decoded by the user's libhdf5
//! ```
//!
//! The best come first at each step. A step whose share of the time is over goes on with what it has.

use crate::candidate::Candidate;
use crate::clock::Clock;
use crate::confirm::confirm;
use crate::cost::{self, Costed, SimulatedStorage};
use crate::error::AdviseError;
use crate::pipeline::{Compression, Pipeline};
use crate::promising::{self, VISITS_PRUNING};
use crate::question::Question;
use crate::reader::Reader;
use crate::shapes;
use crate::storages::{Storages, VISITS_FINAL};
use crate::trial::{Trial, Trials};

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
/// The shares of the time after which no further filtered shape is simulated, no raw one, no storage measured; and after
/// which what was simulated roughly is not simulated again.
const FILTERED_UNTIL: f64 = 0.35;
const RAW_UNTIL: f64 = 0.5;
const MEASURED_UNTIL: f64 = 0.8;
const FINAL_UNTIL: f64 = 0.95;
/// A pipeline that is worse by more than this in size and speed is left out.
const TOLERANCE: f64 = 1.02;
/// Finds the storages that are worth a choice.
pub(crate) fn search(question: &Question<'_>, trials: &mut dyn Trials) -> Result<Found, AdviseError> {
    let mut clock = Clock::new(question.time);
    let facts = question.facts;
    let present_pipeline = Pipeline::of(&facts.filters);
    let present_storage = Candidate {
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
    let filtered = promising::simulated(question, &all, true, number, &mut || clock.is_over(FILTERED_UNTIL))?;
    let raw = promising::simulated(question, &all, false, number / 2, &mut || clock.is_over(RAW_UNTIL))?;
    let simulated_count = filtered.len() + raw.len();
    let filtered_shapes = promising::best_shapes(question, &filtered, facts.chunk_dims(), MEASURED_FILTERED);
    let mut raw_shapes = promising::best_shapes(question, &raw, facts.chunk_dims(), MEASURED_RAW);
    let mut sizes = promising::best_of_each_size(question, &filtered);
    sizes.retain(|chunk| !filtered_shapes.contains(chunk));
    for chunk in promising::best_of_each_size(question, &raw) {
        if !raw_shapes.contains(&chunk) {
            raw_shapes.push(chunk);
        }
    }

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
    let mut measured: Vec<(Candidate, Trial)> = Vec::new();
    let mut measure = |chunk: &Vec<u64>, pipelines: &[Pipeline]| {
        let results: Vec<(Pipeline, Trial)> = pipelines
            .iter()
            .cloned()
            .zip(trials.measure(chunk, pipelines))
            .filter_map(|(pipeline, trial)| Some((pipeline, trial?)))
            .collect();
        measured.extend(
            results.iter().map(|(pipeline, trial)| (Candidate::chunked(chunk, pipeline.clone()), *trial)),
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
        for chunk in &sizes {
            if clock.has_passed(MEASURED_UNTIL) {
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
        measured
            .extend(none.iter().map(|pipeline| (Candidate::chunked(chunk, pipeline.clone()), Trial::RAW)));
    }
    let can_grow = (0..facts.shape.len()).any(|axis| facts.can_grow(axis));
    if !can_grow && !checksum {
        measured.push((Candidate::CONTIGUOUS, Trial::RAW));
    }
    measured.retain(|(storage, _)| present_pipeline.is_none() || *storage != present_storage);
    let measured_count = measured.len();
    let rough: Vec<SimulatedStorage> = filtered.into_iter().chain(raw).map(|one| one.simulated).collect();
    let mut storages = Storages::new(question, measured, rough, &mut || clock.is_over(FINAL_UNTIL))?;
    let present = with_writing(question, present, trials, present_pipeline)?;
    confirm(question, &present, &mut storages, trials, &clock)?;
    Ok(Found {
        present,
        storages: storages.into_costed(),
        shapes: considered,
        simulated: simulated_count,
        measured: measured_count,
        is_cut: clock.is_cut,
    })
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
        (_, Some(pipeline)) if !pipeline.is_filtered() => Some(Trial::RAW),
        _ => None,
    };
    let writing = trial.map(|trial| cost::of_writing(question, &present.storage, &trial, VISITS_PRUNING));
    present.writing = writing.transpose()?;
    Ok(present)
}
