//! A dataset's filters, in the order of writing; undone from the last to the first.
//!
//! ```text
//! size when writing   s0 = chunk    s1 = s0 (shuffle)    s2 = ? (deflate)    s3 = s2 + 4 (fletcher32)
//! ```
//!
//! The size of each intermediate result that follows from the chunk's size is asked for exactly, so that a codec
//! gets an output of the right length; others are found by trying, within a bound.
//!
//! Chunks have a mask: bit i set means that filter i was left out when this chunk was written.

use crate::FilterError;
use crate::registry;
use crate::scratch::{Buffer, Scratch, Tools};
use crate::stage::{Growth, Setup, Stage};
use std::ops::Range;
use std::sync::Arc;

/// Most filters of one pipeline (`H5Z_MAX_NFILTERS`): as many as a mask has bits.
const FILTERS_MAX: usize = 32;
/// Room beyond twice the chunk for what one compressor handed to the next: every codec expands hopeless data by
/// much less.
const INTERMEDIATE_SLACK: usize = 1 << 16;

/// A filter as the file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterSpec<'a> {
    /// Registered identification.
    pub id: u16,
    /// A writer may leave it out where it fails.
    pub optional: bool,
    /// Client data ("cd_values").
    pub parameters: &'a [u32],
}

/// A chunk of which only a byte shuffle may be left to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staged<'a> {
    /// The chunk's bytes.
    Plain(&'a [u8]),
    /// The chunk's bytes, shuffled; [`unshuffle_elements`](crate::unshuffle_elements) takes elements out of them.
    /// Only for chunks of a whole number of elements.
    Shuffled {
        /// As many bytes as the chunk has.
        bytes: &'a [u8],
        /// The element size of the shuffle, two or more.
        element_bytes: usize,
    },
}

/// The filters of a dataset, checked. Cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Pipeline {
    slots: Arc<[Slot]>,
    chunk_bytes: usize,
}

struct Slot {
    id: u16,
    parameters: Box<[u32]>,
    /// The filter, or why it cannot be used: that matters only for chunks that were stored through it.
    stage: Result<Box<dyn Stage>, FilterError>,
}

impl Pipeline {
    /// Checks identifications and parameters. `element_bytes` is the size of the dataset's type in the file,
    /// `chunk_bytes` the size of a whole chunk of it.
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
    /// datasets without chunks, and chunks that were written without the filter, can be read all the same.
    pub fn lenient(
        filters: &[FilterSpec<'_>],
        element_bytes: usize,
        chunk_bytes: usize,
    ) -> Result<Self, FilterError> {
        // The filters' own parameters say everything about elements; a type of another size would only show that
        // they were set for other data, and libhdf5 does not mind.
        let _ = element_bytes;
        if filters.len() > FILTERS_MAX {
            return Err(FilterError::TooMany { found: filters.len(), max: FILTERS_MAX });
        }
        let slot = |filter: &FilterSpec<'_>| Slot {
            id: filter.id,
            parameters: filter.parameters.into(),
            stage: registry::make(Setup { id: filter.id, parameters: filter.parameters }),
        };
        Ok(Self { slots: filters.iter().map(slot).collect(), chunk_bytes })
    }

    /// The first filter that cannot be used, if any.
    pub fn problem(&self) -> Option<&FilterError> {
        self.slots.iter().find_map(|slot| slot.stage.as_ref().err())
    }

    /// True where chunks are stored as they are.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Number of filters.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Each filter in the order of writing, said as a person would (`"shuffle"`, `"gzip 4"`), with its parameters.
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

    /// These stored bytes cannot decode to more than this. Whoever wants a chunk allocates no more for it: a few bytes
    /// can claim to be gigabytes.
    pub fn most(&self, stored: &[u8], mask: u32) -> Result<usize, FilterError> {
        let stages = self.stages(mask)?;
        let Some((last, before)) = stages.split_last() else { return Ok(stored.len()) };
        Ok(before.iter().rev().fold(last.most_of(stored)?, |bytes, stage| stage.most(bytes)))
    }

