//! The clock of a run, and what else it used: they run only while the engine works.
//!
//! In the loop over blocks there is nothing but the engine: the clock is read when a batch of blocks begins and when it
//! ends, and once after the very first block. What is left of the harness is an indirect call and a test for each block.
//!
//! Processor time and requests are those from the start to when all is closed, less what the harness does in between
//! ([`Clock::exclude`]): values that are made up or read from another file, buffers, checksums. The system counts them for
//! the process as a whole, so the engine's threads are in them, and so is what little the loop does itself.

use super::task::Outcome;
use crate::{Usage, peak_memory_bytes};
use hyperslab_engines::{Block, EngineError, PreparedEngine};
use std::time::{Duration, Instant};

/// Adds up what the engine takes.
pub(super) struct Clock {
    now: fn() -> Instant,
    before: Usage,
    /// What the harness itself used since.
    excluded: Usage,
    after: Option<Usage>,
    base_memory_bytes: u64,
    opened: Duration,
    first: Option<Duration>,
    all: Duration,
    closed: Duration,
    /// Each block, if that is wanted.
    each: Option<Vec<Duration>>,
    pub(super) blocks: u64,
    pub(super) bytes: u64,
}

/// Work of the harness, which is not counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExcludedWork {
    /// It computes.
    Computes,
    /// It reads files, too.
    Reads,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            now: Instant::now,
            base_memory_bytes: peak_memory_bytes(),
            opened: Duration::ZERO,
            first: None,
            all: Duration::ZERO,
            closed: Duration::ZERO,
            each: None,
            blocks: 0,
            bytes: 0,
            excluded: Usage::default(),
            after: None,
            before: Usage::at_start(),
        }
    }

    /// Opens or creates what is worked on.
    pub(super) fn open<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (done, took) = self.timed(work);
        self.opened = took;
        done
    }

    /// From now on, the time of each block is noted.
    pub(super) fn note_each_block(&mut self) {
        self.each = Some(Vec::new());
    }

    fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, Duration) {
        let began = (self.now)();
        let done = work();
        (done, (self.now)() - began)
    }

    /// Work on a batch of blocks.
    pub(super) fn data(
        &mut self,
        blocks: &[Block],
        mut work: impl FnMut(&Block) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let began = (self.now)();
        let mut before = began;
        if let Some(each) = &mut self.each {
            each.reserve(blocks.len());
        }
        for block in blocks {
            work(block)?;
            if let Some(each) = &mut self.each {
                let now = (self.now)();
                each.push(now - before);
                before = now;
            }
            if self.first.is_none() {
                self.first = Some((self.now)() - began);
            }
        }
        self.all += (self.now)() - began;
        self.blocks += blocks.len() as u64;
        Ok(())
    }

    /// Work without an item of its own.
    pub(super) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (done, took) = self.timed(work);
        self.all += took;
        done
    }

    /// Work on one of many items, of so many bytes.
    pub(super) fn item(
        &mut self,
        bytes: u64,
        work: impl FnOnce() -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let before = self.all;
        self.time(work)?;
        self.first.get_or_insert(self.all - before);
        self.blocks += 1;
        self.bytes += bytes;
        Ok(())
    }

    /// Work of the harness itself between two pieces of the engine's: nothing of it counts.
    pub(super) fn exclude<T>(&mut self, what: ExcludedWork, work: impl FnOnce() -> T) -> T {
        // Both looks belong to the harness: the span begins without the first, and ends with the last.
        let (before, done, after) = match what {
            ExcludedWork::Computes => (Usage::of_the_processor(), work(), Usage::of_the_processor()),
            ExcludedWork::Reads => (Usage::at_end(), work(), Usage::at_start()),
        };
        self.excluded = self.excluded.and(after.since(before));
        done
    }

    /// Closes what was opened: the last that counts.
    pub(super) fn close<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (done, took) = self.timed(work);
        self.closed = took;
        self.after = Some(Usage::at_end());
        done
    }

    /// What was measured, with what the engine says of itself.
    pub(super) fn outcome_of(self, engine: &dyn PreparedEngine) -> Outcome {
        Outcome {
            open_seconds: self.opened.as_secs_f64(),
            first_seconds: self.first.unwrap_or_default().as_secs_f64(),
            data_seconds: self.all.as_secs_f64(),
            block_seconds: self.each.iter().flatten().map(Duration::as_secs_f64).collect(),
            close_seconds: self.closed.as_secs_f64(),
            blocks: self.blocks,
            bytes: self.bytes,
            usage: self
                .after
                .map_or_else(Usage::default, |after| after.since(self.before).since(self.excluded)),
            peak_memory_bytes: peak_memory_bytes(),
            base_memory_bytes: self.base_memory_bytes,
            version: engine.version(),
            hdf5_version: engine.hdf5_version(),
            default_cache: engine.default_cache(),
            ..Outcome::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_engines::{Engine, OpenOptions};
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;
    use std::path::Path;

    thread_local! {
        static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
        static LOOKS: Cell<u64> = const { Cell::new(0) };
    }

    /// Counts what this thread allocates.
    struct Counting;

    // SAFETY: the system's allocator does it all.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // A thread that ends allocates without its counter.
            let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
            // SAFETY: as the caller promised.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            // SAFETY: as the caller promised.
            unsafe { System.dealloc(block, layout) }
        }
    }

    #[global_allocator]
    static COUNTING: Counting = Counting;

    fn looked() -> Instant {
        LOOKS.with(|looks| looks.set(looks.get() + 1));
        Instant::now()
    }

    #[test]
    fn the_loop_over_blocks_allocates_nothing_and_looks_at_the_clock_once_a_batch() {
        let block = Block { start: vec![0, 0], count: vec![1, 8], step: vec![1, 1] };
        let batch = vec![block; 16_200];
        let mut clock = Clock { now: looked, ..Clock::start() };
        let engine = Engine::Null.prepare().unwrap();
        let mut writing = engine
            .create(
                Path::new(""),
                "",
                &hyperslab_engines::CreationProperties::plain(vec![1, 8], "<f4".parse().unwrap()),
                &OpenOptions::default(),
            )
            .unwrap();
        let values = [0u8; 32];
        let before = (ALLOCATIONS.get(), LOOKS.get());
        for _ in 0..3 {
            clock.data(&batch, |block| writing.write(block, &values)).unwrap();
        }
        assert_eq!(ALLOCATIONS.get() - before.0, 0);
        assert_eq!(LOOKS.get() - before.1, 3 * 2 + 1, "one more after the very first block");
        assert_eq!(clock.blocks, 3 * 16_200);
        assert!(clock.first.is_some_and(|first| first <= clock.all));
    }
}
