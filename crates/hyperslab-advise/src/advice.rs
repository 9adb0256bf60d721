//! The answer: a recommendation for all readers and for each, with what speaks for it and against the others.

use crate::cache::CacheAnswer;
use crate::candidate::Candidate;
use crate::choose::{Choice, Served};
use crate::cost::{Costed, ReadCost};
use crate::error::AdviseError;
use crate::lines::{Line, Origin, Target, encoding, lines};
use crate::pipeline::Pipeline;
use crate::question::Question;
use crate::search::{Found, search};
use crate::sensitivity::ShareRange;
use crate::trial::Trials;
use crate::{cache, pareto, sensitivity};
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::WRITE_BYTES_PER_SECOND;
use hyperslab_storage::lines::Encoding;
use hyperslab_storage::pattern::shape_beside;
use serde::Serialize;

/// The advice on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Absolute path in the file.
    pub path: String,
    /// Current extent.
    pub shape: Vec<u64>,
    /// Element type, as h5py writes it.
    pub dtype: String,
    /// Elements times their size.
    pub logical_bytes: u64,
    /// Where the file will lie.
    pub place: String,
    /// The reads that it is about.
    pub reads: Vec<ReadAnswer>,
    /// The readers that it is about.
    pub readers: Vec<String>,
    /// The most bytes that the data may take; null if there is no bound.
    pub size_max: Option<u64>,
    /// The size of the smallest storage that was tried, if even that exceeds `size_max`; else null.
    pub smallest_beyond_size_max: Option<u64>,
    /// The dataset as it is.
    pub present: StorageAnswer,
    /// For all readers together, and, if there are several, for each.
    pub recommendations: Vec<Recommendation>,
    /// The chunk caches with which readers through libhdf5 read it well as it is; none where that gains little.
    pub caches: Vec<CacheAnswer>,
    /// The storages that no other beats in read time, size, write time and requests, for all readers; the fastest first.
    pub pareto: Vec<StorageAnswer>,
    /// Chunk shapes that were considered.
    pub shapes_considered: usize,
    /// Storages whose reads were simulated.
    pub simulated: usize,
    /// Storages whose size and speed were measured on samples.
    pub measured: usize,
    /// True if the time was over before all was measured that would have been.
    pub is_cut: bool,
    /// Where the values come from: of those that are in no HDF5 file yet, the present storage is that of their plain values.
    #[serde(skip)]
    pub origin: Origin,
}

/// A read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReadAnswer {
    /// Its name.
    pub name: String,
    /// Extent of the block.
    pub block: Vec<u64>,
    /// The relative weight of this read.
    pub weight: f64,
}

impl ReadAnswer {
    /// `time series 1460x1x1`, or the shape alone where it is the name.
    pub fn text(&self) -> String {
        match shape_beside(&self.name, &self.block) {
            Some(shape) => format!("{} {shape}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A storage and its costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StorageAnswer {
    /// Extent of a chunk; null for contiguous storage.
    pub chunk: Option<Vec<u64>>,
    /// Bytes of a decoded chunk; null for contiguous storage.
    pub chunk_bytes: Option<u64>,
    /// The filters, as `hyperslab repack --filter` takes them.
    pub filters: String,
    /// Bytes in the file, with the chunk index.
    pub stored_bytes: u64,
    /// Seconds of writing it by libhdf5; null for a present storage whose filters were not tried.
    pub write_seconds: Option<f64>,
    /// Requests of all reads, by their weights, on average over the readers.
    pub requests: f64,
    /// Seconds of all reads by their weights, for each reader.
    pub seconds: Vec<f64>,
    /// What each read costs, by reader and read.
    pub reads: Vec<Vec<ReadCost>>,
    /// Dollars of all reads by their weights, on average over the readers.
    pub dollars: f64,
    /// The largest error of a value in the sampled chunks; missing for lossless filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_error: Option<f64>,
    /// The same as a share of the value, where the bound of the error is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_relative_error: Option<f64>,
    /// The most by which any value changes, as a share of it, as the filter promises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_error_max: Option<f64>,
    /// The chunks and filters.
    #[serde(skip)]
    pub(crate) storage: Candidate,
}

impl StorageAnswer {
    /// The dataset of these facts, as it is then stored.
    pub fn facts(&self, present: &DatasetFacts) -> DatasetFacts {
        self.storage.facts(present, self.stored_bytes)
    }
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The dataset is stored well already.
    AlreadyGood,
    /// Rewrite it as recommended.
    Rewrite,
}

/// A recommendation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// The reader that it is for, or `all`.
    pub reader: String,
    /// What to do.
    pub verdict: Verdict,
    /// The recommended storage; the present one if it is good.
    pub storage: StorageAnswer,
    /// How soon rewriting pays back; null if nothing is to be rewritten, or if it saves bytes and no time.
    pub payback: Option<Payback>,
    /// The nearest other storages, and why they are not recommended.
    pub alternatives: Vec<Alternative>,
    /// For which shares of each read it holds.
    pub sensitivity: Vec<ShareRange>,
    /// The storage as xarray's `Dataset.to_netcdf` takes it for the variable; null where netCDF-C has no word for it.
    pub encoding: Option<Encoding>,
    /// The lines that make it; none if nothing is to be rewritten.
    pub lines: Vec<Line>,
}

/// How soon rewriting pays back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Payback {
    /// Seconds that `hyperslab repack` takes, as estimated.
    pub repack_seconds: f64,
    /// Seconds that are saved each time that the dataset is read, by the weights of the reads.
    pub saved_seconds: f64,
    /// How often it must be read.
    pub reads: u64,
}

/// A storage that was not recommended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alternative {
    /// The storage.
    pub storage: StorageAnswer,
    /// Why not.
    pub why_not: WhyNot,
}

