//! The description of a plan, which `hyperslab explain` prints and tests check.

use super::{CacheView, ChunkElements, ChunkPlan, ChunkRequest, ChunkStep, RawStep, ReadPlan, Steps};
use crate::array::{Array, Chunked, Operation, Storage};
use crate::read::raw;
use crate::selection::Run;
use crate::{Error, Result, Selection};
use hyperslab_io::{Advice, split};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The description of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Path of the dataset.
    pub dataset: String,
    /// Shape of the result.
    pub shape: Vec<u64>,
    /// Bytes of the result.
    pub result_bytes: u64,
    /// Where the data comes from: `chunked`, `contiguous`, `compact`, `external`, `virtual`, `fill value`, `nothing`.
    pub layout: &'static str,
    /// The number of touched chunks, existing or not.
    pub chunks_touched: u64,
    /// The number of these that were never written.
    pub chunks_missing: u64,
    /// The number of these that are in the cache.
    pub chunks_cached: u64,
    /// The number of these that must be decoded.
    pub decodes: u64,
    /// Filters as they are undone, in that order: `["gzip 4", "shuffle"]`.
    pub filters: Vec<String>,
    /// The number of requests.
    pub requests_made: u64,
    /// The bytes of all requests.
    pub fetched_bytes: u64,
    /// The first 65,536 requests: those of the dataset's own file, sorted by offset, then those of the sources of a
    /// virtual dataset, source by source.
    pub requests: Vec<ExplainedRequest>,
    /// The first 65,536 chunks whose values are the fill value.
    pub missing: Vec<ExplainedChunk>,
}

/// A source of a virtual dataset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExplainedSource {
    /// Path or URL of its file.
    pub file: String,
    /// Its path in that file.
    pub dataset: String,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRequest {
    /// The source that contains the bytes, if the dataset is virtual.
    pub source: Option<Arc<ExplainedSource>>,
    /// The requested bytes of the file.
    pub range: Range<u64>,
    /// The chunks that they contain; empty for contiguous data.
    pub chunks: Vec<ExplainedChunk>,
}

/// One chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedChunk {
    /// The coordinates in the chunk grid.
    pub coordinates: Vec<u64>,
    /// The stored bytes in the file; `None` if it was never written.
    pub range: Option<Range<u64>>,
    /// Bit `i` is set if filter `i` was skipped.
    pub filter_mask: u32,
    /// True if the stored bytes are the values.
    pub is_raw: bool,
    /// The number of wanted elements.
    pub elements: u64,
    /// Their destination in the result: the first index and the count along each axis, or points.
    pub lands: String,
}

/// The most requests, and chunks without storage, that are listed; the others are only counted.
const KEPT_MAX: usize = 1 << 16;
/// The most chunks that are explained; describing more would take too long.
const EXPLAINED_MAX: u64 = 1 << 24;

impl Explained {
    /// Plans a read of `selection` and describes it.
    pub fn new(array: &Array, selection: &Selection, operation: &Operation) -> Result<Self> {
        let mut explained = Explained {
            dataset: array.origin.path.clone(),
            shape: array.measure(selection)?.shape.to_vec(),
            result_bytes: 0,
            layout: "nothing",
            chunks_touched: 0,
            chunks_missing: 0,
            chunks_cached: 0,
            decodes: 0,
            filters: Vec::new(),
            requests_made: 0,
            fetched_bytes: 0,
            requests: Vec::new(),
            missing: Vec::new(),
        };
        explained.add_array(array, selection, None, operation)?;
        Ok(explained)
    }

