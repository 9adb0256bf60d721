//! How much longer the user's libhdf5 takes to inflate what hyperslab deflates than hyperslab's own decoder.
//!
//! That depends on the values, and on the level at which they were deflated: zlib may take twice as long for one level as for
//! another where libdeflate takes the same. So the library decodes samples of each level, and of values that are rounded before,
//! from a small file in memory.

use super::user_library::{SampleChunks, UserLibrary};
use hyperslab_advise::{Compression, Pipeline};
use hyperslab_create::{FilterRequest, datatypes};
use hyperslab_storage::filter::number::DEFLATE;

/// Measurements for each second that the answer may take; at least one is made.
const MEASURED_PER_SECOND: f64 = 0.8;
/// The least and the most that zlib can be slower than libdeflate, which copies long runs much faster: a measurement beyond is a
/// disturbed one. Sparse data takes 6 times as long.
pub(super) const FACTORS: (f64, f64) = (1.0, 12.0);

/// What was measured.
pub(super) struct InflateFactors {
    known: Vec<Known>,
    measurements_left: usize,
}

/// A measurement.
struct Known {
    before: Before,
    level: u32,
    /// `None` if it failed.
    factor: Option<f64>,
}

/// What is done with the values before deflate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Before {
    /// The compression without its level: how values are rounded.
    rounding: Compression,
    shuffle: bool,
}

/// What a pipeline does before deflate, and the level. `None` without deflate, and for scaleoffset, which leaves it little to do.
fn deflate_of(pipeline: &Pipeline) -> Option<(Before, u32)> {
    let (rounding, level) = match pipeline.compression {
        Compression::Gzip(level) => (Compression::Gzip(0), level),
        Compression::Rounded { digits, level } => (Compression::Rounded { digits, level: 0 }, level),
        Compression::Digits { rounding, digits, level } => {
            (Compression::Digits { rounding, digits, level: 0 }, level)
        }
        _ => return None,
    };
    Some((Before { rounding, shuffle: pipeline.shuffle }, level))
}

impl InflateFactors {
    /// For an answer that may take so many seconds.
    pub(super) fn new(seconds: f64) -> Self {
        let measurements_left = ((seconds * MEASURED_PER_SECOND) as usize).max(1);
        Self { known: Vec::new(), measurements_left }
    }

    /// True if the pipeline was not measured, and there is time for it.
    pub(super) fn needs_samples(&self, pipeline: &Pipeline) -> bool {
        let is_known =
            |before, level| self.known.iter().any(|one| one.before == before && one.level == level);
        self.measurements_left > 0
            && deflate_of(pipeline).is_some_and(|(before, level)| !is_known(before, level))
    }

    /// Measures a pipeline whose deflate gets these samples, which hyperslab inflates in so many seconds a byte.
    pub(super) fn measure(
        &mut self,
        library: &UserLibrary<'_>,
        pipeline: &Pipeline,
        deflated: Option<Vec<Vec<u8>>>,
        own: f64,
    ) {
        let Some((before, level)) = deflate_of(pipeline) else { return };
        self.measurements_left = self.measurements_left.saturating_sub(1);
        let seconds = deflated.and_then(|samples| measured(library, &samples, level));
        let factor = seconds.map(|seconds| (seconds / own).clamp(FACTORS.0, FACTORS.1));
        self.known.push(Known { before, level, factor });
    }

    /// The factor of a pipeline; of one that was not measured, that of the most similar.
    pub(super) fn nearest(&self, pipeline: &Pipeline) -> Option<f64> {
        let (before, level) = deflate_of(pipeline)?;
        let distance = |one: &&Known| {
            let is_other = one.before.rounding != before.rounding;
            (is_other, one.before.shuffle != before.shuffle, one.level.abs_diff(level))
        };
        self.known.iter().filter(|one| one.factor.is_some()).min_by_key(distance)?.factor
    }
}

/// Seconds in which the library inflates a byte of the samples.
fn measured(library: &UserLibrary<'_>, samples: &[Vec<u8>], level: u32) -> Option<f64> {
    let len = samples.first().map(Vec::len).filter(|len| *len > 0)?;
    let decoding = library.decoding(&SampleChunks {
        datatype: datatypes::integer(1, false),
        shape: &[len as u64],
        filters: vec![FilterRequest { id: DEFLATE, parameters: vec![level] }],
        values: samples.iter().filter(|sample| sample.len() == len).map(Vec::as_slice).collect(),
    })?;
    let seconds = decoding.seconds - library.load_seconds();
    (seconds > 0.0).then(|| seconds / len as f64)
}
