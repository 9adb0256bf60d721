//! Predicted seconds, from counts.
//!
//! ```text
//!   seconds =  reads · call  +  further chunks of a read · visit  +  runs, bytes and lines copied      every sweep
//!           +  chunks · lookup  +  chunks kept and buffers of filters · new memory  +  evictions
//!           +  decodes · decode                                                                         filtered chunks
//!           +  loads · load  +  loaded bytes                                                            unfiltered ones
//! ```
//!
//! What a part costs is in [`Terms`], measured on the user's machine if it was calibrated. What decoding costs is
//! measured on the dataset's own chunks, by the user's libhdf5 if it can be loaded. Files are assumed to be in the page
//! cache; a cold disk or an object store adds its latency for each driver read. Conversion of numbers is not included:
//! h5py and most programs read numbers as they are stored.

mod decoding;
mod duration;
mod encoding;

pub use decoding::byte_filter_seconds;
pub use duration::seconds_text;
pub use encoding::{WRITE_BYTES_PER_SECOND, encode_byte_seconds};

use crate::engine::EngineCounts;
use crate::facts::DatasetFacts;
use crate::simulate::{Geometry, ReadCounts, SweepCounts, Touched};
use decoding::Decoding;
use hyperslab_storage::cost::Terms;

/// Bytes of a page of memory.
const PAGE_BYTES: f64 = 4096.0;
/// Bytes of a cache line.
const LINE_BYTES: f64 = 64.0;
/// Chunks and buffers above this do not stay in the processor's cache while they are copied; after this number of doublings,
/// nothing of them does.
const FAR_BYTES: f64 = (256 << 10) as f64;
const FAR_DOUBLINGS: f64 = 2.0;
/// Runs of contiguous data pass through the sieve buffer, one call each: this multiple of what a run of a chunk takes.
const SIEVED_RUN: f64 = 2.2;
/// Pages of memory that libhdf5 uses for the lists of each chunk of a read, the first time.
const LIST_PAGES: f64 = 1.5;
/// The most that new memory can be of what decoding a sample takes.
const FRESH_SHARE_MAX: f64 = 0.7;
/// From this number of chunks on that the cache holds, decoding needs no new memory but for those that are kept.
const KEPT_SEVERAL: u64 = 2;
/// Reads of so many chunks are where visits begin to slow down; by sixteen times as many they are as slow as they get.
const VISITS_FAR_MIN: f64 = 64.0;
/// Seconds for one read by hyperslab: a plan and a cache lookup.
const ENGINE_READ_SECONDS: f64 = 1.0e-6;
/// Seconds for one read of unfiltered data, which has a simpler plan.
const ENGINE_RAW_READ_SECONDS: f64 = 0.7e-6;
/// Seconds for one chunk that one read by hyperslab touches: its part of the plan, its lookup.
const ENGINE_VISIT_SECONDS: f64 = 0.5e-6;
/// What parts of an unfiltered read cost hyperslab, as a share of what they cost libhdf5: a request, a byte to the reader's
/// buffer, a byte of a gap (which stays in the processor's cache), a byte and a run that are copied from there. Fitted to 264 reads
/// of 19 datasets in 4 to 8 chunk shapes, which `perf/advice_quality.py` makes.
const ENGINE_REQUEST_SHARE: f64 = 0.48;
const ENGINE_BYTE_SHARE: f64 = 0.55;
const ENGINE_GAP_SHARE: f64 = 0.28;
const ENGINE_COPY_SHARE: f64 = 0.45;
const ENGINE_RUN_SHARE: f64 = 0.38;
/// The buffer of a thread through which bytes pass that are placed apart, and small chunks (`hyperslab_array`).
const ENGINE_STAGED_BYTES: f64 = (256 << 10) as f64;
/// Unfiltered chunks up to this size are fetched together.
const ENGINE_TOGETHER_BYTES: f64 = (64 << 10) as f64;
/// Unfiltered reads below this gain nothing by a second thread.
const ENGINE_RAW_PARALLEL_BYTES: f64 = (4 << 20) as f64;
/// Smaller reads by hyperslab wake no other thread (`hyperslab_array`), in bytes.
const ENGINE_PARALLEL_BYTES: f64 = (256 << 10) as f64;

