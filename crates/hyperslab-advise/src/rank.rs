//! The chunk shapes that are worth a simulation, by an estimate of what each reader loads with them.

use crate::question::Question;
use hyperslab_doctor::simulate::estimate_sweep;
use hyperslab_storage::cost::Terms;
use hyperslab_storage::pattern::Sweep;

/// What decoding is assumed to cost before it is measured, in seconds a byte.
const DECODE_SECONDS_PER_BYTE: f64 = 4.0e-9;

/// The best shapes for all readers, for each reader, and for each read alone, at most `number`, the best first.
pub(crate) fn best(
    question: &Question<'_>,
    shapes: &[Vec<u64>],
    is_filtered: bool,
    number: usize,
) -> Vec<Vec<u64>> {
    let element_bytes = question.facts.element_bytes;
    let sweeps: Vec<Sweep> = question.reads.iter().map(|read| read.sweep(&question.facts.shape)).collect();
    // Seconds by reader and read.
    let costs: Vec<Vec<Vec<f64>>> = shapes
        .iter()
        .map(|chunk| {
            let bytes = chunk.iter().fold(element_bytes, |n, d| n.saturating_mul(*d));
            let caches = caches(question, bytes);
            let of = |cache: u64| {
                sweeps.iter().map(move |sweep| seconds(question, sweep, chunk, bytes, cache, is_filtered))
            };
            caches.into_iter().map(|cache| of(cache).collect()).collect()
        })
        .collect();
    let weighted = |shape: usize, reader: usize| -> f64 {
        costs[shape][reader].iter().zip(&question.reads).map(|(seconds, read)| seconds * read.weight).sum()
    };
    let readers = question.readers.len();
    let least: Vec<f64> = (0..readers)
        .map(|reader| (0..shapes.len()).map(|shape| weighted(shape, reader)).fold(f64::INFINITY, f64::min))
        .collect();
    let regret = |shape: usize| -> f64 {
        (0..readers).map(|reader| weighted(shape, reader) / least[reader].max(1e-12)).sum()
    };
    let mut scores: Vec<Vec<f64>> = vec![(0..shapes.len()).map(regret).collect()];
    scores
        .extend((0..readers).map(|reader| (0..shapes.len()).map(|shape| weighted(shape, reader)).collect()));
    scores
        .extend((0..sweeps.len()).map(|read| (0..shapes.len()).map(|shape| costs[shape][0][read]).collect()));
    let orders: Vec<Vec<usize>> = scores
        .iter()
        .map(|scores| {
            let mut order: Vec<usize> = (0..shapes.len()).collect();
            order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(a.cmp(b)));
            order
        })
        .collect();
    // The orders take turns, the first, which is about all readers, twice as often.
    let mut chosen: Vec<usize> = Vec::new();
    let mut is_chosen = vec![false; shapes.len()];
    let mut next = vec![0usize; orders.len()];
    let turns = std::iter::once(0).chain(0..orders.len()).cycle();
    for turn in turns {
        if chosen.len() >= number.min(shapes.len()) {
            break;
        }
        while let Some(shape) = orders[turn].get(next[turn]) {
            next[turn] += 1;
            if !std::mem::replace(&mut is_chosen[*shape], true) {
                chosen.push(*shape);
                break;
            }
        }
    }
    chosen.into_iter().map(|at| shapes[at].clone()).collect()
}

/// The bytes that each reader's cache holds, of a dataset with such chunks; of several libraries the smallest.
fn caches(question: &Question<'_>, chunk_bytes: u64) -> Vec<u64> {
    let of_profiles = |reader: &crate::Reader| {
        reader.profiles().iter().map(|profile| profile.cache(Some(chunk_bytes)).nbytes).min()
    };
    question.readers.iter().map(|reader| of_profiles(reader).unwrap_or(question.engine_cache_bytes)).collect()
}

fn seconds(
    question: &Question<'_>,
    sweep: &Sweep,
    chunk: &[u64],
    chunk_bytes: u64,
    cache_bytes: u64,
    is_filtered: bool,
) -> f64 {
    let Terms { call, visit, load, far_byte, page, .. } = Terms::BUILT_IN;
    let estimate = estimate_sweep(sweep, chunk, question.facts.element_bytes, cache_bytes);
    let bytes = chunk_bytes as f64;
    let decode = if is_filtered { bytes * DECODE_SECONDS_PER_BYTE } else { bytes * far_byte };
    let fresh = if bytes >= 4096.0 { bytes / 4096.0 * page } else { 0.0 };
    let transfer = question.place.seconds(estimate.loads, estimate.loads * bytes / 2.0, 1);
    estimate.loads * (load + decode + fresh)
        + estimate.visits * visit
        + sweep.reads() as f64 * call
        + transfer
}
