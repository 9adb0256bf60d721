//! Places of elements in the memory of a caller, which may have gaps.

use smallvec::SmallVec;

/// Places for elements, in elements from the beginning of the program's memory, in the order in which they are filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The first one.
    first: u64,
    /// So many elements are without gaps.
    run: u64,
    /// How many such runs there are along each dimension that has gaps, and at which distance; the last varies fastest.
    runs: SmallVec<[(u64, u64); 4]>,
}

impl Places {
    /// Places for elements without gaps.
    pub fn block(first: u64, elements: u64) -> Self {
        Self { first, run: elements, runs: SmallVec::new() }
    }

    /// True if there is memory between them that is left as it is.
    pub fn has_gaps(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Calls `note` with the first place and the number of elements of each run.
    pub fn for_each_run(&self, mut note: impl FnMut(u64, u64)) {
        let mut at: SmallVec<[u64; 4]> = SmallVec::from_elem(0, self.runs.len());
        loop {
            let distances = at.iter().zip(&self.runs).map(|(at, (_, distance))| at * distance);
            note(self.first + distances.sum::<u64>(), self.run);
            let Some(axis) = (0..at.len()).rev().find(|axis| at[*axis] + 1 < self.runs[*axis].0) else {
                return;
            };
            at[axis] += 1;
            at[axis + 1..].fill(0);
        }
    }

    /// The places of regular blocks (start, step, count, block along each dimension) in memory of this extent. `None` if they are not all within what can be counted.
    pub fn regular(extent: &[u64], blocks: [&[u64]; 4]) -> Option<Self> {
        let [start, step, count, block] = blocks;
        let mut places = Self::block(0, 1);
        // How many elements one step along the dimension skips.
        let mut stride = 1u64;
        for axis in (0..extent.len()).rev() {
            let (count, block) = (count[axis], block[axis]);
            places.first = places.first.checked_add(start[axis].checked_mul(stride)?)?;
            let step = step[axis].checked_mul(stride)?;
            places.add(block, stride)?;
            if count > 1 {
                places.add(count, step)?;
            }
            stride = stride.checked_mul(extent[axis])?;
        }
        places.runs.reverse();
        Some(places)
    }

    /// Repeats all places so often at this distance.
    fn add(&mut self, count: u64, distance: u64) -> Option<()> {
        if count == 1 {
            return Some(());
        }
        if self.runs.is_empty() && distance == self.run {
            self.run = self.run.checked_mul(count)?;
        } else {
            self.runs.push((count, distance));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(extent: &[u64], start: &[u64], step: &[u64], count: &[u64], block: &[u64]) -> Vec<(u64, u64)> {
        let mut runs = Vec::new();
        let places = Places::regular(extent, [start, step, count, block]).unwrap();
        places.for_each_run(|first, len| runs.push((first, len)));
        runs
    }

    #[test]
    fn blocks_become_runs() {
        assert_eq!(runs(&[4, 10], &[1, 0], &[1, 1], &[1, 1], &[2, 10]), [(10, 20)]);
        assert_eq!(runs(&[4, 10], &[1, 2], &[1, 1], &[1, 1], &[2, 3]), [(12, 3), (22, 3)]);
        // Blocks of two that touch each other are one run; of these that do not, each is one.
        assert_eq!(runs(&[10], &[2], &[2], &[3], &[2]), [(2, 6)]);
        assert_eq!(runs(&[2, 10], &[0, 1], &[1, 4], &[1, 2], &[2, 2]), [(1, 2), (5, 2), (11, 2), (15, 2)]);
        assert_eq!(runs(&[5, 2], &[1, 0], &[2, 1], &[2, 1], &[1, 2]), [(2, 2), (6, 2)]);
        assert_eq!(runs(&[3, 1], &[0, 0], &[1, 1], &[1, 1], &[3, 1]), [(0, 3)]);
        assert_eq!(runs(&[3, 1, 4], &[1, 0, 0], &[1, 1, 1], &[1, 1, 1], &[2, 1, 4]), [(4, 8)]);
    }

    #[test]
    fn what_cannot_be_counted_is_nowhere() {
        let [start, step, count, block] = [[2, 0], [1, 1], [1, 1], [1, 1]];
        assert_eq!(Places::regular(&[4, u64::MAX], [&start, &step, &count, &block]), None);
    }
}
