//! The plan of a read of chunks: the chunks, the requests, and the tasks.
//!
//! Adjacent chunks share a request. For a source without latency, only chunks of the same task share requests: the
//! thread that does the task fetches them, and other threads have tasks of their own. For a source with latency, all
//! chunks of the plan can share requests, and are distributed among threads as they arrive.

use super::raw::{self, RawStep, RawSteps, STEPS_MAX};
use super::{CacheView, ReadPlan, Steps};
use crate::Result;
use crate::array::Chunked;
use crate::chunk::cache::Decoded;
use crate::chunk::grid::ChunkNumber;
use crate::chunk::index::Location;
use crate::chunk::map::ChunkMap;
use crate::selection::Run;
use hyperslab_io::{Advice, coalesce};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;

/// The chunks of a plan.
pub(crate) struct ChunkPlan {
    pub(crate) chunked: Arc<Chunked>,
    pub(crate) chunks: SmallVec<[ChunkStep; 1]>,
    /// They bring every chunk that exists and was not in the cache.
    pub(crate) requests: SmallVec<[ChunkRequest; 1]>,
    /// What one thread does at a time.
    pub(crate) tasks: SmallVec<[Task; 1]>,
}

/// One chunk that is touched.
#[derive(Clone)]
pub(crate) struct ChunkStep {
    pub(crate) number: ChunkNumber,
    /// The wanted elements.
    pub(crate) part: ChunkElements,
    /// Its location; `None` if it was never written.
    pub(crate) location: Option<Location>,
    /// True if the stored bytes are the values: without filters, or for an edge chunk that was not filtered.
    pub(crate) is_raw: bool,
    /// The decoded chunk, if it was in the cache.
    pub(crate) cached: Option<Arc<Decoded>>,
}

/// The wanted elements of a chunk.
#[derive(Clone)]
pub(crate) enum ChunkElements {
    /// The product of one run per axis, by the positions of the runs in the plan.
    Product(SmallVec<[u32; 4]>),
    /// Single elements, numbered in row-major order inside the chunk.
    Points(Run),
}

/// A request for chunks, which are given by their positions in the plan.
pub(crate) enum ChunkRequest {
    /// One request for all stored bytes of these chunks.
    Stored { range: Range<u64>, chunks: SmallVec<[u32; 4]> },
    /// Requests for the wanted bytes of an unfiltered chunk.
    Unfiltered { chunk: u32, steps: RawSteps },
}

/// A unit of work for one thread: chunks that are copied from the cache or filled, and requests. For a source without
/// latency, the requests fetch the other chunks of the task; otherwise, all requests of the plan are made together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) chunks: Range<usize>,
    pub(crate) requests: Range<usize>,
}

/// Stored bytes of small chunks that one task fetches together.
const TASK_BYTES: u64 = 256 << 10;
/// Unfiltered chunks up to this size are fetched together.
const SMALL_BYTES: u64 = 64 << 10;

impl ChunkPlan {
    /// True where a request is made.
    pub(crate) fn fetches(&self) -> bool {
        self.requests.iter().any(|request| match request {
            ChunkRequest::Stored { .. } => true,
            ChunkRequest::Unfiltered { steps, .. } => steps.iter().any(RawStep::fetches),
        })
    }
}

impl ChunkStep {
    /// Bytes of the file where the chunk lies.
    fn stored(&self) -> Option<Range<u64>> {
        self.location.map(|found| found.address..found.address.saturating_add(found.stored_bytes))
    }

    /// True where the chunk has to be fetched.
    fn is_to_fetch(&self) -> bool {
        self.location.is_some() && self.cached.is_none()
    }
}

/// Collects the chunks of a plan, and hands over plans of them.
pub(super) struct Planner<'p, F> {
    /// The selection, without steps.
    plan: &'p ReadPlan,
    chunked: &'p Arc<Chunked>,
    view: CacheView,
    advice: Advice,
    each: F,
    /// The read takes a single chunk.
    is_single: bool,
    chunks: SmallVec<[ChunkStep; 1]>,
    /// Of unfiltered chunks, in the order of the chunks.
    parts: SmallVec<[(u32, RawSteps); 1]>,
    steps: usize,
}

