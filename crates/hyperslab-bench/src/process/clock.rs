//! The clock of a run, and what else it used: they run only while the engine works.

use super::task::Outcome;
use crate::engine::{EngineError, Prepared};
use crate::measure::{PageCache, Usage, peak_memory_bytes};
use crate::study::Block;
use std::time::{Duration, Instant};

/// Adds up what the engine takes.
pub(super) struct Clock {
    before: Usage,
    base_memory_bytes: u64,
    opened: Duration,
    first: Option<Duration>,
    all: Duration,
    closed: Duration,
    pub(super) blocks: u64,
    pub(super) bytes: u64,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            base_memory_bytes: peak_memory_bytes(),
            opened: Duration::ZERO,
            first: None,
            all: Duration::ZERO,
            closed: Duration::ZERO,
            blocks: 0,
            bytes: 0,
            before: Usage::now(),
        }
    }

    pub(super) fn open<T>(
        &mut self,
        work: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let began = Instant::now();
        let done = work();
        self.opened = began.elapsed();
        done
    }

    pub(super) fn data(
        &mut self,
        blocks: &[Block],
        mut work: impl FnMut(&Block) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let began = Instant::now();
        for block in blocks {
            work(block)?;
            if self.first.is_none() {
                self.first = Some(began.elapsed());
            }
        }
        self.all += began.elapsed();
        self.blocks += blocks.len() as u64;
        Ok(())
    }

    /// Work without an item of its own.
    pub(super) fn time(&mut self, work: impl FnOnce() -> Result<(), EngineError>) -> Result<(), EngineError> {
        let began = Instant::now();
        let done = work();
        self.all += began.elapsed();
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

    pub(super) fn close<T>(
        &mut self,
        work: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let began = Instant::now();
        let done = work();
        self.closed = began.elapsed();
        done
    }

    pub(super) fn outcome(self) -> Outcome {
        Outcome {
            open_seconds: self.opened.as_secs_f64(),
            first_seconds: self.first.unwrap_or_default().as_secs_f64(),
            data_seconds: self.all.as_secs_f64(),
            close_seconds: self.closed.as_secs_f64(),
            blocks: self.blocks,
            bytes: self.bytes,
            usage: Usage::now().since(self.before),
            peak_memory_bytes: peak_memory_bytes(),
            base_memory_bytes: self.base_memory_bytes,
            page_cache: PageCache::Warm,
            decodes: None,
            encodes: None,
            checksum: None,
            objects: None,
            page_buffer: None,
            file_bytes: 0,
            version: String::new(),
            hdf5_version: None,
            default_cache: None,
        }
    }
    /// The same, with what an engine says of itself.
    pub(super) fn outcome_of(self, engine: &Prepared) -> Outcome {
        Outcome {
            version: engine.version(),
            hdf5_version: engine.hdf5_version(),
            default_cache: engine.default_cache(),
            ..self.outcome()
        }
    }
}
