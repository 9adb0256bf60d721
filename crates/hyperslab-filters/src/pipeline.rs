//! A dataset's filters, listed in the order of writing: encodes from the first to the last, decodes from the last to the
//! first.
//!
//! ```text
//! size when writing   s0 = chunk    s1 = s0 (shuffle)    s2 = ? (deflate)    s3 = s2 + 4 (fletcher32)
//! ```
//!
//! If the size of an intermediate result follows from the size of the chunk, the buffer has exactly that size, so that
//! a codec gets an output of the right length. Other sizes are found by trial, within a limit.
//!
//! Each chunk has a mask: bit i is set if filter i was skipped when the chunk was written.

use crate::scratch::{Buffer, CodecState, Scratch};
use crate::spec::FilterSpec;
use crate::stage::{Growth, Setup, Stage};
use crate::{FilterError, provide, registry};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Maximum number of filters in a pipeline (`H5Z_MAX_NFILTERS`), which is the number of bits in a mask.
const FILTERS_MAX: usize = 32;
/// Allowance beyond twice the chunk size for the output of one compressor that another one compresses again: every
/// codec expands incompressible data by much less.
const INTERMEDIATE_SLACK: usize = 1 << 16;

/// A chunk for which at most a byte shuffle remains to be reversed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staged<'a> {
    /// The chunk's bytes.
    Plain(&'a [u8]),
    /// The chunk's bytes, shuffled; [`unshuffle_elements`](crate::unshuffle_elements) extracts elements from them. Only
    /// for chunks of a whole number of elements.
    Shuffled {
        /// The shuffled bytes, as many as the chunk has.
        bytes: &'a [u8],
        /// The element size of the shuffle, at least two.
        element_bytes: usize,
    },
}

/// A chunk as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoded<'a> {
    /// The bytes to store.
    pub bytes: &'a [u8],
    /// Bit i is set if filter i was skipped.
    pub mask: u32,
}

/// The filters of a dataset, with checked parameters. Cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Pipeline {
    slots: Arc<[Slot]>,
    chunk_bytes: usize,
    #[cfg(feature = "deflate")]
    deflate_encoder: crate::DeflateEncoder,
}

struct Slot {
    id: u16,
    optional: bool,
    parameters: Box<[u32]>,
    /// The filter, or the reason why it cannot be used, which matters only for chunks that were stored through it.
    stage: Result<Box<dyn Stage>, FilterError>,
    /// The plug-in that encodes for a filter without an encoder of its own; looked for when it is first needed.
    encoder: OnceLock<Result<Box<dyn Stage>, FilterError>>,
}

impl Slot {
    fn encoder(&self) -> Result<&dyn Stage, FilterError> {
        let stage = self.stage.as_deref().map_err(Clone::clone)?;
        if stage.encodes() {
            return Ok(stage);
        }
        let setup = Setup { id: self.id, parameters: &self.parameters };
        let encoder = self.encoder.get_or_init(|| provide::provided(setup));
        encoder.as_deref().map_err(|error| match error {
            FilterError::Unknown { .. } => {
                FilterError::unsupported(stage.name(), "writing without a plug-in")
            }
            other => other.clone(),
        })
    }
}

