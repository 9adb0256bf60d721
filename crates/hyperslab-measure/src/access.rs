//! How a program goes over a dataset: a block, where it goes, and which of its elements are wanted.
//!
//! A sweep is the doctor's, so that what is measured here is what is simulated there. Beside it: blocks at random
//! places, and a block of fixed size moved along one axis or the diagonal, as in the talk of 2000.

use hyperslab_engines::{Block, CreationProperties};
use hyperslab_storage::pattern::{RandomPlaces, Sweep};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// An access pattern over an extent that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Elements that a block covers in each dimension, before clipping.
    pub block: Vec<u64>,
    /// Every how-many-th element of a block is wanted, by dimension. All ones for plain blocks.
    pub step: Vec<u64>,
    /// Where the blocks lie, and in which order.
    pub walk: BlockWalk,
}

/// Where the blocks lie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockWalk {
    /// Side by side over the whole extent; the dimensions are given slowest first.
    Sweep {
        /// A permutation of the dimensions.
        order: Vec<usize>,
    },
    /// At random places inside the extent.
    Random {
        /// How many.
        count: u64,
        /// The same seed gives the same places.
        seed: u64,
    },
    /// From the origin along one axis, by the block's own size.
    Along {
        /// The axis.
        axis: usize,
    },
    /// From the origin along all axes at once, by the block's own size, while it lies inside the extent.
    Diagonal,
}

/// Some of the blocks of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// All.
    #[default]
    All,
    /// At most this number, from the first on.
    First(u64),
    /// At most this number: of a sweep, several runs of neighbours from all over it; otherwise the first.
    Spread(u64),
}

impl Part {
    /// The most blocks that it may have.
    pub fn most(self) -> Option<u64> {
        match self {
            Part::All => None,
            Part::First(most) | Part::Spread(most) => Some(most),
        }
    }
}

impl Access {
    /// Plain blocks swept with the last dimension fastest.
    pub fn sweep(block: Vec<u64>) -> Self {
        let rank = block.len();
        Self { block, step: vec![1; rank], walk: BlockWalk::Sweep { order: (0..rank).collect() } }
    }

    /// Everything in one read.
    pub fn whole(shape: &[u64]) -> Self {
        Self::sweep(shape.iter().map(|dim| (*dim).max(1)).collect())
    }

    /// Chunk by chunk; everything at once where there are no chunks.
    pub fn by_chunk(storage: &CreationProperties) -> Self {
        let Some(chunks) = &storage.chunks else { return Self::whole(&storage.shape) };
        let clipped = chunks.iter().zip(&storage.shape).map(|(chunk, dim)| (*chunk).min(*dim).max(1));
        Self::sweep(clipped.collect())
    }

    /// For tasks that go over no dataset.
    pub fn none() -> Self {
        Self::whole(&[])
    }