    /// Adds a read of an array, which may be the source of a virtual one.
    fn add_array(
        &mut self,
        array: &Array,
        selection: &Selection,
        source: Option<&Arc<ExplainedSource>>,
        operation: &Operation,
    ) -> Result<()> {
        let first = self.requests.len();
        ReadPlan::for_each(array, array.measure(selection)?, None, CacheView::Observe, |plan| {
            if self.chunks_touched > EXPLAINED_MAX {
                let what =
                    format!("the selection touches more than {EXPLAINED_MAX} chunks, too many to explain");
                return Err(Error::limit(what).with_hint("explain a part of it"));
            }
            if source.is_none() {
                self.describe_array(array, plan);
            }
            self.add(plan, source)
        })?;
        self.requests[first..].sort_by_key(|request| request.range.start);
        let Storage::Virtual(sources) = &array.storage else { return Ok(()) };
        let shape = array.measure(selection)?.shape;
        operation.deeper(|| {
            sources.for_each_part(selection, &shape, operation, &mut |part| {
                let origin = &part.source.origin;
                let source = ExplainedSource { file: origin.file.name(), dataset: origin.path.clone() };
                self.add_array(part.source, part.selection, Some(&Arc::new(source)), operation)
            })
        })
    }

    /// Notes what is told of the array that was asked for.
    fn describe_array(&mut self, array: &Array, plan: &ReadPlan) {
        self.layout = match &plan.steps {
            Steps::Nothing => return,
            Steps::Fill if !array.storage.is_virtual() => "fill value",
            _ => array.storage.name(),
        };
        self.result_bytes = plan.result_bytes();
        if let Steps::Chunks(chunks) = &plan.steps {
            self.filters = chunks.chunked.filters.undone();
        }
    }

    /// Adds the requests of a plan.
    fn add(&mut self, plan: &ReadPlan, source: Option<&Arc<ExplainedSource>>) -> Result<()> {
        match &plan.steps {
            Steps::Nothing | Steps::Fill | Steps::Compact { .. } => Ok(()),
            Steps::Contiguous { data, base, record_bytes, dims, points, requests } => {
                let copies = plan.whole_copies(dims, points.as_ref(), *record_bytes)?;
                raw::check_source(&*data.source, *base, &copies)?;
                self.raw(requests, *base, source, data.source.advice(), Vec::new);
                Ok(())
            }
            Steps::Chunks(chunks) => {
                self.chunks(plan, chunks, source);
                Ok(())
            }
        }
    }

    fn chunks(&mut self, plan: &ReadPlan, steps: &ChunkPlan, source: Option<&Arc<ExplainedSource>>) {
        let describe = |chunk: &ChunkStep| plan.describe(&steps.chunked, chunk);
        let at = |index: u32| &steps.chunks[index as usize];
        self.chunks_touched += steps.chunks.len() as u64;
        for chunk in &steps.chunks {
            match (&chunk.cached, chunk.location) {
                (Some(_), _) => self.chunks_cached += 1,
                (None, Some(_)) => self.decodes += u64::from(!chunk.is_raw),
                (None, None) => {
                    self.chunks_missing += 1;
                    if self.missing.len() < KEPT_MAX {
                        self.missing.push(describe(chunk));
                    }
                }
            }
        }
        let advice = steps.chunked.data.source.advice();
        for request in &steps.requests {
            match request {
                ChunkRequest::Stored { range, chunks } => {
                    self.request(range.clone(), source, advice, || {
                        chunks.iter().map(|&chunk| describe(at(chunk))).collect()
                    });
                }
                ChunkRequest::Unfiltered { chunk, steps } => {
                    let chunk = at(*chunk);
                    let base = chunk.location.map_or(0, |location| location.address);
                    let mut described = Some(chunk);
                    self.raw(steps, base, source, advice, || {
                        described.take().map(describe).into_iter().collect()
                    });
                }
            }
        }
    }

    /// Adds requests for unfiltered bytes from `base` on.
    fn raw(
        &mut self,
        steps: &[RawStep],
        base: u64,
        source: Option<&Arc<ExplainedSource>>,
        advice: Advice,
        mut chunks: impl FnMut() -> Vec<ExplainedChunk>,
    ) {
        for step in steps {
            step.for_each_request(base, |range| self.request(range, source, advice, &mut chunks));
        }
    }

