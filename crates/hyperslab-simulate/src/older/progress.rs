//! Counts of a part of the reads, continued to all of them.

/// Numbers that grow with each read, and what they were at the middle of what was simulated: by then a cache was full.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress<const N: usize> {
    reads: u64,
    simulated: u64,
    half: Option<(u64, [u64; N])>,
    /// The numbers so far.
    pub(super) now: [u64; N],
    /// What the simulation has cost, and what it may cost.
    pub(super) cost: u64,
    cost_max: u64,
}

impl<const N: usize> Progress<N> {
    /// Before the first of `reads` reads.
    pub(super) fn new(reads: u64, cost_max: u64) -> Self {
        Self { reads, simulated: 0, half: None, now: [0; N], cost: 0, cost_max }
    }

    /// A read was simulated. Returns false if the others are not to be.
    pub(super) fn next(&mut self) -> bool {
        self.simulated += 1;
        if self.half.is_none() && self.cost >= self.cost_max / 2 {
            self.half = Some((self.simulated, self.now));
        }
        self.cost < self.cost_max
    }

    /// Reads that were simulated.
    pub(super) fn simulated(&self) -> u64 {
        self.simulated
    }

    /// The numbers after all reads.
    pub(super) fn total(&self) -> [u64; N] {
        let left = self.reads.saturating_sub(self.simulated);
        let (reads, before) = match self.half {
            Some((reads, before)) if reads < self.simulated => (reads, before),
            _ => (0, [0; N]),
        };
        let factor = left as f64 / (self.simulated - reads).max(1) as f64;
        std::array::from_fn(|of| self.now[of] + ((self.now[of] - before[of]) as f64 * factor).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_simulated_costs_what_the_second_half_did() {
        let mut progress = Progress::<1>::new(100, 40);
        for read in 0..100 {
            progress.now[0] += if read < 10 { 100 } else { 2 };
            progress.cost += 2;
            if !progress.next() {
                break;
            }
        }
        assert_eq!((progress.simulated(), progress.total()), (20, [1000 + 90 * 2]));
    }
}