/// Why a storage was not recommended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum WhyNot {
    /// It is faster, but takes more bytes than are allowed.
    TooLarge {
        /// How many times as fast.
        faster: f64,
    },
    /// It takes fewer bytes, but all reads together take longer.
    SmallerButSlower {
        /// Its share of the bytes of the recommended one.
        bytes: f64,
        /// How many times as long.
        slower: f64,
    },
    /// It is the best for one read, but another takes longer.
    SlowsAnother {
        /// The read that it is best for.
        best_for: String,
        /// How many times as fast that is.
        faster: f64,
        /// The read that takes longer.
        slows: String,
        /// How many times as long that takes.
        slower: f64,
    },
    /// It is faster, but not every reader can read it.
    Unreadable {
        /// A reader that cannot.
        reader: String,
        /// How many times as fast for those that can.
        faster: f64,
    },
    /// It is faster for most, but one reader's reads take longer than they do now.
    SlowsReader {
        /// How many times as fast it is, on average over the readers.
        faster: f64,
        /// The reader that loses most.
        reader: String,
        /// How many times as long as now its reads take.
        slower: f64,
    },
    /// Nothing is wrong with it: it is about as good.
    AboutAsGood {
        /// How many times as long all reads take.
        slower: f64,
    },
}

/// A read that becomes slower by less than this did not become slower.
const SLOWER: f64 = 1.1;
/// Another storage is worth naming for one read if that gains as much.
const FASTER: f64 = 1.25;
/// Another storage is worth naming for its size if it saves as much.
const SMALLER: f64 = 0.85;

/// Finds the best storages of a dataset. `None` for data that has no chunks to choose: scalars, empty and compact datasets,
/// virtual and external ones, and data of variable length, whose values lie elsewhere.
///
/// # Errors
/// [`AdviseError::Rank`] if a block has another rank than the dataset, [`AdviseError::Doctor`] if its size exceeds 64 bits.
pub fn advise(question: &Question<'_>, trials: &mut dyn Trials) -> Result<Option<Advice>, AdviseError> {
    question.check()?;
    let facts = question.facts;
    if !question.has_answer() {
        return Ok(None);
    }
    let Found { present, storages, shapes, simulated, measured, is_cut } = search(question, trials)?;
    let caches = cache::caches(question, &present)?;
    let all: Vec<Costed> = std::iter::once(present).chain(storages).collect();
    let choice = Choice::new(question, &all);
    let mut recommendations = vec![recommend(question, &choice, Served::All)];
    if question.readers.len() > 1 {
        let each =
            (0..question.readers.len()).map(|reader| recommend(question, &choice, Served::One(reader)));
        recommendations.extend(each);
    }
    let size_max = choice.size_max();
    Ok(Some(Advice {
        path: facts.path.clone(),
        shape: facts.shape.clone(),
        dtype: facts.dtype.clone(),
        logical_bytes: facts.logical_bytes,
        place: question.place.name.clone(),
        reads: question
            .reads
            .iter()
            .map(|read| ReadAnswer {
                name: read.name.clone(),
                block: read.block.clone(),
                weight: read.weight,
            })
            .collect(),
        readers: question.readers.iter().map(|reader| reader.name.clone()).collect(),
        size_max: (size_max < u64::MAX).then_some(size_max),
        smallest_beyond_size_max: choice.smallest_beyond_bound(Served::All),
        present: answer(question, &all, 0),
        recommendations,
        caches,
        pareto: pareto::front(&choice, Served::All)
            .into_iter()
            .map(|at| answer(question, &all, at))
            .collect(),
        shapes_considered: shapes,
        simulated,
        measured,
        is_cut,
        origin: question.target.origin,
    }))
}

