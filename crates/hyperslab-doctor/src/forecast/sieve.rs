//! libhdf5's sieve buffer for contiguous raw data, which drivers with the feature `H5FD_FEAT_DATA_SIEVE` use (sec2 and ROS3,
//! not h5py's Python file objects): small reads are served from 64 KiB that are read at once
//! (`H5D__contig_readvv_sieve_cb` in `src/H5Dcontig.c`).

use super::access::{Access, Contiguous};
use std::collections::HashMap;
use std::ops::Range;

/// The size that libhdf5 gives the buffer if none is set.
const SIEVE_BYTES: u64 = 64 << 10;

/// The sieve buffers of the contiguous datasets of a file: each has one while it is open.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    datasets: Vec<Contiguous>,
    /// What the buffer of the dataset with this start holds.
    held: HashMap<u64, Range<u64>>,
}

impl Sieve {
    /// Empty buffers for these datasets, which are in ascending order.
    pub(super) fn new(datasets: Vec<Contiguous>) -> Self {
        Self { datasets, held: HashMap::new() }
    }

    /// The read that reaches the layer below, or `None` if the buffer serves this one.
    pub(super) fn read(&mut self, access: Access) -> Option<Access> {
        let before = self.datasets.partition_point(|dataset| dataset.start <= access.address);
        let dataset = before.checked_sub(1).map(|at| self.datasets[at]);
        let end = access.address.saturating_add(access.len);
        let Some(dataset) = dataset.filter(|dataset| end <= dataset.end) else { return Some(access) };
        let held = self.held.entry(dataset.start).or_insert(0..0);
        if held.start <= access.address && end <= held.end {
            return None;
        }
        if access.len > SIEVE_BYTES {
            return Some(access);
        }
        let len = SIEVE_BYTES.min(dataset.end - access.address);
        *held = access.address..access.address + len;
        Some(Access { len, ..access })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::PageKind;

    #[test]
    fn small_reads_of_a_contiguous_dataset_fill_the_buffer() {
        let mut sieve = Sieve::new(vec![Contiguous { start: 1_000, end: 101_000 }]);
        let mut read = |address, len| {
            let access = Access { kind: PageKind::Raw, address, len };
            sieve.read(access).map(|access| (access.address, access.len))
        };
        assert_eq!(read(0, 500), Some((0, 500)), "not of the dataset");
        assert_eq!(read(1_000, 400), Some((1_000, 65_536)));
        assert_eq!(read(60_000, 400), None);
        assert_eq!(read(2_000, 70_000), Some((2_000, 70_000)), "larger than the buffer, which stays");
        assert_eq!(read(1_400, 400), None);
        assert_eq!(read(90_000, 400), Some((90_000, 11_000)), "up to the end of the dataset");
    }
}
