//! A plan as text: what `hyperslab explain` prints and tests assert.

use super::{ChunkStep, Part, ReadPlan, Steps};
use crate::{Error, Result};
use crate::dataset::{DatasetInner, Storage};
use crate::read::raw;
use crate::selection::grid::Run;
use hyperslab_io::{Advice, coalesce};
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
    /// Where the data comes from: `chunked`, `contiguous`, `compact`, `fill value`.
    pub layout: &'static str,
    /// Chunks touched, existing or not.
    pub chunks_touched: u64,
    /// Chunks that were never written.
    pub chunks_missing: u64,
    /// Chunks that have to be decoded.
    pub decodes: u64,
    /// Filters as they are undone, in that order: `["gzip 4", "shuffle"]`.
    pub filters: Vec<String>,
    /// Requests, by ascending position in the file.
    pub requests: Vec<ExplainedRequest>,
    /// Chunks whose values are the fill value.
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

/// A plan of more chunks than this is not spelled out: it would take gigabytes.
const EXPLAINED_MAX: usize = 1 << 21;

impl ReadPlan {
    /// What this plan will do.
    pub(crate) fn explain(&self, dataset: &DatasetInner, advice: Advice) -> Result<Explained> {
        let mut explained = Explained {
            dataset: dataset.path.clone(),
            shape: self.shape.to_vec(),
            result_bytes: self.result_bytes(),
            layout: "fill value",
            chunks_touched: 0,
            chunks_missing: 0,
            decodes: 0,
            filters: Vec::new(),
            requests: Vec::new(),
            missing: Vec::new(),
        };
        match &self.steps {
            Steps::Nothing => explained.layout = "nothing",
            Steps::Fill => {}
            Steps::Compact { .. } => explained.layout = "compact",
            Steps::Contiguous { base, dims, points, .. } => {
                explained.layout = "contiguous";
                let copies = self.whole_copies(dims, points.as_ref())?;
                raw::requests(&copies, advice, &mut |request| {
                    let start = base + request.start as u64;
                    explained
                        .requests
                        .push(ExplainedRequest { range: start..start + request.len as u64, chunks: vec![] });
                });
            }
            Steps::Chunks { chunks, .. } => {
                if chunks.len() > EXPLAINED_MAX {
                    let what = format!("the plan has {} chunks, too many to be explained", chunks.len());
                    return Err(Error::invalid(what).hint("explain a part of the selection"));
                }
                explained.layout = "chunked";
                explained.filters = dataset.filters_undone();
                self.explain_chunks(dataset, chunks, advice, &mut explained);
            }
        }
        Ok(explained)
    }

    fn explain_chunks(
        &self,
        dataset: &DatasetInner,
        chunks: &[ChunkStep],
        advice: Advice,
        explained: &mut Explained,
    ) {
        let described: Vec<ExplainedChunk> =
            chunks.iter().map(|chunk| self.describe(dataset, chunk)).collect();
        explained.chunks_touched = chunks.len() as u64;
        let (present, missing): (Vec<_>, Vec<_>) =
            described.into_iter().partition(|chunk| chunk.range.is_some());
        explained.chunks_missing = missing.len() as u64;
        explained.missing = missing;
        explained.decodes = present.iter().filter(|chunk| !chunk.is_raw).count() as u64;
        let ranges: Vec<_> = present.iter().filter_map(|chunk| chunk.range.clone()).collect();
        explained.requests = coalesce(&ranges, advice)
            .into_iter()
            .map(|request| ExplainedRequest {
                range: request.range,
                chunks: request.serves.iter().map(|&i| present[i].clone()).collect(),
            })
            .collect();
    }

    fn describe(&self, dataset: &DatasetInner, chunk: &ChunkStep) -> ExplainedChunk {
        let coordinates = match &dataset.storage {
            Storage::Chunked { grid, .. } => grid.coordinates(chunk.number),
            _ => Vec::new(),
        };
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
            coordinates,
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
    match run {
        Run::Even { out, count, .. } => format!("{out}:{}", out + count),
        Run::Odd(pairs) => {
            let places: Vec<String> = pairs.iter().take(4).map(|pair| pair.1.to_string()).collect();
            let more = if pairs.len() > 4 { ",…" } else { "" };
            format!("({}{more})", places.join(","))
        }
    }
}

/// More requests and chunks than this are summed up instead of listed.
const LISTED_MAX: usize = 40;

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fetched: u64 = self.requests.iter().map(|request| request.range.end - request.range.start).sum();
        writeln!(f, "{} -> {:?}, {} bytes", self.dataset, self.shape, self.result_bytes)?;
        write!(f, "{}", self.layout)?;
        if self.layout == "chunked" {
            write!(f, ": {} chunks, {} decodes", self.chunks_touched, self.decodes)?;
            if self.chunks_missing > 0 {
                write!(f, ", {} never written (fill value)", self.chunks_missing)?;
            }
        }
        writeln!(f, "; {} requests, {fetched} bytes fetched", self.requests.len())?;
        if !self.filters.is_empty() {
            writeln!(f, "decode: {}", self.filters.join(" -> "))?;
        }
        let mut listed = 0;
        for (i, request) in self.requests.iter().enumerate() {
            if listed >= LISTED_MAX {
                writeln!(f, "… and {} more requests", self.requests.len() - i)?;
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