impl Advice {
    /// Writes the lines anew, for a target that has become known since: the pages of the new file. `facts` are those of the
    /// question.
    pub fn with_target(&mut self, target: &Target, facts: &DatasetFacts) {
        for one in self.recommendations.iter_mut().filter(|one| one.verdict == Verdict::Rewrite) {
            one.lines = lines(target, facts, &one.storage.storage);
        }
    }
}

fn recommend(question: &Question<'_>, choice: &Choice<'_>, served: Served) -> Recommendation {
    let best = choice.best(served);
    // Values that are in no HDF5 file yet have no storage that could be kept.
    let is_good = question.target.origin == Origin::Hdf5 && choice.is_present_good(served, best);
    let chosen = if is_good { 0 } else { best };
    let reader = match served {
        Served::All => "all".to_owned(),
        Served::One(reader) => question.readers[reader].name.clone(),
    };
    let storage = answer(question, choice.storages, chosen);
    let chosen_storage = &choice.storages[chosen].storage;
    // Filters of the present storage that are none of a pipeline have no words either.
    let encoding = encoding(chosen_storage).filter(|_| storage.filters == chosen_storage.pipeline.text());
    let (verdict, lines) = if is_good {
        (Verdict::AlreadyGood, Vec::new())
    } else {
        (Verdict::Rewrite, lines(&question.target, question.facts, chosen_storage))
    };
    Recommendation {
        reader,
        verdict,
        storage,
        payback: payback(question, choice, served, chosen),
        alternatives: alternatives(question, choice, served, chosen),
        sensitivity: sensitivity::ranges(question, choice, served, chosen),
        encoding,
        lines,
    }
}

fn answer(question: &Question<'_>, storages: &[Costed], at: usize) -> StorageAnswer {
    let pipeline = &storages[at].storage.pipeline;
    let filters = if at == 0 { filters_of_present(question, pipeline) } else { pipeline.text() };
    answer_of(question, &storages[at], filters)
}

/// A storage as it is told.
pub(crate) fn answer_of(question: &Question<'_>, costed: &Costed, filters: String) -> StorageAnswer {
    let Costed { storage, stored_bytes, reads, seconds, requests, writing, largest_error } = costed;
    let promise = storage.pipeline.compression.largest_share();
    StorageAnswer {
        chunk: storage.chunk.clone(),
        chunk_bytes: storage.chunk_bytes(question.facts.element_bytes),
        filters,
        stored_bytes: *stored_bytes,
        write_seconds: writing.map(|writing| writing.seconds),
        requests: *requests,
        seconds: seconds.clone(),
        reads: reads.clone(),
        dollars: dollars(question, reads),
        largest_error: largest_error.filter(|_| promise.is_none()),
        largest_relative_error: largest_error.filter(|_| promise.is_some()),
        relative_error_max: promise,
        storage: storage.clone(),
    }
}

/// Dollars of all reads by their weights, on average over the readers. `reads` is by reader and read.
pub(crate) fn dollars(question: &Question<'_>, reads: &[Vec<ReadCost>]) -> f64 {
    let weights: f64 = question.reads.iter().map(|read| read.weight).sum();
    let price = |cost: &ReadCost| question.place.price(cost.requests as f64, cost.bytes as f64);
    let of_reader = |costs: &Vec<ReadCost>| -> f64 {
        costs.iter().zip(&question.reads).map(|(cost, read)| price(cost) * read.weight).sum::<f64>() / weights
    };
    reads.iter().map(of_reader).sum::<f64>() / reads.len().max(1) as f64
}

/// The filters of the file itself, which may be others than those that are considered.
pub(crate) fn filters_of_present(question: &Question<'_>, pipeline: &Pipeline) -> String {
    let filters = &question.facts.filters;
    if pipeline.requests().len() == filters.len() {
        return pipeline.text();
    }
    let names: Vec<&str> = filters.iter().map(|filter| filter.description.as_str()).collect();
    names.join(", ")
}

/// Seconds that `hyperslab repack` takes, as estimated.
pub(crate) fn repack_seconds(question: &Question<'_>, present: &Costed, new: &Costed) -> f64 {
    let work = present.writing.map_or(0.0, |writing| writing.decode_seconds)
        + new.writing.map_or(0.0, |writing| writing.encode_seconds);
    let moved = (present.stored_bytes + new.stored_bytes) as f64 / WRITE_BYTES_PER_SECOND;
    work / question.threads.max(1) as f64 + moved
}

