//! What decoding one chunk costs libhdf5.

use crate::facts::{DatasetFacts, FILTER_DEFLATE, FILTER_FLETCHER32, FILTER_SHUFFLE, FilterFact};

/// zlib, which libhdf5 uses, takes this many times as long as libdeflate, with which samples are measured.
const ZLIB_TO_LIBDEFLATE: f64 = 1.7;
/// Decoded bytes per second on one core, if nothing was measured.
const BYTES_PER_SECOND_ASSUMED: f64 = 5.0e8;
/// Seconds for each byte that libhdf5 unshuffles, or checks against a Fletcher-32 checksum.
const UNSHUFFLE_BYTE_SECONDS: f64 = 0.30e-9;
const FLETCHER32_BYTE_SECONDS: f64 = 0.33e-9;

/// Seconds for each byte that libhdf5 takes to undo a shuffle and a checksum, which hyperslab does while it decodes.
pub fn byte_filter_seconds(filters: &[FilterFact]) -> f64 {
    let seconds = |filter: &FilterFact| match filter.id {
        FILTER_SHUFFLE => UNSHUFFLE_BYTE_SECONDS,
        FILTER_FLETCHER32 => FLETCHER32_BYTE_SECONDS,
        _ => 0.0,
    };
    filters.iter().map(seconds).sum()
}

/// The cost of decoding, by the decoded byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decoding {
    /// Seconds in libhdf5, with what it takes to load a chunk.
    pub(crate) seconds_per_byte: f64,
    /// Pages of memory that each decode uses for the first time, and that its seconds contain already.
    pub(crate) fresh_pages_per_byte: f64,
    /// Seconds in hyperslab.
    pub(crate) engine_seconds_per_byte: f64,
    /// True if chunks of this dataset were decoded to find out.
    pub(crate) is_measured: bool,
}

impl Decoding {
    /// What was measured on the dataset's chunks of `chunk_bytes`, as far as it was.
    pub(crate) fn measured(facts: &DatasetFacts, chunk_bytes: f64) -> Self {
        let samples = facts.samples.as_ref();
        let speed = samples.and_then(|samples| samples.decode_bytes_per_second());
        let by_engine = Self { is_measured: speed.is_some(), ..Self::assumed(facts, speed) };
        let Some(library) = samples.and_then(|samples| samples.library) else { return by_engine };
        Self {
            seconds_per_byte: library.seconds / chunk_bytes.max(1.0),
            fresh_pages_per_byte: library.fresh_pages / chunk_bytes.max(1.0),
            is_measured: true,
            ..by_engine
        }
    }

    /// What follows from the filters, and from the speed of hyperslab's decoder where that is known.
    pub(crate) fn assumed(facts: &DatasetFacts, bytes_per_second: Option<f64>) -> Self {
        let engine_seconds_per_byte = 1.0 / bytes_per_second.unwrap_or(BYTES_PER_SECOND_ASSUMED);
        let has = |id: u16| facts.filters.iter().any(|filter| filter.id == id);
        let slowdown = if has(FILTER_DEFLATE) { ZLIB_TO_LIBDEFLATE } else { 1.0 };
        Self {
            seconds_per_byte: engine_seconds_per_byte * slowdown + byte_filter_seconds(&facts.filters),
            fresh_pages_per_byte: 0.0,
            engine_seconds_per_byte,
            is_measured: false,
        }
    }
}
