//! The matrix: every storage by every access by every engine with its settings, each cell measured.
//!
//! ```text
//!   Matrix ─► files: one for each storage and strategy of writing ─► rounds of reads ─► Vec<Row>
//! ```

mod files;
mod key;
mod row;
mod run;
pub(crate) mod simulated;
mod subject;
mod write_strategy;

pub use row::{ReadFigures, Row, Rows, Skipped, WriteFigures};
pub use run::{Question, Site};
pub use subject::{Matrix, Subject};
pub use write_strategy::WriteStrategy;