fn payback(question: &Question<'_>, choice: &Choice<'_>, served: Served, chosen: usize) -> Option<Payback> {
    let (present, new) = (&choice.storages[0], &choice.storages[chosen]);
    let saved_seconds = choice.seconds(served, 0) - choice.seconds(served, chosen);
    if chosen == 0 || saved_seconds <= 0.0 || question.target.origin != Origin::Hdf5 {
        return None;
    }
    let repack_seconds = repack_seconds(question, present, new);
    Some(Payback {
        repack_seconds,
        saved_seconds,
        reads: (repack_seconds / saved_seconds).ceil().max(1.0) as u64,
    })
}

/// The nearest other storages, each once, in the order in which a user would ask for them.
fn alternatives(
    question: &Question<'_>,
    choice: &Choice<'_>,
    served: Served,
    chosen: usize,
) -> Vec<Alternative> {
    let scores = choice.own_scores(served);
    let readable = |at: &usize| choice.is_readable(served, *at);
    let fastest =
        |among: &mut dyn Iterator<Item = usize>| among.min_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let own = &choice.storages[chosen];
    let everything = || 0..choice.storages.len();
    let mut found: Vec<(usize, WhyNot)> = Vec::new();
    let mut add = |at: usize, why_not: WhyNot| {
        if at != chosen && !found.iter().any(|(other, _)| *other == at) {
            found.push((at, why_not));
        }
    };
    let faster = |at: usize| scores[chosen] / scores[at].max(1e-12);

    let eligible = choice.eligible(served);
    if let Some(second) = fastest(&mut eligible.iter().copied().filter(|at| *at != chosen && *at != 0)) {
        add(second, WhyNot::AboutAsGood { slower: scores[second] / scores[chosen].max(1e-12) });
    }
    let slowing = |at: &usize| choice.slowed_reader(served, 0, *at).is_some();
    if let Some(at) = fastest(&mut choice.allowed(served).into_iter().filter(slowing))
        && faster(at) > SLOWER
        && let Some((reader, slower)) = choice.slowed_reader(served, 0, at)
    {
        let reader = question.readers[reader].name.clone();
        add(at, WhyNot::SlowsReader { faster: faster(at), reader, slower });
    }
    if let Some(large) = fastest(&mut everything().filter(readable).filter(|at| !choice.fits(*at)))
        && faster(large) > SLOWER
    {
        add(large, WhyNot::TooLarge { faster: faster(large) });
    }
    let by_size = |a: &usize, b: &usize| {
        let size = |at: usize| choice.storages[at].stored_bytes;
        size(*a).cmp(&size(*b)).then(scores[*a].total_cmp(&scores[*b]))
    };
    if let Some(small) = eligible.iter().copied().min_by(by_size) {
        let bytes = choice.storages[small].stored_bytes as f64 / own.stored_bytes.max(1) as f64;
        if bytes < SMALLER {
            add(small, WhyNot::SmallerButSlower { bytes, slower: scores[small] / scores[chosen].max(1e-12) });
        }
    }
    for (number, read) in question.reads.iter().enumerate() {
        let seconds = |at: usize, read: usize| choice.read_seconds(served, at, read).max(1e-9);
        let best =
            eligible.iter().copied().min_by(|a, b| seconds(*a, number).total_cmp(&seconds(*b, number)));
        let Some(best) = best else { continue };
        let gain = seconds(chosen, number) / seconds(best, number);
        let loss = |other: &usize| seconds(best, *other) / seconds(chosen, *other);
        let slowed = (0..question.reads.len()).max_by(|a, b| loss(a).total_cmp(&loss(b)));
        if let Some(slowed) = slowed.filter(|slowed| gain > FASTER && loss(slowed) > SLOWER) {
            add(
                best,
                WhyNot::SlowsAnother {
                    best_for: read.name.clone(),
                    faster: gain,
                    slows: question.reads[slowed].name.clone(),
                    slower: loss(&slowed),
                },
            );
        }
    }
    // For those readers that can read more than the others.
    for reader in choice.readers(served) {
        let more = Served::One(reader);
        let best = choice.best(more);
        let lacking = choice
            .readers(served)
            .into_iter()
            .find(|other| !question.readers[*other].reads(&choice.storages[best].storage.pipeline));
        if let Some(lacking) = lacking {
            let gain = own.seconds[reader] / choice.storages[best].seconds[reader].max(1e-12);
            add(best, WhyNot::Unreadable { reader: question.readers[lacking].name.clone(), faster: gain });
        }
    }
    found
        .into_iter()
        .map(|(at, why_not)| Alternative { storage: answer(question, choice.storages, at), why_not })
        .collect()
}
