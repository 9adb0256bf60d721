//! The doctor's report, as data and as text.

mod forecast;
mod model;
mod table;
mod text;
mod wrap;
mod writes;

pub use forecast::{alternative_text, render_forecast};
pub use model::{
    DatasetReport, EngineReport, Prediction, ProfileReport, ReadReport, Report, WriteProfileReport,
    WriteReport,
};
pub use text::{render_findings, render_text};