impl<'p, F: FnMut(&ReadPlan) -> Result<()>> Planner<'p, F> {
    /// A planner for a read of `count` chunks.
    pub(super) fn new(
        plan: &'p ReadPlan,
        chunked: &'p Arc<Chunked>,
        view: CacheView,
        count: usize,
        each: F,
    ) -> Self {
        let (advice, chunks) = (chunked.data.source.advice(), SmallVec::with_capacity(count));
        let is_single = count == 1;
        Self { plan, chunked, view, advice, each, is_single, chunks, parts: SmallVec::new(), steps: 0 }
    }

    /// Adds a chunk.
    pub(super) fn push(&mut self, map: &ChunkMap, number: ChunkNumber, part: ChunkElements) -> Result<()> {
        let (location, is_raw) = (map.get(number), self.chunked.is_raw(number));
        let mut step = ChunkStep { number, part, location, is_raw, cached: None };
        match step.stored().filter(|_| is_raw) {
            None if location.is_some() => {
                let cache = self.chunked.data.runtime.cache();
                step.cached = self.view.find(cache, self.chunked.key(number));
            }
            Some(stored) if !self.wants_most(&step, &stored) => return self.push_parts(step, &stored),
            _ => {}
        }
        self.chunks.push(step);
        Ok(())
    }

    /// Adds an unfiltered chunk of which some is wanted.
    fn push_parts(&mut self, step: ChunkStep, stored: &Range<u64>) -> Result<()> {
        let (plan, chunked, view) = (self.plan, self.chunked, self.view);
        let copies = plan.copies(&step.part, &chunked.shape)?;
        let mut is_first = true;
        let last = raw::batches(&copies, self.advice, |batch| {
            is_first = false;
            let steps = raw::steps(&chunked.data, stored.start, &batch, false, view);
            self.chunks.push(step.clone());
            self.parts.push((self.chunks.len() as u32 - 1, steps));
            self.flush()
        })?;
        let steps: RawSteps =
            raw::steps(&chunked.data, stored.start, &last, self.is_single && is_first, view);
        drop(copies);
        self.steps += steps.len();
        self.parts.push((self.chunks.len() as u32, steps));
        self.chunks.push(step);
        if self.steps >= STEPS_MAX { self.flush() } else { Ok(()) }
    }

    /// True for a small unfiltered chunk of which so much is wanted that it is best fetched whole, with its neighbours.
    fn wants_most(&self, step: &ChunkStep, stored: &Range<u64>) -> bool {
        let bytes = stored.end - stored.start;
        let copies = || self.plan.copies(&step.part, &self.chunked.shape);
        bytes <= SMALL_BYTES && copies().is_ok_and(|copies| copies.bytes() as u64 * 2 >= bytes)
    }

    /// Hands over what was collected since the last time.
    fn flush(&mut self) -> Result<()> {
        let steps = self.take()?;
        (self.each)(&self.plan.with_steps(steps))
    }

    /// The steps that were collected since the last time, with their requests.
    pub(super) fn take(&mut self) -> Result<Steps> {
        let chunks = std::mem::take(&mut self.chunks);
        let parts = std::mem::take(&mut self.parts);
        self.steps = 0;
        let (mut requests, mut tasks) = (SmallVec::new(), SmallVec::new());
        // Chunks of all tasks share requests where requests take their time.
        let together = self.advice.has_latency();
        // Most small reads touch one chunk, whose work need not be divided.
        let work = if chunks.len() == 1 { smallvec![0] } else { self.work(&chunks, &parts) };
        let mut parts = parts.into_iter().peekable();
        for task in tasks_of(&work) {
            let first = requests.len();
            if !together {
                self.stored_requests(&chunks, task.clone(), &mut requests)?;
            }
            while let Some((chunk, steps)) = parts.next_if(|(chunk, _)| task.contains(&(*chunk as usize))) {
                requests.push(ChunkRequest::Unfiltered { chunk, steps });
            }
            tasks.push(Task { chunks: task, requests: first..requests.len() });
        }
        if together {
            self.stored_requests(&chunks, 0..chunks.len(), &mut requests)?;
        }
        Ok(Steps::Chunks(ChunkPlan { chunked: self.chunked.clone(), chunks, requests, tasks }))
    }

