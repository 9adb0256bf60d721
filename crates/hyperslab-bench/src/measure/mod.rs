//! What a run costs the machine: time, memory, input and output.

mod page_cache;
mod usage;

pub use page_cache::{PageCache, empty_page_cache};
pub(crate) use usage::page_faults;
pub use usage::{Usage, peak_memory_bytes, thread_seconds};
