//! What a plan says about single datasets. There may be millions of them, of few kinds: what many have in common is shared.

use hyperslab_write::ObjectId;
use serde::Serialize;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// A dataset that is stored otherwise than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedDataset {
    /// Its path.
    pub path: Box<str>,
    /// The options that say so, as the user wrote them.
    pub options: Arc<[String]>,
    /// Its extent in elements.
    pub shape: Box<[u64]>,
    /// The bytes of all elements.
    pub logical_bytes: u64,
    /// The bytes of its data in the source.
    pub stored_bytes: u64,
    /// How it is stored in the source.
    pub before: Arc<StorageSummary>,
    /// How it will be stored.
    pub after: Arc<StorageSummary>,
    /// The number of chunks in the new file.
    pub chunks: u64,
    /// The most bytes of elements and chunks in memory at a time.
    pub memory_bytes: u64,
    /// The bytes that go through a temporary file: 0 if memory suffices.
    pub temporary_bytes: u64,
}

/// A layout and filters, for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct StorageSummary {
    /// `chunked`, `contiguous`, `compact`, `virtual` or `external`.
    pub layout: &'static str,
    /// The shape of a chunk.
    pub chunk: Option<Vec<u64>>,
    /// The filters, in the order of writing.
    pub filters: Vec<String>,
}

/// What stays as it is, although there are rules: a dataset that one with a pattern matches, or a rule that matches none.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub what: Subject,
    pub reason: Arc<str>,
}

/// What rules are about.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    Dataset(ObjectId),
    /// The option of a rule, quoted.
    Rule(Box<str>),
}

/// Values that are equal, once in memory.
#[derive(Debug)]
pub(crate) struct Shared<T: ?Sized>(HashSet<Arc<T>>);

impl<T: ?Sized> Default for Shared<T> {
    fn default() -> Self {
        Self(HashSet::new())
    }
}

/// There are few different ones: of more than these, some are in memory several times.
const SHARED_MAX: usize = 1024;

impl<T: ?Sized + Eq + Hash> Shared<T> {
    pub fn of(&mut self, value: impl Into<Arc<T>>) -> Arc<T> {
        let value = value.into();
        if let Some(known) = self.0.get(&value) {
            return known.clone();
        }
        if self.0.len() == SHARED_MAX {
            self.0.clear();
        }
        self.0.insert(value.clone());
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one() {
        let mut shared = Shared::<str>::default();
        let first = shared.of("a reason");
        assert!(Arc::ptr_eq(&first, &shared.of(String::from("a reason"))));
        (0..2 * SHARED_MAX)
            .for_each(|number| assert_eq!(*shared.of(format!("{number}")), *format!("{number}")));
        assert!(shared.0.len() <= SHARED_MAX);
    }
}
