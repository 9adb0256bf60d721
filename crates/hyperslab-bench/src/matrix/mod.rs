//! The matrix: every storage by every access by every contender, each cell measured.
//!
//! ```text
//!   Matrix ─► prepare: a file for each storage (by each library that writes it) ─► rounds of reads ─► Vec<Row>
//! ```

mod prepare;
mod row;
mod run;
mod simulated;
mod statistics;

pub use row::{ReadFigures, Row, Rows, Skipped, WriteFigures};
pub use run::{Matrix, Progress, Subject};
pub use statistics::Summary;
