//! The report as text, as CSV, and as a page; JSON is the report itself.

pub(super) mod csv;
pub(super) mod html;
mod matrix;
mod text;

pub(super) use text::text;

use hyperslab_bench::document::Document;
use hyperslab_bench::document::Measured;
use hyperslab_bench::matrix::Row;

/// One cell of each file that was made here: files that are stored or written in another way.
fn files(document: &Document) -> Vec<&Measured> {
    let mut found: Vec<&Measured> = Vec::new();
    let is_known =
        |found: &[&Measured], row: &Row| found.iter().any(|known| known.row.stored_as == row.stored_as);
    for measured in &document.rows {
        if measured.row.write.is_some() && !is_known(&found, &measured.row) {
            found.push(measured);
        }
    }
    found
}
