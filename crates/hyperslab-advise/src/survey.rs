//! What repacking a dataset would save, found in a small share of the time of [`advise`](crate::advise): for archives of many
//! files.
//!
//! A survey tries a few chunk shapes, and of the filters those of the dataset and those that every libhdf5 has. Samples are
//! cut out in the dataset's own chunks, which are cheap to read; chunks of other shapes are assumed to compress alike.
//! Sizes are measured, speeds are assumed. There are two answers: the storage that is read fastest at the bound of the size, and the smallest one.
//! Datasets that are stored alike, as those of a product line are, differ only in how small their values become: their reads
//! are simulated once.

use crate::advice::{dollars, filters_of_present, repack_seconds};
use crate::candidate::Candidate;
use crate::choose::{Choice, Served};
use crate::cost::{self, Costed, SimulatedStorage};
use crate::pipeline::{Compression, Pipeline};
use crate::trial::{Trial, Trials};
use crate::{AdviseError, Question, rank, shapes};
use hyperslab_doctor::{DatasetFacts, Layout};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What repacking a dataset would save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// Absolute path in the file.
    pub path: String,
    /// Current extent.
    pub shape: Vec<u64>,
    /// Element type, as h5py writes it.
    pub dtype: String,
    /// Elements times their size.
    pub logical_bytes: u64,
    /// The dataset as it is.
    pub present: SurveyedStorage,
    /// The storage that is read fastest at the bound of the size; null if the present one is about as good.
    pub fastest: Option<SurveyedStorage>,
    /// The smallest storage; null if the present one is about as small.
    pub smallest: Option<SurveyedStorage>,
}

/// A storage, with its costs on average over the readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurveyedStorage {
    /// Extent of a chunk; null for contiguous storage.
    pub chunk: Option<Vec<u64>>,
    /// The filters, as `hyperslab repack --filter` takes them.
    pub filters: String,
    /// Bytes in the file, with the chunk index.
    pub stored_bytes: u64,
    /// Seconds of reading all of it once, on average over the reads by their weights.
    pub seconds: f64,
    /// Requests for the same.
    pub requests: f64,
    /// Dollars for the same.
    pub dollars: f64,
    /// Seconds that `hyperslab repack` takes to make it, as estimated; 0 for the present one.
    pub repack_seconds: f64,
}

/// Shapes that are simulated.
const SHAPES_FILTERED: usize = 4;
const SHAPES_RAW: usize = 3;
/// Shapes that are estimated.
const LATTICE_MAX: usize = 400;
/// Chunk visits of one simulation.
const VISITS_MAX: u64 = 10_000;
/// The level at which deflate is tried.
const LEVEL: u32 = 4;

/// Speeds of hyperslab's deflate. They are not measured: what a busy machine takes for a small sample says little, and the same
/// files shall have the same ranks each time.
const DECODED_BYTES_PER_SECOND: f64 = 5.0e8;
const ENCODED_BYTES_PER_SECOND: f64 = 1.0e8;
const FAST_ENCODED_BYTES_PER_SECOND: f64 = 4.0e8;

/// Surveys datasets, and remembers the simulations of those that are stored alike. May be used by several threads.
#[derive(Default)]
pub struct Surveyor {
    remembered: Mutex<HashMap<Key, Arc<Simulations>>>,
}

/// Everything that simulations depend on, of datasets all of whose chunks are stored.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    shape: Vec<u64>,
    element_bytes: u64,
    chunk: Option<Vec<u64>>,
    is_filtered: bool,
    edge_chunks_unfiltered: bool,
    /// Blocks and the bits of their weights.
    reads: Vec<(Vec<u64>, u64)>,
    readers: Vec<String>,
    place: String,
    engine_cache_bytes: u64,
}

struct Simulations {
    present: SimulatedStorage,
    /// The best shapes, filtered and not.
    others: Vec<SimulatedStorage>,
}

