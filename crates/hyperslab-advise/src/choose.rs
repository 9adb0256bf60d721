//! The choice among storages: the fastest at the bound of the size, for one reader or for all.
//!
//! A choice slows no reader that it must serve, beside the storage as it is. And it settles: the storage that is chosen would
//! not be left for another if the dataset were stored so, or whoever follows the advice and asks again is sent elsewhere. Where
//! the data takes more than the bound of the size allows, only the bound counts: the choice is the fastest that keeps to it,
//! however slow.

use crate::cost::Costed;
use crate::question::Question;

/// The readers that a choice must support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// All readers. What counts is how many times as long each takes as with the storage that is best for it, on average.
    All,
    /// The reader at this place.
    One(usize),
}

/// Storages this close to the fastest do not differ measurably: the smaller one is chosen.
const TIE: f64 = 1.04;
/// Sizes this close are equal.
const EQUAL_SIZE: f64 = 1.03;
/// What is to be gained in time must be more than this, or what is to be saved in bytes, for the data to be worth rewriting.
const WORTH_TIME: f64 = 1.15;
const WORTH_SIZE: f64 = 1.25;
/// The same for those who care for bytes alone.
const WORTH_FOR_BYTES: f64 = 1.1;
/// Differences of less than this share of what the data takes now are none, either.
const NO_BYTES: f64 = 0.01;
/// Nor are a few blocks of a disk.
const FEW_BYTES: f64 = 16384.0;
/// No reader's time may grow by more than this.
const SLOWER_MAX: f64 = 1.05;
/// Steps from one storage to a better one: each is faster by [`WORTH_TIME`] or smaller by [`WORTH_SIZE`], so there are few.
const STEPS_MAX: usize = 16;

/// The storages of a dataset, the present one first.
pub(crate) struct Choice<'a> {
    question: &'a Question<'a>,
    pub(crate) storages: &'a [Costed],
    size_max: u64,
}

impl<'a> Choice<'a> {
    /// `storages` begins with the present one.
    pub(crate) fn new(question: &'a Question<'a>, storages: &'a [Costed]) -> Self {
        let size_max = question.size_bound.bytes(storages[0].stored_bytes);
        Self { question, storages, size_max }
    }

    /// The readers that must be served.
    pub(crate) fn readers(&self, served: Served) -> Vec<usize> {
        match served {
            Served::All => (0..self.question.readers.len()).collect(),
            Served::One(reader) => vec![reader],
        }
    }

    /// True if all who must be served can read it. The present storage they can, or the question would not be asked.
    pub(crate) fn is_readable(&self, served: Served, at: usize) -> bool {
        let pipeline = &self.storages[at].storage.pipeline;
        at == 0 || self.readers(served).iter().all(|reader| self.question.readers[*reader].reads(pipeline))
    }

    /// True if it keeps to the bound of the size.
    pub(crate) fn fits(&self, at: usize) -> bool {
        self.storages[at].stored_bytes <= self.size_max
    }

    /// The places of the storages that may be chosen.
    pub(crate) fn eligible(&self, served: Served) -> Vec<usize> {
        let mut eligible = self.allowed(served);
        if eligible.contains(&0) {
            eligible.retain(|at| self.slowed_reader(served, 0, *at).is_none());
        }
        eligible
    }

    /// The places of the storages that keep to the bound of the size and that all can read, however slowly; the present one if
    /// there is none.
    pub(crate) fn allowed(&self, served: Served) -> Vec<usize> {
        let fitting = (0..self.storages.len()).filter(|at| self.fits(*at) && self.is_readable(served, *at));
        let fitting: Vec<usize> = fitting.collect();
        if fitting.is_empty() { vec![0] } else { fitting }
    }

    /// The size of the smallest storage that all can read, if even that exceeds the bound.
    pub(crate) fn smallest_beyond_bound(&self, served: Served) -> Option<u64> {
        let readable = (0..self.storages.len()).filter(|at| self.is_readable(served, *at));
        let least = readable.map(|at| self.storages[at].stored_bytes).min()?;
        (least > self.size_max).then_some(least)
    }

    /// The reader that loses most by going from one storage to another, and how many times as long its reads then take; `None`
    /// if nobody loses anything to speak of.
    pub(crate) fn slowed_reader(&self, served: Served, from: usize, to: usize) -> Option<(usize, f64)> {
        let seconds = |at: usize, reader: usize| self.storages[at].seconds[reader].max(1e-9);
        let slower = |reader: usize| seconds(to, reader) / seconds(from, reader);
        let readers = self.readers(served).into_iter().map(|reader| (reader, slower(reader)));
        let worst = readers.max_by(|a, b| a.1.total_cmp(&b.1))?;
        (to != from && worst.1 > SLOWER_MAX).then_some(worst)
    }

