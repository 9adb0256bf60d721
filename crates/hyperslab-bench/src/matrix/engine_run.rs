//! One contender in a cell: its runs, and the row that they make.

use super::result_cache::CachedResult;
use super::prepare::Prepared;
use super::row::{ReadFigures, Row, Skipped};
use super::run::Matrix;
use super::runs::Runs;
use super::simulated;
use crate::engine::{Engine, OpenOptions};
use crate::process::Outcome;
use crate::study::{Access, Format};
use hyperslab_doctor::DatasetFacts;

/// An engine with its settings.
pub(super) struct EngineRun<'a> {
    pub(super) engine: &'a Engine,
    pub(super) options: OpenOptions,
    /// What it took when it was measured before, if it was.
    pub(super) kept: Option<CachedResult>,
    pub(super) runs: Runs,
    pub(super) failure: Option<String>,
}

/// Contenders whose values are not those that were written, where that is known, or not those of the first, are
/// failures, not rows.
pub(super) fn differing(contenders: &mut [EngineRun<'_>], expected: Option<String>) {
    let sum = |contender: &EngineRun<'_>| {
        let is_null = matches!(contender.engine, Engine::Null);
        contender.checksum().filter(|_| !is_null)
    };
    let first = || contenders.iter().find_map(|one| Some((format!("{} read", one.engine.name()), sum(one)?)));
    let written = expected.map(|expected| ("were written".to_owned(), expected));
    let Some((known, expected)) = written.or_else(first) else { return };
    for contender in contenders {
        if sum(contender).is_some_and(|own| own != expected) {
            contender.failure = Some(format!("WRONG VALUES: not those that {known}"));
        }
    }
}

impl EngineRun<'_> {
    /// The same, not yet run.
    pub(super) fn new(engine: &Engine, options: OpenOptions) -> EngineRun<'_> {
        EngineRun { engine, options, kept: None, runs: Runs::default(), failure: None }
    }

    /// The SHA-256 of the values that it read.
    pub(super) fn checksum(&self) -> Option<String> {
        match &self.kept {
            Some(kept) => kept.checksum.clone(),
            None => self.runs.check().and_then(|check| check.checksum.clone()),
        }
    }

    /// True where another round would take longer than the cell is worth.
    pub(super) fn is_enough(&self, round: usize, seconds_max: f64) -> bool {
        round > 0 && self.runs.spent() > seconds_max
    }

    pub(super) fn row(
        &self,
        matrix: &Matrix,
        prepared: &Prepared,
        access: &Access,
        facts: Option<&DatasetFacts>,
    ) -> Result<Row, Skipped> {
        let runs = &self.runs;
        let (Some(check), Some(last), None) = (runs.check(), runs.last(), &self.failure) else {
            let what = format!("{}: {access}, {}", self.engine.name(), prepared.stored_as);
            let why = self.failure.clone().unwrap_or_else(|| "it was not run".to_owned());
            return Err(Skipped { what, why });
        };
        let read = runs.summary(|outcome| outcome.data_seconds);
        let in_all = access.len(matrix.subject.shape());
        let is_part = check.blocks > 0 && check.blocks < in_all;
        let format = prepared.storage.as_ref().map_or(Format::Hdf5, |storage| storage.format);
        let has_cache = self.engine.has_chunk_cache(format);
        let cache = self.options.cache.or(check.default_cache).filter(|_| has_cache);
        let simulated = facts.and_then(|facts| {
            simulated::reads(facts, access, matrix.reads_max, check.hdf5_version.as_deref(), cache)
        });
        Ok(Row {
            storage: prepared.storage.clone(),
            stored_as: prepared.stored_as.clone(),
            access: access.clone(),
            read_as: access.to_string(),
            engine: self.engine.name(),
            version: check.version.clone(),
            cache,
            is_default_cache: self.options.cache.is_none(),
            page_buffer: self.options.page_buffer,
            write: prepared.write.clone(),
            read: ReadFigures {
                read,
                open_read_close: runs.summary(Outcome::total_seconds),
                first: runs.summary(|outcome| outcome.first_seconds),
                average: if check.blocks == 0 { 0.0 } else { read.median / check.blocks as f64 },
                cpu: runs.summary(|outcome| outcome.usage.cpu_seconds),
                reads: check.blocks,
                reads_in_all: in_all,
                reckoned_read: is_part.then(|| read.median / check.blocks as f64 * in_all as f64),
                bytes: last.bytes,
                read_calls: last.usage.read_calls,
                read_bytes: last.usage.read_bytes,
                memory_bytes: last.peak_memory_bytes.saturating_sub(last.base_memory_bytes),
                decodes: check.decodes,
                simulated_decodes: simulated.map(|simulated| simulated.decodes),
                predicted_seconds: simulated.and_then(|simulated| simulated.seconds),
                page_cache: last.page_cache,
            },
        })
    }
}
