//! Counts the chunks that a libhdf5 decodes and encodes, by standing in front of one of its own filters.
//!
//! libhdf5 exports its table of filters (`H5Z_register`, `H5Z_DEFLATE` …), so a filter that counts and hands on can
//! take the place of a predefined one, for any file. Builds that hide these names cannot be counted, nor can
//! pipelines of plug-ins alone: their counts are simulated only.

use super::filter_class::{Class, DECODING, Filter};
use crate::interface::{Counter, Counts};
use crate::library::call;
use libloading::Library;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static DECODES: AtomicU64 = AtomicU64::new(0);
static ENCODES: AtomicU64 = AtomicU64::new(0);
static NEXT: OnceLock<Filter> = OnceLock::new();

/// The predefined filters, by identification.
const SYMBOLS: [(u16, &str); 6] = [
    (1, "H5Z_DEFLATE\0"),
    (2, "H5Z_SHUFFLE\0"),
    (3, "H5Z_FLETCHER32\0"),
    (4, "H5Z_SZIP\0"),
    (5, "H5Z_NBIT\0"),
    (6, "H5Z_SCALEOFFSET\0"),
];

/// What it takes to count, looked up when a library is loaded: its function that takes a filter, and its predefined ones.
pub(super) struct Filters {
    register: Option<unsafe extern "C" fn(*const Class) -> c_int>,
    classes: Vec<(u16, *const Class)>,
}

impl Filters {
    /// Those that a libhdf5 lets be seen.
    pub(super) fn find(library: &Library) -> Self {
        // SAFETY: a libhdf5, which has a function and variables of these types under these names.
        unsafe {
            let class = |(id, name): &(u16, &str)| Some((*id, call::find(&[library], name)?));
            let classes = SYMBOLS.iter().filter_map(class).collect();
            Self { register: call::find(&[library], "H5Z_register\0"), classes }
        }
    }
}

fn now() -> Counts {
    Counts { decodes: DECODES.load(Ordering::Relaxed), encodes: ENCODES.load(Ordering::Relaxed) }
}

/// Counts the chunks that pass this pipeline, where the library allows. Once a process: the first filter stays.
pub(super) fn install(known: &Filters, filters: &[u16]) -> Option<Counter> {
    let register = known.register?;
    // The last filter of a pipeline is the first to decode, and sees every chunk that has any filter applied.
    let last = filters.iter().rev().find(|id| SYMBOLS.iter().any(|(known, _)| known == *id))?;
    let class = known.classes.iter().find(|(id, _)| id == last)?.1;
    // SAFETY: the library's own class of this filter.
    let class = unsafe { *class };
    if NEXT.set(class.filter).is_err() {
        return None;
    }
    // SAFETY: a class as the library's own, but for its function, which hands on to that.
    if unsafe { register(&Class { filter: count, ..class }) } < 0 {
        return None;
    }
    let before = now();
    Some(Box::new(move || {
        let now = now();
        Counts { decodes: now.decodes - before.decodes, encodes: now.encodes - before.encodes }
    }))
}

unsafe extern "C" fn count(
    flags: c_uint,
    parameter_count: usize,
    parameters: *const c_uint,
    bytes: usize,
    buffer_bytes: *mut usize,
    buffer: *mut *mut c_void,
) -> usize {
    let counter = if flags & DECODING != 0 { &DECODES } else { &ENCODES };
    counter.fetch_add(1, Ordering::Relaxed);
    let Some(next) = NEXT.get() else { return 0 };
    // SAFETY: what libhdf5 hands over goes on to its own filter.
    unsafe { next(flags, parameter_count, parameters, bytes, buffer_bytes, buffer) }
}
