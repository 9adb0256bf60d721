//! A block swept over an extent, or at random places of it; whole, or every so-many-th element of it.

use super::order::is_permutation;
use super::shape_text;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde::{Deserialize, Serialize};
use std::fmt;

/// All positions of a block, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sweep {
    shape: Vec<u64>,
    block: Vec<u64>,
    order: Vec<usize>,
    step: Vec<u64>,
    random: Option<RandomPlaces>,
}

/// Random places instead of all positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RandomPlaces {
    /// How many.
    pub count: u64,
    /// The same seed gives the same places, as in the bench.
    pub seed: u64,
}

impl RandomPlaces {
    /// Where blocks start, so that they lie inside the extent.
    pub fn starts<'a>(self, shape: &'a [u64], block: &'a [u64]) -> impl Iterator<Item = Vec<u64>> + 'a {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        (0..self.count).map(move |_| {
            let room = shape.iter().zip(block).map(|(dim, block)| dim.saturating_sub(*block) + 1);
            room.map(|room| random.next_u64() % room).collect()
        })
    }
}

impl Sweep {
    /// A sweep of `block` over `shape`; `order` lists the dimensions, slowest first.
    ///
    /// # Panics
    /// If the ranks of the three differ, the block is empty in some dimension, or the order is not a permutation.
    pub fn new(shape: &[u64], block: &[u64], order: &[usize]) -> Self {
        assert!(shape.len() == block.len() && shape.len() == order.len(), "ranks differ");
        assert!(!block.contains(&0), "an empty block");
        assert!(is_permutation(order), "not a permutation");
        let step = vec![1; shape.len()];
        Self { shape: shape.to_vec(), block: block.to_vec(), order: order.to_vec(), step, random: None }
    }

    /// A sweep in row-major order: the last dimension moves fastest.
    pub fn row_major(shape: &[u64], block: &[u64]) -> Self {
        Self::new(shape, block, &(0..shape.len()).collect::<Vec<_>>())
    }

    /// The extent that the sweep covers.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The block, before clipping.
    pub fn block(&self) -> &[u64] {
        &self.block
    }

    /// The dimensions, slowest first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Only every `step`-th element of the block is wanted along each dimension.
    ///
    /// # Panics
    /// If the rank differs, or a step is 0.
    #[must_use]
    pub fn every(self, step: &[u64]) -> Self {
        assert!(step.len() == self.shape.len() && !step.contains(&0), "steps of another rank, or none");
        Self { step: step.to_vec(), ..self }
    }

    /// Blocks at random places inside the extent, instead of all positions.
    #[must_use]
    pub fn at_random(self, places: RandomPlaces) -> Self {
        Self { random: Some(places), ..self }
    }

    /// The distances of the wanted elements.
    pub fn step(&self) -> &[u64] {
        &self.step
    }

    /// The random places, if it is not a sweep over all positions.
    pub fn random(&self) -> Option<RandomPlaces> {
        self.random
    }

    /// True for whole blocks at all positions.
    pub fn is_plain(&self) -> bool {
        self.random.is_none() && self.step.iter().all(|step| *step == 1)
    }

    /// Number of positions (saturating).
    pub fn reads(&self) -> u64 {
        if let Some(RandomPlaces { count, .. }) = self.random {
            return if self.shape.contains(&0) { 0 } else { count };
        }
        self.shape.iter().zip(&self.block).fold(1, |n, (dim, block)| n.saturating_mul(dim.div_ceil(*block)))
    }

    /// The positions: start and clipped count of each.
    pub fn blocks(&self) -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> + '_ {
        let first = (self.reads() > 0).then(|| vec![0u64; self.shape.len()]);
        let starts: Box<dyn Iterator<Item = Vec<u64>>> = match self.random {
            Some(places) if first.is_some() => Box::new(places.starts(&self.shape, &self.block)),
            _ => Box::new(std::iter::successors(first, |start| self.after(start))),
        };
        starts.map(|start| {
            let count = (start.iter().zip(&self.block).zip(&self.shape))
                .map(|((start, block), dim)| (*block).min(dim - start))
                .collect();
            (start, count)
        })
    }

    /// The position of this number, of which there is one.
    pub fn position(&self, mut number: u64) -> Vec<u64> {
        let mut start = vec![0; self.shape.len()];
        for &axis in self.order.iter().rev() {
            let places = self.shape[axis].div_ceil(self.block[axis]).max(1);
            start[axis] = number % places * self.block[axis];
            number /= places;
        }
        start
    }

    /// The position that follows this one.
    pub fn after(&self, start: &[u64]) -> Option<Vec<u64>> {
        let mut after = start.to_vec();
        for &axis in self.order.iter().rev() {
            match after[axis].checked_add(self.block[axis]).filter(|at| *at < self.shape[axis]) {
                Some(at) => {
                    after[axis] = at;
                    return Some(after);
                }
                None => after[axis] = 0,
            }
        }
        None
    }
}

/// As people write it: `1x1x720`, `100x100 every 2x2`, `4x4 at 100 random places`.
impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shape_text(&self.block))?;
        if self.step.iter().any(|step| *step != 1) {
            write!(f, " every {}", shape_text(&self.step))?;
        }
        match self.random {
            Some(RandomPlaces { count, .. }) => write!(f, " at {count} random places"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_places_lie_inside_and_are_the_same_for_a_seed() {
        let sweep = Sweep::row_major(&[10, 20], &[3, 4]).at_random(RandomPlaces { count: 50, seed: 7 });
        let blocks: Vec<_> = sweep.blocks().collect();
        assert_eq!((blocks.len(), sweep.reads()), (50, 50));
        assert!(blocks.iter().all(|(start, count)| start[0] <= 7 && start[1] <= 16 && *count == [3, 4]));
        assert_eq!(blocks, sweep.blocks().collect::<Vec<_>>());
        assert_eq!(sweep.every(&[1, 2]).to_string(), "3x4 every 1x2 at 50 random places");
    }

    #[test]
    fn blocks_are_clipped_and_the_last_dimension_moves_fastest() {
        let sweep = Sweep::row_major(&[3, 5], &[2, 3]);
        let blocks: Vec<_> = sweep.blocks().collect();
        assert_eq!(sweep.reads(), 4);
        assert_eq!(
            blocks,
            [
                (vec![0, 0], vec![2, 3]),
                (vec![0, 3], vec![2, 2]),
                (vec![2, 0], vec![1, 3]),
                (vec![2, 3], vec![1, 2])
            ]
        );
    }

    #[test]
    fn an_order_changes_which_moves_fastest() {
        let starts: Vec<_> = Sweep::new(&[2, 2], &[1, 1], &[1, 0]).blocks().map(|(start, _)| start).collect();
        assert_eq!(starts, [[0, 0], [1, 0], [0, 1], [1, 1]]);
    }

    #[test]
    fn nothing_to_sweep_and_far_too_much() {
        assert_eq!(Sweep::row_major(&[0, 5], &[1, 5]).blocks().count(), 0);
        assert_eq!(Sweep::row_major(&[], &[]).blocks().count(), 1, "a scalar is read once");
        assert_eq!(Sweep::row_major(&[u64::MAX, u64::MAX], &[1, 1]).reads(), u64::MAX);
    }
}