    /// What is wrong with it for an extent of this shape, in words.
    pub fn check(&self, shape: &[u64]) -> Result<(), String> {
        let rank = shape.len();
        let wrong = |what: &str| Err(format!("{what}, but the dataset has {rank} dimensions"));
        if self.block.len() != rank {
            return wrong(&format!("the block has {}", self.block.len()));
        }
        if self.step.len() != rank {
            return wrong(&format!("the stride has {}", self.step.len()));
        }
        if self.block.contains(&0) || self.step.contains(&0) {
            return Err("a block and a stride are at least one in each dimension".to_owned());
        }
        match &self.walk {
            BlockWalk::Sweep { order } => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if sorted != (0..rank).collect::<Vec<_>>() {
                    return wrong(&format!("the order {order:?} is not a permutation of the dimensions"));
                }
            }
            BlockWalk::Along { axis } if *axis >= rank => return wrong(&format!("there is no axis {axis}")),
            BlockWalk::Random { .. } | BlockWalk::Along { .. } | BlockWalk::Diagonal => {}
        }
        Ok(())
    }

    /// The blocks, in order. The access was checked for this shape.
    pub fn blocks<'a>(&'a self, shape: &'a [u64]) -> Box<dyn Iterator<Item = Block> + 'a> {
        let nothing_there = shape.contains(&0);
        let at = move |start: Vec<u64>| self.clipped(shape, start);
        match &self.walk {
            _ if nothing_there => Box::new(std::iter::empty()),
            BlockWalk::Sweep { order } => {
                let sweep = Sweep::new(shape, &self.block, order);
                let first = vec![0; shape.len()];
                Box::new(std::iter::successors(Some(first), move |start| sweep.after(start)).map(at))
            }
            BlockWalk::Random { count, seed } => {
                let places = RandomPlaces { count: *count, seed: *seed };
                Box::new(places.starts(shape, &self.block).map(at))
            }
            BlockWalk::Along { axis } => {
                let (axis, rank) = (*axis, shape.len());
                let places = (0..shape[axis].div_ceil(self.block[axis])).map(move |i| {
                    let mut start = vec![0; rank];
                    start[axis] = i * self.block[axis];
                    start
                });
                Box::new(places.map(at))
            }
            BlockWalk::Diagonal => {
                let fits = |(dim, block): (&u64, &u64)| (dim / block).max(1);
                let steps = shape.iter().zip(&self.block).map(fits).min().unwrap_or(1);
                let places = (0..steps).map(move |i| self.block.iter().map(|block| i * block).collect());
                Box::new(places.map(at))
            }
        }
    }

    /// These of the blocks.
    pub fn part<'a>(&'a self, shape: &'a [u64], part: Part) -> Box<dyn Iterator<Item = Block> + 'a> {
        let in_all = self.len(shape);
        let first = |most: u64| self.blocks(shape).take(usize::try_from(most).unwrap_or(usize::MAX));
        match (part, &self.walk) {
            (Part::First(most) | Part::Spread(most), _) if most >= in_all => self.blocks(shape),
            (Part::All, _) => self.blocks(shape),
            (Part::Spread(most), BlockWalk::Sweep { order }) => {
                let sweep = Sweep::new(shape, &self.block, order);
                let starts = runs(in_all, most).into_iter().flat_map(move |run| from(&sweep, run));
                Box::new(starts.map(|start| self.clipped(shape, start)))
            }
            (Part::First(most) | Part::Spread(most), _) => Box::new(first(most)),
        }
    }

    /// How many these are.
    pub fn len_of(&self, shape: &[u64], part: Part) -> u64 {
        self.len(shape).min(part.most().unwrap_or(u64::MAX))
    }

    /// `followed` blocks that stand for all, in order; and of each whether it only warms caches. Of a sweep they are runs of
    /// neighbours from all over it, and the first half of each run warms, unless the runs are the whole; otherwise the first.
    pub fn sample<'a>(
        &'a self,
        shape: &'a [u64],
        followed: u64,
    ) -> Box<dyn Iterator<Item = (Block, bool)> + 'a> {
        let in_all = self.len(shape);
        let BlockWalk::Sweep { order } = &self.walk else {
            let first = usize::try_from(followed).unwrap_or(usize::MAX);
            return Box::new(self.blocks(shape).take(first).map(|block| (block, false)));
        };
        if followed >= in_all {
            return Box::new(self.blocks(shape).map(|block| (block, false)));
        }
        let sweep = Sweep::new(shape, &self.block, order);
        let parts = runs(in_all, followed).into_iter().flat_map(move |run| {
            let warm = (run.end - run.start) / 2;
            from(&sweep, run).enumerate().map(move |(number, start)| (start, (number as u64) < warm))
        });
        Box::new(parts.map(|(start, warms)| (self.clipped(shape, start), warms)))
    }

    /// How many blocks there are (saturating).
    pub fn len(&self, shape: &[u64]) -> u64 {
        match &self.walk {
            _ if shape.contains(&0) => 0,
            BlockWalk::Sweep { order } => Sweep::new(shape, &self.block, order).reads(),
            BlockWalk::Random { count, .. } => *count,
            BlockWalk::Along { axis } => shape[*axis].div_ceil(self.block[*axis]),
            BlockWalk::Diagonal => self.blocks(shape).count() as u64,
        }
    }

    /// True where there is nothing to read.
    pub fn is_empty(&self, shape: &[u64]) -> bool {
        self.len(shape) == 0
    }

    fn clipped(&self, shape: &[u64], start: Vec<u64>) -> Block {
        let count = (start.iter().zip(&self.block).zip(shape).zip(&self.step))
            .map(|(((start, block), dim), step)| (*block).min(dim - start).div_ceil(*step))
            .collect();
        Block { start, count, step: self.step.clone() }
    }
}

/// The most runs of neighbours that are read of a sweep, and the fewest blocks of each.
const RUNS_MAX: u64 = 8;
const RUN_MIN: u64 = 6;

/// Runs of so many of the blocks of a sweep together, evenly spread.
fn runs(in_all: u64, most: u64) -> Vec<Range<u64>> {
    let runs = (most / RUN_MIN).clamp(1, RUNS_MAX);
    let first = |run: u64| (u128::from(in_all) * u128::from(run) / u128::from(runs)) as u64;
    let len = |run: u64| most / runs + u64::from(run < most % runs);
    (0..runs).map(|run| first(run)..(first(run) + len(run)).min(in_all)).collect()
}

/// The starts of the blocks of a sweep with these numbers.
fn from(sweep: &Sweep, run: Range<u64>) -> impl Iterator<Item = Vec<u64>> + use<> {
    let sweep = sweep.clone();
    let count = usize::try_from(run.end - run.start).unwrap_or(usize::MAX);
    let first = sweep.position(run.start);
    std::iter::successors(Some(first), move |start| sweep.after(start)).take(count)
}

