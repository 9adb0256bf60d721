//! The matrix: every storage by every access by every contender, each cell measured.
//!
//! ```text
//!   Matrix ─► prepare: a file for each storage and way of writing ─► rounds of reads ─► Vec<Row>
//! ```

mod engine_run;
mod result_cache;
mod prepare;
mod row;
mod run;
mod runs;
pub(crate) mod simulated;
mod statistics;
mod write_strategy;

pub use result_cache::{CachedResult, ResultCache};
pub use row::{ReadFigures, Row, Rows, Skipped, WriteFigures};
pub use run::{Matrix, Progress, Subject};
pub(crate) use runs::Runs;
pub use statistics::Summary;
pub use write_strategy::WriteStrategy;
