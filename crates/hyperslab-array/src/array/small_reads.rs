//! The history of small reads of unfiltered data of a file, to detect series of adjacent reads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of series that are tracked at the same time, from several threads, datasets, or chunks of one row.
const SERIES: usize = 16;

/// The recent fetches for small reads.
#[derive(Default)]
pub(crate) struct SmallReads {
    series: Mutex<[Series; SERIES]>,
    /// True after a block was cached: small reads may then find their bytes in the cache.
    has_blocks: AtomicBool,
}

/// A series of adjacent reads.
#[derive(Clone, Default)]
struct Series {
    /// The range that was fetched last.
    last: Range<u64>,
    /// The number of fetches before it in the series.
    neighbours: u32,
    /// True if the last range ends behind the one before it.
    ascends: bool,
    /// The time of the last fetch, counted in fetches.
    used: u64,
}

impl Series {
    fn is_near(&self, range: &Range<u64>, gap: u64) -> bool {
        let near = |end: u64, start: u64| start <= end.saturating_add(gap);
        !self.last.is_empty() && near(self.last.end, range.start) && near(range.end, self.last.start)
    }
}

impl SmallReads {
    /// The number of fetches in the series that this range continues. Adjacent ranges are at most `gap` bytes apart.
    pub(crate) fn neighbours(&self, range: &Range<u64>, gap: u64) -> u32 {
        let series = self.series();
        let near = series.iter().filter(|series| series.is_near(range, gap));
        near.map(|series| series.neighbours + 1).max().unwrap_or(0)
    }

    /// True if this range was fetched last in its series, behind the one before it.
    pub(crate) fn ascends_to(&self, range: &Range<u64>) -> bool {
        self.series().iter().any(|series| series.ascends && series.last == *range)
    }

    /// Records that a range was fetched.
    pub(crate) fn note(&self, range: Range<u64>, gap: u64) {
        let mut series = self.series();
        let now = series.iter().map(|series| series.used).max().unwrap_or(0) + 1;
        let near = series.iter_mut().filter(|series| series.is_near(&range, gap));
        match near.max_by_key(|series| series.neighbours) {
            Some(found) => {
                let (ascends, neighbours) = (range.end > found.last.end, found.neighbours.saturating_add(1));
                *found = Series { last: range, neighbours, ascends, used: now };
            }
            None => {
                let oldest = series.iter_mut().min_by_key(|series| series.used);
                let series = Series { last: range, neighbours: 0, ascends: false, used: now };
                *oldest.expect("there are several") = series;
            }
        }
    }

    /// Records that a block was cached.
    pub(crate) fn keep_block(&self) {
        self.has_blocks.store(true, Ordering::Relaxed);
    }

    /// True after a block was cached.
    pub(crate) fn has_blocks(&self) -> bool {
        self.has_blocks.load(Ordering::Relaxed)
    }

    fn series(&self) -> MutexGuard<'_, [Series; SERIES]> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_counted_in_either_direction_and_jumps_are_not() {
        let reads = SmallReads::default();
        assert_eq!(reads.neighbours(&(0..10), 5), 0);
        for (range, before) in [(0..10, 0), (15..20, 1), (8..16, 2), (2..4, 3), (100..110, 0), (4..6, 4)] {
            assert_eq!(reads.neighbours(&range, 5), before, "{range:?}");
            reads.note(range, 5);
        }
        for (range, ascends) in [(500..510, false), (510..520, true), (495..505, false)] {
            reads.note(range.clone(), 5);
            assert_eq!(reads.ascends_to(&range), ascends, "{range:?}");
        }
        assert!(!reads.ascends_to(&(510..520)), "no longer the last");
    }

    #[test]
    fn several_series_are_followed_and_the_oldest_is_forgotten() {
        let reads = SmallReads::default();
        for step in 0..3 {
            for series in 0..SERIES as u64 {
                reads.note(series * 1000 + step * 10..series * 1000 + step * 10 + 10, 0);
            }
        }
        assert!(
            (0..SERIES as u64)
                .all(|series| reads.neighbours(&(series * 1000 + 30..series * 1000 + 40), 0) == 3)
        );
        reads.note(1 << 40..(1 << 40) + 1, 0);
        assert_eq!(
            [0, 1].map(|series| reads.neighbours(&(series * 1000 + 30..series * 1000 + 40), 0)),
            [0, 3]
        );
    }
}