impl Surveyor {
    /// Finds what repacking a dataset would save. `None` for data that has no chunks to choose.
    ///
    /// The samples are asked for in the dataset's own chunks, or, if it has none, in those that are best.
    ///
    /// # Errors
    /// As [`advise`](crate::advise).
    pub fn survey(
        &self,
        question: &Question<'_>,
        trials: &mut dyn Trials,
    ) -> Result<Option<Survey>, AdviseError> {
        question.check()?;
        if !question.has_answer() {
            return Ok(None);
        }
        let facts = question.facts;
        let simulations = self.simulations(question)?;
        let own = Pipeline::of(&facts.filters);
        let checksum = own.as_ref().is_some_and(|own| own.checksum);
        let gzip =
            Pipeline { shuffle: facts.element_bytes > 1, compression: Compression::Gzip(LEVEL), checksum };
        let mut pipelines = vec![gzip.clone()];
        let compressing = own.clone().filter(|own| own.compression != Compression::None && *own != gzip);
        pipelines.extend(compressing);

        let best = simulations.others.iter().find(|one| one.is_filtered).and_then(|one| one.chunk.clone());
        let Some(sampled) = facts.chunk_dims().map(<[u64]>::to_vec).or(best) else { return Ok(None) };
        let trials =
            trials.measure(&sampled, &pipelines).into_iter().map(|trial| trial.map(at_assumed_speed));
        let measured: Vec<(Pipeline, Trial)> = pipelines
            .into_iter()
            .zip(trials)
            .filter_map(|(pipeline, trial)| Some((pipeline, trial?)))
            .collect();
        let own_trial = measured.iter().find(|(pipeline, _)| Some(pipeline) == own.as_ref()).map(|one| one.1);

        let present_storage = Candidate {
            chunk: facts.chunk_dims().map(<[u64]>::to_vec),
            pipeline: own.unwrap_or(Pipeline::NONE),
        };
        let mut present =
            cost::of_present(question, present_storage.clone(), &simulations.present, own_trial.as_ref())?;
        let present_trial = own_trial.or_else(|| facts.filters.is_empty().then_some(Trial::RAW));
        let writing =
            present_trial.map(|trial| cost::of_writing(question, &present_storage, &trial, VISITS_MAX));
        present.writing = writing.transpose()?;

        let mut all = vec![present];
        for simulated in &simulations.others {
            if simulated.is_filtered {
                for (pipeline, trial) in &measured {
                    let trial = own_trial.map_or(*trial, |own| scaled(facts, trial, &own));
                    all.push(cost::of_storage(question, simulated, pipeline, &trial)?);
                }
            } else if !checksum {
                all.push(cost::of_storage(question, simulated, &Pipeline::NONE, &Trial::RAW)?);
            }
        }
        all.retain({
            let mut is_first = true;
            move |one| std::mem::take(&mut is_first) || one.storage != present_storage
        });
        Ok(Some(survey(question, &all)))
    }

    /// The simulations of this dataset, or of one that is stored alike.
    fn simulations(&self, question: &Question<'_>) -> Result<Arc<Simulations>, AdviseError> {
        let facts = question.facts;
        if !is_complete(facts) {
            return simulate(question, facts).map(Arc::new);
        }
        let key = Key {
            shape: facts.shape.clone(),
            element_bytes: facts.element_bytes,
            chunk: facts.chunk_dims().map(<[u64]>::to_vec),
            is_filtered: !facts.filters.is_empty(),
            edge_chunks_unfiltered: facts.edge_chunks_unfiltered,
            reads: question.reads.iter().map(|read| (read.block.clone(), read.weight.to_bits())).collect(),
            readers: question.readers.iter().map(|reader| reader.name.clone()).collect(),
            place: question.place.name.clone(),
            engine_cache_bytes: question.engine_cache_bytes,
        };
        let known = self.remembered.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        // Not under the lock: two threads may simulate the same, which is better than that one waits.
        let all_alike = DatasetFacts { chunks: None, ..facts.clone() };
        let made = Arc::new(simulate(question, &all_alike)?);
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        Ok(made)
    }
}

