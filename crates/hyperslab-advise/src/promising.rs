//! The chunk shapes that are worth measuring: their reads are simulated roughly.

use crate::candidate::Candidate;
use crate::cost::{self, Costed, SimulatedStorage};
use crate::error::AdviseError;
use crate::pipeline::{Compression, Pipeline};
use crate::question::Question;
use crate::rank;
use crate::trial::Trial;
use rayon::prelude::*;

/// Chunk visits of one simulation, for choosing among shapes.
pub(crate) const VISITS_PRUNING: u64 = 30_000;
/// Of each size, the best shape is worth measuring if it is estimated to take at most so many times as long as the best of all.
const NEAR: f64 = 1.6;

/// A shape that was simulated roughly, with its costs under an assumed pipeline.
pub(crate) struct Rough {
    costed: Costed,
    pub(crate) simulated: SimulatedStorage,
}

/// The best shapes by the estimate and the blocks of the reads themselves, which the estimate does not know to fit, simulated; the
/// first of them in any case.
pub(crate) fn simulated(
    question: &Question<'_>,
    shapes: &[Vec<u64>],
    is_filtered: bool,
    number: usize,
    is_over: &mut dyn FnMut() -> bool,
) -> Result<Vec<Rough>, AdviseError> {
    let (compression, trial) =
        if is_filtered { (Compression::Gzip(4), Trial::ASSUMED) } else { (Compression::None, Trial::RAW) };
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

/// The fewest seconds of each reader.
fn least(question: &Question<'_>, simulated: &[Rough]) -> Vec<f64> {
    let of = |reader: usize| {
        simulated.iter().map(|rough| rough.costed.seconds[reader]).fold(f64::INFINITY, f64::min)
    };
    (0..question.readers.len()).map(of).collect()
}

/// How many times as long as these fewest seconds the readers take, added up.
fn regret(one: &Costed, least: &[f64]) -> f64 {
    one.seconds.iter().zip(least).map(|(seconds, least)| seconds / least.max(1e-12)).sum()
}

/// The shapes that are best for all readers and for each, so many of each, by turns; and the present one.
pub(crate) fn best_shapes(
    question: &Question<'_>,
    simulated: &[Rough],
    present: Option<&[u64]>,
    number: usize,
) -> Vec<Vec<u64>> {
    let readers = 0..question.readers.len();
    let costed = || simulated.iter().map(|rough| &rough.costed);
    let least = least(question, simulated);
    let regret = |one: &Costed| regret(one, &least);
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

/// Of each size of chunks, to a power of two, the shape that is best for all readers together, if it is not far from the best:
/// what else depends on the size, such as how fast a chunk is decoded, is not known before it is measured. The best first.
pub(crate) fn best_of_each_size(question: &Question<'_>, simulated: &[Rough]) -> Vec<Vec<u64>> {
    let least = least(question, simulated);
    let regrets = simulated.iter().map(|rough| (regret(&rough.costed, &least), &rough.costed.storage));
    let mut order: Vec<(f64, &Candidate)> = regrets.collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    let far = order.first().map_or(0.0, |(regret, _)| regret * NEAR);
    let mut sizes: Vec<u32> = Vec::new();
    let mut chosen = Vec::new();
    for (regret, storage) in order {
        let size = storage.chunk_bytes(question.facts.element_bytes).and_then(u64::checked_ilog2);
        let (Some(chunk), Some(size)) = (&storage.chunk, size) else { continue };
        if regret <= far && !sizes.contains(&size) {
            sizes.push(size);
            chosen.push(chunk.clone());
        }
    }
    chosen
}
