//! The raw data of chunks: each decodes to the bytes of its elements, and references in it lead somewhere.

use crate::checker::Checker;
use crate::dataset::DatasetParts;
use crate::finding::{Finding, Report};
use crate::references::{References, has_references};
use crate::rule::rules;
use crate::unfilter::specs;
use hyperslab_filters::{FilterError, Pipeline, Scratch};
use hyperslab_format::Bytes;
use hyperslab_format::message::Datatype;
use hyperslab_io::{Cancel, Source, coalesce};
use rayon::prelude::*;
use std::io;
use std::ops::{ControlFlow, Range};

rules! { RULES:
    /// With `--data`: every chunk decodes to the bytes of its elements; checksums of the filter fletcher32 are right.
    CHUNK_DATA = Error "chunk-data", "IV.A.2.l";
    /// With `--data`: all filters of a dataset are available, so that its chunks can be decoded.
    FILTER_MISSING = Note "filter-missing", "IV.A.2.l";
}

/// Where the coders of HDF4 are specified.
const HDF4_CODERS: &str = "HDF Specification and Developer's Guide, chapter 10";
/// The name of chunks among the bytes of the file.
pub(crate) const CHUNK: &str = "chunk";

/// Chunks that are decoded between two looks at the results.
const BATCH: usize = 64;
/// Chunks wait until there are so many ...
const WAITING_MAX: usize = 1 << 12;
/// ... or until they have so many stored bytes.
const WAITING_BYTES_MAX: u64 = 64 << 20;
/// Batches are smaller where chunks are larger than this.
const DECODED_BYTES_MAX: u64 = 256 << 20;

impl Report {
    /// Adds a chunk of HDF4 that does not decode, because it is damaged or nobody here knows how: coders are known to the engine.
    pub fn note_undecoded(&mut self, object: &str, at: u64, is_damaged: bool, message: String) {
        let rule = if is_damaged { &CHUNK_DATA } else { &FILTER_MISSING };
        let object = object.to_owned();
        self.add(Finding { rule, object, structure: CHUNK, at, message, source: HDF4_CODERS });
    }
}

/// The chunks of a dataset that are still to be read.
pub(crate) struct ChunkReader {
    pipeline: Option<Pipeline>,
    /// The datatype, if its elements refer to something.
    references: Option<Datatype>,
    chunk_bytes: u64,
    waiting: Vec<StoredChunk>,
    waiting_bytes: u64,
    is_reported: bool,
}

/// A chunk in the file.
#[derive(Debug, Clone, Copy)]
struct StoredChunk {
    at: u64,
    bytes: u64,
    mask: u32,
}

impl ChunkReader {
    pub(crate) fn new(parts: &DatasetParts, chunk_bytes: u64) -> Self {
        let pipeline = usize::try_from(chunk_bytes).ok().and_then(|bytes| {
            Pipeline::lenient(&specs(&parts.filters), parts.datatype.size as usize, bytes).ok()
        });
        let references = has_references(&parts.datatype).then(|| parts.datatype.clone());
        Self { pipeline, references, chunk_bytes, waiting: Vec::new(), waiting_bytes: 0, is_reported: false }
    }

    /// Adds a chunk; `mask` has the filters that were skipped.
    pub(crate) fn add(&mut self, at: u64, bytes: u64, mask: u32) {
        self.waiting.push(StoredChunk { at, bytes, mask });
        self.waiting_bytes = self.waiting_bytes.saturating_add(bytes);
    }

    /// True if enough chunks are waiting.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= WAITING_MAX || self.waiting_bytes >= WAITING_BYTES_MAX
    }

    /// Decodes a chunk. Its stored bytes are read unless they were `fetched`.
    fn decode(
        &self,
        pipeline: &Pipeline,
        source: &dyn Source,
        chunk: StoredChunk,
        fetched: Option<&io::Result<Bytes>>,
    ) -> Result<Vec<u8>, Undecoded> {
        let damaged = |error: &io::Error| Undecoded::Damaged(error.to_string());
        let stored = match fetched {
            Some(fetched) => fetched.as_ref().map_err(damaged)?.clone(),
            None => {
                let mut stored = buffer(chunk.bytes)?;
                source.read_into(chunk.at, &mut stored).map_err(|error| damaged(&error))?;
                Bytes::from(stored)
            }
        };
        // A few bytes may claim to be gigabytes.
        let max = pipeline.max_decoded_len(&stored, chunk.mask)?;
        if (max as u64) < self.chunk_bytes {
            let what = format!("at most {max} bytes after filters, expected {}", self.chunk_bytes);
            return Err(Undecoded::Damaged(what));
        }
        let mut decoded = buffer(self.chunk_bytes)?;
        pipeline.decode_into(&stored, chunk.mask, &mut Scratch::new(), &mut decoded)?;
        Ok(decoded)
    }
}

