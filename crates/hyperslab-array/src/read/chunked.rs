//! Chunks: fetched, decoded and placed in parallel, each decoded once.
//!
//! A filtered chunk takes one of three ways:
//! - it is in the cache: its elements are copied from there;
//! - the read wants all of it, and it was not wanted lately: it is decoded straight to its place in the caller's
//!   buffer (or through a thread's own buffer, where its place is not one piece) and not kept, so that a scan over
//!   a large file does not push out what others use; who wants it at that moment waits, and is given a copy;
//! - else it is decoded into the cache, once, however many threads want it at the same moment.

use super::convert::Conversion;
use super::place::Copies;
use super::raw;
use super::target::Target;
use super::trimmed;
use super::worker::{Worker, sized, with_worker};
use crate::array::{Array, Chunked};
use crate::chunk::cache::{Decoded, Passage, Whole};
use crate::chunk::grid::ChunkNumber;
use crate::chunk::index::Location;
use crate::chunk::memory::ChunkMemory;
use crate::memory::zeroed;
use crate::plan::{ChunkStep, ReadPlan};
use crate::{Error, Result};
use hyperslab_filters::Scratch;
use hyperslab_io::{Advice, Request, coalesce};
use std::ops::Range;

/// Stored bytes of small chunks that one task fetches together.
const TASK_BYTES: u64 = 256 << 10;

/// Carries out the chunk steps of a plan.
///
/// # Safety
/// Nobody else uses the places of these chunks in the target meanwhile.
pub(crate) unsafe fn read(
    array: &Array,
    chunked: &Chunked,
    plan: &ReadPlan,
    chunks: &[ChunkStep],
    target: Target<'_>,
    conversion: Conversion,
) -> Result<()> {
    let reader = Reader { array, chunked, plan, target, conversion };
    if let [only] = chunks {
        return reader.one(only);
    }
    let tasks: Vec<&[ChunkStep]> = tasks(chunks, chunked.bytes).collect();
    if let [only] = tasks.as_slice() {
        return reader.many(only);
    }
    chunked.data.runtime.for_each(&tasks, |task| reader.many(task))
}

/// Cuts the chunks into tasks: as many as it takes to fetch or to decode a decent number of bytes, so that small
/// chunks share requests and large ones share the cores.
pub(crate) fn tasks(chunks: &[ChunkStep], chunk_bytes: usize) -> impl Iterator<Item = &[ChunkStep]> {
    let decoded = chunk_bytes as u64 / 4;
    let mut rest = chunks;
    std::iter::from_fn(move || {
        let mut bytes = 0u64;
        let fits = rest.iter().take_while(|chunk| {
            let before = bytes;
            let stored = chunk.location.map_or(0, |location| location.stored_bytes);
            bytes = bytes.saturating_add(stored.max(decoded).max(64));
            before == 0 || bytes <= TASK_BYTES
        });
        let (task, others) = rest.split_at(fits.count());
        rest = others;
        (!task.is_empty()).then_some(task)
    })
}

/// The requests of a task that bring several chunks each. Chunks that `is_here` are not fetched; all others have
/// requests of their own.
pub(crate) fn shared_requests(
    plan: &ReadPlan,
    chunk_dims: &[u64],
    task: &[ChunkStep],
    advice: Advice,
    is_here: impl Fn(&ChunkStep) -> bool,
) -> Vec<Request> {
    let wanted = |chunk: &ChunkStep| -> Option<Range<u64>> {
        let location = chunk.location?;
        let fetched_whole =
            if chunk.is_raw { wants_most(plan, chunk_dims, chunk, location) } else { !is_here(chunk) };
        let end = location.address.saturating_add(location.stored_bytes);
        fetched_whole.then_some(location.address..end)
    };
    // Empty ranges are served by no request.
    let ranges: Vec<Range<u64>> = task.iter().map(|chunk| wanted(chunk).unwrap_or(0..0)).collect();
    let mut requests = coalesce(&ranges, advice);
    requests.retain(|request| request.serves.len() > 1);
    requests
}

/// True for a small unfiltered chunk of which so much is wanted that it is best fetched whole, with its neighbours.
fn wants_most(plan: &ReadPlan, chunk_dims: &[u64], chunk: &ChunkStep, location: Location) -> bool {
    let wanted = || plan.copies(&chunk.part, chunk_dims).map_or(0, |copies| copies.bytes() as u64);
    location.stored_bytes <= SMALL_BYTES && wanted() * 2 >= location.stored_bytes
}

/// Unfiltered chunks up to this size are fetched together.
const SMALL_BYTES: u64 = 64 << 10;
const SHORTER: &str = "is shorter than its values";

