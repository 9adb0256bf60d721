//! An allocator that counts: how much is allocated now, and how much it was at most. The engine maps memory for decoded
//! chunks past every allocator, and counts that itself.

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

// SAFETY: everything is handed on to the system's allocator as it came.
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
        // The old and the new may both be there for a moment.
        more(bytes);
        less(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.realloc(start, layout, bytes) }
    }
}

/// What is allocated above a level that was there before, and all that is mapped.
pub struct Above {
    allocated: usize,
    mapped: Cell<usize>,
}

impl Above {
    /// From now on.
    pub fn now() -> Self {
        let allocated = CURRENT.load(Relaxed);
        PEAK.store(allocated, Relaxed);
        hyperslab::internal::mapped_bytes_peak();
        Self { allocated, mapped: Cell::new(0) }
    }

    /// The most that was taken since, by all threads together: allocated and mapped, as if both had been at their
    /// most at the same moment.
    pub fn peak(&self) -> usize {
        self.mapped.set(self.mapped.get().max(hyperslab::internal::mapped_bytes_peak()));
        PEAK.load(Relaxed).saturating_sub(self.allocated) + self.mapped.get()
    }
}