/// The stored bytes of chunks, requested together; none of a source without latency, whose chunks are read one by one.
fn fetch(source: &dyn Source, chunks: &[StoredChunk]) -> Vec<io::Result<Bytes>> {
    if !source.advice().has_latency() {
        return Vec::new();
    }
    let range = |chunk: &StoredChunk| chunk.at..chunk.at.saturating_add(chunk.bytes);
    let ranges: Vec<_> = chunks.iter().map(range).collect();
    let unfetched = |range: &Range<u64>| match range.is_empty() {
        true => Ok(Bytes::new()),
        false => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
    };
    let mut found: Vec<io::Result<Bytes>> = ranges.iter().map(unfetched).collect();
    let inside: Vec<usize> = (0..ranges.len()).filter(|&index| ranges[index].end <= source.len()).collect();
    let wanted: Vec<_> = inside.iter().map(|&index| ranges[index].clone()).collect();
    let requests = coalesce(&wanted, source.advice());
    let merged: Vec<_> = requests.iter().map(|request| request.range.clone()).collect();
    source.fetch(&merged, &Cancel::current(), &mut |number, result| {
        for index in requests[number].serves.iter().map(|&wanted| inside[wanted]) {
            let at = |byte: u64| (byte - merged[number].start) as usize;
            found[index] = match &result {
                Ok(bytes) => Ok(bytes.slice(at(ranges[index].start)..at(ranges[index].end))),
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            };
        }
        ControlFlow::Continue(())
    });
    found
}

/// Memory for so many bytes.
fn buffer(bytes: u64) -> Result<Vec<u8>, Undecoded> {
    let too_large = |what: String| Undecoded::Damaged(what);
    let bytes = usize::try_from(bytes).map_err(|error| too_large(error.to_string()))?;
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).map_err(|error| too_large(error.to_string()))?;
    buffer.resize(bytes, 0u8);
    Ok(buffer)
}

/// Why a chunk was not decoded.
#[derive(Debug)]
enum Undecoded {
    /// A filter that it was stored through is not available here.
    FilterMissing(String),
    Damaged(String),
}

impl From<FilterError> for Undecoded {
    fn from(error: FilterError) -> Self {
        match error {
            FilterError::Unknown { .. } | FilterError::LeftOut { .. } => {
                Self::FilterMissing(error.to_string())
            }
            _ => Self::Damaged(error.to_string()),
        }
    }
}

impl Checker<'_> {
    /// Reads all chunks that are waiting, on all cores.
    pub(crate) fn read_chunks(&mut self, reader: &mut ChunkReader, references: &mut References) {
        let waiting = std::mem::take(&mut reader.waiting);
        reader.waiting_bytes = 0;
        let Some(pipeline) = reader.pipeline.clone() else { return };
        if pipeline.is_empty() && reader.references.is_none() {
            return;
        }
        let source = self.input.source();
        let batch =
            usize::try_from(DECODED_BYTES_MAX / reader.chunk_bytes.max(1)).unwrap_or(1).clamp(1, BATCH);
        for chunks in waiting.chunks(batch) {
            let fetched = fetch(source, chunks);
            let decode = |(number, chunk): (usize, &StoredChunk)| {
                let decoded = reader.decode(&pipeline, source, *chunk, fetched.get(number));
                // The values themselves matter only if they refer to something.
                decoded.map(|decoded| if reader.references.is_some() { decoded } else { Vec::new() })
            };
            let decoded: Vec<Result<Vec<u8>, Undecoded>> =
                chunks.par_iter().enumerate().map(decode).collect();
            for (chunk, decoded) in chunks.iter().zip(decoded) {
                match (decoded, &reader.references) {
                    (Ok(elements), Some(datatype)) => {
                        self.check_references(references, datatype, &Bytes::from(elements), chunk.at);
                    }
                    (Ok(_), None) => {}
                    (Err(Undecoded::Damaged(what)), _) => {
                        let what = format!("a chunk of {} bytes: {what}", chunk.bytes);
                        self.report(&CHUNK_DATA, CHUNK, chunk.at, what);
                    }
                    (Err(Undecoded::FilterMissing(what)), _) => {
                        if !std::mem::replace(&mut reader.is_reported, true) {
                            self.report(&FILTER_MISSING, CHUNK, chunk.at, what);
                        }
                    }
                }
            }
        }
    }
}