/// Made by [`read`] alone: nobody else uses the places of its chunks in `target`, and those of two chunks are disjoint.
struct Reader<'a> {
    array: &'a Array,
    chunked: &'a Chunked,
    plan: &'a ReadPlan,
    target: Target<'a>,
    conversion: Conversion,
}

impl Reader<'_> {
    /// Several chunks, those that lie side by side in the file in one request.
    fn many(&self, chunks: &[ChunkStep]) -> Result<()> {
        let data = &self.chunked.data;
        let is_here = |chunk: &ChunkStep| data.runtime.cache().contains(self.chunked.key(chunk.number));
        let advice = data.source.advice();
        let requests = shared_requests(self.plan, &self.chunked.shape, chunks, advice, is_here);
        let mut is_done = vec![false; chunks.len()];
        for request in requests {
            let bytes = self.fetch(&request)?;
            for &i in &request.serves {
                let (chunk, Some(location)) = (&chunks[i], chunks[i].location) else { continue };
                let start = (location.address - request.range.start) as usize;
                let stored = &bytes[start..start + location.stored_bytes as usize];
                match chunk.is_raw {
                    true => self.unfiltered(chunk, location, stored)?,
                    false => self.filtered(chunk, location, Some(stored))?,
                }
                is_done[i] = true;
            }
        }
        let rest = chunks.iter().zip(is_done).filter(|(_, is_done)| !is_done);
        rest.map(|(chunk, _)| chunk).try_for_each(|chunk| self.one(chunk))
    }

    fn fetch(&self, request: &Request) -> Result<Vec<u8>> {
        let data = &self.chunked.data;
        let len = request.range.end - request.range.start;
        data.check_range(request.range.start, len)?;
        let mut bytes = zeroed(Some(len))?;
        data.read_into(request.range.start, &mut bytes)?;
        Ok(bytes)
    }

    fn unfiltered(&self, chunk: &ChunkStep, location: Location, stored: &[u8]) -> Result<()> {
        let copies = self.copies(chunk)?;
        if stored.len() < copies.source_end() {
            return Err(self.damaged(chunk, location, SHORTER.to_string()));
        }
        // SAFETY: the places of a chunk, which only this thread writes now (see `Reader`).
        unsafe { copies.run(stored, 0, self.target, self.conversion) }
    }

    fn one(&self, chunk: &ChunkStep) -> Result<()> {
        let Some(location) = chunk.location else {
            let copies = self.plan.fill_copies(&chunk.part, &self.chunked.shape)?;
            let element = self.array.fill_element(self.conversion, self.plan.parts.as_ref());
            // SAFETY: as in `unfiltered`.
            return unsafe { copies.fill(&element, self.target) };
        };
        if chunk.is_raw {
            let copies = self.copies(chunk)?;
            if location.stored_bytes < copies.source_end() as u64 {
                return Err(self.damaged(chunk, location, SHORTER.to_string()));
            }
            let (data, at) = (&self.chunked.data, location.address);
            // SAFETY: as in `unfiltered`.
            return unsafe { raw::read(data, at, &copies, self.target, self.conversion) };
        }
        self.filtered(chunk, location, None)
    }

    /// A chunk with filters; `stored` are its bytes if they have been fetched already.
    fn filtered(&self, chunk: &ChunkStep, location: Location, stored: Option<&[u8]>) -> Result<()> {
        let copies = self.copies(chunk)?;
        let cache = self.chunked.data.runtime.cache();
        let key = self.chunked.key(chunk.number);
        let chunk_bytes = self.chunked.bytes;
        if copies.bytes() == chunk_bytes && copies.unit > 1 {
            match cache.whole(key, chunk_bytes) {
                Whole::Here(decoded) => {
                    // SAFETY: as in `unfiltered`.
                    return unsafe { copies.run(&decoded, 0, self.target, self.conversion) };
                }
                Whole::Straight(passage) => return self.straight(chunk, location, stored, &copies, passage),
                Whole::Wanted => {}
            }
        }
        let decoded = cache.get_or_decode(key, chunk_bytes, || {
            decode_to_keep(self.chunked, chunk.number, location, stored)
        })?;
        // SAFETY: as in `unfiltered`.
        unsafe { copies.run(&decoded, 0, self.target, self.conversion) }?;
        cache.consumed(&decoded, copies.bytes());
        Ok(())
    }

    /// Decodes without keeping; others who want the chunk meanwhile are given it.
    fn straight(
        &self,
        chunk: &ChunkStep,
        location: Location,
        stored: Option<&[u8]>,
        copies: &Copies<'_>,
        passage: Passage,
    ) -> Result<()> {
        with_worker(|worker| {
            if copies.is_single() {
                self.target.check(copies.target_start..copies.target_end())?;
                // SAFETY: checked; and as in `unfiltered`.
                let place = unsafe { self.target.slice_mut(copies.target_start, copies.unit) };
                self.decode(chunk, location, stored, worker, place)?;
                passage.end(place);
                self.conversion.in_place(place);
                return Ok(());
            }
            let mut buffer = std::mem::take(&mut worker.chunk);
            let out = sized(&mut buffer, self.chunked.bytes)?;
            let outcome = self
                .decode(chunk, location, stored, worker, out)
                .inspect(|()| passage.end(out))
                // SAFETY: as in `unfiltered`.
                .and_then(|()| unsafe { copies.run(out, 0, self.target, self.conversion) });
            worker.chunk = buffer;
            outcome
        })
    }

    fn decode(
        &self,
        chunk: &ChunkStep,
        location: Location,
        stored: Option<&[u8]>,
        worker: &mut Worker,
        out: &mut [u8],
    ) -> Result<()> {
        decode(self.chunked, chunk.number, location, stored, worker, out)
    }

    fn copies<'c>(&'c self, chunk: &'c ChunkStep) -> Result<Copies<'c>> {
        self.plan.copies(&chunk.part, &self.chunked.shape)
    }

    fn damaged(&self, chunk: &ChunkStep, location: Location, what: String) -> Error {
        damaged(self.chunked, chunk.number, location, what)
    }
}

