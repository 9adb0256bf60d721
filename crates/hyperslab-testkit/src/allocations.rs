//! An allocator that counts the allocated bytes and their maximum.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, and a count of the bytes: to be made the `#[global_allocator]` of a test program.
#[derive(Debug)]
pub struct CountingAllocator;

fn more(bytes: usize) {
    let now = CURRENT.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

fn less(bytes: usize) {
    CURRENT.fetch_sub(bytes, Relaxed);
}

// SAFETY: all calls are forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
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

/// The bytes that are allocated in addition to those at the start of a measurement, in a program whose allocator is
/// [`CountingAllocator`].
#[derive(Debug)]
pub struct Allocations {
    before: usize,
}

impl Allocations {
    /// Starts to measure.
    pub fn now() -> Self {
        let before = CURRENT.load(Relaxed);
        PEAK.store(before, Relaxed);
        Self { before }
    }

    /// The maximum since the start, of all threads together.
    pub fn peak(&self) -> usize {
        PEAK.load(Relaxed).saturating_sub(self.before)
    }
}
