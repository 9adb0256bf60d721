//! The report as text and as CSV; JSON is the report itself.

pub(super) mod csv;
mod text;

pub(super) use text::text;
