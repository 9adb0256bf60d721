//! What each read costs each reader with a storage, and what writing costs.

use crate::candidate::Candidate;
use crate::error::AdviseError;
use crate::pipeline::{Compression, Pipeline};
use crate::question::Question;
use crate::reader::{Reader, ReaderKind};
use crate::trial::Trial;
use crate::usual::UsualRead;
use hyperslab_doctor::predict::{CostModel, WRITE_BYTES_PER_SECOND, byte_filter_seconds};
use hyperslab_doctor::simulate::{Geometry, GeometryError, LibVersion, SweepCounts, simulate_sweep};
use hyperslab_doctor::{
    DatasetFacts, DoctorError, Options, Profile, SampleMeasurement, SimulatedRead, simulate_reads,
};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::LibraryDecoding;
use hyperslab_storage::pattern::Sweep;
use serde::Serialize;

/// What reading the whole dataset in the blocks of one read costs one reader.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReadCost {
    /// Predicted seconds.
    pub seconds: f64,
    /// Requests to the file.
    pub requests: u64,
    /// Bytes of the requests.
    pub bytes: u64,
    /// Chunks put through the filters.
    pub decodes: u64,
}

/// A storage with its costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Costed {
    pub(crate) storage: Candidate,
    /// Bytes in the file.
    pub(crate) stored_bytes: u64,
    /// By reader, then by read.
    pub(crate) reads: Vec<Vec<ReadCost>>,
    /// By reader: the seconds of all reads, each with its weight, divided by the sum of the weights.
    pub(crate) seconds: Vec<f64>,
    /// The same of requests, on average over the readers.
    pub(crate) requests: f64,
    /// What writing it costs; `None` for a present storage whose filters cannot be tried.
    pub(crate) writing: Option<WriteCost>,
    /// The largest error on the samples, of filters that are lossy.
    pub(crate) largest_error: Option<f64>,
}

impl Costed {
    /// Seconds of writing it by libhdf5; 0 if they are not known, so that they do not speak against it.
    pub(crate) fn write_seconds(&self) -> f64 {
        self.writing.map_or(0.0, |writing| writing.seconds)
    }
}

/// What writing all of a dataset once costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WriteCost {
    /// Seconds in libhdf5.
    pub(crate) seconds: f64,
    /// Seconds that hyperslab takes on one thread to decode all of it, and to encode it.
    pub(crate) decode_seconds: f64,
    pub(crate) encode_seconds: f64,
}

/// Bytes of the chunk index for each chunk: a record of a version 1 B-tree, whose nodes are two thirds full.
const INDEX_BYTES: u64 = 48;
/// zlib takes this many times as long to deflate as libdeflate does for about the same size.
const ZLIB_ENCODE_FACTOR: f64 = 3.0;
/// The cache of a program that writes, which nobody has enlarged.
const WRITER_CACHE: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

/// The reads of a dataset in chunks of one shape, simulated. Which filters there are does not change the counts, only that
/// there are some.
pub(crate) struct SimulatedStorage {
    pub(crate) chunk: Option<Vec<u64>>,
    pub(crate) is_filtered: bool,
    reads: Vec<SimulatedRead>,
    /// Loads of chunks while the dataset is written in the question's blocks; `None` where it is written chunk by chunk.
    writing: Option<SweepCounts>,
}

/// Simulates the reads, and writing, of the dataset in this storage.
pub(crate) fn simulate(
    question: &Question<'_>,
    chunk: Option<&[u64]>,
    is_filtered: bool,
    visits_max: u64,
) -> Result<SimulatedStorage, AdviseError> {
    let compression = if is_filtered { Compression::Gzip(1) } else { Compression::None };
    let storage =
        Candidate { chunk: chunk.map(<[u64]>::to_vec), pipeline: Pipeline { compression, ..Pipeline::NONE } };
    let facts = storage.facts(question.facts, question.facts.logical_bytes);
    let writing = simulate_writing(question, &facts, visits_max)?;
    let chunk = storage.chunk;
    Ok(SimulatedStorage { chunk, is_filtered, reads: reads(question, &facts, visits_max)?, writing })
}

