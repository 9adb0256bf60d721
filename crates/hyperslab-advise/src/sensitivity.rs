//! How far the weights may be wrong before another storage is better.

use crate::choose::{Choice, Served};
use crate::question::Question;
use serde::Serialize;

/// The shares of one read for which a recommendation holds, if the others keep their proportions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShareRange {
    /// The read.
    pub read: String,
    /// Its present share of all weights, 0 to 1.
    pub share: f64,
    /// The least share for which the recommendation holds; 0 if it holds without this read.
    pub from: f64,
    /// The greatest share for which it holds; 1 if it holds for this read alone.
    pub to: f64,
}

/// A storage holds as long as no other is faster by more than this.
const HOLDS: f64 = 1.15;
/// The shares that are tried.
const SHARES: [f64; 17] =
    [0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0];

/// The range of each read for which the storage `at` holds. A single read has none.
pub(crate) fn ranges(
    question: &Question<'_>,
    choice: &Choice<'_>,
    served: Served,
    at: usize,
) -> Vec<ShareRange> {
    let reads = &question.reads;
    if reads.len() < 2 {
        return Vec::new();
    }
    let sum: f64 = reads.iter().map(|read| read.weight).sum();
    let range = |number: usize| -> ShareRange {
        let share = reads[number].weight / sum;
        let holds = |share: f64| holds(question, choice, served, at, number, share);
        let from =
            SHARES.iter().rev().filter(|tried| **tried <= share).take_while(|tried| holds(**tried)).last();
        let to = SHARES.iter().filter(|tried| **tried >= share).take_while(|tried| holds(**tried)).last();
        ShareRange {
            read: reads[number].name.clone(),
            share,
            from: from.copied().unwrap_or(share),
            to: to.copied().unwrap_or(share),
        }
    };
    (0..reads.len()).map(range).collect()
}

/// True if no eligible storage is much faster where read `number` has this share.
fn holds(
    question: &Question<'_>,
    choice: &Choice<'_>,
    served: Served,
    at: usize,
    number: usize,
    share: f64,
) -> bool {
    let rest: f64 = question
        .reads
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != number)
        .map(|(_, read)| read.weight)
        .sum();
    let weights: Vec<f64> = question
        .reads
        .iter()
        .enumerate()
        .map(|(other, read)| if other == number { share } else { (1.0 - share) * read.weight / rest })
        .collect();
    let seconds = |storage: usize, reader: usize| -> f64 {
        let costs = &choice.storages[storage].reads[reader];
        costs.iter().zip(&weights).map(|(cost, weight)| cost.seconds * weight).sum()
    };
    let scores = choice.scores(served, &seconds);
    let least = choice.eligible(served).into_iter().map(|other| scores[other]).fold(f64::INFINITY, f64::min);
    scores[at] <= least * HOLDS
}
