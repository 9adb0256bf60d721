//! What the doctor says, as data and as text.

mod model;
mod numbers;
mod table;
mod text;
mod wrap;

pub use model::{DatasetReport, EngineReport, ProfileReport, ReadReport, Report};
pub use numbers::{count_text, list_text};
pub(crate) use numbers::{library_names, ratio_text, rounded};
pub use text::render_text;