/// Simulates writing the dataset, stored as these facts say, in the question's blocks.
fn simulate_writing(
    question: &Question<'_>,
    facts: &DatasetFacts,
    visits_max: u64,
) -> Result<Option<SweepCounts>, AdviseError> {
    let (Some(block), Some(_)) = (&question.write, facts.chunk_dims()) else { return Ok(None) };
    let Some(geometry) = Geometry::of(facts).map_err(DoctorError::from)? else { return Ok(None) };
    let block: Vec<u64> =
        block.iter().zip(&facts.shape).map(|(block, dim)| (*block).min(*dim).max(1)).collect();
    let sweep = Sweep::row_major(&facts.shape, &block);
    Ok(Some(simulate_sweep(&geometry, WRITER_CACHE, LibVersion::V1_14, &sweep, visits_max)))
}

impl SimulatedStorage {
    /// True if no count is extrapolated: more visits would not change it.
    pub(crate) fn is_exact(&self) -> bool {
        let is_exact = |counts: &SweepCounts| counts.is_exact;
        self.reads.iter().flat_map(|read| &read.counts).chain(&self.writing).all(is_exact)
    }
}

fn reads(
    question: &Question<'_>,
    facts: &DatasetFacts,
    visits_max: u64,
) -> Result<Vec<SimulatedRead>, AdviseError> {
    let options = Options {
        reads: question.reads.iter().map(UsualRead::to_request).collect(),
        profiles: profiles(question),
        threads: question.threads,
        engine_cache_bytes: question.engine_cache_bytes,
        visits_max,
        ..Options::default()
    };
    Ok(simulate_reads(facts, &options)?)
}

/// The libraries of all readers, each once.
fn profiles(question: &Question<'_>) -> Vec<Profile> {
    let mut profiles: Vec<Profile> = Vec::new();
    for profile in question.readers.iter().flat_map(Reader::profiles) {
        if !profiles.contains(profile) {
            profiles.push(profile.clone());
        }
    }
    // Something must be simulated, even if hyperslab is the only reader.
    if profiles.is_empty() { Profile::defaults().into_iter().take(1).collect() } else { profiles }
}

/// The dataset in a storage of which `trial` was measured.
fn stored_as(question: &Question<'_>, storage: &Candidate, trial: &Trial) -> DatasetFacts {
    let present = question.facts;
    let chunk_bytes = storage.chunk_bytes(present.element_bytes).unwrap_or(present.logical_bytes);
    let data_bytes = if storage.pipeline.is_filtered() {
        // The parts of edge chunks that lie beyond the extent compress to almost nothing.
        (present.logical_bytes as f64 * trial.share()) as u64
    } else {
        storage.chunks(&present.shape).saturating_mul(chunk_bytes)
    };
    let mut facts = storage.facts(present, data_bytes);
    if storage.pipeline.is_filtered() {
        let library = trial.library.or_else(|| estimated_decoding(question, storage, trial));
        facts.samples = Some(decoding_of(trial, library));
    }
    facts
}

/// What decoding a chunk is estimated to cost the user's libhdf5, by how much longer than hyperslab it took to inflate another
/// one. `None` for what is not deflated, and if nothing was measured.
pub(crate) fn estimated_decoding(
    question: &Question<'_>,
    storage: &Candidate,
    trial: &Trial,
) -> Option<LibraryDecoding> {
    let factor = trial.inflate_factor.or(question.inflate_factor).filter(|_| is_deflate(storage))?;
    let filters = byte_filter_seconds(&storage.pipeline.facts());
    let of_byte = trial.decode_seconds_per_byte() * factor + filters;
    let bytes = storage.chunk_bytes(question.facts.element_bytes)? as f64;
    Some(LibraryDecoding { seconds: question.terms.load + of_byte * bytes, fresh_pages: 0.0 })
}

/// The speed of decoding that a trial measured.
fn decoding_of(trial: &Trial, library: Option<LibraryDecoding>) -> SampleMeasurement {
    SampleMeasurement {
        chunks: 1,
        stored_bytes: trial.encoded_bytes,
        decoded_bytes: trial.decoded_bytes,
        decode_seconds: trial.decode_seconds.max(1e-9),
        library,
        ..SampleMeasurement::default()
    }
}

