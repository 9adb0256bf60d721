//! What the doctor says, as data and as text.

mod model;
mod numbers;
mod table;
mod text;
mod wrap;

pub use model::{DatasetReport, EngineReport, ProfileReport, ReadReport, Report};
pub(crate) use numbers::{count_text, library_names, list_text, ratio_text, rounded};
pub use text::render_text;
