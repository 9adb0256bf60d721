//! Filters that the program registers under the numbers of libhdf5's own: the engine has those of libhdf5.

use std::sync::{Mutex, PoisonError};

static REGISTERED: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Numbers below are libhdf5's own (`H5Z_FILTER_RESERVED`).
const RESERVED: i32 = 256;

/// Notes a filter that takes the place of one of libhdf5's.
pub fn register(filter: i32) {
    if filter >= RESERVED {
        return;
    }
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).push(filter);
}

/// True for a filter of the program.
pub fn is_registered(filter: i32) -> bool {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).contains(&filter)
}