impl Pipeline {
    /// Creates a pipeline and checks identifiers and parameters. `element_bytes` is the size of the dataset's type in
    /// the file, `chunk_bytes` the size of a chunk.
    pub fn new(
        filters: &[FilterSpec<'_>],
        element_bytes: usize,
        chunk_bytes: usize,
    ) -> Result<Self, FilterError> {
        let pipeline = Self::lenient(filters, element_bytes, chunk_bytes)?;
        match pipeline.problem() {
            Some(problem) => Err(problem.clone()),
            None => Ok(pipeline),
        }
    }

    /// Like [`Self::new`], but a filter that cannot be used is an error only when a chunk needs it, as in libhdf5:
    /// datasets without chunks, and chunks written without the filter, can still be read.
    pub fn lenient(
        filters: &[FilterSpec<'_>],
        element_bytes: usize,
        chunk_bytes: usize,
    ) -> Result<Self, FilterError> {
        // The filters' own parameters describe the elements completely. A type of another size would only show that
        // they were set for other data, which libhdf5 accepts.
        let _ = element_bytes;
        if filters.len() > FILTERS_MAX {
            return Err(FilterError::TooMany { found: filters.len(), max: FILTERS_MAX });
        }
        let slot = |filter: &FilterSpec<'_>| Slot {
            id: filter.id,
            optional: filter.optional,
            parameters: filter.parameters.into(),
            stage: provide::make(Setup { id: filter.id, parameters: filter.parameters }),
            encoder: OnceLock::new(),
        };
        Ok(Self {
            slots: filters.iter().map(slot).collect(),
            chunk_bytes,
            #[cfg(feature = "deflate")]
            deflate_encoder: crate::DeflateEncoder::default(),
        })
    }

    /// The pipeline of a single decoder that is not a filter of HDF5.
    pub(crate) fn of_stage(stage: Box<dyn Stage>, chunk_bytes: usize) -> Self {
        let (parameters, encoder) = (Box::default(), OnceLock::new());
        let slot = Slot { id: 0, optional: false, parameters, stage: Ok(stage), encoder };
        Self {
            slots: Arc::new([slot]),
            chunk_bytes,
            #[cfg(feature = "deflate")]
            deflate_encoder: crate::DeflateEncoder::default(),
        }
    }

    /// The same filters, of which deflate encodes so.
    #[cfg(feature = "deflate")]
    #[must_use]
    pub fn with_deflate_encoder(&self, deflate_encoder: crate::DeflateEncoder) -> Self {
        Self { deflate_encoder, ..self.clone() }
    }

    /// The error of the first filter that cannot be used, if any.
    pub fn problem(&self) -> Option<&FilterError> {
        self.slots.iter().find_map(|slot| slot.stage.as_ref().err())
    }

    /// True if chunks are stored unfiltered.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The number of filters.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// A short description of each filter (`"shuffle"`, `"gzip 4"`), with its parameters, in the order of writing.
    pub fn describe(&self) -> impl Iterator<Item = (String, &[u32])> {
        self.slots.iter().map(|slot| {
            let said = match (&slot.stage, registry::entry(slot.id)) {
                (Ok(stage), _) => stage.describe(),
                (Err(_), Some(entry)) => entry.name.to_string(),
                (Err(_), None) => format!("filter {}", slot.id),
            };
            (said, &*slot.parameters)
        })
    }

    /// The maximum size to which these stored bytes can decode. Callers allocate no more than this for a chunk, because
    /// a few bytes can claim to be gigabytes.
    pub fn max_decoded_len(&self, stored: &[u8], mask: u32) -> Result<usize, FilterError> {
        let stages = self.stages(mask)?;
        let Some((last, before)) = stages.split_last() else { return Ok(stored.len()) };
        Ok(before
            .iter()
            .rev()
            .fold(last.max_decoded_len_of(stored)?, |bytes, stage| stage.max_decoded_len(bytes)))
    }

    /// Decodes a chunk into `out`, which must be as long as a chunk. Filters that `mask` marks as skipped are not
    /// applied. On success every byte of `out` has been written.
    pub fn decode_into(
        &self,
        stored: &[u8],
        mask: u32,
        scratch: &mut Scratch,
        out: &mut [u8],
    ) -> Result<(), FilterError> {
        let stages = self.stages(mask)?;
        let sizes = sizes(&stages, Some(out.len()));
        let expected = out.len();
        let Scratch { buffers, state } = scratch;
        let mut at = Intermediate { held: Holder::Stored, range: 0..stored.len() };
        for (i, stage) in stages.iter().enumerate().rev() {
            if i == 0 {
                let input = at.bytes(stored, buffers);
                if stage.view(input)?.is_none() {
                    let found = stage.decode(input, out, state)?;
                    return expect(stage.name(), expected, found);
                }
            }
            at = reverse_stage(*stage, at, stored, buffers, state, sizes[i].ok_or(intermediate(expected)))?;
        }
        let chunk = at.bytes(stored, buffers);
        expect(last_name(&stages), expected, chunk.len())?;
        out.copy_from_slice(chunk);
        Ok(())
    }

    /// Decodes data of unknown length, such as blocks of a heap, to at most `max_bytes`.
    pub fn decode(
        &self,
        stored: &[u8],
        mask: u32,
        scratch: &mut Scratch,
        max_bytes: usize,
    ) -> Result<Vec<u8>, FilterError> {
        let stages = self.stages(mask)?;
        let bytes = run(&stages, stored, scratch, None, max_bytes)?;
        if bytes.len() > max_bytes {
            return Err(FilterError::TooLong { filter: last_name(&stages), max: max_bytes });
        }
        Ok(bytes.to_vec())
    }

    /// Decodes a chunk, except for a byte shuffle if that is the first filter of the pipeline: the caller may extract
    /// elements from the shuffled bytes and copy them to their destination in a single pass over memory.
    pub fn decode_staged<'s>(
        &self,
        stored: &'s [u8],
        mask: u32,
        scratch: &'s mut Scratch,
    ) -> Result<Staged<'s>, FilterError> {
        let stages = self.stages(mask)?;
        let shuffle = stages
            .first()
            .and_then(|stage| stage.shuffles())
            .filter(|&size| size > 1 && self.chunk_bytes.is_multiple_of(size) && self.chunk_bytes / size > 1);
        let rest = if shuffle.is_some() { &stages[1..] } else { &stages[..] };
        let bytes = run(rest, stored, scratch, Some(self.chunk_bytes), self.chunk_bytes)?;
        expect(last_name(&stages), self.chunk_bytes, bytes.len())?;
        Ok(match shuffle {
            Some(element_bytes) => Staged::Shuffled { bytes, element_bytes },
            None => Staged::Plain(bytes),
        })
    }

    /// Applies the filters to a chunk, from the first to the last. As in libhdf5, a filter that fails is skipped if it
    /// is optional, and then marked in the mask; for some filters, bytes that do not become smaller are a failure. The
    /// result borrows `scratch`, or `chunk` if no filter was applied.
    ///
    /// # Errors
    /// The error of a filter that is not optional, and [`FilterError::Memory`] of any filter: what is stored must not
    /// depend on how much memory there is.
    pub fn encode<'s>(&self, chunk: &'s [u8], scratch: &'s mut Scratch) -> Result<Encoded<'s>, FilterError> {
        let Scratch { buffers, state } = scratch;
        #[cfg(feature = "deflate")]
        {
            state.deflate_encoder = self.deflate_encoder;
        }
        let mut at = Intermediate { held: Holder::Stored, range: 0..chunk.len() };
        let mut mask = 0;
        for (i, slot) in self.slots.iter().enumerate() {
            let (input, target, number) = at.and_next(chunk, buffers);
            match slot.encoder().and_then(|stage| stage.encode(input, target, state)) {
                Ok(len) => at = Intermediate { held: Holder::Buffer(number), range: 0..len },
                Err(error @ FilterError::Memory { .. }) => return Err(error),
                Err(_) if slot.optional => mask |= 1 << i,
                Err(error) => return Err(error),
            }
        }
        Ok(Encoded { bytes: at.bytes(chunk, buffers), mask })
    }

    /// The filters that a chunk with this mask was stored through.
    fn stages(&self, mask: u32) -> Result<Vec<&dyn Stage>, FilterError> {
        let used = self.slots.iter().enumerate().filter(|(i, _)| mask & (1 << i) == 0);
        used.map(|(_, slot)| slot.stage.as_deref().map_err(Clone::clone)).collect()
    }
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.describe()).finish()
    }
}

