//! The matrix: every storage by every access by every contender, each cell measured.
//!
//! ```text
//!   Matrix ─► prepare: a file for each storage and way of writing ─► rounds of reads ─► Vec<Row>
//! ```

mod contender;
mod ledger;
mod prepare;
mod row;
mod run;
mod runs;
pub(crate) mod simulated;
mod statistics;
mod way;

pub use ledger::{Kept, Ledger};
pub use row::{ReadFigures, Row, Rows, Skipped, WriteFigures};
pub use run::{Matrix, Progress, Subject};
pub(crate) use runs::Runs;
pub use statistics::Summary;
pub use way::Way;