/// The costs of a storage that was simulated, of which `trial` was measured.
pub(crate) fn of_storage(
    question: &Question<'_>,
    simulated: &SimulatedStorage,
    pipeline: &Pipeline,
    trial: &Trial,
) -> Result<Costed, AdviseError> {
    let storage = Candidate { chunk: simulated.chunk.clone(), pipeline: pipeline.clone() };
    let chunks = storage.chunks(&question.facts.shape);
    let index_bytes = if storage.chunk.is_some() { chunks.saturating_mul(INDEX_BYTES) } else { 0 };
    let facts = stored_as(question, &storage, trial);
    let costed = costed(question, storage, &facts, &simulated.reads)?;
    let writing = writing(question, &costed.storage, &facts, simulated.writing.as_ref(), trial)?;
    Ok(Costed {
        stored_bytes: facts.stored_bytes.saturating_add(index_bytes),
        writing: Some(writing),
        largest_error: pipeline.compression.is_lossy().then_some(trial.largest_error),
        ..costed
    })
}

/// Bytes of the dataset as it is, with its chunk index.
fn present_bytes(facts: &DatasetFacts) -> u64 {
    let chunks = facts.chunks.as_ref().map_or(0, |chunks| chunks.stored_chunks());
    facts.stored_bytes.saturating_add(chunks.saturating_mul(INDEX_BYTES))
}

/// Simulates the reads of the dataset as these facts, which are about the question's dataset, say that it is stored.
pub(crate) fn simulate_present(
    question: &Question<'_>,
    facts: &DatasetFacts,
    visits_max: u64,
) -> Result<SimulatedStorage, AdviseError> {
    let chunk = facts.chunk_dims().map(<[u64]>::to_vec);
    let is_filtered = !facts.filters.is_empty();
    Ok(SimulatedStorage { chunk, is_filtered, reads: reads(question, facts, visits_max)?, writing: None })
}

/// The costs of reading the dataset as it is, which was simulated. `trial` says how fast it is decoded where the facts do
/// not.
pub(crate) fn of_present(
    question: &Question<'_>,
    storage: Candidate,
    simulated: &SimulatedStorage,
    trial: Option<&Trial>,
) -> Result<Costed, AdviseError> {
    let mut facts = question.facts.clone();
    if let Some(trial) = trial.filter(|_| facts.samples.is_none()) {
        facts.samples = Some(decoding_of(trial, None));
    }
    let costed = costed(question, storage, &facts, &simulated.reads)?;
    Ok(Costed { stored_bytes: present_bytes(&facts), ..costed })
}

/// What writing the dataset in a storage costs, without its reads.
pub(crate) fn of_writing(
    question: &Question<'_>,
    storage: &Candidate,
    trial: &Trial,
    visits_max: u64,
) -> Result<WriteCost, AdviseError> {
    let facts = stored_as(question, storage, trial);
    let counts = simulate_writing(question, &facts, visits_max)?;
    writing(question, storage, &facts, counts.as_ref(), trial)
}

/// The costs of reads of a dataset that is stored as these facts say.
fn costed(
    question: &Question<'_>,
    storage: Candidate,
    facts: &DatasetFacts,
    simulated: &[SimulatedRead],
) -> Result<Costed, AdviseError> {
    let Some(geometry) = Geometry::of(facts).map_err(DoctorError::from)? else {
        let problem = "it has no layout".to_owned();
        return Err(DoctorError::from(GeometryError { path: facts.path.clone(), problem }).into());
    };
    let model = CostModel::new(facts, &geometry, question.terms, question.threads);
    let profiles = profiles(question);
    let of_reader = |reader: &Reader| -> Vec<ReadCost> {
        simulated.iter().map(|read| read_cost(question, reader, &profiles, read, &model, facts)).collect()
    };
    let by_reader: Vec<Vec<ReadCost>> = question.readers.iter().map(of_reader).collect();
    let weights: f64 = question.reads.iter().map(|read| read.weight).sum();
    let mean = |costs: &[ReadCost], of: fn(&ReadCost) -> f64| -> f64 {
        costs.iter().zip(&question.reads).map(|(cost, read)| of(cost) * read.weight).sum::<f64>() / weights
    };
    let seconds = by_reader.iter().map(|costs| mean(costs, |cost| cost.seconds)).collect();
    let requests = by_reader.iter().map(|costs| mean(costs, |cost| cost.requests as f64)).sum::<f64>();
    Ok(Costed {
        storage,
        stored_bytes: facts.stored_bytes,
        seconds,
        requests: requests / by_reader.len().max(1) as f64,
        reads: by_reader,
        writing: None,
        largest_error: None,
    })
}