/// Seconds for one variable-length element: its object is looked up in the global heap, copied and allocated.
const VARIABLE_LENGTH_SECONDS: f64 = 0.4e-6;
/// Bytes of one collection of the global heap, each of which is a request.
const COLLECTION_BYTES: u64 = 4096;

/// Speeds for one dataset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostModel {
    terms: Terms,
    chunk_bytes: f64,
    element_bytes: f64,
    is_chunked: bool,
    stored_bytes: f64,
    decoding: Decoding,
    /// Seconds for following all references of variable-length data, whatever the order.
    variable_length_seconds: f64,
    threads: f64,
}

/// The least a sweep can cost: each chunk fetched and decoded once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ideal {
    /// Seconds in libhdf5.
    pub seconds: f64,
    /// Driver bytes.
    pub driver_bytes: u64,
}

/// What the seconds of some reads are made of.
struct Work<'a> {
    touched: &'a Touched,
    counts: ReadCounts,
    /// Distinct chunks that are loaded.
    chunks: u64,
    /// The most chunks that the cache held at a time.
    kept: u64,
}

impl CostModel {
    /// The speeds for a dataset, on a machine with these terms where hyperslab would use `threads` threads.
    pub fn new(facts: &DatasetFacts, geometry: &Geometry, terms: Terms, threads: usize) -> Self {
        let decoding = Decoding::measured(facts, chunk_bytes(geometry), &terms);
        Self::with(facts, geometry, terms, decoding, threads)
    }

    /// The speeds for a dataset by the built-in constants alone, whatever was measured. Decisions rest on these, so that
    /// the same file has the same findings each time.
    pub fn reference(facts: &DatasetFacts, geometry: &Geometry, threads: usize) -> Self {
        let terms = Terms::BUILT_IN;
        Self::with(
            facts,
            geometry,
            terms,
            Decoding::assumed(facts, chunk_bytes(geometry), None, &terms),
            threads,
        )
    }

    fn with(
        facts: &DatasetFacts,
        geometry: &Geometry,
        terms: Terms,
        decoding: Decoding,
        threads: usize,
    ) -> Self {
        Self {
            terms,
            chunk_bytes: chunk_bytes(geometry),
            element_bytes: geometry.element_bytes() as f64,
            is_chunked: geometry.chunk_bytes().is_some(),
            stored_bytes: facts.stored_bytes as f64,
            decoding,
            variable_length_seconds: facts.variable_length.map_or(0.0, |variable| {
                let collections = variable.heap_bytes.div_ceil(COLLECTION_BYTES) as f64;
                variable.elements as f64 * VARIABLE_LENGTH_SECONDS
                    + collections * terms.load
                    + variable.heap_bytes as f64 * terms.far_byte
            }),
            threads: threads.max(1) as f64,
        }
    }

    /// The same data in another storage: chunks of this size, stored in this many bytes, that take `decode_factor` times
    /// as long to decode.
    pub(crate) fn stored_as(&self, chunk_bytes: u64, stored_bytes: u64, decode_factor: f64) -> Self {
        let decoding = self.decoding.of_other_chunk(self.chunk_bytes, chunk_bytes as f64, decode_factor);
        Self {
            chunk_bytes: chunk_bytes as f64,
            is_chunked: true,
            stored_bytes: stored_bytes as f64,
            decoding,
            ..*self
        }
    }

    /// True if the decoder's speed was measured on this dataset.
    pub fn is_measured(&self) -> bool {
        self.decoding.is_measured
    }

    /// Seconds of a sweep in libhdf5.
    pub fn seconds(&self, counts: &SweepCounts) -> f64 {
        self.seconds_of(&Work {
            touched: &counts.touched,
            counts: read_counts(counts),
            chunks: counts.chunks_touched,
            kept: counts.chunks_kept_max,
        })
    }

    /// Seconds in libhdf5 of reads that touch `touched`, and whose counts are known but not what the cache kept.
    pub fn seconds_of_reads(&self, touched: &Touched, counts: &ReadCounts) -> f64 {
        let loads = counts.driver_reads - counts.work.direct_reads.min(counts.driver_reads);
        let kept = loads - counts.work.evictions.min(loads);
        self.seconds_of(&Work { touched, counts: *counts, chunks: loads, kept })
    }

