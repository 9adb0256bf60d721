//! Findings about datasets and files of formats before HDF5: one file each, as those about HDF5.

pub(super) mod chunk_cache_of_hdf4;
pub(super) mod descriptor_chain;
pub(super) mod interleaved_records;
pub(super) mod linked_blocks;
pub(super) mod near_size_limit;
pub(super) mod raw_data;
pub(super) mod small_chunks_of_hdf4;
pub(super) mod stream_decoded_again;

use super::model::Severity;
use crate::numbers::list_text;
use crate::older::{OlderCase, OlderRead};
use serde_json::{Value, json};

/// A read that loses less is not reported.
const EXCESS_SECONDS_MIN: f64 = 0.1;
/// Nor one that takes less than this many times what it could.
const RATIO_MIN: f64 = 1.5;

/// The reads of a dataset that take much longer than they could.
struct SlowReads<'c> {
    /// The one that shows it best.
    worst: &'c OlderRead,
    /// The names of the others.
    others: Vec<String>,
}

impl<'c> SlowReads<'c> {
    fn of(case: &'c OlderCase<'_>) -> Option<Self> {
        let is_slow = |read: &&OlderRead| {
            read.excess_seconds() >= EXCESS_SECONDS_MIN && read.seconds >= RATIO_MIN * read.ideal_seconds
        };
        let slow: Vec<&OlderRead> = case.reads.iter().filter(is_slow).collect();
        let weight = |read: &OlderRead| super::cliff::weight(read.matters, &read.sweep);
        let worst = slow.iter().copied().max_by(|a, b| {
            weight(a).cmp(&weight(b)).then(a.excess_seconds().total_cmp(&b.excess_seconds()))
        })?;
        let others = slow.iter().filter(|read| read.name != worst.name).map(|read| read.name.clone());
        Some(Self { worst, others: others.collect() })
    }

    fn severity(&self) -> Severity {
        Severity::of_time(self.worst.excess_seconds(), self.worst.ideal_seconds, self.worst.matters)
    }

    /// The end of a message: which other reads have the same problem.
    fn same_with(&self) -> String {
        match &self.others[..] {
            [] => String::new(),
            others => format!(" The same problem with: {}.", list_text(others)),
        }
    }

    fn evidence(&self) -> Value {
        json!({
            "read": hyperslab_storage::pattern::shape_text(self.worst.sweep.block()),
            "read_name": self.worst.name,
            "reads": self.worst.sweep.reads(),
            "predicted_seconds": crate::numbers::rounded(self.worst.seconds),
            "ideal_seconds": crate::numbers::rounded(self.worst.ideal_seconds),
            "other_reads": self.others,
        })
    }
}
