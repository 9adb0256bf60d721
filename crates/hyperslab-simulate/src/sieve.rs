//! Raw data read without the chunk cache: runs of contiguous bytes, and the 64 KiB sieve buffer in front of them.
//!
//! A block of an array of extent `outer` is divided into runs, which are contiguous both in the file and in memory:
//!
//! ```text
//!   trailing dimensions whose whole extent is read, in the file and in the reader's buffer, merge into one run
//!   ┌───────────────┐
//!   │ . . x x x . . │  run        each run is one request, unless the sieve holds it;
//!   │ . . x x x . . │  run        the sieve, on a miss, takes up to 64 KiB from the run's first byte,
//!   └───────────────┘             but not beyond the end of the chunk (or of the contiguous dataset)
//! ```

/// Default of `H5Pset_sieve_buf_size`.
pub const SIEVE_BYTES: u64 = 65_536;

/// What the sieve buffer holds, as offsets in the chunk or dataset that is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sieve {
    start: u64,
    end: u64,
}

/// Requests to the file driver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Requests {
    pub(super) reads: u64,
    pub(super) bytes: u64,
    /// The work of counting them, in loop iterations.
    pub(super) steps: u64,
}

/// A block inside an array, and the shape of the buffer that it is read into.
pub(super) struct Block<'a> {
    /// Extent of the array in the file: chunk or dataset.
    pub(super) outer: &'a [u64],
    /// First element of the block in it.
    pub(super) start: &'a [u64],
    /// Elements of the block.
    pub(super) count: &'a [u64],
    /// Extent of the reader's buffer.
    pub(super) memory: &'a [u64],
    pub(super) element_bytes: u64,
}

impl Block<'_> {
    /// The number of dimensions left after trailing ones have merged into the run, and the bytes of a run.
    fn run(&self) -> (usize, u64) {
        let mut bytes = self.element_bytes;
        for axis in (0..self.count.len()).rev() {
            bytes *= self.count[axis];
            if self.count[axis] != self.outer[axis] || self.count[axis] != self.memory[axis] {
                return (axis, bytes);
            }
        }
        (0, bytes)
    }

    /// One request per run: libhdf5 up to 2.0, whose chunks have no sieve buffer.
    pub(super) fn requests_unsieved(&self) -> Requests {
        let (loops, run_bytes) = self.run();
        let reads: u64 = self.count[..loops].iter().product();
        Requests { reads, bytes: reads * run_bytes, steps: 1 }
    }

    /// Requests through a sieve buffer of `sieve_bytes`, whose state carries over.
    pub(super) fn requests_sieved(&self, sieve: &mut Sieve, sieve_bytes: u64) -> Requests {
        let (loops, run_bytes) = self.run();
        let outer_bytes = self.outer.iter().fold(self.element_bytes, |n, d| n * d);
        // Byte stride of each dimension that is still looped over.
        let mut steps = vec![self.element_bytes; self.outer.len()];
        for axis in (1..self.outer.len()).rev() {
            steps[axis - 1] = steps[axis] * self.outer[axis];
        }
        let first: u64 = self.start.iter().zip(&steps).map(|(start, step)| start * step).sum();
        if run_bytes > sieve_bytes {
            // Too long for the sieve buffer: the run is read directly and the buffer is not changed. The buffer cannot
            // already hold the run, because it is smaller.
            return self.requests_unsieved();
        }
        let mut sieved =
            SievedRuns { sieve, sieve_bytes, run_bytes, outer_bytes, requests: Requests::default() };
        let Some((inner, outers)) = self.count[..loops].split_last() else {
            sieved.row(first, 1, 0);
            return sieved.requests;
        };
        let mut at = vec![0u64; outers.len()];
        loop {
            let offset: u64 = first + at.iter().zip(&steps).map(|(index, step)| index * step).sum::<u64>();
            sieved.row(offset, *inner, steps[loops - 1]);
            // Iterates over the outer dimensions.
            let Some(axis) = (0..outers.len()).rev().find(|axis| at[*axis] + 1 < outers[*axis]) else {
                return sieved.requests;
            };
            at[axis] += 1;
            at[axis + 1..].fill(0);
        }
    }
}

struct SievedRuns<'a> {
    sieve: &'a mut Sieve,
    sieve_bytes: u64,
    run_bytes: u64,
    outer_bytes: u64,
    requests: Requests,
}