/// The size after reversing each filter, if it follows from the size of the raw data.
fn sizes(stages: &[&dyn Stage], raw: Option<usize>) -> Vec<Option<usize>> {
    let mut size = raw;
    let mut sizes = Vec::with_capacity(stages.len());
    for stage in stages {
        sizes.push(size);
        size = match stage.growth() {
            Growth::Same => size,
            Growth::Plus(more) => size.and_then(|size| size.checked_add(more)),
            Growth::Varies => None,
        };
    }
    sizes
}

/// The location of the current bytes.
struct Intermediate {
    held: Holder,
    range: Range<usize>,
}

#[derive(Clone, Copy)]
enum Holder {
    Stored,
    Buffer(usize),
}

impl Intermediate {
    fn bytes<'a>(&self, stored: &'a [u8], buffers: &'a [Buffer; 2]) -> &'a [u8] {
        match self.held {
            Holder::Stored => &stored[self.range.clone()],
            Holder::Buffer(number) => buffers[number].get(self.range.clone()),
        }
    }

    /// The current bytes, and the buffer for the next ones with its number.
    fn and_next<'a>(
        &self,
        stored: &'a [u8],
        buffers: &'a mut [Buffer; 2],
    ) -> (&'a [u8], &'a mut Buffer, usize) {
        let [first, second] = buffers;
        let range = self.range.clone();
        match self.held {
            Holder::Stored => (&stored[range], first, 0),
            Holder::Buffer(0) => (first.get(range), second, 1),
            Holder::Buffer(_) => (second.get(range), first, 0),
        }
    }
}

