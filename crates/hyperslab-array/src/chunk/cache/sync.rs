//! The locks of the cache: those of the standard library or, with `--cfg loom`, those of loom, which runs the threads
//! in every possible order (`model.rs`, `scripts/loom`).
//!
//! Counters are not included: they are statistics, and no thread waits for them.

#[cfg(loom)]
pub(super) use loom::{
    sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard},
    thread::{ThreadId, current as current_thread},
};
#[cfg(not(loom))]
pub(super) use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard},
    thread::{ThreadId, current as current_thread},
};

/// The number of shards.
pub(super) const SHARDS: usize = if cfg!(loom) { 1 } else { 64 };
