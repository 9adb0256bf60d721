//! What decoding one chunk costs libhdf5.

use super::Terms;
use crate::facts::{DatasetFacts, FILTER_DEFLATE, FILTER_FLETCHER32, FILTER_SHUFFLE, FilterFact};

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

/// A few chunks that are decoded again and again to measure them are decoded this much faster than many, each once.
const SAMPLED_AGAIN: f64 = 1.15;
/// Compressions other than deflate are the same code in libhdf5's plug-ins, but for buffers and copies.
const OTHER_CODECS: f64 = 1.25;
/// The least share of a sample's seconds that are those of decoding.
const DECODING_SHARE_MIN: f64 = 0.3;

/// The cost of decoding a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decoding {
    /// Seconds in libhdf5 for each chunk, of whatever size: it is loaded, and its filters are set up.
    pub(crate) seconds_each: f64,
    /// Seconds in libhdf5 for each decoded byte.
    pub(crate) seconds_per_byte: f64,
    /// Pages of memory that each decode uses for the first time, and that its seconds contain already.
    pub(crate) fresh_pages_per_byte: f64,
    /// Buffers of the size of a chunk that the filters use, the first time in memory that is new.
    pub(crate) buffers: f64,
    /// Seconds in hyperslab.
    pub(crate) engine_seconds_per_byte: f64,
    /// True if chunks of this dataset were decoded to find out.
    pub(crate) is_measured: bool,
}

impl Decoding {
    /// What was measured on the dataset's chunks of `chunk_bytes`, as far as it was.
    pub(crate) fn measured(facts: &DatasetFacts, chunk_bytes: f64, terms: &Terms) -> Self {
        let samples = facts.samples.as_ref();
        let speed = samples.and_then(|samples| samples.decode_bytes_per_second());
        let by_engine = Self { is_measured: speed.is_some(), ..Self::assumed(facts, speed, terms) };
        let Some(library) = samples.and_then(|samples| samples.library) else { return by_engine };
        // A sweep is charged for its calls and evictions, too. At least a part of what was measured is decoding.
        let seconds =
            (library.seconds - terms.call - terms.eviction).max(library.seconds * DECODING_SHARE_MIN);
        let seconds_each = by_engine.seconds_each.min(seconds);
        Self {
            seconds_each,
            seconds_per_byte: (seconds - seconds_each) / chunk_bytes.max(1.0),
            fresh_pages_per_byte: library.fresh_pages / chunk_bytes.max(1.0),
            is_measured: true,
            ..by_engine
        }
    }

    /// What follows from the filters, and from the speed of hyperslab's decoder where that is known.
    pub(crate) fn assumed(facts: &DatasetFacts, bytes_per_second: Option<f64>, terms: &Terms) -> Self {
        let engine_seconds_per_byte = 1.0 / bytes_per_second.unwrap_or(BYTES_PER_SECOND_ASSUMED);
        let has = |id: u16| facts.filters.iter().any(|filter| filter.id == id);
        let decompressing = match (facts.filters.iter().any(FilterFact::compresses), has(FILTER_DEFLATE)) {
            (_, true) => engine_seconds_per_byte * terms.zlib * SAMPLED_AGAIN,
            (true, false) => engine_seconds_per_byte * OTHER_CODECS * SAMPLED_AGAIN,
            (false, false) => 0.0,
        };
        let stored_share = facts.stored_bytes as f64 / facts.logical_bytes.max(1) as f64;
        Self {
            seconds_each: terms.load + if has(FILTER_DEFLATE) { terms.inflate } else { 0.0 },
            seconds_per_byte: decompressing
                + byte_filter_seconds(&facts.filters)
                + stored_share.min(1.0) * terms.far_byte,
            fresh_pages_per_byte: 0.0,
            buffers: facts.filters.iter().map(buffers).sum(),
            engine_seconds_per_byte,
            is_measured: false,
        }
    }
}

/// How many buffers of the size of a chunk a filter of libhdf5 takes from memory that is new, until it uses them again: as
/// counted by page faults of the first decodes of 16 KiB to 4 MiB.
fn buffers(filter: &FilterFact) -> f64 {
    match filter.id {
        FILTER_FLETCHER32 => 0.3,
        FILTER_SHUFFLE => 1.0,
        _ => 2.0,
    }
}
