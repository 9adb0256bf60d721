//! Which requests of a series of reads hyperslab makes together, because it reads chunks ahead.

use hyperslab::memory::Readahead;
use hyperslab::{Dataset, Explained};
use std::collections::HashSet;
use std::ops::Range;

/// Collects the requests of a series of reads of one dataset.
pub(super) struct Series {
    history: Readahead,
    /// The chunks of the grid along each axis.
    counts: Vec<u64>,
    ahead_max: u64,
    announced: HashSet<u64>,
    /// The requests for chunks that are read ahead together, and how many chunks these are.
    together: Vec<Range<u64>>,
    chunks: u64,
}

impl Series {
    /// Reads of a dataset.
    pub(super) fn of(dataset: &Dataset) -> Self {
        let counts = match dataset.chunk_grid() {
            Some(grid) if !dataset.filters().is_empty() => grid.counts().to_vec(),
            _ => Vec::new(),
        };
        let chunk_bytes =
            dataset.chunk_bytes().map_or(usize::MAX, |bytes| bytes.try_into().unwrap_or(usize::MAX));
        let ahead_max = Readahead::ahead_max(hyperslab::threads(), hyperslab::cache_bytes(), chunk_bytes);
        let history = Readahead::default();
        Self { history, counts, ahead_max, announced: HashSet::new(), together: Vec::new(), chunks: 0 }
    }

    /// The numbers of the chunks that a read touches.
    pub(super) fn chunks(&self, explained: &Explained) -> Vec<u64> {
        let stored = explained.requests.iter().flat_map(|request| &request.chunks);
        stored.chain(&explained.missing).map(|chunk| number(&self.counts, &chunk.coordinates)).collect()
    }

    /// Adds a read of these chunks with its requests. Returns what is requested now, in rounds.
    pub(super) fn read(&mut self, chunks: &[u64], ranges: Vec<Range<u64>>) -> Vec<Vec<Range<u64>>> {
        let is_ahead = match chunks {
            &[only] if self.ahead_max > 0 && !self.counts.is_empty() => self.follow(only),
            several => {
                self.history.pass(several.iter().copied());
                false
            }
        };
        if is_ahead {
            self.together.extend(ranges);
            self.chunks += 1;
            return if self.chunks < self.ahead_max { Vec::new() } else { vec![self.rest()] };
        }
        vec![self.rest(), ranges]
    }

    /// The requests that are not yet returned.
    pub(super) fn rest(&mut self) -> Vec<Range<u64>> {
        self.chunks = 0;
        std::mem::take(&mut self.together)
    }

    /// Records the read of one chunk, and says if it was read ahead.
    fn follow(&mut self, number: u64) -> bool {
        if !self.history.is_last(number) {
            let count = self.counts.iter().fold(1, |count: u64, along| count.saturating_mul(*along));
            self.announced.extend(self.history.touch(number, count, self.ahead_max));
        }
        self.announced.remove(&number)
    }
}

/// The number of a chunk in row-major order.
fn number(counts: &[u64], coordinates: &[u64]) -> u64 {
    let axes = counts.iter().zip(coordinates);
    axes.fold(0, |number: u64, (count, at)| number.saturating_mul(*count).saturating_add(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(ahead_max: u64) -> Series {
        let history = Readahead::default();
        Series {
            history,
            counts: vec![2, 4],
            ahead_max,
            announced: HashSet::new(),
            together: Vec::new(),
            chunks: 0,
        }
    }

    /// The rounds, each as the addresses of its requests. Each chunk has one, at its number.
    fn rounds(mut series: Series, reads: &[&[u64]]) -> Vec<Vec<u64>> {
        let requests = |chunks: &[u64]| chunks.iter().map(|&chunk| chunk..chunk + 1).collect();
        let mut rounds: Vec<_> = reads.iter().flat_map(|read| series.read(read, requests(read))).collect();
        rounds.push(series.rest());
        rounds.retain(|round| !round.is_empty());
        rounds.iter().map(|round| round.iter().map(|range| range.start).collect()).collect()
    }

    #[test]
    fn chunks_that_are_read_ahead_are_requested_together() {
        let walk: &[&[u64]] = &[&[0], &[1], &[2], &[3], &[4], &[5], &[6]];
        assert_eq!(rounds(series(2), walk), [vec![0], vec![1], vec![2, 3], vec![4, 5], vec![6]]);
        assert_eq!(rounds(series(0), walk).len(), 7);
        // Two reads of the same chunk, then a read of several, which ends the series.
        let others: &[&[u64]] = &[&[0], &[0], &[1], &[2], &[4, 5], &[7]];
        assert_eq!(rounds(series(2), others), [vec![0], vec![0], vec![1], vec![2], vec![4, 5], vec![7]]);
    }

    #[test]
    fn chunks_are_numbered_row_by_row() {
        assert_eq!((number(&[2, 4], &[1, 3]), number(&[], &[])), (7, 0));
    }
}
