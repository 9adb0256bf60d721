//! Fetching concurrently with decoding, for sources with latency: many requests are in flight, and the responses wait
//! in a bounded queue for the threads that decode and place them.
//!
//! ```text
//! Source::fetch ── deliver ──► queue (bounded in bytes) ──► threads: decode, place
//!      this thread               └── full: this thread decodes, too, and fetches on when there is room
//! ```
//!
//! No thread of the pool ever waits for the network: they are asked when something has arrived.

use super::call::Call;
use crate::array::DataSource;
use crate::{Error, Result};
use bytes::Bytes;
use hyperslab_io::Cancelled;
use hyperslab_io::purpose::{self, Purpose};
use std::collections::VecDeque;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most bytes that have arrived and wait to be decoded.
const QUEUED_BYTES_MAX: usize = 32 << 20;

/// Fetches all ranges, and does `work` with each as it arrives, here and on other threads. The bytes of range `index`
/// are given to `units(index)` pieces of work.
///
/// # Errors
/// Of those that came up, the one of the first range; that the call was cancelled.
pub(super) fn run(
    data: &DataSource,
    ranges: &[Range<u64>],
    units: impl Fn(usize) -> usize,
    call: Call<'_>,
    work: impl Fn(usize, usize, &Bytes) -> Result<()> + Sync,
) -> Result<()> {
    ranges.iter().try_for_each(|range| data.check_range(range.start, range.end - range.start))?;
    let queue = Queue {
        work: &work,
        call,
        helpers_max: data.runtime.thread_count().saturating_sub(1).max(1),
        helpers: AtomicUsize::new(0),
        state: Mutex::default(),
        is_over: AtomicBool::new(false),
    };
    let mut delivered = 0;
    let purpose = |(index, range): (usize, &Range<u64>)| {
        (range.start, Purpose { reason: purpose::DATA, serves: units(index).max(1) })
    };
    let purposes = ranges.iter().enumerate().map(purpose).collect();
    data.runtime.scope(|spawn| {
        let mut deliver = |index: usize, answer: io::Result<Bytes>| {
            delivered += 1;
            match answer.and_then(|bytes| exactly(bytes, &ranges[index])) {
                Ok(bytes) => {
                    let units = units(index).max(1);
                    let cost = bytes.len() / units;
                    for unit in 0..units {
                        queue.push(Item { index, unit, bytes: bytes.clone(), cost });
                        spawn(Box::new(|| queue.help()));
                    }
                    queue.work_down_to(QUEUED_BYTES_MAX);
                }
                Err(error) => queue.fail(index, data.failed(&ranges[index], error)),
            }
            if queue.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        purpose::with_each(purposes, || data.source.fetch(ranges, call.cancel, &mut deliver));
        queue.work_down_to(0);
    });
    match queue.state.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
        Some((_, error)) => Err(error),
        None if delivered < ranges.len() => Err(io::Error::from(Cancelled).into()),
        None => Ok(()),
    }
}

/// A source that answers with another number of bytes than it was asked for must not guard to a panic.
fn exactly(bytes: Bytes, range: &Range<u64>) -> io::Result<Bytes> {
    if bytes.len() as u64 == range.end - range.start {
        return Ok(bytes);
    }
    Err(io::Error::other(format!("the source answered with {} bytes", bytes.len())))
}

/// What has arrived, and how it goes.
struct Queue<'w, W> {
    work: &'w W,
    call: Call<'w>,
    /// As many threads work beside the one that fetches.
    helpers_max: usize,
    helpers: AtomicUsize,
    state: Mutex<State>,
    is_over: AtomicBool,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    failed: Option<(usize, Error)>,
}

/// One piece of work.
struct Item {
    index: usize,
    unit: usize,
    bytes: Bytes,
    cost: usize,
}

impl<W: Fn(usize, usize, &Bytes) -> Result<()> + Sync> Queue<'_, W> {
    fn push(&self, item: Item) {
        let mut state = self.state();
        state.bytes += item.cost;
        state.items.push_back(item);
    }

    /// Works until nothing waits, unless enough threads do already. An item that comes just then is left to the thread
    /// that fetches.
    fn help(&self) {
        if self.helpers.fetch_add(1, Ordering::Relaxed) < self.helpers_max {
            while self.work_on_one() {}
        }
        self.helpers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes an item and does it, unless something failed; false if there is none.
    fn work_on_one(&self) -> bool {
        let Some(item) = self.take() else { return false };
        if self.is_over() {
            return true;
        }
        let outcome =
            self.call.check_cancelled().and_then(|()| (self.work)(item.index, item.unit, &item.bytes));
        if let Err(error) = outcome {
            self.fail(item.index, error);
        }
        true
    }

    /// Works until no more than so many bytes wait.
    fn work_down_to(&self, bytes: usize) {
        while (bytes == 0 || self.state().bytes > bytes) && self.work_on_one() {}
    }

    fn take(&self) -> Option<Item> {
        let mut state = self.state();
        let item = state.items.pop_front()?;
        state.bytes -= item.cost;
        Some(item)
    }

    fn fail(&self, index: usize, error: Error) {
        self.is_over.store(true, Ordering::Relaxed);
        let mut state = self.state();
        if state.failed.as_ref().is_none_or(|(first, _)| index < *first) {
            state.failed = Some((index, error));
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
