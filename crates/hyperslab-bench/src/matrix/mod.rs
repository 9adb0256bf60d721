//! The matrix: every storage by every access by every engine with its settings, each cell measured.
//!
//! ```text
//!   Matrix ─► files: one for each storage and strategy of writing ─► Questions ─► rounds of reads ─► Vec<Row>
//! ```

mod extrapolation;
mod files;
mod key;
mod question;
mod row;
mod run;
mod simulated;
mod skipped;
mod subject;
mod write_figures;
mod write_strategy;

pub use question::{Made, Question};
pub use row::{ReadFigures, Row, Rows};
pub use run::Site;
pub use simulated::Simulated;
pub use skipped::Skipped;
pub use subject::{Matrix, ReadLimit, Subject};
pub use write_figures::WriteFigures;
pub use write_strategy::WriteStrategy;
