//! The chunk shape that serves one read, or all, and slows none of the others.
//!
//! Shapes whose extents are halves, quarters, eighths … of the dataset's are ranked by an estimate of what each read
//! decodes with them in the smallest cache. The best few are then simulated in every library. Of those that serve the read,
//! the one is taken that is best for all reads, whichever read is asked about: so that the reads of a dataset agree on
//! one shape, and none asks for another once the dataset has it.

use super::change::{Change, Changed, Effect, Rewritten};
use super::chunk_shape::REPACK_CHUNK_BYTES;
use super::others::{Judgement, judge_changed};
use crate::case::{Case, ReadCase};
use crate::lattice::lattice;
use crate::simulate::{SweepEstimate, estimate_sweep};
use hyperslab_storage::cost::Terms;

/// Smaller chunks are not proposed, unless the whole dataset is smaller.
const CHUNK_BYTES_MIN: u64 = 64 << 10;
/// At most this many shapes are estimated; for more, extents are divided in larger steps.
const SHAPES_MAX: usize = 5_000;
/// The best of these are simulated.
const SIMULATED_MAX: usize = 8;
/// A compromise must make reads faster on the whole, by at least this factor.
const WHOLE_GAIN_MAX: f64 = 0.85;
/// A change that is only a compromise is worth it if the read that it is for takes at most this share of the time.
pub(super) const GAIN_SHARE_MAX: f64 = 0.5;

/// The chunk shape that is best for all reads (see [`Judgement::change`]), among those that make read `target` at least twice
/// as fast in every one of these profiles, with what it does to all reads. One that makes another read much slower is
/// taken only if all do. `None` if no shape serves the read.
pub(crate) fn compromise(
    case: &Case<'_>,
    target: usize,
    profiles: &[usize],
) -> Option<(Vec<u64>, Judgement)> {
    let storage = |chunk: &[u64]| Rewritten::rechunked(case.facts, chunk);
    let serving = simulated(case, &storage).into_iter().filter_map(|(chunk, changed, judged)| {
        let hit = judge_changed(&changed, profiles)?;
        let (_, gain) = hit.effects.get(target)?;
        let serves = gain.ratio() <= GAIN_SHARE_MAX && judged.change <= WHOLE_GAIN_MAX;
        serves.then_some((chunk, judged))
    });
    best(serving)
}

/// The chunk shape that is best for all reads in a new storage, with what it does to them; preferably one that makes none much
/// slower.
pub(crate) fn balanced(
    case: &Case<'_>,
    storage: &dyn Fn(&[u64]) -> Rewritten,
) -> Option<(Vec<u64>, Judgement)> {
    best(simulated(case, storage).into_iter().map(|(chunk, _, judged)| (chunk, judged)))
}

fn best(shapes: impl Iterator<Item = (Vec<u64>, Judgement)>) -> Option<(Vec<u64>, Judgement)> {
    shapes.min_by(|(_, a), (_, b)| a.is_loss().cmp(&b.is_loss()).then(a.change.total_cmp(&b.change)))
}

/// The shapes that are best by the estimate, simulated.
fn simulated<'c>(
    case: &'c Case<'c>,
    storage: &dyn Fn(&[u64]) -> Rewritten,
) -> Vec<(Vec<u64>, Changed<'c>, Judgement)> {
    let all: Vec<usize> = (0..case.profiles.len()).collect();
    let mut ranked: Vec<(u64, f64, Vec<u64>)> = shapes(case.geometry.shape(), case.geometry.element_bytes())
        .into_iter()
        .filter(|chunk| case.geometry.chunk_dims() != Some(chunk))
        .map(|chunk| {
            let (losses, score) = estimated_score(case, &storage(&chunk));
            (losses, score, chunk)
        })
        .collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then_with(|| a.2.cmp(&b.2)));
    let simulated = ranked.into_iter().take(SIMULATED_MAX).filter_map(|(.., chunk)| {
        let changed = Changed::new(case, &Change::Rewritten(storage(&chunk))).ok()?;
        let judged = judge_changed(&changed, &all)?;
        Some((chunk, changed, judged))
    });
    simulated.collect()
}

/// How many reads would lose in this storage, and what all reads cost.
fn estimated_score(case: &Case<'_>, storage: &Rewritten) -> (u64, f64) {
    let cache_bytes = case.profiles.iter().map(|profile| profile.cache(None).nbytes).min().unwrap_or(0);
    let (mut losses, mut score) = (0, 0.0);
    for read in &case.reads {
        let after = estimated_seconds(case, read, storage, cache_bytes);
        let before = read.rows.iter().map(|row| row.reference_seconds).fold(f64::INFINITY, f64::min);
        losses += u64::from(Effect { shown: (before, after), reference: (before, after) }.is_loss());
        score += read.weight * after;
    }
    (losses, score)
}

