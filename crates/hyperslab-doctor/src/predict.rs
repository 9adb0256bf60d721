//! Predicted seconds, from counts.
//!
//! ```text
//!   seconds = reads · call + chunk visits · visit + delivered bytes / copy        what every sweep pays
//!           + decoded bytes / decoder + touched pages / fresh                     for each decode
//!           + driver reads · call + driver bytes / page cache                     for each request
//! ```
//!
//! The decoder's speed is measured on the dataset's own chunks if possible, otherwise assumed. The constants were
//! measured on a server core of 2025 with the file in the page cache. They rank reads and distinguish milliseconds from
//! minutes, within a factor of about 1.5. A cold disk or an object store adds its latency for each driver read.

use crate::engine::EngineCounts;
use crate::facts::{DatasetFacts, FILTER_DEFLATE};
use crate::simulate::{Geometry, ReadCounts, SweepCounts};

/// zlib, which libhdf5 uses, takes this many times as long as libdeflate, with which samples are measured.
pub const ZLIB_TO_LIBDEFLATE: f64 = 1.7;
/// Decoded bytes per second on one core, if nothing was measured.
pub const DECODE_BYTES_PER_SECOND_ASSUMED: f64 = 5.0e8;
/// Seconds for one H5Dread: selections, locks, property lists.
pub const READ_CALL_SECONDS: f64 = 3.0e-6;
/// Seconds for one chunk touched by one H5Dread: its selection and lookup.
pub const CHUNK_VISIT_SECONDS: f64 = 1.0e-6;
/// Seconds for one `pread` from the page cache, apart from its bytes.
pub const DRIVER_READ_SECONDS: f64 = 1.5e-6;
/// Bytes per second from the page cache.
pub const DRIVER_BYTES_PER_SECOND: f64 = 8.0e9;
/// Bytes per second gathered into the reader's buffer.
pub const COPY_BYTES_PER_SECOND: f64 = 3.0e9;
/// Bytes per second of memory touched for the first time: each decode gets new buffers from the operating system.
pub const FRESH_BYTES_PER_SECOND: f64 = 4.0e9;
/// Seconds for one read by hyperslab: a plan and a cache lookup.
pub const ENGINE_READ_SECONDS: f64 = 1.0e-6;
/// Seconds for one chunk that one read by hyperslab touches: its part of the plan, its lookup.
pub const ENGINE_VISIT_SECONDS: f64 = 0.5e-6;

/// Speeds for one dataset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostModel {
    chunk_bytes: f64,
    stored_bytes: f64,
    logical_bytes: f64,
    /// Seconds that hyperslab's decoder takes for one byte.
    engine_seconds_per_byte: f64,
    /// Seconds that libhdf5's decoder takes for one byte.
    decode_seconds_per_byte: f64,
    threads: f64,
    /// True if the decoder's speed was measured on this dataset.
    pub is_measured: bool,
}

/// The least a sweep can cost: each chunk fetched and decoded once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ideal {
    /// Seconds in libhdf5.
    pub seconds: f64,
    /// Driver bytes.
    pub driver_bytes: u64,
}

impl CostModel {
    /// The speeds for a dataset, on a machine where hyperslab would use `threads` threads.
    pub fn new(facts: &DatasetFacts, geometry: &Geometry, threads: usize) -> Self {
        let measured = facts.samples.as_ref().and_then(|samples| samples.decode_bytes_per_second());
        Self::with_decoder(facts, geometry, threads, measured)
    }

    /// The speeds for a dataset by the stored constants alone, whatever was measured. Decisions rest on these, so that
    /// the same file has the same findings each time.
    pub fn reference(facts: &DatasetFacts, geometry: &Geometry, threads: usize) -> Self {
        Self::with_decoder(facts, geometry, threads, None)
    }

    fn with_decoder(
        facts: &DatasetFacts,
        geometry: &Geometry,
        threads: usize,
        measured: Option<f64>,
    ) -> Self {
        let chunk_bytes = geometry.chunk_bytes().unwrap_or(0) as f64;
        let engine = measured.unwrap_or(DECODE_BYTES_PER_SECOND_ASSUMED);
        let slowdown =
            if facts.filters.iter().any(|f| f.id == FILTER_DEFLATE) { ZLIB_TO_LIBDEFLATE } else { 1.0 };
        Self {
            chunk_bytes,
            stored_bytes: facts.stored_bytes as f64,
            logical_bytes: geometry.logical_bytes() as f64,
            engine_seconds_per_byte: 1.0 / engine,
            decode_seconds_per_byte: slowdown / engine,
            threads: threads.max(1) as f64,
            is_measured: measured.is_some(),
        }
    }

    /// The same data in another storage: chunks of this size, stored in this many bytes, that take `decode_factor` times
    /// as long to decode.
    pub(crate) fn stored_as(&self, chunk_bytes: u64, stored_bytes: u64, decode_factor: f64) -> Self {
        Self {
            chunk_bytes: chunk_bytes as f64,
            stored_bytes: stored_bytes as f64,
            decode_seconds_per_byte: self.decode_seconds_per_byte * decode_factor,
            ..*self
        }
    }

    /// Seconds of a sweep in libhdf5.
    pub fn seconds(&self, counts: &SweepCounts) -> f64 {
        self.seconds_of(
            counts.reads,
            counts.chunk_visits,
            counts.decodes,
            counts.driver_reads,
            counts.driver_bytes,
        )
    }

