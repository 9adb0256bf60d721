//! Runs of several engines that take turns, of the matrix and of recipes alike.
//!
//! ```text
//!   EngineRun (a Task, by an engine) ──► Turns: round by round, each run in a process of its own ──► Runs ──► Summary
//!                └─ CachedResult: what was measured before is not measured again
//! ```

mod result_cache;
mod runs;
mod statistics;
mod turns;

pub use result_cache::{CachedResult, ResultCache, file_stamp};
pub use runs::Runs;
pub use statistics::Summary;
pub use turns::{EngineRun, Progress, Turns, refuse_differing};
