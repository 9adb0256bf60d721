//! The memory of a read: what the allocator gave, and the mapped memory of decoded chunks, which the engine counts itself.

use hyperslab_testkit::{Allocations, CountingAllocator};
use std::cell::Cell;

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

/// The bytes that are allocated in addition to those at the start of the measurement, and the mapped bytes.
pub struct Above {
    allocations: Allocations,
    mapped: Cell<usize>,
}

impl Above {
    /// Starts to measure.
    pub fn now() -> Self {
        hyperslab::memory::mapped_bytes_peak();
        Self { allocations: Allocations::now(), mapped: Cell::new(0) }
    }

    /// The maximum since the start, of all threads together: the sum of the maximum of the allocated bytes and the
    /// maximum of the mapped bytes, even if they occurred at different times.
    pub fn peak(&self) -> usize {
        self.mapped.set(self.mapped.get().max(hyperslab::memory::mapped_bytes_peak()));
        self.allocations.peak() + self.mapped.get()
    }
}