    fn seconds_of(&self, work: &Work<'_>) -> f64 {
        let (terms, touched, counts) = (&self.terms, work.touched, &work.counts);
        let (reads, visits, runs) = (touched.reads as f64, touched.visits as f64, touched.runs as f64);
        let bytes = touched.elements as f64 * self.element_bytes;
        let read_bytes_max = touched.elements_max as f64 * self.element_bytes;
        let if_so = |condition: bool, seconds: f64| if condition { seconds } else { 0.0 };

        let calls = reads * (terms.call + if_so(touched.elements_max > 1, terms.several_elements));
        let per_read = visits / reads.max(1.0);
        let many = ((per_read / VISITS_FAR_MIN).log2() / 4.0).clamp(0.0, 1.0);
        let visiting = touched.reads_of_several as f64 * terms.several_chunks
            + (visits - reads).max(0.0) * (terms.visit + terms.visit_far * many * many)
            + if_so(
                touched.chunks_per_read_max > 1,
                LIST_PAGES * touched.chunks_per_read_max as f64 * terms.page,
            );

        let lines = runs.max(bytes / LINE_BYTES);
        let far = |bytes: f64| ((bytes / FAR_BYTES).log2() / FAR_DOUBLINGS).clamp(0.0, 1.0);
        let far_lines = far(self.chunk_bytes * per_read.max(1.0)) + far(read_bytes_max);
        let run = if self.is_chunked { terms.run } else { terms.run * SIEVED_RUN };
        let copying = runs * run + bytes * terms.copied_byte + lines * far_lines * terms.far_line;

        let loads = counts.driver_reads.saturating_sub(counts.work.direct_reads);
        let is_past_cache = self.is_chunked && loads == 0 && counts.work.direct_reads > 0;
        let direct = counts.work.direct_reads as f64 * terms.direct_read
            + if_so(is_past_cache, visits * terms.direct_chunk)
            + (counts.work.direct_bytes as f64 - if_so(self.is_chunked, bytes)).max(0.0) * terms.near_byte;
        if !self.is_chunked {
            return calls + copying + direct + self.variable_length_seconds;
        }
        let undecoded = loads.saturating_sub(counts.decodes) as f64;
        let loading = work.chunks as f64 * terms.lookup
            + counts.decodes as f64 * self.decode_once()
            + undecoded * terms.load
            + counts.work.near_bytes as f64 * terms.near_byte
            + counts.work.far_bytes as f64 * terms.far_byte;
        let pruning = counts.work.steps as f64 * terms.step + counts.work.evictions as f64 * terms.eviction;
        let memory = self.new_memory_seconds(counts.decodes as f64, work.kept);
        calls + visiting + copying + direct + loading + pruning + memory + self.variable_length_seconds
    }

    /// Seconds of using memory for the first time: for the chunks that are kept, and for the buffers of filters. Less what the
    /// seconds of decoding contain of it: the samples were decoded with room for one chunk, or none, and where several are kept,
    /// buffers are used again.
    fn new_memory_seconds(&self, decodes: f64, kept: u64) -> f64 {
        let page = self.terms.page;
        let chunk_pages = self.chunk_bytes / PAGE_BYTES;
        let sampled_pages = self.decoding.fresh_pages;
        let buffers = if decodes > 0.0 { self.decoding.buffers * chunk_pages * page } else { 0.0 };
        if kept >= KEPT_SEVERAL {
            let sampled = (sampled_pages * page).min(FRESH_SHARE_MAX * self.decode_once());
            kept as f64 * chunk_pages * page + buffers - decodes * sampled
        } else {
            kept as f64 * (chunk_pages - sampled_pages).max(0.0) * page + buffers
        }
    }

    /// Seconds that following the references of variable-length data takes; 0 for other data.
    pub(crate) fn variable_length_seconds(&self) -> f64 {
        self.variable_length_seconds
    }

    /// Seconds that one decode costs libhdf5.
    pub fn decode_once(&self) -> f64 {
        self.decoding.seconds
    }

