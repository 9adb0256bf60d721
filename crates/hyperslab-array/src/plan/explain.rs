//! A plan as text: what `hyperslab explain` prints and tests assert.

use super::{ChunkStep, Part, ReadPlan, Steps};
use crate::array::{Array, Chunked};
use crate::read::chunked::{shared_requests, tasks};
use crate::read::raw;
use crate::selection::Run;
use crate::{Error, Result, Selection};
use std::fmt;
use std::ops::Range;

/// What a plan will do, in numbers and names.
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
    /// Chunks touched, existing or not.
    pub chunks_touched: u64,
    /// Chunks that were never written.
    pub chunks_missing: u64,
    /// Chunks that have to be decoded.
    pub decodes: u64,
    /// Filters as they are undone, in that order: `["gzip 4", "shuffle"]`.
    pub filters: Vec<String>,
    /// How many requests are made.
    pub requests_made: u64,
    /// Bytes that they bring.
    pub fetched_bytes: u64,
    /// The first 65,536 requests, by ascending position in the file.
    pub requests: Vec<ExplainedRequest>,
    /// The first 65,536 chunks whose values are the fill value.
    pub missing: Vec<ExplainedChunk>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRequest {
    /// Bytes of the file.
    pub range: Range<u64>,
    /// The chunks that it brings; empty for contiguous data.
    pub chunks: Vec<ExplainedChunk>,
}

/// One chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedChunk {
    /// Coordinates in the chunk grid.
    pub coordinates: Vec<u64>,
    /// Bytes of the file; `None` where it was never written.
    pub range: Option<Range<u64>>,
    /// Bit `i` is set where filter `i` was skipped.
    pub filter_mask: u32,
    /// True where the stored bytes are the values.
    pub is_raw: bool,
    /// Elements taken of it.
    pub elements: u64,
    /// Where they go in the result: first index and count along each axis, or points.
    pub lands: String,
}

/// As many requests, and chunks without storage, are listed; the rest is only counted.
const KEPT_MAX: usize = 1 << 16;
/// Beyond this many chunks nobody waits for the answer.
const EXPLAINED_MAX: u64 = 1 << 24;

impl Explained {
    /// What a read of `selection` would do.
    pub fn new(array: &Array, selection: &Selection) -> Result<Self> {
        let mut explained = Explained {
            dataset: array.origin.path.clone(),
            shape: Vec::new(),
            result_bytes: 0,
            layout: "nothing",
            chunks_touched: 0,
            chunks_missing: 0,
            decodes: 0,
            filters: Vec::new(),
            requests_made: 0,
            fetched_bytes: 0,
            requests: Vec::new(),
            missing: Vec::new(),
        };
        ReadPlan::for_each(array, array.measure(selection)?, None, |plan| {
            if explained.chunks_touched > EXPLAINED_MAX {
                let what =
                    format!("the selection touches more than {EXPLAINED_MAX} chunks, too many to explain");
                return Err(Error::limit(what).with_hint("explain a part of it"));
            }
            plan.explain(array, &mut explained)
        })?;
        if array.storage.is_virtual() && explained.layout != "nothing" {
            explained.layout = "virtual";
        }
        explained.requests.sort_by_key(|request| request.range.start);
        Ok(explained)
    }

    fn request(&mut self, range: Range<u64>, chunks: impl FnOnce() -> Vec<ExplainedChunk>) {
        self.requests_made += 1;
        self.fetched_bytes += range.end - range.start;
        if self.requests.len() < KEPT_MAX {
            self.requests.push(ExplainedRequest { range, chunks: chunks() });
        }
    }
}

impl ReadPlan {
    /// Adds what this plan will do.
    fn explain(&self, array: &Array, explained: &mut Explained) -> Result<()> {
        explained.shape = self.shape.to_vec();
        explained.result_bytes = self.result_bytes();
        match &self.steps {
            Steps::Nothing => explained.result_bytes = 0,
            Steps::Fill => explained.layout = "fill value",
            Steps::Compact { .. } => explained.layout = "compact",
            Steps::Contiguous { data, base, record_bytes, dims, points } => {
                let source = &data.source;
                explained.layout = array.storage.name();
                let copies = self.whole_copies(dims, points.as_ref(), *record_bytes)?;
                raw::check_source(&**source, *base, &copies)?;
                raw::requests(&copies, source.advice(), &mut |request| {
                    let start = base + request.start as u64;
                    explained.request(start..start + request.len as u64, Vec::new);
                });
            }
            Steps::Chunks { chunked, chunks } => {
                explained.layout = "chunked";
                explained.filters = chunked.filters.undone();
                self.explain_chunks(chunked, chunks, explained)?;
            }
        }
        Ok(())
    }

    fn explain_chunks(
        &self,
        chunked: &Chunked,
        chunks: &[ChunkStep],
        explained: &mut Explained,
    ) -> Result<()> {
        let (dims, advice) = (&chunked.shape, chunked.data.source.advice());
        explained.chunks_touched += chunks.len() as u64;
        for task in tasks(chunks, chunked.bytes) {
            let shared = shared_requests(self, dims, task, advice, |_| false);
            let mut is_shared = vec![false; task.len()];
            for request in &shared {
                request.serves.iter().for_each(|&i| is_shared[i] = true);
                let described = || request.serves.iter().map(|&i| self.describe(chunked, &task[i])).collect();
                explained.request(request.range.clone(), described);
            }
            for (chunk, is_shared) in task.iter().zip(is_shared) {
                let Some(location) = chunk.location else {
                    explained.chunks_missing += 1;
                    if explained.missing.len() < KEPT_MAX {
                        explained.missing.push(self.describe(chunked, chunk));
                    }
                    continue;
                };
                explained.decodes += u64::from(!chunk.is_raw);
                if is_shared {
                    continue;
                }
                if !chunk.is_raw {
                    let end = location.address.saturating_add(location.stored_bytes);
                    explained.request(location.address..end, || vec![self.describe(chunked, chunk)]);
                    continue;
                }
                let mut described = Some(chunk);
                raw::requests(&self.copies(&chunk.part, dims)?, advice, &mut |request| {
                    let start = location.address.saturating_add(request.start as u64);
                    let first = described.take();
                    explained.request(start..start.saturating_add(request.len as u64), || {
                        first.map(|chunk| self.describe(chunked, chunk)).into_iter().collect()
                    });
                });
            }
        }
        Ok(())
    }

    fn describe(&self, chunked: &Chunked, chunk: &ChunkStep) -> ExplainedChunk {
        let (elements, lands) = match &chunk.part {
            Part::Points(run) => (run.len(), format!("{} points", run.len())),
            Part::Product(which) => {
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

/// More requests and chunks than this are summed up instead of listed.
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
        if self.layout == "virtual" {
            return writeln!(f, "; the requests are those of its sources");
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
            writeln!(f, "GET {}..{}", request.range.start, request.range.end)?;
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