    /// Adds a request. A distant source makes several of a long one; each contains a part of the same chunks.
    fn request(
        &mut self,
        range: Range<u64>,
        source: Option<&Arc<ExplainedSource>>,
        advice: Advice,
        chunks: impl FnOnce() -> Vec<ExplainedChunk>,
    ) {
        self.fetched_bytes += range.end - range.start;
        let mut chunks = (self.requests.len() < KEPT_MAX).then(chunks);
        let mut pieces = split(range, advice).peekable();
        while let Some(range) = pieces.next() {
            self.requests_made += 1;
            if self.requests.len() < KEPT_MAX {
                let is_last = pieces.peek().is_none();
                let chunks = if is_last { chunks.take() } else { chunks.clone() };
                let chunks = chunks.unwrap_or_default();
                self.requests.push(ExplainedRequest { source: source.cloned(), range, chunks });
            }
        }
    }
}

impl ReadPlan {
    fn describe(&self, chunked: &Chunked, chunk: &ChunkStep) -> ExplainedChunk {
        let (elements, lands) = match &chunk.part {
            ChunkElements::Points(run) => (run.len(), format!("{} points", run.len())),
            ChunkElements::Product(which) => {
                let runs: Vec<&Run> =
                    which.iter().zip(&self.pieces).map(|(&i, p)| &p[i as usize].run).collect();
                let fields: Vec<String> = runs.iter().map(|run| lands_along(run)).collect();
                (runs.iter().map(|run| run.len()).product(), format!("[{}]", fields.join(", ")))
            }
        };
        ExplainedChunk {
            coordinates: chunked.grid.coordinates(chunk.number),
            range: chunk
                .location
                .map(|found| found.address..found.address.saturating_add(found.stored_bytes)),
            filter_mask: chunk.location.map_or(0, |found| found.filter_mask),
            is_raw: chunk.is_raw,
            elements,
            lands,
        }
    }
}

fn lands_along(run: &Run) -> String {
    if let Some(places) = run.places() {
        return format!("{}:{}", places.start, places.end);
    }
    let places: Vec<String> = (0..run.len().min(4)).map(|i| run.pair(i).1.to_string()).collect();
    let more = if run.len() > 4 { ",…" } else { "" };
    format!("({}{more})", places.join(","))
}

/// The most requests and chunks that are printed; the others are only counted.
const LISTED_MAX: usize = 40;

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} -> {:?}, {} bytes", self.dataset, self.shape, self.result_bytes)?;
        write!(f, "{}", self.layout)?;
        if self.layout == "chunked" {
            write!(f, ": {} chunks, {} decodes", self.chunks_touched, self.decodes)?;
            if self.chunks_missing > 0 {
                write!(f, ", {} never written (fill value)", self.chunks_missing)?;
            }
        }
        if self.layout == "virtual" && self.chunks_touched > 0 {
            write!(f, ": {} chunks of its sources, {} decodes", self.chunks_touched, self.decodes)?;
        }
        if self.chunks_cached > 0 {
            write!(f, ", {} in the cache", self.chunks_cached)?;
        }
        writeln!(f, "; {} requests, {} bytes fetched", self.requests_made, self.fetched_bytes)?;
        if !self.filters.is_empty() {
            writeln!(f, "decode: {}", self.filters.join(" -> "))?;
        }
        let mut listed = 0;
        for (i, request) in self.requests.iter().enumerate() {
            if listed >= LISTED_MAX {
                writeln!(f, "… and {} more requests", self.requests_made - i as u64)?;
                break;
            }
            write!(f, "GET {}..{}", request.range.start, request.range.end)?;
            match &request.source {
                Some(source) => writeln!(f, " of {}: {}", source.file, source.dataset)?,
                None => writeln!(f)?,
            }
            listed += 1;
            for chunk in &request.chunks {
                writeln!(f, "    {chunk}")?;
                listed += 1;
            }
        }
        if !self.missing.is_empty() && self.missing.len() <= LISTED_MAX {
            writeln!(f, "FILL")?;
            for chunk in &self.missing {
                writeln!(f, "    {chunk}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for ExplainedChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "chunk {:?}", self.coordinates)?;
        if let Some(range) = &self.range {
            write!(f, "  {}..{}", range.start, range.end)?;
        }
        if self.is_raw && self.range.is_some() {
            write!(f, "  unfiltered")?;
        } else if self.filter_mask != 0 {
            write!(f, "  filter mask {:#x}", self.filter_mask)?;
        }
        write!(f, "  {} elements -> {}", self.elements, self.lands)
    }
}
