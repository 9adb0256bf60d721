//! An allocator that counts the allocated bytes and their maximum. The engine maps the memory of decoded chunks without
//! an allocator, and counts those bytes itself.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[global_allocator]
static COUNTING: Counting = Counting;
static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn more(bytes: usize) {
    let now = CURRENT.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

fn less(bytes: usize) {
    CURRENT.fetch_sub(bytes, Relaxed);
}

// SAFETY: all calls are forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        less(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // The old and the new memory may exist at the same time.
        more(bytes);
        less(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.realloc(start, layout, bytes) }
    }
}

/// The bytes that are allocated in addition to those at the start of the measurement, and the mapped bytes.
pub struct Above {
    allocated: usize,
    mapped: Cell<usize>,
}

impl Above {
    /// Starts to measure.
    pub fn now() -> Self {
        let allocated = CURRENT.load(Relaxed);
        PEAK.store(allocated, Relaxed);
        hyperslab::internal::mapped_bytes_peak();
        Self { allocated, mapped: Cell::new(0) }
    }

    /// The maximum since the start, of all threads together: the sum of the maximum of the allocated bytes and the
    /// maximum of the mapped bytes, even if they occurred at different times.
    pub fn peak(&self) -> usize {
        self.mapped.set(self.mapped.get().max(hyperslab::internal::mapped_bytes_peak()));
        PEAK.load(Relaxed).saturating_sub(self.allocated) + self.mapped.get()
    }
}