/// Reverses all `stages`; the result is in `stored` or in the scratch buffers.
fn run<'s>(
    stages: &[&dyn Stage],
    stored: &'s [u8],
    scratch: &'s mut Scratch,
    raw: Option<usize>,
    max_bytes: usize,
) -> Result<&'s [u8], FilterError> {
    let sizes = sizes(stages, raw);
    let Scratch { buffers, state } = scratch;
    let mut at = Intermediate { held: Holder::Stored, range: 0..stored.len() };
    for (i, stage) in stages.iter().enumerate().rev() {
        let bound = if i == 0 { max_bytes } else { intermediate(max_bytes) };
        at = reverse_stage(*stage, at, stored, buffers, state, sizes[i].ok_or(bound))?;
    }
    Ok(at.bytes(stored, buffers))
}

/// The maximum size of the output of one filter that is the input of another.
fn intermediate(raw_max: usize) -> usize {
    raw_max.saturating_mul(2).saturating_add(INTERMEDIATE_SLACK)
}

/// Reverses one filter, into a buffer or by narrowing the range. The size of the result is known, or has a limit.
fn reverse_stage(
    stage: &dyn Stage,
    at: Intermediate,
    stored: &[u8],
    buffers: &mut [Buffer; 2],
    state: &mut CodecState,
    size: Result<usize, usize>,
) -> Result<Intermediate, FilterError> {
    if let Some(inner) = stage.view(at.bytes(stored, buffers))? {
        let range = at.range.start + inner.start..at.range.start + inner.end;
        return Ok(Intermediate { held: at.held, range });
    }
    let (input, target, number) = at.and_next(stored, buffers);
    let len = match size {
        Ok(size) => decode_exactly(stage, input, target, state, size)?,
        Err(bound) => decode_within(stage, input, target, state, bound)?,
    };
    Ok(Intermediate { held: Holder::Buffer(number), range: 0..len })
}

fn decode_exactly(
    stage: &dyn Stage,
    input: &[u8],
    target: &mut Buffer,
    state: &mut CodecState,
    size: usize,
) -> Result<usize, FilterError> {
    let max = stage.max_decoded_len_of(input)?;
    if max < size {
        return Err(FilterError::Length { filter: stage.name(), expected: size, found: max });
    }
    let found = stage.decode(input, target.room(size)?, state)?;
    expect(stage.name(), size, found)?;
    Ok(size)
}

/// Tries with increasing output sizes. The size grows by a factor of four, so all attempts together cost at most a
/// third more.
fn decode_within(
    stage: &dyn Stage,
    input: &[u8],
    target: &mut Buffer,
    state: &mut CodecState,
    bound: usize,
) -> Result<usize, FilterError> {
    let bound = bound.min(stage.max_decoded_len_of(input)?);
    let claimed = stage.claimed(input).and_then(|claimed| usize::try_from(claimed).ok());
    let mut room = claimed.unwrap_or(input.len().saturating_mul(4)).max(4096).min(bound);
    loop {
        match stage.decode(input, target.room(room)?, state) {
            Err(FilterError::TooLong { .. }) if room < bound => room = room.saturating_mul(4).min(bound),
            other => return other,
        }
    }
}

fn expect(filter: &'static str, expected: usize, found: usize) -> Result<(), FilterError> {
    if found == expected { Ok(()) } else { Err(FilterError::Length { filter, expected, found }) }
}

fn last_name(stages: &[&dyn Stage]) -> &'static str {
    stages.first().map_or("chunk", |stage| stage.name())
}
