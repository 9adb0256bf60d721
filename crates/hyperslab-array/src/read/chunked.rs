//! Reading chunks: fetching, decoding and placing them in parallel. Each chunk is decoded once.
//!
//! There are three cases for a filtered chunk:
//! - It is in the cache: its elements are copied from there.
//! - The read wants all of it, and it was not wanted recently: it is decoded directly into the caller's buffer (or
//!   through a buffer of the thread, if its destination is not contiguous). It is not cached, so that a scan of a large
//!   file does not evict chunks that are in use. A reader that wants the chunk at the same time waits, and gets a copy.
//! - Otherwise it is decoded into the cache, once, even if several threads want it at the same time.
//!
//! For a source without latency, the thread that decodes a chunk fetches it, into a buffer that it reuses. Otherwise,
//! all requests of the plan are made together, and [`pipeline`] distributes the responses.

use super::call::Call;
use super::decode::{damaged, decode, decode_to_keep};
use super::place::Copies;
use super::worker::{Worker, sized, with_fetched, with_worker};
use super::{ahead, pipeline, raw};
use crate::array::{Array, Chunked};
use crate::chunk::cache::{BypassGuard, Decoded, WholeChunk};
use crate::chunk::index::Location;
use crate::plan::{ChunkPlan, ChunkRequest, ChunkStep, RawStep, ReadPlan, Task};
use crate::{Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// Carries out the plan of a read of chunks.
///
/// # Safety
/// Nobody else uses the places of these chunks in the target meanwhile.
pub(crate) unsafe fn read(array: &Array, plan: &ReadPlan, steps: &ChunkPlan, call: Call<'_>) -> Result<()> {
    match steps.chunks.as_slice() {
        [only] => ahead::follow(&steps.chunked, only),
        several => ahead::pass(&steps.chunked, several),
    }
    let reader = Reader { array, plan, steps, chunked: &steps.chunked, call };
    let data = &steps.chunked.data;
    let is_distant = data.source.advice().has_latency() && !steps.requests.is_empty();
    let task = |task: &Task| if is_distant { reader.place_known(task) } else { reader.task(task) };
    match steps.tasks.as_slice() {
        [only] => task(only)?,
        several => data.runtime.for_each(several, task)?,
    }
    if is_distant {
        reader.distant()?;
    }
    if steps.fetches() { data.check_unchanged() } else { Ok(()) }
}

const SHORTER: &str = "is shorter than its values";

/// What the bytes of a request are for.
enum Wanted<'a> {
    /// These chunks.
    Stored(&'a [u32]),
    /// Part of an unfiltered chunk.
    Bytes(u32, &'a RawStep),
}

impl Wanted<'_> {
    /// Pieces of work.
    fn units(&self) -> usize {
        match self {
            Wanted::Stored(chunks) => chunks.len(),
            Wanted::Bytes(..) => 1,
        }
    }
}

/// Made by [`read`] alone: nobody else uses the places of its chunks in the target, and those of two chunks are
/// disjoint.
struct Reader<'a> {
    array: &'a Array,
    plan: &'a ReadPlan,
    steps: &'a ChunkPlan,
    chunked: &'a Chunked,
    call: Call<'a>,
}