    /// Bytes that are fetched, decoded or copied for each chunk.
    fn work(&self, chunks: &[ChunkStep], parts: &[(u32, RawSteps)]) -> SmallVec<[u64; 4]> {
        let copied = self.plan.result_bytes() / chunks.len().max(1) as u64;
        // Decoding takes about as long as copying four times as much.
        let decoded = self.chunked.bytes as u64 / 4;
        let of_chunk = |chunk: &ChunkStep| match &chunk.location {
            Some(location) if chunk.cached.is_none() => location.stored_bytes.max(decoded),
            _ => copied,
        };
        let mut work: SmallVec<[u64; 4]> = chunks.iter().map(of_chunk).collect();
        for (chunk, steps) in parts {
            work[*chunk as usize] = steps.iter().map(|step| step.wanted.len as u64).sum();
        }
        work
    }

    /// Requests for those of these chunks that are fetched whole.
    fn stored_requests(
        &self,
        chunks: &[ChunkStep],
        among: Range<usize>,
        requests: &mut SmallVec<[ChunkRequest; 1]>,
    ) -> Result<()> {
        let wanted = |index: usize| {
            let chunk = &chunks[index];
            let stored = chunk.stored().filter(|_| chunk.is_to_fetch())?;
            (!chunk.is_raw || self.wants_most(chunk, &stored)).then_some(stored)
        };
        if let [only] = &chunks[among.clone()] {
            let Some(range) = wanted(among.start) else { return Ok(()) };
            requests.push(self.alone(only, among.start, range)?);
            return Ok(());
        }
        // Empty ranges are served by no request; a stored chunk without bytes is fetched all the same.
        let ranges: Vec<Range<u64>> = among.clone().map(|index| wanted(index).unwrap_or(0..0)).collect();
        for request in coalesce(&ranges, self.advice) {
            match request.serves.as_slice() {
                &[only] => {
                    let index = among.start + only;
                    requests.push(self.alone(&chunks[index], index, request.range)?);
                }
                several => {
                    let chunks = several.iter().map(|&index| (among.start + index) as u32).collect();
                    requests.push(ChunkRequest::Stored { range: request.range, chunks });
                }
            }
        }
        for index in among {
            if let Some(range) = wanted(index).filter(Range::is_empty) {
                requests.push(self.alone(&chunks[index], index, range)?);
            }
        }
        Ok(())
    }

    /// The request for a chunk that shares it with no other.
    fn alone(&self, step: &ChunkStep, index: usize, range: Range<u64>) -> Result<ChunkRequest> {
        if !step.is_raw {
            return Ok(ChunkRequest::Stored { range, chunks: [index as u32].into_iter().collect() });
        }
        // Small, so there are few requests for parts of it.
        let copies = self.plan.copies(&step.part, &self.chunked.shape)?;
        let mut wanted = Vec::new();
        raw::requests(&copies, self.advice, &mut |request| wanted.push(request));
        let steps = raw::steps(&self.chunked.data, range.start, &wanted, self.is_single, self.view);
        Ok(ChunkRequest::Unfiltered { chunk: index as u32, steps })
    }
}

/// Cuts the chunks into tasks: as many as it takes to fetch, to decode or to copy a decent number of bytes, so that small
/// chunks share requests, large ones share the cores, and no thread is woken for less. `work` has the bytes of each chunk.
fn tasks_of(work: &[u64]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let mut bytes = 0u64;
        let fits = work[start..].iter().take_while(|&&of_chunk| {
            let before = bytes;
            bytes = bytes.saturating_add(of_chunk.max(64));
            before == 0 || bytes <= TASK_BYTES
        });
        let task = start..start + fits.count();
        start = task.end;
        (!task.is_empty()).then_some(task)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_that_cost_little_are_one_task_however_large_they_are() {
        let tasks = |work: &[u64]| tasks_of(work).map(|task| (task.start, task.end)).collect::<Vec<_>>();
        assert_eq!(tasks(&[]), []);
        assert_eq!(tasks(&[356, 356, 0]), [(0, 3)]);
        assert_eq!(tasks(&[TASK_BYTES, 1, TASK_BYTES / 2, TASK_BYTES]), [(0, 1), (1, 3), (3, 4)]);
        // Chunks that were never written are not free.
        assert_eq!(tasks(&vec![0; 2 * TASK_BYTES as usize / 64]).len(), 2);
        assert_eq!(tasks(&[u64::MAX, u64::MAX]), [(0, 1), (1, 2)]);
    }
}
