//! What encoding one chunk costs libhdf5, by the filters alone.

use super::CostModel;
use crate::facts::{DatasetFacts, FilterFact};
use crate::simulate::{ReadCounts, WrittenCounts};
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, NBIT, SCALEOFFSET, SHUFFLE, SZIP};

/// Bytes a second that zlib deflates on one core, by level.
const ZLIB: [f64; 10] = [8e8, 1e8, 9e7, 7e7, 5.5e7, 4e7, 3e7, 2.2e7, 1e7, 5e6];
/// The level of libhdf5 where none is named.
const ZLIB_LEVEL: u32 = 6;
/// Bytes a second that are written to a file which the operating system keeps in memory.
pub const WRITE_BYTES_PER_SECOND: f64 = 8.0e8;

/// Seconds that libhdf5's usual builds take to encode a byte by these filters, on one core.
pub fn encode_byte_seconds(filters: &[FilterFact]) -> f64 {
    let bytes_per_second = |filter: &FilterFact| match filter.id {
        DEFLATE => ZLIB[filter.parameters.first().copied().unwrap_or(ZLIB_LEVEL).min(9) as usize],
        SHUFFLE => 2e9,
        FLETCHER32 => 1.5e9,
        SZIP => 1.2e8,
        NBIT | SCALEOFFSET => 1.5e8,
        _ => 2e8,
    };
    filters.iter().map(|filter| 1.0 / bytes_per_second(filter)).sum()
}

impl CostModel {
    /// Seconds of writing a dataset as these facts say in libhdf5: each chunk that is written again is decoded before.
    pub fn write_seconds(&self, written: &WrittenCounts, facts: &DatasetFacts) -> f64 {
        let calls = self.seconds_of_reads(&written.touched, &ReadCounts::default());
        let encode = encode_byte_seconds(&facts.filters) + facts.stored_share() / WRITE_BYTES_PER_SECOND;
        calls
            + written.counts.decodes as f64 * self.decode_once()
            + written.counts.encodes as f64 * self.chunk_bytes * encode
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_take_longer_and_filters_add_up() {
        let shuffle = FilterFact { id: SHUFFLE, ..FilterFact::gzip(0) };
        let of = |filters: &[FilterFact]| encode_byte_seconds(filters);
        assert!(of(&[FilterFact::gzip(9)]) > 10.0 * of(&[FilterFact::gzip(1)]));
        assert!(of(&[shuffle, FilterFact::gzip(1)]) > of(&[FilterFact::gzip(1)]));
        assert_eq!(of(&[]), 0.0);
    }
}
