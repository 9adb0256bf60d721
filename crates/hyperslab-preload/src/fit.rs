//! Chunk caches that fit: `hyperslab run --only cache`.
//!
//! A cache is made when a dataset is opened, and cannot be changed afterwards. So a dataset that needs a larger one is closed again
//! at once, and opened by the same library with the access list that it had, in which the cache is larger.

use crate::api::Api;
use crate::functions::Hid;
use crate::learned::{Alike, Learned};
use crate::opened::{self, Key, Quiet, Stored};
use hyperslab_doctor::{DatasetFacts, FilterFact, fitting_cache};
use hyperslab_storage::CacheSettings;
use hyperslab_trace::{CachePlan, PlannedCache};
use std::collections::HashMap;
use std::sync::Arc;

/// Smaller datasets are read in no time, and opening them once more, or by the engine, takes longer.
pub const DATASET_BYTES_MIN: u64 = 1 << 20;

/// No more answers are kept.
const QUESTIONS_MAX: usize = 1024;

/// What was given to open datasets, and what there is.
#[derive(Debug, Clone)]
pub struct Fitting {
    memory: u64,
    /// Those of a trace.
    planned: Arc<[PlannedCache]>,
    /// Bytes given to objects that are open.
    given: HashMap<(usize, Key), u64>,
    /// What was read so far.
    pub learned: Learned,
    /// The cache of datasets that are stored and read alike, so that it is looked for once.
    found: HashMap<Question, Option<CacheSettings>>,
}

/// What the cache of a dataset depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Question {
    stored: Stored,
    /// The reads so far; the usual ones where it is empty.
    reads: String,
    in_force: (u64, u64, u64),
    bytes_max: u64,
    version: String,
}

impl Fitting {
    pub fn new(plan: &CachePlan) -> Self {
        let memory = plan.memory_bytes.unwrap_or_else(|| hyperslab::cache_bytes() as u64) / ranks_of_node();
        let (given, learned, found) = (HashMap::new(), Learned::default(), HashMap::new());
        Self { memory, planned: plan.planned.clone().into(), given, learned, found }
    }

    /// The caches of a trace.
    pub fn planned(&self) -> Arc<[PlannedCache]> {
        self.planned.clone()
    }

    /// The cache that a dataset should have instead of the one it has; `planned` is that of a trace.
    pub fn wanted(
        &mut self,
        api: &Api,
        key: Key,
        stored: &Stored,
        alike: &Alike,
        in_force: CacheSettings,
        planned: Option<CacheSettings>,
    ) -> Option<CacheSettings> {
        let left = self.memory.saturating_sub(self.given.values().sum());
        let reads = self.learned.reads(alike, &stored.shape);
        let question = Question {
            stored: stored.clone(),
            reads: format!("{reads:?}"),
            in_force: (in_force.nbytes, in_force.nslots, in_force.w0.to_bits()),
            bytes_max: left,
            version: api.version.clone(),
        };
        if let Some(cache) = planned {
            let is_larger = cache.nbytes > in_force.nbytes && cache.nbytes <= left;
            return is_larger.then(|| {
                self.given.insert((api.identity(), key), cache.nbytes);
                cache
            });
        }
        if self.found.len() >= QUESTIONS_MAX {
            self.found.clear();
        }
        let found = self.found.entry(question).or_insert_with(|| {
            let version = api.version.parse().ok()?;
            fitting_cache(&facts(stored), &reads, in_force, version, left)
        });
        let wanted = (*found)?;
        self.given.insert((api.identity(), key), wanted.nbytes);
        Some(wanted)
    }

    /// An object is open no more.
    pub fn closed(&mut self, api: &Api, key: Key) {
        self.given.remove(&(api.identity(), key));
    }

    /// Nothing of a library is open any more.
    pub fn forget(&mut self, api: &Api) {
        self.learned.forget(api);
        let api = api.identity();
        self.given.retain(|(known, _), _| *known != api);
    }
}

/// True where another chunk cache may help.
pub fn may_help(stored: &Stored, in_force: CacheSettings) -> bool {
    let bytes = stored.bytes();
    stored.is_filtered && bytes >= DATASET_BYTES_MIN && bytes > in_force.nbytes
}

/// A dataset of which only libhdf5 was asked: what counts of reads depend on.
fn facts(stored: &Stored) -> DatasetFacts {
    let facts = DatasetFacts::contiguous("", &stored.shape, "", stored.element_bytes);
    let bytes = facts.logical_bytes;
    facts.in_chunks(&stored.chunk, vec![FilterFact::gzip(1)], bytes)
}

/// How many processes of a parallel program share this node.
pub fn ranks_of_node() -> u64 {
    let variables = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"];
    let set = variables.iter().find_map(|variable| std::env::var(variable).ok()?.parse::<u64>().ok());
    set.unwrap_or(1).max(1)
}

/// Opens a dataset again with another cache. Returns the identifier to use; where something is not as it was, that of `again`,
/// the program's own call.
pub fn reopened(api: &Api, id: Hid, key: Key, cache: CacheSettings, again: impl Fn() -> Hid) -> Hid {
    let quiet = Quiet::new(api);
    let Some(access) = opened::access_with(api, id, cache) else { return id };
    let Some(place) = opened::file_and_path(api, id) else { return id };
    let (Some(close), Some(open)) = (api.functions.dclose, api.functions.dopen2) else { return id };
    // SAFETY: the identifier that was just opened, which the program does not know yet.
    if unsafe { close(id) } < 0 {
        return id;
    }
    // SAFETY: an open file, a path that ends with 0, and an access list.
    let new = api.id(unsafe { open(place.file.id, place.path.as_ptr(), access.id) });
    if new >= 0 && opened::key(api, new) == Some(key) {
        return new;
    }
    if new >= 0 {
        // SAFETY: as above.
        unsafe { close(new) };
    }
    drop((access, place));
    drop(quiet);
    again()
}