/// As people write it: `1x1x1x717`, `100x100 every 2x2`, `4x4 at 100 random places`.
impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let by = |numbers: &[u64]| hyperslab_storage::pattern::shape_text(numbers);
        f.write_str(&by(&self.block))?;
        if self.step.iter().any(|step| *step != 1) {
            write!(f, " every {}", by(&self.step))?;
        }
        match &self.walk {
            BlockWalk::Sweep { order } if order.is_sorted() => Ok(()),
            BlockWalk::Sweep { order } => {
                let order: Vec<String> = order.iter().map(usize::to_string).collect();
                write!(f, " order {}", order.join(","))
            }
            BlockWalk::Random { count, seed } => write!(f, " at {count} random places (seed {seed})"),
            BlockWalk::Along { axis } => write!(f, " along axis {axis}"),
            BlockWalk::Diagonal => f.write_str(" along the diagonal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(access: &Access, shape: &[u64]) -> Vec<Vec<u64>> {
        access.check(shape).unwrap();
        let found: Vec<_> = access.blocks(shape).map(|block| block.start).collect();
        assert_eq!(found.len() as u64, access.len(shape));
        found
    }

    #[test]
    fn some_blocks_of_a_sweep_are_runs_from_all_over_it() {
        let access = Access::sweep(vec![1, 10]);
        let some = |most| {
            let blocks: Vec<_> =
                access.part(&[100, 20], Part::Spread(most)).map(|block| block.start).collect();
            blocks
        };
        assert_eq!(some(200), starts(&access, &[100, 20]));
        assert_eq!(some(5), starts(&access, &[100, 20])[..5]);
        let twelve = some(12);
        assert_eq!(twelve[..6], starts(&access, &[100, 20])[..6]);
        assert_eq!(twelve[6..], starts(&access, &[100, 20])[100..106]);
        assert_eq!(some(50).len(), 50);
        let parts: Vec<_> = access.sample(&[100, 20], 12).collect();
        assert_eq!(parts.iter().filter(|(_, warms)| *warms).count(), 6);
        assert!(access.sample(&[100, 20], 200).all(|(_, warms)| !warms));
    }

    fn walk(block: &[u64], walk: BlockWalk) -> Access {
        Access { walk, ..Access::sweep(block.to_vec()) }
    }

    #[test]
    fn a_sweep_is_the_doctors() {
        let access = walk(&[2, 3], BlockWalk::Sweep { order: vec![1, 0] });
        let sweep = Sweep::new(&[3, 5], &[2, 3], &[1, 0]);
        assert_eq!(starts(&access, &[3, 5]), sweep.blocks().map(|(start, _)| start).collect::<Vec<_>>());
        let counts: Vec<_> = access.blocks(&[3, 5]).map(|block| block.count).collect();
        assert_eq!(counts, sweep.blocks().map(|(_, count)| count).collect::<Vec<_>>());
    }

    #[test]
    fn a_block_moves_along_an_axis_and_the_diagonal() {
        assert_eq!(
            starts(&walk(&[100, 100], BlockWalk::Along { axis: 1 }), &[200, 250]),
            [[0, 0], [0, 100], [0, 200]]
        );
        assert_eq!(starts(&walk(&[100, 100], BlockWalk::Diagonal), &[200, 350]), [[0, 0], [100, 100]]);
    }

    #[test]
    fn random_places_lie_inside_and_come_again() {
        let access = walk(&[4, 50], BlockWalk::Random { count: 200, seed: 7 });
        let found = starts(&access, &[10, 50]);
        assert!(found.iter().all(|start| start[0] <= 6 && start[1] == 0));
        assert!(found.iter().any(|start| start[0] == 6) && found.iter().any(|start| start[0] == 0));
        assert_eq!(found, starts(&access, &[10, 50]));
    }

    #[test]
    fn a_stride_takes_some_elements_of_each_block() {
        let access = Access { step: vec![2, 3], ..Access::sweep(vec![5, 10]) };
        let blocks: Vec<_> = access.blocks(&[5, 14]).collect();
        assert_eq!(blocks[0].count, [3, 4]);
        assert_eq!(blocks[1], Block { start: vec![0, 10], count: vec![3, 2], step: vec![2, 3] });
    }

    #[test]
    fn what_does_not_fit_the_dataset_is_refused() {
        let shape = [4, 4];
        assert!(Access::sweep(vec![1]).check(&shape).unwrap_err().contains("2 dimensions"));
        assert!(Access::sweep(vec![1, 0]).check(&shape).is_err());
        assert!(walk(&[1, 1], BlockWalk::Sweep { order: vec![0, 0] }).check(&shape).is_err());
        assert!(walk(&[1, 1], BlockWalk::Along { axis: 2 }).check(&shape).is_err());
    }

    #[test]
    fn nothing_to_read_and_a_scalar() {
        assert_eq!(starts(&Access::whole(&[0, 5]), &[0, 5]), Vec::<Vec<u64>>::new());
        assert_eq!(starts(&Access::whole(&[]), &[]), [Vec::<u64>::new()]);
    }

    #[test]
    fn accesses_read_as_people_write_them() {
        assert_eq!(Access::sweep(vec![1, 717]).to_string(), "1x717");
        let random = walk(&[4, 4], BlockWalk::Random { count: 100, seed: 1 });
        assert_eq!(random.to_string(), "4x4 at 100 random places (seed 1)");
    }
}