    /// Undoes the filters that `mask` does not leave out and writes the chunk to `out`, which is as long as a
    /// chunk. On success every byte of `out` was written.
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
        let Scratch { buffers, tools } = scratch;
        let mut at = At { place: Place::Stored, range: 0..stored.len() };
        for (i, stage) in stages.iter().enumerate().rev() {
            if i == 0 {
                let input = at.bytes(stored, buffers);
                if stage.view(input)?.is_none() {
                    let found = stage.decode(input, out, tools)?;
                    return expect(stage.name(), expected, found);
                }
            }
            at = step(*stage, at, stored, buffers, tools, sizes[i].ok_or(intermediate(expected)))?;
        }
        let chunk = at.bytes(stored, buffers);
        expect(last_name(&stages), expected, chunk.len())?;
        out.copy_from_slice(chunk);
        Ok(())
    }

    /// Undoes the filters for data of a length that is not known, such as blocks of a heap; at most `max_bytes`.
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

    /// Undoes everything, except a byte shuffle if that is what was applied first: the caller may take elements
    /// out of the shuffled bytes and place them, in one pass over the memory.
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

    /// Applies all filters.
    pub fn encode(&self, chunk: &[u8]) -> Result<Vec<u8>, FilterError> {
        self.encode_with(chunk, &mut Scratch::new())
    }

    /// Like [`Self::encode`], with a compressor that is kept from chunk to chunk.
    pub fn encode_with(&self, chunk: &[u8], scratch: &mut Scratch) -> Result<Vec<u8>, FilterError> {
        let stages = self.stages(0)?;
        let Some((first, rest)) = stages.split_first() else { return Ok(chunk.to_vec()) };
        let mut bytes = first.encode(chunk, &mut scratch.tools)?;
        for stage in rest {
            bytes = stage.encode(&bytes, &mut scratch.tools)?;
        }
        Ok(bytes)
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

/// The size after undoing each stage, where it follows from the size of the raw data.
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

/// Where the bytes are that come next.
struct At {
    place: Place,
    range: Range<usize>,
}

#[derive(Clone, Copy)]
enum Place {
    Stored,
    Buffer(usize),
}

impl At {
    fn bytes<'a>(&self, stored: &'a [u8], buffers: &'a [Buffer; 2]) -> &'a [u8] {
        match self.place {
            Place::Stored => &stored[self.range.clone()],
            Place::Buffer(number) => buffers[number].get(self.range.clone()),
        }
    }
}

/// Undoes all `stages`; the result lies in `stored` or in the scratch.
fn run<'s>(
    stages: &[&dyn Stage],
    stored: &'s [u8],
    scratch: &'s mut Scratch,
    raw: Option<usize>,
    max_bytes: usize,
) -> Result<&'s [u8], FilterError> {
    let sizes = sizes(stages, raw);
    let Scratch { buffers, tools } = scratch;
    let mut at = At { place: Place::Stored, range: 0..stored.len() };
    for (i, stage) in stages.iter().enumerate().rev() {
        let bound = if i == 0 { max_bytes } else { intermediate(max_bytes) };
        at = step(*stage, at, stored, buffers, tools, sizes[i].ok_or(bound))?;
    }
    Ok(at.bytes(stored, buffers))
}

/// Bound for what one filter handed to the next.
fn intermediate(raw_max: usize) -> usize {
    raw_max.saturating_mul(2).saturating_add(INTERMEDIATE_SLACK)
}

/// Undoes one stage, to a buffer or by narrowing the range. The size of the result is known, or has a bound.
fn step(
    stage: &dyn Stage,
    at: At,
    stored: &[u8],
    buffers: &mut [Buffer; 2],
    tools: &mut Tools,
    size: Result<usize, usize>,
) -> Result<At, FilterError> {
    if let Some(inner) = stage.view(at.bytes(stored, buffers))? {
        let range = at.range.start + inner.start..at.range.start + inner.end;
        return Ok(At { place: at.place, range });
    }
    let [first, second] = buffers;
    let (input, target, number) = match at.place {
        Place::Stored => (&stored[at.range], first, 0),
        Place::Buffer(0) => (first.get(at.range), second, 1),
        Place::Buffer(_) => (second.get(at.range), first, 0),
    };
    let len = match size {
        Ok(size) => decode_exactly(stage, input, target, tools, size)?,
        Err(bound) => decode_within(stage, input, target, tools, bound)?,
    };
    Ok(At { place: Place::Buffer(number), range: 0..len })
}

fn decode_exactly(
    stage: &dyn Stage,
    input: &[u8],
    target: &mut Buffer,
    tools: &mut Tools,
    size: usize,
) -> Result<usize, FilterError> {
    let most = stage.most_of(input)?;
    if most < size {
        return Err(FilterError::Length { filter: stage.name(), expected: size, found: most });
    }
    let found = stage.decode(input, target.room(size)?, tools)?;
    expect(stage.name(), size, found)?;
    Ok(size)
}

/// Tries with more and more room. The room grows by fours, so all tries together cost at most a third more.
fn decode_within(
    stage: &dyn Stage,
    input: &[u8],
    target: &mut Buffer,
    tools: &mut Tools,
    bound: usize,
) -> Result<usize, FilterError> {
    let bound = bound.min(stage.most_of(input)?);
    let claimed = stage.claimed(input).and_then(|claimed| usize::try_from(claimed).ok());
    let mut room = claimed.unwrap_or(input.len().saturating_mul(4)).max(4096).min(bound);
    loop {
        match stage.decode(input, target.room(room)?, tools) {
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