impl Reader<'_> {
    /// A task whose requests are made by this thread.
    fn task(&self, task: &Task) -> Result<()> {
        self.place_known(task)?;
        for request in &self.steps.requests[task.requests.clone()] {
            self.call.check_cancelled()?;
            match request {
                ChunkRequest::Unfiltered { chunk, steps } => self.parts(*chunk, steps)?,
                ChunkRequest::Stored { range, chunks } => match chunks.as_slice() {
                    // Fetched when it turns out that no other thread has decoded it meanwhile.
                    &[only] => self.stored(only, None)?,
                    several => with_fetched(|buffer| {
                        let bytes = self.fetch(range, buffer)?;
                        several.iter().try_for_each(|&chunk| self.stored(chunk, Some((range, bytes))))
                    })?,
                },
            }
        }
        Ok(())
    }

    /// Places those chunks of a task that need no request.
    fn place_known(&self, task: &Task) -> Result<()> {
        for chunk in &self.steps.chunks[task.chunks.clone()] {
            match (&chunk.cached, chunk.location) {
                (Some(decoded), _) => self.cached(chunk, decoded)?,
                (None, None) => {
                    let copies = self.plan.fill_copies(&chunk.part, &self.chunked.shape)?;
                    let element = self.array.fill_element(self.call.conversion, self.plan.parts.as_ref());
                    // SAFETY: the places of a chunk, which only this thread writes now (see `Reader`).
                    unsafe { copies.fill(&element, self.call.target) }?;
                }
                (None, Some(_)) => {}
            }
        }
        Ok(())
    }

    /// Makes all requests of the plan together, but for chunks that are being read ahead: those are waited for, so that
    /// their bytes are not fetched twice.
    fn distant(&self) -> Result<()> {
        let (mut ranges, mut wanted, mut awaited) = (Vec::new(), Vec::new(), Vec::new());
        for request in &self.steps.requests {
            match request {
                ChunkRequest::Stored { chunks, .. }
                    if chunks.iter().all(|&chunk| self.is_decoding(chunk)) =>
                {
                    awaited.extend(chunks);
                }
                ChunkRequest::Stored { range, chunks } => {
                    ranges.push(range.clone());
                    wanted.push(Wanted::Stored(chunks));
                }
                // A small read, which takes what it can from the cache.
                ChunkRequest::Unfiltered { chunk, steps }
                    if steps.iter().any(|step| step.blocks().is_some()) =>
                {
                    self.parts(*chunk, steps)?;
                }
                ChunkRequest::Unfiltered { chunk, steps } => {
                    let (location, _) = self.checked(*chunk)?;
                    for step in steps {
                        ranges.push(step.wanted.range(location.address));
                        wanted.push(Wanted::Bytes(*chunk, step));
                    }
                }
            }
        }
        let units = |index: usize| wanted[index].units();
        pipeline::run(&self.chunked.data, &ranges, units, self.call, |index, unit, bytes| {
            match wanted[index] {
                Wanted::Stored(chunks) => self.stored(chunks[unit], Some((&ranges[index], bytes))),
                Wanted::Bytes(chunk, step) => {
                    let (location, copies) = self.checked(chunk)?;
                    // SAFETY: `checked` found the places inside of the target; else as in `unfiltered`.
                    unsafe {
                        raw::place(&self.chunked.data, location.address, &copies, step, bytes, self.call)
                    };
                    Ok(())
                }
            }
        })?;
        awaited.into_iter().try_for_each(|&chunk| self.stored(chunk, None))
    }

    fn is_decoding(&self, chunk: u32) -> bool {
        let chunk = &self.steps.chunks[chunk as usize];
        !chunk.is_raw && self.chunked.data.runtime.cache().is_decoding(self.chunked.key(chunk.number))
    }

    /// Fetches a range into a buffer.
    fn fetch<'b>(&self, range: &Range<u64>, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        let (data, len) = (&self.chunked.data, range.end - range.start);
        data.check_range(range.start, len)?;
        let len = usize::try_from(len)
            .map_err(|_| Error::out_of_memory(format!("not enough memory for {len} bytes")))?;
        let bytes = sized(buffer, len)?;
        data.read_into(range.start, bytes)?;
        Ok(bytes)
    }

    /// What is wanted of an unfiltered chunk.
    fn parts(&self, chunk: u32, steps: &[RawStep]) -> Result<()> {
        let (location, copies) = self.checked(chunk)?;
        // SAFETY: as in `unfiltered`.
        unsafe { raw::read(&self.chunked.data, location.address, &copies, steps, self.call) }
    }

    /// The copies out of an unfiltered chunk, which stay inside of it, of the file, and of the target.
    fn checked(&self, chunk: u32) -> Result<(Location, Copies<'_>)> {
        let (chunk, location) = self.located(chunk)?;
        let copies = self.copies(chunk)?;
        if location.stored_bytes < copies.source_end() as u64 {
            return Err(self.damaged(chunk, location, SHORTER.to_string()));
        }
        raw::check(&self.chunked.data, location.address, &copies, self.call)?;
        Ok((location, copies))
    }

    /// A chunk that is fetched whole; its bytes are among those of a range, if they have been fetched already.
    fn stored(&self, chunk: u32, fetched: Option<(&Range<u64>, &[u8])>) -> Result<()> {
        let (chunk, location) = self.located(chunk)?;
        let stored = fetched.map(|(range, bytes)| {
            let start = (location.address - range.start) as usize;
            &bytes[start..start + location.stored_bytes as usize]
        });
        match stored.filter(|_| chunk.is_raw) {
            Some(stored) => self.unfiltered(chunk, location, stored),
            None => self.filtered(chunk, location, stored),
        }
    }

    fn located(&self, chunk: u32) -> Result<(&ChunkStep, Location)> {
        let step = &self.steps.chunks[chunk as usize];
        let location = step.location.ok_or_else(|| Error::internal("a chunk without bytes is requested"));
        Ok((step, location?))
    }

    fn unfiltered(&self, chunk: &ChunkStep, location: Location, stored: &[u8]) -> Result<()> {
        let copies = self.copies(chunk)?;
        if stored.len() < copies.source_end() {
            return Err(self.damaged(chunk, location, SHORTER.to_string()));
        }
        // SAFETY: the places of a chunk, which only this thread writes now (see `Reader`).
        unsafe { copies.run(stored, 0, self.call.target, self.call.conversion) }
    }

    /// A chunk that the cache held.
    fn cached(&self, chunk: &ChunkStep, decoded: &Arc<Decoded>) -> Result<()> {
        let copies = self.copies(chunk)?;
        // SAFETY: as in `unfiltered`.
        unsafe { copies.run(decoded, 0, self.call.target, self.call.conversion) }?;
        if !self.wants_all(&copies) {
            self.chunked.data.runtime.cache().consumed(decoded, copies.bytes());
        }
        Ok(())
    }

    fn wants_all(&self, copies: &Copies<'_>) -> bool {
        copies.bytes() == self.chunked.bytes && copies.unit > 1
    }

    /// A chunk with filters; `stored` are its bytes if they have been fetched already.
    fn filtered(&self, chunk: &ChunkStep, location: Location, stored: Option<&[u8]>) -> Result<()> {
        let copies = self.copies(chunk)?;
        let cache = self.chunked.data.runtime.cache();
        let key = self.chunked.key(chunk.number);
        let chunk_bytes = self.chunked.bytes;
        if self.wants_all(&copies) {
            match cache.whole(key, chunk_bytes) {
                WholeChunk::Cached(decoded) => {
                    // SAFETY: as in `unfiltered`.
                    return unsafe { copies.run(&decoded, 0, self.call.target, self.call.conversion) };
                }
                WholeChunk::Bypass(bypass) => {
                    return self.decode_bypassing(chunk, location, stored, &copies, bypass);
                }
                WholeChunk::Wanted => {}
            }
        }
        let decoded = cache.get_or_decode(key, chunk_bytes, || {
            decode_to_keep(self.chunked, chunk.number, location, stored)
        })?;
        // SAFETY: as in `unfiltered`.
        unsafe { copies.run(&decoded, 0, self.call.target, self.call.conversion) }?;
        cache.consumed(&decoded, copies.bytes());
        Ok(())
    }

    /// Decodes without keeping; others who want the chunk meanwhile are given it.
    fn decode_bypassing(
        &self,
        chunk: &ChunkStep,
        location: Location,
        stored: Option<&[u8]>,
        copies: &Copies<'_>,
        bypass: BypassGuard,
    ) -> Result<()> {
        with_worker(|worker| {
            if copies.is_single() {
                self.call.target.check(copies.target_start..copies.target_end())?;
                // SAFETY: checked; and as in `unfiltered`.
                let place = unsafe { self.call.target.slice_mut(copies.target_start, copies.unit) };
                self.decode(chunk, location, stored, worker, place)?;
                bypass.end(place);
                self.call.conversion.in_place(place);
                return Ok(());
            }
            let mut buffer = std::mem::take(&mut worker.chunk);
            let out = sized(&mut buffer, self.chunked.bytes)?;
            let outcome = self
                .decode(chunk, location, stored, worker, out)
                .inspect(|()| bypass.end(out))
                // SAFETY: as in `unfiltered`.
                .and_then(|()| unsafe { copies.run(out, 0, self.call.target, self.call.conversion) });
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
