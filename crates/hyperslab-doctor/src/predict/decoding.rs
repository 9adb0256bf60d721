//! What decoding one chunk costs libhdf5.

use crate::facts::{DatasetFacts, FilterFact};
use hyperslab_storage::cost::Terms;
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, SHUFFLE};

/// Decoded bytes per second on one core, if nothing was measured.
const BYTES_PER_SECOND_ASSUMED: f64 = 5.0e8;
/// Seconds for each byte that libhdf5 unshuffles, or checks against a Fletcher-32 checksum.
const UNSHUFFLE_BYTE_SECONDS: f64 = 0.30e-9;
const FLETCHER32_BYTE_SECONDS: f64 = 0.33e-9;

/// Seconds for each byte that libhdf5 takes to undo a shuffle and a checksum, which hyperslab does while it decodes.
pub fn byte_filter_seconds(filters: &[FilterFact]) -> f64 {
    let seconds = |filter: &FilterFact| match filter.id {
        SHUFFLE => UNSHUFFLE_BYTE_SECONDS,
        FLETCHER32 => FLETCHER32_BYTE_SECONDS,
        _ => 0.0,
    };
    filters.iter().map(seconds).sum()
}

/// Compressions other than deflate are the same code in libhdf5's plug-ins, but for buffers and copies.
const OTHER_CODECS: f64 = 1.25;

/// The cost of decoding a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decoding {
    /// Seconds in libhdf5.
    pub(crate) seconds: f64,
    /// Those of them that a chunk of any size takes: it is loaded, and its filters are set up.
    seconds_each: f64,
    /// The others, for each decoded byte.
    seconds_per_byte: f64,
    /// Pages of memory that each decode uses for the first time, and that its seconds contain already.
    pub(crate) fresh_pages: f64,
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
        let by_engine =
            Self { is_measured: speed.is_some(), ..Self::assumed(facts, chunk_bytes, speed, terms) };
        let Some(library) = samples.and_then(|samples| samples.library) else { return by_engine };
        let seconds_each = by_engine.seconds_each.min(library.seconds);
        Self {
            seconds: library.seconds,
            seconds_each,
            seconds_per_byte: (library.seconds - seconds_each) / chunk_bytes.max(1.0),
            fresh_pages: library.fresh_pages,
            is_measured: true,
            ..by_engine
        }
    }

    /// What follows from the filters, and from the speed of hyperslab's decoder where that is known.
    pub(crate) fn assumed(
        facts: &DatasetFacts,
        chunk_bytes: f64,
        bytes_per_second: Option<f64>,
        terms: &Terms,
    ) -> Self {
        let engine_seconds_per_byte = 1.0 / bytes_per_second.unwrap_or(BYTES_PER_SECOND_ASSUMED);
        let has = |id: u16| facts.filters.iter().any(|filter| filter.id == id);
        let decompressing = match facts.filters.as_slice() {
            // What it would cost if the data were compressed.
            [] => engine_seconds_per_byte,
            _ if has(DEFLATE) => engine_seconds_per_byte * terms.zlib,
            some if some.iter().any(FilterFact::compresses) => engine_seconds_per_byte * OTHER_CODECS,
            _ => 0.0,
        };
        let seconds_per_byte =
            decompressing + byte_filter_seconds(&facts.filters) + facts.stored_share() * terms.far_byte;
        let seconds_each = terms.load + if has(DEFLATE) { terms.inflate } else { 0.0 };
        Self {
            seconds: seconds_each + seconds_per_byte * chunk_bytes,
            seconds_each,
            seconds_per_byte,
            fresh_pages: 0.0,
            buffers: facts.filters.iter().map(buffers).sum(),
            engine_seconds_per_byte,
            is_measured: false,
        }
    }

    /// That of chunks of `bytes`, in place of `own_bytes`, each byte of which takes `factor` times as long.
    pub(crate) fn of_other_chunk(&self, own_bytes: f64, bytes: f64, factor: f64) -> Self {
        let seconds_per_byte = self.seconds_per_byte * factor;
        Self {
            seconds: self.seconds_each + seconds_per_byte * bytes,
            seconds_per_byte,
            fresh_pages: self.fresh_pages * bytes / own_bytes.max(1.0),
            ..*self
        }
    }
}

/// How many buffers of the size of a chunk a filter of libhdf5 takes from memory that is new, until it uses them again: as
/// counted by page faults of the first decodes of 16 KiB to 4 MiB.
fn buffers(filter: &FilterFact) -> f64 {
    match filter.id {
        FLETCHER32 => 0.3,
        SHUFFLE => 1.0,
        _ => 2.0,
    }
}