/// Fetches (unless `stored` has it) and decodes one chunk, into as many bytes as it can have: a file may claim
/// gigabytes for a chunk of which it stores a few bytes.
pub(crate) fn decode_to_keep(
    chunked: &Chunked,
    number: ChunkNumber,
    location: Location,
    stored: Option<&[u8]>,
) -> Result<Decoded> {
    with_worker(|Worker { stored: buffer, scratch, .. }| {
        let stored = fetched(chunked, location, stored, buffer)?;
        let most = chunked.filters.pipeline()?.max_decoded_len(stored, location.filter_mask);
        let most = most.map_err(|error| in_chunk(chunked, number, location, error.into()))?;
        let mut out = ChunkMemory::take(chunked.bytes.min(most))?;
        undo(chunked, number, location, stored, scratch, &mut out)?;
        Ok(Decoded::from(out))
    })
}

/// Fetches (unless `stored` has it) and decodes one chunk.
pub(crate) fn decode(
    chunked: &Chunked,
    number: ChunkNumber,
    location: Location,
    stored: Option<&[u8]>,
    worker: &mut Worker,
    out: &mut [u8],
) -> Result<()> {
    let stored = fetched(chunked, location, stored, &mut worker.stored)?;
    undo(chunked, number, location, stored, &mut worker.scratch, out)
}

/// The stored bytes of a chunk: those that are here already, or as they lie in the file.
fn fetched<'b>(
    chunked: &Chunked,
    location: Location,
    stored: Option<&'b [u8]>,
    buffer: &'b mut Vec<u8>,
) -> Result<&'b [u8]> {
    if let Some(stored) = stored {
        return Ok(stored);
    }
    chunked.data.check_range(location.address, location.stored_bytes)?;
    let buffer = sized(buffer, location.stored_bytes as usize)?;
    chunked.data.read_into(location.address, buffer)?;
    Ok(buffer)
}

fn undo(
    chunked: &Chunked,
    number: ChunkNumber,
    location: Location,
    stored: &[u8],
    scratch: &mut Scratch,
    out: &mut [u8],
) -> Result<()> {
    let (pipeline, mask) = (chunked.filters.pipeline()?, location.filter_mask);
    let outcome = trimmed::decode_into(chunked, pipeline, number, stored, mask, scratch, out);
    chunked.data.count_decode();
    outcome.map_err(|error| in_chunk(chunked, number, location, error))
}

fn in_chunk(chunked: &Chunked, number: ChunkNumber, location: Location, error: Error) -> Error {
    let Location { address, stored_bytes, .. } = location;
    let coordinates = chunked.grid.coordinates(number);
    error
        .with_context(format_args!("chunk {coordinates:?} at byte {address:#x} ({stored_bytes} bytes)"))
        .at_byte("chunk", address)
}

fn damaged(chunked: &Chunked, number: ChunkNumber, location: Location, what: String) -> Error {
    in_chunk(chunked, number, location, Error::damaged(what))
}