    /// The cost of the same sweep if nothing were fetched or decoded twice.
    pub fn ideal(&self, counts: &SweepCounts) -> Ideal {
        let bytes = self.stored_bytes.max(0.0) as u64;
        let once = ReadCounts {
            chunks_touched: counts.chunk_visits,
            decodes: counts.chunks_filtered,
            driver_reads: counts.chunks_touched,
            driver_bytes: bytes,
            work: crate::simulate::CacheWork {
                far_bytes: if counts.chunks_filtered == 0 { bytes } else { 0 },
                ..Default::default()
            },
        };
        let seconds = self.seconds_of(&Work {
            touched: &counts.touched,
            counts: once,
            chunks: counts.chunks_touched,
            kept: 0,
        });
        Ideal { seconds, driver_bytes: bytes }
    }

    /// Seconds of the sweep in hyperslab, which fetches and decodes on all threads.
    pub fn engine_seconds(&self, counts: &SweepCounts, engine: &EngineCounts) -> f64 {
        if engine.decodes == 0 {
            return self.engine_raw_seconds(counts, engine);
        }
        let (terms, reads) = (&self.terms, counts.reads as f64);
        let decode = engine.decodes as f64 * self.chunk_bytes * self.decoding.engine_seconds_per_byte;
        // Chunks are fetched at their stored size, estimated as the average of all chunks.
        let fetched = self.stored_bytes * engine.decodes as f64 / counts.chunks_filtered.max(1) as f64;
        let fetch = engine.requests as f64 * terms.load + fetched * terms.far_byte;
        // A chunk to which the reads return is kept, in memory that was not used before.
        let is_kept = counts.chunk_visits > counts.chunks_touched;
        let kept_bytes = if is_kept { engine.decodes as f64 * self.chunk_bytes } else { 0.0 };
        let decode = decode + kept_bytes / PAGE_BYTES * terms.page;
        let delivered = counts.touched.elements as f64 * self.element_bytes;
        let copy = delivered * terms.far_byte
            + counts.touched.runs as f64 * terms.run
            + self.variable_length_seconds;
        let visits = counts.chunk_visits as f64 * ENGINE_VISIT_SECONDS;
        // Chunks are decoded ahead; the rest of a small read is done by the thread that asks for it.
        let is_small = delivered < reads * ENGINE_PARALLEL_BYTES;
        let alone = if is_small { 1.0 } else { self.engine_threads(counts) };
        (decode + fetch) / self.engine_threads(counts) + (copy + visits) / alone + reads * ENGINE_READ_SECONDS
    }

    /// Seconds of the sweep in hyperslab, of unfiltered data.
    fn engine_raw_seconds(&self, counts: &SweepCounts, engine: &EngineCounts) -> f64 {
        let (terms, fetched, reads) = (&self.terms, engine.bytes as f64, counts.reads as f64);
        let (visits, runs) = (counts.chunk_visits as f64, counts.touched.runs as f64);
        let delivered = counts.touched.elements as f64 * self.element_bytes;
        let fetch = engine.requests as f64 * terms.load * ENGINE_REQUEST_SHARE
            + fetched.min(delivered) * terms.near_byte * ENGINE_BYTE_SHARE
            + (fetched - delivered).max(0.0) * terms.near_byte * ENGINE_GAP_SHARE;
        // What a request fetches goes to the reader's buffer at once, unless it has gaps or is a block that serves several reads.
        let is_direct = fetched <= delivered && engine.requests >= counts.chunk_visits;
        let copied = if is_direct { 0.0 } else { delivered };
        let copy = copied * terms.far_byte * ENGINE_COPY_SHARE
            + runs * terms.run * ENGINE_RUN_SHARE
            + self.variable_length_seconds;
        // The pages of a buffer are new once.
        let is_together = self.is_chunked && self.chunk_bytes <= ENGINE_TOGETHER_BYTES && visits > reads;
        let is_staged = fetched > delivered || runs > visits || is_together;
        let staged = if is_staged { ENGINE_STAGED_BYTES.min(delivered / reads.max(1.0)) } else { 0.0 };
        let is_small = delivered < reads * ENGINE_RAW_PARALLEL_BYTES;
        let threads = if is_small { 1.0 } else { self.engine_threads(counts) };
        (fetch + copy + visits * ENGINE_VISIT_SECONDS) / threads
            + staged / PAGE_BYTES * terms.page
            + reads * ENGINE_RAW_READ_SECONDS
    }

    /// Threads that work on chunks at the same time.
    fn engine_threads(&self, counts: &SweepCounts) -> f64 {
        self.threads.min(counts.chunks_touched.max(1) as f64)
    }
}

