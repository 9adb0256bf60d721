//! The locks of the cache: those of the standard library, or, under `--cfg loom`, those of loom, which runs threads in
//! every order in which they can meet (`model.rs`, `scripts/loom`).
//!
//! Counters are not here: they are statistics, and nothing waits for them.

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

/// Maps that chunks are spread over.
pub(super) const SHARDS: usize = if cfg!(loom) { 1 } else { 64 };
