//! How a published study becomes smaller: which lengths and counts shrink with `--scale`, and which stay.

use serde::Deserialize;

/// What becomes smaller.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Rule {
    /// The last axis alone, in whole steps, so that chunks stay whole numbers of them.
    LastAxis {
        /// Its published length.
        length: u64,
        /// What its length stays a multiple of.
        #[serde(default = "one")]
        step: u64,
    },
    /// Every axis.
    EachAxis,
    /// The number of groups and datasets; pages and page buffers stay multiples of one page.
    Objects {
        /// The published number of datasets.
        datasets: u64,
        /// The smallest published page.
        page: Bytes,
    },
}

fn one() -> u64 {
    1
}

/// A number of bytes, written `4 MiB`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Bytes(pub(super) u64);

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        hyperslab::parse_bytes(&text).map(Self).map_err(|error| error.to_string())
    }
}

/// A rule at one scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaling {
    rule: Rule,
    /// Steps of the last axis, or datasets, that are left, and that were published.
    kept: u64,
    all: u64,
    /// By how much data and caches are smaller than published.
    pub(super) shrink: f64,
}

/// Pages are multiples of the smallest that HDF5 allows.
const PAGE_MIN: f64 = 512.0;

impl Scaling {
    pub(super) fn new(rule: Rule, scale: f64) -> Self {
        let (all, least) = match rule {
            Rule::LastAxis { length, step } => (length / step, 1),
            Rule::Objects { datasets, .. } => (datasets, 2),
            Rule::EachAxis => return Self { rule, kept: 1, all: 1, shrink: scale },
        };
        let kept = ((all as f64 * scale).round() as u64).max(least).min(all);
        Self { rule, kept, all, shrink: kept as f64 / all as f64 }
    }

    /// Shrinks the lengths of the axes of a shape, a chunk or a block.
    pub(super) fn shrink(&self, lengths: &mut [u64]) {
        match (self.rule, lengths) {
            (Rule::LastAxis { .. }, [.., last]) => *last = self.last_axis(*last),
            (Rule::EachAxis, lengths) => lengths.iter_mut().for_each(|length| *length = self.count(*length)),
            _ => {}
        }
    }

    fn last_axis(&self, published: u64) -> u64 {
        (published * self.kept / self.all).max(1)
    }

    /// A number of objects.
    pub(super) fn count(&self, published: u64) -> u64 {
        ((published as f64 * self.shrink).round() as u64).max(1)
    }

    /// Bytes of a page, or of a page buffer.
    pub(super) fn pages(&self, published: Bytes) -> Bytes {
        let Rule::Objects { page: Bytes(page), .. } = self.rule else { return published };
        let scaled = (page as f64 * self.shrink / PAGE_MIN).round().max(1.0) * PAGE_MIN;
        Bytes(published.0 / page * scaled as u64)
    }

    /// A text in which `{717}` stands for what becomes of the last axis of that length.
    pub(super) fn text(&self, text: &str) -> String {
        match self.rule {
            Rule::LastAxis { length, .. } => {
                text.replace(&format!("{{{length}}}"), &self.last_axis(length).to_string())
            }
            _ => text.to_owned(),
        }
    }
}