/// True if every chunk is stored, with all filters: the counts of a read then depend on extents alone.
fn is_complete(facts: &DatasetFacts) -> bool {
    match (&facts.layout, &facts.chunks) {
        (Layout::Contiguous { allocated }, _) => *allocated,
        (_, Some(chunks)) => {
            let is_filtered = facts.filters.is_empty() || chunks.filtered_chunks() == chunks.grid_chunks();
            chunks.is_complete() && is_filtered
        }
        (_, None) => true,
    }
}

fn simulate(question: &Question<'_>, present: &DatasetFacts) -> Result<Simulations, AdviseError> {
    let blocks: Vec<Vec<u64>> = question.reads.iter().map(|read| read.block.clone()).collect();
    let all =
        shapes::shapes(&present.shape, present.element_bytes, &blocks, present.chunk_dims(), LATTICE_MAX);
    let mut others = Vec::new();
    let mut add = |is_filtered: bool, number: usize| -> Result<(), AdviseError> {
        let mut best = rank::best(question, &all, is_filtered, number);
        // The present shape under other filters, too.
        best.extend(present.chunk_dims().map(<[u64]>::to_vec).filter(|chunk| !best.contains(chunk)));
        for chunk in best {
            others.push(cost::simulate(question, Some(&chunk), is_filtered, VISITS_MAX)?);
        }
        Ok(())
    };
    add(true, SHAPES_FILTERED)?;
    // What is compressed would grow too much without.
    if present.filters.is_empty() {
        add(false, SHAPES_RAW)?;
    }
    Ok(Simulations { present: cost::simulate_present(question, present, VISITS_MAX)?, others })
}

/// A trial with its sizes alone.
fn at_assumed_speed(trial: Trial) -> Trial {
    let bytes = trial.decoded_bytes as f64;
    Trial {
        encode_seconds: bytes / ENCODED_BYTES_PER_SECOND,
        fast_encode_seconds: trial.fast_encode_seconds.map(|_| bytes / FAST_ENCODED_BYTES_PER_SECOND),
        decode_seconds: bytes / DECODED_BYTES_PER_SECOND,
        ..trial
    }
}

/// A trial with the size that the whole dataset would have: samples may be smaller or larger than the rest of the values,
/// but all filters see the same ones, and what the dataset's own make of all of it is known.
fn scaled(facts: &DatasetFacts, trial: &Trial, own: &Trial) -> Trial {
    let stored = facts.stored_bytes as f64 / facts.logical_bytes.max(1) as f64;
    let share = stored * trial.share() / own.share().max(1e-9);
    Trial { encoded_bytes: (trial.decoded_bytes as f64 * share) as u64, ..*trial }
}

fn survey(question: &Question<'_>, all: &[Costed]) -> Survey {
    let facts = question.facts;
    let choice = Choice::new(question, all);
    let best = choice.best(Served::All);
    let fastest = if choice.is_present_good(Served::All, best) { 0 } else { best };
    let smallest = choice.smallest(Served::All);
    let storage = |at: usize| {
        let Costed { storage, stored_bytes, reads, requests, .. } = &all[at];
        let filters =
            if at == 0 { filters_of_present(question, &storage.pipeline) } else { storage.pipeline.text() };
        SurveyedStorage {
            chunk: storage.chunk.clone(),
            filters,
            stored_bytes: *stored_bytes,
            seconds: choice.seconds(Served::All, at),
            requests: *requests,
            dollars: dollars(question, reads),
            repack_seconds: if at == 0 { 0.0 } else { repack_seconds(question, &all[0], &all[at]) },
        }
    };
    Survey {
        path: facts.path.clone(),
        shape: facts.shape.clone(),
        dtype: facts.dtype.clone(),
        logical_bytes: facts.logical_bytes,
        present: storage(0),
        fastest: (fastest > 0).then(|| storage(fastest)),
        smallest: (smallest > 0).then(|| storage(smallest)),
    }
}