impl SievedRuns<'_> {
    /// `runs` runs, the first at `offset`, `step` bytes apart.
    fn row(&mut self, mut offset: u64, mut runs: u64, step: u64) {
        while runs > 0 {
            self.requests.steps += 1;
            let is_held = offset >= self.sieve.start && offset + self.run_bytes <= self.sieve.end;
            if !is_held {
                let full = self.full_windows(offset, runs, step);
                if full > 1 {
                    // Full windows follow each other at equal distances: all but the last are counted at once.
                    let served = (self.sieve_bytes - self.run_bytes) / step + 1;
                    self.requests.reads += full - 1;
                    self.requests.bytes += (full - 1) * self.sieve_bytes;
                    runs -= (full - 1) * served;
                    offset += (full - 1) * served * step;
                }
                let bytes = self.sieve_bytes.min(self.outer_bytes - offset);
                *self.sieve = Sieve { start: offset, end: offset + bytes };
                self.requests.reads += 1;
                self.requests.bytes += bytes;
            }
            // All runs that lie completely inside the buffer cost nothing more.
            let room = self.sieve.end - offset - self.run_bytes;
            let served = room.checked_div(step).map_or(runs, |further| (further + 1).min(runs));
            runs -= served;
            offset += served * step;
        }
    }

    /// How many windows of the buffer's full size the row needs in succession, starting with a miss at `offset`.
    fn full_windows(&self, offset: u64, runs: u64, step: u64) -> u64 {
        let room = (self.outer_bytes - offset).checked_sub(self.sieve_bytes);
        match room {
            Some(room) if step > 0 => {
                let served = (self.sieve_bytes - self.run_bytes) / step + 1;
                runs.div_ceil(served).min(room / (served * step) + 1)
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block<'a>(outer: &'a [u64], start: &'a [u64], count: &'a [u64]) -> Block<'a> {
        Block { outer, start, count, memory: count, element_bytes: 4 }
    }

    /// A direct implementation of the rule: every run separately.
    fn by_hand(block: &Block<'_>, sieve: &mut Sieve, sieve_bytes: u64) -> Requests {
        let (loops, run_bytes) = block.run();
        let total: u64 = block.outer.iter().product::<u64>() * block.element_bytes;
        let mut requests = Requests::default();
        let runs: u64 = block.count[..loops].iter().product();
        for run in 0..runs {
            let (mut rest, mut offset, mut step) = (run, 0, block.element_bytes);
            for axis in (0..block.outer.len()).rev() {
                let index = if axis < loops {
                    let index = rest % block.count[axis];
                    rest /= block.count[axis];
                    index
                } else {
                    0
                };
                offset += (block.start[axis] + index) * step;
                step *= block.outer[axis];
            }
            if run_bytes > sieve_bytes {
                requests.reads += 1;
                requests.bytes += run_bytes;
            } else if offset < sieve.start || offset + run_bytes > sieve.end {
                let bytes = sieve_bytes.min(total - offset);
                *sieve = Sieve { start: offset, end: offset + bytes };
                requests.reads += 1;
                requests.bytes += bytes;
            }
        }
        requests
    }

    #[test]
    fn runs_merge_over_whole_trailing_dimensions_only() {
        assert_eq!(block(&[4, 5, 6], &[0, 0, 0], &[4, 5, 6]).run(), (0, 480));
        assert_eq!(block(&[4, 5, 6], &[1, 0, 0], &[2, 5, 6]).run(), (0, 240));
        assert_eq!(block(&[4, 5, 6], &[0, 1, 0], &[4, 2, 6]).run(), (1, 48));
        assert_eq!(block(&[4, 5, 6], &[0, 0, 2], &[4, 5, 1]).run(), (2, 4));
        let into_wider = Block { memory: &[4, 9], ..block(&[4, 5], &[0, 0], &[4, 5]) };
        assert_eq!(into_wider.run(), (1, 20), "a gap in memory splits what is contiguous in the file");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn counting_windows_at_once_changes_nothing(
            dims in prop::collection::vec((1u64..40, any::<u64>(), any::<u64>()), 1..4),
            sieve_bytes in prop_oneof![0u64..40, 0u64..600],
        ) {
            let outer: Vec<u64> = dims.iter().map(|dim| dim.0).collect();
            let start: Vec<u64> = dims.iter().map(|dim| dim.1 % dim.0).collect();
            let count: Vec<u64> = dims.iter().map(|dim| 1 + dim.2 % (dim.0 - dim.1 % dim.0)).collect();
            let block = block(&outer, &start, &count);
            let (mut fast_sieve, mut slow_sieve) = (Sieve::default(), Sieve::default());
            for _ in 0..2 {
                let fast = block.requests_sieved(&mut fast_sieve, sieve_bytes);
                let slow = by_hand(&block, &mut slow_sieve, sieve_bytes);
                prop_assert_eq!((fast.reads, fast.bytes), (slow.reads, slow.bytes));
                prop_assert_eq!(fast_sieve, slow_sieve);
            }
        }
    }
}