fn estimated_seconds(case: &Case<'_>, read: &ReadCase, storage: &Rewritten, cache_bytes: u64) -> f64 {
    let Rewritten { chunk, is_filtered, decode_factor, .. } = storage;
    let SweepEstimate { visits, loads } =
        estimate_sweep(&read.sweep, chunk, case.geometry.element_bytes(), cache_bytes);
    let chunk_bytes = chunk.iter().fold(case.geometry.element_bytes(), |n, d| n.saturating_mul(*d)) as f64;
    let costs = case.reference.stored_as(chunk_bytes as u64, 0, *decode_factor);
    let decode = if *is_filtered { costs.decode_once() } else { 0.0 };
    let terms = Terms::BUILT_IN;
    let fetch = terms.load + chunk_bytes * terms.far_byte;
    loads * (decode + fetch) + visits * terms.visit + read.sweep.reads() as f64 * terms.call
}

/// Shapes of [`CHUNK_BYTES_MIN`] to [`REPACK_CHUNK_BYTES`] bytes whose extents are the dataset's, divided by powers of
/// two, or of four or more in high ranks.
fn shapes(shape: &[u64], element_bytes: u64) -> Vec<Vec<u64>> {
    if shape.contains(&0) || element_bytes == 0 || element_bytes > REPACK_CHUNK_BYTES {
        return Vec::new();
    }
    let total = shape.iter().fold(element_bytes, |n, d| n.saturating_mul(*d));
    let least = CHUNK_BYTES_MIN.min(total);
    let bytes = |chunk: &[u64]| chunk.iter().fold(element_bytes, |n, d| n.saturating_mul(*d));
    let mut shapes = lattice(shape, SHAPES_MAX, |dim, step| divided(dim, step + 1, element_bytes));
    shapes.retain(|chunk| (least..=REPACK_CHUNK_BYTES).contains(&bytes(chunk)));
    shapes
}

/// The extent, and its parts of 2^step, 4^step …, none longer than a chunk may be.
fn divided(dim: u64, step: u32, element_bytes: u64) -> Vec<u64> {
    let longest = (REPACK_CHUNK_BYTES / element_bytes).max(1);
    let mut lengths: Vec<u64> = (0..64)
        .step_by(step as usize)
        .map(|power| dim.div_ceil(1 << power))
        .filter(|length| *length <= longest)
        .collect();
    lengths.push(1);
    lengths.dedup();
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::testing::chunked;

    #[test]
    fn time_steps_and_series_are_both_served() {
        // 8,000 small fields, one chunk each: series decode every chunk, chunks along the series ruin time steps.
        let facts = chunked(&[8000, 20, 20], &[1, 20, 20], 4);
        let options = Options::default();
        let case = Case::new(&facts, &options).unwrap().unwrap();
        let series = case.reads.iter().position(|read| read.name == "series along axis 0").unwrap();
        let (chunk, judged) = compromise(&case, series, &[2]).unwrap();
        assert!(chunk[0] > 100 && chunk[0] < 8000, "{chunk:?}");
        assert!(judged.effects[series].1.ratio() < 0.5);
        assert!(judged.effects.iter().all(|(_, effect)| effect.ratio() < 2.0 || !effect.is_loss()));
    }

    #[test]
    fn where_nothing_is_to_be_gained_there_is_none() {
        // Rows of chunks that are decoded once already.
        let facts = chunked(&[400, 500], &[100, 500], 4);
        let options = Options::default();
        let case = Case::new(&facts, &options).unwrap().unwrap();
        assert_eq!(case.reads[0].name, "row by row");
        assert_eq!(compromise(&case, 0, &[2]).map(|(chunk, _)| chunk), None);
    }

    #[test]
    fn shapes_keep_to_their_sizes_in_any_rank() {
        for (shape, element) in [(vec![8000, 20, 20], 4), (vec![7; 12], 8), (vec![u64::MAX / 16, 2], 1)] {
            let shapes = shapes(&shape, element);
            assert!(!shapes.is_empty() && shapes.len() <= SHAPES_MAX, "{shape:?}: {}", shapes.len());
            for chunk in shapes {
                let bytes = chunk.iter().product::<u64>() * element;
                assert!((CHUNK_BYTES_MIN..=REPACK_CHUNK_BYTES).contains(&bytes), "{chunk:?}");
            }
        }
        assert!(shapes(&[0, 4], 4).is_empty());
    }
}
