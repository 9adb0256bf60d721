//! Published studies, run again: each at its own size, on the user's own libraries and on hyperslab, its figures beside
//! today's, its conclusions judged by them.
//!
//! A recipe is data, a file of `recipes/`: files, reads, caches, published figures and effects.
//!
//! ```text
//!   Description ── scale ──► RecipePlan: Cells, Effects ──► run (the runner's turns) ──► Measured ──► Judged ──► Report
//! ```

mod artifacts;
mod catalogue;
mod cell;
mod claim;
mod description;
mod engines;
mod explanation;
mod figure;
mod judge;
mod measured;
mod report;
mod run;
mod scaling;
mod task;

pub use catalogue::{RECIPES, Recipe};
pub use claim::{Claim, Verdict};
pub use engines::Used;
pub use figure::{Figure, Kind, Metric, Published};
pub use judge::{Judged, Other};
pub use measured::{CacheFit, Measured};
pub use report::{Counts, NotRun, Report, TableReport};
pub use run::RunContext;