/// Bytes of a decoded chunk; 0 for contiguous data.
fn chunk_bytes(geometry: &Geometry) -> f64 {
    geometry.chunk_bytes().unwrap_or(0) as f64
}

fn read_counts(counts: &SweepCounts) -> ReadCounts {
    ReadCounts {
        chunks_touched: counts.chunk_visits,
        decodes: counts.decodes,
        driver_reads: counts.driver_reads,
        driver_bytes: counts.driver_bytes,
        work: counts.work,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{LibVersion, simulate_sweep};
    use crate::testing::case_study;
    use hyperslab_storage::CacheSettings;
    use hyperslab_storage::pattern::Sweep;

    fn case_study_seconds(nbytes: u64) -> (f64, f64) {
        let facts = case_study();
        let geometry = Geometry::of(&facts).unwrap().unwrap();
        let model = CostModel::new(&facts, &geometry, Terms::BUILT_IN, 2);
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
        let of = |facts: &DatasetFacts| CostModel::new(facts, &geometry, Terms::BUILT_IN, 2);
        let assumed = of(&facts);
        let mut samples = crate::SampleMeasurement {
            chunks: 1,
            stored_bytes: 1,
            decoded_bytes: 1_000_000,
            decode_seconds: 0.01,
            recoded: vec![],
            library: None,
            zstd: None,
        };
        facts.samples = Some(samples.clone());
        let measured = of(&facts);
        assert!(measured.is_measured() && !assumed.is_measured());
        assert!(measured.decode_once() > 3.0 * assumed.decode_once());
        samples.library = Some(hyperslab_storage::cost::LibraryDecoding { seconds: 0.5, fresh_pages: 3.0 });
        facts.samples = Some(samples);
        assert_eq!(of(&facts).decode_once(), 0.5);
    }

    #[test]
    fn data_that_would_be_compressed_would_have_to_be_decoded() {
        let contiguous = DatasetFacts::contiguous("/d", &[1024, 1024], "<f4", 4);
        for facts in
            [contiguous, crate::testing::unfiltered(crate::testing::chunked(&[1024, 1024], &[64, 1024], 4))]
        {
            let geometry = Geometry::of(&facts).unwrap().unwrap();
            let compressed = CostModel::reference(&facts, &geometry, 1).stored_as(1 << 20, 1 << 19, 1.7);
            let seconds = compressed.decode_once();
            assert!(
                (0.5..2.0).contains(&(seconds / (1.7 * 1_048_576.0 / 5.0e8))),
                "{seconds} s for a mebibyte"
            );
        }
    }

    #[test]
    fn chunks_smaller_than_a_page_need_their_share_of_new_pages() {
        let facts = crate::testing::chunked(&[256, 256], &[16, 16], 4);
        let geometry = Geometry::of(&facts).unwrap().unwrap();
        let sweep = Sweep::row_major(&[256, 256], &[1, 256]);
        let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
        let counts = simulate_sweep(&geometry, settings, LibVersion::V1_14, &sweep, 1_000_000);
        let seconds = |terms: Terms| CostModel::new(&facts, &geometry, terms, 1).seconds(&counts);
        let pages = seconds(Terms::BUILT_IN) - seconds(Terms { page: 0.0, ..Terms::BUILT_IN });
        let expected = 256.0 * 1024.0 / PAGE_BYTES * Terms::BUILT_IN.page;
        assert!(pages > 0.999 * expected, "{pages} s for 256 chunks of 1 KiB, not {expected} s");
    }

    #[test]
    fn reads_of_many_chunks_cost_more_by_the_chunk() {
        let facts = crate::testing::chunked(&[4096, 4096], &[64, 64], 4);
        let geometry = Geometry::of(&facts).unwrap().unwrap();
        let model = CostModel::new(&facts, &geometry, Terms::BUILT_IN, 1);
        let seconds_per_visit = |block: &[u64]| {
            let touched = Touched::by_sweep(&geometry, &Sweep::row_major(&[4096, 4096], block));
            model.seconds_of_reads(&touched, &ReadCounts::default()) / touched.visits as f64
        };
        assert!(seconds_per_visit(&[4096, 4096]) > 1.5 * seconds_per_visit(&[64 * 32, 64]));
    }
}