    /// Seconds in libhdf5 of `reads` reads that deliver `bytes` bytes.
    pub fn seconds_of_reads(&self, reads: u64, bytes: u64, counts: &ReadCounts) -> f64 {
        let delivered = Self { logical_bytes: bytes as f64, ..*self };
        delivered.seconds_of(
            reads,
            counts.chunks_touched,
            counts.decodes,
            counts.driver_reads,
            counts.driver_bytes,
        )
    }

    fn seconds_of(&self, reads: u64, visits: u64, decodes: u64, driver_reads: u64, driver_bytes: u64) -> f64 {
        reads as f64 * READ_CALL_SECONDS
            + visits as f64 * CHUNK_VISIT_SECONDS
            + self.logical_bytes / COPY_BYTES_PER_SECOND
            + decodes as f64 * self.decode_once()
            + driver_reads as f64 * DRIVER_READ_SECONDS
            + driver_bytes as f64 / DRIVER_BYTES_PER_SECOND
    }

    /// Seconds that one decode costs libhdf5, including its memory.
    pub fn decode_once(&self) -> f64 {
        self.chunk_bytes * (self.decode_seconds_per_byte + 2.0 / FRESH_BYTES_PER_SECOND)
    }

    /// The cost of the same sweep if nothing were fetched or decoded twice.
    pub fn ideal(&self, counts: &SweepCounts) -> Ideal {
        let requests = counts.chunks_touched.max(1);
        let bytes = self.stored_bytes.max(0.0) as u64;
        let seconds =
            self.seconds_of(counts.reads, counts.chunk_visits, counts.chunks_filtered, requests, bytes);
        Ideal { seconds, driver_bytes: bytes }
    }

    /// Seconds of the sweep in hyperslab, which fetches and decodes on all threads.
    pub(crate) fn engine_seconds(&self, counts: &SweepCounts, engine: &EngineCounts) -> f64 {
        let decode = engine.decodes as f64 * self.chunk_bytes * self.engine_seconds_per_byte;
        // Filtered chunks are fetched at their stored size, estimated as the average of all chunks.
        let fetched = if engine.decodes > 0 {
            self.stored_bytes * engine.decodes as f64 / counts.chunks_filtered.max(1) as f64
        } else {
            engine.bytes as f64
        };
        let fetch = engine.requests as f64 * DRIVER_READ_SECONDS + fetched / DRIVER_BYTES_PER_SECOND;
        let copy = self.logical_bytes / COPY_BYTES_PER_SECOND;
        let visits = counts.chunk_visits as f64 * ENGINE_VISIT_SECONDS;
        let threads = self.threads.min(counts.chunks_touched.max(1) as f64);
        (decode + fetch + copy + visits) / threads + counts.reads as f64 * ENGINE_READ_SECONDS
    }
}

/// A duration with a unit: `3 min 45 s`, `0.21 s`, `13 ms`.
pub fn seconds_text(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "?".to_owned(),
        s if s < 0.000_999_5 => format!("{:.0} µs", s * 1e6),
        s if s < 0.099_95 => format!("{:.1} ms", s * 1e3),
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 119.5 => format!("{s:.0} s"),
        s if s < 7_170.0 => {
            let whole = s.round() as u64;
            format!("{} min {:02} s", whole / 60, whole % 60)
        }
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Sweep;
    use crate::simulate::{CacheSettings, LibVersion, simulate_sweep};
    use crate::testing::case_study;

    fn case_study_seconds(nbytes: u64) -> (f64, f64) {
        let facts = case_study();
        let geometry = Geometry::of(&facts).unwrap().unwrap();
        let model = CostModel::new(&facts, &geometry, 2);
        let rows = Sweep::row_major(geometry.shape(), &[1, 1, 1, 717]);
        let settings = CacheSettings { nbytes, nslots: 521, w0: 0.75 };
        let counts = simulate_sweep(&geometry, settings, LibVersion::V1_14, &rows, 1_000_000);
        let engine = EngineCounts::new(&geometry, &rows, &counts, 1 << 30, || counts);
        (model.seconds(&counts), model.engine_seconds(&counts, &engine))
    }

    #[test]
    fn the_case_study_is_predicted_as_it_was_measured() {
        // Measured with libhdf5 1.14.6: 225 s with 1 MiB, 0.218 s with 3 MiB.
        let (slow, engine) = case_study_seconds(1 << 20);
        assert!((150.0..340.0).contains(&slow), "{slow}");
        let (tuned, _) = case_study_seconds(3 << 20);
        assert!((0.145..0.33).contains(&tuned), "{tuned}");
        assert!((0.03..0.11).contains(&engine), "{engine}");
    }

    #[test]
    fn a_measured_decoder_counts_more_than_the_assumed_one() {
        let mut facts = case_study();
        let geometry = Geometry::of(&facts).unwrap().unwrap();
        let assumed = CostModel::new(&facts, &geometry, 2);
        facts.samples = Some(crate::SampleMeasurement {
            chunks: 1,
            stored_bytes: 1,
            decoded_bytes: 1_000_000,
            decode_seconds: 0.01,
            recoded: vec![],
        });
        let measured = CostModel::new(&facts, &geometry, 2);
        assert!(measured.is_measured && !assumed.is_measured);
        assert!(measured.decode_once() > 3.0 * assumed.decode_once());
    }

    #[test]
    fn durations_are_written_for_people() {
        let texts: Vec<String> =
            [3e-6, 0.0131, 0.212, 12.3, 225.4, 119.4, 7300.0, 1e6].map(seconds_text).to_vec();
        assert_eq!(texts, ["3 µs", "13.1 ms", "0.21 s", "12 s", "3 min 45 s", "119 s", "2.0 h", "11.6 days"]);
    }
}