    /// Scores by which storages are compared, with these seconds by storage and reader: lower is better, 1 is the least for
    /// every reader.
    pub(crate) fn scores(&self, served: Served, seconds: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
        let readers = self.readers(served);
        let allowed = self.allowed(served);
        let least: Vec<f64> = readers
            .iter()
            .map(|reader| {
                allowed.iter().map(|at| seconds(*at, *reader)).fold(f64::INFINITY, f64::min).max(1e-9)
            })
            .collect();
        let regret = |at: usize| -> f64 {
            readers
                .iter()
                .zip(&least)
                .map(|(reader, least)| seconds(at, *reader).max(1e-9) / least)
                .sum::<f64>()
        };
        (0..self.storages.len()).map(|at| regret(at) / readers.len().max(1) as f64).collect()
    }

    /// The same with the seconds of the question's own weights.
    pub(crate) fn own_scores(&self, served: Served) -> Vec<f64> {
        self.scores(served, &|at, reader| self.storages[at].seconds[reader])
    }

    /// The best storage, present or not: where going from one storage to a better one ends.
    pub(crate) fn best(&self, served: Served) -> usize {
        let scores = self.own_scores(served);
        let eligible = self.eligible(served);
        if !eligible.contains(&0) {
            return self.best_of(&scores, eligible);
        }
        let mut best = 0;
        for _ in 0..STEPS_MAX {
            // As if the data were stored so already: what may be chosen then, and is worth it.
            let bytes = self.storages[best].stored_bytes;
            let bound = if best == 0 { u64::MAX } else { self.question.size_bound.bytes(bytes) };
            let next = eligible.iter().copied().filter(|at| {
                let is_small = self.storages[*at].stored_bytes <= bound;
                *at == best || is_small && self.slowed_reader(served, best, *at).is_none()
            });
            let next = self.best_of(&scores, next.collect());
            if next == best || best != 0 && self.is_good(&scores, best, next) {
                break;
            }
            best = next;
        }
        best
    }

    /// The fastest of some storages; of several that are about as fast, the smallest; of several that are about as small, the
    /// one that is written fastest.
    fn best_of(&self, scores: &[f64], among: Vec<usize>) -> usize {
        let least = among.iter().map(|at| scores[*at]).fold(f64::INFINITY, f64::min);
        let tied: Vec<usize> = among.into_iter().filter(|at| scores[*at] <= least * TIE).collect();
        let smallest = tied.iter().map(|at| self.storages[*at].stored_bytes).min().unwrap_or(0);
        let small = tied
            .into_iter()
            .filter(|at| self.storages[*at].stored_bytes as f64 <= smallest as f64 * EQUAL_SIZE);
        let order = |a: &usize, b: &usize| {
            let (one, other) = (&self.storages[*a], &self.storages[*b]);
            (one.write_seconds().total_cmp(&other.write_seconds()))
                .then(scores[*a].total_cmp(&scores[*b]))
                .then_with(|| one.storage.cmp(&other.storage))
        };
        small.min_by(order).unwrap_or(0)
    }

    /// The smallest storage, however long its reads take; of several that are about as small, the fastest. The present one if
    /// that is not worth rewriting for.
    pub(crate) fn smallest(&self, served: Served) -> usize {
        let scores = self.own_scores(served);
        let bytes = |at: usize| self.storages[at].stored_bytes as f64;
        let readable = || (0..self.storages.len()).filter(|at| self.is_readable(served, *at));
        let least = readable().map(bytes).fold(f64::INFINITY, f64::min);
        if bytes(0) <= (least * WORTH_FOR_BYTES).max(least + FEW_BYTES) {
            return 0;
        }
        // A few bytes of an index are not a reason for chunks that are read badly.
        let most = (least * EQUAL_SIZE).max(least + (bytes(0) * NO_BYTES).max(FEW_BYTES));
        let small = readable().filter(|at| bytes(*at) <= most);
        small.min_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(a.cmp(b))).unwrap_or(0)
    }

    /// True if the present storage is so close to the best that rewriting it is not worth it.
    pub(crate) fn is_present_good(&self, served: Served, best: usize) -> bool {
        self.allowed(served).contains(&0) && self.is_good(&self.own_scores(served), 0, best)
    }

    /// True if one storage is so close to another that going to that is not worth it.
    fn is_good(&self, scores: &[f64], at: usize, other: usize) -> bool {
        let bytes = |at: usize| self.storages[at].stored_bytes as f64;
        at == other || scores[at] <= scores[other] * WORTH_TIME && bytes(at) <= bytes(other) * WORTH_SIZE
    }

    /// Seconds of all reads with a storage, on average over those who are served.
    pub(crate) fn seconds(&self, served: Served, at: usize) -> f64 {
        let readers = self.readers(served);
        let sum: f64 = readers.iter().map(|reader| self.storages[at].seconds[*reader]).sum();
        sum / readers.len().max(1) as f64
    }

    /// Seconds of one read with a storage, on average over those who are served.
    pub(crate) fn read_seconds(&self, served: Served, at: usize, read: usize) -> f64 {
        let readers = self.readers(served);
        let sum: f64 = readers.iter().map(|reader| self.storages[at].reads[*reader][read].seconds).sum();
        sum / readers.len().max(1) as f64
    }

    /// The bound of the size in bytes.
    pub(crate) fn size_max(&self) -> u64 {
        self.size_max
    }
}
