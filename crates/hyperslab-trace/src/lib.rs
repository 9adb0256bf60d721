//! What programs read of HDF5 files, as it is written down while they run.
//!
//! ```text
//!   each H5Dread ──► Watched::note ──► patterns (shape, order, count) ──► TracedPattern  ┐
//!                        │                                                               ├─► PID.jsonl
//!                        └──► LiveCaches: decodes, those of other caches ─► TracedDataset ┘
//!
//!   Trace::read(folder or file) ──► processes, datasets, patterns
//! ```
//!
//! Nothing here knows libhdf5 or the engine: who watches says which elements were read, and what the dataset is.

mod candidates;
mod order;
mod pattern;
mod placement;
mod plan;
mod record;
mod timeline;
mod trace;
mod wanted_chunks;
mod watched;

pub use candidates::candidates;
pub use hyperslab_simulate::Read;
pub use order::Order;
pub use pattern::Patterns;
pub use plan::{CachePlan, EnginePlan, PLAN_VARIABLE, Plan, PlannedCache};
pub use record::{
    CacheDecodes, Calls, ChunkDecodes, Line, Others, Process, Timeline, TracedDataset, TracedPattern, VERSION,
};
pub use trace::{Trace, TraceError};
pub use wanted_chunks::WantedChunks;
pub use watched::{Call, Description, Watched};
