//! The storages that no other beats in everything: read time, size, write time, requests.

use crate::choose::{Choice, Served};

/// Places of the storages that no other equals or beats in all four, the fastest first.
pub(crate) fn front(choice: &Choice<'_>, served: Served) -> Vec<usize> {
    let scores = choice.own_scores(served);
    let values = |at: usize| {
        let one = &choice.storages[at];
        [scores[at], one.stored_bytes as f64, one.write_seconds(), one.requests]
    };
    let readable: Vec<usize> =
        (0..choice.storages.len()).filter(|at| choice.is_readable(served, *at)).collect();
    let is_beaten = |at: usize| {
        readable.iter().any(|&other| {
            let (one, other_values) = (values(at), values(other));
            let not_worse = one.iter().zip(&other_values).all(|(a, b)| b <= a);
            let better = one.iter().zip(&other_values).any(|(a, b)| b < a);
            // Of equal ones, the first stays.
            not_worse && (better || other < at)
        })
    };
    let mut front: Vec<usize> = readable.iter().copied().filter(|at| !is_beaten(*at)).collect();
    // By what is shown, not by the score of the choice: that compares readers with each other.
    let seconds = |at: usize| choice.seconds(served, at);
    front.sort_by(|a, b| seconds(*a).total_cmp(&seconds(*b)).then(a.cmp(b)));
    front
}
