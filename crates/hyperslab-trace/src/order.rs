//! In which order the blocks of a pattern were read.

use serde::{Deserialize, Serialize};

/// The order of blocks, in the words of `--reads-from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Order {
    /// The dimensions, slowest first.
    Sweep(Vec<usize>),
    /// `random`, or `repeat`: the same block again.
    Named(String),
}

/// What of the places of blocks tells their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    last: Vec<u64>,
    moves: u64,
    /// Calls at the place of the call before.
    again: u64,
    /// Moves by which the place did not go on to a neighbour: neither one step along a dimension, nor back to where the faster
    /// dimensions began.
    leaps: u64,
    /// How often the place changed along each dimension.
    changes: Vec<u64>,
    /// Where the blocks begin along each dimension.
    least: Vec<u64>,
    /// The distance of the last step along each dimension; 0 before the first.
    steps: Vec<u64>,
}

/// Where more than this share of the moves leaps, the order is random.
const LEAPS_MAX: f64 = 0.5;

impl Places {
    /// Notes the next block.
    pub(crate) fn note(&mut self, start: &[u64]) {
        if self.last.len() != start.len() {
            let rank = start.len();
            *self = Self { last: start.to_vec(), least: start.to_vec(), ..Self::default() };
            self.changes = vec![0; rank];
            self.steps = vec![0; rank];
            return;
        }
        self.moves += 1;
        let mut moved = 0;
        // One dimension goes on by the step that it went on by before, and others may go back to where they began.
        let (mut forward, mut elsewhere) = (0, false);
        for (axis, now) in start.iter().copied().enumerate() {
            let before = self.last[axis];
            if before == now {
                continue;
            }
            moved += 1;
            self.changes[axis] += 1;
            if now > before {
                let step = now - before;
                elsewhere |= self.steps[axis] != 0 && self.steps[axis] != step;
                self.steps[axis] = step;
                forward += 1;
            } else {
                elsewhere |= now > self.least[axis];
                self.least[axis] = self.least[axis].min(now);
            }
            self.last[axis] = now;
        }
        self.again += u64::from(moved == 0);
        // A new sweep goes back along all dimensions at once.
        self.leaps += u64::from(moved > 0 && (elsewhere || forward > 1));
    }

    /// The order; `None` if it is row-major.
    pub(crate) fn order(&self) -> Option<Order> {
        if self.moves == 0 {
            return None;
        }
        if self.again * 2 > self.moves {
            return Some(Order::Named("repeat".into()));
        }
        if self.leaps as f64 > LEAPS_MAX * (self.moves - self.again) as f64 {
            return Some(Order::Named("random".into()));
        }
        let mut order: Vec<usize> = (0..self.changes.len()).filter(|axis| self.changes[*axis] > 0).collect();
        order.sort_by_key(|axis| self.changes[*axis]);
        if order.is_sorted() {
            return None;
        }
        // Dimensions along which nothing moved are where they would be in row-major order: they do not matter.
        order.extend((0..self.changes.len()).filter(|axis| self.changes[*axis] == 0));
        Some(Order::Sweep(order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(places: impl IntoIterator<Item = [u64; 3]>) -> Option<Order> {
        let mut found = Places::default();
        places.into_iter().for_each(|place| found.note(&place));
        found.order()
    }

    #[test]
    fn sweeps_are_known_by_the_dimension_that_moves_most() {
        let row_major = (0..20).flat_map(|t| (0..5).map(move |y| [t, y * 10, 0]));
        assert_eq!(order(row_major), None);
        let column_major = (0..5).flat_map(|y| (0..20).map(move |t| [t, y * 10, 0]));
        assert_eq!(order(column_major.clone()), Some(Order::Sweep(vec![1, 0, 2])));
        let twice = column_major.clone().chain(column_major);
        assert_eq!(order(twice), Some(Order::Sweep(vec![1, 0, 2])));
        assert_eq!(order([[3, 4, 5]]), None);
    }

    #[test]
    fn leaps_are_random_and_rests_repeat() {
        let random = (0..100u64).map(|number| [number * 7919 % 101, number * 104_729 % 97, 0]);
        assert_eq!(order(random), Some(Order::Named("random".into())));
        assert_eq!(order((0..10).map(|_| [1, 2, 3])), Some(Order::Named("repeat".into())));
    }
}