fn is_deflate(storage: &Candidate) -> bool {
    matches!(
        storage.pipeline.compression,
        Compression::Gzip(_) | Compression::Rounded { .. } | Compression::Digits { .. }
    )
}

fn read_cost(
    question: &Question<'_>,
    reader: &Reader,
    profiles: &[Profile],
    read: &SimulatedRead,
    model: &CostModel,
    facts: &DatasetFacts,
) -> ReadCost {
    let place = &question.place;
    // Loads of filtered chunks take the mean of what these chunks take in the file.
    let stored =
        |loads: u64, chunks: u64| (facts.stored_bytes as f64 * loads as f64 / chunks.max(1) as f64) as u64;
    match &reader.kind {
        ReaderKind::Hyperslab => {
            let (counts, engine) = (&read.counts[0], &read.engine);
            let bytes =
                if engine.decodes > 0 { stored(engine.decodes, counts.chunks_touched) } else { engine.bytes };
            let waiting = place.seconds(engine.requests as f64, bytes as f64, place.link.connections);
            let seconds = model.engine_seconds(counts, engine) + waiting;
            ReadCost { seconds, requests: engine.requests, bytes, decodes: engine.decodes }
        }
        ReaderKind::Libhdf5(libraries) => {
            let of_library = |library: &Profile| -> Option<ReadCost> {
                let counts = read.counts.get(profiles.iter().position(|profile| profile == library)?)?;
                let is_decoded = counts.decodes > 0 && counts.decodes == counts.driver_reads;
                let bytes = if is_decoded {
                    stored(counts.decodes, counts.chunks_touched)
                } else {
                    counts.driver_bytes
                };
                // libhdf5 waits for each request.
                let waiting = place.seconds(counts.driver_reads as f64, bytes as f64, 1);
                let seconds = model.seconds(counts) + waiting;
                Some(ReadCost { seconds, requests: counts.driver_reads, bytes, decodes: counts.decodes })
            };
            let costs = libraries.iter().filter_map(of_library);
            let none = ReadCost { seconds: 0.0, requests: 0, bytes: 0, decodes: 0 };
            costs.max_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap_or(none)
        }
    }
}

/// What writing all of it once costs: in libhdf5, a chunk that leaves the cache before it is full is decoded and encoded
/// again.
fn writing(
    question: &Question<'_>,
    storage: &Candidate,
    facts: &DatasetFacts,
    counts: Option<&SweepCounts>,
    trial: &Trial,
) -> Result<WriteCost, AdviseError> {
    let (bytes, logical) = (facts.stored_bytes as f64, facts.logical_bytes as f64);
    let cost = |seconds: f64| WriteCost {
        seconds,
        decode_seconds: logical * trial.decode_seconds_per_byte(),
        encode_seconds: logical * trial.repack_encode_seconds_per_byte(),
    };
    let (Some(chunk_bytes), Some(geometry)) =
        (storage.chunk_bytes(facts.element_bytes), Geometry::of(facts).map_err(DoctorError::from)?)
    else {
        return Ok(cost(bytes / WRITE_BYTES_PER_SECOND));
    };
    let factor = if is_deflate(storage) { ZLIB_ENCODE_FACTOR } else { 1.0 };
    let encode = trial.encode_seconds_per_byte() * factor * chunk_bytes as f64;
    let once = storage.chunks(&facts.shape) as f64;
    let first = once * encode + bytes / WRITE_BYTES_PER_SECOND;
    let Some(counts) = counts else { return Ok(cost(first)) };
    let again = if storage.pipeline.is_filtered() {
        let model = CostModel::new(facts, &geometry, question.terms, 1);
        (counts.decodes as f64 - once).max(0.0) * (model.decode_once() + encode)
    } else {
        2.0 * (counts.driver_bytes as f64 - bytes).max(0.0) / WRITE_BYTES_PER_SECOND
    };
    Ok(cost(first + again))
}
