//! The reads of datasets so far, for the chunk caches of those that are opened later: the same dataset again, or the one of its name
//! in the next file.

use crate::api::Api;
use crate::functions::Hid;
use crate::opened::Stored;
use crate::selection::{Dims, Selected};
use hyperslab_storage::pattern::RequestedRead;
use hyperslab_trace::{Call, Patterns};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// After this number of calls, no more are looked at.
const CALLS_MAX: u64 = 256;
/// Fewer calls tell nothing, unless they read as many elements as there are.
const CALLS_MIN: u64 = 8;
/// So many patterns of reads count.
const PATTERNS_MAX: usize = 4;
/// Of more datasets, nothing is learned.
const DATASETS_MAX: usize = 4096;

/// Datasets that are taken to be read alike.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Alike {
    pub path: Vec<u8>,
    pub chunk: Vec<u64>,
    pub element_bytes: u64,
}

impl Alike {
    /// Those with this path that are stored like this.
    pub fn of(path: &[u8], stored: &Stored) -> Self {
        Self { path: path.to_owned(), chunk: stored.chunk.clone(), element_bytes: stored.element_bytes }
    }
}

/// The reads so far.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    datasets: HashMap<Alike, Reads>,
    /// Those that are open, and their extents.
    open: HashMap<(usize, Hid), (Alike, Dims)>,
}

#[derive(Debug, Clone, Default)]
struct Reads {
    patterns: Patterns,
    calls: u64,
    elements: u64,
}

/// Grows whenever an identifier may stand for another dataset.
static CHANGES: AtomicU64 = AtomicU64::new(1);

/// Datasets that a thread remembers, each in its place.
const REMEMBERED: usize = 8;

thread_local! {
    /// Datasets of which there is nothing more to learn.
    static KNOWN: Cell<[(u64, usize, Hid); REMEMBERED]> = const { Cell::new([(0, 0, 0); REMEMBERED]) };
}

/// True if nothing more is to be learned of the dataset that is open as `id`, as far as the thread knows.
pub fn is_known(api: &Api, id: Hid) -> bool {
    let now = (CHANGES.load(Ordering::Acquire), api.identity(), id);
    KNOWN.try_with(|known| known.get()[id as usize % REMEMBERED] == now).unwrap_or(true)
}

fn remember(api: &Api, id: Hid) {
    let now = (CHANGES.load(Ordering::Acquire), api.identity(), id);
    let _ = KNOWN.try_with(|places| {
        let mut known = places.get();
        known[id as usize % REMEMBERED] = now;
        places.set(known);
    });
}

impl Learned {
    /// A dataset is open as `id`.
    pub fn opened(&mut self, api: &Api, id: Hid, alike: Alike, shape: &[u64]) {
        if self.datasets.len() < DATASETS_MAX || self.datasets.contains_key(&alike) {
            CHANGES.fetch_add(1, Ordering::AcqRel);
            self.open.insert((api.identity(), id), (alike, Dims::from_slice(shape)));
        }
    }

    /// The extent of a dataset of which more is to be learned.
    pub fn shape(&self, api: &Api, id: Hid) -> Option<Dims> {
        let found = self.open.get(&(api.identity(), id));
        let found = found.filter(|(alike, _)| self.datasets.get(alike).is_none_or(|of| of.calls < CALLS_MAX));
        if found.is_none() {
            remember(api, id);
        }
        found.map(|(_, shape)| shape.clone())
    }

    /// Notes a read.
    pub fn note(&mut self, api: &Api, id: Hid, selected: &Selected) {
        let Some((alike, shape)) = self.open.get(&(api.identity(), id)) else { return };
        let reads = self.datasets.entry(alike.clone()).or_default();
        reads.calls += 1;
        selected.with(shape, None, |read, elements| {
            reads.elements = reads.elements.saturating_add(elements);
            let (rank, memory_type) = (shape.len(), "");
            let (is_write, ended, seconds, thread) = (false, 0.0, 0.0, 0);
            let call = Call { read, elements, rank, is_write, ended, seconds, memory_type, thread };
            reads.patterns.note(&call, 0, None);
        });
    }

    /// The reads of datasets that are alike; none before they tell something.
    pub fn reads(&self, alike: &Alike, shape: &[u64]) -> Vec<RequestedRead> {
        let elements = shape.iter().fold(1u64, |elements, dim| elements.saturating_mul(*dim));
        let tells = |reads: &&Reads| reads.calls >= CALLS_MIN || reads.elements >= elements;
        self.datasets
            .get(alike)
            .filter(tells)
            .map_or_else(Vec::new, |reads| reads.patterns.reads(PATTERNS_MAX))
    }

    /// An identifier ended.
    pub fn closed(&mut self, api: &Api, id: Hid) {
        self.open.remove(&(api.identity(), id));
    }

    /// Nothing of a library is open any more.
    pub fn forget(&mut self, api: &Api) {
        CHANGES.fetch_add(1, Ordering::AcqRel);
        self.open.retain(|(known, _), _| *known != api.identity());
    }
}
